/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both subscripts are one tiled counter. */
void trace(int n, const float *a, float *b)
{
    #pragma ws grid(1)
    for (int i = 0; i < n; i++)
        b[i] = a[i * n + i];
    #pragma ws grid(2) tile(32, 64)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[i * n + j] = b[i * n + i] + a[i * n + j];
}
