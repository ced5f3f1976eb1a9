/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * argmax.c - where a row's largest number is known, its column is the first that holds it.
 *
 *   before                                     after
 *   largest = ws_row_max (x)                   largest = ws_row_max (x)
 *   index = ws_row_argmax (x)                  index = row_first (x, largest)
 *
 * The largest is found once, and threads exchange it once.  NaN is no number of a row's: a row of nothing else has no
 * such column, and both say 0.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/nearest.c and best_two.c run on the sequential target, which
 * looks for the largest itself, and on emulate, whose row_first does not.
 */
#include "lower.h"

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

/* require: types, one GRID.   ensure: the same program.  */
void pass_argmax(Kernel *kernel)
{
    ir_walk(kernel->body, visit_argmax, kernel);
}
