/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An array of a type that tiles do not have. */
void invert(int n, const long *a, long *b)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        b[i] = 255 - a[i];
}
