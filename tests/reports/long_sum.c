/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROCm/aomp#16, llvm/llvm-project#211696: sums in long long, of a grid over one and two loops, negative ones too */
#include "report.h"
#define N 100000LL
long long sum1(void)
{
    long long a = 0;
#pragma ws grid(1) reduction(+ : a)
    for (long long i = 0; i < N; i++)
        a += i * i - (N / 2) * i;
    return a;
}
long sum2(int n1, int n2, const int *x)
{
    long r = 0;
#pragma ws grid(2) reduction(+ : r)
    for (int j2 = 0; j2 < n2; j2++)
        for (int j1 = 0; j1 < n1; j1++)
            r += x[j2 * n1 + j1];
    return r;
}
unsigned sum3(int n, const unsigned *x)
{
    unsigned r = 7;
#pragma ws grid(1) reduction(+ : r)
    for (int j = 0; j < n; j++)
        r += x[j] * 3u;
    return r;
}
int least(int n1, int n2, const int *x)
{
    int r = 2147483647, g = -2147483647 - 1;
#pragma ws grid(2) reduction(min : r) reduction(max : g)
    for (int j2 = 0; j2 < n2; j2++)
        for (int j1 = 0; j1 < n1; j1++) {
            r = x[j2 * n1 + j1] < r ? x[j2 * n1 + j1] : r;
            if (x[j2 * n1 + j1] > g)
                g = x[j2 * n1 + j1];
        }
    return r ^ (g * 3);
}
unsigned long sum4(int n, const unsigned *x)
{
    unsigned long r = 7;
#pragma ws grid(1) reduction(+ : r)
    for (int j = 0; j < n; j++)
        r += x[j] * 3000000000ul;
    return r;
}
int main(void)
{
    int x[40 * 50];
    for (int i = 0; i < 2000; i++)
        x[i] = h_int(-100000, 100);
    unsigned u[999];
    for (int i = 0; i < 999; i++)
        u[i] = h_rand() * 77u;
    printf("%lld\n%ld %ld\n%u\n%d\n%lu\n", sum1(), sum2(40, 50, x), sum2(2, 2, x), sum3(999, u), least(40, 50, x),
           sum4(999, u));
    for (int i = 0; i < 2000; i++)
        x[i] = -1;
    printf("%ld %d\n", sum2(2, 2, x), least(3, 3, x));
}
