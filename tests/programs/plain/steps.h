/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_steps.c: integers, so that every element is compared to the bit. */

KERNEL(up)(int lo, int hi, int st, int *a)
{
    WS(grid(1))
    for (int i = lo; i <= hi; i += st)
        a[i] += 1 + i;
}

KERNEL(down)(int n, int *a)
{
    WS(grid(1))
    for (int i = n; i >= 1; i -= 2)
        a[i] = a[i] + i;
}

KERNEL(down_by)(int hi, int lo, int st, int *a)
{
    WS(grid(1))
    for (int i = hi; i > lo; i -= st)
        a[i] = 100 + i;
}

KERNEL(meets)(int n, int *a)
{
    WS(grid(1))
    for (int i = 0; i != n; i += 4)
        a[i] = 7 * i;
}

KERNEL(triangle)(int n, const int *x, int *a)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        int s = 0, t = 1;
        for (int k = n - 1; k >= i; k -= 3)
            s = s * 3 + x[k];
        for (int k = i; k < n; k += 3)
            t = t * 5 - x[k];
        a[i] = s ^ t;
    }
}

KERNEL(behind_test)(int n, const int *x, int *a)
{
    WS(grid(1))
    for (int i = n; i--;)
        a[i] = x[i] * 2;
}

KERNEL(above_0)(size_t n, const int *x, int *a)
{
    WS(grid(1))
    for (size_t i = n; i-- > 0;)
        a[i] += x[i] * 2;
}

KERNEL(unsigned_sums)(unsigned n, unsigned lo, const int *x, int *a)
{
    WS(grid(1))
    for (unsigned i = 0; i < n; i++) {
        int s = 0;
        for (unsigned k = n; k-- > 0;)
            if (x[k] > 0)
                s = s * 5 + x[k] * (int)i;
        for (unsigned k = lo; k < n; k += 5) /* none, where lo is behind n */
            s = s * 3 - x[k];
        for (unsigned k = n; k > lo; k--)
            s = s * 7 + x[k - 1];
        a[i] = s;
    }
}

/* Each thread takes every so many elements. */
KERNEL(threads)(int n, int count, const int *x, int *a, int *s)
{
    WS(grid(1))
    for (int t = 0; t < count; t++) {
        int sum = 0;
        for (int k = t; k < n; k += count)
            sum = sum * 3 + x[k];
        s[t] = sum;
    }
    WS(grid(1))
    for (int t = 0; t < count; t++)
        for (int k = t; k < n; k += count)
            a[k] += 2 * x[k];
}

KERNEL(rows)(int n, int m, int lo, int *a)
{
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = lo; j < m; j += 3)
            a[i * m + j] -= i * j;
}

/* As many iterations from a start of its own. */
KERNEL(blocks_of_four)(int n, const int *x, int *a, int *s)
{
    WS(grid(1))
    for (int i = 0; i < n; i += 4)
        for (int j = i; j < i + 4; j++)
            a[j] += x[j] * (j - i);
    WS(grid(1))
    for (int i = 0; i < n; i += 4) {
        int sum = 0;
        for (int j = i; j <= i + 3; j++)
            sum = sum * 3 + x[j];
        s[i / 4] = sum;
    }
}
