/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operands of 8 bits that run across K: turned over on their way, for products with what comes along K, what does not,
   and what is computed. */
#include "test.h"

#define KERNEL(name, grid, type, result, rows, cols, step, start, term)                   \
    static void name(int M, int N, int K, const void *X, const void *Y, void *Z)          \
    {                                                                                     \
        ws_tensor a = ws_tensor_2d(X, type, M, K), at = ws_tensor_2d(X, type, K, M);      \
        ws_tensor b = ws_tensor_2d(Y, type, K, N), bt = ws_tensor_2d(Y, type, N, K);      \
        ws_tensor c = ws_tensor_2d(Z, result, M, N);                                      \
        (void)a, (void)at, (void)b, (void)bt;                                             \
        _Pragma(grid) for (int i = 0; i < M; i += rows) for (int j = 0; j < N; j += cols) \
        {                                                                                 \
            enum { R = rows, C = cols, S = step };                                        \
            ws_tile acc = ws_zeros(result, R, C);                                         \
            _Pragma("ws pipeline(2)") for (int k = start; k < K; k += S) acc = term;      \
            ws_store(c, i, j, acc);                                                       \
        }                                                                                 \
    }
#define NEGATIVE(x) ws_cast(ws_neg(ws_cast(x, WS_I32)), WS_I8)
#define ALONG_A     ws_load(a, i, k, R, S)
#define ACROSS_A    ws_trans(ws_load(at, k, i, S, R))
#define ALONG_B     ws_trans(ws_load(bt, j, k, C, S))
#define ACROSS_B    ws_load(b, k, j, S, C)
KERNEL(right, "ws grid(2)", WS_E4M3, WS_F32, 64, 80, 96, 0, ws_dot(ALONG_A, ACROSS_B, acc))
KERNEL(left, "ws grid(2)", WS_E5M2, WS_F32, 128, 64, 32, 0, ws_dot(ACROSS_A, ALONG_B, acc))
KERNEL(both, "ws grid(2)", WS_I8, WS_I32, 64, 128, 64, 0, ws_dot(ACROSS_A, ACROSS_B, acc))
KERNEL(tiles, "ws grid(2) consumers(2, tiles)", WS_E4M3, WS_F32, 64, 64, 64, 0, ws_dot(ALONG_A, ACROSS_B, acc))
KERNEL(computed, "ws grid(2)", WS_E4M3, WS_F32, 128, 160, 96, 0, ws_dot(ws_neg(ALONG_A), ACROSS_B, acc))
KERNEL(computed_e5m2, "ws grid(2)", WS_E5M2, WS_F32, 64, 256, 32, 0, ws_dot(ws_neg(ALONG_A), ACROSS_B, acc))
KERNEL(wide, "ws grid(2)", WS_I8, WS_I32, 128, 224, 32, 0,
       ws_dot(ALONG_A, ACROSS_B, acc)) /* too wide for four groups */
KERNEL(computed_i8, "ws grid(2)", WS_I8, WS_I32, 64, 64, 32, 0, ws_dot(NEGATIVE(ALONG_A), ACROSS_B, acc))

/* One tile for a product with registers and one with memory, which cancel. */
static void twice(int M, int N, int K, const void *X, const void *Y, void *Z)
{
    ws_tensor a = ws_tensor_2d(X, WS_E4M3, M, K), b = ws_tensor_2d(Y, WS_E4M3, K, N), c = ws_tensor_2d(Z, WS_F32, M, N);
#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64), other = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) {
                ws_tile x = ws_load(a, i, k, 64, 64), y = ws_load(b, k, j, 64, 64);
                acc = ws_dot(x, y, acc);
                other = ws_dot(ws_neg(x), y, other);
            }
            ws_store(c, i, j, ws_add(acc, other));
        }
}

/* The loop makes no step. */
KERNEL(none, "ws grid(2)", WS_E4M3, WS_F32, 64, 64, 64, K, ws_dot(ALONG_A, ACROSS_B, acc))

int main(int argc, char **argv)
{
    static const struct {
        ws_dtype type;
        void (*run)(int, int, int, const void *, const void *, void *);
        int left, right; /* 1: across K */
        double factor;
    } cases[] = {{WS_E4M3, right, 0, 1, 1},      {WS_E5M2, left, 1, 0, 1},      {WS_I8, both, 1, 1, 1},
                 {WS_E4M3, tiles, 0, 1, 1},      {WS_E4M3, computed, 0, 1, -1}, {WS_E5M2, computed_e5m2, 0, 1, -1},
                 {WS_I8, computed_i8, 0, 1, -1}, {WS_I8, wide, 0, 1, 1},        {WS_E4M3, twice, 0, 1, 0},
                 {WS_E4M3, none, 0, 1, 0}};
    check_begin("transposed_bytes", argc, argv);
    int M = 144, N = 176, K = 240;
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        void *X = check_random(cases[s].type, (size_t)M * K), *Y = check_random(cases[s].type, (size_t)K * N);
        void *Z = check_output(cases[s].type == WS_I8 ? WS_I32 : WS_F32, (size_t)M * N);
        cases[s].run(M, N, K, check_place(X), check_place(Y), check_place(Z));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double m, sum = test_dot(cases[s].left ? columns_of(X, M) : rows_of(X, K),
                                         cases[s].right ? rows_of(Y, N) : columns_of(Y, K), i, j, 0, K, &m);
                /* fp8 units of the GPU keep fewer bits of a sum */
                check_close(Z, i * N + j, cases[s].factor * sum,
                            cases[s].type == WS_I8 ? 0 : check_dot_error(K, m) + 0x1p-11 * m);
            }
        check_next();
    }
    return check_end();
}
