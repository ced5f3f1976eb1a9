/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-values.c - expressions.
 *
 *   s += x[i] * 2       t1 = load x[i];  t2 = mul.f32 t1, 2;  t3 = add.f32 s, t2;  s = copy.f32 t3
 *
 * An implicit conversion is an "unexposed expression" of another type than its child. Of an assignment operator
 * libclang does not say in which type it computes: C's usual arithmetic conversions do. An operand that is a variable
 * is read where it is used, since C leaves open when a variable is read that the same expression changes.
 */
#include <string.h>

#include "transcribe.h"

Parts parts(Operand x)
{
    Parts result = {x, {.kind = OPERAND_NONE}, false};
    return result;
}

static Parts no_parts(void)
{
    return parts(source_integer(0));
}

void at_cursor(Transcriber *t, CXCursor e)
{
    t->builder.loc = loc_of(t->u, e);
}

SourceBlock *new_block(Transcriber *t)
{
    return source_block_new(t->function);
}

void enter(Transcriber *t, SourceBlock *block)
{
    if (t->builder.block)
        source_jump(&t->builder, block);
    source_place(t->function, block);
    t->builder.block = block;
}

Operand scalar_of(Transcriber *t, CXCursor e)
{
    return value_of_expression(t, e).x;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

Parts converted(Transcriber *t, Parts value, CXType from, CXType to, CXCursor e)
{
    if (canonical(to).kind == CXType_Void || is_record(to))
        return value;
    if (is_complex(to)) {
        const CXType part = part_type(to), other = is_complex(from) ? part_type(from) : from;
        const SourceType a = source_type(t, other, e), b = source_type(t, part, e);
        Parts result = {source_convert(&t->builder, a, b, value.x), zero_of(b), true};
        if (value.is_complex)
            result.imaginary = source_convert(&t->builder, a, b, value.imaginary);
        return result;
    }
    const SourceType b = source_type(t, to, e);
    if (is_complex(from)) {
        const SourceType a = source_type(t, part_type(from), e);
        if (b == ST_B)
            return parts(complex_equal(t, false, a, value, parts(zero_of(a))));
        return parts(source_convert(&t->builder, a, b, value.x));
    }
    const SourceType a = source_type(t, from, e);
    if (a == ST_S || a == ST_V) {
        FAIL(t, e, "a conversion of '%s'", text_of(t->u, clang_getTypeSpelling(from)));
        return value;
    }
    return parts(source_convert(&t->builder, a, b, value.x));
}

/* In which type an assignment operator computes, or x + 1 of x++.  */
static SourceType usual(SourceType x, SourceType y)
{
    static const SourceType ranks[] = {ST_I32, ST_U32, ST_I64, ST_U64, ST_F32, ST_F64};
    int best = 0;
    for (int i = 0; i < 6; i++)
        if (ranks[i] == x || ranks[i] == y)
            best = i;
    return ranks[best];
}

static SourceType promoted(SourceType type)
{
    return type == ST_P ? ST_P : usual(type, ST_I32);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static Parts constant(Transcriber *t, CXCursor e)
{
    int64_t integer;
    double real;
    if (evaluate_int(e, &integer))
        return parts(source_integer(integer));
    if (evaluate_real(e, &real))
        return parts(source_number(real));
    FAIL(t, e, "a constant that libclang does not tell: %s", text_of(t->u, clang_getCursorKindSpelling(e.kind)));
    return no_parts();
}

static Parts size_of_expression(Transcriber *t, CXCursor e)
{
    int64_t bytes;
    if (evaluate_int(e, &bytes))
        return parts(source_integer(bytes));
    CXCursor below = first_child(t, e);
    if (clang_Cursor_isNull(below) || !clang_isExpression(below.kind)) {
        FAIL(t, e, "the size of a type of variable length");
        return no_parts();
    }
    CXCursor inner = below;
    while (inner.kind == CXCursor_ParenExpr)
        inner = first_child(t, inner);
    return parts(bytes_operand(t, clang_getCursorType(inner), inner));
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

static Operand compared(Transcriber *t, CXCursor e)
{
    Cursors below = children(t->u, e);
    const enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
    CXType type = clang_getCursorType(below.list[0]), other = clang_getCursorType(below.list[1]);
    Parts x = value_of_expression(t, below.list[0]), y = value_of_expression(t, below.list[1]);
    at_cursor(t, e);
    if (x.is_complex || y.is_complex)
        return complex_equal(t, kind == CXBinaryOperator_EQ, source_type(t, part_type(x.is_complex ? type : other), e),
                             x, y);
    return source_binary(&t->builder, binary_opcode(kind), source_type(t, type, e), x.x, y.x);
}

static bool is_comparison(CXCursor e)
{
    if (e.kind != CXCursor_BinaryOperator)
        return false;
    const enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
    return kind >= CXBinaryOperator_LT && kind <= CXBinaryOperator_NE;
}

/* A b: is the value other than 0?  */
static Operand truth(Transcriber *t, Parts value, CXType type, CXCursor e)
{
    if (value.is_complex) {
        const SourceType part = source_type(t, part_type(type), e);
        return complex_equal(t, false, part, value, parts(zero_of(part)));
    }
    const SourceType scalar = source_type(t, type, e);
    if (scalar == ST_B)
        return value.x;
    return source_binary(&t->builder, SO_NE, scalar, value.x, zero_of(scalar));
}

void condition(Transcriber *t, CXCursor e, SourceBlock *yes, SourceBlock *no)
{
    if (e.kind == CXCursor_ParenExpr) {
        condition(t, first_child(t, e), yes, no);
        return;
    }
    if (e.kind == CXCursor_UnaryOperator && clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_LNot) {
        condition(t, first_child(t, e), no, yes);
        return;
    }
    if (e.kind == CXCursor_BinaryOperator) {
        const enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
        if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr) {
            Cursors below = children(t->u, e);
            SourceBlock *second = new_block(t);
            if (kind == CXBinaryOperator_LAnd)
                condition(t, below.list[0], second, no);
            else
                condition(t, below.list[0], yes, second);
            enter(t, second);
            condition(t, below.list[1], yes, no);
            return;
        }
    }
    Operand x = is_comparison(e) ? compared(t, e) : truth(t, value_of_expression(t, e), clang_getCursorType(e), e);
    at_cursor(t, e);
    source_branch(&t->builder, x, yes, no);
}

/* && and || as a number.  */
static Parts by_branches(Transcriber *t, CXCursor e)
{
    SourceBlock *yes = new_block(t), *no = new_block(t), *join = new_block(t);
    SourceVariable *variable = source_variable(t->function, ST_I32, (Declaration){.name = NULL});
    condition(t, e, yes, no);
    enter(t, yes);
    source_copy(&t->builder, variable, source_integer(1));
    source_jump(&t->builder, join);
    enter(t, no);
    source_copy(&t->builder, variable, source_integer(0));
    enter(t, join);
    return parts(source_of(variable));
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

SourceOpcode binary_opcode(enum CXBinaryOperatorKind kind)
{
    switch (kind) {
    case CXBinaryOperator_Add:
    case CXBinaryOperator_AddAssign:
        return SO_ADD;
    case CXBinaryOperator_Sub:
    case CXBinaryOperator_SubAssign:
        return SO_SUB;
    case CXBinaryOperator_Mul:
    case CXBinaryOperator_MulAssign:
        return SO_MUL;
    case CXBinaryOperator_Div:
    case CXBinaryOperator_DivAssign:
        return SO_DIV;
    case CXBinaryOperator_Rem:
    case CXBinaryOperator_RemAssign:
        return SO_REM;
    case CXBinaryOperator_And:
    case CXBinaryOperator_AndAssign:
        return SO_AND;
    case CXBinaryOperator_Or:
    case CXBinaryOperator_OrAssign:
        return SO_OR;
    case CXBinaryOperator_Xor:
    case CXBinaryOperator_XorAssign:
        return SO_XOR;
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_ShlAssign:
        return SO_SHL;
    case CXBinaryOperator_Shr:
    case CXBinaryOperator_ShrAssign:
        return SO_SHR;
    case CXBinaryOperator_LT:
        return SO_LT;
    case CXBinaryOperator_LE:
        return SO_LE;
    case CXBinaryOperator_GT:
        return SO_GT;
    case CXBinaryOperator_GE:
        return SO_GE;
    case CXBinaryOperator_EQ:
        return SO_EQ;
    case CXBinaryOperator_NE:
        return SO_NE;
    default:
        return SOURCE_OPS;
    }
}

static Operand moved(Transcriber *t, Operand address, Operand bytes, bool minus)
{
    if (minus)
        bytes = source_unary(&t->builder, SO_NEG, ST_U64, bytes);
    return source_binary(&t->builder, SO_ADD, ST_P, address, bytes);
}

/* p + i, i + p, p - i, p - q.  */
static Parts pointer_binary(Transcriber *t, CXCursor e, const Cursors *below, SourceOpcode code)
{
    CXCursor left = below->list[0], right = below->list[1];
    CXType x = clang_getCursorType(left), y = clang_getCursorType(right);
    if (is_pointer(x) && is_pointer(y)) {
        Operand a = scalar_of(t, left), b = scalar_of(t, right);
        at_cursor(t, e);
        Operand bytes = source_binary(&t->builder, SO_SUB, ST_P, a, b), size = bytes_operand(t, element_of(x), left);
        if (size.kind == OPERAND_INTEGER && size.integer == 1)
            return parts(bytes);
        return parts(source_binary(&t->builder, SO_DIV, ST_I64, bytes, size));
    }
    if (is_pointer(x)) {
        Operand address = scalar_of(t, left), bytes = scaled(t, right, element_of(x), left);
        at_cursor(t, e);
        return parts(moved(t, address, bytes, code == SO_SUB));
    }
    Operand bytes = scaled(t, left, element_of(y), right), address = scalar_of(t, right);
    at_cursor(t, e);
    return parts(moved(t, address, bytes, false));
}

static bool names_variable_alone(Transcriber *t, CXCursor e)
{
    while (e.kind == CXCursor_ParenExpr)
        e = first_child(t, e);
    return e.kind == CXCursor_DeclRefExpr;
}

static Parts assignment(Transcriber *t, CXCursor e, const Cursors *below)
{
    Parts value;
    Spot spot;
    if (names_variable_alone(t, below->list[0])) {
        spot = spot_of(t, below->list[0]);
        value = value_of_expression(t, below->list[1]);
    } else {
        value = value_of_expression(t, below->list[1]);
        spot = spot_of(t, below->list[0]);
    }
    value = converted(t, value, clang_getCursorType(below->list[1]), spot.type, e);
    spot_write(t, &spot, value, e);
    if (spot.variable)
        return parts(source_of(spot.variable));
    return spot.width ? spot_read(t, &spot, e) : value;
}

static Parts arithmetic(Transcriber *t, CXCursor e, SourceOpcode code, SourceType type, Parts x, Parts y)
{
    at_cursor(t, e);
    if (x.is_complex || y.is_complex)
        return complex_operation(t, code, type, x, y);
    return parts(source_binary(&t->builder, code, type, x.x, y.x));
}

static Parts binary_expression(Transcriber *t, CXCursor e)
{
    Cursors below = children(t->u, e);
    const enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
    if (below.count != 2) {
        FAIL(t, e, "an operator whose operands libclang does not show");
        return no_parts();
    }
    CXType x = clang_getCursorType(below.list[0]), y = clang_getCursorType(below.list[1]);
    if (kind == CXBinaryOperator_Assign)
        return assignment(t, e, &below);
    if (kind == CXBinaryOperator_Comma) {
        value_of_expression(t, below.list[0]);
        return value_of_expression(t, below.list[1]);
    }
    if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)
        return by_branches(t, e);
    if (is_comparison(e)) {
        Operand result = compared(t, e);
        return parts(source_convert(&t->builder, ST_B, ST_I32, result));
    }
    const SourceOpcode code = binary_opcode(kind);
    if (code == SOURCE_OPS) {
        FAIL(t, e, "the operator '%s'", text_of(t->u, clang_getBinaryOperatorKindSpelling(kind)));
        return no_parts();
    }
    if (is_pointer(x) || is_pointer(y))
        return pointer_binary(t, e, &below, code);
    CXType type = clang_getCursorType(e);
    Parts a = value_of_expression(t, below.list[0]), b = value_of_expression(t, below.list[1]);
    if (code == SO_SHL || code == SO_SHR)
        b = converted(t, b, y, x, e);
    return arithmetic(t, e, code, source_type(t, is_complex(type) ? part_type(type) : type, e), a, b);
}

/* x op= y.  */
static Parts compound(Transcriber *t, CXCursor e)
{
    Cursors below = children(t->u, e);
    CXCursor left = below.list[0], right = below.list[1];
    CXType x = clang_getCursorType(left), y = clang_getCursorType(right);
    const SourceOpcode code = binary_opcode(clang_getCursorBinaryOperatorKind(e));
    if (code == SOURCE_OPS) {
        FAIL(t, e, "an assignment operator");
        return no_parts();
    }
    if (is_pointer(x)) {
        Spot spot = spot_of(t, left);
        Operand bytes = scaled(t, right, element_of(x), left), old = spot_read(t, &spot, left).x;
        at_cursor(t, e);
        Parts result = parts(moved(t, old, bytes, code == SO_SUB));
        spot_write(t, &spot, result, e);
        return result;
    }
    Parts b = value_of_expression(t, right);
    Spot spot = spot_of(t, left);
    Parts a = spot_read(t, &spot, left), result;
    at_cursor(t, e);
    if (is_complex(x) || is_complex(y)) {
        const CXType px = is_complex(x) ? part_type(x) : x, py = is_complex(y) ? part_type(y) : y;
        const SourceType from = source_type(t, px, e), other = source_type(t, py, e), wide = usual(from, other);
        a.x = source_convert(&t->builder, from, wide, a.x);
        if (a.is_complex)
            a.imaginary = source_convert(&t->builder, from, wide, a.imaginary);
        b.x = source_convert(&t->builder, other, wide, b.x);
        if (b.is_complex)
            b.imaginary = source_convert(&t->builder, other, wide, b.imaginary);
        result = complex_operation(t, code, wide, a, b);
        result.x = source_convert(&t->builder, wide, from, result.x);
        result.imaginary = source_convert(&t->builder, wide, from, result.imaginary);
    } else {
        const SourceType from = source_type(t, x, e), other = source_type(t, y, e);
        const bool shifts = code == SO_SHL || code == SO_SHR;
        const SourceType wide = shifts ? promoted(from) : usual(promoted(from), other);
        a.x = source_convert(&t->builder, from, wide, a.x);
        b.x = source_convert(&t->builder, other, wide, b.x);
        result = parts(source_binary(&t->builder, code, wide, a.x, b.x));
        result.x = source_convert(&t->builder, wide, from, result.x);
    }
    spot_write(t, &spot, result, e);
    if (spot.variable)
        return parts(source_of(spot.variable));
    return spot.width ? spot_read(t, &spot, e) : result;
}

/* ++ and --.  */
static Parts step(Transcriber *t, CXCursor e, bool minus, bool post)
{
    CXCursor below = first_child(t, e);
    Spot spot = spot_of(t, below);
    Parts old = spot_read(t, &spot, below), result = old;
    at_cursor(t, e);
    if (post && spot.variable) { /* the variable's name will mean the new value */
        SourceVariable *kept = source_variable(t->function, spot.variable->type, (Declaration){.name = NULL});
        source_copy(&t->builder, kept, old.x);
        old = parts(source_of(kept));
    }
    if (spot.is_pointer || is_pointer(spot.type)) {
        result.x = moved(t, old.x, bytes_operand(t, element_of(spot.type), below), minus);
    } else if (old.is_complex) {
        result =
            complex_operation(t, minus ? SO_SUB : SO_ADD, source_type(t, part_type(spot.type), e), old,
                              parts(source_type_is_float(source_type(t, part_type(spot.type), e)) ? source_number(1)
                                                                                                  : source_integer(1)));
    } else {
        const SourceType type = source_type(t, spot.type, e);
        const SourceType wide = source_type_is_float(type) ? type : promoted(type);
        const Operand one = source_type_is_float(type) ? source_number(1) : source_integer(1);
        result.x = source_binary(&t->builder, minus ? SO_SUB : SO_ADD, wide,
                                 source_convert(&t->builder, type, wide, old.x), one);
        result.x = source_convert(&t->builder, wide, type, result.x);
    }
    spot_write(t, &spot, result, e);
    return post ? old : spot.width ? spot_read(t, &spot, e) : result;
}

static Parts negation(Transcriber *t, CXCursor e, SourceOpcode code, Parts x)
{
    CXType type = clang_getCursorType(e);
    const SourceType scalar = source_type(t, x.is_complex ? part_type(type) : type, e);
    at_cursor(t, e);
    if (!x.is_complex)
        return parts(source_unary(&t->builder, code, scalar, x.x));
    if (code == SO_NEG)
        x.x = source_unary(&t->builder, SO_NEG, scalar, x.x);
    x.imaginary = source_unary(&t->builder, SO_NEG, scalar, x.imaginary); /* ~z is the conjugate */
    return x;
}

static Parts unary_expression(Transcriber *t, CXCursor e)
{
    const enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
    CXCursor below = first_child(t, e);
    switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
        return step(t, e, kind == CXUnaryOperator_PostDec || kind == CXUnaryOperator_PreDec,
                    kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PostDec);
    case CXUnaryOperator_AddrOf: {
        Spot spot = spot_of(t, below);
        if (spot.variable || spot.width)
            FAIL(t, e, "the address of a variable that has none");
        return parts(spot.address);
    }
    case CXUnaryOperator_Deref: {
        Spot spot = spot_of(t, e);
        return spot_read(t, &spot, e);
    }
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Extension:
        return value_of_expression(t, below);
    case CXUnaryOperator_Minus:
        return negation(t, e, SO_NEG, value_of_expression(t, below));
    case CXUnaryOperator_Not:
        return negation(t, e, SO_NOT, value_of_expression(t, below));
    case CXUnaryOperator_LNot: {
        Operand x = is_comparison(below) ? compared(t, below)
                                         : truth(t, value_of_expression(t, below), clang_getCursorType(below), e);
        at_cursor(t, e);
        x = source_unary(&t->builder, SO_NOT, ST_B, x);
        return parts(source_convert(&t->builder, ST_B, ST_I32, x));
    }
    case CXUnaryOperator_Real:
    case CXUnaryOperator_Imag: {
        Parts value = value_of_expression(t, below);
        if (kind == CXUnaryOperator_Real)
            return parts(value.x);
        return parts(value.is_complex ? value.imaginary : zero_of(type_of(t, e)));
    }
    default:
        FAIL(t, e, "the operator '%s'", text_of(t->u, clang_getUnaryOperatorKindSpelling(kind)));
        return no_parts();
    }
}

/* ---- choices ----------------------------------------------------------------------------------------------------- */

typedef struct {
    SourceVariable *x, *imaginary;
    SourceType type;
} Joined;

static Joined joined_new(Transcriber *t, CXType type, CXCursor e)
{
    Joined joined = {NULL, NULL, ST_V};
    if (canonical(type).kind == CXType_Void)
        return joined;
    joined.type = is_record(type) ? ST_P : source_type(t, is_complex(type) ? part_type(type) : type, e);
    joined.x = source_variable(t->function, joined.type, (Declaration){.name = NULL});
    if (is_complex(type))
        joined.imaginary = source_variable(t->function, joined.type, (Declaration){.name = NULL});
    return joined;
}

static void joined_set(Transcriber *t, const Joined *joined, Parts value)
{
    if (joined->x)
        source_copy(&t->builder, joined->x, value.x);
    if (joined->imaginary)
        source_copy(&t->builder, joined->imaginary, value.is_complex ? value.imaginary : zero_of(joined->type));
}

static Parts joined_value(const Joined *joined)
{
    if (!joined->x)
        return no_parts();
    Parts result = parts(source_of(joined->x));
    if (joined->imaginary) {
        result.imaginary = source_of(joined->imaginary);
        result.is_complex = true;
    }
    return result;
}

/* c ? x : y.  */
static Parts conditional(Transcriber *t, CXCursor e)
{
    Cursors below = children(t->u, e);
    CXType type = clang_getCursorType(e);
    SourceBlock *yes = new_block(t), *no = new_block(t), *join = new_block(t);
    Joined joined = joined_new(t, type, e);
    condition(t, below.list[0], yes, no);
    for (int i = 1; i <= 2; i++) {
        enter(t, i == 1 ? yes : no);
        Parts value = value_of_expression(t, below.list[i]);
        if (joined.x)
            value = converted(t, value, clang_getCursorType(below.list[i]), type, e);
        joined_set(t, &joined, value);
        if (i == 1)
            source_jump(&t->builder, join);
    }
    enter(t, join);
    return joined_value(&joined);
}

/* x ?: y, whose x libclang shows three times.  */
static Parts without_middle(Transcriber *t, CXCursor e, const Cursors *below)
{
    CXType type = clang_getCursorType(e), own = clang_getCursorType(below->list[0]);
    SourceBlock *yes = new_block(t), *no = new_block(t), *join = new_block(t);
    Joined joined = joined_new(t, type, e);
    Parts x = value_of_expression(t, below->list[0]);
    at_cursor(t, e);
    joined_set(t, &joined, converted(t, x, own, type, e));
    source_branch(&t->builder, truth(t, x, own, e), join, no);
    enter(t, no);
    joined_set(t, &joined,
               converted(t, value_of_expression(t, below->list[3]), clang_getCursorType(below->list[3]), type, e));
    (void)yes;
    enter(t, join);
    return joined_value(&joined);
}

/* A type's spelling without blanks, and "unsigned" for "unsigned int".  */
static const char *squeezed(Transcriber *t, const char *text, size_t length)
{
    char *copy = arena_alloc(t->u->module, length + 1), *to = copy;
    for (size_t i = 0; i < length; i++)
        if (text[i] != ' ' && text[i] != '\n')
            *to++ = text[i];
    const bool is_number = !strncmp(copy, "unsigned", 8) || !strncmp(copy, "signed", 6) || !strncmp(copy, "long", 4) ||
                           !strncmp(copy, "short", 5);
    if (is_number && to - copy > 3 && !strcmp(to - 3, "int"))
        to[-3] = 0;
    return copy;
}

static const char *type_text(Transcriber *t, CXType type)
{
    const char *text = text_of(t->u, clang_getTypeSpelling(clang_getUnqualifiedType(canonical(type))));
    return squeezed(t, text, strlen(text));
}

/* The type in front of an association's ':', which ends where the expression begins.  */
static const char *association_text(Transcriber *t, CXCursor value)
{
    const char *text = t->u->text;
    unsigned end = begin_of(value), begin;
    if (!in_text(t->u, value) || end >= t->u->size)
        return "";
    while (end > 0 && text[end] != ':')
        end--;
    for (begin = end; begin > 0 && text[begin - 1] != ','; begin--)
        ;
    return squeezed(t, text + begin, end - begin);
}

/* The type that a name stands for.  */
static const char *named_type(Transcriber *t, const char *name)
{
    Cursors all = children(t->u, clang_getTranslationUnitCursor(t->u->tu));
    for (int i = 0; i < all.count; i++)
        if (all.list[i].kind == CXCursor_TypedefDecl &&
            !strcmp(text_of(t->u, clang_getCursorSpelling(all.list[i])), name))
            return type_text(t, clang_getCursorType(all.list[i]));
    return name;
}

/* The association, of those of the whole's type, in front of which the type stands; with `names` one that is a name. */
static CXCursor association(Transcriber *t, CXCursor e, bool names)
{
    Cursors below = children(t->u, e);
    CXType type = canonical(clang_getCursorType(e)), own = clang_getCursorType(below.list[0]);
    const char *spelling = text_of(t->u, clang_getTypeSpelling(clang_getUnqualifiedType(own)));
    const char *written = squeezed(t, spelling, strlen(spelling)), *wanted = type_text(t, own);
    CXCursor otherwise = clang_getNullCursor();
    for (int i = 1; i < below.count; i++) {
        CXCursor one = below.list[i];
        if (!clang_isExpression(one.kind) || !clang_equalTypes(canonical(clang_getCursorType(one)), type))
            continue;
        const char *text = association_text(t, one);
        if (!strcmp(text, "default"))
            otherwise = one;
        else if (!strcmp(text, wanted) || !strcmp(text, written) || (names && !strcmp(named_type(t, text), wanted)))
            return one;
    }
    return names ? otherwise : clang_getNullCursor();
}

/* _Generic: libclang shows the controlling expression and the associations, and not the chosen one. Its type is that of
   the whole; of several of that type, the text in front of it decides.  */
static CXCursor chosen(Transcriber *t, CXCursor e)
{
    Cursors below = children(t->u, e);
    CXType type = canonical(clang_getCursorType(e));
    CXCursor found = clang_getNullCursor();
    bool is_one = true;
    for (int i = 1; i < below.count; i++) {
        CXCursor one = below.list[i];
        if (!clang_isExpression(one.kind) || !clang_equalTypes(canonical(clang_getCursorType(one)), type))
            continue;
        is_one &= clang_Cursor_isNull(found) ||
                  (one.kind == CXCursor_DeclRefExpr && found.kind == CXCursor_DeclRefExpr &&
                   clang_equalCursors(clang_getCursorReferenced(one), clang_getCursorReferenced(found)));
        found = one;
    }
    if (is_one)
        return found;
    found = association(t, e, false);
    return clang_Cursor_isNull(found) ? association(t, e, true) : found;
}

static Parts generic(Transcriber *t, CXCursor e)
{
    CXCursor one = chosen(t, e);
    if (clang_Cursor_isNull(one)) {
        FAIL(t, e, "a _Generic whose choice libclang does not tell");
        return no_parts();
    }
    return value_of_expression(t, one);
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

static Parts conversion(Transcriber *t, CXCursor e, CXCursor below)
{
    CXType from = clang_getCursorType(below), to = clang_getCursorType(e);
    Parts value = value_of_expression(t, below);
    if (is_array(from) || is_function_type(from))
        return is_array(to) || source_type(t, to, e) == ST_P ? value : converted(t, value, to, to, e);
    at_cursor(t, e);
    return converted(t, value, from, to, e);
}

static Parts unexposed(Transcriber *t, CXCursor e)
{
    Cursors below = children(t->u, e);
    int64_t which;
    if (below.count == 3 && evaluate_int(below.list[0], &which)) /* __builtin_choose_expr */
        return value_of_expression(t, below.list[which ? 1 : 2]);
    if (below.count == 4)
        return without_middle(t, e, &below);
    if (below.count == 1 && clang_isExpression(below.list[0].kind))
        return conversion(t, e, below.list[0]);
    return constant(t, e); /* __builtin_offsetof, __builtin_types_compatible_p */
}

static Parts cast(Transcriber *t, CXCursor e)
{
    Cursors below = children(t->u, e);
    CXType from = clang_getCursorType(below.list[below.count - 1]), to = clang_getCursorType(e);
    if (is_record(to) && !is_record(from)) {
        FAIL(t, e, "a cast to a union");
        return no_parts();
    }
    Parts value = value_of_expression(t, below.list[below.count - 1]);
    at_cursor(t, e);
    if (is_array(from) || is_function_type(from)) {
        const SourceType type = canonical(to).kind == CXType_Void ? ST_P : source_type(t, to, e);
        return parts(source_convert(&t->builder, ST_P, type, value.x));
    }
    return converted(t, value, from, to, e);
}

Parts value_of_expression(Transcriber *t, CXCursor e)
{
    if (t->function->failed)
        return no_parts();
    switch (e.kind) {
    case CXCursor_ParenExpr:
        return value_of_expression(t, first_child(t, e));
    case CXCursor_UnexposedExpr:
        return unexposed(t, e);
    case CXCursor_CStyleCastExpr:
        return cast(t, e);
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
        return constant(t, e);
    case CXCursor_ImaginaryLiteral: {
        const SourceType type = source_type(t, part_type(clang_getCursorType(e)), e);
        Parts result = {zero_of(type), constant(t, first_child(t, e)).x, true};
        return result;
    }
    case CXCursor_AddrLabelExpr:
        at_cursor(t, e);
        return parts(source_call(&t->builder, ST_P, "goto", (Operand){.kind = OPERAND_NONE}, 0, NULL));
    case CXCursor_UnaryExpr:
        return size_of_expression(t, e);
    case CXCursor_DeclRefExpr: {
        CXCursor decl = clang_getCursorReferenced(e);
        if (decl.kind == CXCursor_EnumConstantDecl)
            return parts(source_integer(clang_getEnumConstantDeclValue(decl)));
        break;
    }
    case CXCursor_UnaryOperator:
        return unary_expression(t, e);
    case CXCursor_BinaryOperator:
        return binary_expression(t, e);
    case CXCursor_CompoundAssignOperator:
        return compound(t, e);
    case CXCursor_ConditionalOperator:
        return conditional(t, e);
    case CXCursor_CallExpr:
        return call_expression(t, e);
    case CXCursor_StmtExpr:
        return statement_list(t, first_child(t, e), true);
    case CXCursor_GenericSelectionExpr:
        return generic(t, e);
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
    case CXCursor_StringLiteral:
    case CXCursor_CompoundLiteralExpr:
        break;
    default:
        FAIL(t, e, "an expression: %s", text_of(t->u, clang_getCursorKindSpelling(e.kind)));
        return no_parts();
    }
    Spot spot = spot_of(t, e);
    return spot_read(t, &spot, e);
}
