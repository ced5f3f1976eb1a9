/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two tiled counters in one dimension of what is written. */
void hankel(int n, const float *a, float *b)
{
    #pragma ws grid(2) tile(32, 64)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i + j] = a[i * n + j];
}
