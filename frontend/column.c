/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * column.c - where a place of the preprocessed text stands in the user's file.
 *
 *   user's file      x = ws_mul(x, w[i]);
 *   text             x = ws_mul_(__extension__({ __auto_type ws_v_ = (x); ... }), ... (w[i]) ...);
 *
 * A macro is expanded on one line, whose columns then count what the user has not written. The names of both lines are
 * matched in their order, as many as possible; a name of the user's stands for itself with a "_" behind it, too. A
 * place of the text stands at the last name that is matched in front of it, or as far behind that name as both lines
 * have the same characters, spaces and comments aside: at the 9 of consumers(9).
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend.h"

enum { MOST_NAMES = 160, MOST_TOKENS = 6000, MOST_LINES = 24 };

typedef struct {
    const char *at;
    int length;
    unsigned line, column; /* of a name of the user's */
} Name;

typedef struct {
    Name *list;
    int count;
} Names;

typedef struct {
    const char *path, *text; /* text NULL: it cannot be read */
    size_t size;
    unsigned line; /* that was asked for last */
    const char *at;
} File;

static struct {
    File *files;
    int nfiles;
    const char *line; /* of the preprocessed text, that was matched last */
    Names names, tokens;
    int *of; /* by token: the name that it matches, or -1 */
} known;

static const char *read_file(const Unit *u, const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *text = NULL;
    long bytes = 0;
    if (in && !fseek(in, 0, SEEK_END) && (bytes = ftell(in)) > 0 && !fseek(in, 0, SEEK_SET)) {
        text = arena_alloc(u->module, (size_t)bytes + 1);
        *size = fread(text, 1, (size_t)bytes, in);
    }
    if (in)
        fclose(in);
    return text;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The names from `at` up to `end`.  */
static void add_names(const Unit *u, Names *names, const char *at, const char *end, unsigned line, int most)
{
    for (const char *from = at; at < end && names->count < most;) {
        const char *begin = at;
        while (at < end && in_name(*at))
            at++;
        if (at > begin && !isdigit((unsigned char)*begin))
            LIST_ADD(u->module, names->list, names->count) =
                (Name){begin, (int)(at - begin), line, (unsigned)(begin - from) + 1};
        at += at == begin;
    }
}

static const char *end_of_line(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

static File *file_of(const Unit *u, const char *path)
{
    for (int i = 0; i < known.nfiles; i++)
        if (!strcmp(known.files[i].path, path))
            return &known.files[i];
    File file = {.path = arena_print(u->module, "%s", path)};
    file.text = read_file(u, path, &file.size);
    LIST_ADD(u->module, known.files, known.nfiles) = file;
    return &known.files[known.nfiles - 1];
}

static const char *line_at(File *file, unsigned line)
{
    const char *end = file->text + file->size;
    if (!file->text)
        return NULL;
    if (!file->at || line < file->line) {
        file->line = 1;
        file->at = file->text;
    }
    for (; file->at < end && file->line < line; file->line++) {
        file->at = end_of_line(file->at, end);
        file->at += file->at < end;
    }
    return file->at < end ? file->at : NULL;
}

/* Of the line, and of those behind it that a parenthesis goes on to.  */
static void names_of_line(const Unit *u, const File *file, const char *at, unsigned line)
{
    const char *all = file->text + file->size;
    int depth = 0;
    known.names = (Names){NULL, 0};
    for (int n = 0; n < MOST_LINES && at < all && (!n || depth > 0); n++) {
        const char *end = end_of_line(at, all);
        add_names(u, &known.names, at, end, line++, MOST_NAMES);
        for (; at < end; at++)
            depth += (*at == '(') - (*at == ')');
        at += at < all;
    }
}

static bool matches(const Name *token, const Name *name)
{
    const int more = token->length - name->length;
    return more >= 0 && more <= 1 && !memcmp(token->at, name->at, (size_t)name->length) &&
           (!more || token->at[name->length] == '_');
}

/* The longest list of names that both have.  */
static bool match(const Unit *u)
{
    const int n = known.tokens.count, m = known.names.count, wide = m + 1;
    unsigned short *longest = calloc((size_t)(n + 1) * (size_t)wide, sizeof *longest);
    if (!longest)
        return false;
    for (int i = n - 1; i >= 0; i--)
        for (int j = m - 1; j >= 0; j--) {
            const unsigned short down = longest[(i + 1) * wide + j], right = longest[i * wide + j + 1];
            const bool same = matches(&known.tokens.list[i], &known.names.list[j]);
            const unsigned short both = (unsigned short)(longest[(i + 1) * wide + j + 1] + 1);
            longest[i * wide + j] = same && both > down && both > right ? both : down > right ? down : right;
        }
    known.of = arena_alloc(u->module, ((size_t)n + 1) * sizeof *known.of);
    for (int i = 0; i < n; i++)
        known.of[i] = -1;
    for (int i = 0, j = 0; i < n && j < m;) {
        const int here = longest[i * wide + j];
        if (matches(&known.tokens.list[i], &known.names.list[j]) && here == longest[(i + 1) * wide + j + 1] + 1)
            known.of[i++] = j++;
        else if (here == longest[i * wide + j + 1])
            j++;
        else
            i++;
    }
    free(longest);
    return true;
}

/* Behind blanks and comments, which the preprocessor may have taken out.  */
static const char *skip_blanks(const char *at, const char *end)
{
    for (;;) {
        if (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++;
        else if (end - at >= 2 && at[0] == '\\' && at[1] == '\n')
            at += 2;
        else if (end - at >= 2 && at[0] == '/' && at[1] == '/')
            at = end_of_line(at, end);
        else if (end - at >= 4 && at[0] == '/' && at[1] == '*') {
            for (at += 2; end - at >= 2 && (at[0] != '*' || at[1] != '/');)
                at++;
            at += end - at >= 2 ? 2 : end - at;
        } else
            return at;
    }
}

/* The place of the user's file that is `place` of the text, if both lines are the same up to there; else NULL.  */
static const char *same_place(const char *at, const char *place, const char *own, const char *own_end)
{
    for (;; at++, own++) {
        at = skip_blanks(at, place);
        own = skip_blanks(own, own_end);
        if (own >= own_end || *own != *at)
            return NULL;
        if (at >= place)
            return own;
    }
}

void user_column(const Unit *u, unsigned offset, const char *file, unsigned *line, unsigned *column)
{
    const char *place = u->text + offset, *end = u->text + u->size, *begin = place;
    if (offset >= u->size)
        return;
    while (begin > u->text && begin[-1] != '\n')
        begin--;
    File *users = file_of(u, file);
    const char *own = line_at(users, *line);
    const size_t rest = own ? (size_t)(users->text + users->size - own) : 0, prefix = (size_t)(place - begin);
    if (!own || (rest > prefix && !memcmp(own, begin, prefix + 1)))
        return;
    if (known.line != begin) {
        known.line = begin;
        known.tokens = (Names){NULL, 0};
        add_names(u, &known.tokens, begin, end_of_line(begin, end), *line, MOST_TOKENS);
        names_of_line(u, users, own, *line);
        if (!match(u))
            known.tokens.count = 0;
    }
    const Name *found = NULL, *token = NULL;
    for (int i = 0; i < known.tokens.count && known.tokens.list[i].at <= place; i++)
        if (known.of[i] >= 0) {
            token = &known.tokens.list[i];
            found = &known.names.list[known.of[i]];
        }
    if (!found)
        return;
    *line = found->line;
    *column = found->column;
    const char *behind = token->at + token->length, *name_end = found->at + found->length;
    const char *same = place < behind ? NULL : same_place(behind, place, name_end, users->text + users->size);
    for (const char *at = found->at; same && at < same; at++) {
        *line += *at == '\n';
        *column = *at == '\n' ? 1 : *column + 1;
    }
}
