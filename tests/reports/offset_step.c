/* SPDX-License-Identifier: GPL-3.0-or-later */
/* own: a lower bound beside a constant, by a step: the rest of a subscript by the step is no number below 0 */
#include "report.h"

void rows(int first, int last, int from, int to, int halo, int n, const float *u, float *v)
{
#pragma ws grid(2)
    for (int i = first; i <= last; i++)
        for (int j = from + 2; j <= to; j += 3)
            v[(i + halo) * n + j + halo] = u[(i + halo) * n + j + halo] + 1;
}

int main(void)
{
    static float u[2000], v[2000];
    for (int i = 0; i < 2000; i++)
        u[i] = h_int(-9, 9);
    rows(-2, 28, -2, 40, 2, 50, u, v);
    SHOW("v", v, sizeof v);
    rows(-2, -3, -2, 40, 2, 50, u, v);
    SHOW("v", v, sizeof v);
}
