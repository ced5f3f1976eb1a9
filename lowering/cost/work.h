/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work.h - the cost of a tile of the grid for each loop: clocks of an SM, and lines requested from L2.  */
#ifndef WSC_WORK_H
#define WSC_WORK_H

#include "ir/cluster.h"

enum {
    WORK_AROUND = 4, /* most loops around an operation that are counted */
    WORK_LOADS = 8,  /* most loads of a part */
    WORK_PARTS = 16
};

/* The lines that a block requests from L2, and the tensor whose stride separates the rows.  */
typedef struct {
    double lines;
    const Op *tensor; /* NULL: rows begin at multiples of a line */
} Asked;

/* The cost of one iteration of a loop, without inner loops.  */
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

/* The work of the kernel's body.  Blocks share loads as the kernel's cluster does.  */
const Work *work_of(Kernel *kernel);
const Value *asked_stride(const Asked *asked); /* stride of the rows in elements; NULL: none */

/* True if the launcher can compute the value from its parameters.  Variables of the grid count as known.  */
bool work_knows(const Value *value);
const Op *work_grid(const Value *value); /* grid whose variable the value is, or NULL */

#endif
