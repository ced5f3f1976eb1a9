/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A vector is loaded as a matrix of one row. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    ws_tensor bias = ws_tensor_1d(B, WS_F16, N);
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile x = ws_load(bias, 0, j, 1, 64); /* wrong */
            ws_store(c, i, j, ws_add(ws_cast(x, WS_F32), ws_zeros(WS_F32, 64, 64)));
        }
}
