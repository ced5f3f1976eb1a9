/* SPDX-License-Identifier: MIT */
/*
 * happens.c - the order of accesses to shared memory, by vector clocks.
 *
 * One run has one order.  The clocks tell for each two conflicting accesses whether *every* order of the program keeps
 * them apart.  A clock has a component for each group, which advances when the group releases its accesses to others.
 * It has a component for each slot of each ring: the number of rounds whose bytes have landed.
 *
 *      put_done, get      the producer's accesses and the slot's bytes precede the group's later accesses
 *      consumed, put      the group's accesses precede copies into the slot, by all CTAs that share it
 *      pass, take         the same between groups
 *      wait, store_wait   end the products, or the reads of copies out, that they wait for; these last until then
 *      barrier            orders the threads of one group
 *
 * Before a barrier no thread of a group knows the others' progress.  A group is also ordered when all its threads have
 * released a slot and the group has got a later put of it.
 *
 * Two accesses to overlapping bytes, at least one a write, must be ordered.  A group's own accesses must be fenced by
 * each thread, and the fence must be ordered, before an engine touches the bytes.  If all accesses obey this and the
 * protocol's checks hold, all orders of the CTA's steps differ only by exchanges of independent steps.  Then this run
 * is representative of all.
 */
#include "state.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t *at;
    int room;
} times;

typedef struct {
    ws_sched_range range;
    ws_sched_event_kind kind;
    bool writes, by_tma, open; /* open: no wait has ended it */
    bool apart;                /* each thread, or warp, touches elements that no other does */
    int fiber;
    int barriers;      /* of its group before its end */
    uint32_t released; /* time at which all threads of the group had released a slot after its end; 0: not yet */
    int object;
    uint64_t index;
    int component; /* component and time of its end */
    uint32_t time;
    bool fenced;
    uint32_t fence_time;
    int fence_barriers; /* before the fence */
} access;

enum { ACCESSES_BETWEEN_SWEEPS = 96 };

struct happens {
    times fiber[WS_SCHED_FIBERS];
    int barriers[WS_SCHED_FIBERS];  /* of the group */
    uint32_t back[WS_SCHED_FIBERS]; /* the group's accesses up to this time precede a put that it has got */
    times turn[MOST_NAMES][WS_SCHED_FIBERS];
    struct {
        int fiber;
        uint32_t time; /* 0: no group has taken it yet */
    } taken[MOST_NAMES][WS_SCHED_FIBERS];
    int first_slot[MOST_NAMES]; /* by ring: the first component of its slots */
    int components;
    times *full, *empty; /* by component, without those of the groups */
    int slots_room;
    access *accesses;
    int naccesses, room, sweep_at;
};

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static void *grown(ws_sched *s, void *old, size_t count, size_t bytes)
{
    void *more = realloc(old, count * bytes);
    if (!more)
        ws_sched_fail(s, "out of memory");
    return more;
}

static void make_room(ws_sched *s, times *t, int room)
{
    if (t->room >= room)
        return;
    t->at = grown(s, t->at, (size_t)room, sizeof *t->at);
    memset(t->at + t->room, 0, (size_t)(room - t->room) * sizeof *t->at);
    t->room = room;
}

static uint32_t time_of(const times *t, int component)
{
    return component < t->room ? t->at[component] : 0;
}

static void advance(ws_sched *s, times *t, int component, uint32_t time)
{
    make_room(s, t, component + 1);
    if (t->at[component] < time)
        t->at[component] = time;
}

static void join(ws_sched *s, times *to, const times *from)
{
    make_room(s, to, from->room);
    for (int i = 0; i < from->room; i++)
        if (to->at[i] < from->at[i])
            to->at[i] = from->at[i];
}

static uint32_t now(ws_sched *s, int who)
{
    times *t = &s->happens->fiber[who];
    if (!time_of(t, who))
        advance(s, t, who, 1);
    return t->at[who];
}

/* Releases the group's accesses so far to any group that joins `to`.  */
static void release(ws_sched *s, int who, times *to)
{
    times *t = &s->happens->fiber[who];
    uint32_t time = now(s, who);
    join(s, to, t);
    advance(s, t, who, time + 1);
}

/* The component of a ring's slot.  */
static int slot_component(ws_sched *s, int number, uint64_t index)
{
    struct happens *h = s->happens;
    if (!h->first_slot[number]) {
        h->first_slot[number] = s->nfibers + h->components;
        h->components += s->ring[number].slots;
        h->full = grown(s, h->full, (size_t)h->components, sizeof *h->full);
        h->empty = grown(s, h->empty, (size_t)h->components, sizeof *h->empty);
        size_t fresh = (size_t)(h->components - h->slots_room);
        memset(h->full + h->slots_room, 0, fresh * sizeof *h->full);
        memset(h->empty + h->slots_room, 0, fresh * sizeof *h->empty);
        h->slots_room = h->components;
    }
    return h->first_slot[number] + (int)(index % (uint64_t)s->ring[number].slots);
}

/* ---- accesses ---------------------------------------------------------------------------------------------------- */

static bool is_before(const struct happens *h, const access *a, int who)
{
    return !a->open && time_of(&h->fiber[who], a->component) >= a->time;
}

static bool is_fenced(const struct happens *h, const access *a, int who)
{
    return a->by_tma || (a->fenced && time_of(&h->fiber[who], a->fiber) >= a->fence_time);
}

/* All threads released a slot after the access, and the group has got a later put of that slot.  */
static bool came_back(const struct happens *h, const access *a)
{
    return a->released && a->released <= h->back[a->fiber];
}

/* Between threads of one group only a barrier ends an access.  Copies into a slot follow the ring's barrier, at which
   every warp arrives by itself.  */
static bool has_met(const struct happens *h, const access *a, const access *next)
{
    bool into_slot = a->kind == WS_SCHED_EVENT_COPY_ISSUED || next->kind == WS_SCHED_EVENT_COPY_ISSUED;
    return a->fiber != next->fiber || into_slot || (a->apart && next->apart) || came_back(h, a) ||
           a->barriers < h->barriers[a->fiber];
}

/* The group has passed a barrier after the fence of its common writes.  */
static bool has_met_behind_fence(const struct happens *h, const access *a, const access *next)
{
    bool alone = a->by_tma || !a->writes || (a->apart && next->apart);
    return alone || a->fiber != next->fiber || (a->fenced && came_back(h, a)) ||
           a->fence_barriers < h->barriers[a->fiber];
}

static bool is_known(const struct happens *h, const access *a, int who)
{
    int barriers = h->barriers[a->fiber];
    bool synced = a->fiber != who || (a->barriers < barriers && (!a->fenced || a->fence_barriers < barriers));
    return synced && is_before(h, a, who) && is_fenced(h, a, who);
}

/* Drops accesses whose end all groups know.  */
static void sweep(ws_sched *s)
{
    struct happens *h = s->happens;
    int kept = 0;
    for (int i = 0; i < h->naccesses; i++) {
        bool over = true;
        for (int f = 0; f < s->nfibers && over; f++)
            over = s->fiber[f]->done || is_known(h, &h->accesses[i], f);
        if (!over)
            h->accesses[kept++] = h->accesses[i];
    }
    h->naccesses = kept;
    h->sweep_at = kept + ACCESSES_BETWEEN_SWEEPS;
}

static void say_access(ws_sched *s, const access *a)
{
    ws_cta_say_group(s, s->fiber[a->fiber]);
    if (a->kind == WS_SCHED_EVENT_COPY_ISSUED) {
        ws_cta_say(s, " has copied for ");
        ws_cta_say_slot(s, "put", a->object, a->index);
    } else if (a->kind == WS_SCHED_EVENT_PRODUCT) {
        ws_cta_say(s, " reads by product group %d", a->object);
    } else if (a->kind == WS_SCHED_EVENT_OUT_ISSUED) {
        ws_cta_say(s, " reads by copy out %llu", (unsigned long long)a->index);
    } else {
        ws_cta_say(s, a->writes ? " writes" : " reads");
    }
}

static _Noreturn void fail(ws_sched *s, const access *a, const access *before, const char *why)
{
    ws_cta_say_head(s);
    ws_cta_say(s, "a race: what ");
    say_access(s, a);
    ws_cta_say(s, ", ");
    say_access(s, before);
    ws_cta_say(s, ", and %s", why);
    ws_cta_say_iteration(s, self(s));
    ws_cta_give_up(s);
}

/* A repeated read of one group: an access after the second read is after both.  */
static bool is_again(const access *before, const access *a)
{
    bool reads = a->kind == WS_SCHED_EVENT_READ || a->kind == WS_SCHED_EVENT_READ_APART;
    return reads && before->kind == a->kind && before->fiber == a->fiber && before->range.at == a->range.at &&
           before->range.bytes == a->range.bytes;
}

static void add_access(ws_sched *s, access a)
{
    struct happens *h = s->happens;
    if (!a.range.bytes)
        return;
    for (int i = 0; i < h->naccesses; i++) {
        const access *before = &h->accesses[i];
        if (is_again(before, &a)) {
            h->accesses[i] = a;
            return;
        }
        if (!(a.writes || before->writes) || !overlap(a.range, before->range))
            continue;
        if (!is_before(h, before, a.fiber))
            fail(s, &a, before, "nothing orders one before the other");
        if (a.by_tma && !is_fenced(h, before, a.fiber))
            fail(s, &a, before, "no fence between them reaches the engine");
        if (!has_met(h, before, &a))
            fail(s, &a, before, "the group's threads do not meet between them");
        if (a.by_tma && !has_met_behind_fence(h, before, &a))
            fail(s, &a, before, "the group's threads do not meet behind the fence");
    }
    if (h->naccesses >= h->sweep_at)
        sweep(s);
    if (h->naccesses == h->room) {
        h->room = h->room ? 2 * h->room : 128;
        h->accesses = grown(s, h->accesses, (size_t)h->room, sizeof *h->accesses);
    }
    h->accesses[h->naccesses++] = a;
}

/* A wait ends the accesses that it waits for.  */
static void close_accesses(ws_sched *s, int who, ws_sched_event_kind kind, uint64_t last)
{
    struct happens *h = s->happens;
    uint32_t time = now(s, who);
    for (int i = 0; i < h->naccesses; i++) {
        access *a = &h->accesses[i];
        uint64_t number = kind == WS_SCHED_EVENT_PRODUCT ? (uint64_t)a->object : a->index;
        if (!a->open || a->fiber != who || a->kind != kind || number > last)
            continue;
        a->open = false;
        a->component = who;
        a->time = time;
        a->barriers = h->barriers[who];
    }
}

static void note_release(ws_sched *s, int who)
{
    struct happens *h = s->happens;
    for (int i = 0; i < h->naccesses; i++)
        if (h->accesses[i].fiber == who && !h->accesses[i].open && !h->accesses[i].released)
            h->accesses[i].released = now(s, who);
}

static void fence(ws_sched *s, int who)
{
    struct happens *h = s->happens;
    for (int i = 0; i < h->naccesses; i++) {
        access *a = &h->accesses[i];
        if (a->fiber != who || a->by_tma || a->fenced)
            continue;
        a->fenced = true;
        a->fence_time = now(s, who);
        a->fence_barriers = h->barriers[who];
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void access_event(ws_sched *s, const ws_sched_event *event)
{
    access a = {.range = event->range,
                .kind = event->kind,
                .fiber = event->fiber,
                .object = event->object,
                .index = event->index,
                .component = event->fiber};
    bool writes = a.kind == WS_SCHED_EVENT_WRITE || a.kind == WS_SCHED_EVENT_WRITE_APART;
    a.time = now(s, a.fiber);
    a.barriers = s->happens->barriers[a.fiber];
    bool reads = a.kind == WS_SCHED_EVENT_READ || a.kind == WS_SCHED_EVENT_READ_APART;
    a.apart = a.kind == WS_SCHED_EVENT_WRITE_APART || a.kind == WS_SCHED_EVENT_READ_APART ||
              a.kind == WS_SCHED_EVENT_OUT_ISSUED;
    a.writes = a.kind == WS_SCHED_EVENT_COPY_ISSUED || writes;
    a.by_tma = !reads && !writes;
    a.open = a.kind == WS_SCHED_EVENT_PRODUCT || a.kind == WS_SCHED_EVENT_OUT_ISSUED;
    if (a.kind == WS_SCHED_EVENT_COPY_ISSUED) {
        a.component = slot_component(s, a.object, a.index);
        a.time = (uint32_t)(a.index / (uint64_t)s->ring[a.object].slots) + 1;
    }
    add_access(s, a);
}

static void ring_event(ws_sched *s, const ws_sched_event *event)
{
    struct happens *h = s->happens;
    int component = slot_component(s, event->object, event->index), place = component - s->nfibers;
    times *clock = &h->fiber[event->fiber];
    now(s, event->fiber);
    switch (event->kind) {
    case WS_SCHED_EVENT_PUT:
        join(s, clock, &h->empty[place]);
        break;
    case WS_SCHED_EVENT_PUT_DONE:
        release(s, event->fiber, &h->full[place]);
        break;
    case WS_SCHED_EVENT_GET:
        if (h->back[event->fiber] < time_of(&h->full[place], event->fiber))
            h->back[event->fiber] = time_of(&h->full[place], event->fiber);
        join(s, clock, &h->full[place]);
        advance(s, clock, component, (uint32_t)(event->index / (uint64_t)s->ring[event->object].slots) + 1);
        break;
    default: /* CONSUMED */
        note_release(s, event->fiber);
        release(s, event->fiber, &h->empty[place]);
    }
}

static _Noreturn void fail_turn(ws_sched *s, int number, int next)
{
    ws_cta_say_head(s);
    ws_cta_say_group(s, self(s));
    ws_cta_say(s, " passes turn %d of %s, which was passed before; nothing says that it was taken", next,
               s->turns[number].name);
    ws_cta_say_iteration(s, self(s));
    ws_cta_give_up(s);
}

/* A turn may be passed again only if the last one is known to be taken.  The first turn belongs to group 0.  */
static void pass_turn(ws_sched *s, int who, int number, int next)
{
    struct happens *h = s->happens;
    bool before = h->turn[number][next].room > 0 || next == 0;
    uint32_t time = h->taken[number][next].time;
    if (before && (!time || time_of(&h->fiber[who], h->taken[number][next].fiber) < time))
        fail_turn(s, number, next);
    h->taken[number][next].time = 0;
    release(s, who, &h->turn[number][next]);
}

static void take_turn(ws_sched *s, int who, int number, int group)
{
    struct happens *h = s->happens;
    h->taken[number][group].fiber = who;
    h->taken[number][group].time = now(s, who);
    join(s, &h->fiber[who], &h->turn[number][group]);
}

void ws_cta_happens(ws_sched *s, const ws_sched_event *event)
{
    switch (event->kind) {
    case WS_SCHED_EVENT_COPY_ISSUED:
    case WS_SCHED_EVENT_PRODUCT:
    case WS_SCHED_EVENT_OUT_ISSUED:
    case WS_SCHED_EVENT_READ:
    case WS_SCHED_EVENT_WRITE:
    case WS_SCHED_EVENT_WRITE_APART:
    case WS_SCHED_EVENT_READ_APART:
        access_event(s, event);
        break;
    case WS_SCHED_EVENT_PUT:
    case WS_SCHED_EVENT_PUT_DONE:
    case WS_SCHED_EVENT_GET:
    case WS_SCHED_EVENT_CONSUMED:
        ring_event(s, event);
        break;
    case WS_SCHED_EVENT_WAIT:
        close_accesses(s, event->fiber, WS_SCHED_EVENT_PRODUCT, (uint64_t)event->object);
        break;
    case WS_SCHED_EVENT_STORE_WAIT:
        close_accesses(s, event->fiber, WS_SCHED_EVENT_OUT_ISSUED, event->index);
        break;
    case WS_SCHED_EVENT_FENCE:
        fence(s, event->fiber);
        break;
    case WS_SCHED_EVENT_BARRIER:
        s->happens->barriers[event->fiber]++;
        break;
    case WS_SCHED_EVENT_PASS:
        pass_turn(s, event->fiber, event->object, (int)event->index);
        break;
    case WS_SCHED_EVENT_TAKE:
        take_turn(s, event->fiber, event->object, (int)event->index);
        break;
    default: /* steps of engines: their accesses are open from the start */
        break;
    }
}

struct happens *ws_cta_happens_new(void)
{
    return calloc(1, sizeof(struct happens));
}

void ws_cta_happens_delete(struct happens *h)
{
    if (!h)
        return;
    for (int i = 0; i < WS_SCHED_FIBERS; i++)
        free(h->fiber[i].at);
    for (int i = 0; i < MOST_NAMES; i++)
        for (int k = 0; k < WS_SCHED_FIBERS; k++)
            free(h->turn[i][k].at);
    for (int i = 0; i < h->slots_room; i++) {
        free(h->full[i].at);
        free(h->empty[i].at);
    }
    free(h->full);
    free(h->empty);
    free(h->accesses);
    free(h);
}
