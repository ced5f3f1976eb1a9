/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A struct that holds a tile is copied to a global variable. */
#include <ws.h>

struct pair {
    ws_tile x;
    int n;
} last;

void f(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, N), c = ws_tensor_2d(C, WS_F32, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            struct pair p = {ws_load(a, i, j, 64, 64), i};
            last = p; /* wrong */
            ws_store(c, i, j, ws_cast(p.x, WS_F32));
        }
}
