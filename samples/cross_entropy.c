/* SPDX-License-Identifier: MIT */
/*
 * cross_entropy - the loss of a language model's last layer: log (sum exp (x V^T)) - x V[target], no logits in memory.
 *
 * The vocabulary goes by in tiles. The logits of one stay in the registers that its product has left them in. The
 * largest so far and the sum of powers are carried on, as in attention. Rows alone would not fill a GPU: a block has a
 * share of the vocabulary, too, and what the shares have come to is joined behind.
 */
#include "check.h"

#define LOG2E 1.4426950408889634

enum { ROWS = 192, WORDS = 192, STEP = 64, SHARES = 3 };

/* X is n x d, V is words x d, T has n targets, L gets n losses; P is for 3 SHARES n numbers. */
void cross_entropy(int n, int words, int d, const ws_f16 *X, const ws_f16 *V, const int *T, float *P, float *L)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, n, d), v = ws_tensor_2d(V, WS_F16, words, d);
    ws_tensor t = ws_tensor_1d(T, WS_I32, n), p = ws_tensor_2d(P, WS_F32, 3 * SHARES, n);
    ws_tensor l = ws_tensor_1d(L, WS_F32, n);
    int share = (words + SHARES * WORDS - 1) / (SHARES * WORDS) * WORDS;

    #pragma ws grid(2)
    for (int s = 0; s < SHARES; s++)
        for (int i = 0; i < n; i += ROWS) {
            ws_tile target = ws_load_col(t, i, ROWS), hit = ws_zeros(WS_F32, ROWS, 1);
            ws_tile largest = ws_full(WS_F32, ROWS, 1, -1e30), sum = ws_zeros(WS_F32, ROWS, 1);
            for (int j = s * share; j < (s + 1) * share; j += WORDS) {
                ws_tile logits = ws_zeros(WS_F32, ROWS, WORDS);

                #pragma ws pipeline(4, 2)
                for (int k = 0; k < d; k += STEP)
                    logits = ws_dot(ws_load(x, i, k, ROWS, STEP), ws_trans(ws_load(v, j, k, WORDS, STEP)), logits);
                ws_tile word = ws_col_index(1, WORDS);
                logits = ws_select(ws_lt(word, words - j), logits, -INFINITY);
                hit = ws_add(hit, ws_row_sum(ws_select(ws_eq(word, ws_sub(target, j)), logits, 0)));
                ws_tile next = ws_max(largest, ws_row_max(logits));
                ws_tile powers = ws_row_sum(ws_exp2(ws_fma(logits, LOG2E, ws_mul(next, -LOG2E))));
                sum = ws_add(ws_mul(sum, ws_exp(ws_sub(largest, next))), powers);
                largest = next;
            }
            ws_store_col_2d(p, 3 * s, i, largest);
            ws_store_col_2d(p, 3 * s + 1, i, sum);
            ws_store_col_2d(p, 3 * s + 2, i, hit);
        }

    #pragma ws grid(1)
    for (int i = 0; i < n; i += ROWS) {
        ws_tile largest = ws_load_col_2d(p, 0, i, ROWS), sum = ws_load_col_2d(p, 1, i, ROWS);
        ws_tile hit = ws_load_col_2d(p, 2, i, ROWS);
        for (int s = 1; s < SHARES; s++) {
            ws_tile other = ws_load_col_2d(p, 3 * s, i, ROWS), next = ws_max(largest, other);
            ws_tile powers = ws_mul(ws_load_col_2d(p, 3 * s + 1, i, ROWS), ws_exp(ws_sub(other, next)));
            sum = ws_add(ws_mul(sum, ws_exp(ws_sub(largest, next))), powers);
            hit = ws_add(hit, ws_load_col_2d(p, 3 * s + 2, i, ROWS));
            largest = next;
        }
        ws_store_col(l, i, ws_sub(ws_add(ws_log(sum), largest), hit));
    }
}

int main(int argc, char **argv)
{
    check_begin("cross_entropy", argc, argv);
    int n = check_size(1, 200), words = check_size(2, 300), d = check_size(3, 160);
    ws_f16 *X = check_random(WS_F16, (size_t)n * d), *V = check_random(WS_F16, (size_t)words * d);
    int *T = check_random(WS_I32, (size_t)n);
    float *P = check_output(WS_F32, (size_t)n * 3 * SHARES), *L = check_output(WS_F32, (size_t)n);
    for (long i = 0; i < n; i++)
        T[i] = (int)(i * 37 % words);

    cross_entropy(n, words, d, check_place(X), check_place(V), check_place(T), check_place(P),
                  check_place(L));
    check_fetch();
    for (long i = 0; i < n; i++) {
        double sum = 0, hit = 0, largest = 0;
        for (int pass = 0; pass < 2; pass++)
            for (long j = 0; j < words; j++) {
                double logit = 0;
                for (long k = 0; k < d; k++)
                    logit += (double)ws_f16_to(X[i * d + k]) * ws_f16_to(V[j * d + k]);
                largest = !pass && logit > largest ? logit : largest;
                sum += pass ? exp(logit - largest) : 0;
                hit = j == T[i] ? logit : hit;
            }
        check_close(L, i, log(sum) + largest - hit, 1e-3 + 1e-5 * fabs(largest));
    }
    return check_end();
}
