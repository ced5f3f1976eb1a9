/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose step is not their tile's extent, and their like that mean it. */
#include <ws.h>

void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) /* wrong */
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 64, 32)), acc);
            for (int k = 0; k < K; k += 32) /* wrong */
                acc = ws_dot(ws_load(a, i, k, 64, 64), ws_trans(ws_load(b, j, k, 64, 64)), acc);
            for (int k = 0; k < K; k += 64) { /* two at a time */
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 64, 32)), acc);
                acc = ws_dot(ws_load(a, i, k + 32, 64, 32), ws_trans(ws_load(b, j, k + 32, 64, 32)), acc);
            }
            for (int s = 0; s < 2; s++)
                for (int k = s * 32; k < K; k += 64) /* every second one, twice */
                    acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 64, 32)), acc);
            for (int k = 0; k < K; k += 16) { /* ends where it says */
                ws_tile left = ws_load(ws_slice(a, 1, 0, k + 16), i, k, 64, 32);
                acc = ws_dot(left, ws_trans(ws_load(b, j, k, 64, 32)), acc);
            }
            ws_store(c, i, j, acc);
        }
}

void grids(int M, int N, int step, const float *X, float *Y, float *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N), z = ws_tensor_2d(Z, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 32) /* wrong */
        for (int j = 0; j < N; j += 32)
            ws_store(y, i, j, ws_load(x, i, j, 64, 32));
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) /* wrong */
            ws_store(y, i, j, ws_load(x, i, j, 64, 32));
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 128) { /* both halves */
        ws_store(y, i, 0, ws_load(x, i, 0, 64, 32));
        ws_store(y, i + 64, 0, ws_load(x, i + 64, 0, 64, 32));
    }
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 32) /* sums, in any order */
        ws_atomic_add(z, i, 0, ws_load(x, i, 0, 64, 32));
    #pragma ws grid(1)
    for (int i = 0; i < M; i += step) /* at a step that the caller knows */
        ws_store(ws_slice(y, 0, 0, i + step), i, 0, ws_load(x, i, 0, 64, 32));
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 62) { /* a stencil: it reads beyond what it stores */
        ws_tile around = ws_add(ws_load(x, i - 1, 0, 62, 32), ws_load(x, i + 1, 0, 62, 32));
        ws_store(y, i, 0, ws_add(around, ws_load(x, i, 0, 62, 32)));
    }
}

void sums(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_1d(Y, WS_F32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile sum = ws_zeros(WS_F32, 64, 1);
        for (int j = 0; j < N; j += 64) /* wrong */
            sum = ws_add(sum, ws_row_sum(ws_load(x, i, j, 64, 32)));
        for (int j = 0; j < N; j += 16) /* windows that overlap */
            sum = ws_add(sum, ws_row_sum(ws_load(x, i, j, 64, 32)));
        ws_store_col(y, i, sum);
    }
}
