/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-scale.c - places that are chosen in bytes, chosen in elements.
 *
 *   %5: u64 = scalar_select %1, (4 %2), 0             %5: i64 = scalar_select %1, %2, 0
 *   %x: f32 = element %x, %5                 %x: f32 = element %x, 4 %5
 */
#include "language/plain.h"

enum { DEEPEST = 8 };

static Value *as_it_is(void *context, Value *value)
{
    (void)context;
    return value;
}

static Value *emit(Kernel *kernel, Op *where, const Poly *x)
{
    return ir_convert_before(kernel, where, poly_emit(kernel, where, x, as_it_is, NULL), D_I64);
}

static bool divides(Value *value, int64_t by, int depth);

static bool divides_sum(const Poly *x, int64_t by, int depth)
{
    for (int i = 0; i < x->count; i++) {
        const Term *term = &x->terms[i];
        int64_t rest = by / common_divisor(by, term->factor);
        if (rest != 1 && (term->count != 1 || !divides(term->values[0], rest, depth)))
            return false;
    }
    return x->known;
}

static bool is_choice(const Value *value)
{
    const Op *op = value->def;
    if (!op || value->type.kind != K_SCALAR || dtype_bytes(value->type.dtype) < 4)
        return false;
    return op->code == OP_SCALAR_SELECT ||
           ((op->code == OP_SCALAR_MIN || op->code == OP_SCALAR_MAX) && dtype_is_signed(value->type.dtype));
}

/* Some number in the choice is chosen, and each of them is a multiple.  */
static bool divides(Value *value, int64_t by, int depth)
{
    if (!depth || !is_choice(value))
        return false;
    const Op *op = value->def;
    for (int i = op->nargs - 2; i < op->nargs; i++) {
        Poly x = poly_of(op->args[i]);
        if (!divides_sum(&x, by, depth - 1))
            return false;
    }
    return true;
}

static Value *divided(Kernel *kernel, Value *value, int64_t by);

static Poly divided_sum(Kernel *kernel, const Poly *x, int64_t by)
{
    Poly sum = poly_constant(0);
    for (int i = 0; i < x->count; i++) {
        Poly term = poly_constant(0);
        int64_t common = common_divisor(by, x->terms[i].factor);
        term.count = 1;
        term.terms[0] = x->terms[i];
        term.terms[0].factor /= common;
        if (by != common)
            term.terms[0].values[0] = divided(kernel, term.terms[0].values[0], by / common);
        sum = poly_add(&sum, &term, 1);
    }
    return sum;
}

static Value *divided(Kernel *kernel, Value *value, int64_t by)
{
    Op *op = value->def;
    Value *args[3] = {op->args[0]};
    for (int i = op->nargs - 2; i < op->nargs; i++) {
        Poly x = poly_of(op->args[i]), quotient = divided_sum(kernel, &x, by);
        args[i] = emit(kernel, op, &quotient);
    }
    return ir_scalar_before(kernel, op, op->code, D_I64, op->nargs, args);
}

static void scale(Kernel *kernel, Block *block)
{
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nblocks; i++)
            scale(kernel, op->blocks[i]);
        if (op->code != OP_ELEMENT && op->code != OP_SET_ELEMENT)
            continue;
        Dtype dtype = op->code == OP_ELEMENT ? op->results[0]->type.dtype : op->args[2]->type.dtype;
        int64_t size = dtype_bytes(dtype);
        Poly offset = poly_of(op->args[1]), whole = offset, bytes = poly_constant(size);
        if (!offset.known || poly_divide_by(&whole, size) || !divides_sum(&offset, size, DEEPEST))
            continue;
        Poly elements = divided_sum(kernel, &offset, size);
        elements = poly_multiply(&elements, &bytes);
        op->args[1] = emit(kernel, op, &elements);
    }
}

void plain_scale(Kernel *kernel)
{
    scale(kernel, kernel->body);
}
