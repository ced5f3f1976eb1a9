/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * values-compare.c - comparisons of integers, and what they select, in their normal form.
 *
 *      (unsigned) x - 4 < 6      =>     !(x < 4) && x < 10
 *      n > 0 ? n : 0             =>     max (n, 0)
 */

#include <stdlib.h>

#include "source/values-compare.h"
#include "source/values-integers.h"
#include "source/values-table.h"

/* ---- comparisons of integers ------------------------------------------------------------------------------------- */

static int count_terms(const SourceValue *x)
{
    return x->kind == VALUE_SUM ? x->n : !is_integer(x);
}

/* Splits x - y into what is added and what is taken away, with the constant on the right. Exact sums without a common
   term stay: in parts of theirs the program may overflow.  */
static SourceValue *equal_sums(SourceValues *values, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    ValueTerms left = {.width = width}, right = {.width = width};
    SourceValue *difference = value_difference(values, x, y);
    const bool shifted = is_integer(y) && x->kind == VALUE_SUM && x->n == 1 && x->factors[0] == 1;
    if (value_is_exact(x) && value_is_exact(y) && !shifted &&
        count_terms(difference) == count_terms(x) + count_terms(y)) {
        const bool swap = !is_integer(y) && value_order(y, x) < 0;
        return value_of_two(values, (SourceValue){.kind = VALUE_EQ, .width = 1}, swap ? y : x, swap ? x : y);
    }
    if (difference->kind != VALUE_SUM)
        return is_integer(difference) ? value_integer(values, !difference->number, 1)
                                      : value_of_two(values, (SourceValue){.kind = VALUE_EQ, .width = 1}, difference,
                                                     value_integer(values, 0, width));
    /* The first term is on the left.  */
    const bool swap = sign(difference->factors[0], width) < 0;
    right.number = swap ? difference->number : -difference->number;
    for (int i = 0; i < difference->n; i++) {
        const uint64_t f = swap ? -difference->factors[i] : difference->factors[i];
        if (sign(f, width) < 0)
            value_terms_add(values, &right, difference->args[i], -f);
        else
            value_terms_add(values, &left, difference->args[i], f);
    }
    return value_of_two(values, (SourceValue){.kind = VALUE_EQ, .width = 1}, value_of_terms(values, &left),
                        value_of_terms(values, &right));
}

SourceValue *value_equal(SourceValues *values, SourceValue *x, SourceValue *y)
{
    if (is_integer(x)) {
        SourceValue *z = x;
        x = y;
        y = z;
    }
    const int width = x->width;
    if (is_integer(x) && is_integer(y))
        return used(values, RULE_FOLD, value_integer(values, x->number == y->number, 1));
    if (width == 1) {
        if (is_integer(y))
            return used(values, RULE_EQUAL_TRUTH, y->number ? x : value_not(values, x));
        return value_not(values, value_bitwise(values, SO_XOR, 1, x, y));
    }
    if (is_integer(y) && x->kind == VALUE_ZEXT && x->args[0]->width == 1)
        return used(values, RULE_EQUAL_TRUTH,
                    y->number == 1   ? x->args[0]
                    : y->number == 0 ? value_not(values, x->args[0])
                                     : value_integer(values, 0, 1));
    if (is_integer(y) && is_extended(x)) {
        const int inner = x->args[0]->width;
        return used(values, RULE_EQUAL_NARROW,
                    value_constant_fits(y, x->kind, inner)
                        ? value_equal(values, x->args[0], value_integer(values, y->number, inner))
                        : value_integer(values, 0, 1));
    }
    if (is_extended(x) && x->kind == y->kind && x->args[0]->width == y->args[0]->width)
        return used(values, RULE_EQUAL_NARROW, value_equal(values, x->args[0], y->args[0]));
    if (is_number(y, 0) && x->kind == VALUE_INTEGERS && x->code == SO_REM && is_integer(x->args[1])) {
        const int64_t d = x->is_signed ? value_signed(x->args[1]) : 0;
        const uint64_t n = (d < 0 ? -(uint64_t)d : x->args[1]->number) & mask(width);
        if (n && !(n & (n - 1)))
            return used(
                values, RULE_EQUAL_REMAINDER,
                value_equal(values,
                            value_bitwise(values, SO_AND, width, x->args[0], value_integer(values, n - 1, width)), y));
    }
    if (is_number(y, 0) && x->kind == VALUE_INTEGERS && x->code == SO_OR)
        return used(values, RULE_EQUAL_OR,
                    value_both(values, value_equal(values, x->args[0], y), value_equal(values, x->args[1], y)));
    if (x->kind == VALUE_SUM || y->kind == VALUE_SUM)
        return used(values, RULE_EQUAL_SUM, equal_sums(values, x, y));
    if (x == y)
        return used(values, RULE_FOLD, value_integer(values, 1, 1));
    if (!is_integer(y) && value_order(y, x) < 0)
        return value_of_two(values, (SourceValue){.kind = VALUE_EQ, .width = 1}, y, x);
    return value_of_two(values, (SourceValue){.kind = VALUE_EQ, .width = 1}, x, y);
}

/* x as atom + constant, if that is exact.  */
bool value_is_shifted(const SourceValue *x, SourceValue **atom, int64_t *constant)
{
    *atom = (SourceValue *)x;
    *constant = 0;
    if (x->kind != VALUE_SUM)
        return !is_integer(x);
    *atom = x->args[0];
    *constant = sign(x->number, x->width);
    return x->exact && x->n == 1 && x->factors[0] == 1;
}

SourceValue *value_atom_and(SourceValues *values, SourceValue *atom, int64_t constant)
{
    return value_add(values, atom->width, true, atom, 1, value_integer(values, (uint64_t)constant, atom->width));
}

/* Exact sums of which one term is the same: what remains must be one atom, or nothing.  */
static SourceValue *less_common(SourceValues *values, SourceValue *x, SourceValue *y)
{
    if (!value_is_exact(x) || !value_is_exact(y))
        return NULL;
    const int width = x->width;
    ValueTerms terms = {.width = width};
    value_terms_add_sum(values, &terms, x, 1);
    value_terms_add_sum(values, &terms, y, ~(uint64_t)0);
    const uint64_t cx = x->kind == VALUE_SUM ? x->number : 0, cy = y->kind == VALUE_SUM ? y->number : 0;
    const int before = (x->kind == VALUE_SUM ? x->n : 1) + (y->kind == VALUE_SUM ? y->n : 1);
    SourceValue *left = NULL, *right = NULL;
    int n = 0;
    for (int i = 0; i < terms.n; i++) {
        const int64_t f = sign(terms.factors[i], width);
        if (!f)
            continue;
        n++;
        if (f == 1 && !left)
            left = terms.args[i];
        else if (f == -1 && !right)
            right = terms.args[i];
        else
            return NULL;
    }
    if (n >= before || (cx & mask(width)) != (cy & mask(width)))
        return NULL;
    SourceValue *zero = value_integer(values, 0, width);
    return used(values, RULE_LESS_SUM, value_less(values, true, left ? left : zero, right ? right : zero));
}

static SourceValue *less_signed(SourceValues *values, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    const int64_t top = (int64_t)(mask(width) >> 1);
    SourceValue *a, *b;
    int64_t c, d;
    const bool ax = value_is_shifted(x, &a, &c), by = value_is_shifted(y, &b, &d);
    if (is_integer(y) && ax && c) {
        /* a + c < y */
        int64_t moved;
        if (__builtin_sub_overflow(value_signed(y), c, &moved) || moved > top || moved < -top - 1)
            return used(values, RULE_LESS_SHIFT, value_integer(values, c < 0, 1));
        return used(values, RULE_LESS_SHIFT,
                    value_less(values, true, a, value_integer(values, (uint64_t)moved, width)));
    }
    if (is_integer(y) && value_signed(y) == -top - 1)
        return used(values, RULE_LESS_RANGE, value_integer(values, 0, 1));
    if (is_integer(y))
        return NULL;
    SourceValue *common = less_common(values, x, y);
    if (common)
        return common;
    if (!ax || !by)
        return NULL;
    if (a == b)
        return used(values, RULE_LESS_SUM, value_integer(values, c < d, 1));
    if ((c > 0 && d > 0) || (c < 0 && d < 0)) {
        const int64_t less_by = llabs(c) < llabs(d) ? c : d;
        return used(
            values, RULE_LESS_SUM,
            value_less(values, true, value_atom_and(values, a, c - less_by), value_atom_and(values, b, d - less_by)));
    }
    if (!c && d > 0)
        return used(values, RULE_LESS_NEAREST,
                    value_not(values, value_less(values, true, value_atom_and(values, b, d - 1), a)));
    if (!d && c < 0)
        return used(values, RULE_LESS_NEAREST,
                    value_not(values, value_less(values, true, b, value_atom_and(values, a, c + 1))));
    return NULL;
}

static SourceValue *less_unsigned(SourceValues *values, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    if (is_number(x, 0))
        return used(values, RULE_LESS_ONE, value_not(values, value_equal(values, y, x)));
    if (is_number(y, 1))
        return used(values, RULE_LESS_ONE, value_equal(values, x, value_integer(values, 0, width)));
    if (is_number(y, 0))
        return used(values, RULE_LESS_RANGE, y->width == 1 ? y : value_integer(values, 0, 1));
    if (is_integer(y) && x->kind == VALUE_SUM && x->n == 1 && x->factors[0] == 1) {
        const int64_t low = sign(-x->number, width);
        const int64_t top = (int64_t)(mask(width) >> 1);
        /* c <= a < c + d, where c + d is no greater than the greatest signed number.  */
        if (y->number <= (uint64_t)top && low <= top - (int64_t)y->number) {
            SourceValue *a = x->args[0];
            return used(
                values, RULE_LESS_BETWEEN,
                value_both(values,
                           value_not(values, value_less(values, true, a, value_integer(values, (uint64_t)low, width))),
                           value_less(values, true, a, value_integer(values, (uint64_t)low + y->number, width))));
        }
    }
    return NULL;
}

SourceValue *value_less(SourceValues *values, bool is_signed, SourceValue *x, SourceValue *y)
{
    const int width = x->width;
    if (is_integer(x) && is_integer(y))
        return used(values, RULE_FOLD,
                    value_integer(values, is_signed ? value_signed(x) < value_signed(y) : x->number < y->number, 1));
    if (x == y)
        return used(values, RULE_FOLD, value_integer(values, 0, 1));
    if (width == 1)
        return value_both(values, value_not(values, x), y);
    const bool ex = is_extended(x), ey = is_extended(y);
    if (is_signed || !ex || x->kind == VALUE_ZEXT)
        if (ex && is_integer(y)) {
            const int inner = x->args[0]->width;
            const bool inner_signed = x->kind == VALUE_SEXT;
            if (value_constant_fits(y, x->kind, inner) && inner > 1)
                return used(values, RULE_LESS_NARROW,
                            value_less(values, inner_signed, x->args[0], value_integer(values, y->number, inner)));
            const int64_t low = inner_signed ? sign((uint64_t)1 << (inner - 1), inner) : 0;
            const bool below = is_signed && value_signed(y) <= low;
            if (inner > 1 || below)
                return used(values, RULE_LESS_RANGE, value_integer(values, !below, 1));
        }
    if (is_integer(x) && ey && (is_signed || y->kind == VALUE_ZEXT) &&
        value_constant_fits(x, y->kind, y->args[0]->width) && y->args[0]->width > 1)
        return used(
            values, RULE_LESS_NARROW,
            value_less(values, y->kind == VALUE_SEXT, value_integer(values, x->number, y->args[0]->width), y->args[0]));
    if (is_integer(x)) {
        /* c < y is !(y < c + 1) */
        const uint64_t greatest = is_signed ? mask(width) >> 1 : mask(width);
        if (x->number == greatest)
            return used(values, RULE_LESS_RANGE, value_integer(values, 0, 1));
        return used(values, RULE_LESS_CONSTANT,
                    value_not(values, value_less(values, is_signed, y, value_integer(values, x->number + 1, width))));
    }
    if (ex && ey && x->kind == y->kind && x->args[0]->width == y->args[0]->width &&
        (is_signed || x->kind == VALUE_ZEXT))
        return used(values, RULE_LESS_NARROW, value_less(values, x->kind == VALUE_SEXT, x->args[0], y->args[0]));
    SourceValue *made = is_signed ? less_signed(values, x, y) : less_unsigned(values, x, y);
    return made ? made
                : value_of_two(values, (SourceValue){.kind = VALUE_LT, .width = 1, .is_signed = is_signed}, x, y);
}

/* ---- select ------------------------------------------------------------------------------------------------------ */

/* c ? x : y of integers, where c is a < b: a minimum, a maximum, an absolute value, or NULL.  */
static SourceValue *select_order(SourceValues *values, const SourceValue *c, SourceValue *x, SourceValue *y)
{
    SourceValue *a = c->args[0], *b = c->args[1];
    const bool is_signed = c->is_signed;
    if (x->width != a->width)
        return NULL;
    if (x == a && y == b)
        return used(values, RULE_SELECT_MIN, value_least(values, SO_MIN, is_signed, a, b));
    if (x == b && y == a)
        return used(values, RULE_SELECT_MAX, value_least(values, SO_MAX, is_signed, a, b));
    if (is_integer(b)) {
        /* a < k + 1 is a <= k */
        SourceValue *k = value_integer(values, b->number - 1, b->width);
        if (x == a && y == k)
            return used(values, RULE_SELECT_MIN, value_least(values, SO_MIN, is_signed, a, k));
        if (x == k && y == a)
            return used(values, RULE_SELECT_MAX, value_least(values, SO_MAX, is_signed, a, k));
        const bool negated = x->kind == VALUE_SUM && x->exact && x == value_negative(values, y, y->width, true);
        if (is_signed && y == a && negated && b->number <= 1)
            return used(values, RULE_SELECT_ABS,
                        value_of_one(
                            values,
                            (SourceValue){.kind = VALUE_INTEGERS, .code = SO_ABS, .width = a->width, .is_signed = true},
                            a));
    }
    return NULL;
}

SourceValue *value_select(SourceValues *values, SourceValue *c, SourceValue *x, SourceValue *y)
{
    if (x == y)
        return used(values, RULE_SELECT_SAME, x);
    if (is_integer(c))
        return used(values, RULE_SELECT_CONSTANT, c->number ? x : y);
    if (c->kind == VALUE_NOT)
        return used(values, RULE_SELECT_NOT, value_select(values, c->args[0], y, x));
    if (x->width == 1) {
        if (is_integer(x))
            return used(values, RULE_SELECT_TRUTH,
                        x->number ? value_either(values, c, y) : value_both(values, value_not(values, c), y));
        if (is_integer(y))
            return used(values, RULE_SELECT_TRUTH,
                        y->number ? value_either(values, value_not(values, c), x) : value_both(values, c, x));
    }
    if (x->width > 1 && is_number(x, 1) && is_number(y, 0))
        return used(values, RULE_SELECT_ONE, value_extend(values, VALUE_ZEXT, c, x->width));
    if (x->width > 1 && is_number(x, 0) && is_number(y, 1))
        return used(values, RULE_SELECT_ONE, value_extend(values, VALUE_ZEXT, value_not(values, c), x->width));
    if (c->kind == VALUE_LT && x->width > 1) {
        SourceValue *made = select_order(values, c, x, y);
        if (made)
            return made;
    }
    if (x->kind == VALUE_SELECT && x->args[0] == c)
        return used(values, RULE_SELECT_AGAIN, value_select(values, c, x->args[1], y));
    if (y->kind == VALUE_SELECT && y->args[0] == c)
        return used(values, RULE_SELECT_AGAIN, value_select(values, c, x, y->args[2]));
    if (y->kind == VALUE_SELECT && y->args[1] == x)
        return used(values, RULE_SELECT_CHAIN,
                    value_select(values, value_either(values, c, y->args[0]), x, y->args[2]));
    if (y->kind == VALUE_SELECT && y->args[2] == x)
        return used(values, RULE_SELECT_CHAIN,
                    value_select(values, value_both(values, value_not(values, c), y->args[0]), y->args[1], x));
    if (x->kind == VALUE_SELECT && x->args[2] == y)
        return used(values, RULE_SELECT_CHAIN, value_select(values, value_both(values, c, x->args[0]), x->args[1], y));
    if (x->kind == VALUE_SELECT && x->args[1] == y)
        return used(values, RULE_SELECT_CHAIN,
                    value_select(values, value_both(values, c, value_not(values, x->args[0])), x->args[2], y));
    SourceValue *args[] = {c, x, y};
    SourceValue key = {
        .kind = VALUE_SELECT, .type = x->width ? ST_V : x->type, .width = x->width, .n = 3, .args = args};
    return value_lookup(values, key);
}
