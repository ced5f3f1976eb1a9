/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three groups and the producer are 512 threads, which begin with 128 registers: an instruction of 256 columns takes
   more. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2) consumers(3, rows)
    for (int i = 0; i < M; i += 192)
        for (int j = 0; j < N; j += 256) {
            ws_tile acc = ws_zeros(WS_F32, 192, 256);
            #pragma ws pipeline(2)
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 192, 32), ws_load(b, k, j, 32, 256), acc); /* wrong */
            ws_store(c, i, j, acc);
        }
}
