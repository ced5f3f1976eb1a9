/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Input of smoke.sh: a staging shares memory with a tile that is loaded once an iteration of the grid, and with
   an operand. */
#include <ws.h>

static void ring(int M, int K, const ws_f16 *Q, const ws_f16 *A, ws_f16 *O)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, M, 128), a = ws_tensor_2d(A, WS_F16, K, 128),
              o = ws_tensor_2d(O, WS_F16, M, 64);
#pragma ws grid(1) consumers(2)
    for (int i = 0; i < M; i += 128) {
        ws_tile tq = ws_load(q, i, 0, 128, 128), acc = ws_zeros(WS_F32, 128, 64);
#pragma ws pipeline(2) share(out, tq)
        for (int k = 0; k < K; k += 64)
            acc = ws_dot(tq, ws_trans(ws_load(a, k, 0, 64, 128)), acc);
        ws_tile out = ws_cast(acc, WS_F16);
        ws_store(o, i, 0, out);
    }
}

static void operand(int M, int K, const ws_f16 *Q, const ws_f16 *A, ws_f16 *O)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, M, 64), a = ws_tensor_2d(A, WS_F16, K, 64);
    ws_tensor o = ws_tensor_3d(O, WS_F16, M / 64, K, 64);
#pragma ws grid(1) consumers(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile sum = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2) share(x, out)
        for (int k = 0; k < K; k += 64) {
            ws_tile ta = ws_load(a, k, 0, 64, 64);
            ws_tile x = ws_cast(ws_dot(ws_load(q, i, 0, 64, 64), ws_trans(ta), ws_zeros(WS_F32, 64, 64)), WS_F16);
            sum = ws_dot(ws_trans(x), ta, sum);
            ws_tile out = ws_cast(sum, WS_F16);
            ws_store_3d(o, i / 64, k, 0, out);
        }
    }
}

int main(void)
{
    static ws_f16 Q[384 * 128], A[192 * 128], O[384 * 64];
    for (int i = 0; i < 384 * 128; i++)
        Q[i] = ws_f16_from((float)(i % 7 - 3));
    for (int i = 0; i < 192 * 128; i++)
        A[i] = ws_f16_from((float)(i % 11 - 5) / 8);
    ring(384, 128, Q, A, O);
    operand(128, 192, Q, A, O);
    return 0;
}
