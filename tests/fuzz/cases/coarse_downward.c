/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A coarse loop of three stages that runs downward and looks at its counter in the last one: the counter of the steady
   loop began where a variable had been that the loop carries by then. */
#include "../program.h"

static void kernel(int n, int m, const ws_bf16 *A, const float *B, float *C, float *D)
{
    ws_tensor a = ws_tensor_2d(A, WS_BF16, 64, 64), b = ws_tensor_1d(B, WS_F32, 64);
    ws_tensor c = ws_tensor_2d(C, WS_F32, 64, 16), d = ws_tensor_1d(D, WS_F32, 64);

#pragma ws grid(1)
    for (int i = 0; i < 64; i += 64) {
        ws_tile out = ws_zeros(WS_F32, 64, 16), most = ws_full(WS_F32, 64, 1, -100), sum = ws_zeros(WS_F32, 64, 1);
        ws_tile q = ws_load(a, i, i, 64, 32);
#pragma ws pipeline(2) schedule(coarse)
        for (int k = (n - 1) / 16 * 16; k >= 0; k -= 16) {
            ws_tile s = ws_dot(q, ws_trans(ws_load(a, k, 0, 32, 32)), ws_zeros(WS_F32, 64, 32));
            ws_tile now = ws_max(most, ws_row_max(s));
            ws_tile p = ws_exp2(ws_sub(s, now)), scale = ws_exp2(ws_sub(most, now));
            sum = ws_add(ws_mul(sum, scale), ws_row_sum(p));
            int w = 0;
            while (w < m) {
                w++;
                out = ws_add(out, ws_tanh(ws_load_row(b, k, 16)));
            }
            ws_tile t = ws_dot(ws_cast(p, WS_BF16), ws_load(a, k, k, 32, 16), ws_zeros(WS_F32, 64, 16));
            out = ws_dot(ws_cast(ws_min(ws_max(t, -1), 1), WS_BF16), ws_load(a, k, k, 16, 16), out);
            most = now;
        }
        ws_store(c, i, 0, out);
        ws_store_col(d, i, sum);
    }
}

int main(void)
{
    ws_bf16 *a = fuzz_array(WS_BF16, 64 * 64, 1, -1, 1);
    float *b = fuzz_array(WS_F32, 64, 2, -1, 1), *c = fuzz_array(WS_F32, 64 * 16, 3, -1, 1);
    float *d = fuzz_array(WS_F32, 64, 4, -1, 1);
    kernel(64, 2, a, b, c, d);
    fuzz_errors("coarse_downward");
    fuzz_show("coarse_downward", "c", c, WS_F32, 64 * 16);
    fuzz_show("coarse_downward", "d", d, WS_F32, 64);
    return 0;
}
