/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A second side of a cluster, and no second loop to lay it along. */
#include <ws.h>

void f(int M, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, 64), c = ws_tensor_2d(C, WS_F32, M, 64);

    #pragma ws grid(1) cluster(1, 2)  /* wrong */
    for (int i = 0; i < M; i += 64) {
        ws_tile acc = ws_zeros(WS_F32, 64, 64);
        #pragma ws pipeline(3)
        for (int k = 0; k < K; k += 32)
            acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, 0, 32, 64), acc);
        ws_store(c, i, 0, acc);
    }
}
