/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suites.h - the work that is compared. */
#ifndef BENCH_SUITES_H
#define BENCH_SUITES_H

#include "kernels.h"

typedef struct {
    const char *suite, *label, *type;
    ws_dtype a_type, b_type, c_type;
    int batch, M, N, K;
    product_kernel *kernel;
    int chooses; /* the kernel has all forms of lib/product */
    int trans_a, trans_b;
    product_finish finish;
    int gated;    /* a block of three products: tokens, hidden layer, width */
    int groups;   /* of rows of A, each with a B of its own; each a multiple of 512 rows */
    int exact;    /* fp8: sums in f32, not in what the tensor cores keep; f32: all bits of the operands */
    double bytes; /* moved, where nothing but memory counts; else 0 */
    int padded;   /* rows begin at multiples of 16 bytes */
    enum { STEPS_NONE, STEPS_CHAIN, STEPS_GRID } steps;
} work;

/* The suite's work, or NULL. */
const work *suite_find(const char *name, int *count);
const char *suite_names(void); /* " gemm types ..." */

#endif
