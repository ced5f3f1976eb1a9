/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.h - what the files of the prediction share.  */
#ifndef WSC_PREDICT_H
#define WSC_PREDICT_H

#include "solve.h"

enum { TAKEN = 64, STEPS = 40, FROM = 16 }; /* clocks are counted from step FROM on to the last */

typedef struct {
    int op, iteration;              /* of the slot */
    int product, product_iteration; /* that reads it */
} Pending;

/* A group, or whoever fills a ring.  */
typedef struct {
    int *ops, *last; /* in the order of a step; by op: the last place that reads it, or NOT_GIVEN */
    int nops, group, replica, step, place;
    int part;        /* of the operation: those before it have begun */
    int take, pass;  /* places: before the first product of a turn, and after the last or after what waits for it */
    bool pass_waits; /* the latter */
    double clock, busy, stored, ends[STEPS]; /* at least until `busy` it computes */
    char *got;                               /* by op and iteration */
    Pending *pending;
    int npending;
    bool fills;
} Process;

typedef struct {
    double begin, end;
} Taken;

/* Of an interleaved unit: so many clocks of the whole unit from `begin` on, `least` at least, and `latency` more until
   it is done.  */
typedef struct {
    int owner;
    double begin, clocks, least, latency, *done;
} Job;

/* When a unit does something, the earliest first.  */
typedef struct {
    Taken taken[TAKEN];
    int n;
    Job jobs[TAKEN]; /* in the order of their issue */
    int njobs;
} UnitTimes;

typedef struct {
    const Problem *problem;
    const Order *order;
    bool busy; /* all multiprocessors are at it */
    Process *processes;
    int nprocesses, nstages, consumers;
    double *done;   /* by replica, op and iteration; negative: not yet */
    double *free;   /* by op and iteration: when the slot is free */
    int *left;      /* by op and iteration: groups that have still to release it */
    double *passed; /* by replica and step: when its turn was over; negative: not yet */
    UnitTimes *unit;
} Run;

/* predict-units.c: from `from` on, where all its units are free; when it is done.  */
double take_units(Run *ctx, const Kind *kind, double work, double from);
/* The interleaved unit that the work keeps busy longest, or NOT_GIVEN.  */
int interleaved_unit(const Problem *problem, const Kind *kind, double work);
/* A group's work there: *done is when it is done, and changes with what others begin beside it.  */
void share_unit(UnitTimes *unit, Job job);

/* predict-turns.c: where in a step a group takes the tensor cores, and passes them on.  */
void place_turns(const Run *ctx, Process *process);
/* When this process may take its turn; negative: nobody knows yet.  */
double turn_from(const Run *ctx, const Process *process);
bool takes_turn(const Run *ctx, const Process *process);
void pass_turn(Run *ctx, Process *process);

#endif
