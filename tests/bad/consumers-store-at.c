/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups divide rows that indices send anywhere. */
#include <ws.h>

void f(int n, const int *at, const ws_f16 *A, const ws_f16 *B, float *y)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, n, 512), b = ws_tensor_2d(B, WS_F16, 512, 64);
    ws_tensor k = ws_tensor_1d(at, WS_I32, n), t = ws_tensor_1d(y, WS_F32, n);

#pragma ws grid(1) consumers(2, rows)
    for (int i = 0; i < n; i += 128) {
        ws_tile acc = ws_zeros(WS_F32, 128, 64);
#pragma ws pipeline(2)
        for (int j = 0; j < 512; j += 64)
            acc = ws_dot(ws_load(a, i, j, 128, 64), ws_load(b, j, 0, 64, 64), acc);
        ws_store_at(t, ws_load_col(k, i, 128), ws_row_sum(acc)); /* wrong */
    }
}
