/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rescale.c - skips the multiplication by a softmax's correction factor where the running maximum did not grow.
 *
 *      before                                     after
 *      now = max (top, ws_row_max (s))            now = max (top, ws_row_max (s))
 *      shrink = ws_exp2 (top - now)               shrink = ws_exp2 (top - now)
 *      acc = ws_mul (acc, shrink)                 acc = rescale (acc, shrink)
 *
 * The exponential of x - max (x, y) is exactly 1 wherever y is not larger. Soon this is the case nearly everywhere:
 * after n blocks one row in n has a new maximum. A rescale is a product that a warp skips if all its factors are 1.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/attention*.c run on the sequential target and on emulate, which
 * always multiply. On a GPU these programs check their own results (tests/gpu/programs).
 */
#include "ir/slice.h"
#include "passes.h"

enum { FEWEST_ELEMENTS = 1024 };

static bool is_growth(const Value *factor)
{
    const Op *power = factor->def;
    if (!power || (power->code != OP_EXP && power->code != OP_EXP2))
        return false;
    const Op *difference = power->args[0]->def;
    const Op *largest = difference && difference->code == OP_SUB ? difference->args[1]->def : NULL;
    return largest && largest->code == OP_MAX &&
           (largest->args[0] == difference->args[0] || largest->args[1] == difference->args[0]);
}

static void visit_product(Op *op, void *context)
{
    (void)context;
    if (op->code != OP_MUL || !ir_enclosing(op, OP_FOR))
        return;
    int column = op->args[0]->type.cols == 1 ? 0 : 1;
    Value *factor = op->args[column], *scaled = op->args[1 - column];
    Type type = op->results[0]->type;
    bool fits = type.dtype == D_F32 && type_equal(scaled->type, type) && type.rows * type.cols >= FEWEST_ELEMENTS &&
                factor->type.cols == 1 && factor->type.rows == type.rows && type.cols > 1;
    if (!fits || !is_growth(factor))
        return;
    op_become(op, OP_RESCALE);
    op->args[0] = scaled;
    op->args[1] = factor;
}

void pass_rescale(Kernel *kernel)
{
    ir_walk(kernel->body, visit_product, NULL);
}
