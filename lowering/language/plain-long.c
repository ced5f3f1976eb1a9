/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-long.c - elements of `long` that say where: their low words.
 *
 *   %k: i64 = element %idx, 8 i              %low: i32 = element %idx, 8 i
 *   %x: f32 = element %x, 4 k                %k: i64 = scalar_convert %low
 *                                            %x: f32 = element %x, 4 k
 *
 * A subscript and what is converted to 32 bits are the same by the low half of the number: no tensor has 2^31
 * elements, so what is beyond is no element of one.  Bounds of loops are not: behind LONG_MAX there is no iteration.
 * Numbers of 64 bits that anything else looks at stay, and
 * become tiles of I64 (plain-wide.c).
 */
#include "ir/slice.h"
#include "language/plain.h"

enum { DEEPEST = 16 };

static bool is_long(const Value *value)
{
    return value->type.dtype == D_I64 || value->type.dtype == D_U64;
}

static bool suffices(const Uses *uses, const Value *value, int depth);

static bool suffices_here(const Uses *uses, const Use *use, int depth)
{
    const Op *op = use->op;
    switch (op->code) {
    case OP_ELEMENT:
    case OP_SET_ELEMENT:
        return use->arg == 1;
    case OP_SCALAR_CONVERT: {
        const Value *to = op->results[0];
        return is_long(to) ? suffices(uses, to, depth - 1) : !dtype_is_float(to->type.dtype) && to->type.dtype != D_I1;
    }
    case OP_SCALAR_AND: {
        int64_t bits;
        if (ir_constant(op->args[!use->arg], &bits) && bits >= 0 && bits <= INT32_MAX)
            return true;
        return suffices(uses, op->results[0], depth - 1);
    }
    case OP_SCALAR_SELECT:
        return use->arg > 0 && suffices(uses, op->results[0], depth - 1);
    case OP_SCALAR_ADD:
    case OP_SCALAR_SUB:
    case OP_SCALAR_MUL:
    case OP_SCALAR_NEG:
    case OP_SCALAR_NOT:
    case OP_SCALAR_OR:
    case OP_SCALAR_XOR:
        return suffices(uses, op->results[0], depth - 1);
    default:
        return false;
    }
}

static bool suffices(const Uses *uses, const Value *value, int depth)
{
    if (!depth)
        return false;
    for (const Use *use = uses_of(uses, value); use; use = use->next)
        if (!suffices_here(uses, use, depth))
            return false;
    return true;
}

bool low_half_suffices(const Uses *uses, const Value *value)
{
    return suffices(uses, value, DEEPEST);
}

bool low_half_suffices_use(const Uses *uses, const Use *use)
{
    return suffices_here(uses, use, DEEPEST);
}

static void narrow(Kernel *kernel, const Uses *uses, Block *block)
{
    for (Op *op = block->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->nblocks; i++)
            narrow(kernel, uses, op->blocks[i]);
        if (op->code != OP_ELEMENT || !is_long(op->results[0]) || !low_half_suffices(uses, op->results[0]))
            continue;
        Value *number = op->results[0];
        Op *low = op_new(kernel, OP_ELEMENT, op->loc, op->nargs, op->args);
        Value *half = op_result(kernel, low, type_scalar(D_I32), number->name);
        Op *whole = op_new(kernel, OP_SCALAR_CONVERT, op->loc, 1, &half);
        op_before(op, low);
        op_before(op, whole);
        ir_replace_uses(kernel->body, number, op_result(kernel, whole, number->type, number->name));
        op_remove(op);
    }
}

void plain_narrow(Kernel *kernel)
{
    const Uses uses = uses_new(kernel, kernel->body);
    narrow(kernel, &uses, kernel->body);
}
