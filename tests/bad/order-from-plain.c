/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over elements have no tiles to begin at. */
void f(int n, int first, const float *x, float *y)
{
    #pragma ws grid(1) order(from(first)) /* wrong */
    for (int i = 0; i < n; i++)
        y[i] = 2 * x[i];
}
