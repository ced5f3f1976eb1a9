/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tag.c - tags each statement as iteration, load or tile (Tawa, III-C.1).
 *
 *      before                                     after
 *      for (k = 0; k < K; k += 64)                iteration   k feeds addresses and the loop's bound
 *        ta = ws_load (a, i, k, 128, 64);         load        moves a tile in
 *        tb = ws_load (b, j, k, 256, 64);         load
 *        acc = ws_dot (ta, ws_trans (tb), acc);   tile        makes and uses tile values
 *      ws_store (c, i, j, ws_cast (acc, F16));    tile        the sink
 *
 * The pass goes backwards from statements with side effects along use-def chains.  An operand of an address, a bound or
 * a condition is an iteration statement.  Every other operand of such a statement is a tile statement.  A scalar that
 * feeds both, for instance k as a coordinate and in a mask, is an iteration statement: every role may compute it again.
 */
#include "ir/slice.h"
#include "passes.h"

/* Slices the address operands of a load or store: all but the stored tile.  */
static void slice_address(Slice *slice, Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    if (class_ != CLASS_LOAD && class_ != CLASS_STORE)
        return;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->type.kind != K_TILE)
            slice_value(slice, op->args[i]);
    if (op->parent->parent)
        slice_op(slice, op->parent->parent);
}

static void visit_sink(Op *op, void *context)
{
    slice_address(context, op);
    if (op_info[op->code].class_ == CLASS_CONTROL && op->nblocks)
        slice_op(context, op);
}

static void visit_tag(Op *op, void *context)
{
    OpClass class_ = op_info[op->code].class_;
    bool iteration = slice_has_op(context, op) || class_ == CLASS_CONTROL || class_ == CLASS_TENSOR;
    if (class_ == CLASS_LOAD)
        schedule_op(op)->tag = TAG_LOAD;
    else if (class_ == CLASS_TILE || class_ == CLASS_STORE)
        schedule_op(op)->tag = TAG_TILE;
    else
        schedule_op(op)->tag = iteration ? TAG_ITERATION : TAG_TILE;
}

void pass_tag(Kernel *kernel)
{
    Slice slice = slice_new(kernel);
    ir_walk(kernel->body, visit_sink, &slice);
    ir_walk(kernel->body, visit_tag, &slice);
}
