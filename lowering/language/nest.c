/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nest.c - merges the nest of grid loops into one GRID.
 *
 *      before                                     after
 *      for i = 0, < M, 128                        n = N - 1 + 1
 *        base = i * N                             grid i = 0, < M, 128; j = 0, < n, 256
 *        for j = 0, <= N - 1, 256                   base = i * N
 *          ... base ...                             ... base ...
 *
 * The launcher has to know the tile space before any block runs, and blocks are independent. The pass therefore moves
 * code as follows.
 *
 *      operands of the loops' bounds      before the GRID; only arithmetic on parameters may stand there
 *      tensors                            before the GRID, as the launcher describes them to TMA
 *      scalar code between the loops      into the body
 *      a condition between the loops      around the body
 *
 * No value is carried from one iteration to the next, and no loop carries a tensor. A region without a store is
 * rejected.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/grid_forms.c, loop_forms.c and early_continue.c run nests on the
 * sequential target, which runs the C loops, and on emulate.
 */
#include "ir/queries.h"
#include "passes.h"

enum { MAX_DIMS = 4, MAX_LEVELS = 16 };

/* A level of the nest: a grid loop, or an IF between two loops. `inner` is the block that has the rest of the nest.  */
typedef struct {
    Op *op;
    Block *inner;
} Level;

typedef struct {
    Kernel *kernel;
    Level levels[MAX_LEVELS];
    int nlevels;
    Op *loops[MAX_DIMS];
    int nloops;
    bool *available; /* by value id: the value is computed before the GRID */
    const Value *culprit;
    Reason reason; /* the reason why `culprit` cannot be */
} Nest;

/* ---- finding the loops ------------------------------------------------------------------------------------------- */

static bool is_control(const Op *op)
{
    return op->code == OP_FOR || op->code == OP_WHILE || op->code == OP_IF;
}

static bool is_scalar_code(const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_LOAD || class_ == CLASS_TILE || class_ == CLASS_STORE || class_ == CLASS_SYNC)
        return false;
    for (int i = 0; i < op->nblocks; i++)
        FOR_OPS (inner, op->blocks[i])
            if (!is_scalar_code(inner))
                return false;
    return true;
}

/* Returns the operation of a block that contains the rest of the nest, or NULL.  */
static Op *find_next(const Block *block)
{
    FOR_OPS (op, block)
        if (is_control(op) && ir_has_side_effect(op))
            return op;
    return NULL;
}

/* Returns the words for an operation in the user's C.  */
static const char *written(const Nest *nest, const Op *op)
{
    if (op->code == OP_FOR || op->code == OP_WHILE)
        return "another loop";
    if (op->code == OP_IF)
        return "a branch";
    if (op->code == OP_FULL && op->tile->value == 0)
        return "ws_zeros";
    return arena_print(nest->kernel->module, "ws_%s", op_info[op->code].text);
}

static bool others_are_scalar(Nest *nest, const Block *block, const Op *next)
{
    FOR_OPS (op, block) {
        if (op == next || op->code == OP_YIELD || is_scalar_code(op))
            continue;
        if (nest->nloops)
            reject(nest->kernel, op->loc, REASON_GRID_BETWEEN, written(nest, op));
        else
            reject(nest->kernel, op->loc, REASON_GRID_OUTSIDE, written(nest, op));
        return false;
    }
    return true;
}

static bool nothing_leaves(Nest *nest, const Op *op)
{
    for (int i = 0; i < op->nresults && op->code != OP_WHILE; i++) {
        bool tile = op->results[i]->type.kind == K_TILE;
        const char *name = op->results[i]->name ? op->results[i]->name : tile ? "a tile" : "a value";
        reject(nest->kernel, op->loc, tile ? REASON_GRID_CARRIED_TILE : REASON_GRID_CARRIED_SCALAR, name);
    }
    return !op->nresults || op->code == OP_WHILE;
}

static Block *guarded(const Op *branch)
{
    for (int i = 0; i < 2; i++)
        FOR_OPS (op, branch->blocks[1 - i])
            if (op->code != OP_YIELD && !is_scalar_code(op))
                return NULL;
            else if (op == branch->blocks[1 - i]->last)
                return branch->blocks[i];
    return NULL;
}

static bool add_level(Nest *nest, Op *op)
{
    Block *inner = op->code == OP_FOR ? op->blocks[0] : NULL;
    if (op->code == OP_WHILE) {
        reject(nest->kernel, op->loc, REASON_GRID_WHILE);
        return false;
    }
    if (op->code == OP_IF)
        inner = nest->nloops && nest->nlevels < MAX_LEVELS - MAX_DIMS ? guarded(op) : NULL;
    if (!inner) {
        reject(nest->kernel, op->loc, REASON_GRID_BETWEEN, written(nest, op));
        return false;
    }
    nest->levels[nest->nlevels++] = (Level){op, inner};
    if (op->code == OP_FOR)
        nest->loops[nest->nloops++] = op;
    return true;
}

static bool find_loops(Nest *nest)
{
    int dims = nest->kernel->grid.dims;
    Block *block = nest->kernel->body;
    while (nest->nloops < dims) {
        Op *next = find_next(block);
        if (!next) {
            reject(nest->kernel, nest->kernel->grid.loc, REASON_GRID_DEPTH, dims, dims, nest->nloops);
            return false;
        }
        if (!nothing_leaves(nest, next) || !others_are_scalar(nest, block, next) || !add_level(nest, next))
            return false;
        block = nest->levels[nest->nlevels - 1].inner;
    }
    return true;
}

/* ---- code before the grid ---------------------------------------------------------------------------------------- */

static bool hoist(Nest *nest, Value *value);

static bool refuse(Nest *nest, const Value *culprit, Reason reason)
{
    nest->culprit = culprit;
    nest->reason = reason;
    return false;
}

/* True for a division that a condition guards: hoisted above the condition, it may trap.  */
static bool may_trap(const Op *op)
{
    int64_t divisor;
    if ((op->code != OP_SCALAR_DIV && op->code != OP_SCALAR_REM) || dtype_is_float(op->results[0]->type.dtype))
        return false;
    return ir_enclosing(op, OP_IF) && !(ir_constant(op->args[1], &divisor) && divisor);
}

static bool hoist_op(Nest *nest, Op *op)
{
    if (may_trap(op))
        return refuse(nest, op->results[0], REASON_GRID_BOUND_COMPUTED);
    for (int i = 0; i < op->nargs; i++)
        if (!hoist(nest, op->args[i]))
            return false;
    if (op->parent != nest->kernel->body) {
        op_remove(op);
        op_before(nest->loops[0], op);
    }
    for (int i = 0; i < op->nresults; i++)
        nest->available[op->results[i]->id] = true;
    return true;
}

/* Moves the definition of a value before the grid.  If that is impossible, returns false and sets the reason.  */
static bool hoist(Nest *nest, Value *value)
{
    Op *op = value->def;
    if (nest->available[value->id])
        return true;
    if (!op)
        return !value->block || refuse(nest, value, REASON_GRID_BOUND_DEPENDS);
    if (op_info[op->code].class_ == CLASS_READ)
        return refuse(nest, value, REASON_GRID_BOUND_MEMORY);
    if (op_info[op->code].class_ != CLASS_SCALAR && op_info[op->code].class_ != CLASS_TENSOR)
        return refuse(nest, value, REASON_GRID_BOUND_COMPUTED);
    return hoist_op(nest, op);
}

static bool hoist_bounds(Nest *nest, const Op *loop)
{
    for (int i = 0; i < 3; i++)
        if (!hoist(nest, loop->args[i])) {
            reject(nest->kernel, loop->loc, nest->reason, nest->culprit->name ? nest->culprit->name : "?");
            return false;
        }
    return true;
}

/* Converts i <= high to i < high + 1, and i >= low to i > low - 1.  */
static void exclude_bound(Nest *nest, Op *loop)
{
    Value *one = ir_const_before(nest->kernel, loop, loop->args[1]->type.dtype, 1);
    loop->args[1] = ir_binary_before(
        nest->kernel, loop, loop->control->compare == OP_SCALAR_LE ? OP_SCALAR_ADD : OP_SCALAR_SUB, loop->args[1], one);
    loop->control->compare = loop->control->compare == OP_SCALAR_LE ? OP_SCALAR_LT : OP_SCALAR_GT;
}

/* Converts a loop i = high, > low, -step to n = 0, < (high - low + step - 1) / step, 1. The body begins with i = high -
   n * step. Iterations are independent, so their order may change.  */
static void count_up(Nest *nest, Op *loop, int64_t step)
{
    Block *body = loop->blocks[0];
    Op *top = body->first;
    Value *high = loop->args[0], *low = loop->args[1], *old = body->args[0];
    Dtype dtype = high->type.dtype;
    Value *span = ir_binary_before(nest->kernel, loop, OP_SCALAR_SUB, high, low);
    Value *padded =
        ir_binary_before(nest->kernel, loop, OP_SCALAR_ADD, span, ir_const_before(nest->kernel, loop, dtype, step - 1));
    Value *stride = ir_const_before(nest->kernel, loop, dtype, step);
    Value *back =
        ir_binary_before(nest->kernel, top, OP_SCALAR_MUL, old, ir_const_before(nest->kernel, top, dtype, step));
    Value *index = ir_binary_before(nest->kernel, top, OP_SCALAR_SUB, high, back);
    loop->args[0] = ir_const_before(nest->kernel, loop, dtype, 0);
    loop->args[1] = ir_binary_before(nest->kernel, loop, OP_SCALAR_DIV, padded, stride);
    loop->args[2] = ir_const_before(nest->kernel, loop, dtype, 1);
    loop->control->compare = OP_SCALAR_LT;
    index->name = old->name;
    old->name = NULL;
    ir_replace_uses(body, old, index);
    back->def->args[0] = old;
}

static Value *negated(Nest *nest, Op *before, Value *value)
{
    if (value->def && value->def->code == OP_SCALAR_NEG)
        return value->def->args[0];
    Op *op = op_new(nest->kernel, OP_SCALAR_NEG, before->loc, 1, &value);
    op_before(before, op);
    return op_result(nest->kernel, op, value->type, NULL);
}

/* The same for a step that only the caller knows: n = -high, < -low, step, and i = -n.  */
static void turn_around(Nest *nest, Op *loop)
{
    Block *body = loop->blocks[0];
    Op *top = body->first;
    Value *old = body->args[0];
    for (int i = 0; i < 3; i++)
        loop->args[i] = negated(nest, loop, loop->args[i]);
    loop->control->compare = OP_SCALAR_LT;
    Value *index = negated(nest, top, old);
    index->name = old->name;
    old->name = NULL;
    ir_replace_uses(body, old, index);
    index->def->args[0] = old;
}

static bool check_loop(Nest *nest, Op *loop)
{
    int64_t step = 1;
    bool constant = ir_constant(loop->args[2], &step), has_sign = dtype_is_signed(loop->args[0]->type.dtype);
    bool down = constant && step < 0 && step > -INT32_MAX && has_sign;
    bool falls =
        !constant && has_sign && (loop->control->compare == OP_SCALAR_GT || loop->control->compare == OP_SCALAR_GE);
    if (loop->control->pipeline)
        reject(nest->kernel, loop->control->pipeline->loc, REASON_PIPELINE_ON_GRID);
    if (loop->control->compare == OP_SCALAR_LE || ((down || falls) && loop->control->compare == OP_SCALAR_GE))
        exclude_bound(nest, loop);
    if (falls)
        turn_around(nest, loop);
    else if (down && loop->control->compare == OP_SCALAR_GT)
        count_up(nest, loop, -step);
    else if ((constant && step <= 0) || loop->control->compare == OP_SCALAR_GT ||
             loop->control->compare == OP_SCALAR_GE)
        reject(nest->kernel, loop->loc, REASON_GRID_STEP);
    else if (loop->control->compare != OP_SCALAR_LT &&
             (loop->control->compare != OP_SCALAR_NE || !constant || step != 1))
        reject(nest->kernel, loop->loc, REASON_GRID_COMPARE);
    return !nest->kernel->failed;
}

/* The table `available` has no entries for values that are made later.  Values of the bounds are made before.  */
static bool prepare_loops(Nest *nest)
{
    for (int i = 0; i < nest->nloops; i++)
        if (!check_loop(nest, nest->loops[i]))
            return false;
    nest->available = arena_alloc(nest->kernel->module, (size_t)nest->kernel->module->next_id + 1);
    for (int i = 0; i < nest->nloops; i++)
        if (!hoist_bounds(nest, nest->loops[i]))
            return false;
    return true;
}

static void hoist_tensor(Op *op, void *context)
{
    Nest *nest = context;
    if (op->code == OP_TENSOR && !hoist(nest, op->results[0]))
        reject(nest->kernel, op->loc, REASON_TENSOR_VARIES);
}

static void visit_carried_tensor(Op *op, void *context)
{
    Kernel *kernel = context;
    for (int i = 0; op->nblocks && i < op->nresults; i++)
        if (op->results[i]->type.kind == K_TENSOR && op->code != OP_IF)
            reject(kernel, op->loc, REASON_TENSOR_CHOSEN);
}

static bool is_store(const Op *op, const void *context)
{
    (void)context;
    return op_info[op->code].class_ == CLASS_STORE;
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

static Op *make_grid(Nest *nest)
{
    Kernel *kernel = nest->kernel;
    Op *grid = op_new(kernel, OP_GRID, kernel->grid.loc, 0, NULL);
    Block *block = block_new(kernel, grid);
    for (int i = 0; i < nest->nloops; i++) {
        const Value *old = nest->loops[i]->blocks[0]->args[0];
        for (int k = 0; k < 3; k++)
            op_add_arg(kernel, grid, nest->loops[i]->args[k]);
        block_arg(kernel, block, old->type, old->name, old->loc);
    }
    op_before(nest->loops[0], grid);
    return grid;
}

static void move_ops(Block *from, const Op *stop, Block *to)
{
    for (Op *op = from->first, *next; op && op != stop; op = next) {
        next = op->next;
        op_remove(op);
        op_append(to, op);
    }
}

/* Puts the rest of the body under a condition that stands between the loops.  Returns the taken block.  */
static Block *make_guard(Nest *nest, const Level *level, Block *to)
{
    Op *branch = op_new(nest->kernel, OP_IF, level->op->loc, 1, level->op->args);
    Block *blocks[2] = {block_new(nest->kernel, branch), block_new(nest->kernel, branch)};
    int taken = level->inner == level->op->blocks[1];
    op_append(to, branch);
    op_append(blocks[1 - taken], op_new(nest->kernel, OP_YIELD, level->op->loc, 0, NULL));
    return blocks[taken];
}

static void end_block(Nest *nest, Block *block)
{
    if (!block->last || block->last->code != OP_YIELD)
        op_append(block, op_new(nest->kernel, OP_YIELD, nest->kernel->grid.loc, 0, NULL));
}

/* Moves operations that read memory into the grid, with all that depend on them, as the launcher must not read it.  */
static void sink_reads(Nest *nest, const Op *grid)
{
    bool *moved = arena_alloc(nest->kernel->module, (size_t)nest->kernel->module->next_id + 1);
    Op *after = NULL;
    Block *block = grid->blocks[0];
    for (Op *op = nest->kernel->body->first, *next; op != grid; op = next) {
        next = op->next;
        bool moves = op_info[op->code].class_ == CLASS_READ || op->nblocks || op_is_part(op);
        for (int i = 0; i < op->nargs; i++)
            moves |= moved[op->args[i]->id];
        if (!moves)
            continue;
        for (int i = 0; i < op->nresults; i++)
            moved[op->results[i]->id] = true;
        op_remove(op);
        if (after)
            op_after(after, op);
        else
            op_before(block->first, op);
        after = op;
    }
}

static void build(Nest *nest)
{
    Op *grid = make_grid(nest);
    Block *opened[MAX_LEVELS];
    int nopened = 0;
    Block *to = opened[nopened++] = grid->blocks[0];
    for (int i = 0; i < nest->nlevels; i++) {
        const Level *level = &nest->levels[i];
        if (level->op->code == OP_IF)
            to = opened[nopened++] = make_guard(nest, level, to);
        move_ops(level->inner, i + 1 < nest->nlevels ? nest->levels[i + 1].op : NULL, to);
    }
    while (nopened)
        end_block(nest, opened[--nopened]);
    for (int i = 0; i < nest->nloops; i++)
        ir_replace_uses(grid->blocks[0], nest->loops[i]->blocks[0]->args[0], grid->blocks[0]->args[i]);
    op_remove(nest->loops[0]);
    sink_reads(nest, grid);
}

static bool has_grid(const Kernel *kernel)
{
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            return true;
    return false;
}

void pass_nest(Kernel *kernel)
{
    Nest nest = {.kernel = kernel};
    if (!ir_any_of(kernel->body, is_store, NULL)) {
        reject(kernel, kernel->loc, REASON_NO_SINK);
        return;
    }
    ir_walk(kernel->body, visit_carried_tensor, kernel);
    if (kernel->failed || has_grid(kernel))
        return;
    if (kernel->grid.dims < 1 || kernel->grid.dims > MAX_DIMS) {
        reject(kernel, kernel->grid.loc, REASON_GRID_DIMS, kernel->grid.dims);
        return;
    }
    if (!find_loops(&nest) || !prepare_loops(&nest))
        return;
    ir_walk(kernel->body, hoist_tensor, &nest);
    if (!kernel->failed)
        build(&nest);
}
