/* SPDX-License-Identifier: MIT */
/*
 * overlap.c - do tensors of a launch overlap, or one of them itself?
 *
 * What is stored may overlap nothing else.  Tensors of the same strides are compared exactly; of others each is taken
 * for all that lies between its first element and its last, or in one window of a period.
 */
#include "checks.h"

/* Dimensions by falling stride: heads may be interleaved.  */
static void sort_dimensions(const ws_emulate_tensor *t, int *order)
{
    for (int i = 0; i < t->rank; i++) {
        int at = i;
        for (; at > 0 && t->stride[order[at - 1]] < t->stride[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Is there an element of x and one of y with offset (x) - offset (y) = d, both of strides x->stride, in the
   dimensions of order from `place` on?  Strides nest, so in each dimension only the quotient and the one above it
   can begin such a difference.  */
static bool overlap(const ws_emulate_tensor *x, const ws_emulate_tensor *y, const int *order, int place, long d)
{
    if (place == x->rank)
        return d == 0;
    int dimension = order[place];
    long stride = x->stride[dimension];
    long quotient = d / stride - (d % stride < 0);
    for (long q = quotient; q <= quotient + 1; q++)
        if (q < x->extent[dimension] && -q < y->extent[dimension] && overlap(x, y, order, place + 1, d - q * stride))
            return true;
    return false;
}

/* Each row ends before the next begins, in every dimension.  */
static bool nests(const ws_emulate_tensor *t, const int *order)
{
    long inner = 1;
    for (int place = t->rank - 1; place >= 0; place--) {
        int i = order[place];
        if (t->extent[i] > 1 && t->stride[i] < inner)
            return false;
        if (t->extent[i] > 1)
            inner = t->stride[i] * (t->extent[i] - 1) + inner;
    }
    return true;
}

static bool overlaps_itself(const ws_emulate_tensor *t)
{
    int order[4];
    sort_dimensions(t, order);
    return !ws_emulate_is_empty(t) && !nests(t, order);
}

static bool same_strides(const ws_emulate_tensor *x, const ws_emulate_tensor *y)
{
    if (x->rank != y->rank || x->size != y->size || (x->base - y->base) % x->size)
        return false;
    for (int i = 0; i < x->rank; i++)
        if (x->stride[i] != y->stride[i] || x->stride[i] == 0)
            return false;
    return true;
}

bool ws_emulate_same_view(const ws_emulate_tensor *x, const ws_emulate_tensor *y)
{
    if (x->base != y->base || !same_strides(x, y))
        return false;
    for (int i = 0; i < x->rank; i++)
        if (x->extent[i] != y->extent[i])
            return false;
    return true;
}

/* Modulo the common divisor of all outer strides, in bytes, each lies in one window, as members of structs do.  */
static bool windows_apart(const ws_emulate_tensor *x, const ws_emulate_tensor *y)
{
    const ws_emulate_tensor *both[] = {x, y};
    long period = 0, width[2];
    for (int k = 0; k < 2; k++) {
        const ws_emulate_tensor *t = both[k];
        width[k] = t->extent[t->rank - 1] * t->size;
        for (int i = 0; i + 1 < t->rank; i++)
            for (long step = t->extent[i] > 1 ? t->stride[i] * t->size : 0; step;) {
                long rest = period % step;
                period = step;
                step = rest;
            }
    }
    if (period <= 0 || width[0] + width[1] > period)
        return false;
    long offset = (y->base - x->base) % period;
    offset += offset < 0 ? period : 0;
    return offset >= width[0] && offset + width[1] <= period;
}

static bool tensors_overlap(const ws_emulate_tensor *x, const ws_emulate_tensor *y)
{
    if (ws_emulate_is_empty(x) || ws_emulate_is_empty(y) || x->base >= ws_emulate_tensor_end(y) ||
        y->base >= ws_emulate_tensor_end(x))
        return false;
    int order[4];
    sort_dimensions(x, order);
    if (same_strides(x, y) && nests(x, order) && nests(y, order))
        return overlap(x, y, order, 0, (y->base - x->base) / x->size);
    return !windows_apart(x, y);
}

void ws_emulate_check_overlap(ws_emulate_launch *launch)
{
    for (int i = 0; i < launch->ntensors; i++) {
        const ws_emulate_tensor *x = &launch->tensors[i];
        if (!(x->use & WS_EMULATE_STORED))
            continue;
        if (overlaps_itself(x))
            ws_emulate_fail(launch, WS_ERR_OVERLAP, "%s: tensor %s is stored and overlaps itself", launch->kernel,
                            x->name);
        for (int j = 0; j < launch->ntensors; j++) {
            const ws_emulate_tensor *y = &launch->tensors[j];
            if (i == j || (j < i && y->use & WS_EMULATE_STORED))
                continue;
            if ((y->of_table || !ws_emulate_same_view(x, y)) && tensors_overlap(x, y))
                ws_emulate_fail(launch, WS_ERR_OVERLAP, "%s: tensor %s is stored and overlaps tensor %s",
                                launch->kernel, x->name, y->name);
        }
    }
}
