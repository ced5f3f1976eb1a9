/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model-parts.c - symmetry breaking: of equal parts of the graph, the first starts first.
 *
 *      dot a -> exp a -> sum a     the two parts are equal, so each schedule has a mirror image;
 *      dot b -> exp b -> sum b     the clauses keep the one in which dot a is issued no later than dot b
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

/* A part is a connected component of the graph without floating operations (floats ()).  */
typedef struct {
    const Problem *problem;
    int *part;  /* by operation */
    int *image; /* by operation: the corresponding operation of the other part */
} Parts;

static void flood(Parts *ctx, int op, int part)
{
    ctx->part[op] = part;
    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        int other = edge->from == op ? edge->to : edge->to == op ? edge->from : op;
        if (ctx->part[other] == NOT_GIVEN && !floats(ctx->problem, other))
            flood(ctx, other, part);
    }
}

static bool same_op(const Op *a, const Op *b)
{
    return a->cycles == b->cycles && a->registers == b->registers && a->spill == b->spill &&
           a->variable == b->variable && a->shared == b->shared && a->asynchronous == b->asynchronous &&
           a->alone == b->alone && a->nuses == b->nuses && a->nheld == b->nheld &&
           !memcmp(a->uses, b->uses, sizeof a->uses) && !memcmp(a->held, b->held, sizeof a->held);
}

static bool has_edge(const Parts *ctx, const Edge *like, int from, int to)
{
    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        if (edge->from == from && edge->to == to && edge->delay == like->delay && edge->distance == like->distance &&
            edge->hold == like->hold && edge->blocking == like->blocking)
            return true;
    }
    return false;
}

static int edges_at(const Parts *ctx, int op)
{
    int n = 0;

    for (int e = 0; e < ctx->problem->nedges; e++)
        n += (ctx->problem->edges[e].from == op) + (ctx->problem->edges[e].to == op);
    return n;
}

/* True if each edge of `op` whose ends have images has an image.  */
static bool edges_agree(const Parts *ctx, int op)
{
    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        if (edge->from != op && edge->to != op)
            continue;
        int from = floats(ctx->problem, edge->from) ? edge->from : ctx->image[edge->from];
        int to = floats(ctx->problem, edge->to) ? edge->to : ctx->image[edge->to];
        if (from != NOT_GIVEN && to != NOT_GIVEN && !has_edge(ctx, edge, from, to))
            return false;
    }
    return true;
}

/* True if operations of both parts correspond in the order of the graph. A generator that writes copies in a loop makes
   such parts; other isomorphisms are not found.  */
static bool equal_parts(Parts *ctx, int a, int b)
{
    const Problem *problem = ctx->problem;
    int other = 0, members = 0;

    for (int v = 0; v < problem->nops; v++)
        ctx->image[v] = NOT_GIVEN;
    for (int v = 0; v < problem->nops; v++) {
        if (ctx->part[v] != a)
            continue;
        while (other < problem->nops && ctx->part[other] != b)
            other++;
        if (other == problem->nops || !same_op(&problem->ops[v], &problem->ops[other]) ||
            edges_at(ctx, v) != edges_at(ctx, other))
            return false;
        ctx->image[v] = other++;
        if (!edges_agree(ctx, v))
            return false;
        members++;
    }
    while (other < problem->nops && ctx->part[other] != b)
        other++;
    return members && other == problem->nops;
}

void add_order_of_parts(Model *model)
{
    const Problem *problem = model->problem;
    size_t room = (size_t)problem->nops * sizeof(int);
    Parts ctx = {problem, need(malloc(room + 1)), need(malloc(room + 1))};
    int parts = 0, *first = need(malloc(room + 1));

    for (int v = 0; v < problem->nops; v++)
        ctx.part[v] = NOT_GIVEN;
    for (int v = 0; v < problem->nops; v++)
        if (ctx.part[v] == NOT_GIVEN && !floats(problem, v)) {
            first[parts] = v;
            flood(&ctx, v, parts++);
        }
    for (int b = 1; b < parts; b++)
        for (int a = b - 1; a >= 0; a--)
            if (equal_parts(&ctx, a, b)) {
                for (int t = 0; t < model->horizon[first[b]]; t++)
                    CLAUSE(model, -issued(model, first[b], t), issued(model, first[a], t));
                break;
            }
    free(ctx.part);
    free(ctx.image);
    free(first);
}
