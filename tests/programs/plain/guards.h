/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_guards.c: conditions and choices that say which elements there are. */

KERNEL(tail)(int n, int m, const float *x, float *y)
{
    WS(grid(2))
    for (int b = 0; b < (n + m - 1) / m; b++)
        for (int t = 0; t < m; t++) {
            int i = b * m + t;
            if (i >= n)
                continue;
            y[i] = x[i] * 3;
        }
}

KERNEL(tail_in_place)(int n, int m, const float *x, float *y)
{
    WS(grid(2))
    for (int b = 0; b < (n + 63) / 64; b++)
        for (int t = 0; t < 64; t++)
            if (b * 64 + t < n)
                y[b * 64 + t] += x[m + b * 64 + t - m];
}

KERNEL(same)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = -m; k <= m; k++) {
            int p = i + k;
            float v = p >= 0 && p < n ? x[p] : 0;
            s += v * (k + m);
        }
        y[i] = s;
    }
}

KERNEL(pairs)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < (n + 1) / 2; i++) {
        float s = x[2 * i];
        if (2 * i + 1 < n)
            s += x[2 * i + 1] * m;
        y[i] = s;
    }
}

/* So many rows of m elements. */
KERNEL(windows)(int n, int m, const float *x, float *y)
{
    WS(grid(2))
    for (int i = 0; i < n / m; i++)
        for (int j = 0; j < m; j++) {
            float most = -1;
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++) {
                    int v = i + p - 1, u = j + q - 1, at = u + m * v;
                    int valid = v >= 0 && v < n / m && u >= 0 && u < m;
                    float value = valid ? x[at] : -1;
                    most = value > most ? value : most;
                }
            y[i * m + j] = most;
        }
}

KERNEL(unsigned_windows)(int n, int m, const float *x, float *y)
{
    int h = n / m;
    WS(grid(2))
    for (int i = 0; i < h; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int q = 0; q < 3; q++)
                if ((unsigned)(j + q - 2) < (unsigned)m)
                    s += x[i * m + j + q - 2];
            y[i * m + j] = s;
        }
}

KERNEL(wrapped)(int n, int m, const float *x, float *y)
{
    WS(grid(2))
    for (int i = 0; i < n / m; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int d = -1; d <= 1; d++) {
                int u = j + d, v = i - d;
                u = u < 0 ? u + m : u >= m ? u - m : u;
                v = (v + n / m) % (n / m);
                s += x[v * m + u] * (d + 2);
            }
            y[i * m + j] = s;
        }
}

KERNEL(reflected)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        int k = i + m - 9, l = i - m;
        if (k < 0)
            k = -k;
        else if (k >= n)
            k = 2 * n - 2 - k;
        if (l < 0)
            l = -l - 1;
        if (l >= n)
            l = 2 * n - 1 - l;
        y[i] = x[k] - 2 * x[l] + x[i > 0 ? i - 1 : 0] + x[i + 5 < n ? i + 5 : n - 1];
    }
}

/* A star without its corners; what is written is the inside. */
KERNEL(inside)(int n, int m, const float *x, float *y)
{
    int h = n / m;
    WS(grid(2))
    for (int i = 0; i < h; i++)
        for (int j = 0; j < m; j++)
            if (i > 0 && i < h - 1 && j > 0 && j < m - 1)
                y[i * m + j] = x[(i - 1) * m + j] + x[(i + 1) * m + j] + x[i * m + j - 1] + x[i * m + j + 1];
}

KERNEL(some)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        if (i >= m && x[i] > 3)
            y[i] = x[i] * 2;
}

KERNEL(range)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n + 9; i++)
        if (i >= m && 2 * i < n)
            y[i] = x[i];
}

KERNEL(below_diagonal)(int n, int m, const float *x, float *y)
{
    WS(grid(2))
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            if (j < i && i * m + j < n)
                y[i * m + j] = x[i * m + j] + 1;
}

KERNEL(antidiagonal)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < m; i++)
        y[i] = x[i * m + m - 1 - i];
}

/* Patches of 3 by 3, by quotient and rest. */
KERNEL(patches)(int n, int m, const float *x, float *y)
{
    int h = n / m;
    WS(grid(3))
    for (int k = 0; k < 9; k++)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < m; j++) {
                int v = i + k / 3 - 1, u = j + k % 3 - 1;
                y[(k * h + i) * m + j] = v >= 0 && v < h && u >= 0 && u < m ? x[v * m + u] : 0;
            }
}

/* Loops inside that sum in memory, as far as there is any; what is flagged is added to by itself. */
KERNEL(summed)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n + 40; i++) {
        for (int j = 0; j < m; j++)
            if (i + 3 < n)
                y[i + 3] += x[j];
        for (int j = 0; j < m; j++)
            if (i + 3 + j < n && x[j] > 2)
                y[i + 3] += j;
    }
}

KERNEL(flagged)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        if (x[i] > m && x[i] < 15)
            y[i] += x[i];
}

KERNEL(firsts)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        y[i] = x[i - i % 3] * m;
}

/* From the last of a pair, or triple: what the guard leaves out is an element of another parity. */
KERNEL(odd)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        if (2 * i + 1 < n)
            y[2 * i + 1] = x[2 * i] + x[i & -8] + x[i - i % m];
}

KERNEL(triples)(int n, int m, const float *x, float *y)
{
    WS(grid(2))
    for (int i = 0; i < n / m; i++)
        for (int j = 0; j < m; j++)
            y[i * m + j] = x[(i - i % 3) * m + j - j % 4];
}

/* m of either sign. */
KERNEL(rests)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        y[i] = x[40 + m * (i % 3)] + x[(i * m + 40 * n) % 37] * 2;
}

KERNEL(quotients)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        y[i] = x[n - i / m] - m;
}

KERNEL(prefixes)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        float s = 0;
        WS(pipeline(auto) reduction(+: s))
        for (int j = 0; j < 7 * n + m * i; j++)
            s += x[j];
        y[i] = s;
    }
}

/* No more than one step beyond the edges. */
KERNEL(edges)(int n, int m, const float *x, float *y)
{
    int h = n / m;
    WS(grid(2))
    for (int i = 0; i < h; i++)
        for (int j = 0; j < m; j++)
            for (int d = -1; d <= 1; d++) {
                int v = i + d, u = j - d;
                if (v != -1 && v != h && u != m && u >= 0)
                    y[i * m + j] += x[v * m + u] * (d + 2);
            }
}

/* Rows from the end, but for the diagonal. */
KERNEL(but_one)(int n, int m, const float *x, float *y)
{
    int h = n / m;
    WS(grid(1))
    for (int i = 1; i < h - 1; i++) {
        float s = 0;
        WS(pipeline(auto) reduction(+: s))
        for (int j = 1; j < i + 1; j++)
            s += i != j ? x[(h - 1 - i) * m + j] : x[i - 1];
        y[i] = s;
    }
}

/* By steps, from a place on that they leave alone. */
KERNEL(rows_from)(int n, int m, const float *x, float *y)
{
    WS(grid(2))
    for (int i = 0; i < n / 8; i += 2)
        for (int j = 0; j < 8; j += 3)
            y[(i + m) * (8 + m) + j + 1] += x[i * 8 + j];
}

KERNEL(fours_from)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = 0; i < n; i += 4)
        for (int j = 0; j < 4; j++)
            y[i + j + m] += x[i + j + m] * 2;
}

KERNEL(twos_from)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = m; i < n; i++) {
        y[2 * i - m] = x[2 * i - m] + i;
        y[2 * i - m + 1] = x[2 * i - m + 1];
    }
}

/* Right of column n, down from row n + 1, up to the diagonal. */
KERNEL(right_of_column)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int i = n + 1; i < m; i++)
        for (int j = n + 1; j <= i; j++)
            y[i * m + j] -= y[i * m + n] * x[j * m + n];
    WS(grid(1))
    for (int i = n + 1; i < m; i++)
        WS(pipeline(auto))
    for (int j = n + 1; j <= i; j++)
        y[i * m + j] += y[j * m + n] * x[i * m + n];
}

/* A counter that goes from below 0 on, times another. */
KERNEL(corners)(int n, int m, const float *x, float *y)
{
    WS(grid(1))
    for (int j = 0; j < m; j++)
        for (int i = -n; i < m; i++)
            y[j] += x[i * j + n * (m - 1)];
    WS(grid(1))
    for (int i = -n; i < m; i++)
        for (int j = 0; j < m; j++)
            y[i + n] += x[i * j + n * (m - 1)];
}
