/* SPDX-License-Identifier: MIT */
/* kernels-softmax.c - rows that are read once and written once. */
#include <math.h>

#include "kernels.h"

void softmax(int M, int N, const void *X, void *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, N);
    ws_tensor y = ws_tensor_2d(Y, WS_F16, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 8) {
        ws_tile t = ws_cast(ws_load_or(x, i, 0, 8, 1024, -INFINITY), WS_F32);
        ws_tile e = ws_exp(ws_sub(t, ws_row_max(t)));
        ws_store(y, i, 0, ws_cast(ws_div(e, ws_row_sum(e)), WS_F16));
    }
}
