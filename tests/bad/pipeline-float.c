/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pipelined loop that counts with a float. */
#include <ws.h>

void f(int M, int K, const float *A, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, K), c = ws_tensor_2d(C, WS_F32, M, 64);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile sum = ws_zeros(WS_F32, 64, 64);
        #pragma ws pipeline(3)
        for (float k = 0; k < K; k += 64) /* wrong */
            sum = ws_add(sum, ws_load(a, i, (int)k, 64, 64));
        ws_store(c, i, 0, sum);
    }
}
