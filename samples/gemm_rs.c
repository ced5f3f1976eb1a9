/* SPDX-License-Identifier: MIT */
/*
 * gemm_rs - a product, then reduce-scatter: Y = X W^T, where each of n devices has a part of K, and gets some rows of
 * Y.
 *
 * The first loop makes the parts of the others' rows.  In the second one each device makes the product of its own rows
 * and adds the others' parts to it as it ends, in one order: the same bits in every run, no atomics.
 *
 * All devices meet between the loops, and the next device's tile comes over NVLink while the product runs, since three
 * slots of operands leave room for all of it.
 */
#include "check.h"

/* Device r has M x K/n at X[r] and N x K/n at W[r]; P[r] is room for M x N, of which it fills what is for others; Y[r]
   becomes M/n x N. */
void gemm_rs(int n, int M, int N, int K, const ws_bf16 *const X[], const ws_bf16 *const W[], ws_bf16 *const P[],
             ws_bf16 *const Y[])
{
    int rows = M / n, part = K / n, there = n > 1 ? rows : 0; /* of the next device, if there is one */

    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor w = ws_tensor_2d(W[r], WS_BF16, N, part);

        for (int o = 1; o < n; o++) {
            int to = (r + o) % n;
            ws_tensor x = ws_tensor_2d(X[r] + (size_t)to * rows * part, WS_BF16, rows, part);
            ws_tensor p = ws_tensor_2d(P[r] + (size_t)to * rows * N, WS_BF16, rows, N);

            #pragma ws grid(2)
            for (int i = 0; i < rows; i += 128)
                for (int j = 0; j < N; j += 256) {
                    ws_tile acc = ws_zeros(WS_F32, 128, 256);
                    #pragma ws pipeline(4, 2)
                    for (int k = 0; k < part; k += 64)
                        acc = ws_dot(ws_load(x, i, k, 128, 64), ws_trans(ws_load(w, j, k, 256, 64)), acc);
                    ws_store(p, i, j, ws_cast(acc, WS_BF16));
                }
        }
    }

    #pragma ws devices(n)
    for (int r = 0; r < n; r++) {
        ws_tensor x = ws_tensor_2d(X[r] + (size_t)r * rows * part, WS_BF16, rows, part);
        ws_tensor w = ws_tensor_2d(W[r], WS_BF16, N, part), y = ws_tensor_2d(Y[r], WS_BF16, rows, N);
        ws_tensor next = ws_tensor_2d(P[(r + 1) % n] + (size_t)r * rows * N, WS_BF16, there, N);

        #pragma ws grid(2)
        for (int i = 0; i < rows; i += 128)
            for (int j = 0; j < N; j += 256) {
                ws_tile acc = ws_zeros(WS_F32, 128, 256);
                #pragma ws pipeline(3, 1)
                for (int k = 0; k < part; k += 64)
                    acc = ws_dot(ws_load(x, i, k, 128, 64), ws_trans(ws_load(w, j, k, 256, 64)), acc);
                acc = ws_add(acc, ws_cast(ws_load(next, i, j, 128, 256), WS_F32)); /* else zeros */
                for (int o = 2; o < n; o++) {
                    ws_tensor p = ws_tensor_3d(P[(r + o) % n], WS_BF16, n, rows, N);
                    acc = ws_add(acc, ws_cast(ws_load_3d(p, r, i, j, 128, 256), WS_F32));
                }
                ws_store(y, i, j, ws_cast(acc, WS_BF16));
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
            for (int r = 0; r < n; r++) {
                double part = 0;
                for (long k = 0; k < K / n; k++) {
                    double product =
                        (double)ws_bf16_to(X[r][i * (K / n) + k]) * ws_bf16_to(W[r][j * (K / n) + k]);
                    part += product;
                    magnitude += fabs(product);
                }
                sum += part;
                parts += fabs(part); /* each is rounded once */
            }
            check_close(Y[i / (M / n)], i % (M / n) * N + j, sum,
                        check_dot_error(K, magnitude) + check_roundoff(WS_BF16) * parts);
        }
    return check_end();
}
