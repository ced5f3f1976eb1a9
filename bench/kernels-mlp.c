/* SPDX-License-Identifier: MIT */
/* kernels-mlp.c - the gated block of samples/, as it stands there. */
#define main mlp_fused_main
#include "../samples/mlp_fused.c"
