/* SPDX-License-Identifier: MIT */
/* kernels-f16.c - products of f16 into f16. */
#include "kernels.h"

PRODUCT(product_f16, WS_F16, WS_F16, WS_F32, WS_F16, 0, 0, FINISH_NONE)
