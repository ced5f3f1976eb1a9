/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-keys.c - have all groups stood like this before?
 *
 *   frame        producer at the loop, consumer 0 at its get; put 2 ahead of it; the loop's next outcome not known
 *   ring ta_tb   slot 0 released by one group, consumer 0 holds two; in a cluster each block's apart, or those that share
 *   memory of 0  c_out fenced, two of its copies out not waited for
 *
 * Keys say of a world all that what comes next depends on, relative to running indices: its frame, where the groups stand and
 * what is decided, and parts, which have no say in each other, nor in the frame (protocol.c, 4).  Each part is one key with its
 * frame: so a few worlds stand for all combinations of parts.
 */
#include <string.h>

#include "plan.h"
#include "protocol.h"

struct Visited {
    Visited *next;
    const Visited *frame; /* of a part, or NULL */
    uint64_t hash;
    int length;
    unsigned char text[];
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

enum { MOST_BYTES = 10 }; /* of a number */

static void make_room(Explorer *in)
{
    int room = in->room ? 2 * in->room : 512;
    unsigned char *text = arena_alloc(in->kernel->module, (size_t)room);
    if (in->length)
        memcpy(text, in->text, (size_t)in->length);
    in->text = text;
    in->room = room;
}

/* Seven bits to a byte, the sign in the lowest: numbers are small, and worlds many.  */
static inline void say(Explorer *in, int64_t number)
{
    uint64_t rest = (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
    if (in->room - in->length < MOST_BYTES)
        make_room(in);
    unsigned char *to = in->text + in->length;
    for (; rest >= 128; rest >>= 7)
        *to++ = (unsigned char)(rest | 128);
    *to++ = (unsigned char)rest;
    in->length = (int)(to - in->text);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Slots that are no longer held, memory that was written again and groups that have ended are all alike.  */
static int64_t mark_text(const State *state, const Mark *mark)
{
    const End *end;
    long age;
    switch (mark->kind) {
    case MARK_PUT:
        end = &state->puts[mark->place];
        return end->filling && mark->index == end->next ? 1 : 0;
    case MARK_GOT:
    case MARK_RING_VIEW:
        end = &state->gets[mark->place];
        age = end->next - mark->index;
        return age <= end->held ? age : -1;
    case MARK_STAGED_VIEW:
        age = state->written[mark->place] - mark->index;
        return age < MAX_GATHERED ? age : -1;
    case MARK_TOKEN:
        age = state->committed - mark->index;
        return mark->index <= state->completed ? 1000 : age;
    default:
        return 0;
    }
}

/* Meetings that it is ahead of the role's last group.  */
static long meetings_ahead(const Explorer *in, const World *world, int group)
{
    long fewest = world->states[group].met;
    for (int g = 0; g < in->ngroups; g++)
        if (in->groups[g].role == in->groups[group].role && in->groups[g].block == in->groups[group].block &&
            world->states[g].met < fewest)
            fewest = world->states[g].met;
    return world->states[group].met - fewest;
}

/* Meetings ago, as far as it makes a difference: groups are one apart at most.  */
static void say_meeting(Explorer *in, const State *state, long met)
{
    long ago = state->meetings - met;
    say(in, met == NOT_YET ? -1 : met == NEVER || ago > 3 ? 3 : ago);
}

static void say_gathered(Explorer *in, const State *state)
{
    int place = 0;
    FOR_STORAGES (storage, in->kernel) {
        for (int age = 0; state->gathered[place] && age < storage->slots; age++) {
            const Gathered *slot = &state->gathered[place][(state->written[place] + age) % storage->slots];
            long writes = state->written[place] - slot->write;
            say(in, writes > MAX_GATHERED ? MAX_GATHERED : writes);
            say_meeting(in, state, slot->wrote);
            say_meeting(in, state, slot->fenced);
            say_meeting(in, state, slot->looked);
        }
        place++;
    }
}

static void say_place(Explorer *in, const World *world, int group)
{
    const State *state = &world->states[group];
    say(in, (state->pc ? state->pc->position * 2 + state->head : -1) * 2 + state->holds_turn);
    if (in->by_tiles)
        say(in, state->ordinal % in->groups[group].role->replicas);
    say(in, meetings_ahead(in, world, group));
    say(in, state->committed - state->completed);
}

enum { NO_RING = -1 };

static int ring_of(MarkKind kind, int place)
{
    return kind == MARK_PUT || kind == MARK_GOT || kind == MARK_RING_VIEW ? place : NO_RING;
}

/* `number` says which value it is, or (below 0) how many groups of products ago.  */
static void say_fact(Explorer *in, const State *state, const Mark *mark, int number)
{
    say(in, number);
    say(in, mark->kind + 8 * (mark->place + 1000 * (mark_text(state, mark) + 2)));
}

/* What the group's values and products in flight have to do with a ring, or with other memory.  */
static void say_facts(Explorer *in, const World *world, int group, int ring)
{
    const State *state = &world->states[group];
    int position = state->pc ? state->pc->position : 0;
    for (int i = 0; i < in->groups[group].nmarks; i++) {
        const Mark *mark = &state->marks[i];
        const Life *life = &in->groups[group].lives[i];
        if (mark->kind && ring_of(mark->kind, mark->place) == ring && position > life->from && position <= life->to)
            say_fact(in, state, mark, i);
    }
    for (int i = 0; i < state->nreadings; i++) {
        const Reading *reading = &state->readings[i];
        Mark mark = {reading->kind, reading->place, reading->index};
        if (ring_of(mark.kind, mark.place) == ring)
            say_fact(in, state, &mark, -2 - (int)(state->committed - reading->group));
    }
    say(in, -1);
}

/* Memory that is no ring's, as far as the group looks at it.  */
static void say_memory(Explorer *in, const World *world, int group)
{
    const State *state = &world->states[group];
    say(in, (int64_t)state->stored);
    say(in, (int64_t)state->loaded);
    say_facts(in, world, group, NO_RING);
    for (int s = 0; s < in->nstorages; s++)
        say(in, state->read[s] | state->fresh[s].unfenced << 1 | state->fresh[s].unmet << 2 | state->copying[s] << 3);
    for (int g = 0; in->gathers && g < in->ngroups; g++)
        say_gathered(in, &world->states[g]);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* The slots of a ring of one block.  */
static void say_slots(Explorer *in, const World *world, int block, int a)
{
    const Aref *aref = in->arefs[a];
    long puts = puts_made(in, world, block, a);
    int ring = ring_at(in, block, a);
    for (int s = 0; s < aref->slots; s++)
        say(in, puts > s ? world->released[ring][(puts - 1 - s) % aref->slots] : aref->arrivals);
    for (int s = 0; s < (in->nblocks > 1 ? aref->slots : 1); s++)
        say(in, world->brought[ring][(puts + s) % aref->slots]);
}

/* The first of the blocks whose slots of a ring have to do with this one's, be it by way of others.  */
static int first_of_part(const Explorer *in, int block, const Aref *aref)
{
    int first = 0;
    while (aref->along != ALONG_X_AND_Y && !cluster_shares(in->kernel, aref->along, first, block))
        first++;
    return first;
}

/* The block against whose puts others are counted: blocks that share nothing may part by any number of puts.  */
static int first_sharer(const Explorer *in, int block, const Aref *aref)
{
    int first = 0;
    while (!cluster_shares(in->kernel, aref->along, first, block))
        first++;
    return first;
}

/* How far everybody is, and what is under way.  */
static void say_counts(Explorer *in, const World *world, int a)
{
    const Aref *aref = in->arefs[a];
    for (int g = 0; g < in->ngroups; g++) {
        const State *state = &world->states[g];
        int block = in->groups[g].block;
        long puts = puts_made(in, world, in->nblocks > 1 ? first_sharer(in, block, aref) : 0, a);
        bool fills = state->puts[a].next || !puts_made(in, world, block, a);
        say(in, (fills ? puts - state->puts[a].next : 0) * 2 + state->puts[a].filling);
        if (aref->consumers & ROLE_BIT(in->groups[g].role))
            say(in, puts - state->gets[a].next);
    }
}

/* What a group knows matters up to a round of the ring; what it is told with the turn, as long as nobody holds that.  */
static void say_known(Explorer *in, const World *world, int block, int a)
{
    bool held = false;
    long slots = in->arefs[a]->slots, age;
    for (int g = 0; g < in->ngroups; g++) {
        if (in->groups[g].block != block)
            continue;
        age = world->states[g].gets[a].next - world->states[g].known[a];
        held |= world->states[g].holds_turn;
        if (in->arefs[a]->consumers & ROLE_BIT(in->groups[g].role))
            say(in, age < slots ? age : slots);
    }
    age = puts_made(in, world, block, a) - world->turn_known[ring_at(in, block, a)];
    say(in, held ? 0 : age < 2 * slots ? age : 2 * slots);
}

/* The ring in all blocks of the part that begins with this one.  */
static void say_ring(Explorer *in, const World *world, int first, int a)
{
    for (int g = 0; g < in->ngroups; g++)
        if (first_of_part(in, in->groups[g].block, in->arefs[a]) == first) {
            say_facts(in, world, g, a);
            say(in, world->states[g].gets[a].held);
        }
    for (int block = first; block < in->nblocks; block++) {
        if (first_of_part(in, block, in->arefs[a]) != first)
            continue;
        say_slots(in, world, block, a);
        if (in->by_tiles)
            say_known(in, world, block, a);
    }
}

/* Does a part begin with the ring of this block?  */
static bool is_part(const Explorer *in, int block, int a)
{
    return in->arefs[a] && first_of_part(in, block, in->arefs[a]) == block;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

static long fewest_taken(const Explorer *in, const World *world, int decision)
{
    long fewest = world->ndecided[decision];
    for (int g = 0; g < in->ngroups; g++)
        if (world->states[g].taken[decision] < fewest && in->groups[g].joins[decision])
            fewest = world->states[g].taken[decision];
    return fewest;
}

static void say_decisions(Explorer *in, const World *world)
{
    for (int d = 0; d < in->ndecisions; d++) {
        long fewest = fewest_taken(in, world, d), ahead = world->ndecided[d] - fewest;
        say(in, ahead);
        say(in, ahead ? (int64_t)(world->decided[d] & (((uint64_t)1 << ahead) - 1)) : 0);
        for (int g = 0; g < in->ngroups; g++)
            if (in->groups[g].joins[d])
                say(in, world->states[g].taken[d] - fewest);
    }
}

static void say_tiles(Explorer *in, const World *world)
{
    for (int a = 0; in->by_tiles && a < in->narefs; a++)
        for (int g = 0; in->arefs[a] && g < in->ngroups; g++) {
            const State *state = &world->states[g];
            bool puts = in->groups[g].role == in->arefs[a]->producer;
            long next = puts ? state->puts[a].next : state->gets[a].next;
            int ring = ring_at(in, in->groups[g].block, a);
            for (long tile = state->ordinal; tile < world->started[ring]; tile++)
                say(in, world->tile_starts[ring][tile % 64] - next);
            say(in, -1);
        }
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_of(Explorer *in, const Visited *frame)
{
    uint64_t hash = frame ? frame->hash : 1, word;
    while (in->length % 8)
        say(in, 0);
    for (int i = 0; i < in->length; i += 8) {
        memcpy(&word, in->text + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static Visited **bucket_of(const Explorer *in, uint64_t hash)
{
    return &in->visited[hash % (uint64_t)in->nbuckets];
}

/* Four times the room for keys.  */
static void grow(Explorer *in)
{
    Visited **old = in->visited;
    int count = in->nbuckets;
    in->nbuckets *= 4;
    in->visited = arena_alloc(in->kernel->module, (size_t)in->nbuckets * sizeof *in->visited);
    for (int i = 0; i < count; i++)
        for (Visited *key = old[i], *next; key; key = next) {
            Visited **bucket = bucket_of(in, key->hash);
            next = key->next;
            key->next = *bucket;
            *bucket = key;
        }
}

/* The one key of this text: was it seen before?  */
static const Visited *key_of(Explorer *in, const Visited *frame, bool *new)
{
    uint64_t hash = hash_of(in, frame);
    size_t bytes = (size_t)in->length;
    Visited **bucket = bucket_of(in, hash);
    for (Visited *old = *bucket; old; old = old->next)
        if (old->hash == hash && old->frame == frame && old->length == in->length &&
            !memcmp(old->text, in->text, bytes))
            return old;
    Visited *made = arena_alloc(in->kernel->module, sizeof *made + bytes);
    *made = (Visited){*bucket, frame, hash, in->length};
    memcpy(made->text, in->text, bytes);
    *bucket = made;
    *new = true;
    if (++in->nkeys > 2 * in->nbuckets)
        grow(in);
    return made;
}

static void say_frame(Explorer *in, const World *world, int group, int decision)
{
    in->length = 0;
    say(in, group * 1000 + decision);
    for (int g = 0; g < in->ngroups; g++)
        say_place(in, world, g);
    for (int block = 0; block < in->nblocks; block++)
        say(in, world->turns[block] % in->turn_groups);
    for (int a = 0; a < in->narefs; a++)
        if (in->arefs[a])
            say_counts(in, world, a);
    say_decisions(in, world);
    say_tiles(in, world);
    for (int ring = 0; ring < in->nblocks * in->narefs; ring++) {
        int block = ring / in->narefs, a = ring % in->narefs;
        if (in->waited[a] && is_part(in, block, a))
            say_ring(in, world, block, a);
    }
}

/* Is this part new with the frame?  A part that is not has been looked at with all that comes of it, and is left alone.  */
static bool part_is_new(Explorer *in, World *world, const Visited *frame, int part)
{
    bool new = false;
    if (!world->fresh[part])
        return false;
    in->length = 0;
    say(in, part);
    if (part < in->ngroups)
        say_memory(in, world, part);
    else
        say_ring(in, world, (part - in->ngroups) / in->narefs, (part - in->ngroups) % in->narefs);
    key_of(in, frame, &new);
    world->fresh[part] = new;
    return new;
}

int parts_of_key(const Explorer *in)
{
    return in->ngroups + in->nblocks * in->narefs;
}

bool world_is_new(Explorer *in, World *world, int group, int decision)
{
    bool new = false, frame_new;
    const Op *op = world->states[group].pc;
    if (in->groups[group].about[op->position] & ABOUT_SAME_WAY) {
        in->nvisited++;
        return true;
    }
    say_frame(in, world, group, decision);
    const Visited *frame = key_of(in, NULL, &frame_new);
    for (int g = 0; g < in->ngroups; g++)
        new |= part_is_new(in, world, frame, g);
    for (int ring = 0; ring < in->nblocks * in->narefs; ring++) {
        int block = ring / in->narefs, a = ring % in->narefs;
        new |= !in->waited[a] && is_part(in, block, a) && part_is_new(in, world, frame, in->ngroups + ring);
    }
    in->nvisited += new;
    return new;
}

void keys_forget(Explorer *in)
{
    memset(in->visited, 0, (size_t)in->nbuckets * sizeof *in->visited);
    in->nvisited = in->nkeys = 0;
}

void keys_init(Explorer *in)
{
    Module *module = in->kernel->module;
    in->nbuckets = 1024;
    in->visited = arena_alloc(module, (size_t)in->nbuckets * sizeof *in->visited);
}
