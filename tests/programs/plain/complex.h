/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of plain_complex.c: complex numbers, twice. */

KERNEL(scaled)
(int n, const float complex *restrict a, const float complex *restrict b, float complex w, float complex *restrict c,
 float *restrict size)
{
    WS(grid(1) tile(32))
    for (int i = 0; i < n; i++) {
        c[i] = a[i] * b[i] + w / a[i] - conjf(b[i]) * 2 + I;
        size[i] = cabsf(a[i]) + crealf(b[i]) - cargf(w) * cimagf(a[i]);
    }
}

KERNEL(fourier)(int n, const double complex *restrict x, double complex *restrict y)
{
    WS(grid(1) tile(16))
    for (int k = 0; k < n; k++) {
        double complex s = 0;
        WS(pipeline(auto) tile(32) reduction(+ : s))
        for (int i = 0; i < n; i++)
            s += x[i] * cexp(-2 * 3.14159265358979323846 * I * k * i / n);
        y[k] = s;
    }
}

KERNEL(product)
(int n, int m, int l, const double complex *restrict a, const double complex *restrict b, double complex *restrict c)
{
    WS(grid(2) tile(64, 16)) /* four products of tiles */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double complex s = 0;
            WS(pipeline(auto) tile(16) reduction(+ : s))
            for (int k = 0; k < l; k++)
                s += a[i * l + k] * b[k * m + j];
            c[i * m + j] = s;
        }
}

/* its tiles are chosen */
KERNEL(product_open)
(int n, int m, int l, const float complex *restrict a, const float complex *restrict b, float complex *restrict c)
{
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float complex s = 0;
            WS(pipeline(auto) reduction(+ : s))
            for (int k = 0; k < l; k++)
                s += a[i * l + k] * b[k * m + j];
            c[i * m + j] = s;
        }
}

/* one step of the points of Mandelbrot's set that are left */
KERNEL(escape)(int n, int steps, const double complex *restrict at, double complex *restrict z, int *restrict count)
{
    WS(grid(1) tile(16))
    for (int i = 0; i < n; i++) {
        double complex x = z[i];
        int left = 0;
        for (int k = 0; k < steps; k++)
            if (creal(x * conj(x)) < 4) {
                x = x * x + at[i];
                left++;
            }
        z[i] = x == 0 ? 1 : x;
        count[i] = left;
    }
}

/* members that are complex, under a condition; in place */
KERNEL(waves)
(int n, int m, struct wave *restrict w, const float complex *restrict turn, float complex *restrict table,
 float complex *restrict square)
{
    WS(grid(2))
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            table[i * m + j] = turn[i] * turn[j];
    WS(grid(2) tile(16, 32))
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            square[i * m + j] = turn[i] - turn[j] * I;
    WS(grid(2))
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (w[i * m + j].on)
                w[i * m + j].at = w[i * m + j].at * turn[j] - w[i * m + j].height;
}

/* a sum that leaves the grid, and numbers of integers */
KERNEL(summed)
(int n, const double complex *restrict x, double complex *sum, const _Complex int *restrict k, _Complex int *restrict l)
{
    double complex all = 1 - I;
    WS(grid(1) tile(64) reduction(+ : all))
    for (int i = 0; i < n; i++)
        all += x[i] * x[i];
    *sum = all;
    WS(grid(1) tile(64))
    for (int i = 0; i < n; i++)
        l[i] = k[i] * k[i] - 3;
}

/* parts of them, mixed with numbers that have none; constants, conditions, a function by value */
KERNEL(parted)
(int n, const double complex *restrict x, double complex *restrict y, float r, double complex w,
 const struct wave *restrict p)
{
    WS(grid(1) tile(16))
    for (int i = 0; i < n; i++) {
        double complex t = r * x[i] + I * 2 - conj(x[i]), u = turned_by(w, creal(x[i])) + p->at;
        __real__ t = 3 + creal(t);
        __imag__ t += cimag(x[i]) * 2;
        t *= r;
        t /= 2.5;
        if (cimag(x[i]) > 0)
            u = -u;
        else
            u += __builtin_complex(1.0, (double)r);
        double complex v = x[i] != 0 ? t / (x[i] + 10) : 0;
        for (int k = 0; k < 3; k++) {
            __imag__ v += k;
            v = v * 0.5 + u;
        }
        if (v)
            v = ~v;
        y[i] = 0;
        y[i] += (float complex)v + (double complex)r * t - 3 / (v + 2) + x[i] / I;
    }
}
