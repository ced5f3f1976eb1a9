/* SPDX-License-Identifier: MIT */
/*
 * views.h - the memory of a tensor, and checks of overlap between two tensors of a launch or within one.
 *
 * A stored tensor may overlap no other tensor.  Tensors whose strides nest in a common order are compared exactly.
 * Other tensors count as all elements between their first and last, or as one window of a period.  C11 and C++17.
 */
#ifndef WS_VIEWS_H
#define WS_VIEWS_H

#include <limits.h>
#include <stdbool.h>

#include "span.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WS_VIEW_RANK = 4 };

/* Strides are at least 0: a dimension that descends in memory begins at its other end.  */
typedef struct {
    const char *base;
    int size, rank; /* bytes of an element */
    long extent[WS_VIEW_RANK], stride[WS_VIEW_RANK];
} ws_view;

static inline ws_view ws_view_of(const void *base, int size, int rank, const long *extent, const long *stride)
{
    ws_view v = {(const char *)base, size, rank, {0}, {0}};
    const ws_span span = ws_span_of(base, size, rank, extent, stride);
    for (int i = 0; i < rank; i++) {
        v.extent[i] = extent[i];
        v.stride[i] = stride[i] == LONG_MIN ? LONG_MAX : stride[i] < 0 ? -stride[i] : stride[i];
    }
    v.base += span.beyond < 0 ? span.first * size : 0;
    return v;
}

static inline bool ws_view_is_empty(const ws_view *v)
{
    for (int i = 0; i < v->rank; i++)
        if (v->extent[i] <= 0)
            return true;
    return false;
}

static inline const char *ws_view_end(const ws_view *v)
{
    const ws_span span = ws_span_of(0, v->size, v->rank, v->extent, v->stride);
    return span.beyond < 0 ? v->base + (span.last + 1) * v->size : v->base;
}

/* True if both have the same elements in the same order.  */
static inline bool ws_view_same(const ws_view *x, const ws_view *y)
{
    bool same = x->base == y->base && x->size == y->size && x->rank == y->rank;
    for (int i = 0; same && i < x->rank; i++)
        same = x->extent[i] == y->extent[i] && x->stride[i] == y->stride[i];
    return same;
}

/* True if both have the same elements, with dimensions in any order.  */
static inline bool ws_view_reordered(const ws_view *x, const ws_view *y)
{
    bool taken[WS_VIEW_RANK] = {false}, same = x->base == y->base && x->size == y->size && x->rank == y->rank;
    for (int i = 0; same && i < x->rank; i++) {
        same = false;
        for (int k = 0; k < y->rank && !same; k++)
            if (!taken[k] && x->extent[i] == y->extent[k] && x->stride[i] == y->stride[k])
                same = taken[k] = true;
    }
    return same;
}

/* ---- dimensions by falling stride -------------------------------------------------------------------------------- */

/* The dimensions of two views together, without dimensions of one element.  A view without a dimension has extent 1. */
typedef struct {
    int count;
    long stride[2 * WS_VIEW_RANK], extent[2][2 * WS_VIEW_RANK];
    bool twice; /* a view has two dimensions of one stride */
} ws_view_dims;

static inline void ws_view_dims_add(ws_view_dims *dims, const ws_view *v, int side)
{
    for (int i = 0; i < v->rank; i++) {
        if (v->extent[i] <= 1)
            continue;
        int at = 0;
        while (at < dims->count && dims->stride[at] > v->stride[i])
            at++;
        if (at == dims->count || dims->stride[at] != v->stride[i]) {
            for (int k = dims->count++; k > at; k--) {
                dims->stride[k] = dims->stride[k - 1];
                dims->extent[0][k] = dims->extent[0][k - 1];
                dims->extent[1][k] = dims->extent[1][k - 1];
            }
            dims->stride[at] = v->stride[i];
            dims->extent[0][at] = dims->extent[1][at] = 1;
        }
        dims->twice = dims->twice || dims->extent[side][at] > 1;
        dims->extent[side][at] = v->extent[i];
    }
}

/* The first dimension, from the innermost on, whose step is smaller than the elements inside it; -1: none.  `inside`:
   the number of these elements.  */
static inline int ws_view_dims_fold(const ws_view_dims *dims, int side, long *inside)
{
    *inside = 1;
    for (int i = dims->count - 1; i >= 0; i--) {
        if (dims->stride[i] < *inside)
            return i;
        *inside += dims->stride[i] * (dims->extent[side][i] - 1);
    }
    return -1;
}

/* True if two positions of the view are one element.  Then `stride` is the step of some dimension, and `inside` the
   number of elements at each of its positions.  */
static inline bool ws_view_overlaps_itself(const ws_view *v, long *stride, long *inside)
{
    ws_view_dims dims = {0, {0}, {{0}, {0}}, false};
    if (ws_view_is_empty(v))
        return false;
    ws_view_dims_add(&dims, v, 0);
    int fold = ws_view_dims_fold(&dims, 0, inside);
    *stride = fold >= 0 ? dims.stride[fold] : 0;
    for (int i = 0; dims.twice && fold < 0 && i < dims.count; i++)
        *stride = *inside = dims.stride[i];
    return fold >= 0 || dims.twice;
}

/* ---- two views --------------------------------------------------------------------------------------------------- */

/* True if an element of one view and an element of the other are d apart, in the dimensions from `i` on.  Strides nest,
   so only two quotients of a dimension are possible: the rounded down one, and the next.  */
static inline bool ws_view_dims_meet(const ws_view_dims *dims, int i, long d)
{
    if (i == dims->count)
        return d == 0;
    const long stride = dims->stride[i], quotient = d / stride - (d % stride < 0);
    for (long q = quotient; q <= quotient + 1; q++)
        if (q < dims->extent[0][i] && -q < dims->extent[1][i] && ws_view_dims_meet(dims, i + 1, d - q * stride))
            return true;
    return false;
}

/* True if the views lie in different windows of a period, as members of an array of structs do.  The period is the
   common divisor of all outer strides, in bytes.  */
static inline bool ws_view_windows_apart(const ws_view *x, const ws_view *y)
{
    const ws_view *both[] = {x, y};
    long period = 0, width[2];
    for (int k = 0; k < 2; k++) {
        const ws_view *v = both[k];
        const bool rows = v->stride[v->rank - 1] == 1;
        width[k] = rows ? v->extent[v->rank - 1] * v->size : v->size;
        for (int i = 0; i + rows < v->rank; i++)
            for (long step = v->extent[i] > 1 ? v->stride[i] * v->size : 0; step;) {
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

static inline bool ws_views_overlap(const ws_view *x, const ws_view *y)
{
    if (ws_view_is_empty(x) || ws_view_is_empty(y) || x->base >= ws_view_end(y) || y->base >= ws_view_end(x))
        return false;
    ws_view_dims dims = {0, {0}, {{0}, {0}}, false};
    long inside;
    ws_view_dims_add(&dims, x, 0);
    ws_view_dims_add(&dims, y, 1);
    if (x->size == y->size && (x->base - y->base) % x->size == 0 && !dims.twice &&
        ws_view_dims_fold(&dims, 0, &inside) < 0 && ws_view_dims_fold(&dims, 1, &inside) < 0)
        return ws_view_dims_meet(&dims, 0, (y->base - x->base) / x->size);
    return !ws_view_windows_apart(x, y);
}

#ifdef __cplusplus
}
#endif

#endif
