/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tile of three sides. */
void cube(int n, const float *a, float *b)
{
    #pragma ws grid(3) tile(8, 8, 8)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                b[(i * n + j) * n + k] = a[(i * n + j) * n + k];
}
