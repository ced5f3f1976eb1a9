/* SPDX-License-Identifier: MIT */
#include <ws.h>

void f(int M, int n, const float *A, float *B)
{
    const int rows = ws_choice(n, 16);
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, 64), b = ws_tensor_2d(B, WS_F32, M, 64);
#pragma ws grid(1)
    for (int i = 0; i < M; i += rows)
        ws_store(b, i, 0, ws_load(a, i, 0, rows, 64));
}
