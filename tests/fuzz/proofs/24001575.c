/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* ---- 24001575 ---- */

static void kernel_24001575(int n1, int n2, float f3, int n6, const ws_bf16 *p_t10, int n12, const ws_bf16 *p_t14, int n15, const ws_bf16 *p_t20, float *p_t21, const float *p_t23, int n24, const float *p_t26, const int *p_t29, const int *p_t31, const int *p_t34, int n35, int n36, const int *p_t37, int n39, ws_bf16 *p_t40, int n41, int n42, int *p_t43, int n44, float *p_t45, float *p_t46, float *p_t47, float *p_t48, float *p_t49, int n50)
{
    ws_tensor t10 = ws_tensor_3d(p_t10, WS_BF16, 0, 240, 120);
    ws_tensor t14 = ws_tensor_4d(p_t14, WS_BF16, 3, 3, 48, n15);
    ws_tensor t20 = ws_tensor_2d(p_t20, WS_BF16, 112, 119);
    ws_tensor t21 = ws_tensor_2d(p_t21, WS_F32, 399, 138);
    ws_tensor t23 = ws_tensor_2d(p_t23, WS_F32, 384, n24);
    ws_tensor t26 = ws_tensor_1d(p_t26, WS_F32, 120);
    ws_tensor t29 = ws_tensor_1d(p_t29, WS_I32, 8);
    ws_tensor t31 = ws_tensor_1d(p_t31, WS_I32, 9);
    ws_tensor t34 = ws_tensor_strided(p_t34, WS_I32, 3, ((long[]){n35, 304, n36}), ((long[]){10944, 36, 1}));
    ws_tensor t37 = ws_tensor_1d(p_t37, WS_I32, 9);
    ws_tensor t40 = ws_tensor_strided(p_t40, WS_BF16, 4, ((long[]){n41, n42, 384, 112}), ((long[]){43008, 43008, 112, 1}));
    ws_tensor t43 = ws_tensor_2d_ld(p_t43, WS_I32, 3, n44, 385);
    ws_tensor t45 = ws_tensor_3d(p_t45, WS_F32, 1, 82, 49);
    ws_tensor t46 = ws_tensor_2d(p_t46, WS_F32, 392, 104);
    ws_tensor t47 = ws_tensor_2d(p_t47, WS_F32, 9, 128);
    ws_tensor t48 = ws_tensor_2d(p_t48, WS_F32, 3, 384);
    ws_tensor t49 = ws_tensor_3d(p_t49, WS_F32, n50, 363, 4);
    #pragma ws grid(2) consumers(2, rows) cluster(4, 2)
    for (int i4 = 0; i4 < 272; i4 += 128)
        for (long j5 = 0; j5 < n6; j5 += 40) {
            ws_tile v7 = ws_zeros(WS_F32, 128, 40);
            ws_tile v8 = ws_full(WS_F32, 128, 1, -1e30);
            ws_tile v9 = ws_zeros(WS_F32, 128, 1);
            ws_tile v11 = ws_load_3d(t10, 0, n2 + 32, n2, 128, 32);
            #pragma ws pipeline(5, 5)
            for (unsigned k13 = 0; k13 < n12; k13 += 40) {
                ws_tile v16 = ws_dot(v11, ws_trans(ws_load_or_4d(t14, j5 / 40, j5 / 40, n1, j5 + 16, 32, 32, -1e30)), ws_zeros(WS_F32, 128, 32));
                ws_tile v17 = ws_max(v8, ws_row_max(v16));
                ws_tile v18 = ws_exp2(ws_sub(v16, v17));
                ws_tile v19 = ws_exp2(ws_sub(v8, v17));
                v9 = ws_add(ws_mul(v9, v19), ws_row_sum(v18));
                v7 = ws_dot(ws_cast(v18, WS_BF16), ws_load(t20, j5, j5, 32, 40), ws_mul(v7, v19));
                v8 = v17;
            }
            ws_tile v22 = ws_load(t21, i4, j5, 128, 40);
            ws_store(t21, i4, j5, ws_fma(ws_log2(ws_add(ws_abs(ws_load(t23, i4, j5 + 8, 128, 40)), 0.5)), ws_full(WS_F32, 128, 40, 1), f3));
            ws_tile v25 = ws_row_argmax(v7);
            ws_tile v27 = ws_load_row(t26, j5, 40);
            #pragma ws pipeline(1)
            for (int k28 = 0; k28 < j5 + 32; k28 += 32) {
                if (i4 >= 129)
                    continue;
                v22 = ws_min(v22, ws_tanh(ws_select(ws_lt(ws_row_index(128, 40), n1 % 7), v22, ws_mul((ws_at(t29, (i4 / 128) * 3 + j5 / 40) != 0 ? v27 : ws_zeros(WS_F32, 1, 40)), ws_div(ws_zeros(WS_F32, 128, 40), ws_add(ws_abs(v27), 1))))));
                v8 = ws_min(v8, ws_tanh(v9));
                v25 = ws_max(v25, ws_cast(ws_row_max(ws_load(t23, i4, j5, 128, 40)), WS_I32));
            }
            ws_tile v30 = ws_full(WS_F32, 128, 32, 2.25);
            const long s32 = ws_at(t31, (i4 / 128) * 3 + j5 / 40);
            #pragma ws pipeline(1)
            for (long k33 = (s32 - 1) / 32 * 32; k33 >= 0; k33 -= 32) {
                v30 = ws_max(v30, ws_cast(ws_load_3d(t34, k33 / 32, i4, 16, 128, 32), WS_F32));
            }
            v27 = ws_max(v27, ws_mul((n1 < 9 ? v27 : ws_log2(ws_add(ws_abs(ws_sub(ws_full(WS_F32, 1, 40, 2.25), 3)), 0.5))), 0x1p-7f));
            if ((ws_at(t37, (i4 / 128) * 3 + j5 / 40) != 0 && (n2 / 1 % 2 == 0 || n1 / 1 % 2 == 1))) {
                int w38 = 0;
                while (w38 < n39) {
                    w38++;
                    v11 = ws_sub(v11, v11);
                }
                if ((j5 + 32 >= n1 || j5 < 41)) {
                }
            } else {
                ws_store_4d(t40, 1, 0, i4, j5, v11);
            }
            ws_store_col_2d(t43, j5 / 40, i4, v25);
            v9 = ws_add(v9, ws_tanh(ws_row_sum(v27)));
            ws_store_3d(t45, j5 / 40, i4, 0, v30);
            ws_store(t46, i4, j5, v7);
            ws_store_col_2d(t47, (i4 / 128) * 3 + j5 / 40, 0, v8);
            ws_store_col_2d(t48, j5 / 40, i4, v9);
            ws_store_3d(t49, j5 / 40, i4, 0, ws_mul(ws_zeros(WS_F32, 128, 40), ws_zeros(WS_F32, 128, 40)));
        }
}

FUZZ_HOST void run_24001575(void)
{
    ws_bf16 *p_t10 = fuzz_array(WS_BF16, 28800, 10, -1, 1);
    ws_bf16 *p_t14 = fuzz_array(WS_BF16, 55296, 14, -1, 1);
    ws_bf16 *p_t20 = fuzz_array(WS_BF16, 13335, 20, -1, 1);
    float *p_t21 = fuzz_array(WS_F32, 55062, 21, -1, 1);
    float *p_t23 = fuzz_array(WS_F32, 49152, 23, -1, 1);
    float *p_t26 = fuzz_array(WS_F32, 120, 26, -1, 1);
    int *p_t29 = fuzz_array(WS_I32, 8, 29, 0, 2);
    int *p_t31 = fuzz_array(WS_I32, 9, 31, 0, 91);
    int *p_t34 = fuzz_array(WS_I32, 32825, 34, -20, 20);
    int *p_t37 = fuzz_array(WS_I32, 9, 37, 0, 2);
    ws_bf16 *p_t40 = fuzz_array(WS_BF16, 43008, 40, -1, 1);
    int *p_t43 = fuzz_array(WS_I32, 1154, 43, -20, 20);
    float *p_t45 = fuzz_array(WS_F32, 4018, 45, -1, 1);
    float *p_t46 = fuzz_array(WS_F32, 40768, 46, -1, 1);
    float *p_t47 = fuzz_array(WS_F32, 1152, 47, -1, 1);
    float *p_t48 = fuzz_array(WS_F32, 1152, 48, -1, 1);
    float *p_t49 = fuzz_array(WS_F32, 4356, 49, -1, 1);
    kernel_24001575(16, 88, -0.50f, 112, p_t10, 160, p_t14, 128, p_t20 + 7, p_t21, p_t23, 128, p_t26, p_t29, p_t31, p_t34, 3, 29, p_t37, 2, p_t40, 1, 0, p_t43, 384, p_t45, p_t46, p_t47, p_t48, p_t49, 3);
    fuzz_errors("24001575");
    fuzz_show("24001575", "t21", p_t21, WS_F32, 55062);
    fuzz_show("24001575", "t40", p_t40, WS_BF16, 43008);
    fuzz_show("24001575", "t43", p_t43, WS_I32, 1154);
    fuzz_show("24001575", "t45", p_t45, WS_F32, 4018);
    fuzz_show("24001575", "t46", p_t46, WS_F32, 40768);
    fuzz_show("24001575", "t47", p_t47, WS_F32, 1152);
    fuzz_show("24001575", "t48", p_t48, WS_F32, 1152);
    fuzz_show("24001575", "t49", p_t49, WS_F32, 4356);
}

static int wanted(int argc, char **argv, int seed)
{
    for (int i = 1; i < argc; i++)
        if (atoi(argv[i]) == seed)
            return 1;
    return argc < 2;
}

int main(int argc, char **argv)
{
    if (wanted(argc, argv, 24001575))
        run_24001575();
    return 0;
}
