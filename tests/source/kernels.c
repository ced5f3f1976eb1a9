/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels.c - grids of plain loops for the region walker: one construct each, with sums of the results.  */
#include <stdio.h>

enum { ROWS = 37, COLUMNS = 53, ALL = ROWS * COLUMNS };
static float a[ALL], b[ALL], c[ALL];
static double d[ALL];
static int p[ALL], q[ALL];
static unsigned char bytes[ALL];

static void axpy(int n, float f, const float *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = f * x[i] + y[i];
}

static void rows(int m, int n, const float *restrict x, float *restrict y)
{
#pragma ws grid(2)
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[i * n + j] = x[i * n + j] < 0 ? -x[i * n + j] : 2 * x[i * n + j];
}

static void sums(int m, int n, const float *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        float s = 0;
        for (int j = 0; j < n; j++)
            s += x[i * n + j];
        y[i] = s;
    }
}

static void guarded(long n, const double *restrict x, double *restrict y)
{
#pragma ws grid(1)
    for (long i = 1; i < n - 1; i++) {
        if (x[i] > 0)
            y[i] = x[i - 1] + x[i + 1];
        else if (i % 3 == 1)
            y[i] = 1;
    }
}

static void integers(unsigned n, const int *restrict x, int *restrict y, unsigned char *restrict z)
{
#pragma ws grid(1)
    for (unsigned i = 0; i < n; i++) {
        unsigned v = (unsigned)x[i] * 2654435761u;
        y[i] = (int)(v >> 7 ^ v << 3) + (x[i] < 0 ? -x[i] : x[i]);
        z[i] = (unsigned char)(v >> 11);
    }
}

static void walking(int m, int n, const float *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        const float *r = x + i * n;
        float most = *r++;
        for (int j = 1; j < n; j++, r++)
            most = *r > most ? *r : most;
        y[i] = most;
    }
}

static float half(float x)
{
    return x * 0.5f;
}

static void called(int n, const float *restrict x, float *restrict y)
{
    const int first = 3;
#pragma ws grid(1)
    for (int i = first; i < n; i += 1)
        y[i] = half(x[i]) + (float)first;
}

static float product(int n, const float *restrict x, const float *restrict y)
{
    float s = 1;
#pragma ws grid(1) reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}

static int most(int n, const int *x)
{
    int m = -1000;
#pragma ws grid(1) reduction(max : m)
    for (int i = 0; i < n; i++)
        if (x[i] > m)
            m = x[i];
    return m;
}

static void first(int n, const float *restrict x, float *restrict y)
{
#pragma ws grid(1) extent(x : n)
    for (int i = 0; i < n; i++)
        y[i] = x[(i * 7) % n];
}

struct field {
    int rows, columns;
    const float *from;
    float *to;
};

static void members(const struct field *f)
{
#pragma ws grid(2)
    for (int i = 0; i < f->rows; i++)
        for (int j = 0; j < f->columns; j++)
            f->to[i * f->columns + j] = f->from[i * f->columns + j] * 3;
}

static void globals(void)
{
#pragma ws grid(2) independent(c)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            c[i * COLUMNS + j] = a[i * COLUMNS + j] + (float)p[i * COLUMNS + j];
}

static void reset(void)
{
    for (int i = 0; i < ALL; i++) {
        a[i] = (float)(i * 7 % 31 - 15);
        b[i] = (float)(i * 5 % 17);
        c[i] = 0;
        d[i] = i * 3 % 19 - 9;
        p[i] = i * 1237 % 1009 - 500;
    }
}

static void show(const char *name)
{
    double x = 0, y = 0;
    for (int i = 0; i < ALL; i++) {
        x += (b[i] + 3 * c[i]) * (i % 11 + 1);
        y += d[i] * (i % 7 + 1) + q[i] % 1000 * 5 + bytes[i];
    }
    printf("%s %.9g %.9g\n", name, x, y);
}

int main(void)
{
    static double e[ALL];
    reset();
    axpy(ALL, 3, a, b);
    show("axpy");
    rows(ROWS, COLUMNS, a, c);
    show("rows");
    sums(ROWS, COLUMNS, a, c);
    show("sums");
    for (int i = 0; i < ALL; i++)
        e[i] = d[i];
    guarded(ALL, e, d);
    show("guarded");
    integers(ALL, p, q, bytes);
    show("integers");
    walking(ROWS, COLUMNS, a, c);
    show("walking");
    called(ALL, a, c);
    show("called");
    printf("%.9g %d\n", product(ALL, a, b), most(ALL, p));
    first(ALL, a, c);
    show("first");
    members(&(struct field){ROWS, COLUMNS, a, c});
    show("members");
    globals();
    show("globals");
    return 0;
}
