/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_nothing.c: loops that may make no iteration, since a count is 0 or below. */

KERNEL(scale)(int n, float *x)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}

KERNEL(rows_of)(int n, int m, const float *a, const float *b, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float s = 1;
        WS(pipeline(auto) reduction(+ : s))
        for (int j = 0; j < m; j++)
            s += a[i * m + j] * b[j];
        y[i] = s;
    }
}

KERNEL(middle)(int n, int m, const float *a, float *b)
{
    WS(grid(2))
    for (int i = 1; i < n - 1; i++)
        for (int j = 2; j < m - 3; j++)
            b[i * m + j] = a[(i - 1) * m + j + 3] - a[(i + 1) * m + j - 2];
}

KERNEL(from_to)(int low, int high, const float *a, float *b)
{
    WS(grid(1))
    for (int i = low; i < high; i++)
        b[i] = a[i] + 1;
}

KERNEL(product)(int n, int m, int k, const float *a, const float *b, float *c)
{
    WS(grid(2) tile(64, 64))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            WS(pipeline(auto) tile(32) reduction(+ : s))
            for (int l = 0; l < k; l++)
                s += a[i * k + l] * b[l * m + j];
            c[i * m + j] += s;
        }
}
