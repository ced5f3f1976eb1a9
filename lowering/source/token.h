/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * token.h - the tokens of a pragma, as both front ends hand them to the grammar.
 *
 * A front end makes them of its host's tokens, with macros expanded. The list ends with TOKEN_END, whose location is
 * the end of the line.
 */
#ifndef WSC_TOKEN_H
#define WSC_TOKEN_H

#include "ir/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TOKEN_END,
    TOKEN_NAME,    /* a keyword, too */
    TOKEN_INTEGER, /* an integer or character constant of 64 bits */
    TOKEN_OTHER    /* an operator by its text; "" for a string and any other constant */
} TokenKind;

typedef struct {
    const char *text;
    TokenKind kind;
    int64_t value; /* of TOKEN_INTEGER */
    Loc loc;
} Token;

/* The token that a text is, for hosts that give no value of a constant.  */
Token token_of_text(const char *text, Loc loc);

#ifdef __cplusplus
}
#endif
#endif
