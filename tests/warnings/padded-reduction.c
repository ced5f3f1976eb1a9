/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reductions that see the zeros of a ragged edge, and their like that do not: a sum, a fill, a mask, a whole tile. */
#include <ws.h>

void f(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, 8, M), fixed = ws_tensor_2d(X, WS_F32, 64, 32);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile t = ws_load(x, i, 0, 64, 32), inside = ws_lt(ws_col_index(1, 32), N);
        ws_store_col_2d(y, 0, i, ws_row_max(t));                   /* wrong */
        ws_store_col_2d(y, 1, i, ws_row_min(ws_sub(t, 1)));        /* wrong */
        ws_store_col_2d(y, 2, i, ws_row_sum(t));                   /* zeros add nothing */
        ws_store_col_2d(y, 3, i, ws_row_sum(ws_exp(t)));           /* wrong: they become ones */
        ws_store_col_2d(y, 4, i, ws_row_max(ws_select(inside, t, -1e30)));
        ws_store_col_2d(y, 5, i, ws_row_max(ws_load_or(x, i, 0, 64, 32, -1e30)));
        ws_store_col_2d(y, 6, i, ws_row_max(ws_load(fixed, 0, 0, 64, 32)));
    }
}
