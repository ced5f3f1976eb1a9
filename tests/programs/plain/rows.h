/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_rows.c: arrays of pointers to rows. */

KERNEL(smooth)(int n, int m, float **a, float **b)
{
    WS(grid(2) extent(a : n, b : n))
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            b[i][j] = 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}

KERNEL(product)(int n, double **a, double **b, double **c)
{
    WS(grid(2) tile(64, 64) extent(a : n, b : n, c : n))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = c[i][j];
            WS(pipeline(auto) tile(16) reduction(+ : s))
            for (int k = 0; k < n; k++)
                s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
}

/* the nearest of a few centres, as Rodinia has it */
KERNEL(nearest)(int n, int k, int features, float **feature, float **centre, int *member)
{
    WS(grid(1) extent(feature : n, centre : k))
    for (int i = 0; i < n; i++) {
        int index = -1;
        float least = 3.40282347e+38f;
        for (int c = 0; c < k; c++) {
            float distance = 0;
            for (int j = 0; j < features; j++)
                distance += (feature[i][j] - centre[c][j]) * (feature[i][j] - centre[c][j]);
            if (distance < least) {
                least = distance;
                index = c;
            }
        }
        member[i] = index;
    }
}
