/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An extent that is no integer. */
void pick(int n, float m, const int *index, const float *table, float *out)
{
    #pragma ws grid(1) extent(table: 2 * m)
    for (int i = 0; i < n; i++)
        out[i] = table[index[i]];
}
