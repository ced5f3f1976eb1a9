/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop that the user pipelines, and in which no load can move ahead.  */

/* y = A x of a sparse A by rows. */
void sparse(int n, int nnz, const int *row, const int *col, const float *val, const float *x, float *y)
{
    #pragma ws grid(1) extent(col: nnz, val: nnz, x: n)
    for (int i = 0; i < n; i++) {
        float s = 0;
        #pragma ws pipeline(auto) reduction(+: s)
        for (int k = row[i]; k < row[i + 1]; k++)
            s += val[k] * x[col[k]];
        y[i] = s;
    }
}
