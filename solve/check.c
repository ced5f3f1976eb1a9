/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check.c - a checker of schedules, by simulation.
 *
 *      I = 2, iterations 0, 1, 2, ...     cycle  0 1 2 3 4 5
 *        load at 0, dot at 3                     l   l d l d      each cycle: operations on a unit <= its capacity
 *
 * The checker executes some iterations, cycle by cycle. It counts operations on units, live values and registers. In
 * the middle of the run, where most iterations overlap, it compares the counts with the machine's limits.
 *
 * The checker shares no code with the clauses. It does not compute cycles modulo I.
 */
#include "solve.h"

#include <stdlib.h>

typedef struct {
    const Problem *problem;
    const Schedule *schedule;
    bool alone;                 /* each group has the machine to itself */
    int iterations, begin, end; /* simulated cycles: [begin, end) */
    int from, to;               /* cycles that are compared: [from, to) */
} Run;

static bool grouped(const Run *ctx, int op)
{
    return !ctx->problem->ops[op].variable && !ctx->problem->ops[op].streaming;
}

static bool crosses(const Run *ctx, const Edge *edge)
{
    return spills(ctx->problem, edge->from, edge->to) &&
           ctx->schedule->group[edge->from] != ctx->schedule->group[edge->to];
}

static char *check_operations(const Run *ctx)
{
    int first = INT32_MAX;

    for (int v = 0; v < ctx->problem->nops; v++) {
        const Op *op = &ctx->problem->ops[v];
        int group = ctx->schedule->group[v];
        if (grouped(ctx, v) ? group < 0 || group >= ctx->problem->groups : group != NOT_GIVEN)
            return format("%s is in group %d", op->name, group);
        if (op->streaming)
            continue;
        if (ctx->schedule->at[v] < 0 || ctx->schedule->at[v] + op->cycles > ctx->schedule->length)
            return format("%s at %d is not within %d cycles", op->name, ctx->schedule->at[v], ctx->schedule->length);
        first = ctx->schedule->at[v] < first ? ctx->schedule->at[v] : first;
        for (int u = 0; u < v; u++)
            if (grouped(ctx, u) && grouped(ctx, v) && ctx->schedule->group[u] == group &&
                ctx->problem->ops[u].alone != op->alone)
                return format("%s and %s are in one group, and one of them is to be alone", ctx->problem->ops[u].name,
                              op->name);
    }
    return NULL;
}

static char *check_edges(const Run *ctx)
{
    int crossings = 0;

    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        int behind =
            ctx->schedule->at[edge->to] + edge->distance * ctx->schedule->interval - ctx->schedule->at[edge->from];
        int delay = ctx->problem->ops[edge->from].streaming ? ctx->problem->ops[edge->from].latency : edge->delay;
        if (behind < delay + (crosses(ctx, edge) ? ctx->problem->ops[edge->from].spill : 0))
            return format("%s is issued %d cycles behind %s", ctx->problem->ops[edge->to].name, behind,
                          ctx->problem->ops[edge->from].name);
        bool again = false;
        for (int f = 0; f < e; f++)
            again |= ctx->problem->edges[f].from == edge->from && ctx->problem->edges[f].to == edge->to;
        crossings += crosses(ctx, edge) && !again;
    }
    if (crossings != ctx->schedule->crossings)
        return format("there are %d crossings, and not %d", crossings, ctx->schedule->crossings);
    if (ctx->problem->crossings != NOT_GIVEN && crossings > ctx->problem->crossings)
        return format("there are %d crossings", crossings);
    return NULL;
}

static void count(const Run *ctx, int *counts, int from, int to, int amount)
{
    for (int t = from > ctx->begin ? from : ctx->begin; t < to && t < ctx->end; t++)
        counts[t - ctx->begin] += amount;
}

static char *too_many(const Run *ctx, const int *counts, int capacity, const char *what, const char *of)
{
    for (int t = ctx->from; t < ctx->to; t++)
        if (counts[t - ctx->begin] > capacity)
            return format("%s %s: %d of %d in cycle %d modulo %d", what, of, counts[t - ctx->begin], capacity,
                          t % ctx->schedule->interval, ctx->schedule->interval);
    return NULL;
}

static int *no_counts(const Run *ctx)
{
    return need(calloc((size_t)(ctx->end - ctx->begin), sizeof(int)));
}

/* Checks the capacity of a unit for one group, or for all groups together: NOT_GIVEN.  */
static char *check_unit_of(const Run *ctx, int unit, int group)
{
    int *counts = no_counts(ctx), streamed = 0;

    for (int v = 0; v < ctx->problem->nops; v++)
        for (int u = 0; u < ctx->problem->ops[v].nuses; u++) {
            const Use *use = &ctx->problem->ops[v].uses[u];
            if (use->unit != unit || (group != NOT_GIVEN && ctx->schedule->group[v] != group))
                continue;
            if (ctx->problem->ops[v].streaming) {
                streamed += use->cycles;
                continue;
            }
            int copies = group == NOT_GIVEN ? replicas_of(ctx->problem, &ctx->problem->ops[v]) : 1;
            for (int i = 0; i < ctx->iterations * copies; i++) {
                int at = i / copies * ctx->schedule->interval + ctx->schedule->at[v] + use->offset +
                         replica_shift(ctx->problem, ctx->schedule->interval, i % copies);
                count(ctx, counts, at, at + use->cycles, 1);
            }
        }
    char *wrong = too_many(ctx, counts, ctx->problem->units[unit].capacity, "unit", ctx->problem->units[unit].name);
    if (!wrong && streamed &&
        busy_cycles(ctx->problem, unit) > ctx->schedule->interval * ctx->problem->units[unit].capacity)
        wrong = format("unit %s is asked for more than it can do", ctx->problem->units[unit].name);
    free(counts);
    return wrong;
}

static char *check_unit(const Run *ctx, int unit)
{
    char *wrong = NULL;

    if (!ctx->problem->units[unit].each && !ctx->alone)
        return check_unit_of(ctx, unit, NOT_GIVEN);
    for (int group = 0; group < ctx->problem->groups && !wrong; group++)
        wrong = check_unit_of(ctx, unit, group);
    return wrong;
}

/* Returns the cycle in which the last reader of the value has read it; *read is false if there is no reader.  */
static int last_read(const Run *ctx, int op, bool *read)
{
    int last = INT32_MIN;

    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        int at = ctx->schedule->at[edge->to] + edge->distance * ctx->schedule->interval + edge->hold;
        if (edge->from == op && at > last)
            last = at;
    }
    *read = last != INT32_MIN;
    return last;
}

static void count_lives(const Run *ctx, int *counts, int op, int amount)
{
    bool read;
    int last = last_read(ctx, op, &read);

    for (int i = -ctx->iterations; i < ctx->iterations && read; i++) {
        int from = i * ctx->schedule->interval;
        count(ctx, counts, from + ctx->schedule->at[op], from + last, amount);
    }
}

static char *check_memory(const Run *ctx, int space)
{
    int *counts = no_counts(ctx);

    for (int v = 0; v < ctx->problem->nops; v++)
        for (int h = 0; h < ctx->problem->ops[v].nheld; h++)
            if (ctx->problem->ops[v].held[h].space == space)
                count_lives(ctx, counts, v,
                            ctx->problem->ops[v].held[h].amount * replicas_of(ctx->problem, &ctx->problem->ops[v]));
    char *wrong =
        too_many(ctx, counts, ctx->problem->spaces[space].capacity, "memory", ctx->problem->spaces[space].name);
    free(counts);
    return wrong;
}

static char *check_rings(const Run *ctx)
{
    for (int v = 0; v < ctx->problem->nops; v++) {
        const Op *op = &ctx->problem->ops[v];
        int slots = op->streaming && op->slots ? ring_slots(ctx->problem, ctx->schedule, v) : 0;
        if (slots > op->slots)
            return format("%s needs %d slots and has %d", op->name, slots, op->slots);
    }
    return NULL;
}

static char *check_registers(const Run *ctx, int group)
{
    int *counts = no_counts(ctx);
    char name[16];

    for (int v = 0; v < ctx->problem->nops; v++)
        if (ctx->schedule->group[v] == group)
            count_lives(ctx, counts, v, ctx->problem->ops[v].registers);
    for (int e = 0; e < ctx->problem->nedges && ctx->problem->reader_registers; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        bool again = false;
        for (int f = 0; f < e; f++)
            again |= ctx->problem->edges[f].from == edge->from && ctx->problem->edges[f].to == edge->to;
        int cycles = ctx->problem->ops[edge->to].cycles ? ctx->problem->ops[edge->to].cycles : 1;
        cycles = cycles < ctx->schedule->interval ? cycles : ctx->schedule->interval;
        for (int i = 0; i < ctx->iterations && crosses(ctx, edge) && !again && ctx->schedule->group[edge->to] == group;
             i++) {
            int at = i * ctx->schedule->interval + ctx->schedule->at[edge->to];
            count(ctx, counts, at, at + cycles, ctx->problem->ops[edge->from].registers);
        }
    }
    snprintf(name, sizeof name, "%d", group);
    char *wrong = too_many(ctx, counts, ctx->problem->registers, "registers of group", name);
    free(counts);
    return wrong;
}

/* True if `op` waits for another operation.  No other operation of its group may then be in flight.  */
static bool waits(const Run *ctx, int op)
{
    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        if (edge->to == op && edge->from != op && (edge->blocking || crosses(ctx, edge)))
            return true;
    }
    return false;
}

static char *check_waits(const Run *ctx)
{
    for (int v = 0; v < ctx->problem->nops && ctx->problem->wait != WAIT_FREE; v++) {
        if (!grouped(ctx, v) || !waits(ctx, v))
            continue;
        for (int o = 0; o < ctx->problem->nops; o++) {
            const Op *op = &ctx->problem->ops[o];
            if (o == v || ctx->schedule->group[o] != ctx->schedule->group[v] ||
                (op->asynchronous && ctx->problem->wait == WAIT_IN_ORDER))
                continue;
            for (int i = -ctx->iterations; i <= ctx->iterations; i++) {
                int at = ctx->schedule->at[o] + i * ctx->schedule->interval;
                if (at <= ctx->schedule->at[v] && ctx->schedule->at[v] < at + op->cycles)
                    return format("%s waits while %s of its group is under way", ctx->problem->ops[v].name, op->name);
            }
        }
    }
    return NULL;
}

/* Returns a run that is long enough for the maximum overlap of iterations in its middle.  */
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
    Run ctx = {.problem = problem, .schedule = schedule, .iterations = 2 * stages + 2};
    ctx.begin = -before;
    ctx.from = stages * interval;
    ctx.to = ctx.from + interval;
    ctx.end = ctx.to + 1;
    return ctx;
}

static char *check_within(const Problem *problem, const Schedule *schedule)
{
    for (int v = 0; v < problem->nops; v++)
        if (!problem->ops[v].streaming && schedule->at[v] > schedule->length)
            return format("%s at %d is not within %d cycles", problem->ops[v].name, schedule->at[v], schedule->length);
    return NULL;
}

/* Checks that a group alone keeps the stages and the order of the joint schedule.  */
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
    Run ctx = run_of(problem, &schedule);
    ctx.alone = true;
    char *wrong = check_order(problem, joint);
    wrong = wrong ? wrong : check_operations(&ctx);
    wrong = wrong ? wrong : check_edges(&ctx);
    for (int unit = 0; unit < problem->nunits && !wrong; unit++)
        wrong = check_unit(&ctx, unit);
    wrong = wrong ? wrong : check_waits(&ctx);
    return wrong ? format("a group alone, interval %d: %s", interval, wrong) : NULL;
}

char *check_schedule(const Problem *problem, const Schedule *schedule)
{
    char *wrong = check_within(problem, schedule);

    if (wrong)
        return wrong;
    Run ctx = run_of(problem, schedule);
    wrong = check_operations(&ctx);
    wrong = wrong ? wrong : check_edges(&ctx);
    for (int unit = 0; unit < problem->nunits && !wrong; unit++)
        wrong = check_unit(&ctx, unit);
    for (int space = 0; space < problem->nspaces && !wrong; space++)
        wrong = check_memory(&ctx, space);
    wrong = wrong ? wrong : check_rings(&ctx);
    for (int group = 0; group < problem->groups && problem->registers && !wrong; group++)
        wrong = check_registers(&ctx, group);
    wrong = wrong ? wrong : check_waits(&ctx);
    return wrong || !schedule->group_interval ? wrong : check_alone(problem, schedule);
}

/* Counts registers of values that are computed in one time step and read in a later one.  */
int carried_registers(const Problem *problem, const Schedule *schedule)
{
    Run ctx = {.problem = problem, .schedule = schedule};
    int registers = 0;

    for (int v = 0; v < problem->nops; v++) {
        bool read;
        int last = last_read(&ctx, v, &read);
        for (int step = schedule->interval; read && grouped(&ctx, v) && step <= last; step += schedule->interval)
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

/* True if the group issues another product between this one and the first op that waits for it.  If a later time step
   reads the product, the wait is at the end of its own step.  */
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
    Run ctx = run_of(&less, schedule);
    char *wrong = NULL;

    less.registers -= less.spare;
    for (int group = 0; group < problem->groups && problem->registers && !wrong; group++)
        wrong = check_registers(&ctx, group);
    free(wrong);
    return !wrong;
}

/* Returns the maximum number of values of the operation that are live at once.  */
int ring_slots(const Problem *problem, const Schedule *schedule, int op)
{
    Run ctx = {.problem = problem, .schedule = schedule};
    bool read;
    int last = last_read(&ctx, op, &read), lives = read ? last - schedule->at[op] : 1;

    return lives < 1 ? 1 : (lives + schedule->interval - 1) / schedule->interval;
}
