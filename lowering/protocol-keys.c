/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-keys.c - have all groups stood like this before?
 *
 *   block 0      producer at the loop, consumer 0 at its get; put 2 ahead of it; the loop's next outcome not known
 *   frame        blocks 0 to 3 like this, and what they decide together
 *   ring ta_tb   slot 0 released by one group, consumer 0 holds two; in a cluster each block's apart, or those that share
 *   memory of 0  c_out fenced, two of its copies out not waited for
 *
 * Keys say of a world all that what comes next depends on, relative to running indices: its frame, where the groups stand and
 * what is decided, and parts, which have no say in each other, nor in the frame (protocol.c, 4).  Each part is looked up with
 * its frame: so a few worlds stand for all combinations of parts.  Of a block in which no group has moved nothing is said again.
 */
#include <string.h>

#include "plan.h"
#include "protocol.h"

struct Key {
    Key *next;
    uint64_t hash;
    int number; /* of those that there are */
    int length;
    unsigned char text[];
};

struct Pair {
    const Key *frame, *part;
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

static const int *members_of(const Explorer *in, int block)
{
    return in->members + block * in->nmembers;
}

static int ends_of(const Explorer *in, int group, int a)
{
    return in->ends[group * in->narefs + a];
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
    const int *members = members_of(in, in->groups[group].block);
    for (int i = 0; i < in->nmembers; i++)
        if (in->groups[members[i]].role == in->groups[group].role && world->states[members[i]].met < fewest)
            fewest = world->states[members[i]].met;
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
    if (in->meets)
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

/* The group's values that are still looked at and that something is known of.  */
static void find_live(Explorer *in, const World *world, int group)
{
    const State *state = &world->states[group];
    const Group *of = &in->groups[group];
    int position = state->pc ? state->pc->position : 0, *to = in->live[group];
    for (int i = 0; i < of->nmarks; i++)
        if (state->marks[i].kind && position > of->lives[i].from && position <= of->lives[i].to)
            *to++ = i;
    *to = -1;
}

/* What these and its products in flight have to do with a ring, or with other memory.  */
static void say_facts(Explorer *in, const World *world, int group, int ring)
{
    const State *state = &world->states[group];
    for (const int *i = in->live[group]; *i >= 0; i++)
        if (ring_of(state->marks[*i].kind, state->marks[*i].place) == ring)
            say_fact(in, state, &state->marks[*i], *i);
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
    const int *members = members_of(in, in->groups[group].block);
    for (int i = 0; in->gathers && i < in->nmembers; i++)
        say_gathered(in, &world->states[members[i]]);
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

/* The blocks whose slots of a ring have to do with this one's, be it by way of others.  */
static uint64_t blocks_of_part(const Explorer *in, int block, int a)
{
    int along = in->arefs[a]->along;
    return blocks_sharing(in, along == ALONG_X_AND_Y ? ALONG_ALL : along, block);
}

/* How far those are who fill the block's ring, and who read it.  */
static void say_counts(Explorer *in, const World *world, int block, int a)
{
    const int *members = members_of(in, block);
    long puts = puts_made(in, world, block, a);
    for (int i = 0; i < in->nmembers; i++) {
        const State *state = &world->states[members[i]];
        int its = ends_of(in, members[i], a);
        bool fills = state->puts[a].next || !puts;
        if (its & PUTS)
            say(in, (fills ? puts - state->puts[a].next : 0) * 2 + state->puts[a].filling);
        if (its & GETS)
            say(in, puts - state->gets[a].next);
    }
}

/* Blocks that share nothing may part by any number of puts; these are counted against the first that shares.  */
static void say_distances(Explorer *in, const World *world, int a)
{
    for (int block = 0; in->arefs[a]->along && block < in->nblocks; block++)
        say(in, puts_made(in, world, __builtin_ctzll(blocks_sharing(in, in->arefs[a]->along, block)), a) -
                    puts_made(in, world, block, a));
}

/* What a group knows matters up to a round of the ring; what it is told with the turn, as long as nobody holds that.  */
static void say_known(Explorer *in, const World *world, int block, int a)
{
    bool held = false;
    long slots = in->arefs[a]->slots, age;
    const int *members = members_of(in, block);
    for (int i = 0; i < in->nmembers; i++) {
        int g = members[i];
        age = world->states[g].gets[a].next - world->states[g].known[a];
        held |= world->states[g].holds_turn;
        if (ends_of(in, g, a) & GETS)
            say(in, age < slots ? age : slots);
    }
    age = puts_made(in, world, block, a) - world->turn_known[ring_at(in, block, a)];
    say(in, held ? 0 : age < 2 * slots ? age : 2 * slots);
}

/* The ring in all blocks of the part that begins with this one.  */
static void say_ring(Explorer *in, const World *world, int first, int a)
{
    for (uint64_t rest = blocks_of_part(in, first, a); rest; rest &= rest - 1) {
        int block = __builtin_ctzll(rest);
        const int *members = members_of(in, block);
        for (int i = 0; i < in->nmembers; i++) {
            if (!ends_of(in, members[i], a))
                continue;
            say_facts(in, world, members[i], a);
            say(in, world->states[members[i]].gets[a].held);
        }
        say_slots(in, world, block, a);
        if (in->by_tiles)
            say_known(in, world, block, a);
    }
}

/* Does a part begin with the ring of this block?  */
static bool is_part(const Explorer *in, int block, int a)
{
    return in->arefs[a] && __builtin_ctzll(blocks_of_part(in, block, a)) == block;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

long fewest_taken(const Explorer *in, const World *world, int decision)
{
    long fewest = world->ndecided[decision];
    for (const int *g = in->joiners[decision]; *g >= 0; g++)
        if (world->states[*g].taken[decision] < fewest)
            fewest = world->states[*g].taken[decision];
    return fewest;
}

/* Those of one block, or of several together: which some have taken and others have not.  */
static void say_decisions(Explorer *in, const World *world, const int *decisions)
{
    for (const int *d = decisions; *d >= 0; d++) {
        long fewest = fewest_taken(in, world, *d), ahead = world->ndecided[*d] - fewest;
        if (!ahead)
            continue;
        say(in, *d);
        say(in, ahead);
        say(in, (int64_t)(world->decided[*d] & (((uint64_t)1 << ahead) - 1)));
        for (const int *g = in->joiners[*d]; *g >= 0; g++)
            say(in, world->states[*g].taken[*d] - fewest);
    }
    say(in, -1);
}

/* Where the tiles begin that some have begun and others have not.  */
static void say_tiles(Explorer *in, const World *world, int block)
{
    const int *members = members_of(in, block);
    for (int a = 0; a < in->narefs; a++) {
        int ring = ring_at(in, block, a);
        for (int i = 0; in->arefs[a] && i < in->nmembers; i++) {
            const State *state = &world->states[members[i]];
            if (!ends_of(in, members[i], a))
                continue;
            long next = ends_of(in, members[i], a) & PUTS ? state->puts[a].next : state->gets[a].next;
            for (long tile = state->ordinal; tile < world->started[ring]; tile++)
                say(in, world->tile_starts[ring][tile % 64] - next);
            say(in, -1);
        }
    }
}

/* ---- what was said --------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of_text(Explorer *in)
{
    uint64_t hash = 1, word;
    while (in->length % 8)
        say(in, 0);
    for (int i = 0; i < in->length; i += 8) {
        memcpy(&word, in->text + i, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

static Key **bucket_of(const Explorer *in, uint64_t hash)
{
    return &in->texts[hash % (uint64_t)in->nbuckets];
}

/* Four times the room for texts.  */
static void grow_texts(Explorer *in)
{
    Key **old = in->texts;
    int count = in->nbuckets;
    in->nbuckets *= 4;
    in->texts = arena_alloc(in->kernel->module, (size_t)in->nbuckets * sizeof *in->texts);
    for (int i = 0; i < count; i++)
        for (Key *key = old[i], *next; key; key = next) {
            Key **bucket = bucket_of(in, key->hash);
            next = key->next;
            key->next = *bucket;
            *bucket = key;
        }
}

/* The one key of this text.  */
static const Key *key_of_text(Explorer *in)
{
    uint64_t hash = hash_of_text(in);
    size_t bytes = (size_t)in->length;
    Key **bucket = bucket_of(in, hash);
    for (Key *old = *bucket; old; old = old->next)
        if (old->hash == hash && old->length == in->length && !memcmp(old->text, in->text, bytes))
            return old;
    Key *made = arena_alloc(in->kernel->module, sizeof *made + bytes);
    *made = (Key){*bucket, hash, in->ntexts, in->length};
    memcpy(made->text, in->text, bytes);
    *bucket = made;
    if (++in->ntexts > 2 * in->nbuckets)
        grow_texts(in);
    return made;
}

static Pair *place_of_pair(const Explorer *in, Pair pair)
{
    uint64_t place = mix(pair.frame->hash, pair.part->hash);
    Pair *there;
    do
        there = &in->pairs[place++ & (uint64_t)(in->room_of_pairs - 1)];
    while (there->frame && (there->frame != pair.frame || there->part != pair.part));
    return there;
}

/* Twice as much room as pairs are there, or more: a power of 2.  */
static void grow_pairs(Explorer *in)
{
    const Pair *old = in->pairs;
    int count = in->room_of_pairs;
    in->room_of_pairs *= 4;
    in->pairs = arena_alloc(in->kernel->module, (size_t)in->room_of_pairs * sizeof *in->pairs);
    for (int i = 0; i < count; i++)
        if (old[i].frame)
            *place_of_pair(in, old[i]) = old[i];
}

static bool pair_is_new(Explorer *in, Pair pair)
{
    Pair *place = place_of_pair(in, pair);
    if (place->frame)
        return false;
    *place = pair;
    if (2 * ++in->npairs > in->room_of_pairs)
        grow_pairs(in);
    return true;
}

/* ---- worlds ------------------------------------------------------------------------------------------------------ */

static const Key *key_of_block(Explorer *in, const World *world, int block)
{
    const int *members = members_of(in, block);
    in->length = 0;
    for (int i = 0; i < in->nmembers; i++)
        say_place(in, world, members[i]);
    say(in, world->turns[block] % in->turn_groups);
    for (int a = 0; a < in->narefs; a++)
        if (in->arefs[a])
            say_counts(in, world, block, a);
    say_decisions(in, world, in->asked_in[block]);
    if (in->by_tiles)
        say_tiles(in, world, block);
    return key_of_text(in);
}

/* Says again what has changed.  */
static const Key *key_of_frame(Explorer *in, World *world, int group, int decision)
{
    for (uint64_t rest = world->moved; rest; rest &= rest - 1) {
        int block = __builtin_ctzll(rest);
        world->stands[block] = key_of_block(in, world, block);
        for (int i = 0; i < in->nmembers; i++)
            find_live(in, world, members_of(in, block)[i]);
    }
    in->length = 0;
    say(in, -1);
    say(in, group * 1000 + decision);
    for (int block = 0; block < in->nblocks; block++)
        say(in, world->stands[block]->number);
    say_decisions(in, world, in->asked_in[in->nblocks]);
    for (int a = 0; a < in->narefs; a++) {
        if (in->arefs[a])
            say_distances(in, world, a);
        for (int block = 0; in->waited[a] && block < in->nblocks; block++)
            if (is_part(in, block, a))
                say_ring(in, world, block, a);
    }
    return key_of_text(in);
}

/* Blocks that it is about.  */
static uint64_t blocks_of(const Explorer *in, int part)
{
    int ring = part - in->ngroups;
    return ring < 0 ? (uint64_t)1 << in->groups[part].block : blocks_of_part(in, ring / in->narefs, ring % in->narefs);
}

static const Key *key_of_part(Explorer *in, const World *world, int part)
{
    int ring = part - in->ngroups;
    in->length = 0;
    say(in, -2 - part);
    if (ring < 0)
        say_memory(in, world, part);
    else
        say_ring(in, world, ring / in->narefs, ring % in->narefs);
    return key_of_text(in);
}

int parts_of_key(const Explorer *in)
{
    return in->ngroups + in->nblocks * in->narefs;
}

void keys_start(const Explorer *in, World *world)
{
    for (int part = 0; part < parts_of_key(in); part++) {
        int ring = part - in->ngroups, a = ring < 0 ? 0 : ring % in->narefs;
        world->fresh[part] = ring < 0 || (is_part(in, ring / in->narefs, a) && !in->waited[a]);
    }
}

/* A part that is not new with its frame has been looked at with all that comes of it, and is left alone from then on.  */
bool world_is_new(Explorer *in, World *world, int group, int decision)
{
    bool new = false;
    const Op *op = world->states[group].pc;
    if (in->groups[group].about[op->position] & ABOUT_SAME_WAY) {
        in->nvisited++;
        return true;
    }
    const Key *frame = key_of_frame(in, world, group, decision);
    for (int part = 0; part < parts_of_key(in); part++) {
        if (!world->fresh[part])
            continue;
        if (world->moved & blocks_of(in, part))
            world->keys[part] = key_of_part(in, world, part);
        world->fresh[part] = pair_is_new(in, (Pair){frame, world->keys[part]});
        new |= world->fresh[part];
    }
    world->moved = 0;
    in->nvisited += new;
    return new;
}

void keys_forget(Explorer *in)
{
    memset(in->texts, 0, (size_t)in->nbuckets * sizeof *in->texts);
    memset(in->pairs, 0, (size_t)in->room_of_pairs * sizeof *in->pairs);
    in->nvisited = in->ntexts = in->npairs = 0;
}

void keys_init(Explorer *in)
{
    Module *module = in->kernel->module;
    in->nbuckets = 256;
    in->texts = arena_alloc(module, (size_t)in->nbuckets * sizeof *in->texts);
    in->room_of_pairs = 1024;
    in->pairs = arena_alloc(module, (size_t)in->room_of_pairs * sizeof *in->pairs);
}
