/* SPDX-License-Identifier: MIT */
/*
 * tensor.c - views of memory: construction, slices, single elements.
 *
 * Coordinates are limited to +-2^60, so that sums of them do not overflow.  Coordinates beyond that are outside of
 * every tensor, since extents and strides reach no further than memory (common/span.h).  A view that cannot be made is
 * an error, and has no element.
 */
#include "tile.h"
#include "span.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#undef ws_tensor_1d
#undef ws_tensor_2d
#undef ws_tensor_3d
#undef ws_tensor_4d
#undef ws_tensor_2d_ld
#undef ws_tensor_strided

#define FAR (1L << 60)

static long near(long x)
{
    return x < -FAR ? -FAR : x > FAR ? FAR : x;
}

static struct ws_tensor_ *tensor_new(int dtype, int rank, const void *base)
{
    static const struct ws_tensor_ empty = {.magic = WS_TENSOR_MAGIC, .rank = 1};
    struct ws_tensor_ *t = ws_handle_alloc(sizeof *t);
    if (!t)
        return (struct ws_tensor_ *)(uintptr_t)&empty; /* never written: it has no element */
    memset(t, 0, sizeof *t);
    t->magic = WS_TENSOR_MAGIC;
    t->dtype = dtype;
    t->rank = rank;
    t->base = (unsigned char *)(uintptr_t)base;
    return t;
}

/* Checks the base, the extents and the strides.  Returns 0 after recording an error.  */
static int sound(const void *base, int dtype, int rank, const long *extents, const long *strides)
{
    const int bad = ws_span_bad_extent(rank, extents);
    if (bad >= 0)
        return ws_error_set(WS_ERR_ARGUMENT,
                            extents[bad] < 0 ? "ws_tensor: " WS_SPAN_NEGATIVE : "ws_tensor: " WS_SPAN_LARGE,
                            extents[bad], bad) == WS_OK;
    const ws_span span = ws_span_of(base, ws_dtype_bytes(dtype), rank, extents, strides);
    if (span.beyond >= 0)
        return ws_error_set(WS_ERR_ARGUMENT, "ws_tensor: " WS_SPAN_BEYOND, span.beyond, extents[span.beyond],
                            strides[span.beyond]) == WS_OK;
    if (strides[rank - 1] != 1)
        return ws_error_set(WS_ERR_ARGUMENT, "ws_tensor: " WS_SPAN_INNER, strides[rank - 1]) == WS_OK;
    if (span.last >= span.first && !base)
        return ws_error_set(WS_ERR_ARGUMENT, "ws_tensor: " WS_SPAN_NULL) == WS_OK;
    if ((uintptr_t)base % (uintptr_t)ws_dtype_bytes(dtype) != 0)
        return ws_error_set(WS_ERR_ARGUMENT, "ws_tensor: " WS_SPAN_UNALIGNED, ws_dtype_bytes(dtype)) == WS_OK;
    return 1;
}

static ws_tensor make(const void *base, ws_dtype type, int rank, const long *extents, const long *strides)
{
    struct ws_rule_attributes attributes = {.dtype = ws_dtype_index(type), .rank = rank};
    struct ws_rule_type result;
    ws_environment_look_();
    if (!ws_allowed(WS_OP_TENSOR, NULL, 0, &attributes, &result))
        return tensor_new(attributes.dtype < 0 ? WS_RULE_F32 : attributes.dtype, rank < 1 || rank > 4 ? 1 : rank, NULL);
    struct ws_tensor_ *t = tensor_new(attributes.dtype, rank, base);
    if (!sound(base, attributes.dtype, rank, extents, strides))
        return t;
    for (int i = 0; i < rank; i++) {
        t->stride[i] = extents[i] > 1 ? strides[i] : 0; /* of one element any stride is valid */
        t->high[i] = near(extents[i]);
    }
    return t;
}

/* Saturates: an inner dimension then reaches beyond all memory.  */
static long times(long x, long y)
{
    long product;
    return __builtin_mul_overflow(x, y, &product) ? LONG_MAX : product;
}

/* Row-major without gaps.  */
static ws_tensor dense(const void *base, ws_dtype type, int rank, const long *extents)
{
    long strides[4] = {1, 1, 1, 1};
    for (int i = rank - 2; i >= 0; i--)
        strides[i] = times(extents[i + 1] > 0 ? extents[i + 1] : 0, strides[i + 1]);
    return make(base, type, rank, extents, strides);
}

ws_tensor ws_tensor_1d(const void *base, ws_dtype t, long n)
{
    return dense(base, t, 1, (const long[]){n});
}

ws_tensor ws_tensor_2d(const void *base, ws_dtype t, long rows, long cols)
{
    return dense(base, t, 2, (const long[]){rows, cols});
}

ws_tensor ws_tensor_3d(const void *base, ws_dtype t, long d0, long rows, long cols)
{
    return dense(base, t, 3, (const long[]){d0, rows, cols});
}

ws_tensor ws_tensor_4d(const void *base, ws_dtype t, long d0, long d1, long rows, long cols)
{
    return dense(base, t, 4, (const long[]){d0, d1, rows, cols});
}

ws_tensor ws_tensor_2d_ld(const void *base, ws_dtype t, long rows, long cols, long ld)
{
    const long extents[] = {rows, cols}, strides[] = {ld, 1};
    const bool overlap = ws_span_rows_overlap(2, extents, strides);
    if (overlap)
        ws_error_set(WS_ERR_ARGUMENT, "ws_tensor: " WS_SPAN_ROWS, ld, cols);
    return make(base, t, 2, overlap ? (const long[]){0, 0} : extents, strides);
}

ws_tensor ws_tensor_make_(const void *base, ws_dtype t, int rank, long e0, long e1, long e2, long e3, long s0, long s1,
                          long s2, long s3)
{
    return make(base, t, rank, (const long[]){e0, e1, e2, e3}, (const long[]){s0, s1, s2, s3});
}

ws_tensor ws_tensor_strided(const void *base, ws_dtype t, int rank, const long *extents, const long *strides)
{
    return make(base, t, rank, extents, strides);
}

ws_tensor ws_slice(ws_tensor t, int dim, long begin, long end)
{
    struct ws_rule_attributes attributes = {.dimension = dim};
    struct ws_rule_type operand = ws_type_of_tensor(t), result;
    if (!ws_allowed(WS_OP_SLICE, &operand, 1, &attributes, &result))
        return operand.kind == WS_RULE_TENSOR ? t : tensor_new(WS_RULE_F32, 1, NULL);
    struct ws_tensor_ *part = tensor_new(t->dtype, t->rank, t->base);
    if (part->rank != t->rank) /* no memory */
        return part;
    *part = *t;
    long origin = near(t->origin[dim] + near(begin)), last = near(t->origin[dim] + near(end));
    part->origin[dim] = origin;
    if (part->low[dim] < origin)
        part->low[dim] = origin;
    if (part->high[dim] > last)
        part->high[dim] = last;
    return part;
}

static ws_tensor box(ws_tensor t, int rank, const long *corner, const int *extents)
{
    struct ws_rule_type operands[7] = {ws_type_of_tensor(t)}, result;
    for (int i = 1; i < 2 * rank - 1; i++)
        operands[i] = (struct ws_rule_type){WS_RULE_SCALAR, WS_RULE_I32, 0, 0, 0};
    if (!ws_allowed(WS_OP_BOX, operands, 2 * rank - 1, NULL, &result))
        return tensor_new(WS_RULE_F32, 2, NULL);
    struct ws_tensor_ *part = tensor_new(t->dtype, 2, t->base);
    if (part->rank != 2) /* no memory */
        return part;
    *part = *t;
    part->rank = 2;
    for (int i = 0; i < rank - 1; i++) {
        if (extents[i] < 1 || extents[i] > 256) {
            ws_error_set(WS_ERR_ARGUMENT, "ws_box: extent %d is %d", i, extents[i]);
            return tensor_new(t->dtype, 2, NULL);
        }
        part->corner[i] = near(corner[i]);
        part->box[i] = extents[i];
    }
    return part;
}

ws_tensor ws_box_3d(ws_tensor t, long d0, long row, int n0, int rows)
{
    return box(t, 3, (const long[]){d0, row}, (const int[]){n0, rows});
}

ws_tensor ws_box_4d(ws_tensor t, long d0, long d1, long row, int n0, int n1, int rows)
{
    return box(t, 4, (const long[]){d0, d1, row}, (const int[]){n0, n1, rows});
}

/* Address of element i of a vector; NULL for an index out of bounds.  */
static const unsigned char *element(ws_tensor t, long i)
{
    long at = near(t->origin[0] + near(i));
    return at >= t->low[0] && at < t->high[0] ? t->base + at * ws_dtype_bytes(t->dtype) : NULL;
}

ws_tile ws_load_at(ws_tensor t1, ws_tile index)
{
    struct ws_rule_type operands[] = {ws_type_of_tensor(t1), ws_type_of(index)}, result;
    int allowed = ws_allowed(WS_OP_LOAD_AT, operands, 2, NULL, &result);
    struct ws_tile_ *x = (struct ws_tile_ *)(uintptr_t)ws_tile_zeros(&result);
    size_t bytes = (size_t)ws_dtype_bytes(x->dtype);
    for (int r = 0; r < x->rows && allowed; r++)
        for (int c = 0; c < x->cols; c++) {
            const unsigned char *p = element(t1, ws_index_of(index->dtype, ws_element(index, r, c)));
            if (p)
                memcpy(ws_element(x, r, c), p, bytes);
        }
    return x;
}

long ws_at(ws_tensor t1, long i)
{
    struct ws_rule_type operands[] = {ws_type_of_tensor(t1), {WS_RULE_SCALAR, WS_RULE_I32, 0, 0, 0}}, result;
    const unsigned char *p = ws_allowed(WS_OP_AT, operands, 2, NULL, &result) ? element(t1, i) : NULL;
    int64_t value = 0;
    if (p)
        ws_row_read(t1->dtype, WS_COMPUTE_I64, 1, p, &value);
    return value;
}

double ws_at_float(ws_tensor t1, long i)
{
    struct ws_rule_type operands[] = {ws_type_of_tensor(t1), {WS_RULE_SCALAR, WS_RULE_I32, 0, 0, 0}}, result;
    const unsigned char *p = ws_allowed(WS_OP_AT_FLOAT, operands, 2, NULL, &result) ? element(t1, i) : NULL;
    double value = 0;
    if (p)
        ws_row_read(t1->dtype, WS_COMPUTE_F64, 1, p, &value);
    return value;
}
