/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ggml-org/llama.cpp#27663, BLAS: strides below 0 */
#include "report.h"
void dcopy(int n, const double *x, int incx, double *y, int incy)
{
    int ix = incx < 0 ? (1 - n) * incx : 0, iy = incy < 0 ? (1 - n) * incy : 0;
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[iy + i * incy] = x[ix + i * incx];
}
int main(void)
{
    double *x = guarded(4000, 0), *y = guarded(4000, 0);
    for (int i = 0; i < 500; i++)
        x[i] = h_int(-9, 9);
    dcopy(100, x, 1, y, 1);
    SHOW("y", y, 4000);
    dcopy(100, x, -1, y, 1);
    SHOW("y", y, 4000);
    dcopy(100, x, -3, y, 2);
    SHOW("y", y, 4000);
    dcopy(100, x, 2, y, -2);
    SHOW("y", y, 4000);
    dcopy(100, x, -2, y, -4);
    SHOW("y", y, 4000);
}
