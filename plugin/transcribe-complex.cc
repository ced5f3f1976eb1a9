/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-complex.cc - complex numbers are pairs of scalars.
 *
 * A product and a quotient of floats call __mulsc3, __muldc3, __divsc3 and __divdc3 of libgcc, which care for NaN and
 * infinity. They are written out where GCC's options say that neither comes: -fcx-limited-range, -ffast-math, and for
 * products -ffinite-math-only and -fcx-fortran-rules.
 */
#include "transcribe.h"

Pair pair_of(Transcriber *t, tree x)
{
    Pair pair = {source_integer(0), source_integer(0)};
    if (t->function->failed)
        return pair;
    switch (TREE_CODE(x)) {
    case COMPLEX_CST:
        return Pair{value_of(t, TREE_REALPART(x)), value_of(t, TREE_IMAGPART(x))};
    case COMPLEX_EXPR:
        return Pair{value_of(t, TREE_OPERAND(x, 0)), value_of(t, TREE_OPERAND(x, 1))};
    case SSA_NAME:
        return name_value(t, x);
    case VAR_DECL:
    case PARM_DECL:
    case RESULT_DECL:
        if (DECL_HAS_VALUE_EXPR_P(x))
            return pair_of(t, DECL_VALUE_EXPR(x));
        if (is_register(x)) {
            SourceVariable *const *parts = home_of(t, x)->variables;
            return Pair{source_of(parts[0]), source_of(parts[1])};
        }
        return load_pair(t, x);
    case MEM_REF:
    case INDIRECT_REF:
    case COMPONENT_REF:
    case ARRAY_REF:
    case VIEW_CONVERT_EXPR:
        return load_pair(t, x);
    default:
        FAIL(t, "a complex value '%s'", get_tree_code_name(TREE_CODE(x)));
        return pair;
    }
}

/* x = name (a, b, c, d) of libgcc.  */
static Pair call_library(Transcriber *t, const char *name, SourceType part, Pair x, Pair y)
{
    SourceBuilder *builder = &t->builder;
    const int bytes = source_type_bytes(part);
    const Operand to = source_address(builder, made_object(t, 2 * bytes, bytes));
    const SourceArgument arguments[] = {
        {ST_P, to, 0}, {part, x.real, 0}, {part, x.imaginary, 0}, {part, y.real, 0}, {part, y.imaginary, 0}};
    source_call(builder, part == ST_F32 ? ST_C32 : ST_C64, name, Operand(), 5, arguments);
    Pair pair;
    pair.real = source_load(builder, part, to, false);
    pair.imaginary = source_load(builder, part, add_bytes(t, to, bytes), false);
    return pair;
}

static Operand part_value(Transcriber *t, enum tree_code code, tree type, Operand x, Operand y)
{
    return binary_value(t, code, TREE_TYPE(type), x, y);
}

static Pair product(Transcriber *t, tree type, Pair x, Pair y)
{
    tree part = TREE_TYPE(type);
    const SourceType scalar = scalar_type(t, part);
    if (SCALAR_FLOAT_TYPE_P(part) && flag_complex_method == 2 && HONOR_NANS(part))
        return call_library(t, scalar == ST_F32 ? "__mulsc3" : "__muldc3", scalar, x, y);
    const Operand rr = part_value(t, MULT_EXPR, type, x.real, y.real);
    const Operand ii = part_value(t, MULT_EXPR, type, x.imaginary, y.imaginary);
    const Operand ri = part_value(t, MULT_EXPR, type, x.real, y.imaginary);
    const Operand ir = part_value(t, MULT_EXPR, type, x.imaginary, y.real);
    return Pair{part_value(t, MINUS_EXPR, type, rr, ii), part_value(t, PLUS_EXPR, type, ri, ir)};
}

static Pair quotient(Transcriber *t, tree type, Pair x, Pair y)
{
    tree part = TREE_TYPE(type);
    const SourceType scalar = scalar_type(t, part);
    if (!SCALAR_FLOAT_TYPE_P(part)) {
        FAIL(t, "a quotient of complex integers");
        return x;
    }
    if (flag_complex_method != 0)
        return call_library(t, scalar == ST_F32 ? "__divsc3" : "__divdc3", scalar, x, y);
    const Operand norm = part_value(t, PLUS_EXPR, type, part_value(t, MULT_EXPR, type, y.real, y.real),
                                    part_value(t, MULT_EXPR, type, y.imaginary, y.imaginary));
    const Operand real = part_value(t, PLUS_EXPR, type, part_value(t, MULT_EXPR, type, x.real, y.real),
                                    part_value(t, MULT_EXPR, type, x.imaginary, y.imaginary));
    const Operand imaginary = part_value(t, MINUS_EXPR, type, part_value(t, MULT_EXPR, type, x.imaginary, y.real),
                                         part_value(t, MULT_EXPR, type, x.real, y.imaginary));
    return Pair{part_value(t, RDIV_EXPR, type, real, norm), part_value(t, RDIV_EXPR, type, imaginary, norm)};
}

static Operand negated(Transcriber *t, tree type, Operand x)
{
    tree part = TREE_TYPE(type);
    const SourceType scalar = scalar_type(t, part);
    return source_unary(&t->builder, SO_NEG,
                        ANY_INTEGRAL_TYPE_P(part) && TYPE_OVERFLOW_WRAPS(part) ? as_unsigned(scalar) : scalar, x);
}

Pair operation_pair(Transcriber *t, enum tree_code code, tree type, tree x, tree y)
{
    Pair a = {source_integer(0), source_integer(0)};
    if (code == COMPLEX_EXPR)
        return Pair{value_of(t, x), value_of(t, y)};
    a = pair_of(t, x);
    const Pair b = y ? pair_of(t, y) : a;
    tree from = TREE_TYPE(TREE_TYPE(x)), part = TREE_TYPE(type);
    if (t->function->failed)
        return a;
    switch (code) {
    case PLUS_EXPR:
    case MINUS_EXPR:
        return Pair{part_value(t, code, type, a.real, b.real), part_value(t, code, type, a.imaginary, b.imaginary)};
    case MULT_EXPR:
        return product(t, type, a, b);
    case RDIV_EXPR:
    case TRUNC_DIV_EXPR:
        return quotient(t, type, a, b);
    case NEGATE_EXPR:
        return Pair{negated(t, type, a.real), negated(t, type, a.imaginary)};
    case CONJ_EXPR:
        return Pair{a.real, negated(t, type, a.imaginary)};
    case PAREN_EXPR:
        return a;
    CASE_CONVERT:
        return Pair{convert_value(t, a.real, from, part), convert_value(t, a.imaginary, from, part)};
    default:
        FAIL(t, "a complex operation '%s'", get_tree_code_name(code));
        return a;
    }
}

Operand compare_pairs(Transcriber *t, enum tree_code code, tree x, tree y)
{
    const Pair a = pair_of(t, x), b = pair_of(t, y);
    const SourceType type = scalar_type(t, TREE_TYPE(TREE_TYPE(x)));
    if (code != EQ_EXPR && code != NE_EXPR)
        FAIL(t, "a comparison '%s' of complex numbers", get_tree_code_name(code));
    const SourceOpcode op = code == EQ_EXPR ? SO_EQ : SO_NE;
    const Operand real = source_binary(&t->builder, op, type, a.real, b.real);
    const Operand imaginary = source_binary(&t->builder, op, type, a.imaginary, b.imaginary);
    return source_binary(&t->builder, code == EQ_EXPR ? SO_AND : SO_OR, ST_B, real, imaginary);
}
