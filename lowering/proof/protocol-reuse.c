/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-reuse.c - storages in the same bytes: a write to one comes after the last read of the other, in every order.
 *
 *      consumer 0    reads q, ..., store_wait 0, consumed q   its copy out of o_out, which is in q, is done:
 *      producer      put q                                    the release passes this on, and the put has waited for it
 *      consumer 1    role_barrier, stages to o_out            consumer 0 reads q no more: the barrier passes this on
 *
 * A tenant is a user of bytes that others use, too: a group in one storage, or the copies into one slot of a ring.  For
 * each tenant a group either knows that all its accesses so far are done, or does not.
 *
 * Facts pass from group to group.  put_done passes them to the groups that get the slot, consumed to those that put.  A
 * role barrier passes them to the role's other groups.  A group passes on a fact about itself under two conditions.  No
 * product and no copy out of its own accesses the memory, and its threads have fenced their writes.  A group that gets
 * a slot knows that the copies into it are done.  A new access by a tenant deletes the facts about it.
 *
 * Before a tenant writes, all other tenants of its bytes must be known to be done.  For tenants of the group itself, a
 * barrier must stand between.  The write spoils their contents, which may not be read again.
 *
 * Matching puts, gets, releases and barriers are the same in every order (protocol.c, "Reduction 1").  So the facts are
 * the same, too, and one order is enough.
 */
#include <string.h>

#include "proof/protocol.h"
#include "target/storage.h"

/* ---- who shares what --------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t from, to;
} Bytes;

static Bytes bytes_of(const Storage *storage, int slot, int count)
{
    int64_t from = storage->offset + slot * storage->stride;
    return (Bytes){from, from + (count - 1) * storage->stride + storage->slot_bytes};
}

static bool overlap(Bytes one, Bytes other)
{
    return one.from < other.to && other.from < one.to;
}

static bool storages_overlap(const Storage *one, const Storage *other)
{
    return one != other && one->beside != other && other->beside != one &&
           overlap(bytes_of(one, 0, storage_places(one)), bytes_of(other, 0, storage_places(other)));
}

static bool is_reused(const Kernel *kernel, const Storage *storage)
{
    FOR_STORAGES (other, kernel)
        if (storages_overlap(storage, other))
            return true;
    return false;
}

void reuse_find(Explorer *explorer)
{
    int place = 0;
    explorer->reused = arena_alloc(explorer->kernel->module, (size_t)explorer->nstorages + 1);
    FOR_STORAGES (storage, explorer->kernel) {
        explorer->reused[place] = is_reused(explorer->kernel, storage);
        explorer->reuses |= explorer->reused[place++];
    }
}

static Bytes bytes_of_tenant(const Tenant *tenant)
{
    const Storage *storage = tenant->storage;
    if (tenant->slot >= 0)
        return bytes_of(storage, tenant->slot, 1);
    return bytes_of(storage, 0, storage_places(storage));
}

static int add_tenant(Explorer *explorer, Tenant tenant)
{
    if (explorer->ntenants < MAX_TENANTS)
        explorer->tenants[explorer->ntenants] = tenant;
    return explorer->ntenants++;
}

static uint64_t bit(int tenant)
{
    return (uint64_t)1 << tenant;
}

/* Adds a tenant for each reused storage of the group.  It covers the group's own copy of a storage that is no ring,
   or all of it if there is one copy.  */
static void add_tenants_of_group(Explorer *explorer, int g)
{
    const Group *group = &explorer->groups[g];
    int place = 0;
    FOR_STORAGES (storage, explorer->kernel) {
        int *tenant = &explorer->tenant_of[g * explorer->nstorages + place];
        bool reads = false;
        FOR_AREFS (aref, explorer->kernel)
            for (int i = 0; i < aref->nstorages; i++)
                reads |= aref->storages[i] == storage && explorer->ends[g * explorer->narefs + aref->id] & GETS;
        *tenant = -1;
        if (explorer->reused[place] && (storage->use == USE_RING ? reads : group->touches[place])) {
            bool own = storage->use != USE_RING && storage->slots > 1;
            *tenant = add_tenant(explorer, (Tenant){storage, g, own ? group->number : -1, group->block});
        }
        place++;
    }
}

static void add_tenants_of_rings(Explorer *explorer, int block)
{
    int place = 0;
    FOR_STORAGES (storage, explorer->kernel) {
        explorer->slot_tenants[block * explorer->nstorages + place] = -1;
        if (explorer->reused[place] && storage->use == USE_RING)
            explorer->slot_tenants[block * explorer->nstorages + place] = explorer->ntenants;
        for (int slot = 0; explorer->reused[place] && storage->use == USE_RING && slot < storage->slots; slot++)
            add_tenant(explorer, (Tenant){storage, -1, slot, block});
        place++;
    }
}

static void find_conflicts(Explorer *explorer)
{
    for (int i = 0; i < explorer->ntenants; i++) {
        const Tenant *one = &explorer->tenants[i];
        if (one->group >= 0)
            explorer->own[one->group] |= bit(i);
        for (int k = 0; k < explorer->ntenants; k++) {
            const Tenant *other = &explorer->tenants[k];
            if (one->block == other->block && one->storage != other->storage &&
                overlap(bytes_of_tenant(one), bytes_of_tenant(other)))
                explorer->conflicts[i] |= bit(k);
        }
    }
}

/* Numbers the slots of all rings of a block consecutively.  */
static void number_slots(Explorer *explorer)
{
    int slots = 0;
    for (int a = 0; a < explorer->narefs; a++) {
        explorer->first_slot[a] = slots;
        slots += explorer->arefs[a] ? explorer->slots[a] : 0;
    }
    explorer->nslots = slots;
}

bool reuse_init(Explorer *explorer)
{
    Module *module = explorer->kernel->module;
    if (!explorer->reuses)
        return true;
    explorer->tenants = arena_alloc(module, MAX_TENANTS * sizeof *explorer->tenants);
    explorer->conflicts = arena_alloc(module, MAX_TENANTS * sizeof *explorer->conflicts);
    explorer->own = arena_alloc(module, (size_t)(explorer->ngroups + 1) * sizeof *explorer->own);
    explorer->tenant_of =
        arena_alloc(module, (size_t)(explorer->ngroups * explorer->nstorages + 1) * sizeof *explorer->tenant_of);
    explorer->slot_tenants =
        arena_alloc(module, (size_t)(explorer->nblocks * explorer->nstorages + 1) * sizeof *explorer->slot_tenants);
    explorer->first_slot = arena_alloc(module, (size_t)(explorer->narefs + 1) * sizeof *explorer->first_slot);
    number_slots(explorer);
    for (int g = 0; g < explorer->ngroups; g++)
        add_tenants_of_group(explorer, g);
    for (int block = 0; block < explorer->nblocks; block++)
        add_tenants_of_rings(explorer, block);
    if (explorer->ntenants > MAX_TENANTS)
        return false;
    find_conflicts(explorer);
    return true;
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

size_t reuse_words(const Explorer *explorer)
{
    return explorer->reuses ? 1 + 3 * (size_t)explorer->ngroups +
                                  (size_t)explorer->nblocks * (2 * (size_t)explorer->nslots + MAX_ROLES)
                            : 0;
}

static uint64_t *spoiled_in(State *state)
{
    return &state->reuse[0];
}

static uint64_t *known_by(State *state, int group)
{
    return &state->reuse[1 + 3 * group];
}

static uint64_t *loose_in(State *state, int group)
{
    return &state->reuse[2 + 3 * group];
}

static uint64_t *unfenced_in(State *state, int group)
{
    return &state->reuse[3 + 3 * group];
}

static uint64_t *told_in(const Explorer *explorer, State *state, int block)
{
    return &state->reuse[1 + 3 * explorer->ngroups + block * (2 * explorer->nslots + MAX_ROLES)];
}

static uint64_t *told_full(const Explorer *explorer, State *state, int block, int ring, int index)
{
    return told_in(explorer, state, block) + explorer->first_slot[ring] + index % explorer->slots[ring];
}

static uint64_t *told_empty(const Explorer *explorer, State *state, int block, int ring, int index)
{
    return told_full(explorer, state, block, ring, index) + explorer->nslots;
}

static uint64_t *told_at_meeting(const Explorer *explorer, State *state, int block, const Role *role)
{
    return told_in(explorer, state, block) + 2 * explorer->nslots + role->id;
}

/* At the start all accesses are done.  */
void reuse_start(const Explorer *explorer, State *state)
{
    for (int g = 0; explorer->reuses && g < explorer->ngroups; g++)
        *known_by(state, g) = UINT64_MAX;
}

/* The tenant accesses its memory: no other group knows it to be done.  */
static void begin(const Explorer *explorer, State *state, int tenant)
{
    const Tenant *who = &explorer->tenants[tenant];
    uint64_t *told = told_in(explorer, state, who->block);
    for (int g = 0; g < explorer->ngroups; g++)
        if (g != who->group)
            *known_by(state, g) &= ~bit(tenant);
    for (int i = 0; i < 2 * explorer->nslots + MAX_ROLES; i++)
        told[i] &= ~bit(tenant);
    if (who->group >= 0)
        *loose_in(state, who->group) |= bit(tenant);
}

static bool is_read(const Explorer *explorer, const GroupState *self, const Storage *storage)
{
    for (int i = 0; i < self->nreadings; i++) {
        const Reading *reading = &self->readings[i];
        if (reading->kind == MARK_STAGED_VIEW && storage_at(explorer, reading->place) == storage)
            return true;
        const Aref *aref = reading->kind == MARK_RING_VIEW ? explorer->arefs[reading->place] : NULL;
        for (int k = 0; aref && k < aref->nstorages; k++)
            if (aref->storages[k] == storage)
                return true;
    }
    return self->copying[storage_place(explorer->kernel, storage)] > 0;
}

/* Returns the tenants of the group that are done.  If only one thread passes this on, a barrier must have followed
   their accesses.  */
static uint64_t over_in(const Explorer *explorer, State *state, int group, bool all_tell)
{
    uint64_t over = 0;
    for (uint64_t rest = explorer->own[group]; rest; rest &= rest - 1) {
        int tenant = __builtin_ctzll(rest);
        if (!is_read(explorer, &state->groups[group], explorer->tenants[tenant].storage))
            over |= bit(tenant);
    }
    return over & ~*unfenced_in(state, group) & ~(all_tell ? 0 : *loose_in(state, group));
}

static uint64_t known_to_tell(const Explorer *explorer, State *state, int group, bool all_tell)
{
    uint64_t own = explorer->own[group];
    return (*known_by(state, group) & ~own) | over_in(explorer, state, group, all_tell);
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

/* Returns the last access for messages: "the store's copy out", "the last look at 'q'", "the put of 'b'".  */
static const char *last_of(const Explorer *explorer, const Tenant *tenant)
{
    Module *module = explorer->kernel->module;
    const Storage *storage = tenant->storage;
    if (storage->use == USE_OUTPUT)
        return "the store's copy out";
    if (tenant->group < 0)
        return arena_print(module, "the put of '%s'", storage->name);
    return arena_print(module, "the last look of '%s' at '%s'", group_name(explorer, tenant->group), storage->name);
}

static const char *first_of(const Explorer *explorer, const Tenant *tenant)
{
    Module *module = explorer->kernel->module;
    if (tenant->group < 0)
        return arena_print(module, "the next put of '%s'", tenant->storage->name);
    return arena_print(module, "the next write to '%s' by '%s'", tenant->storage->name,
                       group_name(explorer, tenant->group));
}

static bool is_of(const Storage *storage, const char *const *names)
{
    return !strcmp(storage->name, names[0]) || !strcmp(storage->name, names[1]);
}

/* Returns the place of the clause that shares this memory, or of the operation.  */
static Loc place_of_share(const Explorer *explorer, const Op *op, const Tenant *one, const Tenant *other)
{
    for (const SharedMemory *share = explorer->kernel->shares; share; share = share->next)
        if (is_of(one->storage, share->names) && is_of(other->storage, share->names))
            return share->loc;
    return op->loc.line ? op->loc : explorer->kernel->loc;
}

/* Reports accesses without an order.  A put runs ahead, so a copy out that finds one in its memory conflicts with the
   next put.  */
static bool is_unordered(Explorer *explorer, const State *state, int group, const Op *op, int tenant, int other)
{
    const Tenant *here = &explorer->tenants[tenant], *there = &explorer->tenants[other];
    if (here->storage->use == USE_OUTPUT && there->group < 0) {
        here = there;
        there = &explorer->tenants[tenant];
    }
    if (!explorer->failed)
        reject(explorer->kernel, place_of_share(explorer, op, here, there), REASON_SHARE_ORDER, there->storage->name,
               here->storage->name, last_of(explorer, there), first_of(explorer, here),
               place_of(explorer, state, group, op));
    explorer->failed = true;
    return false;
}

/* Checks that the tenant may write: the others of its bytes are known to be done.  */
static bool claim(Explorer *explorer, State *state, int group, const Op *op, int tenant)
{
    GroupState *self = &state->groups[group];
    uint64_t others = explorer->conflicts[tenant], own = others & explorer->own[group];
    uint64_t unknown = others & ~own & ~*known_by(state, group);
    if (unknown)
        return is_unordered(explorer, state, group, op, tenant, __builtin_ctzll(unknown));
    if (own & *loose_in(state, group))
        return is_unordered(explorer, state, group, op, tenant, __builtin_ctzll(own & *loose_in(state, group)));
    for (uint64_t rest = own; rest; rest &= rest - 1) {
        const Storage *storage = explorer->tenants[__builtin_ctzll(rest)].storage;
        self->written[storage_place(explorer->kernel, storage)] += storage->use == USE_RING ? 0 : MAX_GATHERED;
    }
    *spoiled_in(state) |= others;
    *spoiled_in(state) &= ~bit(tenant);
    begin(explorer, state, tenant);
    return true;
}

static int tenant_at(const Explorer *explorer, int group, int place)
{
    return explorer->reuses ? explorer->tenant_of[group * explorer->nstorages + place] : -1;
}

/* ---- what operations do ------------------------------------------------------------------------------------------ */

bool reuse_write(Explorer *explorer, State *state, int group, const Op *op)
{
    int tenant = explorer->reuses ? tenant_at(explorer, group, storage_place(explorer->kernel, op->storage)) : -1;
    if (tenant < 0)
        return true;
    *unfenced_in(state, group) |= bit(tenant);
    return claim(explorer, state, group, op, tenant);
}

static bool look_at(Explorer *explorer, State *state, int group, const Op *op, int place)
{
    int tenant = tenant_at(explorer, group, place);
    if (tenant < 0)
        return true;
    if (storage_at(explorer, place)->use != USE_RING && *spoiled_in(state) & bit(tenant))
        return violates(explorer, state, group, op, RULE_READ_SPOILED, storage_at(explorer, place)->name);
    begin(explorer, state, tenant);
    return true;
}

/* Checks that the slot still holds the tile that was put.  */
static bool check_slot(Explorer *explorer, State *state, int group, const Op *op, const Mark *view, int place)
{
    int first = explorer->slot_tenants[explorer->groups[group].block * explorer->nstorages + place];
    if (first < 0 || !(*spoiled_in(state) & bit(first + view->index % explorer->slots[view->place])))
        return true;
    return violates(explorer, state, group, op, RULE_READ_SPOILED_SLOT, storage_at(explorer, place)->name);
}

bool reuse_look(Explorer *explorer, State *state, int group, const Op *op, const Mark *view)
{
    if (!explorer->reuses)
        return true;
    if (view->kind == MARK_STAGED_VIEW)
        return look_at(explorer, state, group, op, view->place);
    const Aref *aref = explorer->arefs[view->place];
    for (int i = 0; i < aref->nstorages; i++) {
        int place = storage_place(explorer->kernel, aref->storages[i]);
        if (!check_slot(explorer, state, group, op, view, place) || !look_at(explorer, state, group, op, place))
            return false;
    }
    return true;
}

bool reuse_put(Explorer *explorer, State *state, int group, const Op *op)
{
    const Aref *aref = op->aref;
    const int index = state->groups[group].puts[aref->id].next, block = explorer->groups[group].block;
    if (!explorer->reuses)
        return true;
    if (index >= explorer->slots[aref->id])
        *known_by(state, group) |= *told_empty(explorer, state, block, aref->id, index);
    for (int i = 0; i < aref->nstorages; i++) {
        int first =
            explorer->slot_tenants[block * explorer->nstorages + storage_place(explorer->kernel, aref->storages[i])];
        if (first >= 0 && !claim(explorer, state, group, op, first + index % explorer->slots[aref->id]))
            return false;
    }
    return true;
}

void reuse_put_done(const Explorer *explorer, State *state, int group, const Aref *aref, int index)
{
    if (explorer->reuses)
        *told_full(explorer, state, explorer->groups[group].block, aref->id, index) |=
            known_to_tell(explorer, state, group, false);
}

void reuse_get(const Explorer *explorer, State *state, int group, const Aref *aref, int index)
{
    const int block = explorer->groups[group].block;
    if (!explorer->reuses)
        return;
    *known_by(state, group) |= *told_full(explorer, state, block, aref->id, index);
    for (int i = 0; i < aref->nstorages; i++) {
        int first =
            explorer->slot_tenants[block * explorer->nstorages + storage_place(explorer->kernel, aref->storages[i])];
        if (first >= 0)
            *known_by(state, group) |= bit(first + index % explorer->slots[aref->id]);
    }
}

void reuse_release(const Explorer *explorer, State *state, int group, const Aref *aref, int index)
{
    if (explorer->reuses)
        *told_empty(explorer, state, explorer->groups[group].block, aref->id, index) |=
            known_to_tell(explorer, state, group, true);
}

void reuse_fence(const Explorer *explorer, State *state, int group)
{
    if (explorer->reuses)
        *unfenced_in(state, group) = 0;
}

/* All threads of the group have come here, so accesses that no engine makes are done.  */
void reuse_barrier(const Explorer *explorer, State *state, int group)
{
    uint64_t unfenced = explorer->reuses ? *unfenced_in(state, group) : 0;
    if (!explorer->reuses)
        return;
    *unfenced_in(state, group) = 0;
    *loose_in(state, group) &= ~over_in(explorer, state, group, true);
    *unfenced_in(state, group) = unfenced;
}

/* The first group to pass a role barrier finds the others waiting there, and collects the facts of all.  */
void reuse_meet(const Explorer *explorer, State *state, int group)
{
    const Group *self = &explorer->groups[group];
    bool first = true;
    if (!explorer->reuses)
        return;
    uint64_t *told = told_at_meeting(explorer, state, self->block, self->role), all = 0;
    for (int g = 0; g < explorer->ngroups; g++)
        if (explorer->groups[g].role == self->role && explorer->groups[g].block == self->block) {
            first &= state->groups[g].passed <= state->groups[group].passed;
            all |= known_to_tell(explorer, state, g, true);
        }
    *told = first ? all : *told;
    *known_by(state, group) |= *told;
    reuse_barrier(explorer, state, group);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

int reuse_age(const Explorer *explorer, const State *state, int tenant)
{
    const Tenant *who = &explorer->tenants[tenant];
    for (int a = 0; a < explorer->narefs && who->group < 0; a++)
        for (int k = 0; explorer->arefs[a] && k < explorer->arefs[a]->nstorages; k++)
            if (explorer->arefs[a]->storages[k] == who->storage) {
                int slots = explorer->slots[a];
                return (who->slot + slots - puts_made(explorer, state, who->block, a) % slots) % slots;
            }
    return 0;
}
