/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
/* the distance between what is stored and what is read is one iteration where s == n */
void f(int n, int s, int d, int low, int high, int *a, const int *r)
{
#pragma ws grid(1)
    for (int i = low; i <= high; i++)
        a[i * s + n] = r[i * s] + a[i * s];
}
int main(void)
{
    int n = 5, m = 50;
    int *a = calloc(n * m, 4), *r = calloc(n * m, 4);
    for (int i = 0; i < n * m; i++)
        r[i] = 1;
    f(n, n, 0, 0, m - 2, a, r);
    printf("%d, C: %d\n", a[n * (m - 1)], m - 1);
    return 0;
}
