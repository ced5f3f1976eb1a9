/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product that is added to a sum of which each block has some columns. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile sum = ws_zeros(WS_F32, 64, 64);

            #pragma ws parts
            for (int s = 0; s < 4; s++) {
                ws_tile part = ws_zeros(WS_F32, 64, 64);

                #pragma ws pipeline(3)
                for (int k = s * 64; k < K; k += 256)
                    part = ws_dot(ws_load(a, i, k, 64, 64), ws_trans(ws_load(b, j, k, 64, 64)), part);
                sum = ws_add(sum, part);
            }
            ws_tile other = ws_dot(ws_load(a, i, 0, 64, 64), ws_trans(ws_load(b, j, 0, 64, 64)), /* wrong */
                                   ws_zeros(WS_F32, 64, 64));
            ws_store(c, i, j, ws_add(sum, other));
        }
}
