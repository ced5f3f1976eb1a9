/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes that C has without a sign, as WS_I8; a cast says that they have one. */
#include <ws.h>

void f(int M, int N, const unsigned char *X, unsigned char *Y, const signed char *Z, const unsigned char *E)
{
    ws_tensor x = ws_tensor_2d(X, WS_I8, M, N), y = ws_tensor_2d((signed char *)Y, WS_I8, M, N);
    ws_tensor z = ws_tensor_2d(Z, WS_I8, M, N), e = ws_tensor_2d(E, WS_E4M3, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64)
        ws_store(y, i, 0,
                 ws_select(ws_gt(ws_load(z, i, 0, 64, 32), 0), ws_load(x, i, 0, 64, 32), ws_load(z, i, 0, 64, 32)));
#pragma ws grid(1)
    for (int i = 0; i < M; i += 64)
        ws_store(y, i, 32, ws_select(ws_gt(ws_load(e, i, 0, 64, 32), 0), ws_load(x, i, 0, 64, 32), 1));
}
