/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diag.c - diagnostics: errors of the user's program, bugs of the compiler, warnings and remarks.
 *
 * The function reject () reports an error of the user's program: a sentence of reasons.def, and a note with the remedy.
 * The function die () reports a bug of the compiler, or an error in textual IR. Both only report. The front end behind
 * Module.diag owns the words "error" and "note", the caret and the exit status. Later passes skip a failed kernel.
 */
#include <string.h>

#include "ir/kernel.h"
#include "ir/versions.h"

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

/* Reports nothing for a version and for variants but the first, since the original kernel has reported the same.  */
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

/* Leaves out a version with a remark.  A version only makes launches faster, so the program stays the same.  */
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

/* Leaves out a variant.  The error is reported only if all variants are refused (settle ()).  */
static void leave_out_variant(Kernel *variant, Loc loc, const char *sentence, const char *remedy)
{
    variant->failed = true;
    if (!variant->refusal.sentence)
        variant->refusal = (Refusal){loc, sentence, remedy};
}

/* Reports the remaining variants of a region, and the reason of each refusal. Reports an error if no variant
   remains.  */
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

/* If one of several schedules remains, the kernel has no variants.  */
static void settle_only(const Kernel *first)
{
    Kernel *only = next_variant(first, NULL);
    if (only && !next_variant(first, only) && only->scheduled.varies && only->choice.count == 1)
        only->choice.of = NULL;
}

/* require: each kernel has been through the same passes.
   ensure:  a region whose variants are all refused has an error.  */
void settle_variants(Module *module)
{
    for (Kernel *kernel = module->kernels; kernel; kernel = kernel->next)
        if (kernel->choice.of && !strcmp(kernel->choice.of, kernel->name) && !kernel->settled) {
            kernel->settled = true;
            settle(kernel);
            settle_only(kernel);
        }
}

void reject_text(Kernel *kernel, Loc loc, Reason reason, const char *sentence, const char *remedy)
{
    sentence = reason_tag(kernel->module, reason, sentence);
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
    reject_text(kernel, loc, reason, sentence, reasons[reason].remedy);
}

const char *reason_sentence(Reason reason)
{
    return reasons[reason].sentence;
}

const char *reason_remedy(Reason reason)
{
    return reasons[reason].remedy;
}

/* Length of the name, as `u`, `->u` or `.u`, that the text begins with.  */
static size_t name_length(const char *text, size_t length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t dots = length > 1 && !strncmp(text, "->", 2) ? 2 : length && *text == '.', at = dots;
    while (at < length && text[at] && strchr(letters, text[at]))
        at++;
    return at > dots ? at : 0;
}

/* Length of the subscript, as `[i - 1]`, that the text begins with.  */
static size_t subscript_length(const char *text, size_t length)
{
    int depth = 0;
    for (size_t at = 0; at < length && (at || *text == '['); at++) {
        depth += (text[at] == '[') - (text[at] == ']');
        if (!depth)
            return at + 1;
    }
    return 0;
}

void op_spell(Op *op, const char *source, size_t length)
{
    int subscripts = 0;
    size_t at = name_length(source, length), more = at;
    for (; more && at < length; at += more) {
        more = subscript_length(source + at, length - at);
        subscripts += more > 0;
        more = more ? more : name_length(source + at, length - at);
    }
    if (!more || !subscripts || memchr(source, '\n', length))
        return;
    op->written = arena_print(op->kernel->module, "%.*s", (int)length, source);
    op->spelling = subscripts > 1 ? op->written : NULL;
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
