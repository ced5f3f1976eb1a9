/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lower.c - the compiler as a table.  Start here.
 *
 * The front end (plugin/ or frontend/) delivers a Module of kernels in the IR of ir.h, in the order of the source. Each
 * pass below changes the kernel's operations, or sets attributes and fields. Behind each phase, check.c checks the
 * operations that its passes may change; with --ws-dump it does so behind each pass. The last row prints the .cu. Later
 * passes skip a refused kernel, and a module that has one has no text.
 *
 * Passes run in the order of the table. Every pass is in a file of its name, whose head shows a loop before and
 * after it. `simplify` has several rows, and passes that leave constants behind call it, too.
 */
#include <string.h>

#include "ir/check.h"
#include "ir/print.h"
#include "ir/queries.h"
#include "ir/versions.h"
#include "language/rewrite.h"
#include "lower.h"
#include "passes.h"
#include "print/cuda.h"
#include "schedule/schedule.h"

const Pass passes[] = {
    {"plain", PHASE_LANGUAGE, CHANGES_BODY, pass_plain, "turn loops over elements into loops over tiles"},
    {"queues", PHASE_LANGUAGE, CHANGES_BODY, pass_queues, "turn queues of tiles into tiles, and their loops into one"},
    {"types", PHASE_LANGUAGE, CHANGES_BODY, pass_types, "infer a type and a shape for every value"},
    {"simplify", PHASE_LANGUAGE, CHANGES_BODY, pass_simplify, "bring equal programs into one form"},
    {"rewrite", PHASE_LANGUAGE, CHANGES_NONE, pass_rewrite, "print plain loops as C over tiles"},
    {"nest", PHASE_LANGUAGE, CHANGES_BODY, pass_nest, "turn the loops of a grid into one operation"},
    {"restrictions", PHASE_LANGUAGE, CHANGES_NONE, pass_restrictions,
     "refuse pragmas, loops and tensors outside the language"},
    {"swap-operands", PHASE_LANGUAGE, CHANGES_BODY, pass_swap_operands,
     "transpose products whose right operand is computed"},
    {"blocks", PHASE_LANGUAGE, CHANGES_BODY, pass_blocks, "turn a loop over blocks into a dimension of the grid"},
    {"parts", PHASE_LANGUAGE, CHANGES_BODY, pass_parts, "turn a loop over parts into a dimension of the grid"},
    {"simplify-2", PHASE_LANGUAGE, CHANGES_BODY, pass_simplify, "simplify the loops in their new order"},
    {"padding", PHASE_LANGUAGE, CHANGES_NONE, pass_padding, "warn of reductions over padded elements"},
    {"mistakes", PHASE_LANGUAGE, CHANGES_NONE, pass_mistakes, "warn of likely mistakes"},

    {"histogram", PHASE_OPTIMIZE, CHANGES_BODY, pass_histogram, "count numbers where they belong"},
    {"row-lengths", PHASE_OPTIMIZE, CHANGES_NONE, pass_row_lengths, "add versions for rows shorter than a tile"},
    {"cluster-rows", PHASE_OPTIMIZE, CHANGES_NONE, pass_cluster_rows,
     "keep rows that several loops read in the registers of a cluster"},
    {"coalesce-tiles", PHASE_OPTIMIZE, CHANGES_BODY, pass_coalesce_tiles, "join small tiles that lie side by side"},
    {"interleave-tiles", PHASE_OPTIMIZE, CHANGES_BODY, pass_interleave_tiles,
     "interleave independent tiles that load through an index"},
    {"edges", PHASE_OPTIMIZE, CHANGES_BODY, pass_edges, "restrict masks to the tiles where they can fail"},
    {"masks", PHASE_OPTIMIZE, CHANGES_BODY, pass_masks, "merge masks of two bounds into one comparison"},
    {"simplify-3", PHASE_OPTIMIZE, CHANGES_BODY, pass_simplify, "simplify the conditions of edges"},
    {"divide", PHASE_OPTIMIZE, CHANGES_BODY, pass_divide, "divide rows into the parts of subtile(n)"},
    {"recurrence", PHASE_OPTIMIZE, CHANGES_BODY, pass_recurrence, "complete sums along rows behind the loop"},
    {"tf32-split", PHASE_OPTIMIZE, CHANGES_BODY, pass_tf32_split,
     "split the right operand of f32 products into a tf32 head and a residual"},
    {"rescale", PHASE_OPTIMIZE, CHANGES_BODY, pass_rescale, "skip products with factors that are 1"},
    {"argmax", PHASE_OPTIMIZE, CHANGES_BODY, pass_argmax, "find the column of a known row maximum"},
    {"row-cache", PHASE_OPTIMIZE, CHANGES_NONE, pass_row_cache, "keep rows that several loops read in registers"},
    {"subtiles", PHASE_OPTIMIZE, CHANGES_BODY, pass_subtiles,
     "compute the epilogue of an accumulator one subtile of columns at a time"},
    {"task-copies", PHASE_OPTIMIZE, CHANGES_BODY, pass_task_copies,
     "insert a copy at task boundaries, so that a ring can carry the value"},
    {"ring-vectors", PHASE_OPTIMIZE, CHANGES_BODY, pass_ring_vectors,
     "load vectors through the ring of the operands beside them"},
    {"skip-oob", PHASE_OPTIMIZE, CHANGES_BODY, pass_skip_oob, "skip loads whose out-of-bounds rows are dead"},
    {"multicast", PHASE_OPTIMIZE, CHANGES_NONE, pass_multicast,
     "add a version in clusters that share loads, where L2 may bound the kernel"},

    {"freeze", PHASE_FREEZE, CHANGES_NONE, pass_freeze, "fix the body that the proof compares with"},

    {"tag", PHASE_SCHEDULE, CHANGES_NONE, pass_tag, "classify statements: iteration, load or tile"},
    {"choose", PHASE_SCHEDULE, CHANGES_NONE, pass_choose,
     "choose role, stage and order of each operation, depths and groups"},
    {"schedule", PHASE_SCHEDULE, CHANGES_NONE, pass_schedule, "read a schedule file in place of these choices"},
    {"graph", PHASE_SCHEDULE, CHANGES_NONE, pass_graph,
     "print the dependence graph of each pipelined loop for wsc-solve"},

    {"partition", PHASE_ROLES, CHANGES_NONE, pass_partition,
     "cut the program between the roles: arefs and their contents"},
    {"distribute", PHASE_ROLES, CHANGES_PROGRAMS, pass_distribute,
     "make a program for each role, with put, get and consumed"},
    {"expand", PHASE_ROLES, CHANGES_PROGRAMS, pass_expand, "software-pipeline the programs by the schedule"},
    {"simplify-4", PHASE_ROLES, CHANGES_PROGRAMS, pass_simplify_programs, "simplify the peeled iterations of expand"},
    {"grid-sync", PHASE_ROLES, CHANGES_PROGRAMS, pass_grid_sync,
     "place waits and signals between tiles of grids that run together"},

    {"layout", PHASE_MACHINE, CHANGES_PROGRAMS, pass_layout,
     "choose register and shared memory layouts and operand forms"},
    {"hints", PHASE_MACHINE, CHANGES_PROGRAMS, pass_hints, "mark uniform branches and loops to unroll"},
    {"fast-math", PHASE_MACHINE, CHANGES_PROGRAMS, pass_fast_math, "approximate powers of which few bits are used"},
    {"versions", PHASE_MACHINE, CHANGES_NONE, pass_versions,
     "give a role that issues copies one warp, and TMA a program of its own"},
    {"narrow", PHASE_MACHINE, CHANGES_PROGRAMS, pass_narrow, "narrow products to the columns that are used"},
    {"peel", PHASE_MACHINE, CHANGES_PROGRAMS, pass_peel, "split loops at a bound, so that the branch leaves the body"},
    {"plan", PHASE_MACHINE, CHANGES_PROGRAMS, pass_plan,
     "assign addresses, registers, barriers, threads and C variables"},
    {"sched-barriers", PHASE_MACHINE, CHANGES_PROGRAMS, pass_sched_barriers,
     "pin values before a wait, so that ptxas cannot hoist the wait above them"},
    {"memory", PHASE_MACHINE, CHANGES_NONE, pass_memory, "print the map of shared memory over the time of a tile"},

    {"verify", PHASE_PROOF, CHANGES_NONE, pass_verify, "prove the absence of deadlocks and races, or refuse"},

    {"cuda", PHASE_PRINT, CHANGES_NONE, NULL, "print the .cu"},
};
const int npasses = sizeof passes / sizeof *passes;

const char *phase_name(Phase phase)
{
    static const char *const names[PHASE_COUNT] = {"language", "optimize", "freeze", "schedule",
                                                   "roles",    "machine",  "proof",  "print"};
    return names[phase];
}

int find_pass(const char *name)
{
    for (int i = 0; i < npasses; i++)
        if (!strcmp(passes[i].name, name))
            return i;
    return -1;
}

bool dump_lists(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && !strncmp(at, name, length))
            return true;
    return false;
}

const char *dump_unknown(const char *list)
{
    static const char *const others[] = {"all", "walk", "region"};
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        bool known = false;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            known |= strlen(others[i]) == length && !strncmp(at, others[i], length);
        for (int i = 0; i < npasses; i++)
            known |= strlen(passes[i].name) == length && !strncmp(at, passes[i].name, length);
        if (!known)
            return at;
    }
    return NULL;
}

static bool listed(const char *list, const char *name)
{
    return dump_lists(list, name) || dump_lists(list, "all");
}

static int last_of(Phase phase)
{
    int last = npasses - 1;
    while (last >= 0 && passes[last].phase > phase)
        last--;
    return last;
}

static void check(Kernel *kernel, Changes changes)
{
    if (changes == CHANGES_BODY)
        ir_check_body(kernel);
    else if (changes == CHANGES_PROGRAMS)
        ir_check_programs(kernel);
}

/* Returns what the phase of pass i may change, if i is its last pass to run; otherwise CHANGES_NONE.  */
static Changes changes_of_phase_at(int i, int last)
{
    Changes changes = CHANGES_NONE;
    if (i < last && passes[i + 1].phase == passes[i].phase)
        return changes;
    for (int k = i; k >= 0 && passes[k].phase == passes[i].phase; k--)
        if (passes[k].changes > changes)
            changes = passes[k].changes;
    return changes;
}

/* Dumps the kernel behind a pass.  A variant of a schedule and a version by estimate have the graph and schedule of the
   original kernel, so these dumps leave them out.  */
static void print_after(FILE *dump, Kernel *kernel, const Pass *pass)
{
    const bool is_second = kernel->scheduled.of || (kernel->version.of && kernel->version.param < 0);
    if (is_second && (pass->run == pass_graph || pass->run == pass_schedule))
        return;
    if (pass->run == pass_graph)
        fputs(schedule_graph(kernel), dump);
    else if (pass->run == pass_schedule)
        fputs(schedule_text(kernel), dump);
    else if (pass->run == pass_rewrite)
        fputs(rewrite_text(kernel), dump);
    else if (pass->run == pass_memory)
        fputs(kernel->memory ? kernel->memory : "", dump);
    else
        ir_print(dump, kernel, pass->name);
}

/* ---- a solved schedule that is refused --------------------------------------------------------------------------- */

/* Holds back errors from the front end's sink, and passes on everything else.  */
typedef struct {
    Module *module;
    DiagFn diag;
    void *context;
    const char *error;
    Loc loc;
} Held;

static void hold_error(void *context, DiagKind kind, Loc loc, const char *message)
{
    Held *held = context;
    if (kind == DIAG_ERROR) {
        held->error = held->error ? held->error : arena_print(held->module, "%s", message);
        held->loc = loc;
    } else if (!held->error && held->diag) {
        held->diag(held->context, kind, loc, message);
    }
}

static void visit_optimal(Op *op, void *context)
{
    bool *found = context;
    *found |= pipeline_of(op) && op->control->pipeline->schedule == SCHEDULE_OPTIMAL;
}

static bool is_to_be_solved(Kernel *kernel)
{
    bool optimal = false;
    ir_walk(kernel->body, visit_optimal, &optimal);
    return optimal && !kernel->default_schedule && !kernel->module->schedule && !kernel->scheduled.of;
}

/* ---- solved schedules as variants -------------------------------------------------------------------------------- */

static void visit_variants(Op *op, void *context)
{
    int *wanted = context;
    if (pipeline_of(op) && op->control->pipeline->variants > *wanted)
        *wanted = op->control->pipeline->variants;
}

static bool is_default_schedule(const char *text)
{
    return !strstr(text, "\nloop ");
}

static int count_variants(const Kernel *first)
{
    int count = 0;
    for (const Kernel *kernel = first->module->kernels; kernel; kernel = kernel->next)
        count += is_variant_of(kernel, first);
    return count;
}

/* schedule(optimal, n): makes variants of `source`, a copy of the kernel before scheduling. The kernel itself has the
   schedule of the first file; each other file makes a variant, up to n. The caller's loop over kernels lowers them.  */
static void make_variants(Kernel *kernel, Kernel *source)
{
    const char *const *texts = kernel->scheduled.texts;
    int wanted = 0, count = 0;
    ir_walk(source->body, visit_variants, &wanted);
    if (!wanted || !texts[0] || kernel->failed || kernel->version.of || kernel->choice.count == MOST_CHOSEN)
        return;
    bool chosen = is_default_schedule(texts[0]);
    kernel->choice.of = kernel->choice.of ? kernel->choice.of : kernel->name;
    source->choice = kernel->choice;
    for (int i = 1; i <= MOST_SOLVED && texts[i] && count + !chosen < wanted; i++, count++)
        if (count_variants(kernel) < MOST_VARIANTS - 1)
            kernel_scheduled(kernel, kernel_copy(source), i + 1, texts[i]);
    if (!chosen)
        kernel_scheduled(kernel, kernel_copy(source), 0, NULL)->default_schedule = true;
    variant_number(kernel, chosen ? 0 : 1);
    kernel->scheduled.varies = true;
    schedule_tell_apart(kernel);
}

/* ---- kernels that print ------------------------------------------------------------------------------------------ */

/* True for passes that a kernel with prints leaves out, so that groups reach each print together, in source order.  */
static bool is_left_out(const Kernel *kernel, const Pass *pass)
{
    const bool optional = pass->run == pass_edges || pass->run == pass_row_lengths || pass->run == pass_cluster_rows ||
                          pass->run == pass_coalesce_tiles || pass->run == pass_interleave_tiles ||
                          pass->run == pass_row_cache;
    return optional && kernel_prints(kernel);
}

/* ---- a kernel ---------------------------------------------------------------------------------------------------- */

/* Runs a pass of the phase machine on a solved schedule.  False: the pass refused it; *why is the error, which is not
   reported.  */
static bool has_room(Kernel *kernel, const Pass *pass, const char **why)
{
    Module *module = kernel->module;
    Held held = {.module = module, .diag = module->diag, .context = module->diag_context};
    bool failed = module->failed; /* another kernel has */
    module->diag = hold_error;
    module->diag_context = &held;
    pass->run(kernel);
    module->failed = failed;
    module->diag = held.diag;
    module->diag_context = held.context;
    *why = held.error ? held.error : kernel->refusal.sentence; /* the error of a variant is in its refusal */
    return !kernel->failed;
}

static bool is_chosen_variant(const Kernel *kernel, const Kernel *first)
{
    return kernel->scheduled.of && !strcmp(kernel->scheduled.of, first->name) && !kernel->scheduled.text;
}

/* Replaces the kernel by `again`, its copy before freeze, which follows choose and no solved schedule.  */
static void lower_by_default(Kernel *kernel, Kernel *again, const char *why)
{
    again->default_schedule = true;
    if (kernel->scheduled.varies) { /* `again` takes the place of the variant that follows choose */
        Kernel **link = &kernel->next;
        while (*link && !is_chosen_variant(*link, kernel))
            link = &(*link)->next;
        if (*link)
            *link = (*link)->next;
        again->choice = kernel->choice;
        again->choice.values[again->choice.count - 1] = 0;
        again->scheduled.varies = true;
    }
    kernel_replace(kernel, again);
    remark(again, DIAG_MISSED, again->loc,
           "schedule(optimal): the default schedule is used, since the solved one was refused: %s", why ? why : "");
}

static void lower_kernel(Kernel *kernel, int first, int last, const char *which, FILE *dump)
{
    Kernel *again = NULL;
    int frozen = 0;
    Module *module = kernel->module;
    if (kernel->version.of && first <= kernel->version.behind)
        first = kernel->version.behind + 1;
    if (kernel->scheduled.of && first < find_pass("freeze"))
        first = find_pass("freeze");
    if (first <= last && !kernel->failed)
        ir_check(kernel);
    for (int i = first; i <= last && passes[i].run && !kernel->failed; i++) {
        const char *why;
        module->pass = passes[i].name;
        module->pass_index = i;
        if (passes[i].run == pass_freeze && is_to_be_solved(kernel)) {
            again = kernel_copy(kernel);
            frozen = i;
        }
        if (is_left_out(kernel, &passes[i])) {
            /* the kernel stays as it is */
        } else if (!again || !kernel->scheduled_by || passes[i].phase != PHASE_MACHINE) {
            passes[i].run(kernel);
        } else if (!has_room(kernel, &passes[i], &why)) {
            lower_by_default(kernel, again, why);
            lower_kernel(again, frozen, last, which, dump);
            return;
        }
        if (again && passes[i].run == pass_schedule)
            make_variants(kernel, again);
        if (!kernel->failed)
            check(kernel, which ? passes[i].changes : changes_of_phase_at(i, last));
        if (dump && listed(which, passes[i].name))
            print_after(dump, kernel, &passes[i]);
    }
    module->pass = NULL;
}

/* ---- the sequential target --------------------------------------------------------------------------------------- */

/* Passes errors to the front end's sink as warnings, with their notes, and drops everything else.  */
typedef struct {
    Module *module;
    DiagFn diag;
    void *context;
    bool refused; /* the last message was an error */
} Foresight;

static void say_foreseen(void *context, DiagKind kind, Loc loc, const char *message)
{
    Foresight *foresight = context;
    if (kind != DIAG_NOTE)
        foresight->refused = kind == DIAG_ERROR;
    if (!foresight->refused || !foresight->diag)
        return;
    if (kind == DIAG_ERROR)
        message = arena_print(foresight->module, "refused by emulate and cuda: %s [-Wws-refused]", message);
    foresight->diag(foresight->context, kind == DIAG_ERROR ? DIAG_WARNING : kind, loc, message);
}

/* Runs the passes up to the phase machine, and warns of errors that the other targets would report.  The proof is left
   out: it takes the longest, and an error of the proof is nearly always a bug of the compiler.  */
static void foresee_refusals(Kernel *kernel)
{
    Module *module = kernel->module;
    Foresight foresight = {module, module->diag, module->diag_context, false};
    if (kernel->failed)
        return;
    module->diag = say_foreseen;
    module->diag_context = &foresight;
    lower_kernel(kernel, last_of(PHASE_LANGUAGE) + 1, last_of(PHASE_MACHINE), NULL, NULL);
    module->diag = foresight.diag;
    module->diag_context = foresight.context;
    kernel->failed = module->failed = false;
}

const char *lower_range(Module *module, int first, int last, const char *which, FILE *dump)
{
    bool sequential = module->target == TARGET_SEQUENTIAL; /* runtime/sequential/ runs the user's loops */
    if (sequential && last > last_of(PHASE_LANGUAGE))
        last = last_of(PHASE_LANGUAGE);
    for (Kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        lower_kernel(kernel, first, last, which, dump);
    if (!module->failed)
        settle_variants(module);
    for (Kernel *kernel = module->kernels; kernel && sequential && !module->failed; kernel = kernel->next)
        foresee_refusals(kernel);
    if (module->failed || !module->kernels || last < npasses - 1)
        return NULL;
    module->pass = passes[last].name;
    const char *text = cuda_print(module);
    if (module->failed)
        return NULL;
    if (dump && listed(which, passes[last].name))
        fputs(text, dump);
    return text;
}

const char *lower_module(Module *module, const char *which, FILE *dump)
{
    return lower_range(module, 0, npasses - 1, which, dump);
}
