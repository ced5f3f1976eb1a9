/* SPDX-License-Identifier: MIT */
/*
 * gemm_bias_gelu - a layer of a neural network: Y = gelu(X W^T + bias).
 *
 * Whatever follows the loop is the epilogue: elementwise operations on the accumulator while it is still in registers.
 * The bias is a row, (1, 128), and meets the (128, 128) tile by broadcasting.
 */
#include "check.h"

enum { BM = 128, BN = 128, BK = 64 };

/* x (1 + erf(x / sqrt 2)) / 2 */
static inline ws_tile gelu(ws_tile x)
{
    ws_tile phi = ws_add(ws_erf(ws_mul(x, 0.70710678f)), 1.0f);
    return ws_mul(ws_mul(x, 0.5f), phi);
}

void gemm_bias_gelu(int M, int N, int K, const ws_f16 *X, const ws_f16 *W, const float *bias, ws_f16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, N, K);
    ws_tensor v = ws_tensor_1d(bias, WS_F32, N), y = ws_tensor_2d(Y, WS_F16, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += BM)
        for (int j = 0; j < N; j += BN) {
            ws_tile acc = ws_zeros(WS_F32, BM, BN);

            #pragma ws pipeline(4, 2)
            for (int k = 0; k < K; k += BK)
                acc = ws_dot(ws_load(x, i, k, BM, BK), ws_trans(ws_load(w, j, k, BN, BK)), acc);
            ws_store(y, i, j, ws_cast(gelu(ws_add(acc, ws_load_row(v, j, BN))), WS_F16));
        }
}

int main(int argc, char **argv)
{
    check_begin("gemm_bias_gelu", argc, argv);
    int M = check_size(1, 200), N = check_size(2, 296), K = check_size(3, 168);
    ws_f16 *X = check_random(WS_F16, (size_t)M * K), *W = check_random(WS_F16, (size_t)N * K);
    float *bias = check_random(WS_F32, N);
    ws_f16 *Y = check_output(WS_F16, (size_t)M * N);

    gemm_bias_gelu(M, N, K, check_place(X), check_place(W), check_place(bias), check_place(Y));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = bias[j], magnitude = fabs(sum);
            for (long k = 0; k < K; k++) {
                sum += (double)ws_f16_to(X[i * K + k]) * ws_f16_to(W[j * K + k]);
                magnitude += fabs((double)ws_f16_to(X[i * K + k]) * ws_f16_to(W[j * K + k]));
            }
            check_close(Y, i * N + j, sum * (1 + erf(sum / sqrt(2))) / 2, 2 * check_dot_error(K, magnitude));
        }
    return check_end();
}
