/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pipelined loop whose only tiles have rows that are too short for the copy engine. */
#include <ws.h>

void f(int M, int N, const ws_bf16 *X, ws_bf16 *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_BF16, M, N), y = ws_tensor_2d(Y, WS_BF16, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += 4)
            ws_store(y, i, j, ws_load(x, i, j, 64, 4)); /* wrong */
    }
}
