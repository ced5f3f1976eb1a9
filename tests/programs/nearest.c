/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For each point the nearest of many centres: a running row maximum with its index, carried over products that start
   anew, and values that are used before, in and after the loop. */
#include "test.h"

enum { DEPTH = 64 };

static void nearest(int N, int C, const ws_f16 *X, const ws_f16 *M, const float *norms, int *which, float *distance)
{
    ws_tensor x = ws_tensor_2d(X, WS_F16, N, DEPTH), m = ws_tensor_2d(M, WS_F16, C, DEPTH);
    ws_tensor n = ws_tensor_1d(norms, WS_F32, C);
    ws_tensor w = ws_tensor_1d(which, WS_I32, N), d = ws_tensor_1d(distance, WS_F32, N);

    #pragma ws grid(1)
    for (int i = 0; i < N; i += 128) {
        ws_tile points = ws_load(x, i, 0, 128, DEPTH);
        ws_tile best = ws_full(WS_F32, 128, 1, -INFINITY);
        ws_tile index = ws_zeros(WS_I32, 128, 1);
        #pragma ws pipeline(3)
        for (int c = 0; c < C; c += 128) {
            ws_tile centres = ws_load(m, c, 0, 128, DEPTH);
            ws_tile s = ws_dot(points, ws_trans(centres), ws_zeros(WS_F32, 128, 128));
            s = ws_sub(ws_mul(s, 2.0), ws_load_row(n, c, 128));
            s = ws_select(ws_lt(ws_add(ws_col_index(1, 128), c), C), s, -INFINITY);
            ws_tile top = ws_row_max(s);
            index = ws_select(ws_gt(top, best), ws_add(ws_row_argmax(s), c), index);
            best = ws_max(best, top);
        }
        ws_tile exact = ws_cast(points, WS_F32);
        ws_store_col(w, i, index);
        ws_store_col(d, i, ws_sub(ws_row_sum(ws_mul(exact, exact)), best));
    }
}

int main(int argc, char **argv)
{
    check_begin("nearest", argc, argv);
    int N = 300, C = 300;
    ws_f16 *X = check_random(WS_F16, (size_t)N * DEPTH), *M = check_random(WS_F16, (size_t)C * DEPTH);
    float *norms = check_output(WS_F32, C), *distance = check_output(WS_F32, N);
    int *which = check_output(WS_I32, N);
    for (int c = 0; c < C; c++) {
        norms[c] = 0;
        for (int k = 0; k < DEPTH; k++)
            norms[c] += ws_f16_to(M[c * DEPTH + k]) * ws_f16_to(M[c * DEPTH + k]);
    }

    nearest(N, C, check_place(X), check_place(M), check_place(norms), check_place(which), check_place(distance));
    check_fetch();
    for (int i = 0; i < N; i++) {
        double best = INFINITY, chosen = 0;
        for (int c = 0; c < C; c++) {
            double s = 0;
            for (int k = 0; k < DEPTH; k++)
                s += pow(check_at(X, i * DEPTH + k) - check_at(M, c * DEPTH + k), 2);
            best = fmin(best, s);
            chosen = c == which[i] ? s : chosen;
        }
        /* Two centres may be as near as rounding tells. */
        check_close(distance, i, best, 1e-4);
        if (chosen > best + 1e-4)
            check_equal(which, i, -1);
    }
    return check_end();
}
