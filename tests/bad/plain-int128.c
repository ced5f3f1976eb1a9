/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A product of 128 bits. */
void products(int n, const long *x, long *y)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = (long)((__int128)x[i] * x[i] >> 64); /* wrong */
}
