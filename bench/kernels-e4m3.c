/* SPDX-License-Identifier: MIT */
/* kernels-e4m3.c - products of e4m3 into bf16. */
#include "kernels.h"

PRODUCT(product_e4m3, WS_E4M3, WS_E4M3, WS_F32, WS_BF16, 0, 0, FINISH_NONE)
