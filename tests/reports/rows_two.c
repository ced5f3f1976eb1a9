/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
/* two rows, and all of them */
void f(int n, int m, double *r)
{
#pragma ws grid(1)
    for (int k = 0; k < m; k++) {
#pragma ws pipeline(auto)
        for (int i = 0; i < n; i++)
            r[i * m + k] = 2 * r[i * m + k];
        r[m + k] = 3 * r[m + k];
    }
}
int main(void)
{
    static double r[12 * 16];
    int bad = 0;
    for (int i = 0; i < 12 * 16; i++)
        r[i] = 1;
    f(12, 16, r);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 16; k++)
            bad += r[i * 16 + k] != (i == 1 ? 6 : 2);
    printf("%d wrong\n", bad);
    return 0;
}
