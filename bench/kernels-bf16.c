/* SPDX-License-Identifier: MIT */
/* kernels-bf16.c - products of bf16 into bf16. */
#include "kernels.h"

PRODUCT(product_bf16, WS_BF16, WS_BF16, WS_F32, WS_BF16, 0, 0, FINISH_NONE)
