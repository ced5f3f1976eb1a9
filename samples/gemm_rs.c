/* SPDX-License-Identifier: MIT */
/*
 * gemm_rs - a product, then reduce-scatter: Y = X W^T, where each of n devices has a part of K, and gets some rows of
 * Y.
 *
 * Sums go round a ring.  In each step a device makes its part of some rows and adds what the device before it has made
 * of them one step earlier; the device of the rows comes last.  So each tile of a product loads one tile of another
 * device, over links that no third device uses.  It comes while the product runs, since three slots of operands leave
 * room for all of it.  All devices meet between the steps.  Sums have one order: the same bits in every run.
 */
#include "check.h"

/* Device r has M x K/n at X[r] and N x K/n at W[r]; P[r] is room for M x N, of which it fills what is for others; Y[r]
   becomes M/n x N. */
void gemm_rs(int n, int M, int N, int K, const ws_bf16 *const X[], const ws_bf16 *const W[], ws_bf16 *const P[],
             ws_bf16 *const Y[])
{
    int rows = M / n, part = K / n;

    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        int chunk = (r + n - 1) % n;
        ws_tensor x = ws_tensor_2d(X[r] + (size_t)chunk * rows * part, WS_BF16, rows, part);
        ws_tensor w = ws_tensor_2d(W[r], WS_BF16, N, part);
        ws_tensor y = ws_tensor_2d(n > 1 ? P[r] + (size_t)chunk * rows * N : Y[r], WS_BF16, rows, N);

        #pragma ws grid(2)
        for (int i = 0; i < rows; i += 128)
            for (int j = 0; j < N; j += 256) {
                ws_tile acc = ws_zeros(WS_F32, 128, 256);
                #pragma ws pipeline(4, 2)
                for (int k = 0; k < part; k += 64)
                    acc = ws_dot(ws_load(x, i, k, 128, 64), ws_trans(ws_load(w, j, k, 256, 64)), acc);
                ws_store(y, i, j, ws_cast(acc, WS_BF16));
            }
    }

    for (int step = 1; step < n; step++) {
        #pragma ws devices(n)
        for (int r = 0; r < n; r++) {
            int chunk = (r + 2 * n - step - 1) % n, last = step == n - 1;
            ws_tensor x = ws_tensor_2d(X[r] + (size_t)chunk * rows * part, WS_BF16, rows, part);
            ws_tensor w = ws_tensor_2d(W[r], WS_BF16, N, part);
            ws_tensor before = ws_tensor_2d(P[(r + n - 1) % n] + (size_t)chunk * rows * N, WS_BF16, rows, N);
            ws_tensor y = ws_tensor_2d(last ? Y[r] : P[r] + (size_t)chunk * rows * N, WS_BF16, rows, N);

            #pragma ws grid(2)
            for (int i = 0; i < rows; i += 128)
                for (int j = 0; j < N; j += 256) {
                    ws_tile acc = ws_zeros(WS_F32, 128, 256);
                    #pragma ws pipeline(3, 1)
                    for (int k = 0; k < part; k += 64)
                        acc = ws_dot(ws_load(x, i, k, 128, 64), ws_trans(ws_load(w, j, k, 256, 64)), acc);
                    ws_store(y, i, j, ws_cast(ws_add(acc, ws_cast(ws_load(before, i, j, 128, 256), WS_F32)), WS_BF16));
                }
        }
    }
}

int main(int argc, char **argv)
{
    enum { MOST = 8 };
    check_begin("gemm_rs", argc, argv);
    int n = check_size(1, 2), M = check_size(2, 72), N = check_size(3, 120), K = check_size(4, 88);
    ws_bf16 *X[MOST], *W[MOST], *P[MOST], *Y[MOST], *x[MOST], *w[MOST], *p[MOST], *y[MOST];
    n = n < 1 ? 1 : n < MOST ? n : MOST;
    M *= n, K *= n;
    for (int r = 0; r < n; r++) {
        X[r] = check_random(WS_BF16, (size_t)M * (K / n));
        W[r] = check_random(WS_BF16, (size_t)N * (K / n));
        P[r] = check_output(WS_BF16, (size_t)M * N);
        Y[r] = check_output(WS_BF16, (size_t)(M / n) * N);
        x[r] = check_place_on(r, X[r]);
        w[r] = check_place_on(r, W[r]);
        p[r] = check_place_on(r, P[r]);
        y[r] = check_place_on(r, Y[r]);
    }

    gemm_rs(n, M, N, K, (const ws_bf16 *const *)x, (const ws_bf16 *const *)w, p, y);
    check_fetch();
    for (long i = 0; i < M; i++)
        for (long j = 0; j < N; j++) {
            double sum = 0, magnitude = 0, parts = 0;
            for (int step = 0; step < n; step++) {
                int r = (int)(i / (M / n) + 1 + step) % n; /* in the ring's order */
                double part = 0;
                for (long k = 0; k < K / n; k++) {
                    double product =
                        (double)ws_bf16_to(X[r][i * (K / n) + k]) * ws_bf16_to(W[r][j * (K / n) + k]);
                    part += product;
                    magnitude += fabs(product);
                }
                sum += part;
                parts += fabs(sum); /* each sum is rounded */
            }
            check_close(Y[i / (M / n)], i % (M / n) * N + j, sum,
                        check_dot_error(K, magnitude) + check_roundoff(WS_BF16) * parts);
        }
    return check_end();
}
