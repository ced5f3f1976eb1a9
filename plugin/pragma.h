/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma.h - what the files about pragmas share: pragma.cc, pragma-tokens.cc, pragma-extent.cc, pragma-clauses.cc.
 */
#ifndef WSC_PRAGMA_H
#define WSC_PRAGMA_H

#include "plugin.h"

/* The token that is read next.  After an error `failed` is set, and nothing more is reported of this pragma.  */
struct Tokens {
    enum cpp_ttype type;
    tree value;
    location_t where;
    bool failed;
};

/* pragma-tokens.cc */
extern bool parser_is_lexing; /* so tokens come from the lexer itself */
void record_tokens(void);     /* from here on, for replay_tokens */
void replay_tokens(bool again);
void next_token(Tokens *t);
void take_operator(bool away); /* _Pragma is a name, until it is given back */
bool accept_token(Tokens *t, enum cpp_ttype type);
void expect_token(Tokens *t, enum cpp_ttype type, const char *what);
void wrong_token(Tokens *t, const char *remedy, const char *sentence);
const char *word_of(const Tokens *t); /* "": not a word */

/* An unknown word in a place where one of `choices`, which ends with NULL, is meant.  */
void unknown_word(Tokens *t, const char *place, const char *const *choices, const char *remedy);

/* A constant in a range, with an error at its first token otherwise.  */
int constant_in_range(Tokens *t, const char *what, int lowest, int highest);

/* A number, a named constant, or a sum in parentheses, with its sign.  */
int64_t constant_primary(Tokens *t);

/* pragma-extent.cc */
extern vec<tree> marker_arguments; /* of the marker of the pragma that is being read, behind its number */
void clause_extent(Tokens *t, Pragma *pragma);
void clause_from(Tokens *t, Pragma *pragma);
void read_data(Tokens *t, Pragma *pragma);
void read_update(Tokens *t);

/* pragma-clauses.cc: the whole of a pragma behind `ws`.  *update: it is done here, and nothing is left for a loop.  */
void read_directive(Tokens *t, Pragma *pragma, bool *update);

#endif
