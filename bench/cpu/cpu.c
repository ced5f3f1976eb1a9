/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpu.c - the sequential library beside the loops that its calls replace, both on one core.
 *
 *   cpu [ROUNDS]
 *
 * Rounds alternate between the two; a row has the least time of each over the rounds (9 unless told), their ratio, and
 * the largest difference of a result relative to the largest result. Time is the process's own. The last line is the
 * geometric mean of the ratios. The status is 1 where a result is wrong: more than 1e-3 off, which products that round
 * their factors to tf32 keep.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

#define MOST ((size_t)1024 * 1024)

typedef struct {
    const char *name;
    long rows, cols;
    cpu_kernel *plain, *tiles;
} Pair;

static const Pair pairs[] = {
#define KERNEL(name, rows, cols) {#name, rows, cols, plain_##name, tiles_##name},
    CPU_KERNELS
#undef KERNEL
};

static float x[MOST], y[MOST], z[MOST], by_plain[MOST], by_tiles[MOST];

static void fill(float *array, uint32_t seed)
{
    for (size_t i = 0; i < MOST; i++) {
        seed = seed * 1664525 + 1013904223;
        array[i] = (float)(seed >> 8) / (1 << 23) - 1;
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_of(cpu_kernel *kernel, const Pair *pair, float *out)
{
    double begin = seconds();
    kernel(pair->rows, pair->cols, x, y, z, out);
    return seconds() - begin;
}

/* As f32; half's results are f16. */
static double difference(const Pair *pair)
{
    double most = 0, largest = 0;
    int half = strcmp(pair->name, "half") == 0;
    for (long i = 0; i < pair->rows * pair->cols; i++) {
        double a = half ? (double)((const _Float16 *)(void *)by_plain)[i] : (double)by_plain[i];
        double b = half ? (double)((const _Float16 *)(void *)by_tiles)[i] : (double)by_tiles[i];
        if (half && isnan(a) && isnan(b))
            continue;
        most = fmax(most, isnan(a - b) && a != b ? INFINITY : a == b ? 0 : fabs(a - b));
        largest = fmax(largest, isfinite(a) ? fabs(a) : 0);
    }
    return most / fmax(largest, 1e-30);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 9, wrong = 0, count = (int)(sizeof pairs / sizeof *pairs);
    double logs = 0;
    fill(x, 1), fill(y, 2), fill(z, 3);
    printf("%-12s %12s %12s %8s %10s\n", "", "loops", "tile calls", "ratio", "difference");
    for (int i = 0; i < count; i++) {
        double plain = INFINITY, tiles = INFINITY;
        memset(by_plain, 0, sizeof by_plain), memset(by_tiles, 0, sizeof by_tiles);
        for (int round = 0; round < rounds; round++) {
            plain = fmin(plain, time_of(pairs[i].plain, &pairs[i], by_plain));
            tiles = fmin(tiles, time_of(pairs[i].tiles, &pairs[i], by_tiles));
        }
        double off = difference(&pairs[i]);
        wrong += off > 1e-3;
        logs += log(tiles / plain);
        printf("%-12s %9.1f us %9.1f us %8.2f %10.1e%s\n", pairs[i].name, plain * 1e6, tiles * 1e6, tiles / plain, off,
               off > 1e-3 ? "  WRONG" : "");
    }
    printf("geometric mean %.2f\n", exp(logs / count));
    return wrong > 0;
}
