/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure.h - candidates for the same work, timed in alternation.
 *
 * A candidate's runs are captured in a graph, as many as fill a few milliseconds, so that what counts is the device's
 * time. In every round each candidate has one turn, in an order and then in the reverse one, since what ran before
 * decides on the clock for some milliseconds.  Round r of one and round r of the other make a pair: both saw the same
 * clock and temperature.  Rounds begin when the clock has come down to what the power limit allows.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <cuda_runtime_api.h>

#include "statistics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROUNDS_AT_MOST = 101, CANDIDATES_AT_MOST = 256 };

typedef struct {
    const char *name;
    void (*run)(void *context, cudaStream_t stream);
    void *context;
    /* measured */
    int rounds;
    double ms[ROUNDS_AT_MOST]; /* of one run, by round */
    double mhz;                /* the multiprocessors' clock, the median over the rounds */
    double watts;              /* of all that were measured together, by NVML; negative where that cannot be had */
} candidate;

typedef struct {
    int rounds;       /* odd, ROUNDS_AT_MOST at most */
    double sample_ms; /* of a turn */
    double settle_s;  /* for so long at least turns do not count, since the clock still falls under their load */
} measurement;

/* False, with a message, where a candidate cannot be captured or run. */
int measure(const measurement *how, candidate *all, int count);

double candidate_ms(const candidate *c);                             /* the median */
interval candidate_ratio(const candidate *c, const candidate *peer); /* how much faster c is: of the rounds' ratios */

const char *device_name(void);
int device_multiprocessors(void);

#ifdef __cplusplus
}
#endif
#endif
