/* SPDX-License-Identifier: MIT */
/* kernels-finish.c - products with something after the loop. */
#include "kernels.h"

PRODUCT_ONE(product_bias_gelu, product, WS_F16, WS_F16, WS_F32, WS_F16, 0, 0, FINISH_BIAS_GELU, 128, 192)
PRODUCT_ONE(product_silu_residual, product, WS_F16, WS_F16, WS_F32, WS_F16, 0, 0, FINISH_SILU_RESIDUAL, 128, 192)
PRODUCT_ONE(product_scales, product, WS_E4M3, WS_E4M3, WS_F32, WS_BF16, 0, 0, FINISH_SCALES, 128, 192)
PRODUCT_ONE(product_quantize, product, WS_E4M3, WS_E4M3, WS_F32, WS_E4M3, 0, 0, FINISH_QUANTIZE, 128, 192)
