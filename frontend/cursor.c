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

void spell_element(const Unit *u, Op *op, CXCursor c)
{
    const CXCursor target = assigned_by(u, c), element = clang_Cursor_isNull(target) ? c : target;
    const unsigned begin = begin_of(element), end = end_of(element);
    if (in_text(u, element) && begin < end && end <= u->size)
        op_spell(op, u->text + begin, end - begin);
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

int64_t bytes_of(CXType type)
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

int64_t offset_of_member(CXType type, CXCursor field)
{
    int64_t bits;
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Pointer)
        type = clang_getPointeeType(type);
    return (field_bits(type, field, &bits) ? bits : clang_Cursor_getOffsetOfField(field)) / 8;
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

CXCursor whole_of(const Unit *u, CXCursor e)
{
    e = peel(u, e);
    enum CXUnaryOperatorKind kind =
        e.kind == CXCursor_UnaryOperator ? clang_getCursorUnaryOperatorKind(e) : CXUnaryOperator_Invalid;
    return kind == CXUnaryOperator_Real || kind == CXUnaryOperator_Imag ? peel(u, children(u, e).list[0]) : e;
}

CXCursor decl_of(const Unit *u, CXCursor e)
{
    e = peel(u, e);
    CXCursor decl = e.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(e) : clang_getNullCursor();
    return is_variable(decl) ? clang_getCanonicalCursor(decl) : clang_getNullCursor();
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

LoopParts loop_parts(const Unit *u, CXCursor loop)
{
    Cursors below = children(u, loop);
    CXCursor none = clang_getNullCursor();
    LoopParts parts = {none, none, none, none, loop.kind == CXCursor_DoStmt, 0};
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

bool is_assignment(CXCursor e)
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

typedef struct {
    CXCursor decl;
    bool for_reading; /* pointers that a program only reads through count, too */
    int count;
    CXCursor reader; /* members that this expression does not read do not count; null: all count */
} Counted;

/* The next expression from one towards the variable that its place is in: v of v.a, v[0], *v, v + 1 and (char *)v, and
   an array of the address of its first element. */
static CXCursor towards_root(const Unit *u, CXCursor e)
{
    Cursors below = children(u, e);
    if (!below.count)
        return clang_getNullCursor();
    switch (e.kind) {
    case CXCursor_UnexposedExpr:
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
        return below.list[0];
    case CXCursor_CStyleCastExpr:
        return below.list[below.count - 1];
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Deref ? below.list[0] : clang_getNullCursor();
    case CXCursor_BinaryOperator:
        if (!is_pointer(clang_getCursorType(e)))
            return clang_getNullCursor();
        return below.list[below.count == 2 && is_pointer(clang_getCursorType(below.list[1]))];
    default:
        return clang_getNullCursor();
    }
}

/* The variable that a place is in, and the member of its structure; a null cursor for all of it. */
typedef struct {
    CXCursor variable, member;
} Root;

static Root root_of(const Unit *u, CXCursor place)
{
    Root root = {whole_of(u, place), clang_getNullCursor()};
    for (CXCursor next; !clang_Cursor_isNull(next = towards_root(u, root.variable));) {
        if (root.variable.kind == CXCursor_MemberRefExpr)
            root.member = clang_getCursorReferenced(root.variable);
        root.variable = whole_of(u, next);
    }
    root.variable = decl_of(u, root.variable);
    return root;
}

/* False for a member that shares its memory with others. */
static bool is_apart(CXCursor member, CXCursor decl)
{
    CXCursor structure = clang_getTypeDeclaration(clang_getCanonicalType(clang_getCursorType(decl)));
    return structure.kind == CXCursor_StructDecl && same_decl(clang_getCursorSemanticParent(member), structure);
}

static bool is_another_member(const Unit *u, CXCursor c, void *context)
{
    (void)u;
    const CXCursor *member = context;
    return c.kind != CXCursor_MemberRefExpr || !same_decl(clang_getCursorReferenced(c), *member);
}

/* True if the place is in the variable, and in what the reader reads of it. */
static bool is_counted_place(const Unit *u, const Counted *counted, CXCursor place)
{
    Root root = root_of(u, place);
    if (!same_decl(root.variable, counted->decl))
        return false;
    return clang_Cursor_isNull(counted->reader) || clang_Cursor_isNull(root.member) ||
           !is_apart(root.member, counted->decl) || !is_another_member(u, counted->reader, &root.member) ||
           !each_below(u, counted->reader, is_another_member, &root.member);
}

/* True for a pointer into the variable, an array or an array of its members, that something keeps. */
static bool is_handed_over(const Unit *u, CXCursor pointer, const Counted *counted)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(pointer));
    return is_pointer(type) && is_aggregate(clang_getCursorType(counted->decl)) &&
           (counted->for_reading || !clang_isConstQualifiedType(clang_getPointeeType(type))) &&
           is_counted_place(u, counted, pointer);
}

static int count_handed_over(const Unit *u, CXCursor c, const Counted *counted)
{
    int count = 0;
    for (int i = 0, n = c.kind == CXCursor_CallExpr ? clang_Cursor_getNumArguments(c) : 0; i < n; i++)
        count += is_handed_over(u, clang_Cursor_getArgument(c, i), counted);
    if (c.kind != CXCursor_VarDecl && c.kind != CXCursor_InitListExpr && c.kind != CXCursor_ConditionalOperator &&
        c.kind != CXCursor_ReturnStmt && !is_assignment(c))
        return count;
    Cursors below = children(u, c);
    for (int i = is_assignment(c); i < below.count; i++)
        count += is_handed_over(u, below.list[i], counted);
    return count;
}

static bool count_one(const Unit *u, CXCursor c, void *context)
{
    Counted *counted = context;
    CXCursor target = assigned_by(u, c);
    if (clang_Cursor_isNull(target) && c.kind == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_AddrOf)
        target = children(u, c).list[0];
    if (!clang_Cursor_isNull(target) && is_counted_place(u, counted, target))
        counted->count++;
    counted->count += count_handed_over(u, c, counted);
    return true;
}

static int count_below(const Unit *u, CXCursor below, Counted counted)
{
    if (clang_Cursor_isNull(below))
        return 0;
    count_one(u, below, &counted);
    each_below(u, below, count_one, &counted);
    return counted.count;
}

int count_assignments(const Unit *u, CXCursor below, CXCursor decl)
{
    return count_below(u, below, (Counted){decl, false, 0, clang_getNullCursor()});
}

bool may_change(const Unit *u, CXCursor below, CXCursor decl)
{
    return count_below(u, below, (Counted){decl, true, 0, clang_getNullCursor()}) > 0;
}

bool may_change_what_is_read(const Unit *u, CXCursor below, CXCursor decl, CXCursor reader)
{
    return count_below(u, below, (Counted){decl, false, 0, reader}) > 0;
}
