/* SPDX-License-Identifier: GPL-3.0-or-later */
/* costs.c - costs as small numbers: examples, and the best of all numbers by trying them.  */
#include "solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double difference(const double *clocks, const int *cycles, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            most = fmax(most, fabs(clocks[i] * cycles[j] - clocks[j] * cycles[i]));
    return most;
}

static bool is(const char *what, const double *clocks, int n, int sum, bool literal, const int *want)
{
    int cycles[16];
    double scale;
    bool same = normalized(clocks, n, sum, cycles, &scale, literal) > 0;

    for (int i = 0; i < n; i++)
        same &= cycles[i] == want[i % 7];
    printf("%sok - %s:", same ? "" : "not ", what);
    for (int i = 0; i < n; i++)
        printf(" %d", cycles[i]);
    printf("\n");
    return same;
}

/* The least of the paper's measure over all numbers with that sum at most: what the literal form finds, where it is
   below half the largest cost.  */
static double least(const double *clocks, int *cycles, int n, int at, int left)
{
    double best = INFINITY;

    if (at == n) {
        for (int i = 0; i < n; i++)
            if (cycles[i])
                return difference(clocks, cycles, n);
        return INFINITY;
    }
    for (cycles[at] = 0; cycles[at] <= left; cycles[at]++)
        best = fmin(best, least(clocks, cycles, n, at + 1, left - cycles[at]));
    return best;
}

static bool all_of_them(void)
{
    unsigned seed = 1;
    int compared = 0, wrong = 0;

    for (int round = 0; round < 200; round++) {
        double clocks[4], most = 0, scale;
        int cycles[4];
        for (int i = 0; i < 4; i++) {
            seed = seed * 1103515245u + 12345u;
            clocks[i] = 10 + (seed >> 16) % 1000;
            most = fmax(most, clocks[i]);
        }
        normalized(clocks, 4, 14, cycles, &scale, true);
        double found = difference(clocks, cycles, 4), best = least(clocks, cycles, 4, 0, 14);
        compared += 2 * found < most;
        wrong += 2 * found < most && found != best;
    }
    printf("%sok - the least of all numbers, %d lists\n", wrong || compared < 20 ? "not " : "", compared);
    return !wrong && compared >= 20;
}

int main(void)
{
    const double measured[] = {527, 71, 548, 69, 133, 75, 541, 527, 71, 548, 69, 133, 75, 541};
    const double peak[] = {512, 64, 512, 64, 64, 64, 512};
    bool right = is("costs as measured", measured, 14, 300, false, (const int[]){40, 5, 42, 5, 10, 6, 41});

    right &= is("the paper's measure alone loses them", measured, 14, 300, true, (const int[]){1, 0, 1, 0, 0, 0, 1});
    right &= is("exact ratios stay", peak, 7, 300, false, (const int[]){8, 1, 8, 1, 1, 1, 8});
    right &= all_of_them();
    printf("1..4\n");
    return !right;
}
