/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * region.c - one function: its grids become kernels.
 *
 *   #pragma ws grid(2)                  kernel gemm (M, N, K, A, B, C)
 *   for (i ...)                           prologue; for i { for j { ...; for k pipeline(4,2) { ... } ... } }
 *     for (j ...)
 */
#include "frontend.h"
#include "source/kernels.h"

static unsigned hash_text(const char *text)
{
    unsigned hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* nvcc takes no universal characters in the names of kernels.  */
static const char *name_for_device(Module *module, const char *name)
{
    const char *plain = arena_print(module, "%s", "");
    for (const unsigned char *at = (const unsigned char *)name; *at;) {
        if (*at < 0x80) {
            plain = arena_print(module, "%s%c", plain, *at++);
            continue;
        }
        unsigned character = *at & (*at >= 0xf0 ? 0x07 : *at >= 0xe0 ? 0x0f : 0x1f);
        for (at++; (*at & 0xc0) == 0x80; at++)
            character = character << 6 | (*at & 0x3f);
        plain = arena_print(module, "%su%04x", plain, character);
    }
    return plain;
}

/* ---- one region -------------------------------------------------------------------------------------------------- */

static Kernel *new_kernel(Unit *u, CXCursor function, const Pragma *pragma, int ordinal)
{
    const char *c_name = text_of(u, clang_getCursorSpelling(function));
    const char *plain = name_for_device(u->module, c_name);
    const char *name = ordinal > 1 ? arena_print(u->module, "%s_%d", plain, ordinal) : plain;
    Kernel *kernel = kernel_new(u->module, name, pragma->loc);
    kernel->c_function = c_name;
    kernel->grid = pragma->grid;
    kernel->grid.loc = kernel->loc;
    if (clang_getCursorLinkage(function) != CXLinkage_External)
        kernel->launcher = arena_print(u->module, "ws_launch_%s_%08x", name, hash_text(u->module->source));
    return kernel;
}

/* Pragmas in the grid, also of a loop that control never reaches and the kernel does not have.  */
static void see_below(Unit *u, CXCursor region)
{
    for (int i = 0; i < u->npragmas; i++) {
        Pragma *pragma = &u->pragmas[i];
        const bool inner = pragma->kind == DIRECTIVE_PIPELINE || pragma->kind == DIRECTIVE_PARTS ||
                           pragma->kind == DIRECTIVE_BLOCKS || pragma->kind == DIRECTIVE_TASK;
        pragma->used |= inner && pragma->offset > begin_of(region) && pragma->offset < end_of(region);
    }
}

/* With a copy: the function becomes a part of the copy's caller.  */
static void walk_region(Unit *u, CXCursor function, CXCursor region, Pragma *pragma, int ordinal, Copy *copy)
{
    Walk walk = {.u = u, .function = function, .region = region, .pragma = pragma};
    walk.caller = copy ? copy->caller : clang_getNullCursor();
    walk.site = copy ? copy->site : clang_getNullCursor();
    walk.kernel = new_kernel(u, copy ? copy->caller : function, pragma, ordinal);
    pragma->used = true;
    entry_walk(&walk, pragma);
    see_below(u, region);
    if (walk.kernel->failed) {
        if (!u->errors)
            complain(u, pragma->loc, "please report this", "the clang front end has refused this grid without a word");
        walk.kernel->failed = u->module->failed = true;
        return;
    }
    if (u->module->target == TARGET_SEQUENTIAL)
        return;
    if (copy)
        host_replace_in(&walk, copy);
    else
        host_replace(&walk);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

typedef struct {
    Unit *u;
    CXCursor function; /* whose kernels they are */
    int ordinal;
    Copy *copy; /* what is searched becomes a part of that one */
    bool found; /* a grid */
} Search;

static void find_grids(Search *search, CXCursor c);

static bool see_grid(const Unit *u, CXCursor c, void *context)
{
    Search *search = context;
    (void)u;
    if (c.kind == CXCursor_ForStmt || c.kind == CXCursor_WhileStmt) {
        const Pragma *pragma = pragma_of_loop(search->u, c);
        search->found |= pragma && pragma->kind == DIRECTIVE_GRID;
    }
    return !search->found;
}

/* A function with a region that takes tensors, which its callers have made.  */
static bool becomes_a_part(Unit *u, CXCursor function)
{
    bool handles = false;
    for (int i = 0; i < clang_Cursor_getNumArguments(function); i++)
        handles |= is_tensor_type(clang_getCursorType(clang_Cursor_getArgument(function, (unsigned)i)));
    Search search = {u, function, 0, NULL, false};
    if (handles)
        each_below(u, function, see_grid, &search);
    return search.found;
}

static void walk_copy(Search *search, CXCursor site, CXCursor function)
{
    static int number;
    Unit *u = search->u;
    Copy copy = {.caller = search->function, .function = function, .site = site, .number = ++number};
    if (search->copy || !copy_is_possible(u, site, function)) {
        complain(u, loc_of(u, site), "call it from a function that makes the tensors, outside of macros",
                 "the clang front end does not take in the function '%s' here",
                 text_of(u, clang_getCursorSpelling(function)));
        return;
    }
    Search within = {u, search->function, search->ordinal, &copy, false};
    int errors = u->errors;
    find_grids(&within, function);
    search->ordinal = within.ordinal;
    if (u->errors == errors && u->module->target != TARGET_SEQUENTIAL)
        host_copy(u, &copy);
}

static void visit(Search *search, CXCursor c)
{
    Unit *u = search->u;
    CXCursor function;
    if (c.kind == CXCursor_CallExpr && *callee_name(u, c, &function)) {
        CXCursor definition = clang_getCursorDefinition(function);
        if (!clang_Cursor_isNull(definition) && is_the_users(definition) && becomes_a_part(u, definition))
            walk_copy(search, c, definition);
    }
    if (c.kind != CXCursor_ForStmt && c.kind != CXCursor_WhileStmt)
        return;
    Pragma *pragma = pragma_of_loop(u, c);
    if (pragma && pragma->kind == DIRECTIVE_GRID && c.kind == CXCursor_WhileStmt && !u->errors) {
        pragma->used = true;
        complain(u, pragma->loc, "and this is none", "'#pragma ws grid' stands above a 'for' loop");
        return;
    }
    if (pragma && pragma->kind == DIRECTIVE_GRID && (search->copy || !pragma->used))
        walk_region(u, search->copy ? search->copy->function : search->function, c, pragma, ++search->ordinal,
                    search->copy);
}

/* Its pragmas are about nothing.  */
static bool leave_out(const Unit *u, CXCursor c, void *context)
{
    Search *search = context;
    Pragma *pragma = c.kind == CXCursor_ForStmt || c.kind == CXCursor_WhileStmt ? pragma_of_loop(search->u, c) : NULL;
    (void)u;
    if (pragma)
        pragma->used = true;
    return true;
}

/* All below but what a constant condition leaves out.  */
static void find_grids(Search *search, CXCursor c)
{
    Cursors below = children(search->u, c);
    int64_t known;
    bool decided = c.kind == CXCursor_IfStmt && below.count > 1 && evaluate_int(below.list[0], &known);
    for (int i = decided; i < below.count; i++) {
        if (decided && (i == 1) != (known != 0)) {
            each_below(search->u, below.list[i], leave_out, search);
            continue;
        }
        visit(search, below.list[i]);
        find_grids(search, below.list[i]);
    }
}

void regions_walk(Unit *u)
{
    Cursors all = children(u, clang_getTranslationUnitCursor(u->tu));
    for (int i = 0; i < all.count; i++) {
        CXCursor c = all.list[i];
        if (c.kind != CXCursor_FunctionDecl || !clang_isCursorDefinition(c) || !is_the_users(c) || becomes_a_part(u, c))
            continue;
        Search search = {u, c, 0, NULL, false};
        find_grids(&search, c);
    }
}
