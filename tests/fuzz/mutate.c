/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mutate.c - changes a C program in two places: mutate SEED FILE.c, for tests/fuzz/mutate-cases.
 *
 * Prints the changed program, and on standard error what was changed.  A change is to a type, a sign, an operator, a
 * comparison, a bound, a step, a guard or an offset inside of a function that has a `#pragma ws`, or to a number of
 * main.  The program is text here: a change that is no C, or reaches beyond an array, is for the caller to drop.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 18, TOKENS = 1 << 15, CHANGES = 1 << 14 };

static unsigned long long state;

static int below(int n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((state >> 33) % (unsigned)n);
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int at, length;
} Token;

static char text[LONGEST];
static Token tokens[TOKENS];
static int ntokens;

static int is(int k, const char *word)
{
    return k >= 0 && k < ntokens && (int)strlen(word) == tokens[k].length &&
           !strncmp(text + tokens[k].at, word, (size_t)tokens[k].length);
}

static int one_of(int k, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (is(k, words[i]))
            return i;
    return -1;
}

static int is_name(int k)
{
    return k >= 0 && k < ntokens && (isalpha((unsigned char)text[tokens[k].at]) || text[tokens[k].at] == '_');
}

static int is_number(int k)
{
    return k >= 0 && k < ntokens && isdigit((unsigned char)text[tokens[k].at]);
}

/* Does an operand end here? */
static int ends_operand(int k)
{
    return is_name(k) || is_number(k) || is(k, ")") || is(k, "]");
}

static int past_string(int at)
{
    char quote = text[at++];
    for (; text[at] && text[at] != quote; at++)
        at += text[at] == '\\' && text[at + 1];
    return text[at] ? at + 1 : at;
}

static int length_at(int at)
{
    static const char *const long_ones[] = {"<<=", ">>=", "...", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
                                            "|=",  "^=",  "<<",  ">>", "<=", ">=", "==", "!=", "&&", "||", "->"};
    int end = at;
    if (text[at] == '"' || text[at] == '\'')
        return past_string(at) - at;
    if (isalnum((unsigned char)text[at]) || text[at] == '_') {
        while (isalnum((unsigned char)text[end]) || text[end] == '_' || text[end] == '.')
            end++;
        return end - at;
    }
    for (unsigned i = 0; i < sizeof long_ones / sizeof *long_ones; i++)
        if (!strncmp(text + at, long_ones[i], strlen(long_ones[i])))
            return (int)strlen(long_ones[i]);
    return 1;
}

/* A line of the preprocessor is one token. */
static void tokenize(void)
{
    ntokens = 0;
    for (int at = 0; text[at] && ntokens < TOKENS;) {
        if (isspace((unsigned char)text[at])) {
            at++;
        } else if (!strncmp(text + at, "/*", 2)) {
            const char *end = strstr(text + at, "*/");
            at = end ? (int)(end + 2 - text) : (int)strlen(text);
        } else {
            int length = text[at] == '#' ? (int)strcspn(text + at, "\n") : length_at(at);
            tokens[ntokens++] = (Token){at, length};
            at += length;
        }
    }
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

enum { TYPE, OPERATOR, COMPARISON, BOUND, STEP, GUARD, OFFSET, EXTENT, SIGN, KINDS };
static const char *const kinds[KINDS] = {"type",  "operator", "comparison", "bound", "step",
                                         "guard", "offset",   "extent",     "sign"};

typedef struct {
    int kind, at, length; /* replaces so many characters */
    char by[64];
} Change;

static Change changes[CHANGES];
static int nchanges;

static void change(int kind, int at, int length, const char *by)
{
    if (nchanges == CHANGES)
        return;
    Change *made = &changes[nchanges++];
    made->kind = kind;
    made->at = at;
    made->length = length;
    snprintf(made->by, sizeof made->by, "%s", by);
}

static void replace(int kind, int k, const char *by)
{
    if (!is(k, by))
        change(kind, tokens[k].at, tokens[k].length, by);
}

static void put_before(int kind, int k, const char *by)
{
    change(kind, tokens[k].at, 0, by);
}

static const char *const types[] = {"int",           "long",          "short",          "float",
                                    "double",        "char",          "size_t",         "unsigned",
                                    "unsigned long", "unsigned char", "unsigned short", "signed char"};

/* Another type of a scalar that is declared here. */
static void type_changes(int k)
{
    if (one_of(k, types, 8) < 0 || one_of(k - 1, types, 8) >= 0 || is(k - 1, "signed") || !is_name(k + 1) ||
        one_of(k + 1, types, 8) >= 0)
        return;
    if (is(k + 2, "=") || is(k + 2, ";") || is(k + 2, ",") || is(k + 2, ")"))
        for (int i = 0; i < 12; i++)
            replace(TYPE, k, types[i]);
}

/* A loop that counts up has no other comparison that ends it. */
static void bound_changes(int k)
{
    static const char *const ends[] = {"<", "<=", "!="};
    if (one_of(k, ends, 3) >= 0)
        for (int i = 0; i < 3; i++)
            replace(COMPARISON, k, ends[i]);
}

static void operator_changes(int k)
{
    static const char *const sums[] = {"+", "-", "*"}, *const bits[] = {"&", "|", "^"}, *const parts[] = {"/", "%"},
                             *const shifts[] = {"<<", ">>"}, *const orders[] = {"<", "<=", ">", ">=", "==", "!="},
                             *const updates[] = {"+=", "-=", "*="}, *const joins[] = {"&&", "||"};
    static const struct {
        const char *const *words;
        int n, kind;
    } sets[] = {{sums, 3, OPERATOR},     {bits, 3, OPERATOR},    {parts, 2, OPERATOR}, {shifts, 2, OPERATOR},
                {orders, 6, COMPARISON}, {updates, 3, OPERATOR}, {joins, 2, OPERATOR}};
    if (!ends_operand(k - 1) || one_of(k - 1, types, 8) >= 0)
        return;
    for (unsigned s = 0; s < sizeof sets / sizeof *sets; s++)
        if (one_of(k, sets[s].words, sets[s].n) >= 0)
            for (int i = 0; i < sets[s].n; i++)
                replace(sets[s].kind, k, sets[s].words[i]);
}

static int in_header(int from, int k)
{
    for (int depth = 0; k > from; k--) {
        depth += is(k, ")") - is(k, "(");
        if (depth < 0)
            return is(k - 1, "for");
    }
    return 0;
}

static int closing(int k, const char *open, const char *close)
{
    for (int depth = 0; k < ntokens; k++) {
        depth += is(k, open) - is(k, close);
        if (!depth)
            return k;
    }
    return ntokens - 1;
}

/* for (BEGIN; COUNTER < BOUND; STEP) */
static void loop_changes(int k)
{
    int end = closing(k + 1, "(", ")"), first = k + 1, second;
    while (first < end && !is(first, ";"))
        first++;
    for (second = first + 1; second < end && !is(second, ";");)
        second++;
    if (second >= end)
        return;
    static const char *const bounds[] = {" - 1", " + 1", " / 2", " - 2", " - 3"}, *const starts[] = {" + 1", " + 2"};
    for (int i = 0; i < 5; i++)
        put_before(BOUND, second, bounds[i]);
    for (int i = 0; i < 2; i++)
        put_before(BOUND, first, starts[i]);
    for (int s = second + 1; s < end; s++) {
        int up = is(s, "++"), down = is(s, "--");
        if (!up && !down)
            continue;
        replace(STEP, s, up ? " += 2" : " -= 2");
        replace(STEP, s, up ? " += 3" : " -= 3");
        replace(STEP, s, up ? " += 5" : " -= 5");
    }
}

/* The counters of the loops around, by name. */
static int counter_of(int k, char *name, size_t size)
{
    for (int s = k + 2; s < ntokens && !is(s, ")"); s++)
        if (is_name(s) && is(s + 1, "=")) {
            snprintf(name, size, "%.*s", tokens[s].length, text + tokens[s].at);
            return 1;
        }
    return 0;
}

/* A statement that stores begins behind one of `{ } ; )`. */
static int stores(int k, int end)
{
    if (!is_name(k) || one_of(k, types, 8) >= 0 ||
        !(is(k - 1, "{") || is(k - 1, "}") || is(k - 1, ";") || is(k - 1, ")")))
        return 0;
    for (; k < end && !is(k, ";") && !is(k, "{"); k++)
        if (is(k, "=") || is(k, "+=") || is(k, "-="))
            return !is(k - 2, "float") && !is(k - 2, "int");
    return 0;
}

static void guard_changes(int from, int k, int end)
{
    static const char *const conditions[] = {"if (%s %% 3 != 1) ", "if (%s > 2) ",  "if (%s & 1) ",
                                             "if (%s < 7) ",       "if (%s != 5) ", "if (5 >= %s) "};
    if (!stores(k, end))
        return;
    for (int s = from; s < k; s++) {
        char name[24], guard[64];
        if (!is(s, "for") || !counter_of(s, name, sizeof name))
            continue;
        for (int i = 0; i < 6; i++) {
            snprintf(guard, sizeof guard, conditions[i], name);
            put_before(GUARD, k, guard);
        }
    }
}

static void offset_changes(int k)
{
    static const char *const offsets[] = {" + 1", " - 1", " + 2", " - 2"};
    if (!is(k, "]") || is(k - 1, "["))
        return;
    for (int i = 0; i < 4; i++)
        put_before(OFFSET, k, offsets[i]);
}

static void number_changes(int kind, int k)
{
    char by[32];
    char *end;
    long value = strtol(text + tokens[k].at, &end, 10);
    if (end != text + tokens[k].at + tokens[k].length)
        return;
    static const int steps[] = {1, -1, 2, 7};
    for (int i = 0; kind == EXTENT && value > 2 && i < 4; i++) {
        snprintf(by, sizeof by, "%ld", value + steps[i]);
        replace(EXTENT, k, by);
    }
    if (kind == SIGN && value && !is(k - 1, "[")) {
        snprintf(by, sizeof by, "-%ld", value);
        replace(SIGN, k, by);
    }
}

/* Of a function from its first token to its last. */
static void function_changes(int from, int end)
{
    int is_main = 0, region = 0;
    for (int k = from; k < end; k++) {
        is_main = is_main || is(k, "main");
        region = region || !strncmp(text + tokens[k].at, "#pragma ws", 10);
    }
    for (int k = from; k < end; k++) {
        if (is_main && is_number(k))
            number_changes(EXTENT, k);
        if (is_main || !region || text[tokens[k].at] == '#')
            continue;
        type_changes(k);
        if (in_header(from, k))
            bound_changes(k);
        else
            operator_changes(k);
        offset_changes(k);
        guard_changes(from, k, end);
        if (is(k, "for"))
            loop_changes(k);
        if (is_number(k))
            number_changes(SIGN, k);
    }
}

/* `typedef TYPE T;` */
static void typedef_changes(int k)
{
    if (is(k, "typedef") && one_of(k + 1, types, 8) >= 0)
        for (int i = 0; i < 12; i++)
            replace(TYPE, k + 1, types[i]);
}

static void find_changes(void)
{
    nchanges = 0;
    tokenize();
    for (int k = 0; k < ntokens; k++) {
        int from = k;
        typedef_changes(k);
        while (k < ntokens && !is(k, "{") && !is(k, ";") && text[tokens[k].at] != '#')
            k++;
        if (!is(k, "{"))
            continue;
        int end = closing(k, "{", "}");
        if (is(k - 1, ")"))
            function_changes(from, end);
        k = end;
    }
}

static int apply(void)
{
    find_changes();
    int present[KINDS] = {0}, npresent = 0, drawn, left = 0;
    for (int k = 0; k < nchanges; k++)
        present[changes[k].kind]++;
    for (int k = 0; k < KINDS; k++)
        npresent += present[k] > 0;
    if (!npresent)
        return 0;
    for (drawn = below(npresent) + 1, left = 0; drawn; left++)
        drawn -= present[left] > 0;
    int kind = left - 1, which = below(present[kind]);
    for (int k = 0; k < nchanges; k++) {
        const Change *made = &changes[k];
        if (made->kind != kind || which--)
            continue;
        size_t by = strlen(made->by), rest = strlen(text + made->at + made->length) + 1;
        if (made->at + by + rest > LONGEST)
            return 0;
        int line = 1;
        for (int at = 0; at < made->at; at++)
            line += text[at] == '\n';
        fprintf(stderr, "%s: line %d: '%.*s' '%s'\n", kinds[kind], line, made->length, text + made->at, made->by);
        memmove(text + made->at + by, text + made->at + made->length, rest);
        memcpy(text + made->at, made->by, by);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: mutate SEED FILE.c\n");
        return 2;
    }
    state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15ull + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    FILE *file = fopen(argv[2], "r");
    if (!file) {
        perror(argv[2]);
        return 2;
    }
    text[fread(text, 1, LONGEST - 1, file)] = 0;
    fclose(file);
    if (!apply() || !apply())
        return 1;
    fputs(text, stdout);
    return 0;
}
