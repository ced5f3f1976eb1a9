/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diag.c - the two kinds of failure.
 *
 * reject () is for the user's program: a sentence of reasons.def at the line that causes it, and a note with the
 * remedy. die () is for a bug of ours, or a mistake in textual IR that somebody wrote.  Both only report: the front end
 * behind Module.diag owns the words "error" and "note", the caret and the exit status, and a failed kernel is passed
 * over by the rest of the compiler.
 */
#include <string.h>

#include "ir/ir.h"

static const struct {
    const char *sentence, *remedy;
} reasons[REASON_COUNT] = {
#define REASON(NAME, sentence, remedy) {sentence, remedy},
#include "ir/reasons.def"
#undef REASON
};

static void say(Kernel *kernel, DiagKind kind, Loc loc, const char *message)
{
    Module *module = kernel->module;
    if (module->diag)
        module->diag(module->diag_context, kind, loc, message);
}

/* The kernel that a version is one of has said it all, and of variants the first.  */
static void report(Kernel *kernel, DiagKind kind, Loc loc, const char *message)
{
    bool first = !kernel->choice.of || !strcmp(kernel->choice.of, kernel->name);
    if (kernel->module->as_text || (!kernel->version.of && first))
        say(kernel, kind, loc, message);
}

static void fail(Kernel *kernel)
{
    kernel->failed = true;
    kernel->module->failed = true;
}

/* A version is there for speed alone: without it the program is the same.  */
static void leave_out(Kernel *version, Loc loc, const char *sentence)
{
    version->failed = true;
    if (version->version.param < 0)
        say(version, DIAG_MISSED, loc, arena_print(version->module, "no kernel of its own in clusters: %s", sentence));
    else
        say(version, DIAG_MISSED, loc,
            arena_print(version->module, "no kernel of its own for '%s' from %lld to %lld: %s",
                        version->params[version->version.param]->name, (long long)version->version.least,
                        (long long)version->version.most, sentence));
}

/* Others may do.  */
static void leave_out_variant(Kernel *variant, Loc loc, const char *sentence, const char *remedy)
{
    variant->failed = true;
    if (!variant->refusal.sentence)
        variant->refusal = (Refusal){loc, sentence, remedy};
}

/* The kernel of the region that speaks for all variants that are left: what they were left out for, or an error.  */
static void settle(Kernel *first)
{
    bool any = next_variant(first, NULL);
    if (!any) {
        first->module->failed = true;
        say(first, DIAG_ERROR, first->refusal.loc, first->refusal.sentence);
        if (first->refusal.remedy && *first->refusal.remedy)
            say(first, DIAG_NOTE, first->refusal.loc, first->refusal.remedy);
        return;
    }
    const char *labels = "";
    int count = 0;
    for (const Kernel *variant = next_variant(first, NULL); variant; variant = next_variant(first, variant))
        labels = arena_print(first->module, "%s%s%s", labels, count++ ? ", " : "", variant_label(variant));
    say(first, DIAG_OPTIMIZED, first->loc,
        arena_print(first->module, "'%s' has %d variant%s, of which each launch takes one: %s", first->c_function,
                    count, count > 1 ? "s" : "", labels));
    for (Kernel *kernel = first; kernel; kernel = kernel->next)
        if (is_variant_of(kernel, first) && kernel->failed)
            say(kernel, DIAG_MISSED, kernel->refusal.loc,
                arena_print(kernel->module, "no variant %s of '%s': %s", variant_label(kernel), first->c_function,
                            kernel->refusal.sentence));
}

/* Of several schedules one is left: it is no choice.  */
static void settle_only(const Kernel *first)
{
    Kernel *only = next_variant(first, NULL);
    if (only && !next_variant(first, only) && only->scheduled.varies && only->choice.count == 1)
        only->choice.of = NULL;
}

/* require: each kernel went through the same passes.   ensure: an error where all variants of a region are refused. */
void settle_variants(Module *module)
{
    for (Kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        if (kernel->choice.of && !strcmp(kernel->choice.of, kernel->name) && !kernel->settled) {
            kernel->settled = true;
            settle(kernel);
            settle_only(kernel);
        }
}

void reject_text(Kernel *kernel, Loc loc, const char *sentence, const char *remedy)
{
    if (kernel->choice.of && !kernel->module->as_text) {
        leave_out_variant(kernel, loc, sentence, remedy);
        return;
    }
    if (kernel->version.of && !kernel->module->as_text) {
        leave_out(kernel, loc, sentence);
        return;
    }
    fail(kernel);
    report(kernel, DIAG_ERROR, loc, sentence);
    if (remedy && *remedy)
        report(kernel, DIAG_NOTE, loc, remedy);
}

void reject(Kernel *kernel, Loc loc, Reason reason, ...)
{
    va_list list;
    va_start(list, reason);
    const char *sentence = arena_vprint(kernel->module, reasons[reason].sentence, list);
    va_end(list);
    reject_text(kernel, loc, sentence, reasons[reason].remedy);
}

const char *reason_sentence(Reason reason)
{
    return reasons[reason].sentence;
}

const char *reason_remedy(Reason reason)
{
    return reasons[reason].remedy;
}

void warn(Kernel *kernel, Loc loc, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(kernel, DIAG_WARNING, loc, arena_vprint(kernel->module, format, list));
    va_end(list);
}

void remark(Kernel *kernel, DiagKind kind, Loc loc, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(kernel, kind, loc, arena_vprint(kernel->module, format, list));
    va_end(list);
}

void die(Kernel *kernel, Loc loc, const char *file, int line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *what = arena_vprint(kernel->module, format, list);
    va_end(list);
    const char *pass = kernel->module->pass ? kernel->module->pass : "the front end";
    const char *slash = strrchr(file, '/');
    if (kernel->module->as_text) {
        fail(kernel);
        say(kernel, DIAG_ERROR, loc, arena_print(kernel->module, "kernel '%s': %s", kernel->name, what));
        return;
    }
    if (kernel->scheduled_by && kernel->scheduled.of) {
        leave_out_variant(kernel, loc, arena_print(kernel->module, "it cannot be carried out: %s: %s", pass, what),
                          NULL);
        return;
    }
    fail(kernel);
    if (kernel->scheduled_by) {
        say(kernel, DIAG_ERROR, loc,
            arena_print(kernel->module, "the schedule in %s cannot be carried out: %s: %s", kernel->scheduled_by, pass,
                        what));
        return;
    }
    say(kernel, DIAG_ERROR, loc,
        arena_print(kernel->module, "a bug of the compiler, not of this program: %s: kernel '%s': %s (%s:%d)", pass,
                    kernel->name, what, slash ? slash + 1 : file, line));
    say(kernel, DIAG_NOTE, loc, "please report it with the source; --ws-dump=all shows every step");
}
