/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grid-sync.c - where tiles of grids that run together wait for each other.
 *
 *   producer                               producer
 *     grid i, j                              grid i, j
 *                                              await_tiles        until those are done that store what it loads
 *       copy_in a, i, k                        copy_in a, i, k
 *   consumer                               consumer
 *     grid i, j                              grid i, j
 *                                              tell_tiles         of the tile before, when its stores can be seen
 *       store c, i, j, x                       store c, i, j, x
 *                                              tile_done
 *                                            tell_tiles           of the last one
 *
 * Under `together` the grids of a block are launches of one stream, of which each begins when all blocks of the one
 * before it run.  So an earlier grid never wants for room, and waits for grids before it alone: the earliest one that
 * has not ended always goes on.  Which tiles a tile waits for follows from what both touch (footprint.c), and the
 * runtime compares that when it launches (runtime/host/together.c).
 *
 * A role waits in front of the first statement that reads memory, for what it loads itself: what an epilogue adds may
 * come later than the product's operands.
 *
 * A group tells of a tile where it stores the next one.  Until then the copies out of the tile have written, while
 * behind the tile itself it would wait for them, and the tensor cores for it (bench/notes/devices.md).
 *
 * Where groups take tiles in turn each tells of its own.  Numbers that a role reads out of memory, and loads in front
 * of the grid, are not waited for: such a kernel begins behind the ones before it.
 */
#include "ir/queries.h"
#include "machine/plan.h"
#include "lower.h"

static bool is_read(const Op *op, const void *context)
{
    (void)context;
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || class_ == CLASS_READ || op->code == OP_LOAD_AT || op->code == OP_COPY_IN;
}

static bool is_number(const Op *op, const void *context)
{
    (void)context;
    return op_info[op->code].class_ == CLASS_READ || op->code == OP_LOAD_AT;
}

static bool is_stored(const Op *op, const void *context)
{
    (void)context;
    return op_info[op->code].class_ == CLASS_STORE && !op_prints(op);
}

/* Does the test hold for an op of the role that stands outside its grid?  */
static bool any_outside(const Role *role, bool (*test)(const Op *op, const void *context))
{
    for (const Op *op = role->body->first; op; op = op->next)
        if (op->code != OP_GRID && (test(op, NULL) || ir_any(op, test, NULL)))
            return true;
    return false;
}

/* The first statement of the tile for which the test holds, or in which it does.  */
static Op *first_that(Block *tile, bool (*test)(const Op *op, const void *context))
{
    Op *op = tile->first;
    while (!test(op, NULL) && !ir_any(op, test, NULL))
        op = op->next;
    return op;
}

static bool ends_product(const Op *op)
{
    return op->code == OP_WAIT || op->code == OP_CONSUMED || op->code == OP_PINGPONG_PASS;
}

/* Behind what takes time, in front of all that is held for the store.  */
static Op *late_in_tile(Block *tile)
{
    Op *store = first_that(tile, is_stored), *place = tile->first;
    for (Op *op = tile->first; op != store; op = op->next)
        place = op->nblocks ? op->next : place;
    while (place != store && place != tile->first && ends_product(place))
        place = place->next;
    return place;
}

/* Of what it stores.  */
static void tell(Kernel *kernel, const Role *role)
{
    Block *own = role_own_tile(role);
    op_lowered_before(kernel, late_in_tile(own), OP_TELL_TILES, 0, NULL);
    op_lowered_before(kernel, own->last, OP_TILE_DONE, 0, NULL);
    Op *last = op_lowered_before(kernel, role_grid(role), OP_TELL_TILES, 0, NULL);
    op_remove(last);
    op_after(role_grid(role), last);
}

static bool may_await(const Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        if (!role_grid(role) || ir_any_of(role->body, is_number, NULL) || any_outside(role, is_read))
            return false;
    return true;
}

static bool may_tell(const Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        if (!role_grid(role) || any_outside(role, is_stored))
            return false;
    return true;
}

void pass_grid_sync(Kernel *kernel)
{
    bool tells = kernel->grid.together && may_tell(kernel);
    kernel->grid.awaits = kernel->grid.together && may_await(kernel);
    FOR_ROLES (role, kernel) {
        Block *tile = tells || kernel->grid.awaits ? role_grid(role)->blocks[0] : NULL;
        if (kernel->grid.awaits && ir_any_of(tile, is_read, NULL))
            op_lowered_before(kernel, first_that(tile, is_read), OP_AWAIT_TILES, 0, NULL);
        if (tells && ir_any_of(tile, is_stored, NULL))
            tell(kernel, role);
    }
}
