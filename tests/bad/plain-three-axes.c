/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of three tiled loops. */
void outer(int n, const float *a, const float *b, float *c)
{
    #pragma ws grid(2) tile(32, 32)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            #pragma ws pipeline(auto) tile(32)
            for (int k = 0; k < n; k++)
                c[(i * n + j) * n + k] = a[i * n + k] * b[j * n + k];
}
