/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fold.c - what GCC's front end makes of sums and comparisons, so that both doors give one text.
 *
 *   x - 1                scalar_add %x, -1
 *   x + 64 - 1           scalar_add %x, 63
 *   i < M + 64           i <= M + 63         the smaller number, where sums do not wrap
 *   x % 2 == 0           ((unsigned) x & 1) == 0
 *   a < b ? a : b        scalar_min %a, %b
 *   (int) (a * b)        (int) ((unsigned) a * (unsigned) b)        of longs
 *
 * The plugin sees what fold () has left, at every -O, and what it was before cannot be told from it.  The two texts are
 * the same program; this is the one place that makes them equal.  An operation without a name is part of the expression
 * in hand: what a variable holds is not folded again.
 */
#include <string.h>

#include "frontend.h"

static bool names_none(const Unit *u, CXCursor c, void *context)
{
    (void)u;
    (void)context;
    return c.kind != CXCursor_DeclRefExpr || !is_variable(clang_getCursorReferenced(c));
}

bool is_written(const Unit *u, CXCursor e)
{
    return names_none(u, e, NULL) && each_below(u, e, names_none, NULL);
}

static bool names_handed(const Unit *u, CXCursor c, void *context)
{
    const Walk *w = context;
    CXCursor decl = c.kind == CXCursor_DeclRefExpr ? clang_getCursorReferenced(c) : clang_getNullCursor();
    return !is_variable(decl) ||
           (w->frame->id && decl.kind == CXCursor_ParmDecl && !count_assignments(u, w->frame->function, decl));
}

/* A number made of what a call handed in: GCC folds it where it takes the function in.  */
bool is_handed(Walk *w, CXCursor e)
{
    return names_handed(w->u, e, w) && each_below(w->u, e, names_handed, w);
}

static bool is_step(const Walk *w, const Value *value, Opcode code, int64_t *number)
{
    for (int i = 0; i < w->nof_variables; i++)
        if (w->of_variables[i] == value)
            return false;
    return value->def && value->def->code == code && !value->name && value->def->nargs == 2 &&
           is_literal(value->def->args[1]) && !dtype_is_float(value->type.dtype) &&
           ir_constant(value->def->args[1], number);
}

static bool is_power_of_two(int64_t number)
{
    return number > 0 && !(number & (number - 1));
}

/* x - 1 is x + -1, x - y / 2 is y / -2 + x, x % 8u is x & 7, x + 64 + -1 is x + 63.  */
void fold_binary(Walk *w, Opcode *code, Value **args)
{
    int64_t number;
    Dtype dtype = args[1]->type.dtype;
    if (dtype_is_float(dtype) || w->of_variable)
        return;
    if (*code == OP_SCALAR_SUB && is_literal(args[1]) && !is_literal(args[0]) && ir_constant(args[1], &number)) {
        *code = OP_SCALAR_ADD;
        args[1] = literal_int(w, dtype, -number);
    } else if (*code == OP_SCALAR_SUB && dtype_is_signed(dtype) && is_step(w, args[1], OP_SCALAR_DIV, &number) &&
               number > 1) {
        Value *x = args[0];
        *code = OP_SCALAR_ADD;
        args[0] = binary(w, OP_SCALAR_DIV, dtype, args[1]->def->args[0], literal_int(w, dtype, -number));
        args[1] = x;
    } else if (*code == OP_SCALAR_REM && !dtype_is_signed(dtype) && is_literal(args[1]) &&
               ir_constant(args[1], &number) && is_power_of_two(number)) {
        *code = OP_SCALAR_AND;
        args[1] = literal_int(w, dtype, number - 1);
    }
    int64_t first;
    if (*code == OP_SCALAR_ADD && is_literal(args[1]) && ir_constant(args[1], &number) &&
        is_step(w, args[0], OP_SCALAR_ADD, &first) && args[0]->type.dtype == dtype && first + number) {
        args[1] = literal_int(w, dtype, first + number);
        args[0] = args[0]->def->args[0];
    }
}

static bool keeps_low_bits(CXCursor e, Opcode *code)
{
    switch (e.kind == CXCursor_BinaryOperator ? clang_getCursorBinaryOperatorKind(e) : CXBinaryOperator_Invalid) {
    case CXBinaryOperator_Add:
        *code = OP_SCALAR_ADD;
        return true;
    case CXBinaryOperator_Sub:
        *code = OP_SCALAR_SUB;
        return true;
    case CXBinaryOperator_Mul:
        *code = OP_SCALAR_MUL;
        return true;
    case CXBinaryOperator_And:
        *code = OP_SCALAR_AND;
        return true;
    case CXBinaryOperator_Or:
        *code = OP_SCALAR_OR;
        return true;
    case CXBinaryOperator_Xor:
        *code = OP_SCALAR_XOR;
        return true;
    default:
        return false;
    }
}

static Dtype unsigned_of(Dtype dtype)
{
    return dtype == D_I8 ? D_U8 : dtype == D_I16 ? D_U16 : dtype == D_I32 ? D_U32 : dtype;
}

static Value *narrow_operand(Walk *w, CXCursor e, Dtype dtype)
{
    Value *value = fold_narrowing(w, e, dtype);
    return value ? value : convert(w, value_of(w, e), dtype);
}

/* An integer expression without casts that the low bits of a `dtype` do not depend on. A cast to a type as wide is one,
   and so is a cast that keeps the value: (unsigned long)(signed char)b of an unsigned char has two, and loses one.  */
static CXCursor low_bits(Walk *w, CXCursor e, Dtype dtype)
{
    for (;;) {
        CXCursor inner = e;
        Cursors below = children(w->u, e);
        if (below.count && (e.kind == CXCursor_ParenExpr || e.kind == CXCursor_CStyleCastExpr ||
                            (e.kind == CXCursor_UnexposedExpr && below.count == 1)))
            inner = below.list[below.count - 1];
        Dtype to, from;
        if (clang_equalCursors(inner, e) || !scalar_type(clang_getCursorType(e), &to) ||
            !scalar_type(clang_getCursorType(inner), &from) || dtype_is_float(to) || dtype_is_float(from) ||
            dtype_bytes(from) > dtype_bytes(to))
            return e;
        bool keeps_value =
            to == from || (dtype_bytes(from) < dtype_bytes(to) && (dtype_is_signed(to) || !dtype_is_signed(from)));
        if (dtype_bytes(to) < dtype_bytes(dtype) && !keeps_value)
            return e;
        e = inner;
    }
}

/* What is cut off behind the operation is cut off before it, and does not overflow then.  */
Value *fold_narrowing(Walk *w, CXCursor e, Dtype dtype)
{
    Opcode code;
    Dtype wide, x, y;
    while (e.kind == CXCursor_ParenExpr)
        e = children(w->u, e).list[0];
    if (!keeps_low_bits(e, &code) || !scalar_type(clang_getCursorType(e), &wide) || dtype_is_float(wide) ||
        dtype_is_float(dtype) || dtype == D_I1 || dtype_bytes(dtype) >= dtype_bytes(wide))
        return NULL;
    Cursors sides = children(w->u, e);
    CXCursor left = low_bits(w, sides.list[0], dtype), right = low_bits(w, sides.list[1], dtype);
    if (!scalar_type(clang_getCursorType(left), &x) || !scalar_type(clang_getCursorType(right), &y))
        return NULL;
    bool is_signed = dtype_is_signed(x) || dtype_is_signed(y);
    bool overflows = 2 * dtype_bytes(x) > dtype_bytes(dtype) || 2 * dtype_bytes(y) > dtype_bytes(dtype);
    bool as_unsigned = !dtype_is_signed(wide) || !is_signed ||
                       (overflows && (code == OP_SCALAR_ADD || code == OP_SCALAR_SUB || code == OP_SCALAR_MUL));
    Dtype narrow = as_unsigned ? unsigned_of(dtype) : dtype;
    Value *a = narrow_operand(w, left, narrow), *b = narrow_operand(w, right, narrow);
    return convert(w, binary(w, code, narrow, a, b), dtype);
}

/* x + 64 > y is x + 63 >= y, and x >= 64 is x > 63: the number that is nearer to 0.  */
bool smaller_bound(Opcode *code, int64_t *number, bool is_offset)
{
    bool negative = is_offset ? *number < 0 : *number > 0;
    if (!*number)
        return false;
    if (negative && *code == OP_SCALAR_LT)
        *code = OP_SCALAR_LE;
    else if (!negative && *code == OP_SCALAR_GT)
        *code = OP_SCALAR_GE;
    else if (!negative && *code == OP_SCALAR_LE)
        *code = OP_SCALAR_LT;
    else if (negative && *code == OP_SCALAR_GE)
        *code = OP_SCALAR_GT;
    else
        return false;
    *number += *number < 0 ? 1 : -1;
    return true;
}

static bool smaller_number(Walk *w, Opcode *code, Value **x)
{
    int64_t number;
    if (!is_step(w, *x, OP_SCALAR_ADD, &number) || !dtype_is_signed((*x)->type.dtype) ||
        dtype_bytes((*x)->type.dtype) < 4 || !smaller_bound(code, &number, true))
        return false;
    *x = binary(w, OP_SCALAR_ADD, (*x)->type.dtype, (*x)->def->args[0], literal_int(w, (*x)->type.dtype, number));
    return true;
}

void fold_comparison(Walk *w, Opcode *code, Value **args)
{
    int64_t number, zero;
    Dtype dtype = args[0]->type.dtype;
    if (dtype_is_float(dtype) || args[0]->type.kind != K_SCALAR)
        return;
    if ((*code == OP_SCALAR_EQ || *code == OP_SCALAR_NE) && dtype_is_signed(dtype) &&
        is_step(w, args[0], OP_SCALAR_REM, &number) && is_power_of_two(number) && ir_constant(args[1], &zero) &&
        !zero) {
        Dtype other = dtype_bytes(dtype) == 8 ? D_U64 : D_U32;
        Value *x = convert(w, args[0]->def->args[0], other);
        args[0] = binary(w, OP_SCALAR_AND, other, x, literal_int(w, other, number - 1));
        args[1] = literal_int(w, other, 0);
        return;
    }
    if (smaller_number(w, code, &args[0]))
        return;
    Opcode other = op_swapped(*code);
    if (smaller_number(w, &other, &args[1]))
        *code = op_swapped(other);
}

/* ---- choices ----------------------------------------------------------------------------------------------------- */

bool same_expression(const Unit *u, CXCursor x, CXCursor y)
{
    x = peel(u, x);
    y = peel(u, y);
    Cursors a = children(u, x), b = children(u, y);
    if (x.kind != y.kind || a.count != b.count)
        return false;
    int64_t m, n;
    if (x.kind == CXCursor_IntegerLiteral)
        return evaluate_int(x, &m) && evaluate_int(y, &n) && m == n;
    if (x.kind == CXCursor_DeclRefExpr || x.kind == CXCursor_MemberRefExpr)
        if (!same_decl(clang_getCursorReferenced(x), clang_getCursorReferenced(y)))
            return false;
    if (x.kind == CXCursor_BinaryOperator &&
        clang_getCursorBinaryOperatorKind(x) != clang_getCursorBinaryOperatorKind(y))
        return false;
    if (x.kind == CXCursor_UnaryOperator && clang_getCursorUnaryOperatorKind(x) != clang_getCursorUnaryOperatorKind(y))
        return false;
    if (x.kind == CXCursor_CallExpr || x.kind == CXCursor_FloatingLiteral || x.kind == CXCursor_StmtExpr)
        return false;
    for (int i = 0; i < a.count; i++)
        if (!same_expression(u, a.list[i], b.list[i]))
            return false;
    return true;
}

/* c ? 2 : x is !c ? x : 2.  */
bool fold_turned_choice(Walk *w, Value **condition, CXCursor yes, CXCursor no)
{
    const Op *op = (*condition)->def;
    bool integers = op && op->nargs == 2 && op->args[0]->type.kind == K_SCALAR && op->code >= OP_SCALAR_EQ &&
                    op_info[op->code].class_ == CLASS_SCALAR && !dtype_is_float(op->args[0]->type.dtype);
    if (!integers || !is_written(w->u, yes) || is_written(w->u, no))
        return false;
    *condition = negated(w, *condition);
    return true;
}

/* Of integers: what the comparison compares is what is chosen.  */
static bool is_nearer(const Unit *u, CXCursor condition, CXCursor yes, CXCursor no, bool *straight)
{
    enum CXBinaryOperatorKind kind = condition.kind == CXCursor_BinaryOperator
                                         ? clang_getCursorBinaryOperatorKind(condition)
                                         : CXBinaryOperator_Invalid;
    if (kind < CXBinaryOperator_LT || kind > CXBinaryOperator_GE || !is_integer(clang_getCursorType(yes)))
        return false;
    Cursors sides = children(u, condition);
    *straight = same_expression(u, sides.list[0], yes) && same_expression(u, sides.list[1], no);
    return *straight || (same_expression(u, sides.list[0], no) && same_expression(u, sides.list[1], yes));
}

Value *fold_choice(Walk *w, CXCursor condition, CXCursor yes, CXCursor no)
{
    bool straight;
    condition = peel(w->u, condition);
    if (!is_nearer(w->u, condition, yes, no, &straight))
        return NULL;
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(condition);
    bool less = kind == CXBinaryOperator_LT || kind == CXBinaryOperator_LE;
    bool equal = kind == CXBinaryOperator_LE || kind == CXBinaryOperator_GE; /* the first is taken where they are */
    Cursors sides = children(w->u, condition);
    Value *args[2];
    args[0] = value_of(w, sides.list[equal == straight ? 0 : 1]);
    args[1] = value_of(w, sides.list[equal == straight ? 1 : 0]);
    return binary(w, less == straight ? OP_SCALAR_MIN : OP_SCALAR_MAX, args[0]->type.dtype, args[0], args[1]);
}

/* c ? x : y, of which GCC makes a variable of its own.  */
bool is_branched(const Unit *u, CXCursor e)
{
    bool straight;
    e = peel(u, e);
    Cursors below = children(u, e);
    return e.kind == CXCursor_ConditionalOperator &&
           !is_nearer(u, peel(u, below.list[0]), below.list[1], below.list[2], &straight);
}
