/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tensor whose base depends on the iteration. */
#include <ws.h>

void f(int M, float *C)
{
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tensor c = ws_tensor_2d(C + i * 64L, WS_F32, 64, 64); /* wrong */
        ws_store(c, 0, 0, ws_zeros(WS_F32, 64, 64));
    }
}
