/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * predict-turns.c - groups in turn at the tensor cores.
 *
 * The products that a step starts together are a turn. It ends when they have begun, and in a loop of one stage when
 * the first of what reads them has waited (lowering/roles/stages.c).
 */
#include "predict.h"

#include <string.h>

/* Does the op at that place look at a product of its own step between these places?  */
static bool looks(const Run *in, const Process *process, int place, int first)
{
    int op = process->ops[place];

    for (int e = 0; e < in->problem->nedges; e++) {
        const Edge *edge = &in->problem->edges[e];
        if (edge->to != op || edge->distance || !edge->blocking || in->order->stage[edge->from] != in->order->stage[op])
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

void place_turns(const Run *in, Process *process)
{
    int looker = NOT_GIVEN;

    process->take = process->pass = NOT_GIVEN;
    process->pass_waits = false;
    if (!in->order->turns || in->problem->replicas == 1 || in->problem->groups > 1)
        return;
    for (int k = 0; k < process->nops && looker == NOT_GIVEN; k++) {
        if (process->take != NOT_GIVEN && looks(in, process, k, process->take))
            looker = k;
        else if (is_product(in->problem, process->ops[k])) {
            process->take = process->take == NOT_GIVEN ? k : process->take;
            process->pass = k;
        }
    }
    if (process->take != NOT_GIVEN && looker != NOT_GIVEN && in->nstages == 1) {
        process->pass = looker;
        process->pass_waits = true;
    }
}

bool takes_turn(const Run *in, const Process *process)
{
    (void)in;
    return !process->fills && process->take != NOT_GIVEN && process->place == process->take;
}

double turn_from(const Run *in, const Process *process)
{
    int replica = process->replica ? process->replica - 1 : in->problem->replicas - 1;
    int step = process->replica ? process->step : process->step - 1;

    return step < 0 ? 0 : in->passed[replica * STEPS + step];
}

void pass_turn(Run *in, Process *process)
{
    in->passed[process->replica * STEPS + process->step] = process->clock;
}
