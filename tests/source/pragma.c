/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma.c - the grammar of pragmas without a host compiler.
 *
 *   pragma <LINES              the directive of each line, or its error with the column
 *   pragma COUNT SEED <LINES   COUNT broken ones of these lines: each is accepted, or has exactly one error
 *
 * The names are those of `known` below. The text of a line stands behind `#pragma ws`.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ir/kernel.h"
#include "source/pragma.h"

enum { MOST_TOKENS = 4096, MOST_LINES = 512 };

static const struct {
    const char *name;
    NameKind kind;
    int64_t value;
} known[] = {{"n", NAME_INTEGER, 0},
             {"m", NAME_INTEGER, 0},
             {"wide", NAME_LONG, 0},
             {"x", NAME_POINTER, 0},
             {"y", NAME_POINTER, 0},
             {"table", NAME_ARRAY, 0},
             {"sum", NAME_OTHER, 0},
             {"tile_a", NAME_OTHER, 0},
             {"f", NAME_OTHER, 0},
             {"STAGES", NAME_CONSTANT, 4},
             {"LARGE", NAME_CONSTANT, INT64_MAX}};

typedef struct {
    Module *module;
    int errors, column;
    bool loud;
} Host;

static NameKind resolve(void *context, const Token *name, bool constant, int64_t *value, Loc *declared)
{
    (void)context, (void)constant, (void)declared;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name->text)) {
            *value = known[i].value;
            return known[i].kind;
        }
    return NAME_UNKNOWN;
}

static int64_t choose(void *context, Loc loc, bool shape, int count, const int64_t *values)
{
    (void)context, (void)loc, (void)shape;
    return values[count - 1];
}

static void report(void *context, Loc loc, Reason reason, const char *sentence, const char *remedy, const char *meant)
{
    Host *host = context;
    (void)reason, (void)meant;
    host->errors++;
    host->column = loc.column;
    if (host->loud)
        printf("%d: error: %s\n%s%s%s", loc.column, sentence, *remedy ? "   note: " : "", remedy, *remedy ? "\n" : "");
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

static size_t length_of(const char *text)
{
    static const char *const pairs[] = {"&&", "||", "<<", ">>", "<=", ">=", "==", "!=", "->", "++", "--"};
    const char *end = text;
    if (isalnum((unsigned char)*text) || *text == '_') {
        while (isalnum((unsigned char)*end) || *end == '_' || (*end == '.' && isdigit((unsigned char)*text)))
            end++;
        return (size_t)(end - text);
    }
    if (*text == '"' || *text == '\'') {
        for (end++; *end && *end != *text; end++)
            end += *end == '\\' && end[1];
        return (size_t)(end - text) + (*end != 0);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strncmp(text, pairs[i], 2))
            return 2;
    return 1;
}

static int tokens_of(Module *module, const char *line, Token *tokens)
{
    const char *at = line;
    int count = 0;
    for (at += strspn(at, " \t"); *at && count + 1 < MOST_TOKENS; at += strspn(at, " \t")) {
        size_t length = length_of(at);
        const char *text = arena_print(module, "%.*s", (int)length, at);
        tokens[count++] = token_of_text(text, (Loc){.file = "line", .line = 1, .column = (int)(at - line) + 1});
        at += length;
    }
    tokens[count] = (Token){"", TOKEN_END, 0, {.file = "line", .line = 1, .column = (int)strlen(line) + 1}};
    return count;
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void print_arguments(Module *module, const Argument *arguments)
{
    const char *separator = "(";
    for (; arguments; arguments = arguments->next, separator = ", ") {
        fputs(separator, stdout);
        if (arguments->name)
            fputs(arguments->name, stdout);
        else if (!arguments->count)
            printf("%lld", (long long)arguments->number);
        if (arguments->first)
            printf("[%s", expression_text(module, arguments->first));
        if (arguments->count)
            printf(":%s", expression_text(module, arguments->count));
        print_arguments(module, arguments->arguments);
    }
    fputs(*separator == ',' ? ")" : "", stdout);
}

static void print_directive(Module *module, const Directive *directive)
{
    fputs(directive_word(directive->kind), stdout);
    print_arguments(module, directive->arguments);
    for (const Clause *clause = directive->clauses; clause; clause = clause->next) {
        printf(" | %s", clause_word(clause->kind));
        print_arguments(module, clause->arguments);
    }
    putchar('\n');
}

static void show_line(const char *line)
{
    static Token tokens[MOST_TOKENS];
    Host host = {.module = module_new("line", NULL, NULL, NULL), .loud = true};
    PragmaHost grammar = {host.module, &host, resolve, choose, report};
    Directive directive;
    tokens_of(host.module, line, tokens);
    printf("%s\n", line);
    if (pragma_read(&grammar, tokens, &directive))
        print_directive(host.module, &directive);
    module_free(host.module);
}

/* ---- broken lines ------------------------------------------------------------------------------------------------ */

static uint64_t state;

static int any(int count)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)(count ? count : 1));
}

/* Cut off, doubled, swapped, removed, or replaced by a token of another line.  */
static int spoil(Token *tokens, int count, const Token *others, int nothers)
{
    int at = any(count), other = any(count);
    Token end = tokens[count], kept = tokens[at];
    switch (any(5)) {
    case 0:
        count = at;
        break;
    case 1:
        memmove(tokens + at + 1, tokens + at, (size_t)(count - at) * sizeof *tokens);
        count++;
        break;
    case 2:
        tokens[at] = tokens[other];
        tokens[other] = kept;
        break;
    case 3:
        memmove(tokens + at, tokens + at + 1, (size_t)(count - at) * sizeof *tokens);
        count -= count > 0;
        break;
    default:
        tokens[at] = others[any(nothers)];
    }
    tokens[count] = end;
    return count;
}

/* False: neither a directive alone nor exactly one error.  */
static bool judge(Module *module, const Token *tokens, bool *accepted)
{
    Host host = {.module = module};
    PragmaHost grammar = {module, &host, resolve, choose, report};
    Directive directive;
    *accepted = pragma_read(&grammar, tokens, &directive);
    return host.errors == !*accepted && (*accepted || host.column > 0);
}

static int break_lines(char **lines, int nlines, int count)
{
    static Token tokens[MOST_TOKENS], others[MOST_TOKENS];
    int refused = 0, wrong = 0;
    for (int i = 0; i < count; i++) {
        Module *module = module_new("line", NULL, NULL, NULL);
        int length = tokens_of(module, lines[any(nlines)], tokens),
            nothers = tokens_of(module, lines[any(nlines)], others);
        bool accepted;
        for (int times = 1 + any(2); times > 0; times--)
            length = spoil(tokens, length, others, nothers);
        if (!judge(module, tokens, &accepted)) {
            wrong++;
            for (int k = 0; k < length; k++)
                printf("%s ", tokens[k].text);
            puts(": not exactly one error or a directive");
        }
        refused += !accepted;
        module_free(module);
    }
    printf("%d broken lines: %d refused, %d accepted, %d wrong\n", count, refused, count - refused, wrong);
    return wrong || refused < count / 2 || refused == count;
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    char *lines[MOST_LINES];
    int nlines = 0, status = 0;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (argc > 2 && nlines < MOST_LINES && *line)
            lines[nlines++] = strdup(line);
        else if (argc <= 2 && *line)
            show_line(line);
    }
    if (argc > 2) {
        state = strtoull(argv[2], NULL, 10);
        status = break_lines(lines, nlines, atoi(argv[1]));
    }
    while (nlines > 0)
        free(lines[--nlines]);
    return status;
}
