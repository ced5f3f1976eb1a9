/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * part.c - arrays that are parts of what a pointer points to: members of structs, rows of an array of pointers.
 *
 *   p[i].label          %p = (const char *)p + 8: a struct of floats and a number
 *   a[i][j]             %a = ws_rows_base_(a, bytes), rows at ws_rows_distance_(a, ...); extent(a: n) says how many
 */
#include <string.h>

#include "frontend.h"

/* Numbers of one type alone, which *dtype is after the first.  */
typedef struct {
    Dtype dtype;
    bool uniform;
} Uniform;

static enum CXVisitorResult visit_field(CXCursor field, CXClientData data);

static void visit_type(CXType type, Uniform *seen)
{
    Dtype own;
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (type.kind == CXType_Record) {
        clang_Type_visitFields(type, visit_field, seen);
        return;
    }
    if (!scalar_type(type, &own) || own == D_I1 ||
        (seen->dtype != D_I1 &&
         (dtype_bytes(seen->dtype) != dtype_bytes(own) || dtype_is_float(seen->dtype) != dtype_is_float(own)))) {
        seen->uniform = false;
        return;
    }
    seen->dtype = own;
}

static enum CXVisitorResult visit_field(CXCursor field, CXClientData data)
{
    visit_type(clang_getCursorType(field), data);
    return CXVisit_Continue;
}

/* The expression, or what it points to, is a struct of several types: its members are arrays of their own.  */
bool is_mixed(CXCursor e)
{
    Uniform seen = {D_I1, true};
    CXType type = clang_getCanonicalType(clang_getCursorType(e));
    visit_type(type.kind == CXType_Pointer ? clang_getPointeeType(type) : type, &seen);
    return !seen.uniform;
}

static const char *text_of_live_in(const Walk *w, const Value *value)
{
    for (int i = 0; i < w->nlivein; i++)
        if (w->livein[i].value == value)
            return w->livein[i].text;
    return "";
}

/* How many bytes there are behind the pointers of an array of pointers, if a clause says so; or NULL.  */
const char *rows_known(const Walk *w, Result base)
{
    for (const Extent *extent = w->kernel->grid.extents; extent && w->kernel->grid.plain; extent = extent->next)
        if (!strcmp(text_of_live_in(w, extent->base), base.text))
            return text_of_live_in(w, extent->bytes);
    return NULL;
}

/* A row of such an array: the launch looks whether they are at equal distances.  */
Result row_of(Walk *w, Result base, Value *number, CXType type)
{
    Module *module = w->u->module;
    const char *bytes = rows_known(w, base);
    CXType element = clang_getPointeeType(clang_getCanonicalType(type));
    int64_t size = bytes_of(element);
    const char *text = arena_print(module, "ws_rows_distance_((const void *)(%s), %s, %lldL, \"%s\")", base.text, bytes,
                                   (long long)size, base.name ? base.name : "the array");
    base.text = arena_print(module, "ws_rows_base_((const void *)(%s), %s)", base.text, bytes);
    base_of(w, base);
    Value *apart = live_in(w, text, "long", type_scalar(D_I64), NULL, parameter_rank(w, ""));
    Value *place = binary(w, OP_SCALAR_MUL, D_I64, convert(w, number, D_I64), apart);
    base.offset = binary(w, OP_SCALAR_MUL, D_I64, place, literal_int(w, D_I64, size));
    base.type = type;
    return base;
}
