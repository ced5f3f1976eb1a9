/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-dynamic.c - does every tile of the grid take as long as any other?
 *
 *   for (i = L - 128; i >= 0; i -= 128)        tiles of causal attention: the first has most to do
 *     last = i + 128
 *     for (j = 0; j < last; j += 128)          a bound that comes from the tile
 *
 * The CTAs of a persistent grid take every so many tiles.  Where a loop's bounds, or whether there is a loop at all,
 * depend on the tile, also by way of a while that looks for its place, some would be done long before others: such
 * tiles are scheduled while the kernel runs, in the same order, to whoever wants one.  Which CTA gets which is no part
 * of the meaning of a grid.  So are wide tiles, of which the last of a row may have half the columns and then takes
 * half as long (narrow.c).
 */
#include "schedule/choose.h"

enum { MOST_STEPS = 64 };

static bool comes_from_tile(const Value *value, int depth);

static bool yields_tile(const Op *op, int index, int depth)
{
    for (int k = 0; k < op->nblocks; k++)
        if (comes_from_tile(block_end(op->blocks[k])->args[index], depth))
            return true;
    return false;
}

/* How often it goes round, or what it carries, may be another in every tile.  */
static bool walks_by_tile(const Op *loop, int depth)
{
    for (int k = 0; k < loop->nblocks; k++)
        for (const Op *op = loop->blocks[k]->first; op; op = op->next)
            for (int i = 0; i < op->nargs; i++)
                if (comes_from_tile(op->args[i], depth))
                    return true;
    return false;
}

/* Computed from the grid's variables.  What other loops carry is the same in every tile, as far as is asked here.  */
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

/* A product with a tile of which the last may be half as wide.  */
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

/* Tiles that take turns, each of which is the same but at that edge: where they look for their place themselves,
   dynamic scheduling loses more than it brings.  */
static bool is_uneven_at_edge(const Kernel *kernel)
{
    return kernel->grid.split == SPLIT_TILES && ir_any_of(kernel->body, is_halved, kernel->machine) &&
           !ir_any_of(kernel->body, is_while, NULL);
}

static bool is_resident(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_LOAD && op->transfer->resident;
}

/* By a producer, to groups that all work on the same tile, or in turn on tiles that share what is kept for them or that
   are uneven at an edge only.  */
bool choose_dynamic(Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    bool uneven = false, alone = grid->cluster[0] <= 1 && grid->cluster[1] <= 1;
    if (!grid->persistent || !kernel_is_specialized(kernel) || !alone)
        return false;
    if (grid->split != SPLIT_TILES)
        ir_walk(kernel->body, visit_uneven, &uneven);
    /* Beside another grid some CTAs begin when that one's end.  */
    uneven = uneven || (grid->together && grid->split != SPLIT_TILES);
    return uneven || ir_any_of(kernel->body, is_resident, NULL) || is_uneven_at_edge(kernel);
}
