/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is looked up may lie in front of the array. */
void pick(int n, const float *table, float *out)
{
    #pragma ws grid(2) tile(8, 32)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i * n + j] = table[i + j - 1];
}
