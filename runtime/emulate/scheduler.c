/* SPDX-License-Identifier: MIT */
/*
 * scheduler.c - fibers, engines, and the choice of the next step: no other file decides order.
 *
 * There is no fiber of the scheduler.  The fiber that lets others go on draws the next step itself.  It carries out
 * steps of engines on its own stack, and switches to another fiber if one is drawn.
 */
#include "state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local ws_sched *running;

static const ws_sched_range nowhere = {NULL, 0};

/* xorshift64*: small, and random enough for this choice.  */
static uint64_t draw(ws_sched *s)
{
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return (s->random * UINT64_C(0x2545F4914F6CDD1D)) >> 16;
}

/* ---- the next step ----------------------------------------------------------------------------------------------- */

/* True if all operations of that kind and group, up to number `last`, have at least the progress `least`.  */
static bool reached(const ws_sched *s, ws_sched_choice_kind kind, int who, uint64_t last, progress least)
{
    for (int i = 0; i < s->noperations; i++) {
        const operation *o = s->operation[i];
        if (o->kind == kind && o->fiber == who && o->index <= last && o->progress < least)
            return false;
    }
    return true;
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
    case WAIT_FINISH:
        return s->finished == s->nfibers;
    case WAIT_PUT:
        return r->slot[f->index % r->slots].released >= f->index / r->slots;
    case WAIT_GET:
        return r->slot[f->index % r->slots].filled > f->index / r->slots;
    case WAIT_PRODUCTS:
        return reached(s, WS_SCHED_PRODUCT, who, all_but(f->committed, f->object), DONE);
    case WAIT_COPIES:
        return reached(s, WS_SCHED_OUT_READ, who, all_but(f->outs, f->object), READ);
    case WAIT_WRITTEN:
        return reached(s, WS_SCHED_OUT_READ, who, f->outs, DONE);
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
    bool unit_busy[WS_SCHED_FIBERS] = {false}; /* a tensor core works in order */
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

/* Weighted, so that a seed can starve a role or delay an engine.  */
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

/* Runs others until the running fiber is drawn.  A fiber that has ended does not return.  */
static void go_on(ws_sched *s, bool ended)
{
    ws_sched_choice choices[MOST_CHOICES];
    for (;;) {
        int count = collect(s, choices);
        if (!count) {
            for (int i = 0; i < s->nfibers; i++)
                if (!s->fiber[i]->done)
                    ws_cta_fail_stuck(s);
            return;
        }
        int pick = s->config.choose ? s->config.choose(s->config.user, count, choices)
                   : s->clock       ? ws_cta_clock_choose(s, count, choices)
                                    : choose_by_seed(s, count, choices);
        if (s->stepped)
            pick = ws_cta_step_choose(s, count, choices, pick);
        const ws_sched_choice next = choices[pick];
        s->drawn++;
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

void ws_cta_wait_for(ws_sched *s, wait_kind kind, int object, uint64_t index)
{
    fiber *f = self(s);
    if (s->trace)
        f->since = ws_cta_trace_time(s);
    f->possible = false;
    f->wait = kind;
    f->object = object;
    f->index = index;
    go_on(s, false);
    f->wait = WAIT_NOTHING;
    f->object = 0;
}

void ws_sched_point(ws_sched *s)
{
    ws_cta_wait_for(s, WAIT_NOTHING, 0, 0);
    self(s)->doing = NULL;
}

void ws_sched_ask(ws_sched *s)
{
    s->stepped = true;
}

/* ---- the engines' steps ------------------------------------------------------------------------------------------ */

operation *ws_cta_operation_new(ws_sched *s, ws_sched_choice_kind kind, const void *args, size_t args_bytes)
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
    o->awaited = self(s)->awaited == o->tile ? self(s)->waits : 0;
    o->told = self(s)->told == o->tile;
    o->work_kind = self(s)->next_kind;
    o->work = self(s)->next_work;
    o->serial = (uint64_t)(s->current + 1) << 40 | ++self(s)->started; /* the same in every order */
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

void ws_cta_hold(ws_sched *s, operation *o, size_t bytes)
{
    o->held = bytes ? malloc(bytes) : NULL;
    if (bytes && !o->held)
        ws_sched_fail(s, "out of memory");
}

/* Frees operations that are done and were waited for.  */
void ws_cta_sweep(ws_sched *s)
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

static void read_out(ws_sched *s, operation *o)
{
    ws_cta_hold(s, o, o->held_bytes);
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
        o->step(o->args, o->held);
        o->progress = DONE;
        o->retired = true;
        ws_cta_landed(s, o);
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
    ws_cta_sweep(s);
}

/* ---- a CTA ------------------------------------------------------------------------------------------------------- */

static int draw_weight(ws_sched *s)
{
    static const int weights[] = {16, 16, 4, 1};
    return weights[draw(s) % 4];
}

/* Adjacent seeds must have different beginnings.  */
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
    s->happens = ws_cta_happens_new();
    if (!s->happens) {
        ws_sched_delete(s);
        return NULL;
    }
    s->random = spread(spread(config->seed) + (uint64_t)config->cta);
    for (int i = 0; i < 5; i++)
        s->engine_weight[i] = draw_weight(s);
    return s;
}

unsigned long ws_sched_drawn(const ws_sched *s)
{
    return s->drawn;
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
    for (int i = 1; i <= s->nturns; i++)
        for (int k = 0; k < s->turns[i].groups; k++)
            free(s->turns[i].text[k]);
    for (int i = 1; i <= s->nrings; i++)
        free(s->ring[i].slot);
    free(s->operation);
    free(s->spare);
    ws_cta_happens_delete(s->happens);
    ws_cta_trace_delete(s->trace);
    free(s->clock);
    ws_stacks_delete(s->own_stacks);
    free(s);
}

static void fiber_entry(void)
{
    ws_sched *s = running;
    fiber *f = self(s);
    ws_fiber_entered(&s->main);
    f->run(f->arg);
    ws_cta_check_exit(s);
    note(s, WS_SCHED_EVENT_EXIT, s->current, -1, 0, nowhere);
    f->done = true;
    go_on(s, true);
    ws_cta_check_rings(s);
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
    f->block = s->config.groups ? s->nfibers / s->config.groups : 0;
    f->run = run;
    f->arg = arg;
    f->weight = draw_weight(s);
    f->tile = f->awaited = f->told = f->untold = -1;
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

int ws_sched_group(ws_sched *s)
{
    return s->config.groups ? s->current % s->config.groups : s->current;
}

int ws_sched_block(ws_sched *s)
{
    return self(s)->block;
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

void ws_sched_await(ws_sched *s, unsigned roles)
{
    self(s)->awaited = self(s)->tile;
    self(s)->waits = roles;
}

unsigned ws_sched_awaited(ws_sched *s)
{
    if (s->working)
        return s->working->awaited;
    return self(s)->awaited == self(s)->tile ? self(s)->waits : 0;
}

bool ws_sched_told(ws_sched *s)
{
    return s->working ? s->working->told : self(s)->told == self(s)->tile;
}

void ws_sched_start(ws_sched *s)
{
    if (++s->started == s->nfibers)
        s->opened = true;
    ws_cta_wait_for(s, WAIT_START, 0, 0);
    note(s, WS_SCHED_EVENT_START, s->current, -1, 0, nowhere);
}

void ws_sched_finish(ws_sched *s)
{
    self(s)->finished = true;
    s->finished++;
    ws_cta_wait_for(s, WAIT_FINISH, 0, 0);
}
