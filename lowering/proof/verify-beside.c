/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-beside.c - do tiles of grids that run together wait before they load, and speak after they have stored?
 *
 *   grid i, j                   in each role that reads memory, if the grid begins before earlier ones have ended
 *     await_tiles                 no statement of the tile before it reads memory
 *     ...
 *     tile_done                 in each role that stores, if any role says so
 *     yield                       the last one: nothing of the tile is stored after it
 *
 * Each once in every tile, in no branch and no loop, so that the launcher knows how often a tile is said to be done:
 * once by each group of these roles.  Nothing is read or stored outside the tiles.
 *
 * No tile waits for ever: the runtime has a grid begin when all blocks of those before it run, and a tile waits for
 * tiles of earlier grids alone, each of which says that it is done.  So the earliest grid that has not ended goes on.
 */
#include "machine/plan.h"
#include "proof/verify.h"

static bool is_read(const Op *op, const void *context)
{
    (void)context;
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || class_ == CLASS_READ || op->code == OP_LOAD_AT || op->code == OP_COPY_IN;
}

static bool is_stored(const Op *op, const void *context)
{
    (void)context;
    return op_info[op->code].class_ == CLASS_STORE && op->code != OP_PRINT;
}

static void count_code(Op *op, void *context)
{
    int *counts = context;
    counts[0] += op->code == OP_AWAIT_TILES;
    counts[1] += op->code == OP_TILE_DONE;
}

static bool is_outside(const Role *role, bool (*test)(const Op *op, const void *context))
{
    for (const Op *op = role->body->first; op; op = op->next)
        if (op->code != OP_GRID && (test(op, NULL) || ir_any(op, test, NULL)))
            return true;
    return false;
}

/* Is there a wait, and nothing read before it?  */
static bool waits_first(const Block *tile)
{
    const Op *op = tile->first;
    while (op && op->code != OP_AWAIT_TILES && !is_read(op, NULL) && !ir_any(op, is_read, NULL))
        op = op->next;
    return op && op->code == OP_AWAIT_TILES;
}

static bool check_role(Kernel *kernel, const Role *role, bool tells)
{
    const Op *grid = role_grid(role);
    const Block *tile = grid ? grid->blocks[0] : NULL;
    int counts[2] = {0, 0};
    ir_walk(role->body, count_code, counts);
    const bool first = tile && waits_first(tile);
    bool last = tile && tile->last && tile->last->prev && tile->last->prev->code == OP_TILE_DONE;
    if (counts[0] != first || counts[1] != last) {
        BUG(kernel, "'%s' waits for tiles %d times, or says %d times that one is done", role->name, counts[0],
            counts[1]);
        return false;
    }
    if (kernel->grid.awaits && !first && ir_any_of(role->body, is_read, NULL)) {
        BUG(kernel, "'%s' loads, and does not wait for tiles of earlier grids", role->name);
        return false;
    }
    if (kernel->grid.awaits && is_outside(role, is_read)) {
        BUG(kernel, "'%s' loads outside its tiles, which may wait for tiles of earlier grids", role->name);
        return false;
    }
    if (tells && (is_outside(role, is_stored) || (!last && ir_any_of(role->body, is_stored, NULL)))) {
        BUG(kernel, "'%s' stores, and does not say when its tile is done", role->name);
        return false;
    }
    return true;
}

bool verify_beside(Kernel *kernel)
{
    bool tells = false;
    FOR_ROLES (role, kernel)
        tells = tells || role_has_op(role, OP_TILE_DONE, NULL);
    FOR_ROLES (role, kernel)
        if (!check_role(kernel, role, tells))
            return false;
    return true;
}
