/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * affine.h - integer scalars as affine sums: a constant, and a factor for each value.
 *
 *      k * 64 + i + 8                terms {k, 64}, {i, 1}; low = high = 8
 *      the same with 0 <= k < 4      terms {i, 1}; low = 8, high = 8 + 3 * 64     (affine_over_counters)
 *
 * Passes and the proof compare coordinates, bounds and masks by these sums. They ask if two numbers are equal, if two
 * windows are disjoint, and by how much a coordinate advances in an iteration.
 *
 * Sums go through conversions that keep every value, and through those between the two 64-bit types. Signed arithmetic
 * does not overflow (C11 6.5p5); arithmetic of 64 bits is modulo 2^64. A result of another type, and a number beyond
 * 2^62, is a term of its own.
 */
#ifndef WSC_AFFINE_H
#define WSC_AFFINE_H

#include "ir/kernel.h"

enum { AFFINE_TERMS = 12 };

typedef struct {
    const Value *value;
    int64_t factor; /* not 0 */
} AffineTerm;

typedef struct {
    bool known; /* false: there are too many terms, and the other fields have no meaning */
    int count;
    AffineTerm terms[AFFINE_TERMS]; /* one for each value, in the order of their discovery */
    int64_t low, high;              /* range of the rest of the sum; low = high: a constant */
} Affine;

Affine affine_constant(int64_t number);
Affine affine_value(const Value *value); /* the sum 1 x value */
/* Returns the value below conversions that keep every value of the operand's type, or that are between 64-bit
   types.  */
const Value *affine_unconverted(const Value *value);
/* Returns n for an extent max (n, 0) of a plain loop's array.  The two are equal wherever a loop to n runs.  */
const Value *affine_extent(const Value *extent);
/* Expands sums, differences, products with constants and conversions. The second function expands only operations
   inside the loop; values from outside are terms.  */
Affine affine_of(const Value *value);
Affine affine_within(const Value *value, const Op *loop);
/* Returns x + factor y.  The ranges of x and y are taken as independent.  */
Affine affine_add(Affine x, Affine y, int64_t factor);

bool affine_is_constant(const Affine *x, int64_t *number);  /* no terms, low = high */
int64_t affine_factor(const Affine *x, const Value *value); /* 0 if the value is no term */
/* Replaces terms that are counters of loops with constant bounds by their ranges.  */
Affine affine_over_counters(Affine x);

/* True if x = y is proved; false says nothing.  */
bool affine_same(const Value *x, const Value *y);
/* True if windows of x_extent elements at x and y_extent at y are disjoint, in each iteration of the loops around
   both.  */
bool affine_apart(const Value *x, int64_t x_extent, const Value *y, int64_t y_extent);
/* Returns n if the value is always the counter n iterations ago, or -1. Before the first iteration the counter
   continues backwards by its step.  */
int affine_late(const Value *value, const Value *counter);
/* True if x = *factor counter + a term that is invariant in the counter's loop.  */
bool affine_advance(const Value *x, const Value *counter, int64_t *factor);
/* True if both values are computed by equal expressions, compared to a depth of `levels`.  */
bool same_scalar(const Value *x, const Value *y, int levels);

/* Inserts before `where` the code for the terms of x plus `number`.  Returns an I64 value, or NULL if the sum is 0.
   `use` may replace the value of a term by one that is available before `where`; NULL: no replacement.  */
typedef Value *AffineUse(void *context, const Value *value);
Value *affine_emit(Kernel *kernel, Op *where, const Affine *x, int64_t number, AffineUse *use, void *context);

#endif
