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
 *   transcribe*.cc  the unit as region IR
 *   entry.cc     kernels of lowering/source/, and GCC's values for what they take from the program
 *   ssa.cc       questions to GCC: types, names, places, copies, constants
 *   total.cc     sums over a whole grid, which leave it
 *   data.cc      arrays that stay on the device between grids
 *   devices.cc   loops over devices
 *   task.cc      blocks under #pragma ws task
 *   choice.cc    constants that the user leaves open: clauses for each combination
 *   place.cc     where a print stands, in the sequential target
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
/* What stands there in the source; false: there is none.  */
bool source_text(location_t written, const char **text, size_t *length);
/* The user's line for a place inside the header's macros.  */
location_t user_location(location_t where);
const char *with_id(const char *format); /* of an error that complain does not report */
/* An error with the note that says what to do; remedy may be NULL.  */
void complain(location_t where, const char *remedy, const char *format, ...) ATTRIBUTE_GCC_DIAG(3, 4);

/* ---- one region -------------------------------------------------------------------------------------------------- */

/* A live-in: what the launcher gets.  */
struct LiveIn {
    tree expression; /* SSA name, or a reference that is read at the region's entry */
    Value *value;
};

struct MarkedLoop {
    class loop *loop;
    Pragma *pragma;
    gimple *marker; /* of devices: its arguments are the pragma's number, how many, and the loop's counter */
};

/* A call of ws_print or ws_print_value, and the text and numbers that say where it stands.  */
struct Shown {
    gcall *call;
    bool is_value;
    const char *format;
    int count;
    tree counters[16];
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

/* The state of building one kernel from one grid loop.  */
struct Walk {
    function *fn;
    Kernel *kernel;
    class loop *outer; /* the region */
    auto_vec<LiveIn> livein;
    auto_vec<TotalOut> totals;
    auto_vec<Shown> prints; /* in the sequential target */
    auto_vec<MarkedLoop> *marks;
    edge entry, end; /* of the region: from its preheader, to what follows */
};

/* region.cc */
unsigned region_execute(function *fn);
void region_clean_markers(void);
const char *name_for_device(const char *name); /* without universal characters */

/* entry.cc */
void entry_walk(Walk *w, const MarkedLoop &mark);
void entry_remove(function *fn);
void entry_register(void);

/* ssa.cc */
bool is_tile_type(tree type);
bool is_tensor_type(tree type);
bool scalar_type(tree type, Dtype *dtype);
const char *name_of(tree ssa_name);
/* The name behind ws_, in buffer without a trailing underscore; NULL for other functions.  */
const char *ws_name(tree fndecl, char *buffer, size_t size);
tree ssa_resolve(tree name); /* behind copies */
bool defined_in_region(const Walk *w, tree ssa_name);
bool constant_int(tree expression, int64_t *result);
location_t stmt_location(const gimple *stmt);
/* Places in the source.  A location_t may hold a range and a scope, too, so that two of one place differ.  */
bool has_place(location_t where);
bool same_place(location_t x, location_t y);
bool stands_before(location_t x, location_t y);

/* data.cc */
enum DataKind { DATA_COPY, DATA_COPYIN, DATA_COPYOUT, DATA_CREATE, DATA_PRESENT };
enum { DATA_ARGUMENTS = 5 }; /* of a marker, for each array: its kind, base, first byte, bytes, name */
bool data_bind(tree list, tree_stmt_iterator *first, const Pragma *pragma, tree marker);
tree data_update(location_t where, bool to_host, tree base, tree first, tree bytes, tree name);

/* total.cc */
void total_collect(Walk *w);
void total_begin(Walk *w, gimple_stmt_iterator *where);
tree total_given(const Walk *w, tree expression); /* of a live-in; NULL: it is none of these */
void total_end(Walk *w, gimple_stmt_iterator *where);
void total_hand_on(const Walk *w, Walk *other); /* what other grids take from outside */

/* devices.cc */
void devices_bind(tree *loop, tree *marker, const Pragma *pragma);
void devices_bind_block(tree list, tree_stmt_iterator *first, const Pragma *pragma);
void devices_refuse(location_t where); /* in a grid */
void devices_join(function *fn);
tree devices_how_many(const Walk *w); /* the same as the program's */
/* task.cc */
void task_refuse_jumps(tree function); /* a statement that leaves a task's block */
void task_refuse_lonely(function *fn, const auto_vec<MarkedLoop> *marks);

/* choice.cc */
tree choice_fold(tree expression);
int64_t choice_in_clause(location_t where, bool is_shape, int count, const int64_t *values);
SourceChoices *choice_table(void);
SourceClauseChoices choice_set_clauses(Pragma *pragma);
void choice_begin_pragma(void);
void choice_end_pragma(Pragma *pragma, const Token *tokens, void (*again)(const Token *, Pragma *));
void choice_clean(void);

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
