/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sum in a type that no tile has. */
void sums(int n, const double *x, double *y)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        long double s = 0;
        for (int k = 0; k < 8; k++) s += x[i * 8 + k]; /* wrong */
        y[i] = (double)s;
    }
}
