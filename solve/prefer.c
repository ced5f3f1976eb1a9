/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prefer.c - the best of the schedules of one interval, by one aim after the other (lexicographic optimization).
 *
 *      while there is a schedule with fewer crossings, take it; then forbid more crossings, and go to the next aim
 *
 * Schedules of the smallest interval keep some unit busy all the time. So a wait costs time unless another product of
 * the group covers it. Of two orders, the better one has the smaller interval for one group alone. It leaves more slack
 * beside the other groups.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

static const char *const doing[AIMS] = {
    [AIM_SPARE] = "sparing registers",          [AIM_CROSSINGS] = "fewest crossings",
    [AIM_EXPOSED] = "least exposed waits",      [AIM_GROUP_INTERVAL] = "least interval of one group",
    [AIM_CARRIED] = "fewest registers carried", [AIM_LENGTH] = "shortest",
    [AIM_LATE] = "as late as possible"};

typedef struct {
    Model *model;
    Schedule *schedule;
} Best;

static Answer better(Best *ctx, int assumed)
{
    Answer answer = model_solve(ctx->model, &assumed, 1);

    if (answer == SAT_YES)
        model_read(ctx->model, ctx->schedule);
    return answer;
}

/* Solves under an assumption.  After SAT_YES the literal is true from now on, after SAT_NO it is false.  */
static Answer decide(Best *ctx, int assumed)
{
    Answer answer = better(ctx, assumed);

    if (answer == SAT_YES)
        CLAUSE(ctx->model, assumed);
    else if (answer == SAT_NO)
        CLAUSE(ctx->model, -assumed);
    return answer;
}

static bool spare_registers(Best *ctx)
{
    return !ctx->model->spare || decide(ctx, ctx->model->spare) != SAT_UNKNOWN;
}

static bool fewest_crossings(Best *ctx)
{
    Model *model = ctx->model;
    int n = model->ncrossings, *literals = need(malloc((size_t)(n + 1) * sizeof literals[0])), *at_least;
    Answer answer = SAT_NO;

    for (int i = 0; i < n; i++)
        literals[i] = model->crossings[i].literal;
    count_true(model, literals, n, &at_least);
    while (ctx->schedule->crossings && (answer = better(ctx, -at_least[ctx->schedule->crossings - 1])) == SAT_YES)
        continue;
    for (int c = ctx->schedule->crossings; c < n; c++)
        CLAUSE(model, -at_least[c]);
    free(literals);
    free(at_least);
    return answer != SAT_UNKNOWN;
}

/* Returns a lower bound of the interval of a group that has the machine to itself.  */
static int least_alone(const Problem *problem)
{
    int *cycle = need(malloc((size_t)(problem->nops + 1) * sizeof cycle[0])), ncycle;
    int least = cycle_bound(problem, cycle, &ncycle, NULL);

    for (int unit = 0; unit < problem->nunits; unit++) {
        int busy = 0, capacity = problem->units[unit].capacity * problem->groups;
        for (int v = 0; v < problem->nops; v++)
            for (int i = 0; i < problem->ops[v].nuses && !problem->ops[v].variable && !problem->ops[v].streaming; i++)
                busy += problem->ops[v].uses[i].unit == unit ? problem->ops[v].uses[i].cycles : 0;
        busy = (busy + capacity - 1) / capacity;
        least = busy > least ? busy : least;
    }
    free(cycle);
    return least;
}

static bool least_group_interval(Best *ctx)
{
    Model *model = ctx->model;
    int least = least_alone(model->problem), most = model->interval + 1; /* the joint schedule has `most` - 1 */
    Answer answer = SAT_NO;

    while (least < most && answer != SAT_UNKNOWN) {
        int middle = (least + most) / 2;
        Model *before = model->alone, *alone = model_alone(model, middle);
        model->alone = alone;
        answer = better(ctx, alone->guard);
        if (answer == SAT_YES) {
            most = middle;
        } else {
            model->alone = before;
            least = middle + 1;
        }
        Model *idle = answer == SAT_YES ? before : alone;
        if (idle) {
            CLAUSE(model, -idle->guard);
            model_free(idle);
        }
    }
    if (model->alone)
        CLAUSE(model, model->alone->guard);
    return answer != SAT_UNKNOWN;
}

/* Minimizes the sum of the terms by bisection.  `value` computes the sum of a schedule.  */
static bool least_sum(Best *ctx, Term *all, int n, int (*value)(const Problem *, const Schedule *))
{
    Model *model = ctx->model;
    const Problem *problem = model->problem;
    Term *terms = need(malloc((size_t)(n + 1) * sizeof terms[0]));
    int least = 0;
    Answer answer = SAT_NO;

    for (int most; least < (most = value(problem, ctx->schedule)) && answer != SAT_UNKNOWN;) {
        int literal = new_variable(model), middle = (least + most) / 2;
        for (int i = 0; i < n; i++)
            terms[i] = all[i];
        at_most(model, terms, n, middle, literal);
        answer = decide(ctx, literal);
        if (answer == SAT_NO)
            least = middle + 1;
    }
    at_most(model, all, n, value(problem, ctx->schedule), 0);
    free(terms);
    free(all);
    return answer != SAT_UNKNOWN;
}

static bool fewest_carried(Best *ctx)
{
    int n;
    Term *terms = carried_terms(ctx->model, &n);

    return least_sum(ctx, terms, n, carried_registers);
}

static bool least_exposed(Best *ctx)
{
    int n;
    Term *terms = exposed_terms(ctx->model, &n);

    return least_sum(ctx, terms, n, exposed_cycles);
}

/* Returns a literal under which all operations end by cycle `length`.  */
static int over_by(Model *model, int length)
{
    int literal = new_variable(model);

    for (int v = 0; v < model->problem->nops; v++)
        if (!model->problem->ops[v].streaming)
            CLAUSE(model, -literal, issued(model, v, length - model->problem->ops[v].cycles));
    return literal;
}

static bool shortest(Best *ctx)
{
    Model *model = ctx->model;
    int least = shortest_length(model->problem, model->interval);
    Answer answer = SAT_NO;

    while (least < ctx->schedule->length && answer != SAT_UNKNOWN) {
        int middle = (least + ctx->schedule->length) / 2;
        answer = decide(ctx, over_by(model, middle));
        if (answer == SAT_NO)
            least = middle + 1;
    }
    CLAUSE(model, over_by(model, ctx->schedule->length));
    return answer != SAT_UNKNOWN;
}

/* Orders readers before the operations that they read, so that delayed readers let these move, too.  */
static void visit(const Problem *problem, int op, char *seen, int *order, int *n)
{
    if (seen[op]++)
        return;
    for (int e = 0; e < problem->nedges; e++)
        if (problem->edges[e].from == op && !problem->edges[e].distance)
            visit(problem, problem->edges[e].to, seen, order, n);
    order[(*n)++] = op;
}

static bool latest(Best *ctx)
{
    Model *model = ctx->model;
    const Problem *problem = model->problem;
    char *seen = need(calloc((size_t)problem->nops + 1, 1));
    int *order = need(malloc((size_t)(problem->nops + 1) * sizeof order[0])), n = 0;
    Answer answer = SAT_NO;

    for (int v = problem->nops; v-- > 0;)
        visit(problem, v, seen, order, &n);
    for (int i = 0; i < n && answer != SAT_UNKNOWN; i++) {
        int v = order[i];
        if (problem->ops[v].streaming)
            continue;
        do
            answer = ctx->schedule->at[v] < ctx->schedule->length - problem->ops[v].cycles
                         ? better(ctx, -issued(model, v, ctx->schedule->at[v]))
                         : SAT_NO;
        while (answer == SAT_YES);
        if (ctx->schedule->at[v])
            CLAUSE(model, -issued(model, v, ctx->schedule->at[v] - 1));
    }
    free(seen);
    free(order);
    return answer != SAT_UNKNOWN;
}

bool prefer(Model *model, Schedule *schedule, void (*progress)(const void *context, const char *what),
            const void *context)
{
    static bool (*const reach[AIMS])(Best *) = {[AIM_SPARE] = spare_registers,
                                                [AIM_CROSSINGS] = fewest_crossings,
                                                [AIM_EXPOSED] = least_exposed,
                                                [AIM_GROUP_INTERVAL] = least_group_interval,
                                                [AIM_CARRIED] = fewest_carried,
                                                [AIM_LENGTH] = shortest,
                                                [AIM_LATE] = latest};
    Best ctx = {model, schedule};
    bool best = true;

    for (int i = 0; i < model->problem->naims && best; i++) {
        Aim aim = model->problem->aims[i];
        progress(context, doing[aim]);
        best = reach[aim](&ctx);
    }
    if (model->alone)
        model_free(model->alone);
    model->alone = NULL;
    return best;
}
