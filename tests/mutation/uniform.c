/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: a loop of products has a branch that all threads have to take alike. */
#include <ws.h>

void uniform(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const int *V, int *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_I32, M, N);
    ws_tensor v = ws_tensor_1d(V, WS_I32, K);

    #pragma ws grid(2) consumers(1)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 32) {
            ws_tile sum = ws_zeros(WS_F32, 64, 32);

            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 32) {
                ws_tile part =
                    ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 32, 32)), ws_zeros(WS_F32, 64, 32));
                if (ws_at(v, k / 32) > 7)
                    part = ws_mul(part, 2);
                sum = ws_add(sum, part);
            }
            ws_store(c, i, j, ws_cast(ws_mul(sum, 64), WS_I32));
        }
}
