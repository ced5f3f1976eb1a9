/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * protocol-keys.c - the key of a state: has the search seen it?
 *
 *      block 0      producer at the loop, consumer 0 at its get; put 2 ahead of it; the loop's next outcome not known
 *      frame        blocks 0 to 3 like this, and the outcomes that they have not all taken
 *      slot         the newest put of ta_tb: released by one group, held by consumer 0, whose newest product reads it
 *      storage      c_out, of consumer 0: fenced, two of its copies out not waited for
 *
 * A key is a text of numbers that holds all of a state on which later steps depend, relative to running indices.  The
 * frame has one key, each part has its own (protocol.c, "Reduction 3").  Parts are looked up with their frame, so a few
 * states stand for all combinations of parts.  The text of a block is made again only if one of its groups has moved.
 * A slot that several blocks of a cluster share is one part, in all these blocks.
 *
 * Some numbers of a part are ranks.  They grow with fewer facts about a ring, and with more memory that has no fence,
 * no barrier or no wait.  Parts with equal keys but for ranks are ordered: s <= t if no rank of t is greater than that
 * of s.  Each rule that holds for s holds for t, and the same steps keep this order.  So t is not new in a frame that
 * has seen s (protocol.c, "Reduction 4").
 */
#include <string.h>

#include "proof/protocol.h"
#include "target/storage.h"

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

enum { MAX_BYTES = 10, PARTS_STEP = 32 }; /* bytes of a number's text; number of parts by which their list grows */

static void make_room(Explorer *explorer)
{
    int room = explorer->room ? 2 * explorer->room : 512;
    unsigned char *text = arena_alloc(explorer->kernel->module, (size_t)room);
    if (explorer->length)
        memcpy(text, explorer->text, (size_t)explorer->length);
    explorer->text = text;
    explorer->room = room;
}

/* Appends a number to the text: seven bits a byte, the sign in the lowest bit, since most numbers are small.  */
static inline void say(Explorer *explorer, int64_t number)
{
    uint64_t rest = (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
    if (explorer->room - explorer->length < MAX_BYTES)
        make_room(explorer);
    unsigned char *to = explorer->text + explorer->length;
    for (; rest >= 128; rest >>= 7)
        *to++ = (unsigned char)(rest | 128);
    *to++ = (unsigned char)rest;
    explorer->length = (int)(to - explorer->text);
}

static const int *members_of(const Explorer *explorer, int block)
{
    return explorer->members + block * explorer->nmembers;
}

static int ends_of(const Explorer *explorer, int group, int a)
{
    return explorer->ends[group * explorer->narefs + a];
}

/* Appends a rank: the greater, the worse.  A number that does not fit a byte is compared for equality like any
   other.  */
static void say_rank(Explorer *explorer, int64_t number)
{
    bool fits = number >= 0 && number < 256 && explorer->nranks < MAX_RANKS;
    say(explorer, fits ? -1 : number);
    if (fits)
        explorer->ranks[explorer->nranks++] = (unsigned char)number;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The mark relative to the group's indices.  Slots that are not held any more are all alike, and so are overwritten
   memory and completed products.  */
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

/* Returns how many barriers the group has passed more than the last group of its role and block.  */
static int barriers_ahead(const Explorer *explorer, const State *state, int group)
{
    int fewest = state->groups[group].passed;
    const int *members = members_of(explorer, explorer->groups[group].block);
    for (int i = 0; i < explorer->nmembers; i++)
        if (explorer->groups[members[i]].role == explorer->groups[group].role &&
            state->groups[members[i]].passed < fewest)
            fewest = state->groups[members[i]].passed;
    return state->groups[group].passed - fewest;
}

/* Appends how many barriers ago that was, at most 3.  Groups of a role are at most one barrier apart, so larger
   distances are alike.  */
static void say_barrier(Explorer *explorer, const GroupState *self, int passed)
{
    int ago = self->barriers - passed;
    say(explorer, passed == NOT_YET ? -1 : passed == NEVER || ago > 3 ? 3 : ago);
}

static void say_gathered(Explorer *explorer, const GroupState *self, int place, int slots)
{
    for (int age = 0; age < slots; age++) {
        const Gathered *slot = &self->gathered[place][(self->written[place] + age) % slots];
        int writes = self->written[place] - slot->write;
        say(explorer, writes > MAX_GATHERED ? MAX_GATHERED : writes);
        say_barrier(explorer, self, slot->wrote);
        say_barrier(explorer, self, slot->fenced);
        say_barrier(explorer, self, slot->looked);
    }
}

static void say_place(Explorer *explorer, const State *state, int group)
{
    const GroupState *self = &state->groups[group];
    say(explorer, (self->pc ? self->pc->position * 4 + self->head : -1) * 2 + self->holds_turn);
    if (explorer->by_tiles)
        say(explorer, self->ordinal % explorer->groups[group].role->replicas);
    if (explorer->has_barriers)
        say(explorer, barriers_ahead(explorer, state, group));
    /* A wait completes all groups but those that it leaves, however many there are.  */
    const int open = self->committed - self->completed;
    say(explorer, open <= explorer->most_pending ? open : explorer->most_pending + 1);
}

/* Returns the part that holds a mark or a reading, -1: none.  */
static int part_of(const Explorer *explorer, int group, MarkKind kind, int place, int index)
{
    switch (kind) {
    case MARK_PUT:
    case MARK_GOT:
    case MARK_RING_VIEW:
        return explorer->slot_parts[ring_at(explorer, explorer->groups[group].block, place)] +
               index % explorer->slots[place];
    case MARK_STAGED_VIEW:
        return explorer->storage_parts[group * explorer->nstorages + place];
    default:
        return explorer->product_parts[group];
    }
}

/* Adds a fact to the list of its part.  `number` is the index of the value's mark, or -2 - n for a product of n groups
   of products ago (n = -1: of the open group).  */
static void add_fact(Explorer *explorer, const GroupState *self, int group, const Mark *mark, int number)
{
    int part = part_of(explorer, group, mark->kind, mark->place, mark->index);
    if (part < 0)
        return;
    if (explorer->nfacts == explorer->room_of_facts) {
        Fact *more = arena_alloc(explorer->kernel->module, (size_t)(2 * explorer->nfacts + 64) * sizeof *more);
        if (explorer->nfacts)
            memcpy(more, explorer->facts, (size_t)explorer->nfacts * sizeof *more);
        explorer->facts = more;
        explorer->room_of_facts = 2 * explorer->nfacts + 64;
    }
    explorer->facts[explorer->nfacts] = (Fact){explorer->first_fact[part], group, number,
                                               mark->kind + 8 * (mark->place + 1000 * (mark_text(self, mark) + 2))};
    explorer->first_fact[part] = explorer->nfacts++;
}

/* Lists the group's products in flight and the marks of its live values, last first.  */
static void list_facts_of(Explorer *explorer, const State *state, int group)
{
    const GroupState *self = &state->groups[group];
    const Group *of = &explorer->groups[group];
    const int position = self->pc ? self->pc->position : 0;
    for (int i = self->nreadings - 1; i >= 0; i--) {
        const Reading *reading = &self->readings[i];
        Mark mark = {reading->kind, reading->place, reading->index};
        add_fact(explorer, self, group, &mark, -2 - (self->committed - reading->group));
    }
    for (int i = of->nmarks - 1; i >= 0; i--)
        if (self->marks[i].kind && position > of->lives[i].from && position <= of->lives[i].to)
            add_fact(explorer, self, group, &self->marks[i], i);
}

/* Returns a bit mask of the blocks whose parts need new keys.  */
static uint64_t blocks_to_say(const Explorer *explorer, const State *state)
{
    uint64_t blocks = explorer->waits ? UINT64_MAX : 0;
    for (uint64_t rest = state->moved; rest; rest &= rest - 1)
        blocks |= explorer->reach[__builtin_ctzll(rest)];
    return blocks;
}

/* Lists the facts of all parts, in the order in which the keys take them.  */
void list_facts(Explorer *explorer, const State *state)
{
    const uint64_t blocks = blocks_to_say(explorer, state);
    memset(explorer->first_fact, 0xff, (size_t)explorer->nparts * sizeof *explorer->first_fact);
    explorer->nfacts = 0;
    for (int i = explorer->ngroups - 1; i >= 0; i--)
        if (blocks >> explorer->groups[explorer->members[i]].block & 1)
            list_facts_of(explorer, state, explorer->members[i]);
}

/* Appends the group's facts about the part.  */
static void say_facts(Explorer *explorer, int group, int part)
{
    int fact = explorer->first_fact[part];
    for (; fact >= 0 && explorer->facts[fact].group == group; fact = explorer->facts[fact].next) {
        say(explorer, explorer->facts[fact].number);
        say(explorer, explorer->facts[fact].text);
    }
    explorer->first_fact[part] = fact;
    say(explorer, -1);
}

/* Appends the state of a storage that is no slot, as the group sees it.  */
static void say_storage(Explorer *explorer, const State *state, const Part *part)
{
    const GroupState *self = &state->groups[part->of];
    const int *members = members_of(explorer, explorer->groups[part->of].block);
    int s = part->place;
    say_facts(explorer, part->of, (int)(part - explorer->parts));
    say_rank(explorer, self->read[s]);
    say_rank(explorer, self->fresh[s].unfenced);
    say_rank(explorer, self->fresh[s].unsynced);
    say_rank(explorer, self->copying[s]);
    for (int i = 0; self->gathered[s] && i < explorer->nmembers; i++)
        if (explorer->groups[members[i]].role == explorer->groups[part->of].role)
            say_gathered(explorer, &state->groups[members[i]], s, storage_at(explorer, s)->slots);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* Appends the age of the put in the slot, its releases and its bytes.  */
static void say_block_of_slot(Explorer *explorer, const State *state, int block, const Part *part)
{
    const Aref *aref = explorer->arefs[part->place];
    int puts = puts_made(explorer, state, block, part->place);
    int slots = explorer->slots[part->place], ago = (puts + slots - 1 - part->slot) % slots;
    int ring = ring_at(explorer, block, part->place);
    say(explorer, ago);
    say(explorer, puts > ago ? state->released[ring][part->slot] : aref->arrivals);
    say(explorer, state->brought[ring][part->slot]);
}

static void say_held(Explorer *explorer, const State *state, int group, const Part *part)
{
    const End *gets = &state->groups[group].gets[part->place];
    int slots = explorer->slots[part->place], held = 0;
    for (int index = gets->next - gets->held; index < gets->next; index++)
        held += index % slots == part->slot;
    say(explorer, held);
}

/* Appends which groups know that the tenant is done, and the work of its own group that is still under way.  Each
   tenant is a part, since facts about one imply nothing about another.  */
static void say_reuse(Explorer *explorer, const State *state, const Part *part)
{
    const Tenant *tenant = &explorer->tenants[part->place];
    const int *members = members_of(explorer, part->of);
    const uint64_t *told = state->reuse + 1 + 3 * explorer->ngroups + part->of * (2 * explorer->nslots + MAX_ROLES);
    const int t = part->place;
    say(explorer, reuse_age(explorer, state, t));
    say_rank(explorer, state->reuse[0] >> t & 1);
    for (int i = 0; i < explorer->nmembers; i++) {
        const uint64_t *own = state->reuse + 1 + 3 * members[i];
        say_rank(explorer, ~own[0] >> t & 1);
        say_rank(explorer, own[1] >> t & 1);
        say_rank(explorer, own[2] >> t & 1);
        for (int a = 0; a < explorer->narefs; a++)
            if (explorer->arefs[a] && ends_of(explorer, members[i], a) & GETS)
                say(explorer, state->groups[members[i]].gets[a].held);
    }
    for (int a = 0; a < explorer->narefs; a++)
        for (int age = 0; explorer->arefs[a] && age < explorer->slots[a]; age++) {
            int slot = explorer->first_slot[a] + (puts_made(explorer, state, part->of, a) + age) % explorer->slots[a];
            say_rank(explorer, ~told[slot] >> t & 1);
            say_rank(explorer, ~told[slot + explorer->nslots] >> t & 1);
        }
    for (int role = 0; role < MAX_ROLES; role++)
        if (told[2 * explorer->nslots + role] >> t & 1)
            say(explorer, role);
    say(explorer, -1);
    const GroupState *self = tenant->group >= 0 ? &state->groups[tenant->group] : NULL;
    if (self)
        say_rank(explorer, self->copying[storage_place(explorer->kernel, tenant->storage)]);
    for (int r = 0; self && r < self->nreadings; r++) {
        say(explorer, self->readings[r].kind * 1000 + self->readings[r].place);
        say(explorer, self->committed - self->readings[r].group);
    }
}

/* Appends the slot, in all blocks that share it.  */
static void say_slot(Explorer *explorer, const State *state, const Part *part)
{
    for (uint64_t rest = part->blocks; rest; rest &= rest - 1) {
        int block = __builtin_ctzll(rest);
        const int *members = members_of(explorer, block);
        for (int i = 0; i < explorer->nmembers; i++) {
            if (!ends_of(explorer, members[i], part->place))
                continue;
            say_facts(explorer, members[i], (int)(part - explorer->parts));
            say_held(explorer, state, members[i], part);
        }
        say_block_of_slot(explorer, state, block, part);
    }
}

/* Returns a bit mask of the blocks that share the ring with this one, directly or over other blocks.  */
static uint64_t blocks_of_part(const Explorer *explorer, int block, int a)
{
    int along = explorer->arefs[a]->along;
    return blocks_sharing(explorer, along == ALONG_X_AND_Y ? ALONG_ALL : along, block);
}

/* Appends how far the producers and consumers of the block's ring are apart.  */
static void say_counts(Explorer *explorer, const State *state, int block, int a)
{
    const int *members = members_of(explorer, block);
    int puts = puts_made(explorer, state, block, a);
    for (int i = 0; i < explorer->nmembers; i++) {
        const GroupState *self = &state->groups[members[i]];
        int its = ends_of(explorer, members[i], a);
        bool fills = self->puts[a].next || !puts;
        if (its & PUTS)
            say(explorer, (fills ? puts - self->puts[a].next : 0) * 2 + self->puts[a].filling);
        if (its & GETS)
            say(explorer, puts - self->gets[a].next);
    }
}

/* Appends how far the blocks that share the ring are apart.  Blocks that share nothing may be any number of puts apart,
   so each block is compared with the first block of its own sharers.  */
static void say_distances(Explorer *explorer, const State *state, int a)
{
    for (int block = 0; explorer->arefs[a]->along && block < explorer->nblocks; block++)
        say(explorer,
            puts_made(explorer, state, __builtin_ctzll(blocks_sharing(explorer, explorer->arefs[a]->along, block)), a) -
                puts_made(explorer, state, block, a));
}

/* Appends how old the newest fact about the ring's puts is, at most one round of the ring.  Facts that the turn passes
   on count only while no group holds the turn, and for groups that get from the ring.  */
static void say_known(Explorer *explorer, const State *state, int block, int a)
{
    enum { NOW = 128 };
    bool held = false, told = false;
    int slots = explorer->slots[a], age;
    const int *members = members_of(explorer, block);
    for (int i = 0; i < explorer->nmembers; i++) {
        const GroupState *self = &state->groups[members[i]];
        age = self->gets[a].next - self->known[a];
        held |= self->holds_turn;
        told |= explorer->groups[members[i]].in_pingpong && ends_of(explorer, members[i], a) & GETS;
        if (ends_of(explorer, members[i], a) & GETS)
            say_rank(explorer, NOW + (age < slots ? age : slots));
        if (explorer->exact) /* a skipped put is known to precede the first round, or is not */
            say(explorer, self->gets[a].next < slots ? self->gets[a].next : slots);
    }
    age = puts_made(explorer, state, block, a) - state->pingpong_known[ring_at(explorer, block, a)];
    if (told)
        say_rank(explorer, NOW + (held ? 0 : age < 2 * slots ? age : 2 * slots));
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

int fewest_taken(const Explorer *explorer, const State *state, int decision)
{
    int fewest = state->ndecided[decision];
    for (const int *g = explorer->joiners[decision]; *g >= 0; g++)
        if (state->groups[*g].taken[decision] < fewest)
            fewest = state->groups[*g].taken[decision];
    return fewest;
}

/* Appends the outcomes of these decisions that some group has taken and another has not.  */
static void say_decisions(Explorer *explorer, const State *state, const int *decisions)
{
    for (const int *d = decisions; *d >= 0; d++) {
        int fewest = fewest_taken(explorer, state, *d), ahead = state->ndecided[*d] - fewest;
        if (!ahead)
            continue;
        say(explorer, *d);
        say(explorer, ahead);
        for (int n = fewest; n < state->ndecided[*d]; n++)
            say(explorer, state->decided[*d] >> n % 64 & 1);
        for (const int *g = explorer->joiners[*d]; *g >= 0; g++)
            say(explorer, state->groups[*g].taken[*d] - fewest);
    }
    say(explorer, -1);
}

/* Appends the starts of tiles that some group has begun and this one has not.  */
static void say_tiles(Explorer *explorer, const State *state, int block)
{
    const int *members = members_of(explorer, block);
    for (int a = 0; a < explorer->narefs; a++) {
        int ring = ring_at(explorer, block, a);
        for (int i = 0; explorer->arefs[a] && i < explorer->nmembers; i++) {
            const GroupState *self = &state->groups[members[i]];
            if (!ends_of(explorer, members[i], a))
                continue;
            int next = ends_of(explorer, members[i], a) & PUTS ? self->puts[a].next : self->gets[a].next;
            for (int tile = self->ordinal; tile < state->started[ring]; tile++)
                say(explorer, state->tile_starts[ring][tile % 64] - next);
            say(explorer, -1);
        }
    }
}

/* ---- what was said ----------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of_text(Explorer *explorer)
{
    uint64_t hash = 1, word;
    while (explorer->length % 8)
        say(explorer, 0);
    for (int i = 0; i < explorer->length; i += 8) {
        memcpy(&word, explorer->text + i, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

static Key **bucket_of(const Explorer *explorer, uint64_t hash)
{
    return &explorer->texts[hash % (uint64_t)explorer->nbuckets];
}

/* Multiplies the number of buckets by 4.  */
static void grow_texts(Explorer *explorer)
{
    Key **old = explorer->texts;
    int count = explorer->nbuckets;
    explorer->nbuckets *= 4;
    explorer->texts = arena_alloc(explorer->kernel->module, (size_t)explorer->nbuckets * sizeof *explorer->texts);
    for (int i = 0; i < count; i++)
        for (Key *key = old[i], *next; key; key = next) {
            Key **bucket = bucket_of(explorer, key->hash);
            next = key->next;
            key->next = *bucket;
            *bucket = key;
        }
}

/* Returns the key of the text; `count` numbers keys of its kind.  */
static Key *key_of_text(Explorer *explorer, int *count)
{
    uint64_t hash = hash_of_text(explorer);
    size_t bytes = (size_t)explorer->length;
    Key **bucket = bucket_of(explorer, hash);
    for (Key *old = *bucket; old; old = old->next)
        if (old->hash == hash && old->length == explorer->length && !memcmp(old->text, explorer->text, bytes))
            return old;
    Key *made = arena_alloc(explorer->kernel->module, sizeof *made + bytes);
    *made = (Key){.next = *bucket, .hash = hash, .number = (*count)++, .exact = made, .length = explorer->length};
    memcpy(made->text, explorer->text, bytes);
    *bucket = made;
    if (++explorer->ntexts > 2 * explorer->nbuckets)
        grow_texts(explorer);
    return made;
}

static bool was_seen(const Key *frame, const Key *part)
{
    return part->number / 64 < frame->nseen && frame->seen[part->number / 64] >> part->number % 64 & 1;
}

void see(Explorer *explorer, Key *frame, const Key *part)
{
    int word = part->number / 64, room = 2 * word + 4;
    if (word >= frame->nseen) {
        uint64_t *more = arena_alloc(explorer->kernel->module, (size_t)room * sizeof *more);
        if (frame->nseen)
            memcpy(more, frame->seen, (size_t)frame->nseen * sizeof *more);
        frame->seen = more;
        frame->nseen = room;
    }
    frame->seen[word] |= (uint64_t)1 << part->number % 64;
}

/* True if no rank of `one` is smaller than that of `other`.  */
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

static void say_part(Explorer *explorer, const State *state, const Part *part)
{
    const GroupState *self = &state->groups[part->of];
    switch (part->kind) {
    case PART_PRODUCTS:
        say_facts(explorer, part->of, (int)(part - explorer->parts));
        break;
    case PART_STORE:
        say_rank(explorer, self->stored >> part->place & 1);
        say_rank(explorer, self->loaded >> part->place & 1);
        break;
    case PART_STORAGE:
        say_storage(explorer, state, part);
        break;
    case PART_KNOWN:
        say_known(explorer, state, part->of, part->place);
        break;
    case PART_SLOT:
        say_slot(explorer, state, part);
        break;
    case PART_REUSE:
        say_reuse(explorer, state, part);
        break;
    }
}

/* Appends the ranks, a byte each, to the text, which fills whole words.  */
static void say_ranks(Explorer *explorer)
{
    for (int i = 0; i < explorer->nranks; i++) {
        say(explorer, 0);
        explorer->text[explorer->length - 1] = explorer->ranks[i];
    }
    explorer->nranks = 0;
}

/* True if the part belongs to the frame: a put had to wait for a release of its ring.  */
static bool is_frames(const Explorer *explorer, const Part *part)
{
    return (part->kind == PART_SLOT || part->kind == PART_KNOWN) && explorer->waited[part->place];
}

static void add_part(Explorer *explorer, Part part)
{
    if (explorer->nparts % PARTS_STEP == 0) {
        Part *more = arena_alloc(explorer->kernel->module, (size_t)(explorer->nparts + PARTS_STEP) * sizeof *more);
        if (explorer->nparts)
            memcpy(more, explorer->parts, (size_t)explorer->nparts * sizeof *more);
        explorer->parts = more;
    }
    explorer->parts[explorer->nparts++] = part;
}

static void add_parts_of_group(Explorer *explorer, int g)
{
    const Group *group = &explorer->groups[g];
    uint64_t block = (uint64_t)1 << group->block;
    int stores = group->end_store - group->first_store;
    explorer->product_parts[g] = group->multiplies ? explorer->nparts : -1;
    if (group->multiplies)
        add_part(explorer, (Part){PART_PRODUCTS, g, 0, 0, block, true});
    for (int i = 0; i < (stores < 64 ? stores : 64); i++)
        add_part(explorer, (Part){PART_STORE, g, (group->first_store + i) % 64, 0, block, true});
    for (int s = 0; s < explorer->nstorages; s++) {
        explorer->storage_parts[g * explorer->nstorages + s] = group->touches[s] ? explorer->nparts : -1;
        if (group->touches[s])
            add_part(explorer, (Part){PART_STORAGE, g, s, 0, block, true});
    }
}

static void add_parts_of_ring(Explorer *explorer, int block, int a)
{
    uint64_t blocks = blocks_of_part(explorer, block, a);
    int first = __builtin_ctzll(blocks);
    explorer->reach[block] |= blocks;
    if (explorer->by_tiles)
        add_part(explorer, (Part){PART_KNOWN, block, a, 0, (uint64_t)1 << block, true});
    explorer->slot_parts[ring_at(explorer, block, a)] =
        first == block ? explorer->nparts : explorer->slot_parts[ring_at(explorer, first, a)];
    for (int slot = 0; slot < explorer->slots[a] && first == block; slot++)
        add_part(explorer, (Part){PART_SLOT, block, a, slot, blocks, true});
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static const Key *key_of_block(Explorer *explorer, const State *state, int block)
{
    const int *members = members_of(explorer, block);
    explorer->length = 0;
    for (int i = 0; i < explorer->nmembers; i++)
        say_place(explorer, state, members[i]);
    say(explorer, state->pingpong[block] % explorer->pingpong_groups);
    for (int a = 0; a < explorer->narefs; a++)
        if (explorer->arefs[a])
            say_counts(explorer, state, block, a);
    say_decisions(explorer, state, explorer->asked_in[block]);
    if (explorer->by_tiles)
        say_tiles(explorer, state, block);
    return key_of_text(explorer, &explorer->nstands);
}

/* Makes the keys of blocks with changes, then that of the frame.  */
Key *key_of_frame(Explorer *explorer, State *state)
{
    for (uint64_t rest = state->shifted; rest; rest &= rest - 1) {
        int block = __builtin_ctzll(rest);
        state->stands[block] = key_of_block(explorer, state, block);
    }
    state->shifted = 0;
    explorer->length = 0;
    say(explorer, -1);
    say(explorer, state->question.group * 1000 + state->question.decision);
    for (int block = 0; block < explorer->nblocks; block++)
        say(explorer, state->stands[block]->number);
    say_decisions(explorer, state, explorer->asked_in[explorer->nblocks]);
    for (int a = 0; a < explorer->narefs; a++) {
        if (explorer->arefs[a])
            say_distances(explorer, state, a);
    }
    for (int i = 0; explorer->waits && i < explorer->nparts; i++)
        if (!explorer->parts[i].apart)
            say_part(explorer, state, &explorer->parts[i]);
    say_ranks(explorer);
    return key_of_text(explorer, &explorer->nframes);
}

static Key *state_of_text(Explorer *explorer)
{
    Key *key = key_of_text(explorer, &explorer->npart_keys);
    if (key->number >= explorer->room_of_part_keys) {
        Key **more = arena_alloc(explorer->kernel->module, (size_t)(2 * key->number + 64) * sizeof *more);
        if (explorer->room_of_part_keys)
            memcpy(more, explorer->part_keys, (size_t)explorer->room_of_part_keys * sizeof *more);
        explorer->part_keys = more;
        explorer->room_of_part_keys = 2 * key->number + 64;
    }
    return explorer->part_keys[key->number] = key;
}

const Key *key_of_part(Explorer *explorer, const State *state, int part)
{
    explorer->length = 0;
    say(explorer,
        -2 - (part - explorer->parts[part].slot)); /* slots of a ring are alike: the age of the put in them decides */
    say_part(explorer, state, &explorer->parts[part]);
    Key *exact = state_of_text(explorer);
    const int nranks = explorer->nranks;
    if (!nranks)
        return exact;
    say_ranks(explorer);
    Key *key = state_of_text(explorer);
    if (!key->nranks) {
        key->exact = exact;
        key->nranks = nranks;
        key->like = exact->like;
        exact->like = key;
    }
    return key;
}

Stop *stop_of_frame(Explorer *explorer, Key *frame)
{
    Stop *stop = frame ? frame->stop : NULL;
    if (stop)
        return stop;
    stop = arena_alloc(explorer->kernel->module, sizeof *stop);
    stop->frame = frame;
    if (frame)
        frame->stop = stop;
    return stop;
}

void keys_forget(Explorer *explorer)
{
    memset(explorer->texts, 0, (size_t)explorer->nbuckets * sizeof *explorer->texts);
    for (int i = 0; i < explorer->nparts; i++)
        explorer->parts[i].apart = !is_frames(explorer, &explorer->parts[i]);
    explorer->nvisited = explorer->ntexts = explorer->nframes = explorer->nstands = explorer->npart_keys = 0;
}

void keys_init(Explorer *explorer)
{
    Module *module = explorer->kernel->module;
    explorer->nbuckets = 256;
    explorer->texts = arena_alloc(module, (size_t)explorer->nbuckets * sizeof *explorer->texts);
    explorer->product_parts = arena_alloc(module, (size_t)explorer->ngroups * sizeof *explorer->product_parts);
    explorer->storage_parts =
        arena_alloc(module, (size_t)(explorer->ngroups * explorer->nstorages + 1) * sizeof *explorer->storage_parts);
    explorer->slot_parts =
        arena_alloc(module, (size_t)(explorer->nblocks * explorer->narefs + 1) * sizeof *explorer->slot_parts);
    explorer->reach = arena_alloc(module, (size_t)explorer->nblocks * sizeof *explorer->reach);
    for (int g = 0; g < explorer->ngroups; g++)
        add_parts_of_group(explorer, g);
    for (int block = 0; block < explorer->nblocks; block++) {
        explorer->reach[block] |= (uint64_t)1 << block;
        for (int t = 0; t < explorer->ntenants; t++)
            if (explorer->tenants[t].block == block)
                add_part(explorer,
                         (Part){PART_REUSE, block, t, explorer->tenants[t].group < 0 ? explorer->tenants[t].slot : 0,
                                (uint64_t)1 << block, true});
        for (int a = 0; a < explorer->narefs; a++)
            if (explorer->arefs[a])
                add_parts_of_ring(explorer, block, a);
    }
    explorer->first_fact = arena_alloc(module, (size_t)(explorer->nparts + 1) * sizeof *explorer->first_fact);
}
