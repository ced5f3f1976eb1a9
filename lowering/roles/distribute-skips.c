/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distribute-skips.c - replaces a loop of skips over another group's puts by one skip.
 *
 *      before                                     after
 *      for (k = 0; k < K; k += 64)                skip max ((K + 63) / 64, 0)
 *        skip 1
 */
#include "roles/distribute.h"
#include "ir/queries.h"

static Value *binary(Kernel *kernel, Block *to, const Op *loop, Opcode code, Value *x, Value *y, Dtype dtype)
{
    Value *args[] = {x, y};
    Op *op = op_new(kernel, code, loop->loc, 2, args);
    op->origin = loop->origin ? loop->origin : (Op *)loop;
    schedule_op(op)->roles = schedule_of(loop)->roles;
    op_append(to, op);
    return op_result(kernel, op, type_scalar(dtype), NULL);
}

/* True for a loop that counts up and only skips puts, a constant number in each iteration.  */
static bool only_skips(const Op *loop)
{
    int64_t step;
    bool up = loop->code == OP_FOR && carried_count(loop) == 0 &&
              (loop->control->compare == OP_SCALAR_LT || loop->control->compare == OP_SCALAR_LE) &&
              ir_constant(loop->args[2], &step) && step > 0 && dtype_is_signed(loop->blocks[0]->args[0]->type.dtype);
    if (up)
        FOR_OPS (op, loop->blocks[0])
            up &= op->code == OP_YIELD || (op->code == OP_SKIP && !op->nargs);
    return up;
}

/* max ((hi - lo + step - 1) / step, 0). For `<=`, hi + 1 replaces hi.  */
static Value *trip_count(Kernel *kernel, Block *to, const Op *loop)
{
    Dtype dtype = loop->blocks[0]->args[0]->type.dtype;
    int64_t step = 1, low = 1;
    ir_constant(loop->args[2], &step);
    bool from_zero = ir_constant(loop->args[0], &low) && low == 0;
    Value *length = loop->args[1];
    if (!from_zero)
        length = binary(kernel, to, loop, OP_SCALAR_SUB, length, loop->args[0], dtype);
    Value *round = ir_const_int(kernel, to, dtype, loop->control->compare == OP_SCALAR_LE ? step : step - 1);
    Value *rounded = binary(kernel, to, loop, OP_SCALAR_ADD, length, round, dtype);
    Value *trips = binary(kernel, to, loop, OP_SCALAR_DIV, rounded, loop->args[2], dtype);
    return binary(kernel, to, loop, OP_SCALAR_MAX, trips, ir_const_int(kernel, to, dtype, 0), dtype);
}

/* Replaces all such loops below the block. Otherwise the loop of the idle group takes issue slots from the group at
   work.  */
void collapse_skips(Kernel *kernel, Block *block)
{
    FOR_OPS (op, block) {
        for (int k = 0; k < op->nblocks; k++)
            collapse_skips(kernel, op->blocks[k]);
        if (!only_skips(op))
            continue;
        Block *around = block_new(kernel, NULL);
        Value *trips = trip_count(kernel, around, op);
        FOR_OPS (skip, op->blocks[0])
            if (skip->code == OP_SKIP) {
                op_remove(skip);
                op_add_arg(kernel, skip, trips);
                op_append(around, skip);
            }
        FOR_OPS (made, around) {
            op_remove(made);
            op_before(op, made);
            schedule_op(made)->stage = schedule_of(op)->stage; /* of the loop, not of its operations */
            schedule_op(made)->order = schedule_of(op)->order;
        }
        op_remove(op);
    }
}
