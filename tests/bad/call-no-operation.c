/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An operation that ws.h does not have. */
#include <ws.h>

ws_tile ws_relu(ws_tile x);

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile x = ws_load(a, i, j, 64, 64);
            ws_store(c, i, j, ws_cast(ws_relu(x), WS_F32)); /* wrong */
        }
}
