/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile and itself. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor x = ws_tensor_2d(A, WS_F16, M, K), y = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) consumers(1)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(3, 2) share(out, out) /* wrong */
            for (int k = 0; k < K; k += 64) {
                ws_tile a = ws_load(x, i, k, 64, 64), b = ws_load(y, j, k, 64, 64);
                acc = ws_dot(a, ws_trans(b), acc);
            }
            ws_tile out = ws_cast(acc, WS_F16);
            ws_store(c, i, j, out);
        }
}
