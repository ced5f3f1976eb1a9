/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

/* ---- 26002717 ---- */

#define DEPTH_26002717_15 1

static void kernel_26002717(long n1, long n2, long n6, const ws_f16 *p_t10, long n12, const int *p_t16, const int *p_t17, const ws_f16 *p_t18, long n19, const ws_f16 *p_t24, const signed char *p_t25, const float *p_t26, long n27, const signed char *p_t29, const int *p_t31, float *p_t35, long n36, const signed char *p_t37, long n38, const signed char *p_t39, float *p_t41, long n42, const float *p_t43, long n44, long n47, float *p_t50, long n51, long n52, const int *p_t53, const float *p_t54, const ws_f16 *p_t57, const float *p_t60, long n61, const float *p_t62, const signed char *p_t63, long n64, long n65, const signed char *p_t66, const ws_f16 *p_t69, const float *p_t70, float *p_t71, const ws_bf16 *p_t73, long n74, float *p_t76, long n77, ws_f16 *p_t78, long n79, long n80, float *p_t86, long n87, float *p_t88, long n89, float *p_t90, float *p_t91, float *p_t92, long n93, ws_f16 *p_t94, long n95, const double *p_t96, float *p_t97, long n98)
{
    ws_tensor t10 = ws_tensor_2d(p_t10, WS_F16, 10, 34);
    ws_tensor t16 = ws_tensor_1d(p_t16, WS_I32, 9);
    ws_tensor t17 = ws_tensor_1d(p_t17, WS_I32, 9);
    ws_tensor t18 = ws_tensor_strided(p_t18, WS_F16, 2, ((long[]){n19, 151}), ((long[]){158, 1}));
    ws_tensor t24 = ws_tensor_3d(p_t24, WS_F16, 5, 75, 72);
    ws_tensor t25 = ws_tensor_1d(p_t25, WS_I8, 8);
    ws_tensor t26 = ws_tensor_1d(p_t26, WS_F32, n27);
    ws_tensor t29 = ws_tensor_2d(p_t29, WS_I8, 81, 64);
    ws_tensor t31 = ws_tensor_1d(p_t31, WS_I32, 9);
    ws_tensor t35 = ws_tensor_3d(p_t35, WS_F32, n36, 64, 72);
    ws_tensor t37 = ws_tensor_4d(p_t37, WS_I8, n38, 6, 48, 54);
    ws_tensor t39 = ws_tensor_2d(p_t39, WS_I8, 72, 37);
    ws_tensor t41 = ws_tensor_strided(p_t41, WS_F32, 4, ((long[]){n42, 3, 31, 72}), ((long[]){7068, 2356, 76, 1}));
    ws_tensor t43 = ws_tensor_strided(p_t43, WS_F32, 4, ((long[]){n44, 3, 27, 72}), ((long[]){6156, 2052, 76, 1}));
    ws_tensor t50 = ws_tensor_2d_ld(p_t50, WS_F32, n51, n52, 30);
    ws_tensor t53 = ws_tensor_1d(p_t53, WS_I32, 9);
    ws_tensor t54 = ws_tensor_2d_ld(p_t54, WS_F32, 71, 77, 81);
    ws_tensor t57 = ws_tensor_2d(p_t57, WS_F16, 6, 10);
    ws_tensor t60 = ws_tensor_2d(p_t60, WS_F32, 3, n61);
    ws_tensor t62 = ws_tensor_1d(p_t62, WS_F32, 1);
    ws_tensor t63 = ws_tensor_3d(p_t63, WS_I8, n64, n65, 66);
    ws_tensor t66 = ws_tensor_1d(p_t66, WS_I8, 51);
    ws_tensor t67 = ws_tensor_1d(p_t26, WS_F32, 10);
    ws_tensor t69 = ws_tensor_2d(p_t69, WS_F16, 52, 72);
    ws_tensor t70 = ws_tensor_2d(p_t70, WS_F32, 64, 72);
    ws_tensor t71 = ws_tensor_strided(p_t71, WS_F32, 3, ((long[]){9, 77, 17}), ((long[]){1463, 19, 1}));
    ws_tensor t73 = ws_tensor_2d(p_t73, WS_BF16, n74, 72);
    ws_tensor t76 = ws_tensor_4d(p_t76, WS_F32, 2, n77, 64, 72);
    ws_tensor t78 = ws_tensor_strided(p_t78, WS_F16, 3, ((long[]){n79, n80, 67}), ((long[]){5120, 80, 1}));
    ws_tensor t86 = ws_tensor_strided(p_t86, WS_F32, 2, ((long[]){n87, 64}), ((long[]){70, 1}));
    ws_tensor t88 = ws_tensor_2d(p_t88, WS_F32, 9, n89);
    ws_tensor t90 = ws_tensor_strided(p_t90, WS_F32, 3, ((long[]){3, 25, 56}), ((long[]){1550, 62, 1}));
    ws_tensor t91 = ws_tensor_2d(p_t91, WS_F32, 13, 50);
    ws_tensor t92 = ws_tensor_2d_ld(p_t92, WS_F32, 8, n93, 16);
    ws_tensor t94 = ws_tensor_3d(p_t94, WS_F16, 1, n95, 7);
    ws_tensor t96 = ws_tensor_1d(p_t96, WS_F64, 9);
    ws_tensor t97 = ws_tensor_3d(p_t97, WS_F32, 1, 64, n98);
    #pragma ws grid(3) persistent consumers(1) cluster(2)
    for (int h3 = 0; h3 < 3; h3++)
        for (long i4 = 0; i4 < n6; i4 += 64)
            for (int j5 = 0; j5 < 58; j5 += 24) {
                ws_tile v7 = ws_zeros(WS_F32, 64, 24);
                ws_tile v8 = ws_full(WS_F32, 64, 1, -100);
                ws_tile v9 = ws_zeros(WS_F32, 64, 1);
                ws_tile v11 = ws_load_or(t10, i4, n1 / 8, 64, 32, 7);
                #pragma ws pipeline(DEPTH_26002717_15, 1)
                for (int c14 = 0; c14 != (n12 + 15) / 16; c14++) {
                    const int k13 = c14 * 16;
                    ws_tile v20 = ws_dot(v11, ws_trans(ws_load_or(t18, (h3 + n2 % 3), (j5 + (((h3 >= 2 || i4 >= 1) || !(n1 < 9)) ? (n2 ^ 8) : (!((ws_at(t16, ((h3) * 1 + i4 / 64) * 3 + j5 / 24) != 0 || ws_at(t17, ((h3) * 1 + i4 / 64) * 3 + j5 / 24) != 0)) ? n1 : i4 / 64))), 32, 32, -1e30)), ws_zeros(WS_F32, 64, 32));
                    ws_tile v21 = ws_max(v8, ws_row_max(v20));
                    ws_tile v22 = ws_exp2(ws_sub(v20, v21));
                    ws_tile v23 = ws_exp2(ws_sub(v8, v21));
                    v9 = ws_add(ws_mul(v9, v23), ws_row_sum(v22));
                    v7 = ws_dot(ws_cast(v22, WS_F16), ws_load_3d(t24, n2 / 16, j5, j5, 32, 24), ws_mul(v7, v23));
                    v8 = v21;
                }
                ws_tile v28 = ws_min(ws_max(ws_select(ws_le(ws_col_index(1, 24), (n1 + ws_at(t25, ((h3) * 1 + i4 / 64) * 3 + j5 / 24))), ws_min(v7, ws_load_row(t26, j5, 24)), (float)j5 * 0.0625f), -100), 100);
                ws_tile v30 = ws_min(ws_max(ws_dot(ws_load_or(t29, i4, i4 - 10, 64, 64, 1), ws_trans(ws_load(t29, j5, i4, 24, 64)), ws_zeros(WS_I32, 64, 24)), -100), 100);
                const long s32 = ws_at(t31, ((h3) * 1 + i4 / 64) * 3 + j5 / 24);
                #pragma ws pipeline(2, 1) schedule(fine)
                for (unsigned k33 = 0; k33 < s32; k33 += 16) {
                    ws_tile v34 = ws_load_or_3d(t24, n2 / 16, j5, i4, 24, 32, 7);
                    v28 = ws_dot(ws_load_3d(t24, i4, i4, n2, 64, 32), ws_trans(v34), v28);
                    switch (k33 + 32 % 3) {
                    case 0: {
                        ws_store_3d(t35, h3, i4, j5, v28);
                        v28 = ws_sub(v28, ws_mul(v7, 0x1p-7f));
                    } break;
                    case 1: {
                        ws_tile v40 = ws_load(t39, j5, k33 % 37, 24, 32);
                        v30 = ws_dot(ws_trans(ws_load_4d(t37, k33 / 16, k33 / 16, i4 + 16, i4, 32, 64)), ws_trans(v40), v30);
                        v8 = ws_add(v8, ws_max(ws_erf(ws_col_cumsum(ws_load_row(t26, h3, 1))), ws_cast(ws_trans(ws_full(WS_E5M2, 1, 64, 7)), WS_F32)));
                    } break;
                    default: {
                        ws_atomic_add_4d(t41, h3, h3, i4, j5, ws_rint(ws_max(ws_min(ws_exp2(ws_min(v7, 5)), 50), -50)));
                        if (k33 / 16 % 2 == 1) {
                            v28 = ws_max(v28, ws_tanh(v7));
                        }
                    } break;
                    }
                }
                ws_tile v45 = ws_tanh(ws_fma(ws_select(ws_ge(v28, 1), ws_load_4d(t43, i4, h3, i4, j5, 64, 24), 1.5f), j5, n1));
                ws_tile v46 = ws_tanh(v8);
                for (unsigned c49 = 0; c49 < (n47 + 15) / 16; c49++) {
                    const unsigned k48 = c49 * 16;
                    ws_store_col_2d(t50, (h3) * 3 + j5 / 24, i4, v8);
                    ws_tile v55 = ws_cast(ws_tanh(((!((j5 >= 25 || ((!(((k48 / 16 % 2 == 1 || (j5 / 24 % 2 == 1 && j5 / 24 % 2 == 1)) || (h3 < 2 || ((i4 / 64 % 2 == 0 && j5 < 25) && ws_at(t53, ((h3) * 1 + i4 / 64) * 3 + j5 / 24) != 0)))) ? n2 : i4 % 31) >= n1 && h3 >= 2))) && j5 < 25) ? ws_rint(v28) : ws_load(t54, i4, j5, 64, 24))), WS_F16);
                    ws_tile v56 = ws_full(WS_F32, 64, 24, -3);
                    ws_tile v58 = ws_load(t57, i4, 0, 64, 24);
                    for (int k59 = 0; k59 < h3 + 16; k59 += 16) {
                        v55 = ws_add(v55, v55);
                        ws_tile v68 = ws_fma(v7, ws_sqrt(ws_abs(ws_load_row_2d(t60, 2, h3, 1))), ws_select(ws_le(ws_col_index(1, 24), h3), ws_select(ws_ge(ws_load_or_3d(t63, 1, h3, j5, 1, 24, 1), ws_load_row(t66, j5 - 15, 24)), ws_zeros(WS_F32, 1, 24), ws_load_row(t67, i4, 24)), ws_select(ws_le(ws_load_row(t62, h3, 1), 3), ws_zeros(WS_F32, 1, 24), 0.5f)));
                        switch (k48 % 3) {
                        case 0: {
                            v56 = ws_add(v56, ws_dot(ws_load(t10, i4, k59 + 8, 64, 16), ws_load_or(t69, k48, j5, 16, 24, 0), ws_zeros(WS_F32, 64, 24)));
                        } break;
                        case 1: {
                            v68 = ws_sub(v68, ws_load_or(t70, i4, j5, 64, 24, 0));
                        } break;
                        default: {
                            ws_tile v72 = ws_load_3d(t71, (h3) * 3 + j5 / 24, i4, 0, 64, 24);
                            ws_store_3d(t71, (h3) * 3 + j5 / 24, i4, 0, ws_load_or(t70, i4, j5, 64, 24, 7));
                            ws_tile v75 = ws_add(1.5f, ws_load(t73, i4, j5, 64, 24));
                            v55 = ws_add(v55, ws_tanh(ws_cast(v75, WS_F16)));
                        } break;
                        }
                        ws_store_4d(t76, 1, h3, i4, j5, v68);
                    }
                    v30 = ws_add(v30, ws_cast(v55, WS_I32));
                    v28 = ws_add(v28, ws_min(ws_max(v56, -100), 100));
                    ws_store_3d(t78, h3, i4, j5, v58);
                }
                ws_tile v81 = ws_tanh(v7);
                for (long c83 = 0; c83 != (7 + 15) / 16; c83++) {
                    const long k82 = c83 * 16;
                    ws_tile v84 = ws_cast(ws_min(ws_sub(ws_zeros(WS_F32, 16, 24), ws_full(WS_F32, 16, 24, 7)), ws_select(ws_lt(ws_row_index(16, 24), h3), ws_full(WS_F32, 16, 24, 7), ws_zeros(WS_F32, 16, 24))), WS_F32);
                    ws_tensor t85 = ws_slice(t66, 0, (k82 >> 2), (k82 >> 2) + 26);
                    v11 = ws_add(v11, ws_min(ws_max(ws_cast(ws_col_max(ws_row_sum(v84)), WS_F16), -100), 100));
                }
                ws_store_col_2d(t86, (h3) * 3 + j5 / 24, i4, v46);
                v11 = ws_add(v11, ws_tanh(ws_cast(ws_row_max(v28), WS_F16)));
                v7 = ws_add(v7, ws_tanh(ws_cast(v30, WS_F32)));
                v9 = ws_add(v9, ws_tanh(ws_row_sum(v45)));
                ws_store_col_2d(t88, (h3) * 3 + j5 / 24, i4, v46);
                v8 = ws_add(v8, ws_tanh(ws_row_sum(v81)));
                ws_store_3d(t90, h3, i4, j5, v7);
                ws_store_col_2d(t91, (h3) * 3 + j5 / 24, i4, v8);
                ws_store_col_2d(t92, (h3) * 3 + j5 / 24, i4, v9);
                ws_store_3d(t94, (h3) * 3 + j5 / 24, i4, 5, v11);
                ws_store_3d(t97, h3, i4, j5, ws_add(ws_zeros(WS_F32, 64, 24), ws_at_float(t96, ((h3) * 1 + i4 / 64) * 3 + j5 / 24)));
            }
}

FUZZ_HOST void run_26002717(void)
{
    ws_f16 *p_t10 = fuzz_array(WS_F16, 340, 10, -1, 1);
    int *p_t16 = fuzz_array(WS_I32, 9, 16, 0, 2);
    int *p_t17 = fuzz_array(WS_I32, 9, 17, 0, 2);
    ws_f16 *p_t18 = fuzz_array(WS_F16, 5681, 18, -1, 1);
    ws_f16 *p_t24 = fuzz_array(WS_F16, 27000, 24, -1, 1);
    signed char *p_t25 = fuzz_array(WS_I8, 8, 25, 0, 64);
    float *p_t26 = fuzz_array(WS_F32, 72, 26, -1, 1);
    signed char *p_t29 = fuzz_array(WS_I8, 5184, 29, -20, 20);
    int *p_t31 = fuzz_array(WS_I32, 9, 31, 0, 111);
    float *p_t35 = fuzz_array(WS_F32, 9216, 35, -1, 1);
    signed char *p_t37 = fuzz_array(WS_I8, 93312, 37, -20, 20);
    signed char *p_t39 = fuzz_array(WS_I8, 2664, 39, -20, 20);
    float *p_t41 = fuzz_array(WS_F32, 7064, 41, 3, 3);
    float *p_t43 = fuzz_array(WS_F32, 6152, 43, -1, 1);
    float *p_t50 = fuzz_array(WS_F32, 269, 50, -1, 1);
    int *p_t53 = fuzz_array(WS_I32, 9, 53, 0, 2);
    float *p_t54 = fuzz_array(WS_F32, 5747, 54, -1, 1);
    ws_f16 *p_t57 = fuzz_array(WS_F16, 60, 57, -1, 1);
    float *p_t60 = fuzz_array(WS_F32, 9, 60, -1, 1);
    float *p_t62 = fuzz_array(WS_F32, 1, 62, -1, 1);
    signed char *p_t63 = fuzz_array(WS_I8, 198, 63, -20, 20);
    signed char *p_t66 = fuzz_array(WS_I8, 51, 66, -20, 20);
    ws_f16 *p_t69 = fuzz_array(WS_F16, 3744, 69, -1, 1);
    float *p_t70 = fuzz_array(WS_F32, 4608, 70, -1, 1);
    float *p_t71 = fuzz_array(WS_F32, 13165, 71, -1, 1);
    ws_bf16 *p_t73 = fuzz_array(WS_BF16, 1728, 73, -1, 1);
    float *p_t76 = fuzz_array(WS_F32, 9216, 76, -1, 1);
    ws_f16 *p_t78 = fuzz_array(WS_F16, 15347, 78, -1, 1);
    float *p_t86 = fuzz_array(WS_F32, 624, 86, -1, 1);
    float *p_t88 = fuzz_array(WS_F32, 576, 88, -1, 1);
    float *p_t90 = fuzz_array(WS_F32, 4650, 90, -1, 1);
    float *p_t91 = fuzz_array(WS_F32, 650, 91, -1, 1);
    float *p_t92 = fuzz_array(WS_F32, 127, 92, -1, 1);
    ws_f16 *p_t94 = fuzz_array(WS_F16, 448, 94, -1, 1);
    double *p_t96 = fuzz_array(WS_F64, 9, 96, -1, 1);
    float *p_t97 = fuzz_array(WS_F32, 1472, 97, -1, 1);
    kernel_26002717(16, 64, 64, p_t10, 10, p_t16, p_t17, p_t18, 36, p_t24, p_t25, p_t26, 72, p_t29, p_t31, p_t35, 2, p_t37, 6, p_t39, p_t41, 1, p_t43, 1, 48, p_t50, 9, 29, p_t53, p_t54, p_t57, p_t60, 3, p_t62, p_t63, 1, 3, p_t66, p_t69, p_t70, p_t71, p_t73, 24, p_t76, 1, p_t78, 3, 64, p_t86, 9, p_t88, 64, p_t90 + 6, p_t91, p_t92, 15, p_t94, 64, p_t96, p_t97, 23);
    fuzz_errors("26002717");
    fuzz_show("26002717", "t35", p_t35, WS_F32, 9216);
    fuzz_show("26002717", "t41", p_t41, WS_F32, 7064);
    fuzz_show("26002717", "t50", p_t50, WS_F32, 269);
    fuzz_show("26002717", "t71", p_t71, WS_F32, 13165);
    fuzz_show("26002717", "t76", p_t76, WS_F32, 9216);
    fuzz_show("26002717", "t78", p_t78, WS_F16, 15347);
    fuzz_show("26002717", "t86", p_t86, WS_F32, 624);
    fuzz_show("26002717", "t88", p_t88, WS_F32, 576);
    fuzz_show("26002717", "t90", p_t90, WS_F32, 4650);
    fuzz_show("26002717", "t91", p_t91, WS_F32, 650);
    fuzz_show("26002717", "t92", p_t92, WS_F32, 127);
    fuzz_show("26002717", "t94", p_t94, WS_F16, 448);
    fuzz_show("26002717", "t97", p_t97, WS_F32, 1472);
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
    if (wanted(argc, argv, 26002717))
        run_26002717();
    return 0;
}
