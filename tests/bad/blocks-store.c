/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All iterations store the same elements. */
#include <ws.h>

enum { W = 128 };

void f(int M, int N, const ws_f16 *X, float *Y)
{
    ws_tensor t = ws_tensor_2d(X, WS_F16, M, 4 * W), y = ws_tensor_2d(Y, WS_F32, M, 4 * W);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
#pragma ws blocks
        for (int s = 0; s < 4; s++)
            ws_store(y, i, 0, ws_cast(ws_load(t, i, s * W, 16, W), WS_F32)); /* wrong */
    }
}
