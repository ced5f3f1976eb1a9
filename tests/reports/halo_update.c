/* SPDX-License-Identifier: GPL-3.0-or-later */
/* UoB-HPC/CloverLeaf#3, OP-DSL/OPS#73: halo update, bounds below 0 */
#include "report.h"
#define REF(i, j, w, ilb, jlb) ((w) * ((j) - (jlb)) + (i) - (ilb))
void halo(int x_min, int x_max, int y_min, int y_max, int depth, double *f)
{
#pragma ws grid(1)
    for (int j = x_min - depth; j <= x_max + depth; j++)
        for (int k = 1; k <= depth; k++)
            f[REF(j, 1 - k, x_max + 4, x_min - 2, y_min - 2)] = f[REF(j, 0 + k, x_max + 4, x_min - 2, y_min - 2)];
}
int main(void)
{
    int nx = 20, ny = 15;
    size_t n = (nx + 4) * (ny + 4);
    double *d = malloc(8 * n);
    for (size_t i = 0; i < n; i++)
        d[i] = h_int(-9, 9);
    halo(1, nx, 1, ny, 2, d);
    SHOW("d", d, 8 * n);
    halo(1, nx, 1, ny, 1, d);
    SHOW("d", d, 8 * n);
}
