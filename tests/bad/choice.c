/* SPDX-License-Identifier: MIT */
/* No variant fits: what is said is of the first. */
#include <ws.h>

void f(int M, const float *A, float *B)
{
    const int rows = ws_choice(512, 1024);
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, 512), b = ws_tensor_2d(B, WS_F32, M, 512);
#pragma ws grid(1)
    for (int i = 0; i < M; i += rows) {
        ws_tile x = ws_load(a, i, 0, rows, 512);
        ws_store(b, i, 0, ws_add(x, ws_row_sum(x)));
    }
}
