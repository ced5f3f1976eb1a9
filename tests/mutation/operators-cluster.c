/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operators-cluster.c - mutations of clusters, of copies, and of loops with two bodies.
 *
 *      rings     releases stay in the block, or go to other blocks than those that fill the slots
 *      copies    bring another share, go to other blocks, or bring the whole tile to the own block alone; skip rows
 *                that a store depends on
 *      bodies    change at another iteration, or stand in the other order
 */
#include "ir/cluster.h"
#include "ir/slice.h"
#include "target/machine.h"
#include "mutation.h"

/* Returns another direction, ALONG_NONE if the cluster has only one.  */
static int other_direction(const Kernel *kernel, int along)
{
    bool both = kernel->grid.cluster[0] > 1 && kernel->grid.cluster[1] > 1;
    return !both ? ALONG_NONE : along == ALONG_X ? ALONG_Y : ALONG_X;
}

bool release_here(Kernel *kernel, Site site)
{
    (void)kernel;
    bool shared = site.aref->along != ALONG_NONE;
    site.aref->along = ALONG_NONE;
    return shared;
}

bool release_across(Kernel *kernel, Site site)
{
    int other = other_direction(kernel, site.aref->along);
    if (!site.aref->along || !other)
        return false;
    site.aref->along = other;
    return true;
}

bool copy_here(Kernel *kernel, Site site)
{
    (void)kernel;
    bool shared = site.op->code == OP_COPY_IN && site.op->transfer->along;
    if (shared)
        site.op->transfer->along = ALONG_NONE, site.op->transfer->share = 0;
    return shared;
}

bool copy_across(Kernel *kernel, Site site)
{
    int other = site.op->code == OP_COPY_IN ? other_direction(kernel, site.op->transfer->along) : ALONG_NONE;
    if (!other || !site.op->transfer->along)
        return false;
    site.op->transfer->along = other;
    return true;
}

bool copy_to_all(Kernel *kernel, Site site)
{
    if (site.op->code != OP_COPY_IN || site.op->transfer->along == ALONG_ALL || cluster_size(kernel) == 1)
        return false;
    if (!site.op->transfer->along)
        site.op->transfer->share = site.op->storage->tile.rows / cluster_size(kernel);
    site.op->transfer->along = kernel->grid.cluster[1] == 1   ? ALONG_X
                               : kernel->grid.cluster[0] == 1 ? ALONG_Y
                                                              : ALONG_ALL;
    return true;
}

bool share_less(Kernel *kernel, Site site)
{
    (void)kernel;
    if (site.op->code != OP_COPY_IN || site.op->transfer->share < 16)
        return false;
    site.op->transfer->share /= 2;
    return true;
}

bool share_more(Kernel *kernel, Site site)
{
    (void)kernel;
    if (site.op->code != OP_COPY_IN || !site.op->transfer->share)
        return false;
    site.op->transfer->share += 8;
    return true;
}

bool rows_left_out(Kernel *kernel, Site site)
{
    (void)kernel;
    if (site.op->code != OP_COPY_IN || site.op->transfer->skip_oob)
        return false;
    site.op->transfer->skip_oob = true;
    return true;
}

/* ---- two bodies -------------------------------------------------------------------------------------------------- */

static bool move_edge(Kernel *kernel, Op *loop, Opcode code)
{
    if (!loop_edge(loop))
        return false;
    loop->args[loop->nargs - 1] = ir_binary_before(kernel, loop, code, loop_edge(loop), loop->args[2]);
    return true;
}

bool later_edge(Kernel *kernel, Site site)
{
    return move_edge(kernel, site.op, OP_SCALAR_ADD);
}

bool earlier_edge(Kernel *kernel, Site site)
{
    return move_edge(kernel, site.op, OP_SCALAR_SUB);
}

bool no_edge(Kernel *kernel, Site site)
{
    (void)kernel;
    if (!loop_edge(site.op))
        return false;
    site.op->args[site.op->nargs - 1] = site.op->args[1];
    return true;
}

bool other_body(Kernel *kernel, Site site)
{
    Op *op = site.op;
    (void)kernel;
    if (!loop_edge(op))
        return false;
    Block *first = op->blocks[0], *second = op->blocks[1];
    const Block before = *first;
    first->first = second->first;
    first->last = second->last;
    second->first = before.first;
    second->last = before.last;
    for (int k = 0; k < 2; k++)
        for (Op *inner = op->blocks[k]->first; inner; inner = inner->next)
            inner->parent = op->blocks[k];
    return true;
}

/* ---- widths ------------------------------------------------------------------------------------------------------ */

bool fewer_columns(Kernel *kernel, Site site)
{
    enum { FEWER = 8 };
    int columns = site.op->code == OP_NARROW ? 0 : 3;
    if (columns && (site.op->code != OP_MMA || site.op->nargs < 4))
        return false;
    site.op->args[columns] = ir_const_before(kernel, site.op, D_I64, FEWER);
    return true;
}

bool rows_beyond_step(Kernel *kernel, Site site)
{
    const Op *grid = site.op->code == OP_COPY_IN ? ir_enclosing(site.op, OP_GRID) : NULL;
    if (!grid || site.op->transfer->skip_step || site.op->storage->tile.rows > kernel->machine->box_rows)
        return false;
    site.op->transfer->skip_oob = true;
    site.op->transfer->skip_step = grid->nargs / 3;
    return true;
}
