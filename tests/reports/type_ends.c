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
/* ends that lie more than 2^63 apart */
void far_down(int n, long a, long b, int on, const int *x, long *o)
{
#pragma ws grid(1) tile(32)
    for (int i = 0; i < n; i++) {
        long s = i;
        for (long k = a; k >= (on ? b : a); --k)
            s = s % 999 * 5 + x[k];
        o[i] = s;
    }
}
/* behind the largest number of its type the counter is below 0, which is a large number without a sign */
void narrow(int n, unsigned long b, unsigned short m, long *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = i;
        for (signed char k = 1; k <= b; ++k)
            s += k;
        for (short k = 32600; k < (unsigned)m; k++)
            s ^= k;
        o[i] = s;
    }
}
/* bounds in arrays, some of which say that there is nothing */
void loaded(int n, const long *low, const long *high, const int *x, long *o)
{
#pragma ws grid(1) tile(1) extent(x : 37)
    for (int i = 0; i < n; i++) {
        long s = i;
        for (long k = low[i]; k < high[i]; k++)
            s += x[k] + k;
        o[i] = s;
    }
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
    far_down(4, LONG_MIN + 6, 10, 1, x, o);
    SHOW("far_down", o, 4 * sizeof *o);
    far_down(4, N - 1, 10, 1, x, o);
    SHOW("far_down", o, 4 * sizeof *o);
    narrow(4, 2147483627, 65535, o);
    SHOW("narrow", o, 4 * sizeof *o);
    long low[] = {LONG_MAX, 0, 2, (1L << 32) + 1}, high[] = {8, LONG_MIN, 9, 10};
    loaded(4, low, high, x, o);
    SHOW("loaded", o, 4 * sizeof *o);
}
