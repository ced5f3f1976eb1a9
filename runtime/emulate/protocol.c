/* SPDX-License-Identifier: MIT */
/*
 * protocol.c - the calls of scheduler.h: the tensor core, shared memory, copies out, turns; rings.c has those of rings.
 *
 * A call has three parts: a point at which others may go on, a wait, and the check with the effect.  From the last
 * switch of fibers to its end a call is atomic.
 *
 * An operation is in flight in the program's view, not in the engine's.  A product is in flight until a wait retires
 * its group, and a copy out until a store_wait does, even if the engine has finished.  So a missing wait is found under
 * every seed.
 */
#include "state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ws_sched_range nowhere = {NULL, 0};

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

/* The range was overwritten while no group held the slot, which loses the slot's contents there.  */
static void slot_forget(slot *t, ws_sched_range range)
{
    int kept = 0;
    for (int i = 0; i < t->nranges; i++)
        if (!overlap(t->ranges[i], range))
            t->ranges[kept++] = t->ranges[i];
    t->nranges = kept;
}

void ws_cta_check_slots(ws_sched *s, ws_sched_range range, bool writes, int own_ring, uint64_t own_index)
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

void ws_cta_check_operations(ws_sched *s, ws_sched_range range, bool writes, const char *does)
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

/* Before an engine reads a range, the groups' own writes to it must have been fenced.  */
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
    ws_cta_check_operations(s, range, false, "reads");
    ws_cta_check_slots(s, range, false, 0, 0);
    check_fences(s, range);
}

static void read_shared(ws_sched *s, ws_sched_range range, ws_sched_event_kind kind)
{
    ws_cta_check_operations(s, range, false, "reads");
    ws_cta_check_slots(s, range, false, 0, 0);
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
    /* If the list is full, the last range grows to include this one.  */
    ws_sched_range *last = &f->unfenced[MOST_UNFENCED - 1];
    const char *low = last->at, *high = low + last->bytes, *from = range.at, *to = from + range.bytes;
    low = from < low ? from : low;
    high = to > high ? to : high;
    *last = (ws_sched_range){low, (size_t)(high - low)};
}

static void write_shared(ws_sched *s, ws_sched_range range, ws_sched_event_kind kind)
{
    ws_cta_check_operations(s, range, true, "writes");
    ws_cta_check_slots(s, range, true, 0, 0);
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

static void meet(ws_sched *s)
{
    note(s, WS_SCHED_EVENT_BARRIER, s->current, -1, 0, nowhere);
}

void ws_sched_exchange(ws_sched *s, ws_sched_range range)
{
    if (!s)
        return;
    meet(s);
    write_shared(s, range, WS_SCHED_EVENT_WRITE);
    meet(s);
    read_shared(s, range, WS_SCHED_EVENT_READ);
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
    meet(s);
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

/* Retires all copies but the newest `copies`.  */
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

void ws_sched_show(ws_sched *s, int number, int group, char *text, size_t bytes)
{
    turns *t = turns_at(s, number, group);
    if (!text || t->text[group]) {
        free(text);
        ws_sched_fail(s, text ? "group %d shows its rows twice" : "group %d: out of memory", group);
    }
    t->text[group] = text;
    t->bytes[group] = bytes;
    if (++t->ntexts < t->groups)
        return;
    flockfile(stdout);
    for (int i = 0; i < t->groups; i++) {
        fwrite(t->text[i], 1, t->bytes[i], stdout);
        free(t->text[i]);
        t->text[i] = NULL;
    }
    funlockfile(stdout);
    t->ntexts = 0;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* At a group's end none of its operations may be in flight.  */
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
