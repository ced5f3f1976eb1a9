/* SPDX-License-Identifier: MIT */
/*
 * gemm - a matrix product: C = A B^T.
 *
 * A grid of 128 x 256 tiles of C; along K a ring of four slots that a producer fills, and at most two iterations of
 * matrix work in flight behind it.
 */
#include "check.h"

/* A is M x K, B is N x K, C is M x N, all row-major. */
void gemm(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 128)
        for (int j = 0; j < N; j += 256) {
            ws_tile acc = ws_zeros(WS_F32, 128, 256);

            #pragma ws pipeline(4, 2)
            for (int k = 0; k < K; k += 64) {
                ws_tile ta = ws_load(a, i, k, 128, 64);
                ws_tile tb = ws_load(b, j, k, 256, 64);
                acc = ws_dot(ta, ws_trans(tb), acc);
            }
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

int main(int argc, char **argv)
{
    check_begin("gemm", argc, argv);
    int M = check_size(1, 200), N = check_size(2, 296), K = check_size(3, 168);
    ws_f16 *A = check_random(WS_F16, (size_t)M * K);
    ws_f16 *B = check_random(WS_F16, (size_t)N * K);
    ws_f16 *C = check_output(WS_F16, (size_t)M * N);

    gemm(M, N, K, check_place(A), check_place(B), check_place(C));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < K; k++) {
                double product = (double)ws_f16_to(A[i * K + k]) * ws_f16_to(B[j * K + k]);
                sum += product;
                magnitude += fabs(product);
            }
            check_close(C, i * N + j, sum, check_dot_error(K, magnitude));
        }
    return check_end();
}
