/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masks of two bounds of one side, which are compared as one: numbers and columns, open and closed, up to the ends of
   I32. */
#include "test.h"

enum { S = 64, OUTPUTS = 4 };

static void kernel(int M, int N, int end, int last, const float *X, float *out)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), o = ws_tensor_3d(out, WS_F32, OUTPUTS, M, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += S)
        for (int j = 0; j < N; j += S) {
            ws_tile t = ws_load(x, i, j, S, S), row = ws_row_index(S, 1), col = ws_col_index(1, S);
            ws_tile limit = ws_add(row, last);
            ws_store_3d(o, 0, i, j, ws_select(ws_and(ws_lt(col, end), ws_le(col, limit)), t, -1));
            ws_store_3d(o, 1, i, j, ws_select(ws_and(ws_le(col, limit), ws_lt(col, ws_sub(end, row))), t, -1));
            ws_store_3d(o, 2, i, j, ws_select(ws_and(ws_lt(row, end), ws_lt(row, last)), t, -1));
            ws_store_3d(o, 3, i, j, ws_select(ws_and(ws_lt(col, end), ws_ge(col, limit)), t, -1));
        }
}

int main(int argc, char **argv)
{
    check_begin("two_bounds", argc, argv);
    const int numbers[] = {-2147483647 - 1, -2147483647, -1, 0, 1, 20, 2147483647};
    int M = 96, N = 110;

    for (int k = 0; k < 7 * 7; k++) {
        int end = numbers[k / 7], last = numbers[k % 7];
        float *X = check_random(WS_F32, (size_t)M * N), *out = check_output(WS_F32, (size_t)OUTPUTS * M * N);
        kernel(M, N, end, last, check_place(X), check_place(out));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                int row = (int)(i % S), col = (int)(j % S), limit = (int)((unsigned)row + (unsigned)last);
                int holds[OUTPUTS] = {col < end && col <= limit,
                                      col <= limit && col < (int)((unsigned)end - (unsigned)row),
                                      row < end && row < last, col < end && col >= limit};
                for (long n = 0; n < OUTPUTS; n++)
                    check_equal(out, (n * M + i) * N + j, holds[n] ? X[i * N + j] : -1);
            }
        check_next();
    }
    return check_end();
}
