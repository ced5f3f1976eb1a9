/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid of four dimensions has none left for blocks. */
#include <ws.h>

void f(int A, int B, int C, const float *X, float *Y)
{
    ws_tensor t = ws_tensor_4d(X, WS_F32, A, B, C, 512), y = ws_tensor_4d(Y, WS_F32, A, B, C, 512);

#pragma ws grid(4)
    for (int a = 0; a < A; a++)
        for (int b = 0; b < B; b++)
            for (int c = 0; c < C; c += 8)
                for (int d = 0; d < 512; d += 512) {
#pragma ws blocks /* wrong */
                    for (int s = 0; s < 4; s++)
                        ws_store_4d(y, a, b, c, d + s * 128, ws_load_4d(t, a, b, c, d + s * 128, 8, 128));
                }
}
