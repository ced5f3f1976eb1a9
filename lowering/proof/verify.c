/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify.c - the last pass before the printer: accepts or refuses the programs of the roles.
 *
 *      ring ta_tb   4 slots, one put an iteration, two groups that release it one product late
 *                   holds: D >= P, every wait ends, no slot is filled while it is read, 49152 bytes a put, 2 arrivals a
 *                   slot
 *
 * The pass changes nothing.  It checks the programs as they will be printed, for all trip counts and all paths.  Each
 * obligation below is one function.  Most check the tables of the kernel, or operations one by one.  Two are the halves
 * of a proof:
 *
 *   - values (validate.c): each role beside the source, with all values unknown.  Rings carry the tiles that the source
 *     loads, and stores are the source's.  Branches and loops take the source's conditions in order.
 *   - protocol (protocol.c): all groups against each other.  Of values only the shared decisions remain.  The search
 *     visits every combination of their positions; these are finitely many.
 *
 * A message names the mistake in words: the role, the operation, the slot, the iteration, and the cause.
 */
#include <string.h>

#include "ir/check.h"
#include "ir/cluster.h"
#include "ir/parse.h"
#include "ir/slice.h"
#include "ir/text.h"
#include "passes.h"
#include "proof/protocol.h"
#include "proof/validate.h"
#include "proof/verify.h"
#include "roles/programs.h"
#include "target/machine.h"

/* ---- counts ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const Aref *aref;
    int along;
} Filling;

static void visit_filling(Op *op, void *context)
{
    Filling *filling = context;
    if (op->code == OP_COPY_IN && op->aref == filling->aref)
        filling->along = cluster_join(filling->along, op->transfer->along);
}

/* True if the blocks that wait for each other's releases also copy bytes to each other.  Then a slot is full only when
   all of them have put.  No block releases it for a round that another has not begun.  */
static bool check_sharers(Kernel *kernel, const Aref *aref)
{
    Filling filling = {aref, ALONG_NONE};
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_filling, &filling);
    if (filling.along != aref->along)
        BUG(kernel, "ring '%s' is filled along %s, and released along %s", aref->name, text_alongs[filling.along],
            text_alongs[aref->along]);
    return filling.along == aref->along;
}

/* True if one role fills each ring, and if it has slots for all puts that a release leaves held.  */
static bool check_ends(Kernel *kernel, Labels *labels)
{
    (void)labels;
    FOR_AREFS (aref, kernel) {
        int fillers = 0, readers = 0, groups = 0;
        FOR_ROLES (role, kernel) {
            fillers += role_has_op(role, OP_PUT, aref);
            groups += role_has_op(role, OP_PUT_TILE, aref) ? role_sharers(kernel, role) : 0;
            readers += role_has_op(role, OP_GET, aref);
        }
        if (fillers != 1 || !readers) {
            BUG(kernel, "ring '%s': %d roles fill it and %d read it", aref->name, fillers, readers);
            return false;
        }
        if (aref->fillers != (groups ? groups : 1)) {
            BUG(kernel, "ring '%s': %d groups fill a slot, and its barrier expects %d", aref->name, groups ? groups : 1,
                aref->fillers);
            return false;
        }
        if (!check_sharers(kernel, aref))
            return false;
        if (aref->slots < aref->release_lag + 1) {
            reject(kernel, kernel->loc, REASON_DEPTH_BELOW_FLIGHT, aref->slots, aref->release_lag + 1, aref->name,
                   aref->release_lag + 1);
            return false;
        }
    }
    return true;
}

static bool check_arrivals(Kernel *kernel, Labels *labels)
{
    (void)labels;
    FOR_AREFS (aref, kernel) {
        int arrivals = 0;
        FOR_ROLES (role, kernel)
            if (role_has_op(role, OP_CONSUMED, aref))
                arrivals += role_has_op(role, OP_SKIP, aref) ? 1 : role->replicas;
        arrivals *= cluster_sharers(kernel, aref->along);
        if (arrivals != aref->arrivals) {
            reject(kernel, kernel->loc, REASON_ARRIVALS, aref->name, aref->arrivals, arrivals);
            return false;
        }
    }
    return true;
}

/* True if each role has a program for tensors that TMA cannot load: their addresses depend on the launch.  Threads then
   copy, namely those of the role's warp.  */
static bool check_versions(Kernel *kernel, Labels *labels)
{
    (void)labels;
    FOR_ROLES (role, kernel) {
        if (!(role->versions & VERSION_ANY)) {
            BUG(kernel, "'%s' has no program for tensors that the TMA cannot load", role->name);
            return false;
        }
        if (role->versions & VERSION_TMA && role->warps > 1) {
            BUG(kernel, "'%s' has a program for tensors that the TMA can load, and %d warps to run it", role->name,
                role->warps);
            return false;
        }
        if (role->warps == 1 && !role_issues_only(role)) {
            BUG(kernel, "'%s' has one warp, and more to do than to issue copies", role->name);
            return false;
        }
    }
    return true;
}

static bool check_memory(Kernel *kernel, Labels *labels)
{
    (void)labels;
    return verify_memory(kernel);
}

static bool check_machine(Kernel *kernel, Labels *labels)
{
    (void)labels;
    return verify_machine(kernel);
}

static bool check_names(Kernel *kernel, Labels *labels)
{
    (void)labels;
    return verify_names(kernel);
}

static bool check_beside(Kernel *kernel, Labels *labels)
{
    (void)labels;
    return verify_beside(kernel) && verify_pace(kernel);
}

static bool check_reads(Kernel *kernel, Labels *labels)
{
    (void)labels;
    return verify_reads(kernel);
}

static bool check_windows(Kernel *kernel, Labels *labels)
{
    (void)labels;
    return verify_windows(kernel);
}

static bool check_uniform(Kernel *kernel, Labels *labels)
{
    (void)labels;
    return verify_uniform(kernel);
}

static bool check_types(Kernel *kernel, Labels *labels)
{
    (void)labels;
    return verify_types(kernel);
}

static bool check_fast(Kernel *kernel, Labels *labels)
{
    (void)labels;
    return verify_fast(kernel);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool check_values(Kernel *kernel, Labels *labels)
{
    return verify_shares(kernel) && validate_programs(kernel, labels);
}

/* Checks the protocol, twice for a ring with a storage of fewer slots.  If successive tiles are equal the ring has all
   its slots.  Otherwise it has as many as that storage, since a copy waits for all slots that share its memory.  */
static bool check_protocol(Kernel *kernel, Labels *labels)
{
    bool holds = protocol_holds(kernel, labels, NULL);
    FOR_AREFS (aref, kernel)
        holds = holds && (aref_places(aref) == aref->slots || protocol_holds(kernel, labels, aref));
    return holds;
}

/* ---- the obligations --------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    bool (*check)(Kernel *kernel, Labels *labels);
    const char *summary;
} Obligation;

static const Obligation obligations[] = {
    {"machine", check_machine, "threads and registers are what a block has"},
    {"types", check_types, "each tile has the type that its operation gives it"},
    {"memory", check_memory, "storages are aligned, apart, and within shared memory"},
    {"ends", check_ends, "one role fills each ring; D slots are enough for P iterations in flight"},
    {"names", check_names, "variables that are seen together are called differently"},
    {"arrivals", check_arrivals, "a slot is empty when every group that reads it has released it"},
    {"versions", check_versions, "each role has a program for tensors that the TMA cannot load"},
    {"uniform", check_uniform, "threads of a warp take the branches alike that say so"},
    {"windows", check_windows, "rows that stay in registers from one iteration to the next are those that it loads"},
    {"beside", check_beside, "no tile loads before it has waited, and none stores when it has said that it is done"},
    {"fast", check_fast, "no result shows the low bits of what is approximated"},
    {"values", check_values, "the roles together compute what the source says, over one sequence of slots"},
    {"protocol", check_protocol,
     "for all trip counts: every wait ends; no slot is filled or released while it is read"},
    {"reads", check_reads, "threads fence what they read of a slot before TMA may overwrite it"},
};

/* Returns `text` with a line for each ring.  */
static const char *say_rings(Kernel *kernel, const char *text)
{
    Module *module = kernel->module;
    FOR_AREFS (aref, kernel) {
        const char *readers = "";
        FOR_ROLES (role, kernel)
            if (aref->consumers & ROLE_BIT(role))
                readers = arena_print(module, "%s '%s' x %d", readers, role->name, role->replicas);
        text = arena_print(
            module, "%s# verify ring      %s: %d slots of %lld bytes, put by '%s', got by%s, empty after %d releases\n",
            text, aref->name, aref->slots, (long long)aref->bytes, aref->producer->name, readers, aref->arrivals);
    }
    return text;
}

void pass_verify(Kernel *kernel)
{
    const char *text = "";
    Labels *labels = arena_alloc(kernel->module, 32 * sizeof *labels);
    for (size_t i = 0; i < sizeof obligations / sizeof *obligations && !kernel->failed; i++) {
        const Obligation *obligation = &obligations[i];
        bool holds = obligation->check(kernel, labels);
        text = arena_print(kernel->module, "%s# verify %-9s %s: %s\n", text, obligation->name,
                           holds ? "holds" : "fails", obligation->summary);
        if (!holds)
            break;
    }
    if (!kernel->failed)
        text = arena_print(kernel->module,
                           "%s# verify size      %d terms, %d ways in which the groups may stand, %d steps of theirs\n",
                           say_rings(kernel, text), kernel->proof.terms, kernel->proof.states, kernel->proof.steps);
    kernel->obligations = text;
}

bool verify_text(const char *text, const char *name, const Machine *gpu, DiagFn diag, void *context)
{
    Module *module = ir_parse(text, name, gpu, diag, context);
    if (!module)
        return false;
    module->as_text = true;
    if (!module->kernels) {
        module->failed = true;
        diag(context, DIAG_ERROR, (Loc){.file = name, .line = 1, .column = 1}, "there is no kernel in it");
    }
    for (Kernel *kernel = module->kernels; kernel; kernel = kernel->next) {
        module->pass = "verify";
        if (ir_check(kernel))
            pass_verify(kernel);
    }
    bool accepted = !module->failed;
    module_free(module);
    return accepted;
}
