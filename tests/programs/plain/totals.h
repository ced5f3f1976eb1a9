/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of plain_totals.c: sums, largest and smallest numbers, and tests of a whole grid. */

FUNCTION(double, dot)(int n, const double *x, const double *y, double s)
{
    WS(grid(1) reduction(+ : s))
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

/* in double, and more than one */
FUNCTION(float, variance)(int n, const float *x)
{
    double sum = 0, squares = 0;
    WS(grid(1) tile(128) reduction(+ : sum, squares))
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += (double)x[i] * x[i];
    }
    return (float)((squares - sum * sum / n) / n);
}

/* over rows and columns, beside a store */
FUNCTION(float, residual)(int n, int m, const float *a, const float *b, float *r)
{
    float total = 1;
    WS(grid(2) reduction(+ : total))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float d = a[i * m + j] - b[i * m + j];
            r[i * m + j] = d;
            total += d * d;
        }
    return total;
}

/* a sum inside goes on summing; rows differ in their length */
FUNCTION(float, triangle)(int n, const float *a)
{
    float total = 0;
    WS(grid(1) tile(16) reduction(+ : total))
    for (int i = 0; i < n; i++) {
        WS(pipeline(auto) tile(16) reduction(+ : total))
        for (int j = 0; j <= i; j++)
            total += a[i * n + j];
        total -= 0.5f * a[i * n + i];
    }
    return total;
}

/* the square of a product of matrices, which is stored nowhere */
FUNCTION(float, norm_of_product)(int n, const float *a, const float *b)
{
    float total = 0;
    WS(grid(2) tile(64, 64) reduction(+ : total))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            WS(pipeline(auto) tile(32) reduction(+ : s))
            for (int k = 0; k < n; k++)
                s += a[i * n + k] * b[j * n + k];
            total += s * s;
        }
    return total;
}

FUNCTION(float, range_of)(int n, const float *x, float *least)
{
    float most = x[0], low = x[0];
    WS(grid(1) reduction(max : most) reduction(min : low))
    for (int i = 1; i < n; i++) {
        most = x[i] > most ? x[i] : most;
        if (x[i] < low)
            low = x[i];
    }
    *least = low;
    return most;
}

FUNCTION(int, count_above)(int n, int m, const float *x, float bar)
{
    int count = 3;
    WS(grid(2) reduction(+ : count))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (x[i * m + j] > bar)
                count++;
    return count;
}

FUNCTION(int, iterations)(int low, int high, int m)
{
    unsigned count = 0;
    WS(grid(2) tile(8, 8) reduction(+ : count))
    for (int i = low; i < high; i++)
        for (int j = 0; j < m; j++)
            count += 2;
    return (int)count;
}

FUNCTION(int, within)(int n, const float *x, float bar)
{
    int all = 1, any = 0;
    WS(grid(1) reduction(&& : all) reduction(|| : any))
    for (int i = 0; i < n; i++) {
        all = all && x[i] < bar;
        any = any || x[i] > bar - 1;
    }
    return all + 2 * any;
}

/* an element that the grid sums in, beside a row that it adds to */
FUNCTION(float, both_products)(int n, int m, const float *a, const float *r, float *s, float *q)
{
    for (int i = 0; i < n; i++) {
        q[i] = 1;
        WS(grid(1) reduction(+ : q))
        for (int j = 0; j < m; j++) {
            s[j] += r[i] * a[i * m + j];
            q[i] += a[i * m + j] * s[j];
        }
    }
    return q[0];
}

/* each unknown of those before it, which are elements of the array that is summed in */
FUNCTION(double, solve)(int n, double l[n][n], double x[n], const double *b)
{
    static double last[3];
    for (int i = 0; i < n; i++) {
        x[i] = b[i];
        WS(grid(1) tile(16) reduction(- : x))
        for (int j = 0; j < i; j++)
            x[i] -= l[i][j] * x[j];
        x[i] /= 3 + l[i][i];
    }
    last[1] = 0;
    WS(grid(2) tile(8, 16) reduction(max : last))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (l[i][j] > last[1])
                last[1] = l[i][j];
    return last[1];
}

/* in memory: an element, a member, a variable of the file */
FUNCTION(double, in_memory)(int n, const float *x, float *most, struct summary *a)
{
    of_file = 0.5;
    most[1] = -1;
    a->sum = 1;
    WS(grid(1) reduction(max : most))
    for (int i = 0; i < n; i++)
        most[1] = x[i] > most[1] ? x[i] : most[1];
    WS(grid(1) reduction(+ : a, of_file))
    for (int i = 0; i < n; i++) {
        a->sum += x[i];
        of_file += 2 * x[i];
    }
    return of_file + a->sum + most[1];
}
