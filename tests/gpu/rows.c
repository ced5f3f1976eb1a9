/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests/gpu/python: rows that are apart, and a launch that is refused. */
#include <ws.h>

void scale(int n, int m, int ld, float factor, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_2d_ld(x, WS_F32, n, m, ld), ty = ws_tensor_2d(y, WS_F32, n, m);
#pragma ws grid(2)
    for (int i = 0; i < n; i += 16)
        for (int j = 0; j < m; j += 32)
            ws_store(ty, i, j, ws_mul(ws_load(tx, i, j, 16, 32), factor));
}

/* What is stored is not what is loaded: an argument that overlaps is refused at the launch. */
void shift(int n, const float *x, float *y)
{
    ws_tensor tx = ws_tensor_1d(x, WS_F32, n), ty = ws_tensor_1d(y, WS_F32, n);
#pragma ws grid(1)
    for (int i = 0; i < n; i += 64)
        ws_store_row(ty, i, ws_load_row(tx, i, 64));
}
