/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * number.c - which number an expression is, where the walk stands.
 *
 *   enum { N = 64 }; const int bm = 2 * N; struct config c = {.bk = 32};      2 * c.bk + bm is 192
 */
#include <string.h>

#include "frontend.h"

typedef struct {
    bool is_real;
    bool is_u64; /* `integer` is read without a sign */
    int64_t integer;
    double real;
} Number;

static bool number_of(Walk *w, CXCursor e, Number *number, int depth);

static bool number_cast(CXType type, Number *number)
{
    Dtype dtype;
    if (!scalar_type(type, &dtype))
        return false;
    if (dtype_is_float(dtype)) {
        if (!number->is_real)
            number->real = number->is_u64 ? (double)(uint64_t)number->integer : (double)number->integer;
        number->real = dtype == D_F32 ? (double)(float)number->real : number->real;
    } else {
        if (number->is_real)
            number->integer =
                dtype == D_U64 && number->real >= 0 ? (int64_t)(uint64_t)number->real : (int64_t)number->real;
        number->integer = dtype == D_I1 ? number->integer != 0 : ir_wrap(dtype, number->integer);
    }
    number->is_real = dtype_is_float(dtype);
    number->is_u64 = dtype == D_U64;
    return true;
}

static bool number_binary(enum CXBinaryOperatorKind kind, const Number *x, const Number *y, Number *result)
{
    if (x->is_real != y->is_real)
        return false;
    const bool is_u64 = x->is_u64 || y->is_u64; /* the type of both operands, but for a shift */
    const uint64_t ux = (uint64_t)x->integer, uy = (uint64_t)y->integer;
    *result = *x;
    result->is_u64 = is_u64;
    switch (kind) {
    case CXBinaryOperator_Add:
        result->integer += y->integer;
        result->real += y->real;
        return true;
    case CXBinaryOperator_Sub:
        result->integer -= y->integer;
        result->real -= y->real;
        return true;
    case CXBinaryOperator_Mul:
        result->integer *= y->integer;
        result->real *= y->real;
        return true;
    case CXBinaryOperator_Div:
        if (x->is_real ? y->real == 0 : y->integer == 0)
            return false;
        result->real = x->is_real ? x->real / y->real : 0;
        result->integer = x->is_real         ? 0
                          : is_u64           ? (int64_t)(ux / uy)
                          : y->integer == -1 ? (int64_t)(0 - ux)
                                             : x->integer / y->integer;
        return true;
    case CXBinaryOperator_Rem:
        if (x->is_real || !y->integer)
            return false;
        result->integer = is_u64 ? (int64_t)(ux % uy) : y->integer == -1 ? 0 : x->integer % y->integer;
        return true;
    case CXBinaryOperator_Shl:
        result->integer = (int64_t)(ux << (uy & 63));
        result->is_u64 = x->is_u64;
        return !x->is_real;
    case CXBinaryOperator_Shr:
        result->integer = x->is_u64 ? (int64_t)(ux >> (uy & 63)) : x->integer >> (uy & 63);
        result->is_u64 = x->is_u64;
        return !x->is_real;
    case CXBinaryOperator_And:
        result->integer = x->integer & y->integer;
        return !x->is_real;
    case CXBinaryOperator_Or:
        result->integer = x->integer | y->integer;
        return !x->is_real;
    case CXBinaryOperator_LT:
        result->integer = x->is_real ? x->real < y->real : is_u64 ? ux < uy : x->integer < y->integer;
        result->is_real = result->is_u64 = false;
        return true;
    case CXBinaryOperator_EQ:
        result->integer = x->is_real ? x->real == y->real : x->integer == y->integer;
        result->is_real = result->is_u64 = false;
        return true;
    default:
        return false;
    }
}

static bool number_of_result(Result result, Number *number)
{
    if (result.kind != R_VALUE || !is_literal(result.value))
        return false;
    number->is_real = dtype_is_float(result.value->type.dtype);
    number->is_u64 = result.value->type.dtype == D_U64;
    number->integer = result.value->def->scalar->integer;
    number->real = result.value->def->scalar->real;
    return true;
}

static bool number_of_variable(Walk *w, CXCursor decl, Number *number, int depth)
{
    int variable = variable_find(w, decl);
    Dtype dtype;
    if (!scalar_type(clang_getCursorType(decl), &dtype))
        return false;
    if (variable >= 0) {
        int slot = slot_of(w, variable, 0, false);
        return slot >= 0 && number_of_result(slot_read(w, slot), number);
    }
    int copied = w->frame->id == 0 ? copied_parameter(w, decl) : -1;
    if (copied >= 0) {
        w->in_caller = true;
        bool good = number_of(w, clang_Cursor_getArgument(w->site, (unsigned)copied), number, depth + 1) &&
                    number_cast(clang_getCursorType(decl), number);
        w->in_caller = false;
        return good;
    }
    Definition *definition = definition_of(w, decl);
    if (w->frame->id == 0 && definition && definition->known && !definition->reading) {
        definition->reading = true;
        bool good =
            number_of(w, definition->value, number, depth + 1) && number_cast(clang_getCursorType(decl), number);
        definition->reading = false;
        return good;
    }
    CXType type = clang_getCursorType(decl);
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    bool constant = decl.kind == CXCursor_VarDecl && !definition && clang_isConstQualifiedType(type);
    return constant && !clang_Cursor_isNull(init) && number_of(w, init, number, depth + 1) && number_cast(type, number);
}

/* Does anything below name a variable of the walk, whose value libclang would take for its first one?  */
static bool names_variable(const Unit *u, CXCursor c, void *context)
{
    (void)context;
    CXCursor decl = c.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(c) : clang_getNullCursor();
    (void)u;
    return !is_variable(decl);
}

/* A part of an object whose parts the walk knows.  */
static bool is_within_local(Walk *w, CXCursor e)
{
    while (e.kind == CXCursor_MemberRefExpr || e.kind == CXCursor_ArraySubscriptExpr) {
        Cursors below = children(w->u, e);
        if (!below.count)
            return false;
        e = peel(w->u, below.list[0]);
        Cursors decays = children(w->u, e);
        if (e.kind == CXCursor_UnexposedExpr && decays.count == 1)
            e = peel(w->u, decays.list[0]);
    }
    CXCursor decl = decl_of(w->u, e);
    if (!clang_Cursor_isNull(decl))
        outside_object(w, decl);
    return !clang_Cursor_isNull(decl) && variable_find(w, decl) >= 0;
}

/* ... or that the program never changes: where in it.  */
static bool constant_part(Walk *w, CXCursor e, int *variable, int64_t *byte)
{
    e = peel(w->u, e);
    Cursors below = children(w->u, e);
    int64_t index;
    if (e.kind == CXCursor_DeclRefExpr) {
        CXCursor decl = clang_getCanonicalCursor(clang_getCursorReferenced(e));
        *byte = 0;
        *variable = is_variable(decl) ? outside_constant(w, decl) : -1;
        return *variable >= 0;
    }
    if (e.kind == CXCursor_UnexposedExpr && below.count == 1)
        return constant_part(w, below.list[0], variable, byte);
    if (e.kind == CXCursor_MemberRefExpr && below.count && !is_pointer(clang_getCursorType(below.list[0]))) {
        CXCursor field = clang_getCursorReferenced(e);
        if (clang_Cursor_isBitField(field) || !constant_part(w, below.list[0], variable, byte))
            return false;
        *byte += clang_Cursor_getOffsetOfField(field) / 8;
        return true;
    }
    if (e.kind != CXCursor_ArraySubscriptExpr || !constant_part(w, below.list[0], variable, byte) ||
        !constant_int(w, below.list[1], &index))
        return false;
    *byte += index * bytes_of(clang_getCursorType(e));
    return true;
}

static bool number_of(Walk *w, CXCursor e, Number *number, int depth)
{
    Number x, y;
    if (depth > 32)
        return false;
    number->integer = 0;
    number->real = 0;
    Dtype dtype;
    bool scalar = scalar_type(clang_getCursorType(e), &dtype);
    number->is_u64 = scalar && dtype == D_U64;
    if (scalar && names_variable(w->u, e, NULL) && each_below(w->u, e, names_variable, NULL)) {
        number->is_real = dtype_is_float(dtype);
        return number->is_real ? evaluate_real(e, &number->real) : evaluate_int(e, &number->integer);
    }
    Cursors below = children(w->u, e);
    switch (e.kind) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr: {
        int64_t chosen;
        if (below.count == 3 && e.kind == CXCursor_UnexposedExpr)
            return evaluate_int(below.list[0], &chosen) && number_of(w, below.list[chosen ? 1 : 2], number, depth + 1);
        bool one = below.count == 1 || (below.count && e.kind == CXCursor_CStyleCastExpr);
        return one && number_of(w, below.list[below.count - 1], number, depth + 1) &&
               number_cast(clang_getCursorType(e), number);
    }
    case CXCursor_DeclRefExpr: {
        CXCursor decl = clang_getCursorReferenced(e);
        return is_variable(decl) && number_of_variable(w, decl, number, depth);
    }
    case CXCursor_BinaryOperator:
        return number_of(w, below.list[0], &x, depth + 1) && number_of(w, below.list[1], &y, depth + 1) &&
               number_binary(clang_getCursorBinaryOperatorKind(e), &x, &y, number) &&
               number_cast(clang_getCursorType(e), number);
    case CXCursor_UnaryExpr: /* sizeof */
        number->is_real = false;
        return evaluate_int(e, &number->integer);
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(e) != CXUnaryOperator_Minus ||
            !number_of(w, below.list[0], number, depth + 1))
            return false;
        number->integer = -number->integer;
        number->real = -number->real;
        return true;
    case CXCursor_ConditionalOperator:
        return number_of(w, below.list[0], &x, depth + 1) &&
               number_of(w, below.list[x.integer ? 1 : 2], number, depth + 1) &&
               number_cast(clang_getCursorType(e), number);
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr: {
        Place place = {.variable = -1};
        if (!scalar || (!constant_part(w, e, &place.variable, &place.byte) &&
                        (!is_within_local(w, e) || is_chosen_part(w, e) || !place_at(w, e, &place) || !place.local)))
            return false;
        Result now = slot_read(w, slot_of(w, place.variable, place.byte, false));
        bool other = now.kind == R_VALUE && now.value->type.dtype != dtype; /* of a union */
        return !other && number_of_result(now, number);
    }
    default:
        return false;
    }
}

/* require: nothing.   ensure: the literal that the expression is where the walk stands; nothing is made.  */
bool constant_of(Walk *w, CXCursor e, bool *is_real, int64_t *integer, double *real)
{
    Number number = {.is_real = false};
    if (!number_of(w, e, &number, 0))
        return false;
    *is_real = number.is_real;
    *integer = number.integer;
    *real = number.real;
    return true;
}

bool constant_int(Walk *w, CXCursor e, int64_t *value)
{
    bool is_real;
    double real;
    return constant_of(w, e, &is_real, value, &real) && !is_real;
}
