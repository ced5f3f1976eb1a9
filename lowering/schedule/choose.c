/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose.c - writes the schedule table of a kernel: roles, stages, order, and depths of rings.
 *
 *      before                                     after (pipeline (4, 2), two groups)
 *      for (k = 0; k < K; k += 64)                both roles
 *        ta = ws_load (a, i, k, 128, 64);         producer -> consumer, depth 4, released by the product, one iteration
 *                                                 late
 *        tb = ws_load (b, j, k, 256, 64);         the same
 *        acc = ws_dot (ta, ws_trans (tb), acc);   consumer, stage 0, rows split over the groups
 *
 * This file is the fine-grained writer of the table (Tawa, III-D.1): every operation is in stage 0, and slots are
 * released P-1 iterations late.  The coarse writer (choose-coarse.c), a solver and the user's tasks fill the same
 * columns.
 *
 * Rings are chosen by choose-rings.c, groups by choose-groups.c.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "optimize/epilogue-prefetch.h"
#include "passes.h"
#include "schedule/choose.h"
#include "schedule/schedule.h"
#include "target/budget.h"
#include "target/machine.h"
#include "target/operands.h"

#include <string.h>

/* ---- collecting -------------------------------------------------------------------------------------------------- */

void choose_push(Kernel *kernel, Op ***list, int *count, Op *op)
{
    if ((*count & (*count - 1)) == 0) {
        Op **grown = arena_alloc(kernel->module, sizeof(Op *) * (size_t)(*count ? 2 * *count : 1));
        if (*count)
            memcpy(grown, *list, sizeof(Op *) * (size_t)*count);
        *list = grown;
    }
    (*list)[(*count)++] = op;
}

static bool cut_at_ring(const Op *op, void *context)
{
    return op != context && schedule_of(op)->depth;
}

Slice choose_slice(Kernel *kernel, Op *op)
{
    Slice slice = slice_new(kernel);
    slice.cut = cut_at_ring;
    slice.context = op;
    slice_op(&slice, op);
    return slice;
}

/* True if the staging of a store can make the transpose.  */
static bool is_transposed_to_store(const Chooser *chooser, const Op *op)
{
    if (op->code != OP_TRANS || !machine_turns_in_staging(op->results[0]->type))
        return false;
    const Use *use = uses_of(&chooser->uses, op->results[0]);
    return use && !use->next && use->op->code == OP_STORE;
}

/* The scratch memory in which a group transposes a computed tile, or reduces it across threads.  */
static int64_t scratch_bytes(const Chooser *chooser, const Op *op)
{
    const Op *from = op->nargs && op->args[0]->type.kind == K_TILE ? op->args[0]->def : NULL;
    bool needs = from && from->code != OP_LOAD && !is_transposed_to_store(chooser, op);
    return needs ? machine_scratch_bytes(op, LAYOUT_ROWS) : 0;
}

static void visit_collect(Op *op, void *context)
{
    Chooser *chooser = context;
    const ScheduleRow *row = schedule_of(op);
    *schedule_op(op) = (ScheduleRow){
        .task = row->task, .ring = row->ring, .share = row->share, .tag = row->tag, .order = ++chooser->order};
    chooser->said |= row->ring > 0;
    if (op->code == OP_LOAD) {
        op->transfer->resident = 0;
        choose_push(chooser->kernel, &chooser->loads, &chooser->nloads, op);
    }
    if (op_info[op->code].class_ == CLASS_STORE && !op_prints(op))
        choose_push(chooser->kernel, &chooser->stores, &chooser->nstores, op);
    if (op->code == OP_SUM_PARTS)
        chooser->parts_bytes += machine_parts_bytes(machine_parts(op, chooser->kernel->grid.cluster[1]));
    else if (op_meets_blocks(op))
        chooser->parts_bytes += machine_shares_bytes(machine_shares(op, chooser->kernel->grid.cluster[1], LAYOUT_ROWS));
    chooser->scratch_bytes =
        scratch_bytes(chooser, op) > chooser->scratch_bytes ? scratch_bytes(chooser, op) : chooser->scratch_bytes;
    if (loop_is_pipelined(op))
        choose_push(chooser->kernel, &chooser->loops, &chooser->nloops, op);
    if (op_is_product(op))
        choose_push(chooser->kernel, &chooser->dots, &chooser->ndots, op);
}

static void visit_scalar_read(Op *op, void *context)
{
    Chooser *chooser = context;
    if (op_info[op->code].class_ != CLASS_READ && op->code != OP_LOAD_AT)
        return;
    for (int i = 0; i < chooser->nstores; i++)
        if (tensor_memory(chooser->stores[i]->args[0]) == tensor_memory(op->args[0]))
            reject(chooser->kernel, op->loc, REASON_AT_STORED, op_info[op->code].text);
}

/* The tensor cores read bytes along K only.  If threads and registers for another role are left, that role transposes
   tiles with K across lines once, between their ring and the groups.  */
enum { TRANSPOSED_ROWS = 32, TRANSPOSED_COLUMNS = 16, MOST_GROUPS_BESIDE = 2 };

static bool wants_transposer(const Chooser *chooser, const Op *load)
{
    const Grid *grid = &chooser->kernel->grid;
    Type type = load->results[0]->type;
    int asked = 2 * (grid->producer_registers + grid->consumer_registers); /* of two groups each */
    int groups = choose_most_groups(chooser);
    bool room = groups <= MOST_GROUPS_BESIDE && asked * MACHINE_GROUP_THREADS <= chooser->kernel->machine->registers &&
                choose_products_fit(chooser, groups + 2);
    return schedule_of(load)->depth && chooser->specialized && room && type.rows % TRANSPOSED_ROWS == 0 &&
           type.cols % TRANSPOSED_COLUMNS == 0 && lies_across(load, load->results[0], &chooser->uses);
}

/* ---- loops: D and P ---------------------------------------------------------------------------------------------- */

/* The names of the loads of a loop's rings, for messages.  */
static const char *ring_names(Chooser *chooser, const Op *loop)
{
    const char *text = NULL;
    for (int i = 0; i < chooser->nloads; i++) {
        Op *load = chooser->loads[i];
        if (!schedule_of(load)->depth || pipelined_loop(load) != loop)
            continue;
        const char *tensor = load->args[0]->name ? load->args[0]->name : "tile";
        const char *name = load->results[0]->name ? load->results[0]->name : tensor;
        text = text ? arena_print(chooser->kernel->module, "%s, %s", text, name) : name;
    }
    return text;
}

static int in_flight_effective(const Chooser *chooser, const Op *loop, int wanted)
{
    if (!chooser->kernel->machine->wgmma) /* a product is done when the next one starts */
        return 1;
    for (int i = 0; i < chooser->nrings; i++)
        if (schedule_of(chooser->rings[i])->depth && schedule_of(chooser->rings[i])->release == RELEASE_END &&
            loop_around(chooser->rings[i]->parent) == loop)
            return wanted;
    return 1;
}

static uint32_t next_role(const Kernel *kernel)
{
    uint32_t bit = 1;
    FOR_ROLES (role, kernel)
        bit <<= 1;
    return bit;
}

/* Makes a transposer.  If slots of given depth leave no memory for its rings, each group transposes its operands.  */
static void choose_transposer(Chooser *chooser)
{
    uint32_t transposer = next_role(chooser->kernel);
    bool any = false;
    for (int i = 0; i < chooser->nloads; i++)
        if (wants_transposer(chooser, chooser->loads[i])) {
            schedule_op(chooser->loads[i])->transposer = transposer;
            any = true;
        }
    bool fits = budget_fits(chooser->kernel, room_fixed(chooser));
    for (int i = 0; i < chooser->nloads && !fits; i++)
        schedule_op(chooser->loads[i])->transposer = 0;
    if (any && fits)
        role_new(chooser->kernel, "transposer", ROLE_COMPUTES, 1);
}

static void choose_resident_loads(Chooser *chooser)
{
    chooser->keeps = true;
    chooser->keeps = chooser->nloops == 1 && !chooser->nprepared && !chooser->said &&
                     choose_resident(chooser->kernel, chooser->loops[0], chooser->loads, chooser->nloads,
                                     chooser->kernel->machine->shared_bytes - room_fixed(chooser));
}

/* Tiles with fewer rows are not divided among groups.  */
enum { ROWS_OF_TWO_GROUPS = 16 };

static bool one_group_computes(const Chooser *chooser)
{
    bool few = true;
    for (int i = 0; i < chooser->nrings; i++)
        few &= chooser->rings[i]->results[0]->type.rows < ROWS_OF_TWO_GROUPS;
    return few || choose_wanted_groups(chooser) == 1;
}

/* The shared memory for rings, if a slot of each takes `open` bytes.  An SM can run more than one block of one group
   without products.  Then half of the memory leaves room for a second block (bench/notes/choices.md).  */
static int64_t room_for_rings(const Chooser *chooser, int64_t open)
{
    const Machine *machine = chooser->kernel->machine;
    const Grid *grid = &chooser->kernel->grid;
    int64_t half = machine->sm_shared_bytes / 2 - machine->block_shared_bytes - room_fixed(chooser);
    bool alone = chooser->ndots || chooser->nprepared || chooser->kernel->tasks ||
                 chooser->kernel->schedule.block.groups || grid->parts || grid->producer_registers ||
                 !one_group_computes(chooser);
    return !alone && half >= 2 * open ? half : machine->shared_bytes - room_fixed(chooser);
}

/* Divides the memory among rings of open depth.  A ring has at most eight slots, or sixteen small ones; more would hide
   no more latency.  */
static void choose_depth(Chooser *chooser)
{
    int64_t open = 0;
    for (int i = 0; i < chooser->nrings; i++)
        if (schedule_of(chooser->rings[i])->depth < 0)
            open += room_of_slot(chooser->rings[i]);
    int64_t depth = open ? room_for_rings(chooser, open) / open : 0;
    const bool are_small = open <= kernel_costs(chooser->kernel)->small_slot_bytes;
    int64_t most = are_small ? MACHINE_MAX_DEPTH : MACHINE_MAX_DEPTH / 2;
    depth = depth > most ? most : depth < 1 ? 1 : depth;
    if (open && chooser->nprepared)
        depth = choose_uneven_depth(chooser, chooser->kernel->machine->shared_bytes - room_fixed(chooser), (int)most);
    for (int i = 0; i < chooser->nloops; i++)
        if (schedule_of_loop(chooser->loops[i])->depth < 0)
            schedule_of_loop(chooser->loops[i])->depth = (int)depth;
    for (int i = 0; i < chooser->nrings; i++)
        if (schedule_of(chooser->rings[i])->depth < 0)
            schedule_op(chooser->rings[i])->depth = (int)depth;
}

/* A load of the loop that must not move ahead of a store, or NULL.  */
static const Op *blocked_load(const Chooser *chooser, const Op *loop, const Op **store)
{
    for (int i = 0; i < chooser->nloads; i++)
        if (pipelined_loop(chooser->loads[i]) == loop && (*store = choose_aliasing_store(chooser, chooser->loads[i])))
            return chooser->loads[i];
    return NULL;
}

static const Op *narrow_load(const Chooser *chooser, const Op *loop)
{
    for (int i = 0; i < chooser->nloads; i++)
        if (pipelined_loop(chooser->loads[i]) == loop && choose_is_narrow(chooser->loads[i]->results[0]->type))
            return chooser->loads[i];
    return NULL;
}

/* Removes the schedule of loops that stem from plain loops and have no rings.  */
static void drop_idle(Chooser *chooser)
{
    int count = 0;
    for (int i = 0; i < chooser->nloops; i++) {
        ControlInfo *control = chooser->loops[i]->control;
        if (!control->pipeline->plain || control->schedule->put_count) {
            chooser->loops[count++] = chooser->loops[i];
            continue;
        }
        remark(chooser->kernel, DIAG_MISSED, control->pipeline->loc,
               "this loop has no rings: no load can be started before its iteration");
        control->schedule = NULL;
    }
    chooser->nloops = count;
}

/* Tries a chain of three or more products, then a chain of two, then any other loop with products.  */
static bool choose_later_stages(Chooser *chooser, Op *loop)
{
    ScheduleKind asked = schedule_of_loop(loop)->kind;
    bool second = choose_has_second(chooser->kernel, loop, &chooser->uses);
    return asked != SCHEDULE_FINE && !chooser->apart &&
           (choose_stages(chooser->kernel, loop, &chooser->uses, 2) ||
            choose_coarse(chooser->kernel, loop, &chooser->uses) ||
            (!second && choose_stages(chooser->kernel, loop, &chooser->uses, 1)));
}

static void check_loop(Chooser *chooser, Op *loop)
{
    const Pipeline *pipeline = pipeline_of(loop);
    LoopSchedule *schedule = schedule_of_loop(loop);
    Kernel *kernel = chooser->kernel;
    if (!schedule->put_count) {
        const Op *store = NULL, *load = blocked_load(chooser, loop, &store), *narrow = narrow_load(chooser, loop);
        if (load)
            reject(kernel, load->loc, REASON_LOAD_AFTER_STORE, store->loc.line);
        else if (narrow)
            reject(kernel, narrow->loc, REASON_PIPELINE_NARROW,
                   narrow->results[0]->type.cols * dtype_bytes(narrow->results[0]->type.dtype));
        else
            reject(kernel, pipeline->loc, REASON_PIPELINE_NOTHING);
        return;
    }
    if (pipeline->depth == 0 || pipeline->depth > MACHINE_MAX_DEPTH)
        reject(kernel, pipeline->loc, REASON_DEPTH_RANGE, pipeline->depth, MACHINE_MAX_DEPTH);
    if (pipeline->in_flight == 0)
        reject(kernel, pipeline->loc, REASON_IN_FLIGHT_RANGE, pipeline->in_flight);
    if (pipeline->depth > 0 && pipeline->depth < pipeline->in_flight)
        reject(kernel, pipeline->loc, REASON_DEPTH_BELOW_FLIGHT, pipeline->depth, pipeline->in_flight,
               ring_names(chooser, loop), pipeline->in_flight);
    if (choose_later_stages(chooser, loop))
        schedule->kind = SCHEDULE_COARSE;
    else if (schedule->kind == SCHEDULE_COARSE)
        reject(kernel, pipeline->loc, REASON_SCHEDULE_UNSUPPORTED, "coarse");
    else
        schedule->kind = SCHEDULE_FINE;
    if (pipeline->pingpong && (kernel->schedule.block.groups == 1 || chooser->apart))
        reject(kernel, pipeline->loc, REASON_PINGPONG_UNSUPPORTED);
}

/* A product of the loop, for which each iteration waits; NULL: none.  */
static const Op *waited_product(const Chooser *chooser, const Op *loop)
{
    for (int i = 0; i < chooser->ndots; i++)
        if (pipelined_loop(chooser->dots[i]) == loop)
            return chooser->dots[i];
    return NULL;
}

static void settle_loop(Chooser *chooser, Op *loop)
{
    const Pipeline *pipeline = pipeline_of(loop);
    LoopSchedule *schedule = schedule_of_loop(loop);
    int asked = schedule->in_flight, wanted = asked > 0 ? asked : schedule->depth >= 2 ? 2 : 1;
    if (asked <= 0 && pipeline->automatic && chooser->preparers > 1 && choose_wanted_groups(chooser) > 1)
        wanted = 1; /* slots are scarce, and the other group multiplies meanwhile */
    if (asked <= 0 && pipeline->automatic && schedule->depth == 2)
        wanted = 1; /* with two slots, one would have to be full before the next product begins */
    if (asked <= 0 && choose_said_slots(chooser, loop) < wanted)
        wanted = choose_said_slots(chooser, loop);
    schedule->in_flight = in_flight_effective(chooser, loop, wanted);
    if (asked <= 0 && chooser->kernel->machine->wgmma)
        choose_push(chooser->kernel, &chooser->open, &chooser->nopen, loop);
    choose_check_slots(chooser, loop);
    const Op *dot = waited_product(chooser, loop);
    if (asked <= schedule->in_flight || !dot || pipeline->automatic)
        return;
    const char *blocking = choose_blocking(chooser->kernel);
    if (blocking) {
        remark(chooser->kernel, DIAG_MISSED, pipeline->loc, "P = %d has no effect: %s", asked, blocking);
        return;
    }
    warn(chooser->kernel, pipeline->loc,
         "P = %d has no effect: each iteration waits for its own products [-Wws-in-flight]", asked);
    remark(chooser->kernel, DIAG_NOTE, dot->loc,
           !op_is_dot(dot) ? "products of these types are synchronous"
                           : "this product is not accumulated over iterations");
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t copies, computes, prepares;
} Bits;

static void visit_assign(Op *op, void *context)
{
    const Bits *bits = context;
    ScheduleRow *row = schedule_op(op);
    switch (row->tag) {
    case TAG_LOAD:
        row->maker = row->depth ? bits->copies : 0;
        row->roles |= row->maker | (row->roles ? 0 : bits->computes) | row->transposer;
        break;
    case TAG_TILE:
        row->roles |= row->roles ? 0 : bits->computes;
        break;
    default:
        row->roles |= bits->copies | bits->computes | bits->prepares;
    }
}

/* Makes a producer and a consumer, or one role for everything.  */
static void make_roles(const Chooser *chooser)
{
    if (chooser->specialized) {
        role_new(chooser->kernel, "producer", ROLE_COPIES, 1);
        role_new(chooser->kernel, "consumer", ROLE_COMPUTES | ROLE_STORES, 1);
    } else {
        role_new(chooser->kernel, "all", ROLE_DOES_ALL, 1);
    }
}

void choose_assign_roles(const Chooser *chooser, int groups)
{
    Role *stores = role_that(chooser->kernel, ROLE_STORES);
    Bits bits = {ROLE_BIT(role_that(chooser->kernel, ROLE_COPIES)), ROLE_BIT(stores), 0};
    for (int i = 0; i < chooser->nprepared; i++)
        bits.prepares |= schedule_of(chooser->prepared[i])->maker;
    stores->replicas = groups;
    ir_walk(chooser->kernel->body, visit_assign, &bits);
}

static void say(Chooser *chooser, int groups)
{
    if (chooser->kernel->schedule.block.dynamic)
        remark(chooser->kernel, DIAG_OPTIMIZED, chooser->kernel->loc, "tiles %s: scheduled dynamically",
               chooser->keeps ? "are short and share what they load" : "differ in length");
    for (int i = 0; i < chooser->nloads; i++)
        if (chooser->loads[i]->transfer->resident)
            remark(chooser->kernel, DIAG_OPTIMIZED, chooser->loads[i]->loc,
                   "stays in %d slot%s of shared memory while consecutive tiles use the same data",
                   chooser->loads[i]->transfer->resident, chooser->loads[i]->transfer->resident > 1 ? "s" : "");
        else if (schedule_of(chooser->loads[i])->transposer)
            remark(chooser->kernel, DIAG_OPTIMIZED, chooser->loads[i]->loc,
                   "the bytes are not contiguous along K: a separate role transposes them for the products");
        else if (schedule_of(chooser->loads[i])->depth && load_comes_whole(chooser->kernel, chooser->loads[i]))
            remark(chooser->kernel, DIAG_OPTIMIZED, chooser->loads[i]->loc,
                   "is loaded during the product, into a slot of its own");
    if (!chooser->nloops && !chooser->streams)
        remark(chooser->kernel, DIAG_MISSED, chooser->kernel->loc,
               "grid runs unspecialized on %d group%s: no pipelined loop in it", groups, groups > 1 ? "s" : "");
}

static void visit_scratch(Op *op, void *context)
{
    Chooser *chooser = context;
    bool memory = op->code == OP_TRANS && ring_source(op->results[0]); /* a view of the slot */
    chooser->scratch_bytes = !memory && scratch_bytes(chooser, op) > chooser->scratch_bytes ? scratch_bytes(chooser, op)
                                                                                            : chooser->scratch_bytes;
}

static void collect_rings(Chooser *chooser)
{
    if (chooser->nprepared) {
        chooser->scratch_bytes = 0;
        ir_walk(chooser->kernel->body, visit_scratch, chooser);
    }
    for (int i = 0; i < chooser->nloads; i++)
        choose_push(chooser->kernel, &chooser->rings, &chooser->nrings, chooser->loads[i]);
    for (int i = 0; i < chooser->nprepared; i++)
        choose_push(chooser->kernel, &chooser->rings, &chooser->nrings, chooser->prepared[i]);
}

void pass_choose(Kernel *kernel)
{
    Chooser chooser = {.kernel = kernel, .uses = uses_new(kernel, kernel->body)};
    kernel->digest = schedule_digest(kernel);
    schedule_begin(kernel);
    ir_walk(kernel->body, visit_collect, &chooser);
    ir_walk(kernel->body, visit_scalar_read, &chooser);
    budget_registers_clause(kernel);
    choose_streams(&chooser);
    for (int i = 0; i < chooser.nloads; i++)
        choose_ring(&chooser, chooser.loads[i]);
    make_roles(&chooser);
    choose_transposer(&chooser);
    choose_lines(&chooser);
    drop_idle(&chooser);
    choose_tasks(&chooser);
    choose_prepared_lines(&chooser);
    for (int i = 0; i < chooser.nloops; i++)
        check_loop(&chooser, chooser.loops[i]);
    if (!kernel->failed)
        choose_cluster(kernel, chooser.specialized);
    if (kernel->failed)
        return;
    choose_prepared(&chooser, choose_most_groups(&chooser));
    choose_check_rings(&chooser);
    if (kernel->failed)
        return;
    collect_rings(&chooser);
    for (int i = 0; i < chooser.nrings; i++)
        if (schedule_of(chooser.rings[i])->depth)
            choose_release(&chooser, chooser.rings[i], chooser.rings[i]->results[0]);
    choose_join(&chooser);
    choose_join_made(&chooser);
    choose_resident_loads(&chooser);
    choose_depth(&chooser);
    for (int i = 0; i < chooser.nloops; i++)
        settle_loop(&chooser, chooser.loops[i]);
    choose_pingpong(&chooser);
    int groups = choose_groups(&chooser);
    if (kernel->failed)
        return;
    groups = choose_more_groups(&chooser, groups);
    kernel->schedule.block.groups = groups;
    choose_order(&chooser);
    choose_turns(&chooser, groups);
    if (!choose_task_rows(kernel))
        return;
    if (!kernel->grid.persistent_given)
        kernel->schedule.block.persistent = chooser.specialized || kernel->grid.share;
    choose_assign_roles(&chooser, groups);
    for (int i = 0; i < chooser.nopen; i++)
        choose_in_flight(&chooser, chooser.open[i]);
    choose_say_tasks(&chooser);
    kernel->schedule.block.dynamic = choose_dynamic(kernel);
    say(&chooser, groups);
}
