/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-rings.c - let the groups of a CTA run against each other.
 *
 *   producer      put 0, put 1, ... put D-1, then waits until slot 0 is empty again
 *   consumer      get 0 once put 0 is done, release 0 one iteration later
 *
 * What a group does next never depends on when: each is a sequence of steps, and a step waits for counters that only grow.
 * Hence one order of execution finds every deadlock, and the counts at the end are those of all orders.
 */
#include <string.h>

#include "verify.h"

typedef struct {
    long *done;     /* by aref: puts that are complete */
    int **released; /* by aref and running index: groups that have released it */
    long *room;
    long turns; /* taken and passed so far */
} World;

const char *verify_who(const Kernel *kernel, const Trace *trace)
{
    if (trace->role->replicas == 1)
        return trace->role->name;
    return arena_print(kernel->module, "%s %d", trace->role->name, trace->group);
}

static int narefs_of(const Kernel *kernel)
{
    int count = 0;
    FOR_AREFS (aref, kernel)
        count = aref->id + 1 > count ? aref->id + 1 : count;
    return count;
}

/* Room to count the releases of every put that any trace makes or looks at.  */
static World world_new(Kernel *kernel, const Trace *traces, int ntraces)
{
    Module *module = kernel->module;
    size_t narefs = (size_t)narefs_of(kernel) + 1;
    World world = {.done = arena_alloc(module, narefs * sizeof(long)),
                   .released = arena_alloc(module, narefs * sizeof(int *)),
                   .room = arena_alloc(module, narefs * sizeof(long))};
    for (int i = 0; i < ntraces; i++)
        for (int k = 0; k < traces[i].count; k++) {
            const Event *event = &traces[i].events[k];
            if (event->aref && event->index >= world.room[event->aref->id])
                world.room[event->aref->id] = event->index + 1;
        }
    FOR_AREFS (aref, kernel)
        world.released[aref->id] = arena_alloc(module, (size_t)(world.room[aref->id] + 1) * sizeof(int));
    return world;
}

/* Take the step if nothing holds it up.  */
static bool step(World *world, const Trace *trace, const Event *event)
{
    const Aref *aref = event->aref;
    switch (event->kind) {
    case EVENT_PUT:
        return event->index < aref->slots || world->released[aref->id][event->index - aref->slots] >= aref->arrivals;
    case EVENT_PUT_DONE:
        world->done[aref->id] = event->index + 1;
        return true;
    case EVENT_GET:
        return world->done[aref->id] > event->index;
    case EVENT_RELEASE:
        world->released[aref->id][event->index]++;
        return true;
    case EVENT_TAKE:
        return world->turns % trace->role->replicas == trace->group;
    default:
        world->turns++;
        return true;
    }
}

static const char *waits_for(Kernel *kernel, const Event *event)
{
    Module *module = kernel->module;
    const Aref *aref = event->aref;
    if (!aref)
        return "for its turn, which no group passes on";
    if (event->kind == EVENT_GET)
        return arena_print(module, "slot %ld of '%s' is never filled for the %ldth time", event->index % aref->slots,
                           aref->name, event->index / aref->slots + 1);
    return arena_print(module, "slot %ld of '%s' is not released by all %d groups after put %ld",
                       event->index % aref->slots, aref->name, aref->arrivals, event->index - aref->slots);
}

static void report_stuck(Kernel *kernel, const Scenario *scenario, const Trace *trace, const Event *event)
{
    const char *why =
        arena_print(kernel->module, "%s (loops of %d iterations)", waits_for(kernel, event), scenario->trips);
    reject(kernel, event->op->loc, REASON_WAITS_FOREVER, verify_who(kernel, trace), op_info[event->op->code].text, why);
}

static bool check_counts(Kernel *kernel, const World *world)
{
    FOR_AREFS (aref, kernel)
        for (long i = 0; i < world->room[aref->id]; i++)
            if (world->released[aref->id][i] != aref->arrivals) {
                reject(kernel, kernel->loc, REASON_ARRIVALS, aref->name, aref->arrivals, world->released[aref->id][i]);
                return false;
            }
    return true;
}

bool verify_rings(Kernel *kernel, const Scenario *scenario, Trace *traces, int ntraces)
{
    World world = world_new(kernel, traces, ntraces);
    int *at = arena_alloc(kernel->module, (size_t)ntraces * sizeof *at);
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < ntraces; i++)
            while (at[i] < traces[i].count && step(&world, &traces[i], &traces[i].events[at[i]])) {
                at[i]++;
                moved = true;
            }
    }
    for (int i = 0; i < ntraces; i++)
        if (at[i] < traces[i].count) {
            report_stuck(kernel, scenario, &traces[i], &traces[i].events[at[i]]);
            return false;
        }
    return check_counts(kernel, &world);
}
