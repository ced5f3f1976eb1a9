/* SPDX-License-Identifier: MIT */
/*
 * span.h - the first and last element of a tensor in memory, or a report that no memory can hold it.
 *
 * All targets check extents and strides of tensors here, and say the same.  C11 and C++17.
 */
#ifndef WS_SPAN_H
#define WS_SPAN_H

#include <stdbool.h>
#include <stdint.h>

/* More bytes than any process has.  */
#define WS_MOST_BYTES (1L << 57)

/* Coordinates of a tensor are int.  */
#define WS_MOST_EXTENT 0x7fffffffL

/* ---- sentences, each behind the name of a tensor ----------------------------------------------------------------- */

/* These two take the extent and the dimension.  */
#define WS_SPAN_NEGATIVE \
    "extent %ld of dimension %d is below 0, or a subscript is: let the pointer be that of the first element"
#define WS_SPAN_LARGE "extent %ld of dimension %d is more than 2147483647: give each grid a part of it"
#define WS_SPAN_INNER "the innermost stride is %ld, not 1"
#define WS_SPAN_NULL  "the base is a null pointer"
/* Takes both numbers.  */
#define WS_SPAN_ROWS "the leading dimension %ld is less than the %ld columns"
/* Takes the bytes of an element.  */
#define WS_SPAN_UNALIGNED "the base is not aligned to its elements of %d bytes"
/* Takes the dimension, its extent and its stride.  */
#define WS_SPAN_BEYOND                                                                                               \
    "dimension %d of %ld elements at stride %ld reaches beyond all memory: write the extents of the array, and its " \
    "stride in elements"

/* The first dimension whose extent no tensor has; -1: none.  */
static inline int ws_span_bad_extent(int rank, const long *extent)
{
    for (int i = 0; i < rank; i++)
        if (extent[i] < 0 || extent[i] > WS_MOST_EXTENT)
            return i;
    return -1;
}

/* True if rows at a leading dimension overlap.  */
static inline bool ws_span_rows_overlap(int rank, const long *extent, const long *stride)
{
    return rank > 1 && extent[rank - 2] > 1 && extent[rank - 1] > 0 && stride[rank - 2] < extent[rank - 1];
}

/* Elements from the base to the first and to the last of a tensor; 0 and -1 if it is empty.  */
typedef struct {
    long first, last;
    int beyond; /* the dimension, counted from the innermost, that reaches beyond all memory; -1: none */
} ws_span;

/* An empty tensor reaches nothing, and strides of one-element dimensions do not count; a null base may stand
   anywhere.  */
static inline ws_span ws_span_of(const void *base, int size, int rank, const long *extent, const long *stride)
{
    const ws_span empty = {0, -1, -1};
    ws_span span = {0, 0, -1};
    for (int i = 0; i < rank; i++)
        if (extent[i] <= 0)
            return empty;
    for (int i = rank - 1; i >= 0; i--) {
        long *end = stride[i] < 0 ? &span.first : &span.last, way, bytes;
        if (__builtin_mul_overflow(extent[i] - 1, stride[i], &way) || __builtin_add_overflow(*end, way, end) ||
            __builtin_mul_overflow(*end, (long)size, &bytes) || bytes < -WS_MOST_BYTES || bytes > WS_MOST_BYTES ||
            (span.last - span.first + 1) * size > WS_MOST_BYTES ||
            (base && bytes < 0 && (uintptr_t)-bytes > (uintptr_t)base) ||
            (base && bytes > 0 && (uintptr_t)base > UINTPTR_MAX - (uintptr_t)(bytes + size))) {
            span.beyond = i;
            return span;
        }
    }
    return span;
}

#endif
