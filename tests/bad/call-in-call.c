/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The place of a call that is an argument of another is its own.  */
#include <ws.h>

void f(int n, const int *X, int *Y)
{
    ws_tensor x = ws_tensor_1d(X, WS_I32, n), y = ws_tensor_2d(Y, WS_I32, 1, 16);

    #pragma ws grid(1)
    for (int i = 0; i < n; i += 128) {
        ws_tile one = ws_eq(ws_load_col(x, i, 128), ws_col_index(1, 16));
        ws_atomic_add(y, 0, 0,
                      ws_col_sum(
                          ws_cast(one, WS_I32))); /* wrong: this line */
    }
}
