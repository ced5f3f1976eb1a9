/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition.c - creates the arefs for values that cross from one role to another (Tawa, III-C.1).
 *
 *      before                                     after
 *      ta = ws_load (a, i, k, 128, 64);           aref ta_tb: 4 slots of {ta 128x64, tb 256x64}, producer -> consumer,
 *      tb = ws_load (b, j, k, 256, 64);             49152 bytes a put, released one product late
 *
 * An aref carries values of the body from the role that makes them to the roles that use them. For a load, the producer
 * starts the copy. For any other operation, the producer computes the tile and writes it to the slot:
 *
 *      w8 = ws_load (w, j, k, 128, 64)            aref w8: producer -> converter
 *      wh = ws_cast (w8, WS_F16)                  aref wh: converter -> consumer
 *
 * If the producer has several groups, each writes its rows of the tile. The slot is full when all groups have written.
 *
 * A tile that a role transposes goes through two arefs. The transposing role fills the second one:
 *
 *      tv = ws_load (v, k, j, 64, 128)            aref tv: producer -> transposer; aref tv_transposed from tv: {128x64}
 *                                                 transposed, transposer -> consumer
 *
 * Loads share an aref if they have the same control block, the same consumers, and the same depth and release point in
 * the table. Then one put fills all of them, and one consumed frees all of them. Tiles that one role computes share an
 * aref if one is small beside the other. Every other value has its own aref.
 */
#include "ir/cluster.h"
#include "ir/queries.h"
#include "ir/slice.h"
#include "passes.h"
#include "target/machine.h"

#include <string.h>

static int in_flight_after(const Op *source)
{
    Op *loop = loop_around(source->parent);
    bool late = schedule_of(source)->release == RELEASE_END && loop && loop_is_pipelined(loop);
    return late ? schedule_of_loop(loop)->in_flight - 1 : 0;
}

/* The roles that get the tile as its maker leaves it. If there are none, the maker gets its own tile.  */
static uint32_t getting_roles(const Op *source)
{
    const ScheduleRow *row = schedule_of(source);
    uint32_t others = row->roles & ~row->maker & ~row->transposer;
    return others ? others : row->maker;
}

static void visit_ring_source(Op *op, void *context)
{
    bool *found = context;
    *found |= schedule_of(op)->depth > 0;
}

/* True if a nested block between two loads of one put fills a ring. The nested block may run any number of times.
   The put stands at the last load, and the get at the first load. So the producer could wait for a free slot of the
   nested ring while the consumer waits for the put.  */
static bool rings_between(const Op *first, const Op *last)
{
    bool found = false;
    for (const Op *op = first->next; op && op != last; op = op->next)
        for (int k = 0; k < op->nblocks; k++)
            ir_walk(op->blocks[k], visit_ring_source, &found);
    return found;
}

static bool is_small_beside_one(const Op *source, const Aref *aref)
{
    Type tile = source->results[0]->type;
    for (int i = 0; i < aref->nstorages; i++)
        if (machine_is_small_beside(tile, schedule_of(source)->line, aref->storages[i]->tile) ||
            machine_is_small_beside(aref->storages[i]->tile, aref->storages[i]->line, tile))
            return true;
    return false;
}

/* True if another role computes a tile in between that `last` depends on, and that may depend on `first`.  */
static bool waits_for_others(Kernel *kernel, const Op *first, Op *last)
{
    Slice slice = slice_new(kernel);
    slice_op(&slice, last);
    for (const Op *op = first->next; op && op != last; op = op->next)
        if (schedule_of(op)->depth && op->code != OP_LOAD && schedule_of(op)->maker != schedule_of(first)->maker &&
            slice_has_op(&slice, op))
            return true;
    return rings_between(first, last);
}

/* True if a slot can hold both values, so that one put, get and release serves them. Tiles that a role computes
   qualify if one is small beside the other. The small one then comes only little later than in an aref of its own.  */
static bool shares(Kernel *kernel, const Aref *aref, Op *source)
{
    const Op *first = aref->payload[0]->def;
    const ScheduleRow *row = schedule_of(source), *others = schedule_of(first);
    bool copied = first->code == OP_LOAD && source->code == OP_LOAD && !row->transposer && !others->transposer;
    bool made = first->code != OP_LOAD && source->code != OP_LOAD && row->maker == others->maker &&
                !(aref->consumers & row->maker) && aref->home == source->parent && is_small_beside_one(source, aref) &&
                !waits_for_others(kernel, first, source);
    if (!(copied || made) || !kernel_is_specialized(kernel))
        return false; /* one role fills and reads: each load is complete in place */
    return aref->home == source->parent && aref->slots == row->depth && others->release == row->release &&
           others->stage == row->stage && aref->consumers == getting_roles(source) && !rings_between(first, source);
}

static const char *payload_name(Kernel *kernel, const Op *source)
{
    const char *tensor = source->code == OP_LOAD ? source->args[0]->name : NULL;
    if (source->results[0]->name)
        return source->results[0]->name;
    return tensor                    ? arena_print(kernel->module, "%s_tile", tensor)
           : source->code == OP_LOAD ? "tile"
                                     : op_info[source->code].text;
}

static void *grown(Kernel *kernel, const void *list, int count, const void *item)
{
    const void **made = arena_alloc(kernel->module, sizeof *made * (size_t)(count + 1));
    if (count)
        memcpy(made, list, sizeof *made * (size_t)count);
    made[count] = item;
    return made;
}

/* Adds a value to the slots of an aref, in a storage of its own.  */
static void add_payload(Kernel *kernel, Aref *aref, Op *source, Storage *storage)
{
    aref->storages = grown(kernel, aref->storages, aref->nstorages, storage);
    aref->payload = grown(kernel, aref->payload, aref->nstorages, source->results[0]);
    aref->nstorages++;
}

/* Adds a source and its bytes: TMA copies whole lines of a tile, and threads write whole tiles.  */
static void add_source(Kernel *kernel, Aref *aref, Op *source)
{
    Type tile = source->results[0]->type;
    Storage *storage = storage_new(kernel, payload_name(kernel, source), USE_RING, tile, aref->slots);
    add_payload(kernel, aref, source, storage);
    if (source->transfer) {
        storage->resident = source->transfer->resident;
        aref->along = cluster_join(aref->along, source->transfer->along);
    }
    storage->line = schedule_of(source)->line;
    aref->bytes += machine_copy_bytes(tile, storage->line);
    source->aref = aref;
    source->storage = storage;
}

static int releasing_groups(const Kernel *kernel, const Aref *aref)
{
    int groups = 0;
    FOR_ROLES (role, kernel)
        if (aref->consumers & ROLE_BIT(role))
            groups += role_sharers(kernel, role);
    return groups * cluster_sharers(kernel, aref->along);
}

static Role *role_of_bit(const Kernel *kernel, uint32_t bit)
{
    FOR_ROLES (role, kernel)
        if (bit == ROLE_BIT(role))
            return role;
    return NULL;
}

static Aref *new_aref(Kernel *kernel, const Op *source)
{
    Aref *aref = aref_new(kernel, "ring", schedule_of(source)->depth);
    aref->producer = role_of_bit(kernel, schedule_of(source)->maker);
    aref->consumers = getting_roles(source);
    aref->fillers = source->code == OP_LOAD ? 1 : role_sharers(kernel, aref->producer);
    aref->home = source->parent;
    aref->release_lag = in_flight_after(source);
    return aref;
}

/* Creates the ring of the transposed tiles.  */
static void add_transposed(Kernel *kernel, Aref *from, Op *source)
{
    Type tile = type_transposed(source->results[0]->type);
    Aref *aref = aref_new(kernel, "ring", from->slots);
    aref->producer = role_of_bit(kernel, schedule_of(source)->transposer);
    aref->consumers = from->consumers;
    aref->home = from->home;
    aref->release_lag = from->release_lag;
    aref->bytes = machine_copy_bytes(tile, 0);
    const char *name = arena_print(kernel->module, "%s_transposed", from->storages[0]->name);
    add_payload(kernel, aref, source, storage_new(kernel, name, USE_RING, tile, aref->slots));
    aref->storages[0]->transposed = true;
    from->consumers = ROLE_BIT(aref->producer);
    from->release_lag = 0;
    from->also = aref;
}

static void visit_source(Op *source, void *context)
{
    Kernel *kernel = context;
    if (!schedule_of(source)->depth)
        return;
    Aref *found = NULL;
    FOR_AREFS (aref, kernel)
        if (!found && aref->nstorages && shares(kernel, aref, source))
            found = aref;
    add_source(kernel, found ? found : new_aref(kernel, source), source);
    if (schedule_of(source)->transposer)
        add_transposed(kernel, source->aref, source);
}

/* Names the aref after its storages, which have names already.  */
static void name_aref(Kernel *kernel, Aref *aref)
{
    const char *name = aref->storages[0]->name;
    for (int i = 1; i < aref->nstorages && i < 3; i++)
        name = arena_print(kernel->module, "%s_%s", name, aref->storages[i]->name);
    aref->name = aref->nstorages == 1 ? arena_print(kernel->module, "%s_ring", name) : name;
}

void pass_partition(Kernel *kernel)
{
    ir_walk(kernel->body, visit_source, kernel);
    FOR_AREFS (aref, kernel) {
        name_aref(kernel, aref);
        aref->arrivals = releasing_groups(kernel, aref);
    }
    FOR_AREFS (aref, kernel)
        FOR_STORAGES (storage, kernel)
            if (!strcmp(aref->name, storage->name))
                aref->name = arena_print(kernel->module, "%s_ring", aref->name);
}
