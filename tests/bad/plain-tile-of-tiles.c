/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop over tiles has its tile in its step. */
#include <ws.h>

void scale(int n, float *a)
{
    ws_tensor t = ws_tensor_1d(a, WS_F32, n);
    #pragma ws grid(1) tile(64)
    for (int i = 0; i < n; i += 64)
        ws_store_row(t, i, ws_mul(ws_load_row(t, i, 64), 2));
}
