/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show.c - writes problems and schedules as text.  */
#include "solve.h"

#include <stdlib.h>
#include <string.h>

static void show_op(Text *text, const Problem *problem, const Op *op)
{
    add(text, "op %s cycles=%d", op->name, op->cycles);
    for (int i = 0; i < op->nuses; i++)
        add(text, " use=%s:%d:%d", problem->units[op->uses[i].unit].name, op->uses[i].offset, op->uses[i].cycles);
    for (int i = 0; i < op->nheld; i++)
        add(text, " memory=%s:%d", problem->spaces[op->held[i].space].name, op->held[i].amount);
    if (op->registers)
        add(text, " registers=%d", op->registers);
    if (op->spill)
        add(text, " spill=%d", op->spill);
    if (op->latency)
        add(text, " latency=%d", op->latency);
    if (op->slots)
        add(text, " slots=%d", op->slots);
    add(text, "%s%s%s%s%s\n", op->asynchronous ? " asynchronous" : "", op->variable ? " variable" : "",
        op->streaming ? " streaming" : "", op->alone ? " alone" : "", op->shared ? " shared" : "");
}

/* Writes the whole input of a search, with the costs that it uses.  */
void show_problem(Text *text, const Problem *problem)
{
    static const char *const waits[] = {"strict", "in-order", "free"};

    add(text, "machine %s\nloop %s\n", problem->machine, problem->name);
    for (int i = 0; i < problem->nunits; i++)
        add(text, "unit %s capacity=%d%s\n", problem->units[i].name, problem->units[i].capacity,
            problem->units[i].each ? " each-group" : "");
    for (int i = 0; i < problem->nspaces; i++)
        add(text, "memory %s capacity=%d\n", problem->spaces[i].name, problem->spaces[i].capacity);
    add(text, "groups %d\nregisters %d\nwait %s\n", problem->groups, problem->registers, waits[problem->wait]);
    if (problem->replicas > 1)
        add(text, "replicas %d\n", problem->replicas);
    if (problem->reader_registers)
        add(text, "reader-registers\n");
    if (problem->crossings != NOT_GIVEN)
        add(text, "crossings %d\n", problem->crossings);
    if (problem->spare)
        add(text, "spare %d\n", problem->spare);
    if (problem->naims != 3 || problem->aims[1] != AIM_LENGTH) {
        add(text, "prefer");
        for (int i = 0; i < problem->naims; i++)
            add(text, " %s", aim_names[problem->aims[i]]);
        add(text, "\n");
    }
    for (int v = 0; v < problem->nops; v++)
        show_op(text, problem, &problem->ops[v]);
    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        add(text, "edge %s -> %s delay=%d distance=%d", problem->ops[edge->from].name, problem->ops[edge->to].name,
            edge->delay, edge->distance);
        if (edge->hold)
            add(text, " hold=%d", edge->hold);
        add(text, "%s\n", edge->blocking ? " blocking" : "");
    }
}

/* Returns the FNV-1a hash of the text of show_problem ().  */
uint64_t problem_digest(const Problem *problem)
{
    Text text = {0};
    uint64_t digest = 14695981039346656037u;

    show_problem(&text, problem);
    for (size_t i = 0; i < text.length; i++)
        digest = (digest ^ (unsigned char)text.text[i]) * 1099511628211u;
    free(text.text);
    return digest;
}

void show_dot(Text *text, const Problem *problem)
{
    add(text, "digraph \"%s\" {\n    node [shape=box]\n", problem->name);
    for (int v = 0; v < problem->nops; v++) {
        const Op *op = &problem->ops[v];
        add(text, "    \"%s\" [label=\"%s\\n%d", op->name, op->name, op->streaming ? op->latency : op->cycles);
        for (int i = 0; i < op->nuses; i++)
            add(text, " %s", problem->units[op->uses[i].unit].name);
        add(text, "\"%s]\n",
            op->variable || op->streaming ? " style=dashed"
            : op->asynchronous            ? " style=rounded"
                                          : "");
    }
    for (int e = 0; e < problem->nedges; e++) {
        const Edge *edge = &problem->edges[e];
        add(text, "    \"%s\" -> \"%s\" [label=\"%d", problem->ops[edge->from].name, problem->ops[edge->to].name,
            edge->delay);
        if (edge->distance)
            add(text, ", %d", edge->distance);
        add(text, "\"%s%s]\n", edge->distance ? " style=dashed constraint=false" : "",
            edge->blocking ? " color=red" : "");
    }
    add(text, "}\n");
}

void show_schedule(Text *text, const Problem *problem, const Schedule *schedule, const Outcome *outcome)
{
    int stages = (schedule->length + schedule->interval - 1) / schedule->interval, groups = 0;

    for (int v = 0; v < problem->nops; v++)
        groups = schedule->group[v] + 1 > groups ? schedule->group[v] + 1 : groups;
    add(text, "schedule %s on %s\n", problem->name, problem->machine);
    add(text, "digest %016llx\n", (unsigned long long)problem_digest(problem));
    add(text, "interval %d\nlength %d\nstages %d\ncrossings %d\n", schedule->interval, schedule->length, stages,
        schedule->crossings);
    if (problem->registers)
        add(text, "carried %d\n", carried_registers(problem, schedule));
    add(text, "exposed %d\n", exposed_cycles(problem, schedule));
    if (schedule->group_interval)
        add(text, "group-interval %d\n", schedule->group_interval);
    for (int v = 0; v < problem->nops; v++) {
        add(text, "op %s at=%d", problem->ops[v].name, schedule->at[v]);
        if (schedule->group[v] != NOT_GIVEN)
            add(text, " group=%d", schedule->group[v]);
        add(text, schedule->group_interval ? " alone=%d\n" : "\n", schedule->alone[v]);
    }
    for (int v = 0; v < problem->nops; v++)
        if (problem->ops[v].variable || problem->ops[v].streaming)
            add(text, "ring %s slots=%d\n", problem->ops[v].name, ring_slots(problem, schedule, v));
    add(text, "#\n# %d group%s; %.4g iterations a cycle", groups, groups == 1 ? "" : "s", 1.0 / schedule->interval);
    if (problem->clocks > 1)
        add(text, "; a cycle is %.4g clocks, the interval %.0f", problem->clocks, problem->clocks * schedule->interval);
    add(text, "\n");
    if (!outcome)
        return;
    for (char *line = outcome->why.text, *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        add(text, "# %.*s\n", (int)(end - line), line);
    }
    if (outcome->open < schedule->interval)
        add(text, "# intervals from %d to %d were not decided in time\n", outcome->open, schedule->interval - 1);
    if (!outcome->best)
        add(text,
            "# other schedules of this interval may cross less, be shorter or later: out of time, or not asked for\n");
    add(text, "# %.3f s, %d variables, %d clauses, %s\n", outcome->seconds, outcome->nvars, outcome->nclauses,
        sat_name());
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* Returns the operations on a unit in a slot, with a prime for each iteration that they are behind the newest.  */
static char *cell(const Problem *problem, const Schedule *schedule, int unit, int slot)
{
    Text text = {0};

    add(&text, "%s", "");
    for (int v = 0; v < problem->nops; v++)
        for (int i = 0; i < problem->ops[v].nuses && !problem->ops[v].streaming; i++) {
            const Use *use = &problem->ops[v].uses[i];
            for (int c = 0; c < use->cycles && use->unit == unit; c++) {
                for (int replica = 0; replica < copies_on(problem, &problem->ops[v], unit); replica++) {
                    int at = schedule->at[v] + use->offset + c + replica_shift(problem, schedule->interval, replica);
                    if (at % schedule->interval != slot)
                        continue;
                    add(&text, "%s%s", text.length ? " " : "", problem->ops[v].name);
                    if (replica)
                        add(&text, ":%d", replica + 1);
                    for (int stage = at / schedule->interval; stage; stage--)
                        add(&text, "'");
                }
            }
        }
    if (!text.length)
        add(&text, "-");
    return text.text;
}

static void end_line(Text *text)
{
    while (text->length && text->text[text->length - 1] == ' ')
        text->length--;
    add(text, "\n");
}

static bool same_row(char *const *a, char *const *b, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(a[i], b[i]))
            return false;
    return true;
}

static void show_reservations(Text *text, const Problem *problem, const Schedule *schedule)
{
    int interval = schedule->interval, nunits = problem->nunits;
    char **cells = need(calloc((size_t)(interval * nunits) + 1, sizeof cells[0]));
    int *width = need(calloc((size_t)nunits + 1, sizeof width[0]));

    for (int s = 0; s < interval; s++)
        for (int u = 0; u < nunits; u++) {
            char *it = cells[s * nunits + u] = cell(problem, schedule, u, s);
            width[u] = (int)strlen(it) > width[u] ? (int)strlen(it) : width[u];
        }
    add(text, "# modular reservation table: who is on a unit; ' is of one iteration before, '' of two%s\n# %9s",
        problem->replicas > 1 ? "; :2 of the second replica" : "", "cycle");
    for (int u = 0; u < nunits; u++) {
        width[u] = (int)strlen(problem->units[u].name) > width[u] ? (int)strlen(problem->units[u].name) : width[u];
        add(text, "  %-*s", width[u], problem->units[u].name);
    }
    end_line(text);
    for (int s = 0, end; s < interval; s = end) {
        for (end = s + 1; end < interval && same_row(&cells[s * nunits], &cells[end * nunits], nunits);)
            end++;
        char *range = end > s + 1 ? format("%d..%d", s, end - 1) : format("%d", s);
        add(text, "# %9s", range);
        free(range);
        for (int u = 0; u < nunits; u++)
            add(text, "  %-*s", width[u], cells[s * nunits + u]);
        end_line(text);
    }
    for (int i = 0; i < interval * nunits; i++)
        free(cells[i]);
    free(cells);
    free(width);
}

static int next_issued(const Problem *problem, const Schedule *schedule, const char *shown, bool modulo)
{
    int next = NOT_GIVEN;

    for (int v = 0; v < problem->nops; v++) {
        if (shown[v] || problem->ops[v].streaming)
            continue;
        int at = modulo ? schedule->at[v] % schedule->interval : schedule->at[v];
        int least = next == NOT_GIVEN ? at + 1 : modulo ? schedule->at[next] % schedule->interval : schedule->at[next];
        next = at < least ? v : next;
    }
    return next;
}

/* Writes a line of the steady-state loop: the operations of a group, each with its iteration.  */
static void show_loop(Text *text, const Problem *problem, const Schedule *schedule, int group)
{
    char *shown = need(calloc((size_t)problem->nops + 1, 1));
    int last = (schedule->length - 1) / schedule->interval, n = 0;

    for (int v; (v = next_issued(problem, schedule, shown, true)) != NOT_GIVEN; shown[v] = 1) {
        if (schedule->group[v] != group)
            continue;
        if (!n++)
            add(text, group == NOT_GIVEN ? "# in no group:" : "# group %d:", group);
        add(text, " %s(i", problem->ops[v].name);
        int ahead = last - schedule->at[v] / schedule->interval;
        add(text, ahead ? "+%d)" : ")", ahead);
    }
    if (n)
        add(text, "\n");
    free(shown);
}

void show_tables(Text *text, const Problem *problem, const Schedule *schedule)
{
    char *shown = need(calloc((size_t)problem->nops + 1, 1));

    add(text, "#\n");
    show_reservations(text, problem, schedule);
    add(text, "#\n# one iteration\n#     cycle  stage  group  operation\n");
    for (int v; (v = next_issued(problem, schedule, shown, false)) != NOT_GIVEN; shown[v] = 1) {
        const Op *op = &problem->ops[v];
        char *range = op->cycles > 1 ? format("%d..%d", schedule->at[v], schedule->at[v] + op->cycles - 1)
                                     : format("%d", schedule->at[v]);
        char *group = schedule->group[v] == NOT_GIVEN ? format("-") : format("%d", schedule->group[v]);
        add(text, "# %9s %6d %6s  %s", range, schedule->at[v] / schedule->interval, group, op->name);
        for (int i = 0; i < op->nuses; i++)
            add(text, "%s%s", i ? ", " : " on ", problem->units[op->uses[i].unit].name);
        add(text, "\n");
        free(range);
        free(group);
    }
    add(text, "#\n# the steady loop\n");
    for (int group = NOT_GIVEN; group < problem->groups; group++)
        show_loop(text, problem, schedule, group);
    free(shown);
}
