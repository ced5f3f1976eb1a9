/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict-loop.h - the prediction as the compiler calls it; the header uses no type of wsc-solve.  */
#ifndef WSC_PREDICT_LOOP_H
#define WSC_PREDICT_LOOP_H

#include <stdbool.h>

typedef struct {
    const char *machine;  /* text of the machine's description */
    const char *graph;    /* graphs of the kernel's loops, as --ws-dump=graph prints them */
    const char *schedule; /* the schedule, as --ws-dump=schedule prints it */
    const char *name;     /* KERNEL:LOOP */
    bool in_turn;         /* groups take whole tiles in turn, so that one group at a time runs the loop */
} LoopText;

/* Stores to clocks[i] the clocks of an iteration with i + 1 products in flight, for i < most.  False: the clocks are
   unknown.  */
bool predict_in_flight(const LoopText *loop, int most, double *clocks);

#endif
