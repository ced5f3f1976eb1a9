/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_scatter.c. */

/* how often there is each byte: no clause says how many there are */
KERNEL(histogram)(int n, const unsigned char *image, int *count)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        count[image[i]]++;
}

/* some bits of numbers, under a condition */
KERNEL(buckets)(int n, int least, const int *key, unsigned *count)
{
    WS(grid(1))
    for (int i = 0; i < n; i++)
        if (key[i] >= least)
            count[key[i] >> 4 & 63] += 3;
}

/* of three channels, rows of an image with a stride */
KERNEL(channels)(int h, int w, int stride, const unsigned char *image, int *red, int *other)
{
    WS(grid(2))
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const unsigned char *pixel = image + y * stride + 3 * x;
            red[pixel[0]]++;
            other[pixel[1] + pixel[2]] -= pixel[0] & 7;
        }
}

/* a sparse matrix in coordinates, times a vector */
KERNEL(coordinates)(int n, int m, const int *row, const int *col, const float *value, const float *x, float *y)
{
    WS(grid(1) extent(x : m, y : m) reduction(+ : y))
    for (int i = 0; i < n; i++)
        y[row[i]] += value[i] * x[col[i]];
}

/* what an edge carries goes from one node to the other */
KERNEL(edges)(int n, int m, const int *from, const int *to, const double *w, const double *x, double *y)
{
    WS(grid(1) extent(x : m, y : m) reduction(+ : y))
    for (int e = 0; e < n; e++) {
        double flow = w[e] * (x[from[e]] - x[to[e]]);
        y[from[e]] -= flow;
        y[to[e]] += flow;
    }
}

/* rows to where an array says, each to its own */
KERNEL(permuted)(int n, int d, const int *to, const float *x, float *y)
{
    WS(grid(2) extent(y : n * d) independent(y))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            y[to[i] * d + j] = x[i * d + j];
}

/* the gradient of an embedding: tokens come several times */
KERNEL(embedding)(int n, int d, int v, const int *token, const float *dout, float *dtable)
{
    WS(grid(2) extent(dtable : v * d) reduction(+ : dtable))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < d; j++)
            dtable[token[i] * d + j] += dout[i * d + j];
}

/* sums over the grid's first loop, of which one tile has many rows */
KERNEL(columns)(int n, int m, const float *x, float *y)
{
    WS(grid(2) reduction(+ : y))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[j] += x[i * m + j];
}

/* a loop inside adds several times, some of it outside of what there is */
KERNEL(neighbours)(int n, int m, int k, const int *list, const float *w, float *y)
{
    WS(grid(1) extent(y : m) reduction(+ : y))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            if (list[i * k + j] >= 0 && list[i * k + j] < m)
                y[list[i * k + j]] += w[i];
}

/* the diagonals of a matrix */
KERNEL(diagonals)(int n, int m, const int *x, int *y)
{
    WS(grid(2) reduction(+ : y))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[i + j] += x[i * m + j];
}

/* those of a kind behind each other: the places are computed before */
KERNEL(sorted)(int n, const int *place, const short *key, short *to, unsigned char *small)
{
    WS(grid(1) extent(to : n, small : n) independent(to, small))
    for (int i = 0; i < n; i++) {
        to[place[i]] = key[i];
        if (key[i] > 0)
            small[place[i]] = (unsigned char)key[i];
    }
}

/* arrays of which declarations say how long they are: keys, and how often there is each */
KERNEL(declared)(int n, int *out)
{
    WS(grid(1))
    for (int i = 0; i < COUNTED; i++)
        counted[i] = 0;
    WS(grid(1))
    for (int i = 0; i < n; i++)
        counted[keys[i]]++;
    WS(grid(1))
    for (int i = 0; i < COUNTED; i++)
        out[i] = counted[i];
}

/* sums between bounds that are loaded, of elements that are looked up */
KERNEL(ragged)(int n, float *out)
{
    WS(grid(1) tile(1))
    for (int i = 0; i < n; i++) {
        float sum = 0;
        WS(pipeline(auto) reduction(+ : sum))
        for (int k = first[i]; k < first[i + 1]; k++)
            sum += weight[k] * (float)counted[keys[k]];
        out[i] = sum;
    }
}

/* a place that is looked up twice, under a condition on another counter */
KERNEL(twice)(int n, const int *next, const float *x, float *y)
{
    WS(grid(2) extent(next : n, y : n) reduction(+ : y))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (next[i] != j)
                y[next[next[j]]] += x[i];
}
