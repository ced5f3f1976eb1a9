/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distribute-turns.c - groups that take the tiles of the grid in turn.
 *
 *   for (each tile t)                          if (ordinal % groups == group)
 *     the tile's program                         take; the tile's program; pass
 *                                              else
 *                                                skip what is put for it
 */
#include "roles/distribute.h"

static bool is_get(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_GET;
}

/* From before `first` to after `last`; an empty turn ahead of everything where both are NULL.  */
static void surround_by_turn(Distributor *distributor, Block *block, Op *first, Op *last)
{
    const Op *origin = first ? first : block->parent;
    Op *take = distribute_emit(distributor, block, origin, OP_PINGPONG_TAKE, 0, NULL);
    Op *pass = distribute_emit(distributor, block, origin, OP_PINGPONG_PASS, 0, NULL);
    op_remove(pass);
    if (last)
        op_after(last, pass);
    else
        op_before(block->first, pass);
    op_remove(take);
    op_before(first ? first : pass, take);
}

static void place_turn(Distributor *distributor, Block *block);

static void place_turn_in_arm(Distributor *distributor, Block *arm)
{
    bool gets = false;
    FOR_OPS (op, arm)
        gets |= ir_any(op, is_get, NULL);
    if (gets)
        place_turn(distributor, arm);
    else
        surround_by_turn(distributor, arm, NULL, NULL);
}

/* What a group gets for one tile is one turn, and so are its products.  A get waits for the parity of its slot's phase,
   which tells one round of the ring from the next but not from the one after: a group that has passed over the puts of
   other tiles may ask for its own only when those have been got.  Where a branch decides whether there is work at all,
   each arm has the turn, so that what follows the products in one, its stores above all, lies behind it.  */
static void place_turn(Distributor *distributor, Block *block)
{
    Op *first = NULL, *last = NULL;
    FOR_OPS (op, block)
        if (ir_any(op, is_get, NULL)) {
            first = first ? first : op;
            last = op;
        }
    if (first && first == last && first->code == OP_IF) {
        for (int k = 0; k < first->nblocks; k++)
            place_turn_in_arm(distributor, first->blocks[k]);
        return;
    }
    if (first)
        surround_by_turn(distributor, block, first, last);
}

/* Roots of what a group has to follow of a tile that is not its own: what fills its rings.  */
static void visit_ring(Op *op, void *context)
{
    Distributor *distributor = context;
    if (op->aref && aref_to(op->results[0], distributor->role))
        slice_op(&distributor->slice, op);
}

static bool cut_at_any_ring(const Op *op, void *context)
{
    (void)context;
    return op->aref;
}

/* Groups that take tiles in turn: `if (ordinal % groups == group)` the tile, else its puts are passed over.  */
void distribute_turns(Distributor *distributor, Block *from, Block *to, Op *grid)
{
    Kernel *kernel = distributor->kernel;
    Value *ordinal = block_arg(kernel, to, type_scalar(D_I32), "ordinal", grid->loc);
    Value *groups = ir_const_int(kernel, to, D_I32, distributor->role->replicas);
    Value *turn = distribute_binary(distributor, to, grid, OP_SCALAR_REM, ordinal, groups, D_I32);
    Value *mine = distribute_binary(distributor, to, grid, OP_SCALAR_EQ, turn, distributor->group, D_I1);
    Op *branch = distribute_emit(distributor, to, grid, OP_IF, 1, &mine);
    Block *blocks[2] = {block_new(kernel, branch), block_new(kernel, branch)};
    distribute_block(distributor, from, blocks[0]);
    place_turn(distributor, blocks[0]);

    Slice consumed = distributor->slice;
    distributor->slice = slice_new(kernel);
    distributor->slice.cut = cut_at_any_ring;
    distributor->skipping = true;
    ir_walk(from, visit_ring, distributor);
    distribute_block(distributor, from, blocks[1]);
    collapse_skips(distributor->kernel, blocks[1]);
    distributor->skipping = false;
    distributor->slice = consumed;
    for (int k = 0; k < 2; k++)
        if (!blocks[k]->last || blocks[k]->last->code != OP_YIELD)
            distribute_emit(distributor, blocks[k], grid, OP_YIELD, 0, NULL);
    distribute_emit(distributor, to, grid, OP_YIELD, 0, NULL);
}
