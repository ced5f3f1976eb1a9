/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pointer is no place in a loop. */
#include <ws.h>

void f(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);
    int i;

    #pragma ws grid(1) order(from(X)) /* wrong */
    for (i = 0; i < M; i += 64)
        ws_store(y, i, 0, ws_load(x, i, 0, 64, 64));
}
