/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid that runs together with an earlier one: its tiles wait, and report that they are done. */
#include <ws.h>

void beside(int M, int N, const float *X, float *Y, float *Z)
{
    #pragma ws together
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N), z = ws_tensor_2d(Z, WS_F32, M, N);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32)
            ws_store(y, i, j, ws_add(ws_load(x, i, j, 16, 32), 1));
    }
    #pragma ws grid(1)
    for (int i = 0; i < M; i += 16) {
        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32)
            ws_store(z, i, j, ws_mul(ws_load(y, i, j, 16, 32), 2));
    }
}
