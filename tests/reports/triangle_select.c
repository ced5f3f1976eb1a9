/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own, fuzzed: rows from the end of an array, but for the diagonal of a triangle */
#include "report.h"

void rows(int n, int m, const float *a, const float *u, float *w)
{
#pragma ws grid(1) tile(64)
    for (int i = 1; i < n - 1; i++) {
        float s = 0;
#pragma ws pipeline(auto) tile(32) reduction(+: s)
        for (int j = 1; j < i + 1; j++)
            s += i != j ? a[(n - 1 - i) * m + j] : u[i - 1];
        w[i] = s;
    }
}

/* the half above the diagonal of rows that lie apart, both sides of which have one bound */
void above(int from, int n, int ld, int *v)
{
#pragma ws grid(2) tile(16, 32)
    for (int i = from; i < n; i++)
        for (int j = from; j < n; j++)
            if (i < j)
                v[i * ld + j] += 3 + i * 5 + j;
}

int main(void)
{
    static int v[50 * 70];
    above(0, 50, 70, v);
    above(7, 33, 70, v);
    above(9, 9, 70, v);
    SHOW("v", v, sizeof v);
    static float a[92 * 92], u[92], w[92];
    for (int i = 0; i < 92 * 92; i++)
        a[i] = h_int(-9, 9);
    for (int i = 0; i < 92; i++)
        u[i] = h_int(-9, 9);
    rows(74, 92, a, u, w);
    SHOW("w", w, sizeof w);
    rows(3, 92, a, u, w);
    SHOW("w", w, sizeof w);
}
