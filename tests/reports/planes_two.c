/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
static double r[14][16][4];
void f(int n, int kend)
{
#pragma ws grid(1)
    for (int k = 0; k < kend; k++) {
#pragma ws pipeline(auto)
        for (int i = 0; i < n; i++)
            r[i][k][0] = 2 * r[i][k][0];
        r[1][k][1] = 3 * r[1][k][1];
    }
}
int main(void)
{
    int bad = 0;
    for (int i = 0; i < 14; i++)
        for (int k = 0; k < 16; k++)
            for (int m = 0; m < 4; m++)
                r[i][k][m] = 1;
    f(12, 16);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 16; k++)
            for (int m = 0; m < 4; m++)
                bad += r[i][k][m] != (m == 0 ? 2 : m == 1 && i == 1 ? 3 : 1);
    printf("%d wrong\n", bad);
    return 0;
}
