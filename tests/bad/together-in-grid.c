/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A block of grids inside a grid. */
#include <ws.h>

void f(int M, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, 32), y = ws_tensor_2d(Y, WS_F32, M, 32);
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        #pragma ws together /* wrong */
        ws_store(y, i, 0, ws_load(x, i, 0, 16, 32));
    }
}
