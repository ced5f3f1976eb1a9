/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernels.h - from a marked loop of the region IR to a kernel of ir/ir.h, for both front ends.
 *
 *      variants    what follows for each combination of choices, in a copy of the function             variants.c
 *      prepare     passes over the function of the loop                                       kernels.c
 *      outline     the loop becomes a function of its own; its parameters are live-ins        outline.c
 *      tables      arrays of constants in a grid over tiles become static ones                 tables.c
 *      devices     an iteration over devices stores to what is its own                         devices.c
 *      hoist       what each iteration reads alike is read in front of the loop               hoist.c
 *      structure, induction                                                                   passes.h
 *      build       the tree becomes a kernel                                                  build.c, build-*.c
 *      prune       loops carry what some path needs; values that nothing reads go             prune.c
 *
 * A front end makes the Kernel with its name and its clauses, and gets the live-ins back: variables, objects and
 * globals of its own, in the launcher's order. It puts the launcher's call in place of the loop.
 */
#ifndef WSC_SOURCE_KERNELS_H
#define WSC_SOURCE_KERNELS_H

#include "source/choice.h"
#include "source/passes.h"
#include "source/pragma.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- outline.c --------------------------------------------------------------------------------------------------- */

/* What a parameter of the outlined function is in the function that it comes from: the value of a variable where the
   loop begins, or the address of an object. Or the variable is a tensor, and it is an argument of the call that makes
   it, from 1 on.  */
typedef struct {
    SourceVariable *variable; /* or NULL */
    SourceObject *object;
    int argument;
    bool is_chosen; /* it differs with a choice */
} SourceOrigin;

/* A variable of the host that the loop assigns and that is read behind it.  */
typedef struct {
    SourceVariable *variable, *own; /* `own`: of the outlined function */
    Loc read;                       /* the first read behind the loop; line 0: it has no place */
    bool is_counter;
} SourceLeaving;

typedef struct {
    const SourceFunction *host;
    SourceFunction *function; /* its entry block has the values before the loop; the loop and a return follow */
    SourceOrigin *origins;    /* by parameter */
    int norigins;
    SourceLeaving *leaving;
    int nleaving;
    int devices;            /* mark of the loop over devices around it; -1: none */
    int header;             /* of the loop in the host, in the order of source_flow () */
    Loc exit;               /* of a jump that leaves the loop elsewhere than at its test; line 0: there is none */
    bool endless;           /* the exit leads to nowhere but a loop without an end, which has its place */
    int mark;               /* of the pragma of that loop; -1: it has none */
    const Instruction *end; /* a call in the loop that ends the program, or NULL */
} SourceOutline;

/* require: the function behind source_prepare (). `site`: the place of the call that has brought the mark; NULL: it is
   the function's own. Returns NULL if no loop stands behind the mark.  */
SourceOutline *source_outline(SourceFunction *host, int mark, const Loc *site);

/* ---- devices.c --------------------------------------------------------------------------------------------------- */

/* Refuses stores of the grid, whose loop has the header, to tensors that are not the iteration's own in the loop over
   devices of this mark.  */
void source_check_devices(Kernel *kernel, SourceFunction *function, int mark, int grid);

/* ---- results.c --------------------------------------------------------------------------------------------------- */

/* Calls get the declarations of the variables that hold their results.  */
void source_name_results(SourceFunction *function);
/* Calls of ws.h whose result nothing takes are noted as such, once, in front of all passes.  */
void source_find_lost(SourceUnit *unit);

/* ---- hoist.c ----------------------------------------------------------------------------------------------------- */

/* require: an outlined function of loops over elements.   ensure: what each iteration reads alike is read in the entry
   block.  */
void source_hoist_loads(SourceFunction *function);

/* ---- bytes.c ----------------------------------------------------------------------------------------------------- */

/* Calls of memcpy and memset, of a constant number of bytes, become loads and stores, or moves and zeros.  */
void source_take_bytes(SourceFunction *function);

/* ---- tables.c ---------------------------------------------------------------------------------------------------- */

/* Objects of constants, of which variables choose elements, become known globals. false: there is none.  */
bool source_make_tables(SourceFunction *function);

/* ---- complex.c --------------------------------------------------------------------------------------------------- */

/* Products, quotients and functions of complex numbers become operations on their parts.  */
void source_expand_complex(SourceFunction *function);

/* ---- kernels.c --------------------------------------------------------------------------------------------------- */

/* The clauses of a pragma, as its front end has read them.  */
typedef struct {
    DirectiveKind kind;
    Grid grid;
    Pipeline pipeline;
    Task task;
    TileRing *rings; /* of a pipeline or a task, as are these: */
    TileShare *shares;
    SourceClauseChoices choices; /* the clauses are those of the combination that is set */
    Loc loc;
} SourceClauses;

enum { MOST_READS = 4 };

/* An argument of the launcher: one of these, or what lies behind it: each read is at an address so many bytes behind
   what the one before has given. All but the last are pointers. Numbers of bytes that vary are I64, computed of other
   live-ins by operations of scalars.  */
typedef struct {
    Value *value;
    int nreads;
    int64_t reads[MOST_READS];        /* bytes */
    const Value *varying[MOST_READS]; /* more bytes, or NULL */
    SourceType read;                  /* of the last one */
    int64_t behind;                   /* bytes that are added to the address in the end */
    const Value *varying_behind;      /* more bytes, or NULL */
    int devices;                      /* not 0: how many the loop over devices has, of pragma devices - 1 */
    bool is_set;                      /* 1, if that address is not NULL, and 0 */
    const Value *address;             /* is_set: the live-in that has it */
    int row_bytes;  /* not 0: the address is of pointers to rows of numbers of so many bytes; the live-in
                                         is where the rows begin, or, as a number, their distance in numbers */
    bool is_number; /* a pointer as an I64 */
    const SourceVariable *variable; /* its value where the loop begins */
    int argument;                   /* not 0: the argument of the call that makes this tensor, from 1 on */
    const SourceObject *object;     /* its address */
    const char *global;             /* its address */
    const SourceVariable *total;    /* a handle for the sum of a grid, which the variable becomes */
    const Reduction *into;          /* a handle for the sum of a grid, which goes to the element at that address */
    bool is_retyped;                /* another live-in is the same pointer, for tensors of another type */
    bool is_near;                   /* into: the address is known in full, and not only its array */
    const Value *place;             /* into: otherwise the bytes behind the array */
} SourceLiveIn;

/* A counter of a loop whose test is at `loop`, so many inlined calls below the host.  */
typedef struct {
    const char *name;
    Loc loop;
    int depth;
} SourceCounter;

/* A call of ws_print or ws_print_value, and the format that it has in the kernel. A number is its last argument.  */
typedef struct SourceShown {
    const Instruction *call;
    const char *format;
    bool is_value;
    int ncounters;
    SourceCounter *counters; /* outermost first */
} SourceShown;

typedef struct {
    SourceLiveIn *live_ins; /* by parameter of the kernel */
    int nlive_ins;
    SourceShown *shown;
    int nshown;
    const SourceLiveIn *all; /* with those that only numbers of bytes are computed of */
    int nall;
    Kernel **kernels; /* of source_build_variants (): the first is the grid's own */
    int nkernels;
} SourceKernel;

/* What a parameter of the kernel is, also of one that the kernel has no use for.  */
const SourceLiveIn *source_live_in(const SourceKernel *kernel, const Value *value);

/* What the front end knows of pragma `mark`.  */
typedef const SourceClauses *SourceClausesOf(void *context, int mark);

/* The passes in front of source_outline ().  */
void source_prepare(SourceFunction *function);
/* Those of them that follow where numbers in the function become known.  */
void source_settle(SourceFunction *function);
/* Fills in the body and the parameters of the kernel, whose grid has the clauses. An error is reported and fails the
   kernel.  */
SourceKernel source_build_kernel(Kernel *kernel, SourceFunction *host, int mark, const Loc *site,
                                 SourceClausesOf *clauses_of, void *context);

/* ---- choice.c ---------------------------------------------------------------------------------------------------- */

/* For a clause: the value of a variable of the unit that follows from choices, as they are set. false: it does not.  */
bool source_chosen_number(SourceChoices *choices, const SourceUnit *unit, Loc declared, int64_t *value);

/* ---- variants.c -------------------------------------------------------------------------------------------------- */

/* The same for each combination of the grid's choices; without `all` for the first one. The kernels have the parameters
   of the result. A variant that is refused fails the first kernel.  */
SourceKernel source_build_variants(Kernel *first, SourceFunction *host, int mark, const Loc *site,
                                   SourceClausesOf *clauses_of, void *context, SourceChoices *choices, bool all);
/* Where tiles begin: a parameter of all kernels. Returns the first one's.  */
Value *source_add_from(const SourceKernel *built);
/* The bytes behind the pointer that is this parameter: the same.  */
Value *source_add_extent(const SourceKernel *built, int pointer);

/* ---- prune.c ----------------------------------------------------------------------------------------------------- */

/* require: what the builder made.   ensure: loops carry what some path needs; nothing is computed in vain.  */
void source_prune(Kernel *kernel);
/* The last part of it: operations, and results of conditions, that nobody uses go.  */
void source_drop_unused(Kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
