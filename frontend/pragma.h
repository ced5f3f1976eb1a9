/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pragma.h - what reads the tokens of a #pragma ws: tokens.c, clause.c, pragma.c.  */
#ifndef WSC_FRONTEND_PRAGMA_H
#define WSC_FRONTEND_PRAGMA_H

#include "frontend.h"

typedef struct {
    const char *text;
    unsigned offset;
    Loc loc;
    CXTokenKind kind;
} Token;

typedef struct {
    Unit *u;
    Token *list;
    int count, at;
    bool failed;
    CXCursor function;
    Loc loc;
    unsigned offset;
    const char *made_of_integers; /* what is said where a number is made of anything else */
} Tokens;

/* tokens.c */
const char *word(const Tokens *t);
Loc here(const Tokens *t);
bool is_name(const Tokens *t); /* what comes next */
void wrong(Tokens *t, const char *remedy, const char *sentence);
bool accept(Tokens *t, const char *text);
void expect(Tokens *t, const char *text, const char *sentence);
bool named_constant(Tokens *t, const char *name, int64_t *value);
int64_t constant_primary(Tokens *t);
/* A constant in a range, with an error at its first token otherwise.  */
int number(Tokens *t, const char *what, int lowest, int highest);
/* Another word than those of a list, which ends with NULL: with the one that is meant.  */
void unknown_word(Tokens *t, const char *place, const char *const *choices, const char *remedy);
/* One of a list of words, which ends with NULL; its place there.  */
int choice(Tokens *t, const char *const *choices, const char *place, const char *remedy);

/* array.c */
void clause_extent(Tokens *t, Pragma *pragma);
void clause_from(Tokens *t, Pragma *pragma);
void read_data(Tokens *t, Pragma *pragma);
void read_devices(Tokens *t, Pragma *pragma);

/* clause.c */
void read_directive(Tokens *t, Pragma *pragma);

#endif
