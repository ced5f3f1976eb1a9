/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An array that is written from its end. */
void reverse(int n, const float *a, float *b)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        b[n - 1 - i] = a[i];
}
