/* SPDX-License-Identifier: MIT */
#include <ws.h>

void f(int M, int K, const float *A, float *B)
{
    ws_tensor a = ws_tensor_2d(A, WS_F32, M, K), b = ws_tensor_2d(B, WS_F32, M, 64);
#pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2) schedule(optimal, 6) /* wrong */
        for (int k = 0; k < K; k += 64)
            sum = ws_add(sum, ws_load(a, i, k, 64, 64));
        ws_store(b, i, 0, sum);
    }
}
