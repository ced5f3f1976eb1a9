/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cursor.c - questions to libclang: children, types, places, constants.
 *
 * libclang shows an implicit conversion as an "unexposed expression" with one child, whose type is another or the same.
 */
#include <string.h>

#include "frontend.h"

typedef struct {
    const Unit *u;
    Cursors *children;
} Gather;

static enum CXChildVisitResult gather(CXCursor c, CXCursor parent, CXClientData data)
{
    Gather *g = data;
    (void)parent;
    LIST_ADD(g->u->module, g->children->list, g->children->count) = c;
    return CXChildVisit_Continue;
}

Cursors children(const Unit *u, CXCursor c)
{
    Cursors found = {0, NULL};
    Gather g = {u, &found};
    clang_visitChildren(c, gather, &g);
    return found;
}

const char *text_of(const Unit *u, CXString string)
{
    const char *text = clang_getCString(string);
    const char *copy = arena_print(u->module, "%s", text ? text : "");
    clang_disposeString(string);
    return copy;
}

const char *name_of(const Unit *u, CXCursor decl)
{
    const char *name = text_of(u, clang_getCursorSpelling(decl));
    size_t length = strlen(name);
    return !length || (!strncmp(name, "ws_", 3) && name[length - 1] == '_') ? NULL : name;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

Loc loc_at(const Unit *u, CXSourceLocation where)
{
    unsigned line, column, offset;
    CXFile physical;
    CXString file;
    clang_getFileLocation(where, &physical, NULL, NULL, &offset); /* a macro's argument stands where it is written */
    if (physical)
        where = clang_getLocationForOffset(u->tu, physical, offset);
    clang_getPresumedLocation(where, &file, &line, &column);
    const char *name = text_of(u, file);
    if (physical && clang_File_isEqual(physical, u->file))
        user_column(u, offset, name, &line, &column);
    Loc loc = {name, (int)line, (int)column, 0};
    return loc;
}

Loc loc_of(const Unit *u, CXCursor c)
{
    return loc_at(u, clang_getCursorLocation(c));
}

unsigned begin_of(CXCursor c)
{
    unsigned offset;
    clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(c)), NULL, NULL, NULL, &offset);
    return offset;
}

unsigned end_of(CXCursor c)
{
    unsigned offset;
    clang_getExpansionLocation(clang_getRangeEnd(clang_getCursorExtent(c)), NULL, NULL, NULL, &offset);
    return offset;
}

bool in_text(const Unit *u, CXCursor c)
{
    CXFile file;
    clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(c)), &file, NULL, NULL, NULL);
    return file && clang_File_isEqual(file, u->file);
}

bool stands_at(const Unit *u, unsigned at, const char *word)
{
    return at + strlen(word) < u->size && !strncmp(u->text + at, word, strlen(word));
}

bool is_the_users(CXCursor c)
{
    return !clang_Location_isInSystemHeader(clang_getCursorLocation(c));
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

bool scalar_type(CXType type, Dtype *dtype)
{
    type = clang_getCanonicalType(type);
    switch (type.kind) {
    case CXType_Bool:
        *dtype = D_I1;
        return true;
    case CXType_Char_S:
    case CXType_SChar:
        *dtype = D_I8;
        return true;
    case CXType_Char_U:
    case CXType_UChar:
        *dtype = D_U8;
        return true;
    case CXType_Short:
        *dtype = D_I16;
        return true;
    case CXType_UShort:
        *dtype = D_U16;
        return true;
    case CXType_Int:
        *dtype = D_I32;
        return true;
    case CXType_UInt:
        *dtype = D_U32;
        return true;
    case CXType_Long:
    case CXType_LongLong:
        *dtype = D_I64;
        return true;
    case CXType_ULong:
    case CXType_ULongLong:
        *dtype = D_U64;
        return true;
    case CXType_Float:
        *dtype = D_F32;
        return true;
    case CXType_Double:
        *dtype = D_F64;
        return true;
    case CXType_Enum:
        return scalar_type(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)), dtype);
    default:
        return false;
    }
}

bool is_pointer(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_Pointer || kind == CXType_ConstantArray || kind == CXType_IncompleteArray ||
           kind == CXType_VariableArray;
}

bool is_integer(CXType type)
{
    Dtype dtype;
    return scalar_type(type, &dtype) && !dtype_is_float(dtype);
}

static bool points_to(CXType type, const char *tag)
{
    type = clang_getCanonicalType(type);
    if (type.kind != CXType_Pointer)
        return false;
    CXString name = clang_getCursorSpelling(clang_getTypeDeclaration(clang_getPointeeType(type)));
    bool same = clang_getCString(name) && !strcmp(clang_getCString(name), tag);
    clang_disposeString(name);
    return same;
}

bool is_tile_type(CXType type)
{
    return points_to(type, "ws_tile_");
}

bool is_tensor_type(CXType type)
{
    return points_to(type, "ws_tensor_");
}

bool is_aggregate(CXType type)
{
    enum CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_Record || kind == CXType_ConstantArray;
}

static int64_t bytes_of(CXType type)
{
    return clang_Type_getSizeOf(type);
}

bool is_complex(CXType type)
{
    return clang_getCanonicalType(type).kind == CXType_Complex;
}

CXType part_type(CXType type)
{
    return clang_getElementType(clang_getCanonicalType(type));
}

typedef struct {
    CXCursor field;
    int64_t bits;
    bool found;
} Sought;

static enum CXVisitorResult seek_field(CXCursor field, CXClientData data)
{
    Sought *sought = data, inner = {sought->field, 0, false};
    inner.found = clang_equalCursors(field, sought->field);
    CXType type = clang_getCanonicalType(clang_getCursorType(field));
    CXString name = clang_getCursorSpelling(field);
    bool anonymous = !*clang_getCString(name) || clang_Cursor_isAnonymous(clang_getTypeDeclaration(type));
    clang_disposeString(name);
    if (!inner.found && anonymous && type.kind == CXType_Record)
        clang_Type_visitFields(type, seek_field, &inner);
    if (!inner.found)
        return CXVisit_Continue;
    sought->found = true;
    sought->bits = clang_Cursor_getOffsetOfField(field) + inner.bits;
    return CXVisit_Break;
}

bool field_bits(CXType record, CXCursor field, int64_t *bits)
{
    Sought sought = {field, 0, false};
    clang_Type_visitFields(clang_getCanonicalType(record), seek_field, &sought);
    *bits = sought.bits;
    return sought.found;
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

CXCursor peel(const Unit *u, CXCursor e)
{
    while (e.kind == CXCursor_ParenExpr || e.kind == CXCursor_UnexposedExpr) {
        Cursors below = children(u, e);
        CXType type = clang_getCanonicalType(clang_getCursorType(e));
        if (below.count != 1)
            return e;
        CXType inner = clang_getCanonicalType(clang_getCursorType(below.list[0]));
        if (inner.kind != type.kind || (!clang_equalTypes(type, inner) && !is_pointer(type) && !is_aggregate(type) &&
                                        bytes_of(type) != bytes_of(inner)))
            return e;
        e = below.list[0];
    }
    return e;
}

bool same_decl(CXCursor x, CXCursor y)
{
    return clang_equalCursors(clang_getCanonicalCursor(x), clang_getCanonicalCursor(y));
}

bool is_variable(CXCursor decl)
{
    return decl.kind == CXCursor_VarDecl || decl.kind == CXCursor_ParmDecl;
}

bool evaluate_int(CXCursor e, int64_t *value)
{
    CXEvalResult result = clang_Cursor_Evaluate(e);
    bool good = result && clang_EvalResult_getKind(result) == CXEval_Int;
    if (good)
        *value = clang_EvalResult_isUnsignedInt(result) ? (int64_t)clang_EvalResult_getAsUnsigned(result)
                                                        : (int64_t)clang_EvalResult_getAsLongLong(result);
    if (result)
        clang_EvalResult_dispose(result);
    return good;
}

bool evaluate_real(CXCursor e, double *value)
{
    CXEvalResult result = clang_Cursor_Evaluate(e);
    bool good = result && clang_EvalResult_getKind(result) == CXEval_Float;
    if (good)
        *value = clang_EvalResult_getAsDouble(result);
    if (result)
        clang_EvalResult_dispose(result);
    return good;
}

bool each_below(const Unit *u, CXCursor c, Visit visit, void *context)
{
    Cursors below = children(u, c);
    for (int i = 0; i < below.count; i++)
        if (!visit(u, below.list[i], context) || !each_below(u, below.list[i], visit, context))
            return false;
    return true;
}

CXCursor bare(const Unit *u, CXCursor e)
{
    for (;;) {
        Cursors below = children(u, e);
        bool wraps =
            e.kind == CXCursor_ParenExpr || e.kind == CXCursor_UnexposedExpr || e.kind == CXCursor_CStyleCastExpr;
        if (!wraps || !below.count || (e.kind == CXCursor_UnexposedExpr && below.count > 1))
            return e;
        CXCursor inner = below.list[below.count - 1];
        if (!is_integer(clang_getCursorType(e)) || !is_integer(clang_getCursorType(inner)) ||
            bytes_of(clang_getCursorType(inner)) > bytes_of(clang_getCursorType(e)))
            return e;
        e = inner;
    }
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

/* Which of the three parts of "for (init; cond; step)" stand there: a part is a child that begins before its end.  */
static void for_parts(const Unit *u, CXCursor loop, const Cursors *below, LoopParts *parts)
{
    CXToken *tokens;
    unsigned count;
    CXCursor *slots[] = {&parts->init, &parts->cond, &parts->step};
    int next = 0, depth = 0, part = 0;
    clang_tokenize(u->tu, clang_getCursorExtent(loop), &tokens, &count);
    for (unsigned i = 0; i < count && part < 3 && next < below->count - 1; i++) {
        CXString spelling = clang_getTokenSpelling(u->tu, tokens[i]);
        const char *text = clang_getCString(spelling);
        unsigned at;
        clang_getExpansionLocation(clang_getTokenLocation(u->tu, tokens[i]), NULL, NULL, NULL, &at);
        if (!strcmp(text, "(") || !strcmp(text, "{") || !strcmp(text, "["))
            depth++;
        else if (!strcmp(text, ")") || !strcmp(text, "}") || !strcmp(text, "]"))
            depth--;
        bool ends = (!strcmp(text, ";") && depth == 1) || (!strcmp(text, ")") && depth == 0);
        if (ends && begin_of(below->list[next]) < at)
            *slots[part] = below->list[next++];
        part += ends;
        clang_disposeString(spelling);
    }
    clang_disposeTokens(u->tu, tokens, count);
}

bool is_loop(CXCursor c)
{
    return c.kind == CXCursor_ForStmt || c.kind == CXCursor_WhileStmt || c.kind == CXCursor_DoStmt;
}

LoopParts loop_parts(const Unit *u, CXCursor loop)
{
    Cursors below = children(u, loop);
    CXCursor none = clang_getNullCursor();
    LoopParts parts = {none, none, none, none, loop.kind == CXCursor_DoStmt};
    if (!below.count)
        return parts;
    if (loop.kind == CXCursor_DoStmt) {
        parts.body = below.list[0];
        parts.cond = below.list[1];
    } else if (loop.kind == CXCursor_WhileStmt) {
        parts.cond = below.list[0];
        parts.body = below.list[below.count - 1];
    } else {
        parts.body = below.list[below.count - 1];
        if (below.count == 4) {
            parts.init = below.list[0];
            parts.cond = below.list[1];
            parts.step = below.list[2];
        } else {
            for_parts(u, loop, &below, &parts);
        }
    }
    return parts;
}

/* ---- assignments ------------------------------------------------------------------------------------------------- */

static bool is_assignment(CXCursor e)
{
    return e.kind == CXCursor_BinaryOperator && clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_Assign;
}

static bool is_step(CXCursor e)
{
    if (e.kind != CXCursor_UnaryOperator)
        return false;
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
    return kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec || kind == CXUnaryOperator_PreInc ||
           kind == CXUnaryOperator_PreDec;
}

CXCursor assigned_by(const Unit *u, CXCursor e)
{
    if (!is_assignment(e) && e.kind != CXCursor_CompoundAssignOperator && !is_step(e))
        return clang_getNullCursor();
    Cursors below = children(u, e);
    return below.count ? below.list[0] : clang_getNullCursor();
}

/* ---- the function of a call -------------------------------------------------------------------------------------- */

/* Of the functions that _Generic has to choose of: that of its type, if it is one.  */
static CXCursor generic_function(const Unit *u, CXCursor e)
{
    const Cursors below = children(u, e);
    const CXType type = clang_getCanonicalType(clang_getCursorType(e));
    CXCursor found = clang_getNullCursor();
    for (int i = 1; i < below.count; i++) {
        CXCursor function = clang_getCursorReferenced(below.list[i]);
        if (!clang_isExpression(below.list[i].kind) || function.kind != CXCursor_FunctionDecl ||
            !clang_equalTypes(type, clang_getCanonicalType(clang_getCursorType(below.list[i]))))
            continue;
        if (!clang_Cursor_isNull(found) && !clang_equalCursors(found, function))
            return clang_getNullCursor();
        found = function;
    }
    return found;
}

/* __builtin_choose_expr of names, as ws_tensor_strided is.  */
static CXCursor chosen_function(const Unit *u, CXCursor e)
{
    int64_t chosen;
    Cursors below = children(u, e);
    for (int depth = 0; depth < 32 && below.count; depth++) {
        bool wraps = e.kind == CXCursor_ParenExpr || e.kind == CXCursor_UnexposedExpr || e.kind == CXCursor_CallExpr;
        if (e.kind == CXCursor_UnexposedExpr && below.count == 3 && evaluate_int(below.list[0], &chosen))
            e = below.list[chosen ? 1 : 2];
        else if (wraps && (below.count == 1 || e.kind == CXCursor_CallExpr))
            e = below.list[0];
        else
            break;
        below = children(u, e);
    }
    if (e.kind == CXCursor_GenericSelectionExpr)
        return generic_function(u, e);
    return e.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(e) : clang_getNullCursor();
}

/* The function, for a call by its name.  */
const char *callee_name(const Unit *u, CXCursor e, CXCursor *function)
{
    CXCursor callee = clang_getCursorReferenced(e);
    if (callee.kind != CXCursor_FunctionDecl)
        callee = chosen_function(u, e);
    if (function)
        *function = callee;
    return callee.kind == CXCursor_FunctionDecl ? text_of(u, clang_getCursorSpelling(callee)) : "";
}

/* ---- the variable that a name means at a place ------------------------------------------------------------------- */

typedef struct {
    const char *name;
    unsigned at;
    CXCursor found;
} Sight;

static void look(const Unit *u, CXCursor c, Sight *sight)
{
    Cursors below = children(u, c);
    for (int i = 0; i < below.count; i++) {
        CXCursor inner = below.list[i];
        bool scope = inner.kind == CXCursor_CompoundStmt || inner.kind == CXCursor_ForStmt;
        if (begin_of(inner) > sight->at || (scope && end_of(inner) <= sight->at))
            continue;
        if (is_variable(inner) && !strcmp(text_of(u, clang_getCursorSpelling(inner)), sight->name))
            sight->found = clang_getCanonicalCursor(inner);
        look(u, inner, sight);
    }
}

CXCursor variable_in_sight(const Unit *u, CXCursor function, unsigned at, const char *name)
{
    Sight sight = {name, at, clang_getNullCursor()};
    Cursors all = children(u, clang_getTranslationUnitCursor(u->tu));
    for (int i = 0; i < all.count; i++) /* a place in another file says nothing */
        if (all.list[i].kind == CXCursor_VarDecl && (!in_text(u, all.list[i]) || begin_of(all.list[i]) < at) &&
            !strcmp(text_of(u, clang_getCursorSpelling(all.list[i])), name))
            sight.found = clang_getCanonicalCursor(all.list[i]);
    if (!clang_Cursor_isNull(function))
        look(u, function, &sight);
    return sight.found;
}
