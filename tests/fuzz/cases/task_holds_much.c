/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Seed 22336: of two tasks that multiply one holds more than a role may ask for, and got that.  */
#include "../program.h"

static void kernel(int M, int N, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, M, 32), k = ws_tensor_2d(K, WS_F16, N, 32);
    ws_tensor v = ws_tensor_2d(V, WS_F16, N, 32), o = ws_tensor_2d(O, WS_F32, M, 32);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile x = ws_load(q, i, 0, 64, 32), acc = ws_zeros(WS_F32, 64, 32), sum = ws_zeros(WS_F32, 64, 208);
        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += 208) {
            ws_tile p;
            {
                #pragma ws task(score)
                sum = ws_dot(x, ws_trans(ws_load(k, j, 0, 208, 32)), sum);
                p = ws_cast(ws_exp2(ws_mul(sum, 0.0625f)), WS_F16);
            }
            {
                #pragma ws task(sum)
                acc = ws_dot(p, ws_load(v, j, 0, 208, 32), acc);
            }
        }
        ws_store(o, i, 0, acc);
    }
}

int main(void)
{
    ws_f16 *Q = fuzz_array(WS_F16, 80 * 32, 1, -1, 1), *K = fuzz_array(WS_F16, 250 * 32, 2, -1, 1);
    ws_f16 *V = fuzz_array(WS_F16, 250 * 32, 3, -1, 1);
    float *O = fuzz_array(WS_F32, 80 * 32, 4, -1, 1);
    kernel(80, 250, Q, K, V, O);
    fuzz_errors("kernel");
    fuzz_show("kernel", "O", O, WS_F32, 80 * 32);
    return 0;
}
