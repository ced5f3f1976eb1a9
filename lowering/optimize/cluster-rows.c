/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cluster-rows.c - reads long rows once: versions of the kernel in which the blocks of a cluster share each row.
 *
 *      kernel norm                                       beside it, version norm: %N from 8193 to 16384
 *      grid i = 0, < %M, 4                               grid i = 0, < %M, 2
 *        s = for j = 0, < %N, 1024: s0 = zero              x, s = for b = 0, < 4, 1: none, zero blocks
 *          x = load t, i, j                                  x = load t, i, 4096 b
 *          yield add s0, row_sum x                           yield x, add s0, row_sum x, in pieces of 1024
 *        r = rsqrt s                                       r = rsqrt s
 *        for j = 0, < %N, 1024                             for b = 0, < 4, 1 blocks
 *          store y, i, j, mul (load t, i, j), r              store y, i, 4096 b, mul (tile_at x, b), r
 *
 * A row that exceeds a block's registers would be read from memory in each loop. In the version, each block of a
 * cluster has a share of the row, many columns wide. The share stays in registers from one loop to the next. The loops
 * become loops over blocks, which language/blocks.c lowers. Tiles get fewer rows, since all threads of a block share
 * each row.
 *
 * A share covers many iterations of the user's loop. So the operations of a loop must treat all columns alike. Each
 * carried value must be a sum, a maximum or a minimum of reductions. Pieces of a share are combined in the loop's order
 * where the order is observable (runtime/emulate/blocks.cuh). Columns beyond the end of a row reach no store, and do
 * not change a reduction (pads.h).
 *
 * Tested, not proved (proof/freeze.c): tests/programs/long_rows.c runs rows of many lengths.
 */
#include "ir/affine.h"
#include "ir/powers.h"
#include "ir/queries.h"
#include "ir/versions.h"
#include "language/blocks.h"
#include "optimize/pads.h"
#include "optimize/rows.h"
#include "passes.h"
#include "target/budget.h"
#include "target/machine.h"

typedef struct {
    Kernel *kernel;
    Rows rows;
    Pads pads;
    Uses uses;
    const Op *loop;   /* the current loop; NULL: between the loops */
    const Value *row; /* the grid's variable that counts rows */
    int dim;          /* index of `row` among the grid's variables */
    int height;       /* rows of a tile */
} ClusterRows;

/* ---- legality: tiles of other rows and columns ------------------------------------------------------------------- */

static bool is_row(const ClusterRows *cluster_rows, const Value *value)
{
    return affine_unconverted(value) == cluster_rows->row;
}

static bool is_column(const ClusterRows *cluster_rows, const Value *value)
{
    return cluster_rows->loop && affine_unconverted(value) == cluster_rows->loop->blocks[0]->args[0];
}

/* True for a scalar that is the row or the column counter. A tile's elements differ in these, so a counter may only
   place a window.  */
static bool counts_elements(const ClusterRows *cluster_rows, const Value *value)
{
    return value->type.kind == K_SCALAR && (is_row(cluster_rows, value) || is_column(cluster_rows, value));
}

static bool has_shape(Type type, int rows, int cols)
{
    return type.rows == rows && type.cols == cols;
}

/* True if the window begins at the row and the column counter, and its other coordinates depend on neither. `row`
   and `column` are operand indices; 0: none.  */
static bool is_window(const ClusterRows *cluster_rows, const Op *access, int row, int column, int count)
{
    if ((row && !is_row(cluster_rows, access->args[row])) || (column && !is_column(cluster_rows, access->args[column])))
        return false;
    for (int i = 1; i <= count; i++)
        if (i != row && i != column && counts_elements(cluster_rows, access->args[i]))
            return false;
    return access->args[0]->def && access->args[0]->def->code == OP_TENSOR;
}

static bool follow_load(ClusterRows *cluster_rows, const Op *op)
{
    Type type = op->results[0]->type;
    int last = op->nargs - 1, step = (int)cluster_rows->rows.step;
    bool ends = last_extent(op) == cluster_rows->pads.extent;
    if (op->code == OP_LOAD_COL)
        return has_shape(type, cluster_rows->height, 1) && is_window(cluster_rows, op, last, 0, last);
    cluster_rows->pads.of[op->results[0]->id] = ends ? pad_of_load(op) : any_pad;
    if (op->code == OP_LOAD_ROW)
        return cluster_rows->loop && has_shape(type, 1, step) && is_window(cluster_rows, op, 0, last, last);
    return op->code == OP_LOAD && cluster_rows->loop && has_shape(type, cluster_rows->height, step) &&
           is_window(cluster_rows, op, last - 1, last, last);
}

/* True if the tensor has as many rows as the grid. A tile of fewer rows stores fewer rows beyond the grid's end.  */
static bool ends_with_rows(const ClusterRows *cluster_rows, const Op *store, int row)
{
    const Op *tensor = store->args[0]->def;
    return tensor && tensor->code == OP_TENSOR &&
           affine_same(affine_extent(tensor->args[row]), cluster_rows->rows.grid->args[3 * cluster_rows->dim + 1]);
}

static bool follow_store(const ClusterRows *cluster_rows, const Op *op)
{
    Type type = op->args[op->nargs - 1]->type;
    int last = op->nargs - 2;
    if (op->code == OP_STORE_COL)
        return !cluster_rows->loop && has_shape(type, cluster_rows->height, 1) &&
               is_window(cluster_rows, op, last, 0, last) && ends_with_rows(cluster_rows, op, last);
    return op->code == OP_STORE && cluster_rows->loop &&
           has_shape(type, cluster_rows->height, (int)cluster_rows->rows.step) &&
           is_window(cluster_rows, op, last - 1, last, last) && last_extent(op) == cluster_rows->pads.extent &&
           ends_with_rows(cluster_rows, op, last - 1);
}

/* True if every use of a column index adds the loop's counter.  */
static bool follow_index(ClusterRows *cluster_rows, const Op *op)
{
    const Use *use = uses_of(&cluster_rows->uses, op->results[0]);
    for (; use; use = use->next) {
        const Op *other = use->op->code == OP_ADD ? use->op->args[1 - use->arg]->def : NULL;
        if (!other || other->code != OP_SPLAT || !is_column(cluster_rows, other->args[0]))
            return false;
    }
    return cluster_rows->loop && op->results[0]->type.cols == cluster_rows->rows.step;
}

static bool is_index(const Op *op)
{
    for (int i = 0; i < 2; i++)
        if (op->code == OP_ADD && op->args[i]->def && op->args[i]->def->code == OP_COL_INDEX)
            return true;
    return false;
}

/* A splat of the loop's counter is the index of the tile's first column. So it may only be added to a column index.  */
static bool follow_splat(const ClusterRows *cluster_rows, const Op *op)
{
    if (!counts_elements(cluster_rows, op->args[0]))
        return true;
    for (const Use *use = uses_of(&cluster_rows->uses, op->results[0]); use; use = use->next)
        if (!is_index(use->op) || is_row(cluster_rows, op->args[0]))
            return false;
    return true;
}

static bool reduces(const Op *op, const Op *join)
{
    return (op->code == OP_ROW_SUM && join->code == OP_ADD) || (op->code == OP_ROW_MAX && join->code == OP_MAX) ||
           (op->code == OP_ROW_MIN && join->code == OP_MIN);
}

/* True if the operation is the maximum or the sum of a recurrence of powers.h whose pads are -infinity.  */
static bool is_of_powers(const ClusterRows *cluster_rows, const Op *op)
{
    Powers powers;
    for (int i = 0; i < carried_count(cluster_rows->loop); i++)
        if (powers_of(&cluster_rows->uses, cluster_rows->loop, i, &powers) &&
            (powers.row_sum == op || powers.row_max == op))
            return changes_nothing(powers.row_max, cluster_rows->pads.of[powers.x->id]);
    return false;
}

/* True if the result is only combined with a carried value that has no other use.  */
static bool follow_reduction(const ClusterRows *cluster_rows, const Op *op)
{
    const Use *use = uses_of(&cluster_rows->uses, op->results[0]);
    if (cluster_rows->loop && is_of_powers(cluster_rows, op))
        return true;
    if (!cluster_rows->loop || !use || use->next || !reduces(op, use->op) || op->results[0]->type.dtype != D_F32)
        return false;
    const Value *before = use->op->args[1 - use->arg];
    for (int i = 0; i < carried_count(cluster_rows->loop); i++) {
        Carried names = carried(cluster_rows->loop, i);
        if (names.argument == before && names.next == use->op->results[0])
            return used_once(&cluster_rows->uses, before) && used_once(&cluster_rows->uses, names.next) &&
                   changes_nothing(op, cluster_rows->pads.of[op->args[0]->id]);
    }
    return false;
}

static bool follow_tile(ClusterRows *cluster_rows, const Op *op)
{
    Type type = op->results[0]->type;
    bool wide = cluster_rows->loop && type.cols == cluster_rows->rows.step;
    if ((type.rows != 1 && type.rows != cluster_rows->height) || (type.cols != 1 && !wide))
        return false;
    switch (op->code) {
    case OP_FULL:
        cluster_rows->pads.of[op->results[0]->id] = wide ? number_pad(op->tile->value) : (Pad){0};
        return true;
    case OP_SPLAT:
        return follow_splat(cluster_rows, op);
    case OP_COL_INDEX:
        cluster_rows->pads.of[op->results[0]->id] = any_pad;
        return follow_index(cluster_rows, op);
    case OP_ROW_SUM:
    case OP_ROW_MAX:
    case OP_ROW_MIN:
        return follow_reduction(cluster_rows, op);
    default:
        break;
    }
    if (!op_is_elementwise(op) || !pads_follow(&cluster_rows->pads, op))
        return false;
    if (is_index(op))
        cluster_rows->pads.of[op->results[0]->id] = (Pad){true, PAD_INDEX, 0};
    return true;
}

static bool follow_scalar(const ClusterRows *cluster_rows, const Op *op)
{
    for (int i = 0; i < op->nargs && op->code != OP_SCALAR_CONVERT; i++)
        if (counts_elements(cluster_rows, op->args[i]))
            return false;
    return true;
}

static bool follow(ClusterRows *cluster_rows, const Op *op)
{
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
    case CLASS_TENSOR:
    case CLASS_READ:
        return follow_scalar(cluster_rows, op);
    case CLASS_LOAD:
        return follow_load(cluster_rows, op);
    case CLASS_STORE:
        return follow_store(cluster_rows, op);
    case CLASS_TILE:
        return follow_tile(cluster_rows, op);
    default:
        return op->code == OP_YIELD;
    }
}

static bool follow_body(ClusterRows *cluster_rows)
{
    FOR_OPS (op, cluster_rows->loop->blocks[0])
        if (!follow(cluster_rows, op))
            return false;
    return true;
}

static bool follow_all(ClusterRows *cluster_rows)
{
    FOR_OPS (op, cluster_rows->rows.grid->blocks[0]) {
        cluster_rows->loop = op->nblocks ? op : NULL;
        if (cluster_rows->loop ? !follow_body(cluster_rows) : !follow(cluster_rows, op))
            return false;
    }
    return true;
}

/* True if each carried value is a column of the tile's rows, and a reduction.  */
static bool carries_reductions(const ClusterRows *cluster_rows)
{
    for (int i = 0; i < cluster_rows->rows.nloops; i++)
        for (int k = 0; k < carried_count(cluster_rows->rows.loops[i]); k++) {
            Carried names = carried(cluster_rows->rows.loops[i], k);
            Powers powers;
            if (has_shape(names.result->type, cluster_rows->height, 1) &&
                powers_of(&cluster_rows->uses, cluster_rows->rows.loops[i], k, &powers))
                continue;
            const Op *join = names.next->def;
            bool one = join && (join->code == OP_ADD || join->code == OP_MAX || join->code == OP_MIN);
            if (!one || !has_shape(names.result->type, cluster_rows->height, 1) ||
                (join->args[0] != names.argument && join->args[1] != names.argument))
                return false;
            const Op *part = join->args[join->args[0] == names.argument]->def;
            if (!part || !reduces(part, join))
                return false;
        }
    return true;
}

static bool find_row_counter(ClusterRows *cluster_rows)
{
    const Op *load = cluster_rows->rows.cached[0], *grid = cluster_rows->rows.grid;
    int64_t step;
    cluster_rows->height = load->results[0]->type.rows;
    cluster_rows->row = affine_unconverted(load->args[load->nargs - 2]);
    cluster_rows->dim = grid_variable(cluster_rows->row);
    return cluster_rows->dim >= 0 && grid->nargs / 3 < 4 && ir_constant(grid->args[3 * cluster_rows->dim + 2], &step) &&
           step == cluster_rows->height && cluster_rows->rows.step > 1 &&
           cluster_rows->height != cluster_rows->rows.step;
}

static bool may_spread(Kernel *kernel, ClusterRows *cluster_rows)
{
    *cluster_rows = (ClusterRows){.kernel = kernel};
    if (!find_rows(kernel, &cluster_rows->rows) || !find_row_counter(cluster_rows))
        return false;
    cluster_rows->pads = pads_new(kernel);
    cluster_rows->pads.extent = cluster_rows->rows.extent;
    cluster_rows->uses = uses_new(kernel, kernel->body);
    return carries_reductions(cluster_rows) && follow_all(cluster_rows);
}

/* ---- the version ------------------------------------------------------------------------------------------------- */

/* Rows of a tile, columns of a block's share, and blocks that share a row.  */
typedef struct {
    int rows, columns, blocks;
} Share;

typedef struct {
    const ClusterRows *cluster_rows;
    Share share;
} Shapes;

static void reshape(const Shapes *shapes, Type *type)
{
    if (type->kind != K_TILE)
        return;
    type->rows = type->rows == shapes->cluster_rows->height ? shapes->share.rows : type->rows;
    type->cols = type->cols == shapes->cluster_rows->rows.step ? shapes->share.columns : type->cols;
}

static void visit_shapes(Op *op, void *context)
{
    for (int i = 0; i < op->nresults; i++)
        reshape(context, &op->results[i]->type);
    for (int i = 0; i < op->nblocks; i++)
        for (int k = 0; k < op->blocks[i]->nargs; k++)
            reshape(context, &op->blocks[i]->args[k]->type);
}

/* Makes the first loop that loads a cached tile return the tile, as an array over blocks.  */
static Value *leave(Kernel *kernel, Op *loop, Op *load)
{
    Value *tile = load->results[0];
    Op *none = op_new(kernel, OP_FULL, loop->loc, 0, NULL);
    op_before(loop, none);
    op_add_arg(kernel, loop, op_result(kernel, none, tile->type, NULL));
    block_arg(kernel, loop->blocks[0], tile->type, NULL, loop->loc);
    op_add_arg(kernel, block_end(loop->blocks[0]), tile);
    return op_result(kernel, loop, tile->type, tile->name);
}

static void take(Kernel *kernel, Op *loop, Op *load, Value *array)
{
    Value *args[] = {array, loop->blocks[0]->args[0]};
    Op *at = op_new(kernel, OP_TILE_AT, load->loc, 2, args);
    op_before(load, at);
    ir_replace_uses(loop->blocks[0], load->results[0], op_result(kernel, at, load->results[0]->type, NULL));
    op_remove(load);
}

static void keep_in_arrays(const Rows *rows, Op *loop, Value **arrays)
{
    Op *left[MOST_CACHED] = {NULL};
    FOR_OPS (op, loop->blocks[0]) {
        int kept = moves_with(op, loop) ? cached_as(rows, op) : -1;
        if (kept < 0)
            continue;
        if (arrays[kept]) {
            take(rows->kernel, loop, op, arrays[kept]);
        } else if (left[kept]) {
            ir_replace_uses(loop->blocks[0], op->results[0], left[kept]->results[0]);
            op_remove(op);
        } else {
            left[kept] = op;
        }
    }
    for (int i = 0; i < rows->ncached; i++)
        if (left[i])
            arrays[i] = leave(rows->kernel, loop, left[i]);
}

static void count_blocks(Kernel *kernel, Op *loop, Share share)
{
    Block *body = loop->blocks[0];
    Value *counter = body->args[0];
    const int64_t range[] = {0, share.blocks, 1};
    for (int i = 0; i < 3; i++)
        loop->args[i] = ir_const_before(kernel, loop, counter->type.dtype, range[i]);
    Op *begin = body->first;
    Value *columns = ir_const_before(kernel, begin, counter->type.dtype, share.columns);
    Value *first = ir_binary_before(kernel, begin, OP_SCALAR_MUL, counter, columns);
    ir_replace_uses(body, counter, first);
    first->def->args[0] = counter;
    FOR_OPS (op, body)
        if (op->code == OP_TILE_AT)
            op->args[1] = counter;
    loop->control->pipeline->blocks = true;
}

static void spread(Kernel *version, Share share)
{
    ClusterRows cluster_rows;
    if (!may_spread(version, &cluster_rows)) {
        BUG(version, "the version's loops are not those of its kernel");
        return;
    }
    Op *grid = cluster_rows.rows.grid;
    Shapes shapes = {&cluster_rows, share};
    Value *arrays[MOST_CACHED] = {NULL};
    for (int i = 0; i < cluster_rows.rows.nloops; i++)
        keep_in_arrays(&cluster_rows.rows, cluster_rows.rows.loops[i], arrays);
    for (int i = 0; i < cluster_rows.rows.nloops; i++)
        count_blocks(version, cluster_rows.rows.loops[i], share);
    ir_walk(grid->blocks[0], visit_shapes, &shapes);
    Value **step = &grid->args[3 * cluster_rows.dim + 2];
    *step = ir_const_before(version, grid, (*step)->type.dtype, share.rows);
    blocks_of_pieces(version, (int)cluster_rows.rows.step);
    if (!version->failed)
        pass_simplify(version);
}

/* ---- choice of shares -------------------------------------------------------------------------------------------- */

/* The least columns of a row that all threads of a group share (layout.c). row-cache.c handles shorter rows.  */
static int least_columns(const Kernel *kernel)
{
    return kernel_costs(kernel)->team_columns * MACHINE_GROUP_THREADS;
}

static int registers_of(const ClusterRows *cluster_rows, Share share)
{
    Shapes shapes = {cluster_rows, share};
    int registers = 0;
    for (int i = 0; i < cluster_rows->rows.ncached; i++) {
        Type type = cluster_rows->rows.cached[i]->results[0]->type;
        reshape(&shapes, &type);
        registers += machine_tile_registers(type, LAYOUT_WIDE);
    }
    return registers;
}

/* Registers of the rows that a loop loads for all tiles, for instance scales: the maximum over the loops.  */
static int registers_beside(const ClusterRows *cluster_rows, Share share)
{
    Shapes shapes = {cluster_rows, share};
    int most = 0;
    for (int i = 0; i < cluster_rows->rows.nloops; i++) {
        int registers = 0;
        FOR_OPS (op, cluster_rows->rows.loops[i]->blocks[0]) {
            Type type = op->code == OP_LOAD_ROW ? op->results[0]->type : (Type){0};
            reshape(&shapes, &type);
            registers += type.kind == K_TILE ? machine_tile_registers(type, LAYOUT_WIDE) : 0;
        }
        most = registers > most ? registers : most;
    }
    return most;
}

/* True if these rows fit in registers, or in shared memory (machine/prefetch.c).  */
static bool has_room(const ClusterRows *cluster_rows, Share share)
{
    const Costs *costs = kernel_costs(cluster_rows->kernel);
    int beside = registers_beside(cluster_rows, share);
    return registers_of(cluster_rows, share) + beside <= costs->cluster_row_registers ||
           beside * 4 * MACHINE_GROUP_THREADS <= costs->cached_bytes;
}

/* The widest share whose cached tiles fit in `registers`.  */
static Share share_of(const ClusterRows *cluster_rows, int rows, int registers, int blocks)
{
    Share share = {rows < cluster_rows->height ? rows : cluster_rows->height, (int)cluster_rows->rows.step, blocks};
    while (share.columns < 1 << 20) {
        Share twice = {share.rows, 2 * share.columns, blocks};
        if (registers_of(cluster_rows, twice) > registers)
            break;
        share = twice;
    }
    return share;
}

/* Candidate shares, in the order of row lengths. A row that fits in one block needs no cluster. Few blocks wait less
   for each other than many. Few threads have less overhead for a row than many (measured in bench/notes/first.md,
   "Figures behind thresholds").  */
typedef struct {
    int rows;
    int halves; /* registers of the cached tile, in halves of those of a prefetched tile (prefetch.c) */
    int blocks;
} Try;
static const Try tried[] = {{1, 1, 1}, {1, 2, 1}, {1, 2, 2}, {1, 2, 4}, {1, 2, 8}, {1, 4, 8}, {1, 4, 16}};

static void make_forms(const ClusterRows *cluster_rows)
{
    const int half = kernel_costs(cluster_rows->kernel)->next_registers / 2;
    const int64_t shortest = least_columns(cluster_rows->kernel);
    int64_t first = (cluster_rows->rows.step > shortest ? cluster_rows->rows.step : shortest) + 1, least = first,
            most = 0;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        Share share = share_of(cluster_rows, tried[i].rows, tried[i].halves * half, tried[i].blocks);
        int64_t columns = (int64_t)share.columns * share.blocks;
        if (cluster_rows->height % share.rows || share.columns < shortest || columns < least ||
            share.blocks > cluster_rows->kernel->machine->most_cluster_blocks || !has_room(cluster_rows, share))
            continue;
        most = columns;
        spread(kernel_version(cluster_rows->kernel, cluster_rows->rows.extent, least, most), share);
        least = most + 1;
    }
    if (most)
        remark(cluster_rows->kernel, DIAG_OPTIMIZED, cluster_rows->rows.loops[0]->control->pipeline->loc,
               "where '%s' is from %lld to %lld, rows stay in registers of a block, or of the blocks of a cluster: %d "
               "loops read them once",
               cluster_rows->rows.extent->name ? cluster_rows->rows.extent->name : "the bound", (long long)first,
               (long long)most, cluster_rows->rows.nloops);
}

void pass_cluster_rows(Kernel *kernel)
{
    ClusterRows cluster_rows;
    const Grid *grid = &kernel->grid;
    bool open = kernel->module->target != TARGET_SEQUENTIAL && !kernel->version.of && !grid->totals && !grid->extents &&
                !grid->from && !grid->consumers && !grid->parts && !kernel->tasks && !kernel->shares &&
                grid->cluster[0] <= 1 && grid->cluster[1] <= 1;
    if (open && may_spread(kernel, &cluster_rows))
        make_forms(&cluster_rows);
}
