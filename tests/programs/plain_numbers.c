/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain loops over integers of all types: the smallest and the largest along rows, columns and a grid, sums that become
   another type, counters that no int holds as numbers, comparisons across types, and rotations. */
#include <stdint.h>

#include "plain.h"

enum { ROWS = 7, COLUMNS = 45, ALL = ROWS * COLUMNS };

static unsigned long hash = 1;

static void mix(unsigned long x)
{
    hash = (hash ^ x) * 1099511628211ul;
}

static void *fresh(size_t bytes)
{
    return memset(check_output(WS_F64, bytes / 8 + 1), 0x55, bytes);
}

static void show(const char *name)
{
    printf("%s %016lx\n", name, hash);
    hash = 1;
    check_next();
}

/* Of rows and columns; from limits of the type, and from a number. */
#define EXTREMES(name, T, MIN, MAX)                                                                      \
    static void name##_rows(const T *x, T start, T *a, T *b)                                             \
    {                                                                                                    \
        PLAIN_PRAGMA(grid(1))                                                                            \
        for (int i = 0; i < ROWS; i++) {                                                                 \
            T lo = MAX, hi = start;                                                                      \
            PLAIN_PRAGMA(pipeline(auto) reduction(min : lo) reduction(max : hi))                         \
            for (int k = 0; k < COLUMNS; k++) {                                                          \
                lo = x[i * COLUMNS + k] < lo ? x[i * COLUMNS + k] : lo;                                  \
                if (x[i * COLUMNS + k] > hi)                                                             \
                    hi = x[i * COLUMNS + k];                                                             \
            }                                                                                            \
            a[i] = lo;                                                                                   \
            b[i] = hi;                                                                                   \
        }                                                                                                \
    }                                                                                                    \
    static void name##_all(const T *x, T *a)                                                             \
    {                                                                                                    \
        T lo = MAX, hi = MIN;                                                                            \
        PLAIN_PRAGMA(grid(1) reduction(min : lo) reduction(max : hi))                                    \
        for (int i = 0; i < ALL; i++) {                                                                  \
            lo = lo < x[i] ? lo : x[i];                                                                  \
            hi = x[i] > hi ? x[i] : hi;                                                                  \
        }                                                                                                \
        a[ROWS] = lo;                                                                                    \
        a[ROWS + 1] = hi;                                                                                \
    }                                                                                                    \
    static void name(unsigned long high)                                                                 \
    {                                                                                                    \
        T *x = fresh(sizeof(T) * ALL), *a = fresh(sizeof(T) * (ROWS + 2)), *b = fresh(sizeof(T) * ROWS), \
          all[ROWS + 2];                                                                                 \
        for (int i = 0; i < ALL; i++)                                                                    \
            x[i] = (T)(((unsigned long)check_bits() << 32 | check_bits()) | high);                       \
        name##_all(check_place(x), all);                                                                 \
        name##_rows(check_place(x), (T)(MIN + 3), check_place(a), check_place(b));                       \
        check_fetch();                                                                                   \
        for (int i = 0; i < ROWS; i++) {                                                                 \
            mix((unsigned long)a[i]);                                                                    \
            mix((unsigned long)b[i]);                                                                    \
        }                                                                                                \
        mix((unsigned long)all[ROWS]);                                                                   \
        mix((unsigned long)all[ROWS + 1]);                                                               \
        show(#name);                                                                                     \
    }
EXTREMES(of_schar, signed char, -128, 127)
EXTREMES(of_uchar, unsigned char, 0, 255)
EXTREMES(of_short, short, -32768, 32767)
EXTREMES(of_ushort, unsigned short, 0, 65535)
EXTREMES(of_uint, unsigned, 0, 4294967295u)
EXTREMES(of_ulong, unsigned long, 0, -1ul)

static void sums(const short *h, const unsigned char *b, const unsigned *u, const long *l, long *out)
{
#pragma ws grid(1)
    for (int i = 0; i < ROWS; i++) {
        short s = 3;
        unsigned char t = 250;
        int v = -5;
        unsigned w = 9;
        long x = 1;
#pragma ws pipeline(auto) reduction(+ : s, t, v, w, x)
        for (int k = 0; k < COLUMNS; k++) {
            s += h[i * COLUMNS + k];
            t += b[i * COLUMNS + k];
            v += u[i * COLUMNS + k];
            w -= l[i * COLUMNS + k];
            x -= u[i * COLUMNS + k];
        }
        out[i] = s + 3L * t + 5L * v + 7L * w + 11 * x;
    }
}

static void sum_numbers(void)
{
    short *h = fresh(2 * ALL);
    unsigned char *b = fresh(ALL);
    unsigned *u = fresh(4 * ALL);
    long *l = fresh(8 * ALL), *out = fresh(8 * ROWS);
    for (int i = 0; i < ALL; i++) {
        h[i] = (short)check_bits();
        b[i] = (unsigned char)check_bits();
        u[i] = check_bits();
        l[i] = (long)check_bits() << (i % 20) | i;
    }
    sums(check_place(h), check_place(b), check_place(u), check_place(l), check_place(out));
    check_fetch();
    for (int i = 0; i < ROWS; i++)
        mix((unsigned long)out[i]);
    show("sums");
}

/* a is so large that no int holds the counter, or below 0. */
static void counted(long a, int n, long p, unsigned u, const int *x, long *y, double *z)
{
#pragma ws grid(1)
    for (long i = a; i < a + n; i++) {
        y[i - a] = (i > p) + 2 * (i + 1 <= (long)u) + 4 * (i % 1000) + (i < x[i - a] ? i : x[i - a]);
        z[i - a] = i * 0.25;
    }
}

static void counted_bare(uint64_t a, int n, int p, const unsigned *x, uint64_t *y)
{
#pragma ws grid(1)
    for (uint64_t i = a; i < a + n; i++)
        y[i - a] = (i > p) + 2 * (x[i - a] >= i) + 4 * (i / 7) + (i << 3);
}

static void triangle(long a, int n, const int *x, long *y)
{
#pragma ws grid(1)
    for (long i = a; i < a + n; i++) {
        long s = 0;
#pragma ws pipeline(auto) reduction(+ : s)
        for (long k = a; k < a + n; k++)
            if (k <= i)
                s += x[k - a] * k;
        y[i - a] = s;
    }
}

static void count(long a)
{
    enum { N = 37 };
    int *x = fresh(4 * N);
    unsigned *u = fresh(4 * N);
    long *y = fresh(8 * N), *t = fresh(8 * N);
    uint64_t *v = fresh(8 * N);
    double *z = fresh(8 * N);
    for (int i = 0; i < N; i++) {
        x[i] = (int)check_bits();
        u[i] = check_bits();
    }
    counted(a, N, a + 9, 3000000010u, check_place(x), check_place(y), check_place(z));
    counted_bare((uint64_t)a, N, -1, check_place(u), check_place(v));
    triangle(a, N, check_place(x), check_place(t));
    check_fetch();
    for (int i = 0; i < N; i++) {
        mix((unsigned long)y[i]);
        mix(v[i]);
        mix((unsigned long)t[i]);
        mix((unsigned long)(long)(z[i] * 4));
    }
    show("counters");
}

/* Elements beside elements and numbers of other types. */
static void crossed(int n, long q, size_t r, int s, const unsigned *u, const int *x, const short *h,
                    const unsigned char *b, unsigned *y, int *z)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        y[i] = u[i] > q ? u[i] : q;
        z[i] = (x[i] < r) + 2 * (u[i] < s) + 4 * (h[i] < u[i]) + 8 * (h[i] > b[i]) + 16 * ((size_t)i > s) +
               32 * (x[i] < u[i]) + 64 * (h[i] < q);
    }
}

static void turned(int n, int q, const uint8_t *a, const uint16_t *b, const uint32_t *c, const uint64_t *d, uint64_t *y)
{
#pragma ws grid(1)
    for (int i = 0; i < n; i++) {
        uint8_t e = (uint8_t)(a[i] << 3 | a[i] >> 5);
        uint16_t f = (uint16_t)(b[i] >> 7 | b[i] << 9);
        uint32_t g = (c[i] << 7 | c[i] >> 25) ^ (c[i] << (q & 31) | c[i] >> (-q & 31));
        y[i] = (d[i] >> 11 | d[i] << 53) + (d[i] << q | d[i] >> (64 - q)) + e + f + g;
    }
}

static void cross(long q, size_t r, int s)
{
    enum { N = 150 };
    unsigned *u = fresh(4 * N), *y = fresh(4 * N);
    int *x = fresh(4 * N), *z = fresh(4 * N);
    short *h = fresh(2 * N);
    unsigned char *b = fresh(N);
    uint16_t *f = fresh(2 * N);
    uint64_t *d = fresh(8 * N), *e = fresh(8 * N);
    for (int i = 0; i < N; i++) {
        u[i] = check_bits() >> i % 31;
        x[i] = (int)check_bits() >> i % 29;
        h[i] = (short)check_bits();
        b[i] = (unsigned char)check_bits();
        f[i] = (uint16_t)check_bits();
        d[i] = (uint64_t)check_bits() << 32 | check_bits();
    }
    crossed(N, q, r, s, check_place(u), check_place(x), check_place(h), check_place(b), check_place(y), check_place(z));
    turned(N, 13, check_place(b), check_place(f), check_place(u), check_place(d), check_place(e));
    check_fetch();
    for (int i = 0; i < N; i++) {
        mix(y[i]);
        mix((unsigned long)z[i]);
        mix(e[i]);
    }
    show("crossed");
}

int main(int argc, char **argv)
{
    check_begin("plain_numbers", argc, argv);
    for (int k = 0; k < 2; k++) {
        unsigned long high = k ? 0x8080808080808080ul : 0;
        of_schar(high);
        of_uchar(high);
        of_short(high);
        of_ushort(high);
        of_uint(high);
        of_ulong(high);
        sum_numbers();
    }
    static const long starts[] = {0, 6000000000, 2147483640};
    for (int k = 0; k < 3; k++)
        count(starts[k]);
    cross(-1, 5, -1);
    cross(3500000000, (size_t)-3, 7);
    cross(5000000000, 0x80000000u, -2147483647);
    cross(-5000000000, 1, 0);
    return check_end();
}
