/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products in arms of ifs stay in flight from one iteration to the next: arms with one product, two, none, arms in
   arms, a block that is loaded before the branch or in it, another accumulator beside, P from 1 to D. */
#include "test.h"

enum { ROWS = 128, COLS = 64, STEP = 32, KINDS = 6 };

/* kind of a block of k: 0 nothing, 1 A B, 2 A D, 3 A B and A D, 4 A B, and A D in the upper rows, 5 the second
   accumulator */
#define SUM(name, D_, P_)                                                                                        \
    static void name(int M, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *D, const int *kind, float *C, \
                     float *E)                                                                                   \
    {                                                                                                            \
        ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, COLS),                       \
                  d = ws_tensor_2d(D, WS_F16, K, COLS), what = ws_tensor_1d(kind, WS_I32, K / STEP + 1),         \
                  c = ws_tensor_2d(C, WS_F32, M, COLS), e = ws_tensor_2d(E, WS_F32, M, COLS);                    \
        _Pragma("ws grid(1)") for (int i = 0; i < M; i += ROWS)                                                  \
        {                                                                                                        \
            ws_tile acc = ws_zeros(WS_F32, ROWS, COLS), other = ws_zeros(WS_F32, ROWS, COLS);                    \
            PRAGMA(ws pipeline(D_, P_)) for (int k = 0; k < K; k += STEP)                                        \
            {                                                                                                    \
                long now = ws_at(what, k / STEP);                                                                \
                ws_tile ta = ws_load(a, i, k, ROWS, STEP);                                                       \
                if (now == 1 || now == 4) {                                                                      \
                    acc = ws_dot(ta, ws_load(b, k, 0, STEP, COLS), acc);                                         \
                    if (now == 4 && i == 0)                                                                      \
                        acc = ws_dot(ta, ws_load(d, k, 0, STEP, COLS), acc);                                     \
                } else if (now == 2) {                                                                           \
                    acc = ws_dot(ta, ws_load(d, k, 0, STEP, COLS), acc);                                         \
                } else if (now == 3) {                                                                           \
                    acc = ws_dot(ta, ws_load(b, k, 0, STEP, COLS), acc);                                         \
                    acc = ws_dot(ta, ws_load(d, k, 0, STEP, COLS), acc);                                         \
                }                                                                                                \
                if (now == 5)                                                                                    \
                    other = ws_dot(ta, ws_load(b, k, 0, STEP, COLS), other);                                     \
            }                                                                                                    \
            ws_store(c, i, 0, acc);                                                                              \
            ws_store(e, i, 0, other);                                                                            \
        }                                                                                                        \
    }
#define PRAGMA(words) _Pragma(#words)
SUM(sum_1_1, 1, 1)
SUM(sum_3_2, 3, 2)
SUM(sum_4_4, 4, 4)

/* Beside a product that the iteration waits for: what is left out depends on nothing that it computes. */
static void scores(int M, int K, const ws_f16 *A, const ws_f16 *B, const ws_f16 *D, const int *kind, float *C, float *E)
{
    ws_tensor a = ws_tensor_2d(A, WS_F16, M, K), b = ws_tensor_2d(B, WS_F16, K, COLS),
              d = ws_tensor_2d(D, WS_F16, K, COLS), what = ws_tensor_1d(kind, WS_I32, K / STEP + 1),
              c = ws_tensor_2d(C, WS_F32, M, COLS), e = ws_tensor_1d(E, WS_F32, M);

#pragma ws grid(1)
    for (int i = 0; i < M; i += 64) {
        ws_tile acc = ws_zeros(WS_F32, 64, COLS), most = ws_full(WS_F32, 64, 1, 0);
#pragma ws pipeline(3, 2)
        for (int k = 0; k < K; k += STEP) {
            ws_tile ta = ws_load(a, i, k, 64, STEP);
            if (ws_at(what, k / STEP) > 1)
                acc = ws_dot(ta, ws_load(b, k, 0, STEP, COLS), acc);
            ws_tile s = ws_dot(ta, ws_load(d, k, 0, STEP, COLS), ws_zeros(WS_F32, 64, COLS));
            most = ws_max(most, ws_row_max(s));
        }
        ws_store(c, i, 0, acc);
        ws_store_col(e, i, most);
    }
}

static double part(const ws_f16 *A, const ws_f16 *B, int K, long i, long j, long block, double *magnitude)
{
    double m, sum = test_dot(rows_of(A, K), rows_of(B, COLS), i, j, block * STEP, block * STEP + STEP, &m);
    *magnitude += m;
    return sum;
}

int main(int argc, char **argv)
{
    void (*sums[])(int, int, const ws_f16 *, const ws_f16 *, const ws_f16 *, const int *, float *,
                   float *) = {sum_1_1, sum_3_2, sum_4_4, scores};
    static const int trips[] = {0, 1, 2, 3, 9};
    check_begin("product_in_arms", argc, argv);
    for (size_t s = 0; s < sizeof sums / sizeof *sums; s++)
        for (size_t t = 0; t < sizeof trips / sizeof *trips; t++) {
            int M = 2 * ROWS, K = STEP * trips[t];
            int last = sums[s] == scores;
            ws_f16 *A = check_random(WS_F16, (size_t)M * K), *B = check_random(WS_F16, (size_t)K * COLS);
            ws_f16 *D = check_random(WS_F16, (size_t)K * COLS);
            int *kind = check_range(WS_I32, (size_t)trips[t] + 1, 0, KINDS);
            float *C = check_output(WS_F32, (size_t)M * COLS), *E = check_output(WS_F32, (size_t)M * (last ? 1 : COLS));
            sums[s](M, K, check_place(A), check_place(B), check_place(D), check_place(kind), check_place(C),
                    check_place(E));
            check_fetch();
            for (long i = 0; i < M; i++) {
                double most = 0, most_magnitude = 0;
                for (long j = 0; j < COLS; j++) {
                    double sum = 0, other = 0, magnitude = 0, score = 0;
                    for (long k = 0; k < trips[t]; k++) {
                        int now = kind[k];
                        if (last ? now > 1 : now == 1 || now == 3 || now == 4)
                            sum += part(A, B, K, i, j, k, &magnitude);
                        if (!last && (now == 2 || now == 3 || (now == 4 && i < ROWS)))
                            sum += part(A, D, K, i, j, k, &magnitude);
                        if (!last && now == 5)
                            other += part(A, B, K, i, j, k, &magnitude);
                        if (last)
                            score = fmax(score, part(A, D, K, i, j, k, &most_magnitude));
                    }
                    most = fmax(most, score);
                    check_close(C, i * COLS + j, sum, check_dot_error(2 * K, magnitude));
                    if (!last)
                        check_close(E, i * COLS + j, other, check_dot_error(K, magnitude));
                }
                if (last)
                    check_close(E, i, most, check_dot_error(STEP, most_magnitude));
            }
            check_next();
        }
    return check_end();
}
