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

#include "frontend.h"

/* ---- macros ------------------------------------------------------------------------------------------------------ */

static unsigned offset_of(CXTranslationUnit tu, CXToken token)
{
    unsigned offset;
    clang_getSpellingLocation(clang_getTokenLocation(tu, token), NULL, NULL, NULL, &offset);
    return offset;
}

static const char *spelling_of(const Unit *u, CXTranslationUnit tu, CXToken token)
{
    return text_of(u, clang_getTokenSpelling(tu, token));
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

static void expand(Unit *u, const Token *token, int depth, Tokens *result)
{
    const bool name = token->kind == TOKEN_NAME && depth < 16;
    const char *given = name ? given_macro(u, token->text) : NULL;
    if (given) {
        Token other = token_of_text(given, token->loc);
        expand(u, &other, depth + 1, result);
        return;
    }
    CXCursor macro = name && strcmp(token->text, "_Pragma") ? find_macro(u, token->text) : clang_getNullCursor();
    if (clang_Cursor_isNull(macro)) {
        LIST_ADD(u->module, result->list, result->count) = *token;
        return;
    }
    CXToken *tokens;
    unsigned count;
    clang_tokenize(u->before, clang_getCursorExtent(macro), &tokens, &count);
    for (unsigned i = 1; i < count; i++) {
        Token inner = token_of_text(spelling_of(u, u->before, tokens[i]), token->loc);
        if (clang_getTokenKind(tokens[i]) != CXToken_Comment)
            expand(u, &inner, depth + 1, result);
    }
    clang_disposeTokens(u->before, tokens, count);
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

static void read_pragma(Unit *u, unsigned offset, const Tokens *line, void *context)
{
    const Loc where = line->list[0].loc;
    Pragma pragma = {.loc = where, .offset = offset};
    Tokens tokens = {0, NULL};
    (void)context;
    if (strcmp(line->list[0].text, "ws")) {
        complain(u, where, "write '#pragma ws'", "'#pragma %s' is not a pragma", line->list[0].text);
        return;
    }
    if (u->cxx) {
        complain(u, line->list[1].loc, "put the kernel into a C file; C++ calls it", "kernels are C");
        return;
    }
    CXCursor function = function_around(u, offset);
    if (clang_Cursor_isNull(function)) {
        complain(u, line->list[1].loc, "put it above a 'for' loop", "'#pragma ws' stands outside every function");
        return;
    }
    for (int i = 1; i < line->count; i++)
        expand(u, &line->list[i], 0, &tokens);
    if (clauses_read(u, function, tokens.list, &pragma))
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

/* What stands between `#pragma` and the end of its line.  */
static Tokens line_of(Unit *u, const CXToken *tokens, unsigned count, unsigned end)
{
    Tokens line = {0, NULL};
    for (unsigned i = 0; i < count && offset_of(u->tu, tokens[i]) < end; i++)
        if (clang_getTokenKind(tokens[i]) != CXToken_Comment)
            LIST_ADD(u->module, line.list, line.count) =
                token_of_text(spelling_of(u, u->tu, tokens[i]), loc_at(u, clang_getTokenLocation(u->tu, tokens[i])));
    LIST_ADD(u->module, line.list, line.count) =
        (Token){"", TOKEN_END, 0, loc_at(u, clang_getLocationForOffset(u->tu, u->file, end))};
    return line;
}

static bool is_ours(const char *word)
{
    return !strcmp(word, "ws") || !strcmp(word, "wsc") || !strcmp(word, "WS");
}

void each_pragma(Unit *u, PragmaLine *each, void *context)
{
    CXSourceRangeList *skipped = clang_getSkippedRanges(u->tu, u->file);
    CXSourceRange whole = clang_getRange(clang_getLocationForOffset(u->tu, u->file, 0),
                                         clang_getLocationForOffset(u->tu, u->file, (unsigned)u->size));
    CXToken *tokens;
    unsigned count;
    clang_tokenize(u->tu, whole, &tokens, &count);
    for (unsigned i = 0; i + 2 < count; i++) {
        if (clang_getTokenKind(tokens[i]) != CXToken_Punctuation || strcmp(spelling_of(u, u->tu, tokens[i]), "#") ||
            strcmp(spelling_of(u, u->tu, tokens[i + 1]), "pragma") || !is_ours(spelling_of(u, u->tu, tokens[i + 2])))
            continue;
        const unsigned offset = offset_of(u->tu, tokens[i]), end = line_end(u, offset);
        if (is_skipped(skipped, offset) || offset_of(u->tu, tokens[i + 2]) >= end)
            continue;
        const Tokens line = line_of(u, tokens + i + 2, count - i - 2, end);
        each(u, offset, &line, context);
    }
    clang_disposeTokens(u->tu, tokens, count);
    clang_disposeSourceRangeList(skipped);
}

void pragmas_read(Unit *u)
{
    each_pragma(u, read_pragma, NULL);
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

static Pragma *pragma_of_block(const Unit *u, CXCursor block)
{
    if (block.kind != CXCursor_CompoundStmt || !in_text(u, block))
        return NULL;
    for (int i = 0; i < u->npragmas; i++)
        if (u->pragmas[i].kind == DIRECTIVE_TASK && begins_block(u, block, &u->pragmas[i]))
            return &u->pragmas[i];
    return NULL;
}

static bool is_of_loop(const Pragma *pragma)
{
    return pragma->kind == DIRECTIVE_GRID || pragma->kind == DIRECTIVE_PIPELINE || pragma->kind == DIRECTIVE_PARTS ||
           pragma->kind == DIRECTIVE_BLOCKS;
}

Pragma *pragma_of_loop(Unit *u, CXCursor loop)
{
    if (!in_text(u, loop))
        return NULL;
    for (int i = 0; i < u->npragmas; i++)
        if (is_of_loop(&u->pragmas[i]) && stands_above(u, &u->pragmas[i], begin_of(loop)))
            return &u->pragmas[i];
    return NULL;
}

/* Whoever leaves a task's block by a jump decides for all that follows, which is no part of the task.  */
static void refuse_jumps(Unit *u, CXCursor c, const Pragma *task, bool in_loop, bool in_switch)
{
    const Cursors below = children(u, c);
    const char *jump = c.kind == CXCursor_ReturnStmt                            ? "return"
                       : c.kind == CXCursor_ContinueStmt && !in_loop            ? "continue"
                       : c.kind == CXCursor_BreakStmt && !in_loop && !in_switch ? "break"
                                                                                : NULL;
    if (jump && !u->errors)
        complain(u, loc_of(u, c), "put the condition around the block, or around what is in it",
                 "'%s' leaves task '%s', whose role computes all of its block", jump, task->task.name);
    const bool loop = is_loop(c);
    for (int i = 0; i < below.count; i++)
        refuse_jumps(u, below.list[i], task, in_loop || loop, in_switch || c.kind == CXCursor_SwitchStmt);
}

/* The pragmas of loops and of blocks below. `placed`: by pragma.  */
static void see_places(Unit *u, CXCursor parent, bool *placed)
{
    const Cursors below = children(u, parent);
    for (int i = 0; i < below.count; i++) {
        CXCursor c = below.list[i];
        const Pragma *task = pragma_of_block(u, c);
        const bool above = is_loop(c) || c.kind == CXCursor_LabelStmt || c.kind == CXCursor_UnexposedStmt;
        for (int k = 0; k < u->npragmas; k++)
            placed[k] |= &u->pragmas[k] == task || (above && stands_above(u, &u->pragmas[k], begin_of(c)));
        if (task && (is_loop(parent) || parent.kind == CXCursor_FunctionDecl) && !u->errors)
            complain(u, task->loc, "put the pragma first inside a block of its own: { #pragma ws task(name) ... }",
                     "task '%s' is the whole body of a loop or of a function", task->task.name);
        if (task)
            refuse_jumps(u, c, task, false, false);
        see_places(u, c, placed);
    }
}

void pragmas_check_places(Unit *u)
{
    bool *placed = arena_alloc(u->module, (size_t)u->npragmas + 1);
    const Cursors all = children(u, clang_getTranslationUnitCursor(u->tu));
    for (int i = 0; i < all.count; i++) {
        bool has_pragma = false;
        for (int k = 0; k < u->npragmas && in_text(u, all.list[i]); k++)
            has_pragma |= u->pragmas[k].offset > begin_of(all.list[i]) && u->pragmas[k].offset < end_of(all.list[i]);
        if (has_pragma)
            see_places(u, all.list[i], placed);
    }
    for (int k = 0; k < u->npragmas && !u->errors; k++) {
        const Pragma *pragma = &u->pragmas[k];
        if (!placed[k] && pragma->kind == DIRECTIVE_TASK)
            complain(u, pragma->loc, "put it first inside the block: { #pragma ws task(name) ... }",
                     "'#pragma ws %s' does not begin a block", directive_word(pragma->kind));
        else if (!placed[k] && is_of_loop(pragma) && pragma->kind != DIRECTIVE_GRID)
            complain(u, pragma->loc, "put it right above the loop", "'#pragma ws %s' stands above a 'for' loop",
                     directive_word(pragma->kind));
    }
}

void pragmas_check(Unit *u)
{
    for (int i = 0; i < u->npragmas && !u->errors; i++) {
        const Pragma *pragma = &u->pragmas[i];
        if (pragma->used)
            continue;
        if (pragma->kind == DIRECTIVE_DATA || pragma->kind == DIRECTIVE_TOGETHER) {
            bool data = pragma->kind == DIRECTIVE_DATA;
            complain(u, pragma->loc,
                     data ? "write { ... } around the statements, or a loop, below it"
                          : "put it first inside the block: { #pragma ws together ... }",
                     data ? "'#pragma ws %s' stands above a block or a loop" : "'#pragma ws %s' does not begin a block",
                     directive_word(pragma->kind));
            continue;
        }
        if (pragma->kind == DIRECTIVE_PIPELINE) {
            complain(u, pragma->loc, reason_remedy(REASON_PIPELINE_OUTSIDE), "%s",
                     reason_sentence(REASON_PIPELINE_OUTSIDE));
            continue;
        }
        if (pragma->kind == DIRECTIVE_PARTS || pragma->kind == DIRECTIVE_BLOCKS) {
            complain(u, pragma->loc, reason_remedy(REASON_PRAGMA_OUTSIDE_GRID),
                     "a loop over %s stands outside every grid", directive_word(pragma->kind));
            continue;
        }
        complain(u, pragma->loc, "put it into a grid",
                 pragma->kind == DIRECTIVE_TASK ? "'#pragma ws %s' does not begin a block of a pipelined loop"
                 : pragma->kind == DIRECTIVE_GRID || pragma->kind == DIRECTIVE_DEVICES
                     ? "'#pragma ws %s' stands above a 'for' loop"
                     : "'#pragma ws %s' is above no loop of a grid",
                 directive_word(pragma->kind));
    }
}
