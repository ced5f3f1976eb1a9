/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * devices.c - grids in a loop over devices: tensors out of arrays of pointers, and what an iteration may store.
 *
 *   #pragma ws devices(n)
 *   for (int r = 0; r < n; r++)                     ws_launch_f (n, ..., A[r], X)
 *       #pragma ws grid(2)
 *       for (i ...) for (k ...)
 *           ws_store (ws_tensor_2d (A[r], ...), ...      a pointer that the whole grid has in common
 *               ws_load (ws_tensor_2d (X[(r + i) % n], ...   a table: one more dimension in front
 */
#include <stdlib.h>

#include "frontend.h"

typedef struct {
    Unit *u;
    CXCursor inner, loop;
    Pragma *pragma;
} Around;

static bool see_loop(const Unit *u, CXCursor c, void *context)
{
    Around *around = context;
    for (int i = 0; i < u->npragmas; i++) {
        Pragma *pragma = &around->u->pragmas[i];
        if (c.kind != CXCursor_ForStmt || pragma->kind != DIRECTIVE_DEVICES || !stands_above(u, pragma, begin_of(c)) ||
            begin_of(around->inner) < begin_of(c) || end_of(around->inner) > end_of(c))
            continue;
        around->pragma = pragma;
        around->loop = c;
    }
    return true;
}

/* Is the region, or the call that it becomes a part of, in such a loop?  */
void devices_scan(Walk *w)
{
    bool copied = !clang_Cursor_isNull(w->caller);
    Around around = {w->u, copied ? w->site : w->region, clang_getNullCursor(), NULL};
    each_below(w->u, copied ? w->caller : w->function, see_loop, &around);
    w->devices = around.pragma;
    w->devices_loop = around.loop;
}

static Value *count_of_devices(Walk *w)
{
    CXCursor decl = variable_in_sight(w->u, w->function, w->devices->offset, w->devices->devices);
    return clang_Cursor_isNull(decl) ? literal_int(w, D_I32, strtol(w->devices->devices, NULL, 10))
                                     : outside_read(w, decl).value;
}

/* One more dimension: the pointers of an array, which lie anywhere.  */
bool devices_table(Walk *w, CXCursor call, Shape *shape)
{
    if (!w->devices) {
        refuse(w, call, "make one tensor before the grid, and use ws_slice or coordinates inside it",
               "the base of this tensor changes within the grid");
        return false;
    }
    if (shape->rank == 4) {
        refuse(w, call, NULL, "a tensor out of an array of pointers has at most three dimensions");
        return false;
    }
    for (int i = shape->rank++; i > 0; i--) {
        shape->extents[i] = shape->extents[i - 1];
        shape->strides[i] = shape->strides[i - 1];
    }
    shape->extents[0] = count_of_devices(w);
    shape->strides[0] = literal_int(w, D_I32, 0);
    return true;
}

void devices_note(Walk *w, Value *tensor, Value *index, CXCursor base)
{
    if (w->devices)
        LIST_ADD(w->u->module, w->bases, w->nbases) = (Base){tensor, index, base};
}

static const Base *tensor_base(const Walk *w, const Value *tensor)
{
    while (tensor->def && op_is_part(tensor->def))
        tensor = tensor->def->args[0];
    for (int i = 0; i < w->nbases; i++)
        if (w->bases[i].tensor == tensor)
            return &w->bases[i];
    return NULL;
}

/* The coordinate in front of a load's own: which pointer of the table.  */
Value *devices_index(Walk *w, const Value *tensor)
{
    const Base *base = tensor_base(w, tensor);
    return base && base->index ? convert(w, base->index, D_I64) : NULL;
}

/* ---- what an iteration may store --------------------------------------------------------------------------------- */

static CXCursor initializer(const Walk *w, CXCursor decl)
{
    bool inside = begin_of(w->devices_loop) <= begin_of(decl) && end_of(decl) <= end_of(w->devices_loop);
    return inside && decl.kind == CXCursor_VarDecl ? clang_Cursor_getVarDeclInitializer(decl) : clang_getNullCursor();
}

static bool is_the_same(const Unit *u, CXCursor c, void *context)
{
    const Walk *w = context;
    CXCursor decl = c.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(c) : clang_getNullCursor();
    if (c.kind == CXCursor_CallExpr)
        return false;
    if (!is_variable(decl))
        return true;
    CXCursor init = initializer(w, decl);
    if (same_decl(decl, devices_counter(u, w->devices_loop)))
        return false;
    if (clang_Cursor_isNull(init))
        return !count_assignments(u, w->devices_loop, decl);
    return is_the_same(u, init, context) && each_below(u, init, is_the_same, context);
}

/* May it be another one in another iteration of the loop over devices?  */
static bool varies(Walk *w, CXCursor e)
{
    return !is_the_same(w->u, e, w) || !each_below(w->u, e, is_the_same, w);
}

/* The expression behind variables that the iteration declares.  */
static CXCursor resolved(const Walk *w, CXCursor e)
{
    for (int depth = 0; depth < 16; depth++) {
        CXCursor decl = decl_of(w->u, e);
        CXCursor init = clang_Cursor_isNull(decl) ? decl : initializer(w, decl);
        if (clang_Cursor_isNull(init) || count_assignments(w->u, w->devices_loop, decl))
            break;
        e = init;
    }
    return peel(w->u, e);
}

/* A store of a region in a loop over devices: to what is the iteration's own.  */
void devices_check_store(Walk *w, CXCursor call, const Value *tensor)
{
    const Base *base = w->failed ? NULL : tensor_base(w, tensor);
    if (!base)
        return;
    CXCursor e = resolved(w, base->expression);
    if (!varies(w, e)) {
        refuse(w, call, "let each device have a tensor of its own, x[r], and let others load from it",
               "all iterations of a loop over devices store to one tensor");
    } else if (e.kind == CXCursor_ArraySubscriptExpr) {
        CXCursor index = bare(w->u, children(w->u, e).list[1]), counter = devices_counter(w->u, w->devices_loop);
        if (!same_decl(decl_of(w->u, index), counter) && varies(w, index))
            refuse(w, call, "store to x[r], where r is the loop's counter, and let others load from it",
                   "an iteration of a loop over devices stores to what may belong to another iteration");
    }
}
