/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile carried from one iteration of the grid to the next. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    ws_tile sum = ws_zeros(WS_F32, 64, 64);
    #pragma ws grid(1) /* wrong */
    for (int i = 0; i < M; i += 64) {
        sum = ws_add(sum, ws_load(c, i, 0, 64, 64));
        ws_store(c, i, 0, sum);
    }
}
