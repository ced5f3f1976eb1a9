/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma.c - #pragma ws: where each stands, and which loop it is about.
 *
 *   #pragma ws pipeline(STAGES, 2) schedule(fine)        depth 4, in flight 2, fine
 *   for (...)
 *
 * libclang shows no cursor for a pragma that clang does not know, so they are read from the tokens.  Names of macros
 * stay in them as they are, and are looked up in the source itself.
 */
#include <ctype.h>
#include <string.h>

#include "pragma.h"

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
    if (!strcmp(token->text, "_Pragma") && !t->failed) {
        complain(t->u, token->loc, "write the other pragma on a line of its own, below this one",
                 "'_Pragma' stands inside of '#pragma ws'");
        t->failed = true;
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
unsigned line_end(const Unit *u, unsigned at)
{
    while (at < u->size && (u->text[at] != '\n' || u->text[at - 1] == '\\'))
        at++;
    return at;
}

static void read_pragma(Unit *u, const Token *hash, const Token *list, int count)
{
    Tokens t = {.u = u, .function = function_around(u, hash->offset), .loc = hash->loc, .offset = hash->offset};
    t.made_of_integers = "an extent is made of integers";
    Pragma pragma = {.loc = list[0].loc, .offset = hash->offset, .word = "", .kind = PRAGMA_OTHER};
    if (strcmp(list[0].text, "ws")) {
        complain(u, pragma.loc, "write '#pragma ws'", "'#pragma %s' is not a pragma", list[0].text);
        return;
    }
    if (u->cxx) {
        complain(u, list[0].loc, "put the kernel into a C file; C++ calls it", "kernels are C");
        return;
    }
    for (int i = 1; i < count; i++)
        expand(&t, &list[i], 0);
    if (t.failed)
        return;
    if (clang_Cursor_isNull(t.function))
        wrong(&t, "put it above a 'for' loop", "'#pragma ws' stands outside every function");
    else
        read_directive(&t, &pragma);
    if (!t.failed)
        LIST_ADD(u->module, u->pragmas, u->npragmas) = pragma;
}

/* Lines that a condition leaves out are tokens, too.  */
static bool is_skipped(const CXSourceRangeList *skipped, unsigned offset)
{
    for (unsigned i = 0; skipped && i < skipped->count; i++) {
        unsigned begin, end;
        clang_getSpellingLocation(clang_getRangeStart(skipped->ranges[i]), NULL, NULL, NULL, &begin);
        clang_getSpellingLocation(clang_getRangeEnd(skipped->ranges[i]), NULL, NULL, NULL, &end);
        if (begin <= offset && offset < end)
            return true;
    }
    return false;
}

void pragmas_read(Unit *u)
{
    CXSourceRangeList *skipped = clang_getSkippedRanges(u->tu, u->file);
    CXSourceRange whole = clang_getRange(clang_getLocationForOffset(u->tu, u->file, 0),
                                         clang_getLocationForOffset(u->tu, u->file, (unsigned)u->size));
    CXToken *tokens;
    unsigned count;
    clang_tokenize(u->tu, whole, &tokens, &count);
    for (unsigned i = 0; i + 2 < count; i++) {
        Token hash, next, *line = NULL;
        int length = 0;
        if (clang_getTokenKind(tokens[i]) != CXToken_Punctuation ||
            strcmp(token_of(u, u->tu, tokens[i], &hash)->text, "#") ||
            strcmp(token_of(u, u->tu, tokens[i + 1], &next)->text, "pragma") || is_skipped(skipped, hash.offset))
            continue;
        unsigned end = line_end(u, hash.offset);
        for (unsigned k = i + 2; k < count; k++) {
            if (token_of(u, u->tu, tokens[k], &next)->offset >= end)
                break;
            if (next.kind != CXToken_Comment)
                LIST_ADD(u->module, line, length) = next;
        }
        if (length && (!strcmp(line[0].text, "ws") || !strcmp(line[0].text, "wsc") || !strcmp(line[0].text, "WS")))
            read_pragma(u, &hash, line, length);
    }
    clang_disposeTokens(u->tu, tokens, count);
    clang_disposeSourceRangeList(skipped);
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

bool stands_above(const Unit *u, const Pragma *pragma, unsigned begin)
{
    return only_blank(u, line_end(u, pragma->offset), begin);
}

/* It is the first thing in the braces.  */
bool begins_block(const Unit *u, CXCursor block, const Pragma *pragma)
{
    return only_blank(u, begin_of(block) + 1, pragma->offset);
}

Pragma *pragma_of_block(const Unit *u, CXCursor block)
{
    if (block.kind != CXCursor_CompoundStmt || !in_text(u, block))
        return NULL;
    for (int i = 0; i < u->npragmas; i++)
        if (u->pragmas[i].kind == PRAGMA_TASK && begins_block(u, block, &u->pragmas[i]))
            return &u->pragmas[i];
    return NULL;
}

static bool is_of_loop(const Pragma *pragma)
{
    return pragma->kind == PRAGMA_GRID || pragma->kind == PRAGMA_PIPELINE || pragma->kind == PRAGMA_PARTS ||
           pragma->kind == PRAGMA_BLOCKS;
}

Pragma *pragma_of_loop(Unit *u, CXCursor loop, CXCursor function)
{
    (void)function;
    if (!in_text(u, loop))
        return NULL;
    for (int i = 0; i < u->npragmas; i++)
        if (is_of_loop(&u->pragmas[i]) && stands_above(u, &u->pragmas[i], begin_of(loop)))
            return &u->pragmas[i];
    return NULL;
}

void pragmas_check(Unit *u)
{
    for (int i = 0; i < u->npragmas && !u->errors; i++) {
        const Pragma *pragma = &u->pragmas[i];
        if (pragma->used)
            continue;
        if (pragma->kind == PRAGMA_DATA || pragma->kind == PRAGMA_TOGETHER) {
            bool data = pragma->kind == PRAGMA_DATA;
            complain(u, pragma->loc,
                     data ? "write { ... } around the statements, or a loop, below it"
                          : "put it first inside the block: { #pragma ws together ... }",
                     data ? "'#pragma ws %s' stands above a block or a loop" : "'#pragma ws %s' does not begin a block",
                     pragma->word);
            continue;
        }
        complain(u, pragma->loc, "put it into a grid",
                 pragma->kind == PRAGMA_TASK ? "'#pragma ws %s' does not begin a block of a pipelined loop"
                 : pragma->kind == PRAGMA_GRID || pragma->kind == PRAGMA_DEVICES
                     ? "'#pragma ws %s' stands above a 'for' loop"
                     : "'#pragma ws %s' is above no loop of a grid",
                 pragma->word);
    }
}
