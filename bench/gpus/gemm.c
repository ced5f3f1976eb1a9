/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C = A B^T in tiles of ROWS x COLS and steps of DEEP, in rings of SLOTS slots. */
#include <ws.h>

#ifndef SLOTS
#define SLOTS 4
#endif

void gemm(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, ws_f16 *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F16, M, N);

    #pragma ws grid(2) order(grouped(8))
    for (int i = 0; i < M; i += ROWS)
        for (int j = 0; j < N; j += COLS) {
            ws_tile acc = ws_zeros(WS_F32, ROWS, COLS);
            #pragma ws pipeline(SLOTS)
            for (int k = 0; k < K; k += DEEP)
                acc = ws_dot(ws_load(a, i, k, ROWS, DEEP), ws_trans(ws_load(b, j, k, COLS, DEEP)), acc);
            ws_store(c, i, j, ws_cast(acc, WS_F16));
        }
}
