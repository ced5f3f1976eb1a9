/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model-exposed.c - clauses for exposed waits: waits for a product behind which the group has no other in flight.
 *
 *      issue u, issue o, wait u     covered: the tensor cores work on o during the wait
 *      issue u, wait u, issue o     exposed: the tensor cores have no work of this group until it issues o
 *
 * A product o covers the wait if o uses a unit of u. The group has to issue o between u and the first reader of u.
 * The result of a product that a later time step reads is copied at the end of its own step. That copy waits, so
 * o has to come before the end of the step.
 *
 *      exposed [u]       true if no product covers u
 *      copied [u]        true if a later time step reads u
 *      covers [u, o, f]  only true if o of f iterations later covers u
 */
#include "model.h"

#include <stdlib.h>

static bool is_waited_for(const Model *model, int op)
{
    const Problem *problem = model->problem;

    for (int e = 0; e < problem->nedges; e++)
        if (problem->edges[e].from == op && problem->edges[e].blocking && problem->ops[op].asynchronous &&
            in_group(model, op))
            return true;
    return false;
}

/* If the literal holds, `first` is issued before `then` of `later` iterations later.  */
static void add_before(Model *model, int literal, int first, int then, int later)
{
    int tie = first >= then; /* in one slot, operations are issued in the order of the graph */

    for (int t = 0; t <= model->horizon[then]; t++)
        CLAUSE(model, -literal, -issued(model, then, t), issued(model, first, t + later * model->interval - tie));
}

static int copied(Model *model, int u)
{
    const Problem *problem = model->problem;
    int literal = new_variable(model);

    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        for (int end = model->interval; end <= model->length && edge->from == u && edge->blocking;
             end += model->interval)
            CLAUSE(model, -issued(model, u, end - 1), issued(model, edge->to, end - 1), literal);
    }
    return literal;
}

static int covers(Model *model, int u, int copy, int o, int later)
{
    const Problem *problem = model->problem;
    int literal = new_variable(model);

    add_before(model, literal, u, o, later);
    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        if (edge->from == u && edge->blocking)
            add_before(model, literal, o, edge->to, edge->distance - later);
    }
    for (int end = model->interval; end <= model->length; end += model->interval)
        CLAUSE(model, -literal, -copy, -issued(model, u, end - 1), issued(model, o, end - 1 - later * model->interval));
    for (int w = 0; w < model->groups && model->groups > 1; w++)
        CLAUSE(model, -literal, -model->assigned[u][w], model->assigned[o][w]);
    return literal;
}

Term *exposed_terms(Model *model, int *n)
{
    const Problem *problem = model->problem;
    int stages = (model->length + model->interval - 1) / model->interval;
    Term *terms = need(malloc((size_t)(problem->nops + 1) * sizeof terms[0]));
    int *literals = need(malloc((size_t)(problem->nops * (2 * stages + 1) + 2) * sizeof literals[0]));

    *n = 0;
    for (int u = 0; u < problem->nops; u++) {
        if (!is_waited_for(model, u))
            continue;
        int count = 0, copy = copied(model, u);
        literals[count++] = new_variable(model);
        terms[(*n)++] = (Term){literals[0], problem->ops[u].cycles + problem->ops[u].latency};
        for (int o = 0; o < problem->nops; o++)
            for (int later = -stages; later <= stages && may_cover(problem, u, o); later++)
                if (o != u || later > 0)
                    literals[count++] = covers(model, u, copy, o, later);
        clause_of(model, literals, count);
    }
    free(literals);
    return terms;
}
