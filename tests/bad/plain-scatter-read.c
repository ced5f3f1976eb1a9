/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is stored at subscripts of its own is read in the same grid. */
void move(int n, int m, const int *to, const float *x, float *y)
{
#pragma ws grid(1) extent(y : m) independent(y)
    for (int i = 0; i < n; i++)
        y[to[i]] = 0.5f * y[to[i]] * x[i];
}
