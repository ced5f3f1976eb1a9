/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles in an array. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile x[2];
            for (int n = 0; n < 2; n++)
                x[n] = ws_load(a, i, j + 32 * n, 64, 32);
            ws_store(c, i, j, ws_cast(ws_add(x[0], x[K % 2]), WS_F32)); /* wrong */
        }
}
