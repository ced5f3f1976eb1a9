/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest of numbers without a sign, which tiles do not have. */
unsigned long wide(int n, const unsigned long *x)
{
    unsigned long total = 0;
    #pragma ws grid(1) reduction(max: total)
    for (int i = 0; i < n; i++)
        total = x[i] > total ? x[i] : total;
    return total;
}
