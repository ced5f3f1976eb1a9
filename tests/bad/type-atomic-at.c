/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Additions to elements of a type that has none. */
#include <ws.h>

void f(int n, const int *at, const ws_f16 *x, ws_f16 *y)
{
    ws_tensor k = ws_tensor_1d(at, WS_I32, n), tx = ws_tensor_1d(x, WS_F16, n), ty = ws_tensor_1d(y, WS_F16, n);

#pragma ws grid(1)
    for (int i = 0; i < n; i += 64)
        ws_atomic_add_at(ty, ws_load_row(k, i, 64), ws_load_row(tx, i, 64)); /* wrong */
}
