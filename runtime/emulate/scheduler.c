/* SPDX-License-Identifier: MIT */
/*
 * scheduler.c - one CTA of the emulation: its warp groups, its engines, and the protocol between them.
 *
 * In reading order: what a CTA is made of; failing; what happens next (the only place where order is decided); the
 * engines' steps; then the calls of scheduler.h, one section each.  A call has three parts: let anybody go on
 * (ws_sched_point), wait, then check and do.  Between the last switch of fibers and its end a call is undisturbed.
 *
 * What counts as "in flight" is the program's view, not the engine's: a product is in flight until a wait retires its
 * group, a copy out until a store_wait does, even if the engine was quick.  So a missing wait is found under every
 * seed.
 */
#include "scheduler.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_RANGES = 16, /* copies of one put */
    MOST_HELD = 256,  /* slots that a group has got and not released */
    MOST_UNFENCED = 64,
    MOST_CHOICES = 512,
    MOST_NAMES = 64, /* rings, turns */
    REPORT_BYTES = 4096
};

/* ---- what a CTA is made of --------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t filled;   /* completed phases of the full barrier */
    uint64_t released; /* completed phases of the empty barrier */
    int arrived;       /* in the current phase of the empty barrier */
    bool filling;      /* between a put and its last byte */
    bool sealed;       /* put_done */
    size_t expected, issued, landed;
    ws_sched_range ranges[MOST_RANGES]; /* what this round's copies fill */
    int nranges;
} slot;

typedef struct {
    char name[48];
    int slots;
    int arrivals;
    uint64_t puts;
    slot *slot;
} ring;

typedef struct {
    char name[48];
    int groups;
    int token[WS_SCHED_FIBERS];
} turns;

typedef enum { WAIT_NOTHING, WAIT_START, WAIT_PUT, WAIT_GET, WAIT_PRODUCTS, WAIT_COPIES, WAIT_TURN } wait_kind;

typedef struct {
    int ring;
    uint64_t index;
} got;

typedef struct {
    ws_fiber context;
    ws_stack stack;
    char role[48];
    int group;
    void (*run)(void *arg);
    void *arg;
    bool done;
    int weight;
    long tile;
    /* what it waits for */
    wait_kind wait;
    int object;     /* ring or turns; for products and copies: how many may stay */
    uint64_t index; /* put or get; for a turn: the group */
    /* what it has in flight */
    uint64_t committed; /* groups of products closed so far */
    uint64_t outs;      /* copies out started so far */
    got held[MOST_HELD];
    int nheld;
    ws_sched_range unfenced[MOST_UNFENCED];
    int nunfenced;
    int last_ring; /* the last get, so that reports can name an iteration */
    uint64_t last_get;
    uint64_t next_get[MOST_NAMES];
} fiber;

typedef enum { ISSUED, READ, DONE } progress;

typedef struct {
    ws_sched_choice_kind kind; /* WS_SCHED_COPY_IN, WS_SCHED_PRODUCT or WS_SCHED_OUT_READ */
    progress progress;
    bool retired; /* the program has waited for it */
    int fiber;
    long tile;
    uint64_t serial;
    int ring;       /* copy in */
    uint64_t index; /* copy in: of the put; product: group; copy out: number */
    ws_sched_range a, b;
    ws_sched_accumulator *acc;
    ws_sched_step step;  /* copy in, product; copy out: the read */
    ws_sched_step write; /* copy out */
    void *held;
    size_t held_bytes;
    _Alignas(16) unsigned char args[WS_SCHED_ARGS];
} operation;

struct ws_sched {
    ws_sched_config config;
    char kernel[64];
    ws_stacks *own_stacks;
    ws_fiber main;
    fiber *fiber[WS_SCHED_FIBERS];
    int nfibers;
    int current;
    ring ring[MOST_NAMES];
    int nrings;
    turns turns[MOST_NAMES];
    int nturns;
    operation **operation; /* in the order in which they were started */
    int noperations, room;
    operation **spare;
    int nspare, spare_room;
    operation *working; /* the engine's step that runs now */
    uint64_t serial;
    int started; /* fibers at the CTA barrier */
    bool opened;
    uint64_t random;
    int engine_weight[5];
    bool failed;
    char report[REPORT_BYTES];
};

static _Thread_local ws_sched *running;

/* xorshift64*: small, and good enough to pick a neighbour.  */
static uint64_t draw(ws_sched *s)
{
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return (s->random * UINT64_C(0x2545F4914F6CDD1D)) >> 16;
}

static fiber *self(ws_sched *s)
{
    return s->fiber[s->current];
}

static bool overlap(ws_sched_range x, ws_sched_range y)
{
    const char *p = x.at, *q = y.at;
    return x.bytes && y.bytes && p < q + y.bytes && q < p + x.bytes;
}

static void note(ws_sched *s, ws_sched_event_kind kind, int who, int object, uint64_t index, ws_sched_range range)
{
    if (s->config.observe) {
        ws_sched_event event = {kind, who, object, index, range};
        s->config.observe(s->config.user, &event);
    }
}

static const ws_sched_range nowhere = {NULL, 0};

/* ---- failing ----------------------------------------------------------------------------------------------------- */

static void say(ws_sched *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(ws_sched *s, const char *format, ...)
{
    size_t used = strlen(s->report);
    va_list list;
    va_start(list, format);
    vsnprintf(s->report + used, REPORT_BYTES - used, format, list);
    va_end(list);
}

static void say_head(ws_sched *s)
{
    s->report[0] = 0;
    say(s, "%s: CTA %d, seed %llu: ", s->kernel, s->config.cta, (unsigned long long)s->config.seed);
}

static void say_group(ws_sched *s, const fiber *f)
{
    say(s, "group %d", f->group);
    if (f->role[0])
        say(s, " (%s)", f->role);
}

/* "put 5 of ring ta_tb (slot 1, phase 1)"  */
static void say_slot(ws_sched *s, const char *what, int number, uint64_t index)
{
    const ring *r = &s->ring[number];
    say(s, "%s %llu of ring %s (slot %d, phase %d)", what, (unsigned long long)index, r->name, (int)(index % r->slots),
        (int)(index / r->slots & 1));
}

static void say_iteration(ws_sched *s, const fiber *f)
{
    if (f->last_ring)
        say(s, ", after get %llu of ring %s", (unsigned long long)f->last_get, s->ring[f->last_ring].name);
    if (f->tile >= 0)
        say(s, ", tile %ld", f->tile);
}

/* The fibers stay as they are; ws_sched_run goes on.  */
static _Noreturn void give_up(ws_sched *s)
{
    s->failed = true;
    ws_fiber_switch(&self(s)->context, &s->main, true);
    for (;;) /* not reached: nobody switches back */
        ;
}

void ws_sched_fail(ws_sched *s, const char *format, ...)
{
    say_head(s);
    size_t used = strlen(s->report);
    va_list list;
    va_start(list, format);
    vsnprintf(s->report + used, REPORT_BYTES - used, format, list);
    va_end(list);
    give_up(s);
}

/* "… group 1 (consumer) WHAT get 3 of ring r (slot 1, phase 1): WHY"  */
static _Noreturn void fail_slot(ws_sched *s, const char *does, const char *what, int number, uint64_t index,
                                const char *why)
{
    say_head(s);
    say_group(s, self(s));
    say(s, " %s ", does);
    say_slot(s, what, number, index);
    say(s, ": %s", why);
    give_up(s);
}

static _Noreturn void fail_memory(ws_sched *s, const char *does, const operation *o, const char *what)
{
    say_head(s);
    say_group(s, self(s));
    say(s, " %s ", does);
    if (o->kind == WS_SCHED_COPY_IN) {
        say(s, "%s for ", what);
        say_slot(s, "put", o->ring, o->index);
    } else {
        say(s, "%s of ", what);
        say_group(s, s->fiber[o->fiber]);
        say(s, " (%s %llu)", o->kind == WS_SCHED_PRODUCT ? "product group" : "copy out", (unsigned long long)o->index);
    }
    say_iteration(s, self(s));
    give_up(s);
}

static void say_wait(ws_sched *s, const fiber *f)
{
    const ring *r = &s->ring[f->object];
    switch (f->wait) {
    case WAIT_START:
        say(s, "waits in start() for the other groups");
        break;
    case WAIT_PUT: {
        const slot *t = &r->slot[f->index % r->slots];
        say(s, "waits in ");
        say_slot(s, "put", f->object, f->index);
        if (t->filling)
            say(s, ": the slot's put %llu is not full", (unsigned long long)(f->index - r->slots));
        else
            say(s, ": put %llu was released by %d of %d groups", (unsigned long long)(f->index - r->slots), t->arrived,
                r->arrivals);
        break;
    }
    case WAIT_GET: {
        const slot *t = &r->slot[f->index % r->slots];
        say(s, "waits in ");
        say_slot(s, "get", f->object, f->index);
        if (r->puts <= f->index)
            say(s, ": %llu puts were made", (unsigned long long)r->puts);
        else if (!t->sealed)
            say(s, ": its put was not done");
        else
            say(s, ": %zu of %zu bytes have arrived", t->landed, t->expected);
        break;
    }
    case WAIT_PRODUCTS:
        say(s, "waits for products");
        break;
    case WAIT_COPIES:
        say(s, "waits for copies out");
        break;
    case WAIT_TURN:
        say(s, "waits for turn %d of %s", (int)f->index, s->turns[f->object].name);
        break;
    case WAIT_NOTHING:
        say(s, "can go on");
        break;
    }
}

static _Noreturn void fail_stuck(ws_sched *s)
{
    say_head(s);
    say(s, "a wait that can never be satisfied");
    for (int i = 0; i < s->nfibers; i++) {
        const fiber *f = s->fiber[i];
        say(s, "\n  ");
        say_group(s, f);
        say(s, " ");
        if (f->done)
            say(s, "has ended");
        else
            say_wait(s, f);
        if (f->tile >= 0 && !f->done)
            say(s, ", tile %ld", f->tile);
    }
    give_up(s);
}

/* ---- what happens next ------------------------------------------------------------------------------------------- */

/* Are all operations of that kind and group, up to the number `last`, at least that far?  */
static bool reached(const ws_sched *s, ws_sched_choice_kind kind, int who, uint64_t last, progress least)
{
    for (int i = 0; i < s->noperations; i++) {
        const operation *o = s->operation[i];
        if (o->kind == kind && o->fiber == who && o->index <= last && o->progress < least)
            return false;
    }
    return true;
}

static uint64_t all_but(uint64_t count, int newest)
{
    return count > (uint64_t)newest ? count - newest : 0;
}

static bool can_run(const ws_sched *s, int who)
{
    const fiber *f = s->fiber[who];
    const ring *r = &s->ring[f->object];
    if (f->done)
        return false;
    switch (f->wait) {
    case WAIT_NOTHING:
        return true;
    case WAIT_START:
        return s->opened;
    case WAIT_PUT:
        return r->slot[f->index % r->slots].released >= f->index / r->slots;
    case WAIT_GET:
        return r->slot[f->index % r->slots].filled > f->index / r->slots;
    case WAIT_PRODUCTS:
        return reached(s, WS_SCHED_PRODUCT, who, all_but(f->committed, f->object), DONE);
    case WAIT_COPIES:
        return reached(s, WS_SCHED_OUT_READ, who, all_but(f->outs, f->object), READ);
    case WAIT_TURN:
        return s->turns[f->object].token[f->index] > 0;
    }
    return false;
}

static int add_choice(ws_sched_choice *choices, int count, ws_sched_choice_kind kind, int who, uint64_t serial)
{
    if (count < MOST_CHOICES)
        choices[count++] = (ws_sched_choice){kind, who, serial};
    return count;
}

static int collect(const ws_sched *s, ws_sched_choice *choices)
{
    int count = 0;
    bool unit_busy[WS_SCHED_FIBERS] = {false}; /* a matrix unit works in order */
    for (int i = 0; i < s->nfibers; i++)
        if (can_run(s, i))
            count = add_choice(choices, count, WS_SCHED_FIBER, i, 0);
    for (int i = 0; i < s->noperations; i++) {
        const operation *o = s->operation[i];
        if (o->progress == DONE)
            continue;
        if (o->kind == WS_SCHED_PRODUCT) {
            if (!unit_busy[o->fiber])
                count = add_choice(choices, count, WS_SCHED_PRODUCT, o->fiber, o->serial);
            unit_busy[o->fiber] = true;
        } else {
            count = add_choice(choices, count, o->progress == READ ? WS_SCHED_OUT_WRITE : o->kind, o->fiber, o->serial);
        }
    }
    return count;
}

/* Weighted, so that a seed can starve a role or let an engine linger.  */
static int choose_by_seed(ws_sched *s, int count, const ws_sched_choice *choices)
{
    uint64_t sum = 0;
    int weight[MOST_CHOICES];
    for (int i = 0; i < count; i++) {
        weight[i] =
            choices[i].kind == WS_SCHED_FIBER ? s->fiber[choices[i].fiber]->weight : s->engine_weight[choices[i].kind];
        sum += weight[i];
    }
    uint64_t left = draw(s) % sum;
    int i = 0;
    while (left >= (uint64_t)weight[i])
        left -= weight[i++];
    return i;
}

static void engine_step(ws_sched *s, uint64_t serial);

/* Let others go on until the one that runs is drawn.  A fiber that has ended does not come back.  */
static void go_on(ws_sched *s, bool ended)
{
    ws_sched_choice choices[MOST_CHOICES];
    for (;;) {
        int count = collect(s, choices);
        if (!count) {
            for (int i = 0; i < s->nfibers; i++)
                if (!s->fiber[i]->done)
                    fail_stuck(s);
            return;
        }
        int pick =
            s->config.choose ? s->config.choose(s->config.user, count, choices) : choose_by_seed(s, count, choices);
        const ws_sched_choice next = choices[pick];
        if (next.kind != WS_SCHED_FIBER) {
            engine_step(s, next.operation);
            continue;
        }
        if (next.fiber != s->current) {
            fiber *from = self(s);
            s->current = next.fiber;
            ws_fiber_switch(&from->context, &self(s)->context, ended);
        }
        return;
    }
}

static void wait_for(ws_sched *s, wait_kind kind, int object, uint64_t index)
{
    fiber *f = self(s);
    f->wait = kind;
    f->object = object;
    f->index = index;
    go_on(s, false);
    f->wait = WAIT_NOTHING;
    f->object = 0;
}

void ws_sched_point(ws_sched *s)
{
    wait_for(s, WAIT_NOTHING, 0, 0);
}

/* ---- the engines' steps ------------------------------------------------------------------------------------------ */

static operation *operation_new(ws_sched *s, ws_sched_choice_kind kind, const void *args, size_t args_bytes)
{
    if (args_bytes > WS_SCHED_ARGS)
        ws_sched_fail(s, "the arguments of an operation take %zu bytes, more than %d", args_bytes, WS_SCHED_ARGS);
    if (s->noperations == s->room) {
        int room = s->room ? 2 * s->room : 64;
        operation **more = realloc(s->operation, room * sizeof *more);
        if (!more)
            ws_sched_fail(s, "out of memory");
        s->operation = more;
        s->room = room;
    }
    operation *o = s->nspare ? s->spare[--s->nspare] : malloc(sizeof *o);
    if (!o)
        ws_sched_fail(s, "out of memory");
    memset(o, 0, offsetof(operation, args));
    memcpy(o->args, args, args_bytes);
    o->kind = kind;
    o->fiber = s->current;
    o->tile = self(s)->tile;
    o->serial = ++s->serial;
    s->operation[s->noperations++] = o;
    return o;
}

static void operation_delete(ws_sched *s, operation *o)
{
    free(o->held);
    o->held = NULL;
    if (s->nspare == s->spare_room) {
        int room = s->spare_room ? 2 * s->spare_room : 64;
        operation **more = realloc(s->spare, room * sizeof *more);
        if (!more) {
            free(o);
            return;
        }
        s->spare = more;
        s->spare_room = room;
    }
    s->spare[s->nspare++] = o;
}

static void hold(ws_sched *s, operation *o, size_t bytes)
{
    o->held = bytes ? malloc(bytes) : NULL;
    if (bytes && !o->held)
        ws_sched_fail(s, "out of memory");
}

/* Forget what is done and was waited for.  */
static void sweep(ws_sched *s)
{
    int kept = 0;
    for (int i = 0; i < s->noperations; i++) {
        operation *o = s->operation[i];
        if (o->progress == DONE && o->retired)
            operation_delete(s, o);
        else
            s->operation[kept++] = o;
    }
    s->noperations = kept;
}

static void fill_up(slot *t)
{
    if (t->sealed && t->landed == t->expected) {
        t->filling = false;
        t->filled++;
    }
}

static void land(ws_sched *s, operation *o)
{
    ring *r = &s->ring[o->ring];
    slot *t = &r->slot[o->index % r->slots];
    o->step(o->args, o->held);
    o->progress = DONE;
    o->retired = true;
    t->landed += o->a.bytes;
    note(s, WS_SCHED_EVENT_COPY_LANDED, o->fiber, o->ring, o->index, o->a);
    fill_up(t);
}

static void read_out(ws_sched *s, operation *o)
{
    hold(s, o, o->held_bytes);
    o->step(o->args, o->held);
    o->progress = READ;
    note(s, WS_SCHED_EVENT_OUT_READ, o->fiber, -1, o->index, o->a);
}

static void engine_step(ws_sched *s, uint64_t serial)
{
    operation *o = NULL;
    for (int i = 0; i < s->noperations && !o; i++)
        if (s->operation[i]->serial == serial)
            o = s->operation[i];
    s->working = o;
    if (o->kind == WS_SCHED_COPY_IN) {
        land(s, o);
    } else if (o->kind == WS_SCHED_PRODUCT) {
        o->step(o->args, o->held);
        o->progress = DONE;
        note(s, WS_SCHED_EVENT_PRODUCT_DONE, o->fiber, (int)o->index, o->serial, nowhere);
    } else if (o->progress == ISSUED) {
        read_out(s, o);
    } else {
        o->write(o->args, o->held);
        o->progress = DONE;
        note(s, WS_SCHED_EVENT_OUT_WRITTEN, o->fiber, -1, o->index, nowhere);
    }
    s->working = NULL;
    sweep(s);
}

/* ---- a CTA ------------------------------------------------------------------------------------------------------- */

static int draw_weight(ws_sched *s)
{
    static const int weights[] = {16, 16, 4, 1};
    return weights[draw(s) % 4];
}

/* Neighbouring seeds must not begin alike.  */
static uint64_t spread(uint64_t seed)
{
    seed += UINT64_C(0x9E3779B97F4A7C15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94D049BB133111EB);
    seed ^= seed >> 31;
    return seed ? seed : 1;
}

ws_sched *ws_sched_new(const ws_sched_config *config)
{
    ws_sched *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->config = *config;
    snprintf(s->kernel, sizeof s->kernel, "%s", config->kernel ? config->kernel : "kernel");
    if (!config->stacks) {
        s->own_stacks = ws_stacks_new();
        s->config.stacks = s->own_stacks;
        if (!s->own_stacks) {
            free(s);
            return NULL;
        }
    }
    s->random = spread(spread(config->seed) + (uint64_t)config->cta);
    for (int i = 0; i < 5; i++)
        s->engine_weight[i] = draw_weight(s);
    return s;
}

void ws_sched_delete(ws_sched *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->nfibers; i++) {
        ws_fiber_drop(&s->fiber[i]->context);
        ws_stacks_give(s->config.stacks, s->fiber[i]->stack);
        free(s->fiber[i]);
    }
    for (int i = 0; i < s->noperations; i++) {
        free(s->operation[i]->held);
        free(s->operation[i]);
    }
    for (int i = 0; i < s->nspare; i++)
        free(s->spare[i]);
    for (int i = 1; i <= s->nrings; i++)
        free(s->ring[i].slot);
    free(s->operation);
    free(s->spare);
    ws_stacks_delete(s->own_stacks);
    free(s);
}

static _Noreturn void fail_left(ws_sched *s, const char *text)
{
    say_head(s);
    say_group(s, self(s));
    say(s, " %s", text);
    say_iteration(s, self(s));
    give_up(s);
}

/* A group ends: nothing of its own may be in flight.  */
static void check_exit(ws_sched *s)
{
    fiber *f = self(s);
    for (int i = 0; i < s->noperations; i++) {
        const operation *o = s->operation[i];
        if (o->fiber != s->current || o->retired)
            continue;
        if (o->kind == WS_SCHED_PRODUCT)
            fail_left(s, "ends with products in flight");
        if (o->kind == WS_SCHED_OUT_READ)
            fail_left(s, "ends while a copy out may still read shared memory: store_wait<0> is missing");
    }
    if (f->nheld)
        fail_slot(s, "ends without releasing", "get", f->held[0].ring, f->held[0].index, "consumed is missing");
}

/* All groups have ended: every slot is empty again.  */
static void check_rings(ws_sched *s)
{
    for (int i = 1; i <= s->nrings; i++) {
        const ring *r = &s->ring[i];
        for (int j = 0; j < r->slots; j++) {
            const slot *t = &r->slot[j];
            uint64_t index = t->released * r->slots + j;
            if (!t->filling && t->filled == t->released)
                continue;
            say_head(s);
            say(s, "at the end ");
            say_slot(s, "put", i, index);
            if (t->filling)
                say(s, " is not full: %s", t->sealed ? "bytes are missing" : "put_done is missing");
            else
                say(s, " is still full: released by %d of %d groups", t->arrived, r->arrivals);
            give_up(s);
        }
    }
}

static void fiber_entry(void)
{
    ws_sched *s = running;
    fiber *f = self(s);
    ws_fiber_entered(&s->main);
    f->run(f->arg);
    check_exit(s);
    note(s, WS_SCHED_EVENT_EXIT, s->current, -1, 0, nowhere);
    f->done = true;
    go_on(s, true);
    check_rings(s);
    ws_fiber_switch(&self(s)->context, &s->main, true);
}

int ws_sched_fiber(ws_sched *s, const char *role, int group, void (*run)(void *arg), void *arg)
{
    if (s->nfibers == WS_SCHED_FIBERS)
        return -1;
    fiber *f = calloc(1, sizeof *f);
    if (!f)
        return -1;
    if (!ws_stacks_take(s->config.stacks, &f->stack)) {
        free(f);
        return -1;
    }
    snprintf(f->role, sizeof f->role, "%s", role ? role : "");
    f->group = group;
    f->run = run;
    f->arg = arg;
    f->weight = draw_weight(s);
    f->tile = -1;
    ws_fiber_make(&f->context, f->stack, fiber_entry);
    s->fiber[s->nfibers] = f;
    return s->nfibers++;
}

bool ws_sched_run(ws_sched *s)
{
    if (!s->nfibers)
        return true;
    ws_sched *outer = running;
    running = s;
    s->current = 0;
    ws_fiber_switch(&s->main, &s->fiber[0]->context, false);
    running = outer;
    return !s->failed;
}

const char *ws_sched_report(const ws_sched *s)
{
    return s->report;
}

ws_sched *ws_sched_current(void)
{
    return running;
}

int ws_sched_self(ws_sched *s)
{
    return s->current;
}

void *ws_sched_user(ws_sched *s)
{
    return s->config.user;
}

void ws_sched_role(ws_sched *s, const char *role)
{
    snprintf(self(s)->role, sizeof self(s)->role, "%s", role);
}

void ws_sched_iteration(ws_sched *s, long tile)
{
    self(s)->tile = tile;
}

long ws_sched_tile(ws_sched *s)
{
    return s->working ? s->working->tile : self(s)->tile;
}

void ws_sched_start(ws_sched *s)
{
    if (++s->started == s->nfibers)
        s->opened = true;
    wait_for(s, WAIT_START, 0, 0);
    note(s, WS_SCHED_EVENT_START, s->current, -1, 0, nowhere);
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
                fail_slot(s, does, "put", i, index, "it is not full");
            if (t->filled > t->released) {
                if (!holds(self(s), i, index))
                    fail_slot(s, does, "put", i, index, "this group has not got it, or has released it");
            } else if (writes) {
                slot_forget(t, range);
            } else {
                fail_slot(s, does, "put", i, index, "it was released");
            }
        }
    }
}

static void check_operations(ws_sched *s, ws_sched_range range, bool writes, const char *does)
{
    for (int i = 0; i < s->noperations; i++) {
        const operation *o = s->operation[i];
        if (o->kind == WS_SCHED_COPY_IN && o->progress != DONE && overlap(o->a, range))
            fail_memory(s, does, o, "shared memory that is being filled");
        if (!writes || o->retired)
            continue;
        if (o->kind == WS_SCHED_PRODUCT && (overlap(o->a, range) || overlap(o->b, range)))
            fail_memory(s, does, o, "an operand of a product in flight");
        if (o->kind == WS_SCHED_OUT_READ && overlap(o->a, range))
            fail_memory(s, does, o, "staging that is still read by a copy out");
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
            say_head(s);
            say_group(s, self(s));
            say(s, " lets an engine read what ");
            say_group(s, f);
            say(s, " wrote: the fence is missing");
            say_iteration(s, self(s));
            give_up(s);
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

void ws_sched_read(ws_sched *s, ws_sched_range range)
{
    check_operations(s, range, false, "reads");
    check_slots(s, range, false, 0, 0);
    note(s, WS_SCHED_EVENT_READ, s->current, -1, 0, range);
}

static void unfenced(fiber *f, ws_sched_range range)
{
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

void ws_sched_write(ws_sched *s, ws_sched_range range)
{
    check_operations(s, range, true, "writes");
    check_slots(s, range, true, 0, 0);
    unfenced(self(s), range);
    note(s, WS_SCHED_EVENT_WRITE, s->current, -1, 0, range);
}

void ws_sched_fence(ws_sched *s)
{
    self(s)->nunfenced = 0;
    note(s, WS_SCHED_EVENT_FENCE, s->current, -1, 0, nowhere);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

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
    r->puts = 0;
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

static void learn_role(ws_sched *s, const char *role)
{
    if (!self(s)->role[0])
        ws_sched_role(s, role);
}

int ws_sched_put(ws_sched *s, int number, uint64_t index)
{
    ring *r = ring_at(s, number);
    slot *t = &r->slot[index % r->slots];
    learn_role(s, "producer");
    wait_for(s, WAIT_PUT, number, index);
    if (index != r->puts)
        fail_slot(s, "makes", "put", number, index,
                  index < r->puts ? "it was made before" : "an earlier one is missing");
    if (t->released != index / r->slots || t->filling || t->filled != t->released)
        fail_slot(s, "makes", "put", number, index, "the slot is in use");
    r->puts++;
    t->filling = true;
    t->sealed = false;
    t->expected = t->issued = t->landed = 0;
    t->nranges = 0;
    note(s, WS_SCHED_EVENT_PUT, s->current, number, index, nowhere);
    return (int)(index % r->slots);
}

/* The slot of a put that is being made.  */
static slot *put_slot(ws_sched *s, int number, uint64_t index, const char *does)
{
    ring *r = ring_at(s, number);
    slot *t = &r->slot[index % r->slots];
    if (!t->filling || t->sealed || t->released != index / r->slots || index >= r->puts)
        fail_slot(s, does, "put", number, index, "that put is not open: put is missing, or put_done came before");
    return t;
}

void ws_sched_expect(ws_sched *s, int number, uint64_t index, size_t bytes)
{
    put_slot(s, number, index, "arms")->expected += bytes;
}

static slot *copy_into(ws_sched *s, int number, uint64_t index, ws_sched_range to)
{
    slot *t = put_slot(s, number, index, "copies into");
    check_operations(s, to, true, "copies into");
    check_slots(s, to, true, number, index);
    if (slot_covers(t, to))
        fail_slot(s, "copies into", "put", number, index, "two copies of one put overlap");
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
    ws_sched_point(s);
    copy_into(s, number, index, to);
    operation *o = operation_new(s, WS_SCHED_COPY_IN, args, args_bytes);
    o->ring = number;
    o->index = index;
    o->a = to;
    o->step = step;
}

void ws_sched_copy_in_now(ws_sched *s, int number, uint64_t index, ws_sched_range to, ws_sched_step step, void *args)
{
    ws_sched_point(s);
    slot *t = copy_into(s, number, index, to);
    step(args, NULL);
    t->landed += to.bytes;
    note(s, WS_SCHED_EVENT_COPY_LANDED, s->current, number, index, to);
}

void ws_sched_put_done(ws_sched *s, int number, uint64_t index)
{
    ws_sched_point(s);
    slot *t = put_slot(s, number, index, "finishes");
    if (t->expected != t->issued) {
        say_head(s);
        say_group(s, self(s));
        say(s, " finishes ");
        say_slot(s, "put", number, index);
        say(s, ": its barrier expects %zu bytes, its copies bring %zu", t->expected, t->issued);
        give_up(s);
    }
    t->sealed = true;
    note(s, WS_SCHED_EVENT_PUT_DONE, s->current, number, index, nowhere);
    fill_up(t);
}

int ws_sched_get(ws_sched *s, int number, uint64_t index)
{
    ring *r = ring_at(s, number);
    slot *t = &r->slot[index % r->slots];
    fiber *f = self(s);
    learn_role(s, "consumer");
    if (index < f->next_get[number])
        fail_slot(s, "makes", "get", number, index, "this group has got it before");
    wait_for(s, WAIT_GET, number, index);
    if (t->released > index / r->slots) {
        say_head(s);
        say_group(s, f);
        say(s, " makes ");
        say_slot(s, "get", number, index);
        say(s, ": it was released before, by other groups: the empty barrier counts %d arrivals", r->arrivals);
        give_up(s);
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
            fail_slot(s, "releases", "get", number, index, "a product in flight reads it: a wait is missing");
        if (o->kind == WS_SCHED_OUT_READ && slot_covers(t, o->a))
            fail_slot(s, "releases", "get", number, index, "a copy out still reads it: a store_wait is missing");
    }
}

/* The slot becomes empty: nobody else may still hold it.  */
static void check_others(ws_sched *s, int number, uint64_t index)
{
    for (int i = 0; i < s->nfibers; i++) {
        if (!holds(s->fiber[i], number, index))
            continue;
        say_head(s);
        say_group(s, self(s));
        say(s, " releases ");
        say_slot(s, "get", number, index);
        say(s, ": the empty barrier counts %d arrivals, but ", s->ring[number].arrivals);
        say_group(s, s->fiber[i]);
        say(s, " still holds it");
        give_up(s);
    }
}

void ws_sched_consumed(ws_sched *s, int number, uint64_t index)
{
    ring *r = ring_at(s, number);
    slot *t = &r->slot[index % r->slots];
    fiber *f = self(s);
    ws_sched_point(s);
    if (!holds(f, number, index))
        fail_slot(s, "releases", "get", number, index, "it has not got it, or has released it before");
    check_release(s, t, number, index);
    for (int i = 0, kept = 0; i < f->nheld; i++)
        if (f->held[i].ring != number || f->held[i].index != index)
            f->held[kept++] = f->held[i];
    f->nheld--;
    if (t->released > index / r->slots) {
        say_head(s);
        say_group(s, f);
        say(s, " releases ");
        say_slot(s, "get", number, index);
        say(s, ": arrivals over count, the empty barrier counts %d", r->arrivals);
        give_up(s);
    }
    note(s, WS_SCHED_EVENT_CONSUMED, s->current, number, index, nowhere);
    if (++t->arrived < r->arrivals)
        return;
    check_others(s, number, index);
    t->arrived = 0;
    t->released++;
}

/* ---- the matrix unit --------------------------------------------------------------------------------------------- */

void ws_sched_product(ws_sched *s, ws_sched_accumulator *acc, ws_sched_range a, ws_sched_range b, ws_sched_step step,
                      const void *args, size_t args_bytes, const void *held, size_t held_bytes)
{
    ws_sched_point(s);
    check_engine_read(s, a);
    check_engine_read(s, b);
    operation *o = operation_new(s, WS_SCHED_PRODUCT, args, args_bytes);
    o->index = self(s)->committed + 1;
    o->a = a;
    o->b = b;
    o->acc = acc;
    o->step = step;
    hold(s, o, held_bytes);
    if (held_bytes)
        memcpy(o->held, held, held_bytes);
    acc->in_flight++;
    note(s, WS_SCHED_EVENT_PRODUCT, s->current, (int)o->index, o->serial, a);
}

void ws_sched_commit(ws_sched *s)
{
    ws_sched_point(s);
    self(s)->committed++;
    note(s, WS_SCHED_EVENT_COMMIT, s->current, (int)self(s)->committed, 0, nowhere);
}

void ws_sched_wait(ws_sched *s, int groups)
{
    fiber *f = self(s);
    wait_for(s, WAIT_PRODUCTS, groups, 0);
    uint64_t last = all_but(f->committed, groups);
    for (int i = 0; i < s->noperations; i++) {
        operation *o = s->operation[i];
        if (o->kind != WS_SCHED_PRODUCT || o->fiber != s->current || o->retired || o->index > last)
            continue;
        o->retired = true;
        o->acc->unnamed = --o->acc->in_flight == 0;
    }
    note(s, WS_SCHED_EVENT_WAIT, s->current, (int)last, 0, nowhere);
    sweep(s);
}

void ws_sched_name(ws_sched *s, ws_sched_accumulator *acc)
{
    (void)s;
    if (!acc->in_flight)
        acc->unnamed = 0;
}

void ws_sched_touched(ws_sched *s, const ws_sched_accumulator *acc, const char *how)
{
    say_head(s);
    say_group(s, self(s));
    if (acc->in_flight)
        say(s, " %s an accumulator while %u of its products are in flight", how, acc->in_flight);
    else
        say(s, " %s an accumulator that the wait for its products did not name", how);
    say_iteration(s, self(s));
    give_up(s);
}

/* ---- copies out -------------------------------------------------------------------------------------------------- */

void ws_sched_copy_out(ws_sched *s, ws_sched_range from, size_t held_bytes, ws_sched_step read, ws_sched_step write,
                       const void *args, size_t args_bytes)
{
    ws_sched_point(s);
    check_engine_read(s, from);
    operation *o = operation_new(s, WS_SCHED_OUT_READ, args, args_bytes);
    o->index = ++self(s)->outs;
    o->a = from;
    o->held_bytes = held_bytes;
    o->step = read;
    o->write = write;
    note(s, WS_SCHED_EVENT_OUT_ISSUED, s->current, -1, o->index, from);
}

void ws_sched_store_wait(ws_sched *s, int copies)
{
    fiber *f = self(s);
    wait_for(s, WAIT_COPIES, copies, 0);
    uint64_t last = all_but(f->outs, copies);
    for (int i = 0; i < s->noperations; i++) {
        operation *o = s->operation[i];
        if (o->kind == WS_SCHED_OUT_READ && o->fiber == s->current && o->index <= last)
            o->retired = true;
    }
    note(s, WS_SCHED_EVENT_STORE_WAIT, s->current, -1, last, nowhere);
    sweep(s);
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
    wait_for(s, WAIT_TURN, number, group);
    t->token[group]--;
    note(s, WS_SCHED_EVENT_TAKE, s->current, number, group, nowhere);
}

void ws_sched_pass(ws_sched *s, int number, int group)
{
    turns *t = turns_at(s, number, group);
    int next = (group + 1) % t->groups;
    ws_sched_point(s);
    if (++t->token[next] > 1) {
        say_head(s);
        say_group(s, self(s));
        say(s, " passes turn %d of %s, which was passed before", next, t->name);
        say_iteration(s, self(s));
        give_up(s);
    }
    note(s, WS_SCHED_EVENT_PASS, s->current, number, next, nowhere);
}
