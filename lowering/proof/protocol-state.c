/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-state.c - states: their allocation, their start, copies.
 *
 *      producer    at the loop, put 7 next                  the same as
 *      consumer 0  at the loop, get 7 next, holds put 6     put 8 next; get 8 next, holds put 7
 *
 * Running indices have no bound, but the next step of a group depends on differences alone.  These are the distance
 * from puts to gets, the slots held, and the groups of products in flight.  The key of a state (protocol-keys.c) holds
 * these differences, so there are finitely many keys.
 */
#include <string.h>

#include "proof/protocol.h"
#include "target/machine.h"

/* ---- who is who -------------------------------------------------------------------------------------------------- */

const char *group_name(const Explorer *explorer, int group)
{
    const Group *of = &explorer->groups[group];
    Module *module = explorer->kernel->module;
    const char *name =
        of->role->replicas == 1 ? of->role->name : arena_print(module, "%s %d", of->role->name, of->number);
    return explorer->nblocks == 1 ? name : arena_print(module, "%s of block %d", name, of->block);
}

int ring_at(const Explorer *explorer, int block, int aref)
{
    return block * explorer->narefs + aref;
}

Mark *mark_at(const Explorer *explorer, State *state, int group, const Value *value)
{
    int place = explorer->mark_of[value->id];
    return place < 0 ? NULL : &state->groups[group].marks[place];
}

int blocks_that_decide(const Explorer *explorer, int decision)
{
    return decision < 0 ? 1 : __builtin_popcountll(explorer->joined[decision]);
}

int puts_made(const Explorer *explorer, const State *state, int block, int aref)
{
    return state->made[ring_at(explorer, block, aref)];
}

uint64_t blocks_sharing(const Explorer *explorer, int along, int block)
{
    return explorer->sharers[along * explorer->nblocks + block];
}

int puts_done(const Explorer *explorer, const State *state, int block, int aref)
{
    int done = puts_made(explorer, state, block, aref);
    for (uint64_t rest = blocks_sharing(explorer, explorer->arefs[aref]->along, block); rest; rest &= rest - 1) {
        int puts = puts_made(explorer, state, __builtin_ctzll(rest), aref);
        done = puts < done ? puts : done;
    }
    return done;
}

void stir(State *state, int block)
{
    state->stirred |= (uint64_t)1 << block;
    state->moved |= (uint64_t)1 << block;
    state->shifted |= (uint64_t)1 << block;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

void group_add_reading(Explorer *explorer, GroupState *self, int index, Reading reading)
{
    if (index == self->room) {
        Reading *more = arena_alloc(explorer->kernel->module, (size_t)(2 * index + 4) * sizeof *more);
        if (index)
            memcpy(more, self->readings, (size_t)index * sizeof *more);
        self->readings = more;
        self->room = 2 * index + 4;
    }
    self->readings[index] = reading;
}

/* Returns the next bytes of the state's memory.  NULL in the first pass, which measures.  */
static void *carve(State *state, size_t count, size_t size)
{
    size_t offset = state->bytes;
    state->bytes += (count * size + 7) & ~(size_t)7;
    return state->memory ? state->memory + offset : NULL;
}

static void lay_out_group(const Explorer *explorer, State *state, int group)
{
    GroupState *self = &state->groups[group];
    size_t narefs = (size_t)explorer->narefs, nstorages = (size_t)explorer->nstorages,
           ndecisions = (size_t)explorer->ndecisions;
    int place = 0;
    self->marks = carve(state, (size_t)explorer->groups[group].nmarks, sizeof *self->marks);
    self->puts = carve(state, narefs, sizeof *self->puts);
    self->gets = carve(state, narefs, sizeof *self->gets);
    self->written = carve(state, nstorages, sizeof *self->written);
    self->read = carve(state, nstorages, sizeof *self->read);
    self->fresh = carve(state, nstorages, sizeof *self->fresh);
    self->copying = carve(state, nstorages, sizeof *self->copying);
    self->known = carve(state, narefs, sizeof *self->known);
    self->taken = carve(state, ndecisions, sizeof *self->taken);
    self->iterations = carve(state, ndecisions, sizeof *self->iterations);
    FOR_STORAGES (storage, explorer->kernel) {
        if (storage->use == USE_GATHERED)
            self->gathered[place] = carve(state, MAX_GATHERED, sizeof **self->gathered);
        place++;
    }
}

static void lay_out_ring(const Explorer *explorer, State *state, int ring)
{
    const Aref *aref = explorer->arefs[ring % explorer->narefs];
    size_t slots = aref ? (size_t)explorer->slots[aref->id] : 0;
    state->released[ring] = carve(state, slots, sizeof **state->released);
    state->brought[ring] = carve(state, slots, sizeof **state->brought);
    state->tile_starts[ring] = carve(state, explorer->by_tiles ? 64 : 0, sizeof **state->tile_starts);
}

static void lay_out(const Explorer *explorer, State *state)
{
    size_t rings = (size_t)(explorer->narefs * explorer->nblocks), ndecisions = (size_t)explorer->ndecisions;
    state->bytes = 0;
    for (int g = 0; g < explorer->ngroups; g++)
        lay_out_group(explorer, state, g);
    for (size_t r = 0; r < rings; r++)
        lay_out_ring(explorer, state, (int)r);
    state->pingpong_known = carve(state, rings, sizeof *state->pingpong_known);
    state->made = carve(state, rings, sizeof *state->made);
    state->started = carve(state, rings, sizeof *state->started);
    state->pingpong = carve(state, (size_t)explorer->nblocks, sizeof *state->pingpong);
    state->decided = carve(state, ndecisions, sizeof *state->decided);
    state->ndecided = carve(state, ndecisions, sizeof *state->ndecided);
    state->reuse = carve(state, reuse_words(explorer), sizeof *state->reuse);
    state->stands = carve(state, (size_t)explorer->nblocks, sizeof *state->stands);
    state->keys = carve(state, (size_t)explorer->nparts, sizeof *state->keys);
}

/* Returns a state of zeros.  All states have one layout, so a copy is one memcpy.  */
static State *allocate_state(Explorer *explorer)
{
    Module *module = explorer->kernel->module;
    size_t rings = (size_t)(explorer->narefs * explorer->nblocks) + 1;
    State *state = arena_alloc(module, sizeof *state);
    state->groups = arena_alloc(module, (size_t)(explorer->ngroups + 1) * sizeof *state->groups);
    for (int g = 0; g < explorer->ngroups; g++)
        state->groups[g].gathered = arena_alloc(module, (size_t)(explorer->nstorages + 1) * sizeof(Gathered *));
    state->released = arena_alloc(module, rings * sizeof *state->released);
    state->brought = arena_alloc(module, rings * sizeof *state->brought);
    state->tile_starts = arena_alloc(module, rings * sizeof *state->tile_starts);
    lay_out(explorer, state);
    state->memory = arena_alloc(module, state->bytes + 1);
    lay_out(explorer, state);
    return state;
}

static void copy_group(Explorer *explorer, GroupState *to, const GroupState *from)
{
    GroupState old = *to;
    *to = *from;
    to->marks = old.marks;
    to->puts = old.puts;
    to->gets = old.gets;
    to->written = old.written;
    to->read = old.read;
    to->fresh = old.fresh;
    to->copying = old.copying;
    to->known = old.known;
    to->taken = old.taken;
    to->iterations = old.iterations;
    to->gathered = old.gathered;
    to->readings = old.readings;
    to->room = old.room;
    for (int i = 0; i < from->nreadings; i++)
        group_add_reading(explorer, to, i, from->readings[i]);
}

/* Starts the group with all staging buffers under copy, which is the worst case: later states have fewer.  */
static void start_group(const Explorer *explorer, GroupState *self, const Group *group)
{
    int place = 0;
    self->pc = group->role->body->first;
    FOR_STORAGES (storage, explorer->kernel) {
        self->copying[place] = group->stages[place] ? machine_output_buffers(storage->tile) : 0;
        for (int slot = 0; self->gathered[place] && slot < MAX_GATHERED; slot++)
            self->gathered[place][slot] = (Gathered){0, NEVER, NEVER, NEVER};
        place++;
    }
}

State *state_new(Explorer *explorer)
{
    State *state = allocate_state(explorer);
    for (int g = 0; g < explorer->ngroups; g++)
        start_group(explorer, &state->groups[g], &explorer->groups[g]);
    reuse_start(explorer, state);
    for (int block = 0; block < explorer->nblocks; block++)
        stir(state, block);
    return state;
}

State *state_copy(Explorer *explorer, const State *state)
{
    State *copy = explorer->free;
    if (copy)
        explorer->free = copy->next;
    else
        copy = allocate_state(explorer);
    memcpy(copy->memory, state->memory, state->bytes);
    copy->stirred = state->stirred;
    copy->moved = state->moved;
    copy->shifted = state->shifted;
    copy->stop = state->stop;
    copy->question = state->question;
    for (int g = 0; g < explorer->ngroups; g++)
        copy_group(explorer, &copy->groups[g], &state->groups[g]);
    return copy;
}

void state_free(Explorer *explorer, State *state)
{
    state->next = explorer->free;
    explorer->free = state;
}
