/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * task-copies.c - inserts a copy at task boundaries, so that a ring can carry the value.
 *
 *      before                                     after
 *      for (k ...)                                for (k ...)
 *        acc = ws_dot (a, b, acc)                   acc = ws_dot (a, b, acc)
 *      { task (out)                               handed = cast acc
 *        ws_store (c, i, j, acc); }               { task (out)
 *                                                   ws_store (c, i, j, handed); }
 *
 * A ring carries the result of one tile operation. The value that a task stores may be a loop's result, a product's
 * result, or have other users. Then the pass adds a cast to the same type, whose result only the task uses. A value
 * that depends on no product needs no copy: the task computes it, or loads it.
 *
 * A value that a task carries through a loop, and that others use behind the loop, gets a copy behind the loop. So the
 * value crosses once, and not in each iteration:
 *
 *      for (k ...)                                for (k ...)
 *        { task (rows)                              { task (rows)
 *          top = ws_max (top, ws_row_max (x));        top = ws_max (top, ws_row_max (x));
 *          ... }                                      ... }
 *      ... top ...                                { task (rows) handed = cast top }
 *                                                 ... handed ...
 *
 * Tested, not proved (proof/freeze.c): tests/programs/tasks_store.c.
 */
#include "ir/queries.h"
#include "ir/slice.h"
#include "passes.h"

typedef struct {
    Kernel *kernel;
    int task;
    const Slice *slice; /* of the value in question */
    bool stores, multiplies, found;
} Handing;

static bool is_in(const Op *op, int task)
{
    return op && schedule_of(op)->task == task;
}

static void visit_member(Op *op, void *context)
{
    Handing *handing = context;
    if (!is_in(op, handing->task))
        return;
    handing->stores |= op_info[op->code].class_ == CLASS_STORE && !op_prints(op);
    handing->multiplies |= op_is_product(op);
}

static void visit_product(Op *op, void *context)
{
    Handing *handing = context;
    handing->found |= op_is_product(op) && slice_has_op(handing->slice, op);
}

static bool comes_of_product(Handing *handing, Value *value)
{
    Slice slice = slice_new(handing->kernel);
    slice_value(&slice, value);
    handing->slice = &slice;
    handing->found = false;
    ir_walk(handing->kernel->body, visit_product, handing);
    return handing->found;
}

static bool is_named_already(const Handing *handing, const Value *value)
{
    const Op *op = value->def;
    if (!op || op->nblocks || op_is_product(op) || op_info[op->code].class_ != CLASS_TILE)
        return false;
    Uses uses = uses_new(handing->kernel, handing->kernel->body);
    for (const Use *use = uses_of(&uses, value); use; use = use->next)
        if (!is_in(use->op, handing->task))
            return false;
    return true;
}

/* Takes the clause ring(x, D) off the operation that computes x, inside the loop or before it. Returns D, or 0.  */
static int take_ring(Value *value)
{
    Op *op = value->def;
    if (op && op->code == OP_COLUMNS)
        return take_ring(op->args[0]);
    if (op && op->code == OP_FOR) {
        Carried names = carried(op, value->index);
        int before = take_ring(names.init), inside = take_ring(names.next);
        return inside ? inside : before;
    }
    int slots = op ? schedule_of(op)->ring : 0;
    if (slots)
        schedule_op(op)->ring = 0;
    return slots;
}

static Op *hand_over(const Handing *handing, Value *value)
{
    Op *handed = op_new(handing->kernel, OP_CAST, value->loc, 1, &value);
    op_result(handing->kernel, handed, value->type, value->name);
    if (value->def)
        op_after(value->def, handed);
    else
        op_before(value->block->first, handed);
    return handed;
}

typedef struct {
    Handing *handing;
    Value *from, *to;
} Renaming;

static void visit_rename(Op *op, void *context)
{
    const Renaming *renaming = context;
    for (int i = 0; i < op->nargs && is_in(op, renaming->handing->task); i++)
        if (op->args[i] == renaming->from)
            op->args[i] = renaming->to;
}

static void visit_operands(Op *op, void *context)
{
    Handing *handing = context;
    for (int i = 0; i < op->nargs && is_in(op, handing->task); i++) {
        Value *value = op->args[i];
        if (value->type.kind != K_TILE || is_in(value->def, handing->task) || !comes_of_product(handing, value))
            continue;
        Op *handed = is_named_already(handing, value) ? value->def : hand_over(handing, value);
        schedule_op(handed)->ring = take_ring(value);
        Renaming renaming = {handing, value, handed->results[0]};
        if (handed != value->def)
            ir_walk(handing->kernel->body, visit_rename, &renaming);
    }
}

/* ---- carried values of a task ------------------------------------------------------------------------------------ */

static void visit_rename_others(Op *op, void *context)
{
    const Renaming *renaming = context;
    for (int i = 0; i < op->nargs && !is_in(op, renaming->handing->task); i++)
        if (op->args[i] == renaming->from)
            op->args[i] = renaming->to;
}

static void visit_carrying(Op *loop, void *context)
{
    Handing *handing = context;
    for (int i = 0; loop->code == OP_FOR && loop->nblocks == 1 && i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        if (names.result->type.kind != K_TILE || !is_in(names.next->def, handing->task))
            continue;
        Uses uses = uses_new(handing->kernel, handing->kernel->body);
        if (used_outside_task(&uses, names.argument, handing->task) ||
            !used_outside_task(&uses, names.result, handing->task))
            continue;
        Op *handed = hand_over(handing, names.result);
        Renaming renaming = {handing, names.result, handed->results[0]};
        schedule_op(handed)->task = handing->task;
        ir_walk(handing->kernel->body, visit_rename_others, &renaming);
    }
}

void pass_task_copies(Kernel *kernel)
{
    int number = 0;
    for (const Task *task = kernel->tasks; task; task = task->next) {
        Handing handing = {.kernel = kernel, .task = ++number};
        ir_walk(kernel->body, visit_member, &handing);
        if (handing.stores && !handing.multiplies)
            ir_walk(kernel->body, visit_operands, &handing);
        else if (!handing.stores && !handing.multiplies && !task->loads)
            ir_walk(kernel->body, visit_carrying, &handing);
    }
}
