/* SPDX-License-Identifier: MIT */
/*
 * offload.c - one form of kernels.c at work, told by lines on standard input what to do; offload.py speaks to several.
 *
 *   time KERNEL RUNS             microseconds of a run, the arrays on the device before and after it
 *   write KERNEL SIZE FILE       one run on arrays of known contents, the results as doubles; SIZE: full, reduced
 *   compare KERNEL SIZE FILE     the same against FILE: the largest difference over the largest number of its array
 *   names                        of the kernels
 *
 * Each is answered by a line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels.h"

static struct {
    const kernel *which;
    const int *extents;
    int runs;
    double microseconds;
    size_t length[ARRAYS];
    DATA *array[ARRAYS];
} at;

/* Numbers from -1/2 to 1/2, the same in all forms.  */
static void arrays_new(const kernel *k, const int *extents)
{
    at.which = k;
    at.extents = extents;
    k->lengths(extents, at.length);
    unsigned long long state = 1;
    for (int i = 0; i < ARRAYS && at.length[i]; i++) {
        at.array[i] = malloc(at.length[i] * sizeof(DATA));
        if (!at.array[i])
            exit(3);
        for (size_t j = 0; j < at.length[i]; j++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            at.array[i][j] = (DATA)((double)(state >> 11) * 0x1p-53 - 0.5);
        }
    }
}

static void arrays_free(void)
{
    for (int i = 0; i < ARRAYS && at.length[i]; i++)
        free(at.array[i]);
}

static void run_once(void *unused)
{
    (void)unused;
    at.which->run(at.extents, at.array);
    kernels_wait();
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void run_timed(void *unused)
{
    run_once(unused);
    double start = now();
    for (int i = 0; i < at.runs; i++)
        at.which->run(at.extents, at.array);
    kernels_wait();
    at.microseconds = (now() - start) / at.runs;
}

static void write_results(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        exit(3);
    for (int i = 0; i < ARRAYS; i++)
        for (size_t j = 0; at.which->results >> i & 1 && j < at.length[i]; j++) {
            double x = (double)at.array[i][j];
            if (fwrite(&x, sizeof x, 1, file) != 1)
                exit(3);
        }
    if (fclose(file))
        exit(3);
}

static double apart(const char *path)
{
    FILE *file = fopen(path, "rb");
    double worst = 0;
    if (!file)
        exit(3);
    for (int i = 0; i < ARRAYS; i++) {
        double largest = 0, difference = 0;
        for (size_t j = 0; at.which->results >> i & 1 && j < at.length[i]; j++) {
            double x;
            if (fread(&x, sizeof x, 1, file) != 1)
                return INFINITY;
            double d = fabs((double)at.array[i][j] - x);
            if (!(d <= difference))
                difference = d == d ? d : INFINITY;
            largest = fmax(largest, fabs(x));
        }
        if (difference > worst * largest)
            worst = difference / largest;
    }
    fclose(file);
    return worst;
}

static const kernel *find(const char *name)
{
    for (int i = 0; i < kernel_count; i++)
        if (name && !strcmp(kernels[i].name, name))
            return &kernels[i];
    fprintf(stderr, "no kernel %s\n", name ? name : "");
    exit(2);
}

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        char *word = strtok(line, " \n");
        if (!word)
            continue;
        if (!strcmp(word, "names")) {
            for (int i = 0; i < kernel_count; i++)
                printf("%s%s", kernels[i].name, i < kernel_count - 1 ? " " : "\n");
        } else {
            const kernel *k = find(strtok(NULL, " \n"));
            const char *size = strtok(NULL, " \n"), *path = strtok(NULL, " \n");
            if (!size)
                return 2;
            if (!strcmp(word, "time")) {
                at.runs = atoi(size);
                arrays_new(k, k->full);
                kernels_inside(at.array, at.length, run_timed, NULL);
                printf("%.6g\n", at.microseconds);
            } else {
                if (!path)
                    return 2;
                arrays_new(k, strcmp(size, "full") ? k->reduced : k->full);
                kernels_inside(at.array, at.length, run_once, NULL);
                if (!strcmp(word, "write")) {
                    write_results(path);
                    puts("0");
                } else
                    printf("%.6g\n", apart(path));
            }
            arrays_free();
        }
        fflush(stdout);
    }
    return 0;
}
