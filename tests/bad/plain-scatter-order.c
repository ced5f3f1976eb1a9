/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floats are added up at loaded subscripts, and nothing permits another order. */
void spread(int n, int m, const int *to, const float *x, float *y)
{
#pragma ws grid(1) extent(y : m)
    for (int i = 0; i < n; i++)
        y[to[i]] += x[i];
}
