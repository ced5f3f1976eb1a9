/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * host.c - the source's text, a region given way to a call of its launcher.
 *
 *       { void ws_launch_gemm (int, int, int, const void *, ...); ws_launch_gemm (M, N, K, A, B, C); }
 *   # 27 "gemm.c"
 *
 * A line marker behind the call has every other line keep its number.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "frontend.h"

/* Does the kernel write to what the pointer points to?  Then it is none to const, which compilers take for read.  */
static bool stores_to(const Op *op, const void *base)
{
    const Value *at = op_info[op->code].class_ == CLASS_STORE && op->nargs ? op->args[0] : NULL;
    while (at && at->type.kind == K_TENSOR && at->def && at->def->nargs)
        at = at->def->args[0];
    while (at && at != base)
        at = at->part_of;
    return at != NULL;
}

static bool is_stored(const Walk *w, const LiveIn *live)
{
    return live->value->type.kind == K_PTR && !strcmp(live->type, "const void *") &&
           ir_any_of(w->kernel->body, stores_to, live->value);
}

static const char *declaration(Walk *w, const char *launcher)
{
    const char *text = arena_print(w->u->module, "void %s(", launcher);
    for (int i = 0; i < w->nlivein; i++)
        text = arena_print(w->u->module, "%s%s%s", text, i ? ", " : "",
                           is_stored(w, &w->livein[i]) ? "void *" : w->livein[i].type);
    return arena_print(w->u->module, "%s%s);", text, w->nlivein ? "" : "void");
}

static const char *arguments(Walk *w)
{
    const char *text = "";
    for (int i = 0; i < w->nlivein; i++)
        text = arena_print(w->u->module, is_stored(w, &w->livein[i]) ? "%s%s(void *)(%s)" : "%s%s%s", text,
                           i ? ", " : "", w->livein[i].text);
    return text;
}

/* In an object for two targets the runtime library chooses.  */
static const char *call_of_both(Walk *w)
{
    const char *name = w->kernel->launcher + 2; /* without "ws" */
    const char *cuda = arena_print(w->u->module, "ws_cuda%s", name);
    const char *emulate = arena_print(w->u->module, "ws_emulate%s", name);
    return arena_print(w->u->module,
                       "%s %s extern void *ws_choose_launcher(void *, void *); "
                       "((__typeof__(&%s))ws_choose_launcher((void *)%s, (void *)%s))(%s);",
                       declaration(w, cuda), declaration(w, emulate), cuda, cuda, emulate, arguments(w));
}

typedef struct {
    Walk *w;
    CXCursor *seen;
    int count;
    const char *text;
} Uses;

/* What the region alone has used is used, for warnings.  */
static bool use_one(const Unit *u, CXCursor c, void *context)
{
    Uses *uses = context;
    CXCursor decl = c.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(c) : clang_getNullCursor();
    bool is_static =
        decl.kind == CXCursor_FunctionDecl && clang_getCursorLinkage(decl) == CXLinkage_Internal && is_the_users(decl);
    bool inside = begin_of(uses->w->region) <= begin_of(decl) && end_of(decl) <= end_of(uses->w->region);
    if ((!is_variable(decl) || inside || clang_getCursorLinkage(decl) == CXLinkage_External) && !is_static)
        return true;
    for (int i = 0; i < uses->count; i++)
        if (same_decl(uses->seen[i], decl))
            return true;
    LIST_ADD(u->module, uses->seen, uses->count) = decl;
    uses->text = arena_print(u->module, "%s (void)%s;", uses->text, text_of(u, clang_getCursorSpelling(decl)));
    return true;
}

/* With the ';' of a body without braces.  */
unsigned statement_end(const Unit *u, CXCursor statement)
{
    unsigned end = end_of(statement), at = end;
    while (at < u->size && strchr(" \t\n", u->text[at]))
        at++;
    bool open = statement.kind != CXCursor_CompoundStmt && end && u->text[end - 1] != '}' && u->text[end - 1] != ';';
    return open && at < u->size && u->text[at] == ';' ? at + 1 : end;
}

/* The name of a file, for a line marker.  */
static const char *quoted(Unit *u, const char *name)
{
    char *text = arena_alloc(u->module, 4 * strlen(name) + 3), *to = text;

    *to++ = '"';
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        if (c < 32 || c == 127)
            to += sprintf(to, "\\%03o", c);
        else
            to += sprintf(to, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
    }
    strcpy(to, "\"");
    return text;
}

static Edit replacement(Walk *w)
{
    Unit *u = w->u;
    unsigned begin = begin_of(w->region), end = statement_end(u, w->region);
    const char *call = u->both ? call_of_both(w)
                               : arena_print(u->module, "%s %s(%s);", declaration(w, w->kernel->launcher),
                                             w->kernel->launcher, arguments(w));
    Uses uses = {w, NULL, 0, ""};
    each_below(u, w->region, use_one, &uses);
    Loc behind = loc_at(u, clang_getRangeEnd(clang_getCursorExtent(w->region)));
    return (Edit){begin, end,
                  arena_print(u->module, "{ %s%s%s%s%s }\n# %d %s\n", w->statics ? w->statics : "", totals_first(w),
                              call, totals_last(w), uses.text, behind.line, quoted(u, behind.file)),
                  INT_MAX};
}

static unsigned line_begin(const Unit *u, unsigned at)
{
    while (at > 0 && (u->text[at - 1] != '\n' || (at > 1 && u->text[at - 2] == '\\')))
        at--;
    return at;
}

static bool begins_with(const char **text, const char *word)
{
    *text += strspn(*text, " \t");
    bool same = !strncmp(*text, word, strlen(word));
    *text += same ? strlen(word) : 0;
    return same;
}

/* #pragma GCC unroll 4 above the region, which no loop stands below any more: a line without it.  */
static void remove_directives(Unit *u, unsigned at, Edit **edits, int *count)
{
    for (at = line_begin(u, at); at > 0;) {
        const unsigned begin = line_begin(u, at - 1);
        const char *text = u->text + begin;
        bool blank = begins_with(&text, "\n"), directive = !blank && begins_with(&text, "#");
        if (!blank && !directive)
            return;
        if (directive && begins_with(&text, "pragma") && begins_with(&text, "GCC") &&
            (begins_with(&text, "unroll") || begins_with(&text, "ivdep") || begins_with(&text, "novector")))
            LIST_ADD(u->module, *edits, *count) = (Edit){begin, line_end(u, begin), "", 0};
        at = begin;
    }
}

/* require: a walk that did not fail.   ensure: the region's text is a call of the launcher.  */
void host_replace(Walk *w)
{
    remove_directives(w->u, begin_of(w->region), &w->u->edits, &w->u->nedits);
    LIST_ADD(w->u->module, w->u->edits, w->u->nedits) = replacement(w);
}

/* ---- functions that become a part of their callers --------------------------------------------------------------- */

static unsigned name_begin(CXCursor function)
{
    unsigned offset;
    clang_getExpansionLocation(clang_getCursorLocation(function), NULL, NULL, NULL, &offset);
    return offset;
}

/* Its text and that of the call stand in the file as they are.  */
bool copy_is_possible(const Unit *u, CXCursor site, CXCursor function)
{
    const char *name = text_of(u, clang_getCursorSpelling(function));
    return in_text(u, site) && in_text(u, function) && stands_at(u, begin_of(site), name) &&
           stands_at(u, name_begin(function), name) && u->text[end_of(site) - 1] == ')';
}

/* Live-ins of the caller come as parameters of the copy.  */
void host_replace_in(Walk *w, Copy *copy)
{
    for (int i = 0; i < w->nlivein; i++) {
        int known = 0;
        if (!w->livein[i].of_caller)
            continue;
        while (known < copy->nhanded && strcmp(copy->handed[known].text, w->livein[i].text))
            known++;
        if (known == copy->nhanded)
            LIST_ADD(w->u->module, copy->handed, copy->nhanded) = w->livein[i];
        w->livein[i].text = arena_print(w->u->module, "ws_handed_%d_", known);
    }
    remove_directives(w->u, begin_of(w->region), &copy->edits, &copy->nedits);
    LIST_ADD(w->u->module, copy->edits, copy->nedits) = replacement(w);
}

/* Behind the parameters of the function, whose name stands there.  */
static unsigned parameters_end(const Unit *u, unsigned at)
{
    int depth = 0;
    for (; at < u->size; at++) {
        depth += (u->text[at] == '(') - (u->text[at] == ')');
        if (u->text[at] == ')' && !depth)
            return at;
    }
    return at;
}

static void add_text(Unit *u, Edit **edits, int *count, unsigned at, const char *text)
{
    LIST_ADD(u->module, *edits, *count) = (Edit){at, at, text, 0};
}

static int by_begin(const void *x, const void *y);

static const char *edited(Unit *u, Edit *edits, int count, unsigned begin, unsigned end)
{
    const char *text = "";
    qsort(edits, (size_t)count, sizeof *edits, by_begin);
    for (int i = 0; i < count; i++) {
        text = arena_print(u->module, "%s%.*s%s", text, (int)(edits[i].begin - begin), u->text + begin, edits[i].text);
        begin = edits[i].end;
    }
    return arena_print(u->module, "%s%.*s", text, (int)(end - begin), u->text + begin);
}

/* require: all its regions were walked.   ensure: the copy stands in front of the caller, which calls it.  */
void host_copy(Unit *u, const Copy *copy)
{
    const char *name = text_of(u, clang_getCursorSpelling(copy->function)), *parameters = "", *handed = "";
    const char *suffix = arena_print(u->module, "_ws_%d_", copy->number);
    Edit *edits = copy->edits;
    int count = copy->nedits;
    for (int i = 0; i < u->naround; i++)
        if (begin_of(copy->function) <= u->around[i].begin && u->around[i].end <= end_of(copy->function))
            LIST_ADD(u->module, edits, count) = u->around[i];
    for (int i = 0; i < copy->nhanded; i++) {
        parameters = arena_print(u->module, "%s, %s ws_handed_%d_", parameters, copy->handed[i].type, i);
        handed = arena_print(u->module, "%s, %s", handed, copy->handed[i].text);
    }
    unsigned at = name_begin(copy->function) + (unsigned)strlen(name);
    add_text(u, &edits, &count, at, suffix);
    add_text(u, &edits, &count, parameters_end(u, at), parameters);
    Loc first = loc_at(u, clang_getRangeStart(clang_getCursorExtent(copy->function)));
    Loc caller = loc_at(u, clang_getRangeStart(clang_getCursorExtent(copy->caller)));
    const char *text = edited(u, edits, count, begin_of(copy->function), end_of(copy->function));
    add_text(u, &u->edits, &u->nedits, begin_of(copy->caller),
             arena_print(u->module, "\n# %d %s\n%s\n# %d %s\n", first.line, quoted(u, first.file), text, caller.line,
                         quoted(u, caller.file)));
    add_text(u, &u->edits, &u->nedits, begin_of(copy->site) + (unsigned)strlen(name), suffix);
    add_text(u, &u->edits, &u->nedits, end_of(copy->site) - 1, handed);
}

static int by_begin(const void *x, const void *y)
{
    const Edit *a = x, *b = y;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

char *host_text(Unit *u)
{
    const bool calls = u->module->target != TARGET_SEQUENTIAL; /* of launchers and of the runtime */
    const char *declarations = calls ? around_declarations(u) : place_declarations;
    const char *path = quoted(u, u->path);
    size_t size = u->size + strlen(path) + strlen(declarations) + 64;
    for (int i = 0; calls && i < u->naround; i++)
        LIST_ADD(u->module, u->edits, u->nedits) = u->around[i];
    for (int i = 0; i < u->nedits; i++)
        size += strlen(u->edits[i].text);
    char *text = arena_alloc(u->module, size), *to = text;
    unsigned at = 0;
    to += sprintf(to, "%s", declarations);
    if (u->path == u->source)
        to += sprintf(to, "# 1 %s\n", path);
    if (u->nedits)
        qsort(u->edits, (size_t)u->nedits, sizeof *u->edits, by_begin);
    for (int i = 0; i < u->nedits; i++) {
        memcpy(to, u->text + at, u->edits[i].begin - at);
        to += u->edits[i].begin - at;
        to += sprintf(to, "%s", u->edits[i].text);
        at = u->edits[i].end;
    }
    memcpy(to, u->text + at, u->size - at);
    return text;
}
