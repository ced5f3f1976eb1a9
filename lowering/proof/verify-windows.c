/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-windows.c - a load that takes its tile from rows in registers finds that tile there.
 *
 *      for %tap: i32 = 0, < 9, 1 {
 *        %row = scalar_add %h, (scalar_div %tap, 3)
 *        %x: tile<f16,32x64> = load %t, %b, %row, ... | window=3 apart=1
 *
 * The first of `window` iterations loads its tile, and `apart` more rows for each of the others.  So in each of these
 * iterations all coordinates equal those of the first, except the row, which is greater by a multiple of `apart`.  The
 * trip count of the loop is known.  So the check makes terms with the counter's number in its place, and compares them
 * (terms.h).  The rows are those of memory as long as no role stores there.
 */
#include "ir/queries.h"
#include "machine/plan.h"
#include "proof/terms.h"
#include "proof/verify.h"
#include "target/operands.h"

enum { MAX_ARGUMENTS = 8 };

typedef struct {
    Kernel *kernel;
    const Op *loop;
    Terms terms;
    const Term **outside; /* by value: its term in all iterations */
    const Op *failed;
    const char *why;
} Windows;

/* Returns the value's term in iteration `trip`.  NULL: it depends on more than the counter and values from outside the
   loop.  */
static const Term *term_at(Windows *windows, const Value *value, int64_t trip)
{
    const Term *args[MAX_ARGUMENTS];
    const Op *def = value->def;
    int64_t number;
    if (value == windows->loop->blocks[0]->args[0])
        return term_number(&windows->terms, trip);
    if (ir_constant(value, &number))
        return term_number(&windows->terms, number);
    if (ir_outside(value, windows->loop)) {
        if (!windows->outside[value->id])
            windows->outside[value->id] = term_symbol(&windows->terms);
        return windows->outside[value->id];
    }
    if (!def || op_info[def->code].class_ != CLASS_SCALAR || def->nargs > MAX_ARGUMENTS)
        return NULL;
    for (int i = 0; i < def->nargs; i++)
        if (!(args[i] = term_at(windows, def->args[i], trip)))
            return NULL;
    return term_of(&windows->terms, def, args);
}

static bool is_so_far_below(Windows *windows, const Op *load, int64_t first, int64_t trip)
{
    for (int i = 1; i < load->nargs; i++) {
        int64_t rows = i == load->nargs - 2 ? (trip - first) * load->transfer->apart : 0;
        const Term *before = term_at(windows, load->args[i], first), *now = term_at(windows, load->args[i], trip);
        if (!before || !now || term_sum(&windows->terms, before, term_number(&windows->terms, rows), 1) != now)
            return false;
    }
    return true;
}

/* Returns the trip count of a loop that counts from 0 in steps of 1, else -1.  The counter modulo `window` is then the
   place in a run.  */
static int64_t trips_of(const Op *loop)
{
    int64_t low, step;
    bool counts = loop && loop->code == OP_FOR && loop->nblocks == 1 && loop->control->compare == OP_SCALAR_LT &&
                  ir_constant(loop->args[0], &low) && low == 0 && ir_constant(loop->args[2], &step) && step == 1;
    return counts ? constant_trips(loop) : -1;
}

static const char *why_not(Windows *windows, const Op *load)
{
    int period = load->transfer->window;
    int64_t trips = trips_of(windows->loop);
    if (period < 2 || load->transfer->apart < 1 || trips < period || trips % period)
        return "takes its tile out of rows that stay, and not in runs of its loop";
    if (load->storage || load->transfer->prefetch || !ir_outside(load->args[0], windows->loop) ||
        box_rows(load->args[0]))
        return "takes its tile out of rows of another tensor";
    if (load_is_stored(windows->kernel, load))
        return "takes its tile out of rows that are stored";
    for (int64_t trip = 0; trip < trips; trip++)
        if (!is_so_far_below(windows, load, trip - trip % period, trip))
            return "takes its tile out of rows that do not have it";
    return NULL;
}

static void visit_load(Op *op, void *context)
{
    Windows *windows = context;
    if (op->code != OP_LOAD || !(op->transfer->window || op->transfer->apart) || windows->failed)
        return;
    windows->loop = op->parent->parent;
    windows->why = why_not(windows, op);
    windows->failed = windows->why ? op : NULL;
}

bool verify_windows(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        Windows windows = {.kernel = kernel};
        terms_init(&windows.terms, kernel->module);
        windows.outside = arena_alloc(kernel->module, (size_t)kernel->module->next_id * sizeof *windows.outside);
        ir_walk(role->body, visit_load, &windows);
        if (!windows.failed)
            continue;
        BUG_AT(kernel, windows.failed->loc.line ? windows.failed->loc : kernel->loc, "'%s': 'load' %s", role->name,
               windows.why);
        return false;
    }
    return true;
}
