/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * multicast.c - versions of the kernel in clusters, whose blocks share loads by multicast.
 *
 *      kernel product                            beside it, estimated version product_in_1x2:  grid(2) cluster(1, 2)
 *      grid i, j                                 the same
 *        pipeline (auto)
 *        for k
 *          %ta = load %a, i, k, 128, 64
 *          %tb = load %b, j, k, 128, 64          the clause makes the load of %a one of two blocks
 *          %acc = dot %ta, trans %tb, %acc
 *
 * Multicast saves requests to L2 and nothing else. If rows begin at lines of L2, the requests are faster than the
 * products, and multicast gains little. Rows that begin inside lines make requests slower than products (measured in
 * bench/notes/clusters.md). Often only the launch knows where rows begin.
 *
 * So the pass makes versions where the worst case of a launch would pay, one of two blocks and one of four. The
 * launcher compares their estimates for the actual extents (runtime/common/choice.cuh). An estimate counts saved
 * requests, tiles beyond the grid's end in ragged clusters, idle multiprocessors, and waits between blocks.
 *
 * The pass respects clauses of the user. cluster(1) requests no cluster.
 */
#include <string.h>

#include "cost/work.h"
#include "ir/queries.h"
#include "passes.h"
#include "ir/versions.h"
#include "target/machine.h"
#include "target/operands.h"

typedef struct {
    int sides[2];
    double clocks;  /* of an iteration */
    const Op *load; /* a shared load; NULL: none */
} Cluster;

/* ---- shared loads ------------------------------------------------------------------------------------------------ */

typedef struct {
    const Kernel *kernel;
    Op *loop;
    int count, products;
    bool open;
} Loops;

static void visit_loop(Op *op, void *context)
{
    Loops *loops = context;
    const Pipeline *pipeline = pipeline_of(op);
    loops->products += op_is_dot(op);
    if (!pipeline)
        return;
    loops->loop = op;
    loops->count++;
    loops->open &= pipeline->automatic && pipeline->schedule == SCHEDULE_AUTO;
}

static bool is_in(const Op *op, const Op *loop)
{
    return ir_inside(op, loop->blocks[0]);
}

typedef struct {
    const Variance *variance;
    const Op *loop, *load;
    int along;
    bool refused;
} Sharing;

/* Refuses a direction if a loop or a branch around the load depends on the block, since the clause would be
   rejected.  */
static void visit_shared(Op *load, void *context)
{
    Sharing *sharing = context;
    if (load->code != OP_LOAD || !is_in(load, sharing->loop) || box_rows(load->args[0]) ||
        variance_of_load(sharing->variance, load) & sharing->along ||
        load->results[0]->type.rows % (2 * MACHINE_SWIZZLE_ROWS))
        return;
    sharing->refused |= (variance_around(sharing->variance, load) & sharing->along) != 0;
    sharing->load = load;
}

/* ---- cost -------------------------------------------------------------------------------------------------------- */

/* L2 clocks of a line, in the worst case of a launch.  */
static double clocks_of_line(const Costs *costs, const Asked *asked)
{
    int64_t stride;
    const Value *value = asked_stride(asked);
    if (!value)
        return cost_line(costs, 0);
    if (!ir_constant(value, &stride))
        return cost_worst_line(costs);
    return cost_line(costs, stride * dtype_bytes(asked->tensor->results[0]->type.dtype));
}

/* Clocks of an iteration of the pipelined loop with the kernel's cluster. 0 if the loop computes beside its
   products, since that hides the time of L2.  */
static double iteration_clocks(Kernel *kernel, const Op *loop)
{
    const Work *work = work_of(kernel);
    const Costs *costs = kernel->machine->costs;
    double products = 0, asked = 0, computes = 0;
    for (int i = 0; i < work->count; i++) {
        const Part *part = &work->parts[i];
        if (!part->naround || part->around[part->naround - 1] != loop)
            continue;
        computes = part->computes;
        products = cluster_size(kernel) > 1 ? cost_in_cluster(costs, part->products) : part->products;
        for (int k = 0; k < part->nasked; k++)
            asked += part->asked[k].lines * clocks_of_line(costs, &part->asked[k]);
    }
    return computes > 0 ? 0 : cost_overlapped(costs, products, asked);
}

/* A load that the blocks along a direction of the kernel's cluster share. NULL: none, or a refused one.  */
static const Op *shared_load(Kernel *kernel, const Variance *variance, const Op *loop, int direction)
{
    Sharing sharing = {variance, loop, NULL, direction ? VARIES_Y : VARIES_X, false};
    ir_walk(kernel->body, visit_shared, &sharing);
    return sharing.refused ? NULL : sharing.load;
}

static Cluster considered(Kernel *kernel, const Op *loop, int down, int across)
{
    Cluster cluster = {{down, across}, 0, NULL};
    memcpy(kernel->grid.cluster, cluster.sides, sizeof cluster.sides);
    const Variance variance = variance_new(kernel);
    const Op *below = down > 1 ? shared_load(kernel, &variance, loop, 0) : NULL;
    const Op *beside = across > 1 ? shared_load(kernel, &variance, loop, 1) : NULL;
    if ((below || down == 1) && (beside || across == 1)) {
        cluster.clocks = iteration_clocks(kernel, loop);
        cluster.load = beside ? beside : below;
    }
    kernel->grid.cluster[0] = kernel->grid.cluster[1] = 0;
    return cluster;
}

static void make_form(Kernel *kernel, const Op *loop, Cluster cluster, double alone)
{
    const char *sides = arena_print(kernel->module, "%dx%d", cluster.sides[0], cluster.sides[1]);
    Kernel *version = kernel_estimated_version(kernel, arena_print(kernel->module, "in_%s", sides));
    memcpy(version->grid.cluster, cluster.sides, sizeof cluster.sides);
    remark(kernel, DIAG_OPTIMIZED, loop->control->pipeline->loc,
           "in clusters of %s where the launch's extents say that it pays: an iteration takes up to %.0f clocks, as L2 "
           "answers, and %.0f with the load at line %d shared",
           sides, alone, cluster.clocks, cluster.load->loc.line);
}

/* True if the launcher can compute the number of tiles.  */
static bool has_known_ranges(const Op *grid)
{
    for (int i = 0; i < grid->nargs; i++)
        if (!work_knows(grid->args[i]))
            return false;
    return true;
}

static bool is_open(const Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    return kernel->module->target != TARGET_SEQUENTIAL && kernel->machine->cluster_blocks > 1 && !kernel->version.of &&
           !kernel->choice.of && !kernel->tasks && !kernel->shares && !grid->totals && !grid->extents && !grid->parts &&
           !grid->cluster[0] && !grid->cluster[1] && !grid->together && !grid->share && !grid->persistent_given &&
           !grid->from && grid->order != ORDER_COLUMN;
}

void pass_multicast(Kernel *kernel)
{
    Loops loops = {.kernel = kernel, .open = true};
    const Op *grid = NULL;
    if (!is_open(kernel))
        return;
    FOR_OPS (op, kernel->body)
        grid = op->code == OP_GRID ? op : grid;
    ir_walk(kernel->body, visit_loop, &loops);
    if (!grid || !loops.open || loops.count != 1 || !loops.products || !has_known_ranges(grid))
        return;
    const Costs *costs = kernel->machine->costs;
    const bool plane = grid->nargs / 3 > 1;
    const double alone = iteration_clocks(kernel, loops.loop);
    const Cluster none = {{1, 1}, alone, NULL}, beside = plane ? considered(kernel, loops.loop, 1, 2) : none;
    const Cluster below = considered(kernel, loops.loop, 2, 1);
    const Cluster pair = below.load && (!beside.load || below.clocks < beside.clocks) ? below : beside;
    const Cluster four = plane ? considered(kernel, loops.loop, 2, 2) : none;
    if (!pair.load || !cost_pays(costs, pair.clocks, alone))
        return;
    make_form(kernel, loops.loop, pair, alone);
    if (four.load && cost_pays(costs, four.clocks, pair.clocks))
        make_form(kernel, loops.loop, four, alone);
}
