/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recurrence.c - sums along rows that a loop only adds up are completed behind it.
 *
 *   before                                     after
 *   l = 0                                      l = 0
 *   for (j ...)                                for (j ...)
 *     l = l * shrink + ws_row_sum (p)            l = l * shrink + row_part (p)
 *   ... l ...                                  ... row_total (l) ...
 *
 * A row lies across several threads, and a sum of it takes an exchange between them.  Where a carried column starts at
 * 0 and is only scaled and added to, each thread may carry its own share: the exchange is linear too, and one behind
 * the loop is enough.  The scale is a column, the same in all threads of a row.  On the emulator, where a row has one
 * owner, a share is the whole sum, and nothing changes to the last bit.  A ring carries no shares: all of it is done in
 * one of the user's tasks, or in none.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/reductions.c and attention.c run on the sequential target, which
 * sums in each iteration, and on emulate. On a GPU the order of a sum changes, as that of every sum along a row may.
 */
#include "lower.h"
#include "ir/slice.h"

enum { MAX_DEPTH = 8, MAX_SUMS = 8 };

typedef struct {
    const Uses *uses;
    const Value *argument; /* the carried value in the loop */
    Op *sums[MAX_SUMS];    /* what is added to it */
    int nsums;
    int task; /* the user's, of all that is done with it: no other role has these threads' shares */
} Recurrence;

static bool is_column(const Value *value)
{
    return value->type.kind == K_TILE && value->type.dtype == D_F32 && value->type.rows > 1 && value->type.cols == 1;
}

/* Of a tile that is a column itself every thread of a row has the whole sum, and no share of it.  */
static bool is_sum(Recurrence *recurrence, const Value *value)
{
    bool sum = value->def && value->def->code == OP_ROW_SUM && is_column(value) && used_once(recurrence->uses, value) &&
               value->def->args[0]->type.cols > 1 && schedule_of(value->def)->task == recurrence->task;
    if (sum && recurrence->nsums < MAX_SUMS)
        recurrence->sums[recurrence->nsums++] = value->def;
    return sum && recurrence->nsums < MAX_SUMS;
}

/* Everything along the value is the carried value, scaled, with sums added.  A scale is not such a value itself: the
   carried value is used once.  */
static bool is_linear(Recurrence *recurrence, const Value *value, int depth)
{
    const Op *op = value->def;
    if (value == recurrence->argument)
        return true;
    if (!op || depth == MAX_DEPTH || !is_column(value) || !used_once(recurrence->uses, value) ||
        schedule_of(op)->task != recurrence->task)
        return false;
    Value **x = op->args;
    switch (op->code) {
    case OP_MUL:
        return is_linear(recurrence, x[0], depth + 1) || is_linear(recurrence, x[1], depth + 1);
    case OP_ADD:
        return (is_sum(recurrence, x[0]) && is_linear(recurrence, x[1], depth + 1)) ||
               (is_sum(recurrence, x[1]) && is_linear(recurrence, x[0], depth + 1));
    case OP_FMA:
        return is_sum(recurrence, x[2]) &&
               (is_linear(recurrence, x[0], depth + 1) || is_linear(recurrence, x[1], depth + 1));
    default:
        return false;
    }
}

static bool starts_at_zero(const Value *value)
{
    return value->def && value->def->code == OP_FULL && value->def->tile->value == 0;
}

static void complete(Kernel *kernel, Op *loop, int i, const Recurrence *found)
{
    Value *part = loop->results[i];
    for (int k = 0; k < found->nsums; k++)
        op_become(found->sums[k], OP_ROW_PART);
    Op *total = op_new(kernel, OP_ROW_TOTAL, loop->loc, 0, NULL);
    Value *whole = op_result(kernel, total, part->type, part->name);
    ir_replace_uses(kernel->body, part, whole);
    op_add_arg(kernel, total, part);
    schedule_op(total)->task = found->task;
    op_after(loop, total);
}

static void visit_loop(Op *op, void *context)
{
    Kernel *kernel = context;
    Uses uses = {0};
    for (int i = 0; op->code == OP_FOR && i < carried_count(op); i++) {
        Carried names = carried(op, i);
        if (!is_column(names.argument) || !starts_at_zero(names.init) || names.next == names.argument)
            continue;
        if (!uses.of)
            uses = uses_new(kernel, kernel->body);
        Recurrence found = {&uses, names.argument, {NULL}, 0, names.next->def ? schedule_of(names.next->def)->task : 0};
        bool fits = used_once(&uses, names.argument) && uses_of(&uses, names.result);
        if (fits && is_linear(&found, names.next, 0) && found.nsums)
            complete(kernel, op, i, &found);
    }
}

/* require: types, one GRID.   ensure: the same program but for the order of sums.  */
void pass_recurrence(Kernel *kernel)
{
    ir_walk(kernel->body, visit_loop, kernel);
}
