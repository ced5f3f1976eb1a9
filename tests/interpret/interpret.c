/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interpret.c - the entry of a launcher: parses the text once, then runs each launch under the requested orders.
 */
#include "interpret.h"
#include "ir/check.h"
#include "ir/parse.h"
#include "target/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"
#include "ws/backend.h"

struct interpret_unit {
    Module *module;
    Plan **plans; /* by kernel, in the module's order */
};

static void say(void *context, DiagKind kind, Loc loc, const char *message)
{
    (void)context;
    if (kind == DIAG_ERROR)
        ws_error_set(WS_ERR_PROTOCOL, "line %d: %s", loc.line, message);
}

static interpret_unit *read_unit(const char *text)
{
    interpret_unit *unit = calloc(1, sizeof *unit);
    int count = 0;
    if (!unit)
        abort();
    unit->module = ir_parse(text, "final IR", &machine_hopper, say, NULL);
    for (const Kernel *kernel = unit->module ? unit->module->kernels : NULL; kernel; kernel = kernel->next)
        count++;
    unit->plans = calloc((size_t)count + 1, sizeof *unit->plans);
    if (!unit->plans)
        abort();
    return unit;
}

static const Plan *find_plan(interpret_unit *unit, const char *name)
{
    int i = 0;
    for (Kernel *kernel = unit->module ? unit->module->kernels : NULL; kernel; kernel = kernel->next, i++) {
        if (strcmp(kernel->name, name))
            continue;
        if (!unit->plans[i] && ir_check(kernel) && kernel->threads)
            unit->plans[i] = plan_new(kernel);
        return unit->plans[i];
    }
    return NULL;
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
    const char *text = ws_environment_(name);
    return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

/* ---- several orders ---------------------------------------------------------------------------------------------- */

static bool adds_floats(const Launch *launch)
{
    for (int i = 0; i < launch->plan->ntensors; i++)
        if (launch->tensors[i].dtype == D_F32 && launch->state.tensors[i].use & WS_EMULATE_STORED &&
            launch->state.tensors[i].use & WS_EMULATE_LOADED)
            return true;
    return false;
}

/* Runs the launch under each seed.  All seeds have to leave the same bytes, except with atomic additions of floats,
   which may come in any order.  */
static void run_seeds(Launch *launch, unsigned long first, unsigned long count)
{
    Image before = image_take(launch), wanted = {NULL, 0};
    for (unsigned long seed = first; seed < first + count && !launch->state.failed; seed++) {
        Order order = {.seed = seed};
        if (seed > first) {
            image_put(launch, &before);
            launch_forget(launch);
        }
        const char *report = launch_run(launch, &order, NULL);
        if (report)
            ws_emulate_fail(&launch->state, WS_ERR_PROTOCOL, "%s", report);
        Image after = image_take(launch);
        if (seed == first) {
            wanted = after;
            continue;
        }
        if (!report && !adds_floats(launch) && !image_equal(&wanted, &after))
            ws_emulate_fail(&launch->state, WS_ERR_PROTOCOL, "%s: seeds %lu and %lu give different results",
                            launch->state.kernel, first, seed);
        image_drop(&after);
    }
    image_drop(&before);
    image_drop(&wanted);
}

enum { MOST_ORDERS = 100000 };

static void run_orders(Launch *launch)
{
    const char *order = ws_environment_("WS_ORDER"), *schedules = ws_environment_("WS_SCHEDULES"), *report = NULL;
    long orders;
    if (order && *order) {
        report = launch_replay(launch, order);
    } else if (schedules && !strcmp(schedules, "all")) {
        report = launch_explore(launch, MOST_ORDERS, &orders);
        if (!report)
            fprintf(stderr, "%s: %ld orders of %d CTAs stand for all\n", launch->state.kernel, orders, launch->ctas);
    } else {
        run_seeds(launch, setting("WS_SEED", 1), setting("WS_SCHEDULES", 1));
    }
    if (report)
        ws_emulate_fail(&launch->state, WS_ERR_PROTOCOL, "%s", report);
}

void interpret_launch(interpret_unit **unit, const char *text, const char *kernel, const interpret_argument *arguments,
                      int count)
{
    Launch launch;
    if (!*unit)
        *unit = read_unit(text);
    const Plan *plan = find_plan(*unit, kernel);
    if (!plan) {
        ws_error_set(WS_ERR_PROTOCOL, "%s: the final IR does not have this kernel", kernel);
        return;
    }
    if (launch_begin(&launch, plan, arguments, count) && launch.ctas)
        run_orders(&launch);
    launch_end(&launch);
}
