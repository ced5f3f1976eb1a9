/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-complex.c - complex numbers: two scalars, and two numbers in memory.
 *
 *   z * w       call.c64 __muldc3: C's product, which is right for infinities, too
 *
 * An operand without an imaginary part is real: C does not make it complex for arithmetic.
 */
#include "transcribe.h"

Operand zero_of(SourceType type)
{
    return source_type_is_float(type) ? source_number(0) : source_integer(0);
}

static Operand binary_of(Transcriber *t, SourceOpcode code, SourceType type, Operand x, Operand y)
{
    return source_binary(&t->builder, code, type, x, y);
}

/* __mulsc3, __divdc3: four numbers in, and the result in memory.  */
static Parts by_call(Transcriber *t, SourceOpcode code, SourceType type, Parts x, Parts y)
{
    const bool is_single = type == ST_F32;
    const char *name = code == SO_MUL ? (is_single ? "__mulsc3" : "__muldc3") : is_single ? "__divsc3" : "__divdc3";
    const int bytes = source_type_bytes(type);
    SourceObject *object = source_object(t->function, 2 * bytes, bytes, (Declaration){.name = NULL});
    Operand address = source_address(&t->builder, object);
    const Operand zero = source_number(0);
    const SourceArgument arguments[] = {
        {ST_P, address, 0},
        {type, x.x, 0},
        {type, x.is_complex ? x.imaginary : zero, 0},
        {type, y.x, 0},
        {type, y.is_complex ? y.imaginary : zero, 0},
    };
    source_call(&t->builder, is_single ? ST_C32 : ST_C64, name, zero, 5, arguments);
    Parts result = {source_load(&t->builder, type, address, false), zero, true};
    result.imaginary = source_load(&t->builder, type, address_plus(t, address, bytes), false);
    return result;
}

static Parts integer_product(Transcriber *t, SourceType type, Parts x, Parts y)
{
    Parts result = {.is_complex = true};
    Operand first = binary_of(t, SO_MUL, type, x.x, y.x), second = binary_of(t, SO_MUL, type, x.imaginary, y.imaginary);
    result.x = binary_of(t, SO_SUB, type, first, second);
    first = binary_of(t, SO_MUL, type, x.x, y.imaginary);
    second = binary_of(t, SO_MUL, type, x.imaginary, y.x);
    result.imaginary = binary_of(t, SO_ADD, type, first, second);
    return result;
}

Parts complex_operation(Transcriber *t, SourceOpcode code, SourceType type, Parts x, Parts y)
{
    Parts result = {source_number(0), source_number(0), true};
    if (!x.is_complex && !y.is_complex)
        return parts(binary_of(t, code, type, x.x, y.x));
    switch (code) {
    case SO_ADD:
    case SO_SUB:
        result.x = binary_of(t, code, type, x.x, y.x);
        if (x.is_complex && y.is_complex)
            result.imaginary = binary_of(t, code, type, x.imaginary, y.imaginary);
        else if (x.is_complex)
            result.imaginary = x.imaginary;
        else
            result.imaginary = code == SO_ADD ? y.imaginary : source_unary(&t->builder, SO_NEG, type, y.imaginary);
        return result;
    case SO_MUL:
        if (x.is_complex && y.is_complex)
            return source_type_is_float(type) ? by_call(t, code, type, x, y) : integer_product(t, type, x, y);
        result.x = binary_of(t, SO_MUL, type, x.x, y.x);
        result.imaginary =
            x.is_complex ? binary_of(t, SO_MUL, type, x.imaginary, y.x) : binary_of(t, SO_MUL, type, x.x, y.imaginary);
        return result;
    case SO_DIV:
        if (y.is_complex && !source_type_is_float(type))
            source_fail(t->function, t->builder.loc, "a division by complex integers");
        if (y.is_complex)
            return by_call(t, code, type, x, y);
        result.x = binary_of(t, SO_DIV, type, x.x, y.x);
        result.imaginary = binary_of(t, SO_DIV, type, x.imaginary, y.x);
        return result;
    default:
        source_fail(t->function, t->builder.loc, "an operation of complex numbers");
        return result;
    }
}

Operand complex_equal(Transcriber *t, bool equal, SourceType type, Parts x, Parts y)
{
    const SourceOpcode code = equal ? SO_EQ : SO_NE;
    Operand first = binary_of(t, code, type, x.x, y.x);
    Operand second = binary_of(t, code, type, x.is_complex ? x.imaginary : zero_of(type),
                               y.is_complex ? y.imaginary : zero_of(type));
    return binary_of(t, equal ? SO_AND : SO_OR, ST_B, first, second);
}

Parts complex_load(Transcriber *t, Operand address, CXType type, bool is_volatile)
{
    const CXType part = part_type(type);
    const SourceType scalar = source_type(t, part, t->cursor);
    Parts result = {source_load(&t->builder, scalar, address, is_volatile), source_number(0), true};
    Operand second = address_plus(t, address, source_type_bytes(scalar));
    result.imaginary = source_load(&t->builder, scalar, second, is_volatile);
    return result;
}

void complex_store(Transcriber *t, Operand address, CXType type, Parts value, bool is_volatile)
{
    const SourceType scalar = source_type(t, part_type(type), t->cursor);
    source_store(&t->builder, scalar, address, value.x, is_volatile);
    source_store(&t->builder, scalar, address_plus(t, address, source_type_bytes(scalar)),
                 value.is_complex ? value.imaginary : zero_of(scalar), is_volatile);
}
