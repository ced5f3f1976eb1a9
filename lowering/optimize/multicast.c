/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * multicast.c - loads that blocks side by side could share: a version of the kernel in clusters.
 *
 *   kernel product                             beside it, estimated version product_in_1x2:  grid(2) cluster(1, 2)
 *   grid i, j                                  the same
 *     pipeline (auto)
 *     for k
 *       %ta = load %a, i, k, 128, 64
 *       %tb = load %b, j, k, 128, 64           the clause makes the load of %a one of two blocks (schedule/cluster.c)
 *       %acc = dot %ta, trans %tb, %acc
 *
 * Multicast saves requests to L2 and nothing else.  Products of whole lines gain little by it, since an iteration's 256
 * lines of 128 bytes cost L2 404 clocks under 512 of products; rows that begin inside its lines cost it up to 986.  How
 * rows begin is mostly known when the kernel is launched.  So there are versions where the worst that can come would
 * pay, one of two blocks and one of four, and the launcher compares what they are estimated at for the extents that it
 * has (runtime/common/choice.cuh): requests that are saved, tiles beyond the grid's end in ragged clusters,
 * multiprocessors that clusters leave empty, and what blocks wait for each other.  On an H100, in tiles of 128 x 128,
 * two blocks take 0.75 of the time where rows begin in the middle of lines, and where they begin anywhere 0.71, four
 * 0.60 (bench/notes/clusters.md).
 *
 * What is asked for by name is as it was asked for: cluster(1) is a request for none.
 */
#include <string.h>

#include "ir/queries.h"
#include "lower.h"
#include "machine/machine.h"
#include "schedule/work.h"

/* As runtime/common/choice.cuh has them, in hundredths.  */
enum { ASKS_LINES = 158, ASKS_HALVES = 248, ASKS_SECTORS = 262, ASKS_INSIDE = 385, WAITS = 104, PAYS = 105 };

typedef struct {
    int sides[2];
    double clocks;  /* of an iteration */
    const Op *load; /* one that is shared */
} Cluster;

/* ---- what may be shared ------------------------------------------------------------------------------------------ */

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
    loops->open &= pipeline->automatic && !pipeline->optimal && pipeline->schedule == SCHEDULE_AUTO;
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

/* The clause would be refused where a loop or branch around depends on the block.  */
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

/* ---- what it costs ----------------------------------------------------------------------------------------------- */

/* For a line, in the worst case of what the launch may bring.  */
static double clocks_of_line(const Asked *asked)
{
    int64_t stride;
    const Value *value = asked_stride(asked);
    if (!value)
        return ASKS_LINES / 100.0;
    if (!ir_constant(value, &stride))
        return ASKS_INSIDE / 100.0;
    stride *= dtype_bytes(asked->tensor->results[0]->type.dtype);
    return (stride % 128 == 0  ? ASKS_LINES
            : stride % 64 == 0 ? ASKS_HALVES
            : stride % 32 == 0 ? ASKS_SECTORS
                               : ASKS_INSIDE) /
           100.0;
}

static double both(double x, double y)
{
    const double longer = x > y ? x : y, part = longer > 0 ? (x + y - longer) / longer : 0;
    return longer * (1 + part * part * part * part / 5);
}

/* An iteration of the pipelined loop, as the kernel's cluster shares its loads; 0 where it computes beside its
   products, which hides what L2 takes: products with weights of a byte gain nothing.  */
static double iteration_clocks(Kernel *kernel, const Op *loop)
{
    const Work *work = work_of(kernel);
    double products = 0, asked = 0, computes = 0;
    for (int i = 0; i < work->count; i++) {
        const Part *part = &work->parts[i];
        if (!part->naround || part->around[part->naround - 1] != loop)
            continue;
        computes = part->computes;
        products = part->products * (cluster_size(kernel) > 1 ? WAITS / 100.0 : 1);
        for (int k = 0; k < part->nasked; k++)
            asked += part->asked[k].lines * clocks_of_line(&part->asked[k]);
    }
    return computes > 0 ? 0 : both(products, asked);
}

/* Along a direction of the cluster that the kernel has; NULL: none, or one that may not be.  */
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

static bool pays(Cluster cluster, double otherwise)
{
    return cluster.load && cluster.clocks * PAYS / 100.0 < otherwise;
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

/* The launcher has to know how many tiles there are.  */
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
    return kernel->module->target != TARGET_SEQUENTIAL && !kernel->version.of && !kernel->choice.of && !kernel->tasks &&
           !kernel->shares && !grid->totals && !grid->extents && !grid->parts && !grid->cluster[0] &&
           !grid->cluster[1] && !grid->together && !grid->share && !grid->persistent_given && !grid->from &&
           grid->order != ORDER_COLUMN;
}

/* require: one GRID.   ensure: the same program; a version of it in clusters where L2 may bound it.  */
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
    const bool plane = grid->nargs / 3 > 1;
    const double alone = iteration_clocks(kernel, loops.loop);
    const Cluster none = {{1, 1}, alone, NULL}, beside = plane ? considered(kernel, loops.loop, 1, 2) : none;
    const Cluster below = considered(kernel, loops.loop, 2, 1);
    const Cluster pair = below.load && (!beside.load || below.clocks < beside.clocks) ? below : beside;
    const Cluster four = plane ? considered(kernel, loops.loop, 2, 2) : none;
    if (!pays(pair, alone))
        return;
    make_form(kernel, loops.loop, pair, alone);
    if (pays(four, pair.clocks))
        make_form(kernel, loops.loop, four, alone);
}
