/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own: x[i > 0 ? i - 1 : 0] */
#include "report.h"
void f(int n, const float *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = x[i > 0 ? i - 1 : 0];
}

int main(void)
{
    float x[333], y[333] = {0};
    for (int i = 0; i < 333; i++)
        x[i] = h_int(-99, 99);
    f(333, x, y);
    SHOW("y", y, sizeof y);
    f(1, x, y);
    SHOW("y", y, sizeof y);
}
