/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values.c - makes values in their normal form by the rules of rules.def.
 *
 *      x > 3 && x < 10 as GCC writes it:     (unsigned) x - 4 < 6     =>     !(x < 4) && x < 10
 *      (float) (1.0 - (double) f)                                     =>     1.0f - f
 *      n > 0 ? n : 0                                                  =>     max (n, 0)
 *
 * Each function makes one kind of value: it looks for a rule, and otherwise looks the value up in the table. The
 * arguments are in normal form already. Commutative arguments are sorted by the first leaf in them.
 */
#include <math.h>
#include <string.h>

#include "source/passes.h"
#include "source/values-compare.h"
#include "source/values-floats.h"
#include "source/values-integers.h"
#include "source/values-table.h"

/* ---- operations of the region IR --------------------------------------------------------------------------------- */

SourceValue *value_convert(SourceValues *values, SourceOpcode code, SourceType from, SourceType to, SourceValue *x)
{
    const bool ffrom = source_type_is_float(from), fto = source_type_is_float(to);
    const int width = source_type_width(to);
    if (from == to)
        return x;
    if (code == SO_BITS) {
        if (!ffrom && !fto)
            return x;
        if (x->kind == VALUE_CONVERT && x->code == SO_BITS && x->from == to)
            return used(values, RULE_BITS_BACK, x->args[0]);
        if (x->kind == VALUE_CONVERT && x->code == SO_BITS && !fto && !source_type_is_float(x->from))
            return used(values, RULE_BITS_BACK, x->args[0]);
        return value_of_one(values,
                            (SourceValue){.kind = VALUE_CONVERT,
                                          .code = SO_BITS,
                                          .from = ffrom          ? from
                                                  : to == ST_F32 ? ST_U32
                                                                 : ST_U64,
                                          .type = fto              ? to
                                                  : from == ST_F32 ? ST_U32
                                                                   : ST_U64,
                                          .width = width},
                            x);
    }
    if (ffrom && fto) {
        if (is_real(x) && !isnan(x->real))
            return used(values, RULE_FOLD, value_float(values, x->real, to));
        if (x->kind == VALUE_SELECT)
            return used(values, RULE_FLOAT_SELECT,
                        value_select(values, x->args[0], value_convert(values, code, from, to, x->args[1]),
                                     value_convert(values, code, from, to, x->args[2])));
        SourceValue *made = to == ST_F32 ? value_narrowed(values, x) : NULL;
        return made ? made
                    : value_of_one(values, (SourceValue){.kind = VALUE_CONVERT, .code = code, .from = from, .type = to},
                                   x);
    }
    if (to == ST_B && ffrom)
        return value_not(values, value_float_compare(values, SO_EQ, from, x, value_float(values, 0, from)));
    if (to == ST_B)
        return value_not(values, value_equal(values, x, value_integer(values, 0, x->width)));
    if (ffrom) {
        const double limit = ldexp(1, source_type_is_signed(to) ? width - 1 : width);
        const double low = source_type_is_signed(to) ? -limit : 0;
        if (is_real(x) && x->real > low - 1 && x->real >= -9.2e18 && x->real < limit)
            return used(values, RULE_FOLD,
                        value_integer(values, x->real < 0 ? (uint64_t)(int64_t)x->real : (uint64_t)x->real, width));
        return value_of_one(
            values, (SourceValue){.kind = VALUE_CONVERT, .code = code, .from = from, .type = to, .width = width}, x);
    }
    if (fto)
        return value_to_float(values, from, to, x);
    if (width < x->width)
        return value_truncate(values, x, width);
    return value_extend(values, source_type_is_signed(from) ? VALUE_SEXT : VALUE_ZEXT, x, width);
}

/* An operation of the program makes the value in its own width.  */
static SourceValue *made_wide(SourceValue *value)
{
    value->made_wide = true;
    value->narrow = NULL;
    return value;
}

SourceValue *value_unary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x)
{
    if (source_type_is_float(type))
        return value_float_unary(values, code, type, x);
    const int width = x->width;
    const bool is_signed = source_type_is_signed(type);
    if (code == SO_NEG)
        return made_wide(value_negative(values, x, width, is_signed));
    if (code == SO_NOT && width == 1)
        return value_not(values, x);
    if (code == SO_NOT)
        return used(values, RULE_COMPLEMENT,
                    value_add(values, width, is_signed, value_integer(values, ~(uint64_t)0, width), ~(uint64_t)0, x));
    if (is_integer(x))
        return used(values, RULE_FOLD,
                    value_integer(values, is_signed && value_signed(x) < 0 ? -x->number : x->number, width));
    return value_of_one(values,
                        (SourceValue){.kind = VALUE_INTEGERS, .code = code, .width = width, .is_signed = is_signed}, x);
}

SourceValue *value_binary(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x, SourceValue *y)
{
    if (source_type_is_float(type))
        return value_float_binary(values, code, type, x, y);
    const int width = source_type_width(type);
    const bool is_signed = source_type_is_signed(type);
    switch (code) {
    case SO_ADD:
        return made_wide(value_add(values, width, is_signed, x, 1, y));
    case SO_SUB:
        return made_wide(value_add(values, width, is_signed, x, ~(uint64_t)0, y));
    case SO_MUL:
        return made_wide(value_multiply(values, width, is_signed, x, y));
    case SO_DIV:
    case SO_REM:
        return value_divide(values, code, is_signed, x, y);
    case SO_AND:
    case SO_OR:
    case SO_XOR:
        return value_bitwise(values, code, width, x, y);
    case SO_SHL:
        if (is_integer(y) && y->number < (uint64_t)width)
            return used(
                values, RULE_SHIFT_LEFT,
                value_multiply(values, width, false, x, value_integer(values, (uint64_t)1 << y->number, width)));
        break;
    case SO_SHR:
        return value_shift_right(values, is_signed && x->kind != VALUE_ZEXT, x, y);
    case SO_MIN:
    case SO_MAX:
        return value_least(values, code, is_signed, x, y);
    default:
        break;
    }
    return value_of_two(values, (SourceValue){.kind = VALUE_INTEGERS, .code = code, .width = width, .is_signed = false},
                        x, y);
}

SourceValue *value_compare(SourceValues *values, SourceOpcode code, SourceType type, SourceValue *x, SourceValue *y)
{
    if (source_type_is_float(type))
        return value_float_compare(values, code, type, x, y);
    const bool is_signed = source_type_is_signed(type);
    switch (code) {
    case SO_EQ:
        return value_equal(values, x, y);
    case SO_NE:
        return value_not(values, value_equal(values, x, y));
    case SO_LT:
        return value_less(values, is_signed, x, y);
    case SO_GE:
        return value_not(values, value_less(values, is_signed, x, y));
    case SO_GT:
        return value_less(values, is_signed, y, x);
    default:
        return value_not(values, value_less(values, is_signed, y, x));
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

bool source_has_no_effects(const char *symbol)
{
    static const char *const names[] = {
        "sqrt", "exp",   "exp2",     "log",   "log2",  "log10", "log1p",     "expm1",  "sin",      "cos",
        "tan",  "tanh",  "sinh",     "cosh",  "asin",  "acos",  "atan",      "atan2",  "pow",      "fmin",
        "fmax", "floor", "ceil",     "trunc", "round", "rint",  "nearbyint", "fma",    "erf",      "erfc",
        "cbrt", "hypot", "copysign", "fmod",  "asinh", "acosh", "atanh",     "tgamma", "roundeven"};
    size_t length = strlen(symbol);
    if (length > 2 && symbol[length - 1] == 'f' && strcmp(symbol, "erf") != 0)
        length--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], symbol, length))
            return true;
    return false;
}

SourceValue *value_call(SourceValues *values, SourceType type, const char *symbol, int n, SourceValue **args)
{
    if (n == 1 && (!strcmp(symbol, "fabsf") || !strcmp(symbol, "fabs")) && type == args[0]->type)
        return value_float_unary(values, SO_ABS, type, args[0]);
    if (!source_type_is_float(type) || !source_has_no_effects(symbol))
        return NULL;
    for (int i = 0; i < n; i++)
        if (args[i]->width)
            return NULL;
    SourceValue key = {.kind = VALUE_CALL, .type = type, .n = n, .args = args};
    /* One pointer for one name.  */
    const SourceValue *name = value_symbol(values, SO_FUNCTION, symbol);
    key.what = name->what;
    key.number = name->number;
    return value_lookup(values, key);
}
