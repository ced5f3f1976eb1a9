/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masks that hold away from an edge are selected by only near it: every comparison, sums that wrap, and, or, not. */
#include "test.h"

enum { S = 32, OUTPUTS = 8 };

static void kernel(int M, int N, int shift, long far, const float *X, float *out)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), o = ws_tensor_3d(out, WS_F32, OUTPUTS, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += S)
#pragma ws pipeline(2)
        for (int j = 0; j < N; j += S) {
            ws_tile t = ws_load(x, i, j, S, S);
            ws_tile row = ws_add(ws_row_index(S, 1), i), col = ws_add(ws_col_index(1, S), j);
            ws_tile lower = ws_ge(row, col), ragged = ws_lt(ws_col_index(1, S), N - j);
            ws_tile far_row = ws_add(row, shift), far_col = ws_add(col, far);
            ws_store_3d(o, 0, i, j, ws_select(lower, ws_mul(t, 2), -1));
            ws_store_3d(o, 1, i, j, ws_select(ws_and(lower, ragged), ws_mul(t, 3), -1));
            ws_store_3d(o, 2, i, j, ws_select(ws_or(ws_lt(row, 40), ws_gt(col, 50)), ws_mul(t, 4), -1));
            ws_store_3d(o, 3, i, j, ws_select(ws_not(ws_le(ws_sub(row, col), 5)), ws_mul(t, 5), -1));
            ws_store_3d(o, 4, i, j, ws_select(ws_lt(far_row, ws_add(col, shift)), ws_mul(t, 6), -1));
            ws_store_3d(o, 5, i, j, ws_select(ws_gt(far_row, 7), ws_mul(t, 7), -1));
            ws_store_3d(o, 6, i, j, ws_select(ws_le(ws_sub(-2, far_row), ws_neg(far_col)), ws_mul(t, 8), -1));
            ws_store_3d(o, 7, i, j, ws_select(ws_ge(ws_sub(-30, far_row), far_col), ws_mul(t, 9), -1));
        }
}

static void judge(int M, int N, int shift, long far, const float *X, const float *out)
{
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            int row = (int)(unsigned)(i + shift), moved = (int)(unsigned)(j + shift);
            int col = (int)(unsigned long)(j + far), back = (int)(0u - (unsigned)col);
            int holds[OUTPUTS] = {i >= j,
                                  i >= j,
                                  i < 40 || j > 50,
                                  i - j > 5,
                                  row<moved, row> 7,
                                  (int)(-2 - (unsigned)row) <= back,
                                  (int)(-30u - (unsigned)row) >= col};
            for (long k = 0; k < OUTPUTS; k++)
                check_equal(out, (k * M + i) * N + j, holds[k] ? X[i * N + j] * (float)(k + 2) : -1);
        }
}

int main(int argc, char **argv)
{
    check_begin("edges", argc, argv);
    const int shifts[] = {0, -60, 2147483600, -2147483600};
    const long fars[] = {0, 2147483610, -2147483660, 1l << 32};
    int M = 96, N = 110;

    for (int k = 0; k < 4; k++) {
        float *X = check_random(WS_F32, (size_t)M * N), *out = check_output(WS_F32, (size_t)OUTPUTS * M * N);
        kernel(M, N, shifts[k], fars[k], check_place(X), check_place(out));
        check_fetch();
        judge(M, N, shifts[k], fars[k], X, out);
        check_next();
    }
    return check_end();
}
