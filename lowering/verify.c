/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify.c - the last look: may this program be printed?
 *
 *   ring ta_tb   4 slots, one put an iteration, two groups that release it one product late
 *                holds: D >= P, every wait ends, no slot is filled while it is read, 49152 bytes a put, 2 arrivals a slot
 *
 * Read-only, on the programs of the roles as they will be printed.  Each obligation below is one function.  The first ones
 * are counts; the last one runs the programs of all groups against each other (verify-run.c, verify-rings.c) for trip counts
 * around the sizes of the rings: 0, 1, 2, D, D + 1 and 2 D + 2, over several tiles.  The control flow of a role is computed
 * exactly, and what a group waits for are counters that only grow, so a run finds every deadlock and every early release of
 * its trip counts, whatever the order of execution on the machine.
 *
 * Assumed: the runtime's put, get and consumed do what runtime/README.md says; scalars are evaluated alike in every role.
 */
#include <string.h>

#include "machine.h"
#include "plan.h"
#include "slice.h"
#include "validate.h"
#include "verify.h"

/* ---- counts ------------------------------------------------------------------------------------------------------ */

/* A ring has one role that fills it, and slots for all that a release leaves behind.  */
static bool check_ends(Kernel *kernel)
{
    FOR_AREFS (aref, kernel) {
        int fillers = 0, readers = 0;
        FOR_ROLES (role, kernel) {
            fillers += role_has_op(role, OP_PUT, aref);
            readers += role_has_op(role, OP_GET, aref);
        }
        if (fillers != 1 || !readers) {
            BUG(kernel, "ring '%s': %d roles fill it and %d read it", aref->name, fillers, readers);
            return false;
        }
        if (aref->slots < aref->release_lag + 1) {
            reject(kernel, kernel->loc, REASON_DEPTH_BELOW_FLIGHT, aref->slots, aref->release_lag + 1, aref->name,
                   aref->release_lag + 1);
            return false;
        }
    }
    return true;
}

static bool check_arrivals(Kernel *kernel)
{
    FOR_AREFS (aref, kernel) {
        int arrivals = 0;
        FOR_ROLES (role, kernel)
            if (role_has_op(role, OP_CONSUMED, aref))
                arrivals += role_has_op(role, OP_SKIP, aref) ? 1 : role->replicas;
        if (arrivals != aref->arrivals) {
            reject(kernel, kernel->loc, REASON_ARRIVALS, aref->name, aref->arrivals, arrivals);
            return false;
        }
    }
    return true;
}

static bool check_memory(Kernel *kernel)
{
    FOR_STORAGES (storage, kernel) {
        int64_t align = storage->use == USE_SCRATCH ? 16 : MACHINE_SHARED_ALIGN;
        int64_t end = storage->offset + storage->slots * storage->slot_bytes;
        if (storage->offset % align || storage->slot_bytes <= 0 || end > kernel->shared_bytes) {
            BUG(kernel, "storage '%s' lies at %lld to %lld of %lld bytes", storage->name, (long long)storage->offset,
                (long long)end, (long long)kernel->shared_bytes);
            return false;
        }
        FOR_STORAGES (other, kernel) {
            bool apart = other == storage || (storage->alias >= 0 && storage->alias == other->alias) ||
                         end <= other->offset || other->offset + other->slots * other->slot_bytes <= storage->offset;
            if (!apart) {
                BUG(kernel, "storages '%s' and '%s' overlap", storage->name, other->name);
                return false;
            }
        }
    }
    return kernel->shared_bytes <= MACHINE_SHARED_BYTES;
}

static bool check_machine(Kernel *kernel)
{
    int groups = 0, registers = 0;
    FOR_ROLES (role, kernel) {
        groups += role->replicas;
        registers += role->replicas * role->registers * MACHINE_GROUP_THREADS;
    }
    if (kernel->threads != groups * MACHINE_GROUP_THREADS || kernel->threads > MACHINE_MAX_THREADS ||
        registers > MACHINE_REGISTERS) {
        BUG(kernel, "%d threads for %d groups, %d registers", kernel->threads, groups, registers);
        return false;
    }
    return true;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    Scenario *scenario;
    int most_puts;
} Setup;

/* A parameter that bounds a loop makes it run about `trips` times, with a ragged end.  */
static void visit_bound(Op *op, void *context)
{
    Setup *setup = context;
    int64_t step;
    if (op->code != OP_FOR || !ir_constant(op->args[2], &step) || step <= 0)
        return;
    const Value *end = op->args[1];
    while (end->def && end->def->code == OP_CONVI)
        end = end->def->args[0];
    if (end->def || end->block || end->index >= setup->kernel->nparams)
        return;
    int64_t ragged = setup->scenario->trips > 1 ? step / 2 : 0;
    setup->scenario->params[end->index] = setup->scenario->trips * step - ragged;
}

static Scenario scenario_new(Kernel *kernel, int trips)
{
    Scenario scenario = {trips, arena_alloc(kernel->module, (size_t)(kernel->nparams + 1) * sizeof(int64_t))};
    for (int i = 0; i < kernel->nparams; i++)
        scenario.params[i] = trips + i % 3;
    Setup setup = {kernel, &scenario, 0};
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_bound, &setup);
    return scenario;
}

static int trace_count(const Kernel *kernel)
{
    int count = 0;
    FOR_ROLES (role, kernel)
        count += role->replicas;
    return count;
}

static RunResult run_scenario(Kernel *kernel, int trips)
{
    Scenario scenario = scenario_new(kernel, trips);
    int ntraces = trace_count(kernel), i = 0;
    Trace *traces = arena_alloc(kernel->module, (size_t)ntraces * sizeof *traces);
    FOR_ROLES (role, kernel)
        for (int group = 0; group < role->replicas; group++, i++) {
            traces[i] = (Trace){.role = role, .group = group};
            RunResult result = verify_run(kernel, &scenario, &traces[i]);
            if (result != RUN_DONE)
                return result;
        }
    return verify_rings(kernel, &scenario, traces, ntraces) ? RUN_DONE : RUN_FAILED;
}

/* Trip counts at which a ring of D slots can behave differently.  Runs that are too long say nothing; one at least has to
   come to its end.  */
static bool check_runs(Kernel *kernel)
{
    int deepest = 1, finished = 0;
    FOR_AREFS (aref, kernel)
        deepest = aref->slots > deepest ? aref->slots : deepest;
    const int trips[] = {0, 1, 2, deepest, deepest + 1, 2 * deepest + 2};
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
        if (i > 2 && trips[i] <= trips[i - 1])
            continue;
        RunResult result = run_scenario(kernel, trips[i]);
        if (result == RUN_FAILED)
            return false;
        finished += result == RUN_DONE;
    }
    if (!finished && kernel->arefs)
        warn(kernel, kernel->loc, "the rings of '%s' were checked by counts only: every run was too long",
             kernel->name);
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool check_values(Kernel *kernel)
{
    Labels labels[32] = {0};
    return validate_programs(kernel, labels);
}

/* ---- the obligations --------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    bool (*check)(Kernel *kernel);
    const char *summary;
} Obligation;

static const Obligation obligations[] = {
    {"machine", check_machine, "threads and registers are what a block has"},
    {"memory", check_memory, "storages are aligned, apart, and within shared memory"},
    {"ends", check_ends, "one role fills each ring; D slots are enough for P iterations in flight"},
    {"arrivals", check_arrivals, "a slot is empty when every group that reads it has released it"},
    {"runs", check_runs, "every wait ends; no slot is filled while it is read; bytes and counts are right"},
    {"values", check_values, "the roles together compute what the source says"},
};

/* require: plan.   ensure: nothing changed; a reject or BUG if the program is not safe.  */
void pass_verify(Kernel *kernel)
{
    const char *text = "";
    for (size_t i = 0; i < sizeof obligations / sizeof *obligations && !kernel->failed; i++) {
        const Obligation *obligation = &obligations[i];
        bool holds = obligation->check(kernel);
        text = arena_print(kernel->module, "%s# verify %-9s %s: %s\n", text, obligation->name,
                           holds ? "holds" : "fails", obligation->summary);
        if (!holds)
            break;
    }
    kernel->obligations = text;
}

bool verify_text(const char *text, const char *name, DiagFn diag, void *context)
{
    Module *module = ir_parse(text, name, diag, context);
    if (!module)
        return false;
    int pass = find_pass("verify");
    for (Kernel *kernel = module->kernels; kernel; kernel = kernel->next) {
        module->pass = passes[pass].name;
        if (ir_check(kernel))
            passes[pass].run(kernel);
    }
    bool accepted = !module->failed;
    module_free(module);
    return accepted;
}
