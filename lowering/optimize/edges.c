/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * edges.c - applies masks only in iterations where they can fail.
 *
 *      before                                     after
 *      for (j = 0; j < L; j += 128)               for (j = 0; j < L; j += 128)
 *        s = ws_dot (q, k, 0)                       s = ws_dot (q, k, 0)
 *        at = j + ws_col_index                      if (! (j + 127 < L))
 *        s = ws_select (at < L, s, -1e30)             s = ws_select (j + ws_col_index < L, s, -1e30)
 *
 * A mask may compare sums of index tiles and scalars. It is true for the whole tile if it is true at the ends of their
 * ranges. These ends are scalars. The pass puts a select by such a mask inside a loop under this scalar condition.
 * Iterations away from the edge, or from the diagonal, skip the select. The loop stays one loop, so products in flight
 * need no wait between its parts.
 *
 * I32 tiles wrap, but ranges are computed in I64. If a side could leave I32, the condition includes a check that it
 * does not.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/masks.c, edges.c, edge_of_loop.c and halved_edge.c run masks on
 * emulate and on the sequential target, which always selects. A proof would need inequalities over the elements of
 * index tiles, which terms.c does not have.
 */
#include "ir/affine.h"
#include "ir/slice.h"
#include "optimize/limits.h"
#include "passes.h"

enum { MAX_DEPTH = 12, FEWEST_ELEMENTS = 1024 };

typedef struct {
    Kernel *kernel;
    Op *where; /* new scalars are inserted before it */
    Uses uses;
} Edges;

/* ---- scalars ----------------------------------------------------------------------------------------------------- */

static Value *emit(const Edges *edges, Opcode code, Dtype dtype, int nargs, Value *const *args)
{
    return ir_scalar_before(edges->kernel, edges->where, code, dtype, nargs, args);
}

static Value *binary(const Edges *edges, Opcode code, Dtype dtype, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return emit(edges, code, dtype, 2, args);
}

static Value *literal(const Edges *edges, int64_t number)
{
    return ir_const_before(edges->kernel, edges->where, D_I64, number);
}

static Value *convert(const Edges *edges, Value *value, Dtype dtype)
{
    return ir_convert_before(edges->kernel, edges->where, value, dtype);
}

/* The lower or the upper end of a side's range.  */
static Value *at_end(const Edges *edges, const Affine *range, int64_t end)
{
    Value *number = affine_emit(edges->kernel, edges->where, range, end, NULL, NULL);
    return number ? number : literal(edges, 0);
}

/* ---- ranges: possible values of a side of a comparison, over all rows and columns -------------------------------- */

static bool find_range(const Edges *edges, Value *value, Affine *range, int depth);

static bool scalar_range(const Edges *edges, Value *value, Affine *range)
{
    int64_t number;
    if (dtype_is_float(value->type.dtype))
        return false;
    if (ir_constant(value, &number))
        *range = affine_constant((int32_t)number);
    else
        *range = affine_value(convert(edges, value, D_I32));
    return true;
}

static Affine index_range(int count)
{
    Affine range = affine_constant(0);
    range.high = count - 1;
    return range;
}

static bool sum_range(const Edges *edges, const Op *op, Affine *range, int depth)
{
    Affine y;
    if (!find_range(edges, op->args[0], range, depth) || !find_range(edges, op->args[1], &y, depth))
        return false;
    *range = affine_add(*range, y, op->code == OP_SUB ? -1 : 1);
    return range->known;
}

static bool tile_range(const Edges *edges, Value *value, Affine *range, int depth)
{
    const Op *op = value->def;
    if (!op || value->type.dtype != D_I32)
        return false;
    switch (op->code) {
    case OP_ROW_INDEX:
        *range = index_range(value->type.rows);
        return true;
    case OP_COL_INDEX:
        *range = index_range(value->type.cols);
        return true;
    case OP_SPLAT:
        return scalar_range(edges, op->args[0], range);
    case OP_ADD:
    case OP_SUB:
        return sum_range(edges, op, range, depth + 1);
    default:
        return false;
    }
}

static bool find_range(const Edges *edges, Value *value, Affine *range, int depth)
{
    if (depth > MAX_DEPTH)
        return false;
    return value->type.kind == K_SCALAR ? scalar_range(edges, value, range) : tile_range(edges, value, range, depth);
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

/* True unless the terms are one I32 scalar. A sum of scalars may leave I32.  */
static bool is_sum(const Affine *range)
{
    return range->count > 1 || (range->count && range->terms[0].factor != 1);
}

/* `holds`, and a check that the side stays within I32 where the comparison does not bound it.  */
static Value *within(const Edges *edges, Value *holds, const Affine *range, bool above, bool below)
{
    if (!range->count)
        return holds;
    if (above && (range->high > 0 || is_sum(range)))
        holds = binary(edges, OP_SCALAR_AND, D_I1, holds,
                       binary(edges, OP_SCALAR_LE, D_I1, at_end(edges, range, range->high), literal(edges, INT32_MAX)));
    if (below && (range->low < 0 || is_sum(range)))
        holds = binary(edges, OP_SCALAR_AND, D_I1, holds,
                       binary(edges, OP_SCALAR_GE, D_I1, at_end(edges, range, range->low), literal(edges, INT32_MIN)));
    return holds;
}

static bool is_plain(const Affine *range)
{
    return !is_sum(range) && !range->low && !range->high;
}

/* True if every element of `low` is below every element of `high`: the maximum of `low` is below the minimum of
   `high`.  */
static Value *all_below(const Edges *edges, const Affine *low, const Affine *high, bool equal)
{
    Value *holds = binary(edges, equal ? OP_SCALAR_LE : OP_SCALAR_LT, D_I1, at_end(edges, low, low->high),
                          at_end(edges, high, high->low));
    bool bounded = !is_sum(high) && high->low <= 0, founded = !is_sum(low) && low->high >= 0;
    if (!is_plain(low))
        holds = within(edges, holds, low, !bounded, true);
    if (!is_plain(high))
        holds = within(edges, holds, high, true, !founded);
    return holds;
}

static Value *all_true(const Edges *edges, const Value *mask, bool negated, int depth);

/* For `and`: both masks are true everywhere. For `or`: one of them is true everywhere, a sufficient condition.  */
static Value *both_true(const Edges *edges, const Op *op, bool negated, int depth)
{
    Value *x = all_true(edges, op->args[0], negated, depth), *y = all_true(edges, op->args[1], negated, depth);
    bool either = (op->code == OP_OR) != negated;
    if (!x || !y)
        return either ? (x ? x : y) : NULL;
    return binary(edges, either ? OP_SCALAR_OR : OP_SCALAR_AND, D_I1, x, y);
}

/* A scalar that is true only if every element of the mask (negated: of its complement) is true. NULL: none is
   known.  */
static Value *all_true(const Edges *edges, const Value *mask, bool negated, int depth)
{
    const Op *op = mask->def;
    Affine x, y;
    if (!op || depth > MAX_DEPTH)
        return NULL;
    switch (op->code) {
    case OP_NOT:
        return all_true(edges, op->args[0], !negated, depth + 1);
    case OP_AND:
    case OP_OR:
        return both_true(edges, op, negated, depth + 1);
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
        break;
    default:
        return NULL;
    }
    if (!find_range(edges, op->args[0], &x, depth) || !find_range(edges, op->args[1], &y, depth))
        return NULL;
    bool less = (op->code == OP_LT || op->code == OP_LE) != negated;
    bool equal = (op->code == OP_LE || op->code == OP_GE) != negated;
    return less ? all_below(edges, &x, &y, equal) : all_below(edges, &y, &x, equal);
}

/* ---- the branch -------------------------------------------------------------------------------------------------- */

/* Clones the tile operations of the mask at the end of the block.  */
static Value *copy_mask(const Edges *edges, Block *to, Value *value, ValueMap *map)
{
    Op *op = value->def;
    bool own = op && op_info[op->code].class_ == CLASS_TILE && op->nresults == 1;
    if (!own || value_map_get(map, value) != value)
        return value_map_get(map, value);
    for (int i = 0; i < op->nargs; i++)
        copy_mask(edges, to, op->args[i], map);
    op_append(to, op_clone(edges->kernel, op, map));
    return value_map_get(map, value);
}

static void yield(const Edges *edges, Block *block, Value *value)
{
    op_append(block, op_new(edges->kernel, OP_YIELD, edges->where->loc, 1, &value));
}

/* The condition for the select. If the mask can fail only from some iteration on, the condition compares the counter
   with a bound from before the loop.  */
static Value *may_fail(const Edges *edges, const Op *select, Value *holds)
{
    Op *loop = select->parent->parent;
    Value *edge = loop && loop->code == OP_FOR ? find_limit(edges->kernel, loop, holds) : NULL;
    return edge ? binary(edges, OP_SCALAR_GE, D_I1, loop->blocks[0]->args[0], edge)
                : emit(edges, OP_SCALAR_NOT, D_I1, 1, &holds);
}

static void put_under(const Edges *edges, Op *select, Value *holds)
{
    Kernel *kernel = edges->kernel;
    Value *result = select->results[0], *fails = may_fail(edges, select, holds);
    Op *branch = op_new(kernel, OP_IF, select->loc, 1, &fails);
    op_before(select, branch);
    Value *chosen = op_result(kernel, branch, result->type, result->name);
    chosen->loc = result->loc;
    Block *then = block_new(kernel, branch), *other = block_new(kernel, branch);
    ir_replace_uses(kernel->body, result, chosen);
    yield(edges, other, select->args[1]);
    ValueMap map = value_map_new(kernel);
    copy_mask(edges, then, select->args[0], &map);
    select->args[0] = value_map_get(&map, select->args[0]);
    op_remove(select);
    op_append(then, select);
    yield(edges, then, result);
}

static void visit_select(Op *op, void *context)
{
    Edges *edges = context;
    if (op->code != OP_SELECT || !ir_enclosing(op, OP_FOR))
        return;
    const Value *kept = op->args[1], *result = op->results[0];
    bool in_place = type_equal(kept->type, result->type) && kept->def && kept->def->parent == op->parent;
    if (!in_place || !used_once(&edges->uses, kept) || result->type.rows * result->type.cols < FEWEST_ELEMENTS)
        return;
    edges->where = op;
    Value *holds = all_true(edges, op->args[0], false, 0);
    if (!holds)
        return;
    put_under(edges, op, holds);
    edges->uses = uses_new(edges->kernel, edges->kernel->body);
}

void pass_edges(Kernel *kernel)
{
    Edges edges = {kernel, NULL, uses_new(kernel, kernel->body)};
    ir_walk(kernel->body, visit_select, &edges);
}
