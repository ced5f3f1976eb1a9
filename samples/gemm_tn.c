/* SPDX-License-Identifier: MIT */
/*
 * gemm_tn - a product whose first operand is stored the other way round: C = A^T B, A is K x M, B is K x N.
 *
 * ws_trans moves nothing here: the tensor cores read the same memory with rows and columns exchanged.
 */
#include "check.h"

#define BM 128
#define BN 128
#define BK 64

void gemm_tn(int M, int N, int K, const ws_bf16 *A, const ws_bf16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_BF16, K, M);
    ws_tensor b = ws_tensor_2d(B, WS_BF16, K, N);
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += BM)
        for (int j = 0; j < N; j += BN) {
            ws_tile acc = ws_zeros(WS_F32, BM, BN);

            #pragma ws pipeline(3)
            for (int k = 0; k < K; k += BK) {
                ws_tile ta = ws_load(a, k, i, BK, BM);
                ws_tile tb = ws_load(b, k, j, BK, BN);
                acc = ws_dot(ws_trans(ta), tb, acc);
            }
            ws_store(c, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    check_begin("gemm_tn", argc, argv);
    int M = check_size(1, 200), N = check_size(2, 296), K = check_size(3, 150);
    ws_bf16 *A = check_random(WS_BF16, (size_t)K * M);
    ws_bf16 *B = check_random(WS_BF16, (size_t)K * N);
    float *C = check_output(WS_F32, (size_t)M * N);

    gemm_tn(M, N, K, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < K; k++) {
                double product = (double)ws_bf16_to(A[k * M + i]) * ws_bf16_to(B[k * N + j]);
                sum += product;
                magnitude += fabs(product);
            }
            check_close(C, i * N + j, sum, check_dot_error(K, magnitude));
        }
    return check_end();
}
