/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-beside.c - tiles of grids that run together wait before they load, and report after they have stored.
 *
 *      grid i, j                   in each role that reads memory, if the grid begins before earlier ones have ended
 *        await_tiles                 no statement of the tile before it reads memory
 *        ...
 *        tell_tiles                in each role that stores, if any role does: reports the tile before
 *        ...
 *        tile_done                   nothing of the tile is stored after it
 *      tell_tiles                  behind the grid: reports the last tile
 *
 * Each of these is executed once in every tile, in no branch and no loop.  So the launcher knows how often a tile is
 * reported: once by each group of these roles.  If groups take tiles in turn, the reports are in the branch of a
 * group's own tiles, and stores are there alone.  One group then reports each tile.  Nothing is read or stored outside
 * tiles.
 *
 * No tile waits forever.  The runtime lets a grid begin when all blocks of the earlier grids run, and a tile waits for
 * tiles of earlier grids alone.  Each tile is reported where its group executes its next tell_tiles.  Up to there the
 * group waits only for its own block and for grids before its own.  So the earliest grid that has not ended proceeds.
 */
#include "ir/queries.h"
#include "proof/verify.h"
#include "roles/programs.h"

static bool is_read(const Op *op, const void *context)
{
    (void)context;
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || class_ == CLASS_READ || op->code == OP_LOAD_AT || op->code == OP_COPY_IN;
}

static bool is_stored(const Op *op, const void *context)
{
    (void)context;
    return op_info[op->code].class_ == CLASS_STORE && !op_prints(op);
}

static void count_code(Op *op, void *context)
{
    int *counts = context;
    counts[0] += op->code == OP_AWAIT_TILES;
    counts[1] += op->code == OP_TILE_DONE;
    counts[2] += op->code == OP_TELL_TILES;
}

static bool any_stored(const Block *block)
{
    FOR_OPS (op, block)
        if (is_stored(op, NULL) || ir_any(op, is_stored, NULL))
            return true;
    return false;
}

static bool is_outside(const Role *role, bool (*test)(const Op *op, const void *context))
{
    for (const Op *op = role->body->first; op; op = op->next)
        if (op->code != OP_GRID && (test(op, NULL) || ir_any(op, test, NULL)))
            return true;
    return false;
}

/* True if the tile waits, and reads nothing before.  */
static bool waits_first(const Block *tile)
{
    const Op *op = tile->first;
    while (op && op->code != OP_AWAIT_TILES && !is_read(op, NULL) && !ir_any(op, is_read, NULL))
        op = op->next;
    return op && op->code == OP_AWAIT_TILES;
}

static int count_in(const Block *block, Opcode code)
{
    int count = 0;
    FOR_OPS (op, block)
        count += op->code == code;
    return count;
}

/* True if the role reports once in each tile of a group's own and once behind all tiles, so that each store is
   reported.  */
static bool tells_of_all(const Role *role, const int *counts)
{
    const Op *grid = role_grid(role), *last = NULL;
    const Block *tile = grid ? grid->blocks[0] : NULL, *own = tile ? role_own_tile(role) : NULL;
    if (counts[1] != 1 || counts[2] != 2 || !own || count_in(own, OP_TELL_TILES) != 1)
        return false;
    for (const Op *op = grid->next; op; op = op->next)
        last = op->code == OP_TELL_TILES ? op : last;
    if (!last || !own->last || !own->last->prev || own->last->prev->code != OP_TILE_DONE)
        return false;
    FOR_OPS (op, tile)
        if (own != tile && !(op->nblocks && op->blocks[0] == own) &&
            (is_stored(op, NULL) || ir_any(op, is_stored, NULL)))
            return false;
    return own == tile || !any_stored(own->parent->blocks[1]);
}

static bool check_role(Kernel *kernel, const Role *role, bool tells)
{
    const Op *grid = role_grid(role);
    int counts[3] = {0, 0, 0};
    ir_walk(role->body, count_code, counts);
    const bool first = grid && waits_first(grid->blocks[0]);
    if (counts[0] != first) {
        BUG(kernel, "'%s' waits for tiles %d times", role->name, counts[0]);
        return false;
    }
    if ((counts[1] || counts[2]) && !tells_of_all(role, counts)) {
        BUG(kernel, "'%s' does not tell once of each tile that it has stored", role->name);
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
    if (tells && (is_outside(role, is_stored) || (!counts[1] && ir_any_of(role->body, is_stored, NULL)))) {
        BUG(kernel, "'%s' stores, and does not say when its tile is done", role->name);
        return false;
    }
    return true;
}

bool verify_beside(Kernel *kernel)
{
    bool tells = false;
    FOR_ROLES (role, kernel)
        tells = tells || role_has_op(role, OP_TILE_DONE, NULL) || role_has_op(role, OP_TELL_TILES, NULL);
    FOR_ROLES (role, kernel)
        if (!check_role(kernel, role, tells))
            return false;
    return true;
}
