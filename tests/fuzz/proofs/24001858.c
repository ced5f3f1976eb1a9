/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* ---- 24001858 ---- */

static void kernel_24001858(int n1, int n3, const ws_f16 *p_t7, const float *p_t13, int n15, float *p_t18, int n19, ws_f16 *p_t22, int n23, const float *p_t25, const float *p_t26, float *p_t27, int n28, int *p_t29, int n30, ws_f16 *p_t32, const ws_bf16 *p_t35, int n36, const ws_bf16 *p_t37, int n38, int n39, const ws_bf16 *p_t40, const int *p_t43, const int *p_t46, const ws_f16 *p_t47, ws_f16 *p_t49, const ws_f16 *p_t50, int n51, int n52, const int *p_t53, int n54, const int *p_t55, int n56, int *p_t57, int n58, int n59, const int *p_t62, float *p_t63, const float *p_t66, int n67, const float *p_t68, const float *p_t69, int n71, const float *p_t72, int n73, double *p_t74, int n75, int *p_t76, int n77, float *p_t78, int n79, int n80)
{
    ws_tensor t7 = ws_tensor_2d(p_t7, WS_F16, 31, 9);
    ws_tensor t13 = ws_tensor_2d_ld(p_t13, WS_F32, 88, 0, 8);
    ws_tensor t18 = ws_tensor_2d(p_t18, WS_F32, 14, n19);
    ws_tensor t22 = ws_tensor_2d(p_t22, WS_F16, n23, 16);
    ws_tensor t25 = ws_tensor_3d(p_t25, WS_F32, 9, 16, 2);
    ws_tensor t26 = ws_tensor_2d(p_t26, WS_F32, 2, 16);
    ws_tensor t27 = ws_tensor_4d(p_t27, WS_F32, 8, 3, 11, n28);
    ws_tensor t29 = ws_tensor_2d(p_t29, WS_I32, n30, 96);
    ws_tensor t32 = ws_tensor_2d(p_t32, WS_F16, 14, 20);
    ws_tensor t35 = ws_tensor_strided(p_t35, WS_BF16, 2, ((long[]){n36, 2}), ((long[]){6, 1}));
    ws_tensor t37 = ws_tensor_4d(p_t37, WS_BF16, 9, n38, n39, 16);
    ws_tensor t40 = ws_tensor_1d(p_t40, WS_BF16, 17);
    ws_tensor t43 = ws_tensor_1d(p_t43, WS_I32, 16);
    ws_tensor t46 = ws_tensor_1d(p_t46, WS_I32, 65);
    ws_tensor t47 = ws_tensor_3d(p_t47, WS_F16, 4, 27, 16);
    ws_tensor t49 = ws_tensor_2d_ld(p_t49, WS_F16, 16, 8, 15);
    ws_tensor t50 = ws_tensor_4d(p_t50, WS_F16, 9, 9, n51, n52);
    ws_tensor t53 = ws_tensor_3d(p_t53, WS_I32, 1, n54, 16);
    ws_tensor t55 = ws_tensor_1d(p_t55, WS_I32, n56);
    ws_tensor t57 = ws_tensor_4d(p_t57, WS_I32, 3, 2, n58, n59);
    ws_tensor t62 = ws_tensor_1d(p_t62, WS_I32, 2);
    ws_tensor t63 = ws_tensor_2d(p_t63, WS_F32, 16, 5);
    ws_tensor t66 = ws_tensor_2d_ld(p_t66, WS_F32, n67, 10, 15);
    ws_tensor t68 = ws_tensor_1d(p_t68, WS_F32, 8);
    ws_tensor t69 = ws_tensor_1d(p_t69, WS_F32, 2);
    ws_tensor t70 = ws_tensor_1d(p_t43, WS_I32, n71);
    ws_tensor t72 = ws_tensor_3d(p_t72, WS_F32, 2, n73, 13);
    ws_tensor t74 = ws_tensor_2d(p_t74, WS_F64, 16, n75);
    ws_tensor t76 = ws_tensor_2d_ld(p_t76, WS_I32, n77, 8, 12);
    ws_tensor t78 = ws_tensor_2d(p_t78, WS_F32, n79, n80);
    #pragma ws grid(1) consumers(3, tiles)
    for (int i2 = 0; i2 < n3; i2 += 8) {
        ws_tile v4 = ws_sqrt(ws_abs(ws_full(WS_F64, 8, 8, 1)));
        ws_tile v5 = ws_col_min(ws_col_index(32, 8));
        #pragma ws pipeline(3, 1)
        for (unsigned k6 = 0; k6 < i2 + 8; k6 += 8) {
            v4 = ws_add(v4, ws_cast(ws_load(t7, k6 - 3, i2, 8, 8), WS_F64));
        }
        ws_tile v8 = ws_full(WS_F32, 8, 8, 2.25);
        ws_tile v9 = ws_full(WS_F16, 8, 8, -0.5);
        #pragma ws pipeline(5)
        for (long c11 = 0; c11 < (96 + 31) / 32; c11++) {
            const long k10 = c11 * 32;
            switch (k10 % 3) {
            case 0: {
                ws_tile v12 = ws_mul(v8, 0x1p-7f);
                ws_tile v14 = ws_load(t13, k10, i2, 32, 8);
                for (unsigned k16 = 0; k16 < n15; k16 += 8) {
                    if ((((i2 < 5 && n1 < 5) || n1 / 1 % 2 == 1) && k16 >= 9))
                        break;
                    ws_tile v17 = v12;
                    ws_store(t18, i2, 0, v12);
                    v5 = ws_add(v5, ws_cast(ws_col_max(v17), WS_I32));
                    float s20 = sqrtf((float)(i2 / 8) + 1);
                    long s21 = (k16 / 8 % 2 == 0 ? n1 : i2);
                    ws_tile v24 = ws_load(t22, k16, i2, 8, 8);
                    ws_store(t22, k16, i2, v9);
                }
                ws_atomic_add_4d(t27, i2, k10 / 32, i2, i2 % 38, ws_rint(ws_max(ws_min(ws_add(ws_load_3d(t25, i2, i2, n1 / 8, 8, 1), ws_select(ws_ge(ws_row_index(8, 1), (n1 + i2 % 9)), ws_load_col_2d(t26, 2, i2, 8), 2)), 50), -50)));
                v9 = ws_add(v9, ws_tanh(ws_cast(v12, WS_F16)));
                v8 = ws_add(v8, ws_tanh(ws_col_sum(v14)));
            }
            case 1: {
                v9 = ws_max(v9, ws_mul(v9, 0x1p-7f));
                ws_tile v31 = ws_load(t29, i2, k10, 8, 32);
                ws_store(t29, i2, k10, v31);
            } break;
            default: {
                ws_store(t32, i2, 0, ws_floor(ws_full(WS_F16, 8, 8, 0)));
                ws_tile v33 = ws_load(t32, i2, 0, 8, 8);
                if (i2 >= 5) {
                    ws_tensor t34 = ws_slice(t7, 0, i2 / 8, i2 / 8 + n1);
                } else {
                    ws_tile v41 = ws_trans(ws_fma(ws_min(ws_load(t35, i2, i2, 8, 8), ws_load(t35, i2 + 8, i2, 8, 8)), ws_load_4d(t37, i2, k10 / 32, i2, i2, 8, 8), ws_load_col(t40, i2 + 8, 8)));
                    ws_tile v42 = ws_col_cumsum(ws_add(ws_mul(ws_full(WS_F32, 8, 8, 1), -0.75f), ws_load_3d(t25, n1, i2, i2, 8, 8)));
                    ws_tile v44 = ws_load_row(t43, i2, 8);
                }
                v9 = ws_add(v9, v33);
            } break;
            }
            ws_tile v45 = ws_cast(ws_trans(ws_load_or(t26, i2 + 8, k10, 8, 32, 1)), WS_F64);
            if (i2 < 5) {
                ws_tile v48 = ws_select(ws_ne(ws_full(WS_F32, 8, 8, 1), 2), ws_max(ws_load_3d(t47, ws_at(t46, k10), 24, i2, 8, 8), -0.75f), 0.5f);
                ws_store(t49, i2, 0, v9);
                v5 = ws_min(v5, ws_trans(ws_row_min(ws_fma(ws_row_index(8, 32), ws_row_index(8, 32), ws_full(WS_I32, 8, 32, -3)))));
                v8 = ws_add(v8, ws_mul(ws_cast(v48, WS_F32), 0x1p-5f));
            } else {
                v4 = ws_add(ws_mul(v4, 0.5f), ws_min(ws_max(v4, -100), 100));
                if (n1 >= 5) {
                    v9 = ws_sub(v9, ws_load_4d(t50, n1, n1, i2, i2, 8, 8));
                    ws_atomic_add_4d(t57, k10 / 32, k10 / 32, 16, i2 / 8, ws_mul(ws_min(ws_load_row(t55, n1 + 32, 8), ws_col_index(1, 8)), ws_div(ws_load_3d(t53, 1, i2, i2, 8, 8), ws_max(ws_zeros(WS_I32, 1, 1), 1))));
                    v9 = ws_add(v9, ws_zeros(WS_F16, 8, 8));
                } else {
                    ws_tile v60 = ws_rsqrt(ws_add(ws_abs(ws_load(t13, i2, i2 + 8, 8, 8)), 0.25));
                    long s61 = i2;
                    if ((i2 / 8 % 2 == 1 || ws_at(t62, i2 / 8) != 0))
                        s61 = i2;
                    ws_store(t63, i2, 0, v60);
                }
                switch (i2 % 3) {
                case 0: {
                    v4 = ws_min(v4, ws_min(ws_max(v4, -100), 100));
                    ws_tensor t64 = ws_slice(t26, 1, k10, k10 + k10);
                } break;
                case 1: {
                    ws_tile v65 = ws_load_row_2d(t26, k10 / 32, i2, 8);
                    v65 = ws_add(ws_mul(v65, 0.5f), ws_select(ws_gt(ws_col_sum(ws_load_or(t66, k10, i2, 32, 8, -3.5)), 1.5f), v65, (k10 < 33 ? ws_abs(ws_load_col(t68, n1, 1)) : ws_row_cumsum(ws_load_row(t69, n1 / 8, 1)))));
                } break;
                default: {
                    v5 = ws_add(ws_mul(v5, 3), v5);
                    v5 = ws_sub(v5, ws_load_row(t70, i2, 8));
                } break;
                }
            }
            v8 = ws_add(v8, ws_load_3d(t72, 2, i2 - 15, i2, 8, 8));
        }
        v4 = ws_add(v4, ws_tanh(ws_cast(v8, WS_F64)));
        v4 = ws_add(v4, ws_tanh(ws_cast(v9, WS_F64)));
        ws_store(t74, i2, 0, v4);
        if (n1 / 1 % 2 == 0)
        ws_store(t74, i2, 0, ws_neg(v4));
        ws_store(t76, i2, 0, v5);
        ws_store(t78, i2, 0, ws_cast(ws_zeros(WS_I32, 8, 8), WS_F32));
    }
}

FUZZ_HOST void run_24001858(void)
{
    ws_f16 *p_t7 = fuzz_array(WS_F16, 279, 7, -1, 1);
    float *p_t13 = fuzz_array(WS_F32, 697, 13, -1, 1);
    float *p_t18 = fuzz_array(WS_F32, 112, 18, -1, 1);
    ws_f16 *p_t22 = fuzz_array(WS_F16, 128, 22, -1, 1);
    float *p_t25 = fuzz_array(WS_F32, 288, 25, -1, 1);
    float *p_t26 = fuzz_array(WS_F32, 34, 26, -1, 1);
    float *p_t27 = fuzz_array(WS_F32, 2112, 27, 3, 3);
    int *p_t29 = fuzz_array(WS_I32, 1536, 29, -20, 20);
    ws_f16 *p_t32 = fuzz_array(WS_F16, 280, 32, -1, 1);
    ws_bf16 *p_t35 = fuzz_array(WS_BF16, 92, 35, -1, 1);
    ws_bf16 *p_t37 = fuzz_array(WS_BF16, 6916, 37, -1, 1);
    ws_bf16 *p_t40 = fuzz_array(WS_BF16, 20, 40, -1, 1);
    int *p_t43 = fuzz_array(WS_I32, 16, 43, -20, 20);
    int *p_t46 = fuzz_array(WS_I32, 65, 46, 0, 3);
    ws_f16 *p_t47 = fuzz_array(WS_F16, 1728, 47, -1, 1);
    ws_f16 *p_t49 = fuzz_array(WS_F16, 233, 49, -1, 1);
    ws_f16 *p_t50 = fuzz_array(WS_F16, 20736, 50, -1, 1);
    int *p_t53 = fuzz_array(WS_I32, 224, 53, -20, 20);
    int *p_t55 = fuzz_array(WS_I32, 45, 55, -20, 20);
    int *p_t57 = fuzz_array(WS_I32, 1296, 57, 3, 3);
    int *p_t62 = fuzz_array(WS_I32, 2, 62, 0, 2);
    float *p_t63 = fuzz_array(WS_F32, 80, 63, -1, 1);
    float *p_t66 = fuzz_array(WS_F32, 1015, 66, -1, 1);
    float *p_t68 = fuzz_array(WS_F32, 8, 68, -1, 1);
    float *p_t69 = fuzz_array(WS_F32, 2, 69, -1, 1);
    float *p_t72 = fuzz_array(WS_F32, 286, 72, -1, 1);
    double *p_t74 = fuzz_array(WS_F64, 128, 74, -1, 1);
    int *p_t76 = fuzz_array(WS_I32, 104, 76, -20, 20);
    float *p_t78 = fuzz_array(WS_F32, 16, 78, -1, 1);
    kernel_24001858(8, 14, p_t7, p_t13, 21, p_t18, 8, p_t22, 8, p_t25, p_t26 + 2, p_t27, 8, p_t29, 16, p_t32, p_t35, 16, p_t37 + 4, 3, 16, p_t40 + 3, p_t43, p_t46, p_t47, p_t49, p_t50, 16, 16, p_t53, 14, p_t55, 45, p_t57, 24, 9, p_t62, p_t63, p_t66, 68, p_t68, p_t69, 0, p_t72, 11, p_t74, 8, p_t76, 9, p_t78, 16, 1);
    kernel_24001858(4, 7, p_t7, p_t13, 21, p_t18, 8, p_t22, 4, p_t25, p_t26 + 2, p_t27, 8, p_t29, 16, p_t32, p_t35, 16, p_t37 + 4, 2, 15, p_t40 + 3, p_t43, p_t46, p_t47, p_t49, p_t50, 8, 1, p_t53, 1, p_t55, 44, p_t57, 24, 1, p_t62, p_t63, p_t66, 67, p_t68, p_t69, 0, p_t72, 10, p_t74, 8, p_t76, 1, p_t78, 16, 1);
    fuzz_errors("24001858");
    fuzz_show("24001858", "t18", p_t18, WS_F32, 112);
    fuzz_show("24001858", "t22", p_t22, WS_F16, 128);
    fuzz_show("24001858", "t27", p_t27, WS_F32, 2112);
    fuzz_show("24001858", "t29", p_t29, WS_I32, 1536);
    fuzz_show("24001858", "t32", p_t32, WS_F16, 280);
    fuzz_show("24001858", "t49", p_t49, WS_F16, 233);
    fuzz_show("24001858", "t57", p_t57, WS_I32, 1296);
    fuzz_show("24001858", "t63", p_t63, WS_F32, 80);
    fuzz_show("24001858", "t74", p_t74, WS_F64, 128);
    fuzz_show("24001858", "t76", p_t76, WS_I32, 104);
    fuzz_show("24001858", "t78", p_t78, WS_F32, 16);
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
    if (wanted(argc, argv, 24001858))
        run_24001858();
    return 0;
}
