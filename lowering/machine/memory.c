/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c - the map of a block's shared memory over the time of a tile, and what one slot more of each ring takes.
 *
 *   for (k ...)                                 offset  bytes   storage      use     12  13  15
 *     ta, tb = ws_load ...;   line 13                0  65536   a 4 x 16384  ring     .   #   .
 *     acc = ws_dot (...);                        65536  65536   b 4 x 16384  ring     .   #   .
 *   ws_store (c, i, j, acc);  line 15           131072  16384   c_out        output   .   .   #
 *
 * The columns are the statements of the tile, by their lines: loops and branches, and what stands between two of them.
 * A storage is alive from the first statement whose operations touch it, in some role, to the last.  The producer runs
 * ahead: rings that it fills hold what the next tile wants while this one ends.
 */
#include "lower.h"
#include "machine/budget.h"
#include "machine/machine.h"

#include <string.h>

enum { MOST_COLUMNS = 64 };

typedef struct {
    const Kernel *kernel;
    const Block *tile;             /* the grid's body */
    const Op *first[MOST_COLUMNS]; /* of each column: its first operation */
    int ncolumns;
    const Storage *storage; /* that is looked at: where it is touched */
    bool touched[MOST_COLUMNS];
} Map;

static const Block *tile_of(const Kernel *kernel)
{
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            return op->blocks[0];
    return kernel->body;
}

static void find_columns(Map *in)
{
    bool plain = false;
    FOR_OPS (op, in->tile) {
        if (op->code == OP_YIELD || (plain && !op->nblocks) || in->ncolumns == MOST_COLUMNS)
            continue;
        in->first[in->ncolumns++] = op;
        plain = !op->nblocks;
    }
}

/* Of the statement of the tile that the role's operation comes from, -1: of none.  */
static int column_of(const Map *in, const Op *op)
{
    const Op *source = op->origin ? op->origin : NULL;
    while (source && source->parent != in->tile)
        source = source->parent ? source->parent->parent : NULL;
    for (int column = in->ncolumns - 1; source && column >= 0; column--)
        for (const Op *at = in->first[column]; at; at = at->next)
            if (at == source)
                return column;
    return -1;
}

static void visit_touch(Op *op, void *context)
{
    Map *in = context;
    int column = op->storage == in->storage ? column_of(in, op) : -1;
    if (column >= 0)
        in->touched[column] = true;
}

static void find_life(Map *in, const Storage *storage)
{
    int first = in->ncolumns, last = -1;
    in->storage = storage;
    memset(in->touched, 0, sizeof in->touched);
    FOR_ROLES (role, in->kernel)
        ir_walk(role->body, visit_touch, in);
    for (int column = 0; column < in->ncolumns; column++)
        if (in->touched[column]) {
            first = first < column ? first : column;
            last = column;
        }
    for (int column = first; column <= last; column++)
        in->touched[column] = true;
}

static const char *use_text(StorageUse use)
{
    static const char *const texts[] = {"ring", "operand", "output", "scratch", "gathered", "parts", "shares", "kept"};
    return texts[use];
}

static const char *add_storage(Map *in, const Storage *storage, const char *text)
{
    Module *module = in->kernel->module;
    const int places = storage_places(storage);
    const char *name = places > 1
                           ? arena_print(module, "%s %d x %lld", storage->name, places, (long long)storage->slot_bytes)
                           : storage->name;
    if (storage->over)
        name = arena_print(module, "%s in %s", name, storage->over->name);
    find_life(in, storage);
    text = arena_print(module, "%s%10lld %8lld  %-28s %-9s", text, (long long)storage->offset,
                       (long long)(places * storage->slot_bytes), name, use_text(storage->use));
    for (int column = 0; column < in->ncolumns; column++)
        text = arena_print(module, "%s%6s", text, in->touched[column] ? "#" : ".");
    return arena_print(module, "%s\n", text);
}

static int64_t slot_bytes(const Aref *aref)
{
    int64_t bytes = 0;
    for (int i = 0; i < aref->nstorages; i++)
        bytes += aref->storages[i]->slot_bytes;
    return bytes;
}

static int64_t bytes_left(const Kernel *kernel)
{
    return kernel->machine->shared_bytes - kernel->shared_bytes;
}

static const char *memory_text(const Kernel *kernel)
{
    Module *module = kernel->module;
    Map *in = arena_alloc(module, sizeof *in);
    in->kernel = kernel;
    in->tile = tile_of(kernel);
    find_columns(in);
    const char *text = arena_print(module, "# memory of %s: %lld bytes of %lld\n%10s %8s  %-28s %-9s", kernel->name,
                                   (long long)kernel->shared_bytes, (long long)kernel->machine->shared_bytes, "offset",
                                   "bytes", "storage", "use");
    for (int column = 0; column < in->ncolumns; column++)
        text = arena_print(module, "%s%6d", text, in->first[column]->loc.line);
    text = arena_print(module, "%s\n", text);
    FOR_STORAGES (storage, kernel)
        text = add_storage(in, storage, text);
    FOR_AREFS (aref, kernel)
        text = arena_print(module, "%sone slot more of '%s': %lld bytes, %lld are left\n", text, aref->name,
                           (long long)slot_bytes(aref), (long long)bytes_left(kernel));
    return text;
}

/* require: plan.   ensure: kernel->memory.  */
void pass_memory(Kernel *kernel)
{
    kernel->memory = memory_text(kernel);
}
