/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two tasks multiply, whose tiles take more registers than a block has. */
#include <ws.h>

void f(int M, int N, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, ws_f16 *O)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, M, 64), k = ws_tensor_2d(K, WS_F16, N, 64);
    ws_tensor v = ws_tensor_2d(V, WS_F16, N, 136), o = ws_tensor_2d(O, WS_F16, M, 136);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 256) {
        ws_tile x = ws_load(q, i, 0, 256, 64), acc = ws_zeros(WS_F32, 256, 136);
#pragma ws pipeline(2)
        for (int j = 0; j < N; j += 64) {
            ws_tile p, zero = ws_zeros(WS_F32, 256, 64);
            {
#pragma ws task(score) groups(1) /* too much for one group */
                p = ws_cast(ws_exp2(ws_dot(x, ws_trans(ws_load(k, j, 0, 64, 64)), zero)), WS_F16);
            }
            {
#pragma ws task(sum) groups(2)
                acc = ws_dot(p, ws_load(v, j, 0, 64, 136), acc);
            }
        }
        ws_store(o, i, 0, ws_cast(acc, WS_F16));
    }
}
