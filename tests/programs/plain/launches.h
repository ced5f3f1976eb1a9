/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_launches.c: valid loops that a launcher could take for wrong. */

/* Begins below 0, and ends in front of where it begins. */
KERNEL(halo_stencil)(int from, int to, int left, int right, int h, int ld, const double *u, double *v)
{
    WS(grid(2))
    for (int i = from + left; i <= to - right; i++)
        for (int j = from; j <= to; j++)
            v[(i + h) * ld + j + h] = u[(i + h) * ld + j + h - 1] + u[(i + h - 1) * ld + j + h] + j;
}

KERNEL(reflect)(int n, int h, int ld, double *v)
{
    WS(grid(1))
    for (int j = -h; j < n + h; j++)
        for (int k = 1; k <= h; k++)
            v[(h - k) * ld + j + h] = v[(h + k - 1) * ld + j + h];
}

KERNEL(count_down_to)(long from, long n, long *t)
{
    WS(grid(1))
    for (long i = from; i < from + n; i++)
        t[i - from] = 3;
}

/* One array in several ways. */
KERNEL(ways)(int n, int m, const double *a, double *o)
{
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            o[i * m + j] = a[i * m + j / 2] + a[j * n + i] + a[(n - 1 - i) * m + j] + a[i + j];
}

/* One array whose dimensions are taken in two orders. */
KERNEL(two_orders)(int n, int jend, int kend, double *r)
{
    WS(grid(2))
    for (int j = 1; j <= jend; j++)
        for (int k = 1; k <= kend; k++) {
            WS(pipeline(auto))
            for (int i = 1; i <= n; i++)
                r[((i * 10 + j) * 20 + k) * 5] = 2 * r[((i * 10 + j) * 20 + k) * 5];
            for (int m = 0; m < 5; m++)
                r[((1 * 10 + j) * 20 + k) * 5 + m] = 3 * r[((1 * 10 + j) * 20 + k) * 5 + m];
        }
}

/* Strides of either sign, as BLAS has them, and rows from the last one upwards. */
KERNEL(copy_strided)(int n, const double *x, int incx, double *y, int incy)
{
    int ix = incx < 0 ? (1 - n) * incx : 0, iy = incy < 0 ? (1 - n) * incy : 0;
    WS(grid(1))
    for (int i = 0; i < n; i++)
        y[iy + i * incy] += x[ix + i * incx] - i;
}

KERNEL(copy_rows)(int n, int m, long ldx, const double *x, long ldy, double *y)
{
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i * ldy + j] = x[i * ldx + j] * 2;
}

/* Which iterations depend on each other the launch knows alone: none where s does not divide d. */
KERNEL(behind)(int n, int s, int d, double *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        y[i * s + d] = y[i * s] + 1;
}

KERNEL(between)(int low, int high, const double *x, double *y)
{
    WS(grid(1))
    for (int i = low; i < high; i++)
        y[i] = x[i] * 2;
}

KERNEL(weighted)(int n, int m, const double *w, const double *x, double *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = 0; k < m; k++)
            s += w[k] * x[k];
        y[i] = s;
    }
}

/* Members of a variable, beside its arrays that are stored. */
KERNEL(members)(int offset)
{
    WS(grid(2))
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < all.n; j++)
            all.b[i][j + offset] = all.a[i][j] + all.n + all.inner[1].factor;
}
