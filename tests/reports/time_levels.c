/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
static double u[2][100][100];
void f(int t, int n, int m)
{
    double(*new)[100] = u[(t + 1) % 2], (*old)[100] = u[t % 2];
#pragma ws grid(2)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            new[i][j] = 0.25 * (old[i - 1][j] + old[i + 1][j] + old[i][j - 1] + old[i][j + 1]);
}
int main(void)
{
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 100; j++)
            u[0][i][j] = u[1][i][j] = i * j % 7;
    for (int t = 0; t < 4; t++)
        f(t, 100, 100);
    printf("%g\n", u[0][50][50]);
    return 0;
}
