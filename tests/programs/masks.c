/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masks from index tiles: a triangle, a band, a checkerboard, the valid part of a ragged tile; broadcast masks and
   values. */
#include "test.h"

static void kernel(int M, int N, int width, const float *X, float *out)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), o = ws_tensor_3d(out, WS_F32, 5, M, N);

    #pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 32) {
            ws_tile t = ws_load(x, i, j, 32, 32);
            ws_tile row = ws_add(ws_row_index(32, 1), i), col = ws_add(ws_col_index(1, 32), j);
            ws_tile below = ws_ge(row, col), band = ws_le(ws_abs(ws_sub(row, col)), width);
            ws_store_3d(o, 0, i, j, ws_select(below, t, 0));
            ws_store_3d(o, 1, i, j, ws_select(ws_and(band, ws_not(below)), t, -1));
            ws_store_3d(o, 2, i, j, ws_select(ws_or(ws_lt(row, 5), ws_gt(col, 60)), 1, 2));
            ws_store_3d(o, 3, i, j, ws_select(ws_eq(row, col), ws_row_sum(t), ws_col_sum(t)));
            ws_store_3d(o, 4, i, j, ws_select(ws_or(ws_and(below, band), ws_not(band)), t, ws_full(WS_F32, 1, 1, 9)));
        }
}

int main(int argc, char **argv)
{
    check_begin("masks", argc, argv);
    int M = 70, N = 80, width = 3;
    float *X = check_random(WS_F32, (size_t)M * N), *out = check_output(WS_F32, (size_t)5 * M * N);

    kernel(M, N, width, check_place(X), check_place(out));
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double x = X[i * N + j], rows = 0, cols = 0;
            for (long c = j / 32 * 32; c < j / 32 * 32 + 32 && c < N; c++)
                rows += X[i * N + c];
            for (long r = i / 32 * 32; r < i / 32 * 32 + 32 && r < M; r++)
                cols += X[r * N + j];
            int below = i >= j, band = labs(i - j) <= width;
            check_equal(out, i * N + j, below ? x : 0);
            check_equal(out, (M + i) * N + j, band && !below ? x : -1);
            check_equal(out, (2 * M + i) * N + j, i < 5 || j > 60 ? 1 : 2);
            check_close(out, (3 * M + i) * N + j, i == j ? rows : cols, 1e-5);
            check_equal(out, (4 * M + i) * N + j, (below && band) || !band ? x : 9);
        }
    return check_end();
}
