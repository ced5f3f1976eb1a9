/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search.c - Algorithm 1 of the paper: the smallest interval I, and for it the fewest stages k; a schedule has at most
 * k I cycles.
 *
 * I starts at its lower bound, from the busiest unit and the slowest recurrence.  Where the solver finds that no
 * schedule exists, the constraints that it needed for that are made fewer, one by one, and named.  Many schedules have
 * the smallest interval.  The one that is printed crosses between groups least often, then is the shortest, then issues
 * each operation as late as it can.
 */
#include "solve.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const Problem *problem;
    const Wish *wish;
    const Limit *limit;
    Schedule *schedule;
    Outcome *outcome;
    double begun;
} Search;

static void progress(const Search *in, const char *what)
{
    if (in->wish->progress)
        fprintf(stderr, "%swsc-solve: I = %d (bound %d), %d stages, %d clauses, %.1f s: %s%s",
                isatty(2) ? "\r\033[K" : "", in->outcome->tried, in->outcome->bound, in->outcome->stages,
                in->outcome->nclauses, now() - in->begun, what, isatty(2) ? "" : "\n");
}

/* ---- why there is none ------------------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

/* Constraints in the order in which they are given up: what says least first.  */
static int rank(const Selector *selector)
{
    static const char *const order[] = {"dependence", "spill",     "memory",      "wait for", "alone",
                                        "registers",  "crossings", "wait before", "unit"};

    for (int i = 0; i < (int)(sizeof order / sizeof order[0]); i++)
        if (starts_with(selector->name, order[i]))
            return i;
    return 0;
}

static int by_rank(const void *a, const void *b)
{
    return rank(a) - rank(b);
}

/* What failed of those assumed stays on.  Valid behind an answer of no.  */
static void keep_failed(Model *model)
{
    for (int i = 0; i < model->nselectors; i++)
        model->selectors[i].on = model->selectors[i].on && sat_failed(model->sat, model->selectors[i].literal);
}

/* A constraint whose absence the solver does not soon find to change nothing is named.  */
static void name_reason(Search *in, Model *model)
{
    double until = now() + 1;
    bool whole = true;
    Text *why = &in->outcome->why;

    keep_failed(model);
    qsort(model->selectors, (size_t)model->nselectors, sizeof model->selectors[0], by_rank);
    for (int i = 0; i < model->nselectors; i++) {
        if (!model->selectors[i].on)
            continue;
        model->selectors[i].on = false;
        sat_hurry(model->sat);
        Answer answer = now() < until ? model_solve(model, NULL, 0) : SAT_UNKNOWN;
        whole &= answer != SAT_UNKNOWN;
        if (answer == SAT_NO)
            keep_failed(model);
        else
            model->selectors[i].on = true;
    }
    add(why, "interval %d, at most %d stages: impossible with", model->interval, in->outcome->stages);
    int n = 0, dependences = 0;
    for (int i = model->nselectors; i-- > 0;)
        if (model->selectors[i].on && rank(&model->selectors[i]))
            add(why, "%s %s", n++ ? "," : "", model->selectors[i].name);
        else
            dependences += model->selectors[i].on;
    if (dependences)
        add(why, "%s %d dependence%s", n ? " and" : "", dependences, dependences == 1 ? "" : "s");
    for (int i = 0; i < model->nselectors && dependences && dependences < 4; i++)
        if (model->selectors[i].on && !rank(&model->selectors[i]))
            add(why, " (%s)", model->selectors[i].name + strlen("dependence "));
    if (!n && !dependences)
        add(why, " %d cycles alone", model->length);
    add(why, "%s\n", whole ? "" : " (perhaps not all of them)");
}

static void name_bound(Search *in)
{
    const Problem *problem = in->problem;
    int *cycle = need(malloc((size_t)(problem->nops + 1) * sizeof cycle[0])), ncycle, unit;
    int from_unit = unit_bound(problem, &unit), from_cycle = cycle_bound(problem, cycle, &ncycle);
    Text *why = &in->outcome->why;

    in->outcome->bound = from_unit > from_cycle ? from_unit : from_cycle;
    if (from_unit >= from_cycle && unit != NOT_GIVEN) {
        int busy = busy_cycles(problem, unit), capacity = problem->units[unit].capacity;
        add(why, "interval %d is needed: unit %s is busy %d cycles an iteration", from_unit, problem->units[unit].name,
            busy);
        add(why, capacity > 1 ? ", and there are %d\n" : "\n", capacity);
    }
    if (from_cycle >= from_unit && ncycle) {
        add(why, "interval %d is needed: recurrence", from_cycle);
        for (int i = ncycle; i-- > 0;)
            add(why, " %s ->", problem->ops[cycle[i]].name);
        add(why, " %s\n", problem->ops[cycle[ncycle - 1]].name);
    }
    free(cycle);
}

/* ---- the best of them -------------------------------------------------------------------------------------------- */

static bool better(Search *in, Model *model, const int *more, int nmore, Answer *answer)
{
    *answer = model_solve(model, more, nmore);
    if (*answer == SAT_YES)
        model_read(model, in->schedule);
    return *answer == SAT_YES;
}

static bool fewest_crossings(Search *in, Model *model)
{
    int n = model->ncrossings, *literals = need(malloc((size_t)(n + 1) * sizeof literals[0])), *at_least;
    Answer answer = SAT_NO;

    for (int i = 0; i < n; i++)
        literals[i] = model->crossings[i].literal;
    count_true(model, literals, n, &at_least);
    progress(in, "fewest crossings");
    while (in->schedule->crossings && better(in, model, &(int){-at_least[in->schedule->crossings - 1]}, 1, &answer))
        continue;
    for (int c = in->schedule->crossings; c < n; c++)
        CLAUSE(model, -at_least[c]);
    free(literals);
    free(at_least);
    return answer != SAT_UNKNOWN;
}

/* A literal under which all is over by then.  */
static int over_by(Model *model, int length)
{
    int literal = new_variable(model);

    for (int v = 0; v < model->problem->nops; v++)
        if (!model->problem->ops[v].streaming)
            CLAUSE(model, -literal, issued(model, v, length - model->problem->ops[v].cycles));
    return literal;
}

static bool shortest(Search *in, Model *model)
{
    int least = shortest_length(in->problem, model->interval);
    Answer answer = SAT_NO;

    progress(in, "shortest");
    while (least < in->schedule->length && answer != SAT_UNKNOWN) {
        int middle = (least + in->schedule->length) / 2, literal = over_by(model, middle);
        if (!better(in, model, &literal, 1, &answer)) {
            CLAUSE(model, -literal);
            least = middle + 1;
        }
    }
    int literal = over_by(model, in->schedule->length);
    CLAUSE(model, literal);
    return answer != SAT_UNKNOWN;
}

/* Readers before what they read: later readers leave it room.  */
static void visit(const Problem *problem, int op, char *seen, int *order, int *n)
{
    if (seen[op]++)
        return;
    for (int e = 0; e < problem->nedges; e++)
        if (problem->edges[e].from == op && !problem->edges[e].distance)
            visit(problem, problem->edges[e].to, seen, order, n);
    order[(*n)++] = op;
}

static bool latest(Search *in, Model *model)
{
    const Problem *problem = in->problem;
    char *seen = need(calloc((size_t)problem->nops + 1, 1));
    int *order = need(malloc((size_t)(problem->nops + 1) * sizeof order[0])), n = 0;
    Answer answer = SAT_NO;

    progress(in, "as late as possible");
    for (int v = problem->nops; v-- > 0;)
        visit(problem, v, seen, order, &n);
    for (int i = 0; i < n && answer != SAT_UNKNOWN; i++) {
        int v = order[i];
        if (problem->ops[v].streaming)
            continue;
        do
            answer = SAT_NO;
        while (in->schedule->at[v] < in->schedule->length - problem->ops[v].cycles &&
               better(in, model, &(int){-issued(model, v, in->schedule->at[v])}, 1, &answer));
        if (in->schedule->at[v])
            CLAUSE(model, -issued(model, v, in->schedule->at[v] - 1));
    }
    free(seen);
    free(order);
    return answer != SAT_UNKNOWN;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static Model *model_at(Search *in, int interval, int stages)
{
    int length = in->wish->length ? in->wish->length : stages * interval;
    Model *model = model_new(in->problem, interval, length, in->limit);

    in->outcome->tried = interval;
    in->outcome->stages = stages;
    in->outcome->nvars = model->nvars;
    in->outcome->nclauses = model->nclauses;
    progress(in, "is there a schedule?");
    return model;
}

static int stages_of(int length, int interval)
{
    return (length + interval - 1) / interval;
}

static bool choose_best(Search *in, int interval, int most)
{
    Model *model = model_at(in, interval, most);
    Answer answer;
    bool best =
        better(in, model, NULL, 0, &answer) && fewest_crossings(in, model) && shortest(in, model) && latest(in, model);

    model_free(model);
    in->outcome->stages = stages_of(in->schedule->length, interval);
    return best;
}

/* The answer for one interval, with the schedule.  */
static Answer try_interval(Search *in, int interval)
{
    int least = stages_of(shortest_length(in->problem, interval), interval);
    int most = in->wish->length   ? stages_of(in->wish->length, interval)
               : in->wish->stages ? in->wish->stages
                                  : least + 1;
    Answer answer = SAT_NO;

    for (int stages = least < most && !in->wish->length ? least : most; stages <= most && answer == SAT_NO; stages++) {
        Model *model = model_at(in, interval, stages);
        better(in, model, NULL, 0, &answer);
        if (answer == SAT_NO && stages == most)
            name_reason(in, model);
        model_free(model);
    }
    if (answer == SAT_YES && !in->wish->first)
        in->outcome->best = choose_best(in, interval, most);
    return answer;
}

/* An interval with which iterations do not overlap.  */
static int longest_interval(const Problem *problem)
{
    int sum = 1;

    for (int v = 0; v < problem->nops; v++)
        sum += problem->ops[v].cycles + problem->ops[v].spill;
    for (int e = 0; e < problem->nedges; e++)
        sum += problem->edges[e].delay;
    return sum;
}

void search(const Problem *problem, const Wish *wish, const Limit *limit, Schedule *schedule, Outcome *outcome)
{
    Search in = {problem, wish, limit, schedule, outcome, now()};

    *outcome = (Outcome){.answer = SAT_NO};
    name_bound(&in);
    int from = wish->from ? wish->from : outcome->bound;
    int to = wish->to ? wish->to : longest_interval(problem);
    outcome->tried = from;
    for (int interval = from; interval <= to && outcome->answer == SAT_NO; interval++)
        outcome->answer = try_interval(&in, interval);
    outcome->seconds = now() - in.begun;
    if (wish->progress && isatty(2))
        fputs("\r\033[K", stderr);
}
