/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choice.h - ws_choice: constants that the user leaves open.
 *
 *   const int BM = ws_choice(64, 128);        BM = 64;        and once more with   BM = 128;
 *   for (i = 0; i < M; i += BM) ...           kernel gemm     and                  kernel gemm__128
 *
 * A choice belongs to the variable that it initializes: wherever its value goes, in functions that are inlined twice
 * and in clauses of pragmas, it is one constant. Elsewhere, as in macros, those of the same list are the same.
 *
 * A front end keeps a table for the unit. It asks for the value of a choice in a clause by source_choice_value (), and
 * reads a pragma with choices once for each combination. source_build_variants () builds the kernels.
 */
#ifndef WSC_SOURCE_CHOICE_H
#define WSC_SOURCE_CHOICE_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_CHOICE_VALUES = 64, MOST_CLAUSE_CHOICES = 4 };

typedef struct {
    Loc place, variable; /* variable: where the one is declared that it initializes; line 0: none */
    bool is_shape;
    int count;
    int64_t values[MOST_CHOICE_VALUES];
    int now; /* the index of the value that it has */
} SourceChoice;

typedef struct SourceChoices {
    Module *module;
    SourceChoice *list;
    int count;
    int *touched; /* those that source_choice_value () was asked for, since source_choices_begin () */
    int ntouched;
} SourceChoices;

/* The choices in the clauses of a pragma.  */
typedef struct {
    int count, of[MOST_CLAUSE_CHOICES];
} SourceClauseChoices;

/* The number of a choice of at most MOST_CHOICE_VALUES values, which is added where it is not known.  */
int source_choice(SourceChoices *choices, Loc place, Loc variable, bool is_shape, int count, const int64_t *values);
/* For a clause.  */
int64_t source_choice_value(SourceChoices *choices, int choice);
void source_choices_begin(SourceChoices *choices);
/* false: too many choices, or combinations.  */
bool source_choices_end(SourceChoices *choices, SourceClauseChoices *clause);
/* Is the first one written in front of the other?  */
bool source_choice_before(const SourceChoices *choices, int first, int second);

/* Combinations of several choices; more than MOST_VARIANTS count as so many more.  */
long source_choice_combinations(const SourceChoices *choices, int count, const int *of);
/* Sets the n-th one. The last choice changes fastest.  */
void source_choice_take(SourceChoices *choices, int count, const int *of, long n);
/* The number of the one that is set.  */
long source_choice_taken(const SourceChoices *choices, int count, const int *of);

#ifdef __cplusplus
}
#endif
#endif
