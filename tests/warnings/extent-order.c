/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extents whose order contradicts the coordinates, and their like that are right. */
#include <ws.h>

void product(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, K, M), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            for (int k = 0; k < K; k += 32) /* a is wrong */
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_trans(ws_load(a, k, i, 32, 64)), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}

void upper(int M, int N, const float *X, float *R, const float *H, float *T)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), r = ws_tensor_2d(R, WS_F32, N, N);
    ws_tensor h = ws_tensor_3d(H, WS_F32, 4, N, M), t = ws_tensor_2d(T, WS_F32, 128, 64);

    #pragma ws grid(2)
    for (int i = 0; i < N; i += 64) /* the upper part of x, which has M >= N rows */
        for (int j = 0; j < N; j += 64)
            ws_store(r, i, j, ws_load(x, i, j, 64, 64));
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) /* h is wrong */
            ws_atomic_add(r, 0, 0, ws_load_3d(h, 2, i, j, 64, 64));
    #pragma ws grid(2)
    for (int i = 0; i < 64; i += 64)
        for (int j = 0; j < 128; j += 64) /* t is wrong */
            ws_store(t, i, j, ws_load(x, i, j, 64, 64));
}
