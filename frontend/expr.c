/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expr.c - an expression -> a Value, or a pointer.
 *
 *   (long)i * 64 + k          %3 = scalar_convert %i;  %4 = scalar_mul %3, 64;  ...
 *   a < b && c                one condition, where the right side may as well be computed when it is not needed
 */
#include <string.h>

#include "frontend.h"

static Result nothing_of(Walk *w, CXCursor e)
{
    return result_of(anything(w, clang_getCursorType(e)));
}

Result unsupported(Walk *w, CXCursor e)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(e));
    if (type.kind == CXType_LongDouble || type.kind == CXType_Float128 || type.kind == CXType_Int128 ||
        type.kind == CXType_UInt128 || type.kind == CXType_Vector || type.kind == CXType_Float16 ||
        type.kind == CXType_Half)
        refuse(w, e, "use float, double or an integer type of 8 to 64 bits", "a grid has no numbers of type '%s'",
               text_of(w->u, clang_getTypeSpelling(type)));
    refuse(w, e, NULL, "this expression is not supported in a grid");
    return nothing_of(w, e);
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

Result convert_result(Walk *w, Result x, CXType from, CXType to)
{
    Dtype dtype;
    (void)from;
    if (x.kind == R_VALUE && x.value->type.kind == K_SCALAR && scalar_type(to, &dtype))
        return result_of(convert(w, x.value, dtype));
    if (x.kind == R_POINTER && is_pointer(to))
        x.type = to;
    return x;
}

static Result conversion(Walk *w, CXCursor e, CXCursor inner)
{
    CXType to = clang_getCursorType(e), from = clang_getCursorType(inner);
    if (clang_getCanonicalType(to).kind == CXType_Void) {
        eval(w, inner);
        return (Result){.kind = R_NONE};
    }
    if (is_tile_type(to) && !is_tile_type(from)) {
        refuse(w, e, "make tiles with ws_zeros, ws_full or ws_load", "a number or pointer is not a %s", "tile");
        return nothing_of(w, e);
    }
    if (is_complex(to) || is_complex(from))
        return complex_convert(w, eval(w, inner), to);
    Dtype dtype;
    Value *narrow = scalar_type(to, &dtype) ? fold_narrowing(w, inner, dtype) : NULL;
    return narrow ? result_of(narrow) : convert_result(w, eval(w, inner), from, to);
}

/* ---- conditions -------------------------------------------------------------------------------------------------- */

static bool comparison_code(enum CXBinaryOperatorKind kind, Opcode *code)
{
    switch (kind) {
    case CXBinaryOperator_LT:
        *code = OP_SCALAR_LT;
        return true;
    case CXBinaryOperator_LE:
        *code = OP_SCALAR_LE;
        return true;
    case CXBinaryOperator_GT:
        *code = OP_SCALAR_GT;
        return true;
    case CXBinaryOperator_GE:
        *code = OP_SCALAR_GE;
        return true;
    case CXBinaryOperator_EQ:
        *code = OP_SCALAR_EQ;
        return true;
    case CXBinaryOperator_NE:
        *code = OP_SCALAR_NE;
        return true;
    default:
        return false;
    }
}

static bool impure(const Unit *u, CXCursor c, void *context)
{
    (void)context;
    if (c.kind == CXCursor_CallExpr) {
        const char *name = callee_name(u, c, NULL);
        return !strcmp(name, "ws_at") || !strcmp(name, "ws_at_float");
    }
    if (c.kind == CXCursor_BinaryOperator) {
        enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(c);
        int64_t divisor;
        if (kind == CXBinaryOperator_Div || kind == CXBinaryOperator_Rem)
            return evaluate_int(children(u, c).list[1], &divisor) && divisor;
    }
    if (c.kind == CXCursor_ArraySubscriptExpr || c.kind == CXCursor_StmtExpr)
        return false;
    return clang_Cursor_isNull(assigned_by(u, c));
}

bool is_pure(const Unit *u, CXCursor e)
{
    return impure(u, e, NULL) && each_below(u, e, impure, NULL);
}

static bool changes_nothing(const Unit *u, CXCursor c, void *context)
{
    (void)context;
    return c.kind != CXCursor_CallExpr && c.kind != CXCursor_StmtExpr && clang_Cursor_isNull(assigned_by(u, c));
}

/* May it change a variable?  */
bool has_effects(const Unit *u, CXCursor e)
{
    return !changes_nothing(u, e, NULL) || !each_below(u, e, changes_nothing, NULL);
}

/* Behind both arms of an expression that chooses: what the variables hold, and its value.  The walk's state is that
   behind the second arm.  */
static Result meet_arms(Walk *w, CXCursor e, Op *op, Value *condition, State *first, Result x, Result y)
{
    bool values = x.kind == R_VALUE && y.kind == R_VALUE;
    if (!values && clang_getCanonicalType(clang_getCursorType(e)).kind != CXType_Void)
        return unsupported(w, e);
    int slot = slot_of(w, variable_new(w, clang_getNullCursor(), clang_getCursorType(e), false), 0, true);
    State second = w->state;
    w->state = *first;
    slot_write(w, slot, values ? x : (Result){.kind = R_NONE});
    Exits yes = jump_to(w, &FALL);
    w->state = second;
    slot_write(w, slot, values ? y : (Result){.kind = R_NONE});
    Exits no = jump_to(w, &FALL);
    Exits exits = merge(w, op, condition, &yes, &no);
    w->state = exits_find(&exits, &FALL)->state;
    return values ? slot_read(w, slot) : (Result){.kind = R_NONE};
}

static Value *both_of(Walk *w, const Cursors *below, bool is_and)
{
    Value *x = condition_of(w, below->list[0]);
    int64_t known;
    if (ir_constant(x, &known) && (known != 0) != is_and)
        return x;
    if (is_pure(w->u, below->list[1]))
        return joined(w, is_and, x, condition_of(w, below->list[1]));
    Op *op = if_new(w, x);
    Block *block = w->block;
    State before = state_kept(w, &w->state, w->nslots);
    w->block = op->blocks[is_and ? 0 : 1];
    Value *y = condition_of(w, below->list[1]), *other = literal_int(w, D_I1, !is_and);
    w->block = block;
    if (has_effects(w->u, below->list[1])) {
        State after = w->state;
        w->state = is_and ? before : after;
        return meet_arms(w, below->list[1], op, x, is_and ? &after : &before, result_of(is_and ? y : other),
                         result_of(is_and ? other : y))
            .value;
    }
    return choose(w, op, x, is_and ? y : other, is_and ? other : y);
}

/* The null pointer, however it is written.  */
static Result as_pointer(Result x)
{
    int64_t known;
    bool null = x.kind == R_VALUE && ir_constant(x.value, &known) && !known;
    return null ? (Result){.kind = R_POINTER, .text = "0"} : x;
}

static Value *compare_pointers(Walk *w, CXCursor e, Opcode code, Result x, Result y)
{
    x = as_pointer(x);
    y = as_pointer(y);
    if (x.kind != R_POINTER || y.kind != R_POINTER || x.offset || y.offset) {
        refuse(w, e, "decide it before the grid; a loop counts elements: for (i = 0; i < n; i++) ... p[i]",
               "pointers are compared in a grid");
        return literal_int(w, D_I1, 0);
    }
    const char *sign = code == OP_SCALAR_EQ   ? "=="
                       : code == OP_SCALAR_NE ? "!="
                       : code == OP_SCALAR_LT ? "<"
                       : code == OP_SCALAR_LE ? "<="
                       : code == OP_SCALAR_GT ? ">"
                                              : ">=";
    const char *text = arena_print(w->u->module, "(%s %s %s)", x.text, sign, y.text);
    Value *number = live_in(w, text, "int", type_scalar(D_I32), NULL, 1 << 20);
    return compare(w, OP_SCALAR_NE, number, literal_int(w, D_I32, 0));
}

/* An expression where a truth is wanted: I1.  */
Value *condition_of(Walk *w, CXCursor e)
{
    Opcode code;
    int64_t known;
    if (constant_int(w, e, &known))
        return literal_int(w, D_I1, known != 0);
    e = peel(w->u, e);
    Cursors below = children(w->u, e);
    if (e.kind == CXCursor_UnaryOperator && clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_LNot)
        return negated(w, condition_of(w, below.list[0]));
    if (e.kind == CXCursor_CallExpr && !strcmp(callee_name(w->u, e, NULL), "__builtin_expect"))
        return condition_of(w, below.list[1]);
    if (e.kind == CXCursor_UnexposedExpr && below.count == 1 && is_integer(clang_getCursorType(e)) &&
        is_integer(clang_getCursorType(below.list[0])) &&
        bytes_of(clang_getCursorType(e)) >= bytes_of(clang_getCursorType(below.list[0])))
        return condition_of(w, below.list[0]);
    if (e.kind == CXCursor_BinaryOperator) {
        enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
        if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr)
            return both_of(w, &below, kind == CXBinaryOperator_LAnd);
        bool pairs = below.count == 2 &&
                     (is_complex(clang_getCursorType(below.list[0])) || is_complex(clang_getCursorType(below.list[1])));
        if (comparison_code(kind, &code) && pairs)
            return complex_compare(w, code, below.list[0], below.list[1]);
        if (comparison_code(kind, &code)) {
            Result x = eval(w, below.list[0]), y = eval(w, below.list[1]);
            if (is_tile_type(clang_getCursorType(below.list[0])) ||
                is_tensor_type(clang_getCursorType(below.list[0]))) {
                refuse(w, e, "compare elements with ws_eq and its like, and choose with ws_select",
                       "a tile is a value of the grid, not a number: it cannot be compared or converted");
                return literal_int(w, D_I1, 0);
            }
            if (x.kind != R_VALUE || y.kind != R_VALUE)
                return compare_pointers(w, e, code, x, y);
            return compare(w, code, x.value, y.value);
        }
    }
    Result x = eval(w, e);
    if (x.kind == R_POINTER)
        return compare_pointers(w, e, OP_SCALAR_NE, x, (Result){.kind = R_POINTER, .text = "0"});
    if (x.kind == R_PAIR)
        return complex_truth(w, x);
    Value *value = x.kind == R_VALUE ? x.value : anything(w, clang_getCursorType(e));
    return value->type.dtype == D_I1 ? value : compare(w, OP_SCALAR_NE, value, literal_int(w, value->type.dtype, 0));
}

static Value *as_integer(Walk *w, CXCursor e, Value *truth)
{
    Dtype dtype = D_I32;
    scalar_type(clang_getCursorType(e), &dtype);
    return convert(w, truth, dtype);
}

/* c ? x : y.  Without operations in its arms it is a choice.  */
static Result conditional(Walk *w, CXCursor e, const Cursors *below)
{
    Value *nearer = fold_choice(w, below->list[0], below->list[1], below->list[2]);
    Value *condition = nearer ? NULL : condition_of(w, below->list[0]);
    int64_t known;
    if (nearer)
        return result_of(nearer);
    if (ir_constant(condition, &known))
        return eval(w, below->list[known ? 1 : 2]);
    bool turned = fold_turned_choice(w, &condition, below->list[1], below->list[2]);
    Op *op = if_new(w, condition);
    Block *block = w->block;
    bool effects = has_effects(w->u, below->list[1]) || has_effects(w->u, below->list[2]);
    State before = effects ? state_kept(w, &w->state, w->nslots) : w->state;
    w->block = op->blocks[0];
    Result x = eval(w, below->list[turned ? 2 : 1]);
    State first = w->state;
    if (effects)
        w->state = before;
    w->block = op->blocks[1];
    Result y = eval(w, below->list[turned ? 1 : 2]);
    w->block = block;
    if (effects && x.kind != R_PAIR)
        return meet_arms(w, e, op, condition, &first, x, y);
    if (x.kind == R_VALUE && y.kind == R_VALUE)
        return result_of(choose(w, op, condition, x.value, y.value));
    if (x.kind == R_PAIR && y.kind == R_PAIR)
        return choose_pair(w, op, condition, &x, &y);
    op_remove(op);
    const char *text = value_text(w, condition);
    if (x.kind == R_POINTER && y.kind == R_POINTER && !x.offset && !y.offset && !x.chosen && !y.chosen && text) {
        text = arena_print(w->u->module, "(%s ? %s : %s)", text, x.text, y.text);
        return (Result){.kind = R_POINTER, .text = text, .type = x.type};
    }
    refuse(
        w, e,
        "write p[i] for the elements that the pointer passes; of an array of pointers to rows say how many there are, "
        "extent(p: n), or name each: p[0][i]",
        "which array this pointer goes to is known at run time only");
    return nothing_of(w, e);
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static Opcode arithmetic_code(enum CXBinaryOperatorKind kind)
{
    switch (kind) {
    case CXBinaryOperator_Add:
        return OP_SCALAR_ADD;
    case CXBinaryOperator_Sub:
        return OP_SCALAR_SUB;
    case CXBinaryOperator_Mul:
        return OP_SCALAR_MUL;
    case CXBinaryOperator_Div:
        return OP_SCALAR_DIV;
    case CXBinaryOperator_Rem:
        return OP_SCALAR_REM;
    case CXBinaryOperator_And:
        return OP_SCALAR_AND;
    case CXBinaryOperator_Or:
        return OP_SCALAR_OR;
    case CXBinaryOperator_Xor:
        return OP_SCALAR_XOR;
    case CXBinaryOperator_Shl:
        return OP_SCALAR_SHL;
    case CXBinaryOperator_Shr:
        return OP_SCALAR_SHR;
    default:
        return OP_COUNT;
    }
}

/* p + n: before the region a live-in of its own, within it an offset.  */
static Result pointer_plus(Walk *w, CXCursor e, Result pointer, Value *index, bool minus)
{
    CXType type = clang_getCanonicalType(pointer.type);
    CXType element = type.kind == CXType_Pointer ? clang_getPointeeType(type) : clang_getArrayElementType(type);
    if (pointer.kind == R_PLACE) {
        int64_t known;
        if (ir_constant(index, &known)) {
            pointer.byte += (minus ? -known : known) * bytes_of(element);
            return pointer;
        }
        return unsupported(w, e);
    }
    if (pointer.kind != R_POINTER)
        return pointer;
    const char *text = pointer.offset ? NULL : value_text(w, index);
    if ((w->outside || w->of_base) && text) {
        pointer.text = arena_print(w->u->module, "(%s %s %s)", pointer.text, minus ? "-" : "+", text);
        pointer.name = NULL;
        pointer.decl = clang_getNullCursor();
        return pointer;
    }
    Value *bytes = bytes_of_elements(w, e, index, element);
    if (minus)
        bytes = unary(w, OP_SCALAR_NEG, bytes);
    bytes = convert(w, bytes, D_I64);
    pointer.offset = pointer.offset ? binary(w, OP_SCALAR_ADD, D_I64, pointer.offset, bytes) : bytes;
    return pointer;
}

static Result binary_operator(Walk *w, CXCursor e, const Cursors *below)
{
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
    Opcode code;
    Dtype dtype = D_I32;
    if (kind == CXBinaryOperator_LAnd || kind == CXBinaryOperator_LOr) {
        Value *truth = condition_of(w, e), *args[] = {truth, literal_int(w, D_I32, 1), literal_int(w, D_I32, 0)};
        int64_t known;
        return result_of(ir_constant(truth, &known) ? literal_int(w, D_I32, known)
                                                    : op_of(w, OP_SCALAR_SELECT, type_scalar(D_I32), 3, args));
    }
    if (comparison_code(kind, &code))
        return result_of(as_integer(w, e, condition_of(w, e)));
    if (kind == CXBinaryOperator_Comma) {
        eval(w, below->list[0]);
        return eval(w, below->list[1]);
    }
    if (kind == CXBinaryOperator_Assign)
        return assign(w, e);
    if (is_complex(clang_getCursorType(e)) && arithmetic_code(kind) <= OP_SCALAR_DIV)
        return complex_binary(w, e, arithmetic_code(kind), below->list[0], below->list[1]);
    Result x = eval(w, below->list[0]), y = eval(w, below->list[1]);
    if (is_pointer(clang_getCursorType(e))) {
        bool turned = !is_pointer(clang_getCursorType(below->list[0]));
        Result pointer = turned ? y : x, index = turned ? x : y;
        if (is_tile_type(clang_getCursorType(e)) || index.kind != R_VALUE)
            return unsupported(w, e);
        return pointer_plus(w, e, pointer, index.value, kind == CXBinaryOperator_Sub);
    }
    code = arithmetic_code(kind);
    if (x.kind != R_VALUE || y.kind != R_VALUE || code == OP_COUNT || !scalar_type(clang_getCursorType(e), &dtype) ||
        x.value->type.kind != K_SCALAR || y.value->type.kind != K_SCALAR)
        return unsupported(w, e);
    w->of_variable = is_literal(y.value) && !is_written(w->u, below->list[1]);
    if (w->of_variable && code == OP_SCALAR_SUB && dtype_is_signed(dtype) && is_handed(w, below->list[1])) {
        code = OP_SCALAR_ADD;
        y.value = unary(w, OP_SCALAR_NEG, y.value);
    }
    Value *value = binary(w, code, dtype, x.value, y.value);
    w->of_variable = false;
    return result_of(value);
}

static Result step_variable(Walk *w, CXCursor e, CXCursor target, bool up, bool before)
{
    Place place;
    if (!place_at(w, target, &place))
        return unsupported(w, e);
    Result old = place_read(w, &place, target), next = old;
    if (old.kind == R_VALUE) {
        Dtype dtype = old.value->type.dtype, wide = dtype_bytes(dtype) < 4 ? D_I32 : dtype;
        Value *sum =
            binary(w, up ? OP_SCALAR_ADD : OP_SCALAR_SUB, wide, convert(w, old.value, wide), literal_int(w, wide, 1));
        next = result_of(convert(w, sum, dtype));
    } else {
        next = pointer_plus(w, e, old, literal_int(w, D_I64, 1), !up);
    }
    place_write(w, &place, next, target);
    return before ? next : old;
}

static Result unary_operator(Walk *w, CXCursor e, const Cursors *below)
{
    enum CXUnaryOperatorKind kind = clang_getCursorUnaryOperatorKind(e);
    Place place;
    switch (kind) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PreInc:
        return step_variable(w, e, below->list[0], true, kind == CXUnaryOperator_PreInc);
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreDec:
        return step_variable(w, e, below->list[0], false, kind == CXUnaryOperator_PreDec);
    case CXUnaryOperator_AddrOf:
        if (!place_at(w, below->list[0], &place))
            return unsupported(w, e);
        if (!place.local) {
            place.base.type = clang_getCursorType(e);
            return place.base;
        }
        return (Result){
            .kind = R_PLACE, .variable = place.variable, .byte = place.byte, .type = clang_getCursorType(e)};
    case CXUnaryOperator_Deref:
        return place_at(w, e, &place) ? place_read(w, &place, e) : unsupported(w, e);
    case CXUnaryOperator_LNot:
        return result_of(as_integer(w, e, condition_of(w, e)));
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Extension:
        return eval(w, below->list[0]);
    case CXUnaryOperator_Real:
    case CXUnaryOperator_Imag:
        return complex_unary(w, e, kind, below->list[0]);
    case CXUnaryOperator_Minus:
    case CXUnaryOperator_Not: {
        if (is_complex(clang_getCursorType(e)))
            return complex_unary(w, e, kind, below->list[0]);
        Value *x = value_of(w, below->list[0]);
        return result_of(unary(w, kind == CXUnaryOperator_Minus ? OP_SCALAR_NEG : OP_SCALAR_NOT, x));
    }
    default:
        return unsupported(w, e);
    }
}

/* ---- ws.h's operands --------------------------------------------------------------------------------------------- */

/* ({ __auto_type ws_v_ = (x); _Generic (ws_v_, ...); }): a tile, or a number that becomes one.  */
static Result operand(Walk *w, CXCursor e, CXCursor init)
{
    CXType type = clang_getCursorType(init);
    Dtype dtype;
    if (is_tile_type(type))
        return eval(w, init);
    if (!scalar_type(type, &dtype)) {
        refuse(w, e, NULL, "%s",
               is_tensor_type(type) ? "a ws_tensor is memory: read a tile from it with ws_load"
                                    : "an operand is a ws_tile or a number");
        return nothing_of(w, e);
    }
    Value *scalar = argument_of(w, init);
    if (scalar->type.dtype == D_I1 || scalar->type.dtype == D_U64)
        scalar = convert(w, scalar, D_I64);
    return result_of(op_of(w, OP_SPLAT, TYPE_TO_INFER, 1, &scalar));
}

static Result statement_expression(Walk *w, CXCursor e)
{
    Cursors below = children(w->u, e);
    Cursors list = below.count ? children(w->u, below.list[0]) : below;
    Cursors declared = list.count ? children(w->u, list.list[0]) : list;
    if (declared.count && declared.list[0].kind == CXCursor_VarDecl &&
        !strcmp(text_of(w->u, clang_getCursorSpelling(declared.list[0])), "ws_v_"))
        return operand(w, e, clang_Cursor_getVarDeclInitializer(declared.list[0]));
    int slots = w->nslots;
    Result last = {.kind = R_NONE};
    for (int i = 0; i < list.count; i++) {
        if (clang_isExpression(list.list[i].kind)) {
            last = eval(w, list.list[i]);
            continue;
        }
        Exits exits = walk(w, list.list[i]);
        Jump *on = exits_find(&exits, &FALL);
        if (!on || exits.count != 1)
            return unsupported(w, e);
        w->state = on->state;
    }
    scope_end(w, slots);
    return last;
}

/* _Generic: the association whose type is that of the controlling expression.  */
static Result generic(Walk *w, CXCursor e, const Cursors *below)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(e));
    CXCursor found = clang_getNullCursor();
    int matches = 0;
    for (int i = 1; i < below->count; i++)
        if (clang_isExpression(below->list[i].kind) &&
            clang_equalTypes(type, clang_getCanonicalType(clang_getCursorType(below->list[i])))) {
            found = below->list[i];
            matches++;
        }
    return matches == 1 ? eval(w, found) : unsupported(w, e);
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

static Result number_literal(Walk *w, CXCursor e, bool is_real, int64_t integer, double real)
{
    Dtype dtype = D_I32;
    if (!scalar_type(clang_getCursorType(e), &dtype))
        return unsupported(w, e);
    return result_of(is_real ? literal(w, dtype, 0, real) : literal_int(w, dtype, integer));
}

static Result read_name(Walk *w, CXCursor e)
{
    Place place;
    CXCursor decl = clang_getCursorReferenced(e);
    if (decl.kind == CXCursor_FunctionDecl || !place_at(w, e, &place))
        return unsupported(w, e);
    return place_read(w, &place, e);
}

/* x ?: y, whose x is computed once; libclang shows x three times.  */
static Result without_middle(Walk *w, CXCursor e, const Cursors *below)
{
    CXType type = clang_getCursorType(e);
    Result x = eval(w, below->list[0]);
    if (x.kind != R_VALUE || x.value->type.kind != K_SCALAR)
        return unsupported(w, e);
    Dtype dtype = x.value->type.dtype;
    Value *zero = dtype == D_I1 ? NULL : dtype_is_float(dtype) ? literal(w, dtype, 0, 0) : literal_int(w, dtype, 0);
    Value *condition = zero ? compare(w, OP_SCALAR_NE, x.value, zero) : x.value;
    int64_t known;
    x = convert_result(w, x, clang_getCursorType(below->list[0]), type);
    if (ir_constant(condition, &known))
        return known ? x : eval(w, below->list[3]);
    Op *op = if_new(w, condition);
    Block *block = w->block;
    State before = state_kept(w, &w->state, w->nslots);
    w->block = op->blocks[1];
    Result y = eval(w, below->list[3]);
    w->block = block;
    if (has_effects(w->u, below->list[3]))
        return meet_arms(w, e, op, condition, &before, x, y);
    return y.kind == R_VALUE ? result_of(choose(w, op, condition, x.value, y.value)) : unsupported(w, e);
}

static Result unexposed(Walk *w, CXCursor e, const Cursors *below)
{
    int64_t chosen;
    if (below->count == 3 && evaluate_int(below->list[0], &chosen)) /* __builtin_choose_expr */
        return eval(w, below->list[chosen ? 1 : 2]);
    if (below->count == 4)
        return without_middle(w, e, below);
    return below->count == 1 ? conversion(w, e, below->list[0]) : unsupported(w, e);
}

static Result string_literal(Walk *w, CXCursor e)
{
    const char *text = text_of(w->u, clang_getCursorSpelling(e));
    return (Result){.kind = R_POINTER, .text = text, .string = unquoted(w, text), .type = clang_getCursorType(e)};
}

static Result compound_literal(Walk *w, CXCursor e)
{
    CXType type = clang_getCursorType(e);
    int variable = variable_new(w, clang_getNullCursor(), type, true);
    initialize(w, variable, type, 0, e);
    if (is_aggregate(type))
        return (Result){.kind = R_PLACE, .variable = variable, .byte = 0, .type = type};
    return slot_read(w, slot_of(w, variable, 0, true));
}

Result eval(Walk *w, CXCursor e)
{
    Place place;
    Value *table;
    bool is_real;
    int64_t integer;
    double real;
    if (clang_isStatement(e.kind) || clang_isDeclaration(e.kind))
        return (Result){.kind = R_NONE};
    bool effects = e.kind == CXCursor_CallExpr || e.kind == CXCursor_StmtExpr || is_complex(clang_getCursorType(e));
    if (!effects && constant_of(w, e, &is_real, &integer, &real))
        return number_literal(w, e, is_real, integer, real);
    Cursors below = children(w->u, e);
    if (e.kind != CXCursor_ParenExpr && e.kind != CXCursor_UnexposedExpr)
        w->where = loc_of(w->u, e);
    switch (e.kind) {
    case CXCursor_ParenExpr:
        return eval(w, below.list[0]);
    case CXCursor_UnexposedExpr:
        return unexposed(w, e, &below);
    case CXCursor_CStyleCastExpr:
        return conversion(w, e, below.list[below.count - 1]);
    case CXCursor_DeclRefExpr:
        return read_name(w, e);
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:
        if ((table = table_read(w, e)))
            return result_of(table);
        return place_at(w, e, &place) ? place_read(w, &place, e) : unsupported(w, e);
    case CXCursor_BinaryOperator:
        return binary_operator(w, e, &below);
    case CXCursor_CompoundAssignOperator:
        return assign(w, e);
    case CXCursor_UnaryOperator:
        return unary_operator(w, e, &below);
    case CXCursor_ConditionalOperator:
        return conditional(w, e, &below);
    case CXCursor_CallExpr:
        return call(w, e);
    case CXCursor_StmtExpr:
        return statement_expression(w, e);
    case CXCursor_CompoundLiteralExpr:
        return compound_literal(w, e);
    case CXCursor_ImaginaryLiteral:
        return complex_literal(w, e);
    case CXCursor_StringLiteral:
        return string_literal(w, e);
    case CXCursor_GenericSelectionExpr:
        return generic(w, e, &below);
    default:
        return unsupported(w, e);
    }
}

Value *value_of(Walk *w, CXCursor e)
{
    Result result = eval(w, e);
    if (result.kind == R_VALUE)
        return result.value;
    if (result.kind != R_NONE || !w->failed)
        refuse(w, e, "compute with coordinates instead", "an address becomes a number in a grid");
    return anything(w, clang_getCursorType(e));
}

static bool widens(Dtype x, Dtype y)
{
    if (y == D_I1)
        return false;
    if (x == D_F64 && y == D_F32)
        return true;
    return !dtype_is_float(x) && !dtype_is_float(y) && dtype_bytes(y) < dtype_bytes(x) &&
           (!dtype_is_signed(y) || dtype_is_signed(x));
}

static bool is_widening(CXType to, CXType from)
{
    Dtype x, y;
    return scalar_type(to, &x) && scalar_type(from, &y) && widens(x, y);
}

Value *argument_of(Walk *w, CXCursor e)
{
    int64_t number;
    if (constant_int(w, e, &number) && number == (int32_t)number)
        return literal_int(w, D_I32, number);
    for (;;) {
        Cursors below = children(w->u, e);
        bool wraps =
            e.kind == CXCursor_ParenExpr || e.kind == CXCursor_UnexposedExpr || e.kind == CXCursor_CStyleCastExpr;
        if (!wraps || !below.count || (e.kind == CXCursor_UnexposedExpr && below.count > 1))
            break;
        CXCursor inner = below.list[below.count - 1];
        CXType to = clang_getCursorType(e), from = clang_getCursorType(inner);
        Dtype x, y;
        bool same = scalar_type(to, &x) && scalar_type(from, &y) && x == y;
        if (!same && !is_widening(to, from))
            break;
        e = inner;
    }
    Value *value = value_of(w, e); /* of a parameter that was walked in place, perhaps, which has no name here */
    while (value->def && value->def->code == OP_SCALAR_CONVERT && !value->name &&
           widens(value->type.dtype, value->def->args[0]->type.dtype))
        value = value->def->args[0];
    return value;
}
