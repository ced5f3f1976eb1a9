/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ws_dot of doubles: operands as loaded and turned, computed ones, ragged edges, depths of 4 to 48, one group and
   several. */
#include "test.h"

#define ROWS(t, at, n, step)   ws_load(t, at, k, n, step) /* rows of the operand, k along columns */
#define COLS(t, at, n, step)   ws_load(t, k, at, step, n) /* k along rows */
#define TURNED(t, at, n, step) ws_trans(ROWS(t, at, n, step))
#define BACK(t, at, n, step)   ws_trans(COLS(t, at, n, step))
#define THIRD(x)               ws_div(x, 3)
/* R x C tiles; `clause` of the grid; `pipeline` above the loop or nothing; x and y use k. */
#define CASE(name, R, Q, step, clause, pipeline, x, y)                                   \
    static void name(int N, const double *X, const double *Y, double *C)                 \
    {                                                                                    \
        ws_tensor a = ws_tensor_2d(X, WS_F64, N, N), b = ws_tensor_2d(Y, WS_F64, N, N),  \
                  c = ws_tensor_2d(C, WS_F64, N, N);                                     \
        _Pragma(clause) for (int i = 0; i < N; i += R) for (int j = 0; j < N; j += Q)    \
        {                                                                                \
            ws_tile acc = ws_zeros(WS_F64, R, Q);                                        \
            _Pragma(pipeline) for (int k = 0; k < N; k += step) acc = ws_dot(x, y, acc); \
            ws_store(c, i, j, acc);                                                      \
        }                                                                                \
    }
CASE(plain, 64, 64, 16, "ws grid(2)", "ws pipeline(3)", ROWS(a, i, 64, 16), COLS(b, j, 64, 16))
CASE(left, 64, 32, 32, "ws grid(2)", "ws pipeline(3)", BACK(a, i, 64, 32), COLS(b, j, 32, 32))
CASE(right, 128, 24, 16, "ws grid(2) consumers(2, rows)", "ws pipeline(4)", ROWS(a, i, 128, 16), TURNED(b, j, 24, 16))
CASE(both, 128, 128, 16, "ws grid(2)", "ws pipeline(auto)", BACK(a, i, 128, 16), TURNED(b, j, 128, 16))
CASE(tall, 128, 40, 48, "ws grid(2) consumers(1)", "ws pipeline(2)", ROWS(a, i, 128, 48), COLS(b, j, 40, 48))
CASE(shallow, 64, 72, 4, "ws grid(2)", "ws pipeline(2)", ROWS(a, i, 64, 4), TURNED(b, j, 72, 4))
CASE(odd, 64, 8, 12, "ws grid(2)", "ws pipeline(2)", BACK(a, i, 64, 12), COLS(b, j, 8, 12))
CASE(in_turn, 64, 16, 16, "ws grid(2) consumers(2, tiles)", "ws pipeline(3)", ROWS(a, i, 64, 16), TURNED(b, j, 16, 16))
CASE(computed, 64, 32, 16, "ws grid(2)", "ws pipeline(2)", THIRD(ROWS(a, i, 64, 16)), THIRD(COLS(b, j, 32, 16)))
CASE(turned, 64, 32, 16, "ws grid(2)", "ws pipeline(2)", ws_trans(THIRD(COLS(a, i, 64, 16))),
     ws_trans(THIRD(ROWS(b, j, 32, 16))))
CASE(unpipelined, 64, 32, 16, "ws grid(2)", "GCC unroll 1", ROWS(a, i, 64, 16), TURNED(b, j, 32, 16))

int main(int argc, char **argv)
{
    static const struct {
        void (*run)(int, const double *, const double *, double *);
        int left, right;
        double divisor;
    } cases[] = {{plain, 0, 0, 1},    {left, 1, 0, 1},    {right, 0, 1, 1},      {both, 1, 1, 1},
                 {tall, 0, 0, 1},     {shallow, 0, 1, 1}, {odd, 1, 0, 1},        {in_turn, 0, 1, 1},
                 {computed, 0, 0, 9}, {turned, 1, 1, 9},  {unpipelined, 0, 1, 1}};
    check_begin("dot_f64", argc, argv);
    int N = 138;
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        double *X = check_random(WS_F64, (size_t)N * N), *Y = check_random(WS_F64, (size_t)N * N),
               *C = check_output(WS_F64, (size_t)N * N);
        for (long i = 0; i < (long)N * N; i++) { /* all bits */
            X[i] /= 3;
            Y[i] /= 7;
        }
        cases[s].run(N, check_place(X), check_place(Y), check_place(C));
        check_fetch();
        for (long i = 0; i < N; i++)
            for (long j = 0; j < N; j++) {
                long double sum = 0, magnitude = 0;
                for (long k = 0; k < N; k++) {
                    long double x = cases[s].left ? X[k * N + i] : X[i * N + k],
                                y = cases[s].right ? Y[j * N + k] : Y[k * N + j];
                    sum += x * y / cases[s].divisor;
                    magnitude += fabsl(x * y) / cases[s].divisor;
                }
                check_close(C, i * N + j, (double)sum, (double)(4 * sqrtl(N) * 0x1p-53L * magnitude));
            }
        check_next();
    }
    return check_end();
}
