/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops: a product, and a sum that leaves the grid. */
void linear(int M, int N, int K, const float *x, const float *w, float *y)
{
    #pragma ws grid(2) tile(64, 32)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            #pragma ws pipeline(2) tile(32) reduction(+: s)
            for (int k = 0; k < K; k++)
                s += x[i * K + k] * w[j * K + k];
            y[i * N + j] = s;
        }
}
float sum(int n, int m, const float *x)
{
    float total = 0;
    #pragma ws grid(1) tile(64) reduction(+: total)
    for (int i = 0; i < n; i++) {
        #pragma ws pipeline(3) tile(32) reduction(+: total)
        for (int j = 0; j < m; j++)
            total += x[i * m + j];
    }
    return total;
}
