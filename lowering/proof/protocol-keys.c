/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-keys.c - have all groups stood like this before?
 *
 *   block 0      producer at the loop, consumer 0 at its get; put 2 ahead of it; the loop's next outcome not known
 *   frame        blocks 0 to 3 like this, and what they decide together
 *   slot         the one put last into ta_tb: released by one group, held by consumer 0, whose newest product reads it;
 *                in a cluster the same slot of all blocks that share the ring
 *   storage      c_out, of consumer 0: fenced, two of its copies out not waited for
 *
 * Keys say of a state all that what comes next depends on, relative to running indices: its frame, where the groups
 * stand and what is decided, and parts, which have no say in each other, nor in the frame (protocol.c, 4).  Each part
 * is looked up with its frame: so a few states stand for all combinations of parts.  Of a block in which no group has
 * moved nothing is said again.
 *
 * Some of what is said has ranks.  Who knows less of a ring, has more that is not fenced, met or waited for, is worse
 * off and stays so: each rule that holds for it holds for who is better off, and the same steps leave both in that
 * order.  So a part that is nowhere worse than one which was there in the same frame is not new.
 */
#include <string.h>

#include "machine/plan.h"
#include "proof/protocol.h"

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

/* Seven bits to a byte, the sign in the lowest: numbers are small, and states many.  */
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
static int64_t mark_text(const GroupState *self, const Mark *mark)
{
    const End *end;
    int age;
    switch (mark->kind) {
    case MARK_PUT:
        end = &self->puts[mark->place];
        return end->filling && mark->index == end->next ? 1 : 0;
    case MARK_GOT:
    case MARK_RING_VIEW:
        end = &self->gets[mark->place];
        age = end->next - mark->index;
        return age <= end->held ? age : -1;
    case MARK_STAGED_VIEW:
        age = self->written[mark->place] - mark->index;
        return age < MAX_GATHERED ? age : -1;
    case MARK_TOKEN:
        age = self->committed - mark->index;
        return mark->index <= self->completed ? 1000 : age;
    default:
        return 0;
    }
}

/* Barriers that it is ahead of the role's last group.  */
static int barriers_ahead(const Explorer *in, const State *state, int group)
{
    int fewest = state->groups[group].passed;
    const int *members = members_of(in, in->groups[group].block);
    for (int i = 0; i < in->nmembers; i++)
        if (in->groups[members[i]].role == in->groups[group].role && state->groups[members[i]].passed < fewest)
            fewest = state->groups[members[i]].passed;
    return state->groups[group].passed - fewest;
}

/* Barriers ago, as far as it makes a difference: groups are one apart at most.  */
static void say_barrier(Explorer *in, const GroupState *self, int passed)
{
    int ago = self->barriers - passed;
    say(in, passed == NOT_YET ? -1 : passed == NEVER || ago > 3 ? 3 : ago);
}

static void say_gathered(Explorer *in, const GroupState *self, int place, int slots)
{
    for (int age = 0; age < slots; age++) {
        const Gathered *slot = &self->gathered[place][(self->written[place] + age) % slots];
        int writes = self->written[place] - slot->write;
        say(in, writes > MAX_GATHERED ? MAX_GATHERED : writes);
        say_barrier(in, self, slot->wrote);
        say_barrier(in, self, slot->fenced);
        say_barrier(in, self, slot->looked);
    }
}

static void say_place(Explorer *in, const State *state, int group)
{
    const GroupState *self = &state->groups[group];
    say(in, (self->pc ? self->pc->position * 4 + self->head : -1) * 2 + self->holds_turn);
    if (in->by_tiles)
        say(in, self->ordinal % in->groups[group].role->replicas);
    if (in->has_barriers)
        say(in, barriers_ahead(in, state, group));
    say(in, self->committed - self->completed);
}

/* The part whose affair it is what is known of a value, or of a product in flight, -1: nobody's.  */
static int part_of(const Explorer *in, int group, MarkKind kind, int place, int index)
{
    switch (kind) {
    case MARK_PUT:
    case MARK_GOT:
    case MARK_RING_VIEW:
        return in->slot_parts[ring_at(in, in->groups[group].block, place)] + index % in->slots[place];
    case MARK_STAGED_VIEW:
        return in->storage_parts[group * in->nstorages + place];
    default:
        return in->product_parts[group];
    }
}

/* `number` says which value it is, or (below 0) how many groups of products ago.  */
static void add_fact(Explorer *in, const GroupState *self, int group, const Mark *mark, int number)
{
    int part = part_of(in, group, mark->kind, mark->place, mark->index);
    if (part < 0)
        return;
    if (in->nfacts == in->room_of_facts) {
        Fact *more = arena_alloc(in->kernel->module, (size_t)(2 * in->nfacts + 64) * sizeof *more);
        if (in->nfacts)
            memcpy(more, in->facts, (size_t)in->nfacts * sizeof *more);
        in->facts = more;
        in->room_of_facts = 2 * in->nfacts + 64;
    }
    in->facts[in->nfacts] = (Fact){in->first_fact[part], group, number,
                                   mark->kind + 8 * (mark->place + 1000 * (mark_text(self, mark) + 2))};
    in->first_fact[part] = in->nfacts++;
}

/* The group's values that are still looked at and that something is known of, and its products in flight, last ones
   first.  */
static void list_facts_of(Explorer *in, const State *state, int group)
{
    const GroupState *self = &state->groups[group];
    const Group *of = &in->groups[group];
    const int position = self->pc ? self->pc->position : 0;
    for (int i = self->nreadings - 1; i >= 0; i--) {
        const Reading *reading = &self->readings[i];
        Mark mark = {reading->kind, reading->place, reading->index};
        add_fact(in, self, group, &mark, -2 - (self->committed - reading->group));
    }
    for (int i = of->nmarks - 1; i >= 0; i--)
        if (self->marks[i].kind && position > of->lives[i].from && position <= of->lives[i].to)
            add_fact(in, self, group, &self->marks[i], i);
}

/* The blocks of which something is said again.  */
static uint64_t blocks_to_say(const Explorer *in, const State *state)
{
    uint64_t blocks = in->waits ? UINT64_MAX : 0;
    for (uint64_t rest = state->moved; rest; rest &= rest - 1)
        blocks |= in->reach[__builtin_ctzll(rest)];
    return blocks;
}

/* What is known, by part, in the order in which the parts say it.  */
void list_facts(Explorer *in, const State *state)
{
    const uint64_t blocks = blocks_to_say(in, state);
    memset(in->first_fact, 0xff, (size_t)in->nparts * sizeof *in->first_fact);
    in->nfacts = 0;
    for (int i = in->ngroups - 1; i >= 0; i--)
        if (blocks >> in->groups[in->members[i]].block & 1)
            list_facts_of(in, state, in->members[i]);
}

/* Those of the group about the part.  */
static void say_facts(Explorer *in, int group, int part)
{
    int fact = in->first_fact[part];
    for (; fact >= 0 && in->facts[fact].group == group; fact = in->facts[fact].next) {
        say(in, in->facts[fact].number);
        say(in, in->facts[fact].text);
    }
    in->first_fact[part] = fact;
    say(in, -1);
}

/* Memory that is no slot, as far as the group looks at it.  */
static void say_storage(Explorer *in, const State *state, const Part *part)
{
    const GroupState *self = &state->groups[part->of];
    const int *members = members_of(in, in->groups[part->of].block);
    int s = part->place;
    say_facts(in, part->of, (int)(part - in->parts));
    say_rank(in, self->read[s]);
    say_rank(in, self->fresh[s].unfenced);
    say_rank(in, self->fresh[s].unsynced);
    say_rank(in, self->copying[s]);
    for (int i = 0; self->gathered[s] && i < in->nmembers; i++)
        if (in->groups[members[i]].role == in->groups[part->of].role)
            say_gathered(in, &state->groups[members[i]], s, storage_at(in, s)->slots);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* Which of the newest puts its slot has, and what became of that.  */
static void say_block_of_slot(Explorer *in, const State *state, int block, const Part *part)
{
    const Aref *aref = in->arefs[part->place];
    int puts = puts_made(in, state, block, part->place);
    int slots = in->slots[part->place], ago = (puts + slots - 1 - part->slot) % slots;
    int ring = ring_at(in, block, part->place);
    say(in, ago);
    say(in, puts > ago ? state->released[ring][part->slot] : aref->arrivals);
    say(in, state->brought[ring][part->slot]);
}

static void say_held(Explorer *in, const State *state, int group, const Part *part)
{
    const End *gets = &state->groups[group].gets[part->place];
    int slots = in->slots[part->place], held = 0;
    for (int index = gets->next - gets->held; index < gets->next; index++)
        held += index % slots == part->slot;
    say(in, held);
}

/* Who knows that a tenant of memory that several use is done there, and what its group still has to do with it.  Each
   tenant is a part, since what is known of one says nothing of another.  */
static void say_reuse(Explorer *in, const State *state, const Part *part)
{
    const Tenant *tenant = &in->tenants[part->place];
    const int *members = members_of(in, part->of);
    const uint64_t *told = state->reuse + 1 + 3 * in->ngroups + part->of * (2 * in->nslots + MOST_ROLES);
    const int t = part->place;
    say(in, reuse_age(in, state, t));
    say_rank(in, state->reuse[0] >> t & 1);
    for (int i = 0; i < in->nmembers; i++) {
        const uint64_t *own = state->reuse + 1 + 3 * members[i];
        say_rank(in, ~own[0] >> t & 1);
        say_rank(in, own[1] >> t & 1);
        say_rank(in, own[2] >> t & 1);
        for (int a = 0; a < in->narefs; a++)
            if (in->arefs[a] && ends_of(in, members[i], a) & GETS)
                say(in, state->groups[members[i]].gets[a].held);
    }
    for (int a = 0; a < in->narefs; a++)
        for (int age = 0; in->arefs[a] && age < in->slots[a]; age++) {
            int slot = in->first_slot[a] + (puts_made(in, state, part->of, a) + age) % in->slots[a];
            say_rank(in, ~told[slot] >> t & 1);
            say_rank(in, ~told[slot + in->nslots] >> t & 1);
        }
    for (int role = 0; role < MOST_ROLES; role++)
        if (told[2 * in->nslots + role] >> t & 1)
            say(in, role);
    say(in, -1);
    const GroupState *self = tenant->group >= 0 ? &state->groups[tenant->group] : NULL;
    if (self)
        say_rank(in, self->copying[storage_place(in->kernel, tenant->storage)]);
    for (int r = 0; self && r < self->nreadings; r++) {
        say(in, self->readings[r].kind * 1000 + self->readings[r].place);
        say(in, self->committed - self->readings[r].group);
    }
}

/* In all blocks that it is about.  */
static void say_slot(Explorer *in, const State *state, const Part *part)
{
    for (uint64_t rest = part->blocks; rest; rest &= rest - 1) {
        int block = __builtin_ctzll(rest);
        const int *members = members_of(in, block);
        for (int i = 0; i < in->nmembers; i++) {
            if (!ends_of(in, members[i], part->place))
                continue;
            say_facts(in, members[i], (int)(part - in->parts));
            say_held(in, state, members[i], part);
        }
        say_block_of_slot(in, state, block, part);
    }
}

/* The blocks whose slots of a ring have to do with this one's, be it by way of others.  */
static uint64_t blocks_of_part(const Explorer *in, int block, int a)
{
    int along = in->arefs[a]->along;
    return blocks_sharing(in, along == ALONG_X_AND_Y ? ALONG_ALL : along, block);
}

/* How far those are who fill the block's ring, and who read it.  */
static void say_counts(Explorer *in, const State *state, int block, int a)
{
    const int *members = members_of(in, block);
    int puts = puts_made(in, state, block, a);
    for (int i = 0; i < in->nmembers; i++) {
        const GroupState *self = &state->groups[members[i]];
        int its = ends_of(in, members[i], a);
        bool fills = self->puts[a].next || !puts;
        if (its & PUTS)
            say(in, (fills ? puts - self->puts[a].next : 0) * 2 + self->puts[a].filling);
        if (its & GETS)
            say(in, puts - self->gets[a].next);
    }
}

/* Blocks that share nothing may part by any number of puts; these are counted against the first that shares.  */
static void say_distances(Explorer *in, const State *state, int a)
{
    for (int block = 0; in->arefs[a]->along && block < in->nblocks; block++)
        say(in, puts_made(in, state, __builtin_ctzll(blocks_sharing(in, in->arefs[a]->along, block)), a) -
                    puts_made(in, state, block, a));
}

/* How long ago what is known was: it matters up to a round of the ring.  What is told with the turn, as long as nobody
   holds that, to those who get.  */
static void say_known(Explorer *in, const State *state, int block, int a)
{
    enum { NOW = 128 };
    bool held = false, told = false;
    int slots = in->slots[a], age;
    const int *members = members_of(in, block);
    for (int i = 0; i < in->nmembers; i++) {
        const GroupState *self = &state->groups[members[i]];
        age = self->gets[a].next - self->known[a];
        held |= self->holds_turn;
        told |= in->groups[members[i]].in_pingpong && ends_of(in, members[i], a) & GETS;
        if (ends_of(in, members[i], a) & GETS)
            say_rank(in, NOW + (age < slots ? age : slots));
        if (in->exact) /* what is passed over is known to have been before the first round, or is not */
            say(in, self->gets[a].next < slots ? self->gets[a].next : slots);
    }
    age = puts_made(in, state, block, a) - state->pingpong_known[ring_at(in, block, a)];
    if (told)
        say_rank(in, NOW + (held ? 0 : age < 2 * slots ? age : 2 * slots));
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

int fewest_taken(const Explorer *in, const State *state, int decision)
{
    int fewest = state->ndecided[decision];
    for (const int *g = in->joiners[decision]; *g >= 0; g++)
        if (state->groups[*g].taken[decision] < fewest)
            fewest = state->groups[*g].taken[decision];
    return fewest;
}

/* Those of one block, or of several together: which some have taken and others have not.  */
static void say_decisions(Explorer *in, const State *state, const int *decisions)
{
    for (const int *d = decisions; *d >= 0; d++) {
        int fewest = fewest_taken(in, state, *d), ahead = state->ndecided[*d] - fewest;
        if (!ahead)
            continue;
        say(in, *d);
        say(in, ahead);
        for (int n = fewest; n < state->ndecided[*d]; n++)
            say(in, state->decided[*d] >> n % 64 & 1);
        for (const int *g = in->joiners[*d]; *g >= 0; g++)
            say(in, state->groups[*g].taken[*d] - fewest);
    }
    say(in, -1);
}

/* Where the tiles begin that some have begun and others have not.  */
static void say_tiles(Explorer *in, const State *state, int block)
{
    const int *members = members_of(in, block);
    for (int a = 0; a < in->narefs; a++) {
        int ring = ring_at(in, block, a);
        for (int i = 0; in->arefs[a] && i < in->nmembers; i++) {
            const GroupState *self = &state->groups[members[i]];
            if (!ends_of(in, members[i], a))
                continue;
            int next = ends_of(in, members[i], a) & PUTS ? self->puts[a].next : self->gets[a].next;
            for (int tile = self->ordinal; tile < state->started[ring]; tile++)
                say(in, state->tile_starts[ring][tile % 64] - next);
            say(in, -1);
        }
    }
}

/* ---- what was said ----------------------------------------------------------------------------------------------- */

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

/* The one key of this text, of which there are `count` so far.  */
static Key *key_of_text(Explorer *in, int *count)
{
    uint64_t hash = hash_of_text(in);
    size_t bytes = (size_t)in->length;
    Key **bucket = bucket_of(in, hash);
    for (Key *old = *bucket; old; old = old->next)
        if (old->hash == hash && old->length == in->length && !memcmp(old->text, in->text, bytes))
            return old;
    Key *made = arena_alloc(in->kernel->module, sizeof *made + bytes);
    *made = (Key){.next = *bucket, .hash = hash, .number = (*count)++, .exact = made, .length = in->length};
    memcpy(made->text, in->text, bytes);
    *bucket = made;
    if (++in->ntexts > 2 * in->nbuckets)
        grow_texts(in);
    return made;
}

static bool was_seen(const Key *frame, const Key *part)
{
    return part->number / 64 < frame->nseen && frame->seen[part->number / 64] >> part->number % 64 & 1;
}

void see(Explorer *in, Key *frame, const Key *part)
{
    int word = part->number / 64, room = 2 * word + 4;
    if (word >= frame->nseen) {
        uint64_t *more = arena_alloc(in->kernel->module, (size_t)room * sizeof *more);
        if (frame->nseen)
            memcpy(more, frame->seen, (size_t)frame->nseen * sizeof *more);
        frame->seen = more;
        frame->nseen = room;
    }
    frame->seen[word] |= (uint64_t)1 << part->number % 64;
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

bool was_there(const Key *frame, const Key *part)
{
    bool seen = was_seen(frame, part);
    for (const Key *other = part->nranks ? part->exact->like : NULL; other && !seen; other = other->like)
        seen = was_seen(frame, other) && is_as_bad(other, part);
    return seen;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

static void say_part(Explorer *in, const State *state, const Part *part)
{
    const GroupState *self = &state->groups[part->of];
    switch (part->kind) {
    case PART_PRODUCTS:
        say_facts(in, part->of, (int)(part - in->parts));
        break;
    case PART_STORE:
        say_rank(in, self->stored >> part->place & 1);
        say_rank(in, self->loaded >> part->place & 1);
        break;
    case PART_STORAGE:
        say_storage(in, state, part);
        break;
    case PART_KNOWN:
        say_known(in, state, part->of, part->place);
        break;
    case PART_SLOT:
        say_slot(in, state, part);
        break;
    case PART_REUSE:
        say_reuse(in, state, part);
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
    in->product_parts[g] = group->multiplies ? in->nparts : -1;
    if (group->multiplies)
        add_part(in, (Part){PART_PRODUCTS, g, 0, 0, block, true});
    for (int i = 0; i < (stores < 64 ? stores : 64); i++)
        add_part(in, (Part){PART_STORE, g, (group->first_store + i) % 64, 0, block, true});
    for (int s = 0; s < in->nstorages; s++) {
        in->storage_parts[g * in->nstorages + s] = group->touches[s] ? in->nparts : -1;
        if (group->touches[s])
            add_part(in, (Part){PART_STORAGE, g, s, 0, block, true});
    }
}

static void add_parts_of_ring(Explorer *in, int block, int a)
{
    uint64_t blocks = blocks_of_part(in, block, a);
    int first = __builtin_ctzll(blocks);
    in->reach[block] |= blocks;
    if (in->by_tiles)
        add_part(in, (Part){PART_KNOWN, block, a, 0, (uint64_t)1 << block, true});
    in->slot_parts[ring_at(in, block, a)] = first == block ? in->nparts : in->slot_parts[ring_at(in, first, a)];
    for (int slot = 0; slot < in->slots[a] && first == block; slot++)
        add_part(in, (Part){PART_SLOT, block, a, slot, blocks, true});
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static const Key *key_of_block(Explorer *in, const State *state, int block)
{
    const int *members = members_of(in, block);
    in->length = 0;
    for (int i = 0; i < in->nmembers; i++)
        say_place(in, state, members[i]);
    say(in, state->pingpong[block] % in->pingpong_groups);
    for (int a = 0; a < in->narefs; a++)
        if (in->arefs[a])
            say_counts(in, state, block, a);
    say_decisions(in, state, in->asked_in[block]);
    if (in->by_tiles)
        say_tiles(in, state, block);
    return key_of_text(in, &in->nstands);
}

/* Says again what has changed.  */
Key *key_of_frame(Explorer *in, State *state)
{
    for (uint64_t rest = state->shifted; rest; rest &= rest - 1) {
        int block = __builtin_ctzll(rest);
        state->stands[block] = key_of_block(in, state, block);
    }
    state->shifted = 0;
    in->length = 0;
    say(in, -1);
    say(in, state->question.group * 1000 + state->question.decision);
    for (int block = 0; block < in->nblocks; block++)
        say(in, state->stands[block]->number);
    say_decisions(in, state, in->asked_in[in->nblocks]);
    for (int a = 0; a < in->narefs; a++) {
        if (in->arefs[a])
            say_distances(in, state, a);
    }
    for (int i = 0; in->waits && i < in->nparts; i++)
        if (!in->parts[i].apart)
            say_part(in, state, &in->parts[i]);
    say_ranks(in);
    return key_of_text(in, &in->nframes);
}

static Key *state_of_text(Explorer *in)
{
    Key *key = key_of_text(in, &in->npart_keys);
    if (key->number >= in->room_of_part_keys) {
        Key **more = arena_alloc(in->kernel->module, (size_t)(2 * key->number + 64) * sizeof *more);
        if (in->room_of_part_keys)
            memcpy(more, in->part_keys, (size_t)in->room_of_part_keys * sizeof *more);
        in->part_keys = more;
        in->room_of_part_keys = 2 * key->number + 64;
    }
    return in->part_keys[key->number] = key;
}

const Key *key_of_part(Explorer *in, const State *state, int part)
{
    in->length = 0;
    say(in, -2 - (part - in->parts[part].slot)); /* which slot it is makes no difference, but which put it has */
    say_part(in, state, &in->parts[part]);
    Key *exact = state_of_text(in);
    const int nranks = in->nranks;
    if (!nranks)
        return exact;
    say_ranks(in);
    Key *key = state_of_text(in);
    if (!key->nranks) {
        key->exact = exact;
        key->nranks = nranks;
        key->like = exact->like;
        exact->like = key;
    }
    return key;
}

Stop *stop_of_frame(Explorer *in, Key *frame)
{
    Stop *stop = frame ? frame->stop : NULL;
    if (stop)
        return stop;
    stop = arena_alloc(in->kernel->module, sizeof *stop);
    stop->frame = frame;
    if (frame)
        frame->stop = stop;
    return stop;
}

void keys_forget(Explorer *in)
{
    memset(in->texts, 0, (size_t)in->nbuckets * sizeof *in->texts);
    for (int i = 0; i < in->nparts; i++)
        in->parts[i].apart = !is_frames(in, &in->parts[i]);
    in->nvisited = in->ntexts = in->nframes = in->nstands = in->npart_keys = 0;
}

void keys_init(Explorer *in)
{
    Module *module = in->kernel->module;
    in->nbuckets = 256;
    in->texts = arena_alloc(module, (size_t)in->nbuckets * sizeof *in->texts);
    in->product_parts = arena_alloc(module, (size_t)in->ngroups * sizeof *in->product_parts);
    in->storage_parts = arena_alloc(module, (size_t)(in->ngroups * in->nstorages + 1) * sizeof *in->storage_parts);
    in->slot_parts = arena_alloc(module, (size_t)(in->nblocks * in->narefs + 1) * sizeof *in->slot_parts);
    in->reach = arena_alloc(module, (size_t)in->nblocks * sizeof *in->reach);
    for (int g = 0; g < in->ngroups; g++)
        add_parts_of_group(in, g);
    for (int block = 0; block < in->nblocks; block++) {
        in->reach[block] |= (uint64_t)1 << block;
        for (int t = 0; t < in->ntenants; t++)
            if (in->tenants[t].block == block)
                add_part(in, (Part){PART_REUSE, block, t, in->tenants[t].group < 0 ? in->tenants[t].slot : 0,
                                    (uint64_t)1 << block, true});
        for (int a = 0; a < in->narefs; a++)
            if (in->arefs[a])
                add_parts_of_ring(in, block, a);
    }
    in->first_fact = arena_alloc(module, (size_t)(in->nparts + 1) * sizeof *in->first_fact);
}
