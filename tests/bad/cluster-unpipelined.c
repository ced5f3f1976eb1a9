/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cluster of blocks without a producer that could share tiles. */
#include <ws.h>

void f(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);

    #pragma ws grid(2) cluster(1, 2)  /* wrong */
    for (int i = 0; i < M; i += 16)
        for (int j = 0; j < N; j += 64)
            ws_store(y, i, j, ws_add(ws_load(x, i, 0, 16, 64), 1));
}
