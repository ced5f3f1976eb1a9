/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* ---- 24000028 ---- */

static const struct {
    int TM, TN, TK;
} tiles_24000028 = {64, 16, 16};

static void kernel_24000028(int n1, int n2, const float *p_t7, const float *p_t9, int n10, int n11, const float *p_t12, int n13, int n15, const ws_f16 *p_t17, int n18, int n24, const ws_f16 *p_t26, int n27, const ws_f16 *p_t28, int n29, int *p_t34, float *p_t35, const ws_f16 *p_t36, const int *p_t37, int n38, const float *p_t40, int n41, int n44, const signed char *p_t46, const signed char *p_t47, float *p_t50, int n51, const ws_e5m2 *p_t52, float *p_t54, const int *p_t55, int *p_t56, int n57, int n61, int n64, int n69, const ws_e4m3 *p_t71, int n72, const int *p_t75, float *p_t77, const ws_bf16 *p_t78, float *p_t79, float *p_t80, int n81, float *p_t82, float *p_t83, int n84, float *p_t85, float *p_t86)
{
    ws_tensor t7 = ws_tensor_2d_ld(p_t7, WS_F32, 3, 192, 196);
    ws_tensor t9 = ws_tensor_2d(p_t9, WS_F32, n10, n11);
    ws_tensor t12 = ws_tensor_3d(p_t12, WS_F32, 1, 16, n13);
    ws_tensor t17 = ws_tensor_4d(p_t17, WS_F16, 2, 1, n18, 16);
    ws_tensor t26 = ws_tensor_2d_ld(p_t26, WS_F16, 88, n27, 9);
    ws_tensor t28 = ws_tensor_2d(p_t28, WS_F16, 24, n29);
    ws_tensor t34 = ws_tensor_2d(p_t34, WS_I32, 192, 24);
    ws_tensor t35 = ws_tensor_3d(p_t35, WS_F32, 1, 192, 23);
    ws_tensor t36 = ws_tensor_2d(p_t36, WS_F16, 16, 24);
    ws_tensor t37 = ws_tensor_strided(p_t37, WS_I32, 4, ((long[]){3, n38, 98, 16}), ((long[]){4116, 2058, 21, 1}));
    ws_tensor t40 = ws_tensor_4d(p_t40, WS_F32, n41, 3, 130, 16);
    ws_tensor t46 = ws_tensor_strided(p_t46, WS_I8, 4, ((long[]){1, 2, 192, 72}), ((long[]){29568, 14784, 77, 1}));
    ws_tensor t47 = ws_tensor_2d_ld(p_t47, WS_I8, 66, 48, 52);
    ws_tensor t50 = ws_tensor_strided(p_t50, WS_F32, 2, ((long[]){192, n51}), ((long[]){22, 1}));
    ws_tensor t52 = ws_tensor_2d(p_t52, WS_E5M2, 194, 31);
    ws_tensor t54 = ws_tensor_2d(p_t54, WS_F32, 10, 192);
    ws_tensor t55 = ws_tensor_1d(p_t55, WS_I32, 192);
    ws_tensor t56 = ws_tensor_2d_ld(p_t56, WS_I32, 192, n57, 63);
    ws_tensor t60 = ws_tensor_3d(p_t37, WS_I32, n61, 192, 16);
    ws_tensor t71 = ws_tensor_2d(p_t71, WS_E4M3, 10, n72);
    ws_tensor t75 = ws_tensor_1d(p_t75, WS_I32, 3);
    ws_tensor t77 = ws_tensor_2d(p_t77, WS_F32, 1, 66);
    ws_tensor t78 = ws_tensor_2d_ld(p_t78, WS_BF16, 190, 16, 24);
    ws_tensor t79 = ws_tensor_2d(p_t79, WS_F32, 131, 16);
    ws_tensor t80 = ws_tensor_3d(p_t80, WS_F32, 3, 59, n81);
    ws_tensor t82 = ws_tensor_2d_ld(p_t82, WS_F32, 22, 16, 22);
    ws_tensor t83 = ws_tensor_2d(p_t83, WS_F32, 183, n84);
    ws_tensor t85 = ws_tensor_2d(p_t85, WS_F32, 192, 16);
    ws_tensor t86 = ws_tensor_2d_ld(p_t86, WS_F32, 144, 0, 8);
    #pragma ws grid(1) persistent
    for (int b5 = 0; b5 < 3; b5++) {
        const long i3 = b5 / 1 * 64, j4 = b5 % 1 * 16;
        ws_tile v6 = ws_full(WS_F32, tiles_24000028.TM, tiles_24000028.TN, -0.5);
        ws_tile v8 = ws_trans(ws_mul(ws_load_or(t7, j4, i3, tiles_24000028.TN, tiles_24000028.TM, -1e30), 0x1p-94f));
        ws_tile v14 = ws_min(ws_max(ws_dot(ws_load(t9, i3, j4, tiles_24000028.TM, tiles_24000028.TN), ws_trans(ws_load_3d(t12, 1, j4, j4, tiles_24000028.TN, tiles_24000028.TN)), ws_full(WS_F32, tiles_24000028.TM, tiles_24000028.TN, 7)), -100), 100);
        for (int k16 = 0; k16 < n15; k16 += tiles_24000028.TN) {
            v8 = ws_max(v8, ws_mul(ws_dot(ws_load_or(t9, i3 + 8, j4, tiles_24000028.TM, tiles_24000028.TN, 1), ws_load(t7, k16, j4, tiles_24000028.TN, tiles_24000028.TN), ws_zeros(WS_F32, tiles_24000028.TM, tiles_24000028.TN)), 0x1p-10f));
            ws_tile v19 = ws_cast(ws_load_4d(t17, i3 / 64, n1 / 16, i3, j4, tiles_24000028.TM, tiles_24000028.TN), WS_E4M3);
            ws_tile v20 = ws_erf(ws_cast(ws_col_cumsum(v6), WS_F32));
        }
        ws_tile v21 = ws_zeros(WS_F32, 64, 16);
        ws_tile v22 = ws_full(WS_F32, 64, 1, -100);
        ws_tile v23 = ws_zeros(WS_F32, 64, 1);
        #pragma ws pipeline(auto)
        for (long k25 = 0; k25 <= n24 - 1; k25 += tiles_24000028.TN) {
            ws_tile v30 = ws_dot(ws_load_or(t26, 24, k25, tiles_24000028.TM, tiles_24000028.TN, 1), ws_trans(ws_load_or(t28, k25 + 8, 8, tiles_24000028.TN, tiles_24000028.TN, 0)), ws_zeros(WS_F32, 64, 16));
            v30 = ws_select(ws_ge(ws_add(ws_row_index(64, 1), i3), ws_add(ws_col_index(1, 16), k25)), v30, -1e30);
            ws_tile v31 = ws_max(v22, ws_row_max(v30));
            ws_tile v32 = ws_exp2(ws_sub(v30, v31));
            ws_tile v33 = ws_exp2(ws_sub(v22, v31));
            v23 = ws_add(ws_mul(v23, v33), ws_row_sum(v32));
            ws_atomic_add(t34, i3, j4 + 8, ws_add(ws_col_index(tiles_24000028.TM, 1), ws_min(ws_zeros(WS_I32, tiles_24000028.TM, tiles_24000028.TN), 1)));
            ws_store_3d(t35, j4 / 16, i3, 7, v14);
            v21 = ws_dot(ws_cast(v32, WS_F16), ws_trans(ws_load(t36, k25, k25 + 8, tiles_24000028.TN, tiles_24000028.TN)), ws_mul(v21, v33));
            v22 = v31;
        }
        ws_tile v39 = ws_load_4d(t37, n1 / 16, 1, 24, j4, tiles_24000028.TM, tiles_24000028.TN);
        ws_tile v42 = ws_load_4d(t40, n1 / 16, n1 / 16, i3, j4, tiles_24000028.TM, tiles_24000028.TN);
        long s43 = 0;
        #pragma ws pipeline(2) schedule(fine) pingpong
        for (int k45 = (n44 - 1) / tiles_24000028.TN * tiles_24000028.TN; k45 >= 0; k45 -= tiles_24000028.TN) {
            if (n2 >= 29)
                continue;
            v39 = ws_dot(ws_load_4d(t46, n2 / 16, i3 / 64, i3, (k45 | 8), tiles_24000028.TM, 32), ws_load(t47, i3 % 35, k45 - 12, 32, tiles_24000028.TN), v39);
            if (i3 / 64 % 2 == 0) {
                if ((i3 < 65 && (s43 / 8 % 2 == 0 || k45 / 16 % 2 == 1))) {
                    long s48 = j4;
                    ws_tile v49 = ws_cast(v6, WS_F32);
                    v21 = ws_min(v21, ws_min(ws_max(v49, -100), 100));
                    ws_store(t50, i3, j4, v49);
                } else {
                    ws_tile v53 = ws_rsqrt(ws_add(ws_abs(ws_cast(ws_row_min(ws_load(t52, i3, j4, tiles_24000028.TM, tiles_24000028.TN)), WS_F32)), 0.25));
                    ws_store_col_2d(t54, j4 / 16, i3, v53);
                }
                ws_atomic_add(t56, i3, n1, ws_load_col(t55, i3, tiles_24000028.TM));
                long s58 = (j4 + i3 % 12);
            }
            s43 += 8;
        }
        ws_tile v59 = ws_tanh(v21);
        ws_tile v62 = ws_load_3d(t60, n2 / 16, i3, j4, tiles_24000028.TM, tiles_24000028.TN);
        long s63 = 0;
        #pragma ws pipeline(1, 1)
        for (unsigned c66 = 0; c66 != (n64 + 15) / tiles_24000028.TN; c66++) {
            const unsigned k65 = c66 * tiles_24000028.TN;
            if ((i3 / 64 % 2 == 0 && k65 / 16 % 2 == 1)) {
                float s67 = sqrtf((float)((k65 ^ 8)) + 1);
                int w68 = 0;
                while (w68 < n69 && i3 >= 65) {
                    w68++;
                    if (k65 < 9)
                        continue;
                    v22 = ws_sub(v22, ws_tanh(v23));
                }
                long s70 = k65 % 8;
            } else {
                ws_tile v73 = ws_div(ws_select(ws_ne(ws_load_4d(t40, s63 / 8, s63 / 8, j4 + 8, j4, tiles_24000028.TN, tiles_24000028.TN), -1.25f), ws_cast(ws_zeros(WS_F32, tiles_24000028.TN, tiles_24000028.TN), WS_E4M3), 2), ws_add(ws_abs(ws_add(ws_load(t71, j4, j4, tiles_24000028.TN, tiles_24000028.TN), 0.125)), 1));
                v14 = ws_sub(v14, ws_tanh(v14));
            }
            const long s76 = ws_at(t75, (i3 / 64) * 1 + j4 / 16);
            ws_store_col_2d(t77, (i3 / 64) * 1 + j4 / 16, 2, v22);
            v59 = ws_dot(ws_load(t78, i3, j4, tiles_24000028.TM, tiles_24000028.TN), ws_trans(ws_load(t78, k65, j4 - 10, tiles_24000028.TN, tiles_24000028.TN)), v59);
            s63 += 8;
        }
        ws_store(t79, i3, j4, v21);
        v8 = ws_add(v8, ws_mul(v22, 0x1p-15f));
        v6 = ws_add(v6, ws_tanh(v23));
        v6 = ws_add(v6, ws_tanh(ws_cast(v39, WS_F32)));
        v14 = ws_add(v14, ws_tanh(v42));
        ws_store_3d(t80, i3 / 64, 8, j4, v59);
        v14 = ws_add(v14, ws_min(ws_max(ws_cast(v62, WS_F32), -100), 100));
        ws_store(t82, i3, j4, v6);
        ws_store(t83, i3, j4, v8);
        ws_store(t85, i3, j4, v14);
        ws_store(t86, i3, j4, ws_mul(ws_full(WS_F32, tiles_24000028.TM, tiles_24000028.TN, 1), ws_zeros(WS_F32, tiles_24000028.TM, tiles_24000028.TN)));
    }
}

FUZZ_HOST void run_24000028(void)
{
    float *p_t7 = fuzz_array(WS_F32, 584, 7, -1, 1);
    float *p_t9 = fuzz_array(WS_F32, 2688, 9, -1, 1);
    float *p_t12 = fuzz_array(WS_F32, 256, 12, -1, 1);
    ws_f16 *p_t17 = fuzz_array(WS_F16, 6496, 17, -1, 1);
    ws_f16 *p_t26 = fuzz_array(WS_F16, 791, 26, -1, 1);
    ws_f16 *p_t28 = fuzz_array(WS_F16, 576, 28, -1, 1);
    int *p_t34 = fuzz_array(WS_I32, 4608, 34, 3, 3);
    float *p_t35 = fuzz_array(WS_F32, 4416, 35, -1, 1);
    ws_f16 *p_t36 = fuzz_array(WS_F16, 384, 36, -1, 1);
    int *p_t37 = fuzz_array(WS_I32, 12343, 37, -20, 20);
    float *p_t40 = fuzz_array(WS_F32, 31200, 40, -1, 1);
    signed char *p_t46 = fuzz_array(WS_I8, 29563, 46, -20, 20);
    signed char *p_t47 = fuzz_array(WS_I8, 3428, 47, -20, 20);
    float *p_t50 = fuzz_array(WS_F32, 4218, 50, -1, 1);
    ws_e5m2 *p_t52 = fuzz_array(WS_E5M2, 6014, 52, -1, 1);
    float *p_t54 = fuzz_array(WS_F32, 1920, 54, -1, 1);
    int *p_t55 = fuzz_array(WS_I32, 192, 55, -20, 20);
    int *p_t56 = fuzz_array(WS_I32, 12090, 56, 3, 3);
    ws_e4m3 *p_t71 = fuzz_array(WS_E4M3, 160, 71, -1, 1);
    int *p_t75 = fuzz_array(WS_I32, 3, 75, 0, 3);
    float *p_t77 = fuzz_array(WS_F32, 66, 77, -1, 1);
    ws_bf16 *p_t78 = fuzz_array(WS_BF16, 4552, 78, -1, 1);
    float *p_t79 = fuzz_array(WS_F32, 2096, 79, -1, 1);
    float *p_t80 = fuzz_array(WS_F32, 2832, 80, -1, 1);
    float *p_t82 = fuzz_array(WS_F32, 478, 82, -1, 1);
    float *p_t83 = fuzz_array(WS_F32, 2196, 83, -1, 1);
    float *p_t85 = fuzz_array(WS_F32, 3075, 85, -1, 1);
    float *p_t86 = fuzz_array(WS_F32, 1145, 86, -1, 1);
    kernel_24000028(56, 56, p_t7, p_t9, 168, 16, p_t12, 16, 32, p_t17, 203, 0, p_t26, 8, p_t28, 24, p_t34, p_t35, p_t36, p_t37, 2, p_t40, 5, 37, p_t46, p_t47, p_t50, 16, p_t52, p_t54, p_t55, p_t56, 57, 4, 32, 0, p_t71, 16, p_t75, p_t77, p_t78, p_t79, p_t80, 16, p_t82, p_t83, 12, p_t85 + 3, p_t86);
    kernel_24000028(56, 56, p_t7, p_t9, 0, 16, p_t12, 16, 1, p_t17, 203, 0, p_t26, 8, p_t28, 0, p_t34, p_t35, p_t36, p_t37, 1, p_t40, 4, 36, p_t46, p_t47, p_t50, 8, p_t52, p_t54, p_t55, p_t56, 0, 4, 32, 0, p_t71, 1, p_t75, p_t77, p_t78, p_t79, p_t80, 8, p_t82, p_t83, 12, p_t85 + 3, p_t86);
    fuzz_errors("24000028");
    fuzz_show("24000028", "t34", p_t34, WS_I32, 4608);
    fuzz_show("24000028", "t35", p_t35, WS_F32, 4416);
    fuzz_show("24000028", "t50", p_t50, WS_F32, 4218);
    fuzz_show("24000028", "t54", p_t54, WS_F32, 1920);
    fuzz_show("24000028", "t56", p_t56, WS_I32, 12090);
    fuzz_show("24000028", "t77", p_t77, WS_F32, 66);
    fuzz_show("24000028", "t79", p_t79, WS_F32, 2096);
    fuzz_show("24000028", "t80", p_t80, WS_F32, 2832);
    fuzz_show("24000028", "t82", p_t82, WS_F32, 478);
    fuzz_show("24000028", "t83", p_t83, WS_F32, 2196);
    fuzz_show("24000028", "t85", p_t85, WS_F32, 3075);
    fuzz_show("24000028", "t86", p_t86, WS_F32, 1145);
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
    if (wanted(argc, argv, 24000028))
        run_24000028();
    return 0;
}
