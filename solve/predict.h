/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict.h - types and functions that the files of the prediction share.  */
#ifndef WSC_PREDICT_H
#define WSC_PREDICT_H

#include "solve.h"

enum { TAKEN = 64, STEPS = 40, FROM = 16 }; /* the simulation has STEPS steps and counts clocks from step FROM on */

/* A ring's slot that a product in flight reads.  */
typedef struct {
    int op, iteration;              /* the value in the slot */
    int product, product_iteration; /* the product */
} Pending;

/* The simulated execution of one warp group, or of the producer of a ring.  */
typedef struct {
    int *ops, *last; /* operations in the order of a step; by op: place of the last reader, or NOT_GIVEN */
    int nops, group, replica, step, place;
    int part;        /* next part of the current operation */
    int take, pass;  /* places of a turn: before its first product; after its last product or the wait for it */
    bool pass_waits; /* `pass` is behind the wait */
    double clock, busy, stored, ends[STEPS]; /* the group computes at least until `busy` */
    char *received;                          /* by op and iteration */
    Pending *pending;
    int npending;
    bool fills; /* the process is a producer */
} Process;

typedef struct {
    double begin, end;
} Taken;

/* Work on an interleaved unit: `clocks` clocks of the whole unit from `begin` on. The work takes `least` clocks or
   more. The result is available `latency` clocks later.  */
typedef struct {
    int owner;
    double begin, clocks, least, latency, *done;
} Job;

/* The intervals in which a unit is busy, the earliest first.  */
typedef struct {
    Taken taken[TAKEN];
    int n;
    Job jobs[TAKEN]; /* in the order of their issue */
    int njobs;
} UnitTimes;

typedef struct {
    const Problem *problem;
    const Order *order;
    bool busy; /* all multiprocessors run the loop */
    Process *processes;
    int nprocesses, nstages, consumers;
    double *done;   /* by replica, op and iteration: clock of completion; negative: not complete */
    double *free;   /* by op and iteration: clock from which the slot is free */
    int *left;      /* by op and iteration: groups that have not released the slot */
    double *passed; /* by replica and step: clock at the end of the turn; negative: not over */
    UnitTimes *unit;
} Run;

/* predict-units.c: reserves all units of the kind at the first time from `from` on at which they are free.  Returns the
   clock of completion.  */
double take_units(Run *ctx, const Kind *kind, double work, double from);
/* Returns the interleaved unit that the work keeps busy longest, or NOT_GIVEN.  */
int interleaved_unit(const Problem *problem, const Kind *kind, double work);
/* Adds work of a group to an interleaved unit.  *job.done is the clock of completion; later jobs may increase it.  */
void share_unit(UnitTimes *unit, Job job);

/* predict-turns.c: finds the places of a step at which a group takes the tensor cores and passes them on.  */
void place_turns(const Run *ctx, Process *process);
/* Returns the clock from which the process may take its turn; negative: not known yet.  */
double turn_from(const Run *ctx, const Process *process);
bool takes_turn(const Run *ctx, const Process *process);
void pass_turn(Run *ctx, Process *process);

#endif
