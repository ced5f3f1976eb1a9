/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work.h - what a tile of a kernel costs, loop by loop: clocks of a multiprocessor, and lines that L2 is asked for.  */
#ifndef WSC_WORK_H
#define WSC_WORK_H

#include "schedule/cluster.h"

enum {
    WORK_AROUND = 4, /* loops in loops that count */
    WORK_LOADS = 8,  /* of a part, that are told apart */
    WORK_PARTS = 16
};

/* Lines that a block asks L2 for, and how far apart in memory the rows begin.  */
typedef struct {
    double lines;
    const Op *tensor; /* NULL: rows begin with lines */
} Asked;

/* A loop, without those in it.  */
typedef struct {
    const Op *around[WORK_AROUND];
    int naround, nasked;
    int depth;                         /* slots that copies fill while products read others; 0: not pipelined */
    double products, computes, leaves; /* clocks */
    Asked asked[WORK_LOADS];
} Part;

typedef struct {
    Part parts[WORK_PARTS];
    int count;
    Variance variance;
} Work;

/* Of the body, for blocks that share loads as the kernel's cluster has it.  */
const Work *work_of(Kernel *kernel);
const Value *asked_stride(const Asked *asked); /* of its rows, in elements; NULL: none */

/* Can the launcher compute the number of its parameters?  A grid's variable is known as that of a tile.  */
bool work_knows(const Value *value);
const Op *work_grid(const Value *value); /* whose variable the value is, or NULL */

#endif
