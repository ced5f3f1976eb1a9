/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * predict-units.c - the time of units: which operation uses a unit when.
 *
 *      ordinary unit        aaaa bb ccc          an operation takes the first gap that is long enough
 *      interleaved unit     ababababaa           work of two groups at once takes twice as long
 *
 * A unit executes one operation after the other. An interleaved unit alternates between the instructions of groups.
 */
#include "predict.h"

#include <math.h>
#include <string.h>

/* Returns the first clock from `from` on at which the unit is free for `takes` clocks.  */
static double free_from(const UnitTimes *unit, double from, double takes)
{
    for (int i = 0; i < unit->n; i++)
        if (from + takes > unit->taken[i].begin && from < unit->taken[i].end)
            from = unit->taken[i].end;
    return from;
}

static void take_unit(UnitTimes *unit, double begin, double end)
{
    int place = unit->n;

    if (unit->n == TAKEN) /* the oldest interval has ended */
        memmove(&unit->taken[0], &unit->taken[1], (size_t)(place = --unit->n) * sizeof unit->taken[0]);
    for (; place > 0 && unit->taken[place - 1].begin > begin; place--)
        unit->taken[place] = unit->taken[place - 1];
    unit->taken[place] = (Taken){begin, end};
    unit->n++;
}

double take_units(Run *ctx, const Kind *kind, double work, double from)
{
    double longest = 0, begin = from, before;

    do {
        before = begin;
        for (int i = 0; i < kind->nuses; i++)
            if (!ctx->problem->units[kind->uses[i].unit].each)
                begin = free_from(&ctx->unit[kind->uses[i].unit], begin, work / kind->uses[i].rate);
    } while (begin > before);
    for (int i = 0; i < kind->nuses; i++) {
        double takes = work / kind->uses[i].rate;
        if (!ctx->problem->units[kind->uses[i].unit].each)
            take_unit(&ctx->unit[kind->uses[i].unit], begin, begin + takes);
        longest = fmax(longest, takes);
    }
    return begin + longest;
}

int interleaved_unit(const Problem *problem, const Kind *kind, double work)
{
    int unit = NOT_GIVEN;
    double longest = 0;

    for (int i = 0; i < kind->nuses; i++)
        if (problem->units[kind->uses[i].unit].interleaved && work / kind->uses[i].rate > longest) {
            unit = kind->uses[i].unit;
            longest = work / kind->uses[i].rate;
        }
    return unit;
}

/* Stores to `active` the first unfinished job of each owner, if it has begun. Returns their number; *next is the clock
   at which another job begins.  */
static int find_active(const UnitTimes *unit, const double *left, double at, int *active, double *next)
{
    int n = 0;

    *next = INFINITY;
    for (int i = 0; i < unit->njobs; i++) {
        bool first = left[i] > 0;
        for (int k = 0; k < i && first; k++)
            first = left[k] <= 0 || unit->jobs[k].owner != unit->jobs[i].owner;
        if (first && unit->jobs[i].begin <= at)
            active[n++] = i;
        else if (first)
            *next = fmin(*next, unit->jobs[i].begin);
    }
    return n;
}

/* Simulates all jobs, and updates the times of completion that lie behind `from`.  */
static void run_jobs(UnitTimes *unit, double from)
{
    double left[TAKEN], at = 0, next;
    int active[TAKEN], n;

    for (int i = 0; i < unit->njobs; i++)
        left[i] = unit->jobs[i].clocks;
    while ((n = find_active(unit, left, at, active, &next)) || next < INFINITY) {
        double step = next - at;
        for (int i = 0; i < n; i++)
            step = fmin(step, left[active[i]] * n);
        for (int i = 0; i < n; i++) {
            Job *job = &unit->jobs[active[i]];
            left[active[i]] = left[active[i]] * n <= step * (1 + 1e-9) ? 0 : left[active[i]] - step / n;
            if (left[active[i]] <= 0 && at + step > from)
                *job->done = fmax(at + step, job->begin + job->least) + job->latency;
        }
        at += step;
    }
}

void share_unit(UnitTimes *unit, Job job)
{
    if (unit->njobs == TAKEN) { /* the oldest jobs have ended */
        unit->njobs = TAKEN / 2;
        memmove(&unit->jobs[0], &unit->jobs[TAKEN / 2], (size_t)unit->njobs * sizeof unit->jobs[0]);
    }
    unit->jobs[unit->njobs++] = job;
    run_jobs(unit, job.begin);
}
