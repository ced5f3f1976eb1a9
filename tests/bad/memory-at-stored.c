/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_at reads a tensor that the region stores. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C, int *V)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);
    ws_tensor v = ws_tensor_1d(V, WS_I32, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            long n = ws_at(v, i); /* wrong */
            ws_store_row(v, j, ws_full(WS_I32, 1, 64, 1));
            ws_store(c, i, n, ws_zeros(WS_F32, 64, 64));
        }
}
