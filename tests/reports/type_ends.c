/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counters that end less than a tile before the end of their types */
#include "report.h"
#include <limits.h>
void sum_int(int n, int a, int b, int base, const int *x, long *o)
{
#pragma ws grid(1) tile(32)
    for (int i = 0; i < n; i++) {
        long s = i;
#pragma ws pipeline(auto) reduction(+ : s)
        for (int k = a; k < b; k++)
            s += x[(long)k - base];
        o[i] = s;
    }
}
void sum_down(int n, long a, unsigned b, int base, const int *x, long *o)
{
#pragma ws grid(1) tile(32)
    for (int i = 0; i < n; i++) {
        long s = i;
#pragma ws pipeline(auto) reduction(+ : s)
        for (int k = a; k > b; k--)
            s += x[(long)k - (long)base];
        o[i] = s;
    }
}
void sum_long(int n, long a, long b, long base, const int *x, long *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = i;
#pragma ws pipeline(auto) tile(16) reduction(+ : s)
        for (long k = a; k > b; k--)
            s += x[k - base];
        o[i] = s;
    }
}
void sum_unsigned(int n, unsigned a, unsigned b, unsigned base, const int *x, long *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = i;
#pragma ws pipeline(auto) tile(16) reduction(+ : s)
        for (unsigned k = a; k < b; k++)
            s += x[k - base];
        o[i] = s;
    }
}
void grid_int(int a, int b, int base, const int *x, int *y)
{
#pragma ws grid(1) tile(32)
    for (int k = a; k < b; k++)
        y[k - base] = x[k - base] ^ k;
}
void grid_long(long a, long b, long base, const int *x, long *y)
{
#pragma ws grid(1) tile(32)
    for (long k = a; k > b; k--)
        y[k - base] = x[k - base] + k / 3;
}
int main(void)
{
    enum { N = 37 };
    int *x = guarded_end(N * sizeof *x), *y = guarded_end(N * sizeof *y);
    long *o = guarded_end(4 * sizeof *o), *z = guarded_end(N * sizeof *z);
    for (int i = 0; i < N; i++)
        x[i] = h_int(-40, 40);
    sum_int(4, INT_MAX - N, INT_MAX, INT_MAX - N, x, o);
    SHOW("sum_int", o, 4 * sizeof *o);
    sum_int(4, INT_MAX, INT_MIN, INT_MAX, x, o);
    SHOW("sum_int", o, 4 * sizeof *o);
    sum_down(4, INT_MAX - 1, INT_MAX - N, INT_MAX - N, x, o);
    SHOW("sum_down", o, 4 * sizeof *o);
    sum_long(4, LONG_MAX - 1, LONG_MAX - N, LONG_MAX - N, x, o);
    SHOW("sum_long", o, 4 * sizeof *o);
    sum_unsigned(4, UINT_MAX - N, UINT_MAX, UINT_MAX - N, x, o);
    SHOW("sum_unsigned", o, 4 * sizeof *o);
    grid_int(INT_MAX - N, INT_MAX, INT_MAX - N, x, y);
    SHOW("grid_int", y, N * sizeof *y);
    grid_int(INT_MAX, INT_MIN, 0, x, y);
    grid_long(LONG_MAX - 1, LONG_MAX - 1 - N, LONG_MAX - N, x, z);
    SHOW("grid_long", z, N * sizeof *z);
}
