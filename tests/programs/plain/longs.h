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

KERNEL(counted)(int n, int m, const int *restrict x, long *restrict h)
{
    WS(grid(1) extent(h : m))
    for (int i = 0; i < n; i++)
        h[x[i]] += 1L << 33;
}

/* sums of int that are long, the largest, the smallest, and where the largest is */
KERNEL(summed)
(int m, int n, const long *restrict x, const int *restrict y, long *restrict sum, long *restrict wide,
 long *restrict most, int64_t *restrict where, long *restrict least)
{
    WS(grid(1) tile(16))
    for (int i = 0; i < m; i++) {
        long s = 0, w = 0, largest = -1L << 62, smallest = 1L << 62, place = -1;
        WS(pipeline(auto) tile(32))
        for (int k = 0; k < n; k++) {
            s += x[(long)i * n + k];
            w += y[(long)i * n + k];
            largest = x[(long)i * n + k] > largest ? x[(long)i * n + k] : largest;
            smallest = x[(long)i * n + k] < smallest ? x[(long)i * n + k] : smallest;
        }
        for (int k = 0; k < n; k++)
            if (x[(long)i * n + k] == largest)
                place = k;
        sum[i] = s;
        wide[i] = w;
        most[i] = largest * 3;
        least[i] = smallest >> 3;
        where[i] = place;
    }
}

/* a step of a generator of random numbers, of elements that are looked up */
KERNEL(drawn)(int n, const long *restrict at, const uint64_t *restrict state, unsigned long *restrict next)
{
    WS(grid(1) extent(state : n))
    for (int i = 0; i < n; i++)
        next[i] = (state[at[i]] * 6364136223846793005ul + 1442695040888963407ul) >> 33;
}

KERNEL(mixed)
(int n, const long *restrict a, const unsigned long *restrict b, const double *restrict d, const int *restrict c,
 const unsigned *restrict u, long *restrict y, unsigned long *restrict z, float *restrict f, double *restrict g,
 int *restrict k)
{
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        y[i] = (long)c[i] * c[i] + u[i] + (a[i] > (long)d[i] ? a[i] / 7 : a[i] % 1000) + n;
        z[i] = (b[i] > 5ul ? b[i] : (unsigned long)u[i]) ^ (b[i] << (c[i] & 63)) ^ (unsigned long)(d[i] * d[i]);
        f[i] = (float)b[i] + (float)a[i];
        g[i] = (double)b[i] - (double)u[i];
        k[i] = (int)(a[i] & 0xff) + (b[i] < (unsigned long)n) + (a[i] == c[i]) + (~a[i] < -a[i]);
    }
}

/* rows to where a list of long says, if a number is large */
KERNEL(moved)
(int n, int c, const long *restrict to, const long *restrict x, long *restrict y)
{
    WS(grid(2) extent(y : n * c) independent(y))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < c; j++)
            if (x[i * c + j] > 1L << 35)
                y[to[i] * c + j] = x[i * c + j] + 1;
}

/* constants of more than 32 bits beside numbers that were converted */
KERNEL(constants)(int n, long most, const int *q, unsigned long *y, long *largest, const long *each, long *least)
{
    /* ... and others that are known before, or the same for a tile */
    WS(grid(1))
    for (int i = 0; i < n; i++)
        least[i] = (q[i] < most) + ((long)q[i] & most) + ((long)(i + 1) < most ? 0 : q[i]);
    WS(grid(1) tile(16))
    for (int i = 0; i < n; i++) {
        long s = 0;
        for (int k = 0; k < 9; k++)
            s = s * 3 + ((long)q[i] < each[k] ? 1 : 7 ^ each[k]) + ((long)q[i] ^ each[k]);
        least[i] += s;
    }
    /* ... and what 32 bits stand for with a sign and without one */
    WS(grid(1))
    for (int i = 0; i < n; i++)
        least[i] -= (long)(((unsigned long)i & 255) | (unsigned)(q[i] - 3)) + (long)((unsigned long)q[i] ^ (unsigned)i);
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        y[i] = 0x9e3779b97f4a7c15ul ^ (unsigned long)q[i];
        largest[i] = q[i] > 3 ? (long)q[i] : 1L << 40;
    }
    /* the least of converted numbers, as a floating number */
    WS(grid(1) tile(16))
    for (int i = 0; i < n; i++) {
        long g = 7, h = 1;
        for (int k = 0; k < 9; k++) {
            g = (long)q[i] < g ? (long)q[i] : g;
            h = (long)(unsigned)q[i] > h ? (long)(unsigned)q[i] : h;
        }
        least[i] += (long)((float)g * 3 + (float)h);
    }
    /* a loop that changes nothing, beside one of the same bounds */
    WS(grid(1) tile(16))
    for (int i = 0; i < n; i++) {
        long s = 0, few = -100;
        for (int k = 0; k < n; k++)
            s += (long)q[i] * q[k];
        for (int k = 0; k < n; k++)
            few = few < 255 ? few : 255;
        least[i] += s + few;
    }
    /* numbers that were converted with their sign and without it, in one */
    WS(grid(1))
    for (int i = 0; i < n; i++) {
        unsigned long e = q[i] < 2 ? (unsigned long)(unsigned)q[i] : (unsigned long)q[i] - 9;
        y[i] ^= e + ((unsigned long)(unsigned)(unsigned long)(signed char)q[i] | (unsigned long)(q[i] & 5));
    }
}
