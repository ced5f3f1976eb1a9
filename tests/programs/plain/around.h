/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of plain_around.c: neighbours at the edges of arrays, twice. */

KERNEL(ring)(int n, const double *restrict x, double *restrict y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        int left = i == 0 ? n - 1 : i - 1, right = i + 1 < n ? i + 1 : 0;
        int last = i == n - 1 ? 0 : i + 1, first = i > 0 ? i - 1 : n - 1;
        y[i] = x[left] - 2 * x[right] + 4 * x[last] - 8 * x[first];
    }
}

KERNEL(rest)(int n, const double *restrict x, double *restrict y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        y[i] = x[(i + 1) % n] - 2 * x[(i + n - 1) % n];
}

KERNEL(ends)(int n, const double *restrict x, double *restrict y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        double t = i ? x[i - 1] : 0;
        if (i != n - 1)
            t += x[i + 1];
        y[i] = t;
    }
}

KERNEL(clamped)(int n, int m, const double *restrict x, double *restrict y)
{
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            int up = i == 0 ? 0 : i - 1, down = i + 1 == n ? n - 1 : i + 1;
            int l = j - 1 < 0 ? 0 : j - 1, r = j + 1 >= m ? m - 1 : j + 1;
            y[i * m + j] = x[up * m + j] + x[down * m + j] - x[i * m + l] + 2 * x[i * m + r];
        }
}

KERNEL(mirrored)(int n, const double *restrict x, double *restrict y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        int at = abs(i - 3), l = i - 2, r = i + 2;
        if (at >= n)
            at = n - 1;
        if (l < 0)
            l += n;
        if (r >= n)
            r -= n;
        y[i] = x[at] + 2 * x[l] - 4 * x[r];
    }
}

KERNEL(medians)(int n, int m, const double *restrict x, double *restrict y)
{
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double a = x[i * m + clamped_to(j - 1, 0, m - 1)], b = x[i * m + j],
                   c = x[i * m + clamped_to(j + 1, 0, m - 1)];
            y[i * m + j] = fmax(fmin(a, b), fmin(fmax(a, b), c)) * signs[(i + j) % 3];
        }
}

/* what one grid sums the next one takes */
KERNEL(normalized)(int n, const double *restrict x, double *restrict y)
{
    double most = 0, sum = 0;
    WS(grid(1) reduction(max : most))
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    WS(grid(1) reduction(+ : sum))
    for (int i = 0; i < n; i++)
        sum += (x[i] / most) * (x[i] / most);
    WS(grid(1))
    for (int i = 0; i < n; i++)
        y[i] = x[i] / (most * sqrt(sum));
}
