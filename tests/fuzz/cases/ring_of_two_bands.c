/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In a coarse loop two tiles come with one put; the second is read by a product of the first band, before what reads the first. */
#include "../program.h"

static void kernel(int m, const ws_f16 *Q, const ws_f16 *V, const float *B, float *C)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, 64, 64), v = ws_tensor_2d(V, WS_F16, 64, 16),
              b = ws_tensor_2d(B, WS_F32, 64, 64);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 64, 16), d = ws_tensor_2d(C + 64 * 16, WS_F32, 64, 16);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile most = ws_full(WS_F32, 64, 1, i), out = ws_zeros(WS_F32, 64, 16), beside = out;
#pragma ws pipeline(1)
        for (int k = 0; k < m; k += 32) {
            ws_tile s = ws_dot(ws_load(q, i, k, 64, 32), ws_trans(ws_load(q, i, k, 64, 32)), ws_zeros(WS_F32, 64, 64));
            most = ws_max(most, ws_row_max(s));
            ws_tile first = ws_load(b, k, i, 16, 32);
            ws_tile more = ws_dot(ws_load(q, k, i, 64, 32), ws_load(v, k, i, 32, 16), ws_zeros(WS_F32, 64, 16));
            more = ws_dot_f32(ws_load(b, i, 8, 64, 32), ws_trans(first), more);
            beside = ws_add(beside, ws_mul(more, most));
            ws_store(d, i, 0, beside);
            out = ws_dot(ws_cast(ws_sub(s, most), WS_F16), ws_load(v, k, i, 64, 16), out);
        }
        ws_store(c, i, 0, out);
    }
}

int main(void)
{
    ws_f16 *Q = fuzz_array(WS_F16, 64 * 64, 1, -1, 1), *V = fuzz_array(WS_F16, 64 * 16, 2, -1, 1);
    float *B = fuzz_array(WS_F32, 64 * 64, 3, -1, 1), *C = fuzz_array(WS_F32, 2 * 64 * 16, 4, -1, 1);
    kernel(64, Q, V, B, C);
    fuzz_errors("kernel");
    fuzz_show("kernel", "C", C, WS_F32, 2 * 64 * 16);
    return 0;
}
