/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lower.c - the compiler as a table.  Start here.
 *
 * The front end (plugin/) hands over a Module of kernels in the IR of ir.h, in the order of the source.  Each pass
 * below rewrites a kernel, or writes into it what it has found.  After a phase, what its passes change is checked
 * (check.c).  On demand the IR is dumped (print.c), and then each pass is checked.  The last row spells the result out.
 * A kernel that was refused is left alone from then on, and a module with one has no text.
 *
 * Passes run in the order of the table.  `simplify` has a row wherever it runs.  Every pass is a file of its name, and
 * opens with the same ten-line loop before and after, so that one example can be followed from C to the .cu.
 */
#include <string.h>

#include "ir/queries.h"
#include "lower.h"
#include "print/rewrite.h"
#include "schedule/schedule.h"

const Pass passes[] = {
    {"plain", PHASE_LANGUAGE, CHANGES_BODY, pass_plain, "loops over elements become loops over tiles"},
    {"queues", PHASE_LANGUAGE, CHANGES_BODY, pass_queues, "queues of tiles become tiles, and their loops one"},
    {"types", PHASE_LANGUAGE, CHANGES_BODY, pass_types, "a type and a shape for every value"},
    {"simplify", PHASE_LANGUAGE, CHANGES_BODY, pass_simplify,
     "one form for what the host compiler may have optimized or not"},
    {"rewrite", PHASE_LANGUAGE, CHANGES_NONE, pass_rewrite, "what plain loops have become, as C over tiles"},
    {"nest", PHASE_LANGUAGE, CHANGES_BODY, pass_nest, "the loops of a grid become one operation"},
    {"restrictions", PHASE_LANGUAGE, CHANGES_NONE, pass_restrictions,
     "pragmas, loops and tensors that the language does not allow"},
    {"sides", PHASE_LANGUAGE, CHANGES_BODY, pass_sides,
     "products whose right operand is computed are made of the transposes"},
    {"blocks", PHASE_LANGUAGE, CHANGES_BODY, pass_blocks, "a loop over blocks becomes a dimension of the grid"},
    {"parts", PHASE_LANGUAGE, CHANGES_BODY, pass_parts, "a loop over parts becomes a dimension of the grid"},
    {"simplify-2", PHASE_LANGUAGE, CHANGES_BODY, pass_simplify, "simplify, behind the loops' new order"},
    {"padding", PHASE_LANGUAGE, CHANGES_NONE, pass_padding, "warnings of reductions that see what a load pads"},
    {"mistakes", PHASE_LANGUAGE, CHANGES_NONE, pass_mistakes, "warnings of what is most likely not meant"},

    {"tally", PHASE_REWRITE, CHANGES_BODY, pass_tally, "numbers are counted where they belong"},
    {"widths", PHASE_REWRITE, CHANGES_NONE, pass_widths, "rows shorter than a tile have kernels of their own"},
    {"spread", PHASE_REWRITE, CHANGES_NONE, pass_spread,
     "rows that several loops read stay in the registers of a cluster's blocks"},
    {"neighbours", PHASE_REWRITE, CHANGES_BODY, pass_neighbours, "small tiles beside each other become one"},
    {"abreast", PHASE_REWRITE, CHANGES_BODY, pass_abreast, "tiles that ask memory where to load go side by side"},
    {"edges", PHASE_REWRITE, CHANGES_BODY, pass_edges, "masks only where they can fail"},
    {"masks", PHASE_REWRITE, CHANGES_BODY, pass_masks, "masks of two bounds compare once"},
    {"simplify-3", PHASE_REWRITE, CHANGES_BODY, pass_simplify, "simplify, behind the questions that edges asks"},
    {"divide", PHASE_REWRITE, CHANGES_BODY, pass_divide, "parts of rows, as subtile(n) asks for them"},
    {"recurrence", PHASE_REWRITE, CHANGES_BODY, pass_recurrence, "sums along rows are completed behind the loop"},
    {"rests", PHASE_REWRITE, CHANGES_BODY, pass_rests,
     "of products of floats, what tf32 drops of the right operand is told apart"},
    {"rescale", PHASE_REWRITE, CHANGES_BODY, pass_rescale, "products with factors that soon are 1"},
    {"firsts", PHASE_REWRITE, CHANGES_BODY, pass_firsts, "columns of what is known to be a row's largest"},
    {"kept", PHASE_REWRITE, CHANGES_NONE, pass_kept, "rows that several loops read stay in registers"},
    {"subtiles", PHASE_REWRITE, CHANGES_BODY, pass_subtiles,
     "what follows an accumulator is done a subtile of columns at a time"},
    {"handed", PHASE_REWRITE, CHANGES_BODY, pass_handed,
     "what a task stores of a product is handed to it by an operation of its own"},
    {"flat", PHASE_REWRITE, CHANGES_BODY, pass_flat,
     "columns and rows that a loop loads beside operands come through their ring"},
    {"present", PHASE_REWRITE, CHANGES_BODY, pass_present, "rows and columns that nothing sees need not come"},
    {"multicast", PHASE_REWRITE, CHANGES_NONE, pass_multicast, "where L2 may bound it, blocks in clusters share loads"},

    {"freeze", PHASE_FREEZE, CHANGES_NONE, pass_freeze, "the body as the proof takes it: no later pass changes it"},

    {"tag", PHASE_SCHEDULE, CHANGES_NONE, pass_tag, "iteration, load or tile: what each statement is for"},
    {"choose", PHASE_SCHEDULE, CHANGES_NONE, pass_choose,
     "one table for each loop: role, stage and order of each operation; depths, groups"},
    {"schedule", PHASE_SCHEDULE, CHANGES_NONE, pass_schedule, "what a schedule file says in place of that"},
    {"graph", PHASE_SCHEDULE, CHANGES_NONE, pass_graph,
     "what each pipelined loop's operations need of each other, for wsc-solve"},

    {"partition", PHASE_ROLES, CHANGES_NONE, pass_partition, "the cut between the roles: arefs, and what each carries"},
    {"distribute", PHASE_ROLES, CHANGES_PROGRAMS, pass_distribute,
     "a program for each role, with its own control flow; put, get, consumed placed"},
    {"expand", PHASE_ROLES, CHANGES_PROGRAMS, pass_expand,
     "the table carried out: products start early and are waited for late"},
    {"simplify-4", PHASE_ROLES, CHANGES_PROGRAMS, pass_simplify_programs,
     "simplify, behind the iterations that expand takes out of their loops"},
    {"beside", PHASE_ROLES, CHANGES_PROGRAMS, pass_beside,
     "where tiles of grids that run together wait for each other, and say that they are done"},

    {"layout", PHASE_MACHINE, CHANGES_PROGRAMS, pass_layout,
     "register and shared layouts; operands in a form that the tensor cores read"},
    {"hints", PHASE_MACHINE, CHANGES_PROGRAMS, pass_hints,
     "branches that all threads of a warp take alike, and loops to unroll, where the assembler should know"},
    {"rounded", PHASE_MACHINE, CHANGES_PROGRAMS, pass_rounded, "powers of which few bits are seen"},
    {"versions", PHASE_MACHINE, CHANGES_NONE, pass_versions,
     "one warp for a role that issues copies, and a short program for tensors that the TMA can load"},
    {"narrow", PHASE_MACHINE, CHANGES_PROGRAMS, pass_narrow,
     "products that make no more columns than are seen, of which the instruction's name says how many"},
    {"peel", PHASE_MACHINE, CHANGES_PROGRAMS, pass_peel,
     "a body for the iterations before a bound, without the branch that asks for it, and one for the others"},
    {"plan", PHASE_MACHINE, CHANGES_PROGRAMS, pass_plan, "addresses, registers, barriers, threads, C variables"},
    {"hold", PHASE_MACHINE, CHANGES_PROGRAMS, pass_hold,
     "what is computed before a wait, which the assembler would move up"},
    {"memory", PHASE_MACHINE, CHANGES_NONE, pass_memory,
     "the map of shared memory over the time of a tile, and what one slot more takes"},

    {"verify", PHASE_PROOF, CHANGES_NONE, pass_verify,
     "a proof that no role waits for ever or reads what is not there, or a refusal"},

    {"cuda", PHASE_PRINT, CHANGES_NONE, NULL, "the text of the .cu"},
};
const int npasses = sizeof passes / sizeof *passes;

const char *phase_name(Phase phase)
{
    static const char *const names[PHASE_COUNT] = {"language", "rewrite", "freeze", "schedule",
                                                   "roles",    "machine", "proof",  "print"};
    return names[phase];
}

int find_pass(const char *name)
{
    for (int i = 0; i < npasses; i++)
        if (!strcmp(passes[i].name, name))
            return i;
    return -1;
}

/* Is `name` in the comma list, or "all"?  */
static bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    while (list && *list) {
        size_t end = strcspn(list, ",");
        if ((end == length && !strncmp(list, name, end)) || (end == 3 && !strncmp(list, "all", 3)))
            return true;
        list += end + (list[end] == ',');
    }
    return false;
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

/* What the phase of pass I changes, if that phase ends with it.  */
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

/* Of a schedule beside another one and of a form by estimate graph and schedule say nothing more: the kernel's do.  */
static void print_after(FILE *dump, Kernel *kernel, const Pass *pass)
{
    const bool is_second = kernel->scheduled.of || (kernel->form.of && kernel->form.param < 0);
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

/* ---- a solved schedule that cannot be carried out ---------------------------------------------------------------- */

/* The front end's sink, which does not get to know of errors.  */
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
    return optimal && !kernel->as_chosen && !kernel->module->schedule && !kernel->scheduled.of;
}

/* ---- solved schedules as variants -------------------------------------------------------------------------------- */

static void visit_variants(Op *op, void *context)
{
    int *wanted = context;
    if (pipeline_of(op) && op->control->pipeline->variants > *wanted)
        *wanted = op->control->pipeline->variants;
}

static bool is_as_chosen(const char *text)
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

/* schedule(optimal, n): beside the kernel, whose schedule is the first file's, as many others as that makes of the
   source, which is what the kernel was before.  They are lowered in their turn.  */
static void make_variants(Kernel *kernel, Kernel *source)
{
    const char *const *texts = kernel->scheduled.texts;
    int wanted = 0, count = 0;
    ir_walk(source->body, visit_variants, &wanted);
    if (!wanted || !texts[0] || kernel->failed || kernel->form.of || kernel->choice.count == MOST_CHOSEN)
        return;
    bool chosen = is_as_chosen(texts[0]);
    kernel->choice.of = kernel->choice.of ? kernel->choice.of : kernel->name;
    source->choice = kernel->choice;
    for (int i = 1; i <= MOST_SOLVED && texts[i] && count + !chosen < wanted; i++, count++)
        if (count_variants(kernel) < MOST_VARIANTS - 1)
            kernel_scheduled(kernel, kernel_copy(source), i + 1, texts[i]);
    if (!chosen)
        kernel_scheduled(kernel, kernel_copy(source), 0, NULL)->as_chosen = true;
    variant_number(kernel, chosen ? 0 : 1);
    kernel->scheduled.varies = true;
    schedule_tell_apart(kernel);
}

/* ---- kernels that print ------------------------------------------------------------------------------------------ */

/* A kernel that prints goes without them: its groups come to each print together, and in the source's order.  */
static bool is_left_out(const Kernel *kernel, const Pass *pass)
{
    const bool optional = pass->run == pass_edges || pass->run == pass_widths || pass->run == pass_spread ||
                          pass->run == pass_neighbours || pass->run == pass_abreast || pass->run == pass_kept;
    return optional && kernel_prints(kernel);
}

/* ---- a kernel ---------------------------------------------------------------------------------------------------- */

/* Runs a pass that says what a machine has no room for; false: it has none for what was solved.  */
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
    *why = held.error ? held.error : kernel->refusal.sentence; /* a variant keeps its own */
    return !kernel->failed;
}

static bool is_chosen_variant(const Kernel *kernel, const Kernel *first)
{
    return kernel->scheduled.of && !strcmp(kernel->scheduled.of, first->name) && !kernel->scheduled.text;
}

/* Again from freeze on, as choose has it.  */
static void lower_as_chosen(Kernel *kernel, Kernel *again, const char *why)
{
    again->as_chosen = true;
    if (kernel->scheduled.varies) { /* of its variants the one that is as chosen is this one */
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
    remark(again, DIAG_MISSED, again->loc, "schedule(optimal): as chosen, since of what was solved %s", why ? why : "");
}

static void lower_kernel(Kernel *kernel, int first, int last, const char *which, FILE *dump)
{
    Kernel *again = NULL;
    int frozen = 0;
    Module *module = kernel->module;
    if (kernel->form.of && first <= kernel->form.behind)
        first = kernel->form.behind + 1;
    if (kernel->scheduled.of && first < find_pass("freeze"))
        first = find_pass("freeze");
    if (first <= last && !kernel->failed)
        ir_check(kernel);
    for (int i = first; i <= last && passes[i].run && !kernel->failed; i++) {
        const char *why;
        module->pass = passes[i].name;
        if (passes[i].run == pass_freeze && is_to_be_solved(kernel)) {
            again = kernel_copy(kernel);
            frozen = i;
        }
        if (is_left_out(kernel, &passes[i])) {
            /* as it is */
        } else if (!again || !kernel->scheduled_by || passes[i].phase != PHASE_MACHINE) {
            passes[i].run(kernel);
        } else if (!has_room(kernel, &passes[i], &why)) {
            lower_as_chosen(kernel, again, why);
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

/* The front end's sink, which gets errors as warnings.  */
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

/* The other targets would carry out the rest of the table: what they would refuse is a warning here, and nothing else
   is said.  The proof is left out: it takes the longest, and what it refuses is nearly always a mistake of ours.  */
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
    bool sequential = module->target == TARGET_SEQUENTIAL; /* its library runs the program itself */
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
