/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROCm/aomp#1241: long double in a region */
#include "report.h"
void f(int n, const double *x, double *o)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long double s = 0;
        for (int k = 0; k < 8; k++)
            s += x[i * 8 + k];
        o[i] = (double)s;
    }
}

int main(void)
{
    double x[160], o[20];
    for (int i = 0; i < 160; i++)
        x[i] = h_int(-9, 9);
    f(20, x, o);
    SHOW("o", o, sizeof o);
}
