/* SPDX-License-Identifier: MIT */
/*
 * span.h - the first and last element of a tensor in memory, or a report that no memory can hold it.
 *
 * All targets check the products of extents and strides here.  C11 and C++17.
 */
#ifndef WS_SPAN_H
#define WS_SPAN_H

#include <stdint.h>

/* More bytes than any process has.  */
#define WS_MOST_BYTES (1L << 57)

/* Follows the name of a tensor; takes the dimension, its extent and its stride.  */
#define WS_SPAN_BEYOND                                                                                               \
    "dimension %d of %ld elements at stride %ld reaches beyond all memory: write the extents of the array, and its " \
    "stride in elements"

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
