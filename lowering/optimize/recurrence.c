/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recurrence.c - moves the exchange of a carried row sum behind the loop.
 *
 *      before                                     after
 *      l = 0                                      l = 0
 *      for (j ...)                                for (j ...)
 *        l = l * shrink + ws_row_sum (p)            l = l * shrink + row_part (p)
 *      ... l ...                                  ... row_total (l) ...
 *
 * The elements of a row lie in several threads, so a sum along rows needs an exchange between threads. A carried column
 * may start at 0 and only be scaled and added to. Then each thread carries a partial sum. The exchange is linear, so
 * one exchange behind the loop suffices. The scale is a column, which all threads of a row hold.
 *
 * On the emulator a row has one owner, and its partial sum is the whole sum, so the results are bitwise the same. A
 * ring carries no partial sums, so all these operations must belong to one task of the user, or to none.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/reductions.c and attention.c run on emulate and on the sequential
 * target, which sums in each iteration. On a GPU the pass changes the order of a sum, as any sum along a row may.
 */
#include "ir/slice.h"
#include "passes.h"

enum { MAX_DEPTH = 8, MAX_SUMS = 8 };

typedef struct {
    const Uses *uses;
    const Value *argument; /* argument of the loop's body */
    Op *sums[MAX_SUMS];    /* sums that the loop adds to it */
    int nsums;
    int task; /* the user's task of all operations on the value; 0: none */
} Recurrence;

static bool is_column(const Value *value)
{
    return value->type.kind == K_TILE && value->type.dtype == D_F32 && value->type.rows > 1 && value->type.cols == 1;
}

/* Matches a sum along rows with one use. The tile must have several columns: of a single column every thread of a
   row holds the whole sum.  */
static bool is_sum(Recurrence *recurrence, const Value *value)
{
    bool sum = value->def && value->def->code == OP_ROW_SUM && is_column(value) && used_once(recurrence->uses, value) &&
               value->def->args[0]->type.cols > 1 && schedule_of(value->def)->task == recurrence->task;
    if (sum && recurrence->nsums < MAX_SUMS)
        recurrence->sums[recurrence->nsums++] = value->def;
    return sum && recurrence->nsums < MAX_SUMS;
}

static bool is_linear(Recurrence *recurrence, const Value *value, int depth);

static bool is_linear_op(Recurrence *recurrence, const Op *op, int depth)
{
    Value **x = op->args;
    switch (op->code) {
    case OP_MUL:
        return is_linear(recurrence, x[0], depth) || is_linear(recurrence, x[1], depth);
    case OP_ADD:
        return (is_linear(recurrence, x[1], depth) && is_sum(recurrence, x[0])) ||
               (is_linear(recurrence, x[0], depth) && is_sum(recurrence, x[1]));
    case OP_FMA:
        return (is_linear(recurrence, x[0], depth) || is_linear(recurrence, x[1], depth)) && is_sum(recurrence, x[2]);
    default:
        return false;
    }
}

/* True if `value` is the carried value, scaled, plus sums, which are collected. No scale contains the carried value,
   since it has one use.  */
static bool is_linear(Recurrence *recurrence, const Value *value, int depth)
{
    const Op *op = value->def;
    const int nsums = recurrence->nsums;
    if (value == recurrence->argument)
        return true;
    if (!op || depth == MAX_DEPTH || !is_column(value) || !used_once(recurrence->uses, value) ||
        schedule_of(op)->task != recurrence->task)
        return false;
    if (is_linear_op(recurrence, op, depth + 1))
        return true;
    recurrence->nsums = nsums; /* those of a scale are none */
    return false;
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

void pass_recurrence(Kernel *kernel)
{
    ir_walk(kernel->body, visit_loop, kernel);
}
