/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.c - addresses, registers, barriers, threads, and C variables.
 *
 *   before                                     after
 *   storages ta 4 x 16384, tb 4 x 32768,       ta at 0, tb at 65536, c_out at 196608 with 2 blocks of 128 bytes,
 *     c_out 2 x (64 x 256)                       the ring at 229376: 229440 of 232448 bytes
 *   roles producer x 1, consumer x 2           384 threads, 24 and 240 registers
 *
 * Shared memory is one struct in the order of the storages, rings behind them (budget.c).  Rings whose depth the user
 * left open give slots until all fits.  Outputs take what the rings leave: first up to two 128-byte blocks, so that one
 * drains while the next is written; then second slots come, for rings that are filled once a tile, so that a CTA's next
 * tile is on its way while it works on this one; and what then still is left goes to the outputs again, up to a whole
 * tile.  What does not fit is an error that prints the sum.  Then staging.c says how tiles pass through outputs of that
 * size.
 */
#include "machine/budget.h"
#include "machine/machine.h"
#include "machine/plan.h"
#include "ir/queries.h"
#include "ir/slice.h"
#include "lower.h"

static int64_t round_up(int64_t value, int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* ---- threads and registers --------------------------------------------------------------------------------------- */

int role_groups(const Role *role)
{
    int team = machine_wide_groups(role->layout);
    return role->replicas * (team ? team : 1);
}

int kernel_groups(const Kernel *kernel)
{
    int groups = 0;
    FOR_ROLES (role, kernel)
        groups += role_groups(role);
    return groups;
}

/* What is multiplied ends up there: it gets the registers that others do not need.  */
static bool is_busy(const Kernel *kernel, const Role *role)
{
    return role_holds_tiles(role) && role == role_that(kernel, ROLE_STORES);
}

static int busy_groups(const Kernel *kernel)
{
    int groups = 0;
    FOR_ROLES (role, kernel)
        groups += is_busy(kernel, role) ? role->replicas : 0;
    return groups;
}

static void visit_copies(Op *op, void *context)
{
    int *work = context;
    bool divides = op->code == OP_DIVI || op->code == OP_REMI;
    *work += op->code == OP_PUT || op->code == OP_COPY_IN || op_info[op->code].class_ == CLASS_READ || divides;
}

/* More rings, copies, scalar reads or divisions than a plain product has want the larger share.  */
static bool has_much_to_issue(const Role *role)
{
    int work = 0;
    ir_walk(role->body, visit_copies, &work);
    return work > 3;
}

typedef struct {
    Layout layout;
    int registers;
} Carrier;

static void visit_carried(Op *op, void *context)
{
    Carrier *most = context;
    int registers = 0;
    if (op->code != OP_FOR)
        return;
    for (int i = 0; i < carried_count(op); i++) {
        const Value *value = carried(op, i).argument;
        registers += value_is_tile(value) ? machine_tile_registers(value->type, most->layout) : 0;
    }
    most->registers = registers > most->registers ? registers : most->registers;
}

/* Do the tiles of a loop, accumulators above all, leave so few registers that every one counts?  */
static bool carries_much(const Role *role)
{
    Carrier most = {role->layout, 0};
    ir_walk(role->body, visit_carried, &most);
    return most.registers > BUDGET_EASY_REGISTERS;
}

/* What the roles may ask for in all, in registers of a thread times groups: no more than the launch itself gave them,
   or the last group to ask would wait for ever.  */
static int register_pool(const Kernel *kernel)
{
    return kernel_groups(kernel) * (kernel->machine->registers / kernel->threads / 8 * 8);
}

static void visit_rings(Op *op, void *context)
{
    int *rings = context;
    *rings += op->code == OP_PUT || op->code == OP_GET;
}

/* A role that only moves tiles from ring to ring: four of them, with slot and phase each, spill in the fewest
   registers.  */
static int moving_registers(const Machine *machine, const Role *role)
{
    int rings = 0;
    ir_walk(role->body, visit_rings, &rings);
    return rings > 2 ? machine->fewest_role_registers + 8 : machine->fewest_role_registers;
}

enum { BESIDE_TILES = 40, IN_PASSING = 16, FEWEST_PREPARING = 56, MOST_PREPARING = 152 };

/* A tile that is made of another, element by element, and put at once: piece by piece.  */
static bool is_made_in_passing(const Op *op)
{
    if (!op_is_elementwise(op) || op->nargs != 1 || !type_equal(op->args[0]->type, op->results[0]->type))
        return false;
    for (const Op *after = op->next; after; after = after->next)
        if (uses_value(after, op->results[0]) && after->code != OP_PUT_TILE)
            return false;
    return true;
}

static void visit_held(Op *op, void *context)
{
    Carrier *held = context;
    for (int i = 0; i < op->nresults; i++)
        held->registers += is_made_in_passing(op)          ? IN_PASSING
                           : value_is_tile(op->results[i]) ? machine_tile_registers(op->results[i]->type, held->layout)
                                                           : 0;
}

/* A role that computes for others: all of its tiles at once, at most, and what addresses take.  */
static int preparing_registers(const Role *role)
{
    Carrier held = {role->layout, BESIDE_TILES};
    ir_walk(role->body, visit_held, &held);
    int registers = (int)round_up(held.registers, 8);
    return registers < FEWEST_PREPARING ? FEWEST_PREPARING : registers < MOST_PREPARING ? registers : MOST_PREPARING;
}

/* Of roles but those that get what is left.  */
static int own_registers(const Machine *machine, const Role *role, int issuing)
{
    return role->registers          ? role->registers
           : role_issues_only(role) ? issuing
           : role_holds_tiles(role) ? preparing_registers(role)
                                    : moving_registers(machine, role);
}

/* Its registers are what the others leave.  */
static bool is_open(const Kernel *kernel, const Role *role)
{
    return is_busy(kernel, role) && !role->registers;
}

static const Task *first_with_registers(const Kernel *kernel)
{
    const Task *task = kernel->tasks;
    while (task && !task->registers)
        task = task->next;
    return task;
}

static void refuse_tasks(Kernel *kernel, int issuing)
{
    const Task *task = first_with_registers(kernel);
    const char *sum = NULL;
    int total = 0;
    FOR_ROLES (role, kernel) {
        int registers = is_open(kernel, role) ? kernel->machine->fewest_role_registers
                                              : own_registers(kernel->machine, role, issuing);
        total += role->replicas * MACHINE_GROUP_THREADS * registers;
        sum = arena_print(kernel->module, "%s%s%s %d x %d x %d", sum ? sum : "", sum ? ", " : "", role->name,
                          role->replicas, MACHINE_GROUP_THREADS, registers);
    }
    reject(kernel, task ? task->loc : kernel->loc, REASON_TASK_REGISTERS, total,
           register_pool(kernel) * MACHINE_GROUP_THREADS, sum);
}

static void default_registers(Kernel *kernel)
{
    const Machine *machine = kernel->machine;
    int busy = busy_groups(kernel), idle = kernel_groups(kernel) - busy;
    bool more = false, full = false, asked = false;
    FOR_ROLES (role, kernel)
        asked |= role->registers > 0;
    if ((busy < 2 && !asked) || !idle)
        return;
    FOR_ROLES (role, kernel) {
        more |= role_issues_only(role) && has_much_to_issue(role);
        full |= carries_much(role);
    }
    int left = register_pool(kernel), issuing = busy > 2 ? 32 : more && !full ? 40 : 24;
    FOR_ROLES (role, kernel)
        left -= is_open(kernel, role) ? 0 : role->replicas * own_registers(machine, role, issuing);
    int open = 0;
    FOR_ROLES (role, kernel)
        open += is_open(kernel, role) ? role->replicas : 0;
    int computing = open ? left / open / 8 * 8 : 0;
    if ((asked || kernel->tasks) && (left < 0 || (open && computing < machine->fewest_role_registers))) {
        refuse_tasks(kernel, issuing);
        return;
    }
    FOR_ROLES (role, kernel)
        role->registers = !is_open(kernel, role)                     ? own_registers(machine, role, issuing)
                          : computing > machine->most_role_registers ? machine->most_role_registers
                                                                     : computing;
}

static void clause_registers(Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    const char *sum = NULL;
    int total = 0;
    FOR_ROLES (role, kernel) {
        if (!role->registers)
            role->registers = role_holds_tiles(role) ? grid->consumer_registers : grid->producer_registers;
        total += role->replicas * MACHINE_GROUP_THREADS * role->registers;
        sum = arena_print(kernel->module, "%s%s%s %d x %d x %d", sum ? sum : "", sum ? ", " : "", role->name,
                          role->replicas, MACHINE_GROUP_THREADS, role->registers);
    }
    int pool = register_pool(kernel) * MACHINE_GROUP_THREADS;
    if (total > pool)
        reject(kernel, grid->loc, REASON_REGISTER_BUDGET, total, pool, sum);
}

/* The clause registers(producer, consumer): may it be honoured?  */
static bool check_register_clause(Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    if (!budget_registers_clause(kernel))
        return false;
    if (!kernel_is_specialized(kernel)) {
        reject_text(kernel, grid->loc,
                    "registers(producer, consumer) needs these roles, and no loop here is specialized",
                    "leave the clause out, or put '#pragma ws pipeline' above a loop");
        return false;
    }
    return true;
}

static void plan_threads(Kernel *kernel)
{
    bool clause = kernel->grid.producer_registers || kernel->grid.consumer_registers;
    kernel->threads = kernel_groups(kernel) * MACHINE_GROUP_THREADS;
    kernel->min_blocks = 1;
    if (kernel->threads > kernel->machine->max_threads)
        reject(kernel, kernel->grid.loc, REASON_THREADS, kernel->threads, kernel->machine->max_threads);
    else if (clause && check_register_clause(kernel))
        clause_registers(kernel);
    else if (!clause && kernel_is_specialized(kernel))
        default_registers(kernel);
}

static void check_product(Op *op, void *context)
{
    Kernel *kernel = context;
    if (op->code != OP_MMA)
        return;
    int columns = op->results[0]->type.cols < kernel->machine->product_columns ? op->results[0]->type.cols
                                                                               : kernel->machine->product_columns;
    int most = machine_product_columns(kernel->machine, kernel->threads, op->args[0]->type.kind != K_VIEW);
    if (columns > most)
        reject(kernel, op->loc, REASON_PRODUCT_WIDE, columns, kernel->threads, most);
}

/* Registers that an instruction takes have to be there when the kernel begins.  */
static void check_products(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        ir_walk(role->body, check_product, kernel);
}

bool kernel_gathers(const Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_GATHER, NULL))
            return true;
    return kernel_meets(kernel);
}

bool kernel_has_pingpong(const Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_PINGPONG_TAKE, NULL))
            return true;
    return false;
}

/* Barrier 0 belongs to the CTA, one to each group, one to each group's turn, one to meetings of all.  */
static void plan_barriers(Kernel *kernel)
{
    int groups = kernel_groups(kernel);
    int barriers = 1 + groups + (kernel_has_pingpong(kernel) ? groups : 0) + kernel_gathers(kernel);
    if (barriers > kernel->machine->named_barriers)
        reject(kernel, kernel->grid.loc, REASON_BARRIERS, barriers, kernel->machine->named_barriers);
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

static void plan_slots(Kernel *kernel)
{
    FOR_STORAGES (storage, kernel)
        storage->slot_bytes = storage_bytes(storage);
}

/* Outputs with at most `blocks` 128-byte blocks.  */
static bool outputs_fit(Kernel *kernel, const int *whole, int blocks)
{
    int i = 0;
    FOR_STORAGES (storage, kernel) {
        if (storage->use != USE_OUTPUT)
            continue;
        int columns = blocks * machine_line_elements(storage->tile.dtype);
        storage->tile.cols = whole[i] < columns ? whole[i] : columns;
        storage->slot_bytes = storage_bytes(storage);
        i++;
    }
    kernel->shared_bytes = budget_place(kernel);
    return budget_fits(kernel, kernel->shared_bytes);
}

static const char *use_text(const Storage *storage)
{
    static const char *const texts[] = {"slots", "operands", "outputs", "scratch", "copies", "sums", "shares", "tiles"};
    return texts[storage->use];
}

static void reject_sum(Kernel *kernel)
{
    const char *sum = "";
    FOR_STORAGES (storage, kernel)
        sum = arena_print(kernel->module, "%s%s%s %d %s of %lld", sum, *sum ? ", " : "", storage->name, storage->slots,
                          use_text(storage), (long long)storage->slot_bytes);
    reject(kernel, kernel->loc, REASON_SHARED_MEMORY, (long long)kernel->shared_bytes,
           (long long)kernel->machine->shared_bytes, sum);
}

/* The tensor core reads 64 rows of A even where a tile has fewer.  */
static void visit_short_operand(Op *op, void *context)
{
    Kernel *kernel = context;
    if (op->code != OP_MMA || op->args[0]->type.kind != K_VIEW)
        return;
    int rows = op->args[0]->type.rows;
    int padding = (int)(round_up(rows, MACHINE_MMA_ROWS) - rows) * MACHINE_LINE_BYTES;
    kernel->shared_padding = padding > kernel->shared_padding ? padding : kernel->shared_padding;
}

static void set_slots(Aref *aref, int slots)
{
    aref->slots = slots;
    for (int i = 0; i < aref->nstorages; i++)
        aref->storages[i]->slots = slots;
}

/* The user gives the rings of pipelined loops their depth; those outside have one slot, or two where they fit.  */
static void plan_second_slots(Kernel *kernel)
{
    FOR_AREFS (aref, kernel) {
        if (!kernel->grid.persistent || aref->slots > 1 || pipelined_loop(aref->payload[0]->def) ||
            storage_is_reused(kernel, aref->storages[0]))
            continue;
        set_slots(aref, 2);
        if (!budget_fits(kernel, budget_place(kernel)))
            set_slots(aref, 1);
    }
    kernel->shared_bytes = budget_place(kernel);
}

static bool uses_in_loop(const Op *op, const void *storage)
{
    return op->storage == storage && ir_enclosing(op, OP_FOR);
}

static bool is_in_loop(const Kernel *kernel, const Storage *storage)
{
    FOR_ROLES (role, kernel)
        if (ir_any_of(role->body, uses_in_loop, storage))
            return true;
    return false;
}

/* The output with so many columns at a time, if that fits.  */
static void try_columns(Kernel *kernel, Storage *storage, int columns)
{
    int before = storage->tile.cols;
    storage->tile.cols = columns;
    storage->slot_bytes = storage_bytes(storage);
    if (!budget_fits(kernel, budget_place(kernel)))
        storage->tile.cols = before;
    storage->slot_bytes = storage_bytes(storage);
}

/* Two blocks where there is room for more than one, but not in all outputs: first for those that a loop waits for.  */
static void widen_outputs(Kernel *kernel, const int *whole)
{
    for (int outside = 0; outside < 2; outside++) {
        int i = 0;
        FOR_STORAGES (storage, kernel) {
            if (storage->use != USE_OUTPUT)
                continue;
            int columns = storage->tile.cols, two = 2 * machine_line_elements(storage->tile.dtype);
            if (columns < two && columns < whole[i] && is_in_loop(kernel, storage) == !outside)
                try_columns(kernel, storage, whole[i] < two ? whole[i] : two);
            i++;
        }
    }
    kernel->shared_bytes = budget_place(kernel);
}

/* What is left, block by block.  */
static void grow_outputs(Kernel *kernel, const int *whole)
{
    for (bool grown = true; grown;) {
        int i = 0;
        grown = false;
        FOR_STORAGES (storage, kernel) {
            if (storage->use != USE_OUTPUT)
                continue;
            int columns = storage->tile.cols, more = columns + machine_line_elements(storage->tile.dtype);
            try_columns(kernel, storage, more < whole[i] ? more : whole[i]);
            grown |= storage->tile.cols > columns;
            i++;
        }
    }
    kernel->shared_bytes = budget_place(kernel);
}

/* With two slots the groups meet once for each gathering: nobody still reads what is written by then.  */
static void set_gathered_slots(Kernel *kernel, int slots)
{
    FOR_STORAGES (storage, kernel)
        if (storage->use == USE_GATHERED)
            storage->slots = slots;
}

static bool outputs_and_gathered_fit(Kernel *kernel, const int *whole)
{
    bool fits = false;
    for (int slots = 2; slots && !fits; slots--) {
        set_gathered_slots(kernel, slots);
        fits = outputs_fit(kernel, whole, 2) || outputs_fit(kernel, whole, 1);
    }
    return fits;
}

enum { MOST_OUTPUTS = 64 };

static void plan_shared(Kernel *kernel)
{
    int whole[MOST_OUTPUTS], outputs = 0;
    plan_slots(kernel);
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_short_operand, kernel);
    FOR_STORAGES (storage, kernel) {
        if (storage->use == USE_OUTPUT && outputs < MOST_OUTPUTS)
            whole[outputs++] = storage->tile.cols;
    }
    plan_shares(kernel);
    if (kernel->failed)
        return;
    bool fits = outputs_and_gathered_fit(kernel, whole);
    while (!fits && (budget_lower_depth(kernel) || plan_reuse(kernel)))
        fits = outputs_and_gathered_fit(kernel, whole);
    if (!fits) {
        reject_sum(kernel);
        return;
    }
    widen_outputs(kernel, whole);
    plan_second_slots(kernel);
    grow_outputs(kernel, whole);
}

/* ---- registers that tiles take ----------------------------------------------------------------------------------- */

/* Only what can surely not be held is refused; what the compiler may spill is for the build to report. Of what was
   solved that is too much already: there is the chosen schedule in its place.  */
static int check_pressure(Kernel *kernel, const Role *role)
{
    bool solved = kernel->scheduled_by && !kernel->module->schedule && role->registers;
    int most = solved ? role->registers : kernel->machine->thread_registers;
    Pressure peak = plan_pressure(kernel, role, most);
    if (peak.registers <= most)
        return peak.registers;
    const char *sentence =
        arena_print(kernel->module, "the tiles that live here take %d registers of each thread, and there are %d: %s",
                    peak.registers, most, peak.tiles);
    reject_text(kernel, peak.loc, sentence, "use smaller tiles or more consumer groups");
    return peak.registers;
}

enum {
    OTHER_REGISTERS = 64,   /* addresses, predicates, and what is on the way from one tile to the next */
    SCRATCH_REGISTERS = 64, /* addresses in it, where tiles pass through */
    COEFFICIENTS = 8,       /* of polynomials, and the path for arguments far from zero */
    MANY_POLYNOMIALS = 8,   /* of more the compiler keeps those of two at a time */
    ENOUGH_THREADS = 1024,  /* of an SM: past these nothing is gained */
    LEAST_OF_TEAMS = 512    /* with fewer nothing hides what a team waits for; each has 128 registers */
};

static void count_polynomials(Op *op, void *count)
{
    *(int *)count += (op_info[op->code].about & IS_POLYNOMIAL) != 0;
}

/* Does it go through scratch memory by addresses of each element?  */
static bool passes_scratch(const Op *op, const void *context)
{
    const Role *role = context;
    if (!op->storage || op->storage->use != USE_SCRATCH)
        return false;
    bool sums = machine_wide_groups(role->layout) && op->results[0]->type.cols == 1;
    return !sums && !(op->code == OP_TRANS && machine_turns_vectors(op->args[0]->type, role->layout));
}

static int blocks_by_memory(const Kernel *kernel, int64_t shared_bytes)
{
    return kernel->machine->sm_shared_bytes / (int)(shared_bytes + kernel->machine->block_shared_bytes);
}

/* What loads, computes and stores in turn needs other blocks beside it that do so at other times.  The compiler would
   take registers until there is room for one or two only; so it is told how many there should be.  Matrix products are
   left out: their accumulators cannot wait in memory.  */
int plan_blocks_with(const Kernel *kernel, int peak, int ahead, int64_t shared_bytes)
{
    int scratch = 0, coefficients = 0;
    FOR_ROLES (role, kernel) {
        int loads = plan_loads_together(role);
        loads += loads && ahead ? PLAN_MADE_OF_LOADS : 0;
        peak = loads > peak ? loads : peak;
        int polynomials = 0;
        ir_walk(role->body, count_polynomials, &polynomials);
        int these = polynomials > MANY_POLYNOMIALS ? 2 * COEFFICIENTS : polynomials ? COEFFICIENTS : 0;
        coefficients = these > coefficients ? these : coefficients;
        if (ir_any_of(role->body, passes_scratch, role))
            scratch = SCRATCH_REGISTERS;
    }
    int other = ahead ? ahead : OTHER_REGISTERS;
    int each = (int)round_up(peak + other + scratch + coefficients, 8);
    int blocks = kernel->machine->registers / (each * kernel->threads);
    int fit = blocks_by_memory(kernel, shared_bytes);
    blocks = blocks < fit ? blocks : fit;
    blocks = blocks < ENOUGH_THREADS / kernel->threads ? blocks : ENOUGH_THREADS / kernel->threads;
    return blocks > 1 ? blocks : 1;
}

static void plan_blocks(Kernel *kernel, int peak, int ahead)
{
    FOR_ROLES (role, kernel)
        if (role->registers || kernel->layout == LAYOUT_MMA)
            return;
    kernel->min_blocks = plan_blocks_with(kernel, peak, ahead, kernel->shared_bytes);
    int blocks = machine_wide_groups(kernel->layout) > 1 ? LEAST_OF_TEAMS / kernel->threads : 0;
    if (blocks > kernel->min_blocks && blocks <= blocks_by_memory(kernel, kernel->shared_bytes))
        kernel->min_blocks = blocks;
}

static void visit_say_loop(Op *op, void *context)
{
    Kernel *kernel = context;
    const Pipeline *pipeline = pipeline_of(op);
    if (!pipeline)
        return;
    int groups = kernel->grid.consumers;
    const char *split = groups == 1 ? "" : kernel->grid.split == SPLIT_TILES ? "s (tiles)" : "s (rows)";
    remark(kernel, DIAG_OPTIMIZED, pipeline->loc,
           "loop specialized: producer and %d consumer group%s, %d load%s through rings of D = %d, P = %d, %s "
           "schedule%s%s",
           groups, split, pipeline->put_count, pipeline->put_count > 1 ? "s" : "", pipeline->depth, pipeline->in_flight,
           pipeline->schedule == SCHEDULE_COARSE ? "coarse" : "fine",
           pipeline->pingpong ? ", products in ping-pong" : "",
           pipeline->automatic ? " (chosen: as many slots as shared memory holds and hide latency)" : "");
}

/* What the kernel costs, for the remarks: threads, registers of each role, shared memory and the rings in it.  */
static void say_plan(Kernel *kernel)
{
    Module *module = kernel->module;
    const char *text = arena_print(module, "kernel %s: %d threads", kernel->name, kernel->threads);
    FOR_ROLES (role, kernel)
        if (role->registers)
            text = arena_print(module, "%s, %s with %d registers", text, role->name, role->registers);
    if (kernel->min_blocks > 1)
        text = arena_print(module, "%s, %d blocks in an SM", text, kernel->min_blocks);
    text = arena_print(module, "%s, %lld bytes of shared memory", text, (long long)kernel->shared_bytes);
    FOR_AREFS (aref, kernel)
        text = arena_print(module, "%s, ring %s of %d x %lld bytes", text, aref->name, aref->slots,
                           (long long)aref->bytes);
    remark(kernel, DIAG_OPTIMIZED, kernel->loc, "%s", text);
}

/* require: layout.   ensure: addresses, registers, threads, variables.  */
void pass_plan(Kernel *kernel)
{
    plan_threads(kernel);
    check_products(kernel);
    plan_barriers(kernel);
    if (kernel->failed)
        return;
    plan_shared(kernel);
    if (kernel->failed)
        return;
    plan_staging(kernel);
    plan_turns(kernel);
    plan_variables(kernel);
    plan_pace(kernel);
    int peak = 0;
    FOR_ROLES (role, kernel) {
        int registers = check_pressure(kernel, role);
        peak = registers > peak ? registers : peak;
    }
    int ahead = plan_ahead(kernel, &peak);
    plan_blocks(kernel, peak, ahead);
    if (kernel->failed)
        return;
    ir_walk(kernel->body, visit_say_loop, kernel);
    say_plan(kernel);
    FOR_STORAGES (storage, kernel)
        if (storage->over) {
            plan_say_reuse(kernel);
            break;
        }
}
