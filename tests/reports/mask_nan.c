/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dao-AILab/flash-attention#1745, #2374; vllm-project/vllm#936: what a condition leaves out holds NaN or infinity */
#include "report.h"
void f(int n, int m, const double *x, const double *y, double *a)
{
#pragma ws grid(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double s = 0;
#pragma ws pipeline(auto) reduction(+ : s)
            for (int k = 0; k <= i; k++)
                s += x[i * n + k] * y[k * m + j];
            a[i * m + j] = s;
        }
}
int main(void)
{
    enum { n = 4, m = 4 };
    double x[n * n], y[n * m], a[n * m];
    for (int i = 0; i < 16; i++)
        x[i] = 1, y[i] = i < 12 ? 1 : INFINITY;
    f(n, m, x, y, a);
    for (int i = 0; i < 16; i++)
        printf("%g ", a[i]);
    printf("\n");
}
