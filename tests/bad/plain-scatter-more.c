/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid multiplies what it says it sums. */
void spread(int n, int m, const int *to, const float *x, float *y)
{
#pragma ws grid(1) extent(y : m) reduction(+ : y)
    for (int i = 0; i < n; i++)
        y[to[i]] *= x[i];
}
