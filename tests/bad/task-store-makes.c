/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A task stores, and makes what others need. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *W, float *C, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), w = ws_tensor_2d(W, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, N);
    ws_tensor d = ws_tensor_2d(D, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
            #pragma ws pipeline(3, 2)
            for (int k = 0; k < K; k += 64) {
                ws_tile x = ws_load(a, i, k, 64, 64), y = ws_load(w, j, k, 64, 64);
                acc = ws_dot(x, ws_trans(y), acc);
            }
            ws_tile half;
            {
                #pragma ws task(out) /* wrong */
                ws_store(c, i, j, acc);
                half = ws_mul(ws_cast(ws_load(a, i, j, 64, 64), WS_F32), 0.5);
            }
            ws_store(d, i, j, half);
        }
}
