/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other file of twins.c. */
#include <ws.h>

void other_file(int N, float *X);

static void scale(int N, float *X)
{
    ws_tensor x = ws_tensor_1d(X, WS_F32, N);
    #pragma ws grid(1)
    for (int i = 0; i < N; i += 64)
        ws_store_row(x, i, ws_mul(ws_load_row(x, i, 64), 10.0f));
    #pragma ws grid(1)
    for (int i = 0; i < N; i += 64)
        ws_store_row(x, i, ws_sub(ws_load_row(x, i, 64), 4.0f));
}

void other_file(int N, float *X)
{
    scale(N, X);
}
