/* SPDX-License-Identifier: MIT */
/*
 * nests.c - plain nests for bench/tiling/tiling: what tiles of the compiler's choice lose against clauses.
 *
 *   wscc -DNEST_jacobi -DTILE_2="tile(8, 128)" nests.c
 *
 * TILE_n stands behind `grid(n)`, INNER behind `pipeline`. The program compares the nest with the same loops on the
 * CPU, for small extents, and prints the milliseconds of one launch on 16384 x 16384 floats in the GPU's memory, the
 * median of five batches, and the largest relative difference.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ws.h>

/* Each nest is there twice: this file includes itself, the second time without pragmas.  */
#ifdef FUNCTION

#    ifdef NEST_copy
#        undef NAME
#        define NAME copy
FUNCTION(copy)(int n, int m, const float *x, float *y)
{
    GRID(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[(long)i * m + j] = x[(long)i * m + j] * 2;
}
#    endif

#    ifdef NEST_transpose
#        undef NAME
#        define NAME transpose
FUNCTION(transpose)(int n, int m, const float *x, float *y)
{
    GRID(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            y[(long)j * n + i] = x[(long)i * m + j];
}
#    endif

#    ifdef NEST_jacobi
#        undef NAME
#        define NAME jacobi
FUNCTION(jacobi)(int n, int m, const float *x, float *y)
{
    GRID(2)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            y[(long)i * m + j] = 0.2f * (x[(long)i * m + j] + x[(long)i * m + j - 1] + x[(long)i * m + j + 1] +
                                         x[(long)(i + 1) * m + j] + x[(long)(i - 1) * m + j]);
}
#    endif

#    ifdef NEST_stencil_ijk
#        undef NAME
#        define NAME stencil_ijk
FUNCTION(stencil_ijk)(int n, int m, const float *x, float *y)
{
    const int l = 8;
    GRID(3)
    for (int i = 1; i < m - 1; i++)
        for (int j = 1; j < n / l - 1; j++)
            for (int k = 1; k < l - 1; k++) {
                const float *p = x + ((long)k * (n / l) + j) * m + i;
                y[((long)k * (n / l) + j) * m + i] =
                    p[1] + p[-1] + p[m] + p[-m] + p[(long)(n / l) * m] + p[-(long)(n / l) * m] - 6 * p[0];
            }
}
#    endif

#    ifdef NEST_points27
#        undef NAME
#        define NAME points27
FUNCTION(points27)(int n, int m, const float *x, float *y)
{
    const int l = 8;
    GRID(3)
    for (int i = 1; i < l - 1; i++)
        for (int j = 1; j < n / l - 1; j++)
            for (int k = 1; k < m - 1; k++) {
                float sum = 0;
                for (int a = -1; a <= 1; a++)
                    for (int b = -1; b <= 1; b++)
                        for (int c = -1; c <= 1; c++)
                            sum += x[((long)(i + a) * (n / l) + j + b) * m + k + c];
                y[((long)i * (n / l) + j) * m + k] = sum / 27;
            }
}
#    endif

#    ifdef NEST_hotspot
#        undef NAME
#        define NAME hotspot
FUNCTION(hotspot)(int n, int m, const float *x, float *y)
{
    GRID(2)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float up = x[(long)(i > 0 ? i - 1 : 0) * m + j], down = x[(long)(i < n - 1 ? i + 1 : n - 1) * m + j];
            float left = x[(long)i * m + (j > 0 ? j - 1 : 0)], right = x[(long)i * m + (j < m - 1 ? j + 1 : m - 1)];
            float here = x[(long)i * m + j];
            y[(long)i * m + j] = here + 0.1f * (up + down + left + right - 4 * here);
        }
}
#    endif

#    ifdef NEST_sobel
#        undef NAME
#        define NAME sobel
FUNCTION(sobel)(int n, int m, const float *x, float *y)
{
    GRID(2)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++) {
            const float *p = x + (long)i * m + j;
            float a = p[-m + 1] + 2 * p[1] + p[m + 1] - p[-m - 1] - 2 * p[-1] - p[m - 1];
            float b = p[m - 1] + 2 * p[m] + p[m + 1] - p[-m - 1] - 2 * p[-m] - p[-m + 1];
            y[(long)i * m + j] = sqrtf(a * a + b * b);
        }
}
#    endif

#    ifdef NEST_channels
#        undef NAME
#        define NAME channels
FUNCTION(channels)(int n, int m, const float *x, float *y)
{
    const int l = 8;
    GRID(3)
    for (int b = 0; b < l; b++)
        for (int c = 0; c < n / l; c++)
            for (int p = 0; p < m; p++)
                y[((long)b * (n / l) + c) * m + p] = x[((long)b * (n / l) + c) * m + p] * x[c] + x[c + 1];
}
#    endif

#    ifdef NEST_taps
#        undef NAME
#        define NAME taps
FUNCTION(taps)(int n, int m, const float *x, float *y)
{
    const int l = 8;
    GRID(3)
    for (int b = 0; b < l; b++)
        for (int d = 0; d < n / l; d++)
            for (int t = 0; t < m; t++) {
                float sum = 0;
                for (int k = 0; k < 4; k++)
                    if (t - 3 + k >= 0)
                        sum += x[((long)b * (n / l) + d) * m + t - 3 + k] * x[d * 4 + k];
                y[((long)b * (n / l) + d) * m + t] = sum;
            }
}
#    endif

#    ifdef NEST_rowsum
#        undef NAME
#        define NAME rowsum
FUNCTION(rowsum)(int n, int m, const float *x, float *y)
{
    GRID(1)
    for (int i = 0; i < n; i++) {
        float sum = 0;
        PIPELINE(reduction(+ : sum))
        for (int j = 0; j < m; j++)
            sum += x[(long)i * m + j] * x[j];
        y[i] = sum;
    }
}
#    endif

#    ifdef NEST_colsum
#        undef NAME
#        define NAME colsum
FUNCTION(colsum)(int n, int m, const float *x, float *y)
{
    GRID(1)
    for (int j = 0; j < m; j++) {
        float sum = 0;
        PIPELINE(reduction(+ : sum))
        for (int i = 0; i < n; i++)
            sum += x[(long)i * m + j] * x[i];
        y[j] = sum;
    }
}
#    endif

#    ifdef NEST_pairs
#        undef NAME
#        define NAME pairs
FUNCTION(pairs)(int n, int m, const float *x, float *y)
{
    GRID(1)
    for (int i = 0; i < n; i++) {
        float sum = 0;
        PIPELINE(reduction(+ : sum))
        for (int j = 0; j < m; j++) {
            float a = x[j] - x[i], b = x[j + m] - x[i + m], d = a * a + b * b + 1e-3f;
            sum += a / (d * sqrtf(d));
        }
        y[i] = sum;
    }
}
#    endif

#else

#    ifndef TILE_1
#        define TILE_1
#    endif
#    ifndef TILE_2
#        define TILE_2
#    endif
#    ifndef TILE_3
#        define TILE_3
#    endif
#    ifndef INNER
#        define INNER
#    endif
#    define AS_PRAGMA(...) _Pragma(#    __VA_ARGS__)
#    define EXPANDED(...)  AS_PRAGMA(__VA_ARGS__)
#    define FUNCTION(name) static void name
#    define GRID(n)        EXPANDED(ws grid(n) TILE_##n)
#    define PIPELINE(...)  EXPANDED(ws pipeline(auto) INNER __VA_ARGS__)
#    include "nests.c"
#    undef FUNCTION
#    undef GRID
#    undef PIPELINE
#    define FUNCTION(name) static void name##_plain
#    define GRID(n)
#    define PIPELINE(...)
#    include "nests.c"

#    define TWICE(name) name, name##_plain
#    define BOTH(name)  TWICE(name)
typedef void Nest(int n, int m, const float *x, float *y);
static Nest *const nests[] = {BOTH(NAME)};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int up(const void *x, const void *y)
{
    return *(const double *)x < *(const double *)y ? -1 : *(const double *)x > *(const double *)y;
}

static float *numbers(size_t count)
{
    float *x = calloc(count, sizeof *x);
    unsigned state = 1;
    for (size_t i = 0; x && i < count; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = 0.5f + (float)(state >> 8) / (1 << 24);
    }
    return x;
}

static double difference(Nest *nest, Nest *plain, int n, int m)
{
    const size_t count = (size_t)n * (size_t)m;
    float *x = numbers(count), *y = calloc(count, sizeof *y), *wanted = calloc(count, sizeof *wanted);
    double most = 0, largest = 1e-30;
    if (!x || !y || !wanted)
        abort();
    nest(n, m, x, y);
    ws_or_die(ws_sync());
    plain(n, m, x, wanted);
    for (size_t i = 0; i < count; i++) {
        const double apart = fabs((double)y[i] - wanted[i]);
        most = apart <= most ? most : apart;
        largest = fmax(largest, fabs(wanted[i]));
    }
    free(x);
    free(y);
    free(wanted);
    return most / largest;
}

int main(void)
{
    enum { N = 16384, PAIRS = 65536, BATCHES = 5 };
#    ifdef NEST_pairs
    const int n = PAIRS;
    const size_t count = (size_t)2 * n;
#    else
    const int n = N;
    const size_t count = (size_t)n * n;
#    endif
    Nest *nest = nests[0];
    const double apart = difference(nest, nests[1], 88, 75);
    float *host = numbers(count), *x = ws_alloc(count * sizeof *x), *y = ws_alloc(count * sizeof *y);
    double times[BATCHES];
    if (!host || !x || !y)
        return fprintf(stderr, "no memory\n"), 1;
    ws_or_die(ws_copy(x, host, count * sizeof *x));
    nest(n, n, x, y);
    ws_or_die(ws_sync());
    double begin = now();
    nest(n, n, x, y);
    ws_or_die(ws_sync());
    const int runs = (int)fmin(50, 1 + 12 / (now() - begin));
    for (int i = 0; i < BATCHES; i++) {
        begin = now();
        for (int k = 0; k < runs; k++)
            nest(n, n, x, y);
        ws_or_die(ws_sync());
        times[i] = (now() - begin) / runs;
    }
    qsort(times, BATCHES, sizeof *times, up);
    printf("%.4f %.1e\n", times[BATCHES / 2], apart);
    return apart > 1e-5;
}
#endif
