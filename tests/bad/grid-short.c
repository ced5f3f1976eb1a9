/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ws.h>

void f(int N, float *C)
{
    ws_tensor c = ws_tensor_2d(C, WS_F32, 64, N);
    #pragma ws grid(1)
    for (short j = 0; j < N; j += 64)
        ws_store(c, 0, j, ws_zeros(WS_F32, 64, 64));
}
