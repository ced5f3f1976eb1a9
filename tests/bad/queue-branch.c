/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A put under a condition. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor x = ws_tensor_2d(A, WS_F16, M, K), y = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_ring r = ws_ring_new(3);
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            {
                #pragma ws task(load)
                for (int k = 0; k < K; k += 64)
                    if (i > j)
                        ws_put(r, ws_load(x, i, k, 64, 64));
            }
            {
                #pragma ws task(multiply)
                #pragma ws pipeline(3)
                for (int k = 0; k < K; k += 64) {
                    ws_tile a;
                    ws_get(r, &a); /* wrong */
                    acc = ws_dot(a, ws_trans(ws_load(y, j, k, 64, 64)), acc);
                }
            }
            ws_store(c, i, j, acc);
        }
}
