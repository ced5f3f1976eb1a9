/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bound that is read from memory. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C, const int *V)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);
    ws_tensor v = ws_tensor_1d(V, WS_I32, 1);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < ws_at(v, 0); j += 64) /* wrong */
            ws_store(c, i, j, ws_zeros(WS_F32, 64, 64));
}
