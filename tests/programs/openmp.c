/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -fopenmp */
/* Directives of OpenMP on the same loop, above and below: they serve the sequential target and are dropped from a
   specialized region. */
#include "test.h"

static void gemm(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    #pragma omp parallel for collapse(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}

static void gemm_below(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma omp parallel for collapse(2)
    #pragma ws grid(2) /* the arguments \
                          are this loop's */
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma GCC unroll 2
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}

static void gemm_between(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    enum { STAGES = 3 };
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma omp parallel
    #pragma ws grid(1) persistent
    #pragma omp for
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(STAGES, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("openmp", argc, argv);
    int M = 200, N = 130, K = 72;
    ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * N);
    float *C = check_output(WS_F32, (size_t)M * N);

    gemm(M, N, K, check_place(A), check_place(B), check_place(C));
    check_fetch();
    test_product(rows_of(C, N), rows_of(A, K), rows_of(B, N), M, N, K);
    gemm_below(M, N, K, check_place(A), check_place(B), check_place(C));
    check_fetch();
    test_product(rows_of(C, N), rows_of(A, K), rows_of(B, N), M, N, K);
    gemm_between(M, N, K, check_place(A), check_place(B), check_place(C));
    check_fetch();
    test_product(rows_of(C, N), rows_of(A, K), rows_of(B, N), M, N, K);
    return check_end();
}
