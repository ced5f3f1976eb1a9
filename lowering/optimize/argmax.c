/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * argmax.c - finds the argmax of a row from its known maximum.
 *
 *      before                                     after
 *      largest = ws_row_max (x)                   largest = ws_row_max (x)
 *      index = ws_row_argmax (x)                  index = row_first (x, largest)
 *
 * The pass reuses the maximum, so threads exchange it once. A NaN is never the maximum. In a row of NaNs no column
 * holds the maximum, and both forms return 0.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/nearest.c and best_two.c run on the sequential target, whose
 * argmax computes the maximum itself. They also run on emulate, whose row_first does not.
 */
#include "passes.h"

static void visit_argmax(Op *op, void *context)
{
    Kernel *kernel = context;
    if (op->code != OP_ROW_ARGMAX)
        return;
    for (const Op *largest = op->prev; largest; largest = largest->prev)
        if (largest->code == OP_ROW_MAX && largest->args[0] == op->args[0]) {
            op_become(op, OP_ROW_FIRST);
            op_add_arg(kernel, op, largest->results[0]);
            return;
        }
}

void pass_argmax(Kernel *kernel)
{
    ir_walk(kernel->body, visit_argmax, kernel);
}
