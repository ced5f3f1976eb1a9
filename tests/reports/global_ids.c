/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tile-ai/tilelang#1310: counters beyond 2^31 as numbers */
#include "report.h"
void f(long first, int n, double h, double *x)
{
#pragma ws grid(1)
    for (long g = first; g < first + n; g++)
        x[g - first] = g * h;
}
int main(void)
{
    enum { n = 70 };
    static double y[n];
    f(6000000000L, n, 1e-9, y);
    SHOW("y", y, sizeof y);
    f(6000L, n, 1e-9, y);
    SHOW("y", y, sizeof y);
}
