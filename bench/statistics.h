/* SPDX-License-Identifier: GPL-3.0-or-later */
/* statistics.h - what is said about paired samples: a median and the interval in which it lies. */
#ifndef BENCH_STATISTICS_H
#define BENCH_STATISTICS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double middle, low, high;
} interval;

double median(const double *x, int n);
double quantile(const double *x, int n, double q); /* between neighbours linearly; 0 is the smallest, 1 the largest */

/* The median of an odd number of samples, and the middle 95% of the medians of their resamplings (the bootstrap's,
   exactly). */
interval bootstrap(const double *x, int n);

/* Whose turn of `count` it is: rounds begin with different ones, and every second round is the one before it backwards,
   so that each has the others before it and behind it equally often. */
int whose_turn(int round, int turn, int count);

/* The next number of a fixed sequence, from 0 to 2^32 - 1. */
unsigned next_random(unsigned long long *state);

#ifdef __cplusplus
}
#endif
#endif
