/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma.c - the grammar of #pragma ws: tokens -> Directive, or one error.
 *
 *   ring(x, 3)        the row CLAUSE_PIPELINE_RING of clauses.def has the parameters NAME and NUMBER
 *
 * The rows decide. To add a clause, add a row, and read it in directive.c or in the front ends.
 */
#include <string.h>

#include "source/reader.h"

enum { MOST_WORDS = 32 };

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

bool token_is(const Token *token, const char *text)
{
    return token->kind != TOKEN_END && !strcmp(token->text, text);
}

void reader_fail(Reader *r, Loc loc, Reason reason, const char *remedy, ...)
{
    if (r->failed)
        return;
    r->failed = true;
    va_list list;
    va_start(list, remedy);
    const char *sentence = arena_vprint(r->host->module, reason_sentence(reason), list);
    va_end(list);
    r->host->report(r->host->context, loc, reason, reason_tag(r->host->module, reason, sentence),
                    remedy ? remedy : reason_remedy(reason), NULL);
}

bool reader_accept(Reader *r, const char *text)
{
    if (r->failed || !token_is(r->next, text))
        return false;
    r->next++;
    return true;
}

void reader_expect(Reader *r, const char *text, const char *what)
{
    if (!reader_accept(r, text))
        reader_fail(r, r->next->loc, REASON_PRAGMA_EXPECTED, NULL, what);
}

static const char *example(const Reader *r, const Row *row)
{
    return row->example && *row->example ? arena_print(r->host->module, "write %s", row->example) : NULL;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Another word than those of the rows: `what` they are.  */
static void unknown_word(Reader *r, const char *what, const char *const *words, int count, const char *remedy)
{
    Module *module = r->host->module;
    const Token *token = r->next;
    if (r->failed)
        return;
    if (token->kind != TOKEN_NAME) {
        reader_fail(r, token->loc, REASON_PRAGMA_EXPECTED, remedy, what);
        return;
    }
    const char *meant = closest_word(token->text, words, count);
    const char *sentence = arena_print(module, reason_sentence(REASON_PRAGMA_WORD), token->text, what);
    if (meant)
        sentence = arena_print(module, "%s; did you mean '%s'?", sentence, meant);
    r->failed = true;
    sentence = reason_tag(module, REASON_PRAGMA_WORD, sentence);
    r->host->report(r->host->context, token->loc, REASON_PRAGMA_WORD, sentence, remedy, meant);
}

/* One of a list of rows; NULL after an error.  */
static const Row *read_word(Reader *r, const Row *rows, const char *what, const char *remedy)
{
    const char *words[MOST_WORDS];
    int count = 0;
    for (const Row *row = rows; row->word; row++) {
        if (reader_accept(r, row->word))
            return row;
        if (count < MOST_WORDS)
            words[count++] = row->word;
    }
    unknown_word(r, what, words, count, remedy);
    return NULL;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static Argument *read_arguments(Reader *r, const Row *row, int loops);

/* A name, whose meaning `known` takes if it is declared.  */
static bool read_name(Reader *r, const char *what, const char *remedy, Argument *argument)
{
    if (r->next->kind != TOKEN_NAME)
        reader_fail(r, r->next->loc, REASON_PRAGMA_EXPECTED, remedy, what);
    if (r->failed)
        return false;
    argument->name = r->next->text;
    r->next++;
    return true;
}

static NameKind meaning(Reader *r, const Token *token, const char *remedy, Loc *declared)
{
    int64_t value;
    NameKind kind = r->host->resolve(r->host->context, token, false, &value, declared);
    if (kind == NAME_UNKNOWN)
        reader_fail(r, token->loc, REASON_PRAGMA_UNDECLARED, remedy && *remedy ? remedy : NULL, token->text);
    return kind;
}

/* A pointer or an array by its name; NAME_UNKNOWN after an error.  */
static NameKind read_array_name(Reader *r, const Row *row, Argument *argument)
{
    const Token *token = r->next;
    if (!read_name(r, "the name of a pointer or an array", example(r, row), argument))
        return NAME_UNKNOWN;
    NameKind kind = meaning(r, token, NULL, &argument->declared);
    if (kind != NAME_UNKNOWN && kind != NAME_POINTER && kind != NAME_ARRAY)
        reader_fail(r, token->loc, REASON_PRAGMA_ARRAY, example(r, row), token->text);
    return r->failed ? NAME_UNKNOWN : kind;
}

/* first:count] of x[first:count]; `first` is NULL where it is left out.  */
static void read_section(Reader *r, const Expression **first, const Expression **count)
{
    *first = token_is(r->next, ":") ? NULL : expression_read(r, "an extent");
    reader_expect(r, ":", "':' of a section: x[first:count]");
    *count = expression_read(r, "an extent");
    reader_expect(r, "]", "']' behind the section");
}

/* x[0:n][0:m]: sections behind the first are those of whole rows.  */
static void read_array(Reader *r, const Row *row, Argument *argument)
{
    NameKind kind = read_array_name(r, row, argument);
    bool section = kind != NAME_UNKNOWN && reader_accept(r, "[");
    if (section)
        read_section(r, &argument->first, &argument->count);
    else if (kind == NAME_POINTER)
        reader_fail(r, argument->loc, REASON_PRAGMA_LENGTH, example(r, row), argument->name);
    while (section && reader_accept(r, "[")) {
        const Expression *first, *count;
        read_section(r, &first, &count);
        if (!r->failed && first && (first->kind != EXPRESSION_NUMBER || first->number))
            reader_fail(r, first->loc, REASON_PRAGMA_SECTIONS, NULL);
    }
}

static void read_extent(Reader *r, const Row *row, Argument *argument)
{
    read_array_name(r, row, argument);
    reader_expect(r, ":", "':' after the array's name");
    argument->count = expression_read(r, "an extent");
}

static void read_number(Reader *r, const Parameter *parameter, Argument *argument)
{
    argument->number = constant_in_range(r, parameter->what, parameter->least, parameter->most);
}

/* A variable, or a constant.  */
static void read_count(Reader *r, const Parameter *parameter, Argument *argument)
{
    const Token *token = r->next;
    int64_t value;
    NameKind kind = token->kind == TOKEN_NAME
                        ? r->host->resolve(r->host->context, token, true, &value, &argument->declared)
                        : NAME_OTHER;
    if (kind == NAME_INTEGER || kind == NAME_LONG)
        read_name(r, parameter->what, NULL, argument);
    else
        read_number(r, parameter, argument);
}

static void read_choice(Reader *r, const Row *row, const Parameter *parameter, Argument *argument)
{
    const Row *word = read_word(r, parameter->words, parameter->what, example(r, row));
    if (!word)
        return;
    argument->number = word->value;
    argument->name = word->word;
    if (parameter->kind == PARAMETER_OPERATION)
        reader_expect(r, ":", "':' after the reduction's operation");
    if (!r->failed && word->parameters[0].kind != PARAMETER_NONE)
        argument->arguments = read_arguments(r, word, 0);
}

static Argument *read_argument(Reader *r, const Row *row, const Parameter *parameter)
{
    const Token *token = r->next;
    Argument *argument = arena_alloc(r->host->module, sizeof *argument);
    argument->loc = token->loc;
    switch (parameter->kind) {
    case PARAMETER_NUMBER:
        read_number(r, parameter, argument);
        break;
    case PARAMETER_COUNT:
        read_count(r, parameter, argument);
        break;
    case PARAMETER_WORD:
    case PARAMETER_OPERATION:
        read_choice(r, row, parameter, argument);
        break;
    case PARAMETER_NAME:
        read_name(r, parameter->what, example(r, row), argument);
        break;
    case PARAMETER_DECLARED:
        if (read_name(r, parameter->what, example(r, row), argument))
            meaning(r, token, parameter->remedy, &argument->declared);
        break;
    case PARAMETER_EXPRESSION:
        argument->count = expression_read(r, parameter->what);
        break;
    case PARAMETER_EXTENT:
        read_extent(r, row, argument);
        break;
    case PARAMETER_ARRAY:
        read_array(r, row, argument);
        break;
    case PARAMETER_NONE:
        break;
    }
    return argument;
}

/* Tiles have one order, and begin at one place.  */
static void check_order(Reader *r, const Argument *list, const Argument *last)
{
    for (; list != last; list = list->next)
        if (!list->number == !last->number)
            reader_fail(r, last->loc, REASON_PRAGMA_ORDERS, NULL);
}

/* A side for each of `loops` loops.  */
static void check_sides(Reader *r, int loops, int count, const Argument *last)
{
    if (count > loops)
        reader_fail(r, last->loc, REASON_PRAGMA_SIDES_MANY, NULL);
    else if (count < loops && !token_is(r->next, ","))
        reader_fail(r, r->next->loc, REASON_PRAGMA_SIDES_FEW, NULL);
}

/* Contradictions within a clause, behind its argument number `count`.  */
static void check_arguments(Reader *r, const Row *row, int loops, int count, const Argument *list, const Argument *last)
{
    bool clause = row->of != DIRECTIVE_COUNT && row >= clause_rows && row < clause_rows + CLAUSE_COUNT;
    if (r->failed || !clause)
        return;
    if (row->value == CLAUSE_GRID_ORDER)
        check_order(r, list, last);
    else if (row->value == CLAUSE_GRID_TILE)
        check_sides(r, loops, count, last);
    else if ((row->value == CLAUSE_PIPELINE_SHARE || row->value == CLAUSE_TASK_SHARE) && count == 2 &&
             !strcmp(list->name, last->name))
        reader_fail(r, last->loc, REASON_PRAGMA_ITSELF, NULL);
}

static bool is_last_word(const Parameter *parameter, const Argument *argument)
{
    if (parameter->kind != PARAMETER_WORD || !argument->name)
        return false;
    const Row *word = parameter->words;
    while (strcmp(word->word, argument->name))
        word++;
    return word->flags & ROW_LAST;
}

/* Between two parameters; false: no other one follows.  */
static bool goes_on(Reader *r, const Row *row, const Parameter *before, const Parameter *parameter)
{
    if (r->failed || parameter->kind == PARAMETER_NONE)
        return false;
    if (before->kind == PARAMETER_OPERATION)
        return true;
    if (parameter->optional)
        return reader_accept(r, ",");
    reader_expect(r, ",", arena_print(r->host->module, "',': %s", row->example));
    return !r->failed;
}

static Argument *read_list(Reader *r, const Row *row, int loops)
{
    Argument *list = NULL, **end = &list;
    int count = 0;
    if (row->parameters[0].automatic && reader_accept(r, "auto"))
        return NULL;
    for (const Parameter *parameter = row->parameters; !r->failed; parameter++) {
        if (parameter != row->parameters && !goes_on(r, row, parameter - 1, parameter))
            break;
        do {
            Argument *last = *end = read_argument(r, row, parameter);
            end = &last->next;
            check_arguments(r, row, loops, ++count, list, last);
            if (!r->failed && is_last_word(parameter, last))
                return list;
        } while (parameter->repeated && reader_accept(r, ","));
        if (parameter == row->parameters + 2)
            break;
    }
    return list;
}

/* All that stands in the parentheses of a row.  */
static Argument *read_arguments(Reader *r, const Row *row, int loops)
{
    Module *module = r->host->module;
    reader_expect(r, "(", arena_print(module, "'(' after '%s'%s", row->word, row->hint));
    if (r->failed)
        return NULL;
    Argument *list = read_list(r, row, loops);
    reader_expect(r, ")", arena_print(module, "')' after %s", row->closing));
    return list;
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */

/* "copy, copyin and create", with " and " before the last.  */
static const char *listed(Module *module, const char *const *words, int count, const char *last)
{
    const char *text = count ? words[0] : "";
    for (int i = 1; i < count; i++)
        text = arena_print(module, "%s%s%s", text, i == count - 1 ? last : ", ", words[i]);
    return text;
}

/* Of the clauses of a directive, those with the flag ROW_PLAIN or those without.  */
static int words_of(DirectiveKind of, int plain, const char **words)
{
    int count = 0;
    for (const Row *row = clause_rows; row->word; row++)
        if (row->of == of && (row->flags & ROW_PLAIN) == plain)
            words[count++] = row->word;
    return count;
}

static void unknown_clause(Reader *r, const Row *directive)
{
    Module *module = r->host->module;
    const char *words[CLAUSE_COUNT];
    const int count = words_of(directive->value, 0, words);
    const int plain = words_of(directive->value, ROW_PLAIN, words + count);
    const char *remedy = arena_print(module, "the clauses are %s", listed(module, words, count, " and "));
    if (plain)
        remedy = arena_print(module, "%s; of plain loops %s", remedy, listed(module, words + count, plain, " and "));
    unknown_word(r, arena_print(module, "a clause of '%s'", directive->word), words, count + plain, remedy);
}

static const Row *clause_row(const Token *token, DirectiveKind of)
{
    for (const Row *row = clause_rows; row->word; row++)
        if (row->of == of && token_is(token, row->word))
            return row;
    return NULL;
}

static void read_clauses(Reader *r, const Row *row, Directive *directive)
{
    Clause **end = &directive->clauses;
    const int loops = directive->kind == DIRECTIVE_GRID ? (int)directive->arguments->number : 0;
    while (!r->failed && r->next->kind != TOKEN_END) {
        const Row *found = clause_row(r->next, directive->kind);
        if (!found) {
            unknown_clause(r, row);
            return;
        }
        if (!(found->flags & ROW_MANY) && clause_of(directive->clauses, found->value))
            reader_fail(r, r->next->loc, REASON_PRAGMA_TWICE, NULL);
        Clause *clause = *end = arena_alloc(r->host->module, sizeof *clause);
        *clause = (Clause){.kind = found->value, .loc = r->next->loc};
        end = &clause->next;
        r->next++;
        if (!r->failed && found->parameters[0].kind != PARAMETER_NONE)
            clause->arguments = read_arguments(r, found, loops);
    }
}

const Clause *clause_of(const Clause *from, ClauseKind kind)
{
    while (from && from->kind != kind)
        from = from->next;
    return from;
}

/* ---- directives -------------------------------------------------------------------------------------------------- */

static const Row *read_directive_word(Reader *r)
{
    const char *examples[DIRECTIVE_COUNT];
    Module *module = r->host->module;
    for (int i = 0; i < DIRECTIVE_COUNT; i++)
        examples[i] = arena_print(module, "'#pragma ws %s'", directive_rows[i].example);
    return read_word(r, directive_rows, "a '#pragma ws'",
                     arena_print(module, "write %s", listed(module, examples, DIRECTIVE_COUNT, " or ")));
}

static void read_directive(Reader *r, const Row *row, Directive *directive)
{
    Module *module = r->host->module;
    directive->kind = row->value;
    if (row->parameters[0].kind != PARAMETER_NONE)
        directive->arguments = read_arguments(r, row, 0);
    if (r->failed)
        return;
    if (row->flags & ROW_ALONE && r->next->kind != TOKEN_END)
        reader_fail(r, r->next->loc, REASON_PRAGMA_ALONE, arena_print(module, "write '#pragma ws %s'", row->example),
                    row->word);
    if (row->flags & ROW_CLAUSE && r->next->kind == TOKEN_END)
        reader_fail(r, r->next->loc, REASON_PRAGMA_NO_ARRAY, example(r, row), row->word);
    read_clauses(r, row, directive);
}

bool pragma_read(const PragmaHost *host, const Token *tokens, Directive *directive)
{
    Reader r = {.host = host, .next = tokens};
    *directive = (Directive){.kind = DIRECTIVE_COUNT, .loc = tokens->loc};
    for (const Token *token = tokens; token->kind != TOKEN_END; token++)
        if (token_is(token, "_Pragma"))
            reader_fail(&r, token->loc, REASON_PRAGMA_OPERATOR, NULL);
    const Row *row = r.failed ? NULL : read_directive_word(&r);
    if (row)
        read_directive(&r, row, directive);
    return !r.failed;
}
