/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product of doubles has a sum of doubles. */
#include <ws.h>

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile x = ws_cast(ws_load(a, i, 0, 64, 32), WS_F64), y = ws_cast(ws_load(b, 0, j, 32, 64), WS_F64);
            ws_tile acc = ws_dot(x, y, ws_zeros(WS_F32, 64, 64)); /* wrong */
            ws_store(c, i, j, acc);
        }
}
