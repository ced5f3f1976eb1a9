/* SPDX-License-Identifier: MIT */
/* Several tasks multiply: each makes a part of a sum, or one makes scores of which the other makes sums, in one group
   or two, which the last of them stores. */
#include "test.h"

/* o = 2^(q k^T / 64) v, of N keys; 64 columns each. */
#define SCORES(name, keys, grid, first, second, clause)                                               \
    static void name(int M, int N, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, ws_f16 *O)      \
    {                                                                                                 \
        ws_tensor q = ws_tensor_2d(Q, WS_F16, M, 64), k = ws_tensor_2d(K, WS_F16, N, 64);             \
        ws_tensor v = ws_tensor_2d(V, WS_F16, N, 64), o = ws_tensor_2d(O, WS_F16, M, 64);             \
        _Pragma(grid) for (int i = 0; i < M; i += 128)                                                \
        {                                                                                             \
            ws_tile x = ws_load(q, i, 0, 128, 64), acc = ws_zeros(WS_F32, 128, 64);                   \
            _Pragma(clause) for (int j = 0; j < N; j += keys)                                         \
            {                                                                                         \
                ws_tile p, zero = ws_zeros(WS_F32, 128, keys);                                        \
                {                                                                                     \
                    _Pragma(first) ws_tile s = ws_dot(x, ws_trans(ws_load(k, j, 0, keys, 64)), zero); \
                    p = ws_cast(ws_exp2(ws_mul(s, 0.015625f)), WS_F16);                               \
                }                                                                                     \
                {                                                                                     \
                    _Pragma(second) acc = ws_dot(p, ws_load(v, j, 0, keys, 64), acc);                 \
                }                                                                                     \
            }                                                                                         \
            ws_store(o, i, 0, ws_cast(acc, WS_F16));                                                  \
        }                                                                                             \
    }
SCORES(ones, 64, "ws grid(1)", "ws task(score)", "ws task(sum) groups(1)", "ws pipeline(2)")
SCORES(twos, 64, "ws grid(1)", "ws task(score) groups(2)", "ws task(sum) groups(2)", "ws pipeline(2)")
SCORES(two_one, 64, "ws grid(1)", "ws task(score) groups(2)", "ws task(sum) groups(1)", "ws pipeline(3, 2)")
SCORES(one_two, 64, "ws grid(1)", "ws task(score) ring(p, 1)", "ws task(sum) groups(2)", "ws pipeline(2, 1)")
/* Scores take 144 registers of each thread, more than half of a block's share for each of four groups. */
SCORES(wide, 192, "ws grid(1)", "ws task(score)", "ws task(sum) groups(2)", "ws pipeline(2)")
SCORES(open, 64, "ws grid(1)", "ws task(score)", "ws task(sum)", "ws pipeline(auto)")

/* A third task makes the keys, so that the scores' role gets nothing in the loop that the producer brings. */
static void third(int M, int N, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, ws_f16 *O)
{
    ws_tensor q = ws_tensor_2d(Q, WS_F16, M, 64), k = ws_tensor_2d(K, WS_F16, N, 64);
    ws_tensor v = ws_tensor_2d(V, WS_F16, N, 64), o = ws_tensor_2d(O, WS_F16, M, 64);
#pragma ws grid(1)
    for (int i = 0; i < M; i += 128) {
        ws_tile x = ws_load(q, i, 0, 128, 64), acc = ws_zeros(WS_F32, 128, 64);
#pragma ws pipeline(2, 1)
        for (int j = 0; j < N; j += 64) {
            ws_tile y, p, zero = ws_zeros(WS_F32, 128, 64);
            {
#pragma ws task(keys) ring(y, 2)
                y = ws_mul(ws_load(k, j, 0, 64, 64), 0.015625f);
            }
            {
#pragma ws task(score) ring(p, 2)
                p = ws_cast(ws_exp2(ws_dot(x, ws_trans(y), zero)), WS_F16);
            }
            {
#pragma ws task(sum)
                acc = ws_dot(p, ws_load(v, j, 0, 64, 64), acc);
            }
        }
        ws_store(o, i, 0, ws_cast(acc, WS_F16));
    }
}

/* o = q k^T, of which one task has every second 64 of the columns; what they make is added at the end. */
#define HALVES(name, first, second)                                                              \
    static void name(int M, int N, const ws_f16 *Q, const ws_f16 *K, const ws_f16 *V, ws_f16 *O) \
    {                                                                                            \
        ws_tensor q = ws_tensor_2d(Q, WS_F16, M, N), k = ws_tensor_2d(K, WS_F16, 64, N);         \
        ws_tensor o = ws_tensor_2d(O, WS_F16, M, 64);                                            \
        (void)V;                                                                                 \
        _Pragma("ws grid(1)") for (int i = 0; i < M; i += 128)                                   \
        {                                                                                        \
            ws_tile one = ws_zeros(WS_F32, 128, 64), two = ws_zeros(WS_F32, 128, 64);            \
            _Pragma("ws pipeline(2)") for (int j = 0; j < N; j += 128)                           \
            {                                                                                    \
                ws_tile x = ws_load(q, i, j, 128, 64), y = ws_load(k, 0, j, 64, 64);             \
                ws_tile u = ws_load(q, i, j + 64, 128, 64), w = ws_load(k, 0, j + 64, 64, 64);   \
                {                                                                                \
                    _Pragma(first) one = ws_dot(x, ws_trans(y), one);                            \
                }                                                                                \
                {                                                                                \
                    _Pragma(second) two = ws_dot(u, ws_trans(w), two);                           \
                }                                                                                \
            }                                                                                    \
            ws_store(o, i, 0, ws_cast(ws_add(one, two), WS_F16));                                \
        }                                                                                        \
    }
HALVES(halves, "ws task(even) ring(one, 1)", "ws task(odd) groups(1)")

int main(int argc, char **argv)
{
    static const struct {
        void (*run)(int, int, const ws_f16 *, const ws_f16 *, const ws_f16 *, ws_f16 *);
        int scores;
    } cases[] = {
        {ones, 1}, {twos, 1}, {two_one, 1}, {one_two, 1}, {open, 1}, {wide, 1}, {third, 1}, {halves, 0},
    };
    check_begin("tasks_multiply", argc, argv);
    int M = 72;
    for (size_t n = 0; n < 2 * sizeof cases / sizeof *cases; n++) {
        int N = n % 2 ? 0 : 152; /* and loops that make no step */
        int scores = cases[n / 2].scores;
        size_t most = 216 * 64;
        ws_f16 *Q = check_random(WS_F16, (size_t)M * 216), *K = check_random(WS_F16, most);
        ws_f16 *V = check_random(WS_F16, most), *O = check_output(WS_F16, (size_t)M * 64);
        cases[n / 2].run(M, N, check_place(Q), check_place(K), check_place(V), check_place(O));
        check_fetch();
        for (long i = 0; i < M; i++)
            for (long c = 0; c < 64; c++) {
                double sum = 0, magnitude = 0, x;
                for (long j = 0; j < N; j++) {
                    double s = scores ? test_dot(rows_of(Q, 64), columns_of(K, 64), i, j, 0, 64, &x) : 0;
                    double one = scores ? exp2(s / 64) * ws_f16_to(V[j * 64 + c])
                                        : (double)ws_f16_to(Q[i * N + j]) * ws_f16_to(K[c * N + j]);
                    sum += one;
                    magnitude += fabs(one);
                }
                check_close(O, (size_t)(i * 64 + c), sum,
                            check_dot_error(N, magnitude) + magnitude / 1024 + fabs(sum) / 1024);
            }
        check_next();
    }
    return check_end();
}
