/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sum in a type that tiles do not have. */
long wide(int n, const int *x)
{
    long total = 0;
    #pragma ws grid(1) reduction(+: total)
    for (int i = 0; i < n; i++)
        total += x[i];
    return total;
}
