/* SPDX-License-Identifier: MIT */
/*
 * clock.c - the emulation with durations: a prediction of a multiprocessor's timeline for the final programs.
 *
 * The earliest step happens next; no step is drawn.  A machine description (machines/) has the durations:
 *
 *      an operation of a group     waits for its unit, then holds unit and group for work / rate
 *      a product                   waits for the tensor cores, which all groups share, and for the previous product
 *      a copy in, a copy out       waits for the engine; the bytes have landed after the kind's latency
 *      a wait                      ends with the event that it waits for
 *      a put, a get, a barrier     holds the group for the latency of the kind of that name
 *
 * Steps without a kind take no time: addresses, branches.  Each CTA has a multiprocessor of its own.  Lines that begin
 * with "timeline" describe kinds for this file alone, and override lines "kind" of wsc-solve.
 */
#include "state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UNITS = 16, MOST_KINDS = 32, MOST_USES = 4 };

typedef struct {
    char name[24];
    int nuses, unit[MOST_USES];
    double rate[MOST_USES], latency;
} kind;

struct ws_machine {
    char name[32];
    char unit[MOST_UNITS][16];
    bool each[MOST_UNITS]; /* each group has such a unit of its own, and never waits for it */
    kind kind[MOST_KINDS];
    int nunits, nkinds;
    int processors;                     /* 0: not in the description */
    int event[WS_SCHED_EVENT_EXIT + 1]; /* the kind that holds a group for an event, or -1 */
    int record;                         /* the kind of a record of that event */
};

struct clock {
    const ws_machine *machine;
    double now, free[MOST_UNITS], busy[MOST_UNITS]; /* free: when the unit has finished its work */
};

/* ---- the description --------------------------------------------------------------------------------------------- */

static int unit_named(const ws_machine *m, const char *name, size_t length)
{
    for (int i = 0; i < m->nunits; i++)
        if (strlen(m->unit[i]) == length && !strncmp(m->unit[i], name, length))
            return i;
    return -1;
}

/* "use=TC:2048", "latency=1000"; other words are for the solver.  */
static bool read_word(ws_machine *m, kind *k, const char *word)
{
    if (!strncmp(word, "latency=", 8))
        k->latency = strtod(word + 8, NULL);
    if (strncmp(word, "use=", 4))
        return true;
    const char *colon = strchr(word + 4, ':');
    int unit = colon ? unit_named(m, word + 4, (size_t)(colon - word - 4)) : -1;
    double rate = colon ? strtod(colon + 1, NULL) : 0;
    if (unit < 0 || !(rate > 0) || k->nuses == MOST_USES)
        return false;
    k->unit[k->nuses] = unit;
    k->rate[k->nuses++] = rate;
    return true;
}

static int kind_named(const ws_machine *m, const char *name)
{
    for (int i = 0; i < m->nkinds; i++)
        if (!strcmp(m->kind[i].name, name))
            return i;
    return -1;
}

static bool read_line(ws_machine *m, char *line)
{
    char *rest, *first;
    line[strcspn(line, "#\n")] = '\0';
    first = strtok_r(line, " \t", &rest);
    char *name = first ? strtok_r(NULL, " \t", &rest) : NULL;
    if (!name)
        return true;
    if (!strcmp(first, "machine"))
        snprintf(m->name, sizeof m->name, "%s", name);
    if (!strcmp(first, "unit") && m->nunits < MOST_UNITS) {
        for (char *word; (word = strtok_r(NULL, " \t", &rest));)
            m->each[m->nunits] |= !strcmp(word, "each-group");
        snprintf(m->unit[m->nunits++], sizeof m->unit[0], "%s", name);
    }
    if (!strcmp(first, "processors"))
        m->processors = atoi(name);
    if (strcmp(first, "kind") && strcmp(first, "timeline"))
        return true;
    int number = kind_named(m, name);
    if (number < 0 && m->nkinds == MOST_KINDS)
        return false;
    kind *k = &m->kind[number < 0 ? m->nkinds++ : number];
    *k = (kind){.latency = 0};
    snprintf(k->name, sizeof k->name, "%s", name);
    for (char *word; (word = strtok_r(NULL, " \t", &rest));)
        if (!read_word(m, k, word))
            return false;
    return true;
}

static const char *const event_names[WS_SCHED_EVENT_EXIT + 1] = {
    [WS_SCHED_EVENT_START] = "start",      [WS_SCHED_EVENT_PUT] = "put",
    [WS_SCHED_EVENT_PUT_DONE] = "fill",    [WS_SCHED_EVENT_GET] = "get",
    [WS_SCHED_EVENT_CONSUMED] = "release", [WS_SCHED_EVENT_COPY_ISSUED] = "copy",
    [WS_SCHED_EVENT_COMMIT] = "commit",    [WS_SCHED_EVENT_WAIT] = "wait",
    [WS_SCHED_EVENT_FENCE] = "fence",      [WS_SCHED_EVENT_BARRIER] = "barrier",
    [WS_SCHED_EVENT_OUT_ISSUED] = "out",   [WS_SCHED_EVENT_STORE_WAIT] = "read_out",
    [WS_SCHED_EVENT_TAKE] = "turn"};

ws_machine *ws_machine_read(const char *path, int *line)
{
    FILE *file = fopen(path, "r");
    ws_machine *m = file ? calloc(1, sizeof *m) : NULL;
    char text[512];
    *line = 0;
    while (m && fgets(text, sizeof text, file)) {
        ++*line;
        if (read_line(m, text))
            continue;
        free(m);
        m = NULL;
    }
    if (file)
        fclose(file);
    for (int i = 0; m && i <= WS_SCHED_EVENT_EXIT; i++)
        m->event[i] = event_names[i] ? kind_named(m, event_names[i]) : -1;
    if (m)
        m->record = kind_named(m, "record");
    return m;
}

int ws_machine_processors(const ws_machine *m)
{
    return m->processors;
}

const char *ws_cta_clock_kind(const ws_sched *s, int number)
{
    return s->clock && number >= 0 && number < s->clock->machine->nkinds ? s->clock->machine->kind[number].name : "";
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

bool ws_sched_clock(ws_sched *s, const ws_machine *machine)
{
    s->clock = calloc(1, sizeof *s->clock);
    if (s->clock)
        s->clock->machine = machine;
    return s->clock != NULL;
}

double ws_cta_clock_now(const ws_sched *s)
{
    return s->clock->now;
}

/* Occupies the units of a kind from `from` on.  *begin is the time at which all units were free; returns the end.  */
static double take_units(struct clock *c, int number, double work, double from, double *begin)
{
    double longest = 0;
    *begin = from;
    if (number < 0)
        return from;
    const kind *k = &c->machine->kind[number];
    for (int i = 0; i < k->nuses; i++)
        if (!c->machine->each[k->unit[i]] && c->free[k->unit[i]] > *begin)
            *begin = c->free[k->unit[i]];
    for (int i = 0; i < k->nuses; i++) {
        double takes = work / k->rate[i];
        c->free[k->unit[i]] = *begin + takes;
        c->busy[k->unit[i]] += takes;
        longest = takes > longest ? takes : longest;
    }
    return *begin + longest;
}

static double latency_of(const struct clock *c, int number)
{
    return number < 0 ? 0 : c->machine->kind[number].latency;
}

void ws_sched_work(const char *name, double work)
{
    ws_sched *s = ws_sched_current();
    if (!s || !s->clock || s->working)
        return;
    int number = kind_named(s->clock->machine, name);
    fiber *f = self(s);
    double begin;
    if (number < 0)
        return;
    f->clock = take_units(s->clock, number, work, f->clock, &begin) + latency_of(s->clock, number);
    ws_sched_point(s);
    if (s->trace)
        ws_cta_trace_work(s, number, (uint64_t)begin);
}

/* True if kernels compiled with --ws-trace record this event.  */
static bool is_recorded(ws_sched_event_kind event)
{
    return event != WS_SCHED_EVENT_COPY_ISSUED && event != WS_SCHED_EVENT_FENCE && event != WS_SCHED_EVENT_BARRIER;
}

/* Delays the group after an event.  */
void ws_cta_clock_event(ws_sched *s, ws_sched_event_kind event)
{
    const ws_machine *m = s->clock->machine;
    double from = self(s)->clock > s->clock->now ? self(s)->clock : s->clock->now;
    if (!event_names[event] || s->working)
        return;
    self(s)->clock = from + latency_of(s->clock, m->event[event]);
    if (is_recorded(event))
        self(s)->clock += latency_of(s->clock, m->record);
}

void ws_sched_next(const char *name, double work)
{
    ws_sched *s = ws_sched_current();
    if (!s || !s->clock)
        return;
    self(s)->next_kind = kind_named(s->clock->machine, name);
    self(s)->next_work = work;
}

/* The time of an operation's next step, after its start or its read.  */
static double due_of(ws_sched *s, operation *o)
{
    struct clock *c = s->clock;
    double begin;
    if (o->timed && o->progress != READ)
        return o->due;
    if (o->timed) /* a copy out has read: it is written after the latency */
        return o->due + latency_of(c, kind_named(c->machine, "store"));
    o->timed = true;
    if (o->kind == WS_SCHED_PRODUCT) {
        o->due = take_units(c, o->work_kind, o->work, c->now, &begin) + latency_of(c, o->work_kind);
        return o->due;
    }
    int number = kind_named(c->machine, o->kind == WS_SCHED_COPY_IN ? "load" : "store");
    o->due = take_units(c, number, (double)o->a.bytes, c->now, &begin);
    if (o->kind == WS_SCHED_COPY_IN)
        o->due += latency_of(c, number);
    return o->due;
}

static operation *operation_at(ws_sched *s, uint64_t serial)
{
    for (int i = 0; i < s->noperations; i++)
        if (s->operation[i]->serial == serial)
            return s->operation[i];
    return NULL;
}

/* Of steps at one time, those of engines are first, since groups wait for them.  */
int ws_cta_clock_choose(ws_sched *s, int count, const ws_sched_choice *choices)
{
    struct clock *c = s->clock;
    double earliest = 0;
    int best = -1;
    for (int i = 0; i < s->noperations; i++)
        if (s->operation[i]->progress == ISSUED)
            due_of(s, s->operation[i]);
    for (int i = count - 1; i >= 0; i--) {
        double when;
        if (choices[i].kind == WS_SCHED_FIBER) {
            fiber *f = s->fiber[choices[i].fiber];
            if (!f->possible)
                f->ready = f->clock > c->now ? f->clock : c->now;
            f->possible = true;
            when = f->ready;
        } else {
            when = due_of(s, operation_at(s, choices[i].operation));
        }
        if (best < 0 || when < earliest) {
            best = i;
            earliest = when;
        }
    }
    c->now = earliest > c->now ? earliest : c->now;
    if (choices[best].kind == WS_SCHED_FIBER)
        s->fiber[choices[best].fiber]->clock = c->now;
    return best;
}

/* "TC 96%, SFU 0%": the share of time in which each unit was occupied.  */
void ws_cta_clock_units(const ws_sched *s, uint64_t end, char *text, size_t room)
{
    const ws_machine *m = s->clock->machine;
    int used = snprintf(text, room, "%s:", m->name);
    for (int i = 0; i < m->nunits && used < (int)room; i++)
        if (!m->each[i])
            used += snprintf(text + used, room - (size_t)used, "%s %s %d%%", i ? "," : "", m->unit[i],
                             (int)(100 * s->clock->busy[i] / (double)end));
    if (used < (int)room)
        snprintf(text + used, room - (size_t)used, "\n");
}
