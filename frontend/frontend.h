/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * frontend.h - what the files of the clang front end share.
 *
 *   main.c     the program wsc-clang: options, libclang's parse, the end of the unit (lower_module, the output files)
 *   say.c      diagnostics in clang's style
 *   cursor.c   questions to libclang: children, types, places, constants
 *   column.c   places of the preprocessed text in the user's file
 *   pragma.c   #pragma ws: where each stands, which loop it is about
 *   clause.c   names, errors and expressions for the grammar of pragmas in lowering/source
 *   choice.c   choices in clauses
 *   transcribe.c ...   the region IR of all functions (transcribe.h)
 *   region.c   one function: its grids become kernels
 *   entry.c    kernels of lowering/source/, and the C text of what they take
 *   total.c    ... of sums over a whole grid
 *   around.c   host code around grids: devices, together, data
 *   place.c    prints on target sequential, where the source's text stays
 *   host.c     the source's text, a region given way to a call of its launcher
 *
 * Both front ends make one region IR of a program, so one text of each kernel (tests/frontend/).
 */
#ifndef WSC_FRONTEND_H
#define WSC_FRONTEND_H

#include <clang-c/Index.h>

#include "ir/kernel.h"
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
    struct SourceUnit *regions;
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
Loc loc_at(const Unit *u, CXSourceLocation where); /* as line markers have it */
unsigned begin_of(CXCursor c);                     /* offsets of its expansion */
unsigned end_of(CXCursor c);
bool is_the_users(CXCursor c);           /* of no system header */
bool in_text(const Unit *u, CXCursor c); /* in the file itself, where offsets count */
bool stands_at(const Unit *u, unsigned at, const char *word);
bool scalar_type(CXType type, Dtype *dtype);
bool is_pointer(CXType type);
bool is_integer(CXType type);
bool is_tile_type(CXType type);
bool is_tensor_type(CXType type);
bool is_aggregate(CXType type);
bool is_complex(CXType type);
CXType part_type(CXType type); /* of a complex number */
/* Bits from the beginning of the record to its field, or to the field of a record without a name in it.  */
bool field_bits(CXType record, CXCursor field, int64_t *bits);
CXCursor bare(const Unit *u, CXCursor e); /* behind conversions that keep every bit */
CXCursor peel(const Unit *u, CXCursor e); /* behind parentheses, and conversions that keep the type */
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
} LoopParts;
bool is_loop(CXCursor c);
LoopParts loop_parts(const Unit *u, CXCursor loop);
/* The target of an assignment, ++ or --; a null cursor for any other expression.  */
CXCursor assigned_by(const Unit *u, CXCursor e);
/* The function, for a call by its name; "" for any other.  */
const char *callee_name(const Unit *u, CXCursor e, CXCursor *function);
/* The variable that a name means at a place of the function, or a null cursor.  */
CXCursor variable_in_sight(const Unit *u, CXCursor function, unsigned at, const char *name);

/* ---- pragma.c ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int count;
    Token *list;
} Tokens;
/* A line of the file with a pragma of ours: the offset of its #, and the tokens behind `pragma`, with their end.  */
typedef void PragmaLine(Unit *u, unsigned offset, const Tokens *line, void *context);
void each_pragma(Unit *u, PragmaLine *each, void *context);
void pragmas_read(Unit *u);
bool clauses_read(Unit *u, CXCursor function, const Token *tokens, Pragma *pragma); /* clause.c */
Pragma *pragma_of_loop(Unit *u, CXCursor loop);
unsigned line_end(const Unit *u, unsigned at);
bool stands_above(const Unit *u, const Pragma *pragma, unsigned begin);
bool begins_block(const Unit *u, CXCursor block, const Pragma *pragma);
void pragmas_check_places(Unit *u); /* those of loops and tasks: what they stand above, or in */
void pragmas_check(Unit *u);        /* those that no loop has taken */

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *text; /* C, before the region */
    const char *type; /* of the launcher's parameter */
    bool of_caller;   /* the text is the caller's, where the region stands in a function that becomes a part of it */
    Value *value;
} LiveIn;

/* A sum that leaves the grid.  */
typedef struct {
    const Reduction *clause;
    bool is_element;   /* of an array */
    const char *place; /* C text */
    Dtype dtype;
    const char *handle;
} TotalOut;

typedef struct {
    Unit *u;
    Kernel *kernel;
    CXCursor function, region;
    const Pragma *pragma;  /* the region's */
    CXCursor caller, site; /* the region's function becomes a part of this one, by this call; or null cursors */
    TotalOut *totals;
    int ntotals;
    LiveIn *livein;
    int nlivein;
    const char *statics; /* declarations in front of the launcher's call; NULL: none */
} Walk;

/* region.c */
void regions_walk(Unit *u);

/* entry.c */
void entry_walk(Walk *w, const Pragma *pragma);

/* total.c */
const char *totals_first(const Walk *w); /* what surrounds the launcher's call */
const char *totals_last(const Walk *w);

/* place.c */
struct SourceShown;
void place_shown(Walk *w, const struct SourceShown *shown);
extern const char place_declarations[];

/* around.c */
void around_bind(Unit *u);
const char *around_declarations(const Unit *u);

/* choice.c */
typedef bool ReadClauses(Unit *u, CXCursor function, const Token *tokens, Pragma *pragma);
void choices_read(Unit *u, CXCursor function, const Token *tokens, Pragma *pragma, ReadClauses *again);
SourceClauseChoices choices_set(const Unit *u, Pragma *pragma);

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
