/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cublaslt.h - the peer: row-major products by cuBLASLt, with every heuristic that it offers timed on the arrays at
   hand. */
#ifndef BENCH_CUBLASLT_H
#define BENCH_CUBLASLT_H

#include <cuda_runtime_api.h>
#include <ws.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C[n] = A[n] B[n]; A is M x K in memory, or K x M when turned, B is N x K, or K x N. */
typedef struct {
    ws_dtype a_type, b_type, c_type;
    int batch, M, N, K, trans_a, trans_b;
    long lda, ldb, ldc;
    const void *A, *B;
    void *C;
    int exact;                          /* fp8: no fast accumulation; f32: not tf32 */
    const void *bias;                   /* of C's type, N: gelu (x + bias), the approximation with tanh; or NULL */
    const void *residual;               /* of C's type, M x N: added; or NULL */
    const float *row_scale, *col_scale; /* of fp8 products; or NULL */
    const float *out_scale;             /* of an fp8 result; or NULL */
} cublaslt_problem;

typedef struct cublaslt_plan cublaslt_plan;

/* Asks for up to `candidates` heuristics, times each, and keeps the fastest; NULL when there is none. */
cublaslt_plan *cublaslt_prepare(const cublaslt_problem *problem, int candidates);
void cublaslt_run(void *plan, cudaStream_t stream);
void cublaslt_free(cublaslt_plan *plan);
size_t cublaslt_version(void);

#ifdef __cplusplus
}
#endif
#endif
