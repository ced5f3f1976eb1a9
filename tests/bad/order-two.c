/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two orders of tiles. */
#include <ws.h>

void f(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);

    #pragma ws grid(2) order(row, column) /* wrong */
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64)
            ws_store(y, i, j, ws_load(x, i, j, 64, 64));
}
