/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-types.c - types, declarations, and bytes of arrays of variable length.
 *
 *   float a[n][m];  a[i]        the row has m * 4 bytes, with m as it was at the declaration
 *
 * libclang gives a parameter that is declared as an array the type of the array, though it is a pointer. The sides of
 * an array stand below its declaration, the innermost first.
 */
#include <string.h>

#include "transcribe.h"

CXType canonical(CXType type)
{
    return clang_getCanonicalType(type);
}

bool is_array(CXType type)
{
    const enum CXTypeKind kind = canonical(type).kind;
    return kind == CXType_ConstantArray || kind == CXType_IncompleteArray || kind == CXType_VariableArray;
}

bool is_record(CXType type)
{
    return canonical(type).kind == CXType_Record;
}

bool is_memory(CXType type)
{
    return is_record(type) || is_complex(type);
}

bool is_function_type(CXType type)
{
    const enum CXTypeKind kind = canonical(type).kind;
    return kind == CXType_FunctionProto || kind == CXType_FunctionNoProto;
}

CXType element_of(CXType type)
{
    type = canonical(type);
    return is_array(type) ? clang_getArrayElementType(type) : clang_getPointeeType(type);
}

CXCursor first_child(Transcriber *t, CXCursor e)
{
    Cursors below = children(t->u, e);
    return below.count ? below.list[0] : clang_getNullCursor();
}

static SourceType type_of_dtype(Dtype dtype)
{
    switch (dtype) {
    case D_I1:
        return ST_B;
    case D_I8:
        return ST_I8;
    case D_U8:
        return ST_U8;
    case D_I16:
        return ST_I16;
    case D_U16:
        return ST_U16;
    case D_I32:
        return ST_I32;
    case D_U32:
        return ST_U32;
    case D_I64:
        return ST_I64;
    case D_U64:
        return ST_U64;
    case D_F32:
        return ST_F32;
    default:
        return ST_F64;
    }
}

/* The region IR has no numbers of the type: a call of `typeof` says that one is here.  */
static SourceType other_type(Transcriber *t, CXType type, CXCursor e)
{
    const char *name = text_of(t->u, clang_getTypeSpelling(type));
    while (!strncmp(name, "const ", 6) || !strncmp(name, "volatile ", 9))
        name = strchr(name, ' ') + 1;
    if (t->function && t->builder.block) {
        const Loc loc = t->builder.loc;
        const Operand none = {.kind = OPERAND_NONE};
        at_cursor(t, e);
        const SourceArgument argument = {.type = ST_P,
                                         .operand = source_string(&t->builder, name, (long)strlen(name) + 1)};
        source_call(&t->builder, ST_I32, "typeof", none, 1, &argument);
        t->builder.loc = loc;
    }
    return type.kind == CXType_LongDouble || type.kind == CXType_Float128 ? ST_F64 : ST_I64;
}

SourceType source_type(Transcriber *t, CXType type, CXCursor e)
{
    Dtype dtype;
    type = canonical(type);
    if (scalar_type(type, &dtype))
        return type_of_dtype(dtype);
    switch (type.kind) {
    case CXType_Void:
        return ST_V;
    case CXType_Pointer:
    case CXType_NullPtr:
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        return ST_P;
    case CXType_Record:
        return ST_S;
    case CXType_Complex:
        if (part_type(type).kind == CXType_Float)
            return ST_C32;
        if (part_type(type).kind == CXType_Double)
            return ST_C64;
        break;
    case CXType_LongDouble:
    case CXType_Float128:
    case CXType_Int128:
    case CXType_UInt128:
        return other_type(t, type, e);
    default:
        if (is_array(type))
            return ST_P;
    }
    if (t->function)
        FAIL(t, e, "the type '%s'", text_of(t->u, clang_getTypeSpelling(type)));
    return ST_I32;
}

SourceType type_of(Transcriber *t, CXCursor e)
{
    return source_type(t, clang_getCursorType(e), e);
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

bool is_static_storage(CXCursor decl)
{
    const enum CX_StorageClass storage = clang_Cursor_getStorageClass(decl);
    return decl.kind == CXCursor_VarDecl &&
           (clang_getCursorLinkage(decl) == CXLinkage_External || clang_getCursorLinkage(decl) == CXLinkage_Internal ||
            storage == CX_SC_Static || storage == CX_SC_Extern);
}

static SourceType type_of_element(CXType type)
{
    Dtype dtype;
    if (scalar_type(type, &dtype))
        return type_of_dtype(dtype);
    return canonical(type).kind == CXType_Pointer ? ST_P : ST_V;
}

static const SourceLayout *layout_of(Unit *u, CXType type);

typedef struct {
    Unit *u;
    SourceLayout *layout;
} Members;

static enum CXVisitorResult see_member(CXCursor field, CXClientData data)
{
    Members *members = data;
    CXType type = clang_getCursorType(field), inner = type;
    const long long offset = clang_Cursor_getOffsetOfField(field);
    while (is_array(inner))
        inner = element_of(inner);
    const long long all = clang_Type_getSizeOf(canonical(type)), bytes = clang_Type_getSizeOf(canonical(inner));
    if (clang_Cursor_isBitField(field) || offset < 0 || all <= 0 || bytes <= 0)
        return CXVisit_Continue;
    LIST_ADD(members->u->module, members->layout->members, members->layout->nmembers) =
        (SourceMember){(long)(offset / 8),           (long)bytes,
                       (long)(all / bytes),          type_of_element(inner),
                       layout_of(members->u, inner), text_of(members->u, clang_getCursorSpelling(field))};
    return CXVisit_Continue;
}

/* NULL: the type is no structure of a known size.  */
static const SourceLayout *layout_of(Unit *u, CXType type)
{
    type = canonical(type);
    const long long bytes = type.kind == CXType_Record ? clang_Type_getSizeOf(type) : -1;
    if (bytes < 0 || clang_getTypeDeclaration(type).kind != CXCursor_StructDecl)
        return NULL;
    Members members = {u, arena_alloc(u->module, sizeof *members.layout)};
    members.layout->bytes = (long)bytes;
    clang_Type_visitFields(type, see_member, &members);
    return members.layout;
}

/* A record without a name is "struct" or "union"; libclang adds its place. `typeof` is the type that it stands for.  */
static const char *spelling_of(Transcriber *t, CXType type)
{
    const char *text = text_of(t->u, clang_getTypeSpelling(type));
    if (strpbrk(text, "{\"\n") || strstr(text, "typeof"))
        text = text_of(t->u, clang_getTypeSpelling(canonical(type)));
    const char *place = strstr(text, "(unnamed");
    place = place ? place : strstr(text, "(anonymous");
    if (!place)
        return text;
    const bool is_union = clang_getTypeDeclaration(canonical(type)).kind == CXCursor_UnionDecl;
    return is_union ? "union" : "struct";
}

static SourceHolds holds_of(CXType type);

static enum CXVisitorResult see_field(CXCursor field, CXClientData data)
{
    SourceHolds *found = data;
    *found = holds_of(clang_getCursorType(field));
    return *found ? CXVisit_Break : CXVisit_Continue;
}

static SourceHolds holds_of(CXType type)
{
    if (is_tile_type(type))
        return HOLDS_TILE;
    if (is_tensor_type(type))
        return HOLDS_TENSOR;
    SourceHolds found = HOLDS_NONE;
    if (is_array(type))
        found = holds_of(element_of(type));
    else if (is_record(type))
        clang_Type_visitFields(canonical(type), see_field, &found);
    return found == HOLDS_TILE ? HOLDS_TILES : found == HOLDS_TENSOR ? HOLDS_TENSORS : found;
}

Declaration declaration_of(Transcriber *t, CXCursor decl, CXType type)
{
    const char *name = text_of(t->u, clang_getCursorSpelling(decl));
    Declaration result = {.name = *name ? name : NULL, .loc = loc_of(t->u, decl)};
    SourceDimension list[32];
    CXType inner = type;
    for (; is_array(inner) && result.ndimensions < 32; inner = element_of(inner)) {
        const long long side = clang_getArraySize(canonical(inner));
        list[result.ndimensions++].side = source_integer(side > 0 ? side : 0);
    }
    if (result.ndimensions) {
        const size_t size = sizeof *list * (size_t)result.ndimensions;
        result.dimensions = memcpy(arena_alloc(t->u->module, size), list, size);
    }
    CXType element = canonical(inner).kind == CXType_Pointer && !result.ndimensions ? element_of(inner) : inner;
    if (result.ndimensions || canonical(inner).kind == CXType_Pointer) {
        const long long bytes = is_function_type(element) ? 0 : clang_Type_getSizeOf(element);
        result.element = type_of_element(element);
        result.element_bytes = bytes > 0 && canonical(element).kind != CXType_Void ? (int)bytes : 0;
    }
    result.layout = is_function_type(element) ? NULL : layout_of(t->u, element);
    result.c_type = spelling_of(t, inner);
    result.is_const = clang_isConstQualifiedType(canonical(inner));
    result.is_restrict = clang_isRestrictQualifiedType(canonical(type));
    result.is_volatile = clang_isVolatileQualifiedType(canonical(inner));
    result.holds = holds_of(type);
    return result;
}

Local *local_of(Transcriber *t, CXCursor decl)
{
    decl = clang_getCanonicalCursor(decl);
    for (int i = t->nlocals - 1; i >= 0; i--)
        if (clang_equalCursors(t->locals[i].decl, decl))
            return &t->locals[i];
    return NULL;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* The expressions of sides in a declaration or a cast.  */
Cursors sides_of(Transcriber *t, CXCursor decl)
{
    Cursors below = children(t->u, decl), sides = {0, NULL};
    CXCursor init = decl.kind == CXCursor_VarDecl ? clang_Cursor_getVarDeclInitializer(decl) : clang_getNullCursor();
    const int last = clang_isExpression(decl.kind) ? below.count - 1 : below.count;
    for (int i = 0; i < last; i++)
        if (clang_isExpression(below.list[i].kind) && !clang_equalCursors(below.list[i], init))
            LIST_ADD(t->u->module, sides.list, sides.count) = below.list[i];
    return sides;
}

/* The declaration or the cast from which a type has its sides.  */
static CXCursor sides_root(Transcriber *t, CXCursor e)
{
    for (int depth = 0; depth < 64 && !clang_Cursor_isNull(e); depth++) {
        Cursors below = children(t->u, e);
        if (e.kind == CXCursor_DeclRefExpr)
            return clang_getCursorReferenced(e);
        if (e.kind == CXCursor_VarDecl || e.kind == CXCursor_ParmDecl ||
            (e.kind == CXCursor_CStyleCastExpr && below.count > 1 && clang_isExpression(below.list[0].kind)))
            return e;
        if (!below.count)
            break;
        const bool second = e.kind == CXCursor_BinaryOperator && !is_pointer(clang_getCursorType(below.list[0]));
        e = below.list[second || e.kind == CXCursor_CStyleCastExpr ? below.count - 1 : 0];
    }
    return clang_getNullCursor();
}

static int levels_of(CXType type)
{
    int levels = 0;
    for (; is_array(type); type = element_of(type))
        levels++;
    return levels;
}

Operand bytes_operand(Transcriber *t, CXType type, CXCursor root)
{
    const long long fixed = is_function_type(type) ? 1 : clang_Type_getSizeOf(canonical(type));
    if (fixed >= 0)
        return source_integer(fixed);
    CXCursor decl = sides_root(t, root);
    Local *local = clang_Cursor_isNull(decl) ? NULL : local_of(t, decl);
    Cursors written = clang_Cursor_isNull(decl) ? (Cursors){0, NULL} : sides_of(t, decl);
    const int levels = levels_of(type);
    CXType inner = type;
    for (int i = 0; i < levels; i++)
        inner = element_of(inner);
    const long long bytes = clang_Type_getSizeOf(canonical(inner));
    if (written.count < levels || bytes < 0 || (local && local->nsides != written.count)) {
        FAIL(t, root, "the size of an array of variable length");
        return source_integer(1);
    }
    Operand all = source_integer(bytes);
    for (int i = 0; i < levels; i++) {
        Operand side = local ? local->sides[i] : scalar_of(t, written.list[i]);
        if (!local)
            side = source_convert(&t->builder, type_of(t, written.list[i]), ST_U64, side);
        all = source_binary(&t->builder, SO_MUL, ST_U64, all, side);
    }
    return all;
}
