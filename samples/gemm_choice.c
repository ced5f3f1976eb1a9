/* SPDX-License-Identifier: MIT */
/*
 * gemm_choice - a matrix product whose tile is left open: each launch takes the best of six.
 *
 * wscc --ws-tune PROGRAM measures them on the GPU at hand; before that the compiler's estimates decide.
 */
#include "check.h"

/* A is M x K, B is N x K, C is M x N, all row-major. */
void gemm_choice(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    const long shape = ws_choice_shape(ws_shape(128, 256, 64), ws_shape(128, 128, 64), ws_shape(64, 64, 128));
    const int BM = ws_shape_m(shape), BN = ws_shape_n(shape), BK = ws_shape_k(shape);
    const int D = ws_choice(4, 3);
    (void)D; /* what reads no pragma would warn */
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K);
    ws_tensor b = ws_tensor_2d(B, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += BM)
        for (int j = 0; j < N; j += BN) {
            ws_tile acc = ws_zeros(WS_F32, BM, BN);

#pragma ws pipeline(D, 2)
            for (int k = 0; k < K; k += BK)
                acc = ws_dot(ws_load(a, i, k, BM, BK), ws_trans(ws_load(b, j, k, BN, BK)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}

int main(int argc, char **argv)
{
    check_begin("gemm_choice", argc, argv);
    int M = check_size(1, 200), N = check_size(2, 296), K = check_size(3, 168);
    ws_f16 *A = check_random(WS_F16, (size_t)M * K);
    ws_f16 *B = check_random(WS_F16, (size_t)N * K);
    ws_f16 *C = check_output(WS_F16, (size_t)M * N);

    gemm_choice(M, N, K, check_place(A), check_place(B), check_place(C));
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
