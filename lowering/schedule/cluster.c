/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster.c - blocks that run side by side and share what they load.
 *
 *   cluster (2, 1)                           block 0: rows i           block 1: rows i + 128
 *   for (k = 0; k < K; k += 64)                rows 0..127 of tb,        rows 128..255 of tb,
 *     ta = ws_load (a, i, k, 128, 64);           for both                  for both
 *     tb = ws_load (b, j, k, 256, 64);         all of its ta             all of its ta
 *
 * x counts blocks along the last dimension of the grid but one (of a grid of one dimension, along that), y along the
 * last.  A load whose tensor and coordinates do not depend on one of the two is the same in all blocks along it: each
 * brings an equal share of the rows and writes it to all.  So a slot is free when the groups of all these blocks have
 * released it, and every block has to fill it equally often: loops and branches around such a load must not depend on
 * that coordinate either.
 *
 * It pays where L2 is asked more often than it can answer (H200, f16, tiles of 128 x 192, two blocks that share b).
 * Rows that begin inside its lines of 128 bytes take two requests for each line: at 11736 x 2424 x 8408 138 million at
 * 87% of the most that there can be, with sharing 87 million at 69%, and 0.80 ms instead of 1.01.  With K = 8384, whole
 * lines, 46 million at 37%: a percent.  Four blocks find no place on some multiprocessors: attention that shares k and
 * v so takes 11% longer.
 *
 * The blocks of a cluster walk over the grid together; where its extent is no multiple, some tiles are none of the
 * grid's: their blocks take part in everything but store nothing, and what is loaded for such a tile alone does not
 * come.  Where a loop or a branch asks for the place they do so at that of the last tile that there is: elsewhere a
 * loop need not end.  So they do where two of them share a load, whose rows outside would keep the others waiting (1152
 * x 1408 x 2048 in 128 x 128, blocks 2 x 2: 17.0 us, and 13.9 so; to compute that place takes up to 2% of a launch of 6
 * us).
 */
#include "schedule/cluster.h"
#include "ir/queries.h"
#include "machine/machine.h"
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

/* In the same iteration carried values are the same if they were to begin with; behind the loop only if it has ended in
   all blocks at once.  */
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
    if (cluster_size(kernel) == 1 || kernel->grid.parts) /* of which there are as many as blocks */
        return 0;
    FOR_ROLES (role, kernel) {
        find_variance(&placed.variance, role->body);
        ir_walk(role->body, visit_placed, &placed);
    }
    return placed.dimensions;
}

/* ---- choose ------------------------------------------------------------------------------------------------------ */

typedef struct {
    Kernel *kernel;
    Variance variance;
    int shared; /* directions along which some load is */
} Former;

/* The blocks that load the same tile, and can bring equal shares of it.  */
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

/* What a load is called in messages.  */
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
               "'%s' is loaded once for %d blocks of a cluster, a share by each", load_name(load),
               cluster_sharers(former->kernel, load->transfer->along));
}

static bool has_direction(const Kernel *kernel, int direction)
{
    return kernel->grid.cluster[direction] > 1;
}

/* The clause as the passes want it: both sides, or 0 for none.  */
static bool normalize(Kernel *kernel)
{
    Grid *grid = &kernel->grid;
    if (cluster_size(kernel) == 1) {
        grid->cluster[0] = grid->cluster[1] = 0;
        return false;
    }
    int most = kernel->version.of ? kernel->machine->most_cluster_blocks : kernel->machine->cluster_blocks;
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
