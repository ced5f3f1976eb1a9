/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All iterations of a loop over devices store to one tensor. */
#include <ws.h>

void f(int n, int M, const float *const X[], float *Y)
{
    ws_tensor y = ws_tensor_2d(Y, WS_F32, n * M, 32);
    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor x = ws_tensor_2d(X[r], WS_F32, M, 32);
        #pragma ws grid(1)
        for (int i = 0; i < M; i += 16)
            ws_store(y, r * M + i, 0, ws_load(x, i, 0, 16, 32)); /* wrong */
    }
}
