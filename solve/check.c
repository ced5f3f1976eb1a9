/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.c - is a schedule right?  By running it: some iterations, cycle after cycle, with each thing counted where it
 * is.
 *
 * Nothing here knows of clauses or of cycles modulo I.  What is counted in the middle of the run, where as many
 * iterations are under way as ever will be, is held against the machine.
 */
#include "solve.h"

#include <stdlib.h>

typedef struct {
    const Problem *problem;
    const Schedule *schedule;
    bool alone;                 /* each group has the units to itself */
    int iterations, begin, end; /* cycles that are run: [begin, end) */
    int from, to;               /* those in the middle */
} Run;

static bool grouped(const Run *in, int op)
{
    return !in->problem->ops[op].variable && !in->problem->ops[op].streaming;
}

static bool crosses(const Run *in, const Edge *edge)
{
    return spills(in->problem, edge->from, edge->to) &&
           in->schedule->group[edge->from] != in->schedule->group[edge->to];
}

static char *check_operations(const Run *in)
{
    int first = INT32_MAX;

    for (int v = 0; v < in->problem->nops; v++) {
        const Op *op = &in->problem->ops[v];
        int group = in->schedule->group[v];
        if (grouped(in, v) ? group < 0 || group >= in->problem->groups : group != NOT_GIVEN)
            return format("%s is in group %d", op->name, group);
        if (op->streaming)
            continue;
        if (in->schedule->at[v] < 0 || in->schedule->at[v] + op->cycles > in->schedule->length)
            return format("%s at %d is not within %d cycles", op->name, in->schedule->at[v], in->schedule->length);
        first = in->schedule->at[v] < first ? in->schedule->at[v] : first;
        for (int u = 0; u < v; u++)
            if (grouped(in, u) && grouped(in, v) && in->schedule->group[u] == group &&
                in->problem->ops[u].alone != op->alone)
                return format("%s and %s are in one group, and one of them is to be alone", in->problem->ops[u].name,
                              op->name);
    }
    return NULL;
}

static char *check_edges(const Run *in)
{
    int crossings = 0;

    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        int behind =
            in->schedule->at[edge->to] + edge->distance * in->schedule->interval - in->schedule->at[edge->from];
        int delay = in->problem->ops[edge->from].streaming ? in->problem->ops[edge->from].latency : edge->delay;
        if (behind < delay + (crosses(in, edge) ? in->problem->ops[edge->from].spill : 0))
            return format("%s is issued %d cycles behind %s", in->problem->ops[edge->to].name, behind,
                          in->problem->ops[edge->from].name);
        bool again = false;
        for (int f = 0; f < e; f++)
            again |= in->problem->edges[f].from == edge->from && in->problem->edges[f].to == edge->to;
        crossings += crosses(in, edge) && !again;
    }
    if (crossings != in->schedule->crossings)
        return format("there are %d crossings, and not %d", crossings, in->schedule->crossings);
    if (in->problem->crossings != NOT_GIVEN && crossings > in->problem->crossings)
        return format("there are %d crossings", crossings);
    return NULL;
}

static void count(const Run *in, int *counts, int from, int to, int amount)
{
    for (int t = from > in->begin ? from : in->begin; t < to && t < in->end; t++)
        counts[t - in->begin] += amount;
}

static char *too_many(const Run *in, const int *counts, int capacity, const char *what, const char *of)
{
    for (int t = in->from; t < in->to; t++)
        if (counts[t - in->begin] > capacity)
            return format("%s %s: %d of %d in cycle %d modulo %d", what, of, counts[t - in->begin], capacity,
                          t % in->schedule->interval, in->schedule->interval);
    return NULL;
}

static int *no_counts(const Run *in)
{
    return need(calloc((size_t)(in->end - in->begin), sizeof(int)));
}

/* Of one group, or of all: NOT_GIVEN.  */
static char *check_unit_of(const Run *in, int unit, int group)
{
    int *counts = no_counts(in), streamed = 0;

    for (int v = 0; v < in->problem->nops; v++)
        for (int u = 0; u < in->problem->ops[v].nuses; u++) {
            const Use *use = &in->problem->ops[v].uses[u];
            if (use->unit != unit || (group != NOT_GIVEN && in->schedule->group[v] != group))
                continue;
            if (in->problem->ops[v].streaming) {
                streamed += use->cycles;
                continue;
            }
            int copies = group == NOT_GIVEN ? replicas_of(in->problem, &in->problem->ops[v]) : 1;
            for (int i = 0; i < in->iterations * copies; i++) {
                int at = i / copies * in->schedule->interval + in->schedule->at[v] + use->offset +
                         replica_shift(in->problem, in->schedule->interval, i % copies);
                count(in, counts, at, at + use->cycles, 1);
            }
        }
    char *wrong = too_many(in, counts, in->problem->units[unit].capacity, "unit", in->problem->units[unit].name);
    if (!wrong && streamed &&
        busy_cycles(in->problem, unit) > in->schedule->interval * in->problem->units[unit].capacity)
        wrong = format("unit %s is asked for more than it can do", in->problem->units[unit].name);
    free(counts);
    return wrong;
}

static char *check_unit(const Run *in, int unit)
{
    char *wrong = NULL;

    if (!in->problem->units[unit].each && !in->alone)
        return check_unit_of(in, unit, NOT_GIVEN);
    for (int group = 0; group < in->problem->groups && !wrong; group++)
        wrong = check_unit_of(in, unit, group);
    return wrong;
}

/* Behind the last reader's issue, and until it has read.  */
static int last_read(const Run *in, int op, bool *read)
{
    int last = INT32_MIN;

    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        int at = in->schedule->at[edge->to] + edge->distance * in->schedule->interval + edge->hold;
        if (edge->from == op && at > last)
            last = at;
    }
    *read = last != INT32_MIN;
    return last;
}

static void count_lives(const Run *in, int *counts, int op, int amount)
{
    bool read;
    int last = last_read(in, op, &read);

    for (int i = -in->iterations; i < in->iterations && read; i++) {
        int from = i * in->schedule->interval;
        count(in, counts, from + in->schedule->at[op], from + last, amount);
    }
}

static char *check_memory(const Run *in, int space)
{
    int *counts = no_counts(in);

    for (int v = 0; v < in->problem->nops; v++)
        for (int h = 0; h < in->problem->ops[v].nheld; h++)
            if (in->problem->ops[v].held[h].space == space)
                count_lives(in, counts, v,
                            in->problem->ops[v].held[h].amount * replicas_of(in->problem, &in->problem->ops[v]));
    char *wrong = too_many(in, counts, in->problem->spaces[space].capacity, "memory", in->problem->spaces[space].name);
    free(counts);
    return wrong;
}

static char *check_rings(const Run *in)
{
    for (int v = 0; v < in->problem->nops; v++) {
        const Op *op = &in->problem->ops[v];
        int slots = op->streaming && op->slots ? ring_slots(in->problem, in->schedule, v) : 0;
        if (slots > op->slots)
            return format("%s needs %d slots and has %d", op->name, slots, op->slots);
    }
    return NULL;
}

static char *check_registers(const Run *in, int group)
{
    int *counts = no_counts(in);
    char name[16];

    for (int v = 0; v < in->problem->nops; v++)
        if (in->schedule->group[v] == group)
            count_lives(in, counts, v, in->problem->ops[v].registers);
    for (int e = 0; e < in->problem->nedges && in->problem->reader_registers; e++) {
        const Edge *edge = &in->problem->edges[e];
        bool again = false;
        for (int f = 0; f < e; f++)
            again |= in->problem->edges[f].from == edge->from && in->problem->edges[f].to == edge->to;
        int cycles = in->problem->ops[edge->to].cycles ? in->problem->ops[edge->to].cycles : 1;
        cycles = cycles < in->schedule->interval ? cycles : in->schedule->interval;
        for (int i = 0; i < in->iterations && crosses(in, edge) && !again && in->schedule->group[edge->to] == group;
             i++) {
            int at = i * in->schedule->interval + in->schedule->at[edge->to];
            count(in, counts, at, at + cycles, in->problem->ops[edge->from].registers);
        }
    }
    snprintf(name, sizeof name, "%d", group);
    char *wrong = too_many(in, counts, in->problem->registers, "registers of group", name);
    free(counts);
    return wrong;
}

/* Does `op` wait for something, so that its group's other operations must not be under way?  */
static bool waits(const Run *in, int op)
{
    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        if (edge->to == op && edge->from != op && (edge->blocking || crosses(in, edge)))
            return true;
    }
    return false;
}

static char *check_waits(const Run *in)
{
    for (int v = 0; v < in->problem->nops && in->problem->wait != WAIT_FREE; v++) {
        if (!grouped(in, v) || !waits(in, v))
            continue;
        for (int o = 0; o < in->problem->nops; o++) {
            const Op *op = &in->problem->ops[o];
            if (o == v || in->schedule->group[o] != in->schedule->group[v] ||
                (op->asynchronous && in->problem->wait == WAIT_IN_ORDER))
                continue;
            for (int i = -in->iterations; i <= in->iterations; i++) {
                int at = in->schedule->at[o] + i * in->schedule->interval;
                if (at <= in->schedule->at[v] && in->schedule->at[v] < at + op->cycles)
                    return format("%s waits while %s of its group is under way", in->problem->ops[v].name, op->name);
            }
        }
    }
    return NULL;
}

/* The run in the middle of which as many iterations are under way as ever will be.  */
static Run run_of(const Problem *problem, const Schedule *schedule)
{
    int interval = schedule->interval, reach = schedule->length, before = 0, most = 0;

    for (int v = 0; v < problem->nops; v++) {
        before = problem->ops[v].latency > before ? problem->ops[v].latency : before;
        most = problem->ops[v].cycles > most ? problem->ops[v].cycles : most;
    }
    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        int at = schedule->length + edge->distance * interval + edge->hold;
        reach = at > reach ? at : reach;
    }
    int stages = (reach + before + most) / interval + 2;
    Run in = {.problem = problem, .schedule = schedule, .iterations = 2 * stages + 2};
    in.begin = -before;
    in.from = stages * interval;
    in.to = in.from + interval;
    in.end = in.to + 1;
    return in;
}

static char *check_within(const Problem *problem, const Schedule *schedule)
{
    for (int v = 0; v < problem->nops; v++)
        if (!problem->ops[v].streaming && schedule->at[v] > schedule->length)
            return format("%s at %d is not within %d cycles", problem->ops[v].name, schedule->at[v], schedule->length);
    return NULL;
}

/* Are these cycles and those of a group alone one program?  */
static char *check_order(const Problem *problem, const Schedule *joint)
{
    for (int v = 0; v < problem->nops; v++) {
        int stage = joint->at[v] / joint->interval, slot = joint->at[v] % joint->interval;
        int own = joint->alone[v] % joint->group_interval;
        if (joint->group[v] != NOT_GIVEN && joint->alone[v] / joint->group_interval != stage)
            return format("%s is in another stage alone", problem->ops[v].name);
        for (int u = 0; u < v; u++) {
            int other = joint->alone[u] % joint->group_interval;
            bool first = joint->at[u] % joint->interval <= slot;
            if (joint->group[v] != NOT_GIVEN && joint->group[u] == joint->group[v] &&
                (first ? other > own : own > other))
                return format("%s and %s are in another order alone", problem->ops[u].name, problem->ops[v].name);
        }
    }
    return NULL;
}

static char *check_alone(const Problem *problem, const Schedule *joint)
{
    int interval = joint->group_interval;
    Schedule schedule = {interval, 1, joint->crossings, joint->alone, joint->group, 0, NULL};

    for (int v = 0; v < problem->nops; v++)
        if (!problem->ops[v].streaming && joint->alone[v] + problem->ops[v].cycles > schedule.length)
            schedule.length = joint->alone[v] + problem->ops[v].cycles;
    Run in = run_of(problem, &schedule);
    in.alone = true;
    char *wrong = check_order(problem, joint);
    wrong = wrong ? wrong : check_operations(&in);
    wrong = wrong ? wrong : check_edges(&in);
    for (int unit = 0; unit < problem->nunits && !wrong; unit++)
        wrong = check_unit(&in, unit);
    wrong = wrong ? wrong : check_waits(&in);
    return wrong ? format("a group alone, interval %d: %s", interval, wrong) : NULL;
}

char *check_schedule(const Problem *problem, const Schedule *schedule)
{
    char *wrong = check_within(problem, schedule);

    if (wrong)
        return wrong;
    Run in = run_of(problem, schedule);
    wrong = check_operations(&in);
    wrong = wrong ? wrong : check_edges(&in);
    for (int unit = 0; unit < problem->nunits && !wrong; unit++)
        wrong = check_unit(&in, unit);
    for (int space = 0; space < problem->nspaces && !wrong; space++)
        wrong = check_memory(&in, space);
    wrong = wrong ? wrong : check_rings(&in);
    for (int group = 0; group < problem->groups && problem->registers && !wrong; group++)
        wrong = check_registers(&in, group);
    wrong = wrong ? wrong : check_waits(&in);
    return wrong || !schedule->group_interval ? wrong : check_alone(problem, schedule);
}

/* Of values that were made in a time step before, and that one from here on reads.  */
int carried_registers(const Problem *problem, const Schedule *schedule)
{
    Run in = {.problem = problem, .schedule = schedule};
    int registers = 0;

    for (int v = 0; v < problem->nops; v++) {
        bool read;
        int last = last_read(&in, v, &read);
        for (int step = schedule->interval; read && grouped(&in, v) && step <= last; step += schedule->interval)
            registers += schedule->at[v] < step ? problem->ops[v].registers : 0;
    }
    return registers;
}

bool may_cover(const Problem *problem, int op, int other)
{
    const Op *a = &problem->ops[op], *b = &problem->ops[other];

    for (int i = 0; i < a->nuses; i++)
        for (int k = 0; k < b->nuses; k++)
            if (a->uses[i].unit == b->uses[k].unit)
                return b->asynchronous && !b->variable && !b->streaming;
    return false;
}

/* Does the group issue some product between this one and the first that waits for it, or the end of its time step,
   where a later one reads it?  */
static bool is_covered(const Problem *problem, const Schedule *schedule, int op)
{
    int interval = schedule->interval, begin = schedule->at[op], end = INT32_MAX, reader = 0;

    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        int at = schedule->at[edge->to] + edge->distance * interval;
        if (edge->from == op && edge->blocking && (at < end || (at == end && edge->to < reader))) {
            end = at;
            reader = edge->to;
        }
    }
    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        int step = (begin / interval + 1) * interval;
        if (edge->from == op && edge->blocking && schedule->at[edge->to] >= step && step <= end) {
            end = step;
            reader = 0;
        }
    }
    for (int o = 0; o < problem->nops; o++) {
        if (!may_cover(problem, op, o) || schedule->group[o] != schedule->group[op])
            continue;
        int at = schedule->at[o] % interval - interval;
        while (at < begin || (at == begin && o <= op))
            at += interval;
        if (at < end || (at == end && o < reader))
            return true;
    }
    return false;
}

int exposed_cycles(const Problem *problem, const Schedule *schedule)
{
    int cycles = 0;

    for (int v = 0; v < problem->nops; v++) {
        bool waited = false;
        for (int e = 0; e < problem->nedges; e++)
            waited |= problem->edges[e].from == v && problem->edges[e].blocking;
        if (waited && problem->ops[v].asynchronous && schedule->group[v] != NOT_GIVEN &&
            !is_covered(problem, schedule, v))
            cycles += problem->ops[v].cycles + problem->ops[v].latency;
    }
    return cycles;
}

bool spares_registers(const Problem *problem, const Schedule *schedule)
{
    Problem less = *problem;
    Run in = run_of(&less, schedule);
    char *wrong = NULL;

    less.registers -= less.spare;
    for (int group = 0; group < problem->groups && problem->registers && !wrong; group++)
        wrong = check_registers(&in, group);
    free(wrong);
    return !wrong;
}

/* How many values of an operation live at once.  */
int ring_slots(const Problem *problem, const Schedule *schedule, int op)
{
    Run in = {.problem = problem, .schedule = schedule};
    bool read;
    int last = last_read(&in, op, &read), lives = read ? last - schedule->at[op] : 1;

    return lives < 1 ? 1 : (lives + schedule->interval - 1) / schedule->interval;
}
