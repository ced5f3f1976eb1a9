/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routing: the two best of E columns of a product by two argmaxes, their shares, and how often each column was
   taken. */
#include "test.h"

static void gate(int T, int D, int E, const ws_bf16 *X, const ws_bf16 *W, const float *bias, int *best, float *weight,
                 int *load)
{
    ws_tensor x = ws_tensor_2d(X, WS_BF16, T, D), w = ws_tensor_2d(W, WS_BF16, E, D), b = ws_tensor_1d(bias, WS_F32, E);
    ws_tensor id = ws_tensor_2d(best, WS_I32, 2, T), p = ws_tensor_2d(weight, WS_F32, 2, T),
              n = ws_tensor_2d(load, WS_I32, 1, E);
#pragma ws grid(1)
    for (int t = 0; t < T; t += 64) {
        ws_tile logits = ws_zeros(WS_F32, 64, 64);
#pragma ws pipeline(auto)
        for (int d = 0; d < D; d += 64)
            logits = ws_dot(ws_load(x, t, d, 64, 64), ws_trans(ws_load(w, 0, d, 64, 64)), logits);
        ws_tile column = ws_col_index(1, 64);
        ws_tile there = ws_lt(column, E);
        logits = ws_select(there, ws_add(logits, ws_load_row(b, 0, 64)), -INFINITY);
        ws_tile first = ws_row_argmax(logits), top = ws_row_max(logits);
        ws_tile rest = ws_select(ws_eq(column, first), -INFINITY, logits);
        ws_tile second = ws_row_argmax(rest), next = ws_row_max(rest);
        ws_tile ratio = ws_exp(ws_sub(next, top));
        ws_tile one = ws_div(1, ws_add(ratio, 1));
        ws_store_col_2d(id, 0, t, first);
        ws_store_col_2d(id, 1, t, second);
        ws_store_col_2d(p, 0, t, one);
        ws_store_col_2d(p, 1, t, ws_sub(1, one));
        ws_tile real = ws_lt(ws_add(ws_row_index(64, 1), t), T);
        ws_tile taken = ws_or(ws_eq(column, first), ws_eq(column, second));
        ws_tile counted = ws_select(ws_and(taken, real), ws_full(WS_I32, 64, 64, 1), ws_zeros(WS_I32, 64, 64));
        ws_atomic_add(n, 0, 0, ws_col_sum(counted));
    }
}
int main(int argc, char **argv)
{
    check_begin("best_two", argc, argv);
    int T = check_size(1, 150), D = 200, E = 40;
    ws_bf16 *X = check_random(WS_BF16, T * D), *W = check_random(WS_BF16, E * D);
    float *B = check_random(WS_F32, E);
    int *best = check_range(WS_I32, 2 * T, 0, 0), *load = check_range(WS_I32, E, 0, 0);
    float *weight = check_output(WS_F32, 2 * T);
    gate(T, D, E, check_place(X), check_place(W), check_place(B), check_place(best), check_place(weight),
         check_place(load));
    check_fetch();
    int *count = calloc((size_t)E, sizeof *count);
    for (int t = 0; t < T; t++) {
        double l[64], top = -INFINITY, next = -INFINITY;
        for (int e = 0; e < E; e++) {
            l[e] = B[e];
            for (int d = 0; d < D; d++)
                l[e] += (double)ws_bf16_to(X[t * D + d]) * ws_bf16_to(W[e * D + d]);
            if (l[e] > top)
                next = top, top = l[e];
            else if (l[e] > next)
                next = l[e];
        }
        int f = best[t], s = best[T + t];
        check_true(f != s && f >= 0 && f < E && s >= 0 && s < E && fabs(l[f] - top) < 1e-4 && fabs(l[s] - next) < 1e-4,
                   "a wrong expert");
        count[f]++, count[s]++;
        check_close(weight, t, 1 / (1 + exp(next - top)), 1e-4);
        check_close(weight, T + t, 1 - 1 / (1 + exp(next - top)), 1e-4);
    }
    for (int e = 0; e < E; e++)
        check_true(load[e] == count[e], "a wrong load");
    free(count);
    return check_end();
}
