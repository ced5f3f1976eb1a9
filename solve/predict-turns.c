/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * predict-turns.c - turns of groups at the tensor cores (the clause pingpong).
 *
 *      step of a loop with two stages     take, dot, dot, pass, exp, ...
 *      step of a loop with one stage      take, dot, dot, wait, pass, exp, ...
 *
 * The products that a step starts together are a turn. The turn ends when they have begun. In a loop of one stage, it
 * ends when the first reader of a product has waited (lowering/roles/stages.c).
 */
#include "predict.h"

#include <string.h>

/* True if the op at `place` reads a product of its own step from `first` on.  */
static bool looks(const Run *ctx, const Process *process, int place, int first)
{
    int op = process->ops[place];

    for (int e = 0; e < ctx->problem->nedges; e++) {
        const Edge *edge = &ctx->problem->edges[e];
        if (edge->to != op || edge->distance || !edge->blocking ||
            ctx->order->stage[edge->from] != ctx->order->stage[op])
            continue;
        for (int k = first; k < place; k++)
            if (process->ops[k] == edge->from)
                return true;
    }
    return false;
}

static bool is_product(const Problem *problem, int op)
{
    for (int i = 0; i < problem->ops[op].nkinds; i++)
        for (int k = 0; k < problem->nkinds; k++)
            if (!strcmp(problem->kinds[k].name, problem->ops[op].kinds[i].name) && problem->kinds[k].asynchronous &&
                interleaved_unit(problem, &problem->kinds[k], 1) != NOT_GIVEN)
                return true;
    return false;
}

void place_turns(const Run *ctx, Process *process)
{
    int looker = NOT_GIVEN;

    process->take = process->pass = NOT_GIVEN;
    process->pass_waits = false;
    if (!ctx->order->turns || ctx->problem->replicas == 1 || ctx->problem->groups > 1)
        return;
    for (int k = 0; k < process->nops && looker == NOT_GIVEN; k++) {
        if (process->take != NOT_GIVEN && looks(ctx, process, k, process->take))
            looker = k;
        else if (is_product(ctx->problem, process->ops[k])) {
            process->take = process->take == NOT_GIVEN ? k : process->take;
            process->pass = k;
        }
    }
    if (process->take != NOT_GIVEN && looker != NOT_GIVEN && ctx->nstages == 1) {
        process->pass = looker;
        process->pass_waits = true;
    }
}

bool takes_turn(const Run *ctx, const Process *process)
{
    (void)ctx;
    return !process->fills && process->take != NOT_GIVEN && process->place == process->take;
}

double turn_from(const Run *ctx, const Process *process)
{
    int replica = process->replica ? process->replica - 1 : ctx->problem->replicas - 1;
    int step = process->replica ? process->step : process->step - 1;

    return step < 0 ? 0 : ctx->passed[replica * STEPS + step];
}

void pass_turn(Run *ctx, Process *process)
{
    ctx->passed[process->replica * STEPS + process->step] = process->clock;
}
