/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* ---- 26007668 ---- */

static const int TM_26007668 = 48, TN_26007668 = 8, TK_26007668 = 32;

static void kernel_26007668(long n1, long n2, long n6, long n7, long n10, const float *p_t13, const int *p_t17, float *p_t20, long n21, const float *p_t23, const float *p_t24, const float *p_t25, long n26, const int *p_t29, long n30, const float *p_t35, long n36, long n37, const float *p_t38, long n39, long n41, double *p_t44, long n45, const float *p_t47, float *p_t48, float *p_t49, float *p_t50)
{
    ws_tensor t13 = ws_tensor_2d(p_t13, WS_F32, 100, 9);
    ws_tensor t17 = ws_tensor_1d(p_t17, WS_I32, 7);
    ws_tensor t20 = ws_tensor_2d(p_t20, WS_F32, n21, 16);
    ws_tensor t23 = ws_tensor_1d(p_t23, WS_F32, 96);
    ws_tensor t24 = ws_tensor_2d(p_t24, WS_F32, 98, 16);
    ws_tensor t25 = ws_tensor_strided(p_t25, WS_F32, 2, ((long[]){104, n26}), ((long[]){5, 1}));
    ws_tensor t29 = ws_tensor_2d(p_t29, WS_I32, n30, 19);
    ws_tensor t34 = ws_tensor_2d(p_t13, WS_F32, 48, 16);
    ws_tensor t35 = ws_tensor_4d(p_t35, WS_F32, n36, n37, 96, 16);
    ws_tensor t38 = ws_tensor_1d(p_t38, WS_F32, n39);
    ws_tensor t44 = ws_tensor_3d(p_t44, WS_F64, 2, n45, 16);
    ws_tensor t47 = ws_tensor_2d(p_t47, WS_F32, 96, 16);
    ws_tensor t48 = ws_tensor_2d(p_t48, WS_F32, 3, 108);
    ws_tensor t49 = ws_tensor_2d(p_t49, WS_F32, 19, 78);
    ws_tensor t50 = ws_tensor_3d(p_t50, WS_F32, 4, 41, 10);
    #pragma ws grid(3) cluster(2, 2) registers(24, 136)
    for (int h3 = 0; h3 < n6; h3++)
        for (int i4 = 0; i4 < 62; i4 += TM_26007668)
            for (long j5 = 0; j5 < n7; j5 += TN_26007668) {
                ws_tile v8 = ws_zeros(WS_F32, 48, 1);
                long s9 = 0;
                #pragma ws pipeline(auto)
                for (int c12 = 0; c12 < (n10 + 31) / TK_26007668; c12++) {
                    const int k11 = c12 * TK_26007668;
                    v8 = ws_add(v8, ws_mul(ws_row_max(ws_load_or(t13, i4, j5, TM_26007668, TN_26007668, -1e30)), 0x1p-94f));
                    ws_tile v14 = ws_full(WS_F32, TM_26007668, TN_26007668, 0);
                    ws_tile v15 = ws_mul(ws_col_max(v14), 0x1p-7f);
                    const long s18 = ws_at(t17, ((h3) * 2 + i4 / 48) * 2 + j5 / 8);
                    long s16 = 0;
                    for (long k19 = (s18 - 1) / TK_26007668 * TK_26007668; k19 >= 0; k19 -= TK_26007668) {
                        if (j5 / 8 % 2 == 1)
                            continue;
                        v14 = ws_add(v14, ws_load(t13, i4, s16, TM_26007668, TN_26007668));
                        s16 += 8;
                    }
                    v8 = ws_add(v8, ws_min(ws_max(ws_row_max(v14), -100), 100));
                    ws_store_row_2d(t20, (h3) * 2 + i4 / 48, j5, v15);
                    s9 += 8;
                }
                ws_tile v22 = ws_tanh(ws_sub(v8, v8));
                ws_tile v27 = ws_select(ws_le(ws_load_col(t23, i4, TM_26007668), v8), ws_load(t25, i4 + 8, h3 - 15, TM_26007668, 1), ws_row_min(ws_load(t24, i4, j5, TM_26007668, TN_26007668)));
                #pragma ws pipeline(auto) schedule(fine) pingpong
                for (unsigned k28 = 0; k28 < 9; k28 += TN_26007668) {
                    if (n2 / 1 % 2 == 0)
                        continue;
                    v22 = ws_max(v22, ws_cast(ws_row_max(ws_load(t29, i4, j5 + 8, TM_26007668, TN_26007668)), WS_F32));
                    int w31 = 0;
                    do {
                        w31++;
                        v8 = ws_max(v8, ws_row_max(ws_exp(ws_cast(ws_load(t25, i4 + 8, j5, TM_26007668, TN_26007668), WS_F32))));
                    } while (w31 < h3 + 1 && k28 < 5);
                    ws_tile v32 = ws_row_sum(ws_full(WS_BF16, TM_26007668, TN_26007668, 7));
                    ws_tile v33 = ws_full(WS_F64, 1, TN_26007668, 1);
                    ws_tile v40 = ws_fma(ws_select(ws_ne(ws_load(t34, (unsigned char)n1, j5, TM_26007668, TN_26007668), ws_zeros(WS_F32, TM_26007668, TN_26007668)), ws_load_4d(t35, 2, k28, i4, j5, TM_26007668, TN_26007668), ws_load_row(t38, j5, TN_26007668)), v8, 1.5f);
                    for (long c43 = 0; c43 < (n41 + 31) / TK_26007668; c43++) {
                        const long k42 = c43 * TK_26007668;
                        ws_store_3d(t44, i4 / 48, h3, j5, v33);
                        ws_tile v46 = ws_cast(ws_full(WS_F16, TM_26007668, TN_26007668, -3), WS_F32);
                        v32 = ws_max(v32, ws_row_min(ws_cast(ws_mul(ws_load(t34, i4, n2 / 8, TM_26007668, TK_26007668), ws_load_row(t38, k42 + 8, TK_26007668)), WS_BF16)));
                        v32 = ws_max(v32, ws_cast(ws_row_sum(ws_load_or(t47, i4, k28, TM_26007668, TN_26007668, -3.5)), WS_BF16));
                    }
                    v8 = ws_add(v8, ws_tanh(ws_cast(v32, WS_F32)));
                    v8 = ws_add(v8, ws_mul(ws_cast(ws_row_sum(v33), WS_F32), 0x1p-15f));
                    v22 = ws_add(v22, ws_min(ws_max(ws_row_sum(v40), -100), 100));
                }
                v8 = ws_add(v8, ws_min(ws_max(v22, -100), 100));
                ws_store_col_2d(t48, (h3) * 2 + j5 / 8, i4, v27);
                ws_store_col_2d(t49, (h3) * 2 + j5 / 8, i4, v8);
                ws_store_3d(t50, (h3) * 2 + i4 / 48, 0, j5, ws_max(ws_full(WS_F32, TM_26007668, TN_26007668, 7), 3));
            }
}

FUZZ_HOST void run_26007668(void)
{
    float *p_t13 = fuzz_array(WS_F32, 903, 13, -1, 1);
    int *p_t17 = fuzz_array(WS_I32, 7, 17, 0, 107);
    float *p_t20 = fuzz_array(WS_F32, 16, 20, -1, 1);
    float *p_t23 = fuzz_array(WS_F32, 96, 23, -1, 1);
    float *p_t24 = fuzz_array(WS_F32, 1568, 24, -1, 1);
    float *p_t25 = fuzz_array(WS_F32, 516, 25, -1, 1);
    int *p_t29 = fuzz_array(WS_I32, 1672, 29, -20, 20);
    float *p_t35 = fuzz_array(WS_F32, 24578, 35, -1, 1);
    float *p_t38 = fuzz_array(WS_F32, 16, 38, -1, 1);
    double *p_t44 = fuzz_array(WS_F64, 64, 44, -1, 1);
    float *p_t47 = fuzz_array(WS_F32, 1536, 47, -1, 1);
    float *p_t48 = fuzz_array(WS_F32, 324, 48, -1, 1);
    float *p_t49 = fuzz_array(WS_F32, 1482, 49, -1, 1);
    float *p_t50 = fuzz_array(WS_F32, 1640, 50, -1, 1);
    kernel_26007668(0, 8, 2, 14, 0, p_t13 + 3, p_t17, p_t20, 1, p_t23, p_t24, p_t25, 1, p_t29, 88, p_t35 + 2, 2, 8, p_t38, 16, 0, p_t44, 2, p_t47, p_t48, p_t49, p_t50);
    fuzz_errors("26007668");
    fuzz_show("26007668", "t20", p_t20, WS_F32, 16);
    fuzz_show("26007668", "t44", p_t44, WS_F64, 64);
    fuzz_show("26007668", "t48", p_t48, WS_F32, 324);
    fuzz_show("26007668", "t49", p_t49, WS_F32, 1482);
    fuzz_show("26007668", "t50", p_t50, WS_F32, 1640);
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
    if (wanted(argc, argv, 26007668))
        run_26007668();
    return 0;
}
