/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library.c - the kernels and cuBLASLt as products.py calls them: with nothing but numbers and pointers. */
#include "cublaslt.h"
#include "kernels.h"
#include "measure.h"

/* C[n] = A[n] B[n]^T in f16, by the tile that product_choose names. */
void library_batched(int batch, int M, int N, int K, const void *A, const void *B, void *C)
{
    product_call call = {.batch = batch, .M = M, .N = N, .K = K, .lda = K, .ldb = K, .ldc = N, .A = A, .B = B, .C = C};
    product_choice choice = product_choose((product_problem){batch, M, N, K, 2, 2, device_multiprocessors()});
    if (product_forms[choice.form].kind == PRODUCT_PART) /* no room for parts */
        choice = (product_choice){0, 1, 0, 0};
    product_f16(&call, choice);
}

void library_grouped(int groups, int rows, int tiles, int N, int K, const void *A, const void *B, void *C,
                     const int *first)
{
    grouped_bf16(groups, rows, tiles, N, K, A, B, C, first, device_multiprocessors());
}

/* The fastest of 32 heuristics, or NULL. */
void *library_cublaslt(int bf16, int batch, int M, int N, int K, const void *A, const void *B, void *C)
{
    ws_dtype type = bf16 ? WS_BF16 : WS_F16;
    cublaslt_problem q = {.a_type = type,
                          .b_type = type,
                          .c_type = type,
                          .batch = batch,
                          .M = M,
                          .N = N,
                          .K = K,
                          .lda = K,
                          .ldb = K,
                          .ldc = N,
                          .A = A,
                          .B = B,
                          .C = C};
    return cublaslt_prepare(&q, 32);
}
