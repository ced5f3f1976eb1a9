/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster.c - clusters: blocks that run at the same time and share loads.
 *
 *      cluster (2, 1)                           block 0: rows i           block 1: rows i + 128
 *      for (k = 0; k < K; k += 64)                rows 0..127 of tb,        rows 128..255 of tb,
 *        ta = ws_load (a, i, k, 128, 64);           for both                  for both
 *        tb = ws_load (b, j, k, 256, 64);         all of its ta             all of its ta
 *
 * The direction x counts blocks along the last dimension of the grid but one, y along the last.  If the grid has one
 * dimension, x counts along that.  A load is equal in all blocks along a direction if its tensor and coordinates do not
 * depend on the direction.  Each of these blocks loads an equal share of the rows and multicasts the share to all.  A
 * slot is free when the groups of all these blocks have released the slot.  Every block must fill the slot equally
 * often, so loops and branches around the load must not depend on the direction.
 *
 * The blocks of a cluster step through the grid together.  If the grid's extent is no multiple of the cluster's, some
 * tiles lie beyond the grid.  Their blocks execute everything but stores, and loads for such a tile alone are omitted.
 *
 * A loop or a branch that depends on the tile's coordinate uses that of the last tile, since elsewhere the loop may not
 * end.  The same coordinate is used if two such blocks share a load, whose rows outside of the tensor would delay the
 * other blocks.
 */
#include "ir/cluster.h"
#include "ir/queries.h"
#include "ir/slice.h"

/* ---- who shares with whom ---------------------------------------------------------------------------------------- */

int cluster_size(const Kernel *kernel)
{
    const int *sides = kernel->grid.cluster;
    return sides[0] > 0 && sides[1] > 0 ? sides[0] * sides[1] : 1;
}

bool cluster_shares(const Kernel *kernel, int along, int from, int to)
{
    int columns = kernel->grid.cluster[1];
    bool same_row = columns && from / columns == to / columns, same_column = columns && from % columns == to % columns;
    return from == to || along == ALONG_ALL || (along & ALONG_X && same_column) || (along & ALONG_Y && same_row);
}

int cluster_sharers(const Kernel *kernel, int along)
{
    int count = 0;
    for (int block = 0; block < cluster_size(kernel); block++)
        count += cluster_shares(kernel, along, 0, block);
    return count;
}

int cluster_join(int along, int other)
{
    return along == ALONG_ALL || other == ALONG_ALL ? ALONG_ALL : along | other;
}

int variance_along(int along)
{
    return along == ALONG_ALL ? VARIES_X | VARIES_Y : along;
}

/* ---- what differs ------------------------------------------------------------------------------------------------ */

static int varies(const Variance *variance, const Value *value)
{
    return variance->values[value->id];
}

static int any_varies(const Variance *variance, Value *const *values, int count)
{
    int bits = 0;
    for (int i = 0; i < count; i++)
        bits |= varies(variance, values[i]);
    return bits;
}

int variance_of_decision(const Variance *variance, const Op *control)
{
    if (control->code == OP_WHILE)
        return varies(variance, block_end(control->blocks[0])->args[0]);
    return control->code == OP_GRID ? 0
                                    : any_varies(variance, control->args, control->code == OP_FOR ? 3 : control->nargs);
}

int variance_of_load(const Variance *variance, const Op *load)
{
    return any_varies(variance, load->args, load->nargs);
}

int variance_around(const Variance *variance, const Op *op)
{
    int bits = 0;
    for (const Op *control = op->parent->parent; control; control = control->parent->parent)
        bits |= variance_of_decision(variance, control);
    return bits;
}

static void mark(Variance *variance, const Value *value, int bits)
{
    if ((varies(variance, value) | bits) == varies(variance, value))
        return;
    variance->values[value->id] |= (unsigned char)bits;
    variance->changed = true;
}

int variance_of_dimension(const Kernel *kernel, int dims, int dim)
{
    const int *sides = kernel->grid.cluster;
    return sides[0] > 1 && dim == (dims > 1 ? dims - 2 : 0) ? VARIES_X
           : sides[1] > 1 && dims > 1 && dim == dims - 1    ? VARIES_Y
                                                            : 0;
}

static void mark_grid(Variance *variance, const Op *grid)
{
    for (int dim = 0; dim < grid->nargs / 3; dim++)
        mark(variance, grid->blocks[0]->args[dim], variance_of_dimension(variance->kernel, grid->nargs / 3, dim));
}

/* Carried values are equal in the same iteration if their initial values are.  After the loop they are equal only if it
   ends in all blocks at once.  */
static void mark_loop(Variance *variance, const Op *loop)
{
    int decision = variance_of_decision(variance, loop);
    if (loop->code == OP_FOR)
        mark(variance, loop->blocks[0]->args[0], varies(variance, loop->args[0]) | varies(variance, loop->args[2]));
    for (int i = 0; i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        mark(variance, names.argument, varies(variance, names.init) | varies(variance, names.next));
        if (names.body_argument)
            mark(variance, names.body_argument, varies(variance, names.exit ? names.exit : names.argument));
        mark(variance, names.result, varies(variance, names.exit ? names.exit : names.argument) | decision);
    }
}

static void mark_if(Variance *variance, const Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        for (int k = 0; k < op->nblocks; k++)
            mark(variance, op->results[i],
                 varies(variance, block_end(op->blocks[k])->args[i]) | varies(variance, op->args[0]));
}

static void visit_variance(Op *op, void *context)
{
    Variance *variance = context;
    if (op->code == OP_GRID)
        mark_grid(variance, op);
    else if (op->code == OP_FOR || op->code == OP_WHILE)
        mark_loop(variance, op);
    else if (op->code == OP_IF)
        mark_if(variance, op);
    else
        for (int i = 0; i < op->nresults; i++)
            mark(variance, op->results[i], any_varies(variance, op->args, op->nargs));
}

static void find_variance(Variance *variance, Block *body)
{
    for (variance->changed = true; variance->changed;) {
        variance->changed = false;
        ir_walk(body, visit_variance, variance);
    }
}

static Variance variance_of_nothing(Kernel *kernel)
{
    return (Variance){kernel, arena_alloc(kernel->module, (size_t)kernel->module->next_id + 1), false};
}

Variance variance_new(Kernel *kernel)
{
    Variance variance = variance_of_nothing(kernel);
    find_variance(&variance, kernel->body);
    return variance;
}

typedef struct {
    Variance variance;
    int dimensions;
} Placed;

static void visit_placed(Op *op, void *context)
{
    Placed *placed = context;
    if (op->code == OP_FOR || op->code == OP_WHILE || op->code == OP_IF)
        placed->dimensions |= variance_of_decision(&placed->variance, op);
    else if (op->code == OP_COPY_IN && op->transfer->along)
        placed->dimensions |= variance_of_load(&placed->variance, op);
}

int cluster_placed(Kernel *kernel)
{
    Placed placed = {variance_of_nothing(kernel), 0};
    if (cluster_size(kernel) == 1 || kernel->grid.parts) /* there are as many parts as blocks */
        return 0;
    FOR_ROLES (role, kernel) {
        find_variance(&placed.variance, role->body);
        ir_walk(role->body, visit_placed, &placed);
    }
    return placed.dimensions;
}
