/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * coalesce-tiles.c - merges neighbouring small tiles of the grid, until a block has enough bytes in flight.
 *
 *      before                                     after
 *      grid i = 0, < %M, 64; j = 0, < %N, 64      grid i = 0, < %M, 128; j = 0, < %N, 64
 *        %x: 64x64 = load %a, i, j                  %x: 128x64 = load %a, i, j
 *        %y: 64x64 = trans %x                       %y: 64x128 = trans %x
 *        store %b, j, i, %y                         store %b, j, i, %y
 *
 * A block of 128 threads that loads less than 8 KB waits for memory most of the time. A transposed tile is stored as
 * rows in different pages of memory, so 16 KB and longer rows pay (measured in bench/notes/first.md, "Figures behind
 * thresholds").
 *
 * A short loop of loads, for instance over the taps of a filter, does not prevent merging. There, neighbouring tiles
 * share most loads and address arithmetic.
 *
 * The pass follows the axis along which the grid's counter moves. A load must begin at the counter on one axis, or at a
 * fixed distance from the counter. On this axis it must have as many elements as the grid's step. Elementwise
 * operations, transposes and reductions across the axis keep its elements apart. A store must begin at the counter on
 * that axis, and its tensor must end where the grid ends. So elements of the last tile beyond the grid's end are not
 * stored.
 *
 * Tested: tests/programs/neighbours.c.
 */
#include "cost/gpu.h"
#include "ir/affine.h"
#include "ir/queries.h"
#include "passes.h"
#include "rules.h"

typedef enum { AXIS_NONE, AXIS_ROWS, AXIS_COLS } Axis;

/* Up to so many rows take no more registers, since each warp of a group has a row.  */
enum { WARPS = 4 };

typedef struct {
    Op *grid;
    int dimension;
    const Value *counter, *high;
    int64_t step;
    Uses uses;
    bool loops;  /* the grid contains loops of loads */
    Axis *axes;  /* by value id: the axis along which the counter moves */
    bool *moves; /* by value id: the scalar depends on the counter */
} Coalesce;

/* ---- where the counter's axis goes ------------------------------------------------------------------------------- */

static bool moves(const Coalesce *coalesce, const Value *value)
{
    return value == coalesce->counter || coalesce->moves[value->id];
}

static int size_along(Type type, Axis axis)
{
    return axis == AXIS_ROWS ? type.rows : type.cols;
}

static bool any_moves(const Coalesce *coalesce, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (moves(coalesce, op->args[i]))
            return true;
    return false;
}

/* True if the coordinate is the counter. A load may also begin at the counter plus terms that do not depend on it.  */
static bool begins_at_counter(const Coalesce *coalesce, const Op *op, const Value *value)
{
    if (affine_unconverted(value) == coalesce->counter || op_info[op->code].class_ == CLASS_STORE)
        return affine_unconverted(value) == coalesce->counter;
    Affine place = affine_of(value);
    if (!place.known || affine_factor(&place, coalesce->counter) != 1)
        return false;
    for (int i = 0; i < place.count; i++)
        if (place.terms[i].value != coalesce->counter && moves(coalesce, place.terms[i].value))
            return false;
    return true;
}

/* Sets the axis of a window whose row and column coordinates are the last of args[1] to args[coordinates]. False:
   the window does not begin at the counter on exactly one axis.  */
static bool window_axis(const Coalesce *coalesce, const Op *op, Type tile, int coordinates, Axis *axis)
{
    bool row = op->code == OP_LOAD || op->code == OP_STORE || op->code == OP_LOAD_COL || op->code == OP_STORE_COL;
    bool col = op->code == OP_LOAD || op->code == OP_STORE || op->code == OP_LOAD_ROW || op->code == OP_STORE_ROW;
    *axis = AXIS_NONE;
    for (int i = 1; i <= coordinates; i++) {
        int behind = coordinates - i;
        Axis here = col && behind == 0 ? AXIS_COLS : row && behind == (int)col ? AXIS_ROWS : AXIS_NONE;
        if (!moves(coalesce, op->args[i]))
            continue;
        if (!begins_at_counter(coalesce, op, op->args[i]) || here == AXIS_NONE || *axis != AXIS_NONE ||
            size_along(tile, here) != coalesce->step)
            return false;
        *axis = here;
    }
    return !moves(coalesce, op->args[0]);
}

/* A (1,1) tile takes the type of the other operand. A longer tile does not.  */
static bool is_number(Type type)
{
    return type.kind == K_TILE && type.rows == 1 && type.cols == 1;
}

/* Sets the common axis of the operands. Other operands must be constant along the axis.  */
static bool elementwise_axis(const Coalesce *coalesce, const Op *op, Axis *axis)
{
    *axis = AXIS_NONE;
    for (int i = 0; i < op->nargs; i++)
        if (coalesce->axes[op->args[i]->id] != AXIS_NONE)
            *axis = coalesce->axes[op->args[i]->id];
    for (int i = 0; i < op->nargs; i++) {
        const Value *value = op->args[i];
        bool same = value->type.kind == K_TILE && *axis != AXIS_NONE && size_along(value->type, *axis) == 1;
        if (coalesce->axes[value->id] != *axis && (coalesce->axes[value->id] != AXIS_NONE || !same))
            return false;
        if (coalesce->axes[value->id] != AXIS_NONE && is_number(value->type) && value->type.dtype != D_MASK &&
            value->type.dtype != op->results[0]->type.dtype)
            return false;
    }
    return !any_moves(coalesce, op);
}

static bool reduces(const Op *op, Axis *kept)
{
    *kept = op_info[op->code].rule == R_ROW || op_info[op->code].rule == R_ARGMAX ? AXIS_ROWS : AXIS_COLS;
    return *kept == AXIS_ROWS || op_info[op->code].rule == R_COL;
}

/* True if the tensor ends where the grid ends.  */
static bool ends_with_grid(const Coalesce *coalesce, const Op *store, Axis axis)
{
    const Op *tensor = store->args[0]->def;
    bool last = axis == AXIS_COLS || store->code == OP_STORE_COL;
    int rank = store->nargs - 2, dimension = rank - (last ? 1 : 2);
    return tensor && tensor->code == OP_TENSOR &&
           affine_same(affine_extent(tensor->args[1 + dimension]), coalesce->high);
}

static bool store_is_kept(const Coalesce *coalesce, const Op *op)
{
    const Value *tile = op->args[op->nargs - 1];
    Axis axis;
    bool known = op->code == OP_STORE || op->code == OP_STORE_ROW || op->code == OP_STORE_COL;
    return known && window_axis(coalesce, op, tile->type, op->nargs - 2, &axis) && axis != AXIS_NONE &&
           axis == coalesce->axes[tile->id] && ends_with_grid(coalesce, op, axis);
}

static bool follow(Coalesce *coalesce, const Op *op);

/* True if each carried value keeps its axis.  */
static bool follow_body(Coalesce *coalesce, const Op *loop)
{
    FOR_OPS (op, loop->blocks[0])
        if (op->code != OP_YIELD && !follow(coalesce, op))
            return false;
    for (int i = 0; i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        if (coalesce->axes[names.argument->id] != coalesce->axes[names.next->id])
            return false;
    }
    return true;
}

/* True for a constant tile that only the loop uses: it takes the axis of the carried value.  */
static bool starts_anywhere(const Coalesce *coalesce, const Value *start)
{
    const Use *use = start->def && start->def->code == OP_FULL ? uses_of(&coalesce->uses, start) : NULL;
    return use && !use->next;
}

static bool follow_loop(Coalesce *coalesce, const Op *loop)
{
    if (!loop_is_of_loads(loop) || any_moves(coalesce, loop))
        return false;
    coalesce->loops = true;
    for (Axis guess = AXIS_ROWS; guess <= AXIS_COLS; guess++) {
        for (int i = 0; i < carried_count(loop); i++) {
            Value *start = loop->args[3 + i];
            bool along = starts_anywhere(coalesce, start) && size_along(start->type, guess) == coalesce->step;
            coalesce->axes[start->id] = along                              ? guess
                                        : starts_anywhere(coalesce, start) ? AXIS_NONE
                                                                           : coalesce->axes[start->id];
            coalesce->axes[carried(loop, i).argument->id] = coalesce->axes[loop->results[i]->id] =
                coalesce->axes[start->id];
        }
        if (follow_body(coalesce, loop))
            return true;
    }
    return false;
}

static bool follow(Coalesce *coalesce, const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    Axis axis = AXIS_NONE, kept;
    bool good;
    if (op->nblocks)
        return follow_loop(coalesce, op);
    if (class_ == CLASS_STORE)
        return store_is_kept(coalesce, op);
    if (class_ == CLASS_SCALAR || class_ == CLASS_READ) {
        coalesce->moves[op->results[0]->id] = any_moves(coalesce, op);
        return true;
    }
    if (class_ == CLASS_LOAD)
        good = window_axis(coalesce, op, op->results[0]->type, op->nargs - 1, &axis);
    else if (op_is_elementwise(op))
        good = elementwise_axis(coalesce, op, &axis);
    else if (op->code == OP_TRANS || reduces(op, &kept)) {
        Axis from = coalesce->axes[op->args[0]->id];
        axis = op->code != OP_TRANS ? from : from == AXIS_ROWS ? AXIS_COLS : from == AXIS_COLS ? AXIS_ROWS : AXIS_NONE;
        good = op->code == OP_TRANS || from == AXIS_NONE || from == kept;
    } else {
        good = !any_moves(coalesce, op) && class_ != CLASS_CONTROL;
        for (int i = 0; i < op->nargs; i++)
            good &= coalesce->axes[op->args[i]->id] == AXIS_NONE;
    }
    for (int i = 0; i < op->nresults; i++)
        coalesce->axes[op->results[i]->id] = axis;
    return good;
}

static bool may_join(Coalesce *coalesce)
{
    FOR_OPS (op, coalesce->grid->blocks[0])
        if (op->code != OP_YIELD && !follow(coalesce, op))
            return false;
    return true;
}

/* ---- profitability ----------------------------------------------------------------------------------------------- */

static bool turns(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_TRANS;
}

static int operations(const Coalesce *coalesce)
{
    int count = 0;
    FOR_OPS (op, coalesce->grid->blocks[0])
        count += op_info[op->code].class_ == CLASS_TILE && op->code != OP_TRANS;
    return count;
}

/* True if the tile waits for loads of a loop, a transpose or a reduction. A larger tile does not help elementwise
   programs.  */
static bool waits(const Coalesce *coalesce)
{
    Axis kept;
    if (coalesce->loops)
        return true;
    FOR_OPS (op, coalesce->grid->blocks[0])
        if (op->code == OP_TRANS || reduces(op, &kept))
            return true;
    return false;
}

typedef struct {
    const Coalesce *coalesce;
    int64_t most, bytes; /* most: elements of the largest tile; bytes: of all loads */
    bool columns;        /* the axis is columns in some tile */
} Sizes;

static void visit_size(Op *op, void *context)
{
    Sizes *sizes = context;
    for (int i = 0; i < op->nresults; i++) {
        Type type = op->results[i]->type;
        Axis axis = sizes->coalesce->axes[op->results[i]->id];
        int64_t elements = axis != AXIS_NONE ? (int64_t)type.rows * type.cols : 0;
        sizes->most = elements > sizes->most ? elements : sizes->most;
        sizes->bytes += op_info[op->code].class_ == CLASS_LOAD ? elements * dtype_bytes(type.dtype) : 0;
        sizes->columns |= axis == AXIS_COLS;
    }
}

static Sizes sizes_of(const Coalesce *coalesce)
{
    Sizes sizes = {coalesce, 0, 0, false};
    ir_walk(coalesce->grid->blocks[0], visit_size, &sizes);
    return sizes;
}

/* The number of tiles to merge into one; 1: none.  */
static int tiles_wanted(const Costs *costs, const Coalesce *coalesce)
{
    Sizes sizes = sizes_of(coalesce);
    int64_t bytes = sizes.bytes, small = coalesce->loops ? costs->merged_loop_bytes : costs->merged_bytes;
    bool transposed = ir_any_of(coalesce->grid->blocks[0], turns, NULL);
    bool many = operations(coalesce) > costs->merged_operations;
    const int64_t held = costs->merged_elements;
    int64_t elements = !operations(coalesce) ? INT64_MAX : transposed || many ? held / 2 : held;
    int64_t warps = sizes.columns || coalesce->loops ? 1 : WARPS / coalesce->step;
    int count = 1;
    if (!waits(coalesce))
        return 1;
    if (transposed && many)
        return 1;
    while (2 * count <= warps && 2 * count * sizes.most <= held)
        count *= 2;
    while (bytes && 2 * count * bytes <= (transposed ? costs->merged_transposed_bytes : small) &&
           (!transposed || 2 * count * coalesce->step <= costs->merged_transposed_side) &&
           2 * count * sizes.most <= elements)
        count *= 2;
    return count;
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const Coalesce *coalesce;
    int count;
} Joining;

static void widen(const Joining *joining, Value *value)
{
    Axis axis = joining->coalesce->axes[value->id];
    if (axis == AXIS_ROWS)
        value->type.rows *= joining->count;
    else if (axis == AXIS_COLS)
        value->type.cols *= joining->count;
}

static void visit_join(Op *op, void *context)
{
    for (int i = 0; i < op->nresults; i++)
        widen(context, op->results[i]);
    for (int i = 0; i < op->nblocks; i++)
        for (int k = 0; k < op->blocks[i]->nargs; k++)
            widen(context, op->blocks[i]->args[k]);
}

static void join(Kernel *kernel, const Coalesce *coalesce, int count)
{
    Dtype type = coalesce->grid->args[3 * coalesce->dimension + 2]->type.dtype;
    coalesce->grid->args[3 * coalesce->dimension + 2] =
        ir_const_before(kernel, coalesce->grid, type, count * coalesce->step);
    Joining joining = {coalesce, count};
    ir_walk(coalesce->grid->blocks[0], visit_join, &joining);
    remark(kernel, DIAG_OPTIMIZED, kernel->loc,
           "coalesced %d neighbouring tiles of %lld columns into one, since each loads few bytes", count,
           (long long)coalesce->step);
}

static void try_dimension(Kernel *kernel, Op *grid, int dimension)
{
    size_t values = (size_t)kernel->module->next_id + 1;
    int64_t low;
    Coalesce coalesce = {.grid = grid, .dimension = dimension};
    coalesce.counter = grid->blocks[0]->args[dimension];
    coalesce.high = grid->args[3 * dimension + 1];
    coalesce.axes = arena_alloc(kernel->module, values * sizeof *coalesce.axes);
    coalesce.moves = arena_alloc(kernel->module, values * sizeof *coalesce.moves);
    coalesce.uses = uses_new(kernel, kernel->body);
    bool counts = ir_constant(grid->args[3 * dimension], &low) && !low &&
                  ir_constant(grid->args[3 * dimension + 2], &coalesce.step) && coalesce.step >= 1;
    if (counts && may_join(&coalesce) && tiles_wanted(kernel_costs(kernel), &coalesce) > 1)
        join(kernel, &coalesce, tiles_wanted(kernel_costs(kernel), &coalesce));
}

static void visit_grid(Op *op, void *context)
{
    Kernel *kernel = context;
    const Grid *grid = &kernel->grid;
    bool open = op->code == OP_GRID && !grid->parts && grid->cluster[0] <= 1 && grid->cluster[1] <= 1 &&
                !grid->consumers && grid->order == ORDER_AUTO;
    for (int dimension = 0; open && dimension < op->nargs / 3; dimension++)
        try_dimension(kernel, op, dimension);
}

void pass_coalesce_tiles(Kernel *kernel)
{
    ir_walk(kernel->body, visit_grid, kernel);
}
