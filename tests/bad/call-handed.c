/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A helper calls what it is handed. */
#include <ws.h>

static ws_tile positive(ws_tile x)
{
    return ws_max(x, 0.0f);
}

static ws_tile apply(ws_tile x, ws_tile (*change)(ws_tile))
{
    return change(x); /* wrong */
}

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_store(c, i, j, apply(ws_cast(ws_load(a, i, j, 64, 64), WS_F32), positive));
        }
}
