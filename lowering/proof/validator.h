/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validator.h - the state of validate.c's files: executions of blocks of the source as terms, and the progress of a
   role through them.  */
#ifndef WSC_VALIDATOR_H
#define WSC_VALIDATOR_H

#include "ir/cluster.h"
#include "proof/terms.h"
#include "proof/validate.h"
#include "schedule/schedule.h"

enum { MAX_OPEN = SCHEDULE_MOST_STAGE + 1 };

/* Which part of the source's tile a group holds.  ANY: the value is the same for every part, for instance a constant
   tile.  */
typedef enum { SPREAD_ANY, SPREAD_WHOLE, SPREAD_ROWS, SPREAD_COLS } Spread;

/* An execution of a block of the source with all values as terms, and which of its operations the role has executed.
   For a block of a loop this is an iteration.  */
typedef struct Instance Instance;
struct Instance {
    const Block *block;
    Instance *outer;
    const Term *name;    /* a symbol of its own */
    const Term **values; /* by Validator.slots of a value of the block */
    const Term **stored; /* by position of a store: the memory behind it */
    /* By position of a control operation, then by stored base: memory in front of it, and behind it.  */
    const Term ***before, ***after;
    const Term **entry, **end; /* by stored base: memory at both ends of the block */
    Instance *(*arms)[2];      /* by position of an IF */
    unsigned *done;            /* by position: DONE_... */
    uint64_t *skipped;         /* by position of a loop: bit mask of the rings whose puts the role skipped */
};
/* In multiples of DONE_BOX: boxes of a store that are stored.  */
enum { DONE_OP = 1, DONE_PUT = 2, DONE_GET = 4, DONE_COPY = 8, DONE_BOX = 16 };

/* The meaning of a value of a role.  */
typedef struct {
    const Term *term;
    Spread spread;
    Instance *instance; /* of a slot: the iteration whose tiles it holds; else NULL */
} Known;

/* A loop of the source with iterations that a role has peeled off.  `window` has the iterations under way, oldest
   first: the first ones of the loop, or the last ones once the steady loop is passed.  */
typedef struct {
    const Op *loop;
    Instance *window[MAX_OPEN];
    int count;
    bool passed; /* the steady loop is passed */
} Staged;

typedef struct LoopClass LoopClass;

typedef struct {
    Kernel *kernel;
    Role *role;
    Terms terms;
    const Term **params;
    int *slots;              /* by id of a value of the source: its place in Instance.values */
    LoopClass *loop_classes; /* loops of the source, in classes of equal text */
    int nshapes;
    int nstored;
    int *stored_bases;   /* parameters through which the source stores; -1: some other base */
    Known *known;        /* by id of a value of the role */
    Known *staged;       /* by place of the storage in its list: the tile written there last */
    const Term **memory; /* by stored base */
    Instance *open[MAX_OPEN];
    int nopen;
    Staged *stage;
    const Term *group, *ordinal;
    int groups; /* groups of the role that divide the rows of a tile */
    /* The results of `group == 0` and `ordinal % groups == group` in this run, -1: not evaluated yet.  */
    int leader, mine;
    /* By stored base, then for prints: the role that makes these stores.  */
    const Role **storing;
    const Variable **variables; /* hash table of C variables */
    const Term **held;          /* by place in that table: the term that the variable holds */
    int nvariables;             /* size of the table; 0: `plan` has not run */
    Labels *labels;
    Variance variance; /* of the source's values, between the blocks of a cluster */
    const Op *where;
    const char *why; /* the first difference; NULL: none */
} Validator;

/* validate-source.c */
bool op_has_stores(const Op *op); /* true if the operation or one inside it stores */
Instance *instance_new(Validator *validator, const Block *block, Instance *outer, const Term *const *args,
                       const Term *const *memory);
/* On which side of a loop's edge an iteration lies: its counter is >= `edge` (beyond) or below it.  NULL: unknown.  */
typedef struct {
    const Term *edge;
    bool beyond;
} Side;
/* An iteration with unknown values.  */
Instance *instance_of_loop(Validator *validator, const Op *loop, Instance *outer, Side side);
/* The iteration behind `instance`.  */
Instance *instance_next(Validator *validator, const Op *loop, Instance *instance, Side side);
const Term *source_term(Validator *validator, const Instance *instance, const Value *value);
/* Index in stored_bases of the tensor's memory, -1: never stored.  */
int stored_base(const Validator *validator, const Term *tensor);
/* The same for a store of the source or of a role, as an index in Validator.storing.  */
int stored_place(const Validator *validator, const Op *store);
const Term *store_term(Validator *validator, const Op *store, const Term *memory, const Term *const *args);

/* validate-loop-classes.c */
void loop_classes_init(Validator *validator);
/* The n-th result of a loop of the source in `instance`.  Loops of equal text and equal operands have equal terms.  */
const Term *loop_class_result(Validator *validator, const Instance *instance, const Op *loop, int result,
                              const Term *const *memory);

/* validate-role.c */
bool differs(Validator *validator, const Op *op, const char *format, ...) __attribute__((format(printf, 3, 4)));
Known known_of(Validator *validator, const Value *value);
Known named(Validator *validator, Instance *instance, const Value *source, const Value *value);
bool agrees(const Validator *validator, Known known, const Value *value, const Term *term, const Value *source);
/* True if each group makes its rows of the store, or its columns.  */
bool is_divided(const Validator *validator, const Op *store);
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
/* The result of a test of the equalities between carried values and values of the source.  LASTS: all hold in the next
   iteration, too.  DROPPED: one does not, and has been replaced.  BROKEN: the loop differs from the source.  */
typedef enum { LASTS, DROPPED, BROKEN } Verdict;
/* The values that a loop's block receives and passes on, and which of their equalities fail in the next iteration.  */
typedef struct {
    const Block *block;
    Value *const *arguments, *const *handed;
    int count;
    bool *fails, *open; /* open: the value may equal another value of the source */
} Handed;
/* Makes the lists of `count` flags.  */
Handed handed_new(Validator *validator, const Block *block, Value *const *arguments, Value *const *handed, int count);
int carried_suspect(Validator *validator, const Handed *carried); /* index of the equality to give up; -1: none fails */
/* The state that an attempt to match may change.  */
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
/* True if the role has to execute this operation of the source.  */
bool is_needed(const Validator *validator, const Op *source);
bool run_skip(Validator *validator, const Op *op);
void label(Validator *validator, const Op *op, const Op *source);

#endif
