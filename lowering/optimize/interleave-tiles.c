/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interleave-tiles.c - interleaves tiles that load through an index in memory.
 *
 *      before                                     after
 *      grid i = 0, < %M, 1                        grid i = 0, < %M, 4
 *        for j = 0, < %N, 1024                      for j = 0, < %N, 1024
 *          %r = at %n, %i                             %r = at %n, %i; %r2 = at %n, %i + 1; ...
 *          %x: 1x1024 = load %t, %r, %j               %x = load %t, %r, %j; %x2 = load %t, %r2, %j; ...
 *          store %y, %i, %j, %x                       store %y, %i, %j, %x; store %y, %i + 1, %j, %x2; ...
 *
 * A tile of this kind waits for memory twice, and the second time has few bytes in flight. The pass coalesce_tiles
 * cannot merge neighbouring tiles, since their rows lie anywhere. Iterations of a grid are independent, so their
 * operations may be interleaved: first all loads of indices, then all loads of rows. A loop runs once for all tiles if
 * its bounds do not depend on the tile.
 *
 * Tiles beyond the grid's end load out of bounds, or row 0, and store nothing. Each store begins at the counter in a
 * dimension in which the tensor ends where the grid ends.
 *
 * Tested, not proved (proof/freeze.c): `tests/programs/abreast.c`.
 */
#include "ir/affine.h"
#include "ir/queries.h"
#include "cost/gpu.h"
#include "passes.h"

enum { MOST_INTERLEAVED = 8 }; /* tiles of a block */

typedef struct {
    Kernel *kernel;
    Op *grid;
    int dimension;
    const Value *counter, *high;
    int64_t step;
    bool *moves; /* by value id: depends on the counter */
    bool *found; /* by value id: depends on the counter through an index in memory */
    bool finds;  /* a load begins at such an index */
    int64_t bytes, elements;
    ValueMap maps[MOST_INTERLEAVED];
} Interleave;

/* ---- legality ---------------------------------------------------------------------------------------------------- */

static bool any_of(const bool *set, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (set[op->args[i]->id])
            return true;
    return false;
}

/* True if the store writes nothing beyond the grid's end.  */
static bool ends_with_grid(const Interleave *ctx, const Op *store)
{
    const Op *tensor = store->args[0]->def;
    if (!tensor || tensor->code != OP_TENSOR || ctx->moves[store->args[0]->id])
        return false;
    int rank = store->args[0]->type.rank;
    for (int i = 0; i < rank && i < store->nargs - 2; i++)
        if (affine_unconverted(store->args[1 + i]) == ctx->counter &&
            affine_same(affine_extent(tensor->args[1 + i]), ctx->high))
            return true;
    return false;
}

static bool may_take_turns(Interleave *ctx, const Block *block);

/* True for a division by an index from memory, which is 0 beyond the grid's end.  */
static bool divides(const Interleave *ctx, const Op *op)
{
    return (op->code == OP_SCALAR_DIV || op->code == OP_SCALAR_REM) && ctx->found[op->args[1]->id];
}

static bool makes_tile(const Op *op)
{
    return op_is_elementwise(op) || op->code == OP_FULL || op->code == OP_SPLAT || op->code == OP_ROW_INDEX ||
           op->code == OP_COL_INDEX;
}

static bool may_be_interleaved(Interleave *ctx, const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    bool number = op->code == OP_AT || op->code == OP_AT_FLOAT;
    if (op->nblocks)
        return op->code == OP_FOR && !carried_count(op) && !op->control->pipeline && !any_of(ctx->moves, op) &&
               may_take_turns(ctx, op->blocks[0]);
    if (class_ == CLASS_STORE)
        return (op->code == OP_STORE || op->code == OP_STORE_ROW || op->code == OP_STORE_COL) &&
               ends_with_grid(ctx, op);
    if (class_ == CLASS_LOAD || number) {
        ctx->finds |= class_ == CLASS_LOAD && any_of(ctx->found, op);
        return !ctx->moves[op->args[0]->id];
    }
    return (class_ == CLASS_SCALAR && !divides(ctx, op)) || (class_ == CLASS_TENSOR && !any_of(ctx->moves, op)) ||
           makes_tile(op);
}

static void weigh(Interleave *ctx, const Op *op)
{
    for (int i = 0; i < op->nresults; i++) {
        Type type = op->results[i]->type;
        int64_t elements = type.kind == K_TILE && ctx->moves[op->results[i]->id] ? (int64_t)type.rows * type.cols : 0;
        ctx->elements = elements > ctx->elements ? elements : ctx->elements;
        ctx->bytes += op_info[op->code].class_ == CLASS_LOAD ? elements * dtype_bytes(type.dtype) : 0;
    }
}

static bool may_take_turns(Interleave *ctx, const Block *block)
{
    FOR_OPS (op, block) {
        if (op->code == OP_YIELD)
            continue;
        if (!may_be_interleaved(ctx, op))
            return false;
        bool number = op->code == OP_AT || op->code == OP_AT_FLOAT;
        for (int i = 0; i < op->nresults; i++) {
            ctx->moves[op->results[i]->id] = any_of(ctx->moves, op);
            ctx->found[op->results[i]->id] = any_of(ctx->found, op) || (number && any_of(ctx->moves, op));
        }
        weigh(ctx, op);
    }
    return true;
}

static int wanted(const Interleave *ctx)
{
    const Costs *costs = kernel_costs(ctx->kernel);
    int count = 1;
    while (ctx->bytes && 2 * count <= MOST_INTERLEAVED && 2 * count * ctx->bytes <= costs->merged_bytes &&
           2 * count * ctx->elements <= costs->merged_elements)
        count *= 2;
    return ctx->finds ? count : 1;
}

/* ---- interleaving ------------------------------------------------------------------------------------------------ */

static void copy_behind(Interleave *ctx, Op *op, int number)
{
    Op *copy = op_new(ctx->kernel, op->code, op->loc, 0, NULL);
    op_copy_attributes(copy, op);
    *schedule_op(copy) = *schedule_of(op);
    for (int i = 0; i < op->nargs; i++)
        op_add_arg(ctx->kernel, copy, value_map_get(&ctx->maps[number], op->args[i]));
    for (int i = 0; i < op->nresults; i++)
        value_map_set(ctx->kernel, &ctx->maps[number], op->results[i],
                      op_result(ctx->kernel, copy, op->results[i]->type, op->results[i]->name));
    op_after(op, copy);
}

/* Interleaves the operations of a block, from `first` on.  */
static void take_turns(Interleave *ctx, Op *first, int count)
{
    for (Op *op = first, *next; op; op = next) {
        next = op->next;
        if (op->nblocks)
            take_turns(ctx, op->blocks[0]->first, count);
        else if (op->code != OP_YIELD && any_of(ctx->moves, op))
            for (int i = count - 1; i > 0; i--)
                copy_behind(ctx, op, i);
    }
}

static void interleave(Interleave *ctx, int count)
{
    Kernel *kernel = ctx->kernel;
    Op *first = ctx->grid->blocks[0]->first;
    Dtype type = ctx->grid->args[3 * ctx->dimension + 2]->type.dtype;
    Value *counter = ctx->grid->blocks[0]->args[ctx->dimension];
    for (int i = 1; i < count; i++) {
        Value *by = ir_const_before(kernel, first, counter->type.dtype, i * ctx->step);
        ctx->maps[i] = value_map_new(kernel);
        value_map_set(kernel, &ctx->maps[i], counter, ir_binary_before(kernel, first, OP_SCALAR_ADD, counter, by));
    }
    take_turns(ctx, first, count);
    ctx->grid->args[3 * ctx->dimension + 2] = ir_const_before(kernel, ctx->grid, type, count * ctx->step);
    remark(kernel, DIAG_OPTIMIZED, kernel->loc,
           "interleaved %d tiles in a block, since each loads its coordinates first", count);
}

static void try_dimension(Kernel *kernel, Op *grid, int dimension)
{
    size_t values = (size_t)kernel->module->next_id + 1;
    Interleave ctx = {.kernel = kernel, .grid = grid, .dimension = dimension};
    ctx.counter = grid->blocks[0]->args[dimension];
    ctx.high = grid->args[3 * dimension + 1];
    ctx.moves = arena_alloc(kernel->module, values * sizeof *ctx.moves);
    ctx.found = arena_alloc(kernel->module, values * sizeof *ctx.found);
    ctx.moves[ctx.counter->id] = true;
    bool counts = ir_constant(grid->args[3 * dimension + 2], &ctx.step) && ctx.step >= 1;
    if (counts && may_take_turns(&ctx, grid->blocks[0]) && wanted(&ctx) > 1)
        interleave(&ctx, wanted(&ctx));
}

static void visit_grid(Op *op, void *context)
{
    Kernel *kernel = context;
    const Grid *grid = &kernel->grid;
    bool open = op->code == OP_GRID && !grid->parts && grid->cluster[0] <= 1 && grid->cluster[1] <= 1 &&
                !grid->consumers && grid->order == ORDER_AUTO && !kernel->tasks;
    for (int dimension = op->nargs / 3 - 1; open && dimension >= 0; dimension--)
        try_dimension(kernel, op, dimension);
}

void pass_interleave_tiles(Kernel *kernel)
{
    ir_walk(kernel->body, visit_grid, kernel);
}
