/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.c - the tokens of textual IR: words, %values, "strings" and signs. # begins a comment.
 *
 * There is one token of look-ahead. A number is a word, which the caller converts where it expects a number.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ir/parser.h"
#include "ir/text.h"

static Loc loc_of(const Parser *p, const Token *token)
{
    return (Loc){.file = p->name, .line = token->line, .column = token->column};
}

Loc scan_loc(const Parser *p)
{
    return loc_of(p, &p->token);
}

static void fail_at(Parser *p, Loc loc, const char *format, va_list list)
{
    if (p->failed)
        return;
    p->failed = true;
    const char *message = arena_vprint(p->module, format, list);
    if (p->module->diag)
        p->module->diag(p->module->diag_context, DIAG_ERROR, loc, message);
}

/* Reports an error at the next token.  */
void scan_fail(Parser *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fail_at(p, scan_loc(p), format, list);
    va_end(list);
}

/* Reports an error at the last token that was read.  */
void scan_fail_last(Parser *p, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fail_at(p, loc_of(p, &p->last), format, list);
    va_end(list);
}

const char *scan_shown(const Parser *p)
{
    return p->token.kind == T_END ? "the end of the text" : p->token.text;
}

static void skip_space(Parser *p)
{
    for (;; p->cursor++) {
        if (*p->cursor == '#')
            while (*p->cursor && *p->cursor != '\n')
                p->cursor++;
        if (*p->cursor == '\n') {
            p->line++;
            p->line_start = p->cursor + 1;
        } else if (*p->cursor != ' ' && *p->cursor != '\t' && *p->cursor != '\r') {
            return;
        }
    }
}

/* Returns the end of a word: letters, digits, and signs of a number in front or behind the exponent's e.  */
static const char *word_end(const char *c)
{
    bool number = *c == '-' || (*c >= '0' && *c <= '9');
    if (*c == '-')
        c++;
    while (text_is_word(*c) || (number && (*c == '-' || *c == '+') && c[-1] == 'e'))
        c++;
    return c;
}

char *scan_copy(Parser *p, const char *from, const char *to)
{
    char *text = arena_alloc(p->module, (size_t)(to - from) + 1);
    memcpy(text, from, (size_t)(to - from));
    return text;
}

static void read_string(Parser *p)
{
    const char *from = ++p->cursor;
    while (*p->cursor && *p->cursor != '"' && *p->cursor != '\n')
        p->cursor += *p->cursor == '\\' && p->cursor[1] && p->cursor[1] != '\n' ? 2 : 1;
    p->token.kind = T_STRING;
    p->token.text = scan_copy(p, from, p->cursor);
    if (*p->cursor != '"') {
        scan_fail(p, "a string without an end");
        return;
    }
    p->cursor++;
    char *to = p->token.text;
    for (const char *c = to; *c; *to++ = *c++)
        if (*c == '\\')
            c++;
    *to = 0;
}

void scan_next(Parser *p)
{
    p->last = p->token;
    skip_space(p);
    p->token = (Token){.kind = T_END, .line = p->line, .column = (int)(p->cursor - p->line_start) + 1, .text = ""};
    if (p->failed || !*p->cursor)
        return;
    if (*p->cursor == '"') {
        read_string(p);
        return;
    }
    const char *from = p->cursor;
    bool is_value = *from == '%';
    const char *end = word_end(from + is_value);
    if (end > from + is_value) {
        p->token.kind = is_value ? T_VALUE : T_WORD;
        p->token.text = scan_copy(p, from + is_value, end);
    } else {
        end = from + ((*from == '<' || *from == '>' || *from == '!' || *from == '=') && from[1] == '=' ? 2 : 1);
        p->token.kind = T_SIGN;
        p->token.text = scan_copy(p, from, end);
    }
    p->cursor = end;
}

bool scan_at(const Parser *p, const char *text)
{
    return (p->token.kind == T_SIGN || p->token.kind == T_WORD) && !strcmp(p->token.text, text);
}

bool scan_accept(Parser *p, const char *text)
{
    if (p->failed || !scan_at(p, text))
        return false;
    scan_next(p);
    return true;
}

void scan_expect(Parser *p, const char *text)
{
    if (!scan_accept(p, text))
        scan_fail(p, "expected '%s', found '%s'", text, scan_shown(p));
}

const char *scan_word(Parser *p, const char *what)
{
    if (p->token.kind != T_WORD) {
        scan_fail(p, "expected %s, found '%s'", what, scan_shown(p));
        return "";
    }
    const char *text = p->token.text;
    scan_next(p);
    return text;
}

int64_t scan_to_int(Parser *p, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno == ERANGE && *text != '-') {
        errno = 0;
        value = (long long)strtoull(text, &end, 10);
    }
    if (errno || end == text || *end)
        scan_fail_last(p, "expected an integer, found '%s'", text);
    return value;
}

int64_t scan_number(Parser *p)
{
    return scan_to_int(p, scan_word(p, "a number"));
}

int scan_number_up_to(Parser *p, int lowest, int highest)
{
    int64_t value = scan_number(p);
    if (value < lowest || value > highest)
        scan_fail_last(p, "%lld is not between %d and %d", (long long)value, lowest, highest);
    return p->failed ? lowest : (int)value;
}

double scan_to_double(Parser *p, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end)
        scan_fail_last(p, "expected a number, found '%s'", text);
    return value;
}

int scan_choice(Parser *p, const char *what, const char *const *words, int count)
{
    const char *text = scan_word(p, what);
    for (int i = 0; i < count; i++)
        if (*words[i] && !strcmp(text, words[i]))
            return i;
    scan_fail_last(p, "'%s' is not %s", text, what);
    return 0;
}

const char *scan_name(Parser *p)
{
    const char *text = scan_word(p, "a name");
    if (strchr(text, '.') || *text == '-' || (*text >= '0' && *text <= '9'))
        scan_fail_last(p, "'%s' is not a C name", text);
    return text;
}
