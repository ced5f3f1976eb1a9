/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sched-barriers.c - keeps ptxas from hoisting a wait above arithmetic that should run before it.
 *
 *   before                                     after
 *   %acc.2 var=acc = mma %x, %tv, %acc         ...
 *   commit                                     ...
 *   %now var=now = max %top, %best             %now var=now = max %top, %best          const auto now = ws::max(top,
 *                                                                                      best);
 *   %x.2 var=x_2 = fma %s, %power, ...         %x.2 var=x_2 = fma %s, %power, ...      ...
 *                                              computed %now                           ws::computed(now);
 *   %acc.3 var=acc = wait %acc.2               %acc.3 var=acc = wait %acc.2            ws::wait<0>(acc);
 *
 * Arithmetic that does not use an accumulator may run while its products do.  For ptxas, a wait is an instruction that
 * moves up as far as its operands allow.  The arithmetic would then follow the wait, while the tensor cores are idle.
 * The operation `computed` pins values computed since the last wait, so that ptxas cannot hoist the wait above them.
 * The pass pins columns of f32, in the accumulators' layout, that have a variable and that no later column is computed
 * from.  If a loop has changed the variable, the newest value is pinned.
 *
 * No value changes.  The proof checks that the variables hold these operands.
 */
#include "passes.h"

static const Value *column_of(const Op *op)
{
    const Value *value = op->nresults == 1 && !op->nblocks && op->code != OP_FULL ? op->results[0] : NULL;
    bool column = value && value->type.kind == K_TILE && value->type.dtype == D_F32 && value->type.rows > 1;
    return column && value->type.cols == 1 ? value : NULL;
}

/* The value that the variable holds at the wait.  A loop may have updated it.  */
static Value *newest_of(Value *value, const Op *wait)
{
    for (const Op *op = value->def->next; op != wait; op = op->next)
        for (int i = 0; i < op->nresults; i++)
            if (op->results[i]->var == value->var)
                value = op->results[i];
    return value;
}

static void hold_back(Kernel *kernel, Op *wait, bool *leads_on)
{
    Op *first = wait, *computed = NULL;
    for (Op *op = wait->prev; op && op->code != OP_WAIT; op = op->prev) {
        const Value *column = column_of(op);
        for (int i = 0; column && i < op->nargs; i++)
            leads_on[op->args[i]->id] |= column->var || leads_on[column->id];
        first = op;
    }
    for (Op *op = first; op != wait && op != computed; op = op->next) {
        const Value *column = column_of(op);
        if (!column || !column->var || leads_on[column->id])
            continue;
        if (!computed)
            computed = op_lowered_before(kernel, wait, OP_COMPUTED, 0, NULL);
        op_add_arg(kernel, computed, newest_of(op->results[0], wait));
    }
}

static void hold_block(Kernel *kernel, const Block *block, bool *leads_on)
{
    FOR_OPS (op, block) {
        if (op->code == OP_WAIT)
            hold_back(kernel, op, leads_on);
        for (int k = 0; k < op->nblocks; k++)
            hold_block(kernel, op->blocks[k], leads_on);
    }
}

void pass_sched_barriers(Kernel *kernel)
{
    bool *leads_on = arena_alloc(kernel->module, (size_t)kernel->module->next_id);
    FOR_ROLES (role, kernel)
        if (role->layout == LAYOUT_MMA)
            hold_block(kernel, role->body, leads_on);
}
