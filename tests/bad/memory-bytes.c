/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop variable's bytes are copied to memory. */
#include <string.h>
#include <ws.h>

void f(int M, int N, float *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            memcpy(&C[i], &i, sizeof i); /* wrong */
            ws_store(c, i, j, ws_full(WS_F32, 64, 64, 1));
        }
}
