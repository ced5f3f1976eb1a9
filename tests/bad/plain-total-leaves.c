/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sum that leaves the grid, which no clause permits. */
float no_clause(int n, const float *x, float *y)
{
    float total = 0;
    #pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
        total += x[i];
    }
    return total;
}
