/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-dynamic.c - decides whether tiles of the grid are scheduled dynamically.
 *
 *      for (i = L - 128; i >= 0; i -= 128)        tiles of causal attention: the first has most to do
 *        last = i + 128
 *        for (j = 0; j < last; j += 128)          a bound that comes from the tile
 *
 * The blocks of a persistent grid take tiles at a fixed distance.  If the trip count of a loop depends on the tile,
 * some blocks would finish long before others.  The same holds if a branch around a loop depends on the tile, or if a
 * while loop searches the tile's place.  These tiles are scheduled at run time, in the same order: each block takes the
 * next tile.  The meaning of a grid does not depend on the block that executes a tile.
 *
 * Wide tiles are also scheduled dynamically, since the last tile of a row may have half the columns (narrow.c).  Tiles
 * that share a resident load are, too (choose-resident.c).
 */
#include "schedule/choose.h"
#include "target/operands.h"

enum { MOST_STEPS = 64 };

static bool comes_from_tile(const Value *value, int depth);

static bool yields_tile(const Op *op, int index, int depth)
{
    for (int k = 0; k < op->nblocks; k++)
        if (comes_from_tile(block_end(op->blocks[k])->args[index], depth))
            return true;
    return false;
}

/* True if the trip count of the loop, or a value that it carries, may differ between tiles.  */
static bool walks_by_tile(const Op *loop, int depth)
{
    for (int k = 0; k < loop->nblocks; k++)
        for (const Op *op = loop->blocks[k]->first; op; op = op->next)
            for (int i = 0; i < op->nargs; i++)
                if (comes_from_tile(op->args[i], depth))
                    return true;
    return false;
}

/* True if the value is computed from variables of the grid.  Values that other loops carry count as equal in all
   tiles.  */
static bool comes_from_tile(const Value *value, int depth)
{
    const Op *def = value->def;
    if (!def)
        return value->block && value->block->parent && value->block->parent->code == OP_GRID;
    if (depth > MOST_STEPS || def->code == OP_FOR)
        return false;
    if (def->code == OP_WHILE && walks_by_tile(def, depth + 1))
        return true;
    if (def->code == OP_IF && yields_tile(def, value->index, depth + 1))
        return true;
    for (int i = 0; i < def->nargs; i++)
        if (comes_from_tile(def->args[i], depth + 1))
            return true;
    return false;
}

static bool is_loop(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_FOR;
}

static void visit_uneven(Op *op, void *context)
{
    bool *uneven = context;
    for (int i = 0; i < 3 && op->code == OP_FOR; i++)
        *uneven |= comes_from_tile(op->args[i], 0);
    if (op->code == OP_IF && ir_any(op, is_loop, NULL))
        *uneven |= comes_from_tile(op->args[0], 0);
}

/* True for a product with a tile of which the last may be half as wide.  */
static bool is_halved(const Op *op, const void *context)
{
    const Op *trans = op_is_dot(op) ? op->args[1]->def : NULL;
    const Op *load = trans && trans->code == OP_TRANS ? trans->args[0]->def : NULL;
    return load && load->code == OP_LOAD && is_halved_at_edge(context, load);
}

static bool is_while(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_WHILE;
}

/* True if groups take tiles in turn that differ only at such an edge.  If tiles search their place themselves, dynamic
   scheduling loses more than it gains.  */
static bool is_uneven_at_edge(const Kernel *kernel)
{
    return kernel->schedule.block.split == SPLIT_TILES && ir_any_of(kernel->body, is_halved, kernel->machine) &&
           !ir_any_of(kernel->body, is_while, NULL);
}

static bool is_resident(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_LOAD && op->transfer->resident;
}

/* The kernel needs a producer.  The groups work on the same tile, or in turn on tiles that share resident data or
   differ only at an edge.  */
bool choose_dynamic(Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    const BlockSchedule *block = &kernel->schedule.block;
    bool uneven = false, alone = grid->cluster[0] <= 1 && grid->cluster[1] <= 1;
    if (!block->persistent || !kernel_is_specialized(kernel) || !alone)
        return false;
    if (block->split != SPLIT_TILES)
        ir_walk(kernel->body, visit_uneven, &uneven);
    /* Next to another grid, some blocks begin when blocks of that grid end.  */
    uneven = uneven || (grid->together && block->split != SPLIT_TILES);
    return uneven || ir_any_of(kernel->body, is_resident, NULL) || is_uneven_at_edge(kernel);
}
