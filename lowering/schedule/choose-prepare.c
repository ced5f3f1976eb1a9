/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-prepare.c - operands of products that a role of its own prepares.
 *
 *      for (k = 0; k < K; k += 64)                               producer   x, w8
 *        x  = ws_load (a, i, k, 256, 64);                        preparer   gets w8, puts wh
 *        w8 = ws_load (w, j, k, 128, 64);                        consumer   gets x and wh; does not wait
 *        wh = ws_cast (w8, WS_F16);
 *        acc = ws_dot (x, ws_trans (wh), acc);
 *
 * If an operand is computed and then has to lie in shared memory, the groups that multiply pay for that.  They wait for
 * the previous product, synchronize twice, and do the work.  For a right operand, each group does all of the work.  If
 * another role computes the operand, the groups only need a get.
 *
 * A role may prepare an operand that does not depend on a product.  The operand is prepared if the estimate gains, and
 * if threads, registers and memory are left.  The method does not depend on the operations that compute the operand.
 */
#include "ir/alias.h"
#include "schedule/choose.h"
#include "target/budget.h"
#include "target/machine.h"

enum {
    MOST_MULTIPLYING = 2, /* groups: with preparer and producer four, which share the registers */
    MOST_PREPARING = 2,   /* groups */
    PREPARED_SLOTS = 3,   /* slots of prepared operands that hide variations between iterations */
    PASSING_SLOTS = 2     /* least slots of rings that only the preparer reads */
};

static const Costs *costs_of(const Chooser *chooser)
{
    return chooser->kernel->machine->costs;
}

/* ---- what may be prepared ---------------------------------------------------------------------------------------- */

typedef struct {
    const Chooser *chooser;
    const Slice *slice;
    bool bad;
    int64_t clocks; /* clocks of one group for operations in the loop */
    int registers;  /* registers of all its tiles */
    const Block *body;
} Chain;

static bool is_stored(const Chooser *chooser, const Op *load)
{
    for (int i = 0; i < chooser->nstores; i++)
        if (tensor_memory(chooser->stores[i]->args[0]) == tensor_memory(load->args[0]))
            return true;
    return false;
}

/* The clocks of a group for an operation.  */
static int64_t clocks_of(const Costs *costs, const Op *op)
{
    if (op->nresults != 1 || op->results[0]->type.kind != K_TILE)
        return 0;
    Type type = op->results[0]->type;
    const int64_t elements = (int64_t)type.rows * type.cols;
    return op_info[op->code].class_ == CLASS_LOAD ? cost_transfer(costs, elements * dtype_bytes(type.dtype))
                                                  : cost_of_group(costs, op, elements, 1);
}

static void visit_chain(Op *op, void *context)
{
    Chain *chain = context;
    if (!slice_has_op(chain->slice, op))
        return;
    OpClass class_ = op_info[op->code].class_;
    bool alone = class_ == CLASS_LOAD && !schedule_of(op)->depth;
    chain->bad |= op_is_product(op) || class_ == CLASS_STORE || op->code == OP_SUM_PARTS;
    chain->bad |= alone && is_stored(chain->chooser, op);
    if (!op_at_block(op, chain->body))
        return;
    chain->clocks += clocks_of(costs_of(chain->chooser), op);
    if (op->nresults == 1 && op->results[0]->type.kind == K_TILE)
        chain->registers += machine_tile_registers(op->results[0]->type, LAYOUT_ROWS);
}

/* The operand, or the operand of its transpose.  */
static Value *prepared_value(Value *operand)
{
    return operand->def && operand->def->code == OP_TRANS ? operand->def->args[0] : operand;
}

/* True for an operand that holds a residual of the right operand.  */
static bool is_rest(const Op *product, int arg)
{
    return product->code == OP_DOT_F32 && arg > 2;
}

/* True if the operand must be staged in shared memory, in a form that the tensor cores read.  */
static bool would_be_staged(const Op *product, int arg)
{
    const Value *operand = product->args[arg];
    bool transposed = operand->def && operand->def->code == OP_TRANS;
    int bytes = dtype_bytes(operand->type.dtype);
    return (bytes == 2 && (arg == 1 || transposed)) || (bytes == 1 && transposed == (arg == 1)) ||
           is_rest(product, arg);
}

static bool only_operand(const Chooser *chooser, const Value *value)
{
    const Use *use = uses_of(&chooser->uses, value);
    bool any = use;
    for (; use; use = use->next)
        any &= use_is_operand(use, &chooser->uses);
    return any;
}

typedef struct {
    int64_t clocks;
    int registers;
} Need;

/* Computes the clocks and registers for the operand `product->args[arg]`.  The result is false if no other role may
   compute it.  */
static bool may_be_prepared(const Chooser *chooser, const Op *product, int arg, const Block *body, Need *need)
{
    Value *value = prepared_value(product->args[arg]);
    Op *source = value->def;
    if (!source || schedule_of(source)->task || source->parent != body || op_info[source->code].class_ != CLASS_TILE ||
        source->nblocks || schedule_of(source)->depth || !would_be_staged(product, arg) ||
        !only_operand(chooser, value))
        return false;
    const Slice slice = choose_slice(chooser->kernel, source);
    Chain chain = {.chooser = chooser, .slice = &slice, .body = body};
    ir_walk(chooser->kernel->body, visit_chain, &chain);
    const int64_t bytes = (int64_t)value->type.rows * value->type.cols * dtype_bytes(value->type.dtype);
    need->clocks = chain.clocks + cost_transfer(costs_of(chooser), bytes);
    need->registers = chain.registers;
    return !chain.bad;
}

/* ---- the estimate ------------------------------------------------------------------------------------------------ */

typedef struct {
    /* Clocks of an iteration: of products, of operands in their groups, of operands in a role of their own.  */
    int64_t products, own, preparer;
    int registers; /* of all tiles that it computes */
} Estimate;

/* True if the rows of each group are whole blocks of the tensor cores.  */
static bool rows_fit(const Op *product, int groups)
{
    return product->results[0]->type.rows % (groups * MACHINE_MMA_ROWS) == 0;
}

/* The registers of a thread that multiplies floats, beside its sums: sums of one step, and the left operand in two
   parts (runtime/cuda/tf32_split.cuh).  */
static int registers_beside(const Costs *costs, const Op *product, int sums)
{
    Type sum = product->results[0]->type;
    int depth = product->args[0]->type.cols, parts = depth < 32 ? depth : 32;
    const bool is_narrow = sums <= costs->split_sum_registers && sum.cols <= 128;
    return (is_narrow ? sum.cols / 2 : costs->split_step_registers) + parts + costs->split_part_registers;
}

static int sums_of(const Op *product, int groups)
{
    Type sum = product->results[0]->type;
    sum.rows /= groups;
    return machine_tile_registers(sum, LAYOUT_MMA);
}

static bool has_rests(const Chooser *chooser, const Op *loop)
{
    for (int i = 0; i < chooser->ndots; i++)
        if (chooser->dots[i]->code == OP_DOT_F32 && chooser->dots[i]->nargs > 3 &&
            pipelined_loop(chooser->dots[i]) == loop)
            return true;
    return false;
}

static bool registers_fit(const Chooser *chooser, const Op *loop, int groups)
{
    const Machine *machine = chooser->kernel->machine;
    const Costs *costs = machine->costs;
    int threads = (groups + 2) * MACHINE_GROUP_THREADS, all = (groups + 2) * (machine->registers / threads / 8 * 8);
    int sums = 0, beside = 0, prepared = 0;
    for (int i = 0; i < chooser->ndots; i++) {
        const Op *dot = chooser->dots[i];
        if (pipelined_loop(dot) != loop)
            continue;
        sums += sums_of(dot, groups);
        if (dot->code != OP_DOT_F32 || dot->nargs < 4)
            continue;
        int own = registers_beside(costs, dot, sums_of(dot, groups)), parts = dot->nargs - 3;
        beside = own > beside ? own : beside;
        prepared += dot->args[3]->type.rows * dot->args[3]->type.cols / MACHINE_GROUP_THREADS;
        prepared += parts * costs->passing_registers;
    }
    prepared += costs->beside_prepared_registers;
    return !beside || groups * (sums + beside) + prepared + machine->fewest_role_registers <= all;
}

/* True for products of the tensor cores that read both operands from shared memory.  Products of floats do if residuals
   are operands.  */
static bool waits_for_operands(const Op *product)
{
    return op_is_dot(product) || (product->code == OP_DOT_F32 && product->nargs > 3);
}

int64_t choose_product_clocks(const Chooser *chooser, const Op *loop)
{
    int64_t clocks = 0;
    for (int i = 0; i < chooser->ndots; i++)
        if (waits_for_operands(chooser->dots[i]) && pipelined_loop(chooser->dots[i]) == loop)
            clocks += cost_product_at_peak(costs_of(chooser), chooser->dots[i]);
    return clocks;
}

static bool pays(const Estimate *estimate)
{
    int64_t together = estimate->products > estimate->preparer ? estimate->products : estimate->preparer;
    return together < estimate->products + estimate->own;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

static const char *name_of(const Value *value)
{
    return value->name ? value->name : op_info[value->def->code].text;
}

typedef struct {
    const Slice *slice;
    uint32_t role;
} Share;

/* Gives each operation in the slice the role.  */
static void visit_share(Op *op, void *context)
{
    const Share *share = context;
    OpClass class_ = op_info[op->code].class_;
    if (slice_has_op(share->slice, op) && (class_ == CLASS_TILE || class_ == CLASS_LOAD))
        schedule_op(op)->roles |= share->role;
}

/* Ends the slice at tiles that another role puts into rings.  */
static bool cut_at_other_role(const Op *op, void *context)
{
    const uint32_t *role = context;
    return schedule_of(op)->depth && schedule_of(op)->maker != *role;
}

typedef struct {
    Slice *slice;
    uint32_t role;
    bool rest; /* also stores of no task */
} Stores;

static void visit_store(Op *op, void *context)
{
    const Stores *stores = context;
    const uint32_t roles = schedule_of(op)->roles;
    if (op_info[op->code].class_ == CLASS_STORE && (roles ? roles == stores->role : stores->rest))
        slice_op(stores->slice, op);
}

static void share_with(Chooser *chooser, uint32_t role, bool stores)
{
    Slice slice = slice_new(chooser->kernel);
    slice.cut = cut_at_other_role;
    slice.context = &role;
    Stores own = {&slice, role, stores};
    ir_walk(chooser->kernel->body, visit_store, &own);
    for (int i = 0; i < chooser->nprepared; i++)
        if (schedule_of(chooser->prepared[i])->maker == role)
            slice_op(&slice, chooser->prepared[i]);
    Share share = {&slice, role};
    ir_walk(chooser->kernel->body, visit_share, &share);
}

static void share_out(Chooser *chooser)
{
    const Role *stores = role_that(chooser->kernel, ROLE_STORES);
    FOR_ROLES (role, chooser->kernel)
        if (!(role->may & ROLE_COPIES))
            share_with(chooser, ROLE_BIT(role), role == stores);
}

/* Sets the depth of prepared operands.  Loads that only the preparer reads run ahead by their own slots, too.  */
static void choose_slots(const Chooser *chooser, const Op *loop)
{
    const LoopSchedule *schedule = schedule_of_loop(loop);
    for (int i = 0; i < chooser->nprepared; i++)
        if (pipelined_loop(chooser->prepared[i]) == loop)
            schedule_op(chooser->prepared[i])->depth = schedule->depth;
}

static bool has_threads(const Chooser *chooser, int groups)
{
    const Grid *grid = &chooser->kernel->grid;
    bool transposer = false;
    for (int i = 0; i < chooser->nloads; i++)
        transposer |= schedule_of(chooser->loads[i])->transposer != 0;
    return !transposer && !grid->producer_registers && !grid->consumer_registers && groups <= MOST_MULTIPLYING;
}

/* The registers of each preparing group; 0: too few are left.  */
static int registers_of(const Chooser *chooser, const Estimate *estimate, int groups, int preparers)
{
    const Machine *machine = chooser->kernel->machine;
    const Costs *costs = machine->costs;
    int all = groups + preparers + 1, pool = all * (machine->registers / (all * MACHINE_GROUP_THREADS) / 8 * 8);
    int multiplying = groups * (choose_product_registers(chooser, groups) + costs->beside_product_registers);
    int left = (pool - costs->much_issuing_registers - multiplying) / preparers / 8 * 8,
        most = costs->prepared_registers;
    int held = (estimate->registers < most ? estimate->registers : most) / preparers;
    int wanted = (held + costs->beside_prepared_registers + 7) / 8 * 8;
    int least = (held + costs->few_beside_prepared_registers + 7) / 8 * 8;
    return left >= wanted ? wanted : left >= least ? left : 0;
}

/* The reason why a second group does not prepare, or NULL.  */
static const char *second_objection(const Chooser *chooser, const Op *loop, const Estimate *estimate, int groups,
                                    int *registers)
{
    const Costs *costs = costs_of(chooser);
    int64_t alone = costs->preparer_waits + estimate->preparer - costs->preparer_hands_over;
    *registers = registers_of(chooser, estimate, groups, MOST_PREPARING);
    if (costs->preparer_reserve * alone <= estimate->products)
        return "a second one is not needed";
    if (!choose_products_fit(chooser, groups + 1 + MOST_PREPARING))
        return "with a second one products would be too wide";
    if (!*registers || has_rests(chooser, loop))
        return "a second one lacks registers";
    return NULL;
}

static const char *objection(const Chooser *chooser, const Op *loop, const Estimate *estimate, int groups)
{
    if (!has_threads(chooser, groups) || !registers_fit(chooser, loop, groups))
        return "no group of threads, or no registers, are left";
    if (!choose_products_fit(chooser, groups + 2))
        return "with one group more its products would be too wide";
    if (!pays(estimate))
        return "it would take longer";
    return NULL;
}

static void say(Chooser *chooser, const Op *loop, const char *names, const Estimate *estimate, const char *why,
                const char *groups)
{
    int64_t together = estimate->products > estimate->preparer ? estimate->products : estimate->preparer;
    const char *numbers =
        arena_print(chooser->kernel->module,
                    "an iteration is estimated at %lld clocks of products, %lld in the groups that "
                    "multiply, %lld in a role of its own: %lld against %lld",
                    (long long)estimate->products, (long long)estimate->own, (long long)estimate->preparer,
                    (long long)together, (long long)(estimate->products + estimate->own));
    if (why)
        remark(chooser->kernel, DIAG_MISSED, loop->control->pipeline->loc, "no separate role prepares %s: %s; %s",
               names, why, numbers);
    else
        remark(chooser->kernel, DIAG_OPTIMIZED, loop->control->pipeline->loc, "a separate role prepares %s, %s; %s",
               names, groups, numbers);
}

/* Sets the number of groups that prepare, and returns the reason in words.  */
static const char *choose_preparers(Chooser *chooser, const Op *loop, const Estimate *estimate, int groups)
{
    int registers;
    const char *why = second_objection(chooser, loop, estimate, groups, &registers);
    chooser->preparers = why ? 1 : MOST_PREPARING;
    chooser->preparing_registers = why ? 0 : registers;
    return why ? arena_print(chooser->kernel->module, "one group: %s", why)
               : arena_print(chooser->kernel->module,
                             "%d groups with %d registers, since one would wait %d clocks of an "
                             "iteration beside its work",
                             MOST_PREPARING, registers, costs_of(chooser)->preparer_waits);
}

/* Chooses the operands of one loop together: one role prepares all of them, or none.  */
static void choose_loop(Chooser *chooser, const Op *loop, int groups)
{
    int first = chooser->nprepared;
    const char *names = NULL;
    const Costs *costs = costs_of(chooser);
    Estimate estimate = {choose_product_clocks(chooser, loop), 0, costs->preparer_hands_over, 0};
    for (int i = 0; i < chooser->ndots; i++)
        for (int arg = 0; arg < chooser->dots[i]->nargs; arg++) {
            const Op *dot = chooser->dots[i];
            Need need;
            if (!op_reads_operand(dot, arg) || (is_rest(dot, arg) && !rows_fit(dot, groups)) ||
                !waits_for_operands(dot) || pipelined_loop(dot) != loop ||
                !may_be_prepared(chooser, dot, arg, loop->blocks[0], &need))
                continue;
            Value *value = prepared_value(dot->args[arg]);
            choose_push(chooser->kernel, &chooser->prepared, &chooser->nprepared, value->def);
            schedule_op(value->def)->depth = -1;
            estimate.preparer += need.clocks;
            estimate.registers += need.registers;
            estimate.own += is_rest(dot, arg) ? (arg == 3) * estimate.products
                                              : costs->group_stages + need.clocks * (arg ? groups : 1);
            names = names ? arena_print(chooser->kernel->module, "%s, %s", names, name_of(value)) : name_of(value);
        }
    if (chooser->nprepared == first)
        return;
    choose_slots(chooser, loop);
    const char *why = objection(chooser, loop, &estimate, groups);
    if (!why && !budget_fits(chooser->kernel, room_fixed(chooser)))
        why = "its slots do not fit into shared memory";
    for (int i = first; i < chooser->nprepared && why; i++)
        schedule_op(chooser->prepared[i])->depth = 0;
    chooser->nprepared = why ? first : chooser->nprepared;
    say(chooser, loop, names, &estimate, why, why ? NULL : choose_preparers(chooser, loop, &estimate, groups));
}

void choose_prepared(Chooser *chooser, int groups)
{
    bool said = chooser->nprepared || chooser->storing; /* the user's tasks exclude further roles */
    for (int i = 0; i < chooser->nloops && chooser->specialized && !said; i++)
        if (schedule_of_loop(chooser->loops[i])->kind == SCHEDULE_FINE)
            choose_loop(chooser, chooser->loops[i], groups);
    Role *role =
        chooser->nprepared && !said ? role_new(chooser->kernel, "preparer", ROLE_COMPUTES, chooser->preparers) : NULL;
    if (role)
        role->registers = chooser->preparing_registers;
    for (int i = 0; i < chooser->nprepared && role; i++)
        schedule_op(chooser->prepared[i])->maker = ROLE_BIT(role);
    if (chooser->nprepared || chooser->storing)
        share_out(chooser);
}

/* The slots of an open ring of a kernel with prepared operands.  Rings from the producer to products have `depth`,
   rings that only the preparer reads have `passing`.  */
static int slots_of(const Chooser *chooser, const Op *source, int depth, int passing)
{
    uint32_t consumer = ROLE_BIT(role_that(chooser->kernel, ROLE_STORES));
    if (source->code != OP_LOAD)
        return depth < PREPARED_SLOTS ? depth : PREPARED_SLOTS;
    return !schedule_of(source)->roles || schedule_of(source)->roles & consumer ? depth : passing;
}

static bool slots_fit(const Chooser *chooser, int64_t room, int depth, int passing)
{
    int64_t bytes = 0;
    for (int i = 0; i < chooser->nrings; i++)
        if (schedule_of(chooser->rings[i])->depth < 0)
            bytes += slots_of(chooser, chooser->rings[i], depth, passing) * room_of_slot(chooser->rings[i]);
    return bytes <= room;
}

/* The least slots for loads of the preparer.  With them, prepared operands are as early as the rings of products
   are.  */
static int least_passing(int depth)
{
    int late = depth + 1 - (depth < PREPARED_SLOTS ? depth : PREPARED_SLOTS);
    return late > PASSING_SLOTS ? late : PASSING_SLOTS;
}

int choose_uneven_depth(Chooser *chooser, int64_t room, int most)
{
    int depth = most;
    while (depth > 1 && !slots_fit(chooser, room, depth, least_passing(depth)))
        depth--;
    int passing = least_passing(depth) > depth ? least_passing(depth) : depth;
    while (passing > least_passing(depth) && !slots_fit(chooser, room, depth, passing))
        passing--;
    for (int i = 0; i < chooser->nrings; i++)
        if (schedule_of(chooser->rings[i])->depth < 0)
            schedule_op(chooser->rings[i])->depth = slots_of(chooser, chooser->rings[i], depth, passing);
    return depth;
}
