/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explore.c - dynamic partial-order reduction over the emulator's scheduler.
 *
 *   run 1     put  copy  land  done | get  product  free        what conflicts in it, and nothing orders: the two writes
 *   run 2     ... the second write before the first ...         then nothing is left: two orders stand for all
 *
 * A process is a group, a group's matrix unit, or one copy; a step is what it does from one choice of the scheduler to the
 * next.  Two steps are
 *
 *   ordered     where one makes the other possible: copies and put_done a get, releases a put, a pass a take, the engine's end
 *               a wait, an operation's start its own steps.  The runtime's counters only grow, and each of these steps is one
 *               that the other waits for, so there is no order in which they change places.
 *   in conflict where they touch the same bytes, of shared or global memory, and one writes (an operation in flight touches
 *               its operands when it starts, when it runs and when it is waited for); or a turn is passed before it was taken.
 *   apart       otherwise: they leave the same state in either order.
 *
 * This is source-set DPOR with sleep sets (Abdulla, Aronsson, Jonsson, Sagonas, POPL 2014): behind each run, for each two steps
 * in conflict with no chain of order or conflict between, the later one is tried before the earlier one; what has been tried
 * sleeps until something in conflict with it happens.  Every order of the CTA is then equal, up to exchanges of neighbours that
 * are apart, to one that was run; in particular each final state and each report is met.  tests/emulate/happens.c compares with
 * all orders of small programs, one by one.
 */
#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    READS,
    WRITES,
    LOADS,
    STORES,
    ADDS,
    FILLS,
    GETS,
    FREES,
    PUTS,
    PASSES,
    TAKES,
    ENDS,
    WAITS,
    OUT_ENDS,
    OUT_WAITS,
    STARTS
} Kind;

typedef struct {
    Kind kind;
    int object;     /* ring, turns or group */
    uint64_t index; /* put, round of a turn, group of products, number of a copy */
    ws_sched_range range;
} Touch;

typedef struct {
    Touch *at;
    int count, room;
} Touches;

/* The objects among the touches, a bit for each 64th, and bounds of the memory.  */
typedef struct {
    bool known;
    uint64_t objects;
    const char *from, *to;
} Glance;

typedef struct {
    uint64_t process;
    Touches touches;
    Glance glance; /* once the step is over */
} Step;

/* Where the scheduler chose.  */
typedef struct {
    uint64_t *enabled;
    bool *wanted, *done; /* by enabled process: to be tried, tried */
    int count, chosen;
    Step step;   /* what was chosen, and did */
    Step *tried; /* before that, from here */
    int ntried;
    Step *asleep; /* tried before, and nothing in conflict since */
    int nasleep;
    int creator; /* of the process that was chosen: the step that started it, -1 */
} Node;

/* An operation of an engine.  */
typedef struct {
    Kind kind; /* ENDS, OUT_ENDS */
    int fiber;
    uint64_t number, serial;
    ws_sched_range range;
    Touches stores; /* of a copy out */
} Flight;

/* An operation, and the step that started it.  */
typedef struct {
    uint64_t serial;
    int creator;
} Birth;

struct Exploration {
    Node *path;
    int length, room, depth;
    bool redundant; /* everything that could happen was asleep */
    Flight *flights;
    int nflights, flights_room;
    uint64_t passed[WS_SCHED_FIBERS][64], taken[WS_SCHED_FIBERS][64];
    Birth *born;
    int nborn, born_room;
    long runs;
    char *order;
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void *grown(void *old, int count, int *room, size_t bytes)
{
    if (count < *room)
        return old;
    *room = *room ? 2 * *room : 8;
    void *more = realloc(old, (size_t)*room * bytes);
    if (!more)
        abort();
    return more;
}

static void *zeroed(int count, size_t bytes)
{
    void *memory = calloc((size_t)count + 1, bytes);
    if (!memory)
        abort();
    return memory;
}

static void add_touch(Touches *to, Touch touch)
{
    to->at = grown(to->at, to->count, &to->room, sizeof *to->at);
    to->at[to->count++] = touch;
}

static bool is_memory(Kind kind)
{
    return kind <= ADDS;
}

/* What a step may be related by, at a glance.  */
static void sum_up(Step *step)
{
    Glance *glance = &step->glance;
    *glance = (Glance){.known = true};
    for (int i = 0; i < step->touches.count; i++) {
        const Touch *touch = &step->touches.at[i];
        const char *from = touch->range.at, *to = from + touch->range.bytes;
        if (!is_memory(touch->kind)) {
            glance->objects |= (uint64_t)1 << touch->object % 64;
        } else if (touch->range.bytes) {
            glance->from = !glance->to || from < glance->from ? from : glance->from;
            glance->to = to > glance->to ? to : glance->to;
        }
    }
}

static Touches touches_copy(const Touches *from)
{
    Touches copy = {NULL, 0, 0};
    for (int i = 0; i < from->count; i++)
        add_touch(&copy, from->at[i]);
    return copy;
}

static Step step_copy(const Step *from)
{
    Step copy = {.process = from->process, .touches = touches_copy(&from->touches)};
    sum_up(&copy);
    return copy;
}

static void steps_drop(Step *steps, int count)
{
    for (int i = 0; i < count; i++)
        free(steps[i].touches.at);
    free(steps);
}

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

/* ---- which steps depend on each other ---------------------------------------------------------------------------- */

typedef enum { APART, ORDERED, CONFLICT } Relation;

static bool overlap(ws_sched_range x, ws_sched_range y)
{
    const char *p = x.at, *q = y.at;
    return x.bytes && y.bytes && p < q + y.bytes && q < p + x.bytes;
}

static bool is_global(Kind kind)
{
    return kind >= LOADS && kind <= ADDS;
}

static Relation relate_memory(const Touch *x, const Touch *y)
{
    bool reads = (x->kind == READS || x->kind == LOADS) && (y->kind == READS || y->kind == LOADS);
    bool adds = x->kind == ADDS && y->kind == ADDS; /* in any order, as the language says */
    return is_global(x->kind) == is_global(y->kind) && !reads && !adds && overlap(x->range, y->range) ? CONFLICT
                                                                                                      : APART;
}

/* The first comes before the second in the run at hand.  */
static Relation relate_touches(const Touch *x, const Touch *y)
{
    if (is_memory(x->kind) || is_memory(y->kind))
        return is_memory(x->kind) && is_memory(y->kind) ? relate_memory(x, y) : APART;
    if (x->object != y->object)
        return APART;
    switch (y->kind) {
    case GETS:
        return x->kind == FILLS && x->index == y->index ? ORDERED : APART;
    case PUTS: /* FREES has the index of the put that it lets pass */
        return x->kind == FREES && x->index == y->index ? ORDERED : APART;
    case TAKES:
        return x->kind == PASSES && x->index == y->index ? ORDERED : APART;
    case PASSES:
        return (x->kind == TAKES || x->kind == PASSES) && x->index + 1 == y->index ? CONFLICT : APART;
    case WAITS:
        return x->kind == ENDS && x->index <= y->index ? ORDERED : APART;
    case OUT_WAITS:
        return x->kind == OUT_ENDS && x->index <= y->index ? ORDERED : APART;
    default:
        return APART;
    }
}

static bool are_apart(const Glance *x, const Glance *y)
{
    return x->known && y->known && !(x->objects & y->objects) && (x->to <= y->from || y->to <= x->from);
}

static Relation relate(const Step *x, const Step *y)
{
    Relation relation = APART;
    if (are_apart(&x->glance, &y->glance))
        return APART;
    for (int i = 0; i < x->touches.count; i++)
        for (int k = 0; k < y->touches.count; k++) {
            Relation here = relate_touches(&x->touches.at[i], &y->touches.at[k]);
            if (here == ORDERED)
                return ORDERED;
            relation = here == CONFLICT ? CONFLICT : relation;
        }
    return relation;
}

static bool depends(const Step *x, const Step *y)
{
    return x->process == y->process || relate(x, y) != APART || relate(y, x) != APART;
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
            WS_SCHED_FIBER) /* copies can be chosen as soon as they are started; products see observe */
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

/* A wait looks at the operands of what it waits for once more: nobody may write them before.  */
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
    default: /* commits, fences, barriers, ends: the group's own */
        break;
    }
}

/* ---- races ------------------------------------------------------------------------------------------------------- */

/* Bit i of row k: step i comes before step k in every equal order.  A race is two steps in conflict with nothing between.  */
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

/* From the latest step back: what is before one that is before this one stands behind something already.  */
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
    int opened = length; /* all groups have come to the CTA's barrier before that step */
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

/* From where step i was chosen, something that leads to step k without it is to be tried: the first of what does not depend on
   i, in an order in which k follows at once.  */
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
