/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clauses.h - the rows of the grammar: directives, clauses, and words inside of their parentheses.
 */
#ifndef WSC_CLAUSES_H
#define WSC_CLAUSES_H

#include "source/pragma.h"

typedef struct Row Row;

typedef enum {
    PARAMETER_NONE,
    PARAMETER_NUMBER,     /* a constant in a range */
    PARAMETER_COUNT,      /* the same, or the name of an integer variable */
    PARAMETER_WORD,       /* one of a list of rows, with the parameters of that row behind it */
    PARAMETER_OPERATION,  /* one of a list of rows, with a colon behind it */
    PARAMETER_NAME,       /* any name */
    PARAMETER_DECLARED,   /* the name of something that the pragma sees */
    PARAMETER_EXPRESSION, /* an integer that the program computes */
    PARAMETER_EXTENT,     /* x: n */
    PARAMETER_ARRAY       /* x[lo:n], or x if its size is known */
} ParameterKind;

typedef struct {
    ParameterKind kind;
    int least, most;
    const char *what;   /* it is, in messages */
    const Row *words;   /* ended by a row without a word */
    const char *remedy; /* for a name that is not declared */
    bool optional;      /* it and its comma may be missing */
    bool repeated;      /* the last one: more follow, behind commas */
    bool automatic;     /* `auto` may stand in place of it and of all that follow */
} Parameter;

enum RowFlag {
    ROW_MANY = 1,   /* a clause that may be given more than once */
    ROW_PLAIN = 2,  /* a clause for loops over elements */
    ROW_ALONE = 4,  /* a directive without clauses */
    ROW_CLAUSE = 8, /* a directive with at least one clause */
    ROW_LAST = 16   /* a word behind which no other parameter stands */
};

struct Row {
    const char *word;
    int value; /* DirectiveKind, ClauseKind, or what the word means */
    DirectiveKind of;
    Parameter parameters[3];
    int flags;
    const char *hint, *closing, *example;
};

/* The rows end with one whose word is NULL.  */
extern const Row directive_rows[], clause_rows[];

#endif
