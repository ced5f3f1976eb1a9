/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.h - the state of reading one pragma, for pragma.c and expression.c.  */
#ifndef WSC_SOURCE_READER_H
#define WSC_SOURCE_READER_H

#include "source/clauses.h"

typedef struct {
    const PragmaHost *host;
    const Token *next;
    bool failed; /* after an error, nothing more is reported */
    int depth;   /* of operators in front of a number, and of parentheses */
} Reader;

/* An error, with the remedy of the reason if `remedy` is NULL.  */
void reader_fail(Reader *r, Loc loc, Reason reason, const char *remedy, ...);
bool reader_accept(Reader *r, const char *text);
/* `what` says which token is expected.  */
void reader_expect(Reader *r, const char *text, const char *what);
bool token_is(const Token *token, const char *text);

/* spelling.c: the word that is probably meant, or NULL.  */
const char *closest_word(const char *given, const char *const *words, int count);

/* expression.c: NULL after an error.  `what`: it is, in messages; NULL: a constant.  */
const Expression *expression_read(Reader *r, const char *what);
int64_t constant_in_range(Reader *r, const char *what, int least, int most);

#endif
