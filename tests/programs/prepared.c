/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operands of products that are computed from what is loaded, and so by a role of their own: cast, scaled, by elements
   and by columns, for the right and for the left, with groups that divide the rows or take tiles in turn, and loads
   that others look at, too. */
#include "test.h"

#define KERNEL(name, grid, loop, type, element, rows, cols, step, term)                         \
    static void name(int M, int N, int K, const void *X, const void *W, const void *S, void *Z) \
    {                                                                                           \
        ws_tensor x = ws_tensor_2d(X, element, M, K), w = ws_tensor_2d(W, type, N, K);          \
        ws_tensor xt = ws_tensor_2d(X, element, K, M), wk = ws_tensor_2d(W, type, K, N);        \
        ws_tensor s = ws_tensor_2d(S, WS_F32, (K + step - 1) / step, N);                        \
        ws_tensor z = ws_tensor_2d(Z, WS_F32, M, N);                                            \
        (void)x, (void)w, (void)xt, (void)wk, (void)s;                                          \
        _Pragma(grid) for (int i = 0; i < M; i += rows) for (int j = 0; j < N; j += cols)       \
        {                                                                                       \
            enum { R = rows, C = cols, T = step };                                              \
            ws_tile acc = ws_zeros(WS_F32, R, C);                                               \
            _Pragma(loop) for (int k = 0; k < K; k += T) acc = term;                            \
            ws_store(z, i, j, acc);                                                             \
        }                                                                                       \
    }
#define LEFT        ws_load(x, i, k, R, T)
#define BYTES       ws_load(w, j, k, C, T)
#define HALVES      ws_cast(BYTES, WS_F16)
#define SCALED      ws_cast(ws_mul(ws_cast(BYTES, WS_F32), ws_load_col_2d(s, k / T, j, C)), WS_F16)
#define ACROSS      ws_cast(ws_load(wk, k, j, T, C), WS_F16)
#define LEFT_TURNED ws_trans(ws_neg(ws_load(xt, k, i, T, R)))
KERNEL(halves, "ws grid(2)", "ws pipeline(2)", WS_I8, WS_F16, 64, 64, 64, ws_dot(LEFT, ws_trans(HALVES), acc))
KERNEL(two_groups, "ws grid(2)", "ws pipeline(3, 2)", WS_I8, WS_F16, 128, 96, 32, ws_dot(LEFT, ws_trans(HALVES), acc))
KERNEL(open, "ws grid(2)", "ws pipeline(auto)", WS_I8, WS_F16, 128, 128, 64, ws_dot(LEFT, ws_trans(HALVES), acc))
KERNEL(tiles, "ws grid(2) consumers(2, tiles)", "ws pipeline(2, 2)", WS_I8, WS_F16, 64, 64, 64,
       ws_dot(LEFT, ws_trans(HALVES), acc))
KERNEL(scaled, "ws grid(2)", "ws pipeline(2)", WS_I8, WS_F16, 64, 128, 64, ws_dot(LEFT, ws_trans(SCALED), acc))
KERNEL(across, "ws grid(2)", "ws pipeline(2)", WS_E4M3, WS_F16, 64, 64, 64, ws_dot(LEFT, ACROSS, acc))
KERNEL(left, "ws grid(2)", "ws pipeline(2)", WS_F16, WS_F16, 128, 64, 64,
       ws_dot(LEFT_TURNED, ws_load(wk, k, j, T, C), acc))
KERNEL(both, "ws grid(2)", "ws pipeline(2)", WS_E5M2, WS_F16, 64, 64, 32,
       ws_dot(LEFT_TURNED, ws_cast(ws_load(wk, k, j, T, C), WS_F16), acc))

/* What is prepared of a load, and a sum of its rows that the groups make of the same. */
static void looked_at(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_I8, N, K), z = ws_tensor_2d(Z, WS_F32, M, N);
    (void)S;
#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64), sums = ws_zeros(WS_F32, 64, 1);
#pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) {
                ws_tile b = ws_load(w, j, k, 64, 64);
                acc = ws_dot(ws_load(x, i, k, 64, 64), ws_trans(ws_cast(b, WS_F16)), acc);
                sums = ws_add(sums, ws_row_sum(ws_cast(b, WS_F32)));
            }
            ws_store(z, i, j, ws_add(acc, ws_trans(sums)));
        }
}

/* Two products of one iteration, one of them in an arm. */
static void in_arm(int M, int N, int K, const void *X, const void *W, const void *S, void *Z)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, M, K), w = ws_tensor_2d(W, WS_I8, N, K), z = ws_tensor_2d(Z, WS_F32, M, N);
    (void)S;
#pragma ws grid(2)
    for (int i = 0; i < M; i += 64)
        for (int j = 0; j < N; j += 64) {
            ws_tile acc = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(2)
            for (int k = 0; k < K; k += 64) {
                ws_tile a = ws_load(x, i, k, 64, 64), b = ws_trans(ws_cast(ws_load(w, j, k, 64, 64), WS_F16));
                if (k % 128)
                    acc = ws_dot(a, b, acc);
                else
                    acc = ws_dot(ws_neg(a), b, acc);
            }
            ws_store(z, i, j, acc);
        }
}

int main(int argc, char **argv)
{
    static const struct {
        ws_dtype type;
        void (*run)(int, int, int, const void *, const void *, const void *, void *);
        int left, right; /* 1: across K */
        double factor;
        int scaled, sums, arms;
    } cases[] = {{WS_I8, halves, 0, 0, 1, 0, 0, 0},    {WS_I8, two_groups, 0, 0, 1, 0, 0, 0},
                 {WS_I8, open, 0, 0, 1, 0, 0, 0},      {WS_I8, tiles, 0, 0, 1, 0, 0, 0},
                 {WS_I8, scaled, 0, 0, 1, 1, 0, 0},    {WS_E4M3, across, 0, 1, 1, 0, 0, 0},
                 {WS_F16, left, 1, 1, -1, 0, 0, 0},    {WS_E5M2, both, 1, 1, -1, 0, 0, 0},
                 {WS_I8, looked_at, 0, 0, 1, 0, 1, 0}, {WS_I8, in_arm, 0, 0, 1, 0, 0, 1}};
    check_begin("prepared", argc, argv);
    int M = 144, N = 176, K = 240;
    for (size_t t = 0; t < 2 * sizeof cases / sizeof *cases; t++) {
        size_t n = t / 2;
        int depth = t % 2 ? 0 : K; /* and loops that make no step */
        void *X = check_random(WS_F16, (size_t)M * K), *W = check_random(cases[n].type, (size_t)K * N);
        void *S = check_random(WS_F32, (size_t)4 * N), *Z = check_output(WS_F32, (size_t)M * N);
        for (long i = 0; i < 4 * N; i++)
            ((float *)S)[i] = i % 3 ? 0.5f : 2.0f;
        cases[n].run(M, N, depth, check_place(X), check_place(W), check_place(S), check_place(Z));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N; j++) {
                double sum = 0, magnitude = 0;
                for (long k = 0; k < depth; k++) {
                    double a = check_at(X, (size_t)(cases[n].left ? k * M + i : i * depth + k));
                    double b = check_at(W, (size_t)(cases[n].right ? k * N + j : j * depth + k));
                    double s = cases[n].scaled ? ((float *)S)[k / 64 * N + j] : 1;
                    double sign = cases[n].arms && k / 64 % 2 == 0 ? -1 : 1;
                    sum += sign * a * b * s + (cases[n].sums ? b : 0);
                    magnitude += fabs(a * b * s) + (cases[n].sums ? fabs(b) : 0);
                }
                check_close(Z, (size_t)(i * N + j), cases[n].factor * sum, check_dot_error(K, magnitude));
            }
        check_next();
    }
    return check_end();
}
