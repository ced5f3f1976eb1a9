/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lower.h - the table of passes, and the calls that run it.  */
#ifndef WSC_LOWER_H
#define WSC_LOWER_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PHASE_LANGUAGE, /* types and shapes, and errors of the user; the last phase for the sequential target */
    PHASE_OPTIMIZE, /* cheaper programs of the same meaning */
    PHASE_FREEZE,   /* fixes the body as the source of the proof; no later pass changes the body */
    PHASE_SCHEDULE, /* role, stage and order of each operation */
    PHASE_ROLES,    /* a program for each role */
    PHASE_MACHINE,  /* registers, shared memory, barriers */
    PHASE_PROOF,    /* compares the roles' programs with the frozen body, and checks their synchronization */
    PHASE_PRINT,    /* the text of the .cu */
    PHASE_COUNT
} Phase;

/* The operations that a pass may change: none, the body's, or those of the roles' programs. Each pass may set
   attributes and fields of the kernel.  */
typedef enum { CHANGES_NONE, CHANGES_BODY, CHANGES_PROGRAMS } Changes;

typedef struct {
    const char *name;
    Phase phase;
    Changes changes;
    void (*run)(Kernel *kernel); /* NULL in the last row, which prints the module */
    const char *summary;
} Pass;
extern const Pass passes[];
extern const int npasses;
const char *phase_name(Phase phase);
int find_pass(const char *name); /* index in `passes`, or -1 */

/* A list of dumps: names of passes with commas between, "all", and the front ends' own "walk" and "region".  */
bool dump_lists(const char *list, const char *name); /* NULL: an empty list */
/* Returns the first name of the list that is none of these, up to the next comma, or NULL.  */
const char *dump_unknown(const char *list);

/* Runs all passes over every kernel. Writes a dump to `dump` after each pass that the comma list `which` names; `which`
   may be NULL. Returns the text of the .cu, in the arena. Returns NULL after an error, without kernels, and for
   TARGET_SEQUENTIAL.  */
const char *lower_module(Module *module, const char *which, FILE *dump);
/* The same for passes[first] to passes[last].  Returns the text only if `last` is the last row of the table.  */
const char *lower_range(Module *module, int first, int last, const char *which, FILE *dump);

#ifdef __cplusplus
}
#endif
#endif
