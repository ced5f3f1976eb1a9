/* SPDX-License-Identifier: GPL-3.0-or-later */
/* llvm/llvm-project#84942: a global struct with arrays and their length */
#include "report.h"
static struct {
    double a[20][30], b[20][30];
    int n;
} g;
void f(void)
{
#pragma ws grid(2)
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < g.n; j++)
            g.b[i][j] = g.a[i][j] + g.n;
}
int main(void)
{
    for (int i = 0; i < 600; i++)
        ((double *)g.a)[i] = h_int(-9, 9);
    g.n = 29;
    f();
    SHOW("g", &g.b[0][0], sizeof g.b);
}
