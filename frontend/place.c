/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place.c - prints on target sequential say where they stand, as on the other targets.
 *
 *   for (i ...)             { ws_place_begin_("gemm", "gemm"); for (i ...) {
 *     for (k ...)               ws_place_count_(0, "i", i); for (k ...) {
 *       f(k);                       ws_place_count_(1, "k", k); (ws_place_cut_(2), f(k)); } }
 *                               ws_place_end_(); }
 *
 * The library keeps the counters of the loops around, numbered from the outermost one on.  A function that the grid
 * calls counts on from its caller's number, `ws_level_`.  Loops that macros write are left as they are: their lines
 * lack counters.
 */
#include <string.h>

#include "frontend.h"
#include "source/kernels.h"

const char place_declarations[] =
    "void ws_place_begin_(const char *, const char *); void ws_place_end_(void); int ws_place_level_(void); "
    "void ws_place_cut_(int); void ws_place_count_(int, const char *, long);\n";

/* False: an earlier walk has made the same edit.  */
static bool add_edit(Unit *u, unsigned at, int order, const char *text)
{
    for (int i = 0; i < u->nedits; i++)
        if (u->edits[i].begin == at && u->edits[i].order == order)
            return false;
    LIST_ADD(u->module, u->edits, u->nedits) = (Edit){at, at, text, order};
    return true;
}

enum { AT_BEGIN, AT_END = 1 << 20 }; /* of what stands at one place, what begins last ends first */

static void add_around(Unit *u, unsigned begin, unsigned end, const char *first, const char *last)
{
    if (add_edit(u, begin, AT_BEGIN, first))
        LIST_ADD(u->module, u->edits, u->nedits) = (Edit){end, end, last, AT_END - (int)(begin % AT_END)};
}

/* At the begin of a statement that is a block or not.  */
static void add_before(Unit *u, CXCursor statement, const char *text)
{
    const unsigned begin = begin_of(statement);
    if (statement.kind == CXCursor_CompoundStmt)
        add_edit(u, begin + 1, AT_BEGIN, text);
    else
        add_around(u, begin, statement_end(u, statement), arena_print(u->module, "{ %s", text), " }");
}

/* The call of a function, or of a macro of ws.h, with all its text in the file.  */
static bool stands_there(const Unit *u, CXCursor call)
{
    const char *name = callee_name(u, call, NULL);
    const unsigned begin = begin_of(call), end = end_of(call);
    return in_text(u, call) && begin < end && u->text[end - 1] == ')' &&
           (stands_at(u, begin, name) || stands_at(u, begin, "ws_print") || stands_at(u, begin, "_Generic"));
}

static bool loop_is_written(const Unit *u, CXCursor loop)
{
    const unsigned at = begin_of(loop);
    return in_text(u, loop) && (stands_at(u, at, "for") || stands_at(u, at, "while") || stands_at(u, at, "do"));
}

static void begin_places(Walk *w)
{
    Unit *u = w->u;
    if (loop_is_written(u, w->region))
        add_around(
            u, begin_of(w->region), statement_end(u, w->region),
            arena_print(u->module, "{ ws_place_begin_(\"%s\", \"%s\"); ", w->kernel->name, w->kernel->c_function),
            " ws_place_end_(); }");
}

/* ---- prints ------------------------------------------------------------------------------------------------------ */

typedef struct {
    CXCursor found, loop; /* the innermost loop around it */
} Spot;

/* The first cursor at the place, which is a call if that is asked for.  */
static bool find_spot(const Unit *u, CXCursor c, CXCursor loop, Loc loc, bool is_call, Spot *spot)
{
    const Loc own = loc_of(u, c);
    if (is_loop(c))
        loop = c;
    if (own.line == loc.line && own.column == loc.column && (!is_call || c.kind == CXCursor_CallExpr)) {
        *spot = (Spot){c, loop};
        return true;
    }
    const Cursors list = children(u, c);
    for (int i = 0; i < list.count; i++)
        if (find_spot(u, list.list[i], loop, loc, is_call, spot))
            return true;
    return false;
}

static CXCursor function_named(const Unit *u, const char *name)
{
    const Cursors list = children(u, clang_getTranslationUnitCursor(u->tu));
    for (int i = 0; i < list.count; i++)
        if (list.list[i].kind == CXCursor_FunctionDecl && clang_isCursorDefinition(list.list[i]) &&
            !strcmp(text_of(u, clang_getCursorSpelling(list.list[i])), name))
            return list.list[i];
    return clang_getNullCursor();
}

/* The counters of one function, each at the start of its loop's body; returns how many there are.  */
static int count_at(Walk *w, const SourceShown *shown, int depth, CXCursor function, const char *base)
{
    int level = 0;
    for (int k = 0, next; k < shown->ncounters; k = next) {
        const Loc loop = shown->counters[k].loop;
        const char *text = "";
        Spot spot;
        for (next = k; next < shown->ncounters && shown->counters[next].loop.line == loop.line &&
                       shown->counters[next].loop.column == loop.column && shown->counters[next].depth == depth;
             next++)
            text = arena_print(w->u->module, "%sws_place_count_(%s%d, \"%s\", (long)%s); ", text, base, level++,
                               shown->counters[next].name, shown->counters[next].name);
        next += next == k;
        if (*text && find_spot(w->u, function, clang_getNullCursor(), loop, false, &spot) &&
            !clang_Cursor_isNull(spot.loop) && loop_is_written(w->u, spot.loop))
            add_before(w->u, loop_parts(w->u, spot.loop).body, text);
    }
    return level;
}

void place_shown(Walk *w, const SourceShown *shown)
{
    Unit *u = w->u;
    const bool handed = !clang_Cursor_isNull(w->caller); /* the region's function is inlined in the host */
    const SourceInlined *link = shown->call->inlined;
    Loc site = shown->call->loc;
    int depth = 0;
    for (const SourceInlined *each = link; each; each = each->outer)
        depth++;
    for (; depth >= handed; depth--) {
        const bool own = depth == handed;
        const char *base = own ? "" : "ws_level_ + ";
        const CXCursor function = own ? w->function : link ? function_named(u, link->function) : clang_getNullCursor();
        Spot spot;
        if (!clang_Cursor_isNull(function) && in_text(u, function)) {
            const int level = count_at(w, shown, depth, function, base);
            const Cursors parts = children(u, function);
            if (find_spot(u, function, clang_getNullCursor(), site, true, &spot) && stands_there(u, spot.found))
                add_around(u, begin_of(spot.found), end_of(spot.found),
                           arena_print(u->module, "(ws_place_cut_(%s%d), ", base, level), ")");
            if (!own && parts.count)
                add_edit(u, begin_of(parts.list[parts.count - 1]) + 1, AT_BEGIN,
                         "const int ws_level_ = ws_place_level_(); ");
        }
        if (link) {
            site = link->loc;
            link = link->outer;
        }
    }
    begin_places(w);
}
