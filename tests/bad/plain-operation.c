/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function that tiles do not have. */
#include <math.h>

void angles(int n, const float *x, float *angle)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        angle[i] = ceilf(x[i]);
}
