/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * powers.h - a running sum of powers below a running largest, as a loop over a softmax's rows carries it.
 *
 *   %s, %m = for ...; %s0 = zero, %m0 = low
 *     %now = max %m0, row_max %x
 *     %next = fma %s0, (exp (sub %m0, %now)), row_sum (exp (sub %x, %now))
 *     yield %next, %now
 *
 * What parts of the row have each by itself, their own largest and their sum below that, can be put together in any
 * order.  exp2 does as well, and so does a product that the sum is added to.
 */
#ifndef WSC_POWERS_H
#define WSC_POWERS_H

#include "ir/ir.h"
#include "ir/slice.h"

enum { MOST_OF_POWERS = 9 };

typedef struct {
    int sum, largest; /* carried values of the loop */
    Opcode power;     /* OP_EXP, OP_EXP2 */
    bool fused;       /* by fma; else a product, and a sum */
    Value *x;
    const Op *row_sum, *row_max; /* of the powers; of x */
    const Op *made[MOST_OF_POWERS];
    int count; /* operations that nothing else needs */
} Powers;

/* Of the n-th value that the loop carries, as the sum or as the largest; x is F32, what is carried columns of it.  */
bool powers_of(const Uses *uses, const Op *loop, int n, Powers *powers);

#endif
