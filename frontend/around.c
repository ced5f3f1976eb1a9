/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * around.c - pragmas that are about host code around grids: devices, together, data, update.
 *
 *   #pragma ws data copy(x[0:n])        { int ws_left_ LEAVES(ws_leave_data_) = ...; ws_data_begin_ ();
 *   for (t = 0; t < steps; t++)           ws_data_add_ (x, 0, n * 4, 0, "x");
 *       ...                               for (t = 0; t < steps; t++) ... }
 *
 * A pragma's own text gives way to what comes first, so that lines keep their numbers.  What has to happen however a
 * block is left is the cleanup of a variable.  The sequential target keeps the text as it is.
 */
#include <string.h>

#include "frontend.h"

static const char declarations[] =
    "void *ws_total_begin_(int, int); float ws_total_f32_(void *, float); double ws_total_f64_(void *, double); "
    "int ws_total_i32_(void *, int); long ws_total_i64_(void *, long); void ws_total_into_(void *, void *, int); "
    "void ws_devices_begin_(long); void ws_devices_next_(long); void ws_devices_end_(void); "
    "void ws_devices_again_(long); "
    "void ws_together_begin_(void); void ws_together_end_(void); void ws_data_begin_(void); void ws_data_end_(void); "
    "void ws_data_add_(const void *, long, long, int, const char *); "
    "void ws_data_update_(const void *, long, long, int, const char *); "
    "const void *ws_rows_base_(const void *, long); "
    "long ws_rows_distance_(const void *, long, long, const char *); "
    "static __attribute__((unused)) void ws_leave_data_(int *p) { (void)p; ws_data_end_(); } "
    "static __attribute__((unused)) void ws_leave_together_(int *p) { (void)p; ws_together_end_(); }\n";

const char *around_declarations(const Unit *u)
{
    bool calls = u->naround > 0;
    for (int i = 0; i < u->npragmas; i++)
        calls |= u->pragmas[i].grid.reductions || u->pragmas[i].extents;
    return calls ? declarations : "";
}

static void add(Unit *u, unsigned begin, unsigned end, int order, const char *text)
{
    LIST_ADD(u->module, u->around, u->naround) = (Edit){begin, end, text, order};
}

/* In place of the directive, on as many lines.  */
static void instead(Unit *u, const Pragma *pragma, const char *text)
{
    unsigned end = line_end(u, pragma->offset);
    for (unsigned at = pragma->offset; at < end; at++)
        if (u->text[at] == '\n')
            text = arena_print(u->module, "%s\n", text);
    add(u, pragma->offset, end, 0, text);
}

/* Behind a statement: inner ones end first.  */
static void behind(Unit *u, const Pragma *pragma, CXCursor statement, const char *text)
{
    unsigned end = statement_end(u, statement);
    add(u, end, end, -(int)pragma->offset, text);
}

static const char *leaving(Unit *u, const char *what)
{
    return arena_print(u->module, "int ws_left_ __attribute__((cleanup(ws_leave_%s_), unused)) = (ws_%s_begin_(), 0);",
                       what, what);
}

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* r of `r < n`.  */
static CXCursor devices_counter(const Unit *u, CXCursor loop)
{
    LoopParts parts = loop_parts(u, loop);
    CXCursor e = clang_Cursor_isNull(parts.cond) ? parts.cond : peel(u, parts.cond);
    if (loop.kind != CXCursor_ForStmt || e.kind != CXCursor_BinaryOperator)
        return clang_getNullCursor();
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
    bool turned = kind == CXBinaryOperator_GT || kind == CXBinaryOperator_GE;
    if (!turned && kind != CXBinaryOperator_LT && kind != CXBinaryOperator_LE && kind != CXBinaryOperator_NE)
        return clang_getNullCursor();
    CXCursor side = bare(u, children(u, e).list[turned]);
    CXCursor decl = side.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(side) : clang_getNullCursor();
    return is_variable(decl) && is_integer(clang_getCursorType(decl)) ? clang_getCanonicalCursor(decl)
                                                                      : clang_getNullCursor();
}

/* A jump out of a loop over devices.  */
static void refuse_leaving(Unit *u, CXCursor c, bool inner)
{
    Cursors below = children(u, c);
    bool leaves =
        c.kind == CXCursor_ReturnStmt || c.kind == CXCursor_GotoStmt || (c.kind == CXCursor_BreakStmt && !inner);
    if (leaves && !u->errors)
        complain(u, loc_of(u, c), "iterations are independent: use 'continue', or an upper bound",
                 "the loop over devices is left by 'break', 'return' or 'goto'");
    bool around = is_loop(c) || c.kind == CXCursor_SwitchStmt;
    for (int i = 0; i < below.count; i++)
        refuse_leaving(u, below.list[i], inner || around);
}

/* The loop over devices that nothing stands behind but this one, or NULL.  */
static const Pragma *loop_before(const Unit *u, const Pragma *pragma)
{
    unsigned at = pragma->offset;
    while (at > 0 && strchr(" \t\r\n", u->text[at - 1]))
        at--;
    for (int i = 0; i < u->npragmas; i++)
        if (u->pragmas[i].kind == DIRECTIVE_DEVICES && u->pragmas[i].loop_end && u->pragmas[i].loop_end == at)
            return &u->pragmas[i];
    return NULL;
}

static void bind_devices(Unit *u, Pragma *pragma, CXCursor loop)
{
    CXCursor counter = devices_counter(u, loop);
    pragma->used = true;
    if (clang_Cursor_isNull(counter)) {
        complain(u, loc_of(u, loop), "write for (int r = 0; r < n; r++)",
                 "a loop over devices counts up from 0 with a variable of an integer type");
        return;
    }
    CXCursor body = loop_parts(u, loop).body;
    refuse_leaving(u, body, false);
    const Pragma *before = loop_before(u, pragma);
    if (before)
        u->around[before->last_call].text = " }";
    instead(u, pragma,
            arena_print(u->module, "{ ws_devices_%s_((long)(%s));", before ? "again" : "begin", pragma->devices));
    add(u, begin_of(body), begin_of(body), (int)pragma->offset,
        arena_print(u->module, "{ ws_devices_next_((long)(%s)); ", text_of(u, clang_getCursorSpelling(counter))));
    behind(u, pragma, body, " }");
    pragma->loop_end = statement_end(u, loop);
    pragma->last_call = u->naround;
    behind(u, pragma, loop, " ws_devices_end_(); }");
}

/* ---- together ---------------------------------------------------------------------------------------------------- */

static void bind_together(Unit *u, Pragma *pragma, CXCursor block)
{
    pragma->used = true;
    instead(u, pragma, leaving(u, "together"));
    for (int i = 0; i < u->npragmas && u->module->target != TARGET_SEQUENTIAL; i++)
        if (u->pragmas[i].kind == DIRECTIVE_GRID && u->pragmas[i].offset > pragma->offset &&
            u->pragmas[i].offset < end_of(block))
            u->pragmas[i].grid.together = true;
}

/* ---- data and update --------------------------------------------------------------------------------------------- */

static const char *calls_of(Unit *u, const Pragma *pragma)
{
    const char *text = "";
    for (const DataArray *array = pragma->arrays; array; array = array->next)
        text = arena_print(u->module, "%s ws_data_%s_((const void *)(%s), %s, %s, %d, \"%s\");", text,
                           pragma->kind == DIRECTIVE_DATA ? "add" : "update", array->name, array->first, array->bytes,
                           array->kind, array->name);
    return text;
}

static void bind_data(Unit *u, Pragma *pragma, CXCursor statement)
{
    pragma->used = true;
    instead(u, pragma, arena_print(u->module, "{ %s%s", leaving(u, "data"), calls_of(u, pragma)));
    behind(u, pragma, statement, " }");
}

/* ---- which statement --------------------------------------------------------------------------------------------- */

/* What stands in no grid.  */
static void refuse_inside(Unit *u, const Pragma *grid, CXCursor loop)
{
    for (int i = 0; i < u->npragmas && !u->errors; i++) {
        Pragma *pragma = &u->pragmas[i];
        if (pragma->offset < begin_of(loop) || pragma->offset >= end_of(loop) || pragma == grid)
            continue;
        if (pragma->kind == DIRECTIVE_GRID)
            complain(u, pragma->loc, "make one grid of all its loops: grid(n)", "a grid inside a grid");
        else if (pragma->kind == DIRECTIVE_DEVICES)
            complain(u, pragma->loc, "a loop over devices holds grids, and stands in none",
                     "a loop over devices in a grid");
        else if (pragma->kind == DIRECTIVE_UPDATE)
            complain(u, pragma->loc, "put it around the grid, or behind it", "arrays are copied in a grid");
        else if (pragma->kind == DIRECTIVE_DATA || pragma->kind == DIRECTIVE_TOGETHER)
            complain(u, pragma->loc,
                     pragma->kind == DIRECTIVE_DATA ? "put it around the grid" : "put it around whole grids",
                     "'#pragma ws %s' stands in a grid", directive_word(pragma->kind));
    }
}

static void bind_statement(Unit *u, CXCursor s)
{
    bool loop = is_loop(s);
    for (int i = 0; i < u->npragmas; i++) {
        Pragma *pragma = &u->pragmas[i];
        bool above = (loop || s.kind == CXCursor_CompoundStmt) && !pragma->used && stands_above(u, pragma, begin_of(s));
        if (above && pragma->kind == DIRECTIVE_DATA)
            bind_data(u, pragma, s);
        else if (above && loop && pragma->kind == DIRECTIVE_DEVICES)
            bind_devices(u, pragma, s);
        else if (above && loop && pragma->kind == DIRECTIVE_GRID)
            refuse_inside(u, pragma, s);
        if (pragma->kind == DIRECTIVE_TOGETHER && s.kind == CXCursor_CompoundStmt && begins_block(u, s, pragma))
            bind_together(u, pragma, s);
    }
}

static void bind_below(Unit *u, CXCursor c)
{
    Cursors below = children(u, c);
    for (int i = 0; i < below.count; i++) {
        if (!in_text(u, below.list[i]))
            continue;
        bind_statement(u, below.list[i]);
        bind_below(u, below.list[i]);
    }
}

/* require: all pragmas were read.   ensure: the edits that they ask for; each is used, or an error.  */
void around_bind(Unit *u)
{
    for (int i = 0; i < u->npragmas; i++) {
        Pragma *pragma = &u->pragmas[i];
        if (pragma->kind == DIRECTIVE_UPDATE) {
            pragma->used = true;
            instead(u, pragma, arena_print(u->module, "{%s }", calls_of(u, pragma)));
        } else if (pragma->kind == DIRECTIVE_GRID) {
            instead(u, pragma, ""); /* the host compiler does not know it */
        }
    }
    Cursors all = children(u, clang_getTranslationUnitCursor(u->tu));
    for (int i = 0; u->npragmas && i < all.count; i++)
        if (all.list[i].kind == CXCursor_FunctionDecl && in_text(u, all.list[i]))
            bind_below(u, all.list[i]);
}
