/* SPDX-License-Identifier: MIT */
/* kernels-types.c - products of other element types, orientations and results; and of groups. */
#include "kernels.h"

PRODUCT_ONE(product_tf32, product_whole_1x1, 128, 200, WS_F32, WS_F32, WS_F32, WS_F32, 0, 0, FINISH_NONE)
PRODUCT_ONE(product_i8, product_whole_1x1, 128, 192, WS_I8, WS_I8, WS_I32, WS_I32, 0, 0, FINISH_NONE)
PRODUCT_ONE(product_mixed, product_whole_1x1, 128, 200, WS_E4M3, WS_E5M2, WS_F32, WS_BF16, 0, 0, FINISH_NONE)
PRODUCT_ONE(product_e5m2, product_whole_1x1, 128, 200, WS_E5M2, WS_E5M2, WS_F32, WS_BF16, 0, 0, FINISH_NONE)
PRODUCT_ONE(product_e4m3_promoted, product_promoted, 128, 192, WS_E4M3, WS_E4M3, WS_F32, WS_BF16, 0, 0, FINISH_NONE)
PRODUCT_ONE(product_f16_f32, product_whole_1x1, 128, 200, WS_F16, WS_F16, WS_F32, WS_F32, 0, 0, FINISH_NONE)
/* A turned, B turned, both: the first letter says how A lies, as BLAS has it. */
PRODUCT_ONE(product_f16_tn, product_whole_1x1, 128, 192, WS_F16, WS_F16, WS_F32, WS_F16, 1, 0, FINISH_NONE)
PRODUCT_ONE(product_f16_nn, product_whole_1x1, 128, 192, WS_F16, WS_F16, WS_F32, WS_F16, 0, 1, FINISH_NONE)
PRODUCT_ONE(product_f16_tt, product_whole_1x1, 128, 192, WS_F16, WS_F16, WS_F32, WS_F16, 1, 1, FINISH_NONE)

void grouped_bf16(int groups, int rows, int tiles, int N, int K, const void *A, const void *B, void *C,
                  const int *first, int sms)
{
    const product_tile t = {128, 208, 64, WS_F32, WS_BF16, 0, 0, FINISH_NONE};
    product_job p = {.batch = groups, .M = rows, .N = N, .K = K};
    p.a = ws_tensor_2d(A, WS_BF16, rows, K);
    p.b = ws_tensor_3d(B, WS_BF16, groups, N, K);
    p.c = ws_tensor_2d(C, WS_BF16, rows, N);
    ws_tensor begin = ws_tensor_1d(first, WS_I32, groups + 1);
    product_grouped(p, t, begin, tiles, product_grouped_divided(tiles, N, 208, sms));
}
