/* SPDX-License-Identifier: GPL-3.0-or-later */
/* starts and bounds of all types, by which C makes no iteration, or few: nothing else is reached */
#include "report.h"
void by_bits(int n, signed char a, unsigned long b, const int *x, long *o)
{
#pragma ws grid(1) tile(32)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (unsigned long k = a; b > k; ++k)
            s = s % 999 * 5 + x[k];
        o[i] = s;
    }
}
void falls(int n, unsigned st, const int *x, long *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (long k = 0; 0 < k; k -= st)
            s = s % 999 * 5 + x[k];
        o[i] = s;
    }
}
void by_choice(int n, unsigned b, int st, int on, const int *x, long *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (unsigned k = 0; k < (on ? b + i : 0); k += st)
            s = s % 999 * 5 + x[k];
        o[i] = s;
    }
}
void large(int rows, unsigned a, unsigned long b, short base, int on, int w, const int *x, int *z)
{
#pragma ws grid(2)
    for (short k = a; k <= (on ? b : a); k++)
        for (int r = 0; r < rows; r++)
            z[r * w + (k - base)] += x[k - base] + r;
}
void by_sums(int n, short a, int b, const int *x, long *o)
{
#pragma ws grid(1) tile(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
#pragma ws pipeline(auto) reduction(+ : s)
        for (unsigned k = a + i; k > b + i; k--)
            s += x[(long)k];
        o[i] = s;
    }
}
void wrapped(int n, int a, unsigned b, const int *x, long *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (unsigned k = a + i; k <= b; k += 4)
            s = s % 999 * 5 + x[k];
        o[i] = s;
    }
}
void counts(int n, unsigned long a, int b, int on, long *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (unsigned long k = a; k > (on ? b : a); --k)
            s++;
        o[i] = s;
    }
}
/* the launch's numbers, cut off to an int */
void cut(int n, long a, int b, int base, const int *x, long *o)
{
#pragma ws grid(1) tile(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (int k = a; k != b; k--)
            s = x[k - base] > s ? x[k - base] : s;
        o[i] = s;
    }
}
void cut_unsigned(int n, unsigned long a, unsigned b, unsigned base, const int *x, long *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (unsigned k = a; k-- >= b;)
            s = x[k - base] > s ? x[k - base] : s;
        o[i] = s;
    }
}
void cut_difference(long a, long b, long base, const int *x, int *y)
{
#pragma ws grid(1)
    for (long k = a; k < b; k++)
        y[(int)(k - base)] = x[(int)(k - base)] * 3;
}
/* a counter of 8 bits from where the bound is */
void bytes(int n, unsigned char a, int on, const int *x, long *o)
{
#pragma ws grid(1) tile(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (unsigned char k = a + i; k++ < (on ? 0 : a + i);)
            s = x[k] > s ? x[k] : s;
        o[i] = s;
    }
}
/* a bound that is below 0 without a sign, and so is the start */
void above(int n, signed char a, int b, unsigned base, const int *x, long *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long s = 1;
        for (unsigned k = a; k > b; k = k + 6)
            s = s % 999 * 5 + x[k - base];
        o[i] = s;
    }
}
int main(void)
{
    enum { N = 40 };
    int *x = guarded_end(N * sizeof *x), *none = guarded_end(0), *z = guarded_end(5 * N * sizeof *z);
    long *o = guarded_end(4 * sizeof *o);
    for (int i = 0; i < N; i++)
        x[i] = h_int(-40, 40);
    memset(z, 0, 5 * N * sizeof *z);
#define SEEN(call)                     \
    do {                               \
        call;                          \
        SHOW(#call, o, 4 * sizeof *o); \
    } while (0)
    SEEN(by_bits(4, -5, 54, none, o));
    SEEN(by_bits(4, 3, N, x, o));
    SEEN(falls(4, 5, none, o));
    SEEN(by_choice(4, N - 3, 9, 0, none, o));
    SEEN(by_choice(4, N - 3, 9, 1, x, o));
    large(5, 4294934539u, 4294934568ul, 0, 0, 1, none, none);
    large(5, 7, N - 1, 0, 1, N, x, z);
    SHOW("large", z, 5 * N * sizeof *z);
    SEEN(by_sums(4, 3, 4, none, o));
    SEEN(by_sums(4, N - 4, 4, x, o));
    SEEN(wrapped(4, -4, 30, none, o));
    SEEN(wrapped(4, 4, N - 1, x, o));
    SEEN(counts(4, 2147483637, -14, 1, o));
    SEEN(counts(4, 37, 14, 1, o));
    SEEN(cut(4, -2147483650, 2147483647 - N, 2147483647 - N, x, o));
    SEEN(cut(4, 4294967286, -19, -N, x, o));
    SEEN(cut_unsigned(4, 18446744073709551601ul, 4294967261u, 4294967260u, x, o));
    SEEN(bytes(4, 31, 0, none, o));
    cut_difference(-17, N - 17, -17, x, z);
    SHOW("cut_difference", z, N * sizeof *z);
    SEEN(above(4, -20, -60, 4294967276u, x, o));
    SEEN(above(4, -70, -60, 4294967276u, none, o));
}
