/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop over devices is left before its end. */
#include <ws.h>

void f(int n, int M, const float *const X[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor x = ws_tensor_2d(X[r], WS_F32, M, 32), y = ws_tensor_2d(Y[r], WS_F32, M, 32);
        if (!X[r])
            break; /* wrong */
        #pragma ws grid(1)
        for (int i = 0; i < M; i += 16)
            ws_store(y, i, 0, ws_load(x, i, 0, 16, 32));
    }
}
