/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
static double r[14][13][17][5];
void f(int n, int jend, int kend)
{
#pragma ws grid(2)
    for (int j = 1; j <= jend; j++)
        for (int k = 1; k <= kend; k++) {
#pragma ws pipeline(auto)
            for (int i = 1; i <= n; i++)
                r[i][j][k][0] = 2 * r[i][j][k][0];
            for (int m = 0; m < 5; m++)
                r[1][j][k][m] = 3 * r[1][j][k][m];
        }
}
int main(void)
{
    int bad = 0;
    for (int i = 0; i < 14; i++)
        for (int j = 0; j < 13; j++)
            for (int k = 0; k < 17; k++)
                for (int m = 0; m < 5; m++)
                    r[i][j][k][m] = 1;
    f(11, 9, 13);
    for (int i = 1; i <= 11; i++)
        for (int j = 1; j <= 9; j++)
            for (int k = 1; k <= 13; k++)
                for (int m = 0; m < 5; m++)
                    bad += r[i][j][k][m] != (m == 0 ? 2 : 1) * (i == 1 ? 3 : 1);
    printf("%d wrong\n", bad);
    return 0;
}
