/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma.h - declarations shared by pragma.cc, pragma-tokens.cc and pragma-extent.cc.
 */
#ifndef WSC_PRAGMA_H
#define WSC_PRAGMA_H

#include "plugin.h"

/* pragma-tokens.cc */
extern bool parser_is_lexing; /* so tokens come from the lexer itself */
/* The tokens up to the end of the line; the last one is TOKEN_END.  They hold until the next call.  */
const Token *read_tokens(void);
/* A directive of these; false after an error.  */
bool read_directive(const Token *tokens, Directive *directive);

/* pragma-extent.cc */
extern vec<tree> marker_arguments; /* of the marker of the pragma that is being read, behind its number */
void bind_extents(const Directive *directive, Pragma *pragma);
void bind_arrays(const Directive *directive);

#endif
