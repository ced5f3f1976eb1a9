/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distribute-turns.c - lets groups take the tiles of the grid in turn.
 *
 *      for (each tile t)                          if (ordinal % groups == group)
 *        the tile's program                         take; the tile's program; pass
 *                                                 else
 *                                                   skip what is put for it
 */
#include "roles/distribute.h"

static bool is_get(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_GET;
}

/* Takes the turn before `first` and passes it on after `last`. Both NULL: an empty turn at the start of the block.  */
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

/* All gets of a group for one tile, and their products, are one turn. A get waits for the parity of its slot's
   phase, which does not distinguish a round of the ring from the next but one. So a group that has skipped puts of
   other tiles must wait until other groups have got these puts. If a branch decides whether a tile has work, each arm
   has the turn. So the operations behind the products, above all stores, lie behind the turn.  */
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

/* Adds the roots of the slice for another group's tile: the values that fill the rings of the role.  */
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

/* Emits `if (ordinal % groups == group)` around the tile's program. The else arm skips the tile's puts.  */
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
