/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step that grows. */
void every(int n, float *a)
{
    #pragma ws grid(1)
    for (int i = 1; i < n; i *= 2)
        a[i] = 0;
}
