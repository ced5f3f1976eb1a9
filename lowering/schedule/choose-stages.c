/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-stages.c - the writer of the schedule table for chains of products of any length.
 *
 *      before, one iteration              after, one time step
 *      s = ws_dot (q, ws_trans (k), 0)    T0      T0 (j)      started
 *      p = f (s)                          C0      T1 (j-1)    started
 *      t = ws_dot (p, v, 0)               T1      T2 (j-2)    started
 *      h = g (t)                          C1      C0 (j)      waits for T0 alone
 *      o = ws_dot (h, w, o)               T2      C1 (j-1)    waits for T1, runs under T2
 *
 * A product is a stage after the products that its operands are computed from.  Other operations are in the stage of
 * the product that they are computed from.  In a loop without a second product, that would be one stage.  There, such
 * operations are a stage after the product, and run during the product of the next iteration.
 *
 * The reader of a carried value is in the stage of its maker or later.  If the maker is a product, the reader may be
 * one stage earlier.  In the time step it then follows the product.  Stages rise until all conditions hold.  If they
 * rise without end, iterations depend on each other in a cycle, and the loop has no such schedule.
 */
#include "schedule/choose.h"
#include "schedule/schedule.h"
#include "target/budget.h"

enum { ORDER_SHIFT = 20 };

typedef struct {
    Kernel *kernel;
    Op *loop;
    Block *block;
    const Uses *uses;
    bool behind;  /* operations that use a product's result are a stage after it */
    bool *waits;  /* by operation: waits for a product of its own stage */
    bool *late;   /* by operation: comes after all others of its time step */
    int *classes; /* by operation: class in the order of a time step; products by stage, then the rest */
    int last;     /* the last stage */
    bool changed, broken;
} Stages;

static int stage_of(const Op *op)
{
    return schedule_of(op)->stage;
}

/* The operation of the block that contains the value's definition; NULL: the value is defined elsewhere.  */
static Op *local_op(const Stages *stages, const Value *value)
{
    return value->def ? op_at_block(value->def, stages->block) : NULL;
}

/* The operation that computes the carried value in the previous iteration, or NULL.  */
static Op *maker_before(const Stages *stages, const Value *value)
{
    bool carries = value->block == stages->block && value->index > 0;
    return carries ? local_op(stages, carried(stages->loop, value->index - 1).next) : NULL;
}

static bool is_product(const Op *op, const void *context)
{
    (void)context;
    return op_is_dot(op);
}

static bool is_last(const Stages *stages, const Op *op)
{
    return op == block_end(stages->block);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

static void raise_stage(Stages *stages, Op *op, int stage)
{
    if (stage <= stage_of(op) || stages->broken)
        return;
    stages->changed = true;
    stages->broken = stage > SCHEDULE_MOST_STAGE;
    schedule_op(op)->stage = stages->broken ? 0 : stage;
    stages->last = stage > stages->last ? stage : stages->last;
}

static void raise_for(Stages *stages, Op *op, const Op *within)
{
    for (int i = 0; i < within->nargs; i++) {
        const Op *def = local_op(stages, within->args[i]), *before = maker_before(stages, within->args[i]);
        bool operand = op_is_dot(op) && i < 2;
        bool apart = stages->behind ? def && op_is_dot(def) && !op_is_dot(op) : operand;
        if (def && def != op)
            raise_stage(stages, op, stage_of(def) + (apart && stages->waits[def->id]));
        if (before)
            raise_stage(stages, op, stage_of(before) - op_is_dot(before));
    }
    for (int k = 0; k < within->nblocks; k++)
        FOR_OPS (inner, within->blocks[k])
            raise_for(stages, op, inner);
}

static bool waits_within(const Stages *stages, const Op *op, const Op *within)
{
    for (int i = 0; i < within->nargs; i++) {
        const Op *def = local_op(stages, within->args[i]);
        if (def && def != op && stage_of(def) == stage_of(op) && stages->waits[def->id])
            return true;
    }
    for (int k = 0; k < within->nblocks; k++)
        FOR_OPS (inner, within->blocks[k])
            if (waits_within(stages, op, inner))
                return true;
    return false;
}

static void raise_memory(Stages *stages, Op *first)
{
    for (Op *second = first->next; second; second = second->next) {
        if (is_last(stages, second) || !schedule_keeps_order(first, second))
            continue;
        raise_stage(stages, first, stage_of(second));
        raise_stage(stages, second, stage_of(first));
    }
}

/* Raises stages until all conditions hold.  An operation that comes through a ring needs no operand at its get.  */
static void raise_all(Stages *stages)
{
    do {
        stages->changed = false;
        FOR_OPS (op, stages->block) {
            if (is_last(stages, op) || schedule_of(op)->depth)
                continue;
            raise_for(stages, op, op);
            stages->waits[op->id] = ir_any(op, is_product, NULL) || waits_within(stages, op, op);
            raise_memory(stages, op);
        }
    } while (stages->changed && !stages->broken);
}

static int first_use(const Stages *stages, const Op *op)
{
    int stage = SCHEDULE_MOST_STAGE + 1;
    for (int r = 0; r < op->nresults; r++)
        for (const Use *use = uses_of(stages->uses, op->results[r]); use; use = use->next) {
            const Op *user = op_at_block(use->op, stages->block);
            int here = user && !is_last(stages, user) ? stage_of(user) : 0;
            stage = here < stage ? here : stage;
        }
    return stage > SCHEDULE_MOST_STAGE ? 0 : stage;
}

/* Moves operations that wait for no product to the stage of their first use, so that their results are live for less
   time.  */
static void sink(Stages *stages)
{
    for (Op *op = stages->block->last; op; op = op->prev) {
        OpClass class_ = op_info[op->code].class_;
        bool moves = schedule_of(op)->depth || class_ == CLASS_TILE || class_ == CLASS_SCALAR;
        if (moves && !op->nblocks && !stages->waits[op->id] && !is_last(stages, op))
            raise_stage(stages, op, first_use(stages, op));
    }
}

/* ---- order of a time step ---------------------------------------------------------------------------------------- */

static bool looks_at_staying(const Stages *stages, const Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        const Op *def = local_op(stages, op->args[i]), *before = maker_before(stages, op->args[i]);
        if ((def && stage_of(def) == stage_of(op) && stages->late[def->id]) ||
            (before && stage_of(before) > stage_of(op)))
            return true;
    }
    return false;
}

/* As in choose-coarse.c: operations that read a product of the previous iteration, loads whose order among stores
   counts, and control flow.  */
static void find_staying(Stages *stages)
{
    FOR_OPS (op, stages->block)
        stages->late[op->id] = (op_info[op->code].class_ == CLASS_LOAD && !schedule_of(op)->depth) || op->nblocks ||
                               looks_at_staying(stages, op);
}

/* True for a product that starts before the time step waits for any product.  Another such product may add to it.  */
static bool starts_early(const Stages *stages, const Op *op)
{
    if (!op_is_dot(op) || stages->late[op->id])
        return false;
    for (int i = 0; i < 3; i++) {
        const Op *def = local_op(stages, op->args[i]);
        bool adds = i == 2 && def && op_is_dot(def) && starts_early(stages, def);
        if (def && stage_of(def) == stage_of(op) && stages->waits[def->id] && !adds)
            return false;
    }
    return true;
}

static void order_early(Stages *stages, Op *op, int stage)
{
    if (stage_of(op) != stage || stages->classes[op->id] <= stage)
        return;
    stages->classes[op->id] = stage;
    for (int i = 0; i < op->nargs; i++) {
        Op *def = local_op(stages, op->args[i]);
        if (def)
            order_early(stages, def, stage);
    }
}

static void order_all(Stages *stages)
{
    FOR_OPS (op, stages->block)
        stages->classes[op->id] = stages->last + 1;
    FOR_OPS (op, stages->block)
        if (starts_early(stages, op))
            order_early(stages, op, stage_of(op));
    FOR_OPS (op, stages->block)
        schedule_op(op)->order += stages->classes[op->id] << ORDER_SHIFT;
}

static bool is_behind(const Op *first, const Op *second, int distance)
{
    int steps = distance + stage_of(second) - stage_of(first);
    return steps > 0 || (steps == 0 && schedule_of(second)->order > schedule_of(first)->order);
}

static bool needs_are_met(const Stages *stages, const Op *op, const Op *within)
{
    for (int i = 0; i < within->nargs && !schedule_of(within)->depth; i++) {
        const Op *def = local_op(stages, within->args[i]), *before = maker_before(stages, within->args[i]);
        if ((def && def != op && !is_behind(def, op, 0)) || (before && before != op && !is_behind(before, op, 1)))
            return false;
    }
    for (int k = 0; k < within->nblocks; k++)
        FOR_OPS (inner, within->blocks[k])
            if (!needs_are_met(stages, op, inner))
                return false;
    return true;
}

static bool is_possible(const Stages *stages)
{
    FOR_OPS (op, stages->block) {
        if (is_last(stages, op))
            continue;
        if (!needs_are_met(stages, op, op))
            return false;
        for (const Op *second = op->next; second && !is_last(stages, second); second = second->next)
            if (schedule_keeps_order(op, second) && !(is_behind(op, second, 0) && is_behind(second, op, 1)))
                return false;
    }
    return true;
}

/* The producer fills rings in the order of the source.  A ring that is read some stages late needs as many slots.
   Otherwise operations that precede its load in the next iteration would wait for it.  */
static bool has_slots(const Stages *stages)
{
    FOR_OPS (op, stages->block)
        if (schedule_of(op)->depth > 0 && schedule_of(op)->depth < last_stage(op, stages->uses))
            return false;
    return true;
}

/* ---- the writer -------------------------------------------------------------------------------------------------- */

static void clear(const Stages *stages)
{
    FOR_OPS (op, stages->block) {
        schedule_op(op)->stage = 0;
        schedule_op(op)->order &= (1 << ORDER_SHIFT) - 1;
    }
}

static bool write_stages(Stages *stages)
{
    raise_all(stages);
    if (stages->broken || !stages->last)
        return false;
    sink(stages);
    find_staying(stages);
    order_all(stages);
    return is_possible(stages) && has_slots(stages);
}

/* The reason why the schedule is not chosen without being asked for, or NULL.  */
static const char *objection(const Stages *stages, int least)
{
    Module *module = stages->kernel->module;
    const char *blocking = choose_blocking(stages->kernel);
    if (blocking)
        return blocking;
    int registers = choose_held_registers(stages->kernel, stages->block, stages->uses);
    const Value *early = choose_needed_early(stages->block, stages->uses);
    if (early)
        return arena_print(module, "%s is computed while a product still reads what it was in the iteration before",
                           early->name ? early->name : "an operand");
    if (registers > stages->kernel->machine->costs->held_registers)
        return arena_print(module, "its accumulators and operands in flight take %d registers of each thread",
                           registers);
    if (stages->behind)
        return "there is one product; schedule(coarse) puts what is computed from it under that of the next iteration, "
               "for a second accumulator";
    if (stages->last > 1)
        return arena_print(module, "the chain of products has %d stages; schedule(coarse) asks for them",
                           stages->last + 1);
    if (least < 2)
        return "the last product is no sum that the loop carries; schedule(coarse) asks for it all the same";
    return NULL;
}

bool choose_stages(Kernel *kernel, Op *loop, const Uses *uses, int least)
{
    Stages stages = {.kernel = kernel, .loop = loop, .block = loop->blocks[0], .uses = uses};
    size_t count = (size_t)kernel->nops + 1;
    stages.waits = arena_alloc(kernel->module, count);
    stages.late = arena_alloc(kernel->module, count);
    stages.classes = arena_alloc(kernel->module, count * sizeof *stages.classes);
    bool found = write_stages(&stages);
    if (!found && !stages.last && least < 2) {
        stages.behind = true;
        found = write_stages(&stages);
    }
    bool asked = schedule_of_loop(loop)->kind == SCHEDULE_COARSE, deep = stages.last >= least;
    const char *why = found && deep && !asked ? objection(&stages, least) : NULL;
    if (why)
        remark(kernel, DIAG_MISSED, loop->control->pipeline->loc, "coarse schedule not chosen: %s", why);
    if (found && deep && !why)
        return true;
    clear(&stages);
    return false;
}
