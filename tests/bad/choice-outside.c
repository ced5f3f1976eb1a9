/* SPDX-License-Identifier: MIT */
/* The launch gets one number for all variants. */
#include <ws.h>

int rounded(int, int);

void f(int M, const float *A, float *B)
{
    const int rows = ws_choice(16, 32);
    const int end = rounded(M, rows);
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, 64), b = ws_tensor_2d(B, WS_F32, M, 64);
#pragma ws grid(1)
    for (int i = 0; i < end; i += rows)
        ws_store(b, i, 0, ws_load(a, i, 0, rows, 64));
}
