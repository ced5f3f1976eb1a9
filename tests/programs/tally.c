/* SPDX-License-Identifier: MIT */
/* Numbers that are compared with all there are, and summed up: they are counted where they belong. */
#include "test.h"

enum { COUNTS = 40 };

/* Bytes, in a loop of few at a time; 255 and others are beyond the counts. */
static void histogram(int rows, const unsigned char *X, int *counts)
{
    ws_tensor x = ws_tensor_2d(X, WS_U8, rows, 160), c = ws_tensor_2d(counts, WS_I32, 1, COUNTS);

#pragma ws grid(1)
    for (int i = 0; i < rows; i++) {
        ws_tile sum = ws_zeros(WS_I32, 1, COUNTS);
        for (int j = 0; j < 160; j += 16) {
            ws_tile part = ws_cast(ws_trans(ws_load(x, i, j, 1, 16)), WS_I32);
            ws_tile one = ws_select(ws_eq(part, ws_col_index(1, COUNTS)), ws_full(WS_I32, 16, COUNTS, 1), 0);
            sum = ws_add(sum, ws_col_sum(one));
        }
        ws_atomic_add(c, 0, 0, sum);
    }
}

/* Of each tile of numbers, some below 0, a row of counts; rows beyond the end are counted as 0. */
static void bins(int n, const int *X, int *Y)
{
    ws_tensor x = ws_tensor_1d(X, WS_I32, n), y = ws_tensor_2d(Y, WS_I32, (n + 63) / 64, COUNTS);

#pragma ws grid(1)
    for (int i = 0; i < n; i += 64) {
        ws_tile here = ws_eq(ws_col_index(1, COUNTS), ws_load_col(x, i, 64));
        ws_store(y, i / 64, 0, ws_col_sum(ws_select(here, ws_full(WS_I32, 64, COUNTS, 1), 0)));
    }
}

/* What is summed is no 1: nothing is counted. */
static void weighed(const int *X, int *Y)
{
    ws_tensor x = ws_tensor_1d(X, WS_I32, 64), y = ws_tensor_2d(Y, WS_I32, 1, COUNTS);

#pragma ws grid(1)
    for (int i = 0; i < 1; i++) {
        ws_tile here = ws_eq(ws_load_col(x, 0, 64), ws_col_index(1, COUNTS));
        ws_store(y, i, 0, ws_col_sum(ws_select(here, ws_full(WS_I32, 64, COUNTS, 3), 0)));
    }
}

int main(int argc, char **argv)
{
    check_begin("tally", argc, argv);
    const int rows = check_size(1, 7), n = check_size(2, 150), tiles = (n + 63) / 64;
    unsigned char *X = check_random(WS_U8, (size_t)rows * 160);
    int *counts = check_output(WS_I32, COUNTS), *U = check_random(WS_I32, n < 64 ? 64 : n);
    int *V = check_output(WS_I32, (size_t)tiles * COUNTS), *W = check_output(WS_I32, COUNTS);
    for (int i = 0; i < rows * 160; i++)
        X[i] %= COUNTS + 10;
    for (int i = 0; i < (n < 64 ? 64 : n); i++)
        U[i] = i * 7 % (COUNTS + 10) - 5;
    memset(counts, 0, COUNTS * sizeof *counts);
    histogram(rows, check_place(X), check_place(counts));
    bins(n, check_place(U), check_place(V));
    weighed(check_place(U), check_place(W));
    check_fetch();
    for (int c = 0; c < COUNTS; c++) {
        int bytes = 0, first = 0;
        for (int i = 0; i < rows * 160; i++)
            bytes += X[i] == c;
        for (int i = 0; i < 64; i++)
            first += U[i] == c;
        check_close(counts, c, bytes, 0);
        check_close(W, c, 3 * first, 0);
        for (int t = 0; t < tiles; t++) {
            int here = 0;
            for (int i = 64 * t; i < 64 * t + 64; i++)
                here += (i < n ? U[i] : 0) == c;
            check_close(V, (size_t)t * COUNTS + c, here, 0);
        }
    }
    return check_end();
}
