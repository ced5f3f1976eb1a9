/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own: largest of a row of chars */
#include "report.h"
typedef signed char T;
void f(int m, int n, const T *x, T *a, T *b)
{
#pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        T lo = 127, hi = -128;
#pragma ws pipeline(auto) reduction(min : lo) reduction(max : hi)
        for (int k = 0; k < n; k++) {
            lo = x[i * n + k] < lo ? x[i * n + k] : lo;
            hi = x[i * n + k] > hi ? x[i * n + k] : hi;
        }
        a[i] = lo;
        b[i] = hi;
    }
}
int main(void)
{
    T x[40], a[4], b[4];
    for (int i = 0; i < 40; i++)
        x[i] = -h_int(3, 100);
    f(4, 10, x, a, b);
    for (int i = 0; i < 4; i++)
        printf("%ld %ld ", (long)a[i], (long)b[i]);
    printf("\n");
    for (int i = 0; i < 40; i++)
        x[i] = h_int(3, 100);
    f(4, 10, x, a, b);
    for (int i = 0; i < 4; i++)
        printf("%ld %ld ", (long)a[i], (long)b[i]);
    printf("\n");
}
