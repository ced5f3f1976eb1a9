/* SPDX-License-Identifier: MIT */
#include <ws.h>

void f(int M, const float *A, float *B)
{
    const int rows = ws_choice(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
    const int cols = ws_choice(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, 64), b = ws_tensor_2d(B, WS_F32, M, 64);
#pragma ws grid(2)
    for (int i = 0; i < M; i += rows)
        for (int j = 0; j < 64; j += cols)
            ws_store(b, i, j, ws_load(a, i, j, rows, cols));
}
