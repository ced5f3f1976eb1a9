/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
/* a variable of the iteration whose address is passed on */
static void split(float v, float *whole, float *rest)
{
    *whole = (int)v;
    *rest = v - (int)v;
}
void f(int n, float *y, float *z, const float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float a, b;
        split(x[i], &a, &b);
        y[i] = a;
        z[i] = b;
    }
}
int main(void)
{
    float x[4] = {1.5f, 4.25f, 0.75f, 100}, y[4] = {0}, z[4] = {0};
    f(4, y, z, x);
    printf("%g %g %g %g, %g %g %g %g\n", y[0], y[1], y[2], y[3], z[0], z[1], z[2], z[3]);
    return 0;
}
