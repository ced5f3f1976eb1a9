/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queries.c - what choose and its writers, distribute and expand ask of an operation.
 *
 *   acc = ws_dot (ta, ws_trans (tb), acc)      both operands come through rings, as they lie there; the accumulator is the
 *                                              loop's carried value and nothing else looks at it: it may stay in flight
 */
#include "machine.h"
#include "queries.h"

bool op_is_dot(const Op *op)
{
    return op->code == OP_DOT;
}

bool op_is_product(const Op *op)
{
    return op->code == OP_DOT || op->code == OP_DOT_F32;
}

Op *pipelined_loop(const Op *op)
{
    Op *loop = ir_enclosing(op, OP_FOR);
    while (loop && !loop->pipeline)
        loop = ir_enclosing(loop, OP_FOR);
    return loop;
}

Op *ring_load(const Value *value)
{
    Op *op = value->def;
    if (op && op->code == OP_TRANS)
        op = op->args[0]->def;
    return op && op->code == OP_LOAD && op->depth ? op : NULL;
}

bool use_is_operand(const Use *use, const Uses *uses)
{
    if (op_is_product(use->op))
        return use->arg < 2;
    if (use->op->code != OP_TRANS)
        return false;
    const Use *next = uses_of(uses, use->op->results[0]);
    for (; next; next = next->next)
        if (!op_is_product(next->op) || next->arg == 2)
            return false;
    return true;
}

Op *op_at_block(Op *op, const Block *block)
{
    while (op && op->parent != block)
        op = op->parent->parent;
    return op;
}

int row_coordinate(const Op *op)
{
    switch (op->code) {
    case OP_LOAD:
    case OP_LOAD_COL:
        return op->code == OP_LOAD ? op->nargs - 2 : op->nargs - 1;
    case OP_STORE:
    case OP_ATOMIC_ADD:
        return op->nargs - 3;
    case OP_STORE_COL:
        return op->nargs - 2;
    default:
        return -1;
    }
}

static const Use *only_use(const Uses *uses, const Value *value)
{
    const Use *use = uses_of(uses, value);
    return use && !use->next ? use : NULL;
}

/* The matrix unit takes the operand from the ring as it lies there: along K, or across K for 16-bit types.  */
static bool operand_in_place(const Value *value, int arg)
{
    bool transposed;
    if (value->type.kind == K_VIEW)
        transposed = value->def && value->def->code == OP_TRANS_VIEW;
    else if (ring_load(value))
        transposed = value->def->code == OP_TRANS;
    else
        return false;
    return dtype_bytes(value->type.dtype) == 2 || transposed == (arg == 1);
}

static bool operands_in_place(const Op *dot)
{
    return operand_in_place(dot->args[0], 0) && operand_in_place(dot->args[1], 1);
}

/* From the accumulator back to the loop's block argument, through products of the same block.  */
static Value *chain_head(const Op *dot, const Uses *uses)
{
    Value *value = dot->args[2];
    while (value->def && op_is_dot(value->def) && value->def->parent == dot->parent && only_use(uses, value) &&
           operands_in_place(value->def))
        value = value->def->args[2];
    Op *loop = dot->parent->parent;
    bool carried_in = !value->def && value->block == dot->parent && loop && loop->code == OP_FOR && value->index > 0;
    return carried_in && only_use(uses, value) ? value : NULL;
}

/* All products of a chain stay in flight over the iteration's end, or none: one whose operand is staged has to be awaited.  */
Op *dot_carried_by(const Op *dot, const Uses *uses, int *index)
{
    if (!op_is_dot(dot) || !operands_in_place(dot))
        return NULL;
    Value *head = chain_head(dot, uses);
    if (!head)
        return NULL;
    const Use *use = only_use(uses, dot->results[0]);
    while (use && op_is_dot(use->op) && use->arg == 2 && use->op->parent == dot->parent && operands_in_place(use->op))
        use = only_use(uses, use->op->results[0]);
    if (!use || use->op->code != OP_YIELD || use->op->parent != dot->parent || use->arg != head->index - 1)
        return NULL;
    if (index)
        *index = use->arg;
    return dot->parent->parent;
}
