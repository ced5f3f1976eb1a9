/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reductions that see the zeros of a ragged edge, and their like that do not: a sum, a fill, a mask, a whole tile. */
#include <ws.h>

void f(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, 8, M),
              fixed = ws_tensor_2d(X, WS_F32, 64, 32);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile t = ws_load(x, i, 0, 64, 32), inside = ws_lt(ws_col_index(1, 32), N);
        ws_store_col_2d(y, 0, i, ws_row_max(t));            /* wrong */
        ws_store_col_2d(y, 1, i, ws_row_min(ws_sub(t, 1))); /* wrong */
        ws_store_col_2d(y, 2, i, ws_row_sum(t));            /* zeros add nothing */
        ws_store_col_2d(y, 3, i, ws_row_sum(ws_exp(t)));    /* wrong: they become ones */
        ws_store_col_2d(y, 4, i, ws_row_max(ws_select(inside, t, -1e30)));
        ws_store_col_2d(y, 5, i, ws_row_max(ws_load_or(x, i, 0, 64, 32, -1e30)));
        ws_store_col_2d(y, 6, i, ws_row_max(ws_load(fixed, 0, 0, 64, 32)));
    }
}

/* Only a mask of the tile's own column numbers says which elements there are; what another one chooses is computed. */
void masks(int M, int N, const float *X, const float *U, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), u = ws_tensor_2d(U, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, 16, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile t = ws_load(x, i, 0, 64, 32), v = ws_load(u, i, 0, 64, 32), inside = ws_lt(ws_col_index(1, 32), N);
        ws_tile rows = ws_lt(ws_row_index(64, 1), M), zero = ws_eq(t, 0), one = ws_full(WS_F32, 64, 32, 1);
        ws_store_col_2d(y, 0, i, ws_row_sum(ws_select(zero, one, 0))); /* wrong: it counts them */
        ws_store_col_2d(y, 1, i, ws_row_sum(ws_select(ws_and(inside, zero), one, 0)));
        ws_store_col_2d(y, 2, i, ws_row_sum(ws_select(ws_gt(t, 0), t, 0)));   /* zeros add nothing */
        ws_store_col_2d(y, 3, i, ws_row_sum(ws_select(ws_gt(t, 0), t, one))); /* wrong: ones */
        ws_store_col_2d(y, 4, i, ws_row_max(ws_select(zero, ws_full(WS_F32, 64, 32, -1e30), t)));
        ws_store_col_2d(y, 5, i, ws_row_max(ws_select(ws_gt(t, 0), t, 0))); /* wrong */
        ws_store_col_2d(y, 6, i, ws_row_max(ws_select(rows, t, -1e30)));    /* wrong: of rows */
        ws_store_col_2d(y, 7, i, ws_row_sum(ws_add(t, v)));                 /* zero and zero */
        ws_store_col_2d(y, 8, i, ws_row_sum(ws_exp(ws_select(inside, t, -1e30))));
        ws_store_col_2d(y, 9, i, ws_row_max(ws_abs(ws_sub(t, v)))); /* magnitudes */
        ws_store_col_2d(y, 10, i, ws_row_sum(ws_select(ws_gt(v, 0), ws_exp(t), 0)));
    }
}

#define INFINITY __builtin_inff()

/* What a mask leaves out is far below all numbers, and stays so whatever is subtracted and multiplied. */
void far_below(int M, int N, float scale, const float *X, const unsigned char *K, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), k = ws_tensor_2d(K, WS_U8, M, N), y = ws_tensor_2d(Y, WS_F32, 16, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile t = ws_load_or(x, i, 0, 64, 32, -INFINITY), seen = ws_ne(ws_load(k, i, 0, 64, 32), 0);
        ws_tile s = ws_select(seen, t, -INFINITY), low = ws_select(seen, t, -1e30), top = ws_row_max(s);
        ws_store_col_2d(y, 0, i, ws_row_sum(ws_exp(ws_sub(s, top))));
        ws_store_col_2d(y, 1, i, ws_row_sum(ws_exp2(ws_mul(ws_sub(low, top), scale))));
        ws_store_col_2d(y, 2, i, ws_row_sum(ws_exp2(ws_fma(low, scale, top))));
        ws_store_col_2d(y, 3, i, ws_row_sum(ws_exp(ws_sub(top, low)))); /* wrong: far above */
        ws_store_col_2d(y, 4, i, ws_row_max(ws_sub(top, low)));         /* wrong */
        ws_store_col_2d(y, 5, i, ws_row_min(ws_sub(top, low)));
    }
}
