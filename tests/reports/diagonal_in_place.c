/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
void f(int n, int s, int d, int low, int high, int *a, const int *r)
{
#pragma ws grid(1)
    for (int i = low; i <= high; i++)
        a[i * s + d] = r[i * s + d] + a[i * s + d - n];
}
int main(void)
{
    int n = 40;
    int *a = calloc(n * n, 4), *b = calloc(n * n, 4), *r = calloc(n * n, 4), bad = 0;
    for (int i = 0; i < n * n; i++)
        r[i] = rand() % 9;
    for (int d = 1; d < n; d++) {
        f(n, n - 1, d, 1, d, a, r);
        for (int i = 1; i <= d; i++)
            b[i * (n - 1) + d] = r[i * (n - 1) + d] + b[i * (n - 1) + d - n];
    }
    for (int i = 0; i < n * n; i++)
        bad += a[i] != b[i];
    printf("%d wrong\n", bad);
    return 0;
}
