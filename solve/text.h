/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text.h - a reader of lines of words.  */
#ifndef WSC_SOLVE_TEXT_H
#define WSC_SOLVE_TEXT_H

#include "solve.h"

typedef struct {
    const char *path;
    int line;
    char *copy, *rest;
    bool other; /* the lines belong to a loop other than Problem.wanted */
} Reader;

#define COMPLAIN(reader, ...) complain_at(reader, format(__VA_ARGS__))
_Noreturn void complain_at(const Reader *ctx, char *text);
bool next_line(Reader *ctx, char **at); /* the next line, without its comment; false at the end */
char *next_word(Reader *ctx);
char *need_word(Reader *ctx, const char *what);
char *value_in(char *word, const char *name); /* VALUE if `word` is NAME=VALUE, or NULL */
int whole(const Reader *ctx, const char *text, int least);
char *copied(const char *text);
int need_op(const Reader *ctx, const Problem *problem, const char *name);

#endif
