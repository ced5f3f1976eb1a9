/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A goto out of a pipelined loop into the middle of the region. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 32) {
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_load(b, k, j, 32, 64), acc);
                if (k > j) goto again; /* wrong */
            }
            if (j > 64) {
                acc = ws_neg(acc);
            again:
                acc = ws_add(acc, 1);
            }
            ws_store(c, i, j, acc);
        }
}
