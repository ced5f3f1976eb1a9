/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plain-plan.h - tile sizes for the loops of a grid, the cheapest first.  */
#ifndef WSC_PLAIN_PLAN_H
#define WSC_PLAIN_PLAN_H

#include "language/plain.h"

typedef struct {
    int tile[4];   /* iterations of each loop of the grid in one tile */
    int inner;     /* the same of the loop with a pragma inside; 1: none */
    double clocks; /* of a multiprocessor for one element, estimated */
} Tiling;

/* Returns the number of tilings, at most `most`, in the order of their clocks; 0: the nest has products, or was not
   understood.  The nest has its loops (scan_loops).  */
int plan_tilings(Nest *nest, Tiling *tilings, int most);
const char *plan_text(const Kernel *kernel, const Tiling *tiling); /* its sizes */

#endif
