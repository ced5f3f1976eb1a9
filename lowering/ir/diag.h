/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diag.h - the two kinds of failure.  reject () reports an error of the user's program, and die () a bug of the
   compiler.  Neither ends the process.  */
#ifndef WSC_DIAG_H
#define WSC_DIAG_H

#include "ir/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE, DIAG_OPTIMIZED, DIAG_MISSED } DiagKind;
typedef void (*DiagFn)(void *context, DiagKind kind, Loc loc, const char *message);

/* reasons.def has the messages: REASON (NAME, "sentence with printf formats", "note with the remedy, or empty").  */
typedef enum {
#define REASON(NAME, sentence, remedy) REASON_##NAME,
#include "ir/reasons.def"
#undef REASON
    REASON_COUNT
} Reason;
/* Reports an error of the user's program with its note, and marks kernel and module as failed.  The caller goes on.  */
void reject(Kernel *kernel, Loc loc, Reason reason, ...);
void reject_text(Kernel *kernel, Loc loc, Reason reason, const char *sentence, const char *remedy);
/* Reports the reason, with `count` and `most`, if there are more than `most`.  The result is false then.  */
#define REQUIRE_LIMIT(kernel, loc, count, most, reason, ...) \
    ((count) <= (most) || (reject(kernel, loc, reason, __VA_ARGS__, (int)(count), (int)(most)), false))
const char *reason_sentence(Reason reason);
const char *reason_remedy(Reason reason);
/* reasons.c: names of reasons, for --ws-ids.  */
const char *reason_id(Module *module, Reason reason); /* grid-depth */
Reason reason_of_text(const char *text);              /* of a sentence or its format; REASON_COUNT: none */
/* The sentence, with its id if the module asks for ids.  */
const char *reason_tag(Module *module, Reason reason, const char *sentence);
/* The same for a front end's message or format, whose reason is found by `text`.  */
const char *reason_tag_text(Module *module, const char *message, const char *text);
/* Keeps the source's spelling of an element for messages.  */
void op_spell(Op *op, const char *source, size_t length);
void warn(Kernel *kernel, Loc loc, const char *format, ...) __attribute__((format(printf, 3, 4)));
void remark(Kernel *kernel, DiagKind kind, Loc loc, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Reports a bug of the compiler as an error that names the pass, and marks the module as failed. The caller goes
   on.  */
void die(Kernel *kernel, Loc loc, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
#define BUG(kernel, ...)         die(kernel, (kernel)->loc, __FILE__, __LINE__, __VA_ARGS__)
#define BUG_AT(kernel, loc, ...) die(kernel, loc, __FILE__, __LINE__, __VA_ARGS__) /* at one statement */

/* Reports the refusals of variants whose module has others.  */
void settle_variants(Module *module);

#ifdef __cplusplus
}
#endif
#endif
