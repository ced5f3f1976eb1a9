/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What comes from outside has a type that no tile has. */
void scaled(int n, long double scale, double *y)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = (double)(scale + i); /* wrong */
}
