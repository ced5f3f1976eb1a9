/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lower.c - the compiler as a table.  Start here.
 *
 * The front ends (plugin/, driver/) hand over a Module of kernels in the IR of ir.h; each pass below rewrites a kernel or
 * writes into it what it has found; cuda.c then spells the result out.  After each pass the IR is checked (check.c) and, on
 * demand, dumped (print.c).  A kernel that was refused is left alone from then on, and a module with one has no text.
 *
 * Every pass is a file of its name, and opens with the same ten-line loop before and after, so that one example can be
 * followed from C to the .cu.
 */
#include <string.h>

#include "ir/ir.h"
#include "proof/validate.h"

const Pass passes[] = {
    {"infer", pass_infer, "types and shapes; the loops of a grid become one operation; scalars simplified"},
    {"tag", pass_tag, "iteration, load or tile: what each statement is for"},
    {"choose", pass_choose, "one table for each loop: role, stage and order of each operation; depths, groups"},
    {"partition", pass_partition, "the cut between the roles: arefs, and what each carries"},
    {"distribute", pass_distribute, "a program for each role, with its own control flow; put, get, consumed placed"},
    {"expand", pass_expand, "the table carried out: products start early and are waited for late"},
    {"layout", pass_layout, "register and shared layouts; operands in a form that the matrix units read"},
    {"uniform", pass_uniform, "branches that all threads of a warp take alike, where the assembler should know"},
    {"plan", pass_plan, "addresses, registers, barriers, threads, C variables"},
    {"verify", pass_verify, "a proof that no role waits for ever or reads what is not there, or a refusal"},
};
const int npasses = sizeof passes / sizeof *passes;

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

/* The sequential library runs the program itself: only its types and shapes are of interest.  */
static int last_pass(const Module *module, int last)
{
    return module->target == TARGET_SEQUENTIAL && last > 0 ? 0 : last;
}

static void lower_kernel(Kernel *kernel, int first, int last, const char *which, FILE *dump)
{
    Module *module = kernel->module;
    if (first <= last && !kernel->failed)
        ir_check(kernel);
    for (int i = first; i <= last && !kernel->failed; i++) {
        module->pass = passes[i].name;
        passes[i].run(kernel);
        if (!kernel->failed)
            ir_check(kernel);
        if (i == 0)
            kernel->source = validate_digest(kernel);
        if (dump && listed(which, passes[i].name))
            ir_print(dump, kernel, passes[i].name);
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

/* The other targets would carry out the rest of the table: what they would refuse is a warning here, and they are not at hand
   to say anything else.  */
static void foresee_refusals(Kernel *kernel)
{
    Module *module = kernel->module;
    Foresight foresight = {module, module->diag, module->diag_context, false};
    if (kernel->failed)
        return;
    module->diag = say_foreseen;
    module->diag_context = &foresight;
    lower_kernel(kernel, 1, npasses - 1, NULL, NULL);
    module->diag = foresight.diag;
    module->diag_context = foresight.context;
    kernel->failed = module->failed = false;
}

const char *lower_range(Module *module, int first, int last, const char *which, FILE *dump)
{
    last = last_pass(module, last);
    for (Kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        lower_kernel(kernel, first, last, which, dump);
    for (Kernel *kernel = module->kernels; kernel && !module->failed && module->target == TARGET_SEQUENTIAL;
         kernel = kernel->next)
        foresee_refusals(kernel);
    if (module->failed || !module->kernels || last < npasses - 1)
        return NULL;
    module->pass = "cuda";
    const char *text = cuda_print(module);
    return module->failed ? NULL : text;
}

const char *lower_module(Module *module, const char *which, FILE *dump)
{
    return lower_range(module, 0, npasses - 1, which, dump);
}
