/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * affine.h - integer scalars as sums: a constant and a factor for each value.
 *
 *   k * 64 + i + 8                terms {k, 64}, {i, 1}; low = high = 8
 *   the same with 0 <= k < 4      terms {i, 1}; low = 8, high = 8 + 3 * 64     (affine_over_counters)
 *
 * What reads coordinates, bounds and masks asks here: are two numbers the same, are two windows apart, does a
 * coordinate move on with a loop, what does a side of a comparison range over.
 *
 * Conversions that keep every value, and between the signed and unsigned types of 64 bits, are looked through.
 * Arithmetic of signed types does not overflow (C11 6.5p5), and that of 64 bits is taken modulo 2^64.  An operation of
 * another type, or a number beyond 2^62, is a value like any other.
 */
#ifndef WSC_AFFINE_H
#define WSC_AFFINE_H

#include "ir/ir.h"

enum { AFFINE_TERMS = 12 };

typedef struct {
    const Value *value;
    int64_t factor; /* not 0 */
} AffineTerm;

typedef struct {
    bool known; /* false: there were too many terms, and nothing is said */
    int count;
    AffineTerm terms[AFFINE_TERMS]; /* of different values, in the order in which they were met */
    int64_t low, high;              /* of what is no term; low = high: a constant */
} Affine;

Affine affine_constant(int64_t number);
Affine affine_value(const Value *value); /* 1 x value, whatever it is computed from */
/* The value behind conversions that keep every value of their operand's type, or that are between types of 64 bits.  */
const Value *affine_unconverted(const Value *value);
/* The n of an extent of max (n, 0), which a plain loop's array has: the two are the same wherever a loop to n runs.  */
const Value *affine_extent(const Value *extent);
Affine affine_of(const Value *value); /* through its sums, differences, products with constants and conversions */
Affine affine_within(const Value *value,
                     const Op *loop); /* ... as far as the loop computes it: what is outside is a term */
/* x + factor y.  The constant's range is that of independent x and y.  */
Affine affine_add(Affine x, Affine y, int64_t factor);

bool affine_is_constant(const Affine *x, int64_t *number);  /* no terms, low = high */
int64_t affine_factor(const Affine *x, const Value *value); /* 0 where it is no term */
/* Counters of loops with constant bounds leave the terms, and widen the constant's range.  */
Affine affine_over_counters(Affine x);

/* x = y, as far as can be seen.  */
bool affine_same(const Value *x, const Value *y);
/* Windows of so many elements that begin at x and at y have none in common, in one iteration of the loops around
   both. */
bool affine_apart(const Value *x, int64_t x_extent, const Value *y, int64_t y_extent);
/* The value is the counter of n iterations before, in all of its loop; before the first one it goes on backwards.  -1:
   it is not.  */
int affine_late(const Value *value, const Value *counter);
/* x = *factor counter + what is the same in every iteration of the counter's loop.  */
bool affine_advance(const Value *x, const Value *counter, int64_t *factor);
/* The expressions are the same, computed twice, of so many levels.  */
bool same_scalar(const Value *x, const Value *y, int levels);

/* Appends to the code before `where` what computes the terms and `number`; NULL for 0.  The result is I64; `use` may
   replace a term's value by one that is there before `where` (NULL: the value itself).  */
typedef Value *AffineUse(void *context, const Value *value);
Value *affine_emit(Kernel *kernel, Op *where, const Affine *x, int64_t number, AffineUse *use, void *context);

#endif
