/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid of plain loops: as the walk hands it over, and as tiles. */
#include <stddef.h>

void linear_relu(int M, int N, int K, const float *x, const float *w, const float *bias, float *y)
{
    #pragma ws grid(2) tile(128, 64)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = bias ? bias[j] : 0;
            #pragma ws pipeline(auto) tile(32) reduction(+: s)
            for (int k = 0; k < K; k++)
                s += x[i * K + k] * w[j * K + k];
            y[i * N + j] = s > 0 ? s : 0;
        }
}

void smooth(int n, int m, double A[n][m], double B[n][m])
{
    #pragma ws grid(2) tile(32, 64)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j <= m - 2; j++)
            B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
}

float distance(int n, const float *x, const float *y)
{
    float total = 0;
    #pragma ws grid(1) tile(256) reduction(+: total)
    for (int i = 0; i < n; i++)
        total += (x[i] - y[i]) * (x[i] - y[i]);
    return total;
}
