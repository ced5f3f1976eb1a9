/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clause on a grid over tiles. */
#include <ws.h>

int f(int M, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, 64), c = ws_tensor_2d(C, WS_F32, M, 64);
    int count = 0;

    #pragma ws grid(1) reduction(+: count)
    for (int i = 0; i < M; i += 64) {
        ws_store(c, i, 0, ws_load(a, i, 0, 64, 64));
        count++;
    }
    return count;
}
