/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model-exposed.c - clauses for waits that nothing covers.
 *
 * A group that waits for a product u, with none in flight behind it, leaves the tensor cores without work of its own
 * until it has gone on and issued the next one.  A product o, on a unit of u's, covers the wait where the group issues
 * it behind u and before the first that waits for u.  What a later time step reads is copied where its own ends, which
 * waits for it: then o comes before that end.
 *
 *   exposed [u]       nothing covers it, or anything
 *   copied [u]        a later time step reads it, or anything
 *   covers [u, o, f]  o of f iterations later does
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

/* `first` is issued before `then` of so many iterations later, where the literal holds.  */
static void add_before(Model *model, int literal, int first, int then, int later)
{
    int tie = first >= then; /* in one slot the first in the graph is the first */

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
