/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.h - the state of the reader of schedule files, for schedule-read.c and schedule-check.c.  */
#ifndef WSC_READER_H
#define WSC_READER_H

#include "schedule/choose.h"

enum { READER_WORDS = 24 }; /* most words of a line */

/* Bits of Reader.solved.  */
enum { SOLVED = 1, TURNS_GIVEN = 2 };

typedef struct {
    Kernel *kernel;
    Uses uses;
    const int *numbers;
    Op **ops; /* by number */
    int nops;
    Loc at;
    char *words[READER_WORDS];
    int nwords;
    Op *loop;     /* the loop of the current section, or NULL */
    int interval; /* its interval; 0: not given */
    int *lines;   /* by number: line of the operation in the file; 0: not listed */
    int *places;  /* by number: place in the order; listed operations have odd places */
    int nplaces;
    Op **releases; /* by number: operation after which the slot is released; NULL: see row->release */
    char *solved;  /* by number of a loop: SOLVED if it has an interval, TURNS_GIVEN if it has 'pingpong' */
    int *before;   /* by number: release that choose decided */
    bool regrouped;
} Reader;

/* schedule-check.c: refuses schedules that the proof would refuse, at their line.  */
void reader_check(Reader *ctx);

#endif
