/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * nest.c - the nest of grid loops becomes one GRID.
 *
 *   before                                     after
 *   for i = 0, < M, 128                        n = N - 1 + 1
 *     base = i * N                             grid i = 0, < M, 128; j = 0, < n, 256
 *     for j = 0, <= N - 1, 256                   base = i * N
 *       ... base ...                             ... base ...
 *
 * The launcher has to know the tile space before any block runs, and blocks are independent.  So: what the bounds need
 * moves before the GRID, where only arithmetic on parameters may stand; scalar code between the loops moves into the
 * body; a condition between the loops comes to stand around the body; and nothing is carried from one iteration to the
 * next. Tensors too are made before the GRID: the launcher describes them to TMA.  So no loop carries one; and a region
 * that stores nothing is no grid.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/grid_forms.c, loop_forms.c and early_continue.c run nests on the
 * sequential target, which runs the C loops, and on emulate.
 */
#include "lower.h"
#include "ir/queries.h"

enum { MAX_DIMS = 4, MAX_LEVELS = 16 };

/* One step inwards: a grid loop, or an IF between two of them and the branch that goes on.  */
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
    bool *available; /* by value id: computed before the GRID */
    const Value *culprit;
    Reason reason; /* why `culprit` is not */
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

/* The operation of a block that holds the rest of the nest.  */
static Op *find_next(const Block *block)
{
    FOR_OPS (op, block)
        if (is_control(op) && ir_has_side_effect(op))
            return op;
    return NULL;
}

/* As the user wrote it.  */
static const char *written(const Nest *in, const Op *op)
{
    if (op->code == OP_FOR || op->code == OP_WHILE)
        return "another loop";
    if (op->code == OP_IF)
        return "a branch";
    if (op->code == OP_FULL && op->tile->value == 0)
        return "ws_zeros";
    return arena_print(in->kernel->module, "ws_%s", op_info[op->code].text);
}

static bool others_are_scalar(Nest *in, const Block *block, const Op *next)
{
    FOR_OPS (op, block) {
        if (op == next || op->code == OP_YIELD || is_scalar_code(op))
            continue;
        if (in->nloops)
            reject(in->kernel, op->loc, REASON_GRID_BETWEEN, written(in, op));
        else
            reject(in->kernel, op->loc, REASON_GRID_OUTSIDE, written(in, op));
        return false;
    }
    return true;
}

static bool nothing_leaves(Nest *in, const Op *op)
{
    for (int i = 0; i < op->nresults && op->code != OP_WHILE; i++) {
        bool tile = op->results[i]->type.kind == K_TILE;
        const char *name = op->results[i]->name ? op->results[i]->name : tile ? "a tile" : "a value";
        reject(in->kernel, op->loc, tile ? REASON_GRID_CARRIED_TILE : REASON_GRID_CARRIED_SCALAR, name);
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

static bool add_level(Nest *in, Op *op)
{
    Block *inner = op->code == OP_FOR ? op->blocks[0] : NULL;
    if (op->code == OP_WHILE) {
        reject(in->kernel, op->loc, REASON_GRID_WHILE);
        return false;
    }
    if (op->code == OP_IF)
        inner = in->nloops && in->nlevels < MAX_LEVELS - MAX_DIMS ? guarded(op) : NULL;
    if (!inner) {
        reject(in->kernel, op->loc, REASON_GRID_BETWEEN, written(in, op));
        return false;
    }
    in->levels[in->nlevels++] = (Level){op, inner};
    if (op->code == OP_FOR)
        in->loops[in->nloops++] = op;
    return true;
}

static bool find_loops(Nest *in)
{
    int dims = in->kernel->grid.dims;
    Block *block = in->kernel->body;
    while (in->nloops < dims) {
        Op *next = find_next(block);
        if (!next) {
            reject(in->kernel, in->kernel->grid.loc, REASON_GRID_DEPTH, dims, dims, in->nloops);
            return false;
        }
        if (!nothing_leaves(in, next) || !others_are_scalar(in, block, next) || !add_level(in, next))
            return false;
        block = in->levels[in->nlevels - 1].inner;
    }
    return true;
}

/* ---- what the launcher computes ---------------------------------------------------------------------------------- */

static bool hoist(Nest *in, Value *value);

static bool refuse(Nest *in, const Value *culprit, Reason reason)
{
    in->culprit = culprit;
    in->reason = reason;
    return false;
}

/* A division that a condition guards may trap when it is made without it.  */
static bool may_trap(const Op *op)
{
    int64_t divisor;
    if ((op->code != OP_DIVI && op->code != OP_REMI) || dtype_is_float(op->results[0]->type.dtype))
        return false;
    return ir_enclosing(op, OP_IF) && !(ir_constant(op->args[1], &divisor) && divisor);
}

static bool hoist_op(Nest *in, Op *op)
{
    if (may_trap(op))
        return refuse(in, op->results[0], REASON_GRID_BOUND_COMPUTED);
    for (int i = 0; i < op->nargs; i++)
        if (!hoist(in, op->args[i]))
            return false;
    if (op->parent != in->kernel->body) {
        op_remove(op);
        op_before(in->loops[0], op);
    }
    for (int i = 0; i < op->nresults; i++)
        in->available[op->results[i]->id] = true;
    return true;
}

/* Make a value's definition stand before the grid; false and the reason when it cannot.  */
static bool hoist(Nest *in, Value *value)
{
    Op *op = value->def;
    if (in->available[value->id])
        return true;
    if (!op)
        return !value->block || refuse(in, value, REASON_GRID_BOUND_DEPENDS);
    if (op_info[op->code].class_ == CLASS_READ)
        return refuse(in, value, REASON_GRID_BOUND_MEMORY);
    if (op_info[op->code].class_ != CLASS_SCALAR && op_info[op->code].class_ != CLASS_TENSOR)
        return refuse(in, value, REASON_GRID_BOUND_COMPUTED);
    return hoist_op(in, op);
}

static bool hoist_bounds(Nest *in, const Op *loop)
{
    for (int i = 0; i < 3; i++)
        if (!hoist(in, loop->args[i])) {
            reject(in->kernel, loop->loc, in->reason, in->culprit->name ? in->culprit->name : "?");
            return false;
        }
    return true;
}

/* i <= high is i < high + 1, and i >= low is i > low - 1.  */
static void exclude_bound(Nest *in, Op *loop)
{
    Value *one = ir_const_before(in->kernel, loop, loop->args[1]->type.dtype, 1);
    loop->args[1] =
        ir_binary_before(in->kernel, loop, loop->control->compare == OP_LEI ? OP_ADDI : OP_SUBI, loop->args[1], one);
    loop->control->compare = loop->control->compare == OP_LEI ? OP_LTI : OP_GTI;
}

/* Iterations are independent, so i = high, > low, -step may as well be counted: n = 0, < (high - low + step - 1) /
   step, 1 with i = high - n * step at the top of the body.  */
static void count_up(Nest *in, Op *loop, int64_t step)
{
    Block *body = loop->blocks[0];
    Op *top = body->first;
    Value *high = loop->args[0], *low = loop->args[1], *old = body->args[0];
    Dtype dtype = high->type.dtype;
    Value *span = ir_binary_before(in->kernel, loop, OP_SUBI, high, low);
    Value *padded =
        ir_binary_before(in->kernel, loop, OP_ADDI, span, ir_const_before(in->kernel, loop, dtype, step - 1));
    Value *stride = ir_const_before(in->kernel, loop, dtype, step);
    Value *back = ir_binary_before(in->kernel, top, OP_MULI, old, ir_const_before(in->kernel, top, dtype, step));
    Value *index = ir_binary_before(in->kernel, top, OP_SUBI, high, back);
    loop->args[0] = ir_const_before(in->kernel, loop, dtype, 0);
    loop->args[1] = ir_binary_before(in->kernel, loop, OP_DIVI, padded, stride);
    loop->args[2] = ir_const_before(in->kernel, loop, dtype, 1);
    loop->control->compare = OP_LTI;
    index->name = old->name;
    old->name = NULL;
    ir_replace_uses(body, old, index);
    back->def->args[0] = old;
}

static Value *negated(Nest *in, Op *before, Value *value)
{
    if (value->def && value->def->code == OP_NEGI)
        return value->def->args[0];
    Op *op = op_new(in->kernel, OP_NEGI, before->loc, 1, &value);
    op_before(before, op);
    return op_result(in->kernel, op, value->type, NULL);
}

/* The same at a step that only the caller knows: n = -high, < -low, step with i = -n.  */
static void turn_around(Nest *in, Op *loop)
{
    Block *body = loop->blocks[0];
    Op *top = body->first;
    Value *old = body->args[0];
    for (int i = 0; i < 3; i++)
        loop->args[i] = negated(in, loop, loop->args[i]);
    loop->control->compare = OP_LTI;
    Value *index = negated(in, top, old);
    index->name = old->name;
    old->name = NULL;
    ir_replace_uses(body, old, index);
    index->def->args[0] = old;
}

static bool check_loop(Nest *in, Op *loop)
{
    int64_t step = 1;
    bool constant = ir_constant(loop->args[2], &step), has_sign = dtype_is_signed(loop->args[0]->type.dtype);
    bool down = constant && step < 0 && step > -INT32_MAX && has_sign;
    bool falls = !constant && has_sign && (loop->control->compare == OP_GTI || loop->control->compare == OP_GEI);
    if (loop->control->pipeline)
        reject(in->kernel, loop->control->pipeline->loc, REASON_PIPELINE_ON_GRID);
    if (loop->control->compare == OP_LEI || ((down || falls) && loop->control->compare == OP_GEI))
        exclude_bound(in, loop);
    if (falls)
        turn_around(in, loop);
    else if (down && loop->control->compare == OP_GTI)
        count_up(in, loop, -step);
    else if ((constant && step <= 0) || loop->control->compare == OP_GTI || loop->control->compare == OP_GEI)
        reject(in->kernel, loop->loc, REASON_GRID_STEP);
    else if (loop->control->compare != OP_LTI && (loop->control->compare != OP_NEI || !constant || step != 1))
        reject(in->kernel, loop->loc, REASON_GRID_COMPARE);
    return !in->kernel->failed;
}

/* Values made after this point are not in the table: only those of the bounds, which are made before.  */
static bool prepare_loops(Nest *in)
{
    for (int i = 0; i < in->nloops; i++)
        if (!check_loop(in, in->loops[i]))
            return false;
    in->available = arena_alloc(in->kernel->module, (size_t)in->kernel->module->next_id + 1);
    for (int i = 0; i < in->nloops; i++)
        if (!hoist_bounds(in, in->loops[i]))
            return false;
    return true;
}

static void hoist_tensor(Op *op, void *context)
{
    Nest *in = context;
    if (op->code == OP_TENSOR && !hoist(in, op->results[0]))
        reject(in->kernel, op->loc, REASON_TENSOR_VARIES);
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

static Op *make_grid(Nest *in)
{
    Kernel *kernel = in->kernel;
    Op *grid = op_new(kernel, OP_GRID, kernel->grid.loc, 0, NULL);
    Block *block = block_new(kernel, grid);
    for (int i = 0; i < in->nloops; i++) {
        const Value *old = in->loops[i]->blocks[0]->args[0];
        for (int k = 0; k < 3; k++)
            op_add_arg(kernel, grid, in->loops[i]->args[k]);
        block_arg(kernel, block, old->type, old->name, old->loc);
    }
    op_before(in->loops[0], grid);
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

/* A condition between the loops goes around what is left of the body.  */
static Block *make_guard(Nest *in, const Level *level, Block *to)
{
    Op *branch = op_new(in->kernel, OP_IF, level->op->loc, 1, level->op->args);
    Block *blocks[2] = {block_new(in->kernel, branch), block_new(in->kernel, branch)};
    int taken = level->inner == level->op->blocks[1];
    op_append(to, branch);
    op_append(blocks[1 - taken], op_new(in->kernel, OP_YIELD, level->op->loc, 0, NULL));
    return blocks[taken];
}

static void end_block(Nest *in, Block *block)
{
    if (!block->last || block->last->code != OP_YIELD)
        op_append(block, op_new(in->kernel, OP_YIELD, in->kernel->grid.loc, 0, NULL));
}

/* What the launcher must not compute, because it reads memory, moves into the grid.  */
static void sink_reads(Nest *in, const Op *grid)
{
    bool *moved = arena_alloc(in->kernel->module, (size_t)in->kernel->module->next_id + 1);
    Op *after = NULL;
    Block *block = grid->blocks[0];
    for (Op *op = in->kernel->body->first, *next; op != grid; op = next) {
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

static void build(Nest *in)
{
    Op *grid = make_grid(in);
    Block *opened[MAX_LEVELS];
    int nopened = 0;
    Block *to = opened[nopened++] = grid->blocks[0];
    for (int i = 0; i < in->nlevels; i++) {
        const Level *level = &in->levels[i];
        if (level->op->code == OP_IF)
            to = opened[nopened++] = make_guard(in, level, to);
        move_ops(level->inner, i + 1 < in->nlevels ? in->levels[i + 1].op : NULL, to);
    }
    while (nopened)
        end_block(in, opened[--nopened]);
    for (int i = 0; i < in->nloops; i++)
        ir_replace_uses(grid->blocks[0], in->loops[i]->blocks[0]->args[0], grid->blocks[0]->args[i]);
    op_remove(in->loops[0]);
    sink_reads(in, grid);
}

static bool has_grid(const Kernel *kernel)
{
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            return true;
    return false;
}

/* require: simplified.   ensure: the body is arithmetic, tensors and one GRID.  */
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
