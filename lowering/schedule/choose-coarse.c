/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-coarse.c - the coarse-grained writer of the schedule table (Tawa, III-D.2, corrected).
 *
 *      before, one iteration                      after, one time step
 *      s = ws_dot (q, ws_trans (k), 0)    T       T (j)     started
 *      p = softmax parts of s             C       U (j-1)   started: runs under C (j)
 *      o = o * scale                      C       C (j)     waits for T (j) alone
 *      o = ws_dot (p, v, o)               U       the parts of C that rewrite U's accumulator wait for U (j-1)
 *
 * A product U ends an iteration.  Its left or right operand is computed from the result of another product T of the
 * same iteration.  Its accumulator comes from a carried value of the loop, and its result goes only there.  U, and
 * loads that only U reads, take stage 1.  The order of a time step is T and its operands, U, the rest.  The method does
 * not depend on the operations of C.
 */
#include "schedule/choose.h"
#include "target/budget.h"
#include "target/machine.h"

enum { ORDER_T = 0, ORDER_U = 1, ORDER_C = 2, ORDER_SHIFT = 20 };

typedef struct {
    Kernel *kernel;
    Block *block;
    const Uses *uses;
    bool *late; /* by value id: computed after U (j-1) at the earliest */
} Coarse;

/* The operation of the block that contains the value's definition; NULL: the value is defined elsewhere.  */
static Op *local_op(const Coarse *coarse, const Value *value)
{
    return value->def ? op_at_block(value->def, coarse->block) : NULL;
}

static bool depends_on_product(const Coarse *coarse, const Op *op);

/* `op` is `whole` or an operation inside of it.  */
static bool operands_depend(const Coarse *coarse, const Op *op, const Op *whole)
{
    for (int i = 0; i < op->nargs; i++) {
        const Op *def = local_op(coarse, op->args[i]);
        if (def && def != whole && (op_is_dot(def) || depends_on_product(coarse, def)))
            return true;
    }
    for (int k = 0; k < op->nblocks; k++)
        FOR_OPS (inner, op->blocks[k])
            if (operands_depend(coarse, inner, whole))
                return true;
    return false;
}

static bool depends_on_product(const Coarse *coarse, const Op *op)
{
    return op->args && op->code != OP_LOAD && operands_depend(coarse, op, op);
}

/* True if elementwise operations of the block lead from the carried value of this index to the value.  */
static bool reaches_argument(const Coarse *coarse, const Value *value, int index)
{
    if (value->block == coarse->block)
        return value->index == index + 1;
    const Op *def = local_op(coarse, value);
    if (!def || op_is_dot(def) || def->nblocks || op_info[def->code].class_ != CLASS_TILE)
        return false;
    for (int i = 0; i < def->nargs; i++)
        if (type_equal(def->args[i]->type, value->type) && reaches_argument(coarse, def->args[i], index))
            return true;
    return false;
}

static bool is_second_product(const Coarse *coarse, const Op *op)
{
    if (!op_is_dot(op))
        return false;
    const Use *use = uses_of(coarse->uses, op->results[0]);
    if (!use || use->next || use->op->code != OP_YIELD || use->op->parent != coarse->block)
        return false;
    const Op *left = local_op(coarse, op->args[0]), *right = local_op(coarse, op->args[1]);
    bool computed = (left && (op_is_dot(left) || depends_on_product(coarse, left))) ||
                    (right && (op_is_dot(right) || depends_on_product(coarse, right)));
    return computed && reaches_argument(coarse, op->args[2], use->arg);
}

/* True if every use of the value is in stage 1.  */
static bool only_late(const Coarse *coarse, const Value *value)
{
    const Use *use = uses_of(coarse->uses, value);
    for (; use; use = use->next) {
        const Op *op = op_at_block(use->op, coarse->block);
        if (!op || schedule_of(op)->stage == 0)
            return false;
    }
    return true;
}

static void late_loads(const Coarse *coarse)
{
    for (Op *op = coarse->block->last; op; op = op->prev)
        if ((op->code == OP_TRANS || schedule_of(op)->depth) && ring_source(op->results[0]) &&
            only_late(coarse, op->results[0]))
            schedule_op(op)->stage = 1;
}

static bool reads_late(const Coarse *coarse, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (coarse->late[op->args[i]->id])
            return true;
    return false;
}

static bool fills_ring(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_LOAD && schedule_of(op)->depth;
}

/* Finds the values that must be computed after U (j-1): carried values of stage 1, and values computed from them.  Also
   loads whose order among stores counts, and control flow, which may contain both.  If control flow reads more from a
   ring than one slot holds, later loads of the producer follow it.  */
static void find_late(Coarse *coarse)
{
    const Op *loop = coarse->block->parent;
    coarse->late = arena_alloc(coarse->kernel->module, (size_t)coarse->kernel->module->next_id);
    for (int i = 0; i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        const Op *def = local_op(coarse, names.next);
        coarse->late[names.argument->id] = def && schedule_of(def)->stage;
    }
    bool behind = false;
    FOR_OPS (op, coarse->block) {
        bool load = op_info[op->code].class_ == CLASS_LOAD && (!schedule_of(op)->depth || behind);
        behind |= op->nblocks && ir_any(op, fills_ring, NULL);
        for (int i = 0; i < op->nresults; i++)
            coarse->late[op->results[i]->id] = load || op->nblocks || reads_late(coarse, op);
    }
}

static void order_first(const Coarse *coarse, Op *op)
{
    if (schedule_of(op)->stage || schedule_of(op)->order >> ORDER_SHIFT != ORDER_C)
        return;
    schedule_op(op)->order += (ORDER_T - ORDER_C) * (1 << ORDER_SHIFT);
    for (int i = 0; i < op->nargs; i++) {
        Op *def = local_op(coarse, op->args[i]);
        if (def)
            order_first(coarse, def);
    }
}

/* True if a use of the result is in a later stage than the operation.  */
static bool is_held_over(const Op *op, const Block *block, const Uses *uses)
{
    for (const Use *use = uses_of(uses, op->results[0]); use; use = use->next) {
        const Op *user = op_at_block(use->op, block);
        if (user && user != block_end(block) && schedule_of(user)->stage > schedule_of(op)->stage)
            return true;
    }
    return false;
}

int choose_held_registers(const Kernel *kernel, const Block *block, const Uses *uses)
{
    int registers = 0;
    FOR_OPS (op, block) {
        if (!op_is_dot(op))
            continue;
        Type held = op->results[0]->type;
        int groups = held.rows / MACHINE_MMA_ROWS;
        held.rows = MACHINE_MMA_ROWS;
        Type operand = op->args[0]->type;
        operand.rows = MACHINE_MMA_ROWS;
        bool computed = schedule_of(op)->stage && !ring_source(op->args[0]);
        int each = machine_tile_registers(held, LAYOUT_MMA) * (kernel->schedule.block.groups == 1 ? groups : 1);
        registers += is_held_over(op, block, uses) ? 2 * each : each;
        registers += computed ? machine_tile_registers(operand, LAYOUT_MMA) : 0;
    }
    return registers;
}

const Value *choose_needed_early(const Block *block, const Uses *uses)
{
    FOR_OPS (op, block) {
        const Value *left = op_is_dot(op) ? op->args[0] : NULL;
        const Op *def = left && left->def ? op_at_block(left->def, block) : NULL;
        if (!def || ring_source(left) || schedule_of(def)->stage >= schedule_of(op)->stage)
            continue;
        for (const Use *use = uses_of(uses, left); use; use = use->next) {
            const Op *user = op_at_block(use->op, block);
            if (!user || user == block_end(block) || schedule_of(user)->stage < schedule_of(op)->stage)
                return left;
        }
    }
    return NULL;
}

const char *choose_blocking(const Kernel *kernel)
{
    const Machine *machine = kernel->machine;
    return machine->wgmma ? NULL : arena_print(kernel->module, "a group of %s waits for its products", machine->name);
}

/* The reason why the fine schedule is better, or NULL.  */
static const char *objection(const Coarse *coarse)
{
    Module *module = coarse->kernel->module;
    const char *blocking = choose_blocking(coarse->kernel);
    if (blocking)
        return blocking;
    const Value *early = choose_needed_early(coarse->block, coarse->uses);
    if (early)
        return arena_print(module,
                           "%s is computed while the second product still reads what it was in the iteration before",
                           early->name ? early->name : "an operand");
    int registers = choose_held_registers(coarse->kernel, coarse->block, coarse->uses);
    if (registers > coarse->kernel->machine->costs->held_registers)
        return arena_print(module, "its accumulators and operands in flight take %d registers of each thread",
                           registers);
    return NULL;
}

bool choose_has_second(Kernel *kernel, Op *loop, const Uses *uses)
{
    Coarse coarse = {kernel, loop->blocks[0], uses, NULL};
    FOR_OPS (op, coarse.block)
        if (is_second_product(&coarse, op))
            return true;
    return false;
}

bool choose_coarse(Kernel *kernel, Op *loop, const Uses *uses)
{
    Coarse coarse = {kernel, loop->blocks[0], uses, NULL};
    bool found = false;
    FOR_OPS (op, coarse.block)
        if (is_second_product(&coarse, op)) {
            schedule_op(op)->stage = 1;
            found = true;
        }
    bool asked = schedule_of_loop(loop)->kind == SCHEDULE_COARSE;
    const char *why = found && !asked ? objection(&coarse) : NULL;
    if (why) {
        remark(kernel, DIAG_MISSED, loop->control->pipeline->loc, "coarse schedule not chosen: %s", why);
        FOR_OPS (op, coarse.block)
            schedule_op(op)->stage = 0;
        found = false;
    }
    if (!found)
        return false;
    late_loads(&coarse);
    FOR_OPS (op, coarse.block)
        schedule_op(op)->order += (schedule_of(op)->stage ? ORDER_U : ORDER_C) << ORDER_SHIFT;
    find_late(&coarse);
    FOR_OPS (op, coarse.block)
        if (op_is_dot(op) && !schedule_of(op)->stage && !depends_on_product(&coarse, op) &&
            !coarse.late[op->results[0]->id])
            order_first(&coarse, op);
    return true;
}
