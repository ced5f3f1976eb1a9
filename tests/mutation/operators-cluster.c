/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operators-cluster.c - what can go wrong between the blocks of a cluster, and with what a copy brings.
 *
 *   rings     releases stay in the block, or go to other blocks than those that fill the slots
 *   copies    bring another share, to other blocks, or the whole tile to their own alone; leave out rows that are looked at
 */
#include "machine/machine.h"
#include "mutation.h"

/* Another direction, if the cluster has it.  */
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
    bool shared = site.op->code == OP_COPY_IN && site.op->along;
    if (shared)
        site.op->along = ALONG_NONE, site.op->ival = 0;
    return shared;
}

bool copy_across(Kernel *kernel, Site site)
{
    int other = other_direction(kernel, site.op->along);
    if (site.op->code != OP_COPY_IN || !site.op->along || !other)
        return false;
    site.op->along = other;
    return true;
}

bool copy_to_all(Kernel *kernel, Site site)
{
    if (site.op->code != OP_COPY_IN || site.op->along == ALONG_ALL || cluster_size(kernel) == 1)
        return false;
    if (!site.op->along)
        site.op->ival = site.op->storage->tile.rows / cluster_size(kernel);
    site.op->along = kernel->grid.cluster[1] == 1 ? ALONG_X : kernel->grid.cluster[0] == 1 ? ALONG_Y : ALONG_ALL;
    return true;
}

bool share_less(Kernel *kernel, Site site)
{
    (void)kernel;
    if (site.op->code != OP_COPY_IN || site.op->ival < 16)
        return false;
    site.op->ival /= 2;
    return true;
}

bool share_more(Kernel *kernel, Site site)
{
    (void)kernel;
    if (site.op->code != OP_COPY_IN || !site.op->ival)
        return false;
    site.op->ival += 8;
    return true;
}

bool rows_left_out(Kernel *kernel, Site site)
{
    (void)kernel;
    if (site.op->code != OP_COPY_IN || site.op->present)
        return false;
    site.op->present = true;
    return true;
}

bool fewer_columns(Kernel *kernel, Site site)
{
    enum { FEWER = 8 };
    if (site.op->code != OP_MMA || site.op->nargs < 4)
        return false;
    site.op->args[3] = ir_const_before(kernel, site.op, D_I64, FEWER);
    return true;
}

bool rows_beyond_step(Kernel *kernel, Site site)
{
    const Op *grid = site.op->code == OP_COPY_IN ? ir_enclosing(site.op, OP_GRID) : NULL;
    (void)kernel;
    if (!grid || site.op->stepped || site.op->storage->tile.rows > MACHINE_BOX_ROWS)
        return false;
    site.op->present = true;
    site.op->stepped = grid->nargs / 3;
    return true;
}
