/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain-survey.h - the arrays of a plain nest, and how the loops move through them.  */
#ifndef WSC_PLAIN_SURVEY_H
#define WSC_PLAIN_SURVEY_H

#include "language/plain.h"

enum { MAX_ARRAYS = 32 };

/* The accesses to one array with the same strides.  */
typedef struct {
    const Value *base;
    int bytes;
    double stride[MAX_LOOPS]; /* in elements, not below 0 */
    Poly factor[MAX_LOOPS];   /* in bytes */
    Poly first;               /* the first access */
    uint32_t around;          /* the loops around the accesses */
    uint32_t moves;           /* the loops that the place depends on */
    bool gathered;            /* the places are looked up, or no sum */
    int loads, stores;
    double low[MAX_LOOPS], high[MAX_LOOPS]; /* the iterations of each loop between the first access and the others */
} Array;

typedef struct {
    Nest *nest;
    const Costs *costs;
    int narrays;
    Array arrays[MAX_ARRAYS];
    double operations; /* instructions for an element, beside its accesses */
    double extent[MAX_LOOPS];
    bool known[MAX_LOOPS]; /* the extent is a constant */
    bool vectors;          /* the kernel may have a version with vectors */
    int inner;             /* a loop that the user has pipelined, or -1 */
    bool is_whole;         /* everything was understood */
    uint32_t *loops;       /* by value id: the loops whose counters it is computed from */
    bool *is_known;        /* of these */
} Survey;

/* Surveys the loops and accesses of a nest (scan_loops).  */
void survey_nest(Survey *survey, Nest *nest);

#endif
