/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arrays.h - operands on the device, and results against float64. */
#ifndef BENCH_ARRAYS_H
#define BENCH_ARRAYS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <ws.h>

#ifdef __cplusplus
extern "C" {
#endif

int element_bytes(ws_dtype type);
const char *element_name(ws_dtype type);

void *array_new(size_t bytes); /* device memory; says so and exits where there is none */
void array_free(void *array);
/* Random normal numbers in the type, the same for the same seed; f32 ones are numbers of tf32, i8 ones have deviation
   30. */
void *array_random(ws_dtype type, size_t count, unsigned seed);
void *array_random_whole(ws_dtype type, size_t count, unsigned seed); /* f32 ones with all bits */
void array_scale(ws_dtype type, void *array, size_t count, float factor);
void array_poison(void *array, size_t bytes); /* NaNs */

/* C = function (scales (A B) + bias) + residual, with A M x K or, turned, K x M, B N x K or K x N, rows ld elements
   apart. */
typedef struct {
    ws_dtype a_type, b_type, c_type;
    int M, N, K, trans_a, trans_b;
    long lda, ldb, ldc;
    const void *A, *B, *C;
    const float *scale, *row_scale, *col_scale, *bias; /* one, M, N, N; or NULL: in this order, before the function */
    const void *residual;                              /* f16, M x N, or NULL: after the function */
    int then;                                          /* THEN_... */
    double u_out;                                      /* the roundoff of C's type */
} array_product;
enum { THEN_NOTHING, THEN_GELU, THEN_SILU };

/* The largest error over 4096 elements, corners among them, in units of its bound
       2 u_out |x| + 4 sqrt (K) u_sum sum |a b|
   against float64, for doubles with twice its bits; u_sum is that of f32, of f64, or of the 13 bits that Hopper keeps
   of products of fp8.  A NaN anywhere in C is infinite. */
double array_error(const array_product *p);

/* The same of the softmax of each row of X, M x N of f16, over 4096 rows: in units of 2 u |x| and the smallest f16. */
double array_softmax_error(int M, int N, const void *X, const void *Y, double u);

/* A gated block's hidden layer, bf16: H = silu (X G^T) (X U^T), H M x N, X M x K, G and U N x K; as array_error. */
double array_gated_error(int M, int N, int K, const void *X, const void *G, const void *U, const void *H, double u);

/* What stands between two products that know nothing of each other: H = silu (both's first N columns) (its last N).
   bf16, N a multiple of 8. */
void array_activate(void *H, const void *both, int M, int N, cudaStream_t stream);

/* By a kernel that does nothing else: what the memory gives.  In multiples of 16 bytes. */
void array_copy(void *to, const void *from, size_t bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
