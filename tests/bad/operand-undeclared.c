/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An operand that GCC refuses is one error.  */
#include <ws.h>

void f(int n, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_1d(X, WS_F32, n), y = ws_tensor_1d(Y, WS_F32, n);

    #pragma ws grid(1)
    for (int i = 0; i < n; i += 128)
        ws_store_row(y, i, ws_mul(ws_load_row(x, i, 128), factor));
}
