/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options: -Wno-ws-single-element */
/* Tiles of unusual shapes: single elements, prime extents, one row, one column, more than 256 rows, rows of a few
   bytes. */
#include "test.h"

#define COPY(name, type, rows, cols, loop)                                                                   \
    static void name(int M, int N, const void *X, void *Y)                                                   \
    {                                                                                                        \
        ws_tensor x = ws_tensor_2d(X, type, M, N), y = ws_tensor_2d(Y, type, M, N);                          \
        _Pragma("ws grid(1)") for (int i = 0; i < M; i += rows)                                              \
        {                                                                                                    \
            _Pragma(loop) for (int j = 0; j < N; j += cols) ws_store(y, i, j, ws_load(x, i, j, rows, cols)); \
        }                                                                                                    \
    }
/* Rows of less than 16 bytes are not worth a producer: those loops have no pragma of ours. */
COPY(one, WS_F32, 1, 1, "GCC unroll 1")
COPY(prime, WS_F32, 7, 13, "ws pipeline(3)")
COPY(row, WS_F16, 1, 200, "ws pipeline(2)")
COPY(column, WS_F64, 77, 1, "GCC unroll 1")
COPY(tall, WS_F16, 520, 8, "ws pipeline(2)")
COPY(taller, WS_F16, 260, 8, "ws pipeline(2)")
COPY(bytes, WS_E4M3, 24, 3, "GCC unroll 1")
COPY(narrow, WS_BF16, 64, 4, "GCC unroll 1")
COPY(wide, WS_I8, 8, 320, "ws pipeline(2)")
COPY(half, WS_I32, 33, 40, "ws pipeline(2)")

/* Reductions and broadcasts at such shapes. */
static void centre(int M, int N, const float *X, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N);
    #pragma ws grid(2)
    for (int i = 0; i < M; i += 11)
        for (int j = 0; j < N; j += 5) {
            ws_tile t = ws_load(x, i, j, 11, 5);
            ws_tile sum = ws_col_sum(ws_row_sum(t));
            ws_store(y, i, j, ws_sub(ws_add(ws_trans(ws_trans(t)), ws_row_max(t)), ws_add(sum, ws_col_min(t))));
        }
}

int main(int argc, char **argv)
{
    static const struct {
        void (*copy)(int, int, const void *, void *);
        ws_dtype type;
        int M, N;
    } cases[] = {{one, WS_F32, 5, 7},      {prime, WS_F32, 50, 60},   {row, WS_F16, 9, 300},
                 {column, WS_F64, 100, 6}, {tall, WS_F16, 600, 24},   {taller, WS_F16, 300, 24},
                 {bytes, WS_E4M3, 50, 48}, {narrow, WS_BF16, 70, 10}, {wide, WS_I8, 20, 656},
                 {half, WS_I32, 70, 90}};
    check_begin("odd_shapes", argc, argv);
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        size_t count = (size_t)cases[s].M * cases[s].N;
        void *X = check_random(cases[s].type, count), *Y = check_output(cases[s].type, count);
        cases[s].copy(cases[s].M, cases[s].N, check_place(X), check_place(Y));
        check_fetch();
        for (size_t i = 0; i < count; i++)
            check_equal(Y, i, check_at(X, i));
        check_next();
    }
    int M = 22, N = 20;
    float *X = check_random(WS_F32, (size_t)M * N), *Y = check_output(WS_F32, (size_t)M * N);
    centre(M, N, check_place(X), check_place(Y));
    check_fetch();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, most = -9, least = 9;
            for (int r = i / 11 * 11; r < i / 11 * 11 + 11; r++) {
                least = fmin(least, X[r * N + j]);
                for (int c = j / 5 * 5; c < j / 5 * 5 + 5; c++)
                    sum += X[r * N + c];
            }
            for (int c = j / 5 * 5; c < j / 5 * 5 + 5; c++)
                most = fmax(most, X[i * N + c]);
            check_close(Y, i * N + j, X[i * N + j] + most - (sum + least), 1e-5);
        }
    return check_end();
}
