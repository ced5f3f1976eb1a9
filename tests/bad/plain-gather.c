/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A subscript of a store that is loaded. */
void pick(int n, const int *index, const float *table, float *out)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        out[index[i]] = table[i];
}
