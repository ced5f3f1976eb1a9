/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.h - what schedule-read.c and schedule-check.c share: a schedule file and what it says of a kernel.  */
#ifndef WSC_READER_H
#define WSC_READER_H

#include "schedule/choose.h"

enum { READER_WORDS = 24 }; /* of a line, at most */

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
    Op *loop;     /* whose section this is, or NULL */
    int interval; /* of it; 0: not said */
    int *lines;   /* by number: where the file has it, 0: it does not */
    int *places;  /* by number: what comes first is less; odd: listed */
    int nplaces;
    Op **releases; /* by number: behind which its slot is given back, NULL: see its row */
    char *solved;  /* by number: SOLVED, of a loop with an interval, and TURNS_GIVEN, where 'pingpong' is said */
    int *before;   /* by number: when choose would give back its slot */
    bool regrouped;
} Reader;

/* schedule-check.c: refuses what no proof can come of, at its line.  */
void reader_check(Reader *in);

#endif
