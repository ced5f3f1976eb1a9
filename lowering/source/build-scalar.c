/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-scalar.c - operations of scalars.
 *
 *      t3 = unlt.f32 t1, t2          %1 = scalar_ge %x, %y
 *                                    %2 = scalar_not %1
 *      t4 = rotl.u32 t1, 7           two shifts and an or
 *      t5 = conv.f32.b t1            %3 = scalar_ne %x, 0
 *
 * Integers of one size stand for each other as operands: an operand is converted to the type that its instruction
 * reads.
 */
#include "build.h"

static const struct {
    SourceOpcode source;
    Opcode code;
    bool negated; /* of the result: comparisons that are true for a NaN */
} codes[] = {
    /* clang-format off */
    {SO_NEG, OP_SCALAR_NEG, false}, {SO_NOT, OP_SCALAR_NOT, false},
    {SO_ADD, OP_SCALAR_ADD, false}, {SO_SUB, OP_SCALAR_SUB, false}, {SO_MUL, OP_SCALAR_MUL, false},
    {SO_DIV, OP_SCALAR_DIV, false}, {SO_REM, OP_SCALAR_REM, false}, {SO_AND, OP_SCALAR_AND, false},
    {SO_OR, OP_SCALAR_OR, false},   {SO_XOR, OP_SCALAR_XOR, false}, {SO_SHL, OP_SCALAR_SHL, false},
    {SO_SHR, OP_SCALAR_SHR, false}, {SO_MIN, OP_SCALAR_MIN, false}, {SO_MAX, OP_SCALAR_MAX, false},
    {SO_EQ, OP_SCALAR_EQ, false},   {SO_NE, OP_SCALAR_NE, false},   {SO_LT, OP_SCALAR_LT, false},
    {SO_LE, OP_SCALAR_LE, false},   {SO_GT, OP_SCALAR_GT, false},   {SO_GE, OP_SCALAR_GE, false},
    {SO_UNLT, OP_SCALAR_GE, true},  {SO_UNLE, OP_SCALAR_GT, true},  {SO_UNGT, OP_SCALAR_LE, true},
    {SO_UNGE, OP_SCALAR_LT, true},
    /* clang-format on */
};

static bool code_of(SourceOpcode source, Opcode *code, bool *negated)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].source == source) {
            *code = codes[i].code;
            *negated = codes[i].negated;
            return true;
        }
    return false;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

Value *build_convert(Builder *b, Loc loc, Value *x, Dtype dtype)
{
    int64_t number;
    if (!x || x->type.dtype == dtype)
        return x;
    if (ir_constant(x, &number) && !dtype_is_float(dtype) && dtype != D_I1)
        return build_integer(b, dtype, number);
    if (dtype == D_I1) {
        Value *sides[] = {x, build_zero(b, x->type.dtype)};
        return build_op(b, OP_SCALAR_NE, loc, type_scalar(D_I1), 2, sides);
    }
    return build_op(b, OP_SCALAR_CONVERT, loc, type_scalar(dtype), 1, &x);
}

Value *build_without_widening(Value *value)
{
    const Op *def = value->def;
    if (!def || def->code != OP_SCALAR_CONVERT)
        return value;
    const Dtype from = def->args[0]->type.dtype, to = value->type.dtype;
    const bool keeps = !dtype_is_float(from) && from != D_I1 && dtype_bytes(from) < dtype_bytes(to) &&
                       (dtype_is_signed(to) || !dtype_is_signed(from));
    return keeps && dtype_is_signed(from) == dtype_is_signed(to) ? def->args[0] : value;
}

Value *build_scalar(Builder *b, Loc loc, Operand x, SourceType type)
{
    const Dtype dtype = build_dtype(type);
    if (x.kind == OPERAND_INTEGER)
        return dtype_is_float(dtype) ? build_real(b, dtype, 0) : build_integer(b, dtype, (int64_t)x.integer);
    if (x.kind == OPERAND_FLOAT)
        return build_real(b, dtype, x.number);
    const Built *built = x.kind == OPERAND_TEMPORARY ? &b->temporaries[x.temporary] : &b->variables[x.variable->id];
    if (built->kind == BUILT_NONE && x.kind == OPERAND_VARIABLE)
        return build_zero(b, dtype); /* it has no value yet, and nothing depends on it */
    if (built->kind != BUILT_SCALAR) {
        build_refuse(b, loc, "a pointer that is used as a number");
        return NULL;
    }
    return build_convert(b, loc, built->value, dtype);
}

Value *build_binary(Builder *b, Opcode code, Loc loc, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return build_op(b, code, loc, x->type, 2, args);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static Value *compared(Builder *b, Opcode code, Loc loc, Value *x, Value *y)
{
    int64_t number;
    Value *args[] = {x, y};
    const Dtype dtype = y->type.dtype;
    /* x <= 63 is x < 64, which tiles know best.  */
    if ((code == OP_SCALAR_LE || code == OP_SCALAR_GT) && !dtype_is_float(dtype) && dtype != D_I1 &&
        ir_constant(y, &number) &&
        (number < 0 ? dtype_is_signed(dtype) : number < (int64_t)(((uint64_t)1 << (8 * dtype_bytes(dtype) - 1)) - 1))) {
        args[1] = build_integer(b, dtype, number + 1);
        code = code == OP_SCALAR_LE ? OP_SCALAR_LT : OP_SCALAR_GE;
    }
    return build_op(b, code, loc, type_scalar(D_I1), 2, args);
}

static Value *negated(Builder *b, Loc loc, Value *x)
{
    return build_op(b, OP_SCALAR_NOT, loc, type_scalar(D_I1), 1, &x);
}

/* Do two numbers have an order?  */
static Value *ordered(Builder *b, Loc loc, Value *x, Value *y, bool are)
{
    const Opcode same = are ? OP_SCALAR_EQ : OP_SCALAR_NE;
    Value *first = compared(b, same, loc, x, x);
    if (x == y || (y->def && y->def->code == OP_CONST))
        return first;
    return build_binary(b, are ? OP_SCALAR_AND : OP_SCALAR_OR, loc, first, compared(b, same, loc, y, y));
}

/* x < y or x > y, and the opposite.  */
static Value *apart(Builder *b, Loc loc, Value *x, Value *y, bool are)
{
    Value *either =
        build_binary(b, OP_SCALAR_OR, loc, compared(b, OP_SCALAR_LT, loc, x, y), compared(b, OP_SCALAR_GT, loc, x, y));
    return are ? either : negated(b, loc, either);
}

static Value *rotated(Builder *b, Loc loc, bool left, Value *x, Value *count)
{
    const Dtype dtype = x->type.dtype;
    const int64_t bits = 8 * dtype_bytes(dtype);
    int64_t number;
    Value *there, *back;
    if (ir_constant(count, &number)) {
        there = build_integer(b, count->type.dtype, number & (bits - 1));
        back = build_integer(b, count->type.dtype, -number & (bits - 1));
    } else {
        Value *low = build_integer(b, count->type.dtype, bits - 1);
        there = build_binary(b, OP_SCALAR_AND, loc, count, low);
        back = build_binary(b, OP_SCALAR_AND, loc, build_op(b, OP_SCALAR_NEG, loc, count->type, 1, &count), low);
    }
    return build_binary(b, OP_SCALAR_OR, loc, build_binary(b, OP_SCALAR_SHL, loc, x, left ? there : back),
                        build_binary(b, OP_SCALAR_SHR, loc, x, left ? back : there));
}

static Value *absolute(Builder *b, Loc loc, Value *x)
{
    if (!dtype_is_float(x->type.dtype))
        return build_binary(b, OP_SCALAR_MAX, loc, x, build_op(b, OP_SCALAR_NEG, loc, x->type, 1, &x));
    Value *value = build_op(b, OP_SCALAR_MATH, loc, x->type, 1, &x);
    value->def->scalar->function = x->type.dtype == D_F32 ? "fabsf" : "fabs";
    return value;
}

static Value *converted(Builder *b, const Instruction *i)
{
    Value *x = build_scalar(b, i->loc, i->args[0], i->from);
    const Dtype dtype = build_dtype(i->type);
    if (!x)
        return NULL;
    if (i->code == SO_CONV)
        return build_convert(b, i->loc, x, dtype);
    if (dtype_is_float(x->type.dtype) == dtype_is_float(dtype))
        return build_convert(b, i->loc, x, dtype);
    return build_op(b, OP_SCALAR_BITCAST, i->loc, type_scalar(dtype), 1, &x);
}

Value *build_scalar_operation(Builder *b, const Instruction *i)
{
    const SourceForm form = source_op_form(i->code);
    const Loc loc = i->loc;
    Opcode code;
    bool is_negated;
    if (form == FORM_CONVERT)
        return converted(b, i);
    Value *args[3] = {NULL};
    const int n = source_nargs(form);
    for (int k = 0; k < n; k++) {
        args[k] = build_scalar(b, loc, i->args[k], source_arg_type(i, k));
        if (!args[k])
            return NULL;
    }
    switch (i->code) {
    case SO_ABS:
        return absolute(b, loc, args[0]);
    case SO_ROTL:
    case SO_ROTR:
        return rotated(b, loc, i->code == SO_ROTL, args[0], args[1]);
    case SO_UNO:
    case SO_ORD:
        return ordered(b, loc, args[0], args[1], i->code == SO_ORD);
    case SO_UNEQ:
    case SO_LTGT:
        return apart(b, loc, args[0], args[1], i->code == SO_LTGT);
    case SO_SELECT:
        return build_op(b, OP_SCALAR_SELECT, loc, args[1]->type, 3, args);
    default:
        break;
    }
    if (!code_of(i->code, &code, &is_negated)) {
        build_refuse(b, loc, arena_print(b->module, "an operation '%s'", source_op_text(i->code)));
        return NULL;
    }
    if (form == FORM_COMPARE) {
        Value *truth = compared(b, code, loc, args[0], args[1]);
        return is_negated ? negated(b, loc, truth) : truth;
    }
    return build_op(b, code, loc, type_scalar(build_dtype(i->type)), n, args);
}
