/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma.c - #pragma ws: clauses and their constants; which loop each is about.
 *
 *   #pragma ws pipeline(STAGES, 2) schedule(fine)        depth 4, in flight 2, fine
 *   for (...)
 *
 * libclang shows no cursor for a pragma that clang does not know, so they are read from the tokens.  Names of macros stay
 * in them as they are, and are looked up in the source itself.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "frontend.h"

typedef struct {
    const char *text;
    unsigned offset;
    Loc loc;
    CXTokenKind kind;
} Token;

typedef struct {
    Unit *u;
    Token *list;
    int count, at;
    bool failed;
    CXCursor function;
    Loc loc;
    unsigned offset;
} Tokens;

static const char *word(const Tokens *t)
{
    return t->at < t->count ? t->list[t->at].text : "";
}

static Loc here(const Tokens *t)
{
    return t->at < t->count ? t->list[t->at].loc : t->loc;
}

static void wrong(Tokens *t, const char *remedy, const char *sentence)
{
    if (!t->failed)
        complain(t->u, here(t), remedy, "%s", sentence);
    t->failed = true;
}

static bool accept(Tokens *t, const char *text)
{
    if (t->failed || strcmp(word(t), text))
        return false;
    t->at++;
    return true;
}

static void expect(Tokens *t, const char *text, const char *sentence)
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
static bool named_constant(Tokens *t, const char *name, int64_t *value)
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

static int64_t primary(Tokens *t)
{
    int64_t value = 1;
    char *end;
    if (accept(t, "-"))
        return -primary(t);
    if (accept(t, "+"))
        return primary(t);
    if (accept(t, "(")) {
        value = sum(t);
        expect(t, ")", "expected ')'");
        return value;
    }
    const char *text = word(t);
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
    int64_t value = primary(t);
    while (!t->failed && (!strcmp(word(t), "*") || !strcmp(word(t), "/") || !strcmp(word(t), "%"))) {
        char sign = *word(t);
        t->at++;
        int64_t right = primary(t);
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

/* A constant in a range, with an error at its first token otherwise.  */
static int number(Tokens *t, const char *what, int lowest, int highest)
{
    Loc where = here(t);
    int64_t value = sum(t);
    if (!t->failed && (value < lowest || value > highest)) {
        t->failed = true;
        complain(t->u, where, NULL, "%s is from %d to %d, not %ld", what, lowest, highest, (long)value);
    }
    return (int)value;
}

/* One of a list of words, which ends with NULL; its place there.  */
static int choice(Tokens *t, const char *const *choices, const char *place, const char *remedy)
{
    for (int i = 0; choices[i]; i++)
        if (accept(t, choices[i]))
            return i;
    if (!t->failed)
        complain(t->u, here(t), remedy, "'%s' is not %s", word(t), place);
    t->failed = true;
    return 0;
}

/* ---- clauses of grid --------------------------------------------------------------------------------------------- */

static void clause_cluster(Tokens *t, Pragma *pragma)
{
    pragma->grid.cluster[0] = number(t, "a side of a cluster", 1, 16);
    pragma->grid.cluster[1] = accept(t, ",") ? number(t, "a side of a cluster", 1, 16) : 1;
}

static void clause_order(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"row", "column", "grouped", NULL};
    static const TileOrder orders[] = {ORDER_ROW, ORDER_COLUMN, ORDER_GROUPED};
    pragma->grid.order =
        orders[choice(t, choices, "an order of tiles", "write order(row), order(column) or order(grouped(g))")];
    if (t->failed || pragma->grid.order != ORDER_GROUPED)
        return;
    expect(t, "(", "expected '(' after 'grouped'");
    pragma->grid.order_group = number(t, "the size of a group", 1, 65536);
    expect(t, ")", "expected ')' after the size of a group");
}

static void clause_consumers(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"rows", "tiles", NULL};
    static const Split splits[] = {SPLIT_ROWS, SPLIT_TILES};
    pragma->grid.consumers = number(t, "the number of consumer groups", 1, 7);
    if (accept(t, ","))
        pragma->grid.split =
            splits[choice(t, choices, "a way to split work", "write consumers(n, rows) or consumers(n, tiles)")];
}

static void clause_registers(Tokens *t, Pragma *pragma)
{
    pragma->grid.producer_registers = number(t, "a number of registers", 1, 255);
    expect(t, ",", "expected ',': registers(producer, consumer)");
    pragma->grid.consumer_registers = number(t, "a number of registers", 1, 255);
}

static void clause_share(Tokens *t, Pragma *pragma)
{
    pragma->grid.share = number(t, "a number of multiprocessors", 1, 1024);
}

/* tile(128, 64): iterations of each loop that become one.  */
static void clause_tile(Tokens *t, Pragma *pragma)
{
    int count = 0;
    do {
        int size = number(t, "a side of a tile", 1, 65536);
        if (count == pragma->grid.dims)
            wrong(t, "one for each loop of the grid", "more sides of a tile than loops");
        pragma->grid.tile[count < 4 ? count : 3] = size;
        count++;
    } while (!t->failed && accept(t, ","));
    if (!t->failed && count < pragma->grid.dims)
        wrong(t, "one for each loop of the grid; 1 for those that are not tiled", "fewer sides of a tile than loops");
}

static void clause_precision(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"f32", "tf32", "f16", "bf16", NULL};
    pragma->grid.precision = (Precision)choice(
        t, choices, "a precision", "write precision(f32), precision(tf32), precision(f16) or precision(bf16)");
}

static void clause_persistent(Tokens *t, Pragma *pragma)
{
    (void)t;
    pragma->grid.persistent = pragma->grid.persistent_given = true;
}

/* ---- clauses of pipeline ----------------------------------------------------------------------------------------- */

static void clause_schedule(Tokens *t, Pragma *pragma)
{
    static const char *const choices[] = {"fine", "coarse", "optimal", NULL};
    static const Schedule schedules[] = {SCHEDULE_FINE, SCHEDULE_COARSE, SCHEDULE_OPTIMAL};
    pragma->pipeline.schedule =
        schedules[choice(t, choices, "a schedule", "write schedule(fine), schedule(coarse) or schedule(optimal)")];
}

static void clause_tile_of_loop(Tokens *t, Pragma *pragma)
{
    pragma->pipeline.tile = number(t, "a side of a tile", 1, 65536);
}

/* reduction(+: x, y), as OpenMP's.  */
static void clause_reduction(Tokens *t, Pragma *pragma)
{
    static const char *const names[] = {"+", "-", "*", "max", "min", NULL};
    static const Opcode codes[] = {OP_ADDI, OP_ADDI, OP_MULI, OP_MAXI, OP_MINI};
    Opcode code = codes[choice(t, names, "a reduction", "write reduction(+: sum), with '+', '-', '*', 'max' or 'min'")];
    expect(t, ":", "expected ':' after the reduction's operation");
    do {
        if (t->failed)
            return;
        Reduction *reduction = arena_alloc(t->u->module, sizeof *reduction);
        *reduction = (Reduction){code, word(t), pragma->pipeline.reductions};
        pragma->pipeline.reductions = reduction;
        t->at++;
    } while (accept(t, ","));
}

static void clause_pingpong(Tokens *t, Pragma *pragma)
{
    (void)t;
    pragma->pipeline.pingpong = true;
}

/* ring(x, D): a tile that the loop is going to declare.  */
static void clause_ring(Tokens *t, Pragma *pragma)
{
    Ring *ring = arena_alloc(t->u->module, sizeof *ring);
    *ring = (Ring){word(t), 0, false, here(t), pragma->rings};
    if (t->at == t->count || (!isalpha((unsigned char)*word(t)) && *word(t) != '_'))
        wrong(t, "write ring(x, 3)", "expected the name of a tile");
    pragma->rings = ring;
    t->at++;
    expect(t, ",", "expected ',': ring(tile, slots)");
    ring->slots = number(t, "the number of slots of a ring", 1, 16);
}

/* What this door does not know yet, said where it stands.  */
static void clause_unknown_here(Tokens *t, Pragma *pragma)
{
    (void)pragma;
    wrong(t, "compile it with --ws-frontend=gcc", "the clang front end does not know this clause yet");
}

static void clause_groups(Tokens *t, Pragma *pragma)
{
    pragma->task.groups = number(t, "the number of a task's groups", 1, 7);
}

static void clause_registers_of_task(Tokens *t, Pragma *pragma)
{
    pragma->task.registers = number(t, "a number of registers", 1, 255);
}

/* ---- directives -------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    bool has_arguments;
    void (*read)(Tokens *, Pragma *);
} Clause;
static const Clause grid_clauses[] = {{"persistent", false, clause_persistent},
                                      {"cluster", true, clause_cluster},
                                      {"order", true, clause_order},
                                      {"consumers", true, clause_consumers},
                                      {"registers", true, clause_registers},
                                      {"tile", true, clause_tile},
                                      {"precision", true, clause_precision},
                                      {"extent", true, clause_unknown_here},
                                      {"share", true, clause_share},
                                      {NULL, false, NULL}};
static const Clause pipeline_clauses[] = {{"schedule", true, clause_schedule}, {"pingpong", false, clause_pingpong},
                                          {"tile", true, clause_tile_of_loop}, {"reduction", true, clause_reduction},
                                          {"ring", true, clause_ring},         {NULL, false, NULL}};

static const Clause task_clauses[] = {{"groups", true, clause_groups},
                                      {"registers", true, clause_registers_of_task},
                                      {"ring", true, clause_ring},
                                      {NULL, false, NULL}};

static void read_clause(Tokens *t, const Clause *clause, Pragma *pragma)
{
    Unit *u = t->u;
    if (clause->has_arguments)
        expect(t, "(", arena_print(u->module, "expected '(' after '%s'", clause->name));
    if (!t->failed)
        clause->read(t, pragma);
    if (clause->has_arguments)
        expect(t, ")", arena_print(u->module, "expected ')' after what '%s' says", clause->name));
}

static void read_clauses(Tokens *t, const Clause *clauses, Pragma *pragma)
{
    unsigned seen = 0;
    while (!t->failed && t->at < t->count) {
        const Clause *clause = clauses;
        while (clause->name && strcmp(clause->name, word(t)))
            clause++;
        if (!clause->name) {
            complain(t->u, here(t),
                     pragma->kind == PRAGMA_GRID
                         ? "the clauses are persistent, cluster, order, consumers, registers and share; of plain loops "
                           "tile, precision and extent"
                     : pragma->kind == PRAGMA_TASK
                         ? "the clauses are groups, registers and ring"
                         : "the clauses are schedule, pingpong and ring; of plain loops tile and reduction",
                     "'%s' is not a clause of '%s'", word(t), pragma->word);
            t->failed = true;
            return;
        }
        unsigned bit = 1u << (clause - clauses);
        if (seen & bit && strcmp(clause->name, "reduction") && strcmp(clause->name, "ring"))
            wrong(t, "remove one of them", "this clause is given twice");
        seen |= bit;
        t->at++;
        read_clause(t, clause, pragma);
    }
}

static void read_grid(Tokens *t, Pragma *pragma)
{
    pragma->kind = PRAGMA_GRID;
    expect(t, "(", "expected '(' after 'grid': the number of nested loops");
    pragma->grid.dims = number(t, "the number of loops of a grid", 1, 4);
    expect(t, ")", "expected ')' after the number of loops");
    read_clauses(t, grid_clauses, pragma);
}

static void read_pipeline(Tokens *t, Pragma *pragma)
{
    Pipeline *pipeline = &pragma->pipeline;
    pragma->kind = PRAGMA_PIPELINE;
    pipeline->depth = pipeline->in_flight = -1;
    expect(t, "(", "expected '(' after 'pipeline': the depth, or 'auto'");
    if (accept(t, "auto")) {
        pipeline->automatic = true;
    } else {
        pipeline->depth = number(t, "the depth of a pipeline", 1, 16);
        if (accept(t, ","))
            pipeline->in_flight = number(t, "the number of iterations in flight", 1, 64);
    }
    expect(t, ")", "expected ')' after the depth");
    read_clauses(t, pipeline_clauses, pragma);
}

static void read_task(Tokens *t, Pragma *pragma)
{
    pragma->kind = PRAGMA_TASK;
    expect(t, "(", "expected '(' after 'task': its name");
    pragma->task.name = word(t);
    if (t->at == t->count || (!isalpha((unsigned char)*word(t)) && *word(t) != '_'))
        wrong(t, "write task(name)", "expected the name of a task");
    t->at++;
    expect(t, ")", "expected ')' after the task's name");
    read_clauses(t, task_clauses, pragma);
}

static void read_directive(Tokens *t, Pragma *pragma)
{
    pragma->word = word(t);
    if (accept(t, "grid")) {
        read_grid(t, pragma);
    } else if (accept(t, "pipeline")) {
        read_pipeline(t, pragma);
    } else if (accept(t, "parts")) {
        pragma->kind = PRAGMA_PARTS;
        pragma->pipeline.parts = true;
    } else if (accept(t, "blocks")) {
        pragma->kind = PRAGMA_BLOCKS;
        pragma->pipeline.blocks = true;
    } else if (accept(t, "task")) {
        read_task(t, pragma);
    } else if (!strcmp(word(t), "devices") || !strcmp(word(t), "together")) {
        wrong(t, "compile it with --ws-frontend=gcc", "the clang front end does not know this pragma yet");
    } else {
        complain(t->u, here(t),
                 "write '#pragma ws grid(n)', '#pragma ws pipeline(D, P)', '#pragma ws parts', "
                 "'#pragma ws blocks', '#pragma ws task(name)', '#pragma ws devices(n)' or "
                 "'#pragma ws together'",
                 "'%s' is not a '#pragma ws'", word(t));
        t->failed = true;
    }
    if (!t->failed && t->at < t->count)
        wrong(t, arena_print(t->u->module, "write '#pragma ws %s'", pragma->word),
              "there is more than the pragma takes");
}

/* ---- macros ------------------------------------------------------------------------------------------------------ */

static Token *token_of(Unit *u, CXTranslationUnit tu, CXToken token, Token *result)
{
    CXSourceLocation where = clang_getTokenLocation(tu, token);
    *result = (Token){.text = text_of(u, clang_getTokenSpelling(tu, token)), .kind = clang_getTokenKind(token)};
    clang_getSpellingLocation(where, NULL, NULL, NULL, &result->offset);
    result->loc = loc_at(u, where);
    return result;
}

static CXCursor find_macro(Unit *u, const char *name)
{
    CXCursor macro = clang_getNullCursor();
    if (!u->before &&
        clang_parseTranslationUnit2(u->index, u->source, u->args, u->nargs, NULL, 0,
                                    CXTranslationUnit_DetailedPreprocessingRecord, &u->before) != CXError_Success)
        return macro;
    Cursors all = children(u, clang_getTranslationUnitCursor(u->before));
    for (int i = 0; i < all.count; i++)
        if (all.list[i].kind == CXCursor_MacroDefinition && !clang_Cursor_isMacroFunctionLike(all.list[i]) &&
            !clang_Cursor_isMacroBuiltin(all.list[i]) &&
            !strcmp(text_of(u, clang_getCursorSpelling(all.list[i])), name))
            macro = all.list[i];
    return macro;
}

/* -DNAME=TEXT of a number or a name.  */
static const char *given_macro(const Unit *u, const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; i < u->nargs; i++) {
        const char *text = !strcmp(u->args[i], "-D") && i + 1 < u->nargs ? u->args[i + 1]
                           : !strncmp(u->args[i], "-D", 2)               ? u->args[i] + 2
                                                                         : "";
        if (!strncmp(text, name, length) && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

static void expand(Tokens *t, const Token *token, int depth)
{
    bool name = isalpha((unsigned char)*token->text) || *token->text == '_';
    const char *given = name ? given_macro(t->u, token->text) : NULL;
    if (given && depth < 16) {
        Token other = *token;
        other.text = given;
        expand(t, &other, depth + 1);
        return;
    }
    CXCursor macro = name && depth < 16 ? find_macro(t->u, token->text) : clang_getNullCursor();
    if (clang_Cursor_isNull(macro)) {
        LIST_ADD(t->u->module, t->list, t->count) = *token;
        return;
    }
    CXToken *tokens;
    unsigned count;
    Token one;
    clang_tokenize(t->u->before, clang_getCursorExtent(macro), &tokens, &count);
    for (unsigned i = 1; i < count; i++) {
        Token *inner = token_of(t->u, t->u->before, tokens[i], &one);
        inner->loc = token->loc;
        if (inner->kind != CXToken_Comment)
            expand(t, inner, depth + 1);
    }
    clang_disposeTokens(t->u->before, tokens, count);
}

/* ---- the text ----------------------------------------------------------------------------------------------- */

static CXCursor function_around(const Unit *u, unsigned offset)
{
    Cursors all = children(u, clang_getTranslationUnitCursor(u->tu));
    for (int i = 0; i < all.count; i++)
        if (all.list[i].kind == CXCursor_FunctionDecl && in_text(u, all.list[i]) && begin_of(all.list[i]) <= offset &&
            offset < end_of(all.list[i]))
            return all.list[i];
    return clang_getNullCursor();
}

/* The end of the directive's line, with those that a backslash adds.  */
static unsigned line_end(const Unit *u, unsigned at)
{
    while (at < u->size && (u->text[at] != '\n' || u->text[at - 1] == '\\'))
        at++;
    return at;
}

static void read_pragma(Unit *u, const Token *hash, const Token *list, int count)
{
    Tokens t = {.u = u, .function = function_around(u, hash->offset), .loc = hash->loc, .offset = hash->offset};
    Pragma pragma = {.loc = list[0].loc, .offset = hash->offset, .word = "", .kind = PRAGMA_OTHER};
    if (!strcmp(list[0].text, "wsc")) {
        complain(u, pragma.loc, "write '#pragma ws'", "'#pragma wsc' is not a pragma");
        return;
    }
    for (int i = 1; i < count; i++)
        expand(&t, &list[i], 0);
    if (clang_Cursor_isNull(t.function))
        wrong(&t, "put it above a 'for' loop", "'#pragma ws' stands outside every function");
    else
        read_directive(&t, &pragma);
    if (!t.failed)
        LIST_ADD(u->module, u->pragmas, u->npragmas) = pragma;
}

void pragmas_read(Unit *u)
{
    CXSourceRange whole = clang_getRange(clang_getLocationForOffset(u->tu, u->file, 0),
                                         clang_getLocationForOffset(u->tu, u->file, (unsigned)u->size));
    CXToken *tokens;
    unsigned count;
    clang_tokenize(u->tu, whole, &tokens, &count);
    for (unsigned i = 0; i + 2 < count; i++) {
        Token hash, next, line[128];
        int length = 0;
        if (clang_getTokenKind(tokens[i]) != CXToken_Punctuation ||
            strcmp(token_of(u, u->tu, tokens[i], &hash)->text, "#") ||
            strcmp(token_of(u, u->tu, tokens[i + 1], &next)->text, "pragma"))
            continue;
        unsigned end = line_end(u, hash.offset);
        for (unsigned k = i + 2; k < count && length < 128; k++) {
            if (token_of(u, u->tu, tokens[k], &next)->offset >= end)
                break;
            if (next.kind != CXToken_Comment)
                line[length++] = next;
        }
        if (length && (!strcmp(line[0].text, "ws") || !strcmp(line[0].text, "wsc")))
            read_pragma(u, &hash, line, length);
    }
    clang_disposeTokens(u->tu, tokens, count);
}

/* ---- pragmas that stand elsewhere -------------------------------------------------------------------------------- */

typedef struct {
    Unit *u;
    bool found;
} Elsewhere;

static void look_into(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    Elsewhere *elsewhere = data;
    CXTranslationUnit tu = elsewhere->u->tu;
    size_t size;
    (void)stack;
    const char *text = clang_getFileContents(tu, file, &size);
    unsigned last = text && size ? (unsigned)size - 1 : 0; /* it may say so itself */
    if (clang_Location_isInSystemHeader(clang_getLocationForOffset(tu, file, last)))
        return;
    elsewhere->found |= text && (strstr(text, "_Pragma") || (depth && strstr(text, "pragma ws")));
}

/* Then it is the preprocessor's text that has to be read.  */
bool pragmas_elsewhere(Unit *u)
{
    Elsewhere elsewhere = {u, false};
    clang_getInclusions(u->tu, look_into, &elsewhere);
    return elsewhere.found;
}

/* ---- which loop -------------------------------------------------------------------------------------------------- */

/* Only white space, comments and other directives stand between.  */
static bool only_blank(const Unit *u, unsigned at, unsigned begin)
{
    if (begin < at)
        return false;
    while (at < begin) {
        const char *text = u->text + at;
        if (isspace((unsigned char)*text)) {
            at++;
        } else if (*text == '#') {
            at = line_end(u, at);
        } else if (text[0] == '/' && text[1] == '/') {
            at = line_end(u, at);
        } else if (text[0] == '/' && text[1] == '*') {
            const char *end = strstr(text + 2, "*/");
            at = end ? (unsigned)(end + 2 - u->text) : begin + 1;
        } else {
            return false;
        }
    }
    return at == begin;
}

static bool stands_above(const Unit *u, const Pragma *pragma, unsigned begin)
{
    return only_blank(u, line_end(u, pragma->offset), begin);
}

/* The first thing in its braces.  */
Pragma *pragma_of_block(const Unit *u, CXCursor block)
{
    if (block.kind != CXCursor_CompoundStmt || !in_text(u, block))
        return NULL;
    for (int i = 0; i < u->npragmas; i++)
        if (u->pragmas[i].kind == PRAGMA_TASK && only_blank(u, begin_of(block) + 1, u->pragmas[i].offset))
            return &u->pragmas[i];
    return NULL;
}

Pragma *pragma_of_loop(Unit *u, CXCursor loop, CXCursor function)
{
    (void)function;
    if (!in_text(u, loop))
        return NULL;
    for (int i = 0; i < u->npragmas; i++)
        if (u->pragmas[i].kind != PRAGMA_TASK && stands_above(u, &u->pragmas[i], begin_of(loop)))
            return &u->pragmas[i];
    return NULL;
}

void pragmas_check(Unit *u)
{
    for (int i = 0; i < u->npragmas && !u->errors; i++) {
        const Pragma *pragma = &u->pragmas[i];
        if (pragma->used)
            continue;
        complain(u, pragma->loc, "put it into a grid",
                 pragma->kind == PRAGMA_TASK   ? "'#pragma ws %s' does not begin a block of a pipelined loop"
                 : pragma->kind == PRAGMA_GRID ? "'#pragma ws %s' stands above a 'for' loop"
                                               : "'#pragma ws %s' is above no loop of a grid",
                 pragma->word);
    }
}
