/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reduction and running sum, of a tile that a ragged edge fills, and argmax with ties; sums that a loop adds up,
   of wide tiles and of columns, and sums of narrow numbers, which are rounded once. */
#include "test.h"

static void rows(int M, int N, const float *X, float *out, int *where)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), o = ws_tensor_2d(out, WS_F32, 3, M),
              w = ws_tensor_1d(where, WS_I32, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        ws_tile t = ws_load(x, i, 0, 32, 64), outside = ws_ge(ws_col_index(1, 64), N);
        ws_store_col_2d(o, 0, i, ws_row_sum(t));
        ws_store_col_2d(o, 1, i, ws_row_max(ws_select(outside, -INFINITY, t)));
        ws_store_col_2d(o, 2, i, ws_row_min(ws_load_or(x, i, 0, 32, 64, INFINITY)));
        ws_store_col(w, i, ws_row_argmax(ws_load_or(x, i, 0, 32, 64, -1e9)));
    }
}

static void columns(int M, int N, const float *X, float *out)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), o = ws_tensor_2d(out, WS_F32, 3, N);

    #pragma ws grid(1)
    for (int j = 0; j < N; j += 32) {
        ws_store_row_2d(o, 0, j, ws_col_sum(ws_load(x, 0, j, 64, 32)));
        ws_store_row_2d(o, 1, j, ws_col_max(ws_load_or(x, 0, j, 64, 32, -INFINITY)));
        ws_store_row_2d(o, 2, j, ws_col_min(ws_load_or(x, 0, j, 64, 32, INFINITY)));
    }
}

static void running(int M, int N, const float *X, float *along_rows, float *along_columns)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N);
    ws_tensor r = ws_tensor_2d(along_rows, WS_F32, M, N), c = ws_tensor_2d(along_columns, WS_F32, M, N);

    #pragma ws grid(1)
    for (int once = 0; once < 1; once++) {
        ws_tile t = ws_load(x, 0, 0, 64, 64);
        ws_store(r, 0, 0, ws_row_cumsum(t));
        ws_store(c, 0, 0, ws_col_cumsum(t));
    }
}

static void added(int M, int N, const float *X, const ws_f16 *H, float *out, ws_f16 *once)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), h = ws_tensor_2d(H, WS_F16, M, N);
    ws_tensor o = ws_tensor_2d(out, WS_F32, 2, M), w = ws_tensor_1d(once, WS_F16, M);

    #pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile wide = ws_zeros(WS_F32, 64, 1), thin = wide;
        for (int k = 0; k < N; k += 16)
            wide = ws_add(wide, ws_row_sum(ws_load(x, i, k, 64, 16)));
        for (int k = 0; k < N; k++)
            thin = ws_add(thin, ws_row_sum(ws_load(x, i, k, 64, 1)));
        ws_store_col_2d(o, 0, i, wide);
        ws_store_col_2d(o, 1, i, thin);
        ws_store_col(w, i, ws_row_sum(ws_load(h, i, 0, 64, 64)));
    }
}

int main(int argc, char **argv)
{
    check_begin("reductions", argc, argv);
    int M = 50, N = 60;
    float *X = check_random(WS_F32, (size_t)M * N), *by_row = check_output(WS_F32, 3 * M),
          *by_col = check_output(WS_F32, 3 * N);
    float *along_rows = check_output(WS_F32, (size_t)M * N), *along_columns = check_output(WS_F32, (size_t)M * N);
    int *where = check_output(WS_I32, M);
    ws_f16 *H = check_random(WS_F16, (size_t)M * N), *once = check_output(WS_F16, M);
    float *by_loop = check_output(WS_F32, 2 * M);
    X[5] = X[17] = X[40] = 2; /* ties: the first counts */

    rows(M, N, check_place(X), check_place(by_row), check_place(where));
    columns(M, N, check_place(X), check_place(by_col));
    running(M, N, check_place(X), check_place(along_rows), check_place(along_columns));
    added(M, N, check_place(X), check_place(H), check_place(by_loop), check_place(once));
    check_fetch();
    for (long i = 0; i < M; i++) {
        double sum = 0, most = -INFINITY, least = INFINITY, narrow = 0;
        long at = 0;
        for (long j = 0; j < N; j++) {
            check_close(along_rows, i * N + j, sum += X[i * N + j], 1e-5);
            narrow += check_at(H, i * N + j);
            at = X[i * N + j] > most ? j : at;
            most = fmax(most, X[i * N + j]), least = fmin(least, X[i * N + j]);
        }
        check_close(by_row, i, sum, 1e-5), check_equal(by_row, M + i, most), check_equal(by_row, 2 * M + i, least);
        check_equal(where, i, at);
        check_close(by_loop, i, sum, 1e-5), check_close(by_loop, M + i, sum, 1e-5);
        check_close(once, i, narrow, fabs(narrow) * 0x1p-11 + 1e-5);
    }
    for (long j = 0; j < N; j++) {
        double sum = 0, most = -INFINITY, least = INFINITY;
        for (long i = 0; i < M; i++) {
            check_close(along_columns, i * N + j, sum += X[i * N + j], 1e-5);
            most = fmax(most, X[i * N + j]), least = fmin(least, X[i * N + j]);
        }
        check_close(by_col, j, sum, 1e-5), check_equal(by_col, N + j, most), check_equal(by_col, 2 * N + j, least);
    }
    return check_end();
}
