/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid loop that counts down. */
#include <ws.h>

void f(int M, float *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, 64);

    #pragma ws grid(1)
    for (int i = M / 64 - 1; i >= 0; i--) /* wrong */
        ws_store(c, 64 * i, 0, ws_zeros(WS_F32, 64, 64));
}
