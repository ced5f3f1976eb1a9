/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-triangle.c - products of matrices of which one is a triangle.
 *
 *   for (k = 0; k <= i; k++)                  for (k = 0; k < end; k++)        where all rows of a tile take part
 *     s += x[i][k] * y[k][j];                   s += x[i][k] * y[k][j];
 *                                             for (k = end; k <= i; k++)       the rest, in order
 *                                               s += x[i][k] * y[k][j];
 *
 * A row that does not take part in an iteration is no row of zeros: 0 times what y has there may be NaN.  So a loop
 * whose bound changes along a tile is two: what is the same for all rows of the tile is a product, and the rest, as
 * long as the tile is high, stays in order.  The sum's order is open, or nothing is done.
 */
#include "ir/slice.h"
#include "language/plain.h"

static bool is_triangle(const Nest *in, const Loop *loop)
{
    const Op *op = loop->op;
    bool low = axes_of(in, op->args[0]), high = axes_of(in, op->args[1]);
    return loop->grid < 0 && loop->tile > 1 && !loop->ordered && !loop->turned && op->nresults && low != high &&
           in->nloops < MAX_LOOPS;
}

/* The bound is a sum of counters, of which those that tiles are made of are multiplied by constants.  */
static bool is_linear(const Nest *in, const Value *bound)
{
    Poly x = poly_of((Value *)bound);
    for (int i = 0; i < x.count; i++)
        for (int k = 0; k < x.terms[i].count; k++) {
            const Value *value = x.terms[i].values[k];
            bool counts = loop_of(in, value) >= 0 && x.terms[i].count == 1;
            if (is_tiled(in, value) && !(counts && is_axis(in, loop_of(in, value))))
                return false;
        }
    return x.known;
}

/* Does the loop only sum products of two tiles?  */
static bool sums_products(Nest *in, const Loop *loop)
{
    const Op *op = loop->op;
    int axis = loop_of_op(in, op);
    FOR_OPS (inner, op->blocks[0])
        if (inner->nblocks || inner->code == OP_SET_ELEMENT)
            return false;
    for (int i = 0; i < op->nresults; i++) {
        Sum sum;
        Product product;
        if (!scan_is_named(op->control->pipeline, op->blocks[0]->args[1 + i]->name) || !scan_sum(in, op, i, &sum) ||
            sum.op != OP_SCALAR_ADD || !sum.count)
            return false;
        for (int k = 0; k < sum.count; k++)
            if (sum.parts[k].condition || !dtype_is_float(sum.parts[k].value->type.dtype) ||
                !scan_product(in, &sum.parts[k], axis, &product))
                return false;
    }
    return true;
}

/* A copy of the loop that goes on with what the loop has summed.  */
static void add_rest(Nest *in, int index)
{
    Kernel *kernel = in->kernel;
    Op *op = in->loops[index].op;
    ValueMap map = value_map_new(kernel);
    Op *rest = op_new(kernel, OP_FOR, op->loc, 3, op->args);
    op_copy_attributes(rest, op);
    const Block *from = op->blocks[0];
    Block *body = block_new(kernel, rest);
    for (int i = 0; i < from->nargs; i++)
        value_map_set(kernel, &map, from->args[i],
                      block_arg(kernel, body, from->args[i]->type, from->args[i]->name, from->args[i]->loc));
    ir_copy_block(kernel, from, body, &map);
    op_after(op, rest);
    for (int i = 0; i < op->nresults; i++) {
        Value *result = op_result(kernel, rest, op->results[i]->type, op->results[i]->name);
        ir_replace_uses(kernel->body, op->results[i], result);
    }
    for (int i = 0; i < op->nresults; i++)
        op_add_arg(kernel, rest, op->results[i]);
    Loop *loop = &in->loops[in->nloops];
    *loop = in->loops[index];
    loop->op = rest;
    loop->iv = body->args[0];
    loop->tile = 1;
    loop->ordered = true;
    loop->why = "rows of a tile end or begin at different iterations";
    loop->whole = index;
    in->loops[index].rest = in->nloops++;
}

/* require: axes, uses; no loop has conditions for its bounds.   */
void scan_triangles(Nest *in)
{
    int count = in->nloops;
    for (int i = 0; i < count; i++) {
        const Loop *loop = &in->loops[i];
        if (!is_triangle(in, loop) || !is_linear(in, loop->op->args[0]) || !is_linear(in, loop->op->args[1]) ||
            !sums_products(in, loop))
            continue;
        add_rest(in, i);
        ir_count_uses(in->kernel, in->kernel->body);
        scan_axes(in);
    }
}
