/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gauss-Seidel reads what other iterations of the grid write. */
void seidel(int n, double A[n][n])
{
    #pragma ws grid(2)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            A[i][j] = 0.5 * (A[i][j] + A[i - 1][j]);
}
