/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A number of iterations in flight where each iteration needs what it computes. */
#include <ws.h>
void f(int M, int N, int K, const float *A, const float *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, K), b = ws_tensor_2d(B, WS_F32, K, N), c = ws_tensor_2d(C, WS_F32, M, N);
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(4, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot_f32(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
            ws_store(c, i, j, acc);
        }
}
void g(int M, int N, int K, const float *A, const float *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, K), b = ws_tensor_2d(B, WS_F32, K, N), c = ws_tensor_2d(C, WS_F32, M, N);
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(4, 2)
            for (int k = 0; k < K; k += 32)
                acc = ws_add(acc, ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), ws_zeros(WS_F32, 64, 64)));
            ws_store(c, i, j, acc);
        }
}
