/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -Wno-ws-padded-reduction */
/* The warning has a name and can be turned off by it. */
#include <ws.h>

void f(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_1d(Y, WS_F32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64)
        ws_store_col(y, i, ws_row_max(ws_load(x, i, 0, 64, 32)));
}
