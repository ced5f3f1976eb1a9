/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product that starts from what the second product of the iteration before left: it has to wait for that one, although
   nothing in its own iteration makes it wait. */
#include "../program.h"

static void kernel(int N, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, float *O)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, 64, 32), k = ws_tensor_2d(K, WS_F16, N, 32), v = ws_tensor_2d(V, WS_F16, N, 32);
    ws_tensor out = ws_tensor_2d(O, WS_F32, 64, 32);

    #pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile query = ws_load(q, i, 0, 64, 32), o = ws_zeros(WS_F32, 64, 32);
        #pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32) {
            ws_tile s = ws_dot(query, ws_trans(ws_load(k, j, 0, 32, 32)), ws_zeros(WS_F32, 64, 32));
            ws_tile p = ws_cast(ws_tanh(s), WS_F16);
            ws_tile more = ws_dot(query, ws_trans(ws_load(k, j + 3, 0, 32, 32)), o);
            o = ws_dot(p, ws_load(v, j, 0, 32, 32), ws_add(o, ws_mul(more, 0.25f)));
        }
        ws_store(out, i, 0, o);
    }
}

int main(void)
{
    ws_f16 *Q = fuzz_array(WS_F16, 64 * 32, 1, -1, 1), *K = fuzz_array(WS_F16, 100 * 32, 2, -1, 1);
    ws_f16 *V = fuzz_array(WS_F16, 100 * 32, 3, -1, 1);
    float *O = fuzz_array(WS_F32, 64 * 32, 4, -1, 1);
    kernel(100, Q, K, V, O);
    fuzz_errors("kernel");
    fuzz_show("kernel", "O", O, WS_F32, 64 * 32);
    return 0;
}
