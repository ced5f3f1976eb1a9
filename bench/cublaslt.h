/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cublaslt.h - the peer: C = A B^T (row-major, f16, accumulated in f32) by cuBLASLt, with a choice of its heuristics.  */
#ifndef BENCH_CUBLASLT_H
#define BENCH_CUBLASLT_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cublaslt_plan cublaslt_plan;

/* Asks for up to `candidates` heuristics and keeps the one that is fastest on these arrays, each timed; 1 keeps the first.
   NULL when there is none.  */
cublaslt_plan *cublaslt_prepare(int M, int N, int K, const void *A, const void *B, void *C, int candidates);
void cublaslt_run(const cublaslt_plan *plan, const void *A, const void *B, void *C);
int cublaslt_chosen(const cublaslt_plan *plan); /* its place among the candidates */
int cublaslt_count(const cublaslt_plan *plan);  /* how many there were */
void cublaslt_free(cublaslt_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
