/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * masks.c - merges two upper bounds of one index into one comparison.
 *
 *      before                                                  after
 *      seen = ws_and (ws_lt (col, end), ws_le (col, last))     seen = ws_le (col, ws_min (end - 1, last))
 *
 * Without the pass, each element of the mask is compared twice. The pass compares the two bounds with each other, once
 * for a row, if both are columns or numbers.
 *
 * An index below `end` is at most end - 1. The subtraction must not wrap. So the bound is max (end, -INT_MAX) - 1,
 * which is also less than any index.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/two_bounds.c and masks.c run on emulate and on the sequential
 * target, which compares twice. Extents up to INT_MAX are among them. A proof would need inequalities, which terms.c
 * does not have.
 */
#include "ir/slice.h"
#include "passes.h"

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

/* True for index < bound or index <= bound, of integers, with a column or a number as the bound and no other use.  */
static bool is_bound(const Masks *masks, const Value *mask)
{
    const Op *op = mask->def;
    if (!op || (op->code != OP_LT && op->code != OP_LE) || !used_once(&masks->uses, mask))
        return false;
    const Value *side = op->args[0], *bound = op->args[1];
    bool index = side->def && (side->def->code == OP_COL_INDEX || side->def->code == OP_ROW_INDEX);
    return index && bound->type.kind == K_TILE && bound->type.dtype == D_I32 && bound->type.cols == 1;
}

/* The scalar of a splat, or NULL.  */
static Value *number_of(const Value *tile)
{
    const Op *op = tile->def;
    return op && op->code == OP_SPLAT && op->args[0]->type.dtype == D_I32 ? op->args[0] : NULL;
}

/* The inclusive upper bound that the comparison states.  */
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

void pass_masks(Kernel *kernel)
{
    Masks masks = {kernel, uses_new(kernel, kernel->body)};
    ir_walk(kernel->body, visit_and, &masks);
}
