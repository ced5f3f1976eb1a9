/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many devices: a variable or a constant, and nothing behind it. */
#include <ws.h>

void f(int n, int M, const float *const X[], float *const Y[])
{
    #pragma ws devices(n + 1) /* wrong */
    for (int r = 0; r < n; r++)
        #pragma ws grid(1)
        for (int i = 0; i < M; i += 16)
            ws_store(ws_tensor_2d(Y[r], WS_F32, M, 32), i, 0, ws_load(ws_tensor_2d(X[r], WS_F32, M, 32), i, 0, 16, 32));
}
