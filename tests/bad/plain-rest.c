/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A subscript of bits: that none of them is below 0 is not seen. */
void pairs(int n, const float *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = x[(i ^ 1) % n];
}
