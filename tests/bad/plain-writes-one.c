/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sum over a loop of the grid. */
void rows(int n, int m, const float *a, float *sum)
{
    #pragma ws grid(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            sum[i] += a[i * m + j];
}
