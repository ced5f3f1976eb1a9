/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frontend.h - what the files of the clang door share.
 *
 *   main.c     the program wsc-clang: options, libclang's parse, the end of the unit (lower_module, the output files)
 *   say.c      diagnostics in clang's style
 *   cursor.c   questions to libclang: children, types, places, constants
 *   pragma.c   #pragma ws: where each stands, which loop it is about
 *   clause.c   names, errors and expressions for the grammar of pragmas in lowering/source
 *   region.c   one function: its grids become kernels
 *   value.c    operations, literals, live-ins
 *   column.c   places of the preprocessed text in the user's file
 *   fold.c     what GCC's front end makes of sums and comparisons, so that both doors give one text
 *   state.c    what variables hold, and where paths meet
 *   expr.c     an expression -> a Value, or a pointer
 *   assign.c   an assignment; what an object in memory holds
 *   bits.c     numbers read and written as another type
 *   part.c     members of structs, rows of an array of pointers
 *   table.c    elements of the program's own arrays, which a variable chooses
 *   blocks.c   arrays of tiles that loops over blocks write
 *   size.c     arrays whose extents are variables
 *   call.c     calls: the functions of ws.h -> operations, others are walked in place
 *   tensor.c   the constructors of tensors -> the kernel's prologue
 *   outside.c  what stands before a region: constants, tensors, live-ins
 *   stmt.c     statements -> IF; loop.c, count.c: loops -> FOR or WHILE
 *   around.c   host code around grids: devices, together, data
 *   choice.c   choices in clauses
 *   devices.c  tensors out of arrays of pointers
 *   total.c    sums over a whole grid
 *   flagged.c  loops with several ways out
 *   task.c     the blocks of tasks, rings
 *   show.c     ws_print, ws_print_value
 *   entry.c    kernels of lowering/source/
 *   place.c    ... on target sequential, where the source's text stays
 *   host.c     the source's text, a region given way to a call of its launcher
 *   transcribe.c ...   the region IR of all functions (transcribe.h)
 *
 * The plugin walks GCC's graph of basic blocks, this the tree as it was written; what the two make of one program is
 * the same text (tests/frontend/).  So names, the order of operations and which values a loop carries follow the
 * plugin.
 */
#ifndef WSC_FRONTEND_H
#define WSC_FRONTEND_H

#include <clang-c/Index.h>

#include "ir/functions.h"
#include "ir/kernel.h"
#include "ir/versions.h"
#include "source/choice.h"
#include "source/pragma.h"

/* ---- the unit ---------------------------------------------------------------------------------------------------- */

/* x[lo:n] of data, update and extent.  */
typedef struct DataArray {
    int kind;
    const char *name, *first, *bytes; /* C text */
    CXCursor decl;
    struct DataArray *next;
} DataArray;

/* One #pragma ws of the source.  */
typedef struct {
    DirectiveKind kind;
    bool used;
    Loc loc;
    unsigned offset; /* of its '#' in the main file */
    Grid grid;
    Pipeline pipeline;
    Task task;
    TileRing *rings; /* of a pipeline or a task, as are these: */
    TileShare *shares;
    const char *devices;           /* C text: how many */
    unsigned loop_end;             /* ... where its loop ends, */
    int last_call;                 /* ... and which of the edits has the call there */
    const char *from;              /* ... of a grid, where its tiles begin, or NULL */
    DataArray *arrays;             /* of data and update */
    DataArray *extents;            /* of a grid: how many bytes there are behind pointers */
    struct PragmaChoices *choices; /* NULL: its numbers are the same in all variants */
} Pragma;

/* A piece of the main file that other text takes the place of.  */
typedef struct {
    unsigned begin, end;
    const char *text;
    int order; /* among those at one place */
} Edit;

typedef struct {
    CXIndex index;
    CXTranslationUnit tu;
    CXFile file;
    const char *path, *text; /* of what is read: the user's file, or what the preprocessor has left of it */
    size_t size;
    const char *source;       /* the user's file */
    CXTranslationUnit before; /* of that, for the macros that pragmas name; NULL: not needed so far */
    Module *module;
    Pragma *pragmas;
    int npragmas;
    Edit *edits, *around; /* around: what pragmas of host code ask for */
    int nedits, naround;
    bool cxx;  /* the source is C++ */
    bool both; /* launchers for cuda and for emulate */
    bool show;
    const char *const *args; /* of the compiler, for -Wno-ws-... */
    int nargs;
    int errors;
    bool silent; /* the last warning was switched off */
    /* The region IR, places of its pragmas, and functions behind source_prepare ().  */
    struct SourceUnit *regions; /* NULL: kernels are walked */
    unsigned *marks;
    int nmarks;
    struct SourceFunction **prepared;
    int nprepared;
    SourceChoices choices;
} Unit;

/* say.c */
void say(void *unit, DiagKind kind, Loc loc, const char *message);
void complain(Unit *u, Loc loc, const char *remedy, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* What libclang has to say; false: errors.  Warnings are mostly the host compiler's to repeat.  */
bool show_parse(Unit *u, bool warnings);

/* ---- cursor.c ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int count;
    CXCursor *list;
} Cursors;

Cursors children(const Unit *u, CXCursor c);
const char *text_of(const Unit *u, CXString string); /* disposes of it */
const char *name_of(const Unit *u, CXCursor decl);   /* the user's; NULL for none and for ws.h's own */
Loc loc_of(const Unit *u, CXCursor c);
/* The line and the column where the preprocessed text has the place, as the user's file has them.  */
void user_column(const Unit *u, unsigned offset, const char *file, unsigned *line, unsigned *column);
void spell_element(const Unit *u, Op *op, CXCursor c); /* keeps the source's text of the element */
Loc loc_at(const Unit *u, CXSourceLocation where);     /* as line markers have it */
unsigned begin_of(CXCursor c);                         /* offsets of its expansion */
unsigned end_of(CXCursor c);
bool is_the_users(CXCursor c);           /* of no system header */
bool in_text(const Unit *u, CXCursor c); /* in the file itself, where offsets count */
bool scalar_type(CXType type, Dtype *dtype);
bool is_pointer(CXType type);
bool is_integer(CXType type);
bool is_tile_type(CXType type);
bool is_tensor_type(CXType type);
bool is_aggregate(CXType type);
bool is_complex(CXType type);
CXType part_type(CXType type); /* of a complex number */
int64_t bytes_of(CXType type);
/* Bits from the beginning of the record to its field, or to the field of a record without a name in it.  */
bool field_bits(CXType record, CXCursor field, int64_t *bits);
int64_t offset_of_member(CXType type, CXCursor field); /* bytes; `type` may be a pointer to the record */
CXCursor peel(const Unit *u, CXCursor e);              /* behind parentheses, and conversions that keep the type */
CXCursor whole_of(const Unit *u, CXCursor e); /* the complex number of which it is a part; what is none as it is */
CXCursor decl_of(const Unit *u, CXCursor e);  /* of a variable that an expression names, or a null cursor */
bool same_decl(CXCursor x, CXCursor y);
bool is_variable(CXCursor decl);
bool evaluate_int(CXCursor e, int64_t *value);
bool evaluate_real(CXCursor e, double *value);
/* Visit all that is below; stops where `visit` returns false.  */
typedef bool (*Visit)(const Unit *u, CXCursor c, void *context);
bool each_below(const Unit *u, CXCursor c, Visit visit, void *context);
/* The parts of a for, while or do.  */
typedef struct {
    CXCursor init, cond, step, body; /* null cursors for what is not there */
    bool test_below;
    int leading; /* first statements of the body that are `if (c) break;`, taken for bounds */
} LoopParts;
LoopParts loop_parts(const Unit *u, CXCursor loop);
/* The target of an assignment, ++ or --; a null cursor for any other expression.  */
CXCursor assigned_by(const Unit *u, CXCursor e);
bool is_assignment(CXCursor e); /* a plain one */
/* How often the variable is assigned to, or its address taken, below.  */
int count_assignments(const Unit *u, CXCursor below, CXCursor decl);
/* What a string literal holds, with the 0 at its end; NULL for one of wide characters. */
const char *bytes_of_string(const Unit *u, CXCursor literal, long *bytes);
/* Is it assigned to there, or may a pointer into it be kept there? */
bool may_change(const Unit *u, CXCursor below, CXCursor decl);
/* The same, without writes to members of the variable that the expression does not read.  */
bool may_change_what_is_read(const Unit *u, CXCursor below, CXCursor decl, CXCursor reader);

/* ---- pragma.c ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int count;
    Token *list;
} Tokens;
/* A line of the file with a pragma of ours: the offset of its #, and the tokens behind `pragma`, with their end.  */
typedef void PragmaLine(Unit *u, unsigned offset, const Tokens *line, void *context);
void each_pragma(Unit *u, PragmaLine *each, void *context);
void pragmas_read(Unit *u);
bool pragmas_elsewhere(Unit *u); /* is there one in a macro, or in a file that is included? */
bool clauses_read(Unit *u, CXCursor function, const Token *tokens, Pragma *pragma); /* clause.c */
Pragma *pragma_of_loop(Unit *u, CXCursor loop, CXCursor function);
Pragma *pragma_of_block(const Unit *u, CXCursor block); /* a task's; or NULL */
unsigned line_end(const Unit *u, unsigned at);
bool stands_above(const Unit *u, const Pragma *pragma, unsigned begin);
bool begins_block(const Unit *u, CXCursor block, const Pragma *pragma);
void pragmas_check_places(Unit *u); /* those of loops and tasks: what they stand above, or in */
void pragmas_check(Unit *u);        /* those that no loop has taken */

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

/* What an expression is.  */
typedef enum { R_NONE, R_VALUE, R_POINTER, R_PLACE, R_LATER, R_PAIR } RKind;
typedef struct {
    RKind kind;
    Value *value;     /* R_VALUE: a scalar, a tile or a tensor; R_PAIR: the real part */
    Value *imaginary; /* R_PAIR: of a complex number */
    const char *text; /* R_POINTER: C text of the base, as it is before the region */
    const char *name; /* ... the user's, of that, or NULL */
    Value *offset;    /* ... bytes from there, I64; NULL: 0 */
    int64_t member;   /* ... and these: where a member lies in structs of several types */
    CXType type;      /* ... of the pointer */
    int variable;     /* R_PLACE: the address of a part of a variable */
    int64_t byte;
    const char *label;  /* R_POINTER: the last variable that held it on its way, or NULL */
    Value *chosen;      /* R_POINTER: which element of the array of pointers `text`, or NULL */
    const char *string; /* R_POINTER: what a string literal says, or NULL */
    CXCursor decl;      /* R_LATER: a tensor from before the region, looked at where it is used */
} Result;

/* A call that is walked in place; 0 is the function of the region.  */
typedef struct Goal Goal;
typedef struct Frame {
    int id;
    CXCursor function;
    struct Frame *caller;
    Goal *leave; /* where `return` goes */
    int result;  /* slot of what it returns, -1: void */
    CXCursor site;
} Frame;

typedef struct {
    CXCursor decl;
    int frame;
    const char *name;
    bool parameter; /* of a function that is walked in place */
    CXType type;
} Object;

/* A scalar, pointer, tile or tensor of a variable: the whole of it, or what stands `byte` bytes behind its start.  */
typedef struct {
    int variable;
    int64_t byte;
} Slot;

typedef struct {
    int count;
    Result *slot; /* by number; R_NONE behind the end, and out of scope */
} State;

/* Where control goes: behind a statement, to a loop's next iteration, out of it, out of a function.  */
struct Goal {
    int slots; /* that are in scope there */
};
typedef struct {
    const Goal *target;
    State state;
    Value *taken; /* I1: this path was taken; NULL when it is the only one */
} Jump;
typedef struct {
    int count;
    Jump *list;
} Exits;
extern const Goal FALL; /* what follows the statement */

typedef struct {
    const char *text;  /* C, before the region */
    const char *type;  /* of the launcher's parameter */
    int rank;          /* among the function's parameters, or behind them */
    int64_t uid;       /* place of its declaration, for the order of operands */
    const char *alias; /* another name of the same, or NULL */
    bool of_caller;    /* the text is the caller's, where the region stands in a function that becomes a part of it */
    Value *value;
} LiveIn;

typedef struct {
    CXCursor decl, value; /* the expression that it was last given; a null cursor: not known */
    bool known, declared_only;
    bool reading; /* being looked at */
} Definition;

typedef struct {
    CXCursor decl;
    Result result;
} Read;

/* A part of an object that the region leaves alone.  */
typedef struct {
    int slot;
    Result result;
} Settled;

typedef struct {
    Pragma *pragma;
    const Pragma *around; /* the outermost pipelined loop, or NULL */
} TaskBlock;

/* A sum that leaves the grid.  */
typedef struct {
    const Reduction *clause;
    int variable;      /* -1: an element of an array */
    int64_t byte;      /* of it: the imaginary part of a complex number lies behind the real one */
    const char *place; /* C text */
    CXType type;
    const char *handle;
} TotalOut;

/* Of a tensor in a loop over devices: the expression, and which pointer of an array the grid chooses, or NULL.  */
typedef struct {
    Value *tensor, *index;
    CXCursor expression;
} Base;

/* A local array of tiles that loops over blocks write.  */
typedef struct {
    int variable;
    Value *value; /* of the last loop that wrote it */
    Op *writer;   /* the loop that the walk is in, once it has written its element */
    Value *written;
} TileArray;

/* A loop that the walk is in.  */
typedef struct Round {
    CXCursor loop;
    int frame;
    struct Round *outer;
} Round;

typedef struct {
    Unit *u;
    Kernel *kernel;
    CXCursor function, region;
    const Pragma *pragma;       /* entry.c: the region's */
    CXCursor caller, site;      /* the region's function becomes a part of this one, by this call; or null cursors */
    bool in_caller;             /* what is evaluated stands there */
    Block *block;               /* where operations go */
    Op *anchor;                 /* the outermost loop's op: the prologue lies before it */
    bool outside;               /* operations are the prologue's */
    bool in_bound;              /* of a loop of the grid: what it reads is read before the region */
    bool of_variable;           /* the right operand's number is what a variable holds: fold.c leaves it alone */
    const Value **of_variables; /* ... values made so */
    int nof_variables;
    bool failed;
    Loc where;
    Frame *frame;
    int frames;
    int depth;         /* of loops */
    Pragma *pipelined; /* of the outermost pipelined loop around, or NULL */
    bool pipelines;    /* some loop of the region is pipelined */
    TaskBlock *tasks;  /* of the region */
    int ntasks;
    Pragma **sharing; /* pipelines and tasks of the region, each once: those with share(x, y) matter */
    int nsharing;
    TileArray *arrays;
    int narrays;
    TotalOut *totals;
    int ntotals;
    Pragma *devices; /* of the loop over devices around the region, or NULL */
    CXCursor devices_loop;
    Base *bases;
    int nbases;
    bool of_base;            /* the base of a tensor is read: text, if that can be */
    Round *round;            /* the innermost loop around */
    int task;                /* of the statement in hand, from 1 on; 0: none */
    const Goal *again, *out; /* of the innermost loop */
    const Goal *end;         /* where a null cursor at the end of a list leads */
    Object *variables;
    int nvariables;
    Slot *slots;
    int nslots;
    State state;
    LiveIn *livein;
    int nlivein;
    Value **literals;
    int nliterals;
    Definition *definitions;
    int ndefinitions;
    Read *reads; /* of what is before the region */
    int nreads;
    Settled *settled;
    int nsettled;
    const char *tables; /* C text of static constant arrays of the region, for the launcher's call */
    int ntables;
} Walk;

/* region.c */
void regions_walk(Unit *u);

/* value.c */
static const Type TYPE_TO_INFER = {K_NONE, D_F32, 0, 0, 0}; /* types.c finds it */
static const Type NO_RESULT = {K_NONE, D_F32, -1, 0, 0};
Value *op_of(Walk *w, Opcode code, Type type, int nargs, Value *const *args);
Value *literal(Walk *w, Dtype dtype, int64_t integer, double real);
Value *literal_int(Walk *w, Dtype dtype, int64_t integer);
bool is_literal(const Value *value);
Value *convert(Walk *w, Value *value, Dtype dtype); /* as a C conversion does */
Value *unary(Walk *w, Opcode code, Value *x);
Value *binary(Walk *w, Opcode code, Dtype dtype, Value *x, Value *y);
Value *compare(Walk *w, Opcode code, Value *x, Value *y); /* I1 */
Value *negated(Walk *w, Value *condition);
Value *joined(Walk *w, bool is_and, Value *x, Value *y);
void plain_comparison(Walk *w, Opcode *code, Value **args);
Value *anything(Walk *w, CXType type); /* after an error */
Type type_handed(const Value *value);
Value *live_in(Walk *w, const char *text, const char *ctype, Type type, const char *name, int rank);
void name_value(Walk *w, Value *value, const char *name);
void order_live_ins(Walk *w);
void refuse(Walk *w, CXCursor where, const char *remedy, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* fold.c */
void fold_binary(Walk *w, Opcode *code, Value **args);
bool is_written(const Unit *u, CXCursor e);              /* a number without variables in it */
Value *fold_narrowing(Walk *w, CXCursor e, Dtype dtype); /* (int) (a + b) of longs; NULL for others */
void fold_comparison(Walk *w, Opcode *code, Value **args);
bool same_expression(const Unit *u, CXCursor x, CXCursor y);
bool smaller_bound(Opcode *compare, int64_t *number, bool is_offset);
bool is_handed(Walk *w, CXCursor e);
bool fold_turned_choice(Walk *w, Value **condition, CXCursor yes, CXCursor no);
Value *fold_choice(Walk *w, CXCursor condition, CXCursor yes, CXCursor no); /* a < b ? a : b; NULL for others */
bool is_branched(const Unit *u, CXCursor e);

/* state.c */
int variable_new(Walk *w, CXCursor decl, CXType type, bool parameter);
int variable_find(const Walk *w, CXCursor decl); /* of this frame, or of the region's function; -1 */
int slot_of(Walk *w, int variable, int64_t byte, bool make);
Result slot_read(const Walk *w, int slot);
void slot_write(Walk *w, int slot, Result result);
State state_kept(Walk *w, const State *state, int slots);
void scope_end(Walk *w, int slots);
Result result_of(Value *value);
const char *slot_name(const Walk *w, int slot);
Exits exits_none(Walk *w, int room); /* for so many */
Exits jump_to(Walk *w, const Goal *target);
Jump *exits_find(Exits *exits, const Goal *target);
Op *if_new(Walk *w, Value *condition);
Exits merge(Walk *w, Op *op, Value *condition, Exits *yes, Exits *no);
/* A value for each way; one where they meet.  */
Value *choose(Walk *w, Op *op, Value *condition, Value *yes, Value *no);
Result choose_pair(Walk *w, Op *op, Value *condition, const Result *yes, const Result *no);
void choose_all(Walk *w, Value *condition, int count, Value **yes, Value *const *no);
void yield_to(Walk *w, Block *block, Opcode code, int nargs, Value *const *args);
bool value_inside(const Value *value, const Op *op);

/* expr.c */
Result eval(Walk *w, CXCursor e);
Value *value_of(Walk *w, CXCursor e);
const char *value_text(Walk *w, const Value *value); /* C, as it is before the region; NULL: it is not */
Result unsupported(Walk *w, CXCursor e);
Value *argument_of(Walk *w, CXCursor e); /* without widening that only the callee's parameter asks for */
Value *condition_of(Walk *w, CXCursor e);
bool is_pure(const Unit *u, CXCursor e);     /* may be computed when it is not needed */
bool has_effects(const Unit *u, CXCursor e); /* may it change a variable? */
Result convert_result(Walk *w, Result x, CXType from, CXType to);
bool constant_of(Walk *w, CXCursor e, bool *is_real, int64_t *integer, double *real);
bool constant_int(Walk *w, CXCursor e, int64_t *value);

/* assign.c */
typedef struct {
    bool local;  /* a part of a variable of the walk */
    bool direct; /* else: what it holds is the base itself */
    int variable;
    int64_t byte;
    Result base; /* else: a pointer */
    CXType type;
    Value *element; /* of an array that loops over blocks write, or NULL */
} Place;
bool place_at(Walk *w, CXCursor e, Place *place);
Value *element_as(Walk *w, const Place *place, Dtype dtype, CXCursor e); /* what a pointer points to */
void element_write(Walk *w, const Place *place, Result result, CXCursor e);
Value *base_of(Walk *w, Result pointer); /* of an array in a grid of plain loops */
/* bits.c */
bool bits_read(Walk *w, const Place *place, CXCursor e, Result *result); /* true: it is done */
bool bits_write(Walk *w, const Place *place, Result result, CXCursor e);
bool bits_copy(Walk *w, CXCursor call, const Cursors *args);

/* complex.c */
Result pair_of(Value *real, Value *imaginary);
Place part_of(Walk *w, const Place *whole, bool imaginary);
Result complex_binary(Walk *w, CXCursor e, Opcode code, CXCursor left, CXCursor right);
Result complex_compound(Walk *w, CXCursor e, Opcode code, Result old, CXType type, CXCursor right);
Value *complex_compare(Walk *w, Opcode code, CXCursor left, CXCursor right);
Value *complex_truth(Walk *w, Result x);
Result complex_convert(Walk *w, Result x, CXType to);
Result complex_unary(Walk *w, CXCursor e, enum CXUnaryOperatorKind kind, CXCursor inner);
Result complex_literal(Walk *w, CXCursor e);
bool complex_call(Walk *w, CXCursor e, const char *name, Result *result);
Result complex_before(Walk *w, const char *text, const char *name, CXType type);

/* part.c */
bool is_mixed(CXCursor e);
const char *rows_known(const Walk *w, Result base);
Result row_of(Walk *w, Result base, Value *number, CXType type);
Result place_read(Walk *w, const Place *place, CXCursor e);
bool refuse_complex(Walk *w, CXCursor e, CXType type); /* false: it is none */
void place_write(Walk *w, const Place *place, Result result, CXCursor e);
Result assign(Walk *w, CXCursor e);
void initialize(Walk *w, int variable, CXType type, int64_t byte, CXCursor init);

Value *chosen_index(Walk *w, CXCursor e, Value *number);

/* table.c */
bool is_chosen_part(Walk *w, CXCursor e);
Value *table_read(Walk *w, CXCursor e);

/* blocks.c */
bool array_element(const Walk *w, const Result *base, CXType type, bool constant);
void array_write(Walk *w, const Place *place, Value *value, CXCursor e);
Value *array_read(Walk *w, const Place *place, CXCursor e);
int array_yield(Walk *w, Op *loop, Value **next, int count);
void array_leave(Walk *w, Op *loop);
void array_check_loop(Walk *w, const Pipeline *pipeline);

/* call.c */
Result call(Walk *w, CXCursor e);
const char *callee_name(const Unit *u, CXCursor e, CXCursor *function);
bool element_type(Walk *w, CXCursor e, Dtype *dtype);

/* tensor.c */
bool is_tensor_constructor(const char *name);
int parameter_rank(const Walk *w, const char *text); /* of a live-in, among the function's parameters or behind them */
Value *tensor_call(Walk *w, CXCursor e, const char *name, const Cursors *args);

typedef struct {
    int rank;
    Value *extents[4], *strides[4];
} Shape;

/* size.c */
Value *bytes_of_elements(Walk *w, CXCursor e, Value *count, CXType element);

/* outside.c */
void outside_scan(Walk *w);
void outside_object(Walk *w, CXCursor decl);
bool is_constant_object(CXCursor decl);
int outside_constant(Walk *w, CXCursor decl);
void outside_objects(Walk *w); /* structs and arrays of numbers that were initialized before the region */
Result outside_read(Walk *w, CXCursor decl);
int copied_parameter(const Walk *w, CXCursor decl);
Definition *definition_of(Walk *w, CXCursor decl);

/* stmt.c */
Exits walk(Walk *w, CXCursor stmt);
Exits walk_list(Walk *w, const CXCursor *list, int count, int first);
void declare(Walk *w, CXCursor decl);

/* loop.c */
Exits walk_loop(Walk *w, CXCursor loop);
/* Slots that go from one iteration to the next.  */
typedef struct {
    int *slots;
    int count;
    Value **inits;
} Carried;
Carried find_carried(Walk *w, CXCursor loop, int without);
Value *carried_init(Walk *w, int slot);
Value *carried_value(const Carried *carried, int i, const Jump *jump);
Exits walk_body(Walk *w, const LoopParts *parts, const Goal *again, const Goal *out);
bool has_return(const Unit *u, CXCursor loop);

/* count.c */
typedef struct {
    CXCursor hi, offset; /* offset: a null cursor for none */
    bool subtract;
    Opcode compare;
    bool folded; /* the offset, or hi without one, is the number */
    int64_t number;
} Bound;
typedef struct {
    CXCursor iv; /* its declaration */
    CXCursor step;
    int64_t one; /* without a step: 1 or -1 */
    bool negative, cut;
    Bound bounds[4];
    int nbounds;
    CXType hi_type;
    CXCursor tested; /* the test takes the step, k-- > 0; null: it does not */
} Count;
bool count_of(Walk *w, CXCursor loop, const LoopParts *parts, Count *count);
/* What is added to a count of the type: a large number of an unsigned type is one below 0.  */
int64_t step_below(Dtype own, int64_t number);
CXCursor leading_break(const Unit *u, const LoopParts *parts, int number); /* its condition, or a null cursor */
bool leaves_alone(const Walk *w, CXCursor loop, CXCursor e);
/* Of a variable from around a loop: is it read behind it before it is assigned to again, and where?  */
bool is_used_later(const Walk *w, CXCursor loop, CXCursor decl);
CXCursor first_use_later(const Walk *w, CXCursor loop, CXCursor decl);
CXCursor bare(const Unit *u, CXCursor e); /* behind conversions that keep every bit */

/* task.c */
CXCursor variable_in_sight(const Unit *u, CXCursor function, unsigned at, const char *name);
void tasks_collect(Walk *w);
int task_number(const Walk *w, const Pragma *pragma);
void task_refuse_jumps(Walk *w, CXCursor c, const Pragma *pragma, bool in_loop, bool in_switch);
void rings_note(Walk *w, const Object *variable, Op *def);
void rings_check(Walk *w, const TileRing *rings);
void shares_check(Walk *w);

/* show.c */
const char *unquoted(Walk *w, const char *text);         /* what "a\n" says */
bool show_counts(Walk *w, const Round *round, int slot); /* the slot is a counter of that loop */
void show_call(Walk *w, CXCursor call, const Cursors *args);
bool show_value_call(Walk *w, CXCursor call, const char *name, const Cursors *args);
void place_print(Walk *w, CXCursor call);
struct SourceShown;
void place_shown(Walk *w, const struct SourceShown *shown);
extern const char place_declarations[];

/* around.c */
void around_bind(Unit *u);
const char *around_declarations(const Unit *u);
CXCursor devices_counter(const Unit *u, CXCursor loop); /* or a null cursor */

/* choice.c */
typedef bool ReadClauses(Unit *u, CXCursor function, const Token *tokens, Pragma *pragma);
void choices_read(Unit *u, CXCursor function, const Token *tokens, Pragma *pragma, ReadClauses *again);
SourceClauseChoices choices_set(const Unit *u, Pragma *pragma);

/* devices.c */
void devices_scan(Walk *w);
bool devices_table(Walk *w, CXCursor call, Shape *shape);
void devices_note(Walk *w, Value *tensor, Value *index, CXCursor base);
Value *devices_index(Walk *w, const Value *tensor);
void devices_check_store(Walk *w, CXCursor call, const Value *tensor);

/* total.c */
void totals_begin(Walk *w);
bool total_is_named(const Walk *w, const char *name); /* by a clause of a grid of plain loops */
void total_element(Walk *w, Result base, CXType type, Value *offset, const char *label);
void totals_leave(Walk *w);
const char *totals_first(const Walk *w); /* what surrounds the launcher's call */
const char *totals_last(const Walk *w);

/* flagged.c */
Exits emit_flagged(Walk *w, CXCursor loop, const LoopParts *parts);

/* entry.c */
void entry_walk(Walk *w, const Pragma *pragma);

/* host.c */
void host_replace(Walk *w);
/* A call of a function with regions that takes tensors: of a copy, with the regions replaced and what they need of the
   caller handed on.  */
typedef struct {
    CXCursor caller, function, site;
    Edit *edits; /* of the copy */
    int nedits;
    LiveIn *handed; /* of the caller */
    int nhanded, number;
} Copy;
bool copy_is_possible(const Unit *u, CXCursor site, CXCursor function);
void host_replace_in(Walk *w, Copy *copy);
void host_copy(Unit *u, const Copy *copy);
unsigned statement_end(const Unit *u, CXCursor statement);
char *host_text(Unit *u);

#endif
