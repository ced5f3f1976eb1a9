/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An extent of what is no array. */
void pick(int n, int m, const int *index, const float *table, float *out)
{
    #pragma ws grid(1) extent(m: n)
    for (int i = 0; i < n; i++)
        out[i] = table[index[i]];
}
