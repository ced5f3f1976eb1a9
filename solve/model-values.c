/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model-values.c - clauses for live values: memory, registers, values carried between time steps, slots of rings.
 *
 *      v at 1, last reader at 4, I = 2     live in cycles 1 2 3; slot 1: 2 values, slot 0: 1 value
 */
#include "model.h"

#include <stdlib.h>

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

/* A value is live from its issue until its last reader has read it, which may be iterations later. A streaming
   operation is issued `latency` cycles before its first reader.  */
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

/* A value from another group also occupies registers of the reading group, while the reader is in flight.  */
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

static void add_limit(Model *model, const Lives *lives, int limit, int name)
{
    Term *terms = need(malloc((size_t)(lives->n + 1) * sizeof terms[0]));

    for (int s = 0; s < model->interval && !sat_expired(model->sat); s++) {
        int n = 0;
        for (int i = 0; i < lives->n; i++)
            if (lives->lives[i].slot == s)
                terms[n++] = (Term){lives->lives[i].literal, model->problem->ops[lives->lives[i].op].registers};
        at_most(model, terms, n, limit, name);
    }
    free(terms);
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
    add_limit(model, &of_group, problem->registers, name);
    if (problem->spare && !model->spare)
        model->spare = new_variable(model);
    if (problem->spare)
        add_limit(model, &of_group, problem->registers - problem->spare, model->spare);
    free(of_group.lives);
}

/* ---- values carried between time steps --------------------------------------------------------------------------- */

/* Returns a literal for: v is issued before cycle t, the begin of a time step, and some reader has not read it.  */
static int carried_at(Model *model, int v, int t)
{
    const Problem *problem = model->problem;
    int carried = new_variable(model);

    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        int read = t - 1 - edge->distance * model->interval - edge->hold;
        if (edge->from == v)
            CLAUSE(model, -issued(model, v, t - 1), issued(model, edge->to, read), carried);
    }
    return carried;
}

Term *carried_terms(Model *model, int *n)
{
    const Problem *problem = model->problem;
    Term *terms = NULL;

    *n = 0;
    for (int v = 0; v < problem->nops; v++) {
        int steps = 0;
        if (!in_group(model, v) || !problem->ops[v].registers)
            continue;
        for (int e = 0; e < problem->nedges; e++) {
            const Edge *edge = &problem->edges[e];
            int last = model->horizon[edge->to] + edge->distance * model->interval + edge->hold;
            if (edge->from == v && last / model->interval > steps)
                steps = last / model->interval;
        }
        terms = need(realloc(terms, (size_t)(*n + steps + 1) * sizeof terms[0]));
        for (int i = 1; i <= steps; i++)
            terms[(*n)++] = (Term){carried_at(model, v, i * model->interval), problem->ops[v].registers};
    }
    return terms;
}

/* ---- all values -------------------------------------------------------------------------------------------------- */

void add_values(Model *model)
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

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* Limits the time for which a slot is occupied to `slots` intervals. The slot is occupied from the issue of the load,
   `latency` cycles before the first reader. It is free when the last reader has read it.  */
static void add_slots(Model *model, int op)
{
    const Problem *problem = model->problem;
    int name = selector(model, "slots of", problem->ops[op].name, NULL);

    for (int e = 0; e < problem->nedges; e++)
        for (int f = 0; f < problem->nedges; f++) {
            const Edge *first = &problem->edges[e], *last = &problem->edges[f];
            if (first->from != op || last->from != op)
                continue;
            int distance = last->distance - first->distance - problem->ops[op].slots;
            int delay = last->hold + problem->ops[op].latency + distance * model->interval;
            Edge within = {.from = last->to, .to = first->to};
            if (last->to != first->to)
                add_delay(model, &within, delay, name, NEVER);
            else if (delay > 0)
                CLAUSE(model, -name);
        }
}

void add_rings(Model *model)
{
    for (int v = 0; v < model->problem->nops; v++)
        if (model->problem->ops[v].slots && model->problem->ops[v].streaming)
            add_slots(model, v);
}
