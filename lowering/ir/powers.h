/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * powers.h - a running sum of powers below a running maximum, as a loop over a softmax's rows carries it.
 *
 *      %s, %m = for ...; %s0 = zero, %m0 = low
 *        %now = max %m0, row_max %x
 *        %next = fma %s0, (exp (sub %m0, %now)), row_sum (exp (sub %x, %now))
 *        yield %next, %now
 *
 * Each part of the row can have its own maximum and its own sum below that maximum. Parts combine in any order. The
 * pattern also matches exp2, and a product and an addition instead of the fma.
 */
#ifndef WSC_POWERS_H
#define WSC_POWERS_H

#include "ir/kernel.h"
#include "ir/slice.h"

enum { MOST_OF_POWERS = 9 };

typedef struct {
    int sum, largest; /* indices of the loop's carried values */
    Opcode power;     /* OP_EXP or OP_EXP2 */
    bool fused;       /* one fma; false: a product and an addition */
    Value *x;
    const Op *row_sum, *row_max; /* row_sum: of the powers; row_max: of x */
    const Op *made[MOST_OF_POWERS];
    int count; /* of `made`: operations with no other use */
} Powers;

/* Matches the n-th carried value as the sum or as the maximum. x is F32. Carried values are F32 columns.  */
bool powers_of(const Uses *uses, const Op *loop, int n, Powers *powers);

#endif
