/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of 64 bits that say where, and complex numbers as pairs: loops as programs have them. */

KERNEL(gathered)(int n, int m, const long *restrict at, const float *restrict x, float *restrict y)
{
    WS(grid(1) extent(x : m))
    for (int i = 0; i < n; i++)
        y[i] = x[at[i]];
}

/* a sparse matrix, times a vector */
KERNEL(sparse)
(long n, long nnz, const int64_t *restrict row, const int64_t *restrict col, const double *restrict val,
 const double *restrict x, double *restrict y)
{
    WS(grid(1) extent(col : nnz, val : nnz, x : n))
    for (long i = 0; i < n; i++) {
        double s = 0;
        WS(pipeline(auto) reduction(+ : s))
        for (int64_t k = row[i]; k < row[i + 1]; k++)
            s += val[k] * x[col[k]];
        y[i] = s;
    }
}

/* rows of a table */
KERNEL(embedded)
(int n, int c, int v, const long long *restrict token, const float *restrict table, float *restrict out)
{
    WS(grid(2) extent(table : v * c))
    for (int t = 0; t < n; t++)
        for (int i = 0; i < c; i++)
            out[t * c + i] = table[token[t] * c + i];
}

KERNEL(numbers)(int n, const size_t *restrict a, int *restrict b)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        b[i] = (int)a[i] + 1;
}

KERNEL(multiplied)(int n, const PAIR *restrict a, const PAIR *restrict b, PAIR *restrict c)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        c[i].re = a[i].re * b[i].re - a[i].im * b[i].im;
        c[i].im = a[i].re * b[i].im + a[i].im * b[i].re;
    }
}

/* y = W x; w by parts */
KERNEL(transformed)
(int n, const PAIR *restrict x, const float *restrict re, const float *restrict im, PAIR *restrict y)
{
    WS(grid(1) tile(32))
    for (int k = 0; k < n; k++) {
        float sum_re = 0, sum_im = 0;
        WS(pipeline(auto) tile(32) reduction(+ : sum_re, sum_im))
        for (int j = 0; j < n; j++) {
            sum_re += x[j].re * re[k * n + j] - x[j].im * im[k * n + j];
            sum_im += x[j].re * im[k * n + j] + x[j].im * re[k * n + j];
        }
        y[k].re = sum_re;
        y[k].im = sum_im;
    }
}
