/* SPDX-License-Identifier: MIT */
/*
 * ag_gemm - all-gather, then a product: Y[r] = X W[r]^T, where each of n devices has some rows of X and some of W.
 *
 * In each iteration the rows of the next device come while the product of the present one's runs: under `together` a
 * tile of a product begins when its rows are there.  Some multiprocessors bring them, and join the products then.  How
 * many, and how wide tiles are, goes by how often tiles go round, and by whether rows or products take longer.
 */
#include "check.h"

/* NAME for tiles of 128 x WIDTH; copies of ROWS rows go to multiprocessors as SHARE says. */
#define PRAGMA(text) _Pragma(#text)
#define GATHER_AND_MULTIPLY(NAME, WIDTH, SLOTS, ROWS, SHARE)                                                           \
static void NAME(int n, int M, int N, int K, const ws_bf16 *const X[], const ws_bf16 *const W[], ws_bf16 *const A[],   \
                 ws_bf16 *const Y[])                                                                                   \
{                                                                                                                      \
    int rows = M / n, cols = N / n;                                                                                    \
    PRAGMA(ws devices(n))                                                                                              \
    for (int r = 0; r < n; r++) {                                                                                      \
        PRAGMA(ws together)                                                                                            \
        ws_tensor w = ws_tensor_2d(W[r], WS_BF16, cols, K);                                                            \
        for (int o = 0; o < n; o++) {                                                                                  \
            int next = (r + o + 1) % n, coming = o + 1 < n ? rows : 0;                                                 \
            ws_tensor there = ws_tensor_2d(X[next], WS_BF16, coming, K);                                               \
            ws_tensor here = ws_tensor_2d(A[r] + (size_t)next * rows * K, WS_BF16, coming, K);                         \
            PRAGMA(ws grid(2) SHARE)                                                                                   \
            for (int i = 0; i < coming; i += ROWS)                                                                     \
                for (int j = 0; j < K; j += 1024) {                                                                    \
                    int end = j + 1024 < K ? j + 1024 : K;                                                             \
                    PRAGMA(ws pipeline(6))                                                                             \
                    for (int k = j; k < end; k += 128)                                                                 \
                        ws_store(here, i, k, ws_load(there, i, k, ROWS, 128));                                         \
                }                                                                                                      \
            int from = (r + o) % n;                                                                                    \
            const ws_bf16 *part = o ? A[r] + (size_t)from * rows * K : X[r];                                           \
            ws_tensor x = ws_tensor_2d(part, WS_BF16, rows, K);                                                        \
            ws_tensor y = ws_tensor_2d(Y[r] + (size_t)from * rows * cols, WS_BF16, rows, cols);                        \
            PRAGMA(ws grid(2))                                                                                         \
            for (int i = 0; i < rows; i += 128)                                                                        \
                for (int j = 0; j < cols; j += WIDTH) {                                                                \
                    ws_tile acc = ws_zeros(WS_F32, 128, WIDTH);                                                        \
                    PRAGMA(ws pipeline(SLOTS, 1))                                                                      \
                    for (int k = 0; k < K; k += 64)                                                                    \
                        acc = ws_dot(ws_load(x, i, k, 128, 64), ws_trans(ws_load(w, j, k, WIDTH, 64)), acc);           \
                    ws_store(y, i, j, ws_cast(acc, WS_BF16));                                                          \
                }                                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
}
GATHER_AND_MULTIPLY(in_one_round, 128, 6, 128, share(8) consumers(4, rows))
GATHER_AND_MULTIPLY(in_rounds, 256, 4, 128, share(6) consumers(4, rows))
GATHER_AND_MULTIPLY(in_many_rounds, 256, 4, 64, share(8) consumers(2, tiles))
GATHER_AND_MULTIPLY(as_rows_come, 128, 6, 64, share(12) consumers(2, tiles))

/* Device r has M/n rows of X and N/n of W, and room for all of X at A[r], of which it fills the others' rows; Y[r]
   becomes M x N/n. */
void ag_gemm(int n, int M, int N, int K, const ws_bf16 *const X[], const ws_bf16 *const W[], ws_bf16 *const A[],
             ws_bf16 *const Y[])
{
    long rounds = (long)M * (N / n) / (128 * 256) / 128; /* of the multiprocessors */
    double copies = 2300.0 * (n - 1) / N;                /* their time to that of the products, over NVLink */
    if (copies > 0.7)
        (n > 2 ? as_rows_come : in_many_rounds)(n, M, N, K, X, W, A, Y);
    else
        (rounds <= 1 ? in_one_round : rounds <= 20 ? in_rounds : in_many_rounds)(n, M, N, K, X, W, A, Y);
}

int main(int argc, char **argv)
{
    enum { MOST = 8 };
    check_begin("ag_gemm", argc, argv);
    int n = check_size(1, 2), M = check_size(2, 72), N = check_size(3, 48), K = check_size(4, 168);
    ws_bf16 *X[MOST], *W[MOST], *A[MOST], *Y[MOST], *x[MOST], *w[MOST], *a[MOST], *y[MOST];
    n = n < 1 ? 1 : n < MOST ? n : MOST;
    M *= n, N *= n;
    for (int r = 0; r < n; r++) {
        X[r] = check_random(WS_BF16, (size_t)(M / n) * K);
        W[r] = check_random(WS_BF16, (size_t)(N / n) * K);
        A[r] = check_output(WS_BF16, (size_t)M * K);
        Y[r] = check_output(WS_BF16, (size_t)M * (N / n));
        x[r] = check_place_on(r, X[r]);
        w[r] = check_place_on(r, W[r]);
        a[r] = check_place_on(r, A[r]);
        y[r] = check_place_on(r, Y[r]);
    }

    ag_gemm(n, M, N, K, (const ws_bf16 *const *)x, (const ws_bf16 *const *)w, a, y);
    check_fetch();
    for (int r = 0; r < n; r++)
        for (long i = 0; i < M; i++)
            for (long j = 0; j < N / n; j++) {
                const ws_bf16 *row = X[i / (M / n)] + i % (M / n) * K;
                double sum = 0, magnitude = 0;
                for (long k = 0; k < K; k++) {
                    double product = (double)ws_bf16_to(row[k]) * ws_bf16_to(W[r][j * K + k]);
                    sum += product;
                    magnitude += fabs(product);
                }
                check_close(Y[r], i * (N / n) + j, sum, check_dot_error(K, magnitude));
            }
    return check_end();
}
