/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows.h - loops of a grid that go over the same columns of rows, and the tiles that several of them load.
 *
 *   grid i
 *     s = for j = 0, < %N, 1024: ...       the first loop
 *       load t, i, j                         a kept load: the second loop has it, too
 *     for j = 0, < %N, 1024                the second
 *       load t, i, j
 */
#ifndef WSC_ROWS_H
#define WSC_ROWS_H

#include "ir/ir.h"

enum { MOST_LOOPS = 8, MOST_CACHED = 8 };

typedef struct {
    Kernel *kernel;
    Op *grid;
    Op *loops[MOST_LOOPS];
    int nloops;
    const Value *extent; /* a parameter: their bound */
    int64_t step;
    Op *cached[MOST_CACHED]; /* of each tile that several loops load, the first of its loads */
    int ncached;
    int pieces; /* row-cache.c: iterations that each loop becomes */
} Rows;

/* False: the grid holds something else, too, or no tile is loaded twice.  */
bool find_rows(Kernel *kernel, Rows *rows);
bool moves_with(const Op *load, const Op *loop); /* a load at the loop's counter along its columns */
int cached_as(const Rows *rows, const Op *load); /* the kept load that this one is another of, or -1 */

#endif
