/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statistics.c - medians, and how sure they are; the order of what is measured. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double quantile_of_sorted(const double *x, int n, double q)
{
    double place = q * (n - 1);
    int below = (int)place;
    return below + 1 < n ? x[below] + (place - below) * (x[below + 1] - x[below]) : x[n - 1];
}

double quantile(const double *x, int n, double q)
{
    double sorted[MOST];
    if (n < 1 || n > MOST)
        return NAN;
    memcpy(sorted, x, sizeof *x * (size_t)n);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    return quantile_of_sorted(sorted, n, q);
}

double median(const double *x, int n)
{
    return quantile(x, n, 0.5);
}

int whose_turn(int round, int turn, int count)
{
    return ((round % 2 ? count - 1 - turn : turn) + round / 2) % count;
}

unsigned next_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(*state >> 32);
}

/* That of n throws, each a hit with probability p, at least `least` hit. */
static double at_least(int n, double p, int least)
{
    double sum = 0;
    for (int k = least; k <= n; k++)
        sum += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p));
    return sum;
}

/* The median of a resampling is at most the k-th smallest if more than half of its n draws are among the k smallest.
   So the distribution is known, and nothing has to be drawn. */
interval bootstrap(const double *x, int n)
{
    double sorted[MOST];
    int k = 1;
    if (n < 1 || n > MOST || n % 2 == 0)
        return (interval){NAN, NAN, NAN};
    memcpy(sorted, x, sizeof *x * (size_t)n);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    while (k < n / 2 + 1 && at_least(n, (double)k / n, n / 2 + 1) < 0.025)
        k++;
    return (interval){sorted[n / 2], sorted[k - 1], sorted[n - k]};
}
