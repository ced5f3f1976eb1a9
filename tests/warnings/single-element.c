/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid of single elements, and one that makes a single element of tiles. */
#include <ws.h>

void f(int M, int N, const float *X, const float *S, float *Y)
{
    ws_tensor x = ws_tensor_2d(X, WS_F32, M, N), y = ws_tensor_2d(Y, WS_F32, M, N), s = ws_tensor_1d(S, WS_F32, 1);

#pragma ws grid(2)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) /* as a C loop has it */
            ws_store(y, i, j, ws_mul(ws_load(x, i, j, 1, 1), 2));
#pragma ws grid(1)
    for (int i = 0; i < M; i++)
        ws_store(y, i, 0, ws_col_sum(ws_row_sum(ws_load(x, i, 0, 16, 32))));
#pragma ws grid(1)
    for (int i = 0; i < M; i += 16)
        ws_store(y, i, 0, ws_mul(ws_load(x, i, 0, 16, 32), ws_load_row(s, 0, 1)));
}

/* Sums over a grid leave one number for a tile: of elements, and of the counter alone. */
double sums(int n, int m, const int *x, double *sum)
{
    long total = 0;
    int least = 0;

#pragma ws grid(2) reduction(+ : total) reduction(min : least)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            total += x[i * m + j];
            least = x[i * m + j] < least ? x[i * m + j] : least;
        }
#pragma ws grid(1) reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum[0] += 4.0 / (1.0 + (double)i * i);
    return (double)total + least;
}
