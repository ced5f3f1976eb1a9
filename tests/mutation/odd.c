/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: one and a half tiles of 104 columns are no row that TMA can store, so the extent is more. */
#include <ws.h>

void odd(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);
#pragma ws grid(2) cluster(1, 2) consumers(2, tiles)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 104) {
            ws_tile acc = ws_zeros(WS_F32, 64, 104);
#pragma ws pipeline(2, 1) pingpong
            for (int k = 0; k < K; k += 32)
                acc = ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(b, j, k, 104, 32)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}
