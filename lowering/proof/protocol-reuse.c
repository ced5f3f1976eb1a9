/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-reuse.c - storages that lie in the same memory: what is written there comes after the last look at what was
 * there before, in every order of execution.
 *
 *   consumer 0    reads q, ..., store_wait 0, consumed q    its copy out of o_out, which lies in q, is over:
 *   producer      put q                                     the release says so, and the put has waited for it
 *   consumer 1    meets consumer 0, stages to o_out         consumer 0 reads q no more: the meeting says so
 *
 * A tenant is who uses memory that others use, too: a group, by one storage, or the copies into one slot of a ring.  Of
 * each tenant a group knows whether all that it has done there so far is over, or does not.  What a group knows it
 * tells: with put_done to who gets, with consumed to who puts, at a meeting to the role's other groups; and about
 * itself, if no product of its reads the memory, no copy out does, and what its threads wrote is fenced.  Who gets a
 * slot knows that the copies into it are over.  Whatever a tenant does makes others forget.
 *
 * Before a tenant writes, all others of the same bytes must be known to be over; of the group's own tenants, a barrier
 * must have followed.  What they had there is spoiled then, and is not looked at again.
 *
 * Puts, gets, releases and meetings that belong together are the same in every order (protocol.c, 1), so what is known
 * is, too: one order is enough.
 */
#include <string.h>

#include "machine/plan.h"
#include "proof/protocol.h"

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

void reuse_find(Explorer *in)
{
    int place = 0;
    in->reused = arena_alloc(in->kernel->module, (size_t)in->nstorages + 1);
    FOR_STORAGES (storage, in->kernel) {
        in->reused[place] = is_reused(in->kernel, storage);
        in->reuses |= in->reused[place++];
    }
}

static Bytes bytes_of_tenant(const Tenant *tenant)
{
    const Storage *storage = tenant->storage;
    if (tenant->slot >= 0)
        return bytes_of(storage, tenant->slot, 1);
    return bytes_of(storage, 0, storage_places(storage));
}

static int add_tenant(Explorer *in, Tenant tenant)
{
    if (in->ntenants < MOST_TENANTS)
        in->tenants[in->ntenants] = tenant;
    return in->ntenants++;
}

static uint64_t bit(int tenant)
{
    return (uint64_t)1 << tenant;
}

/* A group has a copy of its own of what is no ring, or shares the only one.  */
static void add_tenants_of_group(Explorer *in, int g)
{
    const Group *group = &in->groups[g];
    int place = 0;
    FOR_STORAGES (storage, in->kernel) {
        int *tenant = &in->tenant_of[g * in->nstorages + place];
        bool reads = false;
        FOR_AREFS (aref, in->kernel)
            for (int i = 0; i < aref->nstorages; i++)
                reads |= aref->storages[i] == storage && in->ends[g * in->narefs + aref->id] & GETS;
        *tenant = -1;
        if (in->reused[place] && (storage->use == USE_RING ? reads : group->touches[place])) {
            bool own = storage->use != USE_RING && storage->slots > 1;
            *tenant = add_tenant(in, (Tenant){storage, g, own ? group->number : -1, group->block});
        }
        place++;
    }
}

static void add_tenants_of_rings(Explorer *in, int block)
{
    int place = 0;
    FOR_STORAGES (storage, in->kernel) {
        in->slot_tenants[block * in->nstorages + place] = -1;
        if (in->reused[place] && storage->use == USE_RING)
            in->slot_tenants[block * in->nstorages + place] = in->ntenants;
        for (int slot = 0; in->reused[place] && storage->use == USE_RING && slot < storage->slots; slot++)
            add_tenant(in, (Tenant){storage, -1, slot, block});
        place++;
    }
}

static void find_conflicts(Explorer *in)
{
    for (int i = 0; i < in->ntenants; i++) {
        const Tenant *one = &in->tenants[i];
        if (one->group >= 0)
            in->own[one->group] |= bit(i);
        for (int k = 0; k < in->ntenants; k++) {
            const Tenant *other = &in->tenants[k];
            if (one->block == other->block && one->storage != other->storage &&
                overlap(bytes_of_tenant(one), bytes_of_tenant(other)))
                in->conflicts[i] |= bit(k);
        }
    }
}

/* Slots of all rings of a block, one behind the other.  */
static void number_slots(Explorer *in)
{
    int slots = 0;
    for (int a = 0; a < in->narefs; a++) {
        in->first_slot[a] = slots;
        slots += in->arefs[a] ? in->slots[a] : 0;
    }
    in->nslots = slots;
}

bool reuse_init(Explorer *in)
{
    Module *module = in->kernel->module;
    if (!in->reuses)
        return true;
    in->tenants = arena_alloc(module, MOST_TENANTS * sizeof *in->tenants);
    in->conflicts = arena_alloc(module, MOST_TENANTS * sizeof *in->conflicts);
    in->own = arena_alloc(module, (size_t)(in->ngroups + 1) * sizeof *in->own);
    in->tenant_of = arena_alloc(module, (size_t)(in->ngroups * in->nstorages + 1) * sizeof *in->tenant_of);
    in->slot_tenants = arena_alloc(module, (size_t)(in->nblocks * in->nstorages + 1) * sizeof *in->slot_tenants);
    in->first_slot = arena_alloc(module, (size_t)(in->narefs + 1) * sizeof *in->first_slot);
    number_slots(in);
    for (int g = 0; g < in->ngroups; g++)
        add_tenants_of_group(in, g);
    for (int block = 0; block < in->nblocks; block++)
        add_tenants_of_rings(in, block);
    if (in->ntenants > MOST_TENANTS)
        return false;
    find_conflicts(in);
    return true;
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

size_t reuse_words(const Explorer *in)
{
    return in->reuses ? 1 + 3 * (size_t)in->ngroups + (size_t)in->nblocks * (2 * (size_t)in->nslots + MOST_ROLES) : 0;
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

static uint64_t *told_in(const Explorer *in, State *state, int block)
{
    return &state->reuse[1 + 3 * in->ngroups + block * (2 * in->nslots + MOST_ROLES)];
}

static uint64_t *told_full(const Explorer *in, State *state, int block, int ring, int index)
{
    return told_in(in, state, block) + in->first_slot[ring] + index % in->slots[ring];
}

static uint64_t *told_empty(const Explorer *in, State *state, int block, int ring, int index)
{
    return told_full(in, state, block, ring, index) + in->nslots;
}

static uint64_t *told_at_meeting(const Explorer *in, State *state, int block, const Role *role)
{
    return told_in(in, state, block) + 2 * in->nslots + role->id;
}

/* Before anything has happened all is over.  */
void reuse_start(const Explorer *in, State *state)
{
    for (int g = 0; in->reuses && g < in->ngroups; g++)
        *known_by(state, g) = UINT64_MAX;
}

/* The tenant does something: nobody else knows it to be over.  */
static void begin(const Explorer *in, State *state, int tenant)
{
    const Tenant *who = &in->tenants[tenant];
    uint64_t *told = told_in(in, state, who->block);
    for (int g = 0; g < in->ngroups; g++)
        if (g != who->group)
            *known_by(state, g) &= ~bit(tenant);
    for (int i = 0; i < 2 * in->nslots + MOST_ROLES; i++)
        told[i] &= ~bit(tenant);
    if (who->group >= 0)
        *loose_in(state, who->group) |= bit(tenant);
}

static bool is_read(const Explorer *in, const GroupState *self, const Storage *storage)
{
    for (int i = 0; i < self->nreadings; i++) {
        const Reading *reading = &self->readings[i];
        if (reading->kind == MARK_STAGED_VIEW && storage_at(in, reading->place) == storage)
            return true;
        const Aref *aref = reading->kind == MARK_RING_VIEW ? in->arefs[reading->place] : NULL;
        for (int k = 0; aref && k < aref->nstorages; k++)
            if (aref->storages[k] == storage)
                return true;
    }
    return self->copying[storage_place(in->kernel, storage)] > 0;
}

/* What the group itself is done with; where the threads do not all tell, behind a barrier.  */
static uint64_t over_in(const Explorer *in, State *state, int group, bool all_tell)
{
    uint64_t over = 0;
    for (uint64_t rest = in->own[group]; rest; rest &= rest - 1) {
        int tenant = __builtin_ctzll(rest);
        if (!is_read(in, &state->groups[group], in->tenants[tenant].storage))
            over |= bit(tenant);
    }
    return over & ~*unfenced_in(state, group) & ~(all_tell ? 0 : *loose_in(state, group));
}

static uint64_t known_to_tell(const Explorer *in, State *state, int group, bool all_tell)
{
    uint64_t own = in->own[group];
    return (*known_by(state, group) & ~own) | over_in(in, state, group, all_tell);
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

/* "the store's copy out", "the last look at 'q'", "the put of 'b'".  */
static const char *last_of(const Explorer *in, const Tenant *tenant)
{
    Module *module = in->kernel->module;
    const Storage *storage = tenant->storage;
    if (storage->use == USE_OUTPUT)
        return "the store's copy out";
    if (tenant->group < 0)
        return arena_print(module, "the put of '%s'", storage->name);
    return arena_print(module, "the last look of '%s' at '%s'", group_name(in, tenant->group), storage->name);
}

static const char *first_of(const Explorer *in, const Tenant *tenant)
{
    Module *module = in->kernel->module;
    if (tenant->group < 0)
        return arena_print(module, "the next put of '%s'", tenant->storage->name);
    return arena_print(module, "the next write to '%s' by '%s'", tenant->storage->name, group_name(in, tenant->group));
}

static bool is_of(const Storage *storage, const char *const *names)
{
    return !strcmp(storage->name, names[0]) || !strcmp(storage->name, names[1]);
}

/* The clause that wants it so, or the operation.  */
static Loc place_of_share(const Explorer *in, const Op *op, const Tenant *one, const Tenant *other)
{
    for (const SharedMemory *share = in->kernel->shares; share; share = share->next)
        if (is_of(one->storage, share->names) && is_of(other->storage, share->names))
            return share->loc;
    return op->loc.line ? op->loc : in->kernel->loc;
}

/* A put runs ahead: if a copy out finds one in its memory, that is the next one.  */
static bool is_unordered(Explorer *in, const State *state, int group, const Op *op, int tenant, int other)
{
    const Tenant *here = &in->tenants[tenant], *there = &in->tenants[other];
    if (here->storage->use == USE_OUTPUT && there->group < 0) {
        here = there;
        there = &in->tenants[tenant];
    }
    if (!in->failed)
        reject(in->kernel, place_of_share(in, op, here, there), REASON_SHARE_ORDER, there->storage->name,
               here->storage->name, last_of(in, there), first_of(in, here), place_of(in, state, group, op));
    in->failed = true;
    return false;
}

/* The tenant of the group is about to write.  */
static bool claim(Explorer *in, State *state, int group, const Op *op, int tenant)
{
    GroupState *self = &state->groups[group];
    uint64_t others = in->conflicts[tenant], own = others & in->own[group];
    uint64_t unknown = others & ~own & ~*known_by(state, group);
    if (unknown)
        return is_unordered(in, state, group, op, tenant, __builtin_ctzll(unknown));
    if (own & *loose_in(state, group))
        return is_unordered(in, state, group, op, tenant, __builtin_ctzll(own & *loose_in(state, group)));
    for (uint64_t rest = own; rest; rest &= rest - 1) {
        const Storage *storage = in->tenants[__builtin_ctzll(rest)].storage;
        self->written[storage_place(in->kernel, storage)] += storage->use == USE_RING ? 0 : MAX_GATHERED;
    }
    *spoiled_in(state) |= others;
    *spoiled_in(state) &= ~bit(tenant);
    begin(in, state, tenant);
    return true;
}

static int tenant_at(const Explorer *in, int group, int place)
{
    return in->reuses ? in->tenant_of[group * in->nstorages + place] : -1;
}

/* ---- what operations do ------------------------------------------------------------------------------------------ */

bool reuse_write(Explorer *in, State *state, int group, const Op *op)
{
    int tenant = in->reuses ? tenant_at(in, group, storage_place(in->kernel, op->storage)) : -1;
    if (tenant < 0)
        return true;
    *unfenced_in(state, group) |= bit(tenant);
    return claim(in, state, group, op, tenant);
}

static bool look_at(Explorer *in, State *state, int group, const Op *op, int place)
{
    int tenant = tenant_at(in, group, place);
    if (tenant < 0)
        return true;
    if (storage_at(in, place)->use != USE_RING && *spoiled_in(state) & bit(tenant))
        return violates(in, state, group, op, "looks at '%s', in whose memory something else was written",
                        storage_at(in, place)->name);
    begin(in, state, tenant);
    return true;
}

/* Is what the slot holds still what was put?  */
static bool check_slot(Explorer *in, State *state, int group, const Op *op, const Mark *view, int place)
{
    int first = in->slot_tenants[in->groups[group].block * in->nstorages + place];
    if (first < 0 || !(*spoiled_in(state) & bit(first + view->index % in->slots[view->place])))
        return true;
    return violates(in, state, group, op, "looks at a slot of '%s', in whose memory something else was written",
                    storage_at(in, place)->name);
}

bool reuse_look(Explorer *in, State *state, int group, const Op *op, const Mark *view)
{
    if (!in->reuses)
        return true;
    if (view->kind == MARK_STAGED_VIEW)
        return look_at(in, state, group, op, view->place);
    const Aref *aref = in->arefs[view->place];
    for (int i = 0; i < aref->nstorages; i++) {
        int place = storage_place(in->kernel, aref->storages[i]);
        if (!check_slot(in, state, group, op, view, place) || !look_at(in, state, group, op, place))
            return false;
    }
    return true;
}

bool reuse_put(Explorer *in, State *state, int group, const Op *op)
{
    const Aref *aref = op->aref;
    const int index = state->groups[group].puts[aref->id].next, block = in->groups[group].block;
    if (!in->reuses)
        return true;
    if (index >= in->slots[aref->id])
        *known_by(state, group) |= *told_empty(in, state, block, aref->id, index);
    for (int i = 0; i < aref->nstorages; i++) {
        int first = in->slot_tenants[block * in->nstorages + storage_place(in->kernel, aref->storages[i])];
        if (first >= 0 && !claim(in, state, group, op, first + index % in->slots[aref->id]))
            return false;
    }
    return true;
}

void reuse_put_done(const Explorer *in, State *state, int group, const Aref *aref, int index)
{
    if (in->reuses)
        *told_full(in, state, in->groups[group].block, aref->id, index) |= known_to_tell(in, state, group, false);
}

void reuse_get(const Explorer *in, State *state, int group, const Aref *aref, int index)
{
    const int block = in->groups[group].block;
    if (!in->reuses)
        return;
    *known_by(state, group) |= *told_full(in, state, block, aref->id, index);
    for (int i = 0; i < aref->nstorages; i++) {
        int first = in->slot_tenants[block * in->nstorages + storage_place(in->kernel, aref->storages[i])];
        if (first >= 0)
            *known_by(state, group) |= bit(first + index % in->slots[aref->id]);
    }
}

void reuse_release(const Explorer *in, State *state, int group, const Aref *aref, int index)
{
    if (in->reuses)
        *told_empty(in, state, in->groups[group].block, aref->id, index) |= known_to_tell(in, state, group, true);
}

void reuse_fence(const Explorer *in, State *state, int group)
{
    if (in->reuses)
        *unfenced_in(state, group) = 0;
}

/* All threads of the group have come here: what no engine reads is over.  */
void reuse_barrier(const Explorer *in, State *state, int group)
{
    uint64_t unfenced = in->reuses ? *unfenced_in(state, group) : 0;
    if (!in->reuses)
        return;
    *unfenced_in(state, group) = 0;
    *loose_in(state, group) &= ~over_in(in, state, group, true);
    *unfenced_in(state, group) = unfenced;
}

/* The first to leave a meeting finds the others there.  */
void reuse_meet(const Explorer *in, State *state, int group)
{
    const Group *self = &in->groups[group];
    bool first = true;
    if (!in->reuses)
        return;
    uint64_t *told = told_at_meeting(in, state, self->block, self->role), all = 0;
    for (int g = 0; g < in->ngroups; g++)
        if (in->groups[g].role == self->role && in->groups[g].block == self->block) {
            first &= state->groups[g].passed <= state->groups[group].passed;
            all |= known_to_tell(in, state, g, true);
        }
    *told = first ? all : *told;
    *known_by(state, group) |= *told;
    reuse_barrier(in, state, group);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

int reuse_age(const Explorer *in, const State *state, int tenant)
{
    const Tenant *who = &in->tenants[tenant];
    for (int a = 0; a < in->narefs && who->group < 0; a++)
        for (int k = 0; in->arefs[a] && k < in->arefs[a]->nstorages; k++)
            if (in->arefs[a]->storages[k] == who->storage) {
                int slots = in->slots[a];
                return (who->slot + slots - puts_made(in, state, who->block, a) % slots) % slots;
            }
    return 0;
}
