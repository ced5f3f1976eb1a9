/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model.c - clauses that hold for a schedule with interval I and at most L cycles, and only for one.
 *
 * The joint system of "Optimal Software Pipelining and Warp Specialization for Tensor Core GPUs" (Soi et al. 2025,
 * Figures 4 to 6), without its copies of iterations: cycles count modulo I where iterations overlap.  With y [v, t] for
 * "v is issued at or before t" a dependence is a clause of two literals for each cycle.
 *
 *   issued [v, t]        y above; for t below 0 false, from the last possible issue on true
 *   slot [v, s]          v is issued in cycle s modulo I, or anything
 *   assigned [v, w]      v is in group w; an operation of variable latency is in none
 *   crossing [u, v]      u and v are in different groups, or anything
 *   live, flight, same   the value lives; the operation is under way; two operations are in one group; or anything
 *
 * "Or anything": one implication of each definition is enough, where a literal that is true without need only forbids
 * more. Each clause of a named constraint holds under the constraint's selector, so that a failed search names what
 * stood in the way. Where time is up the model stays incomplete, and sat_solve () does not look at it.
 */
#include "solve.h"

#include <stdlib.h>
#include <string.h>

int new_variable(Model *model)
{
    return ++model->nvars;
}

void clause_of(Model *model, const int *literals, int n)
{
    for (int i = 0; i < n; i++)
        if (literals[i] == ALWAYS)
            return;
    for (int i = 0; i < n; i++)
        if (literals[i] != NEVER)
            sat_add(model->sat, literals[i]);
    sat_add(model->sat, 0);
    model->nclauses++;
}

int issued(const Model *model, int op, int cycle)
{
    if (cycle < 0)
        return NEVER;
    return cycle >= model->horizon[op] ? ALWAYS : model->issued[op][cycle];
}

/* The literal under which a constraint of that name holds.  */
static int selector(Model *model, const char *name, const char *of, const char *to)
{
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

static int *variables(Model *model, int n)
{
    int *all = need(malloc((size_t)(n > 0 ? n : 1) * sizeof all[0]));

    for (int i = 0; i < n; i++)
        all[i] = new_variable(model);
    return all;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static void add_time(Model *model)
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

/* v reads what u made `distance` iterations before, and is issued at least `delay` behind it, where `unless` is
   false. */
static void add_delay(Model *model, const Edge *edge, int delay, int name, int unless)
{
    for (int t = 0; t <= model->horizon[edge->to]; t++)
        CLAUSE(model, -name, unless, -issued(model, edge->to, t),
               issued(model, edge->from, t - delay + edge->distance * model->interval));
}

static void add_dependences(Model *model)
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

/* Some operation is issued in cycle 0: all may be shifted there.  Loads that nothing precedes and that take no time
   follow.  */
static bool floats(const Problem *problem, int op)
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
    if (n)
        clause_of(model, starts, n);
    free(starts);
}

/* ---- equal parts ------------------------------------------------------------------------------------------------- */

/* Parts of the graph that only floating operations connect, and that are equal, may change places.  */
typedef struct {
    const Problem *problem;
    int *part;  /* by operation */
    int *image; /* the operation that takes its place */
} Parts;

static void flood(Parts *in, int op, int part)
{
    in->part[op] = part;
    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        int other = edge->from == op ? edge->to : edge->to == op ? edge->from : op;
        if (in->part[other] == NOT_GIVEN && !floats(in->problem, other))
            flood(in, other, part);
    }
}

static bool same_op(const Op *a, const Op *b)
{
    return a->cycles == b->cycles && a->registers == b->registers && a->spill == b->spill &&
           a->variable == b->variable && a->shared == b->shared && a->asynchronous == b->asynchronous &&
           a->alone == b->alone && a->nuses == b->nuses && a->nheld == b->nheld &&
           !memcmp(a->uses, b->uses, sizeof a->uses) && !memcmp(a->held, b->held, sizeof a->held);
}

static bool has_edge(const Parts *in, const Edge *like, int from, int to)
{
    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        if (edge->from == from && edge->to == to && edge->delay == like->delay && edge->distance == like->distance &&
            edge->hold == like->hold && edge->blocking == like->blocking)
            return true;
    }
    return false;
}

static int edges_at(const Parts *in, int op)
{
    int n = 0;

    for (int e = 0; e < in->problem->nedges; e++)
        n += (in->problem->edges[e].from == op) + (in->problem->edges[e].to == op);
    return n;
}

/* Every edge of `op` whose ends have images has one of its own.  */
static bool edges_agree(const Parts *in, int op)
{
    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        if (edge->from != op && edge->to != op)
            continue;
        int from = floats(in->problem, edge->from) ? edge->from : in->image[edge->from];
        int to = floats(in->problem, edge->to) ? edge->to : in->image[edge->to];
        if (from != NOT_GIVEN && to != NOT_GIVEN && !has_edge(in, edge, from, to))
            return false;
    }
    return true;
}

/* Operations of a part in the graph's order take those of another in that order: what a loop over copies writes.  */
static bool equal_parts(Parts *in, int a, int b)
{
    const Problem *problem = in->problem;
    int other = 0, members = 0;

    for (int v = 0; v < problem->nops; v++)
        in->image[v] = NOT_GIVEN;
    for (int v = 0; v < problem->nops; v++) {
        if (in->part[v] != a)
            continue;
        while (other < problem->nops && in->part[other] != b)
            other++;
        if (other == problem->nops || !same_op(&problem->ops[v], &problem->ops[other]) ||
            edges_at(in, v) != edges_at(in, other))
            return false;
        in->image[v] = other++;
        if (!edges_agree(in, v))
            return false;
        members++;
    }
    while (other < problem->nops && in->part[other] != b)
        other++;
    return members && other == problem->nops;
}

static void add_order_of_parts(Model *model)
{
    const Problem *problem = model->problem;
    size_t room = (size_t)problem->nops * sizeof(int);
    Parts in = {problem, need(malloc(room + 1)), need(malloc(room + 1))};
    int parts = 0, *first = need(malloc(room + 1));

    for (int v = 0; v < problem->nops; v++)
        in.part[v] = NOT_GIVEN;
    for (int v = 0; v < problem->nops; v++)
        if (in.part[v] == NOT_GIVEN && !floats(problem, v)) {
            first[parts] = v;
            flood(&in, v, parts++);
        }
    for (int b = 1; b < parts; b++)
        for (int a = b - 1; a >= 0; a--)
            if (equal_parts(&in, a, b)) {
                for (int t = 0; t < model->horizon[first[b]]; t++)
                    CLAUSE(model, -issued(model, first[b], t), issued(model, first[a], t));
                break;
            }
    free(in.part);
    free(in.image);
    free(first);
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* How often an operation that is issued in slot 0 is on the unit in slot s: more than once where it takes longer than
   I.  */
static int uses_of(const Model *model, const Op *op, int unit, int s)
{
    int times = 0;

    for (int i = 0; i < op->nuses; i++)
        for (int c = 0; c < op->uses[i].cycles && op->uses[i].unit == unit; c++)
            for (int replica = 0; replica < replicas_of(model->problem, op); replica++)
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

static void add_unit(Model *model, int unit)
{
    const Problem *problem = model->problem;
    int interval = model->interval, capacity = problem->units[unit].capacity;
    int name = selector(model, "unit", problem->units[unit].name, NULL);
    Term **busy = need(calloc((size_t)interval, sizeof busy[0]));
    int *nbusy = need(calloc((size_t)interval, sizeof nbusy[0]));

    for (int v = 0; v < problem->nops; v++) {
        const Op *op = &problem->ops[v];
        if (op->streaming || !on_unit(op, unit))
            continue;
        int most = 0;
        for (int s = 0; s < interval; s++) {
            int times = uses_of(model, op, unit, s);
            most = times > most ? times : most;
        }
        for (int k = 1; k <= most && !sat_expired(model->sat); k++)
            for (int s = 0; s < interval; s++) {
                int occupied = new_variable(model);
                for (int from = 0; from < interval; from++)
                    if (uses_of(model, op, unit, (s - from + interval) % interval) >= k)
                        CLAUSE(model, -model->slot[v][from], occupied);
                busy[s] = need(realloc(busy[s], (size_t)(nbusy[s] + 1) * sizeof(Term)));
                busy[s][nbusy[s]++] = (Term){occupied, 1};
            }
    }
    for (int s = 0; s < interval; s++) {
        for (int a = 0; a < nbusy[s] && capacity == 1; a++)
            for (int b = 0; b < a; b++)
                CLAUSE(model, -name, -busy[s][a].literal, -busy[s][b].literal);
        if (capacity > 1)
            at_most(model, busy[s], nbusy[s], capacity, name);
        free(busy[s]);
    }
    free(busy);
    free(nbusy);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static bool in_group(const Model *model, int op)
{
    return model->assigned[op] != NULL;
}

/* Groups are numbered in the order in which the graph's operations need them.  */
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
        if (!spills(problem, edge->from, edge->to))
            continue;
        int crosses = crossing(model, edge->from, edge->to);
        if (crosses == NEVER) {
            crosses = new_variable(model);
            terms[model->ncrossings] = (Term){crosses, 1};
            model->crossings[model->ncrossings++] = (Crossing){edge->from, edge->to, crosses};
            for (int w = 0; w < model->groups; w++)
                CLAUSE(model, -model->assigned[edge->from][w], model->assigned[edge->to][w], crosses);
        }
        add_delay(model, edge, edge->delay + problem->ops[edge->from].spill, selector(model, "spill", NULL, NULL),
                  -crosses);
    }
    if (problem->crossings == 0)
        for (int i = 0; i < model->ncrossings; i++)
            CLAUSE(model, -selector(model, "crossings", NULL, NULL), -terms[i].literal);
    else if (problem->crossings > 0)
        at_most(model, terms, model->ncrossings, problem->crossings, selector(model, "crossings", NULL, NULL));
    free(terms);
}

static int in_flight(Model *model, int op, int s)
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

static int in_one_group(Model *model, int a, int b)
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

/* An operation that waits does so alone: what its group has in flight would be held up.  Products that end in the order
   of their issue are no hindrance to a wait for an older one.  */
static void add_waits(Model *model)
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

/* ---- values that live -------------------------------------------------------------------------------------------- */

typedef struct {
    int op, slot, literal;
} Life;

typedef struct {
    Life *lives;
    int n, room;
} Lives;

static void add_life(Lives *lives, int op, int s, int literal)
{
    if (lives->n == lives->room) {
        lives->room = lives->room ? 2 * lives->room : 256;
        lives->lives = need(realloc(lives->lives, (size_t)lives->room * sizeof lives->lives[0]));
    }
    lives->lives[lives->n++] = (Life){op, s, literal};
}

static int modulo(int t, int interval)
{
    return (t % interval + interval) % interval;
}

/* A value lives from its issue until its last reader has read, which may be iterations later.  A streaming operation
   has been issued `latency` cycles before its first reader.  */
static void add_lives(Model *model, Lives *lives, int v)
{
    const Problem *problem = model->problem;
    const Op *op = &problem->ops[v];
    int end = 0, begin = op->streaming ? -op->latency : 0;

    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        if (edge->from == v && model->horizon[edge->to] + edge->distance * model->interval + edge->hold > end)
            end = model->horizon[edge->to] + edge->distance * model->interval + edge->hold;
    }
    for (int t = begin; t < end && !sat_expired(model->sat); t++) {
        int live = new_variable(model), begun = issued(model, v, t);
        add_life(lives, v, modulo(t, model->interval), live);
        if (op->streaming) {
            begun = new_variable(model);
            for (int e = 0; e < problem->nedges; e++) {
                const Edge *edge = &problem->edges[e];
                if (edge->from == v)
                    CLAUSE(model, -issued(model, edge->to, t + op->latency - edge->distance * model->interval), begun);
            }
        }
        for (int e = 0; e < problem->nedges; e++) {
            const Edge *edge = &problem->edges[e];
            if (edge->from == v)
                CLAUSE(model, -begun, issued(model, edge->to, t - edge->distance * model->interval - edge->hold), live);
        }
    }
}

static int amount_held(const Op *op, int space)
{
    int amount = 0;

    for (int i = 0; i < op->nheld; i++)
        amount += op->held[i].space == space ? op->held[i].amount : 0;
    return amount;
}

static void add_memory(Model *model, const Lives *lives, int space)
{
    const Problem *problem = model->problem;
    int name = selector(model, "memory", problem->spaces[space].name, NULL);
    Term *terms = need(malloc((size_t)(lives->n + 1) * sizeof terms[0]));

    for (int s = 0; s < model->interval && !sat_expired(model->sat); s++) {
        int n = 0;
        for (int i = 0; i < lives->n; i++) {
            int amount = amount_held(&problem->ops[lives->lives[i].op], space);
            if (lives->lives[i].slot == s && amount)
                terms[n++] =
                    (Term){lives->lives[i].literal, amount * replicas_of(problem, &problem->ops[lives->lives[i].op])};
        }
        at_most(model, terms, n, problem->spaces[space].capacity, name);
    }
    free(terms);
}

/* What a group reads from another lies in registers of its own, too, while it is read.  */
static void add_read_registers(Model *model, Lives *of_group, int w)
{
    for (int i = 0; i < model->ncrossings; i++) {
        const Crossing *it = &model->crossings[i];
        if (!model->problem->ops[it->from].registers)
            continue;
        for (int s = 0; s < model->interval; s++) {
            int holds = new_variable(model);
            int reads = model->problem->ops[it->to].cycles ? in_flight(model, it->to, s) : model->slot[it->to][s];
            CLAUSE(model, -it->literal, -model->assigned[it->to][w], -reads, holds);
            add_life(of_group, it->from, s, holds);
        }
    }
}

static void add_registers(Model *model, const Lives *lives, int w)
{
    const Problem *problem = model->problem;
    int name = selector(model, "registers", NULL, NULL);
    Lives of_group = {NULL, 0, 0};

    for (int i = 0; i < lives->n; i++) {
        const Life *life = &lives->lives[i];
        if (!problem->ops[life->op].registers || !in_group(model, life->op))
            continue;
        int holds = new_variable(model);
        CLAUSE(model, -life->literal, -model->assigned[life->op][w], holds);
        add_life(&of_group, life->op, life->slot, holds);
    }
    if (problem->reader_registers)
        add_read_registers(model, &of_group, w);
    Term *terms = need(malloc((size_t)(of_group.n + 1) * sizeof terms[0]));
    for (int s = 0; s < model->interval && !sat_expired(model->sat); s++) {
        int n = 0;
        for (int i = 0; i < of_group.n; i++)
            if (of_group.lives[i].slot == s)
                terms[n++] = (Term){of_group.lives[i].literal, problem->ops[of_group.lives[i].op].registers};
        at_most(model, terms, n, problem->registers, name);
    }
    free(terms);
    free(of_group.lives);
}

static void add_values(Model *model)
{
    const Problem *problem = model->problem;
    Lives lives = {NULL, 0, 0};

    for (int v = 0; v < problem->nops; v++)
        if (problem->ops[v].nheld || (problem->registers && problem->ops[v].registers))
            add_lives(model, &lives, v);
    for (int m = 0; m < problem->nspaces; m++)
        add_memory(model, &lives, m);
    for (int w = 0; w < model->groups && problem->registers; w++)
        add_registers(model, &lives, w);
    free(lives.lives);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

Model *model_new(const Problem *problem, int interval, int length, const Limit *limit)
{
    Model *model = need(calloc(1, sizeof *model));
    size_t n = (size_t)problem->nops + 1;

    *model = (Model){
        .problem = problem, .sat = sat_new(limit), .interval = interval, .length = length, .groups = problem->groups};
    model->horizon = need(calloc(n, sizeof(int)));
    model->issued = need(calloc(n, sizeof(int *)));
    model->slot = need(calloc(n, sizeof(int *)));
    model->assigned = need(calloc(n, sizeof(int *)));
    model->same = need(calloc(n, sizeof(int *)));
    model->flight = need(calloc(n, sizeof(int *)));
    add_time(model);
    add_dependences(model);
    add_start(model);
    add_order_of_parts(model);
    for (int unit = 0; unit < problem->nunits; unit++)
        add_unit(model, unit);
    add_groups(model);
    add_crossings(model);
    add_values(model);
    add_waits(model);
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

    sat_free(model->sat);
    free(model->horizon);
    free_all(model->issued, n);
    free_all(model->slot, n);
    free_all(model->assigned, n);
    free_all(model->same, n);
    free_all(model->flight, n);
    for (int i = 0; i < model->nselectors; i++)
        free((char *)model->selectors[i].name);
    free(model->selectors);
    free(model->crossings);
    free(model);
}

/* Assumptions hold for one call.  */
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

void model_read(Model *model, Schedule *schedule)
{
    const Problem *problem = model->problem;

    schedule->interval = model->interval;
    schedule->length = 1;
    schedule->crossings = 0;
    for (int v = 0; v < problem->nops; v++) {
        const Op *op = &problem->ops[v];
        int t = 0;
        while (t < model->horizon[v] && !sat_value(model->sat, model->issued[v][t]))
            t++;
        schedule->at[v] = t;
        schedule->group[v] = NOT_GIVEN;
        for (int w = 0; w < model->groups && model->assigned[v]; w++)
            if (sat_value(model->sat, model->assigned[v][w]))
                schedule->group[v] = w;
        if (!op->streaming && t + op->cycles > schedule->length)
            schedule->length = t + op->cycles;
    }
    for (int v = 0; v < problem->nops; v++) /* before its first reader */
        if (problem->ops[v].streaming) {
            int first = INT32_MAX;
            for (int e = 0; e < problem->nedges; e++) {
                const Edge *edge = &problem->edges[e];
                int at = schedule->at[edge->to] + edge->distance * model->interval;
                if (edge->from == v && at < first)
                    first = at;
            }
            schedule->at[v] = (first == INT32_MAX ? 0 : first) - problem->ops[v].latency;
        }
    for (int i = 0; i < model->ncrossings; i++)
        schedule->crossings += schedule->group[model->crossings[i].from] != schedule->group[model->crossings[i].to];
}
