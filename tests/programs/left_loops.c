/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that are left: within their bodies, by `return` in a helper, by a test below. */
#include "test.h"
static int first_at(ws_tensor e, int n, int bar)
{
    for (int k = 0; k < n; k++) {
        if (ws_at(e, k) > bar)
            return k;
    }
    return n;
}
static void f(int n, int m, const int *E, const float *X, float *Y)
{
    ws_tensor e = ws_tensor_1d(E, WS_I32, n), x = ws_tensor_2d(X, WS_F32, n, 32), y = ws_tensor_2d(Y, WS_F32, m, 32);
#pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        ws_tile acc = ws_zeros(WS_F32, 1, 32);
        int at = first_at(e, n, i), steps = 0;
        for (int k = 0;; k++) {
            acc = ws_add(acc, ws_load(x, k, 0, 1, 32));
            if (k >= at || steps > 7)
                break;
            steps += 2;
            if (ws_at(e, k) == 3)
                continue;
            acc = ws_mul(acc, 0.5f);
        }
        int r = at;
        do {
            acc = ws_add(acc, (float)r);
            r /= 2;
            if (r == 5)
                break;
        } while (r > 0);
        ws_store(y, i, 0, ws_add(acc, (float)(steps + r)));
    }
}
int main(int argc, char **argv)
{
    check_begin("left_loops", argc, argv);
    enum { N = 40, M = 30 };
    int *E = check_range(WS_I32, N, 0, 40);
    float *X = check_random(WS_F32, N * 32), *Y = check_output(WS_F32, M * 32);
    f(N, M, check_place(E), check_place(X), check_place(Y));
    check_fetch();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < 32; j++) {
            int at = 0;
            while (at < N && E[at] <= i)
                at++;
            float acc = 0;
            int steps = 0;
            for (int k = 0;; k++) {
                acc += k < N ? X[k * 32 + j] : 0;
                if (k >= at || steps > 7)
                    break;
                steps += 2;
                if (E[k] == 3)
                    continue;
                acc *= 0.5f;
            }
            int r = at;
            do {
                acc += r;
                r /= 2;
                if (r == 5)
                    break;
            } while (r > 0);
            check_close(Y, i * 32 + j, acc + steps + r, 1e-4);
        }
    return check_end();
}
