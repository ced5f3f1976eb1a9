/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-cluster.c - marks the loads that blocks of a cluster share, and refuses clusters that share nothing.
 *
 *      grid i, j cluster (2, 1)             ta = load a, i, k              each block loads its own tile
 *                                           tb = load b, j, k along=1      each block loads half of the tile
 *
 * Multicast pays if requests to L2 are the limit.  Rows that begin inside lines of 128 bytes take two requests for each
 * line.  Some SMs have no place for clusters of four blocks.  The figures are in bench/notes/choices.md and
 * bench/notes/clusters.md.
 */
#include "ir/cluster.h"
#include "schedule/choose.h"
#include "target/machine.h"
#include "target/operands.h"

typedef struct {
    Kernel *kernel;
    Variance variance;
    int shared; /* directions in which some load is shared */
} Former;

/* The directions in which all blocks load the same tile and can load equal shares of it.  */
static int shared_along(const Former *former, const Op *load)
{
    static const int choices[] = {ALONG_ALL, ALONG_X, ALONG_Y};
    const int *sides = former->kernel->grid.cluster;
    int differs = variance_of_load(&former->variance, load);
    for (int i = 0; i < 3; i++) {
        bool several = (choices[i] == ALONG_Y || sides[0] > 1) && (choices[i] == ALONG_X || sides[1] > 1);
        int sharers = cluster_sharers(former->kernel, choices[i]);
        if (several && !(differs & variance_along(choices[i])) &&
            load->results[0]->type.rows % (sharers * MACHINE_SWIZZLE_ROWS) == 0)
            return choices[i];
    }
    return ALONG_NONE;
}

static void visit_share(Op *load, void *context)
{
    Former *former = context;
    if (load->code != OP_LOAD || !schedule_of(load)->depth || box_rows(load->args[0]))
        return;
    int along = shared_along(former, load);
    for (const Op *control = load->parent->parent; control && !former->kernel->failed;
         control = control->parent->parent)
        if (variance_of_decision(&former->variance, control) & variance_along(along))
            reject(former->kernel, control->loc.line ? control->loc : load->loc, REASON_CLUSTER_TRIPS, load->loc.line);
    load->transfer->along = along;
    former->shared |= variance_along(along);
}

/* The name of a load for messages.  */
static const char *load_name(const Op *load)
{
    const char *name = load->results[0]->name ? load->results[0]->name : load->args[0]->name;
    return name ? name : "a tile";
}

static void visit_say(Op *load, void *context)
{
    const Former *former = context;
    if (load->code == OP_LOAD && load->transfer->along)
        remark(former->kernel, DIAG_OPTIMIZED, load->loc,
               "'%s' is loaded once for the %d blocks of a cluster, by multicast", load_name(load),
               cluster_sharers(former->kernel, load->transfer->along));
}

static bool has_direction(const Kernel *kernel, int direction)
{
    return kernel->grid.cluster[direction] > 1;
}

/* Replaces the clause by both extents, or 0 for no cluster.  */
static bool normalize(Kernel *kernel)
{
    Grid *grid = &kernel->grid;
    if (cluster_size(kernel) == 1) {
        grid->cluster[0] = grid->cluster[1] = 0;
        return false;
    }
    int most = kernel->version.of ? kernel->machine->most_cluster_blocks : kernel->machine->cluster_blocks;
    if (most == 1) {
        reject(kernel, grid->loc, REASON_CLUSTERS_NONE, kernel->machine->name, "the clause 'cluster'");
        return false;
    }
    if (cluster_size(kernel) > most) {
        reject(kernel, grid->loc, REASON_CLUSTER_SIZE, grid->cluster[0], grid->cluster[1], most);
        return false;
    }
    if (grid->dims == 1 && grid->cluster[1] > 1) {
        reject(kernel, grid->loc, REASON_CLUSTER_DIMENSIONS);
        return false;
    }
    return true;
}

void choose_cluster(Kernel *kernel, bool specialized)
{
    if (!normalize(kernel) || kernel->grid.parts) /* no two parts load the same tile */
        return;
    Former former = {kernel, variance_new(kernel), 0};
    if (specialized)
        ir_walk(kernel->body, visit_share, &former);
    for (int direction = 0; direction < 2 && !kernel->failed; direction++)
        if (has_direction(kernel, direction) && !(former.shared & VARIES_X << direction))
            reject(kernel, kernel->grid.loc, REASON_CLUSTER_NOTHING, direction ? "second" : "first");
    if (!kernel->failed)
        ir_walk(kernel->body, visit_say, &former);
}
