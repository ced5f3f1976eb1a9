/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-strides.c - what an array's dimensions are: the factors of loops' counters in its subscripts.
 */
#include "language/plain-memory.h"

static int degree(const Poly *x)
{
    int most = 0;
    for (int i = 0; i < x->count; i++)
        most = x->terms[i].count > most ? x->terms[i].count : most;
    return most;
}

static const Term *leading(const Poly *x)
{
    const Term *best = &x->terms[0];
    for (int i = 1; i < x->count; i++)
        if (x->terms[i].count > best->count)
            best = &x->terms[i];
    return best;
}

static bool larger(const Poly *x, const Poly *y)
{
    if (degree(x) != degree(y))
        return degree(x) > degree(y);
    return leading(x)->factor > leading(y)->factor;
}

static bool is_among(const Poly *strides, int count, const Poly *stride)
{
    for (int i = 0; i < count; i++)
        if (poly_same(&strides[i], stride))
            return true;
    return false;
}

static bool has_stride(const Group *group, const Poly *stride)
{
    return is_among(group->stride, group->rank, stride);
}

bool strides_are_same(const Group *x, const Group *y)
{
    bool same = x->rank == y->rank;
    for (int i = 0; i < x->rank && same; i++)
        same = poly_same(&x->stride[i], &y->stride[i]);
    return same;
}

bool stride_add(Group *group, const Poly *stride)
{
    if (has_stride(group, stride))
        return true;
    if (group->rank == MAX_RANK)
        return false;
    int at = group->rank++;
    for (; at > 0 && larger(stride, &group->stride[at - 1]); at--)
        group->stride[at] = group->stride[at - 1];
    group->stride[at] = *stride;
    return true;
}

/* Each of its terms is a stride by itself: x[i * n + i], where there is x[i * n + j], too.  */
static bool is_composed(const Group *group, const Poly *stride)
{
    for (int i = 0; i < stride->count; i++) {
        Poly single = poly_constant(0);
        single.count = 1;
        single.terms[0] = stride->terms[i];
        if (!has_stride(group, &single))
            return false;
    }
    return true;
}

bool stride_is_positive(const Poly *stride)
{
    for (int i = 0; i < stride->count; i++)
        if (stride->terms[i].factor < 0)
            return false;
    return stride->count > 0;
}

int64_t common_divisor(int64_t x, int64_t y)
{
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x < 0 ? -x : x;
}

static bool has_counter(const Nest *in, const Term *term)
{
    for (int i = 0; i < term->count; i++)
        if (loop_of(in, term->values[i]) >= 0)
            return true;
    return false;
}

/* Of a loop that goes down by 3 rows the stride is a row: where it begins need not be a multiple of three.  */
static void drop_step(const Nest *in, Poly *stride, const Poly *start)
{
    int64_t all = 0, common = 0;
    Term by = *leading(stride);
    by.factor = 1;
    for (int i = 0; i < stride->count; i++)
        all = common = common_divisor(common, stride->terms[i].factor);
    for (int i = 0; i < start->count; i++) {
        Poly term = poly_constant(0), rest;
        term.count = 1;
        term.terms[0] = start->terms[i];
        poly_divide(&term, &by, &rest);
        if (!rest.count && start->terms[i].count && !has_counter(in, &start->terms[i]))
            common = common_divisor(common, start->terms[i].factor);
    }
    for (int i = 0; i < stride->count && all; i++)
        stride->terms[i].factor = stride->terms[i].factor / all * common;
}

/* for (k = i; ...; k += n): the steps are no dimension, but go along that of i.  */
static bool starts_along_an_axis(const Nest *in, const Loop *loop)
{
    Poly factor, start;
    if (!loop->index || !poly_split(&loop->along, loop->iv, &factor, &start))
        return false;
    for (int i = 0; i < start.count; i++)
        for (int k = 0; k < start.terms[i].count; k++)
            if (axes_of(in, start.terms[i].values[k]))
                return true;
    return false;
}

bool strides_take(Nest *in, Group *group, const Poly *offset, bool composed)
{
    FOR_LOOPS (i, in) {
        Poly factor, rest, zero = poly_constant(0);
        if (!poly_has(offset, in->loops[i].iv) || !poly_split(offset, in->loops[i].iv, &factor, &rest) ||
            starts_along_an_axis(in, &in->loops[i]))
            continue;
        if (!stride_is_positive(&factor)) {
            factor = poly_add(&zero, &factor, -1);
            if (!is_axis(in, i))
                drop_step(in, &factor, &rest);
        }
        if (!stride_is_positive(&factor) || !poly_is_fixed(in, &factor))
            continue;
        if ((factor.count > 1) != composed || (composed && is_composed(group, &factor)))
            continue;
        if (!stride_add(group, &factor))
            return false;
        if (is_axis(in, i) && group->nkept < MAX_RANK && !is_among(group->kept, group->nkept, &factor))
            group->kept[group->nkept++] = factor;
    }
    return true;
}

static int64_t constant_of(const Poly *x)
{
    for (int i = 0; i < x->count; i++)
        if (!x->terms[i].count)
            return x->terms[i].factor;
    return 0;
}

Poly stride_divide(const Poly *x, const Poly *stride, Quotient rounding, Poly *rest)
{
    Poly quotient = poly_divide(x, leading(stride), rest), one = poly_constant(1);
    int64_t left = constant_of(rest), whole = constant_of(x);
    bool below = left < 0 && (rounding == QUOTIENT_DOWN || (rounding == QUOTIENT_TO_ZERO && whole > 0));
    bool above = left > 0 && rounding == QUOTIENT_TO_ZERO && whole < 0;
    if (below || above) {
        quotient = poly_add(&quotient, &one, below ? -1 : 1);
        *rest = poly_add(rest, stride, below ? 1 : -1);
    }
    if (stride->count > 1) {
        Poly product = poly_multiply(&quotient, stride);
        *rest = poly_add(x, &product, -1);
    }
    return quotient;
}

/* It belongs to no coordinate of an inner dimension: it is as large as a row, or a row has so many elements as a number
   says.  */
static bool is_beyond_row(const Nest *in, const Term *term, const Poly *row)
{
    const Term *most = leading(row);
    int64_t number;
    Poly single = poly_constant(0), rest;
    single.count = 1;
    single.terms[0] = *term;
    if (!term->count || !poly_is_fixed(in, &single))
        return false;
    if (poly_is_constant(row, &number))
        return true;
    Term values = *most;
    values.factor = 1;
    poly_divide(&single, &values, &rest);
    return !rest.count && (term->count > most->count || term->factor >= most->factor || term->factor < 0);
}

/* Less a number, where no counter moves along the row: x[st * i + left - base].  */
static bool is_behind_number(const Nest *in, const Poly *inner)
{
    bool less = false;
    for (int i = 0; i < inner->count; i++)
        less |= inner->terms[i].count && inner->terms[i].factor < 0;
    return less && poly_is_fixed(in, inner);
}

static bool has_beyond_row(const Nest *in, const Group *group, Poly offset)
{
    for (int dim = 0; dim + 1 < group->rank; dim++) {
        Poly rest, inner, left;
        stride_divide(&offset, &group->stride[dim], QUOTIENT_NEAREST, &rest);
        inner = rest;
        if (dim + 2 < group->rank)
            inner = stride_divide(&rest, &group->stride[dim + 1], QUOTIENT_NEAREST, &left);
        for (int i = 0; i < inner.count; i++)
            if (is_beyond_row(in, &inner.terms[i], &group->stride[dim]))
                return true;
        if (dim + 2 == group->rank && is_behind_number(in, &inner))
            return true;
        offset = rest;
    }
    return false;
}

/* So many rows, or elements of a row, as a number says.  */
static bool is_of_dimension(const Group *group, const Poly *single)
{
    int64_t number;
    for (int dim = 0; dim < group->rank; dim++) {
        Poly rest;
        if (group->stride[dim].count != 1)
            continue;
        Poly times = poly_divide(single, &group->stride[dim].terms[0], &rest);
        if (!rest.count && poly_is_constant(&times, &number))
            return true;
    }
    return false;
}

Poly strides_beyond_rows(const Nest *in, const Group *group, const Poly *offset)
{
    Poly sum = poly_constant(0);
    if (!has_beyond_row(in, group, *offset))
        return sum;
    for (int i = 0; i < offset->count; i++) {
        Poly single = poly_constant(0);
        single.count = 1;
        single.terms[0] = offset->terms[i];
        if (single.terms[0].count && poly_is_fixed(in, &single) && !is_of_dimension(group, &single))
            sum = poly_add(&sum, &single, 1);
    }
    return sum;
}

static void drop(Group *group, int dim)
{
    group->rank--;
    for (int i = dim; i < group->rank; i++)
        group->stride[i] = group->stride[i + 1];
}

static bool is_multiple(const Poly *x, const Poly *of)
{
    int64_t times = leading(x)->factor / leading(of)->factor;
    Poly zero = poly_constant(0), product = poly_add(&zero, of, times);
    return times > 1 && poly_same(&product, x);
}

/* An array that is stored is one tensor for all subscripts.  Where one has rows and another every third row, rows do
   for both, unless a tile has every third row.  */
void strides_drop_multiples(Group *group)
{
    for (int i = 0; i < group->rank; i++) {
        bool multiple = false;
        for (int k = i + 1; k < group->rank; k++)
            multiple |= degree(&group->stride[k]) > 0 && is_multiple(&group->stride[i], &group->stride[k]);
        if (multiple && !is_among(group->kept, group->nkept, &group->stride[i]))
            drop(group, i--);
    }
}

/* x[i][i] in an array that is stored moves along two dimensions, where there is x[i][j], too.  */
void strides_drop_sums(Group *group)
{
    for (int i = 0; i < group->rank; i++) {
        bool sum = false;
        for (int k = i + 1; k < group->rank; k++)
            for (int l = k + 1; l < group->rank; l++) {
                Poly both = poly_add(&group->stride[k], &group->stride[l], 1);
                sum |= poly_same(&both, &group->stride[i]);
            }
        if (sum)
            drop(group, i--);
    }
}
