/* SPDX-License-Identifier: MIT */
/*
 * protocol.c - the calls of scheduler.h: rings, the tensor core, shared memory, copies out, turns.
 *
 * A call has three parts: let anybody go on, wait, then check and do.  Between the last switch of fibers and its end
 * a call is undisturbed.
 *
 * What counts as "in flight" is the program's view, not the engine's: a product is in flight until a wait retires its
 * group, a copy out until a store_wait does, even if the engine was quick.  So a missing wait is found under every
 * seed.
 */
#include "state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ws_sched_range nowhere = {NULL, 0};

/* Anybody may go on, and then this group with that call.  */
static void point(ws_sched *s, const char *call)
{
    self(s)->doing = call;
    ws_sched_point(s);
}

/* ---- who may touch what ------------------------------------------------------------------------------------------ */

static bool holds(const fiber *f, int number, uint64_t index)
{
    for (int i = 0; i < f->nheld; i++)
        if (f->held[i].ring == number && f->held[i].index == index)
            return true;
    return false;
}

static bool slot_covers(const slot *t, ws_sched_range range)
{
    for (int i = 0; i < t->nranges; i++)
        if (overlap(t->ranges[i], range))
            return true;
    return false;
}

/* Written over while nobody owned it: the slot's old contents are no longer what a reader would see.  */
static void slot_forget(slot *t, ws_sched_range range)
{
    int kept = 0;
    for (int i = 0; i < t->nranges; i++)
        if (!overlap(t->ranges[i], range))
            t->ranges[kept++] = t->ranges[i];
    t->nranges = kept;
}

static void check_slots(ws_sched *s, ws_sched_range range, bool writes, int own_ring, uint64_t own_index)
{
    for (int i = 1; i <= s->nrings; i++) {
        ring *r = &s->ring[i];
        for (int j = 0; j < r->slots; j++) {
            slot *t = &r->slot[j];
            if ((i == own_ring && own_index % r->slots == (uint64_t)j) || !slot_covers(t, range))
                continue;
            uint64_t round = t->filling || t->filled > t->released ? t->released : t->released - 1;
            uint64_t index = round * r->slots + j;
            const char *does = writes ? "writes" : "reads";
            if (t->filling)
                ws_cta_fail_slot(s, does, "put", i, index, "it is not full");
            if (t->filled > t->released) {
                if (!holds(self(s), i, index))
                    ws_cta_fail_slot(s, does, "put", i, index, "this group has not got it, or has released it");
            } else if (writes) {
                slot_forget(t, range);
            } else {
                ws_cta_fail_slot(s, does, "put", i, index, "it was released");
            }
        }
    }
}

static void check_operations(ws_sched *s, ws_sched_range range, bool writes, const char *does)
{
    for (int i = 0; i < s->noperations; i++) {
        const operation *o = s->operation[i];
        if (o->kind == WS_SCHED_COPY_IN && o->progress != DONE && overlap(o->a, range))
            ws_cta_fail_memory(s, does, o, "shared memory that is being filled");
        if (!writes || o->retired)
            continue;
        if (o->kind == WS_SCHED_PRODUCT && (overlap(o->a, range) || overlap(o->b, range)))
            ws_cta_fail_memory(s, does, o, "an operand of a product in flight");
        if (o->kind == WS_SCHED_OUT_READ && overlap(o->a, range))
            ws_cta_fail_memory(s, does, o, "staging that is still read by a copy out");
    }
}

/* An engine is about to be told to read: a group's own writes there must have been fenced.  */
static void check_fences(ws_sched *s, ws_sched_range range)
{
    for (int i = 0; i < s->nfibers; i++) {
        const fiber *f = s->fiber[i];
        for (int j = 0; j < f->nunfenced; j++) {
            if (!overlap(f->unfenced[j], range))
                continue;
            ws_cta_say_head(s);
            ws_cta_say_group(s, self(s));
            ws_cta_say(s, " lets an engine read what ");
            ws_cta_say_group(s, f);
            ws_cta_say(s, " wrote: the fence is missing");
            ws_cta_say_iteration(s, self(s));
            ws_cta_give_up(s);
        }
    }
}

static void check_engine_read(ws_sched *s, ws_sched_range range)
{
    if (!range.bytes)
        return;
    check_operations(s, range, false, "reads");
    check_slots(s, range, false, 0, 0);
    check_fences(s, range);
}

static void read_shared(ws_sched *s, ws_sched_range range, ws_sched_event_kind kind)
{
    check_operations(s, range, false, "reads");
    check_slots(s, range, false, 0, 0);
    note(s, kind, s->current, -1, 0, range);
}

void ws_sched_read(ws_sched *s, ws_sched_range range)
{
    read_shared(s, range, WS_SCHED_EVENT_READ);
}

void ws_sched_read_apart(ws_sched *s, ws_sched_range range)
{
    read_shared(s, range, WS_SCHED_EVENT_READ_APART);
}

static void unfenced(fiber *f, ws_sched_range range)
{
    for (int i = 0; i < f->nunfenced; i++)
        if (f->unfenced[i].at == range.at && f->unfenced[i].bytes == range.bytes)
            return;
    if (f->nunfenced < MOST_UNFENCED) {
        f->unfenced[f->nunfenced++] = range;
        return;
    }
    /* Too many pieces: one that spans the last and this.  */
    ws_sched_range *last = &f->unfenced[MOST_UNFENCED - 1];
    const char *low = last->at, *high = low + last->bytes, *from = range.at, *to = from + range.bytes;
    low = from < low ? from : low;
    high = to > high ? to : high;
    *last = (ws_sched_range){low, (size_t)(high - low)};
}

static void write_shared(ws_sched *s, ws_sched_range range, ws_sched_event_kind kind)
{
    check_operations(s, range, true, "writes");
    check_slots(s, range, true, 0, 0);
    unfenced(self(s), range);
    note(s, kind, s->current, -1, 0, range);
}

void ws_sched_write(ws_sched *s, ws_sched_range range)
{
    write_shared(s, range, WS_SCHED_EVENT_WRITE);
}

void ws_sched_write_apart(ws_sched *s, ws_sched_range range)
{
    write_shared(s, range, WS_SCHED_EVENT_WRITE_APART);
}

void ws_sched_global(ws_sched *s, int how, ws_sched_range range)
{
    if (s->config.observe)
        note(s, WS_SCHED_EVENT_GLOBAL, s->working ? s->working->fiber : s->current, how, 0, range);
}

void ws_sched_fence(ws_sched *s)
{
    self(s)->nunfenced = 0;
    note(s, WS_SCHED_EVENT_FENCE, s->current, -1, 0, nowhere);
}

void ws_sched_barrier(ws_sched *s)
{
    point(s, "group_barrier");
    note(s, WS_SCHED_EVENT_BARRIER, s->current, -1, 0, nowhere);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* The first event of a round: what is counted is this one's from now on.  */
static slot *begin_round(slot *t, uint64_t round)
{
    if (t->rounds <= round) {
        t->rounds = round + 1;
        t->brought = 0;
        t->expected = t->issued = t->landed = 0;
        t->nranges = 0;
    }
    return t;
}

/* For who looks on.  */
static void slot_changed(ws_sched *s, const slot *t, bool full)
{
    if (s->trace)
        ws_cta_trace_slot(s, t, full);
    for (int i = 1; s->stepped && i <= s->nrings; i++)
        if (t >= s->ring[i].slot && t < s->ring[i].slot + s->ring[i].slots)
            ws_cta_step_slot(s, i, (int)(t - s->ring[i].slot), full);
}

static void fill_up(ws_sched *s, slot *t)
{
    if (t->sealed && t->filling && t->landed == t->expected) {
        t->filling = false;
        t->filled++;
        slot_changed(s, t, true);
    }
}

/* TMA has done a copy in.  */
void ws_cta_landed(ws_sched *s, operation *o)
{
    ring *r = &s->ring[o->ring];
    slot *t = &r->slot[o->index % r->slots];
    if (t->filled > o->index / r->slots)
        ws_cta_fail_slot(s, "learns that bytes come for", "put", o->ring, o->index,
                         "it was full before: its barrier expected fewer");
    t->landed += o->a.bytes;
    note(s, WS_SCHED_EVENT_COPY_LANDED, o->fiber, o->ring, o->index, o->a);
    fill_up(s, t);
}

int ws_sched_ring(ws_sched *s, const char *name, int slots, int arrivals)
{
    if (s->nrings + 1 == MOST_NAMES)
        ws_sched_fail(s, "more than %d rings", MOST_NAMES - 1);
    if (slots < 1 || arrivals < 1)
        ws_sched_fail(s, "ring %s: %d slots, %d arrivals", name, slots, arrivals);
    ring *r = &s->ring[s->nrings + 1];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->slots = slots;
    r->arrivals = arrivals;
    r->fillers = 1;
    r->puts = 0;
    r->block = s->nfibers ? ws_sched_block(s) : 0;
    for (int i = 1; i <= s->nrings; i++)
        r->ordinal += s->ring[i].block == r->block;
    r->slot = calloc(slots, sizeof *r->slot);
    if (!r->slot)
        ws_sched_fail(s, "out of memory");
    return ++s->nrings;
}

static ring *ring_at(ws_sched *s, int number)
{
    if (number < 1 || number > s->nrings)
        ws_sched_fail(s, "a ring is used that was not initialised");
    return &s->ring[number];
}

void ws_sched_share(ws_sched *s, int number, uint32_t blocks)
{
    ring *r = ring_at(s, number);
    r->sharers = blocks;
    if (!(blocks >> r->block & 1))
        ws_sched_fail(s, "ring %s is shared without its own block", r->name);
}

/* The number of the same ring in another block; blocks begin together, so that it is there.  */
static int ring_in(ws_sched *s, int number, int block)
{
    const ring *r = ring_at(s, number);
    for (int i = 1; i <= s->nrings; i++)
        if (s->ring[i].block == block && s->ring[i].ordinal == r->ordinal)
            return i;
    ws_sched_fail(s, "block %d has no ring %s", block, r->name);
}

static bool is_shared_with(const ring *r, int block)
{
    return block == r->block || r->sharers >> block & 1;
}

void ws_sched_fillers(ws_sched *s, int number, int groups)
{
    ring *r = ring_at(s, number);
    r->fillers = groups;
    if (groups < 1 || (groups > 1 && r->sharers))
        ws_sched_fail(s, "ring %s is filled by %d groups", r->name, groups);
}

int ws_sched_slots(const ws_sched *s, int number)
{
    return s->ring[number].slots;
}

static void learn_role(ws_sched *s, const char *role)
{
    if (!self(s)->role[0])
        ws_sched_role(s, role);
}

/* Another group has begun this put, and this one has come to it.  */
static bool joins_put(ws_sched *s, const ring *r, const slot *t, int number, uint64_t index)
{
    uint64_t *next = &self(s)->next_put[number];
    if (r->fillers == 1)
        return false;
    if (*next != index)
        ws_cta_fail_slot(s, "makes", "put", number, index,
                         index < *next ? "it was made before" : "an earlier one is missing");
    ++*next;
    return index < r->puts && t->filling && !t->sealed && t->released == index / r->slots;
}

int ws_sched_put(ws_sched *s, int number, uint64_t index)
{
    ring *r = ring_at(s, number);
    slot *t = &r->slot[index % r->slots];
    learn_role(s, "producer");
    ws_cta_wait_for(s, WAIT_PUT, number, index);
    if (joins_put(s, r, t, number, index)) {
        note(s, WS_SCHED_EVENT_PUT, s->current, number, index, nowhere);
        return (int)(index % r->slots);
    }
    if (index != r->puts)
        ws_cta_fail_slot(s, "makes", "put", number, index,
                         index < r->puts ? "it was made before" : "an earlier one is missing");
    if (t->released != index / r->slots || t->filling || t->filled != t->released)
        ws_cta_fail_slot(s, "makes", "put", number, index, "the slot is in use");
    r->puts++;
    begin_round(t, index / r->slots);
    t->filling = true;
    t->sealed = false;
    t->done = 0;
    note(s, WS_SCHED_EVENT_PUT, s->current, number, index, nowhere);
    return (int)(index % r->slots);
}

void ws_sched_await_empty(ws_sched *s, int number, uint64_t index)
{
    ring_at(s, number);
    ws_cta_wait_for(s, WAIT_PUT, number, index);
    note(s, WS_SCHED_EVENT_PUT, s->current, number, index, nowhere);
}

/* The slot of a put that is being made.  */
static slot *put_slot(ws_sched *s, int number, uint64_t index, const char *does)
{
    ring *r = ring_at(s, number);
    slot *t = &r->slot[index % r->slots];
    if (!t->filling || t->sealed || t->released != index / r->slots || index >= r->puts)
        ws_cta_fail_slot(s, does, "put", number, index,
                         "that put is not open: put is missing, or put_done came before");
    return t;
}

void ws_sched_expect(ws_sched *s, int number, uint64_t index, size_t bytes)
{
    put_slot(s, number, index, "arms")->expected += bytes;
}

static slot *copy_into(ws_sched *s, slot *t, int number, uint64_t index, ws_sched_range to)
{
    check_operations(s, to, true, "copies into");
    check_slots(s, to, true, number, index);
    if (slot_covers(t, to))
        ws_cta_fail_slot(s, "copies into", "put", number, index, "two copies of one put overlap");
    if (t->nranges == MOST_RANGES)
        ws_sched_fail(s, "more than %d copies in one put of ring %s", MOST_RANGES, s->ring[number].name);
    t->ranges[t->nranges++] = to;
    t->issued += to.bytes;
    note(s, WS_SCHED_EVENT_COPY_ISSUED, s->current, number, index, to);
    return t;
}

void ws_sched_copy_in(ws_sched *s, int number, uint64_t index, ws_sched_range to, ws_sched_step step, const void *args,
                      size_t args_bytes)
{
    ws_sched_copy_share(s, number, index, ws_sched_block(s), to, step, args, args_bytes);
}

/* The slot of another block that a put of this one also fills: nobody there may hold it any more.  */
static slot *slot_in(ws_sched *s, int number, uint64_t index, int block)
{
    ring *own = ring_at(s, number);
    if (!is_shared_with(own, block))
        ws_cta_fail_slot(s, "copies for", "put", number, index, "into a block for whose releases it has not waited");
    int there = ring_in(s, number, block);
    ring *r = &s->ring[there];
    slot *t = &r->slot[index % r->slots];
    uint64_t round = index / r->slots;
    if (t->filled != round)
        ws_cta_fail_slot(s, "copies into", "put", there, index,
                         t->filled > round ? "it is full" : "the one before is not full");
    for (int i = 0; i < s->nfibers && round > 0; i++)
        if (holds(s->fiber[i], there, index - r->slots))
            ws_cta_fail_slot(s, "copies into", "put", there, index, "a group there still holds the slot");
    return begin_round(t, round);
}

void ws_sched_copy_share(ws_sched *s, int number, uint64_t index, int block, ws_sched_range to, ws_sched_step step,
                         const void *args, size_t args_bytes)
{
    point(s, "copy_in");
    slot *t = put_slot(s, number, index, "copies into");
    if (block != ws_sched_block(s)) {
        t = slot_in(s, number, index, block);
        number = ring_in(s, number, block);
    }
    copy_into(s, t, number, index, to);
    operation *o = ws_cta_operation_new(s, WS_SCHED_COPY_IN, args, args_bytes);
    o->ring = number;
    o->index = index;
    o->a = to;
    o->step = step;
}

/* A byte for each of the others, which moves nothing.  */
void ws_sched_tell(ws_sched *s, int number, uint64_t index, uint32_t blocks)
{
    slot *t = put_slot(s, number, index, "tells others of");
    for (int block = 0; blocks >> block; block++) {
        if (!(blocks >> block & 1) || block == ws_sched_block(s))
            continue;
        slot *there = slot_in(s, number, index, block);
        there->issued++;
        there->landed++;
        fill_up(s, there);
        t->expected++;
    }
}

void ws_sched_copy_in_now(ws_sched *s, int number, uint64_t index, ws_sched_range to, ws_sched_step step, void *args)
{
    point(s, "copy_in");
    slot *t = copy_into(s, put_slot(s, number, index, "copies into"), number, index, to);
    step(args, NULL);
    t->landed += to.bytes;
    note(s, WS_SCHED_EVENT_COPY_LANDED, s->current, number, index, to);
}

/* A slot's copies are all under way when every block that brings a share has put; it may even be a round ahead.  */
static void check_bytes(ws_sched *s, int number, uint64_t index)
{
    ring *r = &s->ring[number];
    slot *t = begin_round(&r->slot[index % r->slots], index / r->slots);
    if (t->rounds != index / r->slots + 1 || ++t->brought < (r->sharers ? __builtin_popcount(r->sharers) : 1) ||
        t->expected == t->issued)
        return;
    ws_cta_say_head(s);
    ws_cta_say_group(s, self(s));
    ws_cta_say(s, " finishes ");
    ws_cta_say_slot(s, "put", number, index);
    ws_cta_say(s, ": its barrier expects %zu bytes, its copies bring %zu", t->expected, t->issued);
    ws_cta_give_up(s);
}

void ws_sched_put_done(ws_sched *s, int number, uint64_t index)
{
    point(s, "put_done");
    slot *t = put_slot(s, number, index, "finishes");
    const ring *r = &s->ring[number];
    for (int block = 0; r->sharers >> block; block++)
        if (r->sharers >> block & 1)
            check_bytes(s, ring_in(s, number, block), index);
    t->sealed = ++t->done == r->fillers;
    if (!r->sharers && t->sealed)
        check_bytes(s, number, index);
    note(s, WS_SCHED_EVENT_PUT_DONE, s->current, number, index, nowhere);
    fill_up(s, t);
}

int ws_sched_get(ws_sched *s, int number, uint64_t index)
{
    ring *r = ring_at(s, number);
    slot *t = &r->slot[index % r->slots];
    fiber *f = self(s);
    learn_role(s, "consumer");
    if (index < f->next_get[number])
        ws_cta_fail_slot(s, "makes", "get", number, index, "this group has got it before");
    ws_cta_wait_for(s, WAIT_GET, number, index);
    if (t->released > index / r->slots) {
        ws_cta_say_head(s);
        ws_cta_say_group(s, f);
        ws_cta_say(s, " makes ");
        ws_cta_say_slot(s, "get", number, index);
        ws_cta_say(s, ": it was released before, by other groups: the empty barrier counts %d arrivals", r->arrivals);
        ws_cta_give_up(s);
    }
    if (f->nheld == MOST_HELD)
        ws_sched_fail(s, "a group holds more than %d slots", MOST_HELD);
    f->held[f->nheld++] = (got){number, index};
    f->next_get[number] = index + 1;
    f->last_ring = number;
    f->last_get = index;
    note(s, WS_SCHED_EVENT_GET, s->current, number, index, nowhere);
    return (int)(index % r->slots);
}

static void check_release(ws_sched *s, const slot *t, int number, uint64_t index)
{
    for (int i = 0; i < s->noperations; i++) {
        const operation *o = s->operation[i];
        if (o->fiber != s->current || o->retired)
            continue;
        if (o->kind == WS_SCHED_PRODUCT && (slot_covers(t, o->a) || slot_covers(t, o->b)))
            ws_cta_fail_slot(s, "releases", "get", number, index, "a product in flight reads it: a wait is missing");
        if (o->kind == WS_SCHED_OUT_READ && slot_covers(t, o->a))
            ws_cta_fail_slot(s, "releases", "get", number, index, "a copy out still reads it: a store_wait is missing");
    }
}

/* The slot becomes empty: nobody else may still hold it.  */
static void check_others(ws_sched *s, int number, uint64_t index)
{
    for (int i = 0; i < s->nfibers; i++) {
        int block = s->fiber[i]->block;
        if (!is_shared_with(&s->ring[number], block) || !holds(s->fiber[i], ring_in(s, number, block), index))
            continue;
        ws_cta_say_head(s);
        ws_cta_say_group(s, self(s));
        ws_cta_say(s, " releases ");
        ws_cta_say_slot(s, "get", number, index);
        ws_cta_say(s, ": the empty barrier counts %d arrivals, but ", s->ring[number].arrivals);
        ws_cta_say_group(s, s->fiber[i]);
        ws_cta_say(s, " still holds it");
        ws_cta_give_up(s);
    }
}

/* An arrival on a slot's empty barrier.  */
static void arrive(ws_sched *s, int number, uint64_t index)
{
    ring *r = &s->ring[number];
    slot *t = &r->slot[index % r->slots];
    if (t->released > index / r->slots) {
        ws_cta_say_head(s);
        ws_cta_say_group(s, self(s));
        ws_cta_say(s, " releases ");
        ws_cta_say_slot(s, "get", number, index);
        ws_cta_say(s, ": arrivals over count, the empty barrier counts %d", r->arrivals);
        ws_cta_give_up(s);
    }
    note(s, WS_SCHED_EVENT_CONSUMED, s->current, number, index, nowhere);
    if (++t->arrived < r->arrivals)
        return;
    check_others(s, number, index);
    t->arrived = 0;
    t->released++;
    slot_changed(s, t, false);
}

void ws_sched_consumed(ws_sched *s, int number, uint64_t index)
{
    ws_sched_consumed_in(s, number, index, UINT32_C(1) << ws_sched_block(s));
}

void ws_sched_consumed_in(ws_sched *s, int number, uint64_t index, uint32_t blocks)
{
    ring *r = ring_at(s, number);
    slot *t = &r->slot[index % r->slots];
    fiber *f = self(s);
    point(s, "consumed");
    if (!holds(f, number, index))
        ws_cta_fail_slot(s, "releases", "get", number, index, "it has not got it, or has released it before");
    check_release(s, t, number, index);
    for (int i = 0, kept = 0; i < f->nheld; i++)
        if (f->held[i].ring != number || f->held[i].index != index)
            f->held[kept++] = f->held[i];
    f->nheld--;
    for (int block = 0; blocks >> block; block++)
        if (blocks >> block & 1)
            arrive(s, block == f->block ? number : ring_in(s, number, block), index);
}

/* ---- the tensor core --------------------------------------------------------------------------------------------- */

void ws_sched_product(ws_sched *s, ws_sched_accumulator *acc, ws_sched_range a, ws_sched_range b, ws_sched_step step,
                      const void *args, size_t args_bytes, const void *held, size_t held_bytes)
{
    point(s, "mma");
    check_engine_read(s, a);
    check_engine_read(s, b);
    operation *o = ws_cta_operation_new(s, WS_SCHED_PRODUCT, args, args_bytes);
    o->index = self(s)->committed + 1;
    o->a = a;
    o->b = b;
    o->acc = acc;
    o->step = step;
    ws_cta_hold(s, o, held_bytes);
    if (held_bytes)
        memcpy(o->held, held, held_bytes);
    acc->in_flight++;
    note(s, WS_SCHED_EVENT_PRODUCT, s->current, (int)o->index, o->serial, a);
    note(s, WS_SCHED_EVENT_PRODUCT, s->current, (int)o->index, o->serial, b);
}

void ws_sched_commit(ws_sched *s)
{
    point(s, "commit");
    self(s)->committed++;
    note(s, WS_SCHED_EVENT_COMMIT, s->current, (int)self(s)->committed, 0, nowhere);
}

void ws_sched_wait(ws_sched *s, int groups)
{
    fiber *f = self(s);
    ws_cta_wait_for(s, WAIT_PRODUCTS, groups, 0);
    uint64_t last = all_but(f->committed, groups);
    for (int i = 0; i < s->noperations; i++) {
        operation *o = s->operation[i];
        if (o->kind != WS_SCHED_PRODUCT || o->fiber != s->current || o->retired || o->index > last)
            continue;
        o->retired = true;
        o->acc->unnamed = --o->acc->in_flight == 0;
    }
    note(s, WS_SCHED_EVENT_WAIT, s->current, (int)last, 0, nowhere);
    ws_cta_sweep(s);
}

void ws_sched_name(ws_sched *s, ws_sched_accumulator *acc)
{
    (void)s;
    if (!acc->in_flight)
        acc->unnamed = 0;
}

void ws_sched_touched(ws_sched *s, const ws_sched_accumulator *acc, const char *how)
{
    ws_cta_say_head(s);
    ws_cta_say_group(s, self(s));
    if (acc->in_flight)
        ws_cta_say(s, " %s an accumulator while %u of its products are in flight", how, acc->in_flight);
    else
        ws_cta_say(s, " %s an accumulator that the wait for its products did not name", how);
    ws_cta_say_iteration(s, self(s));
    ws_cta_give_up(s);
}

/* ---- copies out -------------------------------------------------------------------------------------------------- */

void ws_sched_copy_out(ws_sched *s, ws_sched_range from, size_t held_bytes, ws_sched_step read, ws_sched_step write,
                       const void *args, size_t args_bytes)
{
    point(s, "store");
    check_engine_read(s, from);
    operation *o = ws_cta_operation_new(s, WS_SCHED_OUT_READ, args, args_bytes);
    o->index = ++self(s)->outs;
    o->a = from;
    o->held_bytes = held_bytes;
    o->step = read;
    o->write = write;
    note(s, WS_SCHED_EVENT_OUT_ISSUED, s->current, -1, o->index, from);
}

void ws_sched_copy_nothing(ws_sched *s)
{
    self(s)->outs++;
}

/* The newest `copies` may stay.  */
static void retire_copies(ws_sched *s, int copies)
{
    uint64_t last = all_but(self(s)->outs, copies);
    for (int i = 0; i < s->noperations; i++) {
        operation *o = s->operation[i];
        if (o->kind == WS_SCHED_OUT_READ && o->fiber == s->current && o->index <= last)
            o->retired = true;
    }
    note(s, WS_SCHED_EVENT_STORE_WAIT, s->current, -1, last, nowhere);
    ws_cta_sweep(s);
}

void ws_sched_store_wait(ws_sched *s, int copies)
{
    ws_cta_wait_for(s, WAIT_COPIES, copies, 0);
    retire_copies(s, copies);
}

void ws_sched_tile_done(ws_sched *s)
{
    if (self(s)->untold >= 0)
        ws_sched_fail(s, "a tile is done, and later grids have not been told of the one before it");
    self(s)->told = self(s)->untold = self(s)->tile;
}

long ws_sched_tell_tiles(ws_sched *s)
{
    const long tile = self(s)->untold;
    if (tile < 0)
        return -1;
    ws_cta_wait_for(s, WAIT_WRITTEN, 0, 0);
    retire_copies(s, 0);
    self(s)->untold = -1;
    return tile;
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

int ws_sched_turns(ws_sched *s, const char *name, int groups)
{
    if (s->nturns + 1 == MOST_NAMES || groups < 1 || groups > WS_SCHED_FIBERS)
        ws_sched_fail(s, "turns %s: %d groups", name, groups);
    turns *t = &s->turns[s->nturns + 1];
    memset(t, 0, sizeof *t);
    snprintf(t->name, sizeof t->name, "%s", name);
    t->groups = groups;
    t->token[0] = 1;
    return ++s->nturns;
}

static turns *turns_at(ws_sched *s, int number, int group)
{
    if (number < 1 || number > s->nturns)
        ws_sched_fail(s, "turns are used that were not initialised");
    if (group < 0 || group >= s->turns[number].groups)
        ws_sched_fail(s, "turns %s have no group %d", s->turns[number].name, group);
    return &s->turns[number];
}

void ws_sched_take(ws_sched *s, int number, int group)
{
    turns *t = turns_at(s, number, group);
    ws_cta_wait_for(s, WAIT_TURN, number, group);
    t->token[group]--;
    note(s, WS_SCHED_EVENT_TAKE, s->current, number, group, nowhere);
}

void ws_sched_pass(ws_sched *s, int number, int group)
{
    turns *t = turns_at(s, number, group);
    int next = (group + 1) % t->groups;
    point(s, "pass");
    if (++t->token[next] > 1) {
        ws_cta_say_head(s);
        ws_cta_say_group(s, self(s));
        ws_cta_say(s, " passes turn %d of %s, which was passed before", next, t->name);
        ws_cta_say_iteration(s, self(s));
        ws_cta_give_up(s);
    }
    note(s, WS_SCHED_EVENT_PASS, s->current, number, next, nowhere);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* A group ends: nothing of its own may be in flight.  */
void ws_cta_check_exit(ws_sched *s)
{
    fiber *f = self(s);
    for (int i = 0; i < s->noperations; i++) {
        const operation *o = s->operation[i];
        if (o->fiber != s->current || o->retired)
            continue;
        if (o->kind == WS_SCHED_PRODUCT)
            ws_cta_fail_left(s, "ends with products in flight");
        if (o->kind == WS_SCHED_OUT_READ)
            ws_cta_fail_left(s, "ends while a copy out may still read shared memory: store_wait<0> is missing");
    }
    if (s->config.groups && !f->finished)
        ws_cta_fail_left(s, "ends while other blocks of the cluster may arrive at its barriers: finish is missing");
    if (f->nheld)
        ws_cta_fail_slot(s, "ends without releasing", "get", f->held[0].ring, f->held[0].index, "consumed is missing");
}

/* All groups have ended: every slot is empty again.  */
void ws_cta_check_rings(ws_sched *s)
{
    for (int i = 1; i <= s->nrings; i++) {
        const ring *r = &s->ring[i];
        for (int j = 0; j < r->slots; j++) {
            const slot *t = &r->slot[j];
            uint64_t index = t->released * r->slots + j;
            if (!t->filling && t->filled == t->released)
                continue;
            ws_cta_say_head(s);
            ws_cta_say(s, "at the end ");
            ws_cta_say_slot(s, "put", i, index);
            if (t->filling)
                ws_cta_say(s, " is not full: %s", t->sealed ? "bytes are missing" : "put_done is missing");
            else
                ws_cta_say(s, " is still full: released by %d of %d groups", t->arrived, r->arrivals);
            ws_cta_give_up(s);
        }
    }
}
