/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measured.c - what an H200 has summed, for smoke.sh: the array t17 of random program 6002113, products of e4m3 and
 * e5m2.  Its hash there was 519a6e87c62e54cb; that of sums in f32 is another.  For short.c, which is asked not before
 * the inputs are made.
 */
#include "program.h"

static void kernel(int n, const ws_e4m3 *p_a, int a_cols, const ws_e5m2 *p_b, int b_cols, const ws_e4m3 *p_c,
                   int c_cols, float *p_t17)
{
    ws_tensor a = ws_tensor_2d(p_a, WS_E4M3, 384, a_cols);
    ws_tensor b = ws_tensor_2d(p_b, WS_E5M2, 384, b_cols);
    ws_tensor c = ws_tensor_3d(p_c, WS_E4M3, 2, 55, c_cols);
    ws_tensor t17 = ws_tensor_2d_ld(p_t17, WS_F32, 384, 41, 44);
    for (int i = 0; i < n; i += 128)
        for (int j = 0; j < 21; j += 16) {
            ws_tile sum = ws_full(WS_F32, 128, 16, 7);
            for (int k = 0; k < 96; k += 32)
                sum = ws_dot(ws_load(a, i, i, 128, 128), ws_load(b, i, j, 128, 16), sum);
            sum = ws_dot(ws_trans(ws_load(a, j + j, i - 4, 96, 128)), ws_trans(ws_load_3d(c, 1, j + 8, i + 32, 16, 96)),
                         sum);
            ws_store(t17, i, j, sum);
        }
}

int main(void)
{
    ws_e4m3 *a = fuzz_array(WS_E4M3, 147456, 10, -1, 1);
    ws_e5m2 *b = fuzz_array(WS_E5M2, 8448, 12, -1, 1);
    ws_e4m3 *c = fuzz_array(WS_E4M3, 42240, 15, -1, 1);
    float *t17 = fuzz_array(WS_F32, 16893, 17, -1, 1);
    setenv("FUZZ_SHAKE", "1", 1);
    kernel(377, a, 384, b, 22, c, 384, t17);
    kernel(188, a, 192, b, 21, c, 383, t17);
    fuzz_errors("6002113");
    fuzz_show("6002113", "t17", t17, WS_F32, 16893);
    return 0;
}
