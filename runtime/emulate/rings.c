/* SPDX-License-Identifier: MIT */
/*
 * rings.c - the calls of scheduler.h for rings: put, copies into slots, get, consumed.
 *
 * A put fills a slot.  The slot is full when all bytes that it expects have landed.  It is empty again when the ring's
 * number of groups have released it.  protocol.c describes the parts of a call.
 */
#include "state.h"
#include <stdio.h>
#include <stdlib.h>

static const ws_sched_range nowhere = {NULL, 0};

/* The first event of a round resets the counts.  */
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

/* For the trace and the stepper.  */
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

/* TMA has finished a copy in.  */
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

/* The number of the same ring in another CTA.  CTAs begin together, so the ring exists.  */
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

/* True if another group has begun this put and this group joins it.  */
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

/* The slot of an open put.  */
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
    ws_cta_check_operations(s, to, true, "copies into");
    ws_cta_check_slots(s, to, true, number, index);
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

/* The slot of another CTA that a put of this CTA also fills; no group there may hold it.  */
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

/* A byte count without data for each of the other CTAs.  */
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

/* All copies of a slot are in flight when every CTA with a share has put; the slot may be a round ahead.  */
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

/* The slot becomes empty: no other group may hold it.  */
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

/* At the end of all groups every slot must be empty again.  */
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
