/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* ---- 23180391 ---- */

static inline ws_tile helper0_23180391(ws_tile x, ws_tile y, long n)
{
    ws_tile r = ws_sub(ws_trans(ws_full(WS_F32, 48, 24, -0.5)), -0.75f);
    return r;
}

static inline ws_tile fetch17_23180391(ws_tensor t, long row, long col)
{
    return ws_load(t, row, col, 24, 48);
}

static inline ws_tile fetch68_23180391(ws_tensor t, long row, long col)
{
    return ws_load(t, row, col, 24, 48);
}

static void kernel_23180391(long n1, long n3, const double *p_t4, long n5, long n8, const ws_f16 *p_t10, const ws_f16 *p_t11, long n12, const int *p_t14, const int *p_t15, const float *p_t16, const float *p_t18, float *p_t19, long n20, long n21, const float *p_t23, long n24, long n25, long n26, long n32, const int *p_t35, const int *p_t36, const int *p_t37, const int *p_t40, const float *p_t42, long n43, const double *p_t44, int *p_t46, long n47, long n50, const int *p_t51, const float *p_t52, const int *p_t54, const int *p_t57, const int *p_t59, const signed char *p_t61, const double *p_t62, long n63, const float *p_t64, long n66, double *p_t71, ws_f16 *p_t72, float *p_t73, long n74, long n77, float *p_t78, const ws_f16 *p_t80, const ws_f16 *p_t81, long n82, float *p_t83)
{
    const int TM_23180391 = 24, TN_23180391 = 48, TK_23180391 = 64;
    ws_tensor t4 = ws_tensor_2d_ld(p_t4, WS_F64, 128, n5, 130);
    ws_tensor t10 = ws_tensor_2d(p_t10, WS_F16, 64, 48);
    ws_tensor t11 = ws_tensor_strided(p_t11, WS_F16, 4, ((long[]){n12, 2, 24, 65}), ((long[]){3840, 1920, 80, 1}));
    ws_tensor t14 = ws_tensor_1d(p_t14, WS_I32, 3);
    ws_tensor t15 = ws_tensor_1d(p_t15, WS_I32, 3);
    ws_tensor t16 = ws_tensor_strided(p_t16, WS_F32, 2, ((long[]){24, 0}), ((long[]){1, 1}));
    ws_tensor t18 = ws_tensor_2d_ld(p_t18, WS_F32, 24, 96, 97);
    ws_tensor t19 = ws_tensor_strided(p_t19, WS_F32, 4, ((long[]){n20, n21, 72, 10}), ((long[]){720, 720, 10, 1}));
    ws_tensor t23 = ws_tensor_4d(p_t23, WS_F32, n24, n25, 62, n26);
    ws_tensor t35 = ws_tensor_1d(p_t35, WS_I32, 3);
    ws_tensor t36 = ws_tensor_2d(p_t36, WS_I32, 63, 112);
    ws_tensor t37 = ws_tensor_1d(p_t37, WS_I32, 3);
    ws_tensor t40 = ws_tensor_1d(p_t40, WS_I32, 3);
    ws_tensor t42 = ws_tensor_2d(p_t42, WS_F32, 72, n43);
    ws_tensor t44 = ws_tensor_1d(p_t44, WS_F64, 3);
    ws_tensor t46 = ws_tensor_2d_ld(p_t46, WS_I32, n47, 0, 1);
    ws_tensor t51 = ws_tensor_1d(p_t51, WS_I32, 2);
    ws_tensor t52 = ws_tensor_2d(p_t52, WS_F32, 72, 20);
    ws_tensor t54 = ws_tensor_1d(p_t54, WS_I32, 4);
    ws_tensor t57 = ws_tensor_1d(p_t57, WS_I32, 3);
    ws_tensor t59 = ws_tensor_1d(p_t59, WS_I32, 56);
    ws_tensor t61 = ws_tensor_1d(p_t61, WS_I8, 3);
    ws_tensor t62 = ws_tensor_2d(p_t62, WS_F64, 66, n63);
    ws_tensor t64 = ws_tensor_1d(p_t64, WS_F32, 120);
    ws_tensor t65 = ws_tensor_2d(p_t23, WS_F32, n66, 112);
    ws_tensor t71 = ws_tensor_strided(p_t71, WS_F64, 3, ((long[]){3, 64, 48}), ((long[]){3200, 50, 1}));
    ws_tensor t72 = ws_tensor_2d_ld(p_t72, WS_F16, 52, 48, 54);
    ws_tensor t73 = ws_tensor_strided(p_t73, WS_F32, 3, ((long[]){0, n74, 50}), ((long[]){3726, 54, 1}));
    #pragma ws grid(1) persistent order(column) cluster(4)
    for (long i2 = 0; i2 < n3; i2 += TM_23180391) {
        ws_tile v6 = ws_load(t4, n1 + 16, n1 + 32, TK_23180391, TN_23180391);
        ws_tile v7 = ws_zeros(WS_F16, TM_23180391, TN_23180391);
        #pragma ws pipeline(2, 2) schedule(fine)
        for (long k9 = 0; k9 < n8; k9 += TM_23180391) {
            v6 = ws_add(v6, ws_cast(ws_load(t10, k9, k9 + 8, TK_23180391, TN_23180391), WS_F64));
            v7 = ws_min(v7, ws_rint(ws_load_4d(t11, i2 / 24, i2 / 24, k9, k9 / 24, TM_23180391, TN_23180391)));
            ws_tensor t13 = ws_slice(t10, 1, (n1 + n1 + 16), (n1 + n1 + 16) + k9 + 16);
            if (n1 / 1 % 2 == 1) {
                switch (ws_at(t14, i2 / 24) % 2) {
                case 0: {
                    ws_store_4d(t19, 1, 0, i2, 0, (ws_at(t15, i2 / 24) != 0 ? ws_select(ws_gt(ws_load_4d(t11, k9, k9, k9 - 11, k9, TM_23180391, TN_23180391), 2), ws_zeros(WS_F32, TM_23180391, TN_23180391), ws_zeros(WS_F32, TM_23180391, TN_23180391)) : ws_max(fetch17_23180391(t16, k9, i2), ws_load(t18, k9, i2, TM_23180391, TN_23180391))));
                    ws_tile v22 = ws_load_4d(t19, 1, 0, i2, 0, TM_23180391, TN_23180391);
                    v22 = ws_max(v22, ws_trans(ws_min(ws_mul(ws_full(WS_F32, TN_23180391, TM_23180391, 1), ws_full(WS_F32, TN_23180391, TM_23180391, 0)), ws_load_4d(t23, n1 / 16, 1, i2 % 15, k9, TN_23180391, TM_23180391))));
                    v7 = ws_add(v7, ws_tanh(ws_cast(v22, WS_F16)));
                } break;
                default: {
                    ws_tile v27 = ws_cast(v7, WS_I32);
                    long s28 = i2;
                    v6 = ws_add(v6, ws_min(ws_max(ws_cast(ws_col_max(v27), WS_F64), -100), 100));
                } break;
                }
            }
        }
        ws_tile v29 = ws_floor(ws_zeros(WS_E4M3, TM_23180391, TN_23180391));
        ws_tile v30 = ws_zeros(WS_F32, 24, 1);
        long s31 = 0;
        #pragma ws pipeline(4, 4)
        for (long c34 = 0; c34 < (n32 + 39) / 40; c34++) {
            const long k33 = c34 * 40;
            v29 = ws_add(v29, ws_cast(ws_load(t36, i2, ws_at(t35, i2 / 24), TM_23180391, TN_23180391), WS_E4M3));
            s31 += 8;
        }
        v30 = ws_add(v30, ws_tanh(v30));
        if ((n1 >= 25 || (ws_at(t37, i2 / 24) != 0 || ((i2 / 24 % 2 == 0 || (n1 < 25 && i2 / 24 % 2 == 1)) && i2 / 24 % 2 == 1)))) {
            float s38 = sqrtf((float)(n1 + 16) + 1);
            const long s41 = ws_at(t40, i2 / 24);
            int w39 = 0;
            while (w39 < s41) {
                w39++;
                if (i2 >= 25) {
                    ws_tile v45 = ws_add(ws_log2(ws_add(ws_abs(helper0_23180391(ws_zeros(WS_F16, TM_23180391, TN_23180391), v7, i2)), 0.5)), ws_max(ws_sub(ws_min(ws_max(ws_load_or(t42, i2, n1 / 8, TM_23180391, TN_23180391, -1e30), -60), 60), ws_full(WS_F32, TM_23180391, TN_23180391, -0.5)), ws_at_float(t44, i2 / 24)));
                    ws_atomic_add(t46, i2, w39, ws_zeros(WS_I32, TM_23180391, TN_23180391));
                }
                ws_tile v48 = ws_row_min(ws_cast(ws_mul(ws_mul(v29, v29), 0x1p-20f), WS_F32));
                v7 = ws_add(v7, ws_mul(ws_cast(v48, WS_F16), 0x1p-8f));
            }
            int w49 = 0;
            do {
                w49++;
                if (((ws_at(t51, i2 / 24) != 0 || w49 / 1 % 2 == 0) || i2 / 24 % 2 == 1))
                    continue;
                ws_tile v53 = ws_mul(ws_load_or(t52, i2, 8, TM_23180391, TN_23180391, -1e30), 0x1p-94f);
                const long s55 = ws_at(t54, w49);
                #pragma ws pipeline(2, 2) schedule(fine) pingpong
                for (long k56 = 0; k56 < s55; k56 += 56) {
                    if ((i2 >= 25 && ws_at(t57, i2 / 24) != 0))
                        continue;
                    float s58 = (float)(((n1 / 1 % 2 == 0 && k56 / 56 % 2 == 1) ? k56 % 8 : ws_at(t59, k56)));
                    v53 = ws_add(v53, ws_load(t52, i2, i2 % 9, TM_23180391, TN_23180391));
                }
                v7 = ws_add(v7, ws_mul(ws_cast(v53, WS_F16), 0x1p-15f));
            } while (w49 < n50);
        } else {
            switch (n1 % 2) {
            case 0: {
                long s60 = n1;
            } break;
            default: {
                v6 = ws_min(v6, ws_min(ws_max(ws_div(((i2 < 25 && n1 >= 25) ? ws_mul(ws_load(t4, (ws_at(t61, i2 / 24) != 0 ? n1 + 16 : (i2 >= 25 ? n1 + 24 : i2)), n1 % 21, TK_23180391, TN_23180391), ws_full(WS_F64, 1, TN_23180391, 0)) : ws_select(ws_gt(ws_zeros(WS_F32, TK_23180391, TN_23180391), i2), v6, ws_full(WS_F64, TK_23180391, TN_23180391, 7))), ws_add(ws_abs(ws_abs((!(i2 < 25) ? ws_zeros(WS_F64, TK_23180391, 1) : ws_load_or(t62, i2 / 24, n1, TK_23180391, 1, 7)))), 1)), -100), 100));
                ws_tile v67 = ws_div(ws_load_col(t64, (i2 + i2), TM_23180391), ws_add(ws_abs(ws_row_max(ws_load(t65, i2, i2, TM_23180391, TK_23180391))), 1));
            } break;
            }
            ws_tile v69 = fetch68_23180391(t10, i2, i2 + 24);
            v30 = ws_add(v30, ws_cast(ws_row_max(v69), WS_F32));
        }
        ws_tensor t70 = ws_slice(t64, 0, (i2 + (i2 + i2)), (i2 + (i2 + i2)) + 61);
        v6 = ws_add(v6, ws_tanh(ws_cast(ws_col_max(v29), WS_F64)));
        v7 = ws_add(v7, ws_mul(ws_cast(v30, WS_F16), 0x1p-15f));
        ws_store_3d(t71, i2 / 24, 0, 0, v6);
        ws_store(t72, i2, 0, v7);
        ws_store_3d(t73, 0, i2, 8, ws_row_cumsum(ws_zeros(WS_F32, TM_23180391, TN_23180391)));
    }
    for (int x = 0; x < 7; x++)
        p_t19[x] = p_t19[x + 1];
    ws_tensor t78 = ws_tensor_2d(p_t78, WS_F32, 72, 121);
    ws_tensor t80 = ws_tensor_2d(p_t80, WS_F16, 59, 144);
    ws_tensor t81 = ws_tensor_2d(p_t81, WS_F16, n82, 120);
    ws_tensor t83 = ws_tensor_2d_ld(p_t83, WS_F32, 72, 32, 36);
    #pragma ws grid(2)
    for (int i75 = 0; i75 < n77; i75 += TM_23180391)
        for (int j76 = 0; j76 < 116; j76 += TN_23180391) {
            if (j76 / 48 % 2 == 1) {
                ws_tile v79 = ws_load(t78, i75, j76, TM_23180391, TN_23180391);
                ws_store(t78, i75, j76, v79);
            }
            ws_store(t83, i75, j76, helper0_23180391(ws_load(t80, i75 + 8, j76, TM_23180391, TN_23180391), ws_load(t81, i75, j76, TM_23180391, TN_23180391), i75 + 32));
        }
}

FUZZ_HOST void run_23180391(void)
{
    double *p_t4 = fuzz_array(WS_F64, 16638, 4, -1, 1);
    ws_f16 *p_t10 = fuzz_array(WS_F16, 3072, 10, -1, 1);
    ws_f16 *p_t11 = fuzz_array(WS_F16, 7665, 11, -1, 1);
    int *p_t14 = fuzz_array(WS_I32, 3, 14, 0, 64);
    int *p_t15 = fuzz_array(WS_I32, 3, 15, 0, 2);
    float *p_t16 = fuzz_array(WS_F32, 24, 16, -1, 1);
    float *p_t18 = fuzz_array(WS_F32, 2327, 18, -1, 1);
    float *p_t19 = fuzz_array(WS_F32, 1446, 19, -1, 1);
    float *p_t23 = fuzz_array(WS_F32, 11904, 23, -1, 1);
    int *p_t35 = fuzz_array(WS_I32, 3, 35, 0, 64);
    int *p_t36 = fuzz_array(WS_I32, 7056, 36, -20, 20);
    int *p_t37 = fuzz_array(WS_I32, 3, 37, 0, 2);
    int *p_t40 = fuzz_array(WS_I32, 3, 40, 0, 3);
    float *p_t42 = fuzz_array(WS_F32, 3888, 42, -1, 1);
    double *p_t44 = fuzz_array(WS_F64, 3, 44, -1, 1);
    int *p_t46 = fuzz_array(WS_I32, 72, 46, 3, 3);
    int *p_t51 = fuzz_array(WS_I32, 2, 51, 0, 2);
    float *p_t52 = fuzz_array(WS_F32, 1440, 52, -1, 1);
    int *p_t54 = fuzz_array(WS_I32, 4, 54, 0, 76);
    int *p_t57 = fuzz_array(WS_I32, 3, 57, 0, 2);
    int *p_t59 = fuzz_array(WS_I32, 56, 59, 0, 64);
    signed char *p_t61 = fuzz_array(WS_I8, 3, 61, 0, 2);
    double *p_t62 = fuzz_array(WS_F64, 3234, 62, -1, 1);
    float *p_t64 = fuzz_array(WS_F32, 120, 64, -1, 1);
    double *p_t71 = fuzz_array(WS_F64, 9598, 71, -1, 1);
    ws_f16 *p_t72 = fuzz_array(WS_F16, 2802, 72, -1, 1);
    float *p_t73 = fuzz_array(WS_F32, 3722, 73, -1, 1);
    float *p_t78 = fuzz_array(WS_F32, 8712, 78, -1, 1);
    ws_f16 *p_t80 = fuzz_array(WS_F16, 8496, 80, -1, 1);
    ws_f16 *p_t81 = fuzz_array(WS_F16, 7560, 81, -1, 1);
    float *p_t83 = fuzz_array(WS_F32, 2588, 83, -1, 1);
    kernel_23180391(48, 60, p_t4, 128, 24, p_t10, p_t11, 2, p_t14, p_t15, p_t16, p_t18, p_t19 + 6, 2, 0, p_t23, 4, 2, 24, 160, p_t35, p_t36, p_t37, p_t40, p_t42, 54, p_t44, p_t46, 72, 3, p_t51, p_t52, p_t54, p_t57, p_t59, p_t61, p_t62, 49, p_t64, 72, p_t71, p_t72, p_t73, 69, 0, p_t78, p_t80, p_t81, 63, p_t83);
    kernel_23180391(48, 59, p_t4, 128, 24, p_t10, p_t11, 1, p_t14, p_t15, p_t16, p_t18, p_t19 + 6, 2, 0, p_t23, 0, 1, 24, 159, p_t35, p_t36, p_t37, p_t40, p_t42, 54, p_t44, p_t46, 71, 2, p_t51, p_t52, p_t54, p_t57, p_t59, p_t61, p_t62, 24, p_t64, 72, p_t71, p_t72, p_t73, 68, 0, p_t78, p_t80, p_t81, 62, p_t83);
    fuzz_errors("23180391");
    fuzz_show("23180391", "t19", p_t19, WS_F32, 1446);
    fuzz_show("23180391", "t46", p_t46, WS_I32, 72);
    fuzz_show("23180391", "t71", p_t71, WS_F64, 9598);
    fuzz_show("23180391", "t72", p_t72, WS_F16, 2802);
    fuzz_show("23180391", "t73", p_t73, WS_F32, 3722);
    fuzz_show("23180391", "t78", p_t78, WS_F32, 8712);
    fuzz_show("23180391", "t83", p_t83, WS_F32, 2588);
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
    if (wanted(argc, argv, 23180391))
        run_23180391();
    return 0;
}
