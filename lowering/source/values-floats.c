/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values-floats.c - floats in their normal form.
 *
 *      (float) (1.0 - (double) f)     =>     1.0f - f
 */
#include <math.h>
#include <string.h>

#include "source/values-floats.h"
#include "source/values-integers.h"
#include "source/values-table.h"

/* ---- floats ------------------------------------------------------------------------------------------------------ */

static bool is_float_op(const SourceValue *v, SourceOpcode code)
{
    return v->kind == VALUE_FLOATS && v->code == code;
}

static double rounded(double x, SourceType type)
{
    return type == ST_F32 ? (double)(float)x : x;
}

/* The f32 of which this f64 is the conversion, or NULL.  */
static SourceValue *single(SourceValues *values, SourceValue *x)
{
    if (is_real(x))
        return (double)(float)x->real == x->real ? value_float(values, x->real, ST_F32) : NULL;
    if (x->kind != VALUE_CONVERT || x->code != SO_CONV)
        return NULL;
    if (x->from == ST_F32)
        return x->args[0];
    if (!source_type_is_float(x->from) && source_type_bytes(x->from) <= 2)
        return value_convert(values, SO_CONV, x->from, ST_F32, x->args[0]);
    return NULL;
}

SourceValue *value_float_unary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x)
{
    if (is_real(x) && !isnan(x->real))
        return used(values, RULE_FOLD, value_float(values, code == SO_NEG ? -x->real : fabs(x->real), type));
    if (code == SO_NEG && is_float_op(x, SO_NEG))
        return used(values, RULE_FLOAT_NEGATE_TWICE, x->args[0]);
    return value_of_one(values, (SourceValue){.kind = VALUE_FLOATS, .code = code, .type = type}, x);
}

SourceValue *value_float_binary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x,
                                SourceValue *y)
{
    const bool scales = code == SO_MUL || code == SO_DIV;
    if (is_real(x) && is_real(y) && (code == SO_ADD || code == SO_SUB || scales)) {
        const double a = x->real, b = y->real;
        const double r = code == SO_ADD ? a + b : code == SO_SUB ? a - b : code == SO_MUL ? a * b : a / b;
        if (!isnan(r) && !isinf(r))
            return used(values, RULE_FOLD, value_float(values, rounded(r, type), type));
    }
    if (code == SO_SUB && is_real(y) && !isnan(y->real))
        return used(values, RULE_FLOAT_SUBTRACT,
                    value_float_binary(values, SO_ADD, type, x, value_float(values, -y->real, type)));
    if (code == SO_SUB && is_float_op(y, SO_NEG))
        return used(values, RULE_FLOAT_SUBTRACT, value_float_binary(values, SO_ADD, type, x, y->args[0]));
    if (code == SO_ADD && is_float_op(y, SO_NEG))
        return used(values, RULE_FLOAT_ADD_NEGATIVE, value_float_binary(values, SO_SUB, type, x, y->args[0]));
    if (code == SO_ADD && is_float_op(x, SO_NEG))
        return used(values, RULE_FLOAT_ADD_NEGATIVE, value_float_binary(values, SO_SUB, type, y, x->args[0]));
    if (scales && is_float_op(x, SO_NEG))
        return used(values, RULE_FLOAT_SIGN,
                    value_float_unary(values, SO_NEG, type, value_float_binary(values, code, type, x->args[0], y)));
    if (scales && is_float_op(y, SO_NEG))
        return used(values, RULE_FLOAT_SIGN,
                    value_float_unary(values, SO_NEG, type, value_float_binary(values, code, type, x, y->args[0])));
    if (scales && is_real(y) && y->real < 0)
        return used(values, RULE_FLOAT_SIGN,
                    value_float_unary(values, SO_NEG, type,
                                      value_float_binary(values, code, type, x, value_float(values, -y->real, type))));
    if (code == SO_MUL && is_real(x) && x->real < 0)
        return used(values, RULE_FLOAT_SIGN,
                    value_float_unary(values, SO_NEG, type,
                                      value_float_binary(values, code, type, value_float(values, -x->real, type), y)));
    if (scales && is_real(y) && y->real == 1)
        return used(values, RULE_FLOAT_ONE, x);
    if (code == SO_MUL && is_real(x) && x->real == 1)
        return used(values, RULE_FLOAT_ONE, y);
    if (code == SO_DIV && is_real(y) && y->real > 0) {
        int exponent;
        /* The inverse is a normal number of either type.  */
        if (frexp(y->real, &exponent) == 0.5 && exponent > -100 && exponent < 100)
            return used(values, RULE_FLOAT_DIVIDE,
                        value_float_binary(values, SO_MUL, type, x, value_float(values, 1 / y->real, type)));
    }
    if ((code == SO_ADD || code == SO_MUL) && value_order(y, x) < 0) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    return value_of_two(values, (SourceValue){.kind = VALUE_FLOATS, .code = code, .type = type}, x, y);
}

SourceValue *value_float_compare(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x,
                                 SourceValue *y)
{
    switch (code) {
    case SO_NE:
        return value_not(values, value_float_compare(values, SO_EQ, type, x, y));
    case SO_ORD:
        return value_not(values, value_float_compare(values, SO_UNO, type, x, y));
    case SO_GT:
        return value_float_compare(values, SO_LT, type, y, x);
    case SO_GE:
        return value_float_compare(values, SO_LE, type, y, x);
    case SO_UNGE:
        return value_not(values, value_float_compare(values, SO_LT, type, x, y));
    case SO_UNGT:
        return value_not(values, value_float_compare(values, SO_LE, type, x, y));
    case SO_UNLE:
        return value_not(values, value_float_compare(values, SO_LT, type, y, x));
    case SO_UNLT:
        return value_not(values, value_float_compare(values, SO_LE, type, y, x));
    case SO_UNEQ:
        return value_either(values, value_float_compare(values, SO_UNO, type, x, y),
                            value_float_compare(values, SO_EQ, type, x, y));
    case SO_LTGT:
        return value_not(values, value_float_compare(values, SO_UNEQ, type, x, y));
    default:
        break;
    }
    if (is_real(x) && is_real(y))
        return used(values, RULE_FOLD,
                    value_integer(values,
                                  code == SO_EQ   ? x->real == y->real
                                  : code == SO_LT ? x->real < y->real
                                  : code == SO_LE ? x->real <= y->real
                                                  : isunordered(x->real, y->real),
                                  1));
    if (type == ST_F64) {
        SourceValue *a = single(values, x), *b = single(values, y);
        if (a && b)
            return used(values, RULE_FLOAT_COMPARE_NARROW, value_float_compare(values, code, ST_F32, a, b));
    }
    if (x == y && code == SO_EQ)
        return used(values, RULE_FLOAT_SELF, value_not(values, value_float_compare(values, SO_UNO, type, x, y)));
    if ((code == SO_EQ || code == SO_UNO) && value_order(y, x) < 0) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    return value_of_two(values, (SourceValue){.kind = VALUE_FLOAT_COMPARE, .code = code, .from = type, .width = 1}, x,
                        y);
}

SourceValue *value_narrowed(SourceValues *values, SourceValue *x)
{
    if (x->kind == VALUE_CONVERT && x->code == SO_CONV && x->from == ST_F32)
        return used(values, RULE_FLOAT_BACK, x->args[0]);
    if (is_float_op(x, SO_NEG) || is_float_op(x, SO_ABS))
        return used(
            values, RULE_FLOAT_NARROW_SIGN,
            value_float_unary(values, x->code, ST_F32, value_convert(values, SO_CONV, ST_F64, ST_F32, x->args[0])));
    /* 53 bits are enough for one operation of 24: rounding twice is rounding once.  */
    if (x->kind == VALUE_FLOATS && (x->code == SO_ADD || x->code == SO_SUB || x->code == SO_MUL || x->code == SO_DIV)) {
        SourceValue *a = single(values, x->args[0]), *b = single(values, x->args[1]);
        if (a && b)
            return used(values, RULE_FLOAT_NARROW, value_float_binary(values, x->code, ST_F32, a, b));
    }
    if (x->kind == VALUE_CALL && !strcmp(x->what, "sqrt")) {
        SourceValue *a = single(values, x->args[0]);
        if (a)
            return used(values, RULE_FLOAT_NARROW, value_call(values, ST_F32, "sqrtf", 1, &a));
    }
    return NULL;
}

SourceValue *value_to_float(SourceValues *values, SourceType from, SourceType to, SourceValue *x)
{
    if (is_integer(x)) {
        /* One rounding, from 64 bits to the type.  */
        const int64_t i = value_signed(x);
        const bool is_signed = source_type_is_signed(from);
        const double r = to == ST_F32 ? (is_signed ? (double)(float)i : (double)(float)x->number)
                                      : (is_signed ? (double)i : (double)x->number);
        return used(values, RULE_FOLD, value_float(values, r, to));
    }
    if (x->kind == VALUE_ZEXT && x->args[0]->width == 1)
        return used(values, RULE_FLOAT_TRUTH,
                    value_select(values, x->args[0], value_float(values, 1, to), value_float(values, 0, to)));
    if (x->width == 1)
        return used(values, RULE_FLOAT_TRUTH,
                    value_select(values, x, value_float(values, 1, to), value_float(values, 0, to)));
    if (x->kind == VALUE_SELECT)
        return used(values, RULE_FLOAT_SELECT,
                    value_select(values, x->args[0], value_to_float(values, from, to, x->args[1]),
                                 value_to_float(values, from, to, x->args[2])));
    if (is_extended(x) && (x->kind == VALUE_ZEXT || source_type_is_signed(from))) {
        static const SourceType narrower[2][3] = {{ST_U8, ST_U16, ST_U32}, {ST_I8, ST_I16, ST_I32}};
        const int w = x->args[0]->width;
        const SourceType inner = narrower[x->kind == VALUE_SEXT][w == 8 ? 0 : w == 16 ? 1 : 2];
        return used(values, RULE_FLOAT_EXTENDED,
                    value_of_one(values,
                                 (SourceValue){.kind = VALUE_CONVERT, .code = SO_CONV, .from = inner, .type = to},
                                 x->args[0]));
    }
    return value_of_one(values, (SourceValue){.kind = VALUE_CONVERT, .code = SO_CONV, .from = from, .type = to}, x);
}
