/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop inside a coarse one takes more tiles out of a ring than it has slots, before a product that needs nothing of it: the
   product is not started ahead of that loop, behind which the producer brings its tiles. */
#include "../program.h"

static void kernel(int n, int m, const ws_f16 *A, const float *B, float *C, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, 64, 64), b = ws_tensor_2d(B, WS_F32, 64, 64);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 64, 64), d = ws_tensor_1d(D, WS_F32, 64);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile out = ws_zeros(WS_F32, 64, 64), most = ws_full(WS_F32, 64, 1, -100), sum = ws_zeros(WS_F32, 64, 1);
        ws_tile q = ws_load(a, i, i, 64, 16);
#pragma ws pipeline(1)
        for (int k = 0; k < n; k += 16) {
            ws_tile s = ws_dot(q, ws_trans(ws_load(a, k, k, 16, 16)), ws_zeros(WS_F32, 64, 16));
            ws_tile now = ws_max(most, ws_row_max(s));
            ws_tile p = ws_exp2(ws_sub(s, now)), inner = ws_zeros(WS_F32, 64, 32);
            for (int j = 0; j < m; j += 8)
                inner = ws_max(inner, ws_load(b, i, j, 64, 32));
            ws_tile other =
                ws_dot(ws_load(a, i, k, 64, 16), ws_trans(ws_load(a, i, k, 64, 16)), ws_zeros(WS_F32, 64, 64));
            sum = ws_add(ws_mul(sum, ws_row_max(inner)), ws_row_max(ws_tanh(other)));
            out =
                ws_dot(ws_cast(p, WS_F16), ws_trans(ws_load(a, i, k, 64, 16)), ws_mul(out, ws_exp2(ws_sub(most, now))));
            most = now;
        }
        ws_store(c, i, 0, out);
        ws_store_col(d, i, sum);
    }
}

int main(void)
{
    ws_f16 *A = fuzz_array(WS_F16, 64 * 64, 1, -1, 1);
    float *B = fuzz_array(WS_F32, 64 * 64, 2, -1, 1), *C = fuzz_array(WS_F32, 64 * 64, 3, -1, 1);
    float *D = fuzz_array(WS_F32, 64, 4, -1, 1);
    for (int n = 0; n <= 48; n += 16) {
        kernel(n, 24, A, B, C, D);
        fuzz_errors("kernel");
        fuzz_show("kernel", "C", C, WS_F32, 64 * 64);
        fuzz_show("kernel", "D", D, WS_F32, 64);
    }
    return 0;
}
