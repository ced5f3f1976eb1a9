/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * peel.c - splits a loop at a bound, with one body for the iterations before and one for those after.
 *
 *   before                                     after
 *   for %j = 0, < %last, 80 {                  for %j = 0, < %last, 80 edge %edge {      int j = 0;
 *     %s = ...                                   %s = ...                                for (; j < ws::min(edge,
 *                                                                                        last); j += 80) {
 *     %beyond = scalar_ge %j, %edge                    ... %s                                      ...
 *     %t = if %beyond {                        } beyond {                                }
 *       %u = select %seen, %s, -1e30             %s.2 = ...                              for (; j < last; j += 80) {
 *       yield %u                                 %u = select %seen, %s.2, -1e30              ...
 *     } else {                                   ... %u                                      s = ws::select(seen, s,
 *                                                                                            -1e+30);
 *       yield %s                               }                                             ...
 *     }                                                                                  }
 *     ... %t
 *   }
 *
 * The optimizer guards masks at edges by a branch, which is taken from one iteration on.  That iteration is known
 * before the loop.  In a loop with such a branch, ptxas does not interleave the instructions around the branch.  The
 * first body therefore omits the branch and everything that only its other arm uses.  The second body omits the
 * condition.
 *
 * Only loops over products are split.  A branch remains if a role synchronizes, stores or waits in it.
 */
#include "ir/queries.h"
#include "passes.h"

/* The branch at which a loop over products can be split, or NULL.  The loop must count up.  */
static Op *find_edge(const Op *loop)
{
    int64_t step;
    bool up = loop->control->compare == OP_SCALAR_LT && dtype_is_signed(loop->args[0]->type.dtype) &&
              ir_constant(loop->args[2], &step) && step > 0;
    Op *edge = NULL;
    bool products = false;
    for (Op *op = loop->blocks[0]->first; op && up && loop_is_pipelined(loop); op = op->next) {
        products |= op->code == OP_MMA;
        edge = !edge && ir_is_edge(op, loop) ? op : edge;
    }
    return products ? edge : NULL;
}

/* ---- the two bodies ---------------------------------------------------------------------------------------------- */

/* Replaces the branch by the operations of one arm.  */
static void take_arm(Block *body, Op *branch, int arm)
{
    Block *block = branch->blocks[arm];
    Value *const *values = block_end(block)->args;
    for (int i = 0; i < branch->nresults; i++)
        ir_replace_uses(body, branch->results[i], values[i]);
    FOR_OPS (op, block) {
        op_remove(op);
        if (op->code != OP_YIELD)
            op_before(branch, op);
    }
    op_remove(branch);
}

/* The operation at the same place in a copy of its block.  */
static Op *counterpart(const Op *op, const Block *copy)
{
    Op *other = copy->first;
    for (; op->prev; op = op->prev)
        other = other->next;
    return other;
}

static bool is_used(const Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        for (const Op *other = op->next; other; other = other->next)
            if (uses_value(other, op->results[i]))
                return true;
    return false;
}

/* Removes operations without uses, from the end on.  */
static void remove_idle(Block *body)
{
    for (Op *op = body->last, *before; op; op = before) {
        before = op->prev;
        if (op_is_pure(op) && !is_used(op))
            op_remove(op);
    }
}

static void split(Kernel *kernel, Op *loop, Op *branch)
{
    Value *edge = branch->args[0]->def->args[1];
    Block *before = loop->blocks[0], *beyond = block_new(kernel, loop);
    ValueMap map = value_map_new(kernel);
    ir_copy_block(kernel, before, beyond, &map);
    take_arm(beyond, counterpart(branch, beyond), 0);
    take_arm(before, branch, 1);
    remove_idle(before);
    remove_idle(beyond);
    op_add_arg(kernel, loop, edge);
}

static void peel_block(Kernel *kernel, const Block *block)
{
    FOR_OPS (op, block) {
        for (int k = 0; k < op->nblocks; k++)
            peel_block(kernel, op->blocks[k]);
        Op *branch = op->code == OP_FOR ? find_edge(op) : NULL;
        if (branch)
            split(kernel, op, branch);
    }
}

void pass_peel(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        peel_block(kernel, role->body);
}
