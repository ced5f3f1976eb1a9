/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NVIDIA forum 142094: a scalar used behind the loop */
#include "report.h"
void f(int n, const float *x, float *y, float *last)
{
    float t = 0;
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        t = x[i] * 2;
        y[i] = t;
    }
    *last = t;
}

int main(void)
{
    float x[77], y[77], last = 1;
    for (int i = 0; i < 77; i++)
        x[i] = h_int(-9, 9);
    f(77, x, y, &last);
    SHOW("y", y, sizeof y);
    printf("%g\n", last);
}
