/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile that has some rows of a box. */
#include <ws.h>

void f(int H, int W, int n, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_3d(X, WS_F32, H, W, 32), y = ws_tensor_2d(Y, WS_F32, H, 32);

#pragma ws grid(1)
    for (int h = 0; h < H; h += 16)
        ws_store(y, h, 0, ws_load(ws_box_3d(x, h, 0, 4, 8), 0, 0, 16, 32)); /* wrong */
}
