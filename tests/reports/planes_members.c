/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
static double r[14][16][5], u[14][16][5];
void f(int ist, int iend, int n)
{
#pragma ws grid(1)
    for (int k = 1; k < n; k++) {
#pragma ws pipeline(auto)
        for (int i = ist; i <= iend; i++)
            for (int m = 0; m < 5; m++)
                r[i][k][m] = r[i][k][m] - u[i + 1][k][m];
#pragma ws pipeline(auto)
        for (int i = ist; i <= iend; i++) {
            r[i][k][0] = r[i][k][0] + u[i - 1][k][0];
            r[i][k][1] = r[i][k][1] + u[i - 1][k][1];
        }
    }
}
int main(int argc, char **argv)
{
    static double want[14][16][5];
    int bad = 0;
    for (int i = 0; i < 14; i++)
        for (int j = 0; j < 16; j++)
            for (int m = 0; m < 5; m++)
                u[i][j][m] = (i * 7 + j * 3 + m) % 5, r[i][j][m] = want[i][j][m] = i + j;
    f(1, 11, 15);
    for (int j = 1; j < 15; j++)
        for (int i = 1; i <= 11; i++) {
            for (int m = 0; m < 5; m++)
                want[i][j][m] -= u[i + 1][j][m];
        }
    for (int j = 1; j < 15; j++)
        for (int i = 1; i <= 11; i++)
            for (int m = 0; m < 2; m++)
                want[i][j][m] += u[i - 1][j][m];
    for (int i = 0; i < 14; i++)
        for (int j = 0; j < 16; j++)
            for (int m = 0; m < 5; m++)
                bad += r[i][j][m] != want[i][j][m];
    printf("%d wrong\n", bad);
    return 0;
}
