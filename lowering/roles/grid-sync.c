/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grid-sync.c - synchronizes tiles of grids that run at the same time.
 *
 *      producer                               producer
 *        grid i, j                              grid i, j
 *                                                 await_tiles        until those are done that store what it loads
 *          copy_in a, i, k                        copy_in a, i, k
 *      consumer                               consumer
 *        grid i, j                              grid i, j
 *                                                 tell_tiles         of the tile before, when its stores can be seen
 *          store c, i, j, x                       store c, i, j, x
 *                                                 tile_done
 *                                               tell_tiles           of the last one
 *
 * The grids of a region under `together` are launches of one stream. Each grid begins when all blocks of the grid
 * before it run. So an earlier grid always has room, and waits only for grids before it. The earliest unfinished grid
 * always makes progress. The tiles that a tile waits for follow from the footprints of both (footprint.c). The runtime
 * compares the footprints at launch (runtime/host/together.c).
 *
 * Before its first statement that reads memory, a role waits for the tiles that store the data it loads. So the loads
 * of an epilogue may wait later than the operands of the product.
 *
 * A group announces a tile when it stores the next one. By then the copies out of the tile are complete. An
 * announcement right behind the tile would wait for the copies, and delay the tensor cores (bench/notes/devices.md).
 *
 * Groups that take tiles in turn announce their own tiles. If a role reads scalars from memory, or loads outside of the
 * grid, no tile of the kernel waits. The kernel then begins behind all earlier ones.
 */
#include "ir/queries.h"
#include "passes.h"
#include "roles/programs.h"

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

/* True if the test holds for an operation of the role outside its grid.  */
static bool any_outside(const Role *role, bool (*test)(const Op *op, const void *context))
{
    for (const Op *op = role->body->first; op; op = op->next)
        if (op->code != OP_GRID && (test(op, NULL) || ir_any(op, test, NULL)))
            return true;
    return false;
}

/* The first statement of the tile for which the test holds, or which contains such a statement.  */
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

/* The position behind the tile's last loop and its waits, and before the values that the store keeps in registers.  */
static Op *late_in_tile(Block *tile)
{
    Op *store = first_that(tile, is_stored), *place = tile->first;
    for (Op *op = tile->first; op != store; op = op->next)
        place = op->nblocks ? op->next : place;
    while (place != store && place != tile->first && ends_product(place))
        place = place->next;
    return place;
}

/* Announces the role's tiles: each one before the stores of the next, the last one behind the grid.  */
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
