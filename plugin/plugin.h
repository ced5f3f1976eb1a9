/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plugin.h - what the files of the GCC door share.
 *
 *   plugin.cc    entry, options, the sink of diagnostics, the end of the unit (lower_module, the output file)
 *   pragma.cc    #pragma ws: leaves a marker call in the function; pragma-tokens.cc: tokens, names and errors for
 *                the grammar in lowering/source; pragma-extent.cc: expressions of clauses
 *   bind.cc      before genericize: a marker moves into the loop below it; helpers that a region calls are forced
 *                inline
 *   region.cc    the pass over a function in SSA form: finds regions, builds a Kernel for each, has them replaced
 *   complex.cc   complex numbers become pairs
 *   promote.cc   local objects in memory become variables, where a grid needs it
 *   entry.cc     kernels of lowering/source/
 *   graph.cc     the graph of a region in one form, whatever -O and the sanitizers made of it
 *   control.cc   control flow of a region -> IF
 *   branch.cc    the condition at the end of a block; && and || over several blocks are one
 *   loop.cc      one loop -> FOR or WHILE; count.cc: is it counted?; flagged.cc: a loop with several ways out
 *   ssa.cc       questions to GCC: types, names, places, copies, constants
 *   value.cc     an SSA name -> a Value; live-ins
 *   scalar.cc    statements that compute scalars
 *   memory.cc    local structs and arrays, const configuration: what was stored where a load reads
 *   plain.cc     elements of arrays, in grids without tiles
 *   total.cc     sums over a whole grid, which leave it
 *   data.cc      arrays that stay on the device between grids
 *   devices.cc   loops over devices, tensors out of arrays of pointers
 *   task.cc      blocks under #pragma ws task, and rings of a depth that the user says
 *   choice.cc    constants that the user leaves open: a walk for each combination
 *   array.cc     arrays of tiles, an element for each iteration of a loop over blocks
 *   call.cc      the calls of ws.h -> operations
 *   tensor.cc    the constructors of tensors, wherever in the function they stand -> the kernel's prologue
 *   signature.cc what callers in other languages have to know of the functions
 *   replace.cc   a region gives way to a call of its launcher
 */
#ifndef WSC_PLUGIN_H
#define WSC_PLUGIN_H

#include "gcc-headers.h"
#include "ir/functions.h"
#include "ir/kernel.h"
#include "ir/versions.h"
#include "source/choice.h"
#include "source/pragma.h"

/* ---- pragmas ----------------------------------------------------------------------------------------------------- */

/* One #pragma ws of the source.  The marker call in the code carries its index.  */
struct Pragma {
    DirectiveKind kind;
    bool is_grid;
    bool is_task;
    bool is_devices;
    bool is_together;
    bool is_data;
    bool used; /* a region with it was compiled, or an error about it reported */
    location_t loc;
    location_t below;  /* the first of the parser's own directives right above it, as OpenMP's are; or 0 */
    unsigned function; /* DECL_UID of the one that it stands in */
    Grid grid;         /* its Loc is filled by the region */
    Pipeline pipeline;
    Task task;
    TileRing *rings; /* of a pipeline or a task, as are these: */
    TileShare *shares;
    tree devices;                  /* how many; the marker's argument once the pragma is read */
    tree from;                     /* of a grid: where its tiles begin; the marker's last argument, or NULL */
    struct PragmaChoices *choices; /* NULL: its numbers are the same in all variants */
};

void pragma_register(void);
Pragma *pragma_at(unsigned index);
unsigned pragma_count(void);
const char *pragma_text(const Pragma *pragma); /* its first word */
/* The pragma of a marker call, or NULL.  */
Pragma *pragma_of_tree(tree expression);
Pragma *pragma_of_stmt(const gimple *stmt);

/* ---- binding ----------------------------------------------------------------------------------------------------- */

/* PLUGIN_PRE_GENERICIZE on one function.  */
void bind_function(tree fndecl);
/* A function whose body belongs to the regions of its callers.  */
bool bind_is_forced(tree fndecl);
/* After the regions are done: forced functions get their own optimization level back.  */
void bind_restore(void);
/* Where a function that a region calls comes back to itself, or UNKNOWN_LOCATION.  */
location_t bind_recursion(tree fndecl);

/* ---- the plugin's state ------------------------------------------------------------------------------------------ */

struct Plugin {
    Module *module;
    const char *output;                       /* the .cu, or NULL */
    const char *dump;                         /* comma list of passes, or NULL */
    const char *schedule;                     /* the schedule file, or NULL */
    const char *tuned;                        /* a table of measured variants, or NULL */
    const char *solver, *machine, *schedules; /* for schedule(optimal), each may be NULL */
    const Machine *gpu;
    Target target;
    bool two_targets; /* launchers for cuda and for emulate */
    bool strict;
    bool ids;
    bool traced; /* the machine's shared memory has a trace's part */
    bool lines;  /* #line in the .cu */
    bool steps;  /* and WS_AT */
    bool show;
    const char *signatures; /* a file for them, or NULL */
};
extern Plugin plugin;

Loc loc_of(location_t where);
location_t host_location(const Loc &loc);
void spell_element(Op *op, location_t written);
/* The same text; false: there is none.  */
bool source_text(location_t written, const char **text, size_t *length);
/* The user's line for a place inside the header's macros.  */
location_t user_location(location_t where);
const char *with_id(const char *format); /* of an error that complain does not report */
void complain_in_region(bool inside);    /* one complaint for a line of a region */
bool complained_in_region(void);
/* An error with the note that says what to do; remedy may be NULL.  */
void complain(location_t where, const char *remedy, const char *format, ...) ATTRIBUTE_GCC_DIAG(3, 4);

/* ---- one region -------------------------------------------------------------------------------------------------- */

/* A live-in: what the launcher gets.  */
struct LiveIn {
    tree expression; /* SSA name, or a reference that is read at the region's entry */
    Value *value;
};

/* A constant of the prologue, made once.  */
struct Literal {
    Dtype dtype;
    int64_t ival;
    double fval;
    Value *value;
};

struct MarkedLoop {
    class loop *loop;
    Pragma *pragma;
    gimple *marker; /* of devices: its arguments are the pragma's number, how many, and the loop's counter */
};

/* The state of building one kernel from one grid loop.  */
struct Table {
    tree decl;
    tree object;   /* of what the region's own initializer leaves in it, or NULL */
    Value *tensor; /* or NULL */
};
/* A call of ws_print or ws_print_value, and the text and numbers that say where it stands.  */
struct Shown {
    gcall *call;
    bool is_value;
    const char *format;
    int count;
    tree counters[16];
};

/* A block under #pragma ws task.  */
struct TaskBlock {
    tree block;
    basic_block bb; /* of its marker */
    Pragma *pragma;
};

/* A local array of tiles that loops over blocks write.  */
struct TileArray {
    tree decl;
    Value *value;       /* of the last loop that wrote it */
    class loop *writer; /* the loop that the walk is in, once it has written its element */
    Value *element;
};

/* A sum that leaves the grid: the outermost loop's PHI, or a place in memory, and what the launcher gets for it.  */
struct TotalOut {
    gphi *phi;
    tree place;
    tree handle; /* the live-in: a variable */
    tree given;  /* what it is where the launcher is called */
    const Reduction *clause;
    tree result; /* behind the call, in the variable's place */
    int part;    /* of a complex number, 1: the real part, 2: the other one */
};

struct Walk {
    function *fn;
    Kernel *kernel;
    class loop *outer; /* the region */
    class loop *loop;  /* the loop whose body is being walked */
    Block *block;      /* where operations go */
    Op *anchor;        /* the outermost loop's op: the prologue lies before it */
    bool failed;
    location_t where;                /* of the statement in hand */
    int refused_line;                /* of the last complaint about memory */
    tree refused_object;             /* that it was about */
    hash_map<tree, Value *> values;  /* what an SSA name is where the walk stands */
    hash_map<tree, Value *> outside; /* what it is in the prologue */
    auto_vec<LiveIn> livein;
    auto_vec<TotalOut> totals;
    auto_vec<Literal> literals;
    auto_vec<Table> tables; /* objects of the program that are read as tensors */
    auto_vec<TileArray> arrays;
    auto_vec<Shown> prints; /* in the sequential target */
    auto_vec<MarkedLoop> *marks;
    auto_vec<TaskBlock> tasks;    /* in the kernel's order */
    hash_set<const Pragma *> met; /* of tasks and pipelined loops, those of which a tile's statement was walked */
    int task;                     /* of the statement in hand, from 1 on; 0: none */
    edge entry, end;              /* of the region: from its preheader, to what follows */
    int *order;                   /* reverse postorder number of each block */
};

/* A path out of the code just emitted: to a block that is emitted later, with the values for its PHIs.  */
struct Jump {
    basic_block target;
    int nphis;
    Value **phis; /* NULL entries: the PHI is not used */
    Value *taken; /* I1: this path was taken; NULL when it is the only one */
};
struct Exits {
    int count, room;
    Jump **list;
};

/* The condition at the end of a block; && and || over several blocks are one.  */
struct Term {
    basic_block bb; /* a block's own condition, or NULL: left and right joined */
    int left, right;
    bool is_and;
    bool invert_right;
};
struct Branch {
    Term terms[64]; /* of half as many conditions */
    int count, root;
    edge yes, no;
};

/* region.cc */
unsigned region_execute(function *fn);
void region_clean_markers(void);
const char *name_for_device(const char *name); /* without universal characters */
void region_irregular(Walk *w, location_t where);
void region_collect(function *fn, auto_vec<MarkedLoop> *marks);

/* entry.cc */
void entry_walk(Walk *w, const MarkedLoop &mark);
void entry_remove(function *fn);
void entry_register(void);

/* graph.cc */
bool graph_prepare(function *fn);
location_t graph_exit_location(edge e); /* of the break, return or goto that makes it */
location_t graph_endless(basic_block from);
void graph_refuse_endless(location_t where);

/* control.cc */
Exits *control_node(Walk *w, basic_block bb);
Exits *control_header(Walk *w); /* of the loop that the walk is in */
Exits *control_jump(Walk *w, edge e);
Exits *control_leave(Walk *w, edge e, const Branch *chain);
bool control_in_tail(const Walk *w, basic_block bb);
void control_statement(Walk *w, gimple *stmt);
void control_statements(Walk *w, basic_block bb);
int phi_count(basic_block bb);
bool phi_needed(gphi *phi);
bool edge_is_dead(edge e);
void phis_bind(Walk *w, const Jump *jump);
bool value_inside(const Value *value, const Op *op);
Value *earlier_value(Walk *w, const Op *op, tree var); /* the latest of the variable that op sees, or NULL */
Exits *exits_new(Walk *w);
void exits_add(Walk *w, Exits *exits, Jump *jump);
Jump *exits_find(const Exits *exits, basic_block target);
void yield_to(Walk *w, Block *block, Opcode code, int nargs, Value *const *args);
/* For each i: yes[i] where the condition holds, else no[i].  */
void choose_values(Walk *w, Value *condition, int count, Value *const *yes, Value *const *no, Value **results);

/* branch.cc */
bool branch_of(basic_block bb, Branch *branch);
bool branch_has(const Branch *branch, basic_block bb);
Value *branch_emit(Walk *w, const Branch *branch); /* without the first block's statements */
Value *branch_negated(Walk *w, Value *condition);
Value *branch_joined(Walk *w, bool is_and, Value *x, Value *y);

/* loop.cc */
Exits *loop_emit(Walk *w, class loop *loop);

/* value.cc */
static const Type TYPE_TO_INFER = {K_NONE, D_F32, 0, 0, 0}; /* types.c finds it */
static const Type NO_RESULT = {K_NONE, D_F32, -1, 0, 0};
Type type_handed(const Value *value);
Value *handle_literal(Walk *w, tree expression); /* a complaint, and any value */
Value *literal_of(Walk *w, tree constant);
Value *value_convert(Walk *w, Value *value, Dtype dtype, const char *name);
tree copy_source(gimple *stmt);    /* what an assignment merely copies, or NULL */
tree ssa_resolve(tree name);       /* behind copies */
tree constant_of(tree expression); /* INTEGER_CST, REAL_CST, or NULL */
/* x + y, x - y or x * y that a sanitizer looks at.  */
bool is_checked_arithmetic(const gimple *stmt, enum tree_code *code);
bool constant_int(tree expression, int64_t *result);
Value *value_of(Walk *w, tree expression);
/* Without widening conversions that only the callee's parameter type asks for.  */
Value *value_of_argument(Walk *w, tree expression);
Value *value_outside_argument(Walk *w, tree expression);
void value_statement(Walk *w, gimple *stmt);
bool value_call(Walk *w, gcall *call);
/* The operation of a pure scalar statement, its operands looked up in one of two ways.  */
Value *scalar_operation(Walk *w, gimple *stmt, Value *(*operand)(Walk *, tree));
void refuse_handle_arithmetic(Walk *w, gimple *stmt);
bool opcode_of(enum tree_code code, Opcode *op, bool *negate);
Value *scalar_unordered(Walk *w, location_t where, enum tree_code code, Value *x, Value *y);
bool is_sanitizer_check(const gimple *stmt);
bool is_poison(tree name);          /* what a variable holds out of its scope, which -fsanitize=address gives a name */
bool asks_size(const gimple *stmt); /* how large the object behind an address is */
bool feeds_checks_only(tree name);  /* nothing but a sanitizer wants to know */
bool is_math_call(gimple *stmt);
Value *value_new_op(Walk *w, Opcode code, location_t where, Type type, const char *name, int nargs, Value *const *args);
void plain_comparison(Walk *w, Opcode *code, Value **args);
Value *value_literal(Walk *w, Dtype dtype, int64_t ival, double fval);
void value_set(Walk *w, tree name, Value *value);
Value *value_live_in(Walk *w, tree expression, Type type, const char *name);
bool value_check_type(Walk *w, tree type);
Value *value_anything(Walk *w, tree type); /* after an error */
const char *name_of(tree ssa_name);
bool is_inlined_parameter(tree ssa_name);
bool scalar_type(tree type, Dtype *dtype);
Type type_of(tree type);
bool is_tile_type(tree type);
bool is_tensor_type(tree type);
bool defined_in_region(const Walk *w, tree ssa_name);
bool pure_scalar_stmt(gimple *stmt); /* can be computed early, twice, or not at all */
/* The value of a scalar in terms of the function's part before the region; NULL if it changes in the region.  */
Value *value_outside(Walk *w, tree expression);
location_t stmt_location(const gimple *stmt);
/* Places in the source.  A location_t may hold a range and a scope, too, so that two of one place differ.  */
bool has_place(location_t where);
bool same_place(location_t x, location_t y);
bool stands_before(location_t x, location_t y);

/* promote.cc */
bool promote_objects(function *fn);
bool same_leaf(tree x, tree y); /* types of one size whose bits mean the same */

/* complex.cc */
bool complex_lower(function *fn);

/* memory.cc */

/* A place in an object.  */
struct Place {
    tree decl;
    int64_t offset, size; /* bits; size -1: unknown */
};
bool memory_stores_to(gimple *stmt, tree decl);
tree memory_root(tree operand); /* the declaration that it is a part or the address of, whatever the offset; or NULL */
bool memory_place(tree reference, Place *place);
bool memory_place_of_address(tree pointer, Place *place);
/* What a load of local or constant memory gives: an SSA name or constant, or NULL.  */
tree memory_value(gimple *load);
bool memory_is_local(tree reference);
Value *memory_live_in(Walk *w, gimple *load);
Value *memory_read_before(Walk *w, gimple *load);
bool memory_is_invariant(class loop *loop, gimple *load);
void memory_refuse_read(Walk *w, gimple *load);
bool memory_refuse_struct(Walk *w, tree reference, location_t where);
bool memory_refuse_complex(Walk *w, location_t where, tree type); /* false: it is none */
void memory_check_store(Walk *w, gimple *store);

/* plain.cc */
bool plain_is(class loop *outer, const Pragma *pragma);
Value *plain_live_in(Walk *w, gimple *load);
Value *plain_load(Walk *w, gimple *load);
bool plain_store(Walk *w, gimple *store);
void plain_refuse_pointer(Walk *w);
bool plain_refuse_written(Walk *w, gimple *load); /* false */
void plain_extents(Walk *w, const Pragma *pragma);
bool plain_reads_alike(class loop *loop, gimple *load);
Value *plain_comparison(Walk *w, enum tree_code code, tree x, tree y);

/* data.cc */
enum DataKind { DATA_COPY, DATA_COPYIN, DATA_COPYOUT, DATA_CREATE, DATA_PRESENT };
enum { DATA_ARGUMENTS = 5 }; /* of a marker, for each array: its kind, base, first byte, bytes, name */
bool data_bind(tree list, tree_stmt_iterator *first, const Pragma *pragma, tree marker);
tree data_update(location_t where, bool to_host, tree base, tree first, tree bytes, tree name);
bool data_is_call(const char *name); /* without ws_ and a trailing underscore */

/* total.cc */
void total_collect(Walk *w);
const TotalOut *total_of(const Walk *w, tree name); /* NULL: it is none */
Value *total_start(Walk *w, const TotalOut *total);
void total_leave(Walk *w);
void total_begin(Walk *w, gimple_stmt_iterator *where);
tree total_given(const Walk *w, tree expression); /* of a live-in; NULL: it is none of these */
void total_end(Walk *w, gimple_stmt_iterator *where);
void total_hand_on(const Walk *w, Walk *other); /* what other grids take from outside */

/* devices.cc */
void devices_bind(tree *loop, tree *marker, const Pragma *pragma);
void devices_bind_block(tree list, tree_stmt_iterator *first, const Pragma *pragma);
void devices_refuse(location_t where); /* in a grid */
void devices_join(function *fn);
bool devices_is_call(const char *name); /* without ws_ and a trailing underscore */
bool devices_is_table(Walk *w, tree base);
Value *devices_table(Walk *w, tree base);
Value *devices_count(Walk *w);
tree devices_how_many(const Walk *w); /* the same as the program's */
Value *devices_index(Walk *w, tree tensor);
void devices_check_store(Walk *w, gcall *store);

/* table.cc */
Value *table_read(Walk *w, gimple *load);

/* task.cc */
void task_collect(Walk *w);
void task_refuse_jumps(tree function); /* a statement that leaves a task's block */
int task_of(const Walk *w, const gimple *stmt);
void task_note_rings(Walk *w, gimple *stmt);
void task_check_rings(Walk *w);
void task_refuse_lonely(function *fn, const auto_vec<MarkedLoop> *marks);

/* array.cc */
tree array_of(tree reference);
void array_write(Walk *w, tree reference, Value *value);
Value *array_read(Walk *w, tree reference);
void array_yield(Walk *w, class loop *loop, Op *op, auto_vec<Value *> *next);
void array_leave(Walk *w, class loop *loop, Op *op);
void array_check_loop(Walk *w, const Pipeline *pipeline);

/* call.cc */
void call_statement(Walk *w, gcall *call);
/* The name behind ws_, in buffer without a trailing underscore; NULL for other functions.  */
const char *ws_name(tree fndecl, char *buffer, size_t size);

/* tensor.cc */
Value *tensor_of(Walk *w, tree name);
void tensor_statement(Walk *w, gcall *call, const char *name);
bool element_type(Walk *w, gcall *call, int index, Dtype *dtype);
bool is_tensor_constructor(const char *name);

/* choice.cc */
tree choice_fold(tree expression);
int64_t choice_in_clause(location_t where, bool is_shape, int count, const int64_t *values);
SourceChoices *choice_table(void);
SourceClauseChoices choice_set_clauses(Pragma *pragma);
void choice_begin_pragma(void);
void choice_end_pragma(Pragma *pragma, const Token *tokens, void (*again)(const Token *, Pragma *));
bool choice_prepare(function *fn);
bool choice_take(class loop *outer, long n, location_t where);
Kernel *choice_kernel(class loop *outer, Kernel *first);
void choice_name_first(class loop *outer, Kernel *first);
bool choice_reaches(tree name);
void choice_unite(Walk *first, const auto_vec<Walk *> &others);
void choice_clean(void);

/* show.cc */
void show_call(Walk *w, gcall *call);
bool show_value_call(Walk *w, gcall *call, const char *name);

/* place.cc */
struct SourceShown;
void place_find(Walk *w, const struct SourceShown *shown, int nshown);
bool show_places(Walk *w);

/* signature.cc */
void signature_function(tree fndecl);
void signature_region(const Walk *w);
void signature_write(void);

/* replace.cc */
void replace_prepare(Walk *w);
void replace_region(Walk *w);
void replace_dead_tensors(function *fn);

#endif
