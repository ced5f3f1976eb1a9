/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop over devices that counts down. */
#include <ws.h>

void f(int n, int M, const float *const X[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = n - 1; r >= 0; r--) /* wrong */
        #pragma ws grid(1)
        for (int i = 0; i < M; i += 16)
            ws_store(ws_tensor_2d(Y[r], WS_F32, M, 32), i, 0, ws_load(ws_tensor_2d(X[r], WS_F32, M, 32), i, 0, 16, 32));
}
