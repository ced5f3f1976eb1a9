/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The groups that pass over a tile count the puts of a coarse loop at once, in a loop around it that has no stages. */
#include "../program.h"

static void kernel(int n, int m, const ws_f16 *Q, const ws_f16 *V, float *C)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, 64, 64), v = ws_tensor_2d(V, WS_F16, 64, 16);
    ws_tensor c = ws_tensor_3d(C, WS_F32, 3, 64, 16);

#pragma ws grid(1) consumers(2, tiles)
    for (int i = 0; i < 3; i++) {
        ws_tile most = ws_full(WS_F32, 64, 1, i), sum = ws_zeros(WS_F32, 64, 16);
        for (int r = 0; r < n; r++) {
            ws_tile out = ws_zeros(WS_F32, 64, 16);
#pragma ws pipeline(2)
            for (int k = 0; k < m; k += 32) {
                ws_tile s =
                    ws_dot(ws_load(q, r, k, 64, 32), ws_trans(ws_load(q, i, k, 64, 32)), ws_zeros(WS_F32, 64, 64));
                most = ws_max(most, ws_row_max(s));
                out = ws_dot(ws_cast(ws_sub(s, most), WS_F16), ws_load(v, k, i, 64, 16), out);
            }
            sum = ws_add(sum, ws_tanh(out));
        }
        ws_store_3d(c, i, 0, 0, sum);
    }
}

int main(void)
{
    ws_f16 *Q = fuzz_array(WS_F16, 64 * 64, 1, -1, 1), *V = fuzz_array(WS_F16, 64 * 16, 2, -1, 1);
    float *C = fuzz_array(WS_F32, 3 * 64 * 16, 3, -1, 1);
    kernel(2, 64, Q, V, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 3 * 64 * 16);
    return 0;
}
