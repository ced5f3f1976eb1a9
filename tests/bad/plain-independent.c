/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No array of that name. */
void move(int n, int m, const int *to, const float *x, float *y)
{
#pragma ws grid(1) extent(y : m) independent(z)
    for (int i = 0; i < n; i++)
        y[to[i]] = x[i];
}
