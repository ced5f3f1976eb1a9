/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernel.h - kernels and modules.  */
#ifndef WSC_KERNEL_H
#define WSC_KERNEL_H

#include "ir/arena.h"
#include "ir/attributes.h"
#include "ir/clauses.h"
#include "ir/diag.h"
#include "ir/fold.h"
#include "ir/kernel.h"
#include "ir/roles.h"
#include "ir/schedule-table.h"
#include "ir/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A version of the kernel `of`. The launcher of `of` runs the version where a parameter lies between `least` and
   `most`, or where an estimate says that the version is faster.  */
typedef struct {
    const char *of; /* name of the original kernel; NULL: the kernel is no version */
    int param;      /* index of the parameter; -1: chosen by estimate */
    int64_t least, most;
    int behind; /* index of the pass that made the version; lowering goes on with the next pass */
} KernelVersion;

/* A variant: one of several kernels for the same region, with `values` for its ws_choice constants.  The variants share
   one launcher.  The first variant has the name `of`.  */
enum { MOST_CHOSEN = 16, MOST_VARIANTS = 256 };
typedef struct {
    const char *of; /* NULL: the region has no choices */
    int count;
    int64_t values[MOST_CHOSEN];
} KernelChoice;

/* A variant that differs from another kernel in its schedule alone.  */
enum { MOST_SOLVED = 5 };
typedef struct {
    const char *of;   /* name of the original kernel, which schedule files use; NULL: the kernel is the original */
    const char *text; /* text of the schedule file; NULL: the schedule that choose decides */
    bool varies;      /* the kernel is one of several schedules; also set in the original */
    uint64_t digest;  /* varies: digest of the schedule */
    const char *texts[MOST_SOLVED + 2]; /* original: texts of schedule files, its own first, ended by NULL */
} Scheduled;

/* The reason for which a variant was refused.  */
typedef struct {
    Loc loc;
    const char *sentence, *remedy; /* sentence is NULL where the variant was not refused */
} Refusal;

struct Kernel {
    Module *module;
    const Machine *machine; /* same as module->machine */
    const char *name;       /* the C function's name, with suffix _n for region n >= 2 of the function */
    const char *c_function;
    const char *launcher; /* symbol that the region's call names; unique by the front end */
    Loc loc;
    Grid grid;
    Task *tasks;
    SharedMemory *shares;
    int nparams;
    Value **params; /* live-ins of the region, in the order of the launcher: scalars and base pointers */
    Block *body;    /* the region; behind nest: scalar code and tensors, then one GRID op */
    Role *roles;
    Storage *storages;
    Aref *arefs;
    Variable *variables;
    int nops; /* number of operations made so far; the next Op.id */
    Schedule schedule;
    Layout layout; /* default layout of the roles */
    /* Set by plan. */
    int threads;
    int64_t shared_bytes;
    int shared_padding; /* bytes behind the shared struct that a product may read past the rows of a short operand */
    int min_blocks;
    uint64_t digest;            /* choose: digest of body, clauses and machine, as in a schedule file */
    const char *schedule_notes; /* choose: notes of the solver, as lines that begin with #; or NULL */
    const char *scheduled_by;   /* schedule: name of the schedule file; NULL: choose decided */
    uint64_t source;            /* freeze: digest of the body, which no later pass changes; 0: not frozen */
    const char *memory;         /* memory: map of shared memory over the time of a tile, as text */
    const char *obligations;    /* verify: the proved properties, one a line */
    struct {
        int terms, states, steps;
    } proof; /* verify: size of the proof: terms of values, states and steps of the protocol */
    KernelVersion version;
    KernelChoice choice;
    Scheduled scheduled;
    Refusal refusal;       /* variants */
    bool settled;          /* first variant: the refusals of the others have been reported */
    bool default_schedule; /* schedule(optimal) is ignored, since the solved schedule was refused */
    bool failed;           /* a refusal was reported, or a version or variant is left out */
    Kernel *next;
};

typedef enum { TARGET_SEQUENTIAL, TARGET_EMULATE, TARGET_CUDA } Target;

struct Module {
    struct Chunk *arena;
    const char *source; /* the C file's name */
    Target target;
    const Machine *machine;               /* the target GPU: target/machine.h */
    bool strict;                          /* --ws-strict */
    bool ids;                             /* --ws-ids: errors end with the name of their reason */
    const char *solver, *solver_machine;  /* path of wsc-solve and of its machine description; NULL: none */
    const char *schedule_folder;          /* folder that keeps answers of wsc-solve; NULL: none */
    const char *schedule, *schedule_name; /* --ws-schedule: text and name of the file; NULL: none */
    const char *lines;                    /* name of the .cu for its #line directives; NULL: no directives */
    const char *tuned;                    /* --ws-tuned: text of the table of measured variants; NULL: none */
    bool steps;                           /* with `lines`: statements report their source line when they run (WS_AT) */
    DiagFn diag;
    void *diag_context;
    Kernel *kernels;
    int next_id;
    const char *pass; /* lower.c: name of the running pass, for die () */
    int pass_index;   /* lower.c: its row in the table of passes */
    bool as_text;     /* read from textual IR: versions and variants report their own errors */
    bool failed;
};

Kernel *kernel_new(Module *module, const char *name, Loc loc);
Value *kernel_param(Kernel *kernel, Type type, const char *name, Loc loc);
bool kernel_is_specialized(const Kernel *kernel);          /* the role that computes does not start copies */
bool kernel_names(const Kernel *kernel, const char *name); /* the name is taken by a storage or an aref */
Task *kernel_task(const Kernel *kernel, int number);       /* number from 1 on; NULL for 0 */
Task *task_new(Kernel *kernel, const char *name);
int share_new(Kernel *kernel, const char *one, const char *other, Loc loc); /* returns its number, from 1 on */

#ifdef __cplusplus
}
#endif
#endif
