/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validator.h - what the files of validate.c share: an execution of a block of the source, and what a role has done of
   it.  */
#ifndef WSC_VALIDATOR_H
#define WSC_VALIDATOR_H

#include "schedule/cluster.h"
#include "schedule/schedule.h"
#include "proof/terms.h"
#include "proof/validate.h"

enum { MAX_OPEN = SCHEDULE_MOST_STAGE + 1 };

/* How much of the source's tile a group holds: ANY where one cannot tell a part from the whole.  */
typedef enum { SPREAD_ANY, SPREAD_WHOLE, SPREAD_ROWS, SPREAD_COLS } Spread;

/* One execution of a block of the source, all values as terms, and what the role has done of it.  */
typedef struct Instance Instance;
struct Instance {
    const Block *block;
    Instance *outer;
    const Term *name;               /* a symbol */
    const Term **values;            /* by the slot of a value in its block */
    const Term **stored;            /* by position of a store: the memory after it */
    const Term ***before, ***after; /* by position of a control op: memory, by stored base */
    const Term **entry, **end;      /* memory at both ends */
    Instance *(*arms)[2];           /* by position of an IF */
    unsigned *done;                 /* by position: DONE_... */
    uint64_t *skipped;              /* by position of a loop: the rings that were passed over */
};
enum { DONE_OP = 1, DONE_PUT = 2, DONE_GET = 4, DONE_COPY = 8, DONE_BOX = 16 }; /* and so many boxes of a store */

/* What a role knows of one of its values.  */
typedef struct {
    const Term *term;
    Spread spread;
    Instance *instance; /* of a slot, and of a window of it */
} Known;

/* A loop of which a role has peeled off iterations: those under way, one after the other, the first ones or, behind the
   steady loop, the last ones.  */
typedef struct {
    const Op *loop;
    Instance *window[MAX_OPEN];
    int count;
    bool passed; /* the steady loop is behind */
} Staged;

typedef struct LoopClass LoopClass;

typedef struct {
    Kernel *kernel;
    Role *role;
    Terms terms;
    const Term **params;
    int *slots;              /* of source values, by id */
    LoopClass *loop_classes; /* loops of the source, by what they say */
    int nshapes;
    int nstored;
    int *stored_bases;   /* parameters that are stored through; -1: something else */
    Known *known;        /* of role values, by id */
    Known *staged;       /* by the storage's place in the list */
    const Term **memory; /* by stored base */
    Instance *open[MAX_OPEN];
    int nopen;
    Staged *stage;
    const Term *group, *ordinal;
    int groups;                 /* that share rows */
    int leader, mine;           /* this run's answers to `group == 0` and `ordinal % groups == group`, -1: not asked */
    const Role **storing;       /* by stored base, and behind them for prints: the role whose stores these are */
    const Variable **variables; /* a hash table of them, */
    const Term **held;          /* and what each holds now */
    int nvariables;             /* the table's size; 0: plan has not been here */
    Labels *labels;
    Variance variance; /* of the source, between the blocks of a cluster */
    const Op *where;
    const char *why; /* the first thing that was wrong */
} Validator;

/* validate-source.c */
bool op_has_stores(const Op *op); /* itself or inside */
Instance *instance_new(Validator *validator, const Block *block, Instance *outer, const Term *const *args,
                       const Term *const *memory);
/* Where an iteration is: its counter is not below `edge`, or is; NULL: not known.  */
typedef struct {
    const Term *edge;
    bool beyond;
} Side;
Instance *instance_of_loop(Validator *validator, const Op *loop, Instance *outer,
                           Side side); /* some iteration: all unknown */
Instance *instance_next(Validator *validator, const Op *loop, Instance *instance, Side side); /* the iteration after */
const Term *source_term(Validator *validator, const Instance *instance, const Value *value);
int stored_base(const Validator *validator, const Term *tensor); /* which stored memory, -1: none */
int stored_place(const Validator *validator,
                 const Op *store); /* the same of a store of the source, or of a role: its place in
                                                              Validator.storing */
const Term *store_term(Validator *validator, const Op *store, const Term *memory, const Term *const *args);

/* validate-loop-classes.c */
void loop_classes_init(Validator *validator);
/* What a loop of that iteration of the block around leaves as its n-th result: one term for loops that say the same. */
const Term *loop_class_result(Validator *validator, const Instance *instance, const Op *loop, int result,
                              const Term *const *memory);

/* validate-role.c */
bool differs(Validator *validator, const Op *op, const char *format, ...) __attribute__((format(printf, 3, 4)));
Known known_of(Validator *validator, const Value *value);
Known named(Validator *validator, Instance *instance, const Value *source, const Value *value);
bool agrees(const Validator *validator, Known known, const Value *value, const Term *term, const Value *source);
bool is_divided(const Validator *validator, const Op *store);
/* ... or columns of it, which rows of its transpose are.  */
bool is_divided_across(const Validator *validator, const Op *store);
bool run_op(Validator *validator, const Op *op);
bool run_block(Validator *validator, const Block *block);

/* validate-variables.c */
void held_init(Validator *validator);
void variable_write(Validator *validator, const Value *value);
void held_forget(Validator *validator, const Op *op);
const Term **held_copy(Validator *validator);
void held_restore(Validator *validator, const Term *const *held);
void held_join(Validator *validator, const Term *const *other);
bool variable_read(Validator *validator, const Op *op, const Value *value);
bool held_read(Validator *validator, const Op *op, const Op *printed);
bool held_hand_over(Validator *validator, const Op *op, Value *const *from, Value *const *to, int count);
bool held_begin(Validator *validator, const Op *loop, int fixed, Value *const *carriers);
bool held_go_round(Validator *validator, const Op *loop);
bool held_leave(Validator *validator, const Op *loop, Value *const *carriers);

/* validate-loop.c */
enum { MAX_CARRIED = 256 }; /* values that a loop of a role carries */
/* What was found of an equality of carried values: it holds in every iteration, or not in the next; or the loop is
   wrong whatever they are.  */
typedef enum { LASTS, DROPPED, BROKEN } Verdict;
/* Values that the block of a loop of a role is given and hands on, and which of them are no longer what they were taken
   for.  */
typedef struct {
    const Block *block;
    Value *const *arguments, *const *handed;
    int count;
    bool fails[MAX_CARRIED], open[MAX_CARRIED]; /* open: may be something else */
} Handed;
int carried_suspect(Validator *validator, const Handed *carried); /* which of them is given up; -1: none fails */
/* What an attempt may change.  */
typedef struct {
    unsigned *done[MAX_OPEN];
    uint64_t *skipped[MAX_OPEN];
    Instance *open[MAX_OPEN];
    int nopen;
    const Term **memory, **held;
    const Op *where;
    const char *why;
} Saved;
Saved attempt_save(Validator *validator);
void attempt_restore(Validator *validator, const Saved *saved);
void *copy_of(Validator *validator, const void *from, size_t bytes);
void open_only(Validator *validator, Instance *instance);
bool match_loop(Validator *validator, const Op *op, const Op *source, Instance *outer);
int block_size(const Block *block);
const Term *stale_memory(Validator *validator);
bool same_kind(const Validator *validator, const Value *value, const Value *source);
bool same_name(const Value *x, const Value *y);
bool side_of(Validator *validator, const Op *op, int body, const Op *source, const Instance *outer, Side *side);

/* validate-staged.c */
const Term *first_condition(Validator *validator, const Op *loop, const Instance *outer);
bool is_steady(Validator *validator, const Op *op);
bool run_steady(Validator *validator, const Op *op);
bool is_next_guard(Validator *validator, const Op *op);
bool run_next_guard(Validator *validator, const Op *op);
bool run_staged(Validator *validator, const Op *op, const Op *loop, Instance *outer);

/* validate-control.c */
bool end_arm(Validator *validator, const Op *op, int arm);
bool run_control(Validator *validator, const Op *op);
bool is_complete(Validator *validator, const Instance *instance);
bool is_needed(const Validator *validator, const Op *source); /* of the source: does this role have to carry it out? */
bool run_skip(Validator *validator, const Op *op);
void label(Validator *validator, const Op *op, const Op *source);

#endif
