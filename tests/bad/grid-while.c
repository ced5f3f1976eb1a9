/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid pragma above a while. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    int i = 0;
    #pragma ws grid(1)  /* wrong */
    while (i < M) {
        ws_store(c, i, 0, ws_zeros(WS_F32, 64, 64));
        i += 64;
    }
}
