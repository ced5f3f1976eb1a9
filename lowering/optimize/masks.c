/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * masks.c - two bounds of one side are one.
 *
 *   before                                                  after
 *   seen = ws_and (ws_lt (col, end), ws_le (col, last))     seen = ws_le (col, ws_min (end - 1, last))
 *
 * Each element of a mask was compared twice.  Where both bounds are columns or numbers, they are compared with each
 * other first, once for a row, and the mask's elements once.
 *
 * What is less than `end` is at most end - 1, which must not wrap: max (end, -INT_MAX) - 1 is less than any index, too.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/two_bounds.c and masks.c run on the sequential target, which
 * compares twice, and on emulate; extents up to INT_MAX are among them. A proof would take inequalities, which terms.c
 * does not have.
 */
#include "lower.h"
#include "ir/slice.h"

typedef struct {
    Kernel *kernel;
    Uses uses;
} Masks;

static Value *tile_before(const Masks *masks, Op *where, Opcode code, Type type, Value *x, Value *y)
{
    Value *args[] = {x, y};
    Op *op = op_new(masks->kernel, code, where->loc, 2, args);
    op_before(where, op);
    return op_result(masks->kernel, op, type, NULL);
}

static Value *splat_before(const Masks *masks, Op *where, Value *number)
{
    Op *op = op_new(masks->kernel, OP_SPLAT, where->loc, 1, &number);
    op_before(where, op);
    return op_result(masks->kernel, op, type_tile(D_I32, 1, 1), NULL);
}

/* A comparison from below of integers, of which the right side is the smaller tile, and which nothing else looks at. */
static bool is_bound(const Masks *masks, const Value *mask)
{
    const Op *op = mask->def;
    if (!op || (op->code != OP_LT && op->code != OP_LE) || !used_once(&masks->uses, mask))
        return false;
    const Value *side = op->args[0], *bound = op->args[1];
    bool index = side->def && (side->def->code == OP_COL_INDEX || side->def->code == OP_ROW_INDEX);
    return index && bound->type.kind == K_TILE && bound->type.dtype == D_I32 && bound->type.cols == 1;
}

/* The number that a (1,1) tile is made of.  */
static Value *number_of(const Value *tile)
{
    const Op *op = tile->def;
    return op && op->code == OP_SPLAT && op->args[0]->type.dtype == D_I32 ? op->args[0] : NULL;
}

/* What a side is at most, of which a comparison says that it is at most `bound`, or less.  */
static Value *most(const Masks *masks, Op *where, const Op *compare)
{
    Value *bound = compare->args[1], *number = number_of(bound);
    if (compare->code == OP_LE)
        return bound;
    Value *least = ir_const_before(masks->kernel, where, D_I32, -(int64_t)INT32_MAX);
    Value *one = ir_const_before(masks->kernel, where, D_I32, 1);
    if (number) {
        number = ir_binary_before(masks->kernel, where, OP_SCALAR_MAX, number, least);
        return splat_before(masks, where, ir_binary_before(masks->kernel, where, OP_SCALAR_SUB, number, one));
    }
    bound = tile_before(masks, where, OP_MAX, bound->type, bound, splat_before(masks, where, least));
    return tile_before(masks, where, OP_SUB, bound->type, bound, splat_before(masks, where, one));
}

static Value *smaller(const Masks *masks, Op *where, Value *x, Value *y)
{
    Value *number = number_of(x), *other = number_of(y);
    if (number && other)
        return splat_before(masks, where, ir_binary_before(masks->kernel, where, OP_SCALAR_MIN, number, other));
    return tile_before(masks, where, OP_MIN, x->type.rows > y->type.rows ? x->type : y->type, x, y);
}

static void visit_and(Op *op, void *context)
{
    Masks *masks = context;
    if (op->code != OP_AND || !is_bound(masks, op->args[0]) || !is_bound(masks, op->args[1]))
        return;
    const Op *x = op->args[0]->def, *y = op->args[1]->def;
    if (x->args[0] != y->args[0])
        return;
    op->args[0] = x->args[0];
    op->args[1] = smaller(masks, op, most(masks, op, x), most(masks, op, y));
    op_become(op, OP_LE);
}

/* require: types, one GRID.   ensure: the same program; masks of two bounds of a side have one.  */
void pass_masks(Kernel *kernel)
{
    Masks masks = {kernel, uses_new(kernel, kernel->body)};
    ir_walk(kernel->body, visit_and, &masks);
}
