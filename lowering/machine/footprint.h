/* SPDX-License-Identifier: GPL-3.0-or-later */
/* footprint.h - which rows of a tensor a tile of the grid touches.  */
#ifndef WSC_FOOTPRINT_H
#define WSC_FOOTPRINT_H

#include "ir/affine.h"

/* In one dimension: all of it, or low <= x < high, each a sum of the grid's variables (of any role: by their numbers)
   and of values that the launcher has. */
typedef struct {
    bool all;
    int64_t by[4]; /* factors of the grid's variables */
    Affine low;    /* the rest; its own range is [low.low, high) */
    int64_t high;  /* exclusive */
} FootprintRange;

/* Of a tensor of several dimensions without its columns, which are taken to be all.  */
typedef struct {
    int dims;       /* of the tensor that are told */
    unsigned roles; /* bits of those that load or store it */
    FootprintRange range[4];
} Footprint;

/* What the roles' programs load of the launcher's tensor, or store to it.  False: they do not.  */
bool footprint_of(const Kernel *kernel, const Variable *tensor, bool stored, Footprint *footprint);
/* Do several roles wait for tiles, each for what it loads itself?  */
bool footprint_by_role(const Kernel *kernel);
/* Groups that say of each tile that it is done; 0: nobody does.  */
int footprint_tellers(const Kernel *kernel);

#endif
