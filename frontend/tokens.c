/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tokens.c - the tokens of a pragma, and constants made of them.
 *
 *   2 * STAGES        a number, an enumerator or a const variable with a constant value; macros are expanded before
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "pragma.h"

const char *word(const Tokens *t)
{
    return t->at < t->count ? t->list[t->at].text : "";
}

Loc here(const Tokens *t)
{
    return t->at < t->count ? t->list[t->at].loc : t->loc;
}

bool is_name(const Tokens *t)
{
    return isalpha((unsigned char)*word(t)) || *word(t) == '_';
}

void wrong(Tokens *t, const char *remedy, const char *sentence)
{
    if (!t->failed)
        complain(t->u, here(t), remedy, "%s", sentence);
    t->failed = true;
}

bool accept(Tokens *t, const char *text)
{
    if (t->failed || strcmp(word(t), text))
        return false;
    t->at++;
    return true;
}

void expect(Tokens *t, const char *text, const char *sentence)
{
    if (!accept(t, text))
        wrong(t, NULL, sentence);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    unsigned before;
    CXCursor found;
} Named;

static bool find_named(const Unit *u, CXCursor c, void *context)
{
    Named *named = context;
    bool fits = c.kind == CXCursor_EnumConstantDecl || c.kind == CXCursor_VarDecl;
    if (fits && !strcmp(text_of(u, clang_getCursorSpelling(c)), named->name) && begin_of(c) < named->before)
        named->found = c;
    return true;
}

/* An enumerator, or a variable that is const and has a constant for its value.  */
bool named_constant(Tokens *t, const char *name, int64_t *value)
{
    Named named = {name, t->offset, clang_getNullCursor()};
    if (!clang_Cursor_isNull(t->function))
        each_below(t->u, t->function, find_named, &named);
    if (clang_Cursor_isNull(named.found)) {
        Cursors all = children(t->u, clang_getTranslationUnitCursor(t->u->tu));
        for (int i = 0; i < all.count; i++) {
            find_named(t->u, all.list[i], &named);
            if (all.list[i].kind == CXCursor_EnumDecl)
                each_below(t->u, all.list[i], find_named, &named);
        }
    }
    if (named.found.kind == CXCursor_EnumConstantDecl) {
        *value = clang_getEnumConstantDeclValue(named.found);
        return true;
    }
    return named.found.kind == CXCursor_VarDecl && clang_isConstQualifiedType(clang_getCursorType(named.found)) &&
           evaluate_int(clang_Cursor_getVarDeclInitializer(named.found), value);
}

static int64_t sum(Tokens *t);

/* ws_choice(x, y, ...) of which the first one counts.  */
static int64_t first_choice(Tokens *t)
{
    expect(t, "(", "expected '(' after 'ws_choice'");
    int64_t first = sum(t);
    while (!t->failed && accept(t, ","))
        sum(t);
    expect(t, ")", "expected ')' after the values");
    return first;
}

int64_t constant_primary(Tokens *t)
{
    int64_t value = 1;
    char *end;
    if (accept(t, "-"))
        return -constant_primary(t);
    if (accept(t, "+"))
        return constant_primary(t);
    if (accept(t, "(")) {
        value = sum(t);
        expect(t, ")", "expected ')'");
        return value;
    }
    const char *text = word(t);
    if (!strcmp(text, "ws_choice")) {
        t->at++;
        return first_choice(t);
    }
    if (isdigit((unsigned char)*text)) {
        value = strtoll(text, &end, 0);
        if (!end[strspn(end, "uUlL")]) {
            t->at++;
            return value;
        }
    } else if (isalpha((unsigned char)*text) || *text == '_') {
        if (named_constant(t, text, &value)) {
            t->at++;
            return value;
        }
        if (!t->failed)
            complain(t->u, here(t), "use a number, a macro, an enumerator or a 'const' variable with a constant value",
                     "'%s' is not a constant here", text);
        t->failed = true;
        return 1;
    }
    wrong(t, NULL, "expected an integer constant");
    return 1;
}

static int64_t product(Tokens *t)
{
    int64_t value = constant_primary(t);
    while (!t->failed && (!strcmp(word(t), "*") || !strcmp(word(t), "/") || !strcmp(word(t), "%"))) {
        char sign = *word(t);
        t->at++;
        int64_t right = constant_primary(t);
        if (sign != '*' && !right) {
            wrong(t, NULL, "division by zero in a clause");
            return 1;
        }
        value = sign == '*' ? value * right : sign == '/' ? value / right : value % right;
    }
    return value;
}

static int64_t sum(Tokens *t)
{
    int64_t value = product(t);
    while (!t->failed && (!strcmp(word(t), "+") || !strcmp(word(t), "-"))) {
        bool minus = *word(t) == '-';
        t->at++;
        int64_t right = product(t);
        value = minus ? value - right : value + right;
    }
    return value;
}

int number(Tokens *t, const char *what, int lowest, int highest)
{
    Loc where = here(t);
    int64_t value = sum(t);
    if (!t->failed && (value < lowest || value > highest)) {
        t->failed = true;
        complain(t->u, where, NULL, "%s is from %d to %d, not %ld", what, lowest, highest, (long)value);
    }
    return (int)value;
}

/* How many letters are written in place of others, too much or too little; two that changed places are one.  */
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 31 };
    int row[LONGEST + 1][LONGEST + 1], m = (int)strlen(a), n = (int)strlen(b);

    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (!i || !j) {
                row[i][j] = i + j;
                continue;
            }
            int least = row[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            least = row[i - 1][j] + 1 < least ? row[i - 1][j] + 1 : least;
            least = row[i][j - 1] + 1 < least ? row[i][j - 1] + 1 : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && row[i - 2][j - 2] + 1 < least)
                least = row[i - 2][j - 2] + 1;
            row[i][j] = least;
        }
    return row[m][n];
}

/* The choice that is meant, as GCC finds it: about a third of the letters may be others.  */
static const char *closest(const char *given, const char *const *choices)
{
    const char *best = NULL;
    int least = 0;

    for (; *choices; choices++) {
        int m = (int)strlen(given), n = (int)strlen(*choices), longer = m > n ? m : n, shorter = m > n ? n : m;
        int most = longer <= 1 ? 0 : longer - shorter > 1 ? (longer + 2) / 3 : longer < 3 ? 1 : longer / 3;
        int away = distance(given, *choices);
        if (away <= most && (!best || away < least)) {
            best = *choices;
            least = away;
        }
    }
    return best;
}

void unknown_word(Tokens *t, const char *place, const char *const *choices, const char *remedy)
{
    const char *close = is_name(t) ? closest(word(t), choices) : NULL;

    if (t->failed)
        return;
    t->failed = true;
    if (!is_name(t))
        complain(t->u, here(t), remedy, "expected %s", place);
    else if (close)
        complain(t->u, here(t), remedy, "'%s' is not %s; did you mean '%s'?", word(t), place, close);
    else
        complain(t->u, here(t), remedy, "'%s' is not %s", word(t), place);
}

int choice(Tokens *t, const char *const *choices, const char *place, const char *remedy)
{
    for (int i = 0; choices[i]; i++)
        if (accept(t, choices[i]))
            return i;
    unknown_word(t, place, choices, remedy);
    return 0;
}
