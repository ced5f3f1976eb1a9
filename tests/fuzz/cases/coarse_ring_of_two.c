/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two tiles of one ring, of which a coarse schedule reads the second first: the slot is given back behind the later of the
   two. And a condition that the first iteration decides, so that two values of it are alike there. */
#include "../program.h"

static void kernel(int n, const ws_f16 *A, const float *B, float *C, float *D, float *E)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, 64, 64), b = ws_tensor_2d(B, WS_F32, 64, 40);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 64, 8), d = ws_tensor_1d(D, WS_F32, 64), e = ws_tensor_1d(E, WS_F32, 64);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile out = ws_zeros(WS_F32, 64, 8), most = ws_full(WS_F32, 64, 1, -100), sum = ws_zeros(WS_F32, 64, 1);
        ws_tile q = ws_load(a, i, i, 64, 32);
#pragma ws pipeline(1)
        for (int k = 0; k < n; k += 32) {
            ws_tile s = ws_dot(q, ws_trans(ws_load(a, k, k, 32, 32)), ws_zeros(WS_F32, 64, 32));
            ws_tile now = ws_max(most, ws_row_max(s));
            ws_tile p = ws_exp2(ws_sub(s, now)), shrink = ws_exp2(ws_sub(most, now));
            sum = ws_add(ws_mul(sum, shrink), ws_row_sum(p));
            ws_tile other =
                ws_dot(ws_load(a, i, k, 64, 32), ws_trans(ws_load(a, k, i, 8, 32)), ws_load(b, i, k, 64, 8));
            sum = ws_add(sum, ws_row_sum(ws_fma(other, ws_load(b, i, k, 64, 8), out)));
            if (k >= 1)
                sum = ws_add(sum, 3);
            ws_store_col(e, i, sum);
            out = ws_dot(ws_cast(p, WS_F16), ws_load(a, k, k, 32, 8), out);
            most = now;
        }
        ws_store(c, i, 0, out);
        ws_store_col(d, i, sum);
    }
}

int main(void)
{
    ws_f16 *A = fuzz_array(WS_F16, 64 * 64, 1, -1, 1);
    float *B = fuzz_array(WS_F32, 64 * 40, 2, -1, 1), *C = fuzz_array(WS_F32, 64 * 8, 3, -1, 1);
    float *D = fuzz_array(WS_F32, 64, 4, -1, 1), *E = fuzz_array(WS_F32, 64, 5, -1, 1);
    for (int n = 0; n <= 96; n += 32) {
        kernel(n, A, B, C, D, E);
        fuzz_errors("kernel");
        fuzz_show("kernel", "C", C, WS_F32, 64 * 8);
        fuzz_show("kernel", "D", D, WS_F32, 64);
        fuzz_show("kernel", "E", E, WS_F32, 64);
    }
    return 0;
}
