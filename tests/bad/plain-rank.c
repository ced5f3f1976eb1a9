/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Five strides. */
void deep(int n, const float *a, float *b)
{
    #pragma ws grid(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                for (int l = 0; l < n; l++)
                    for (int m = 0; m < n; m++)
                        b[(((i * n + j) * n + k) * n + l) * n + m] = a[(((i * n + j) * n + k) * n + l) * n + m];
}
