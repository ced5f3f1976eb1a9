/* SPDX-License-Identifier: MIT */
/* kernels-types.c - products of other element types, orientations and results; and of groups. */
#include "kernels.h"

PRODUCT_ONE(product_tf32, product, WS_F32, WS_F32, WS_F32, WS_F32, 0, 0, FINISH_NONE, 128, 200)
PRODUCT_ONE(product_i8, product, WS_I8, WS_I8, WS_I32, WS_I32, 0, 0, FINISH_NONE, 128, 192)
PRODUCT_ONE(product_mixed, product, WS_E4M3, WS_E5M2, WS_F32, WS_BF16, 0, 0, FINISH_NONE, 128, 200)
PRODUCT_ONE(product_e5m2, product, WS_E5M2, WS_E5M2, WS_F32, WS_BF16, 0, 0, FINISH_NONE, 128, 200)
PRODUCT_ONE(product_e4m3_promoted, product_promoted, WS_E4M3, WS_E4M3, WS_F32, WS_BF16, 0, 0, FINISH_NONE, 128, 192)
PRODUCT_ONE(product_f16_f32, product, WS_F16, WS_F16, WS_F32, WS_F32, 0, 0, FINISH_NONE, 128, 200)
/* A turned, B turned, both: the first letter says how A lies, as BLAS has it. */
PRODUCT_ONE(product_f16_tn, product, WS_F16, WS_F16, WS_F32, WS_F16, 1, 0, FINISH_NONE, 128, 192)
PRODUCT_ONE(product_f16_nn, product, WS_F16, WS_F16, WS_F32, WS_F16, 0, 1, FINISH_NONE, 128, 192)
PRODUCT_ONE(product_f16_tt, product, WS_F16, WS_F16, WS_F32, WS_F16, 1, 1, FINISH_NONE, 128, 192)

void grouped_bf16(int groups, int rows, int tiles, int N, int K, const void *A, const void *B, void *C, const int *first,
                  int sms)
{
    enum { BM = 128, BK = 64, COLS = 208 };
    ws_tensor a = ws_tensor_2d(A, WS_BF16, rows, K), b = ws_tensor_3d(B, WS_BF16, groups, N, K);
    ws_tensor c = ws_tensor_2d(C, WS_BF16, rows, N), begin = ws_tensor_1d(first, WS_I32, groups + 1);
    const product_division divided = product_grouped_divided(tiles, N, COLS, sms);
    product_grouped(a, b, c, begin, groups, tiles, N, K, divided, WS_F32, WS_BF16, BM, COLS, BK);
}
