/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rows.h - loops of a grid that iterate over the same columns of rows, and the tiles that several of them load.
 *
 *      grid i
 *        s = for j = 0, < %N, 1024: ...       the first loop
 *          load t, i, j                         a cached load: the second loop loads the same tile
 *        for j = 0, < %N, 1024                the second
 *          load t, i, j
 */
#ifndef WSC_ROWS_H
#define WSC_ROWS_H

#include "ir/kernel.h"

enum { MOST_LOOPS = 8, MOST_CACHED = 8 };

typedef struct {
    Kernel *kernel;
    Op *grid;
    Op *loops[MOST_LOOPS];
    int nloops;
    const Value *extent; /* their bound, a parameter */
    int64_t step;
    Op *cached[MOST_CACHED]; /* the first load of each tile that several loops load */
    int ncached;
    int pieces; /* row-cache.c: iterations of each loop after unrolling */
} Rows;

/* False if the grid holds other loops, branches, products or prints. False if no tile is loaded twice.  */
bool find_rows(Kernel *kernel, Rows *rows);
bool moves_with(const Op *load, const Op *loop); /* the load's column is the loop's counter */
int cached_as(const Rows *rows, const Op *load); /* index of the cached load of the same tile, or -1 */

#endif
