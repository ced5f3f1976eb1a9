/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two right operands that lie beside each other, since their products are one instruction. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *G, ws_f16 *C)
{
    ws_tensor x = ws_tensor_2d(A, WS_F16, M, K), y = ws_tensor_2d(B, WS_F16, N, K), z = ws_tensor_2d(G, WS_F16, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) consumers(1)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64), sum = acc;
            #pragma ws pipeline(3, 2) share(out, b) /* wrong */
            for (int k = 0; k < K; k += 64) {
                ws_tile a = ws_load(x, i, k, 64, 64), b = ws_load(y, j, k, 64, 64), g = ws_load(z, j, k, 64, 64);
                acc = ws_dot(a, ws_trans(b), acc);
                sum = ws_dot(a, ws_trans(g), sum);
            }
            ws_tile out = ws_cast(ws_mul(acc, sum), WS_F16);
            ws_store(c, i, j, out);
        }
}
