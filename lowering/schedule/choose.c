/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose.c - one table for each kernel: who executes an operation, in which stage, in what order; and what every ring
 * holds.
 *
 *   before                                     after (pipeline (4, 2), two groups)
 *   for (k = 0; k < K; k += 64)                both roles
 *     ta = ws_load (a, i, k, 128, 64);         producer -> consumer, depth 4, released by the product, one iteration
 *                                              late
 *     tb = ws_load (b, j, k, 256, 64);         the same
 *     acc = ws_dot (ta, ws_trans (tb), acc);   consumer, stage 0, rows split over the groups
 *
 * This file is the fine-grained writer of the table (III-D.1): every operation in stage 0, slots released P-1
 * iterations late.  The coarse writer (choose-coarse.c) fills the same columns, as a solver and a user's explicit tasks
 * would.
 *
 * A load moves to the producer if it stands in a pipelined loop, or feeds a product (whose operands live in shared
 * memory), and no store that may alias it can come before it.  A slot is free when the last operation that looks at it
 * is done:
 *   - read into registers only: at once;
 *   - operand of a product that the iteration itself waits for: at that wait;
 *   - operand of a product that stays in flight: at the iteration's end, P-1 iterations late.
 */
#include "schedule/choose.h"
#include "schedule/cluster.h"
#include "schedule/schedule.h"
#include "machine/budget.h"
#include "machine/machine.h"
#include "machine/plan.h"
#include "lower.h"

#include <limits.h>
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

/* A transpose that the staging of stores makes, as far as is known here.  */
static bool is_turned_to_store(const Chooser *in, const Op *op)
{
    if (op->code != OP_TRANS || !machine_turns_in_staging(op->results[0]->type))
        return false;
    const Use *use = uses_of(&in->uses, op->results[0]);
    return use && !use->next && use->op->code == OP_STORE;
}

/* What a group needs to turn over, or to add across its threads, what it has computed.  */
static int64_t scratch_bytes(const Chooser *in, const Op *op)
{
    const Op *from = op->nargs && op->args[0]->type.kind == K_TILE ? op->args[0]->def : NULL;
    bool needs = from && from->code != OP_LOAD && !is_turned_to_store(in, op);
    return needs ? machine_scratch_bytes(op, LAYOUT_ROWS) : 0;
}

static void visit_collect(Op *op, void *context)
{
    Chooser *in = context;
    const ScheduleRow *row = schedule_of(op);
    *schedule_op(op) =
        (ScheduleRow){.task = row->task, .ring = row->ring, .share = row->share, .tag = row->tag, .order = ++in->order};
    in->said |= row->ring > 0;
    if (op->code == OP_LOAD) {
        op->transfer->resident = 0;
        choose_push(in->kernel, &in->loads, &in->nloads, op);
    }
    if (op_info[op->code].class_ == CLASS_STORE && op->code != OP_PRINT)
        choose_push(in->kernel, &in->stores, &in->nstores, op);
    if (op->code == OP_SUM_PARTS)
        in->parts_bytes += machine_parts_bytes(machine_parts(op, in->kernel->grid.cluster[1]));
    else if (op_meets_blocks(op))
        in->parts_bytes += machine_shares_bytes(machine_shares(op, in->kernel->grid.cluster[1], LAYOUT_ROWS));
    in->scratch_bytes = scratch_bytes(in, op) > in->scratch_bytes ? scratch_bytes(in, op) : in->scratch_bytes;
    if (pipeline_of(op))
        choose_push(in->kernel, &in->loops, &in->nloops, op);
    if (op_is_product(op))
        choose_push(in->kernel, &in->dots, &in->ndots, op);
}

static void visit_scalar_read(Op *op, void *context)
{
    Chooser *in = context;
    if (op_info[op->code].class_ != CLASS_READ && op->code != OP_LOAD_AT)
        return;
    for (int i = 0; i < in->nstores; i++)
        if (tensor_memory(in->stores[i]->args[0]) == tensor_memory(op->args[0]))
            reject(in->kernel, op->loc, REASON_AT_STORED, op_info[op->code].text);
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* A store to the same memory that may come before the load, or NULL.  */
Op *choose_aliasing_store(const Chooser *in, Op *load)
{
    for (int i = 0; i < in->nstores; i++) {
        Op *store = in->stores[i];
        bool behind = schedule_of(store)->order >= schedule_of(load)->order;
        if (tensor_memory(store->args[0]) != tensor_memory(load->args[0]) || (behind && load_is_in_place(load, store)))
            continue;
        Op *loop = outermost_loop(load);
        if (schedule_of(store)->order < schedule_of(load)->order || (loop && loop == outermost_loop(store)))
            return store;
    }
    return NULL;
}

static bool feeds_product(const Chooser *in, const Op *load)
{
    for (const Use *use = uses_of(&in->uses, load->results[0]); use; use = use->next)
        if (use_is_operand(use, &in->uses))
            return true;
    return false;
}

/* Rows that TMA does not move.  */
static bool is_narrow(Type type)
{
    return type.cols * dtype_bytes(type.dtype) < 16;
}

static void choose_ring(Chooser *in, Op *load)
{
    Op *loop = pipelined_loop(load);
    bool operand = feeds_product(in, load);
    Type type = load->results[0]->type;
    bool whole = !operand && load_comes_whole(in->kernel, load);
    if ((!loop || is_narrow(type)) && !operand && !whole)
        return;
    Op *store = choose_aliasing_store(in, load);
    if (store) {
        remark(in->kernel, DIAG_MISSED, load->loc,
               "load stays with the consumers: the store at line %d may write what it reads", store->loc.line);
        return;
    }
    int said = schedule_of(load)->ring;
    schedule_op(load)->depth = said ? said : loop ? loop->control->pipeline->depth : 1;
    if (loop) {
        in->specialized = true;
        loop->control->pipeline->put_count++;
    }
}

/* The tensor cores read bytes along K only.  Those that come the other way are turned over once, by a role of its own
   on their way to the groups, where threads and registers for one more are left.  */
enum { TURNED_ROWS = 32, TURNED_COLUMNS = 16, MOST_GROUPS_BESIDE = 2 };

bool choose_products_fit(const Chooser *in, int groups)
{
    int columns = 0;
    for (int i = 0; i < in->ndots; i++)
        if (op_is_dot(in->dots[i]) && in->dots[i]->results[0]->type.cols > columns)
            columns = in->dots[i]->results[0]->type.cols;
    return columns <= machine_product_columns(in->kernel->machine, groups * MACHINE_GROUP_THREADS, true);
}

/* That the kernel may come to have.  */
static int most_groups(const Chooser *in)
{
    const Grid *grid = &in->kernel->grid;
    bool whole_tiles = grid->split == SPLIT_TILES;
    for (int i = 0; i < in->nloops; i++)
        whole_tiles |= in->loops[i]->control->pipeline->automatic || in->loops[i]->control->pipeline->pingpong;
    int groups = choose_wanted_groups(in);
    return grid->consumers ? grid->consumers : whole_tiles && groups < 2 ? 2 : groups;
}

static bool wants_turner(const Chooser *in, const Op *load)
{
    const Grid *grid = &in->kernel->grid;
    Type type = load->results[0]->type;
    int asked = 2 * (grid->producer_registers + grid->consumer_registers); /* of two groups each */
    int groups = most_groups(in);
    bool room = groups <= MOST_GROUPS_BESIDE && asked * MACHINE_GROUP_THREADS <= in->kernel->machine->registers &&
                choose_products_fit(in, groups + 2);
    return schedule_of(load)->depth && in->specialized && room && type.rows % TURNED_ROWS == 0 &&
           type.cols % TURNED_COLUMNS == 0 && lies_across(load, load->results[0], &in->uses);
}

/* Products read whole lines of 128 bytes; what threads alone read takes no more than its rows need.  */
static void choose_lines(Chooser *in)
{
    for (int i = 0; i < in->nloads; i++) {
        const Op *load = in->loads[i];
        bool short_ = schedule_of(load)->depth && !schedule_of(load)->turner && !feeds_product(in, load);
        schedule_op(in->loads[i])->line = short_ ? machine_short_line(load->results[0]->type) : 0;
    }
}

/* And so does what roles compute for others, where no product reads it.  */
static void choose_prepared_lines(Chooser *in)
{
    for (int i = 0; i < in->nprepared; i++)
        if (!feeds_product(in, in->prepared[i]))
            schedule_op(in->prepared[i])->line = machine_written_line(in->prepared[i]->results[0]->type);
}

/* The first op of the block that waits for the product.  One that adds to it does not: both are waited for at once, and
   operands that are small come through one ring, whose wait counts for more than that the first product has to wait for
   all of them.  */
static int first_wait(Chooser *in, const Op *product, const Block *block, bool small)
{
    int when = RELEASE_END - 1;
    for (const Use *look = uses_of(&in->uses, product->results[0]); look; look = look->next) {
        Op *at = op_at_block(look->op, block);
        bool adds = small && at == look->op && op_is_dot(at) && look->arg == 2;
        int order = !at ? when : adds ? first_wait(in, at, block, small) : schedule_of(at)->order;
        when = order < when ? order : when;
    }
    return when;
}

static void release_at_products(Chooser *in, Op *source, const Value *value)
{
    for (const Use *use = uses_of(&in->uses, value); use; use = use->next) {
        int when = 0;
        Op *here = op_at_block(use->op, source->parent);
        if (use->op->code == OP_TRANS) {
            if (use_is_operand(use, &in->uses))
                release_at_products(in, source, use->op->results[0]);
            continue;
        }
        if (!use_is_operand(use, &in->uses))
            continue;
        Op *carrier = dot_carried_by(in->kernel->machine, use->op, &in->uses, NULL);
        if (carrier && carrier == loop_around(source->parent)) {
            when = RELEASE_END;
        } else if (here != use->op) {
            when = schedule_of(here)->order; /* inside a nested block, which waits for its own products */
        } else if (!op_is_dot(use->op)) {
            when = schedule_of(here)->order;
        } else {
            when = first_wait(in, use->op, source->parent,
                              machine_tile_bytes(source->results[0]->type) < MACHINE_SMALL_SLOT);
        }
        if (when > schedule_of(source)->release)
            schedule_op(source)->release = when;
    }
}

/* What is small beside another load of the same iteration is freed with it, and so comes through the same ring: it
   could not run ahead of the other anyway, and each ring costs a wait and a release in every iteration.  */
static bool may_be_freed_with(const Op *load, const Op *other)
{
    return schedule_of(other)->release > 0 && other->parent == load->parent &&
           schedule_of(other)->depth == schedule_of(load)->depth &&
           schedule_of(other)->stage == schedule_of(load)->stage && other->transfer->along == load->transfer->along &&
           machine_is_small_beside(load->results[0]->type, machine_short_line(load->results[0]->type),
                                   other->results[0]->type);
}

static bool may_be_put_with(const Op *made, const Op *other)
{
    return schedule_of(other)->release > 0 && other->parent == made->parent &&
           schedule_of(other)->depth == schedule_of(made)->depth &&
           schedule_of(other)->maker == schedule_of(made)->maker &&
           machine_is_small_beside(made->results[0]->type, schedule_of(made)->line, other->results[0]->type);
}

/* So it is with what a role computes: each ring costs it a barrier, too.  */
static void join_made_rings(Chooser *in)
{
    for (int i = 0; i < in->nprepared; i++)
        for (int k = 0; k < in->nprepared && schedule_of(in->prepared[i])->depth; k++)
            if (!schedule_of(in->prepared[i])->release && may_be_put_with(in->prepared[i], in->prepared[k]))
                schedule_op(in->prepared[i])->release = schedule_of(in->prepared[k])->release;
}

static void join_rings(Chooser *in)
{
    for (int i = 0; i < in->nloads; i++) {
        Op *load = in->loads[i], *best = NULL;
        for (int k = 0;
             k < in->nloads && schedule_of(load)->depth && !schedule_of(load)->release && pipelined_loop(load); k++)
            if (may_be_freed_with(load, in->loads[k]) &&
                (!best || schedule_of(in->loads[k])->release > schedule_of(best)->release))
                best = in->loads[k];
        if (best)
            schedule_op(load)->release = schedule_of(best)->release;
    }
}

/* ---- loops: D and P ---------------------------------------------------------------------------------------------- */

/* The names of the loads of a loop's rings, for messages.  */
static const char *ring_names(Chooser *in, const Op *loop)
{
    const char *text = NULL;
    for (int i = 0; i < in->nloads; i++) {
        Op *load = in->loads[i];
        if (!schedule_of(load)->depth || pipelined_loop(load) != loop)
            continue;
        const char *tensor = load->args[0]->name ? load->args[0]->name : "tile";
        const char *name = load->results[0]->name ? load->results[0]->name : tensor;
        text = text ? arena_print(in->kernel->module, "%s, %s", text, name) : name;
    }
    return text;
}

static int in_flight_effective(const Chooser *in, const Op *loop, int wanted)
{
    for (int i = 0; i < in->nrings; i++)
        if (schedule_of(in->rings[i])->depth && schedule_of(in->rings[i])->release == RELEASE_END &&
            loop_around(in->rings[i]->parent) == loop)
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

/* Where the slots that the user asked for leave no room, each group turns over what it needs.  */
static void choose_turner(Chooser *in)
{
    uint32_t turner = next_role(in->kernel);
    bool any = false;
    for (int i = 0; i < in->nloads; i++)
        if (wants_turner(in, in->loads[i])) {
            schedule_op(in->loads[i])->turner = turner;
            any = true;
        }
    bool fits = budget_fits(in->kernel, room_fixed(in));
    for (int i = 0; i < in->nloads && !fits; i++)
        schedule_op(in->loads[i])->turner = 0;
    if (any && fits)
        role_new(in->kernel, "transposer", ROLE_COMPUTES, 1);
}

static void choose_resident_loads(Chooser *in)
{
    in->keeps = true;
    in->keeps = in->nloops == 1 && !in->nprepared && !in->said &&
                choose_resident(in->kernel, in->loops[0], in->loads, in->nloads,
                                in->kernel->machine->shared_bytes - room_fixed(in));
}

/* Tiles of fewer rows are not divided among groups.  */
enum { ROWS_OF_TWO_GROUPS = 16 };

static bool one_group_computes(const Chooser *in)
{
    bool few = true;
    for (int i = 0; i < in->nrings; i++)
        few &= in->rings[i]->results[0]->type.rows < ROWS_OF_TWO_GROUPS;
    return few || choose_wanted_groups(in) == 1;
}

/* What rings may take, of which a slot each takes `open`.  One group that makes no products is not all that a
   multiprocessor can run: half leaves room for a second block.  On an H200, rows of 65536 f16 in two passes, with three
   slots each in two blocks in place of seven in one: LayerNorm has 0.46 of a copy, 0.30 before, softmax 0.57 and 0.43,
   RMSNorm 0.51 and 0.37.  */
static int64_t room_for_rings(const Chooser *in, int64_t open)
{
    const Machine *machine = in->kernel->machine;
    const Grid *grid = &in->kernel->grid;
    int64_t half = machine->sm_shared_bytes / 2 - machine->block_shared_bytes - room_fixed(in);
    bool alone = in->ndots || in->nprepared || in->kernel->tasks || grid->consumers || grid->parts ||
                 grid->producer_registers || !one_group_computes(in);
    return !alone && half >= 2 * open ? half : machine->shared_bytes - room_fixed(in);
}

/* Rings whose depth the user left open share what is left, at most eight slots each, sixteen small ones: past that
   latency is hidden.  */
static void choose_depth(Chooser *in)
{
    int64_t open = 0;
    for (int i = 0; i < in->nrings; i++)
        if (schedule_of(in->rings[i])->depth < 0)
            open += room_of_slot(in->rings[i]);
    int64_t depth = open ? room_for_rings(in, open) / open : 0;
    int64_t most = open <= MACHINE_SMALL_SLOT ? MACHINE_MAX_DEPTH : MACHINE_MAX_DEPTH / 2;
    depth = depth > most ? most : depth < 1 ? 1 : depth;
    if (open && in->nprepared)
        depth = choose_uneven_depth(in, in->kernel->machine->shared_bytes - room_fixed(in), (int)most);
    for (int i = 0; i < in->nloops; i++)
        if (in->loops[i]->control->pipeline->depth < 0)
            in->loops[i]->control->pipeline->depth = (int)depth;
    for (int i = 0; i < in->nrings; i++)
        if (schedule_of(in->rings[i])->depth < 0)
            schedule_op(in->rings[i])->depth = (int)depth;
}

/* A load of the loop that a store holds back.  */
static const Op *blocked_load(const Chooser *in, const Op *loop, const Op **store)
{
    for (int i = 0; i < in->nloads; i++)
        if (pipelined_loop(in->loads[i]) == loop && (*store = choose_aliasing_store(in, in->loads[i])))
            return in->loads[i];
    return NULL;
}

static const Op *narrow_load(const Chooser *in, const Op *loop)
{
    for (int i = 0; i < in->nloads; i++)
        if (pipelined_loop(in->loads[i]) == loop && is_narrow(in->loads[i]->results[0]->type))
            return in->loads[i];
    return NULL;
}

/* Loops made of plain loops whose loads stay with the consumers are none that are pipelined.  */
static void drop_idle(Chooser *in)
{
    int count = 0;
    for (int i = 0; i < in->nloops; i++) {
        ControlInfo *control = in->loops[i]->control;
        if (!control->pipeline->plain || control->pipeline->put_count) {
            in->loops[count++] = in->loops[i];
            continue;
        }
        remark(in->kernel, DIAG_MISSED, control->pipeline->loc, "this loop has no rings: no load can move ahead of it");
        control->pipeline = NULL;
    }
    in->nloops = count;
}

/* A chain of three products and more, one of two, and at last any other loop with products.  */
static bool choose_later_stages(Chooser *in, Op *loop)
{
    Schedule asked = loop->control->pipeline->schedule;
    bool second = choose_has_second(in->kernel, loop, &in->uses);
    return asked != SCHEDULE_FINE && !in->apart &&
           (choose_stages(in->kernel, loop, &in->uses, 2) || choose_coarse(in->kernel, loop, &in->uses) ||
            (!second && choose_stages(in->kernel, loop, &in->uses, 1)));
}

static void check_loop(Chooser *in, Op *loop)
{
    Pipeline *pipeline = loop->control->pipeline;
    Kernel *kernel = in->kernel;
    if (!pipeline->put_count) {
        const Op *store = NULL, *load = blocked_load(in, loop, &store), *narrow = narrow_load(in, loop);
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
               ring_names(in, loop), pipeline->in_flight);
    pipeline->optimal |= pipeline->schedule == SCHEDULE_OPTIMAL; /* what is chosen here is where the solver begins */
    if (pipeline->optimal)
        pipeline->schedule = SCHEDULE_AUTO;
    if (choose_later_stages(in, loop))
        pipeline->schedule = SCHEDULE_COARSE;
    else if (pipeline->schedule == SCHEDULE_COARSE)
        reject(kernel, pipeline->loc, REASON_SCHEDULE_UNSUPPORTED, "coarse");
    else
        pipeline->schedule = SCHEDULE_FINE;
    if (pipeline->pingpong && (kernel->grid.consumers == 1 || in->apart))
        reject(kernel, pipeline->loc, REASON_PINGPONG_UNSUPPORTED);
}

/* A product of the loop that each iteration waits for, or NULL.  */
static const Op *waited_product(const Chooser *in, const Op *loop)
{
    for (int i = 0; i < in->ndots; i++)
        if (pipelined_loop(in->dots[i]) == loop)
            return in->dots[i];
    return NULL;
}

static void settle_loop(Chooser *in, Op *loop)
{
    Pipeline *pipeline = loop->control->pipeline;
    int asked = pipeline->in_flight, wanted = asked > 0 ? asked : pipeline->depth >= 2 ? 2 : 1;
    if (asked <= 0 && pipeline->automatic && in->preparers > 1 && choose_wanted_groups(in) > 1)
        wanted = 1; /* slots are scarce, and the other group multiplies meanwhile */
    if (asked <= 0 && pipeline->automatic && pipeline->depth == 2)
        wanted = 1; /* of two slots one had to wait, full, for the next product to begin */
    if (asked <= 0 && choose_said_slots(in, loop) < wanted)
        wanted = choose_said_slots(in, loop);
    pipeline->in_flight = in_flight_effective(in, loop, wanted);
    if (asked <= 0)
        choose_push(in->kernel, &in->open, &in->nopen, loop);
    choose_check_slots(in, loop);
    const Op *dot = waited_product(in, loop);
    if (asked <= pipeline->in_flight || !dot || pipeline->automatic)
        return;
    warn(in->kernel, pipeline->loc, "P = %d has no effect: each iteration waits for its own products [-Wws-in-flight]",
         asked);
    remark(in->kernel, DIAG_NOTE, dot->loc,
           !op_is_dot(dot) ? "products of these types are done when they return"
                           : "no sum that goes on from iteration to iteration is made of this one");
}

/* ---- consumer groups --------------------------------------------------------------------------------------------- */

/* Registers of the largest accumulator that a group would hold.  */
int choose_product_registers(const Chooser *in, int groups)
{
    int registers = 0;
    for (int i = 0; i < in->ndots; i++) {
        Type type = in->dots[i]->results[0]->type;
        type.rows /= groups;
        int each = machine_tile_registers(type, LAYOUT_MMA);
        registers = each > registers ? each : registers;
    }
    return registers;
}

/* The most tile elements that one value of the kernel holds.  */
static void visit_largest(Op *op, void *context)
{
    int *largest = context;
    for (int i = 0; i < op->nresults; i++) {
        Type type = op->results[i]->type;
        if (type.kind == K_TILE && !ring_source(op->results[i]) && type.rows * type.cols > *largest)
            *largest = type.rows * type.cols;
    }
}

static bool reduces_row(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_ROW_SUM || op->code == OP_ROW_MAX || op->code == OP_ROW_MIN || op->code == OP_ROW_ARGMAX;
}

/* Once for each tile of the grid.  On an H200, softmax of rows of 256 f16 in tiles of 16 has 0.82 of a copy on one
   group and 0.72 on two, LayerNorm 0.88 and 0.80; in tiles of 32 rows two are as good.  */
static bool sums_rows(const Chooser *in)
{
    return !in->nloops && ir_any_of(in->kernel->body, reduces_row, NULL);
}

int choose_wanted_groups(const Chooser *in)
{
    int largest = 0;
    ir_walk(in->kernel->body, visit_largest, &largest);
    if (in->streams)
        return choose_streaming_groups(in);
    if (choose_only_turns(in))
        return 1;
    if (!in->ndots) /* of rows that wait for their sums, more blocks of one group wait less for each other */
        return largest > 4096 || (largest == 4096 && !sums_rows(in)) ? 2 : 1;
    int rows = 0;
    for (int i = 0; i < in->ndots; i++) {
        int each = in->dots[i]->results[0]->type.rows;
        rows = rows == 0 || each < rows ? each : rows;
    }
    if (rows % (2 * MACHINE_MMA_ROWS) == 0 && choose_product_registers(in, 2) <= BUDGET_EASY_REGISTERS)
        return 2;
    if (rows % (3 * MACHINE_MMA_ROWS) == 0 && choose_products_fit(in, 3 + 1))
        return 3;
    return rows % (2 * MACHINE_MMA_ROWS) == 0 ? 2 : 1;
}

typedef struct {
    const Chooser *in;
    Type accumulator;
    bool second; /* a second tile of the accumulator's size lives beside it */
} Beside;

static void visit_beside(Op *op, void *context)
{
    Beside *beside = context;
    for (int i = 0; i < op->nresults; i++) {
        const Value *value = op->results[i];
        if (value->type.kind != K_TILE || value->type.rows != beside->accumulator.rows ||
            value->type.cols != beside->accumulator.cols || ring_source(value) || schedule_of(op)->depth)
            continue;
        const Use *use = uses_of(&beside->in->uses, value);
        bool again = use && use->next && op->code != OP_FOR && op->code != OP_FULL;
        beside->second |= again || op_info[op->code].class_ == CLASS_LOAD;
    }
}

/* The loop carries a tile of a product's size that is not the sum of products.  */
static bool carries_beside(const Chooser *in, const Op *loop)
{
    for (int i = 0; i < carried_count(loop); i++) {
        const Value *next = carried(loop, i).next;
        bool sum = next->def && op_is_product(next->def);
        for (int k = 0; k < in->ndots && !sum && next->type.kind == K_TILE; k++)
            if (next->type.rows == in->dots[k]->results[0]->type.rows &&
                next->type.cols == in->dots[k]->results[0]->type.cols)
                return true;
    }
    return false;
}

/* Do a group's registers hold whole tiles of all that the loop's products add to, with nothing as large beside them? */
static bool holds_accumulators(const Chooser *in, const Op *loop)
{
    int registers = 0;
    if (outermost_loop(loop)) /* what that one carries lives beside them too */
        return false;
    if (carries_beside(in, loop))
        return false;
    for (int i = 0; i < in->ndots; i++) {
        const Op *dot = in->dots[i], *before = dot->args[2]->def;
        Beside beside = {in, dot->results[0]->type, false};
        ir_walk(in->kernel->body, visit_beside, &beside);
        if (beside.second || !ir_inside(dot, loop->blocks[0]))
            return false;
        if (!before || !op_is_product(before)) /* else the two have one sum */
            registers += machine_tile_registers(dot->results[0]->type, LAYOUT_MMA);
    }
    return in->ndots && registers <= BUDGET_HELD_REGISTERS;
}

/* With pipeline(auto), no split and accumulators that a group can hold, groups take whole tiles in turn: the epilogue
   of one then runs under the products of the other.  Products that are done at once want the warps of all groups at a
   time.  */
static void choose_pingpong(Chooser *in)
{
    for (int i = 0; i < in->ndots; i++)
        if (!op_is_dot(in->dots[i]))
            return;
    Grid *grid = &in->kernel->grid;
    Pipeline *pipeline = in->nloops == 1 && !grid->parts ? in->loops[0]->control->pipeline : NULL;
    if (!pipeline || !pipeline->automatic || pipeline->schedule != SCHEDULE_FINE || grid->split != SPLIT_AUTO ||
        grid->consumers || in->storing || in->preparers > 1)
        return;
    pipeline->pingpong |= holds_accumulators(in, in->loops[0]) && room_for_staged(in, 2, false);
}

/* Groups that take whole output tiles in turn: said so, or meant by pingpong on a fine loop without a split.  */
static bool takes_tiles(const Chooser *in)
{
    bool pingpong = false;
    for (int i = 0; i < in->nloops; i++)
        pingpong |=
            in->loops[i]->control->pipeline->pingpong && in->loops[i]->control->pipeline->schedule == SCHEDULE_FINE;
    return in->kernel->grid.split == SPLIT_TILES || (pingpong && in->kernel->grid.split == SPLIT_AUTO);
}

static int choose_groups(Chooser *in)
{
    Grid *grid = &in->kernel->grid;
    const Role *role = role_that(in->kernel, ROLE_STORES);
    Op *why = NULL;
    if (takes_tiles(in)) {
        if (!in->specialized || grid->parts || in->storing)
            reject(in->kernel, grid->loc, REASON_TILES_UNSUPPORTED);
        grid->split = SPLIT_TILES;
        return grid->consumers > 1 ? grid->consumers : 2;
    }
    grid->split = SPLIT_ROWS;
    if (grid->consumers > 1) {
        if (!split_rows(in->kernel, role, grid->consumers, &why))
            reject(in->kernel, why->loc, REASON_SPLIT_ROWS, grid->consumers);
        return grid->consumers;
    }
    if (grid->consumers == 1)
        return 1;
    bool one = choose_product_registers(in, 1) <= BUDGET_HELD_REGISTERS && room_for_staged(in, 1, true);
    for (int groups = choose_wanted_groups(in); groups > 1; groups--)
        if (one && !room_for_staged(in, groups, true))
            continue; /* each group stages operands of its own */
        else if (split_rows(in->kernel, role, groups, &why))
            return groups;
        else
            remark(in->kernel, DIAG_MISSED, why->loc,
                   "rows are not divided over %d consumer groups because of this operation", groups);
    return 1;
}

static bool has_turned(const Chooser *in, const Op *loop)
{
    for (int i = 0; i < in->nloads; i++)
        if (schedule_of(in->loads[i])->turner && pipelined_loop(in->loads[i]) == loop)
            return true;
    return false;
}

/* An operand of which each group computes its rows: all groups meet, and none may wait for its turn until then.  */
bool choose_gathers(const Chooser *in, const Op *loop)
{
    const Role *stores = role_that(in->kernel, ROLE_STORES);
    for (int i = 0; i < in->ndots; i++) {
        const Value *right = in->dots[i]->args[1];
        if (pipelined_loop(in->dots[i]) == loop && right->split & ROLE_BIT(stores) && !ring_source(right))
            return true;
    }
    return false;
}

/* Does the op look at what a product of the loop has made?  One that only adds to it does not.  */
static bool looks_at_product(const Op *op, const Op *loop)
{
    for (int i = 0; i < op->nargs && op->code != OP_YIELD; i++) {
        const Op *dot = op->args[i]->def;
        if (dot && op_is_dot(dot) && dot->parent == loop->blocks[0] && !(op_is_dot(op) && i == 2))
            return true;
    }
    return false;
}

/* Made by the group in the same iteration, and held in registers.  */
static bool is_computed_operand(const Op *dot)
{
    const Value *left = dot->args[0];
    return left->def && left->def->parent == dot->parent && !ring_source(left);
}

/* Of 256 clocks they are over before the turn has gone round: products of e4m3 whose sums are scaled lost 2%.  */
enum { TURN_AT_LEAST = 512 };

/* Products of a fine loop that each iteration waits for, with work in front of them or behind: groups that do the same
   at the same time let the tensor cores wait for it.  On an H100, products with weights that their groups cast take 8%
   less in turns, a search for the nearest of 4096 points 6%.  */
static bool gains_by_turns(const Chooser *in, const Op *loop, int groups)
{
    bool works = false, looked = false;
    if (groups < 2 || in->nprepared || choose_product_clocks(in, loop) < TURN_AT_LEAST * groups)
        return false;
    for (int i = 0; i < in->ndots; i++)
        if (pipelined_loop(in->dots[i]) == loop && (!op_is_dot(in->dots[i]) || in->dots[i]->parent != loop->blocks[0]))
            return false;
    FOR_OPS (op, loop->blocks[0]) {
        if (op_is_dot(op) && looked)
            return false;
        looked |= looks_at_product(op, loop);
        works |= looked || (op_is_dot(op) && is_computed_operand(op));
    }
    return works;
}

/* A coarse loop has work between its products: groups that divide the rows do it in turn, each under the others'
   products. Products of bytes are over in half the time, before that work is: a group that waits for its turn then
   leaves the units idle. On an H200, attention in e4m3 takes 3 to 8% less without turns.  */
static void choose_turns(Chooser *in, int groups)
{
    for (int i = 0; i < in->nloops; i++) {
        Pipeline *pipeline = in->loops[i]->control->pipeline;
        bool fine = pipeline->schedule != SCHEDULE_COARSE;
        if (in->kernel->grid.split != SPLIT_ROWS ||
            (fine && !pipeline->pingpong && !gains_by_turns(in, in->loops[i], groups)))
            continue;
        bool gathered = choose_gathers(in, in->loops[i]);
        if (pipeline->pingpong && (groups == 1 || gathered))
            reject(in->kernel, pipeline->loc, REASON_PINGPONG_UNSUPPORTED);
        pipeline->pingpong = groups > 1 && !gathered && (pipeline->pingpong || !has_turned(in, in->loops[i]));
    }
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
        row->roles |= row->maker | (row->roles ? 0 : bits->computes) | row->turner;
        break;
    case TAG_TILE:
        row->roles |= row->roles ? 0 : bits->computes;
        break;
    default:
        row->roles |= bits->copies | bits->computes | bits->prepares;
    }
}

/* Who brings tiles and who computes, or one that does both.  */
static void make_roles(const Chooser *in)
{
    if (in->specialized) {
        role_new(in->kernel, "producer", ROLE_COPIES, 1);
        role_new(in->kernel, "consumer", ROLE_COMPUTES | ROLE_STORES, 1);
    } else {
        role_new(in->kernel, "all", ROLE_DOES_ALL, 1);
    }
}

void choose_assign_roles(const Chooser *in, int groups)
{
    Role *stores = role_that(in->kernel, ROLE_STORES);
    Bits bits = {ROLE_BIT(role_that(in->kernel, ROLE_COPIES)), ROLE_BIT(stores), 0};
    for (int i = 0; i < in->nprepared; i++)
        bits.prepares |= schedule_of(in->prepared[i])->maker;
    stores->replicas = groups;
    ir_walk(in->kernel->body, visit_assign, &bits);
}

static void say(Chooser *in, int groups)
{
    if (in->kernel->grid.dynamic)
        remark(in->kernel, DIAG_OPTIMIZED, in->kernel->loc, "tiles %s: scheduled dynamically",
               in->keeps ? "are short and share what they load" : "differ in length");
    for (int i = 0; i < in->nloads; i++)
        if (in->loads[i]->transfer->resident)
            remark(in->kernel, DIAG_OPTIMIZED, in->loads[i]->loc,
                   "stays in shared memory, %d slot%s, for as long as tiles want the same",
                   in->loads[i]->transfer->resident, in->loads[i]->transfer->resident > 1 ? "s" : "");
        else if (schedule_of(in->loads[i])->turner)
            remark(in->kernel, DIAG_OPTIMIZED, in->loads[i]->loc,
                   "bytes that lie across K: a role of its own turns them over on their way to the products");
        else if (schedule_of(in->loads[i])->depth && load_comes_whole(in->kernel, in->loads[i]))
            remark(in->kernel, DIAG_OPTIMIZED, in->loads[i]->loc, "comes while the product runs, to a slot of its own");
    if (!in->nloops && !in->streams)
        remark(in->kernel, DIAG_MISSED, in->kernel->loc,
               "grid runs unspecialized on %d group%s: no #pragma ws pipeline in it", groups, groups > 1 ? "s" : "");
}

static void visit_scratch(Op *op, void *context)
{
    Chooser *in = context;
    bool memory = op->code == OP_TRANS && ring_source(op->results[0]); /* the other way to look at it */
    in->scratch_bytes =
        !memory && scratch_bytes(in, op) > in->scratch_bytes ? scratch_bytes(in, op) : in->scratch_bytes;
}

static void collect_rings(Chooser *in)
{
    if (in->nprepared) {
        in->scratch_bytes = 0;
        ir_walk(in->kernel->body, visit_scratch, in);
    }
    for (int i = 0; i < in->nloads; i++)
        choose_push(in->kernel, &in->rings, &in->nrings, in->loads[i]);
    for (int i = 0; i < in->nprepared; i++)
        choose_push(in->kernel, &in->rings, &in->nrings, in->prepared[i]);
}

/* require: tag.   ensure: the schedule; roles; consumers, split, D, P, persistent decided.  */
void pass_choose(Kernel *kernel)
{
    Chooser in = {.kernel = kernel, .uses = uses_new(kernel, kernel->body)};
    kernel->digest = schedule_digest(kernel);
    ir_walk(kernel->body, visit_collect, &in);
    ir_walk(kernel->body, visit_scalar_read, &in);
    budget_registers_clause(kernel);
    for (int i = 0; i < in.nloops; i++)
        in.loops[i]->control->pipeline->put_count = 0;
    choose_streams(&in);
    for (int i = 0; i < in.nloads; i++)
        choose_ring(&in, in.loads[i]);
    make_roles(&in);
    choose_turner(&in);
    choose_lines(&in);
    drop_idle(&in);
    choose_tasks(&in);
    choose_prepared_lines(&in);
    for (int i = 0; i < in.nloops; i++)
        check_loop(&in, in.loops[i]);
    if (!kernel->failed)
        choose_cluster(kernel, in.specialized);
    if (kernel->failed)
        return;
    choose_prepared(&in, most_groups(&in));
    choose_check_rings(&in);
    if (kernel->failed)
        return;
    collect_rings(&in);
    for (int i = 0; i < in.nrings; i++)
        if (schedule_of(in.rings[i])->depth)
            release_at_products(&in, in.rings[i], in.rings[i]->results[0]);
    join_rings(&in);
    join_made_rings(&in);
    choose_resident_loads(&in);
    choose_depth(&in);
    for (int i = 0; i < in.nloops; i++)
        settle_loop(&in, in.loops[i]);
    choose_pingpong(&in);
    int groups = choose_groups(&in);
    if (kernel->failed)
        return;
    groups = choose_more_groups(&in, groups);
    kernel->grid.consumers = groups;
    choose_order(&in);
    choose_turns(&in, groups);
    if (!choose_task_rows(kernel))
        return;
    if (!kernel->grid.persistent_given)
        kernel->grid.persistent = in.specialized || kernel->grid.share;
    choose_assign_roles(&in, groups);
    for (int i = 0; i < in.nopen; i++)
        choose_in_flight(&in, in.open[i]);
    choose_say_tasks(&in);
    kernel->grid.dynamic = choose_dynamic(kernel);
    say(&in, groups);
}
