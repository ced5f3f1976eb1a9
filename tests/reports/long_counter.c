/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tile-ai/tilelang#1310: a loop counter beyond the range of int */
#include "report.h"
void mark(uint64_t a, int n, int *t)
{
#pragma ws grid(1)
    for (uint64_t i = a; i < a + 3; i++)
        t[i - a] = (int)(i % 1000) + n;
}
void markl(long a, long n, const long *x, long *t)
{
#pragma ws grid(1)
    for (long i = a; i < a + n; i++)
        t[i - a] = x[i - a] + i;
}
void marku(unsigned a, unsigned n, const unsigned *x, unsigned *t)
{
#pragma ws grid(1)
    for (unsigned i = a; i < a + n; i++)
        t[i - a] = x[i - a] * i;
}
void inner(long a, int n, const double *x, double *t)
{
#pragma ws grid(1)
    for (int j = 0; j < n; j++) {
        double s = 0;
        for (long k = a; k < a + 10; k++)
            s += x[(k - a) * n + j] * (double)k;
        t[j] = s;
    }
}
int main(void)
{
    int t[8] = {0};
    mark(5, 1, t);
    SHOW("small", t, 12);
    mark(5000000000UL, 1, t);
    SHOW("5e9", t, 12);
    mark(UINT64_MAX - 100, 1, t);
    SHOW("near top", t, 12);
    mark(1UL << 63, 1, t);
    SHOW("2^63", t, 12);
    long x[64], y[64];
    for (int i = 0; i < 64; i++)
        x[i] = h_int(-99, 99);
    markl(3000000000L, 64, x, y);
    SHOW("l", y, sizeof y);
    markl(-3000000000L, 64, x, y);
    SHOW("l-", y, sizeof y);
    unsigned ux[64], uy[64];
    for (int i = 0; i < 64; i++)
        ux[i] = h_rand();
    marku(3000000000u, 64, ux, uy);
    SHOW("u", uy, sizeof uy);
    marku(2147483647u, 64, ux, uy);
    SHOW("u edge", uy, sizeof uy);
    double d[100], e[10];
    for (int i = 0; i < 100; i++)
        d[i] = h_int(-9, 9);
    inner(3000000000L, 10, d, e);
    SHOW("inner", e, sizeof e);
}
