/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles of unsigned char and of short: loads through rings and direct, casts that saturate or wrap, arithmetic,
   comparisons, reductions, transposition, and numbers of memory. */
#include "test.h"

/* A picture times a row of weights, and its rows' sums; what is brighter than a threshold is 255. */
static void picture(int M, int N, const unsigned char *X, const short *W, unsigned char *Y, int *sums,
                    unsigned char *mask)
{
    ws_tensor x = ws_tensor_2d(X, WS_U8, M, N), w = ws_tensor_1d(W, WS_I16, N), y = ws_tensor_2d(Y, WS_U8, M, N);
    ws_tensor s = ws_tensor_1d(sums, WS_I32, M), m = ws_tensor_2d(mask, WS_U8, M, N);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        ws_tile sum = ws_zeros(WS_I32, 32, 1);
#pragma ws pipeline(3)
        for (int j = 0; j < N; j += 64) {
            ws_tile t = ws_load(x, i, j, 32, 64), wide = ws_cast(t, WS_I32);
            sum = ws_add(sum, ws_row_sum(wide));
            ws_store(y, i, j, ws_cast(ws_mul(ws_cast(t, WS_F32), ws_cast(ws_load_row(w, j, 64), WS_F32)), WS_U8));
            ws_store(m, i, j, ws_select(ws_gt(t, 127), ws_full(WS_U8, 32, 64, 255), t));
        }
        ws_store_col(s, i, sum);
    }
}

/* Everything that wraps; rows that lists of numbers name. */
static void shorts(int M, int N, const short *X, const unsigned char *rows, const short *cols, short *Y, short *T,
                   short *sums, short *largest)
{
    ws_tensor x = ws_tensor_2d(X, WS_I16, M, N), y = ws_tensor_2d(Y, WS_I16, M, N), t = ws_tensor_2d(T, WS_I16, N, M);
    ws_tensor r = ws_tensor_1d(rows, WS_U8, M), c = ws_tensor_1d(cols, WS_I16, N);
    ws_tensor s = ws_tensor_1d(sums, WS_I16, M), l = ws_tensor_2d(largest, WS_I16, (M + 31) / 32, N);

#pragma ws grid(2)
    for (int i = 0; i < M; i += 32)
        for (int j = 0; j < N; j += 64) {
            ws_tile v = ws_load(x, i, j, 32, 64);
            long first = ws_at(r, i) + ws_at(c, j);
            ws_store(y, i, j, ws_add(ws_mul(ws_abs(v), v), first));
            ws_store(t, j, i, ws_trans(ws_sub(ws_neg(v), 30000)));
            ws_store_row_2d(l, i / 32, j, ws_col_max(ws_max(v, ws_div(v, 3))));
        }
#pragma ws grid(1)
    for (int i = 0; i < M; i += 32) {
        ws_tile sum = ws_zeros(WS_I16, 32, 1);
#pragma ws pipeline(2)
        for (int j = 0; j < N; j += 32)
            sum = ws_add(sum, ws_row_sum(ws_load(x, i, j, 32, 32)));
        ws_store_col(s, i, sum);
    }
}

static short wrapped(long x)
{
    return (short)(unsigned short)(unsigned long)x;
}

int main(int argc, char **argv)
{
    check_begin("small_integers", argc, argv);
    enum { M = 75, N = 144, BANDS = (M + 31) / 32 };
    unsigned char *X = check_range(WS_U8, M * N, 0, 256), *Y = check_range(WS_U8, M * N, 7, 7);
    unsigned char *mask = check_range(WS_U8, M * N, 7, 7), *rows = check_range(WS_U8, M, 0, 256);
    short *W = check_range(WS_I16, N, -3, 4), *V = check_range(WS_I16, M * N, -32768, 32767);
    short *cols = check_range(WS_I16, N, -300, 300), *Z = check_output(WS_I16, M * N), *T = check_output(WS_I16, M * N);
    short *part = check_output(WS_I16, M), *largest = check_output(WS_I16, BANDS * N);
    int *sums = check_output(WS_I32, M);

    picture(M, N, check_place(X), check_place(W), check_place(Y), check_place(sums), check_place(mask));
    shorts(M, N, check_place(V), check_place(rows), check_place(cols), check_place(Z), check_place(T),
           check_place(part), check_place(largest));
    check_fetch();
    for (long i = 0; i < M; i++) {
        long sum = 0, shorts_sum = 0;
        for (long j = 0; j < N; j++) {
            long x = X[i * N + j], v = V[i * N + j], scaled = x * W[j], first = rows[i / 32 * 32] + cols[j / 64 * 64];
            sum += x;
            shorts_sum += v;
            check_equal(Y, (size_t)(i * N + j), (double)(scaled < 0 ? 0 : scaled > 255 ? 255 : scaled));
            check_equal(mask, (size_t)(i * N + j), (double)(x > 127 ? 255 : x));
            check_equal(Z, (size_t)(i * N + j), wrapped(wrapped(wrapped(labs(v)) * v) + first));
            check_equal(T, (size_t)(j * M + i), wrapped(wrapped(-v) - 30000));
        }
        check_equal(sums, (size_t)i, (double)sum);
        check_equal(part, (size_t)i, wrapped(shorts_sum));
    }
    for (long b = 0; b < BANDS; b++)
        for (long j = 0; j < N; j++) {
            long most = b * 32 + 32 > M ? 0 : -40000; /* rows that are not there are 0 */
            for (long i = b * 32; i < M && i < b * 32 + 32; i++) {
                long v = V[i * N + j], third = v / 3;
                most = v > most ? v : most;
                most = third > most ? third : most;
            }
            check_equal(largest, (size_t)(b * N + j), (double)most);
        }
    return check_end();
}
