/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A grid that does nothing but sum says so in a clause. */
double energy(int n, const float *x)
{
    double e = 0;
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        e += x[i] * x[i];
    return e;
}
