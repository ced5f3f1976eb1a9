/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -Wno-ws-loop-step -Wno-ws-extent-order -Wno-ws-single-element */
/* Each of these warnings has a name and can be turned off by it. */
#include <ws.h>

void f(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, N, M), y = ws_tensor_2d(Y, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64)
            ws_store(y, i, j, ws_load(x, i, j, 64, 32));
    #pragma ws grid(2)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            ws_store(y, i, j, ws_load(y, i, j, 1, 1));
}
