/* SPDX-License-Identifier: MIT */
/* kernels.h - the kernels that are timed, as their callers see them: plain C loops, compiled by wscc like any other. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include "../lib/product/product.h"

/* All forms of lib/product (kernels-f16.c, -bf16.c, -e4m3.c). */
product_kernel product_f16, product_bf16, product_e4m3;
/* One tile each (kernels-types.c, kernels-finish.c). */
product_kernel product_tf32, product_i8, product_mixed, product_e5m2, product_e4m3_promoted, product_f16_f32;
product_kernel product_f16_tn, product_f16_nn, product_f16_tt;
product_kernel product_bias_gelu, product_silu_residual, product_scales, product_quantize;

/* One tile each, of operands that keep all their bits (kernels-whole.c). */
product_kernel product_f64, product_f64_short, product_f64_four, product_f64_nn, product_f64_tn, product_f32,
    product_f32_tall, product_f32_three, product_f32_nn, product_f32_tn;

/* Groups of rows: first[g] to first[g + 1].  `tiles` is how many rows of tiles of 128 rows the groups have together, or
   more. */
void grouped_bf16(int groups, int rows, int tiles, int N, int K, const void *A, const void *B, void *C,
                  const int *first, int sms);

/* 8192-like products in f16, C = A B^T, by the pipeline's depth and the products in flight (kernels-steps.c). */
typedef void step_kernel(int M, int N, int K, const void *A, const void *B, void *C);
typedef struct {
    const char *name;
    int depth, in_flight; /* 0: not one of the grid */
    step_kernel *run;
} step;
extern const step steps[]; /* ends with a null name */

/* f16. */
void softmax(int M, int N, const void *X, void *Y); /* N at most 1024 */

/* Y = (silu (X G^T) (X U^T)) W^T, a hidden layer H between. */
void mlp_fused(int tokens, int width, int hidden, const ws_bf16 *X, const ws_bf16 *G, const ws_bf16 *U,
               const ws_bf16 *W, ws_bf16 *H, ws_bf16 *Y);

#endif
