/* SPDX-License-Identifier: MIT */
/* kernels-finish.c - products with something after the loop. */
#include "kernels.h"

PRODUCT_ONE(product_bias_gelu, product_whole_1x1, 128, 192, WS_F16, WS_F16, WS_F32, WS_F16, 0, 0, FINISH_BIAS_GELU)
PRODUCT_ONE(product_silu_residual, product_whole_1x1, 128, 192, WS_F16, WS_F16, WS_F32, WS_F16, 0, 0,
            FINISH_SILU_RESIDUAL)
PRODUCT_ONE(product_scales, product_whole_1x1, 128, 192, WS_E4M3, WS_E4M3, WS_F32, WS_BF16, 0, 0, FINISH_SCALES)
PRODUCT_ONE(product_quantize, product_whole_1x1, 128, 192, WS_E4M3, WS_E4M3, WS_F32, WS_E4M3, 0, 0, FINISH_QUANTIZE)
