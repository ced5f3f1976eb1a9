/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-keys.c - have all groups stood like this before?
 *
 *   block 0      producer at the loop, consumer 0 at its get; put 2 ahead of it; the loop's next outcome not known
 *   frame        blocks 0 to 3 like this, and what they decide together
 *   slot         the one put last into ta_tb: released by one group, held by consumer 0, whose newest product reads it; in a
 *                cluster the same slot of all blocks that share the ring
 *   storage      c_out, of consumer 0: fenced, two of its copies out not waited for
 *
 * Keys say of a world all that what comes next depends on, relative to running indices: its frame, where the groups stand and
 * what is decided, and parts, which have no say in each other, nor in the frame (protocol.c, 4).  Each part is looked up with
 * its frame: so a few worlds stand for all combinations of parts.  Of a block in which no group has moved nothing is said again.
 *
 * Some of what is said has ranks.  Who knows less of a ring, has more that is not fenced, met or waited for, is worse off and
 * stays so: each rule that holds for it holds for who is better off, and the same steps leave both in that order.  So a part that
 * is nowhere worse than one which was there in the same frame is not new.
 */
#include <string.h>

#include "plan.h"
#include "protocol.h"

struct Key {
    Key *next;
    uint64_t hash;
    int number;       /* of those that there are */
    Way *ways;        /* of a frame */
    const Key *exact; /* of a part: what was said but for the ranks, which follow in the text */
    int nranks;
    int length;
    unsigned char text[];
};

typedef struct Seen Seen;
struct Seen {
    Seen *next;
    const Key *key;
};

struct Pair {
    const Key *frame, *exact;
    Seen *seen; /* with these ranks, if there are any */
};

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

enum { MOST_BYTES = 10, PARTS_STEP = 32 }; /* of a number */

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

/* The more, the worse.  What does not fit is compared like anything else.  */
static void say_rank(Explorer *in, int64_t number)
{
    bool fits = number >= 0 && number < 256 && in->nranks < MOST_RANKS;
    say(in, fits ? -1 : number);
    if (fits)
        in->ranks[in->nranks++] = (unsigned char)number;
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

static void say_gathered(Explorer *in, const State *state, int place, int slots)
{
    for (int age = 0; age < slots; age++) {
        const Gathered *slot = &state->gathered[place][(state->written[place] + age) % slots];
        long writes = state->written[place] - slot->write;
        say(in, writes > MAX_GATHERED ? MAX_GATHERED : writes);
        say_meeting(in, state, slot->wrote);
        say_meeting(in, state, slot->fenced);
        say_meeting(in, state, slot->looked);
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

/* Is what is known of a value, or of a product in flight, this part's affair?  */
static bool concerns(const Explorer *in, const Part *part, MarkKind kind, int place, long index)
{
    switch (kind) {
    case MARK_PUT:
    case MARK_GOT:
    case MARK_RING_VIEW:
        return part->kind == PART_SLOT && part->place == place && index % in->arefs[place]->slots == part->slot;
    case MARK_STAGED_VIEW:
        return part->kind == PART_STORAGE && part->place == place;
    default:
        return part->kind == PART_PRODUCTS;
    }
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

/* What these and its products in flight have to do with the part.  */
static void say_facts(Explorer *in, const World *world, int group, const Part *part)
{
    const State *state = &world->states[group];
    for (const int *i = in->live[group]; *i >= 0; i++) {
        const Mark *mark = &state->marks[*i];
        if (concerns(in, part, mark->kind, mark->place, mark->index))
            say_fact(in, state, mark, *i);
    }
    for (int i = 0; i < state->nreadings; i++) {
        const Reading *reading = &state->readings[i];
        Mark mark = {reading->kind, reading->place, reading->index};
        if (concerns(in, part, mark.kind, mark.place, mark.index))
            say_fact(in, state, &mark, -2 - (int)(state->committed - reading->group));
    }
    say(in, -1);
}

/* Memory that is no slot, as far as the group looks at it.  */
static void say_storage(Explorer *in, const World *world, const Part *part)
{
    const State *state = &world->states[part->of];
    const int *members = members_of(in, in->groups[part->of].block);
    int s = part->place;
    say_facts(in, world, part->of, part);
    say_rank(in, state->read[s]);
    say_rank(in, state->fresh[s].unfenced);
    say_rank(in, state->fresh[s].unmet);
    say_rank(in, state->copying[s]);
    for (int i = 0; state->gathered[s] && i < in->nmembers; i++)
        if (in->groups[members[i]].role == in->groups[part->of].role)
            say_gathered(in, &world->states[members[i]], s, storage_at(in, s)->slots);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* Which of the newest puts its slot has, and what became of that.  */
static void say_block_of_slot(Explorer *in, const World *world, int block, const Part *part)
{
    const Aref *aref = in->arefs[part->place];
    long puts = puts_made(in, world, block, part->place);
    long ago = (puts + aref->slots - 1 - part->slot) % aref->slots;
    int ring = ring_at(in, block, part->place);
    say(in, ago);
    say(in, puts > ago ? world->released[ring][part->slot] : aref->arrivals);
    say(in, world->brought[ring][part->slot]);
}

static void say_held(Explorer *in, const World *world, int group, const Part *part)
{
    const End *gets = &world->states[group].gets[part->place];
    int slots = in->arefs[part->place]->slots, held = 0;
    for (long index = gets->next - gets->held; index < gets->next; index++)
        held += index % slots == part->slot;
    say(in, held);
}

/* In all blocks that it is about.  */
static void say_slot(Explorer *in, const World *world, const Part *part)
{
    for (uint64_t rest = part->blocks; rest; rest &= rest - 1) {
        int block = __builtin_ctzll(rest);
        const int *members = members_of(in, block);
        for (int i = 0; i < in->nmembers; i++) {
            if (!ends_of(in, members[i], part->place))
                continue;
            say_facts(in, world, members[i], part);
            say_held(in, world, members[i], part);
        }
        say_block_of_slot(in, world, block, part);
    }
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

/* How long ago what is known was: it matters up to a round of the ring.  What is told with the turn, as long as nobody holds
   that.  */
static void say_known(Explorer *in, const World *world, int block, int a)
{
    enum { NOW = 128 };
    bool held = false;
    long slots = in->arefs[a]->slots, age;
    const int *members = members_of(in, block);
    for (int i = 0; i < in->nmembers; i++) {
        const State *state = &world->states[members[i]];
        age = state->gets[a].next - state->known[a];
        held |= state->holds_turn;
        if (ends_of(in, members[i], a) & GETS)
            say_rank(in, NOW + (age < slots ? age : slots));
    }
    age = puts_made(in, world, block, a) - world->turn_known[ring_at(in, block, a)];
    say_rank(in, NOW + (held ? 0 : age < 2 * slots ? age : 2 * slots));
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
        for (long n = fewest; n < world->ndecided[*d]; n++)
            say(in, world->decided[*d] >> n % 64 & 1);
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
static Key *key_of_text(Explorer *in)
{
    uint64_t hash = hash_of_text(in);
    size_t bytes = (size_t)in->length;
    Key **bucket = bucket_of(in, hash);
    for (Key *old = *bucket; old; old = old->next)
        if (old->hash == hash && old->length == in->length && !memcmp(old->text, in->text, bytes))
            return old;
    Key *made = arena_alloc(in->kernel->module, sizeof *made + bytes);
    *made = (Key){*bucket, hash, in->ntexts, NULL, made, 0, in->length};
    memcpy(made->text, in->text, bytes);
    *bucket = made;
    if (++in->ntexts > 2 * in->nbuckets)
        grow_texts(in);
    return made;
}

static Pair *place_of_pair(const Explorer *in, const Key *frame, const Key *exact)
{
    uint64_t place = mix(frame->hash, exact->hash);
    Pair *there;
    do
        there = &in->pairs[place++ & (uint64_t)(in->room_of_pairs - 1)];
    while (there->frame && (there->frame != frame || there->exact != exact));
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
            *place_of_pair(in, old[i].frame, old[i].exact) = old[i];
}

/* Nowhere better?  */
static bool is_as_bad(const Key *one, const Key *other)
{
    const unsigned char *its = one->text + one->exact->length, *others = other->text + other->exact->length;
    for (int i = 0; i < one->nranks; i++)
        if (its[i] < others[i])
            return false;
    return true;
}

static bool is_new_with(Explorer *in, const Key *frame, const Key *part)
{
    Pair *place = place_of_pair(in, frame, part->exact);
    for (const Seen *seen = place->seen; seen; seen = seen->next)
        if (is_as_bad(seen->key, part))
            return false;
    if (place->frame && !part->nranks)
        return false;
    if (part->nranks) {
        Seen *seen = arena_alloc(in->kernel->module, sizeof *seen);
        *seen = (Seen){place->seen, part};
        place->seen = seen;
    }
    in->npairs += !place->frame;
    place->frame = frame;
    place->exact = part->exact;
    if (2 * in->npairs > in->room_of_pairs)
        grow_pairs(in);
    return true;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void say_part(Explorer *in, const World *world, const Part *part)
{
    const State *state = &world->states[part->of];
    switch (part->kind) {
    case PART_PRODUCTS:
        say_facts(in, world, part->of, part);
        break;
    case PART_STORE:
        say_rank(in, state->stored >> part->place & 1);
        say_rank(in, state->loaded >> part->place & 1);
        break;
    case PART_STORAGE:
        say_storage(in, world, part);
        break;
    case PART_KNOWN:
        say_known(in, world, part->of, part->place);
        break;
    case PART_SLOT:
        say_slot(in, world, part);
        break;
    }
}

/* One byte for each; the text so far fills whole words.  */
static void say_ranks(Explorer *in)
{
    for (int i = 0; i < in->nranks; i++) {
        say(in, 0);
        in->text[in->length - 1] = in->ranks[i];
    }
    in->nranks = 0;
}

/* The slots of a ring for whose release a put has to wait: they say where groups stand, too.  */
static bool is_frames(const Explorer *in, const Part *part)
{
    return (part->kind == PART_SLOT || part->kind == PART_KNOWN) && in->waited[part->place];
}

static void add_part(Explorer *in, Part part)
{
    if (in->nparts % PARTS_STEP == 0) {
        Part *more = arena_alloc(in->kernel->module, (size_t)(in->nparts + PARTS_STEP) * sizeof *more);
        if (in->nparts)
            memcpy(more, in->parts, (size_t)in->nparts * sizeof *more);
        in->parts = more;
    }
    in->parts[in->nparts++] = part;
}

static void add_parts_of_group(Explorer *in, int g)
{
    const Group *group = &in->groups[g];
    uint64_t block = (uint64_t)1 << group->block;
    int stores = group->end_store - group->first_store;
    if (group->multiplies)
        add_part(in, (Part){PART_PRODUCTS, g, 0, 0, block});
    for (int i = 0; i < (stores < 64 ? stores : 64); i++)
        add_part(in, (Part){PART_STORE, g, (group->first_store + i) % 64, 0, block});
    for (int s = 0; s < in->nstorages; s++)
        if (group->touches[s])
            add_part(in, (Part){PART_STORAGE, g, s, 0, block});
}

static void add_parts_of_ring(Explorer *in, int block, int a)
{
    uint64_t blocks = blocks_of_part(in, block, a);
    if (in->by_tiles)
        add_part(in, (Part){PART_KNOWN, block, a, 0, (uint64_t)1 << block});
    for (int slot = 0; slot < in->arefs[a]->slots && __builtin_ctzll(blocks) == block; slot++)
        add_part(in, (Part){PART_SLOT, block, a, slot, blocks});
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
static const Key *key_of_frame(Explorer *in, World *world)
{
    for (uint64_t rest = world->moved; rest; rest &= rest - 1) {
        int block = __builtin_ctzll(rest);
        world->stands[block] = key_of_block(in, world, block);
    }
    in->length = 0;
    say(in, -1);
    say(in, world->question.group * 1000 + world->question.decision);
    for (int block = 0; block < in->nblocks; block++)
        say(in, world->stands[block]->number);
    say_decisions(in, world, in->asked_in[in->nblocks]);
    for (int a = 0; a < in->narefs; a++) {
        if (in->arefs[a])
            say_distances(in, world, a);
    }
    for (int i = 0; in->waits && i < in->nparts; i++)
        if (is_frames(in, &in->parts[i]))
            say_part(in, world, &in->parts[i]);
    say_ranks(in);
    return key_of_text(in);
}

static const Key *key_of_part(Explorer *in, const World *world, int part)
{
    in->length = 0;
    say(in, -2 - (part - in->parts[part].slot)); /* which slot it is makes no difference, but which put it has */
    say_part(in, world, &in->parts[part]);
    if (!in->nranks)
        return key_of_text(in);
    const Key *exact = key_of_text(in);
    const int nranks = in->nranks;
    say_ranks(in);
    Key *key = key_of_text(in);
    key->exact = exact;
    key->nranks = nranks;
    return key;
}

void keys_start(const Explorer *in, Path *path)
{
    for (int part = 0; part < in->nparts; part++)
        path->fresh[part] = !is_frames(in, &in->parts[part]);
}

/* A part that is not new with its frame has been looked at with all that comes of it, and is left alone from then on.  */
bool is_new_there(Explorer *in, Path *path, const Key *frame)
{
    bool new = false;
    for (int part = 0; part < in->nparts; part++)
        if (path->fresh[part]) {
            path->fresh[part] = is_new_with(in, frame, path->keys[part]);
            new |= path->fresh[part];
        }
    in->nvisited += new;
    return new;
}

/* What is to be said again.  */
static bool has_changed(const Explorer *in, const Path *path, int part)
{
    return path->fresh[part] && path->world->moved & in->parts[part].blocks;
}

static void find_all_live(Explorer *in, const Path *path)
{
    uint64_t blocks = 0;
    for (int part = 0; part < in->nparts; part++)
        if (in->waits || has_changed(in, path, part))
            blocks |= in->parts[part].blocks;
    for (int g = 0; g < in->ngroups; g++)
        if (blocks >> in->groups[g].block & 1)
            find_live(in, path->world, g);
}

bool path_is_new(Explorer *in, Path *path)
{
    World *world = path->world;
    int group = world->question.group;
    const Op *op = world->states[group].pc;
    path->frame = NULL;
    if (in->groups[group].about[op->position] & ABOUT_SAME_WAY) {
        in->nvisited++;
        return true;
    }
    find_all_live(in, path);
    path->frame = key_of_frame(in, world);
    for (int part = 0; part < in->nparts; part++)
        if (has_changed(in, path, part))
            path->keys[part] = key_of_part(in, world, part);
    world->moved = 0;
    return is_new_there(in, path, path->frame);
}

Way *ways_from(Explorer *in, const Key *frame)
{
    Way *ways = frame ? frame->ways : NULL;
    if (!ways)
        ways = arena_alloc(in->kernel->module, 2 * sizeof *ways);
    if (frame)
        ((Key *)frame)->ways = ways;
    return ways;
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
    for (int g = 0; g < in->ngroups; g++)
        add_parts_of_group(in, g);
    for (int block = 0; block < in->nblocks; block++)
        for (int a = 0; a < in->narefs; a++)
            if (in->arefs[a])
                add_parts_of_ring(in, block, a);
}
