/* SPDX-License-Identifier: GPL-3.0-or-later */
/* setjmp in a grid. */
#include <setjmp.h>

static jmp_buf place;

void f(int n, float *y, const float *x)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        if (!setjmp(place)) /* wrong */
            y[i] = x[i];
}
