/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An accumulator that the registers do not hold. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 256, 512); /* wrong */
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 16)
                acc = ws_dot(ws_load(a, i, k, 256, 16), ws_load(b, k, j, 16, 512), acc);
            ws_store(c, i, j, acc);
        }
}
