/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-resident.c - keeps a tile in shared memory that consecutive tiles of the grid load alike.
 *
 *   #pragma ws grid(2) order(column)           neighbouring tiles: the same j, the next i
 *   for (i ...) for (j ...)
 *       for (k = 0; k < 256; k += 64)          four iterations
 *           acc = ws_dot(ws_load(a, i, k, 64, 64), ws_trans(ws_load(b, j, k, 256, 64)), acc)
 *
 * With one slot for each iteration, the ring of b holds all of b that a tile needs.  The next tile needs the same, so
 * its copies are omitted while j stays (`resident_producer` of the runtime).  The rest of shared memory goes to the
 * other loads, for at most two tiles.  Their ring has more slots; slots that are one tile apart share a slot of b.
 *
 * These tiles are short and memory-bound.  They are scheduled dynamically (choose-dynamic.c), so that all blocks work
 * on neighbouring rows, which are then open in DRAM.  The gain is measured in bench/notes/choices.md.
 */
#include "ir/alias.h"
#include "schedule/choose.h"
#include "target/machine.h"

enum { MOST_STEPS = 64, TILES_AHEAD = 2 };

/* True if the coordinate may differ between two tiles that differ in dimension `dim` alone.  Values that are not
   arithmetic may.  */
static bool may_move(const Value *value, const Op *loop, int dim, int depth)
{
    const Op *def = value->def;
    if (!def) {
        const Op *around = value->block ? value->block->parent : NULL;
        if (around && around->code == OP_GRID)
            return value->index == dim;
        return around && (around != loop || value->index > 0);
    }
    if (op_info[def->code].class_ != CLASS_SCALAR || depth > MOST_STEPS)
        return true;
    for (int i = 0; i < def->nargs; i++)
        if (may_move(def->args[i], loop, dim, depth + 1))
            return true;
    return false;
}

/* True for an operand of products, in their form, that consecutive tiles share and no store writes.  */
static bool is_shared_by_tiles(const Kernel *kernel, const Op *load, const Op *loop)
{
    const Op *grid = loop->parent->parent;
    const Op *tensor = load->args[0]->def;
    bool operand =
        schedule_of(load)->release && !schedule_of(load)->transposer && dtype_bytes(load->results[0]->type.dtype) <= 2;
    if (!operand || !tensor || tensor->code != OP_TENSOR || tensor->tensor->table ||
        ir_any(grid, stores_what_is_loaded, load))
        return false;
    for (int i = 1; i < load->nargs; i++)
        if (may_move(load->args[i], loop, kernel->grid.dims - 2, 0))
            return false;
    return true;
}

/* The slots of a ring that holds all iterations; 0: too many.  */
static int trips(const Op *loop)
{
    int64_t count = constant_trips(loop);
    return count > 0 && count <= MACHINE_MAX_DEPTH ? (int)count : 0;
}

static bool may_keep(const Kernel *kernel, const Op *loop)
{
    const Grid *grid = &kernel->grid;
    const BlockSchedule *block = &kernel->schedule.block;
    bool alone = grid->cluster[0] <= 1 && grid->cluster[1] <= 1 && !grid->parts;
    return block->order == ORDER_COLUMN && grid->dims >= 2 && alone && (block->persistent || !grid->persistent_given) &&
           loop->control->pipeline->automatic && loop->parent->parent && loop->parent->parent->code == OP_GRID &&
           trips(loop);
}

/* The largest load that consecutive tiles share, or NULL.  */
static Op *resident_load(const Kernel *kernel, const Op *loop, Op *const *loads, int nloads)
{
    Op *best = NULL;
    for (int i = 0; i < nloads; i++)
        if (schedule_of(loads[i])->depth && is_shared_by_tiles(kernel, loads[i], loop) &&
            (!best || machine_tile_bytes(loads[i]->results[0]->type) > machine_tile_bytes(best->results[0]->type)))
            best = loads[i];
    return best;
}

bool choose_resident(Kernel *kernel, Op *loop, Op *const *loads, int nloads, int64_t room)
{
    Op *resident = may_keep(kernel, loop) ? resident_load(kernel, loop, loads, nloads) : NULL;
    int count = trips(loop);
    int64_t rest = 0;
    for (int i = 0; i < nloads && resident; i++) {
        if (schedule_of(loads[i])->depth > 0 ||
            (schedule_of(loads[i])->depth && (schedule_of(loads[i])->release != schedule_of(resident)->release ||
                                              loads[i]->parent != resident->parent)))
            return false;
        if (schedule_of(loads[i])->depth && loads[i] != resident)
            rest += machine_tile_bytes(loads[i]->results[0]->type);
    }
    if (!resident || !rest)
        return false;
    int64_t tiles = (room / count - machine_tile_bytes(resident->results[0]->type)) / rest;
    tiles = tiles < TILES_AHEAD ? tiles : TILES_AHEAD;
    if (tiles < 1 || tiles * count > MACHINE_MAX_DEPTH)
        return false;
    for (int i = 0; i < nloads; i++)
        if (schedule_of(loads[i])->depth)
            schedule_op(loads[i])->depth = (int)tiles * count;
    schedule_of_loop(loop)->depth = (int)tiles * count;
    /* A copy may wait for a release that many slots back.  */
    schedule_of_loop(loop)->in_flight = count < 2 || !kernel->machine->wgmma ? 1 : 2;
    resident->transfer->resident = count;
    return true;
}
