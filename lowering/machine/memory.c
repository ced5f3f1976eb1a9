/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.c - the map of a block's shared memory over the time of a tile, and the bytes of one more slot.
 *
 *   for (k ...)                                 offset  bytes   storage      use     12  13  15
 *     ta, tb = ws_load ...;   line 13                0  65536   a 4 x 16384  ring     .   #   .
 *     acc = ws_dot (...);                        65536  65536   b 4 x 16384  ring     .   #   .
 *   ws_store (c, i, j, acc);  line 15           131072  16384   c_out        output   .   .   #
 *
 * The columns are the statements of the tile, by line.  A statement is a loop, a branch, or a run of operations between
 * these.  A storage is alive from the first to the last statement whose operations access it, in any role.  The
 * producer runs ahead.  At the end of a tile, its rings already hold data of the next tile.
 */
#include "passes.h"
#include "target/machine.h"

#include <stdio.h>
#include <string.h>

enum { COLUMN_WIDTH = 6 };

typedef struct {
    const Kernel *kernel;
    const Block *tile; /* the grid's body */
    const Op **first;  /* first operation of each column */
    int ncolumns;
    const Storage *storage; /* storage whose accesses are searched */
    bool *touched;
} Map;

static const Block *tile_of(const Kernel *kernel)
{
    FOR_OPS (op, kernel->body)
        if (op->code == OP_GRID)
            return op->blocks[0];
    return kernel->body;
}

static void find_columns(Map *map)
{
    bool plain = false;
    FOR_OPS (op, map->tile) {
        if (op->code == OP_YIELD || (plain && !op->nblocks))
            continue;
        LIST_ADD(map->kernel->module, map->first, map->ncolumns) = op;
        plain = !op->nblocks;
    }
}

/* The column of the statement from which the role's operation comes; -1: none.  */
static int column_of(const Map *map, const Op *op)
{
    const Op *source = op->origin ? op->origin : NULL;
    while (source && source->parent != map->tile)
        source = source->parent ? source->parent->parent : NULL;
    for (int column = map->ncolumns - 1; source && column >= 0; column--)
        for (const Op *at = map->first[column]; at; at = at->next)
            if (at == source)
                return column;
    return -1;
}

static void visit_touch(Op *op, void *context)
{
    Map *map = context;
    int column = op->storage == map->storage ? column_of(map, op) : -1;
    if (column >= 0)
        map->touched[column] = true;
}

static void find_life(Map *map, const Storage *storage)
{
    int first = map->ncolumns, last = -1;
    map->storage = storage;
    memset(map->touched, 0, (size_t)map->ncolumns * sizeof *map->touched);
    FOR_ROLES (role, map->kernel)
        ir_walk(role->body, visit_touch, map);
    for (int column = 0; column < map->ncolumns; column++)
        if (map->touched[column]) {
            first = first < column ? first : column;
            last = column;
        }
    for (int column = first; column <= last; column++)
        map->touched[column] = true;
}

static const char *use_text(StorageUse use)
{
    static const char *const texts[] = {"ring",     "operand", "output", "scratch",
                                        "gathered", "parts",   "shares", "row_cache"};
    return texts[use];
}

static const char *add_storage(Map *map, const Storage *storage, const char *text)
{
    Module *module = map->kernel->module;
    const int places = storage_places(storage);
    const char *name = places > 1
                           ? arena_print(module, "%s %d x %lld", storage->name, places, (long long)storage->slot_bytes)
                           : storage->name;
    if (storage->over)
        name = arena_print(module, "%s in %s", name, storage->over->name);
    find_life(map, storage);
    char *columns = arena_alloc(module, (size_t)map->ncolumns * COLUMN_WIDTH + 1);
    for (int column = 0; column < map->ncolumns; column++)
        sprintf(columns + (size_t)column * COLUMN_WIDTH, "%*s", COLUMN_WIDTH, map->touched[column] ? "#" : ".");
    return arena_print(module, "%s%10lld %8lld  %-28s %-9s%s\n", text, (long long)storage->offset,
                       (long long)(places * storage->slot_bytes), name, use_text(storage->use), columns);
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
    Map *map = arena_alloc(module, sizeof *map);
    map->kernel = kernel;
    map->tile = tile_of(kernel);
    find_columns(map);
    map->touched = arena_alloc(module, (size_t)map->ncolumns + 1);
    const char *text = arena_print(module, "# memory of %s: %lld bytes of %lld\n%10s %8s  %-28s %-9s", kernel->name,
                                   (long long)kernel->shared_bytes, (long long)kernel->machine->shared_bytes, "offset",
                                   "bytes", "storage", "use");
    for (int column = 0; column < map->ncolumns; column++)
        text = arena_print(module, "%s%*d", text, COLUMN_WIDTH, map->first[column]->loc.line);
    text = arena_print(module, "%s\n", text);
    FOR_STORAGES (storage, kernel)
        text = add_storage(map, storage, text);
    FOR_AREFS (aref, kernel)
        text = arena_print(module, "%sone slot more of '%s': %lld bytes, %lld are left\n", text, aref->name,
                           (long long)slot_bytes(aref), (long long)bytes_left(kernel));
    return text;
}

void pass_memory(Kernel *kernel)
{
    kernel->memory = memory_text(kernel);
}
