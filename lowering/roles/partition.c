/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * partition.c - the cut: loads that change roles go through asynchronous references (Tawa, III-C.1).
 *
 *   before                                     after
 *   ta = ws_load (a, i, k, 128, 64);           aref ta_tb: 4 slots of {ta 128x64, tb 256x64}, producer -> consumer,
 *   tb = ws_load (b, j, k, 256, 64);             49152 bytes a put, released one product late
 *
 * What is turned over on its way goes through two of them, the second filled by the role that does so:
 *
 *   tv = ws_load (v, k, j, 64, 128) flipped    aref tv: producer -> flipper; aref tv_flipped from tv: {128x64}, flipper -> consumer
 *
 * Loads share an aref if they have the same control block, the same consuming roles, the same depth and the same release
 * point in the table: then one put fills and one consumed frees all of them.  Every other load has its own.
 */
#include "schedule/cluster.h"
#include "machine/machine.h"
#include "ir/queries.h"
#include "lower.h"

#include <string.h>

static int in_flight_after(const Op *load)
{
    Op *loop = loop_around(load->parent);
    bool late = schedule_of(load)->release == RELEASE_END && loop && pipeline_of(loop);
    return late ? loop->control->pipeline->in_flight - 1 : 0;
}

/* Behind the first of those that look at the tile.  */
static uint32_t flipping_roles(const Kernel *kernel, const Op *load)
{
    uint32_t rest = load->transfer->flipped ? schedule_of(load)->roles & ~ROLE_BIT(kernel->roles) : 0;
    return rest & (rest - 1);
}

static uint32_t consuming_roles(Kernel *kernel, const Op *load)
{
    uint32_t producer = ROLE_BIT(kernel->roles);
    return kernel->roles->next ? schedule_of(load)->roles & ~producer & ~flipping_roles(kernel, load) : producer;
}

static void visit_ring_load(Op *op, void *context)
{
    bool *found = context;
    *found |= op->code == OP_LOAD && schedule_of(op)->depth;
}

/* A nested block between two loads of one put could fill another ring any number of times: the producer would fill it before
   the put, which stands at the last load, and the consumer wait for the put, whose get stands at the first.  */
static bool rings_between(const Op *first, const Op *last)
{
    bool found = false;
    for (const Op *op = first->next; op && op != last; op = op->next)
        for (int k = 0; k < op->nblocks; k++)
            ir_walk(op->blocks[k], visit_ring_load, &found);
    return found;
}

static bool shares(Kernel *kernel, const Aref *aref, const Op *load)
{
    const Op *first = aref->loads[0];
    if (load->transfer->flipped || first->transfer->flipped)
        return false;
    if (!kernel->roles->next)
        return false; /* one role fills and reads in turn: each load is complete where it stands */
    return aref->home == load->parent && aref->slots == schedule_of(load)->depth &&
           schedule_of(first)->release == schedule_of(load)->release &&
           schedule_of(first)->stage == schedule_of(load)->stage && aref->consumers == consuming_roles(kernel, load) &&
           !rings_between(first, load);
}

static void add_load(Kernel *kernel, Aref *aref, Op *load)
{
    Type tile = load->results[0]->type;
    const char *name = load->results[0]->name, *tensor = load->args[0]->name;
    if (!name)
        name = tensor ? arena_print(kernel->module, "%s_tile", tensor) : "tile";
    Storage *storage = storage_new(kernel, name, USE_RING, tile, aref->slots);
    storage->kept = load->transfer->kept;
    int n = aref->nstorages;
    Storage **storages = arena_alloc(kernel->module, sizeof(Storage *) * (size_t)(n + 1));
    Op **loads = arena_alloc(kernel->module, sizeof(Op *) * (size_t)(n + 1));
    aref->along = cluster_join(aref->along, load->transfer->along);
    for (int i = 0; i < n; i++) {
        storages[i] = aref->storages[i];
        loads[i] = aref->loads[i];
    }
    storages[n] = storage;
    loads[n] = load;
    aref->storages = storages;
    aref->loads = loads;
    aref->nstorages = n + 1;
    aref->bytes += machine_copy_bytes(tile);
    load->aref = aref;
    load->storage = storage;
}

static int releasing_groups(const Kernel *kernel, const Aref *aref)
{
    int groups = 0;
    FOR_ROLES (role, kernel)
        if (aref->consumers & ROLE_BIT(role))
            groups += kernel->grid.split == SPLIT_TILES ? 1 : role->replicas;
    return groups * cluster_sharers(kernel, aref->along);
}

static Aref *new_aref(Kernel *kernel, Op *load)
{
    Aref *aref = aref_new(kernel, "ring", schedule_of(load)->depth);
    aref->producer = kernel->roles;
    aref->consumers = consuming_roles(kernel, load);
    aref->home = load->parent;
    aref->release_lag = in_flight_after(load);
    return aref;
}

/* The ring that has the load's tiles turned over.  */
static void add_onward(Kernel *kernel, Aref *from, Op *load)
{
    Type tile = type_turned(load->results[0]->type);
    Aref *aref = aref_new(kernel, "ring", from->slots);
    FOR_ROLES (role, kernel)
        if (flipping_roles(kernel, load) & ROLE_BIT(role))
            aref->producer = role;
    aref->consumers = from->consumers;
    aref->home = from->home;
    aref->release_lag = from->release_lag;
    aref->storages = arena_alloc(kernel->module, sizeof *aref->storages);
    aref->loads = arena_alloc(kernel->module, sizeof *aref->loads);
    aref->nstorages = 1;
    aref->loads[0] = load;
    aref->storages[0] = storage_new(kernel, arena_print(kernel->module, "%s_flipped", from->storages[0]->name),
                                    USE_RING, tile, aref->slots);
    aref->bytes = machine_tile_bytes(tile);
    from->consumers = ROLE_BIT(aref->producer);
    from->release_lag = 0;
    from->onward = aref;
}

static void visit_load(Op *load, void *context)
{
    Kernel *kernel = context;
    if (load->code != OP_LOAD || !schedule_of(load)->depth)
        return;
    Aref *found = NULL;
    FOR_AREFS (aref, kernel)
        if (!found && aref->nstorages && shares(kernel, aref, load))
            found = aref;
    add_load(kernel, found ? found : new_aref(kernel, load), load);
    if (load->transfer->flipped)
        add_onward(kernel, load->aref, load);
}

/* Storages have their names by now; an aref is called after what it carries.  */
static void name_aref(Kernel *kernel, Aref *aref)
{
    const char *name = aref->storages[0]->name;
    for (int i = 1; i < aref->nstorages && i < 3; i++)
        name = arena_print(kernel->module, "%s_%s", name, aref->storages[i]->name);
    aref->name = aref->nstorages == 1 ? arena_print(kernel->module, "%s_ring", name) : name;
}

/* require: choose.   ensure: arefs and ring storages; LOAD->aref.  */
void pass_partition(Kernel *kernel)
{
    ir_walk(kernel->body, visit_load, kernel);
    FOR_AREFS (aref, kernel) {
        name_aref(kernel, aref);
        aref->arrivals = releasing_groups(kernel, aref);
    }
    FOR_AREFS (aref, kernel)
        FOR_STORAGES (storage, kernel)
            if (!strcmp(aref->name, storage->name))
                aref->name = arena_print(kernel->module, "%s_ring", aref->name);
}
