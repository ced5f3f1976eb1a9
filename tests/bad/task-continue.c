/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rest of an iteration depends on is decided in a task. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const signed char *W, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), w = ws_tensor_2d(W, WS_I8, N, K), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 64) {
                ws_tile x = ws_load(a, i, k, 64, 64), q = ws_load(w, j, k, 64, 64), b;
                {
                    #pragma ws task(scale)
                    if (k % 128)
                        continue; /* wrong */
                    b = ws_cast(q, WS_F16);
                }
                acc = ws_dot(x, ws_trans(b), acc);
            }
            ws_store(c, i, j, acc);
        }
}
