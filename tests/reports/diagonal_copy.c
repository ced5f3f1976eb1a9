/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
/* an antidiagonal of a matrix is copied */
void diagonal(int n, int d, int low, int high, int *restrict a, const int *restrict r)
{
#pragma ws grid(1) independent(a)
    for (int i = low; i <= high; i++)
        a[i * n + d - i] = r[i * n + d - i];
}
int main(void)
{
    int n = 20, bad = 0;
    int *a = calloc(n * n, 4), *r = calloc(n * n, 4);
    for (int i = 0; i < n * n; i++)
        r[i] = i;
    for (int d = 0; d < n; d++)
        diagonal(n, d, 0, d, a, r);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            bad += a[i * n + j] != (i + j < n ? i * n + j : 0);
    printf("%d wrong\n", bad);
    return 0;
}
