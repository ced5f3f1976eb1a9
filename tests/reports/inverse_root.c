/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"
#include <stdio.h>
static float Q_rsqrt(float number)
{
    int i;
    float x2, y;
    const float threehalfs = 1.5F;
    x2 = number * 0.5F;
    y = number;
    i = *(int *)&y;
    i = 0x5f3759df - (i >> 1);
    y = *(float *)&i;
    y = y * (threehalfs - (x2 * y * y));
    return y;
}
void f(int n, float *y, const float *x)
{
#pragma ws grid(1)
    for (int k = 0; k < n; k++)
        y[k] = Q_rsqrt(x[k]);
}
int main(void)
{
    float x[4] = {1, 4, 0.25f, 100}, y[4] = {0};
    f(4, y, x);
    printf("%g %g %g %g, C: 0.998307 0.499154 1.99661 0.0998450\n", y[0], y[1], y[2], y[3]);
    return 0;
}
