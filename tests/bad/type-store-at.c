/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indices of another shape than what is stored. */
#include <ws.h>

void f(int n, const int *at, const float *x, float *y)
{
    ws_tensor k = ws_tensor_1d(at, WS_I32, n), tx = ws_tensor_2d(x, WS_F32, n, 32),
              ty = ws_tensor_1d(y, WS_F32, n * 32);

#pragma ws grid(1)
    for (int i = 0; i < n; i += 64)
        ws_store_at(ty, ws_load_col(k, i, 64), ws_load(tx, i, 0, 64, 32)); /* wrong */
}
