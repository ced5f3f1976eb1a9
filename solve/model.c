/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model.c - clauses that are satisfiable exactly by the schedules of interval I and at most L cycles.
 *
 * Source: the joint system of "Optimal Software Pipelining and Warp Specialization for Tensor Core GPUs" (Soi et al.
 * 2025, Figures 4 to 6). Instead of copies of iterations, cycles count modulo I. With y [v, t] for "v is issued at or
 * before t", a dependence is a clause of two literals for each cycle.
 *
 *      issued [v, t]        y [v, t]; false for t below 0, true from the last possible issue on
 *      slot [v, s]          true if v is issued in a cycle that is s modulo I
 *      assigned [v, w]      v is in group w; an operation of variable latency is in none
 *      crossing [u, v]      true if u and v are in different groups
 *      live, flight, same   true if the value is live, the operation in flight, two operations in one group
 *
 * Of a definition "true if" the clauses state one implication only. A literal that is true without need forbids more
 * schedules, and allows none.
 *
 * Each clause of a named constraint holds under the selector of the constraint. So a failed search can name the
 * constraints that are in conflict. If the time runs out the model stays incomplete, and sat_solve () does not solve
 * it.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

int new_variable(Model *model)
{
    return ++model->joint->nvars;
}

void clause_of(Model *model, const int *literals, int n)
{
    for (int i = 0; i < n; i++)
        if (literals[i] == ALWAYS)
            return;
    if (model->guard != ALWAYS)
        sat_add(model->sat, -model->guard);
    for (int i = 0; i < n; i++)
        if (literals[i] != NEVER)
            sat_add(model->sat, literals[i]);
    sat_add(model->sat, 0);
    model->joint->nclauses++;
}

int issued(const Model *model, int op, int cycle)
{
    if (cycle < 0)
        return NEVER;
    return cycle >= model->horizon[op] ? ALWAYS : model->issued[op][cycle];
}

int selector(Model *model, const char *name, const char *of, const char *to)
{
    if (model->joint != model)
        return ALWAYS;
    char *whole = to ? format("%s %s -> %s", name, of, to) : of ? format("%s %s", name, of) : format("%s", name);

    for (int i = 0; i < model->nselectors; i++)
        if (!strcmp(model->selectors[i].name, whole)) {
            free(whole);
            return model->selectors[i].literal;
        }
    model->selectors = need(realloc(model->selectors, (size_t)(model->nselectors + 1) * sizeof model->selectors[0]));
    model->selectors[model->nselectors++] = (Selector){whole, new_variable(model), true};
    return model->nvars;
}

int *variables(Model *model, int n)
{
    int *all = need(malloc((size_t)(n > 0 ? n : 1) * sizeof all[0]));

    for (int i = 0; i < n; i++)
        all[i] = new_variable(model);
    return all;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

void add_time(Model *model)
{
    const Problem *problem = model->problem;

    for (int v = 0; v < problem->nops; v++) {
        int last = model->length - problem->ops[v].cycles;
        if (problem->ops[v].streaming)
            continue;
        model->horizon[v] = last;
        if (last < 0)
            CLAUSE(model, NEVER);
        model->issued[v] = variables(model, last);
        model->slot[v] = variables(model, model->interval);
        for (int t = 0; t + 1 < last; t++)
            CLAUSE(model, -issued(model, v, t), issued(model, v, t + 1));
        for (int t = 0; t <= last; t++)
            CLAUSE(model, -issued(model, v, t), issued(model, v, t - 1), model->slot[v][t % model->interval]);
    }
}

/* Adds the clauses of an edge: its reader is issued at least `delay` cycles after the value of `distance` iterations
   before.  The clauses hold under `name`, unless `unless` is true.  */
void add_delay(Model *model, const Edge *edge, int delay, int name, int unless)
{
    for (int t = 0; t <= model->horizon[edge->to]; t++)
        CLAUSE(model, -name, unless, -issued(model, edge->to, t),
               issued(model, edge->from, t - delay + edge->distance * model->interval));
}

void add_dependences(Model *model)
{
    const Problem *problem = model->problem;

    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        if (problem->ops[edge->from].streaming)
            continue;
        int name = selector(model, "dependence", problem->ops[edge->from].name, problem->ops[edge->to].name);
        if (edge->from != edge->to)
            add_delay(model, edge, edge->delay, name, NEVER);
        else if (edge->delay > edge->distance * model->interval)
            CLAUSE(model, -name);
    }
}

/* True for a streaming operation, and for one without predecessors that takes no cycles and no unit. These operations
   do not count for the start of a schedule (add_start ()), as they follow their readers.  */
bool floats(const Problem *problem, int op)
{
    const Op *it = &problem->ops[op];

    if (it->streaming)
        return true;
    if (it->cycles || it->nuses || (it->spill && !it->variable))
        return false;
    for (int e = 0; e < problem->nedges; e++)
        if (problem->edges[e].to == op || (problem->edges[e].from == op && problem->edges[e].delay > 0))
            return false;
    return true;
}

/* True if an aim distinguishes a schedule from the same one shifted by less than an interval.  */
static bool sees_shift(const Problem *problem)
{
    for (int i = 0; i < problem->naims; i++)
        if (problem->aims[i] == AIM_CARRIED || problem->aims[i] == AIM_GROUP_INTERVAL)
            return true;
    return false;
}

static void add_start(Model *model)
{
    const Problem *problem = model->problem;
    int *starts = need(malloc((size_t)(problem->nops + 1) * sizeof starts[0])), n = 0;

    for (int v = 0; v < problem->nops; v++) {
        bool first = !floats(problem, v);
        for (int e = 0; e < problem->nedges && first; e++) {
            const Edge *edge = &problem->edges[e];
            first = edge->to != v || edge->distance || floats(problem, edge->from);
        }
        if (first)
            starts[n++] = issued(model, v, 0);
    }
    if (n && !sees_shift(problem))
        clause_of(model, starts, n);
    free(starts);
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* True if each group has its own unit.  */
static bool of_group(const Model *model, int unit)
{
    return model->problem->units[unit].each || model->joint != model;
}

/* Returns how many iterations of an operation, issued in slot 0, use the unit in slot s at once. The number exceeds 1
   if the operation takes longer than I.  */
static int uses_of(const Model *model, const Op *op, int unit, int s)
{
    int times = 0, copies = of_group(model, unit) ? 1 : replicas_of(model->problem, op);

    for (int i = 0; i < op->nuses; i++)
        for (int c = 0; c < op->uses[i].cycles && op->uses[i].unit == unit; c++)
            for (int replica = 0; replica < copies; replica++)
                times += (op->uses[i].offset + c + replica_shift(model->problem, model->interval, replica)) %
                             model->interval ==
                         s;
    return times;
}

static bool on_unit(const Op *op, int unit)
{
    for (int i = 0; i < op->nuses; i++)
        if (op->uses[i].unit == unit && op->uses[i].cycles)
            return true;
    return false;
}

typedef struct {
    int literal, op;
} Busy;

typedef struct {
    Busy *busy;
    int n;
} BusySlot;

/* Forbids two operations at once on a unit, unless each group has its own and the operations are in two groups.  */
static void add_conflict(Model *model, int unit, int name, const Busy *a, const Busy *b)
{
    int same = NEVER;

    if (of_group(model, unit)) {
        if (!in_group(model, a->op) || !in_group(model, b->op))
            return;
        same = model->groups > 1 && a->op != b->op ? -in_one_group(model, a->op, b->op) : NEVER;
    }
    CLAUSE(model, -name, same, -a->literal, -b->literal);
}

/* Limits the uses of a unit by one group, or by all groups together: NOT_GIVEN.  */
static void add_capacity(Model *model, int unit, int name, const BusySlot *slot, int group)
{
    Term *terms = need(malloc((size_t)(slot->n + 1) * sizeof terms[0]));
    int n = 0;

    for (int i = 0; i < slot->n; i++) {
        int literal = slot->busy[i].literal;
        if (group != NOT_GIVEN) {
            if (!in_group(model, slot->busy[i].op))
                continue;
            literal = new_variable(model);
            CLAUSE(model, -slot->busy[i].literal, -model->assigned[slot->busy[i].op][group], literal);
        }
        terms[n++] = (Term){literal, 1};
    }
    at_most(model, terms, n, model->problem->units[unit].capacity, name);
    free(terms);
}

static void add_busy(Model *model, int unit, int op, BusySlot *slots)
{
    int interval = model->interval, most = 0;
    const Op *it = &model->problem->ops[op];

    for (int s = 0; s < interval; s++) {
        int times = uses_of(model, it, unit, s);
        most = times > most ? times : most;
    }
    for (int k = 1; k <= most && !sat_expired(model->sat); k++)
        for (int s = 0; s < interval; s++) {
            int occupied = new_variable(model);
            for (int from = 0; from < interval; from++)
                if (uses_of(model, it, unit, (s - from + interval) % interval) >= k)
                    CLAUSE(model, -model->slot[op][from], occupied);
            slots[s].busy = need(realloc(slots[s].busy, (size_t)(slots[s].n + 1) * sizeof(Busy)));
            slots[s].busy[slots[s].n++] = (Busy){occupied, op};
        }
}

void add_unit(Model *model, int unit)
{
    const Problem *problem = model->problem;
    int capacity = problem->units[unit].capacity, name = selector(model, "unit", problem->units[unit].name, NULL);
    BusySlot *slots = need(calloc((size_t)model->interval, sizeof slots[0]));

    for (int v = 0; v < problem->nops; v++)
        if (!problem->ops[v].streaming && on_unit(&problem->ops[v], unit))
            add_busy(model, unit, v, slots);
    for (int s = 0; s < model->interval; s++) {
        for (int a = 0; a < slots[s].n && capacity == 1; a++)
            for (int b = 0; b < a; b++)
                add_conflict(model, unit, name, &slots[s].busy[a], &slots[s].busy[b]);
        for (int w = 0; w < model->groups && capacity > 1 && of_group(model, unit); w++)
            add_capacity(model, unit, name, &slots[s], w);
        if (capacity > 1 && !of_group(model, unit))
            add_capacity(model, unit, name, &slots[s], NOT_GIVEN);
        free(slots[s].busy);
    }
    free(slots);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

bool in_group(const Model *model, int op)
{
    return model->assigned[op] != NULL;
}

/* Assigns each operation to one group. To break symmetry, groups are numbered in the order of their first
   operations.  */
static void add_groups(Model *model)
{
    const Problem *problem = model->problem;
    int *before = need(malloc((size_t)(problem->nops + 1) * sizeof before[0]));

    for (int v = 0; v < problem->nops; v++)
        if (!problem->ops[v].variable && !problem->ops[v].streaming)
            model->assigned[v] = variables(model, model->groups);
    for (int v = 0; v < problem->nops; v++) {
        if (!in_group(model, v))
            continue;
        clause_of(model, model->assigned[v], model->groups);
        for (int w = 0; w < model->groups; w++) {
            for (int other = 0; other < w; other++)
                CLAUSE(model, -model->assigned[v][w], -model->assigned[v][other]);
            if (!w)
                continue;
            int n = 0;
            before[n++] = -model->assigned[v][w];
            for (int u = 0; u < v; u++)
                if (in_group(model, u))
                    before[n++] = model->assigned[u][w - 1];
            clause_of(model, before, n);
        }
        for (int u = 0; u < problem->nops; u++) {
            if (!in_group(model, u) || !problem->ops[v].alone || problem->ops[u].alone)
                continue;
            int name = selector(model, "alone", NULL, NULL);
            for (int w = 0; w < model->groups; w++)
                CLAUSE(model, -name, -model->assigned[v][w], -model->assigned[u][w]);
        }
    }
    free(before);
}

static int crossing(const Model *model, int from, int to)
{
    for (int i = 0; i < model->ncrossings; i++)
        if (model->crossings[i].from == from && model->crossings[i].to == to)
            return model->crossings[i].literal;
    return NEVER;
}

static void add_crossings(Model *model)
{
    const Problem *problem = model->problem;
    Term *terms = need(malloc((size_t)(problem->nedges + 1) * sizeof terms[0]));

    model->crossings = need(calloc((size_t)problem->nedges + 1, sizeof model->crossings[0]));
    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        if (!spills(problem, edge->from, edge->to) || crossing(model, edge->from, edge->to) != NEVER)
            continue;
        int crosses = new_variable(model);
        terms[model->ncrossings] = (Term){crosses, 1};
        model->crossings[model->ncrossings++] = (Crossing){edge->from, edge->to, crosses};
        for (int w = 0; w < model->groups; w++)
            CLAUSE(model, -model->assigned[edge->from][w], model->assigned[edge->to][w], crosses);
    }
    if (problem->crossings == 0)
        for (int i = 0; i < model->ncrossings; i++)
            CLAUSE(model, -selector(model, "crossings", NULL, NULL), -terms[i].literal);
    else if (problem->crossings > 0)
        at_most(model, terms, model->ncrossings, problem->crossings, selector(model, "crossings", NULL, NULL));
    free(terms);
}

static void add_spills(Model *model)
{
    const Problem *problem = model->problem;

    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        if (spills(problem, edge->from, edge->to))
            add_delay(model, edge, edge->delay + problem->ops[edge->from].spill, selector(model, "spill", NULL, NULL),
                      -crossing(model, edge->from, edge->to));
    }
}

int in_flight(Model *model, int op, int s)
{
    if (!model->flight[op]) {
        int cycles = model->problem->ops[op].cycles;
        model->flight[op] = variables(model, model->interval);
        for (int from = 0; from < model->interval; from++)
            for (int c = 0; c < cycles && c < model->interval; c++)
                CLAUSE(model, -model->slot[op][from], model->flight[op][(from + c) % model->interval]);
    }
    return model->flight[op][s];
}

int in_one_group(Model *model, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;

    if (!model->same[low])
        model->same[low] = need(calloc((size_t)model->problem->nops, sizeof(int)));
    if (!model->same[low][high]) {
        model->same[low][high] = new_variable(model);
        for (int w = 0; w < model->groups; w++)
            CLAUSE(model, -model->assigned[a][w], -model->assigned[b][w], model->same[low][high]);
    }
    return model->same[low][high];
}

/* No other operation of the group is in flight while an operation waits, as the wait would delay it. Under
   WAIT_IN_ORDER asynchronous operations may be in flight: they end in the order of their issue.  */
void add_waits(Model *model)
{
    const Problem *problem = model->problem;

    for (int e = 0; e < problem->nedges && problem->wait != WAIT_FREE; e++) {
        const Edge *edge = &problem->edges[e];
        int v = edge->to, crosses = crossing(model, edge->from, v);
        if (edge->from == v || !in_group(model, v) || (!edge->blocking && crosses == NEVER))
            continue;
        int name = selector(model, edge->blocking ? "wait before" : "wait for another group before",
                            problem->ops[v].name, NULL);
        for (int o = 0; o < problem->nops && !sat_expired(model->sat); o++) {
            const Op *op = &problem->ops[o];
            if (o == v || !in_group(model, o) || !op->cycles || (problem->wait == WAIT_IN_ORDER && op->asynchronous))
                continue;
            int same = in_one_group(model, v, o);
            for (int s = 0; s < model->interval; s++)
                CLAUSE(model, -name, edge->blocking ? NEVER : -crosses, -model->slot[v][s], -same,
                       -in_flight(model, o, s));
        }
    }
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

static Model *empty(const Problem *problem, int interval, int length)
{
    Model *model = need(calloc(1, sizeof *model));
    size_t n = (size_t)problem->nops + 1;

    *model =
        (Model){.problem = problem, .guard = ALWAYS, .interval = interval, .length = length, .groups = problem->groups};
    model->joint = model;
    model->horizon = need(calloc(n, sizeof(int)));
    model->issued = need(calloc(n, sizeof(int *)));
    model->slot = need(calloc(n, sizeof(int *)));
    model->same = need(calloc(n, sizeof(int *)));
    model->flight = need(calloc(n, sizeof(int *)));
    return model;
}

Model *model_new(const Problem *problem, int interval, int length, const Limit *limit)
{
    Model *model = empty(problem, interval, length);

    model->sat = sat_new(limit);
    model->assigned = need(calloc((size_t)problem->nops + 1, sizeof(int *)));
    add_time(model);
    add_dependences(model);
    add_rings(model);
    add_start(model);
    add_order_of_parts(model);
    add_groups(model);
    for (int unit = 0; unit < problem->nunits; unit++)
        add_unit(model, unit);
    add_crossings(model);
    add_spills(model);
    add_values(model);
    add_waits(model);
    return model;
}

/* The model has cycles of its own, and clauses for dependences, units and waits.  */
Model *model_alone(Model *joint, int interval)
{
    int stages = (joint->length + joint->interval - 1) / joint->interval;
    Model *model = empty(joint->problem, interval, stages * interval);

    model->sat = joint->sat;
    model->joint = joint;
    model->guard = new_variable(model);
    model->assigned = joint->assigned;
    model->crossings = joint->crossings;
    model->ncrossings = joint->ncrossings;
    add_time(model);
    add_dependences(model);
    for (int unit = 0; unit < joint->problem->nunits; unit++)
        add_unit(model, unit);
    add_spills(model);
    add_waits(model);
    add_same_order(model);
    return model;
}

static void free_all(int **all, int n)
{
    for (int i = 0; i < n; i++)
        free(all[i]);
    free(all);
}

void model_free(Model *model)
{
    int n = model->problem->nops;
    bool joint = model->joint == model;

    free(model->horizon);
    free_all(model->issued, n);
    free_all(model->slot, n);
    free_all(model->same, n);
    free_all(model->flight, n);
    if (joint) {
        sat_free(model->sat);
        free_all(model->assigned, n);
        free(model->crossings);
    }
    for (int i = 0; i < model->nselectors; i++)
        free((char *)model->selectors[i].name);
    free(model->selectors);
    free(model);
}

/* Solves the model under the selectors that are on and the literals `more`.  Assumptions hold for one call.  */
Answer model_solve(Model *model, const int *more, int nmore)
{
    for (int i = 0; i < model->nselectors; i++)
        if (model->selectors[i].on)
            sat_assume(model->sat, model->selectors[i].literal);
    for (int i = 0; i < nmore; i++)
        if (more[i] != ALWAYS)
            sat_assume(model->sat, more[i]);
    return sat_solve(model->sat);
}

static int read_cycle(const Model *model, int op)
{
    int t = 0;

    while (t < model->horizon[op] && !sat_value(model->sat, model->issued[op][t]))
        t++;
    return t;
}

/* Returns the cycle of a streaming operation: its latency before the first reader.  */
static int streaming_cycle(const Problem *problem, const int *at, int interval, int op)
{
    int first = INT32_MAX;

    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        int reads = at[edge->to] + edge->distance * interval;
        if (edge->from == op && reads < first)
            first = reads;
    }
    return (first == INT32_MAX ? 0 : first) - problem->ops[op].latency;
}

static void read_cycles(const Model *model, int *at)
{
    const Problem *problem = model->problem;

    for (int v = 0; v < problem->nops; v++)
        if (!problem->ops[v].streaming)
            at[v] = read_cycle(model, v);
    for (int v = 0; v < problem->nops; v++)
        if (problem->ops[v].streaming)
            at[v] = streaming_cycle(problem, at, model->interval, v);
}

void model_read(Model *model, Schedule *schedule)
{
    const Problem *problem = model->problem;

    schedule->interval = model->interval;
    schedule->length = 1;
    schedule->crossings = 0;
    schedule->group_interval = model->alone ? model->alone->interval : 0;
    read_cycles(model, schedule->at);
    if (model->alone)
        read_cycles(model->alone, schedule->alone);
    for (int v = 0; v < problem->nops; v++) {
        const Op *op = &problem->ops[v];
        schedule->group[v] = NOT_GIVEN;
        for (int w = 0; w < model->groups && model->assigned[v]; w++)
            if (sat_value(model->sat, model->assigned[v][w]))
                schedule->group[v] = w;
        if (!op->streaming && schedule->at[v] + op->cycles > schedule->length)
            schedule->length = schedule->at[v] + op->cycles;
    }
    for (int i = 0; i < model->ncrossings; i++)
        schedule->crossings += schedule->group[model->crossings[i].from] != schedule->group[model->crossings[i].to];
}
