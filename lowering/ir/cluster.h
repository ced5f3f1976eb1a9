/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster.h - clusters of blocks: which blocks share a load, and which values differ between blocks.  */
#ifndef WSC_CLUSTER_H
#define WSC_CLUSTER_H

#include "ir/kernel.h"

/* The number of blocks in a cluster, 1 without one.  Blocks are numbered with y fastest.  */
int cluster_size(const Kernel *kernel);
/* The number of blocks that share a tile in the directions `along`.  */
int cluster_sharers(const Kernel *kernel, int along);
/* True if the blocks `from` and `to` share it.  */
bool cluster_shares(const Kernel *kernel, int along, int from, int to);
/* The directions that include both.  */
int cluster_join(int along, int other);

/* Values of a kernel's source that differ between the blocks of a cluster: a bit for each direction.  */
enum { VARIES_X = 1, VARIES_Y = 2 };
typedef struct {
    const Kernel *kernel;
    unsigned char *values; /* bits by value id */
    bool changed;
} Variance;
Variance variance_new(Kernel *kernel);
/* Trip count of a loop, condition of a branch.  */
int variance_of_decision(const Variance *variance, const Op *control);
int variance_around(const Variance *variance, const Op *op);        /* of all decisions around the operation */
int variance_of_dimension(const Kernel *kernel, int dims, int dim); /* of a variable of the grid */
/* The dimensions of the grid, as bits, in which a tile beyond the grid takes the coordinate of the last tile.  */
int cluster_placed(Kernel *kernel);
int variance_of_load(const Variance *variance, const Op *load); /* of the tensor and coordinates of the load */
int variance_along(int along); /* directions in which blocks that share along `along` must agree */

#endif
