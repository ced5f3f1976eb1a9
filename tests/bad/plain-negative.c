/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An element in front of the array. */
void shift(int n, const float *a, float *b)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        b[i] = a[i - 1];
}
