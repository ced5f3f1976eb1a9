/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build.h - what the files of the builder of kernels share.
 *
 *   build.c          the kernel: clauses, live-ins, its body
 *   build-tree.c     blocks, conditions, and the variables that meet behind them
 *   build-loop.c     loops -> FOR and WHILE
 *   build-uncounted.c  why a loop has no count
 *   build-bounds.c   several bounds of a loop -> one
 *   build-live.c     the variables of a tree that are read before they are assigned again
 *   build-scalar.c   operations of scalars
 *   build-memory.c   addresses, loads, stores
 *   build-member.c   arrays of structures
 *   build-rows.c     rows of an array of pointers, and one of two pointers, in front of the grid
 *   build-table.c    elements of tables
 *   build-call.c     calls -> operations of ws.h, functions of <math.h>
 *   build-tensor.c   constructors of tensors
 *   build-total.c    sums that leave the grid
 *   build-task.c     tasks, and tiles that clauses name
 *   build-array.c    arrays of tiles
 *   build-print.c    ws_print and ws_print_value
 *   build-refuse.c   what no kernel has
 *
 * The state of a place in the tree is a table: what each variable holds. A slot is an SSA value, or an address: a base
 * that is known before the grid, and a sum of bytes. Where ways meet, the slots that differ become results of the IF
 * or FOR, if something behind reads them. An operation has the place of its instruction.
 */
#ifndef WSC_SOURCE_BUILD_H
#define WSC_SOURCE_BUILD_H

#include "ir/functions.h"
#include "source/kernels.h"

typedef enum {
    BUILT_NONE,    /* no value so far */
    BUILT_SCALAR,  /* value */
    BUILT_ADDRESS, /* value: the base, a parameter of the kernel; offset: I64, NULL for 0 */
    BUILT_HANDLE, /* value: a tile or a tensor; offset: bytes of a tensor's pointer in its array of pointers, or NULL */
    BUILT_CHOSEN, /* a pointer out of an array of pointers: value, the array; offset: bytes */
} BuiltKind;

/* An array of tiles: the loop that writes it and its element there, or the value of the whole.  */
typedef struct BuiltArray {
    const SourceObject *object;
    const Op *writer;
    Value *element, *value;
    struct BuiltArray *next;
} BuiltArray;

typedef struct {
    BuiltKind kind;
    Value *value, *offset;
    const char *name;  /* BUILT_ADDRESS: the pointer's or the array's, for messages. BUILT_NONE: a function's, a text,
                         or NULL */
    BuiltArray *array; /* BUILT_ADDRESS: of an element of this, and value is NULL */
} Built;

/* Is it a base and a sum of bytes?  */
static inline bool built_has_bytes(const Built *x)
{
    return x->kind == BUILT_ADDRESS || x->kind == BUILT_CHOSEN;
}

/* A task of the grid. `around`: the outermost pipelined loop around it; -1: none.  */
typedef struct {
    int mark, around;
} BuiltTask;

/* The counter of a loop around, where its iteration begins.  */
typedef struct {
    SourceCounter counter;
    Value *value;
} BuiltCounter;

typedef struct {
    Kernel *kernel;
    Module *module;
    const SourceOutline *outline;
    SourceFunction *function;
    SourceClausesOf *clauses_of;
    void *context;
    Block *block; /* where operations go */
    Op *anchor;   /* the outermost loop, which tensors stand in front of; NULL: it was not met */
    int depth;    /* of loops */
    int mark;     /* of the grid */
    bool *marks;  /* by mark: a loop has taken it */
    int nmarks;
    int words; /* of a set of variables */
    Built *variables;
    Built *temporaries;
    BuiltCounter *counters; /* outermost first */
    int ncounters;
    SourceShown *shown;
    int nshown;
    Value **literals;
    int nliterals;
    SourceLiveIn *live_ins;
    int nlive_ins;
    BuiltTask *tasks; /* in the kernel's order */
    int ntasks;
    int *sharing; /* marks of pipelined loops and tasks */
    int nsharing;
    int pipelined;                 /* mark of the outermost pipelined loop around; -1: none */
    int devices;                   /* mark of the loop over devices around the grid; -1: none */
    const SourceVariable *counted; /* the counter of the FOR around, whose next value has no name */
    BuiltArray *arrays;            /* of tiles */
    int narrays;
} Builder;

/* ---- build.c ----------------------------------------------------------------------------------------------------- */

/* Says that the builder does not know a construct. The first reason counts.  */
void build_refuse(Builder *b, Loc loc, const char *construct);
Value *build_op(Builder *b, Opcode code, Loc loc, Type type, int nargs, Value *const *args);
Value *build_integer(Builder *b, Dtype dtype, int64_t value);
Value *build_real(Builder *b, Dtype dtype, double value);
Value *build_zero(Builder *b, Dtype dtype);
Built build_global(Builder *b, const char *name);
const SourceGlobal *build_global_named(const Builder *b, const char *name);
Dtype build_dtype(SourceType type);
/* The type that control flow hands a value on with: passes find the types of tiles.  */
Type build_type_handed(const Value *value);

/* ---- build-total.c ----------------------------------------------------------------------------------------------- */

/* Sums of the grid begin with nothing; other variables that leave it are refused. `live`: a set, to which they are
   added.  */
void build_totals_begin(Builder *b, uint64_t *live);
/* Behind the loops: they go to the launcher's handles.  */
void build_totals_end(Builder *b);
/* The address of an element that is loaded or stored: of the handle, where all iterations sum in the element, as a
   clause says.  */
Built build_total_element(Builder *b, const Instruction *access, Built address);
Value *build_live_in(Builder *b, SourceLiveIn like, Type type, const char *name, Loc loc);
/* What is read in front of the loops: once.  */
Value *build_read_before(Builder *b, SourceLiveIn like, const char *name, Loc loc);

/* ---- build-task.c ------------------------------------------------------------------------------------------------ */

/* The mark of a pipeline, parts or blocks, or -1. source_outline () has put it at the start of the loop's body.  */
int build_pragma_above(const Builder *b, const SourceTree *loop);
bool build_is_pipelined(const Builder *b, int mark);
/* Refuses the second pragma of a loop.  */
void build_refuse_two(Builder *b, const SourceTree *loop);
/* A pragma that no loop has taken.  */
void build_refuse_mark(Builder *b, const Instruction *mark);
/* In front of the walk and behind it.  */
void build_tasks_begin(Builder *b, const SourceTree *tree);
void build_tasks_end(Builder *b);
/* An operation of a call in a task's block.  */
void build_note_task(const Builder *b, Op *op, const Instruction *call);
/* A variable gets a tile.  */
void build_note_holder(const Builder *b, const Declaration *declaration, const Built *tile);

/* ---- build-array.c ----------------------------------------------------------------------------------------------- */

Built build_array(Builder *b, const SourceObject *object);
void build_array_write(Builder *b, const Instruction *store, const Built *address);
Built build_array_read(Builder *b, const Instruction *load, const Built *address);
/* What a loop has written leaves it: behind its body, and behind its results. Returns how many values were added.  */
int build_arrays_yield(Builder *b, Op *loop, Value **values);
void build_arrays_leave(Builder *b, Op *loop);

/* ---- build-live.c ------------------------------------------------------------------------------------------------ */

/* Turns the set of variables that are live behind a list into the set that is live in front of it.  */
void build_live_before(const Builder *b, const SourceTree *list, uint64_t *live);
/* The sets behind each branch and each loop of a list, by its number in the list. `live`: behind the list.  */
uint64_t **build_live_behind(const Builder *b, const SourceTree *list, const uint64_t *live);
/* Adds the variables that a list assigns.  */
void build_assigned(const Builder *b, const SourceTree *list, uint64_t *set);
uint64_t *build_set(const Builder *b);
uint64_t *build_set_copy(const Builder *b, const uint64_t *set);
static inline bool build_has(const uint64_t *set, int id)
{
    return set[id / 64] >> (id % 64) & 1;
}
static inline void build_add(uint64_t *set, int id)
{
    set[id / 64] |= (uint64_t)1 << (id % 64);
}

/* ---- build-tree.c ------------------------------------------------------------------------------------------------ */

/* `live`: what is read behind the list.  */
void build_list(Builder *b, const SourceTree *list, const uint64_t *live);
void build_instruction(Builder *b, const Instruction *instruction);
Built *build_state(const Builder *b, const Built *from); /* a copy */
Value *build_no_tile(Builder *b, Op *where);
void build_yield(Builder *b, Block *block, Opcode code, Loc loc, int nargs, Value *const *args);

/* ---- build-loop.c ------------------------------------------------------------------------------------------------ */

void build_loop(Builder *b, const SourceTree *loop, const uint64_t *live);

/* ---- build-uncounted.c ------------------------------------------------------------------------------------------- */

/* Reports why a loop of the grid, or a pipelined loop, has no count. false: the pass `nest` says it.  */
bool build_refuse_uncounted(Builder *b, const SourceTree *loop, bool of_grid);

Opcode build_comparison(const SourceInduction *induction);

/* ---- build-bounds.c ---------------------------------------------------------------------------------------------- */

/* Of a test that is a conjunction: do its bounds become one?  */
bool build_bounds_agree(const SourceTree *loop);
/* The bound, and how the counter compares with it; NULL after a refusal.  */
Value *build_joined_bound(Builder *b, const SourceTree *loop, Opcode *compare);
/* Does the instruction of the test say nothing but how the counter compares?  */
bool build_is_of_test(const SourceTree *loop, const Instruction *i);

/* ---- build-scalar.c ---------------------------------------------------------------------------------------------- */

/* A scalar as an operand of the type.  */
Value *build_scalar(Builder *b, Loc loc, Operand x, SourceType type);
/* Without a conversion to a wider type that a comparison or a parameter alone asks for.  */
Value *build_without_widening(Value *value);
Value *build_convert(Builder *b, Loc loc, Value *x, Dtype dtype);
Value *build_binary(Builder *b, Opcode code, Loc loc, Value *x, Value *y);
/* An operation of scalars alone, or NULL after a refusal.  */
Value *build_scalar_operation(Builder *b, const Instruction *instruction);

/* ---- build-memory.c ---------------------------------------------------------------------------------------------- */

/* What an operand of type p is: an address or a handle.  */
Built build_pointer(Builder *b, Loc loc, Operand x);
/* Is it computed of numbers from outside the grid by arithmetic that cannot fail?  */
bool build_is_known(const Value *value);
/* The base of a tensor: a live-in, or, of BUILT_CHOSEN, an array of pointers. BUILT_NONE: it was refused.  */
Built build_base(Builder *b, Loc loc, Operand x);
/* Says that a variable holds one of two arrays or tensors.  */
void build_refuse_meeting(Builder *b, Loc loc, const Built *yes, const Built *no, const char *name);
/* An operation on addresses.  */
Built build_address_operation(Builder *b, const Instruction *instruction);
Built build_load(Builder *b, const Instruction *load);
/* What the source calls what is read: the last name of its text.  */
const char *build_name_read(const Instruction *load);
void build_store(Builder *b, const Instruction *store);

/* ---- build-rows.c ------------------------------------------------------------------------------------------------ */

/* What a load gives of an array of pointers, at a subscript that varies. false: the array is none of rows.  */
bool build_row(Builder *b, const Instruction *load, const Built *array, Built *row);
/* c ? x : y of two arrays, where everything is known before the grid. false: it is not. `name`: of the variable.  */
bool build_chosen_pointer(Builder *b, const Instruction *i, const Built *yes, const Built *no, const char *name,
                          Built *made);

/* ---- build-member.c ---------------------------------------------------------------------------------------------- */

/* require: the body.   ensure: members of different types of an array of structures have bases of their own.  */
void build_members(Builder *b);

/* ---- build-table.c ----------------------------------------------------------------------------------------------- */

/* The base of a tensor of this type: the pointer itself, or a live-in like it, if a tensor of another type has it.  */
Value *build_base_of(Builder *b, Value *base, Dtype dtype);
/* A number of an array of the program that a variable chooses. `global`: the live-in's, or NULL. NULL: it is none.  */
Value *build_table_read(Builder *b, const Instruction *load, const Built *address, const SourceLiveIn *live,
                        const SourceGlobal *global);

/* ---- build-call.c ------------------------------------------------------------------------------------------------ */

/* Is it a function of ws.h, but for those that print numbers?  */
bool build_is_tile_call(const Instruction *call);
Built build_call(Builder *b, const Instruction *call);
/* An argument as an operand of a tile's operation, or NULL after a refusal.  */
Value *build_argument(Builder *b, const Instruction *call, int k);
bool build_constant(Builder *b, const Instruction *call, int k, const char *meaning, int64_t *number);
bool build_element_type(Builder *b, const Instruction *call, int k, Dtype *dtype);

/* ---- build-print.c ----------------------------------------------------------------------------------------------- */

/* At the start of an iteration. The loop's end sets b->ncounters back.  */
void build_counters(Builder *b, const SourceTree *loop);
void build_print_tile(Builder *b, const Instruction *call);
/* false: the function is none that prints a number.  */
bool build_print_value(Builder *b, const Instruction *call);

/* ---- build-refuse.c ---------------------------------------------------------------------------------------------- */

/* Where the user wrote it: a function of ws.h stands at its call.  */
Loc build_place(const Instruction *instruction);
/* Refuses with one remedy of several. `word`: what the sentence is about.  */
void build_reject_with(Builder *b, Loc loc, Reason reason, const char *remedy, const char *word);
/* Refuses what the whole grid shows: objects in memory, and mistakes that <ws.h> has found.  */
void build_check(Builder *b);
void build_refuse_call(Builder *b, const Instruction *call);
void build_refuse_load(Builder *b, const Instruction *load, const Built *address);
void build_spell(const Builder *b, Op *op, const Instruction *access, const Built *address);
void build_refuse_store(Builder *b, const Instruction *store, const Built *address);
/* Refuses a call whose tile nothing takes. false: it is none.  */
bool build_is_lost(Builder *b, const Instruction *call, const Built *made);
/* Refuses a value in the place of a tile or a tensor.  */
void build_refuse_handle(Builder *b, Loc loc, const Built *built);

/* ---- build-tensor.c ---------------------------------------------------------------------------------------------- */

/* `name`: of the function, without ws_ and a last "_".  */
bool build_is_tensor_call(const char *name);
/* An operation in front of the loops.  */
Value *build_in_front(Builder *b, Opcode code, Loc loc, Type type, int nargs, Value *const *args);
/* `index`: which pointer of an array of pointers is its base, if the grid chooses one.  */
Value *build_tensor(Builder *b, const Instruction *call, const char *name, Value **index);

#endif
