/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of two parts. */
void twice(int n, const float _Complex *x, float _Complex *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = x[i] * 2;
}
