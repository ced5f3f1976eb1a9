/* SPDX-License-Identifier: GPL-3.0-or-later */
/* footprint.h - the rows of a tensor that a tile of the grid accesses.  */
#ifndef WSC_FOOTPRINT_H
#define WSC_FOOTPRINT_H

#include "ir/affine.h"

/* The range low <= x < high of one dimension, or all of the dimension.  Both bounds are sums of the grid's variables,
   by index, and of values that the launcher knows.  */
typedef struct {
    bool all;
    int64_t by[4]; /* factors of the grid's variables */
    Affine low;    /* the other terms; low.low is the least constant */
    int64_t high;  /* exclusive */
} FootprintRange;

/* The ranges of all dimensions of a tensor but its columns.  All columns count as accessed.  */
typedef struct {
    int dims;       /* number of ranges */
    unsigned roles; /* bits of the roles that load or store the tensor */
    FootprintRange range[4];
} Footprint;

/* The footprint of what roles load from the launcher's tensor, or store to it if `stored`.  The result is false if no
   role does.  */
bool footprint_of(const Kernel *kernel, const Variable *tensor, bool stored, Footprint *footprint);
/* True if several roles wait for tiles, each for those that it loads itself.  */
bool footprint_by_role(const Kernel *kernel);
/* The number of groups that signal the end of each tile; 0: none.  */
int footprint_tellers(const Kernel *kernel);

#endif
