/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own, fuzzed: three ways to read one array */
#include "report.h"
void f(int M, int N, const double *a, double *o)
{
#pragma ws grid(2)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            o[i * N + j] = a[i * N + j / 2] + a[j * M + i] + a[(M - 1 - i) * N + j];
}
int main(void)
{
    double a[900], o[200];
    for (int i = 0; i < 200; i++)
        a[i] = h_int(-9, 9);
    f(10, 20, a, o);
    SHOW("o", o, sizeof o);
}
