/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A slice of a tensor whose base the grid chooses. */
#include <ws.h>

void f(int n, int M, const float *const X[], float *const Y[])
{
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor y = ws_tensor_3d(Y[r], WS_F32, n, M, 32);
        #pragma ws grid(2)
        for (int p = 0; p < n; p++)
            for (int i = 0; i < M; i += 16) {
                ws_tensor x = ws_slice(ws_tensor_2d(X[p], WS_F32, M, 32), 0, i, i + 8); /* wrong */
                ws_store_3d(y, p, i, 0, ws_load(x, 0, 0, 16, 32));
            }
    }
}
