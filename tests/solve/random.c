/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * random.c - the smallest interval of small random graphs, by the solver and by trying every schedule.
 *
 *   random COUNT SEED            compares
 *   random --text COUNT SEED     prints the graphs, each followed by a line "answer I", for another judge; I is 0 where
 *                                none is
 *
 * The search by hand knows dependences and units, to be fast; whether a schedule is right check.c says at its leaves.
 */
#include "solve.h"

#include <stdlib.h>
#include <string.h>

enum { STAGES = 2, MORE_INTERVALS = 2 };

static uint64_t state;

static int below(int n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state >> 33) % (uint64_t)n);
}

static bool one_in(int n)
{
    return below(n) == 0;
}

/* ---- a graph ----------------------------------------------------------------------------------------------------- */

static void generate_ops(Text *text, int n)
{
    for (int v = 0; v < n; v++) {
        int cycles = below(4) ? 1 + below(2) : below(4), streaming = v + 1 < n && one_in(8);
        add(text, "op o%d cycles=%d", v, streaming ? 0 : cycles);
        if (streaming)
            add(text, " streaming latency=%d", 1 + below(3));
        else if (cycles && !one_in(6))
            add(text, " use=%s:%d:%d", one_in(2) ? "X" : "Y", below(cycles), 1 + below(cycles));
        if (one_in(3))
            add(text, " memory=m:%d", 1 + below(2));
        if (!one_in(3))
            add(text, " registers=%d", 1 + below(3));
        if (one_in(2))
            add(text, " spill=%d", 1 + below(2));
        add(text, "%s%s%s\n", one_in(3) ? " asynchronous" : "", !streaming && one_in(10) ? " variable" : "",
            one_in(8) ? " alone" : "");
    }
}

static void generate_edges(Text *text, int n, const char *streaming)
{
    for (int u = 0; u < n; u++)
        for (int v = 0; v < n; v++) {
            int distance = u < v ? (one_in(8) ? 1 : 0) : 1 + below(2);
            if (streaming[v] || (u < v ? one_in(3) : !one_in(6)))
                continue;
            add(text, "edge o%d -> o%d distance=%d", u, v, distance);
            if (one_in(5))
                add(text, " delay=%d", below(3));
            if (one_in(4))
                add(text, " hold=%d", 1 + below(2));
            add(text, "%s\n", one_in(4) ? " blocking" : "");
        }
}

static void generate(Text *text, uint64_t seed)
{
    static const char *const waits[] = {"strict", "in-order", "free"};
    char streaming[8] = {0}, name[16];

    state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
    for (int i = 0; i < 8; i++)
        below(2);
    int n = 2 + below(4);
    add(text, "loop random_%d\nunit X capacity=%d\nunit Y\nmemory m capacity=%d\n", (int)seed, 1 + one_in(4),
        2 + below(3));
    add(text, "groups %d\nregisters %d\nwait %s\n", 1 + below(3), one_in(3) ? 0 : 3 + below(5), waits[below(3)]);
    if (one_in(3))
        add(text, "reader-registers\n");
    if (one_in(5))
        add(text, "crossings %d\n", below(2));
    size_t before = text->length;
    generate_ops(text, n);
    for (int v = 0; v < n; v++) {
        snprintf(name, sizeof name, "op o%d ", v);
        const char *line = strstr(text->text + before, name), *found = strstr(line, "streaming");
        streaming[v] = found && found < strchr(line, '\n');
    }
    generate_edges(text, n, streaming);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const Problem *problem;
    Schedule schedule;
    bool all;              /* the best of all schedules, and not the first */
    int crossings, length; /* of the best */
} Hand;

static void place_streaming(const Problem *problem, Schedule *schedule)
{
    for (int v = 0; v < problem->nops; v++) {
        int first = INT32_MAX;
        for (int e = 0; e < problem->nedges; e++) {
            const Edge *edge = &problem->edges[e];
            int at = schedule->at[edge->to] + edge->distance * schedule->interval;
            if (edge->from == v && at < first)
                first = at;
        }
        if (problem->ops[v].streaming)
            schedule->at[v] = (first == INT32_MAX ? 0 : first) - problem->ops[v].latency;
    }
}

static void count_crossings(const Problem *problem, Schedule *schedule)
{
    schedule->crossings = 0;
    for (int u = 0; u < problem->nops; u++)
        for (int v = 0; v < problem->nops; v++) {
            bool edge = false;
            for (int e = 0; e < problem->nedges; e++)
                edge |= problem->edges[e].from == u && problem->edges[e].to == v;
            schedule->crossings += edge && spills(problem, u, v) && schedule->group[u] != schedule->group[v];
        }
}

/* Fewer crossings, then shorter.  */
static void keep_best(Hand *in)
{
    int length = 1;

    for (int v = 0; v < in->problem->nops; v++) {
        int end = in->schedule.at[v] + in->problem->ops[v].cycles;
        length = end > length && !in->problem->ops[v].streaming ? end : length;
    }
    if (in->schedule.crossings < in->crossings || (in->schedule.crossings == in->crossings && length < in->length)) {
        in->crossings = in->schedule.crossings;
        in->length = length;
    }
}

static bool groups_from(Hand *in, int op)
{
    if (op == in->problem->nops) {
        count_crossings(in->problem, &in->schedule);
        char *wrong = check_schedule(in->problem, &in->schedule);
        free(wrong);
        if (!wrong && in->all)
            keep_best(in);
        return !wrong && !in->all;
    }
    if (in->problem->ops[op].variable || in->problem->ops[op].streaming)
        return groups_from(in, op + 1);
    for (int group = 0; group < in->problem->groups && (group == 0 || op > 0); group++) {
        in->schedule.group[op] = group;
        if (groups_from(in, op + 1))
            return true;
    }
    return false;
}

static bool edges_hold(const Hand *in, int upto)
{
    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        if (edge->from > upto || edge->to > upto || in->problem->ops[edge->from].streaming)
            continue;
        if (in->schedule.at[edge->to] + edge->distance * in->schedule.interval <
            in->schedule.at[edge->from] + edge->delay)
            return false;
    }
    return true;
}

static bool units_hold(const Hand *in, int upto)
{
    int busy[2][64] = {{0}};

    for (int v = 0; v <= upto; v++)
        for (int i = 0; i < in->problem->ops[v].nuses && !in->problem->ops[v].streaming; i++) {
            const Use *use = &in->problem->ops[v].uses[i];
            for (int c = 0; c < use->cycles; c++)
                if (++busy[use->unit][(in->schedule.at[v] + use->offset + c) % in->schedule.interval] >
                    in->problem->units[use->unit].capacity)
                    return false;
        }
    return true;
}

static bool times_from(Hand *in, int op)
{
    const Problem *problem = in->problem;

    if (op == problem->nops) {
        place_streaming(problem, &in->schedule);
        return groups_from(in, 0);
    }
    if (problem->ops[op].streaming)
        return times_from(in, op + 1);
    for (int t = 0; t + problem->ops[op].cycles <= in->schedule.length; t++) {
        in->schedule.at[op] = t;
        if (edges_hold(in, op) && units_hold(in, op) && times_from(in, op + 1))
            return true;
    }
    return false;
}

static int by_hand(const Problem *problem, int from, int to)
{
    Hand in = {.problem = problem, .schedule = schedule_new(problem)};
    int interval;

    for (interval = from; interval <= to; interval++) {
        in.schedule.interval = interval;
        in.schedule.length = STAGES * interval;
        if (times_from(&in, 0))
            break;
    }
    schedule_free(&in.schedule);
    return interval <= to ? interval : 0;
}

/* Is there none that crosses less, or as often and is shorter?  */
static bool is_best(const Problem *problem, const Schedule *schedule)
{
    Hand in = {.problem = problem, .schedule = schedule_new(problem), .all = true, .crossings = INT32_MAX};

    in.schedule.interval = schedule->interval;
    in.schedule.length = STAGES * schedule->interval;
    times_from(&in, 0);
    schedule_free(&in.schedule);
    return in.crossings == schedule->crossings && in.length == schedule->length;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    bool print = argc > 1 && !strcmp(argv[1], "--text");
    int count = argc > 1 + print ? atoi(argv[1 + print]) : 1000, wrong = 0, found = 0, above = 0, compared = 0;
    int seed = argc > 2 + print ? atoi(argv[2 + print]) : 1;

    for (int i = 0; i < count; i++) {
        Problem problem;
        Text text = {0};
        int cycle[8], ncycle, unit, answer = 0;
        problem_init(&problem);
        generate(&text, (uint64_t)(seed + i));
        read_problem(&problem, "random", text.text);
        finish_problem(&problem);
        int from = unit_bound(&problem, &unit), recurrence = cycle_bound(&problem, cycle, &ncycle);
        from = recurrence > from ? recurrence : from;
        Schedule schedule = schedule_new(&problem);
        Outcome outcome;
        search(&problem, &(Wish){.to = from + MORE_INTERVALS, .stages = STAGES, .first = i % 3 == 0},
               &(Limit){now() + 60, NULL}, &schedule, &outcome);
        if (outcome.answer == SAT_YES) {
            answer = schedule.interval;
            char *objection = check_schedule(&problem, &schedule);
            if (objection) {
                printf("seed %d: %s\n", seed + i, objection);
                wrong++;
            }
            free(objection);
            if (problem.nops <= 3 && outcome.best && ++compared && !is_best(&problem, &schedule)) {
                printf("seed %d: %d crossings and %d cycles are not the best\n%s", seed + i, schedule.crossings,
                       schedule.length, text.text);
                wrong++;
            }
        }
        if (print)
            printf("%sanswer %d\n", text.text, answer);
        else {
            int hand = by_hand(&problem, from, from + MORE_INTERVALS);
            if (hand != answer) {
                printf("seed %d: the solver says %d, by hand it is %d\n%s", seed + i, answer, hand, text.text);
                wrong++;
            }
            found += hand > 0;
            above += hand > from || !hand;
        }
        schedule_free(&schedule);
        problem_free(&problem);
        free(outcome.why.text);
        free(text.text);
    }
    if (!print)
        printf("%d graphs: %d with a schedule, %d of them or none above the bound, %d compared with all, %d wrong\n",
               count, found, above, compared, wrong);
    return wrong != 0;
}
