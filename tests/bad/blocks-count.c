/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop's iterations are not counted by a constant. */
#include <ws.h>

enum { W = 128 };

void f(int M, int N, const ws_f16 *X, float *Y)
{
    ws_tensor t = ws_tensor_2d(X, WS_F16, M, 4 * W), y = ws_tensor_2d(Y, WS_F32, M, 4 * W);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
#pragma ws blocks
        for (int s = 0; s < N; s++) /* wrong */
            ws_store(y, i, s * W, ws_zeros(WS_F32, 16, W));
    }
}
