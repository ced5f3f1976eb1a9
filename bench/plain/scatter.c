/* SPDX-License-Identifier: MIT */
/* scatter.c - plain loops that store to subscripts that are loaded; bench/run scatter times them beside scatter.cu.  */

/* How often there is each of 256 numbers.  */
void histogram_ws(long n, const unsigned char *x, int *h)
{
#pragma ws grid(1)
    for (long i = 0; i < n; i++)
        h[x[i]]++;
}

void histogram_long_ws(long n, const unsigned char *x, long *h)
{
#pragma ws grid(1)
    for (long i = 0; i < n; i++)
        h[x[i]]++;
}

/* A sparse matrix in coordinates, times a vector.  */
void coordinates_ws(long n, long m, const int *r, const int *c, const float *v, const float *x, float *y)
{
#pragma ws grid(1) extent(x : m, y : m) reduction(+ : y)
    for (long i = 0; i < n; i++)
        y[r[i]] += v[i] * x[c[i]];
}

/* What an edge carries goes from one node to the other.  */
void edges_ws(long n, long m, const int *from, const int *to, const double *w, const double *x, double *y)
{
#pragma ws grid(1) extent(x : m, y : m) reduction(+ : y)
    for (long e = 0; e < n; e++) {
        const double flow = w[e] * (x[from[e]] - x[to[e]]);
        y[from[e]] -= flow;
        y[to[e]] += flow;
    }
}

/* Rows to where an array says, rows of there, and rows added to what is there.  */
void rows_stored_ws(long n, long d, const int *to, const float *x, float *y)
{
#pragma ws grid(2) extent(y : n * d) independent(y)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < d; j++)
            y[to[i] * d + j] = x[i * d + j];
}

void rows_read_ws(long n, long d, const int *to, const float *x, float *y)
{
#pragma ws grid(2) extent(x : n * d)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < d; j++)
            y[i * d + j] = x[to[i] * d + j];
}

void rows_added_ws(long n, long d, const int *to, const float *x, float *y)
{
#pragma ws grid(2) extent(y : n * d) reduction(+ : y)
    for (long i = 0; i < n; i++)
        for (long j = 0; j < d; j++)
            y[to[i] * d + j] += x[i * d + j];
}
