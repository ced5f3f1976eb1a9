/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product whose epilogue adds what an earlier grid of the block stores: its operands do not wait for that. */
#include "test.h"

static void residual(int M, int N, int K, const ws_bf16 *X, const ws_bf16 *W, const ws_bf16 *Z, ws_bf16 *R, ws_bf16 *Y)
{
#pragma ws together
    ws_tensor x = ws_tensor_2d(X, WS_BF16, M, K), w = ws_tensor_2d(W, WS_BF16, N, K);
    ws_tensor z = ws_tensor_2d(Z, WS_BF16, M, N), r = ws_tensor_2d(R, WS_BF16, M, N);
    ws_tensor y = ws_tensor_2d(Y, WS_BF16, M, N);

#pragma ws grid(2) share(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 64)
            ws_store(r, i, j, ws_mul(ws_load(z, i, j, 32, 64), 2));

#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64)
                acc = ws_dot(ws_load(x, i, k, 64, 64), ws_trans(ws_load(w, j, k, 64, 64)), acc);
            ws_store(y, i, j, ws_cast(ws_add(acc, ws_cast(ws_load(r, i, j, 64, 64), WS_F32)), WS_BF16));
        }
}

int main(int argc, char **argv)
{
    check_begin("together_residual", argc, argv);
    int M = check_size(1, 200), N = check_size(2, 136), K = check_size(3, 152);
    ws_bf16 *X = check_random(WS_BF16, (size_t)M * K), *W = check_random(WS_BF16, (size_t)N * K);
    ws_bf16 *Z = check_random(WS_BF16, (size_t)M * N);
    ws_bf16 *R = check_output(WS_BF16, (size_t)M * N), *Y = check_output(WS_BF16, (size_t)M * N);

    residual(M, N, K, check_place(X), check_place(W), check_place(Z), check_place(R), check_place(Y));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = 0, magnitude = 0;
            for (long k = 0; k < K; k++) {
                double product = (double)ws_bf16_to(X[i * K + k]) * ws_bf16_to(W[j * K + k]);
                sum += product;
                magnitude += fabs(product);
            }
            check_close(Y, i * N + j, sum + 2 * ws_bf16_to(Z[i * N + j]), check_dot_error(K, magnitude));
        }
    return check_end();
}
