/* SPDX-License-Identifier: MIT */
/*
 * gemm_batched - one product for each matrix of a batch: C[n] = A[n] B[n]^T.
 *
 * The tensors have rank 3 and the grid has three loops.  A tile is still two-dimensional: ws_load_3d takes it from one
 * matrix of the batch.
 */
#include "check.h"

void gemm_batched(int batch, int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_3d(A, WS_F16, batch, M, K);
    ws_tensor b = ws_tensor_3d(B, WS_F16, batch, N, K);
    ws_tensor c = ws_tensor_3d(C, WS_F32, batch, M, N);

    #pragma ws grid(3)
    for (int n = 0; n < batch; n++)
        for (int i = 0; i < M; i += 64)
            for (int j = 0; j < N; j += 128) {
                ws_tile acc = ws_zeros(WS_F32, 64, 128);

                #pragma ws pipeline(4, 2)
                for (int k = 0; k < K; k += 64) {
                    ws_tile ta = ws_load_3d(a, n, i, k, 64, 64);
                    ws_tile tb = ws_load_3d(b, n, j, k, 128, 64);
                    acc = ws_dot(ta, ws_trans(tb), acc);
                }
                ws_store_3d(c, n, i, j, acc);
            }
}

int main(int argc, char **argv)
{
    check_begin("gemm_batched", argc, argv);
    int batch = check_size(1, 3), M = check_size(2, 100), N = check_size(3, 150), K = check_size(4, 72);
    ws_f16 *A = check_random(WS_F16, (size_t)batch * M * K);
    ws_f16 *B = check_random(WS_F16, (size_t)batch * N * K);
    float *C = check_output(WS_F32, (size_t)batch * M * N);

    gemm_batched(batch, M, N, K, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long n = 0; n < batch; n++)
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                for (long k = 0; k < K; k++) {
                    double product = (double)ws_f16_to(A[(n * M + i) * K + k]) * ws_f16_to(B[(n * N + j) * K + k]);
                    sum += product;
                    magnitude += fabs(product);
                }
                check_close(C, (n * M + i) * N + j, sum, check_dot_error(K, magnitude));
            }
    return check_end();
}
