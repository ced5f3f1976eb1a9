/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * size.c - how many bytes there are from one element to the next, where the extents of an array are variables.
 *
 *   float A[n][m]; A[i][j]        A + i * (m * 4) + j * 4
 *
 * libclang has no cursor for the type's extents but those below the declaration.
 */
#include <string.h>

#include "frontend.h"

/* The variable whose type an array, or a pointer into it, has its extents from.  */
static CXCursor root_of(const Unit *u, CXCursor e)
{
    for (int depth = 0; depth < 64; depth++) {
        Cursors below = children(u, e);
        if (e.kind == CXCursor_DeclRefExpr)
            return clang_getCursorReferenced(e);
        if (!below.count || clang_Cursor_isNull(e))
            break;
        bool last = e.kind == CXCursor_CStyleCastExpr ||
                    (e.kind == CXCursor_BinaryOperator && !is_pointer(clang_getCursorType(below.list[0])));
        e = below.list[last ? below.count - 1 : 0];
    }
    return clang_getNullCursor();
}

/* The extents in the declaration, the innermost first.  */
static Cursors extents_of(const Unit *u, CXCursor decl)
{
    Cursors below = children(u, decl), extents = {0, NULL};
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    for (int i = 0; i < below.count; i++)
        if (clang_isExpression(below.list[i].kind) && !clang_equalCursors(below.list[i], init))
            LIST_ADD(u->module, extents.list, extents.count) = below.list[i];
    return extents;
}

/* The extents of an element's type, the innermost first; false after an error.  */
static bool variable_extents(Walk *w, CXCursor e, CXType *type, Cursors *extents)
{
    CXCursor decl = root_of(w->u, e);
    *extents = clang_Cursor_isNull(decl) ? (Cursors){0, NULL} : extents_of(w->u, decl);
    int rank = 0;
    for (*type = clang_getCanonicalType(*type); is_pointer(*type) && type->kind != CXType_Pointer; rank++)
        *type = clang_getCanonicalType(clang_getArrayElementType(*type));
    bool known = rank <= extents->count && bytes_of(*type) > 0;
    for (int i = 0; known && i < rank; i++) {
        CXCursor named = decl_of(w->u, bare(w->u, extents->list[i]));
        known = clang_Cursor_isNull(named) || !count_assignments(w->u, w->function, named);
    }
    if (!known)
        refuse(w, e, "declare it with extents that stay as they are, or write p[i * n + j]",
               "how large the rows of this array are is not known");
    extents->count = rank;
    return known;
}

/* require: an array, or a pointer into one, and the type of its elements.
   ensure: the bytes that so many elements take, U64; the last factor is a number, as GCC has it.  */
Value *bytes_of_elements(Walk *w, CXCursor e, Value *count, CXType element)
{
    Value *bytes = convert(w, count, D_U64), *rows = NULL;
    Cursors extents = {0, NULL};
    if (bytes_of(element) < 0 && !variable_extents(w, e, &element, &extents))
        return literal_int(w, D_U64, 0);
    for (int i = 0; i < extents.count; i++) {
        Value *extent = convert(w, value_of(w, extents.list[i]), D_U64);
        rows = rows ? binary(w, OP_SCALAR_MUL, D_U64, extent, rows) : extent;
    }
    if (rows)
        bytes = binary(w, OP_SCALAR_MUL, D_U64, rows, bytes);
    return binary(w, OP_SCALAR_MUL, D_U64, bytes, literal_int(w, D_U64, bytes_of(element)));
}
