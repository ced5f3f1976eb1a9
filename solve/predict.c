/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * predict.c - the clocks of an iteration, from running some: a schedule as its groups issue it, with what the machine's
 * lines "timeline" say things take.
 *
 * The clauses know when an operation may be issued at best. Here a group issues one operation behind the other and
 * waits where the compiled program does: for a full slot, for a product whose result something reads, at a time step's
 * end for one that the next step reads. Slots are filled in order and are free when every group has released them.
 * Products of several groups share the tensor cores; groups that take turns there have them one after the other. The
 * emulation with durations (runtime/emulate/clock.c) does the same along whole programs.
 *
 * What happens earliest happens next, so that nothing begins before what is decided already. When a product is done
 * may still change as long as nobody has waited for it: another one that begins beside it takes a part of its unit.
 */
#include "predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Kind *kind_called(const Kind *kinds, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(kinds[i].name, name))
            return &kinds[i];
    return NULL;
}

/* NAME.all is a kind while all multiprocessors are at it.  */
static const Kind *timed_kind(const Problem *problem, const char *name, bool busy)
{
    char *all = format("%s.all", name);
    const Kind *kind = busy ? kind_called(problem->timeline, problem->ntimeline, all) : NULL;
    free(all);
    kind = kind ? kind : kind_called(problem->timeline, problem->ntimeline, name);
    return kind ? kind : kind_called(problem->kinds, problem->nkinds, name);
}

static double step_cost(const Run *in, const char *name)
{
    const Kind *kind = kind_called(in->problem->timeline, in->problem->ntimeline, name);
    return kind ? kind->latency : 0;
}

static double *done_at(const Run *in, int replica, int op, int iteration)
{
    return &in->done[(replica * in->problem->nops + op) * STEPS + iteration];
}

static int slot_of(int op, int iteration)
{
    return op * STEPS + iteration;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static bool comes_from_elsewhere(const Run *in, const Process *process, int op)
{
    return in->problem->ops[op].streaming || in->order->group[op] != process->group;
}

/* Has all that the operation needs of this iteration been simulated?  */
static bool is_known(const Run *in, const Process *process, int op, int iteration)
{
    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        int from = iteration - edge->distance;
        if (edge->to == op && from >= 0 && comes_from_elsewhere(in, process, edge->from) &&
            *done_at(in, in->problem->ops[edge->from].streaming ? 0 : process->replica, edge->from, from) < 0)
            return false;
    }
    return true;
}

static void release(Run *in, Process *process, int op, int iteration)
{
    int slot = slot_of(op, iteration);

    process->clock += step_cost(in, "release");
    in->free[slot] = fmax(in->free[slot], process->clock);
    in->left[slot]--;
}

static double read_by(const Run *in, const Process *process, const Pending *slot)
{
    return *done_at(in, process->replica, slot->product, slot->product_iteration);
}

/* The group has waited for products up to one that was done then: what those read is free.  */
static void release_pending(Run *in, Process *process, double done)
{
    int kept = 0;

    for (int i = 0; i < process->npending; i++)
        if (read_by(in, process, &process->pending[i]) <= done)
            release(in, process, process->pending[i].op, process->pending[i].iteration);
        else
            process->pending[kept++] = process->pending[i];
    process->npending = kept;
}

static void wait_until(Run *in, Process *process, double done)
{
    process->clock = fmax(process->clock, done) + step_cost(in, "wait");
    release_pending(in, process, done);
}

static void wait_for_inputs(Run *in, Process *process, int op, int iteration)
{
    double product = -1;

    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        const Op *source = &in->problem->ops[edge->from];
        int from = iteration - edge->distance;
        if (edge->to != op || from < 0)
            continue;
        double done = *done_at(in, source->streaming ? 0 : process->replica, edge->from, from);
        if (source->streaming) {
            char *got = &process->got[slot_of(edge->from, from)];
            process->clock = *got ? process->clock : fmax(process->clock, done) + step_cost(in, "get");
            *got = 1;
        } else if (comes_from_elsewhere(in, process, edge->from)) {
            process->clock = fmax(process->clock, done + source->spill * in->problem->clocks);
        } else if (edge->blocking && source->asynchronous) {
            product = fmax(product, done);
        }
    }
    if (product >= 0)
        wait_until(in, process, product);
}

/* Begins what the kind says; when it is done goes to `place`, and changes as long as others may share the unit.  */
static void start(Run *in, const Process *process, const Kind *kind, double work, double *place)
{
    int unit = interleaved_unit(in->problem, kind, work);
    double least = 0, clocks = 0;

    if (unit == NOT_GIVEN) {
        *place = take_units(in, kind, work, process->clock) + kind->latency;
        return;
    }
    for (int i = 0; i < kind->nuses; i++) {
        clocks = kind->uses[i].unit == unit ? work / kind->uses[i].rate : clocks;
        least = fmax(least, work / kind->uses[i].rate);
    }
    share_unit(&in->unit[unit], (Job){.owner = process->replica * in->problem->groups + process->group,
                                      .begin = process->clock,
                                      .clocks = clocks,
                                      .least = least,
                                      .latency = kind->latency,
                                      .done = place});
}

/* A part of the operation, of one of its kinds. What the group itself does it is busy with until then.  */
static void issue(Run *in, Process *process, const Op *op, double *done)
{
    const char *name = op->kinds[process->part].name;
    const Kind *kind = timed_kind(in->problem, name, in->busy);
    double work = op->kinds[process->part].work;
    bool asynchronous = kind_called(in->problem->kinds, in->problem->nkinds, name)->asynchronous;

    if (asynchronous && strcmp(name, "store")) {
        process->clock += step_cost(in, "fence");
        start(in, process, kind, work, done);
        process->clock += step_cost(in, "commit");
    } else if (asynchronous) {
        process->clock += step_cost(in, "fence") + step_cost(in, "out");
        start(in, process, kind, work, &process->stored);
    } else {
        if (!strcmp(name, "stage"))
            process->clock = fmax(process->clock, process->stored) + step_cost(in, "barrier");
        start(in, process, kind, work, &process->busy);
    }
}

static void release_read(Run *in, Process *process, int op, int iteration)
{
    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        if (edge->to != op || process->last[edge->from] != process->place || iteration < edge->distance ||
            !in->problem->ops[edge->from].streaming)
            continue;
        if (in->problem->ops[op].asynchronous)
            process->pending[process->npending++] = (Pending){edge->from, iteration - edge->distance, op, iteration};
        else
            release(in, process, edge->from, iteration - edge->distance);
    }
}

/* A later step looks at the product: its result is copied at this one's end.  */
static bool is_read_later(const Run *in, int op)
{
    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        if (edge->from == op && edge->blocking && in->order->stage[edge->to] + edge->distance > in->order->stage[op])
            return true;
    }
    return false;
}

/* Slots are free P - 1 steps behind that of the products that read them: the last of these, or negative.  */
static double last_to_release(const Run *in, const Process *process)
{
    int late = in->order->in_flight - 1;
    double done = -1;

    for (int i = 0; i < process->npending; i++)
        if (process->pending[i].iteration + in->nstages - 1 <= process->step - late)
            done = fmax(done, read_by(in, process, &process->pending[i]));
    return done;
}

/* The last product that a later step looks at, or negative.  */
static double last_to_copy(const Run *in, const Process *process)
{
    double last = -1;

    for (int k = 0; k < process->nops; k++) {
        int op = process->ops[k], iteration = process->step - in->order->stage[op];
        if (in->problem->ops[op].asynchronous && in->problem->ops[op].nkinds && iteration >= 0 && is_read_later(in, op))
            last = fmax(last, *done_at(in, process->replica, op, iteration));
    }
    return last;
}

static void end_step(Run *in, Process *process)
{
    double done = last_to_copy(in, process);

    if (done > process->clock)
        wait_until(in, process, done);
    done = last_to_release(in, process);
    if (done >= 0)
        wait_until(in, process, done);
    process->ends[process->step++] = process->clock;
    process->place = 0;
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static void fill(Run *in, Process *process, int op)
{
    const Op *load = &in->problem->ops[op];
    int before = process->step - load->slots;

    if (load->slots && before >= 0)
        process->clock = fmax(process->clock, in->free[slot_of(op, before)]);
    process->clock += step_cost(in, "put");
    const Kind *kind = load->nkinds ? timed_kind(in->problem, load->kinds[0].name, in->busy) : NULL;
    double done = process->clock + load->latency * in->problem->clocks;
    if (kind && kind->nuses)
        done = take_units(in, kind, load->kinds[0].work, process->clock) + kind->latency;
    else
        process->clock = done; /* a role that computes it */
    *done_at(in, 0, op, process->step) = done + step_cost(in, "fill");
}

static bool may_fill(const Run *in, const Process *process, int op)
{
    int slots = in->problem->ops[op].slots, before = process->step - slots;
    return !slots || before < 0 || in->left[slot_of(op, before)] <= 0;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static bool can_go(const Run *in, const Process *process)
{
    if (process->step >= STEPS)
        return false;
    if (process->place == process->nops || process->part)
        return true;
    int op = process->ops[process->place];
    if (process->fills)
        return may_fill(in, process, op);
    if (takes_turn(in, process) && turn_from(in, process) < 0)
        return false;
    int iteration = process->step - in->order->stage[op];
    return iteration < 0 || is_known(in, process, op, iteration);
}

/* When what comes next can begin, as far as its inputs or its slot go: what is earliest happens next.  */
static double ready_at(const Run *in, const Process *process)
{
    double ready = fmax(process->clock, process->busy);
    if (process->part)
        return ready;
    if (process->place == process->nops)
        return fmax(ready, fmax(last_to_copy(in, process), last_to_release(in, process)));
    int op = process->ops[process->place], iteration = process->step - in->order->stage[op];

    if (takes_turn(in, process))
        ready = fmax(ready, turn_from(in, process));
    if (process->fills) {
        int before = process->step - in->problem->ops[op].slots;
        return in->problem->ops[op].slots && before >= 0 ? fmax(ready, in->free[slot_of(op, before)]) : ready;
    }
    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        const Op *source = &in->problem->ops[edge->from];
        int from = iteration - edge->distance;
        if (edge->to == op && from >= 0 && iteration >= 0 &&
            (comes_from_elsewhere(in, process, edge->from) || (edge->blocking && source->asynchronous)))
            ready = fmax(ready, *done_at(in, source->streaming ? 0 : process->replica, edge->from, from));
    }
    return ready;
}

static void go(Run *in, Process *process)
{
    process->clock = fmax(process->clock, process->busy);
    if (process->place == process->nops) {
        end_step(in, process);
        return;
    }
    int op = process->ops[process->place], iteration = process->step - in->order->stage[op];

    if (process->fills) {
        fill(in, process, op);
        process->step += process->place == process->nops - 1;
        process->place = (process->place + 1) % process->nops;
        return;
    }
    if (!process->part && iteration >= 0)
        wait_for_inputs(in, process, op, iteration);
    if (!process->part && takes_turn(in, process))
        process->clock = fmax(process->clock, turn_from(in, process)) + step_cost(in, "barrier");
    if (!process->part && process->place == process->pass && process->pass_waits)
        pass_turn(in, process);
    if (iteration >= 0 && process->part < in->problem->ops[op].nkinds) {
        issue(in, process, &in->problem->ops[op], done_at(in, process->replica, op, iteration));
        process->part++;
        return;
    }
    process->part = 0;
    if (iteration >= 0) {
        double *done = done_at(in, process->replica, op, iteration);
        if (!in->problem->ops[op].asynchronous || *done < 0)
            *done = process->clock;
        release_read(in, process, op, iteration);
    }
    if (process->place == process->pass && !process->pass_waits)
        pass_turn(in, process);
    process->place++;
}

static Process *add_process(Run *in)
{
    size_t n = (size_t)in->problem->nops + 1;
    Process *process = &in->processes[in->nprocesses++];

    *process = (Process){.take = NOT_GIVEN,
                         .pass = NOT_GIVEN,
                         .ops = need(calloc(n, sizeof(int))),
                         .last = need(malloc(n * sizeof(int))),
                         .got = need(calloc(n * STEPS, 1)),
                         .pending = need(calloc(n * STEPS, sizeof(Pending)))};
    for (int v = 0; v < in->problem->nops; v++)
        process->last[v] = NOT_GIVEN;
    return process;
}

static void add_group(Run *in, int group, int replica)
{
    Process *process = add_process(in);
    const Problem *problem = in->problem;

    process->group = group;
    process->replica = replica;
    for (int i = 0; i < in->order->n; i++)
        if (!problem->ops[in->order->op[i]].streaming && in->order->group[in->order->op[i]] == group)
            process->ops[process->nops++] = in->order->op[i];
    if (!process->nops) {
        in->nprocesses--;
        free(process->ops);
        free(process->last);
        free(process->got);
        free(process->pending);
        return;
    }
    for (int k = 0; k < process->nops; k++) /* of two readers the one of the later stage, then of the later place */
        for (int e = 0; e < problem->nedges; e++) {
            int op = process->ops[k], *last = &process->last[problem->edges[e].from];
            if (problem->edges[e].to == op &&
                (*last == NOT_GIVEN || in->order->stage[process->ops[*last]] <= in->order->stage[op]))
                *last = k;
        }
    place_turns(in, process);
    for (int v = 0; v < problem->nops; v++)
        for (int i = 0; i < STEPS && process->last[v] != NOT_GIVEN; i++)
            in->left[slot_of(v, i)]++;
    in->consumers++;
}

/* Copies are made by one role, in the order in which they are wanted; what a role computes, by one of its own.  */
static void add_rings(Run *in)
{
    Process *copies = add_process(in);

    copies->fills = true;
    for (int v = 0; v < in->problem->nops; v++) {
        const Op *op = &in->problem->ops[v];
        const Kind *kind = op->streaming && op->nkinds ? timed_kind(in->problem, op->kinds[0].name, in->busy) : NULL;
        if (!op->streaming)
            continue;
        Process *process = kind && kind->nuses ? copies : add_process(in);
        process->fills = true;
        process->ops[process->nops++] = v;
    }
    if (!copies->nops)
        copies->step = STEPS;
}

static double run(Run *in)
{
    double last = 0;

    for (;;) {
        Process *next = NULL;
        for (int i = 0; i < in->nprocesses; i++) {
            Process *process = &in->processes[i];
            if (can_go(in, process) && (!next || ready_at(in, process) < ready_at(in, next)))
                next = process;
        }
        if (!next)
            break;
        go(in, next);
    }
    for (int i = 0; i < in->nprocesses; i++) {
        const Process *process = &in->processes[i];
        if (process->step < STEPS)
            return 0; /* waits for ever: the rings have too few slots */
        if (!process->fills)
            last = fmax(last, (process->ends[STEPS - 1] - process->ends[FROM]) / (STEPS - 1 - FROM));
    }
    return last;
}

double predict(const Problem *problem, const Order *order, bool busy)
{
    size_t n = (size_t)problem->nops * STEPS, replicas = (size_t)problem->replicas;
    size_t groups = (size_t)problem->groups * replicas;
    Run in = {.problem = problem,
              .order = order,
              .busy = busy,
              .processes = need(calloc(groups + (size_t)problem->nops + 1, sizeof(Process))),
              .done = need(malloc((n * replicas + 1) * sizeof(double))),
              .free = need(calloc(n + 1, sizeof(double))),
              .left = need(calloc(n + 1, sizeof(int))),
              .passed = need(malloc((replicas * STEPS + 1) * sizeof(double))),
              .unit = need(calloc((size_t)problem->nunits + 1, sizeof(UnitTimes)))};

    for (int v = 0; v < problem->nops; v++)
        if ((!problem->ops[v].nkinds && problem->ops[v].cycles) || !problem->ntimeline || problem->ops[v].variable)
            order = NULL; /* nothing says what it takes */
    for (size_t i = 0; i < n * replicas; i++)
        in.done[i] = -1;
    for (size_t i = 0; i < replicas * STEPS; i++)
        in.passed[i] = -1;
    for (int v = 0; v < problem->nops && order; v++)
        in.nstages = order->stage[v] + 1 > in.nstages ? order->stage[v] + 1 : in.nstages;
    for (int replica = 0; replica < problem->replicas && order; replica++)
        for (int group = 0; group < problem->groups; group++)
            add_group(&in, group, replica);
    if (order)
        add_rings(&in);
    double clocks = order ? run(&in) : 0;
    for (int i = 0; i < in.nprocesses; i++) {
        free(in.processes[i].ops);
        free(in.processes[i].last);
        free(in.processes[i].got);
        free(in.processes[i].pending);
    }
    free(in.processes);
    free(in.done);
    free(in.free);
    free(in.left);
    free(in.passed);
    free(in.unit);
    return clocks;
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

Order order_new(const Problem *problem)
{
    size_t n = (size_t)problem->nops + 1;
    Order order = {.in_flight = problem->in_flight,
                   .op = need(calloc(n, sizeof(int))),
                   .stage = need(calloc(n, sizeof(int))),
                   .group = need(calloc(n, sizeof(int)))};
    return order;
}

void order_free(Order *order)
{
    free(order->op);
    free(order->stage);
    free(order->group);
}

Order order_of(const Problem *problem, const Schedule *schedule)
{
    Order order = order_new(problem);
    int interval = schedule->interval;

    for (int v = 0; v < problem->nops; v++) {
        if (problem->ops[v].streaming)
            continue;
        int slot = schedule->at[v] % interval, place = order.n++;
        order.stage[v] = schedule->at[v] / interval;
        order.group[v] = schedule->group[v] == NOT_GIVEN ? 0 : schedule->group[v];
        for (; place > 0 && schedule->at[order.op[place - 1]] % interval > slot; place--)
            order.op[place] = order.op[place - 1];
        order.op[place] = v;
        if (order.stage[v])
            order.in_flight = 1;
    }
    return order;
}
