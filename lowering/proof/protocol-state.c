/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-state.c - where all groups stand.
 *
 *   producer    at the loop, put 7 next                  the same as
 *   consumer 0  at the loop, get 7 next, holds put 6     put 8 next; get 8 next, holds put 7
 *
 * Running indices count without end, but what a group does next depends on differences only: how far puts are ahead of gets,
 * which slots are held, how many groups of products are in flight.  The key of a world (protocol-keys.c) holds these, so there
 * are finitely many.
 */
#include <string.h>

#include "machine/machine.h"
#include "machine/plan.h"
#include "proof/protocol.h"

/* ---- who is who -------------------------------------------------------------------------------------------------- */

const char *group_name(const Explorer *in, int group)
{
    const Group *of = &in->groups[group];
    Module *module = in->kernel->module;
    const char *name =
        of->role->replicas == 1 ? of->role->name : arena_print(module, "%s %d", of->role->name, of->number);
    return in->nblocks == 1 ? name : arena_print(module, "%s of block %d", name, of->block);
}

int ring_at(const Explorer *in, int block, int aref)
{
    return block * in->narefs + aref;
}

Mark *mark_at(const Explorer *in, World *world, int group, const Value *value)
{
    int place = in->mark_of[value->id];
    return place < 0 ? NULL : &world->states[group].marks[place];
}

int blocks_that_decide(const Explorer *in, int decision)
{
    return decision < 0 ? 1 : __builtin_popcountll(in->joined[decision]);
}

int puts_made(const Explorer *in, const World *world, int block, int aref)
{
    return world->made[ring_at(in, block, aref)];
}

uint64_t blocks_sharing(const Explorer *in, int along, int block)
{
    return in->sharers[along * in->nblocks + block];
}

int puts_done(const Explorer *in, const World *world, int block, int aref)
{
    int done = puts_made(in, world, block, aref);
    for (uint64_t rest = blocks_sharing(in, in->arefs[aref]->along, block); rest; rest &= rest - 1) {
        int puts = puts_made(in, world, __builtin_ctzll(rest), aref);
        done = puts < done ? puts : done;
    }
    return done;
}

void stir(World *world, int block)
{
    world->stirred |= (uint64_t)1 << block;
    world->moved |= (uint64_t)1 << block;
    world->shifted |= (uint64_t)1 << block;
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

void state_add_reading(Explorer *in, State *state, int index, Reading reading)
{
    if (index == state->room) {
        Reading *more = arena_alloc(in->kernel->module, (size_t)(2 * index + 4) * sizeof *more);
        if (index)
            memcpy(more, state->readings, (size_t)index * sizeof *more);
        state->readings = more;
        state->room = 2 * index + 4;
    }
    state->readings[index] = reading;
}

/* A piece of the world's memory; none yet while that is measured.  */
static void *carve(World *world, size_t count, size_t size)
{
    size_t offset = world->bytes;
    world->bytes += (count * size + 7) & ~(size_t)7;
    return world->memory ? world->memory + offset : NULL;
}

static void lay_out_state(const Explorer *in, World *world, int group)
{
    State *state = &world->states[group];
    size_t narefs = (size_t)in->narefs, nstorages = (size_t)in->nstorages, ndecisions = (size_t)in->ndecisions;
    int place = 0;
    state->marks = carve(world, (size_t)in->groups[group].nmarks, sizeof *state->marks);
    state->puts = carve(world, narefs, sizeof *state->puts);
    state->gets = carve(world, narefs, sizeof *state->gets);
    state->written = carve(world, nstorages, sizeof *state->written);
    state->read = carve(world, nstorages, sizeof *state->read);
    state->fresh = carve(world, nstorages, sizeof *state->fresh);
    state->copying = carve(world, nstorages, sizeof *state->copying);
    state->known = carve(world, narefs, sizeof *state->known);
    state->taken = carve(world, ndecisions, sizeof *state->taken);
    state->iterations = carve(world, ndecisions, sizeof *state->iterations);
    FOR_STORAGES (storage, in->kernel) {
        if (storage->use == USE_GATHERED)
            state->gathered[place] = carve(world, MAX_GATHERED, sizeof **state->gathered);
        place++;
    }
}

static void lay_out_ring(const Explorer *in, World *world, int ring)
{
    const Aref *aref = in->arefs[ring % in->narefs];
    size_t slots = aref ? (size_t)in->slots[aref->id] : 0;
    world->released[ring] = carve(world, slots, sizeof **world->released);
    world->brought[ring] = carve(world, slots, sizeof **world->brought);
    world->tile_starts[ring] = carve(world, in->by_tiles ? 64 : 0, sizeof **world->tile_starts);
}

static void lay_out(const Explorer *in, World *world)
{
    size_t rings = (size_t)(in->narefs * in->nblocks), ndecisions = (size_t)in->ndecisions;
    world->bytes = 0;
    for (int g = 0; g < in->ngroups; g++)
        lay_out_state(in, world, g);
    for (size_t r = 0; r < rings; r++)
        lay_out_ring(in, world, (int)r);
    world->turn_known = carve(world, rings, sizeof *world->turn_known);
    world->made = carve(world, rings, sizeof *world->made);
    world->started = carve(world, rings, sizeof *world->started);
    world->turns = carve(world, (size_t)in->nblocks, sizeof *world->turns);
    world->decided = carve(world, ndecisions, sizeof *world->decided);
    world->ndecided = carve(world, ndecisions, sizeof *world->ndecided);
    world->stands = carve(world, (size_t)in->nblocks, sizeof *world->stands);
    world->keys = carve(world, (size_t)in->nparts, sizeof *world->keys);
}

/* All zero.  Worlds are laid out alike, so that one is copied to another at once.  */
static World *allocate_world(Explorer *in)
{
    Module *module = in->kernel->module;
    size_t rings = (size_t)(in->narefs * in->nblocks) + 1;
    World *world = arena_alloc(module, sizeof *world);
    world->states = arena_alloc(module, (size_t)(in->ngroups + 1) * sizeof *world->states);
    for (int g = 0; g < in->ngroups; g++)
        world->states[g].gathered = arena_alloc(module, (size_t)(in->nstorages + 1) * sizeof(Gathered *));
    world->released = arena_alloc(module, rings * sizeof *world->released);
    world->brought = arena_alloc(module, rings * sizeof *world->brought);
    world->tile_starts = arena_alloc(module, rings * sizeof *world->tile_starts);
    lay_out(in, world);
    world->memory = arena_alloc(module, world->bytes + 1);
    lay_out(in, world);
    return world;
}

static void copy_state(Explorer *in, State *to, const State *from)
{
    State old = *to;
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
        state_add_reading(in, to, i, from->readings[i]);
}

/* As if each staging had just been filled: what comes later can be no worse.  */
static void start_group(const Explorer *in, State *state, const Group *group)
{
    int place = 0;
    state->pc = group->role->body->first;
    FOR_STORAGES (storage, in->kernel) {
        state->copying[place] = group->stages[place] ? machine_output_buffers(storage->tile) : 0;
        for (int slot = 0; state->gathered[place] && slot < MAX_GATHERED; slot++)
            state->gathered[place][slot] = (Gathered){0, NEVER, NEVER, NEVER};
        place++;
    }
}

World *world_new(Explorer *in)
{
    World *world = allocate_world(in);
    for (int g = 0; g < in->ngroups; g++)
        start_group(in, &world->states[g], &in->groups[g]);
    for (int block = 0; block < in->nblocks; block++)
        stir(world, block);
    return world;
}

World *world_copy(Explorer *in, const World *world)
{
    World *copy = in->free;
    if (copy)
        in->free = copy->next;
    else
        copy = allocate_world(in);
    memcpy(copy->memory, world->memory, world->bytes);
    copy->stirred = world->stirred;
    copy->moved = world->moved;
    copy->shifted = world->shifted;
    copy->stop = world->stop;
    copy->question = world->question;
    for (int g = 0; g < in->ngroups; g++)
        copy_state(in, &copy->states[g], &world->states[g]);
    return copy;
}

void world_free(Explorer *in, World *world)
{
    world->next = in->free;
    in->free = world;
}
