/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bits of bytes: what gives more than a byte. */
#include <ws.h>

void f(int n, const unsigned char *X, unsigned char *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_U8, n, 64), y = ws_tensor_2d(Y, WS_U8, n, 64);

    #pragma ws grid(1)
    for (int i = 0; i < n; i += 8)
        ws_store(y, i, 0, ws_shl(ws_load(x, i, 0, 8, 64), 1));  /* wrong */
}
