/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma.h - the grammar of #pragma ws, for both front ends.
 *
 *   pipeline(2 * STAGES, 2) ring(x, 3)      tokens, with macros expanded
 *
 *   DIRECTIVE_PIPELINE, arguments 8, 2      a Directive
 *     CLAUSE_PIPELINE_RING, arguments x, 3
 *
 * A front end makes the tokens, resolves names and reports errors. It gets a Directive, which is a plain value, and
 * binds it to a statement.
 *
 *   token.c       the kind of a token from its text
 *   clauses.def   the rows of the grammar; clauses.c: the tables made of them
 *   expression.c  integers of the program in clauses
 *   pragma.c      tokens -> Directive, with all error messages
 *   directive.c   Directive -> Grid, Pipeline and Task of the IR
 */
#ifndef WSC_SOURCE_PRAGMA_H
#define WSC_SOURCE_PRAGMA_H

#include "source/token.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
#define DIRECTIVE(NAME, word, parameters, flags, hint, closing, example) DIRECTIVE_##NAME,
#define CLAUSE(DIRECTIVE, NAME, word, parameters, flags, hint, closing, example)
#include "source/clauses.def"
#undef DIRECTIVE
#undef CLAUSE
    DIRECTIVE_COUNT
} DirectiveKind;

typedef enum {
#define DIRECTIVE(NAME, word, parameters, flags, hint, closing, example)
#define CLAUSE(DIRECTIVE, NAME, word, parameters, flags, hint, closing, example) CLAUSE_##DIRECTIVE##_##NAME,
#include "source/clauses.def"
#undef DIRECTIVE
#undef CLAUSE
    CLAUSE_COUNT
} ClauseKind;

/* An integer that the program computes.  Operations on constants are computed already.  */
typedef enum {
    EXPRESSION_NUMBER,
    EXPRESSION_NAME,
    EXPRESSION_NEGATE, /* of left */
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_REMAINDER
} ExpressionKind;
typedef struct Expression {
    ExpressionKind kind;
    int64_t number;
    const char *name;
    bool is_long; /* the named variable is of type long */
    Loc loc;      /* of its first token */
    const struct Expression *left, *right;
} Expression;

/* One piece of what stands in parentheses.  */
typedef struct Argument {
    Loc loc;
    int64_t number;                  /* a constant, or the meaning of a word */
    const char *name;                /* a name, or the array of a section or an extent; NULL: none */
    Loc declared;                    /* of a name that the pragma sees */
    const Expression *first, *count; /* of x[first:count]; NULL: it has no section. Of other expressions the latter */
    struct Argument *arguments;      /* of a word: order(grouped(8)) */
    struct Argument *next;
} Argument;

typedef struct Clause {
    ClauseKind kind;
    Loc loc;
    Argument *arguments;
    struct Clause *next;
} Clause;

typedef struct {
    DirectiveKind kind;
    Loc loc;             /* of its first word */
    Argument *arguments; /* NULL: pipeline(auto), or a directive without any */
    Clause *clauses;     /* in the order of the source */
} Directive;

/* ring(x, D).  */
typedef struct TileRing {
    const char *name;
    Loc declared; /* of a task: place of the variable; host 0: known by name, since it stands below */
    int slots;
    bool used;
    Loc loc;
    struct TileRing *next;
} TileRing;

/* share(x, y): tiles of the grid, by name.  */
typedef struct TileShare {
    const char *names[2];
    bool used[2];
    int number; /* in the kernel that is made */
    Loc loc;
    struct TileShare *next;
} TileShare;

/* The meaning of a name.  */
typedef enum {
    NAME_UNKNOWN,  /* declared nowhere that the pragma sees */
    NAME_CONSTANT, /* an enumerator; if a constant is asked for, also a const variable with a constant value */
    NAME_INTEGER,  /* a variable of an integer type */
    NAME_LONG,     /* the same, of type long; a front end that makes no C text leaves it out */
    NAME_POINTER,  /* to elements of a known size, or an array of unknown length of these */
    NAME_ARRAY,    /* of a known size, constant or not */
    NAME_OTHER
} NameKind;

typedef struct {
    Module *module; /* for memory */
    void *context;  /* first argument of each function */
    /* `constant`: the place asks for one.  Sets the constant's value and the place of a declaration.  */
    NameKind (*resolve)(void *context, const Token *name, bool constant, int64_t *value, Loc *declared);
    /* One of several constants; `shape`: combinations of three.  */
    int64_t (*choose)(void *context, Loc loc, bool shape, int count, const int64_t *values);
    /* `meant`: the word that was probably meant in place of the token at loc, or NULL.  */
    void (*report)(void *context, Loc loc, Reason reason, const char *sentence, const char *remedy, const char *meant);
} PragmaHost;

/* require: the tokens behind `ws`, ended by TOKEN_END.
   ensure: the directive, or false after exactly one report.  */
bool pragma_read(const PragmaHost *host, const Token *tokens, Directive *directive);

const char *directive_word(DirectiveKind kind);
const char *clause_word(ClauseKind kind);
/* The next clause of a kind from one on; NULL: none.  */
const Clause *clause_of(const Clause *from, ClauseKind kind);

/* Fills in the clauses of each; expressions are left to the front end.  */
void directive_grid(Module *module, const Directive *directive, Grid *grid);
void directive_pipeline(Module *module, const Directive *directive, Pipeline *pipeline);
void directive_task(const Directive *directive, Task *task);
/* Of a pipeline or a task; the last one comes first.  */
TileRing *directive_rings(Module *module, const Directive *directive);
TileShare *directive_shares(Module *module, const Directive *directive);

/* The C text of an expression, with each name and number as a long.  */
const char *expression_text(Module *module, const Expression *expression);

#ifdef __cplusplus
}
#endif
#endif
