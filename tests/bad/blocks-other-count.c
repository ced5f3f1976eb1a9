/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over different numbers of blocks. */
#include <ws.h>

enum { W = 128 };

void f(int M, int N, const ws_f16 *X, float *Y)
{
    ws_tensor t = ws_tensor_2d(X, WS_F16, M, 4 * W), y = ws_tensor_2d(Y, WS_F32, M, 4 * W);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
#pragma ws blocks
        for (int s = 0; s < 4; s++)
            ws_store(y, i, s * W, ws_zeros(WS_F32, 8, W));

#pragma ws blocks
        for (int s = 0; s < 2; s++) /* wrong */
            ws_store(y, i + 8, s * W, ws_zeros(WS_F32, 8, W));
    }
}
