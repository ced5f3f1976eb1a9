/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROCm/aiter#5401: the mask is an array; rows that it leaves out are NaN */
#include "report.h"
void f(int n, int m, int K, const unsigned char *ok, const float *x, const float *y, float *a)
{
#pragma ws grid(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
#pragma ws pipeline(auto) reduction(+ : s)
            for (int k = 0; k < K; k++) {
                if (!ok[k])
                    continue;
                s += x[k * n + i] * y[k * m + j];
            }
            a[i * m + j] = s;
        }
}
int main(void)
{
    enum { n = 5, m = 6, K = 40 };
    static float x[K * n], y[K * m], a[n * m];
    unsigned char ok[K];
    for (int k = 0; k < K; k++) {
        ok[k] = k % 7 != 3;
        for (int i = 0; i < n; i++)
            x[k * n + i] = ok[k] ? h_int(-9, 9) : NAN;
        for (int j = 0; j < m; j++)
            y[k * m + j] = ok[k] ? h_int(-9, 9) : NAN;
    }
    f(n, m, K, ok, x, y, a);
    SHOW("a", a, sizeof a);
}
