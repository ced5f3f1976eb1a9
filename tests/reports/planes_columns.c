/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
static double r[14][16], u[14][16];
static int nx = 13;
void set(int n)
{
    nx = n;
}
void f(int ist, int iend, int n)
{
#pragma ws grid(1)
    for (int j = 1; j < n; j++) {
#pragma ws pipeline(auto)
        for (int i = ist; i <= iend; i++)
            r[i][j] = r[i][j] + u[i - 1][j] - 2 * u[i][j] + u[i + 1][j];
        r[1][j] = r[1][j] - 5 * u[1][j];
        r[2][j] = r[2][j] - 6 * u[2][j];
        for (int i = 3; i <= nx - 4; i++)
            r[i][j] = r[i][j] - u[i - 2][j] + u[i + 2][j];
        r[nx - 3][j] = r[nx - 3][j] - u[nx - 4][j];
        r[nx - 2][j] = r[nx - 2][j] - u[nx - 3][j];
    }
}
int main(int argc, char **argv)
{
    static double want[14][16];
    if (argc > 3)
        set(argc);
    for (int i = 0; i < 14; i++)
        for (int j = 0; j < 16; j++)
            u[i][j] = (i * 7 + j * 3) % 5, r[i][j] = want[i][j] = i + j;
    f(1, 11, 15);
    for (int j = 1; j < 15; j++) {
        for (int i = 1; i <= 11; i++)
            want[i][j] = want[i][j] + u[i - 1][j] - 2 * u[i][j] + u[i + 1][j];
        want[1][j] -= 5 * u[1][j];
        want[2][j] -= 6 * u[2][j];
        for (int i = 3; i <= 9; i++)
            want[i][j] = want[i][j] - u[i - 2][j] + u[i + 2][j];
        want[10][j] -= u[9][j];
        want[11][j] -= u[10][j];
    }
    int bad = 0;
    for (int i = 0; i < 14; i++)
        for (int j = 0; j < 16; j++)
            bad += r[i][j] != want[i][j];
    printf("%d wrong\n", bad);
    return 0;
}
