/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search.c - the search for the smallest interval I, and for the fewest stages k of that interval.
 *
 *      lower bound 5      I = 5: no      I = 6: no (unit tensor, dependence a -> b)      I = 7: yes, in 2 stages
 *
 * A schedule has at most k I cycles. The search starts at the lower bound of I, by the busiest unit and the slowest
 * recurrence. For the last I without a schedule, the set of conflicting constraints is minimized one by one, and named.
 * Of the schedules of the smallest interval, prefer.c takes the best.
 *
 * If the search from below takes too long, the search goes on from above. It finds any schedule, and then bisects
 * between its interval and those that are proved impossible. The outcome says which intervals are undecided.
 *
 * Source: Algorithm 1 of "Optimal Software Pipelining and Warp Specialization for Tensor Core GPUs" (Soi et al. 2025).
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
    Model *refuted, *found; /* models of the last interval without a schedule, and of the last one with a schedule */
} Search;

static void progress(const Search *ctx, const char *what)
{
    if (ctx->wish->progress)
        fprintf(stderr, "%swsc-solve: I = %d (bound %d), %d stages, %d clauses, %.1f s: %s%s",
                isatty(2) ? "\r\033[K" : "", ctx->outcome->tried, ctx->outcome->bound, ctx->outcome->stages,
                ctx->outcome->nclauses, now() - ctx->begun, what, isatty(2) ? "" : "\n");
}

static int stages_of(int length, int interval)
{
    return (length + interval - 1) / interval;
}

/* ---- the reason why there is no schedule ------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

/* Returns the order in which constraints are dropped from the reason; the least informative constraints come first.  */
static int rank(const Selector *selector)
{
    static const char *const order[] = {"dependence", "spill",     "memory",      "wait for", "alone",
                                        "registers",  "crossings", "wait before", "slots of", "unit"};

    for (int i = 0; i < (int)(sizeof order / sizeof order[0]); i++)
        if (starts_with(selector->name, order[i]))
            return i;
    return 0;
}

static int by_rank(const void *a, const void *b)
{
    return rank(a) - rank(b);
}

/* Keeps only selectors of the failed assumptions on.  require: the last answer is SAT_NO.  */
static void keep_failed(Model *model)
{
    for (int i = 0; i < model->nselectors; i++)
        model->selectors[i].on = model->selectors[i].on && sat_failed(model->sat, model->selectors[i].literal);
}

/* Writes the reason for which the refuted interval is impossible.  A constraint is left out if the solver shows quickly
   that the interval is impossible without it.  */
static void name_reason(Search *ctx)
{
    Model *model = ctx->refuted;
    double until = now() + 0.25;
    bool whole = true;
    Text *why = &ctx->outcome->why;

    if (!model)
        return;
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
    add(why, "interval %d, at most %d stages: impossible with", model->interval,
        stages_of(model->length, model->interval));
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

static void name_bound(Search *ctx)
{
    const Problem *problem = ctx->problem;
    int *cycle = need(malloc((size_t)(problem->nops + 1) * sizeof cycle[0])), ncycle, unit, load;
    int from_unit = unit_bound(problem, &unit), from_cycle = cycle_bound(problem, cycle, &ncycle, &load);
    Text *why = &ctx->outcome->why;

    ctx->outcome->bound = from_unit > from_cycle ? from_unit : from_cycle;
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
        add(why, " %s", problem->ops[cycle[ncycle - 1]].name);
        if (load != NOT_GIVEN)
            add(why, ", since %s has %d slots and comes %d cycles behind its issue", problem->ops[load].name,
                problem->ops[load].slots, problem->ops[load].latency);
        add(why, "\n");
    }
    free(cycle);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static Model *model_at(Search *ctx, int interval, int stages)
{
    int length = ctx->wish->length ? ctx->wish->length : stages * interval;
    Model *model = model_new(ctx->problem, interval, length, ctx->limit);

    ctx->outcome->tried = interval;
    ctx->outcome->stages = stages;
    ctx->outcome->nvars = model->nvars;
    ctx->outcome->nclauses = model->nclauses;
    progress(ctx, "is there a schedule?");
    return model;
}

static Answer find(Search *ctx, Model *model)
{
    Answer answer = model_solve(model, NULL, 0);

    if (answer == SAT_YES)
        model_read(model, ctx->schedule);
    return answer;
}

static void say(const void *context, const char *what)
{
    progress(context, what);
}

static bool choose_best(Search *ctx)
{
    bool best = prefer(ctx->found, ctx->schedule, say, ctx);

    ctx->outcome->nvars = ctx->found->nvars;
    ctx->outcome->nclauses = ctx->found->nclauses;
    return best;
}

/* Finds the fewest stages of the smallest interval.  */
static void fewest_stages(Search *ctx)
{
    int interval = ctx->schedule->interval, most = stages_of(ctx->found->length, interval);
    Answer answer = ctx->wish->length ? SAT_YES : SAT_NO;

    for (int stages = stages_of(shortest_length(ctx->problem, interval), interval); stages < most && answer == SAT_NO;
         stages++) {
        Model *model = model_at(ctx, interval, stages);
        answer = find(ctx, model);
        model_free(model);
    }
}

static int most_stages(const Search *ctx, int interval)
{
    int least = stages_of(shortest_length(ctx->problem, interval), interval);

    return ctx->wish->length   ? stages_of(ctx->wish->length, interval)
           : ctx->wish->stages ? ctx->wish->stages
                               : least + 1;
}

static void keep(Model **kept, Model *model)
{
    if (*kept)
        model_free(*kept);
    *kept = model;
}

/* Tries an interval and keeps its schedule, if there is one.  */
static Answer try_interval(Search *ctx, int interval)
{
    Model *model = model_at(ctx, interval, most_stages(ctx, interval));
    Answer answer = find(ctx, model);

    if (answer == SAT_NO)
        keep_failed(model);
    if (answer == SAT_UNKNOWN)
        model_free(model);
    else
        keep(answer == SAT_NO ? &ctx->refuted : &ctx->found, model);
    return answer;
}

/* Returns an interval with which iterations do not overlap.  */
static int longest_interval(const Problem *problem)
{
    int sum = 1;

    for (int v = 0; v < problem->nops; v++)
        sum += problem->ops[v].cycles + problem->ops[v].spill;
    for (int e = 0; e < problem->nedges; e++)
        sum += problem->edges[e].delay;
    return sum;
}

/* Tries each interval from `from` on.  */
static void from_below(Search *ctx, int from, int to)
{
    for (int interval = from; interval <= to && ctx->outcome->answer == SAT_NO; interval++)
        ctx->outcome->answer = try_interval(ctx, interval);
    ctx->outcome->open = ctx->outcome->tried;
}

static bool in_time(const Limit *limit, double until)
{
    return now() < until && !(limit->cancelled && *limit->cancelled);
}

/* Goes on after an undecided interval: tries larger ones, doubling the distance, and then bisects.  */
static void from_above(Search *ctx, Limit *limit, double until, int to)
{
    int low = ctx->outcome->tried, step = 1, found = 0;

    while (!found && low < to && in_time(limit, until)) {
        int interval = low + step < to ? low + step : to;
        limit->until = now() + (until - now()) / 3;
        found = try_interval(ctx, interval) == SAT_YES ? interval : 0;
        low = found ? low : interval;
        step *= 2;
    }
    while (found && low + 1 < found && in_time(limit, until - (until - ctx->begun) / 4)) {
        int middle = (low + found) / 2;
        limit->until = now() + (until - now()) / 4;
        if (try_interval(ctx, middle) == SAT_YES)
            found = middle;
        else
            low = middle;
    }
    limit->until = until;
    ctx->outcome->tried = found ? found : ctx->outcome->tried;
    ctx->outcome->answer = found ? SAT_YES : SAT_UNKNOWN;
}

/* The search from below has half of the time.  */
void search(const Problem *problem, const Wish *wish, const Limit *most, Schedule *schedule, Outcome *outcome)
{
    Limit limit = *most;
    Search ctx = {problem, wish, &limit, schedule, outcome, now(), NULL, NULL};

    *outcome = (Outcome){.answer = SAT_NO};
    name_bound(&ctx);
    int from = wish->from ? wish->from : outcome->bound;
    int to = wish->to ? wish->to : outcome->bound + longest_interval(problem);
    outcome->tried = outcome->open = from;
    limit.until = ctx.begun + (most->until - ctx.begun) / 2;
    from_below(&ctx, from, to);
    if (outcome->answer == SAT_UNKNOWN)
        from_above(&ctx, &limit, most->until, to);
    limit.until = most->until;
    name_reason(&ctx);
    if (outcome->answer == SAT_YES && wish->first)
        fewest_stages(&ctx);
    else if (outcome->answer == SAT_YES)
        outcome->best = choose_best(&ctx);
    outcome->stages = outcome->answer == SAT_YES ? stages_of(schedule->length, schedule->interval) : outcome->stages;
    keep(&ctx.refuted, NULL);
    keep(&ctx.found, NULL);
    outcome->seconds = now() - ctx.begun;
    if (wish->progress && isatty(2))
        fputs("\r\033[K", stderr);
}

/* ---- others ------------------------------------------------------------------------------------------------------ */

/* True if both schedules yield the same program.  */
static bool is_same(const Problem *problem, const Schedule *a, const Schedule *b)
{
    for (int u = 0; u < problem->nops; u++) {
        if (a->at[u] / a->interval != b->at[u] / b->interval || a->group[u] != b->group[u])
            return false;
        for (int v = 0; v < u; v++)
            if ((a->at[u] % a->interval < a->at[v] % a->interval) != (b->at[u] % b->interval < b->at[v] % b->interval))
                return false;
    }
    return true;
}

/* Moves an aim to the front, but behind AIM_SPARE.  */
static void put_first(Problem *problem, Aim aim)
{
    int first = problem->naims && problem->aims[0] == AIM_SPARE, at = first;
    while (at < problem->naims && problem->aims[at] != aim)
        at++;
    problem->naims += at == problem->naims;
    for (; at > first; at--)
        problem->aims[at] = problem->aims[at - 1];
    problem->aims[first] = aim;
}

int search_others(const Problem *problem, const Wish *wish, const Limit *limit, const Outcome *outcome,
                  Schedule *schedules, int most)
{
    static const Aim firsts[] = {AIM_CARRIED, AIM_GROUP_INTERVAL, AIM_LENGTH, AIM_EXPOSED};
    int n = 1, interval = schedules[0].interval;

    for (int i = -1; i < (int)(sizeof firsts / sizeof firsts[0]) && n < most && now() < limit->until; i++) {
        Problem other = *problem;
        Outcome its = *outcome;
        Search ctx = {&other, wish, limit, &schedules[n], &its, now(), NULL, NULL};
        int stages = i < 0 ? outcome->stages - 1 : most_stages(&ctx, interval); /* i < 0: fewer stages */
        bool differs;
        if (!stages || (i < 0 && wish->length))
            continue;
        if (i >= 0)
            put_first(&other, firsts[i]);
        Model *model = model_at(&ctx, interval, stages);
        if (find(&ctx, model) == SAT_YES) {
            prefer(model, ctx.schedule, say, &ctx);
            differs = spares_registers(problem, ctx.schedule) || !spares_registers(problem, &schedules[0]);
            for (int k = 0; k < n; k++)
                differs &= !is_same(problem, &schedules[k], ctx.schedule);
            n += differs;
        }
        model_free(model);
    }
    return n;
}
