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

static void generate_ops(Text *text, int n, bool each)
{
    for (int v = 0; v < n; v++) {
        int cycles = below(4) ? 1 + below(2) : below(4), streaming = v + 1 < n && one_in(8);
        bool variable = !streaming && one_in(10);
        add(text, "op o%d cycles=%d", v, streaming ? 0 : cycles);
        if (streaming)
            add(text, one_in(2) ? " streaming latency=%d slots=%d" : " streaming latency=%d", 1 + below(3),
                1 + below(3));
        else if (cycles && !one_in(6) && !(each && variable))
            add(text, " use=%s:%d:%d", one_in(2) ? "X" : "Y", below(cycles), 1 + below(cycles));
        if (one_in(3))
            add(text, " memory=m:%d", 1 + below(2));
        if (!one_in(3))
            add(text, " registers=%d", 1 + below(3));
        if (one_in(2))
            add(text, " spill=%d", 1 + below(2));
        bool asynchronous = one_in(2);
        add(text, "%s%s%s%s\n", asynchronous ? " asynchronous" : "",
            asynchronous && !streaming && one_in(2) ? " latency=1" : "", variable ? " variable" : "",
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
            add(text, "%s\n", one_in(3) ? " blocking" : "");
        }
}

/* Some of the aims, each once, in any order.  */
static void generate_aims(Text *text)
{
    bool taken[AIMS] = {false};

    add(text, "prefer");
    for (int n = 1 + below(3); n > 0; n--) {
        int aim = below(AIM_LATE);
        if (!taken[aim])
            add(text, " %s", aim_names[aim]);
        taken[aim] = true;
    }
    add(text, " late\n");
}

static void generate(Text *text, uint64_t seed)
{
    static const char *const waits[] = {"strict", "in-order", "free"};
    char streaming[8] = {0}, name[16];

    state = seed * 0x9e3779b97f4a7c15u + 88172645463325252u;
    for (int i = 0; i < 8; i++)
        below(2);
    int n = 2 + below(4);
    bool each = one_in(3), both = one_in(2);
    add(text, "loop random_%d\nunit X capacity=%d%s\nunit Y%s\nmemory m capacity=%d\n", (int)seed, 1 + one_in(4),
        each && both ? " each-group" : "", each ? " each-group" : "", 2 + below(3));
    add(text, "groups %d\nregisters %d\nwait %s\n", 1 + below(3), one_in(3) ? 0 : 3 + below(5), waits[below(3)]);
    if (one_in(3))
        add(text, "reader-registers\n");
    if (one_in(5))
        add(text, "crossings %d\n", below(2));
    if (one_in(3))
        add(text, "spare 1\n");
    if (!one_in(3))
        generate_aims(text);
    size_t before = text->length;
    generate_ops(text, n, each);
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
    bool all; /* the best of all schedules, and not the first */
    bool found;
    int best[AIMS]; /* of each aim, in the order of the problem's */
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

static int length_of(const Problem *problem, const Schedule *schedule)
{
    int length = 1;

    for (int v = 0; v < problem->nops; v++) {
        int end = schedule->at[v] + problem->ops[v].cycles;
        length = end > length && !problem->ops[v].streaming ? end : length;
    }
    return length;
}

/* Cycles of operations from that one on, for a group alone.  */
static bool alone_from(const Problem *problem, Schedule *schedule, int op)
{
    if (op == problem->nops) {
        Schedule streamed = *schedule;
        streamed.at = schedule->alone;
        streamed.interval = schedule->group_interval;
        place_streaming(problem, &streamed);
        char *wrong = check_schedule(problem, schedule);
        free(wrong);
        return !wrong;
    }
    if (problem->ops[op].streaming)
        return alone_from(problem, schedule, op + 1);
    int stage = schedule->at[op] / schedule->interval, begin = stage * schedule->group_interval;
    int end = begin + schedule->group_interval;
    if (schedule->group[op] == NOT_GIVEN) {
        begin = 0;
        end = STAGES * schedule->group_interval;
    }
    for (int t = begin; t < end && t + problem->ops[op].cycles <= STAGES * schedule->group_interval; t++) {
        schedule->alone[op] = t;
        if (alone_from(problem, schedule, op + 1))
            return true;
    }
    return false;
}

static int least_group_interval(const Problem *problem, const Schedule *schedule)
{
    Schedule try = *schedule;

    try.length = length_of(problem, schedule);
    for (try.group_interval = 1; try.group_interval < try.interval; try.group_interval++)
        if (alone_from(problem, &try, 0))
            break;
    return try.group_interval;
}

static int value_of(const Problem *problem, const Schedule *schedule, Aim aim)
{
    switch (aim) {
    case AIM_SPARE:
        return problem->registers && problem->spare && !spares_registers(problem, schedule);
    case AIM_CROSSINGS:
        return schedule->crossings;
    case AIM_EXPOSED:
        return exposed_cycles(problem, schedule);
    case AIM_GROUP_INTERVAL:
        return least_group_interval(problem, schedule);
    case AIM_CARRIED:
        return carried_registers(problem, schedule);
    case AIM_LENGTH:
        return length_of(problem, schedule);
    default:
        return 0;
    }
}

/* The better by the first aim in which they differ.  */
static void keep_best(Hand *in)
{
    bool better = !in->found;

    for (int i = 0; i < in->problem->naims; i++) {
        int value = value_of(in->problem, &in->schedule, in->problem->aims[i]);
        if (!better && value > in->best[i])
            return;
        better |= value < in->best[i];
        in->best[i] = value;
    }
    in->found = true;
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
            for (int c = 0; c < use->cycles && !in->problem->units[use->unit].each; c++)
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

/* Is there none that is better by the first aim in which they differ?  */
static bool is_best(const Problem *problem, const Schedule *schedule)
{
    Hand in = {.problem = problem, .schedule = schedule_new(problem), .all = true};
    bool same = true;

    in.schedule.interval = schedule->interval;
    in.schedule.length = STAGES * schedule->interval;
    times_from(&in, 0);
    for (int i = 0; i < problem->naims; i++) {
        int value = value_of(problem, schedule, problem->aims[i]);
        if (problem->aims[i] == AIM_GROUP_INTERVAL && schedule->group_interval)
            same &= value == schedule->group_interval;
        if (value != in.best[i])
            printf("%s: %d, and %d is possible\n", aim_names[problem->aims[i]], value, in.best[i]);
        same &= value == in.best[i];
        if (value != in.best[i])
            break;
    }
    schedule_free(&in.schedule);
    return same && in.found;
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
        int cycle[8], ncycle, unit, load, answer = 0;
        problem_init(&problem);
        generate(&text, (uint64_t)(seed + i));
        read_problem(&problem, "random", text.text);
        finish_problem(&problem);
        int from = unit_bound(&problem, &unit), recurrence = cycle_bound(&problem, cycle, &ncycle, &load);
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
                printf("seed %d is not the best\n%s", seed + i, text.text);
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
