/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels.c - grids of plain loops: one construct each, with sums of the results.  */
#include <complex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct point {
    float x, y;
    int k;
    float z;
};
static struct point points[ALL], moved[ALL];

static void structures(int n, const struct point *restrict from, struct point *restrict to)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        to[i].x = from[i].x + from[i].z;
        to[i].k = from[i].k << 1;
        to[i].y = from[i].k & 1 ? from[i].y : 0;
    }
}

static int starts[ROWS + 1], at[ALL];

static void sparse(int m, const int *restrict start, const int *restrict column, const float *restrict x,
                   float *restrict y)
{
#pragma ws grid(1) tile(1) extent(column : ALL, x : ALL)
    for (int i = 0; i < m; i++) {
        float s = 0;
#pragma ws pipeline(auto) tile(32) reduction(+ : s)
        for (int k = start[i]; k < start[i + 1]; k++)
            s += x[column[k]];
        y[i] = s;
    }
}

static void offsets(size_t n, int m, const float *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (size_t i = 1; i + 1 < n; i++)
        y[i] = x[i - 1] + x[i + 1];
#pragma ws grid(1)
    for (int i = m - 1; i >= 0; i -= 2)
        y[i] += 1;
#pragma ws grid(1)
    for (int i = 1; i != m - 1; i++)
        y[i] += 2;
}

static void twice(int m, int n, const float *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        float s = 0, t = 1;
        for (int j = 1; j < n - 1; j++)
            s += x[i * n + j];
        for (int j = 1; j < n - 1; j++)
            t = x[i * n + j] > t ? x[i * n + j] : t;
        y[i] = s * t;
    }
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

/* the next count is used before the step */
static void above(int n, const float *restrict x, float *restrict y)
{
#pragma ws grid(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int k = j + 1; k < n - 2; k++)
                s += x[i * n + k] * x[k];
            y[i * n + j] = s;
        }
}

/* both ways around give a value, and loads stand between */
static void both(int n, const int *restrict x, const int *restrict y, float *restrict z)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < 5; k++)
            s += x[i] > k && y[i + k] > 3 ? z[i] * 2 : 1;
        z[i] = s;
    }
}

static void wide_step(size_t lo, size_t hi, int step, const float *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (size_t i = lo; i < hi + 1; i += step)
        y[i] = x[i] * 3;
}

/* mirrored at both ends */
static void mirrored(int n, int front, const float *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (int i = 0; i < n + 4; i++) {
        int k = i - front;
        if (k < 0)
            k = -k - 1;
        if (k >= n)
            k = 2 * n - 1 - k;
        y[i] = x[k];
    }
}

static void bounded(int some, int n, const float *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (int i = 0; i < (some ? n - 5 : n); i++)
        y[i] = x[i] + 7;
}

/* the second loop computes again what the first one has */
static void two_grids(int n, const unsigned *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (size_t i = 1; i < (size_t)(n - 1); i++)
        y[i] = (float)x[i];
#pragma ws grid(1)
    for (unsigned long i = 1; i < (unsigned long)(n - 1); i++)
        y[i] += i < x[i] % 64 ? 2 : 3;
}

static void perhaps(int n, const float *restrict x, float *restrict y, float *restrict z)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        if (z != NULL)
            z[i] += x[i];
        y[i] = x[i] * 5;
    }
}

/* planes that differ, and sides that are sums */
static void planes(int t, int n, int f)
{
    float(*to)[ROWS] = (float(*)[ROWS])c + n * ((t + 1) % 2), (*from)[ROWS] = (float(*)[ROWS])c + n * (t % 2);
    int m = ROWS - f + 1;
#pragma ws grid(2)
    for (int i = 1; i < n - 1; i++)
        for (int j = 0; j < m; j++)
            to[i][j] = from[i - 1][j] + from[i + 1][j + f - 1];
}

/* a clause names a pointer of an iteration; a test adds the counter to a number */
static void into_rows(int m, int n, unsigned first, unsigned last, const float *restrict x, float *restrict y)
{
#pragma ws grid(1)
    for (int i = 0; i < m; i++) {
        float *row = y + i * n;
#pragma ws pipeline(auto) reduction(+ : row)
        for (int k = 0; k < m; k++)
            for (int j = 0; j < n; j++)
                row[j] += x[k * n + j];
        for (unsigned k = 0; k != last - first; k++)
            row[0] += (float)k;
    }
}

static void bits_of(int n, const float *restrict x, int *restrict y, float *restrict z)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        unsigned bits, none;
        memcpy(&bits, &x[i], sizeof bits);
        memset(&none, 0, sizeof none);
        unsigned short high = (unsigned short)(bits >> 16);
        memcpy((char *)&none + 2, &high, sizeof high);
        y[i] = (int)(bits & 0xffff);
        memcpy(&z[i], &none, sizeof none);
    }
}

static long counted;

static void into_elements(int n, const int *restrict x, double *restrict sum)
{
#pragma ws grid(1) reduction(+ : sum) reduction(+ : counted)
    for (int i = 0; i < n; i++) {
        sum[1] += x[i] * 0.5;
        counted += x[i] > 3;
    }
}

/* sums of constants are no subscripts */
static int iterations(int low, int high, int m)
{
    unsigned count = 0;
#pragma ws grid(2) reduction(+ : count)
    for (int i = low; i < high; i++)
        for (int j = 0; j < m; j++)
            count += 2;
    return (int)count;
}

/* pragmas of a macro */
#define INSIDE(name, type)                                                              \
    static void name(int n, const type *restrict x, type *restrict y)                   \
    {                                                                                   \
        _Pragma("ws grid(2)") for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)   \
        {                                                                               \
            type s = 1;                                                                 \
            _Pragma("ws pipeline(auto)") for (int k = 0; k < n; k++) s += x[i * n + k]; \
            y[i * n + j] = s + x[j];                                                    \
        }                                                                               \
    }
INSIDE(inside, float)

static void show(const char *name)
{
    double x = 0, y = 0;
    for (int i = 0; i < ALL; i++) {
        x += (b[i] + 3 * c[i]) * (i % 11 + 1);
        y += d[i] * (i % 7 + 1) + q[i] % 1000 * 5 + bytes[i];
    }
    printf("%s %.9g %.9g\n", name, x, y);
}

/* A bound with conditions.  */
static void chosen_bound(int which, int m, int n, const float *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < (which > 1 ? n : which ? m : 3); i++)
        y[i] = x[i] + 1;
}

/* Bit fields of an array.  */
static struct word {
    unsigned set : 1, rest : 31;
} words[ALL];

static void fields(int n, const struct word *x, int *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        y[i] = (int)x[i].set + 3 * (int)x[i].rest;
}

/* A small array of each iteration.  */
static void largest_of_five(int n, const float *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float t[5];
        for (int k = 0; k < 5; k++)
            t[k] = x[i * 5 + k];
        for (int k = 0; k < 4; k++)
            if (t[k] > t[k + 1]) {
                float z = t[k];
                t[k] = t[k + 1];
                t[k + 1] = z;
            }
        y[i] = t[4];
    }
}

/* A structure of the array, whole.  */
static void squares(int n, struct point *y, const struct point *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        struct point own = x[i];
        y[i].x = own.x * own.x - own.y * own.y;
        y[i].y = 2 * own.x * own.y + (float)abs((int)own.x);
    }
}

/* Several elements of an array have sums of their own, and so has one that numbers choose.  */
static void into_several(int n, int row, int column, const float *x, float *sums)
{
#pragma ws grid(1) reduction(+ : sums)
    for (int i = 0; i < n; i++) {
        sums[0] += x[i];
        sums[1] += x[i] * x[i];
        sums[3] += 1;
    }
#pragma ws grid(1) reduction(+ : sums)
    for (int i = 0; i < n; i++)
        sums[row * 2 + column] += 2 * x[i];
}

/* Numbers of types that no grid has, outside of it.  */
static int beside(int n, long double scale, const float *x, float *y)
{
    __int128 wide = 1;
    long double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * scale;
        wide *= 1 + i % 2;
    }
    const float shift = (float)sum;
    if (sum > 0)
#pragma ws grid(1)
        for (int i = 0; i < n; i++)
            y[i] = x[i] + shift;
    return (int)(wide >> 20) + (sum > 1);
}

struct sizes {
    int n;
    struct {
        float factor, shift;
    } part;
};

/* A structure by value, and one that the function fills in.  */
static void by_value(struct sizes s, const float *x, float *y)
{
    struct sizes own = s;
    own.part.shift = s.part.shift + 1;
#pragma ws grid(1)
    for (int i = 0; i < s.n; i++)
        y[i] = x[i] * s.part.factor + own.part.shift;
}

static struct {
    float first[ROWS][COLUMNS];
    int n;
    float second[ROWS][COLUMNS];
} arrays;

/* Members of a variable, of which one is stored.  */
static void members_of(int by)
{
#pragma ws grid(2)
    for (int i = 1; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            arrays.second[i][j] = arrays.first[i - 1][j] * (float)arrays.n + (float)by;
}

/* A pointer to a row, found by a sum that the grid leaves alone.  */
static void row_of(int n, int r, float *const *rows, const float *x)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++)
        rows[r + 1][i] += 2 * x[i];
}

/* Complex numbers: a quotient by one of the function, and a sum that leaves the grid.  */
static float complex turned(int n, float complex w, const float complex *x, float complex *y)
{
    float complex all = 1;
#pragma ws grid(1) tile(32) reduction(+ : all)
    for (int i = 0; i < n; i++) {
        y[i] = x[i] / w * conjf(x[i]);
        all += x[i];
    }
    return all;
}

/* The nearer of two bounds, as a condition and as a break.  */
static void nearer(int n, int m, int limit, const float *x, float *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        float s = 0;
        for (int k = 0; k < m && k <= limit; k++) {
            if (k + 2 >= n)
                break;
            s += x[i + k];
        }
        y[i] = s;
    }
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
    for (int i = 0; i < ALL; i++) {
        points[i] = (struct point){a[i], b[i], p[i], 1};
        at[i] = i * 17 % ALL;
    }
    for (int i = 0; i < ROWS; i++)
        starts[i + 1] = starts[i] + i % 9;
    structures(ALL, points, moved);
    for (int i = 0; i < ALL; i++)
        c[i] = moved[i].x + 2 * moved[i].y + (float)moved[i].k + moved[i].z;
    show("structures");
    sparse(ROWS, starts, at, a, c);
    show("sparse");
    offsets(ALL, ROWS, a, c);
    show("offsets");
    twice(ROWS, COLUMNS, a, c);
    show("twice");
    twice(ROWS, 2, a, c);
    show("twice none");
    above(ROWS, a, c);
    show("above");
    both(ALL - 5, p, q, c);
    show("both");
    wide_step(3, ALL - 2, 3, a, c);
    show("wide step");
    mirrored(ALL - 4, 2, a, c);
    show("mirrored");
    bounded(0, ALL, a, c);
    bounded(1, ALL, b, c);
    show("bounded");
    two_grids(ALL, (const unsigned *)p, c);
    show("two grids");
    perhaps(ALL, a, c, NULL);
    perhaps(ALL, a, c, b);
    show("perhaps");
    planes(0, 20, 2);
    planes(1, 20, 3);
    show("planes");
    into_rows(ROWS, COLUMNS, 3, 17, a, c);
    show("into rows");
    bits_of(ALL, a, q, c);
    show("bits of");
    into_elements(ALL, p, d);
    printf("%.9g %ld\n", d[1], counted);
    printf("%d\n", iterations(-3, 8, 5));
    inside(ROWS, a, c);
    show("inside");
    for (int which = 0; which < 3; which++)
        chosen_bound(which, 17 + which, 33, b, c + 40 * which);
    show("chosen bound");
    for (int i = 0; i < ALL; i++) {
        words[i].set = i % 3 == 0;
        words[i].rest = (unsigned)i * 77;
    }
    fields(ALL, words, q);
    for (int i = 0; i < ALL; i++)
        c[i] = (float)q[i];
    show("fields");
    largest_of_five(ALL / 5, a, c);
    show("largest of five");
    squares(ALL, moved, points);
    for (int i = 0; i < ALL; i++)
        c[i] = moved[i].x + 3 * moved[i].y;
    show("squares");
    printf("%d\n", beside(60, 2, a, c));
    show("beside");
    by_value((struct sizes){ALL, {0.5f, 3}}, a, c);
    show("by value");
    memcpy(arrays.first, a, sizeof arrays.first);
    arrays.n = 3;
    members_of(2);
    memcpy(c, arrays.second, sizeof arrays.second);
    show("members");
    row_of(COLUMNS, 1, (float *const[]){a, b, c + COLUMNS}, b);
    show("row of");
    static float complex pairs[ALL / 2];
    for (int i = 0; i < ALL / 2; i++)
        pairs[i] = (float)(i % 7) + (float)(i % 5) * I;
    const float complex all = turned(ALL / 2, 2 - 4 * I, pairs, (float complex *)c);
    printf("%g %g\n", (double)crealf(all), (double)cimagf(all));
    show("turned");
    nearer(ROWS, 9, 5, a, c);
    nearer(7, 9, 15, b, c + ROWS);
    show("nearer");
    float four[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    into_several(60, 1, 3, a, four);
    for (int i = 0; i < 8; i++)
        printf("%g ", four[i]);
    printf("\n");
    return 0;
}
