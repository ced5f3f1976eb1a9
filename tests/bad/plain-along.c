/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop along the rows stays a loop, and the others make tiles. */
void shift(int n, const double *restrict a, double *restrict b)
{
    #pragma ws grid(2) tile(8, 64)
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++)
                b[(z * n + y) * n + x] = a[(z * n + y) * n + x] + a[(z * n + y - 1) * n + x];
}
