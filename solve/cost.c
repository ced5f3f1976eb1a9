/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cost.c - costs of operations by the machine's kinds, their conversion from clocks to cycles, and bounds.
 *
 *   clocks 520, 260, 130, normalize 7          cycles 4, 2, 1
 *
 * The search takes longer with more cycles, so that costs of hundreds of clocks are normalized to small numbers of
 * about the same ratios. Let C0 be the largest cost and `a` its number of cycles. Then C'[i] = round (C[i] a / C0) is
 * the best choice for that `a`. All `a` are tried for which the sum of C' keeps the limit. The paper's measure, the
 * largest difference of cross products, prefers tiny C' that lose all ratios; here it is divided by the sum. A cost
 * below half a cycle becomes 0.
 *
 * Source: "Optimal Software Pipelining and Warp Specialization for Tensor Core GPUs" (Soi et al. 2025), section 5.2.
 */
#include "solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the largest |C[i] C'[j] - C[j] C'[i]|.  */
static double difference(const double *clocks, const int *cycles, int n)
{
    double most = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            most = fmax(most, fabs(clocks[i] * cycles[j] - clocks[j] * cycles[i]));
    return most;
}

/* Stores to `cycles` the normalized clocks, whose sum is at most `sum`.  Returns their sum, or 0 if there is no choice.
   *scale is the number of cycles a clock.  `literal` selects the measure of the paper.  */
int normalized(const double *clocks, int n, int sum, int *cycles, double *scale, bool literal)
{
    int *try = need(malloc((size_t)(n + 1) * sizeof try[0])), found = 0;
    double most = 0, best = 0;

    for (int i = 0; i < n; i++)
        most = fmax(most, clocks[i]);
    for (int a = 1; a <= sum && most > 0; a++) {
        int all = 0;
        for (int i = 0; i < n; i++) {
            try[i] = (int)floor(clocks[i] * a / most + 0.5);
            all += try[i];
        }
        if (all > sum)
            break;
        double error = difference(clocks, try, n) / (literal ? 1 : all);
        if (!found || error < best) {
            best = error;
            found = all;
            memcpy(cycles, try, (size_t)n * sizeof try[0]);
            *scale = a / most;
        }
    }
    free(try);
    return found;
}

static int scaled(double clocks, double scale)
{
    return (int)floor(clocks * scale + 0.5);
}

static const Kind *kind_named(const Problem *problem, const char *name)
{
    for (int i = 0; i < problem->nkinds; i++)
        if (!strcmp(problem->kinds[i].name, name))
            return &problem->kinds[i];
    return NULL;
}

/* Appends work of one kind to the cost of an operation.  */
static void apply_kind(Op *op, const Kind *kind, double work)
{
    int offset = op->streaming ? 0 : op->cycles;

    op->variable |= kind->variable;
    op->streaming |= kind->streaming;
    op->asynchronous |= kind->asynchronous;
    op->alone |= kind->alone;
    if (!op->latency)
        op->latency = kind->latency;
    for (int i = 0; i < kind->nuses; i++) {
        int clocks = (int)ceil(work / kind->uses[i].rate);
        if (op->nuses == MAX_USES)
            fail("line %d: %s is on too many units", op->line, op->name);
        if (clocks)
            op->uses[op->nuses++] = (Use){kind->uses[i].unit, offset, clocks};
        if (!op->streaming && offset + clocks > op->cycles)
            op->cycles = offset + clocks;
    }
}

static void cost_op(const Problem *problem, Op *op)
{
    for (int i = 0; i < op->nkinds; i++)
        apply_kind(op, kind_named(problem, op->kinds[i].name), op->kinds[i].work);
    if (op->spill == NOT_GIVEN && problem->spill_rate > 0)
        op->spill = (int)ceil(op->registers * 4 * 128 / problem->spill_rate);
}

static void scale_problem(Problem *problem)
{
    double *clocks = need(calloc((size_t)problem->nops + 1, sizeof clocks[0])), scale = 1;
    int *cycles = need(calloc((size_t)problem->nops + 1, sizeof cycles[0]));

    for (int v = 0; v < problem->nops; v++)
        clocks[v] = problem->ops[v].cycles;
    if (!normalized(clocks, problem->nops, problem->normalize, cycles, &scale, false))
        fail("%s: %d operations do not get a cycle each with normalize %d", problem->name, problem->nops,
             problem->normalize);
    for (int v = 0; v < problem->nops; v++) {
        Op *op = &problem->ops[v];
        op->cycles = cycles[v];
        op->latency = scaled(op->latency, scale);
        op->spill = op->spill == NOT_GIVEN ? NOT_GIVEN : scaled(op->spill, scale);
        for (int i = 0; i < op->nuses; i++) {
            op->uses[i].offset = (int)floor(op->uses[i].offset * scale + 0.5);
            op->uses[i].cycles = scaled(op->uses[i].cycles, scale);
            for (int k = 0; k < i; k++) /* rounding must not overlap uses that follow each other */
                if (op->uses[k].unit == op->uses[i].unit &&
                    op->uses[i].offset < op->uses[k].offset + op->uses[k].cycles)
                    op->uses[i].offset = op->uses[k].offset + op->uses[k].cycles;
            int end = op->uses[i].offset + op->uses[i].cycles;
            if (!op->streaming && end > op->cycles)
                op->cycles = end;
        }
        int n = 0;
        for (int i = 0; i < op->nuses; i++)
            if (op->uses[i].cycles)
                op->uses[n++] = op->uses[i];
        op->nuses = n;
    }
    for (int e = 0; e < problem->nedges; e++) {
        Edge *edge = &problem->edges[e];
        const Op *from = &problem->ops[edge->from];
        if (edge->delay != NOT_GIVEN)
            edge->delay = scaled(edge->delay, scale);
        else if (!from->cycles && !from->streaming && edge->from > edge->to)
            edge->delay = 1; /* in one slot, operations are issued in the order of the graph */
        edge->hold = edge->hold < 0 ? edge->hold : scaled(edge->hold, scale);
    }
    problem->clocks = 1 / scale;
    free(clocks);
    free(cycles);
}

void cost_problem(Problem *problem)
{
    problem->clocks = 1;
    for (int v = 0; v < problem->nops; v++)
        cost_op(problem, &problem->ops[v]);
    if (problem->normalize)
        scale_problem(problem);
    for (int v = 0; v < problem->nops; v++)
        if (problem->ops[v].spill == NOT_GIVEN)
            problem->ops[v].spill = 0;
    for (int e = 0; e < problem->nedges; e++) {
        Edge *edge = &problem->edges[e];
        const Op *from = &problem->ops[edge->from];
        if (edge->delay == NOT_GIVEN)
            edge->delay = from->streaming ? 0 : from->cycles;
        if (edge->blocking && from->asynchronous && !from->streaming)
            edge->delay += from->latency;
        if (edge->hold < 0)
            edge->hold = edge->hold == HOLD_ALL ? problem->ops[edge->to].cycles : 0;
    }
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

int replicas_of(const Problem *problem, const Op *op)
{
    return op->shared ? 1 : problem->replicas;
}

int replica_shift(const Problem *problem, int interval, int replica)
{
    return replica * interval / problem->replicas;
}

int copies_on(const Problem *problem, const Op *op, int unit)
{
    return problem->units[unit].each ? 1 : replicas_of(problem, op);
}

int busy_cycles(const Problem *problem, int unit)
{
    int busy = 0;

    for (int v = 0; v < problem->nops; v++)
        for (int i = 0; i < problem->ops[v].nuses; i++)
            if (problem->ops[v].uses[i].unit == unit)
                busy += problem->ops[v].uses[i].cycles * copies_on(problem, &problem->ops[v], unit);
    return busy;
}

int unit_bound(const Problem *problem, int *unit)
{
    int most = 1;

    *unit = NOT_GIVEN;
    for (int i = 0; i < problem->nunits; i++) {
        int capacity = problem->units[i].capacity * (problem->units[i].each ? problem->groups : 1);
        int least = (busy_cycles(problem, i) + capacity - 1) / capacity;
        if (least > most || (least == most && *unit == NOT_GIVEN)) {
            most = least;
            *unit = i;
        }
    }
    return most;
}

/* Makes an edge for each pair of readers of a ring. The last reader frees the slot of a later load, and the first
   reader follows that load by its latency. Returns the number of edges; `of` has the load of each.  */
static int ring_edges(const Problem *problem, Edge **edges, int **of)
{
    int n = 0, room = problem->nedges * problem->nedges + 1;

    *edges = need(malloc((size_t)room * sizeof **edges));
    *of = need(malloc((size_t)room * sizeof **of));
    for (int e = 0; e < problem->nedges; e++)
        for (int f = 0; f < problem->nedges; f++) {
            const Edge *first = &problem->edges[e], *last = &problem->edges[f];
            const Op *load = &problem->ops[first->from];
            if (first->from != last->from || !load->streaming || !load->slots)
                continue;
            (*of)[n] = first->from;
            (*edges)[n++] = (Edge){.from = last->to,
                                   .to = first->to,
                                   .delay = last->hold + load->latency,
                                   .distance = load->slots - last->distance + first->distance};
        }
    return n;
}

typedef struct {
    int *start, *behind, *load; /* by operation: earliest cycle; predecessor on the path; load of the edge's ring */
    Edge *rings;
    int nrings, *of;
} Paths;

static Paths paths_new(const Problem *problem)
{
    size_t room = (size_t)(problem->nops + 1) * sizeof(int);
    Paths paths = {need(malloc(room)), need(malloc(room)), need(malloc(room)), NULL, 0, NULL};

    paths.nrings = ring_edges(problem, &paths.rings, &paths.of);
    return paths;
}

static void paths_free(Paths *paths)
{
    free(paths->start);
    free(paths->behind);
    free(paths->load);
    free(paths->rings);
    free(paths->of);
}

static bool lengthen(Paths *paths, const Edge *edge, int interval, int load)
{
    int at = paths->start[edge->from] + edge->delay - edge->distance * interval;

    if (at <= paths->start[edge->to])
        return false;
    paths->start[edge->to] = at;
    paths->behind[edge->to] = edge->from;
    paths->load[edge->to] = load;
    return true;
}

/* Computes longest paths (Bellman-Ford), where an edge of distance d counts delay - d I.  Returns an operation behind
   which a cycle of positive length lies, or NOT_GIVEN.  */
static int relax(const Problem *problem, int interval, Paths *paths)
{
    int last = NOT_GIVEN;

    for (int v = 0; v < problem->nops; v++) {
        paths->start[v] = 0;
        paths->behind[v] = paths->load[v] = NOT_GIVEN;
    }
    for (int round = 0; round <= problem->nops; round++) {
        last = NOT_GIVEN;
        for (int e = 0; e < problem->nedges; e++)
            if (!problem->ops[problem->edges[e].from].streaming &&
                lengthen(paths, &problem->edges[e], interval, NOT_GIVEN))
                last = problem->edges[e].to;
        for (int e = 0; e < paths->nrings; e++)
            if (lengthen(paths, &paths->rings[e], interval, paths->of[e]))
                last = paths->rings[e].to;
        if (last == NOT_GIVEN)
            return NOT_GIVEN;
    }
    return last;
}

int cycle_bound(const Problem *problem, int *cycle, int *ncycle, int *load)
{
    Paths paths = paths_new(problem);
    int interval = 1, at, most = 1;

    *ncycle = 0;
    if (load)
        *load = NOT_GIVEN;
    else
        paths.nrings = 0;
    for (int e = 0; e < problem->nedges; e++)
        most += problem->edges[e].delay;
    for (int e = 0; e < paths.nrings; e++)
        most += paths.rings[e].delay;
    while (interval <= most && (at = relax(problem, interval, &paths)) != NOT_GIVEN) {
        for (int i = 0; i < problem->nops; i++)
            at = paths.behind[at] == NOT_GIVEN ? at : paths.behind[at];
        *ncycle = 0;
        int from = at, by = NOT_GIVEN;
        do {
            cycle[(*ncycle)++] = at;
            by = paths.load[at] == NOT_GIVEN ? by : paths.load[at];
            at = paths.behind[at] == NOT_GIVEN ? from : paths.behind[at];
        } while (at != from && *ncycle < problem->nops);
        if (load)
            *load = by;
        interval++;
    }
    paths_free(&paths);
    return interval;
}

int shortest_length(const Problem *problem, int interval)
{
    Paths paths = paths_new(problem);
    int length = 1;

    relax(problem, interval, &paths);
    for (int v = 0; v < problem->nops; v++)
        if (paths.start[v] + problem->ops[v].cycles > length && !problem->ops[v].streaming)
            length = paths.start[v] + problem->ops[v].cycles;
    paths_free(&paths);
    return length;
}
