/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * predict.c - the clocks of an iteration, by discrete-event simulation of some iterations.
 *
 *      producer     fill ta tb   fill ta tb   fill ta tb   wait for a free slot ...
 *      consumer                  wait, dot    wait, dot, wait for the first dot, release its slot ...
 *
 * The costs are those of the machine's lines "timeline". The clauses of the model know the earliest issue of an
 * operation. In the simulation a group issues one operation after the other, and waits where the compiled program does:
 *
 *      for a full slot
 *      for a product, before an operation that reads its result
 *      at the end of a time step, for a product that the next step reads
 *
 * Slots are filled in order, and are free when every group has released them. Products of several groups share the
 * tensor cores. Under pingpong, groups have them one after the other. The emulation with durations
 * (runtime/emulate/clock.c) does the same for whole programs.
 *
 * The earliest event is processed next, so that no event begins before one that has been processed. The completion of a
 * product may still change until an operation has waited for it, since a concurrent product takes a part of its unit.
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

/* Returns the kind NAME, or NAME.all if all multiprocessors run the loop and the machine has that kind.  */
static const Kind *timed_kind(const Problem *problem, const char *name, bool busy)
{
    char *all = format("%s.all", name);
    const Kind *kind = busy ? kind_called(problem->timeline, problem->ntimeline, all) : NULL;
    free(all);
    kind = kind ? kind : kind_called(problem->timeline, problem->ntimeline, name);
    return kind ? kind : kind_called(problem->kinds, problem->nkinds, name);
}

static double step_cost(const Run *ctx, const char *name)
{
    const Kind *kind = kind_called(ctx->problem->timeline, ctx->problem->ntimeline, name);
    return kind ? kind->latency : 0;
}

static double *done_at(const Run *ctx, int replica, int op, int iteration)
{
    return &ctx->done[(replica * ctx->problem->nops + op) * STEPS + iteration];
}

static int slot_of(int op, int iteration)
{
    return op * STEPS + iteration;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static bool comes_from_elsewhere(const Run *ctx, const Process *process, int op)
{
    return ctx->problem->ops[op].streaming || ctx->order->group[op] != process->group;
}

/* True if the simulation has processed all inputs of the operation in this iteration.  */
static bool is_known(const Run *ctx, const Process *process, int op, int iteration)
{
    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        int from = iteration - edge->distance;
        if (edge->to == op && from >= 0 && comes_from_elsewhere(ctx, process, edge->from) &&
            *done_at(ctx, ctx->problem->ops[edge->from].streaming ? 0 : process->replica, edge->from, from) < 0)
            return false;
    }
    return true;
}

static void release(Run *ctx, Process *process, int op, int iteration)
{
    int slot = slot_of(op, iteration);

    process->clock += step_cost(ctx, "release");
    ctx->free[slot] = fmax(ctx->free[slot], process->clock);
    ctx->left[slot]--;
}

static double read_by(const Run *ctx, const Process *process, const Pending *slot)
{
    return *done_at(ctx, process->replica, slot->product, slot->product_iteration);
}

/* Releases the slots that products read, for all products that were complete at `done`, which the group has waited
   for.  */
static void release_pending(Run *ctx, Process *process, double done)
{
    int kept = 0;

    for (int i = 0; i < process->npending; i++)
        if (read_by(ctx, process, &process->pending[i]) <= done)
            release(ctx, process, process->pending[i].op, process->pending[i].iteration);
        else
            process->pending[kept++] = process->pending[i];
    process->npending = kept;
}

static void wait_until(Run *ctx, Process *process, double done)
{
    process->clock = fmax(process->clock, done) + step_cost(ctx, "wait");
    release_pending(ctx, process, done);
}

static void wait_for_inputs(Run *ctx, Process *process, int op, int iteration)
{
    double product = -1;

    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        const Op *source = &ctx->problem->ops[edge->from];
        int from = iteration - edge->distance;
        if (edge->to != op || from < 0)
            continue;
        double done = *done_at(ctx, source->streaming ? 0 : process->replica, edge->from, from);
        if (source->streaming) {
            char *received = &process->received[slot_of(edge->from, from)];
            process->clock = *received ? process->clock : fmax(process->clock, done) + step_cost(ctx, "get");
            *received = 1;
        } else if (comes_from_elsewhere(ctx, process, edge->from)) {
            process->clock = fmax(process->clock, done + source->spill * ctx->problem->clocks);
        } else if (edge->blocking && source->asynchronous) {
            product = fmax(product, done);
        }
    }
    if (product >= 0)
        wait_until(ctx, process, product);
}

/* Starts work of a kind.  *place gets the clock of completion, which may increase when others share the unit.  */
static void start(Run *ctx, const Process *process, const Kind *kind, double work, double *place)
{
    int unit = interleaved_unit(ctx->problem, kind, work);
    double least = 0, clocks = 0;

    if (unit == NOT_GIVEN) {
        *place = take_units(ctx, kind, work, process->clock) + kind->latency;
        return;
    }
    for (int i = 0; i < kind->nuses; i++) {
        clocks = kind->uses[i].unit == unit ? work / kind->uses[i].rate : clocks;
        least = fmax(least, work / kind->uses[i].rate);
    }
    share_unit(&ctx->unit[unit], (Job){.owner = process->replica * ctx->problem->groups + process->group,
                                       .begin = process->clock,
                                       .clocks = clocks,
                                       .least = least,
                                       .latency = kind->latency,
                                       .done = place});
}

/* Issues the next part of an operation, one of its kinds. The group is busy with synchronous work until it is done.  */
static void issue(Run *ctx, Process *process, const Op *op, double *done)
{
    const char *name = op->kinds[process->part].name;
    const Kind *kind = timed_kind(ctx->problem, name, ctx->busy);
    double work = op->kinds[process->part].work;
    bool asynchronous = kind_called(ctx->problem->kinds, ctx->problem->nkinds, name)->asynchronous;

    if (asynchronous && strcmp(name, "store")) {
        process->clock += step_cost(ctx, "fence");
        start(ctx, process, kind, work, done);
        process->clock += step_cost(ctx, "commit");
    } else if (asynchronous) {
        process->clock += step_cost(ctx, "fence") + step_cost(ctx, "out");
        start(ctx, process, kind, work, &process->stored);
    } else {
        if (!strcmp(name, "stage"))
            process->clock = fmax(process->clock, process->stored) + step_cost(ctx, "barrier");
        start(ctx, process, kind, work, &process->busy);
    }
}

static void release_read(Run *ctx, Process *process, int op, int iteration)
{
    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        if (edge->to != op || process->last[edge->from] != process->place || iteration < edge->distance ||
            !ctx->problem->ops[edge->from].streaming)
            continue;
        if (ctx->problem->ops[op].asynchronous)
            process->pending[process->npending++] = (Pending){edge->from, iteration - edge->distance, op, iteration};
        else
            release(ctx, process, edge->from, iteration - edge->distance);
    }
}

/* True if a later step reads the product, so that the result is copied at the end of this step.  */
static bool is_read_later(const Run *ctx, int op)
{
    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        if (edge->from == op && edge->blocking && ctx->order->stage[edge->to] + edge->distance > ctx->order->stage[op])
            return true;
    }
    return false;
}

/* Returns the completion of the last product whose slots this step releases, P - 1 steps behind, or a negative
   number.  */
static double last_to_release(const Run *ctx, const Process *process)
{
    int late = ctx->order->in_flight - 1;
    double done = -1;

    for (int i = 0; i < process->npending; i++)
        if (process->pending[i].iteration + ctx->nstages - 1 <= process->step - late)
            done = fmax(done, read_by(ctx, process, &process->pending[i]));
    return done;
}

/* Returns the completion of the last product that a later step reads, or a negative number.  */
static double last_to_copy(const Run *ctx, const Process *process)
{
    double last = -1;

    for (int k = 0; k < process->nops; k++) {
        int op = process->ops[k], iteration = process->step - ctx->order->stage[op];
        if (ctx->problem->ops[op].asynchronous && ctx->problem->ops[op].nkinds && iteration >= 0 &&
            is_read_later(ctx, op))
            last = fmax(last, *done_at(ctx, process->replica, op, iteration));
    }
    return last;
}

static void end_step(Run *ctx, Process *process)
{
    double done = last_to_copy(ctx, process);

    if (done > process->clock)
        wait_until(ctx, process, done);
    done = last_to_release(ctx, process);
    if (done >= 0)
        wait_until(ctx, process, done);
    process->ends[process->step++] = process->clock;
    process->place = 0;
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static void fill(Run *ctx, Process *process, int op)
{
    const Op *load = &ctx->problem->ops[op];
    int before = process->step - load->slots;

    if (load->slots && before >= 0)
        process->clock = fmax(process->clock, ctx->free[slot_of(op, before)]);
    process->clock += step_cost(ctx, "put");
    const Kind *kind = load->nkinds ? timed_kind(ctx->problem, load->kinds[0].name, ctx->busy) : NULL;
    double done = process->clock + load->latency * ctx->problem->clocks;
    if (kind && kind->nuses)
        done = take_units(ctx, kind, load->kinds[0].work, process->clock) + kind->latency;
    else
        process->clock = done; /* the role that computes the value is busy */
    *done_at(ctx, 0, op, process->step) = done + step_cost(ctx, "fill");
}

static bool may_fill(const Run *ctx, const Process *process, int op)
{
    int slots = ctx->problem->ops[op].slots, before = process->step - slots;
    return !slots || before < 0 || ctx->left[slot_of(op, before)] <= 0;
}

/* ---- the simulation ---------------------------------------------------------------------------------------------- */

static bool is_runnable(const Run *ctx, const Process *process)
{
    if (process->step >= STEPS)
        return false;
    if (process->place == process->nops || process->part)
        return true;
    int op = process->ops[process->place];
    if (process->fills)
        return may_fill(ctx, process, op);
    if (takes_turn(ctx, process) && turn_from(ctx, process) < 0)
        return false;
    int iteration = process->step - ctx->order->stage[op];
    return iteration < 0 || is_known(ctx, process, op, iteration);
}

/* Returns the clock at which the next operation of the process can begin, by its inputs or its slot.  */
static double ready_at(const Run *ctx, const Process *process)
{
    double ready = fmax(process->clock, process->busy);
    if (process->part)
        return ready;
    if (process->place == process->nops)
        return fmax(ready, fmax(last_to_copy(ctx, process), last_to_release(ctx, process)));
    int op = process->ops[process->place], iteration = process->step - ctx->order->stage[op];

    if (takes_turn(ctx, process))
        ready = fmax(ready, turn_from(ctx, process));
    if (process->fills) {
        int before = process->step - ctx->problem->ops[op].slots;
        return ctx->problem->ops[op].slots && before >= 0 ? fmax(ready, ctx->free[slot_of(op, before)]) : ready;
    }
    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        const Op *source = &ctx->problem->ops[edge->from];
        int from = iteration - edge->distance;
        if (edge->to == op && from >= 0 && iteration >= 0 &&
            (comes_from_elsewhere(ctx, process, edge->from) || (edge->blocking && source->asynchronous)))
            ready = fmax(ready, *done_at(ctx, source->streaming ? 0 : process->replica, edge->from, from));
    }
    return ready;
}

static void step(Run *ctx, Process *process)
{
    process->clock = fmax(process->clock, process->busy);
    if (process->place == process->nops) {
        end_step(ctx, process);
        return;
    }
    int op = process->ops[process->place], iteration = process->step - ctx->order->stage[op];

    if (process->fills) {
        fill(ctx, process, op);
        process->step += process->place == process->nops - 1;
        process->place = (process->place + 1) % process->nops;
        return;
    }
    if (!process->part && iteration >= 0)
        wait_for_inputs(ctx, process, op, iteration);
    if (!process->part && takes_turn(ctx, process))
        process->clock = fmax(process->clock, turn_from(ctx, process)) + step_cost(ctx, "barrier");
    if (!process->part && process->place == process->pass && process->pass_waits)
        pass_turn(ctx, process);
    if (iteration >= 0 && process->part < ctx->problem->ops[op].nkinds) {
        issue(ctx, process, &ctx->problem->ops[op], done_at(ctx, process->replica, op, iteration));
        process->part++;
        return;
    }
    process->part = 0;
    if (iteration >= 0) {
        double *done = done_at(ctx, process->replica, op, iteration);
        if (!ctx->problem->ops[op].asynchronous || *done < 0)
            *done = process->clock;
        release_read(ctx, process, op, iteration);
    }
    if (process->place == process->pass && !process->pass_waits)
        pass_turn(ctx, process);
    process->place++;
}

static Process *add_process(Run *ctx)
{
    size_t n = (size_t)ctx->problem->nops + 1;
    Process *process = &ctx->processes[ctx->nprocesses++];

    *process = (Process){.take = NOT_GIVEN,
                         .pass = NOT_GIVEN,
                         .ops = need(calloc(n, sizeof(int))),
                         .last = need(malloc(n * sizeof(int))),
                         .received = need(calloc(n * STEPS, 1)),
                         .pending = need(calloc(n * STEPS, sizeof(Pending)))};
    for (int v = 0; v < ctx->problem->nops; v++)
        process->last[v] = NOT_GIVEN;
    return process;
}

static void add_group(Run *ctx, int group, int replica)
{
    Process *process = add_process(ctx);
    const Problem *problem = ctx->problem;

    process->group = group;
    process->replica = replica;
    for (int i = 0; i < ctx->order->n; i++)
        if (!problem->ops[ctx->order->op[i]].streaming && ctx->order->group[ctx->order->op[i]] == group)
            process->ops[process->nops++] = ctx->order->op[i];
    if (!process->nops) {
        ctx->nprocesses--;
        free(process->ops);
        free(process->last);
        free(process->received);
        free(process->pending);
        return;
    }
    for (int k = 0; k < process->nops; k++) /* the last reader has the latest stage, then the latest place */
        for (int e = 0; e < problem->nedges; e++) {
            int op = process->ops[k], *last = &process->last[problem->edges[e].from];
            if (problem->edges[e].to == op &&
                (*last == NOT_GIVEN || ctx->order->stage[process->ops[*last]] <= ctx->order->stage[op]))
                *last = k;
        }
    place_turns(ctx, process);
    for (int v = 0; v < problem->nops; v++)
        for (int i = 0; i < STEPS && process->last[v] != NOT_GIVEN; i++)
            ctx->left[slot_of(v, i)]++;
    ctx->consumers++;
}

/* Adds the processes that fill rings. One producer makes all copies, in the order of their first uses. Each value that
   a role computes has a process of its own.  */
static void add_rings(Run *ctx)
{
    Process *copies = add_process(ctx);

    copies->fills = true;
    for (int v = 0; v < ctx->problem->nops; v++) {
        const Op *op = &ctx->problem->ops[v];
        const Kind *kind = op->streaming && op->nkinds ? timed_kind(ctx->problem, op->kinds[0].name, ctx->busy) : NULL;
        if (!op->streaming)
            continue;
        Process *process = kind && kind->nuses ? copies : add_process(ctx);
        process->fills = true;
        process->ops[process->nops++] = v;
    }
    if (!copies->nops)
        copies->step = STEPS;
}

static double run(Run *ctx)
{
    double last = 0;

    for (;;) {
        Process *next = NULL;
        for (int i = 0; i < ctx->nprocesses; i++) {
            Process *process = &ctx->processes[i];
            if (is_runnable(ctx, process) && (!next || ready_at(ctx, process) < ready_at(ctx, next)))
                next = process;
        }
        if (!next)
            break;
        step(ctx, next);
    }
    for (int i = 0; i < ctx->nprocesses; i++) {
        const Process *process = &ctx->processes[i];
        if (process->step < STEPS)
            return 0; /* deadlock: the rings have too few slots */
        if (!process->fills)
            last = fmax(last, (process->ends[STEPS - 1] - process->ends[FROM]) / (STEPS - 1 - FROM));
    }
    return last;
}

double predict(const Problem *problem, const Order *order, bool busy)
{
    size_t n = (size_t)problem->nops * STEPS, replicas = (size_t)problem->replicas;
    size_t groups = (size_t)problem->groups * replicas;
    Run ctx = {.problem = problem,
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
            order = NULL; /* the machine has no cost for it */
    for (size_t i = 0; i < n * replicas; i++)
        ctx.done[i] = -1;
    for (size_t i = 0; i < replicas * STEPS; i++)
        ctx.passed[i] = -1;
    for (int v = 0; v < problem->nops && order; v++)
        ctx.nstages = order->stage[v] + 1 > ctx.nstages ? order->stage[v] + 1 : ctx.nstages;
    for (int replica = 0; replica < problem->replicas && order; replica++)
        for (int group = 0; group < problem->groups; group++)
            add_group(&ctx, group, replica);
    if (order)
        add_rings(&ctx);
    double clocks = order ? run(&ctx) : 0;
    for (int i = 0; i < ctx.nprocesses; i++) {
        free(ctx.processes[i].ops);
        free(ctx.processes[i].last);
        free(ctx.processes[i].received);
        free(ctx.processes[i].pending);
    }
    free(ctx.processes);
    free(ctx.done);
    free(ctx.free);
    free(ctx.left);
    free(ctx.passed);
    free(ctx.unit);
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
