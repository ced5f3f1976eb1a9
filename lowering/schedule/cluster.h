/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cluster.h - blocks that run side by side and share what they load: who shares what, and what is the same in all of
   them.  */
#ifndef WSC_CLUSTER_H
#define WSC_CLUSTER_H

#include "ir/ir.h"

/* Blocks of the kernel's cluster, 1 without one; they are numbered with y fastest.  */
int cluster_size(const Kernel *kernel);
/* How many blocks share a tile along these directions, and does block `from` share it with block `to`?  */
int cluster_sharers(const Kernel *kernel, int along);
bool cluster_shares(const Kernel *kernel, int along, int from, int to);
/* Those that share along either.  */
int cluster_join(int along, int other);

/* What of a kernel's source differs between the blocks of a cluster: a bit for x and one for y.  */
enum { VARIES_X = 1, VARIES_Y = 2 };
typedef struct {
    const Kernel *kernel;
    unsigned char *values; /* by value id */
    bool changed;
} Variance;
Variance variance_new(Kernel *kernel);
int variance_of_decision(const Variance *in, const Op *control);    /* how often a loop runs, which arm is taken */
int variance_around(const Variance *in, const Op *op);              /* of all decisions around it */
int variance_of_dimension(const Kernel *kernel, int dims, int dim); /* of the grid's variables */
/* The dimensions, as bits, in which a tile beyond the grid has the place of the last one.  */
int cluster_placed(Kernel *kernel);
int variance_of_load(const Variance *in, const Op *load); /* which tile it is, each time that it is executed */
int variance_along(int along); /* what must not differ between blocks that share along these directions */

/* choose: which loads are shared, and whether the cluster can be formed; they need a producer.  */
void choose_cluster(Kernel *kernel, bool specialized);

#endif
