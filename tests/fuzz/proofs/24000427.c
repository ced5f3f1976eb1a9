/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* ---- 24000427 ---- */

static inline void helper0_24000427(ws_tile *result, ws_tile x, long n)
{
    ws_tile r = ws_neg(ws_mul(x, -0.75f));
    *result = r;
}

static void kernel_24000427(long n1, long n2, long n5, long n6, const float *p_t8, long n9, const float *p_t13, const ws_f16 *p_t14, const int *p_t19, const signed char *p_t20, const ws_e5m2 *p_t21, long n22, const float *p_t25, const float *p_t26, const int *p_t28, const float *p_t31, const float *p_t32, long n33, float *p_t34, long n35, long n36, const signed char *p_t38, const float *p_t39, float *p_t40, const ws_e5m2 *p_t41, long n42, ws_e5m2 *p_t43, long n44, double *p_t46, long n47, float *p_t49, const int *p_t55, const int *p_t58, long n59, long n60, const float *p_t61, const float *p_t62, const float *p_t63, long n64, const float *p_t65, const float *p_t66, long n67, float *p_t68, float *p_t69, float *p_t70, long n71, const ws_f16 *p_t72, long n76, const float *p_t78, long n79, float *p_t80, long n81, const ws_e4m3 *p_t82, const ws_e5m2 *p_t83, long n84, ws_e5m2 *p_t87, long n88, float *p_t89, long n90, float *p_t92, float *p_t93, float *p_t94, long n95, long n96, float *p_t97, float *p_t98, long n99)
{
    ws_tensor t8 = ws_tensor_2d(p_t8, WS_F32, 5, n9);
    ws_tensor t13 = ws_tensor_2d_ld(p_t13, WS_F32, 14, 74, 76);
    ws_tensor t14 = ws_tensor_2d(p_t14, WS_F16, 6, 64);
    ws_tensor t19 = ws_tensor_1d(p_t19, WS_I32, 2);
    ws_tensor t20 = ws_tensor_1d(p_t20, WS_I8, 2);
    ws_tensor t21 = ws_tensor_strided(p_t21, WS_E5M2, 2, ((long[]){n22, 80}), ((long[]){84, 1}));
    ws_tensor t25 = ws_tensor_1d(p_t25, WS_F32, 36);
    ws_tensor t26 = ws_tensor_1d(p_t26, WS_F32, 2);
    ws_tensor t28 = ws_tensor_1d(p_t28, WS_I32, 2);
    ws_tensor t31 = ws_tensor_strided(p_t31, WS_F32, 3, ((long[]){6, 13, 66}), ((long[]){949, 73, 1}));
    ws_tensor t32 = ws_tensor_2d_ld(p_t32, WS_F32, n33, 16, 20);
    ws_tensor t34 = ws_tensor_strided(p_t34, WS_F32, 3, ((long[]){1, n35, n36}), ((long[]){64, 64, 1}));
    ws_tensor t38 = ws_tensor_strided(p_t38, WS_I8, 3, ((long[]){1, 24, 57}), ((long[]){1488, 62, 1}));
    ws_tensor t39 = ws_tensor_2d(p_t39, WS_F32, 9, 12);
    ws_tensor t40 = ws_tensor_2d_ld(p_t40, WS_F32, 16, 23, 28);
    ws_tensor t41 = ws_tensor_2d(p_t41, WS_E5M2, 16, n42);
    ws_tensor t43 = ws_tensor_2d(p_t43, WS_E5M2, 16, n44);
    ws_tensor t46 = ws_tensor_strided(p_t46, WS_F64, 2, ((long[]){12, n47}), ((long[]){60, 1}));
    ws_tensor t49 = ws_tensor_2d(p_t49, WS_F32, 8, 48);
    ws_tensor t55 = ws_tensor_1d(p_t55, WS_I32, 25);
    ws_tensor t58 = ws_tensor_2d_ld(p_t58, WS_I32, n59, n60, 67);
    ws_tensor t61 = ws_tensor_1d(p_t61, WS_F32, 42);
    ws_tensor t62 = ws_tensor_1d(p_t62, WS_F32, 2);
    ws_tensor t63 = ws_tensor_2d(p_t63, WS_F32, 5, n64);
    ws_tensor t65 = ws_tensor_2d(p_t65, WS_F32, 0, 8);
    ws_tensor t66 = ws_tensor_1d(p_t66, WS_F32, n67);
    ws_tensor t68 = ws_tensor_2d(p_t68, WS_F32, 29, 64);
    ws_tensor t69 = ws_tensor_2d_ld(p_t69, WS_F32, 0, 5, 8);
    ws_tensor t70 = ws_tensor_2d(p_t70, WS_F32, 89, n71);
    ws_tensor t72 = ws_tensor_1d(p_t72, WS_F16, 16);
    ws_tensor t78 = ws_tensor_2d_ld(p_t78, WS_F32, n79, 59, 64);
    ws_tensor t80 = ws_tensor_2d(p_t80, WS_F32, n81, 64);
    ws_tensor t82 = ws_tensor_1d(p_t82, WS_E4M3, 2);
    ws_tensor t83 = ws_tensor_1d(p_t83, WS_E5M2, n84);
    ws_tensor t87 = ws_tensor_3d(p_t87, WS_E5M2, 0, n88, 25);
    ws_tensor t89 = ws_tensor_strided(p_t89, WS_F32, 2, ((long[]){16, n90}), ((long[]){1, 1}));
    ws_tensor t92 = ws_tensor_strided(p_t92, WS_F32, 4, ((long[]){2, 1, 16, 0}), ((long[]){64, 64, 4, 1}));
    ws_tensor t93 = ws_tensor_strided(p_t93, WS_F32, 3, ((long[]){0, 24, 46}), ((long[]){1152, 48, 1}));
    ws_tensor t94 = ws_tensor_3d(p_t94, WS_F32, n95, n96, 64);
    ws_tensor t97 = ws_tensor_2d_ld(p_t97, WS_F32, 16, 64, 70);
    ws_tensor t98 = ws_tensor_strided(p_t98, WS_F32, 3, ((long[]){0, 16, n99}), ((long[]){720, 45, 1}));
    #pragma ws grid(2) order(grouped(2)) consumers(3, tiles)
    for (int i3 = 0; i3 < n5; i3 += 16)
        for (int j4 = 32; j4 < n6; j4 += 32) {
            ws_tile v7 = ws_full(WS_F32, 16, 32, 2.25);
            ws_tile v10 = ws_rint(ws_load_row_2d(t8, n2 / 16, j4, 32));
            ws_tile v11 = ws_full(WS_F32, 16, 32, 2.25);
            #pragma ws pipeline(3, 1)
            for (long k12 = 0; k12 < i3 + 32; k12 += 32) {
                v7 = ws_max(v7, ws_load(t13, i3, j4 + 8, 16, 32));
                ws_tile v15 = ((n2 >= 45 || j4 / 32 % 2 == 0) ? ws_zeros(WS_F16, 16, 32) : ws_load(t14, i3 - 6, j4, 16, 32));
                int s16 = n1;
                ws_tile v17 = ws_mul(v11, 0x1p-7f);
                ws_tile v18 = ws_mul(v7, 0x1p-7f);
                ws_tile v23 = ws_load(t21, i3, ((ws_at(t19, (i3 / 16) * 2 + j4 / 32) != 0 || ws_at(t20, (i3 / 16) * 2 + j4 / 32) != 0) ? (k12 + n2 / 8) : n1), 16, 8);
                for (int k24 = 0; k24 < i3 + 8; k24 += 8) {
                    ws_tile v27 = ws_add(ws_add(ws_row_min(ws_load_row(t25, k12, 32)), 0.125), ws_at_float(t26, (i3 / 16) * 2 + j4 / 32));
                    v10 = ws_add(v10, ws_min(ws_max(v27, -100), 100));
                    if (ws_at(t28, (i3 / 16) * 2 + j4 / 32) != 0) {
                        long s29 = k12 % 33;
                        long s30 = n1 / 8;
                        v7 = ws_max(v7, ws_mul((!(n2 / 1 % 2 == 1) ? v18 : ws_sub(ws_mul(ws_load_3d(t31, n2 / 16, i3, j4, 16, 32), 0.125), (k24 < 5 ? ws_load_col_2d(t32, j4 / 32, i3, 16) : ws_load_col(t25, i3, 16)))), 0x1p-7f));
                    }
                    switch ((i3 + k24 + 32) % 3) {
                    case 0: {
                        ws_tile v37 = ws_load_3d(t34, 0, i3, j4, 16, 32);
                        ws_store_3d(t34, 0, i3, j4, ws_cast(ws_exp2(ws_min(v17, 5)), WS_F32));
                    } break;
                    case 1: {
                        v18 = ws_add(v18, ws_cast(ws_load_3d(t38, n1 / 16, i3 + 8, k12, 16, 32), WS_F32));
                        ws_atomic_add(t40, i3, n1 % 24, ws_rint(ws_max(ws_min(ws_min(ws_col_cumsum(ws_load_col_2d(t39, k24, i3 - 11, 16)), (float)k12 * 0.0625f), 50), -50)));
                    } break;
                    default: {
                        ws_store(t43, i3, j4, ws_load_or(t41, i3, j4 - 1, 16, 32, 0));
                        ws_tile v45 = ws_load(t43, i3, j4, 16, 32);
                        v11 = ws_add(v11, ws_cast(v45, WS_F32));
                    } break;
                    }
                    ws_tile v48 = ws_load(t46, i3, j4, 8, 32);
                    ws_store(t46, i3, j4, v48);
                }
                v11 = ws_add(v11, ws_mul(ws_cast(v15, WS_F32), 0x1p-4f));
                v10 = ws_add(v10, ws_tanh(ws_col_max(v17)));
                v10 = ws_add(v10, ws_tanh(ws_col_max(v18)));
                v10 = ws_add(v10, ws_min(ws_max(ws_cast(ws_col_max(ws_row_max(v23)), WS_F32), -100), 100));
            }
            ws_store(t49, i3, j4, v7);
            ws_tile v50 = ws_load(t49, i3, j4, 16, 32);
            ws_tile v51 = ws_add(ws_cast(ws_full(WS_F32, 1, 1, 2.25), WS_I32), ws_row_max(ws_full(WS_I32, 1, 32, -3)));
            ws_tile v52 = ws_zeros(WS_F16, 16, 32);
            long s53 = 0;
            for (unsigned k54 = 0; k54 < 32; k54 += 8) {
                switch (n2 % 2) {
                case 0: {
                    if ((k54 >= i3 || ws_at(t55, k54) != 0)) {
                        v50 = ws_add(v50, ws_min(ws_max(v11, -100), 100));
                        ws_tensor t56 = ws_slice(t31, 2, j4 % 14, j4 % 14 + (j4 + n2 / 8));
                        v52 = ws_max(v52, ws_trans(ws_zeros(WS_F16, 32, 16)));
                    }
                } break;
                default: {
                    if (s53 / 8 % 2 == 1) {
                        v11 = ws_add(ws_mul(v11, 0.5f), ws_mul(v7, 0x1p-7f));
                        int s57 = s53 + 8;
                        v10 = ws_min(v10, ws_select(ws_not(ws_not(ws_gt(ws_full(WS_I32, 1, 32, -3), ws_load_row_2d(t58, i3, j4, 32)))), ws_neg(ws_trans(ws_load_col(t61, j4, 32))), ws_at_float(t62, (i3 / 16) * 2 + j4 / 32)));
                    } else {
                        ws_atomic_add(t68, k54, j4, ws_rint(ws_max(ws_min(ws_add(ws_load(t63, s53, j4, 8, 32), ws_fma(ws_load(t65, k54, i3 + 8, 8, 1), ws_full(WS_F32, 8, 1, -3), ws_load_col(t66, 8, 8))), 50), -50)));
                        ws_store_row_2d(t69, i3 / 16, j4, v10);
                    }
                    ws_atomic_add(t70, n2, j4, ws_rint(ws_max(ws_min(ws_mul(ws_full(WS_F32, 1, 32, 1), v10), 50), -50)));
                } break;
                }
                if (j4 / 32 % 2 == 1) {
                    v10 = ws_add(ws_mul(v10, 0.5f), ws_min(ws_max(v10, -100), 100));
                } else {
                    ws_tile v73 = ws_load_col(t72, i3 + 8, 16);
                }
                ws_tile v74 = ws_fma(v50, ws_cast(ws_exp(ws_min(v7, 5)), WS_F32), ws_col_max(v50));
                ws_tile v75 = ws_cast(ws_full(WS_BF16, 1, 32, 2.25), WS_F32);
                #pragma ws pipeline(auto)
                for (unsigned k77 = 0; k77 < n76; k77 += 8) {
                    v75 = ws_max(v75, ws_col_sum(ws_load(t78, i3, j4, 16, 32)));
                    ws_store(t80, i3, j4, v50);
                    ws_tile v85 = ws_div(ws_mul(ws_at_float(t82, (i3 / 16) * 2 + j4 / 32), ws_floor(ws_load(t41, s53 - 6, j4, 8, 32))), ws_add(ws_abs(ws_load_row(t83, j4 + 8, 32)), 1));
                    long s86 = n2;
                    ws_store_3d(t87, i3 / 16, j4, 0, v85);
                }
                v11 = ws_add(v11, ws_min(ws_max(v75, -100), 100));
                s53 += 8;
            }
            ws_store(t89, i3, j4, ws_cast(ws_fma(v11, -1.25f, ws_load_row(t61, (n1 / 1 % 2 == 1 ? i3 + 24 : (i3 + n1 / 8)), 1)), WS_F32));
            ws_tile v91 = ws_load(t89, i3, j4, 16, 32);
            ws_store_4d(t92, 1, j4 / 32, i3, 0, v50);
            v11 = ws_add(v11, ws_tanh(ws_cast(v51, WS_F32)));
            v7 = ws_add(v7, ws_min(ws_max(ws_cast(v52, WS_F32), -100), 100));
            v10 = ws_add(v10, ws_col_sum(v91));
            ws_store_3d(t93, i3 / 16, 8, j4, v7);
            ws_store_3d(t94, 0, i3, j4, v10);
            ws_store(t97, i3, j4, v11);
            ws_store_3d(t98, 0, i3, j4, ws_select(ws_lt(ws_zeros(WS_F32, 16, 32), -0.75f), 1.5f, ws_full(WS_F32, 16, 32, 2.25)));
        }
}

FUZZ_HOST void run_24000427(void)
{
    float *p_t8 = fuzz_array(WS_F32, 410, 8, -1, 1);
    float *p_t13 = fuzz_array(WS_F32, 1062, 13, -1, 1);
    ws_f16 *p_t14 = fuzz_array(WS_F16, 384, 14, -1, 1);
    int *p_t19 = fuzz_array(WS_I32, 2, 19, 0, 2);
    signed char *p_t20 = fuzz_array(WS_I8, 2, 20, 0, 2);
    ws_e5m2 *p_t21 = fuzz_array(WS_E5M2, 1340, 21, -1, 1);
    float *p_t25 = fuzz_array(WS_F32, 36, 25, -1, 1);
    float *p_t26 = fuzz_array(WS_F32, 2, 26, -1, 1);
    int *p_t28 = fuzz_array(WS_I32, 2, 28, 0, 2);
    float *p_t31 = fuzz_array(WS_F32, 5687, 31, -1, 1);
    float *p_t32 = fuzz_array(WS_F32, 36, 32, -1, 1);
    float *p_t34 = fuzz_array(WS_F32, 64, 34, -1, 1);
    signed char *p_t38 = fuzz_array(WS_I8, 1483, 38, -20, 20);
    float *p_t39 = fuzz_array(WS_F32, 108, 39, -1, 1);
    float *p_t40 = fuzz_array(WS_F32, 443, 40, 3, 3);
    ws_e5m2 *p_t41 = fuzz_array(WS_E5M2, 1024, 41, -1, 1);
    ws_e5m2 *p_t43 = fuzz_array(WS_E5M2, 1024, 43, -1, 1);
    double *p_t46 = fuzz_array(WS_F64, 716, 46, -1, 1);
    float *p_t49 = fuzz_array(WS_F32, 384, 49, -1, 1);
    int *p_t55 = fuzz_array(WS_I32, 25, 55, 0, 2);
    int *p_t58 = fuzz_array(WS_I32, 64, 58, -20, 20);
    float *p_t61 = fuzz_array(WS_F32, 42, 61, -1, 1);
    float *p_t62 = fuzz_array(WS_F32, 2, 62, -1, 1);
    float *p_t63 = fuzz_array(WS_F32, 290, 63, -1, 1);
    float *p_t65 = fuzz_array(WS_F32, 8, 65, -1, 1);
    float *p_t66 = fuzz_array(WS_F32, 16, 66, -1, 1);
    float *p_t68 = fuzz_array(WS_F32, 1856, 68, 3, 3);
    float *p_t69 = fuzz_array(WS_F32, 6, 69, -1, 1);
    float *p_t70 = fuzz_array(WS_F32, 3204, 70, 3, 3);
    ws_f16 *p_t72 = fuzz_array(WS_F16, 16, 72, -1, 1);
    float *p_t78 = fuzz_array(WS_F32, 764, 78, -1, 1);
    float *p_t80 = fuzz_array(WS_F32, 960, 80, -1, 1);
    ws_e4m3 *p_t82 = fuzz_array(WS_E4M3, 2, 82, -1, 1);
    ws_e5m2 *p_t83 = fuzz_array(WS_E5M2, 72, 83, -1, 1);
    ws_e5m2 *p_t87 = fuzz_array(WS_E5M2, 925, 87, -1, 1);
    float *p_t89 = fuzz_array(WS_F32, 16, 89, -1, 1);
    float *p_t92 = fuzz_array(WS_F32, 125, 92, -1, 1);
    float *p_t93 = fuzz_array(WS_F32, 1151, 93, -1, 1);
    float *p_t94 = fuzz_array(WS_F32, 704, 94, -1, 1);
    float *p_t97 = fuzz_array(WS_F32, 1114, 97, -1, 1);
    float *p_t98 = fuzz_array(WS_F32, 716, 98, -1, 1);
    kernel_24000427(72, 88, 10, 58, p_t8, 82, p_t13, p_t14, p_t19, p_t20, p_t21, 16, p_t25, p_t26, p_t28, p_t31, p_t32, 2, p_t34, 0, 64, p_t38, p_t39, p_t40, p_t41, 64, p_t43, 64, p_t46, 56, p_t49, p_t55, p_t58, 0, 64, p_t61, p_t62, p_t63, 58, p_t65, p_t66, 16, p_t68, p_t69 + 1, p_t70, 36, p_t72, 16, p_t78 + 1, 12, p_t80, 15, p_t82, p_t83, 72, p_t87, 37, p_t89, 0, p_t92, p_t93 + 1, p_t94, 11, 1, p_t97, p_t98, 41);
    fuzz_errors("24000427");
    fuzz_show("24000427", "t34", p_t34, WS_F32, 64);
    fuzz_show("24000427", "t40", p_t40, WS_F32, 443);
    fuzz_show("24000427", "t43", p_t43, WS_E5M2, 1024);
    fuzz_show("24000427", "t46", p_t46, WS_F64, 716);
    fuzz_show("24000427", "t49", p_t49, WS_F32, 384);
    fuzz_show("24000427", "t68", p_t68, WS_F32, 1856);
    fuzz_show("24000427", "t69", p_t69, WS_F32, 6);
    fuzz_show("24000427", "t70", p_t70, WS_F32, 3204);
    fuzz_show("24000427", "t80", p_t80, WS_F32, 960);
    fuzz_show("24000427", "t87", p_t87, WS_E5M2, 925);
    fuzz_show("24000427", "t89", p_t89, WS_F32, 16);
    fuzz_show("24000427", "t92", p_t92, WS_F32, 125);
    fuzz_show("24000427", "t93", p_t93, WS_F32, 1151);
    fuzz_show("24000427", "t94", p_t94, WS_F32, 704);
    fuzz_show("24000427", "t97", p_t97, WS_F32, 1114);
    fuzz_show("24000427", "t98", p_t98, WS_F32, 716);
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
    if (wanted(argc, argv, 24000427))
        run_24000427();
    return 0;
}
