/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values-integers.c - integers and truth values in their normal form.
 *
 *      (i + 1) * 4 - i           =>     3 * i + 4
 *      (long) (i + 1)            =>     (long) i + 1, where i + 1 does not overflow
 */
#include <string.h>

#include "source/values-compare.h"
#include "source/values-integers.h"
#include "source/values-table.h"

enum { PRODUCTS = 36 /* of a distributed product at most */ };

/* ---- sums and products ------------------------------------------------------------------------------------------- */

/* x + y and x * y modulo 2^64; where mathematics has another number, the sum is not exact.  */
static uint64_t plus(ValueTerms *terms, uint64_t x, uint64_t y)
{
    int64_t sum;
    if (__builtin_add_overflow((int64_t)x, (int64_t)y, &sum))
        terms->exact = false;
    return (uint64_t)sum;
}

static uint64_t times(ValueTerms *terms, uint64_t x, uint64_t y)
{
    int64_t made;
    if (__builtin_mul_overflow((int64_t)x, (int64_t)y, &made))
        terms->exact = false;
    return (uint64_t)made;
}

void value_terms_add(SourceValues *values, ValueTerms *terms, SourceValue *x, uint64_t factor)
{
    for (int i = 0; i < terms->n; i++)
        if (terms->args[i] == x) {
            terms->factors[i] = plus(terms, terms->factors[i], factor);
            return;
        }
    terms->args = arena_grow(values->module, terms->args, terms->n, sizeof *terms->args);
    terms->factors = arena_grow(values->module, terms->factors, terms->n, sizeof *terms->factors);
    terms->args[terms->n] = x;
    terms->factors[terms->n++] = factor;
}

void value_terms_add_sum(SourceValues *values, ValueTerms *terms, const SourceValue *x, uint64_t factor)
{
    if (is_integer(x)) {
        const uint64_t number = x->width == 1 ? x->number : (uint64_t)value_signed(x);
        terms->number = plus(terms, terms->number, times(terms, factor, number));
    } else if (x->kind == VALUE_SUM) {
        const uint64_t number = (uint64_t)sign(x->number, x->width);
        terms->number = plus(terms, terms->number, times(terms, factor, number));
        for (int i = 0; i < x->n; i++)
            value_terms_add(values, terms, x->args[i], times(terms, factor, (uint64_t)sign(x->factors[i], x->width)));
    } else
        value_terms_add(values, terms, (SourceValue *)x, factor);
}

bool value_is_exact(const SourceValue *x)
{
    return (x->kind != VALUE_SUM && x->kind != VALUE_PRODUCT) || x->exact;
}

/* Is this the factor of mathematics, too, and not the rest of it modulo 2^width? plus () and times () see to 64 bits.
   The least number is left out, as it has no opposite.  */
static bool is_small(uint64_t factor, int width)
{
    return width < 64 ? sign(factor, width) == (int64_t)factor : factor != (uint64_t)1 << 63;
}

SourceValue *value_of_terms(SourceValues *values, ValueTerms *terms)
{
    int n = 0;
    const uint64_t m = mask(terms->width);
    bool exact = terms->exact && is_small(terms->number, terms->width);
    for (int i = 0; i < terms->n; i++)
        exact &= is_small(terms->factors[i], terms->width);
    for (int i = 0; i < terms->n; i++)
        if (terms->factors[i] & m) {
            terms->args[n] = terms->args[i];
            terms->factors[n++] = terms->factors[i] & m;
        }
    terms->n = n;
    terms->number &= m;
    if (!n)
        return value_integer(values, terms->number, terms->width);
    if (n == 1 && !terms->number && terms->factors[0] == 1)
        return terms->args[0];
    for (int i = 1; i < n; i++)
        for (int k = i; k && value_order(terms->args[k], terms->args[k - 1]) < 0; k--) {
            SourceValue *x = terms->args[k];
            const uint64_t f = terms->factors[k];
            terms->args[k] = terms->args[k - 1];
            terms->factors[k] = terms->factors[k - 1];
            terms->args[k - 1] = x;
            terms->factors[k - 1] = f;
        }
    return value_lookup(values, (SourceValue){.kind = VALUE_SUM,
                                              .width = terms->width,
                                              .exact = exact,
                                              .number = terms->number,
                                              .n = n,
                                              .args = terms->args,
                                              .factors = terms->factors});
}

SourceValue *value_add(SourceValues *values, int width, bool is_signed, SourceValue *x, uint64_t factor, SourceValue *y)
{
    ValueTerms terms = {.width = width, .exact = is_signed && value_is_exact(x) && value_is_exact(y)};
    if (is_integer(x) && is_integer(y))
        values->applied[RULE_FOLD]++;
    else if (x->kind == VALUE_SUM || y->kind == VALUE_SUM || x == y)
        values->applied[RULE_SUM]++;
    value_terms_add_sum(values, &terms, x, 1);
    value_terms_add_sum(values, &terms, y, factor);
    return value_of_terms(values, &terms);
}

/* x * y of two values that are no sums and no constants.  */
static SourceValue *product(SourceValues *values, int width, bool exact, SourceValue *x, SourceValue *y)
{
    const int nx = x->kind == VALUE_PRODUCT ? x->n : 1, ny = y->kind == VALUE_PRODUCT ? y->n : 1;
    if (nx + ny > 2)
        values->applied[RULE_PRODUCT]++;
    SourceValue **args = arena_alloc(values->module, (size_t)(nx + ny) * sizeof *args);
    memcpy(args, x->kind == VALUE_PRODUCT ? x->args : &x, (size_t)nx * sizeof *args);
    memcpy(args + nx, y->kind == VALUE_PRODUCT ? y->args : &y, (size_t)ny * sizeof *args);
    for (int i = 1; i < nx + ny; i++)
        for (int k = i; k && value_order(args[k], args[k - 1]) < 0; k--) {
            SourceValue *z = args[k];
            args[k] = args[k - 1];
            args[k - 1] = z;
        }
    return value_lookup(
        values, (SourceValue){.kind = VALUE_PRODUCT, .width = width, .exact = exact, .n = nx + ny, .args = args});
}

SourceValue *value_multiply(SourceValues *values, int width, bool is_signed, SourceValue *x, SourceValue *y)
{
    ValueTerms terms = {.width = width, .exact = is_signed && value_is_exact(x) && value_is_exact(y)};
    if (is_integer(x)) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    if (is_integer(y)) {
        values->applied[is_integer(x) ? RULE_FOLD : RULE_SUM]++;
        value_terms_add_sum(values, &terms, x, (uint64_t)value_signed(y));
        return value_of_terms(values, &terms);
    }
    if (x->kind != VALUE_SUM && y->kind != VALUE_SUM)
        return product(values, width, terms.exact, x, y);
    const int nx = x->kind == VALUE_SUM ? x->n : 1, ny = y->kind == VALUE_SUM ? y->n : 1;
    if ((nx + 1) * (ny + 1) > PRODUCTS)
        return product(values, width, terms.exact, x, y);
    values->applied[RULE_DISTRIBUTE]++;
    const uint64_t cx = x->kind == VALUE_SUM ? (uint64_t)sign(x->number, width) : 0;
    const uint64_t cy = y->kind == VALUE_SUM ? (uint64_t)sign(y->number, width) : 0;
    terms.number = times(&terms, cx, cy);
    for (int i = 0; i < nx; i++) {
        SourceValue *a = x->kind == VALUE_SUM ? x->args[i] : x;
        const uint64_t f = x->kind == VALUE_SUM ? (uint64_t)sign(x->factors[i], width) : 1;
        value_terms_add(values, &terms, a, times(&terms, f, cy));
        for (int k = 0; k < ny; k++)
            value_terms_add(values, &terms,
                            product(values, width, terms.exact, a, y->kind == VALUE_SUM ? y->args[k] : y),
                            times(&terms, f, y->kind == VALUE_SUM ? (uint64_t)sign(y->factors[k], width) : 1));
    }
    for (int k = 0; k < ny; k++)
        value_terms_add(values, &terms, y->kind == VALUE_SUM ? y->args[k] : y,
                        times(&terms, cx, y->kind == VALUE_SUM ? (uint64_t)sign(y->factors[k], width) : 1));
    return value_of_terms(values, &terms);
}

SourceValue *value_negative(SourceValues *values, SourceValue *x, int width, bool is_signed)
{
    return value_add(values, width, is_signed, value_integer(values, 0, width), ~(uint64_t)0, x);
}

SourceValue *value_difference(SourceValues *values, SourceValue *x, SourceValue *y)
{
    return value_add(values, x->width, false, x, ~(uint64_t)0, y);
}

/* ---- widths ------------------------------------------------------------------------------------------------------ */

static SourceValue *extended_from(SourceValue *made, SourceValue *narrow)
{
    if ((made->kind == VALUE_SUM || made->kind == VALUE_PRODUCT) && !made->made_wide)
        made->narrow = narrow;
    return made;
}

SourceValue *value_extend(SourceValues *values, ValueKind kind, SourceValue *x, int width)
{
    if (x->width == width)
        return x;
    if (is_integer(x))
        return used(values, RULE_FOLD,
                    value_integer(values, kind == VALUE_SEXT ? (uint64_t)value_signed(x) : x->number, width));
    if (x->kind == VALUE_ZEXT)
        return used(values, kind == VALUE_SEXT ? RULE_SEXT_ZEXT : RULE_EXTEND_TWICE,
                    value_extend(values, VALUE_ZEXT, x->args[0], width));
    if (kind == VALUE_SEXT && x->kind == VALUE_SEXT)
        return used(values, RULE_EXTEND_TWICE, value_extend(values, VALUE_SEXT, x->args[0], width));
    if (kind == VALUE_SEXT && x->kind == VALUE_SUM && x->exact) {
        ValueTerms terms = {.width = width, .exact = true, .number = (uint64_t)sign(x->number, x->width)};
        for (int i = 0; i < x->n; i++)
            value_terms_add_sum(values, &terms, value_extend(values, kind, x->args[i], width),
                                (uint64_t)sign(x->factors[i], x->width));
        return used(values, RULE_SEXT_SUM, extended_from(value_of_terms(values, &terms), x));
    }
    if (kind == VALUE_SEXT && x->kind == VALUE_PRODUCT && x->exact) {
        SourceValue *made = value_extend(values, kind, x->args[0], width);
        for (int i = 1; i < x->n; i++)
            made = value_multiply(values, width, true, made, value_extend(values, kind, x->args[i], width));
        return used(values, RULE_SEXT_PRODUCT, extended_from(made, x));
    }
    if (kind == VALUE_SEXT && x->kind == VALUE_INTEGERS && (x->code == SO_MIN || x->code == SO_MAX) && x->is_signed)
        return used(values, RULE_SEXT_MIN,
                    value_least(values, x->code, true, value_extend(values, kind, x->args[0], width),
                                value_extend(values, kind, x->args[1], width)));
    if (kind == VALUE_SEXT && x->kind == VALUE_INTEGERS && x->code == SO_AND &&
        ((is_integer(x->args[0]) && value_signed(x->args[0]) >= 0) ||
         (is_integer(x->args[1]) && value_signed(x->args[1]) >= 0)))
        return used(values, RULE_SEXT_AND, value_extend(values, VALUE_ZEXT, x, width));
    return value_of_one(values, (SourceValue){.kind = kind, .width = width}, x);
}

SourceValue *value_truncate(SourceValues *values, SourceValue *x, int width)
{
    if (x->width == width)
        return x;
    if (is_integer(x))
        return used(values, RULE_FOLD, value_integer(values, x->number, width));
    if (is_extended(x)) {
        SourceValue *inner = x->args[0];
        values->applied[RULE_TRUNCATE_EXTENDED]++;
        return inner->width >= width ? value_truncate(values, inner, width)
                                     : value_extend(values, x->kind, inner, width);
    }
    if (x->kind == VALUE_TRUNC)
        return used(values, RULE_TRUNCATE_TWICE, value_truncate(values, x->args[0], width));
    if (x->kind == VALUE_SUM) {
        ValueTerms terms = {.width = width, .number = x->number};
        for (int i = 0; i < x->n; i++)
            value_terms_add_sum(values, &terms, value_truncate(values, x->args[i], width), x->factors[i]);
        return used(values, RULE_TRUNCATE_SUM, value_of_terms(values, &terms));
    }
    if (x->kind == VALUE_PRODUCT) {
        SourceValue *made = value_truncate(values, x->args[0], width);
        for (int i = 1; i < x->n; i++)
            made = value_multiply(values, width, false, made, value_truncate(values, x->args[i], width));
        return used(values, RULE_TRUNCATE_PRODUCT, made);
    }
    if (x->kind == VALUE_INTEGERS && (x->code == SO_AND || x->code == SO_OR || x->code == SO_XOR))
        return used(values, RULE_TRUNCATE_BITS,
                    value_bitwise(values, x->code, width, value_truncate(values, x->args[0], width),
                                  value_truncate(values, x->args[1], width)));
    if (x->kind == VALUE_SELECT)
        return used(values, RULE_TRUNCATE_SELECT,
                    value_select(values, x->args[0], value_truncate(values, x->args[1], width),
                                 value_truncate(values, x->args[2], width)));
    return value_of_one(values, (SourceValue){.kind = VALUE_TRUNC, .width = width}, x);
}

/* Does the constant fit `width` bits, to be extended by this kind?  */
bool value_constant_fits(const SourceValue *constant, ValueKind kind, int width)
{
    if (kind == VALUE_ZEXT)
        return constant->number <= mask(width);
    return sign(constant->number, width) == value_signed(constant) && constant->width > width;
}

/* ---- truth ------------------------------------------------------------------------------------------------------- */

SourceValue *value_not(SourceValues *values, SourceValue *x)
{
    if (is_integer(x))
        return used(values, RULE_FOLD, value_integer(values, !x->number, 1));
    if (x->kind == VALUE_NOT)
        return used(values, RULE_NOT_TWICE, x->args[0]);
    return value_of_one(values, (SourceValue){.kind = VALUE_NOT, .width = 1}, x);
}

SourceValue *value_both(SourceValues *values, SourceValue *x, SourceValue *y)
{
    SourceValue *parts[2] = {x, y};
    int room = 0, n = 0;
    for (int i = 0; i < 2; i++)
        room += parts[i]->kind == VALUE_ALL ? parts[i]->n : 1;
    SourceValue **args = arena_alloc(values->module, (size_t)room * sizeof *args);
    bool rule = false;
    for (int i = 0; i < 2; i++) {
        const bool all = parts[i]->kind == VALUE_ALL;
        for (int k = 0; k < (all ? parts[i]->n : 1); k++) {
            SourceValue *part = all ? parts[i]->args[k] : parts[i];
            if (is_number(part, 0))
                return used(values, RULE_ALL, part);
            bool there = is_integer(part);
            for (int j = 0; j < n; j++)
                there |= args[j] == part;
            rule |= there;
            if (!there)
                args[n++] = part;
        }
    }
    for (int i = 0; i < n; i++) {
        SourceValue *opposite = value_not(values, args[i]);
        for (int k = 0; k < n; k++)
            if (args[k] == opposite)
                return used(values, RULE_ALL, value_integer(values, 0, 1));
    }
    if (rule)
        values->applied[RULE_ALL]++;
    if (n < 2)
        return n ? args[0] : value_integer(values, 1, 1);
    for (int i = 1; i < n; i++)
        for (int k = i; k && value_order(args[k], args[k - 1]) < 0; k--) {
            SourceValue *z = args[k];
            args[k] = args[k - 1];
            args[k - 1] = z;
        }
    return value_lookup(values, (SourceValue){.kind = VALUE_ALL, .width = 1, .n = n, .args = args});
}

SourceValue *value_either(SourceValues *values, SourceValue *x, SourceValue *y)
{
    return used(values, RULE_OR, value_not(values, value_both(values, value_not(values, x), value_not(values, y))));
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

SourceValue *value_bitwise(SourceValues *values, SourceOpcode code, int width, SourceValue *x, SourceValue *y)
{
    if (value_order(y, x) < 0) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    /* A constant is the second one.  */
    if (is_integer(x) && is_integer(y))
        return used(values, RULE_FOLD,
                    value_integer(values,
                                  code == SO_AND  ? x->number & y->number
                                  : code == SO_OR ? x->number | y->number
                                                  : x->number ^ y->number,
                                  width));
    if (width == 1) {
        if (code == SO_AND)
            return value_both(values, x, y);
        if (code == SO_OR)
            return value_either(values, x, y);
        if (is_integer(y))
            return used(values, RULE_XOR_CONSTANT, y->number ? value_not(values, x) : x);
    }
    if (x == y)
        return used(values, RULE_BITS_SAME, code == SO_XOR ? value_integer(values, 0, width) : x);
    if (is_number(y, 0))
        return used(values, RULE_BITS_CONSTANT, code == SO_AND ? y : x);
    if (is_number(y, ~(uint64_t)0)) {
        if (code == SO_XOR)
            return used(values, RULE_BITS_COMPLEMENT, value_add(values, width, true, y, ~(uint64_t)0, x));
        return used(values, RULE_BITS_CONSTANT, code == SO_AND ? x : y);
    }
    if (is_integer(y) && is_extended(x) && (x->args[0]->width > 1 || code == SO_AND)) {
        const int inner = x->args[0]->width;
        const ValueKind kind = x->kind;
        /* Of a sign that a mask cuts off nothing remains.  */
        if (code == SO_AND && y->number <= mask(inner) && (kind == VALUE_ZEXT || !(y->number >> (inner - 1) & 1)))
            return used(
                values, RULE_BITS_NARROW,
                value_extend(values, VALUE_ZEXT,
                             value_bitwise(values, code, inner, x->args[0], value_integer(values, y->number, inner)),
                             width));
        if (inner > 1 && value_constant_fits(y, kind, inner))
            return used(
                values, RULE_BITS_NARROW,
                value_extend(values, kind,
                             value_bitwise(values, code, inner, x->args[0], value_integer(values, y->number, inner)),
                             width));
    }
    if (is_extended(x) && x->kind == y->kind && x->args[0]->width == y->args[0]->width)
        return used(values, RULE_BITS_NARROW,
                    value_extend(values, x->kind,
                                 value_bitwise(values, code, x->args[0]->width, x->args[0], y->args[0]), width));
    return value_of_two(values, (SourceValue){.kind = VALUE_INTEGERS, .code = code, .width = width}, x, y);
}

/* ---- the rest of integers ---------------------------------------------------------------------------------------- */

SourceValue *value_least(SourceValues *values, SourceOpcode code, bool is_signed, SourceValue *x, SourceValue *y)
{
    if (value_order(y, x) < 0) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    const int width = x->width;
    if (x == y)
        return used(values, RULE_MIN_SAME, x);
    if (is_integer(x) && is_integer(y)) {
        const bool first = is_signed ? value_signed(x) < value_signed(y) : x->number < y->number;
        return used(values, RULE_FOLD, first == (code == SO_MIN) ? x : y);
    }
    SourceValue *a;
    int64_t c, moved;
    const int64_t top = (int64_t)(mask(width) >> 1);
    if (is_signed && is_integer(y) && value_is_shifted(x, &a, &c) && c &&
        !__builtin_sub_overflow(value_signed(y), c, &moved) && moved <= top && moved >= -top - 1)
        return used(values, RULE_MIN_SUM,
                    value_atom_and(
                        values, value_least(values, code, true, a, value_integer(values, (uint64_t)moved, width)), c));
    return value_of_two(
        values, (SourceValue){.kind = VALUE_INTEGERS, .code = code, .width = width, .is_signed = is_signed}, x, y);
}

SourceValue *value_shift_right(SourceValues *values, bool is_signed, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    if (is_number(y, 0))
        return used(values, RULE_SHIFT_ZERO, x);
    if (is_integer(x) && is_integer(y) && y->number < (uint64_t)width)
        return used(values, RULE_FOLD,
                    value_integer(values, is_signed ? (uint64_t)(value_signed(x) >> y->number) : x->number >> y->number,
                                  width));
    if (x->kind == VALUE_ZEXT && is_integer(y) && y->number < (uint64_t)width) {
        SourceValue *inner = x->args[0];
        if (inner->width > 1 && y->number < (uint64_t)inner->width)
            return used(
                values, RULE_SHIFT_ZEXT,
                value_extend(values, VALUE_ZEXT,
                             value_shift_right(values, false, inner, value_integer(values, y->number, inner->width)),
                             width));
        return used(values, RULE_SHIFT_ZEXT, value_integer(values, 0, width));
    }
    return value_of_two(
        values, (SourceValue){.kind = VALUE_INTEGERS, .code = SO_SHR, .width = width, .is_signed = is_signed}, x, y);
}

static int log_of(uint64_t n)
{
    int k = 0;
    while (n >> k > 1)
        k++;
    return k;
}

SourceValue *value_divide(SourceValues *values, SourceOpcode code, bool is_signed, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    const SourceValue key = {.kind = VALUE_INTEGERS, .code = code, .width = width, .is_signed = is_signed};
    if (!is_integer(y) || !y->number)
        return value_of_two(values, key, x, y);
    const int64_t d = value_signed(y);
    if (is_number(y, 1))
        return used(values, RULE_DIVIDE_ONE, code == SO_DIV ? x : value_integer(values, 0, width));
    if (is_integer(x) && !(is_signed && d == -1)) {
        uint64_t q;
        if (is_signed)
            q = (uint64_t)(code == SO_DIV ? value_signed(x) / d : value_signed(x) % d);
        else
            q = code == SO_DIV ? x->number / y->number : x->number % y->number;
        return used(values, RULE_FOLD, value_integer(values, q, width));
    }
    if (is_extended(x) && x->args[0]->width > 1 && (x->kind == VALUE_ZEXT || is_signed)) {
        const int inner = x->args[0]->width;
        const bool positive = !is_signed || d > 0;
        if (positive && value_constant_fits(y, x->kind, inner))
            return used(values, RULE_DIVIDE_NARROW,
                        value_extend(values, x->kind,
                                     value_divide(values, code, x->kind == VALUE_SEXT, x->args[0],
                                                  value_integer(values, y->number, inner)),
                                     width));
    }
    if (!is_signed && !(y->number & (y->number - 1)))
        return used(values, RULE_DIVIDE_POWER,
                    code == SO_DIV
                        ? value_shift_right(values, false, x, value_integer(values, (uint64_t)log_of(y->number), width))
                        : value_bitwise(values, SO_AND, width, x, value_integer(values, y->number - 1, width)));
    if (is_signed && d < -1 && value_signed(y) != sign((uint64_t)1 << (width - 1), width) && code == SO_DIV)
        return used(values, RULE_DIVIDE_NEGATIVE,
                    value_negative(values,
                                   value_divide(values, code, true, x, value_integer(values, (uint64_t)-d, width)),
                                   width, true));
    return value_of_two(values, key, x, y);
}
