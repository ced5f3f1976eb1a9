/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A counter of the grid that is read behind it. */
int counter_leaves(int n, const float *x, float *y)
{
    int i;
    #pragma ws grid(1)
    for (i = 0; i < n; i++)
        y[i] = 2 * x[i];
    return i; /* wrong */
}
