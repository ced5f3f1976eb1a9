/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Twelve columns, of which blocks get multiples of eight. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 12) {
            ws_tile sum = ws_zeros(WS_F32, 64, 12);

            #pragma ws parts
            for (int s = 0; s < 3; s++) {  /* wrong */
                ws_tile part = ws_zeros(WS_F32, 64, 12);
                for (int k = s; k < K; k += 3)
                    part = ws_add(part, ws_mul(ws_cast(ws_load(a, i, k, 64, 1), WS_F32),
                                               ws_trans(ws_cast(ws_load(b, j, k, 12, 1), WS_F32))));
                sum = ws_add(sum, part);
            }
            ws_store(c, i, j, sum);
        }
}
