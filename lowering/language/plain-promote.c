/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-promote.c - C's promotions, undone where they change nothing.
 *
 *   short s = x[k] > s ? x[k] : s;      %1: i32 = scalar_convert %x; %2: i32 = scalar_convert %s; %3 = scalar_gt %1, %2
 *                                         %4 = scalar_select %3, %1, %2; %s.1: i16 = scalar_convert %4
 *   is                                    %3 = scalar_gt %x, %s; %s.1: i16 = scalar_select %3, %x, %s
 *
 * Two numbers of one type have the same order before and behind a conversion that keeps their values, and the larger
 * one, cut back to the type, is the number itself.  Front ends differ in how much of this they fold.
 */
#include "language/plain.h"

static bool is_integer(Dtype dtype)
{
    return !dtype_is_float(dtype) && dtype != D_I1 && dtype != D_MASK;
}

static bool keeps_values(Dtype from, Dtype to)
{
    return dtype_bytes(to) > dtype_bytes(from) && (dtype_is_signed(to) || !dtype_is_signed(from));
}

/* The type that the value had before it was converted, with nothing lost; D_I1: none.  */
static Dtype own_type(const Value *value)
{
    const Op *op = value->def;
    Dtype from = op && op->code == OP_SCALAR_CONVERT ? op->args[0]->type.dtype : D_I1;
    return is_integer(from) && is_integer(value->type.dtype) && keeps_values(from, value->type.dtype) ? from : D_I1;
}

/* The type holds every value that the number can have.  */
static bool fits(const Value *value, Dtype dtype)
{
    int64_t number;
    Dtype own = own_type(value);
    if (own != D_I1)
        return own == dtype || keeps_values(own, dtype);
    return ir_constant(value, &number) && ir_wrap(dtype, number) == number &&
           (number >= 0 || dtype_is_signed(value->type.dtype));
}

static Value *in_type(Kernel *kernel, Op *where, Value *value, Dtype dtype)
{
    int64_t number;
    if (own_type(value) != D_I1)
        return ir_convert_before(kernel, where, value->def->args[0], dtype);
    return ir_constant(value, &number) ? ir_const_before(kernel, where, dtype, number) : value;
}

/* The wider of the two types that the sides had, if it holds both.  */
static Dtype common_type(const Value *x, const Value *y)
{
    Dtype own = own_type(x), other = own_type(y);
    if (own != D_I1 && fits(y, own))
        return own;
    return other != D_I1 && fits(x, other) ? other : D_I1;
}

static void visit_comparison(Kernel *kernel, Op *op)
{
    Dtype dtype = common_type(op->args[0], op->args[1]);
    for (int i = 0; i < 2 && dtype != D_I1; i++)
        op->args[i] = in_type(kernel, op, op->args[i], dtype);
}

/* The smaller or the larger of two, or either, cut back to their type.  */
static void visit_conversion(Kernel *kernel, Op *op)
{
    Op *choice = op->args[0]->def;
    Dtype dtype = op->results[0]->type.dtype;
    if (!choice || !is_integer(dtype) ||
        (choice->code != OP_SCALAR_MIN && choice->code != OP_SCALAR_MAX && choice->code != OP_SCALAR_SELECT))
        return;
    Value *args[3];
    for (int i = 0; i < choice->nargs; i++) {
        bool asks = choice->code == OP_SCALAR_SELECT && !i;
        if (!asks && !fits(choice->args[i], dtype))
            return;
        args[i] = asks ? choice->args[i] : in_type(kernel, op, choice->args[i], dtype);
    }
    Value *result = ir_scalar_before(kernel, op, choice->code, dtype, choice->nargs, args);
    result->name = op->results[0]->name;
    ir_replace_uses(kernel->body, op->results[0], result);
}

static void visit(Op *op, void *context)
{
    if (op->code >= OP_SCALAR_EQ && op->code <= OP_SCALAR_GE)
        visit_comparison(context, op);
    else if (op->code == OP_SCALAR_CONVERT)
        visit_conversion(context, op);
}

/* Conversions and choices that nobody looks at any more.  */
static bool drop_unused(Block *block)
{
    bool dropped = false;
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nblocks; i++)
            dropped |= drop_unused(op->blocks[i]);
        bool ours = op->code == OP_SCALAR_CONVERT || op->code == OP_SCALAR_MIN || op->code == OP_SCALAR_MAX ||
                    op->code == OP_SCALAR_SELECT;
        if (!ours || op->results[0]->uses)
            continue;
        op_remove(op);
        dropped = true;
    }
    return dropped;
}

/* require: a plain body.   ensure: the same program.  */
void plain_promote(Kernel *kernel)
{
    ir_walk(kernel->body, visit, kernel);
    do
        ir_count_uses(kernel, kernel->body);
    while (drop_unused(kernel->body));
}
