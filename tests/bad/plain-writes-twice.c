/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two counters in one dimension. */
void spread(int n, int m, const float *a, float *b)
{
    #pragma ws grid(2) tile(1, 64)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i + j] = a[j];
}
