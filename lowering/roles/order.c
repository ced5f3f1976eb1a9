/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * order.c - numbers the operations of a role in program order.
 *
 *      1  for (k = 0; k < K; k += 64)      position of the loop
 *      2    slot = get
 *      3    ...
 *      4    yield
 *      5                                   order_end (loop)
 *
 * Liveness analysis and the checks of verify use these positions. A value is live from its definition to its last use,
 * extended to the end of every loop that the value enters from outside.
 */
#include "ir/queries.h"
#include "roles/order.h"

static int number_block(Block *block, int position)
{
    for (Op *op = block->first; op; op = op->next) {
        op->position = position++;
        for (int i = 0; i < op->nblocks; i++)
            position = number_block(op->blocks[i], position);
        if (op->nblocks)
            position++;
    }
    return position;
}

void order_number(Role *role)
{
    number_block(role->body, 1);
}

int order_end(const Op *op)
{
    int end = op->position;
    for (int i = 0; i < op->nblocks; i++)
        end = op->blocks[i]->last ? order_end(op->blocks[i]->last) : end;
    return op->nblocks ? end + 1 : end;
}

Op *order_in_block(Op *op, const Block *block)
{
    while (op && op->parent != block)
        op = op->parent ? op->parent->parent : NULL;
    return op;
}

Op *order_outer_loop(const Op *op, const Block *block)
{
    Op *outer = NULL;
    const Op *holder = block->parent; /* a loop with two bodies has one list of carried values */
    for (const Block *at = op->parent; at && at != block && at->parent && at->parent != holder; at = at->parent->parent)
        if (op_is_loop(at->parent))
            outer = at->parent;
    return outer;
}
