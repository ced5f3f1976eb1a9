/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The likely slip of task. */
#include <ws.h>

void f(int M, float *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F32, M, 64);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        #pragma ws tasks /* wrong */
        ws_store(c, i, 0, ws_zeros(WS_F32, 64, 64));
    }
}
