/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explore.c - dynamic partial-order reduction over the emulator's scheduler.
 *
 *      run 1     put  copy  land  done | get  product  free        conflicts without an order between: the two writes
 *      run 2     ... the second write before the first ...         no conflict is left: two orders stand for all
 *
 * A process is a group, a group's tensor core, or one copy.  A step is the work of a process from one choice of the
 * scheduler to the next.  steps.c decides which steps depend on each other.
 *
 * The method is source-set DPOR with sleep sets (Abdulla, Aronsson, Jonsson, Sagonas, POPL 2014).  After each run it
 * looks at each two steps in conflict without a chain of order or conflict between them.  For these, the later step is
 * then tried before the earlier one.  A process that has been tried sleeps until something in conflict with it happens.
 * So every order of the CTA equals one that was run, up to exchanges of adjacent independent steps.  In particular each
 * final state and each report is found.  tests/emulate/happens.c compares with all orders of small programs, one by
 * one.
 */
#include "explore.h"
#include "steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A choice of the scheduler.  */
typedef struct {
    uint64_t *enabled;
    bool *wanted, *done; /* by enabled process: to be tried; tried already */
    int count, chosen;
    Step step;   /* the step of the chosen process */
    Step *tried; /* steps tried earlier from here */
    int ntried;
    Step *asleep; /* steps tried earlier, with nothing in conflict since */
    int nasleep;
    int creator; /* the step that started the chosen process, -1: none */
} Node;

/* An operation of an engine in flight.  */
typedef struct {
    Kind kind; /* ENDS or OUT_ENDS */
    int fiber;
    uint64_t number, serial;
    ws_sched_range range;
    Touches stores; /* global writes of a copy out */
} Flight;

/* An operation, and the step that started it.  */
typedef struct {
    uint64_t serial;
    int creator;
} Birth;

struct Exploration {
    Node *path;
    int length, room, depth;
    bool redundant; /* all enabled processes sleep */
    Flight *flights;
    int nflights, flights_room;
    uint64_t passed[WS_SCHED_FIBERS][64], taken[WS_SCHED_FIBERS][64];
    Birth *born;
    int nborn, born_room;
    long runs;
    char *order;
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void node_drop(Node *node)
{
    free(node->enabled);
    free(node->wanted);
    free(node->done);
    free(node->step.touches.at);
    steps_drop(node->tried, node->ntried);
    steps_drop(node->asleep, node->nasleep);
}

static void flights_drop(Exploration *all)
{
    for (int i = 0; i < all->nflights; i++)
        free(all->flights[i].stores.at);
    all->nflights = 0;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static uint64_t process_of(const ws_sched_choice *choice)
{
    if (choice->kind == WS_SCHED_FIBER)
        return (uint64_t)choice->fiber;
    return choice->kind == WS_SCHED_PRODUCT ? (uint64_t)(WS_SCHED_FIBERS + choice->fiber) : choice->operation;
}

void exploration_begin(Exploration *all)
{
    all->depth = 0;
    all->redundant = false;
    all->nborn = 0;
    memset(all->passed, 0, sizeof all->passed);
    memset(all->taken, 0, sizeof all->taken);
    flights_drop(all);
    all->runs++;
}

static bool is_born(const Exploration *all, uint64_t serial)
{
    for (int k = all->nborn - 1; k >= 0; k--)
        if (all->born[k].serial == serial)
            return true;
    return false;
}

static void note_birth(Exploration *all, uint64_t serial)
{
    if (is_born(all, serial))
        return;
    all->born = grown(all->born, all->nborn, &all->born_room, sizeof *all->born);
    all->born[all->nborn].serial = serial;
    all->born[all->nborn++].creator = all->depth - 1;
}

static int creator_of(const Exploration *all, uint64_t serial)
{
    for (int k = 0; k < all->nborn; k++)
        if (serial && all->born[k].serial == serial)
            return all->born[k].creator;
    return -1;
}

static bool sleeps(const Node *node, uint64_t process)
{
    for (int i = 0; i < node->nasleep; i++)
        if (node->asleep[i].process == process)
            return true;
    return false;
}

static void inherit_sleep(Node *node, const Node *before)
{
    int most = before->ntried + before->nasleep;
    node->asleep = zeroed(most, sizeof *node->asleep);
    for (int i = 0; i < most; i++) {
        const Step *step = i < before->ntried ? &before->tried[i] : &before->asleep[i - before->ntried];
        if (!depends(step, &before->step))
            node->asleep[node->nasleep++] = step_copy(step);
    }
}

static Node *node_new(Exploration *all, int count, const ws_sched_choice *choices)
{
    all->path = grown(all->path, all->length, &all->room, sizeof *all->path);
    Node *node = &all->path[all->length++];
    *node = (Node){.count = count, .chosen = -1};
    node->enabled = zeroed(count, sizeof *node->enabled);
    node->wanted = zeroed(count, sizeof *node->wanted);
    node->done = zeroed(count, sizeof *node->done);
    for (int i = 0; i < count; i++)
        node->enabled[i] = process_of(&choices[i]);
    if (all->length > 1)
        inherit_sleep(node, node - 1);
    for (int i = 0; i < count && node->chosen < 0; i++)
        if (!sleeps(node, node->enabled[i]))
            node->chosen = i;
    return node;
}

int exploration_choose(Exploration *all, int count, const ws_sched_choice *choices)
{
    if (all->redundant)
        return 0;
    for (int i = 0; i < count; i++)
        if (choices[i].kind !=
            WS_SCHED_FIBER) /* copies can be chosen as soon as they are started; for products see exploration_observe */
            note_birth(all, choices[i].operation);
    bool fresh = all->depth == all->length;
    Node *node = fresh ? node_new(all, count, choices) : &all->path[all->depth];
    if (node->chosen < 0) { /* this order was run before */
        node_drop(node);
        all->length--;
        all->redundant = true;
        return 0;
    }
    if (node->chosen >= count || process_of(&choices[node->chosen]) != node->enabled[node->chosen])
        ws_sched_fail(ws_sched_current(), "the same order leads elsewhere");
    node->wanted[node->chosen] = true;
    node->step.process = node->enabled[node->chosen];
    node->step.touches.count = 0;
    node->step.glance.known = false;
    node->creator = creator_of(all, choices[node->chosen].operation);
    all->depth++;
    return node->chosen;
}

/* ---- what a step touches ----------------------------------------------------------------------------------------- */

static Flight *flight_of(Exploration *all, Kind kind, int fiber, uint64_t serial)
{
    for (int i = 0; i < all->nflights; i++)
        if (all->flights[i].kind == kind && all->flights[i].fiber == fiber && all->flights[i].serial == serial)
            return &all->flights[i];
    return NULL;
}

static void take_off(Exploration *all, Touches *touches, Flight flight)
{
    for (int i = 0; flight.kind == OUT_ENDS && i < touches->count; i++)
        if (touches->at[i].kind == STORES)
            add_touch(&flight.stores, touches->at[i]);
    all->flights = grown(all->flights, all->nflights, &all->flights_room, sizeof *all->flights);
    all->flights[all->nflights++] = flight;
    add_touch(touches, (Touch){.kind = READS, .range = flight.range});
}

static void read_again(Exploration *all, Touches *touches, Kind kind, int fiber, uint64_t serial)
{
    for (int i = 0; i < all->nflights; i++) {
        const Flight *flight = &all->flights[i];
        if (flight->kind == kind && flight->fiber == fiber && flight->serial == serial)
            add_touch(touches, (Touch){.kind = READS, .range = flight->range});
    }
}

/* A wait reads the operands of the operation once more, since they may not be written before.  */
static void land(Exploration *all, Touches *touches, Kind kind, int fiber, uint64_t last)
{
    int kept = 0;
    for (int i = 0; i < all->nflights; i++) {
        Flight *flight = &all->flights[i];
        if (flight->kind != kind || flight->fiber != fiber || flight->number > last) {
            all->flights[kept++] = *flight;
            continue;
        }
        add_touch(touches, (Touch){.kind = READS, .range = flight->range});
        free(flight->stores.at);
    }
    all->nflights = kept;
}

static void turn(Exploration *all, Touches *touches, const ws_sched_event *event)
{
    bool pass = event->kind == WS_SCHED_EVENT_PASS;
    int group = (int)event->index % WS_SCHED_FIBERS, turns = event->object % 64;
    uint64_t *count = pass ? &all->passed[group][turns] : &all->taken[group][turns];
    bool given = pass && group == 0; /* the first turn belongs to group 0 */
    add_touch(
        touches,
        (Touch){.kind = pass ? PASSES : TAKES, .object = turns * WS_SCHED_FIBERS + group, .index = ++*count + given});
}

void exploration_observe(Exploration *all, const ws_sched_event *event)
{
    if (all->redundant || !all->depth)
        return;
    Touches *touches = &all->path[all->depth - 1].step.touches;
    Touch memory = {.kind = READS, .range = event->range};
    Touch slot = {.object = event->object, .index = event->index};
    int fiber = event->fiber;
    const Flight *flight;
    switch (event->kind) {
    case WS_SCHED_EVENT_START:
        add_touch(touches, (Touch){.kind = STARTS});
        break;
    case WS_SCHED_EVENT_PUT:
        slot.kind = PUTS;
        add_touch(touches, slot);
        break;
    case WS_SCHED_EVENT_COPY_LANDED:
    case WS_SCHED_EVENT_PUT_DONE:
        slot.kind = FILLS;
        add_touch(touches, slot);
        memory.kind = WRITES;
        add_touch(touches, memory);
        break;
    case WS_SCHED_EVENT_GET:
        slot.kind = GETS;
        add_touch(touches, slot);
        break;
    case WS_SCHED_EVENT_CONSUMED:
        slot.kind = FREES;
        slot.index += (uint64_t)ws_sched_slots(ws_sched_current(), event->object);
        add_touch(touches, slot);
        break;
    case WS_SCHED_EVENT_COPY_ISSUED:
    case WS_SCHED_EVENT_WRITE:
    case WS_SCHED_EVENT_WRITE_APART:
        memory.kind = WRITES;
        add_touch(touches, memory);
        break;
    case WS_SCHED_EVENT_READ:
    case WS_SCHED_EVENT_READ_APART:
        add_touch(touches, memory);
        break;
    case WS_SCHED_EVENT_PRODUCT:
        note_birth(all, event->index);
        take_off(all, touches, (Flight){ENDS, fiber, (uint64_t)event->object, event->index, event->range, {0}});
        break;
    case WS_SCHED_EVENT_PRODUCT_DONE:
        read_again(all, touches, ENDS, fiber, event->index);
        add_touch(touches, (Touch){.kind = ENDS, .object = fiber, .index = (uint64_t)event->object});
        break;
    case WS_SCHED_EVENT_WAIT:
        land(all, touches, ENDS, fiber, (uint64_t)event->object);
        add_touch(touches, (Touch){.kind = WAITS, .object = fiber, .index = (uint64_t)event->object});
        break;
    case WS_SCHED_EVENT_OUT_ISSUED:
        take_off(all, touches, (Flight){OUT_ENDS, fiber, event->index, event->index, event->range, {0}});
        break;
    case WS_SCHED_EVENT_OUT_READ:
        read_again(all, touches, OUT_ENDS, fiber, event->index);
        add_touch(touches, (Touch){.kind = OUT_ENDS, .object = fiber, .index = event->index});
        break;
    case WS_SCHED_EVENT_OUT_WRITTEN:
        flight = flight_of(all, OUT_ENDS, fiber, event->index);
        for (int i = 0; flight && i < flight->stores.count; i++)
            add_touch(touches, flight->stores.at[i]);
        break;
    case WS_SCHED_EVENT_STORE_WAIT:
        land(all, touches, OUT_ENDS, fiber, event->index);
        add_touch(touches, (Touch){.kind = OUT_WAITS, .object = fiber, .index = event->index});
        break;
    case WS_SCHED_EVENT_TAKE:
    case WS_SCHED_EVENT_PASS:
        turn(all, touches, event);
        break;
    case WS_SCHED_EVENT_GLOBAL:
        memory.kind = event->object == 0 ? LOADS : event->object == 1 ? STORES : ADDS;
        add_touch(touches, memory);
        break;
    default: /* commits, fences, barriers, ends: concern the group alone */
        break;
    }
}

/* ---- races ------------------------------------------------------------------------------------------------------- */

/* The order of a run.  Bit i of row k: step i comes before step k in every equivalent order.  A race is two steps in
   conflict with no chain between.  */
typedef struct {
    uint64_t *before;
    int length, words;
    int (*races)[2];
    int nraces, room;
} Past;

static bool starts(const Step *step)
{
    for (int i = 0; i < step->touches.count; i++)
        if (step->touches.at[i].kind == STARTS)
            return true;
    return false;
}

static void mark_before(Past *past, int k, int i)
{
    uint64_t *row = past->before + (size_t)k * (size_t)past->words;
    const uint64_t *other = past->before + (size_t)i * (size_t)past->words;
    row[i / 64] |= (uint64_t)1 << i % 64;
    for (int word = 0; word <= i / 64; word++)
        row[word] |= other[word];
}

static bool is_before(const Past *past, int i, int k)
{
    return past->before[(size_t)k * (size_t)past->words + (size_t)i / 64] >> i % 64 & 1;
}

/* Goes from the latest step back.  A step that precedes an earlier predecessor of this one is ordered already.  */
static void find_past(const Exploration *all, Past *past, int k, int opened)
{
    const Step *step = &all->path[k].step;
    bool first = starts(step);
    for (int i = k - 1; i >= 0; i--) {
        const Step *other = &all->path[i].step;
        if (is_before(past, i, k))
            continue;
        bool own = other->process == step->process || i == all->path[k].creator;
        Relation relation = own ? ORDERED : relate(other, step);
        if (relation == CONFLICT) {
            past->races = grown(past->races, past->nraces, &past->room, sizeof *past->races);
            past->races[past->nraces][0] = i;
            past->races[past->nraces++][1] = k;
        }
        if (relation != APART || (first && i < opened))
            mark_before(past, k, i);
    }
}

static Past past_of(Exploration *all)
{
    int length = all->length, words = length / 64 + 1;
    Past past = {zeroed(length * words, sizeof(uint64_t)), length, words, NULL, 0, 0};
    int opened = length; /* from that step on all groups have passed the CTA's first barrier */
    for (int k = 0; k < length; k++) {
        sum_up(&all->path[k].step);
        opened = starts(&all->path[k].step) && k < opened ? k : opened;
        find_past(all, &past, k, opened);
    }
    return past;
}

static int place_of(const Node *node, uint64_t process)
{
    for (int i = 0; i < node->count; i++)
        if (node->enabled[i] == process)
            return i;
    return -1;
}

/* Adds an alternative at the choice of step i, which leads to step k without step i.  It is the first step independent
   of i, in an order in which k follows at once.  */
static void want_other(Exploration *all, const Past *past, int i, int k)
{
    Node *node = &all->path[i];
    int found = -1;
    for (int m = i + 1; m <= k; m++) {
        if (m < k && is_before(past, i, m))
            continue;
        bool leads = true;
        for (int n = i + 1; n < m && leads; n++)
            leads = is_before(past, i, n) || !is_before(past, n, m);
        int place = leads ? place_of(node, all->path[m].step.process) : -1;
        if (place >= 0 && node->wanted[place])
            return;
        found = found < 0 ? place : found;
    }
    if (found >= 0)
        node->wanted[found] = true;
}

static void find_races(Exploration *all)
{
    Past past = past_of(all);
    for (int i = 0; i < past.nraces; i++)
        want_other(all, &past, past.races[i][0], past.races[i][1]);
    free(past.before);
    free(past.races);
}

/* ---- the next order ---------------------------------------------------------------------------------------------- */

static void step_is_tried(Node *node)
{
    Step *more = zeroed(node->ntried + 1, sizeof *more);
    if (node->ntried)
        memcpy(more, node->tried, (size_t)node->ntried * sizeof *more);
    free(node->tried);
    node->tried = more;
    node->tried[node->ntried++] = step_copy(&node->step);
    node->done[node->chosen] = true;
}

static void keep_order(Exploration *all)
{
    size_t size = 1;
    FILE *out = (free(all->order), open_memstream(&all->order, &size));
    if (!out)
        abort();
    for (int i = 0; i < all->length; i++)
        fprintf(out, all->path[i].chosen < 10 ? "%d" : "(%d)", all->path[i].chosen);
    fclose(out);
}

bool exploration_next(Exploration *all)
{
    keep_order(all);
    find_races(all);
    while (all->length) {
        Node *node = &all->path[all->length - 1];
        step_is_tried(node);
        for (int i = 0; i < node->count; i++)
            if (node->wanted[i] && !node->done[i] && !sleeps(node, node->enabled[i])) {
                node->chosen = i;
                return true;
            }
        node_drop(node);
        all->length--;
    }
    return false;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

Exploration *exploration_new(void)
{
    return zeroed(1, sizeof(Exploration));
}

void exploration_delete(Exploration *all)
{
    for (int i = 0; i < all->length; i++)
        node_drop(&all->path[i]);
    flights_drop(all);
    free(all->path);
    free(all->flights);
    free(all->born);
    free(all->order);
    free(all);
}

long exploration_runs(const Exploration *all)
{
    return all->runs;
}

const char *exploration_order(const Exploration *all)
{
    return all->order ? all->order : "";
}

int order_choose(const char **text, int count)
{
    char *end;
    long choice = **text == '(' ? strtol(*text + 1, &end, 10) : **text >= '0' && **text <= '9' ? **text - '0' : 0;
    if (**text == '(')
        *text = *end ? end + 1 : end;
    else if (**text)
        ++*text;
    return choice >= 0 && choice < count ? (int)choice : 0;
}
