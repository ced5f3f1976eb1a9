/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An element is read outside the loops. */
#include <ws.h>

enum { W = 128 };

void f(int M, int N, const ws_f16 *X, float *Y)
{
    ws_tensor t = ws_tensor_2d(X, WS_F16, M, 4 * W), y = ws_tensor_2d(Y, WS_F32, M, 4 * W);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        ws_tile x[4];

#pragma ws blocks
        for (int s = 0; s < 4; s++)
            x[s] = ws_cast(ws_load(t, i, s * W, 16, W), WS_F32);

        ws_store(y, i, 0, x[0]); /* wrong */
    }
}
