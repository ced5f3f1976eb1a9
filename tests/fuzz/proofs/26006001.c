/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* ---- 26006001 ---- */

static inline ws_tile fetch6_26006001(ws_tensor t, long row, long col)
{
    return ws_load(t, row, col, 64, 32);
}

static inline ws_tile fetch13_26006001(ws_tensor t, long row, long col)
{
    return ws_load(t, row, col, 64, 16);
}

static void kernel_26006001(int n1, const int *p_t4, const signed char *p_t5, const signed char *p_t8, const ws_e5m2 *p_t11, int n12, const ws_f16 *p_t15, int n16, const ws_f16 *p_t19, int n20, int n21, const ws_f16 *p_t22, int n23, const ws_f16 *p_t24, int n25, const ws_f16 *p_t30, int n31, int n33, const ws_f16 *p_t35, int n36, const ws_f16 *p_t41, int n42, float *p_t43, float *p_t44, int n45, float *p_t46, int n47, int *p_t48, int n49, ws_e5m2 *p_t50, ws_f16 *p_t51, const float *p_t52, int n53, int n54, float *p_t55, int n56)
{
    ws_tensor t4 = ws_tensor_1d(p_t4, WS_I32, 9);
    ws_tensor t5 = ws_tensor_2d_ld(p_t5, WS_I8, 157, 78, 80);
    ws_tensor t8 = ws_tensor_2d_ld(p_t8, WS_I8, 6, 0, 1);
    ws_tensor t11 = ws_tensor_2d(p_t11, WS_E5M2, n12, 48);
    ws_tensor t15 = ws_tensor_2d(p_t15, WS_F16, n16, 48);
    ws_tensor t19 = ws_tensor_4d(p_t19, WS_F16, 4, n20, 200, n21);
    ws_tensor t22 = ws_tensor_2d(p_t22, WS_F16, n23, 144);
    ws_tensor t24 = ws_tensor_2d(p_t24, WS_F16, n25, 56);
    ws_tensor t30 = ws_tensor_strided(p_t30, WS_F16, 3, ((long[]){n31, 192, 80}), ((long[]){16512, 86, 1}));
    ws_tensor t35 = ws_tensor_2d(p_t35, WS_F16, n36, 86);
    ws_tensor t41 = ws_tensor_3d(p_t41, WS_F16, n42, 96, 11);
    ws_tensor t43 = ws_tensor_2d(p_t43, WS_F32, 0, 36);
    ws_tensor t44 = ws_tensor_2d(p_t44, WS_F32, n45, 15);
    ws_tensor t46 = ws_tensor_2d(p_t46, WS_F32, n47, 64);
    ws_tensor t48 = ws_tensor_2d(p_t48, WS_I32, 161, n49);
    ws_tensor t50 = ws_tensor_strided(p_t50, WS_E5M2, 2, ((long[]){192, 56}), ((long[]){64, 1}));
    ws_tensor t51 = ws_tensor_2d(p_t51, WS_F16, 192, 38);
    ws_tensor t52 = ws_tensor_strided(p_t52, WS_F32, 3, ((long[]){n53, n54, 48}), ((long[]){9792, 51, 1}));
    ws_tensor t55 = ws_tensor_2d(p_t55, WS_F32, 192, n56);
    #pragma ws grid(2) cluster(3, 2)
    for (int i2 = 0; i2 < 135; i2 += 64)
        for (int j3 = (45 - 1) / 16 * 16; j3 >= 0; j3 -= 16) {
            ws_tile v7 = fetch6_26006001(t5, i2, ws_at(t4, (i2 / 64) * 3 + j3 / 16));
            ws_tile v9 = ws_load(t8, j3, n1, 16, 32);
            ws_tile v10 = ws_min(ws_max(ws_dot(v7, ws_trans(v9), ws_zeros(WS_I32, 64, 16)), -100), 100);
            ws_tile v14 = ws_max(2, fetch13_26006001(t11, i2, j3));
            ws_tile v17 = ws_load(t15, i2, j3, 64, 16);
            #pragma ws pipeline(2) schedule(fine) pingpong
            for (int k18 = (i2 + 48 - 1) / 48 * 48; k18 >= 0; k18 -= 48) {
                v10 = ws_add(v10, ws_cast(ws_load_4d(t19, k18 / 48, j3 / 16, i2 + 8, j3, 64, 16), WS_I32));
            }
            ws_tile v26 = ws_dot(ws_load(t22, i2, (n1 + n1 + 16), 64, 48), ws_load(t24, j3 / 16, j3 + 8, 48, 16), ws_zeros(WS_F32, 64, 16));
            ws_tile v27 = ws_zeros(WS_F32, 64, 16);
            ws_tile v28 = ws_full(WS_F32, 64, 1, -1e30);
            ws_tile v29 = ws_zeros(WS_F32, 64, 1);
            ws_tile v32 = ws_load_3d(t30, j3 / 16, i2, j3, 64, 48);
            #pragma ws pipeline(auto)
            for (int k34 = 0; k34 < n33; k34 += 48) {
                ws_tile v37 = ws_dot(v32, ws_trans(ws_load_or(t35, k34, k34, 48, 48, 7)), ws_zeros(WS_F32, 64, 48));
                v37 = ws_select(ws_ge(ws_add(ws_row_index(64, 1), i2), ws_add(ws_col_index(1, 48), k34)), v37, -1e30);
                ws_tile v38 = ws_max(v28, ws_row_max(v37));
                ws_tile v39 = ws_exp2(ws_sub(v37, v38));
                ws_tile v40 = ws_exp2(ws_sub(v28, v38));
                v29 = ws_add(ws_mul(v29, v40), ws_row_sum(v39));
                v27 = ws_dot(ws_cast(v39, WS_F16), ws_load_3d(t41, i2 / 64, k34, j3, 48, 16), v27);
                v28 = v38;
            }
            ws_store(t43, i2, j3, v26);
            v14 = ws_add(v14, ws_mul(ws_cast(v27, WS_E5M2), 0x1p-15f));
            ws_store_col_2d(t44, j3 / 16, i2, v28);
            ws_store_col_2d(t46, (i2 / 64) * 3 + j3 / 16, 0, v29);
            ws_store(t48, i2, j3, v10);
            ws_store(t50, i2, j3, v14);
            if ((i2 / 64 % 2 == 0 && i2 < 65))
            ws_store(t50, i2, j3, ws_neg(v14));
            ws_store(t51, i2, j3, v17);
            ws_store(t55, i2, j3, ws_sub(ws_load_or_3d(t52, n1 / 16, i2, j3, 64, 16, 1), 2));
        }
}

FUZZ_HOST void run_26006001(void)
{
    int *p_t4 = fuzz_array(WS_I32, 9, 4, 0, 64);
    signed char *p_t5 = fuzz_array(WS_I8, 12558, 5, -20, 20);
    signed char *p_t8 = fuzz_array(WS_I8, 6, 8, -20, 20);
    ws_e5m2 *p_t11 = fuzz_array(WS_E5M2, 9216, 11, -1, 1);
    ws_f16 *p_t15 = fuzz_array(WS_F16, 2018, 15, -1, 1);
    ws_f16 *p_t19 = fuzz_array(WS_F16, 115200, 19, -1, 1);
    ws_f16 *p_t22 = fuzz_array(WS_F16, 27648, 22, -1, 1);
    ws_f16 *p_t24 = fuzz_array(WS_F16, 2800, 24, -1, 1);
    ws_f16 *p_t30 = fuzz_array(WS_F16, 33018, 30, -1, 1);
    ws_f16 *p_t35 = fuzz_array(WS_F16, 8256, 35, -1, 1);
    ws_f16 *p_t41 = fuzz_array(WS_F16, 3169, 41, -1, 1);
    float *p_t43 = fuzz_array(WS_F32, 36, 43, -1, 1);
    float *p_t44 = fuzz_array(WS_F32, 45, 44, -1, 1);
    float *p_t46 = fuzz_array(WS_F32, 576, 46, -1, 1);
    int *p_t48 = fuzz_array(WS_I32, 7728, 48, -20, 20);
    ws_e5m2 *p_t50 = fuzz_array(WS_E5M2, 12280, 50, -1, 1);
    ws_f16 *p_t51 = fuzz_array(WS_F16, 7296, 51, -1, 1);
    float *p_t52 = fuzz_array(WS_F32, 9789, 52, -1, 1);
    float *p_t55 = fuzz_array(WS_F32, 9216, 55, -1, 1);
    kernel_26006001(40, p_t4, p_t5, p_t8, p_t11, 192, p_t15 + 2, 42, p_t19, 3, 48, p_t22, 192, p_t24, 50, p_t30, 2, 96, p_t35, 96, p_t41 + 1, 3, p_t43, p_t44, 3, p_t46, 9, p_t48, 48, p_t50, p_t51, p_t52, 1, 192, p_t55, 48);
    kernel_26006001(0, p_t4, p_t5, p_t8, p_t11, 191, p_t15 + 2, 42, p_t19, 1, 48, p_t22, 1, p_t24, 50, p_t30, 0, 95, p_t35, 96, p_t41 + 1, 1, p_t43, p_t44, 2, p_t46, 9, p_t48, 0, p_t50, p_t51, p_t52, 0, 0, p_t55, 0);
    fuzz_errors("26006001");
    fuzz_show("26006001", "t43", p_t43, WS_F32, 36);
    fuzz_show("26006001", "t44", p_t44, WS_F32, 45);
    fuzz_show("26006001", "t46", p_t46, WS_F32, 576);
    fuzz_show("26006001", "t48", p_t48, WS_I32, 7728);
    fuzz_show("26006001", "t50", p_t50, WS_E5M2, 12280);
    fuzz_show("26006001", "t51", p_t51, WS_F16, 7296);
    fuzz_show("26006001", "t55", p_t55, WS_F32, 9216);
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
    if (wanted(argc, argv, 26006001))
        run_26006001();
    return 0;
}
