/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: a loop of products with two bodies, one for iterations before a bound and one for those
   behind the bound. */
#include <ws.h>

void peeled(int M, int N, int K, const ws_f16 *A, const ws_f16 *B, float *C)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, N, K), c = ws_tensor_2d(C, WS_F32, M, 1);

    #pragma ws grid(1) consumers(2)
    for (int i = 0; i < M; i += 128) {
        ws_tile sum = ws_zeros(WS_F32, 128, 1), left = ws_load(a, i, 0, 128, 64);

        #pragma ws pipeline(3, 1)
        for (int j = 0; j < N; j += 32) {
            ws_tile part = ws_dot(left, ws_trans(ws_load(b, j, 0, 32, 64)), ws_zeros(WS_F32, 128, 32));
            part = ws_select(ws_lt(ws_col_index(1, 32), N - j), part, 1);
            sum = ws_add(sum, ws_row_sum(part));
        }
        ws_store(c, i, 0, sum);
    }
}
