/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict-loop.h - what the compiler asks of the prediction, without a word of wsc-solve's.  */
#ifndef WSC_PREDICT_LOOP_H
#define WSC_PREDICT_LOOP_H

#include <stdbool.h>

typedef struct {
    const char *machine;  /* its description */
    const char *graph;    /* of the kernel's loops, as --ws-dump=graph has it */
    const char *schedule; /* as --ws-dump=schedule has it */
    const char *name;     /* KERNEL:LOOP */
    bool in_turn;         /* groups take tiles in turn: one at a time has the loop */
} LoopText;

/* Clocks of an iteration with 1, 2, ... `most` products in flight.  False: nothing is known.  */
bool predict_in_flight(const LoopText *loop, int most, double *clocks);

#endif
