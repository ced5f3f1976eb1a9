/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-operation.c - an operation on scalars as one on tiles, with C's integers.
 *
 *   y[i] = (unsigned char)(x[i] + 1);     %1 = cast %x: i32; %2 = add %1, 1; %y = cast %2: u8
 *   unsigned u, v; u < v                  signs are compared first
 *
 * Tiles compute integers in I32.  I8, U8 and I16 are cast to it and back.  A U16 is the I32 of its value, a U32 the
 * I32 of the same bits.  Shifts are by less than their bits, as C has it.  A number of 64 bits is an I64 where
 * plain-wide.c says so, a U64 the I64 of the same bits.  Else it is a subscript, or a number of 32 bits that was
 * converted.
 */
#include <string.h>

#include "ir/functions.h"
#include "language/plain.h"

static const struct {
    Opcode scalar, tile, mask;
} codes[] = {
    {OP_SCALAR_ADD, OP_ADD, OP_COUNT},   {OP_SCALAR_SUB, OP_SUB, OP_COUNT},   {OP_SCALAR_MUL, OP_MUL, OP_COUNT},
    {OP_SCALAR_DIV, OP_DIV, OP_COUNT},   {OP_SCALAR_NEG, OP_NEG, OP_COUNT},   {OP_SCALAR_MIN, OP_MIN, OP_COUNT},
    {OP_SCALAR_MAX, OP_MAX, OP_COUNT},   {OP_SCALAR_EQ, OP_EQ, OP_EQ},        {OP_SCALAR_NE, OP_NE, OP_NE},
    {OP_SCALAR_LT, OP_LT, OP_LT},        {OP_SCALAR_LE, OP_LE, OP_LE},        {OP_SCALAR_GT, OP_GT, OP_GT},
    {OP_SCALAR_GE, OP_GE, OP_GE},        {OP_SCALAR_AND, OP_BIT_AND, OP_AND}, {OP_SCALAR_OR, OP_BIT_OR, OP_OR},
    {OP_SCALAR_XOR, OP_BIT_XOR, OP_NE},  {OP_SCALAR_SHL, OP_SHL, OP_COUNT},   {OP_SCALAR_SHR, OP_SHR, OP_COUNT},
    {OP_SCALAR_NOT, OP_BIT_XOR, OP_NOT},
};

static Opcode code_of(const Op *op)
{
    bool mask = op->results[0]->type.dtype == D_I1 && op->args[0]->type.dtype == D_I1;
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].scalar == op->code)
            return mask ? codes[i].mask : codes[i].tile;
    return OP_COUNT;
}

/* x < y of truth values: y and not x; and so on.  */
static Value *of_masks(Nest *in, Op *where, Loc loc, Opcode code, Value *x, Value *y)
{
    bool inverse = code == OP_EQ || code == OP_LE || code == OP_GE;
    if (code == OP_GT || code == OP_LE) {
        Value *swapped = x;
        x = y;
        y = swapped;
    }
    Value *result = form_make(in, where, OP_NOT, loc, D_MASK, x, NULL, NULL);
    result = form_make(in, where, OP_AND, loc, D_MASK, y, result, NULL);
    if (code == OP_EQ || code == OP_NE) {
        Value *other = form_make(in, where, OP_NOT, loc, D_MASK, y, NULL, NULL);
        other = form_make(in, where, OP_AND, loc, D_MASK, x, other, NULL);
        result = form_make(in, where, OP_OR, loc, D_MASK, result, other, NULL);
    }
    return inverse ? form_make(in, where, OP_NOT, loc, D_MASK, result, NULL, NULL) : result;
}

static Value *refuse_op(Nest *in, Op *where, const Op *op, int row, int col)
{
    const char *name = op->code == OP_SCALAR_MATH      ? op->scalar->function
                       : op->code == OP_SCALAR_CONVERT ? "a conversion of an integer of 64 bits"
                                                       : op_info[op->code].call;
    reject(in->kernel, op->loc, REASON_PLAIN_OPERATION, name);
    return form_full(in, where, form_dtype(in, op->results[0]), form_extent(in, row), form_extent(in, col), 0);
}

static Value *math(Nest *in, Op *where, const Op *op, int row, int col, Value *const *args)
{
    Dtype dtype = tile_dtype(op->results[0]->type.dtype);
    Opcode code = op_of_function(op->scalar->function);
    if (code == OP_COUNT || op_info[code].nargs != op->nargs)
        return refuse_op(in, where, op, row, col);
    return form_make(in, where, code, op->loc, dtype, form_as_tile(in, where, args[0], dtype),
                     op->nargs > 1 ? args[1] : NULL, op->nargs > 2 ? args[2] : NULL);
}

static Value *choose(Nest *in, Op *where, const Op *op, Value **args)
{
    Dtype dtype = form_dtype(in, op->results[0]);
    for (int i = 0; i < 3; i++)
        args[i] = i ? form_as_tile(in, where, form_integer(in, where, op->args[i], args[i], dtype), dtype)
                    : form_as_tile(in, where, args[i], D_MASK);
    if (dtype != D_MASK)
        return form_make(in, where, OP_SELECT, op->loc, dtype, args[0], args[1], args[2]);
    Value *yes = form_make(in, where, OP_AND, op->loc, dtype, args[0], args[1], NULL);
    Value *no = form_make(in, where, OP_NOT, op->loc, dtype, args[0], NULL, NULL);
    no = form_make(in, where, OP_AND, op->loc, dtype, no, args[2], NULL);
    return form_make(in, where, OP_OR, op->loc, dtype, yes, no, NULL);
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

bool form_is_small(Dtype dtype)
{
    return dtype == D_I8 || dtype == D_U8 || dtype == D_I16;
}

static Value *number(Nest *in, Op *where, int64_t value)
{
    return ir_const_before(in->kernel, where, D_I32, value);
}

Value *form_widened(Nest *in, Op *where, Value *x)
{
    if (x->type.kind != K_TILE)
        return ir_convert_before(in->kernel, where, x, D_I32);
    return x->type.dtype == D_I32 ? x : form_make(in, where, OP_CAST, where->loc, D_I32, x, NULL, NULL);
}

static Value *low_half(Nest *in, Op *where, Value *x)
{
    return form_make(in, where, OP_BIT_AND, where->loc, D_I32, x, number(in, where, 0xffff), NULL);
}

Value *form_element(Nest *in, Op *where, Value *x, Dtype dtype)
{
    return dtype == D_U16 ? low_half(in, where, form_widened(in, where, x)) : x;
}

Value *form_kept(Nest *in, Op *where, Value *x, Dtype dtype)
{
    if (form_is_small(dtype))
        return form_make(in, where, OP_CAST, where->loc, dtype, x, NULL, NULL);
    return dtype == D_U16 ? low_half(in, where, x) : x;
}

bool form_is_unsigned(Dtype dtype)
{
    return dtype == D_U64 || dtype == D_U32;
}

/* A number that is no tile is itself; plain-wide.c sees to what loops carry and branches join.  */
Standing form_standing(const Nest *in, const Value *value)
{
    const Op *op = value->def;
    if (value->type.dtype == D_U32)
        return AS_UNSIGNED;
    if (dtype_bytes(value->type.dtype) < 8 || !is_tiled(in, value))
        return AS_SIGNED;
    if (loop_of(in, value) >= 0)
        return form_is_short(in, value) ? AS_SIGNED : AS_LOW_BITS;
    if (!op || op->nblocks)
        return AS_SIGNED;
    int64_t bits;
    switch (op->code) {
    case OP_SCALAR_CONVERT:
        return form_standing(in, op->args[0]);
    case OP_SCALAR_ADD:
    case OP_SCALAR_SUB:
        for (int i = 0; i < 2; i++)
            if (is_tiled(in, op->args[i]))
                return AS_LOW_BITS;
        return AS_SIGNED;
    case OP_SCALAR_AND:
        if (ir_constant(op->args[1], &bits) && bits >= 0 && bits <= INT32_MAX)
            return AS_SIGNED;
        break;
    case OP_SCALAR_OR:
    case OP_SCALAR_XOR:
    case OP_SCALAR_MIN:
    case OP_SCALAR_MAX:
    case OP_SCALAR_SELECT:
        break;
    default:
        return AS_LOW_BITS;
    }
    Standing x = form_standing(in, op->args[op->nargs - 2]), y = form_standing(in, op->args[op->nargs - 1]);
    return x == y ? x : AS_LOW_BITS;
}

/* (size_t)(x - 1) < n is false for an x of 0: as unsigned numbers sign-extended ones keep their order.  */
static bool may_wrap(const Nest *in, const Value *value)
{
    return value->type.dtype == D_U64 && !form_has_no_top_bit(in, value);
}

/* Do the I32 of all operands stand for them in one way?  */
static bool stand_alike(const Nest *in, const Op *op)
{
    for (int i = 1; i < op->nargs; i++)
        if (form_standing(in, op->args[i]) != form_standing(in, op->args[0]))
            return false;
    return true;
}

static bool comparable(const Nest *in, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (!form_is_wide(in, op->args[i]) && form_standing(in, op->args[i]) == AS_LOW_BITS)
            return false;
    return true;
}

/* x < y of unsigned numbers: of those with one sign the signed order, else the one without the sign bit.  */
static Value *below(Nest *in, Op *where, Value *x, Value *y, Dtype dtype)
{
    Loc loc = where->loc;
    Value *high_x =
        form_make(in, where, OP_LT, loc, D_MASK, form_as_tile(in, where, x, dtype), number(in, where, 0), NULL);
    Value *high_y =
        form_make(in, where, OP_LT, loc, D_MASK, form_as_tile(in, where, y, dtype), number(in, where, 0), NULL);
    Value *less = form_make(in, where, OP_LT, loc, D_MASK, form_as_tile(in, where, x, dtype), y, NULL);
    Value *low_x = form_make(in, where, OP_NOT, loc, D_MASK, high_x, NULL, NULL);
    Value *either = form_make(in, where, OP_OR, loc, D_MASK, low_x, high_y, NULL);
    Value *apart = form_make(in, where, OP_AND, loc, D_MASK, low_x, high_y, NULL);
    less = form_make(in, where, OP_AND, loc, D_MASK, less, either, NULL);
    return form_make(in, where, OP_OR, loc, D_MASK, less, apart, NULL);
}

Value *form_flipped(Nest *in, Op *where, Value *x, Dtype dtype)
{
    Value *top = ir_const_before(in->kernel, where, dtype, dtype == D_I64 ? INT64_MIN : INT32_MIN);
    if (x->type.kind != K_TILE)
        return ir_binary_before(in->kernel, where, OP_SCALAR_XOR, ir_convert_before(in->kernel, where, x, dtype), top);
    return form_make(in, where, OP_BIT_XOR, where->loc, dtype, x, top, NULL);
}

/* An order, or the smaller or larger, of unsigned numbers.  */
static Value *unsigned_order(Nest *in, Op *where, Opcode code, Value *x, Value *y, Dtype dtype)
{
    if (code == OP_MIN || code == OP_MAX) {
        x = form_flipped(in, where, x, dtype);
        y = form_flipped(in, where, y, dtype);
        return form_flipped(in, where, form_make(in, where, code, where->loc, dtype, x, y, NULL), dtype);
    }
    bool turned = code == OP_GT || code == OP_LE;
    Value *less = turned ? below(in, where, y, x, dtype) : below(in, where, x, y, dtype);
    return code == OP_LE || code == OP_GE ? form_make(in, where, OP_NOT, where->loc, D_MASK, less, NULL, NULL) : less;
}

static bool is_order(Opcode code)
{
    return code == OP_LT || code == OP_LE || code == OP_GT || code == OP_GE || code == OP_MIN || code == OP_MAX;
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

static Value *float_of_unsigned(Nest *in, Op *where, Value *x, Dtype to)
{
    Value *negative = form_make(in, where, OP_LT, where->loc, D_MASK, x, number(in, where, 0), NULL);
    x = form_make(in, where, OP_CAST, where->loc, D_F64, x, NULL, NULL);
    Value *above =
        form_make(in, where, OP_ADD, where->loc, D_F64, x, form_full(in, where, D_F64, 1, 1, 4294967296.0), NULL);
    x = form_make(in, where, OP_SELECT, where->loc, D_F64, negative, above, x);
    return to == D_F64 ? x : form_make(in, where, OP_CAST, where->loc, to, x, NULL, NULL);
}

static Value *unsigned_of_float(Nest *in, Op *where, Value *x)
{
    if (x->type.dtype != D_F64)
        x = form_make(in, where, OP_CAST, where->loc, D_F64, x, NULL, NULL);
    Value *large =
        form_make(in, where, OP_GE, where->loc, D_MASK, x, form_full(in, where, D_F64, 1, 1, 2147483648.0), NULL);
    Value *less =
        form_make(in, where, OP_SUB, where->loc, D_F64, x, form_full(in, where, D_F64, 1, 1, 4294967296.0), NULL);
    x = form_make(in, where, OP_SELECT, where->loc, D_F64, large, less, x);
    return form_make(in, where, OP_CAST, where->loc, D_I32, x, NULL, NULL);
}

/* Half of what has the top bit, the last one kept for rounding, twice.  */
static Value *float_of_unsigned_long(Nest *in, Op *where, Value *x, Dtype to)
{
    Loc loc = where->loc;
    Value *one = number(in, where, 1);
    Value *negative = form_make(in, where, OP_LT, loc, D_MASK, x, number(in, where, 0), NULL);
    Value *half = form_make(in, where, OP_USHR, loc, D_I64, x, one, NULL);
    Value *last = form_make(in, where, OP_BIT_AND, loc, D_I64, x, one, NULL);
    half = form_make(in, where, OP_BIT_OR, loc, D_I64, half, last, NULL);
    Value *small = form_make(in, where, OP_SELECT, loc, D_I64, negative, half, x);
    small = form_make(in, where, OP_CAST, loc, to, small, NULL, NULL);
    Value *twice = form_make(in, where, OP_ADD, loc, to, small, small, NULL);
    return form_make(in, where, OP_SELECT, loc, to, negative, twice, small);
}

static Value *unsigned_long_of_float(Nest *in, Op *where, Value *x, Dtype from)
{
    Loc loc = where->loc;
    Value *top = form_full(in, where, from, 1, 1, 0x1p63);
    Value *large = form_make(in, where, OP_GE, loc, D_MASK, x, top, NULL);
    Value *less = form_make(in, where, OP_SUB, loc, from, x, top, NULL);
    x = form_make(in, where, OP_CAST, loc, D_I64, form_make(in, where, OP_SELECT, loc, from, large, less, x), NULL,
                  NULL);
    Value *above =
        form_make(in, where, OP_BIT_XOR, loc, D_I64, x, ir_const_before(in->kernel, where, D_I64, INT64_MIN), NULL);
    return form_make(in, where, OP_SELECT, loc, D_I64, large, above, x);
}

/* What stands for it has the value's bits; I64 of what is shorter has its sign, or none.  */
Value *form_integer(Nest *in, Op *where, const Value *value, Value *x, Dtype dtype)
{
    if (x->type.kind != K_TILE)
        return dtype == D_I64 && !dtype_is_float(x->type.dtype) ? ir_convert_before(in->kernel, where, x, D_I64) : x;
    bool wider = dtype == D_I64 && (x->type.dtype == D_I32 || form_is_small(x->type.dtype));
    if (dtype == D_I32 && x->type.dtype == D_I64)
        return form_make(in, where, OP_CAST, where->loc, D_I32, x, NULL, NULL);
    if (!wider)
        return x;
    bool bare = x->type.dtype == D_I32 && form_standing(in, value) == AS_UNSIGNED;
    x = form_make(in, where, OP_CAST, where->loc, D_I64, x, NULL, NULL);
    return bare ? form_make(in, where, OP_BIT_AND, where->loc, D_I64, x,
                            ir_const_before(in->kernel, where, D_I64, 0xffffffff), NULL)
                : x;
}

static Value *convert(Nest *in, Op *where, const Op *op, int row, int col, Value *x)
{
    Dtype from = op->args[0]->type.dtype, to = op->results[0]->type.dtype;
    Standing stands = from == D_I1 || dtype_is_float(from) ? AS_SIGNED : form_standing(in, op->args[0]);
    if (form_is_wide(in, op->results[0])) {
        if (!dtype_is_float(from))
            return form_integer(in, where, op->args[0], x, D_I64);
        return to == D_U64 ? unsigned_long_of_float(in, where, x, from)
                           : form_make(in, where, OP_CAST, op->loc, D_I64, x, NULL, NULL);
    }
    if (form_is_wide(in, op->args[0]) && dtype_is_float(to))
        return from == D_U64 ? float_of_unsigned_long(in, where, x, to)
                             : form_make(in, where, OP_CAST, op->loc, to, x, NULL, NULL);
    if (form_is_wide(in, op->args[0]) && to == D_I1)
        return form_make(in, where, OP_NE, op->loc, D_MASK, x, number(in, where, 0), NULL);
    if (from == D_I1 && to != D_I1) {
        to = tile_dtype(to);
        return form_make(in, where, OP_SELECT, op->loc, to, x, form_full(in, where, to, 1, 1, 1),
                         form_full(in, where, to, 1, 1, 0));
    }
    if (from == to)
        return x;
    if (dtype_is_float(from) && dtype_is_float(to))
        return form_make(in, where, OP_CAST, op->loc, to, x, NULL, NULL);
    if (dtype_is_float(from) && to == D_U32)
        return unsigned_of_float(in, where, x);
    if (!dtype_is_float(to) && to != D_I1)
        return form_kept(in, where, form_widened(in, where, x), to);
    if (to == D_I1)
        return form_make(in, where, OP_NE, op->loc, D_MASK, dtype_is_float(from) ? x : form_widened(in, where, x),
                         form_boxed(in, where, number(in, where, 0), dtype_is_float(from) ? from : D_I32), NULL);
    if (stands == AS_LOW_BITS)
        return refuse_op(in, where, op, row, col);
    if (from == D_U64 && stands == AS_SIGNED && is_tiled(in, op->args[0]) && !form_has_no_top_bit(in, op->args[0]))
        return float_of_unsigned_long(in, where, form_integer(in, where, op->args[0], x, D_I64), to);
    x = form_is_small(from) ? x : form_widened(in, where, x);
    return stands == AS_UNSIGNED ? float_of_unsigned(in, where, x, to)
                                 : form_make(in, where, OP_CAST, op->loc, to, x, NULL, NULL);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* Of 64-bit numbers tiles hold 32 bits: those of counters, which extents bound.  */
static bool fits(const Nest *in, const Op *op)
{
    Dtype from = op->args[0]->type.dtype, to = op->results[0]->type.dtype;
    bool wide = !dtype_is_float(to) && to != D_I1 && dtype_bytes(to) == 8;
    if (form_is_wide(in, op->results[0]))
        return true;
    return !wide || op->code == OP_SCALAR_ADD || op->code == OP_SCALAR_SUB || op->code == OP_SCALAR_MIN ||
           op->code == OP_SCALAR_MAX || op->code == OP_SCALAR_MUL || op->code == OP_SCALAR_NEG ||
           op->code == OP_SCALAR_NOT || op->code == OP_SCALAR_SELECT || op->code == OP_SCALAR_AND ||
           op->code == OP_SCALAR_OR || op->code == OP_SCALAR_XOR ||
           (op->code == OP_SCALAR_CONVERT && !dtype_is_float(from));
}

static Dtype computed_in(const Nest *in, const Op *op)
{
    bool wide = form_is_wide(in, op->results[0]), compares = op->results[0]->type.dtype == D_I1;
    for (int i = 0; i < op->nargs; i++)
        wide |= form_is_wide(in, op->args[i]) || (compares && form_exceeds(in, op, i));
    wide |= compares && comparable(in, op) && !stand_alike(in, op);
    return wide ? D_I64 : D_I32;
}

/* x / y of I64 without a sign: twice the half of x by y, and what is left once more; of a y with the top bit 0 or 1. */
static Value *unsigned_quotient(Nest *in, Op *where, Value *x, Value *y)
{
    Loc loc = where->loc;
    Value *one = number(in, where, 1);
    x = form_as_tile(in, where, x, D_I64);
    y = form_as_tile(in, where, y, D_I64);
    Value *half = form_make(in, where, OP_USHR, loc, D_I64, x, one, NULL);
    half = form_make(in, where, OP_DIV, loc, D_I64, half, y, NULL);
    half = form_make(in, where, OP_SHL, loc, D_I64, half, one, NULL);
    Value *top = form_make(in, where, OP_LT, loc, D_MASK, y, number(in, where, 0), NULL);
    Value *quotient = form_make(in, where, OP_SELECT, loc, D_I64, top, form_full(in, where, D_I64, 1, 1, 0), half);
    Value *rest = form_make(in, where, OP_MUL, loc, D_I64, quotient, y, NULL);
    rest = form_make(in, where, OP_SUB, loc, D_I64, x, rest, NULL);
    Value *more = form_make(in, where, OP_ADD, loc, D_I64, quotient, one, NULL);
    return form_make(in, where, OP_SELECT, loc, D_I64, below(in, where, rest, y, D_I64), quotient, more);
}

/* A number of 32 bits without a sign as one of 64 bits with a sign.  */
static Value *without_sign(Nest *in, Op *where, const Value *value, Value *x)
{
    int64_t known;
    if (ir_constant(value, &known))
        return ir_const_before(in->kernel, where, D_I64, (int64_t)(uint32_t)known);
    return form_integer(in, where, value, form_as_tile(in, where, x, D_I32), D_I64);
}

/* x / y or x % y of operands of I32 or I64.  */
static Value *quotient(Nest *in, Op *where, const Op *op, Value *x, Value *y, Dtype computed)
{
    bool bare = form_is_unsigned(op->args[0]->type.dtype), narrow = bare && computed == D_I32;
    if (narrow) {
        x = without_sign(in, where, op->args[0], x);
        y = without_sign(in, where, op->args[1], y);
        computed = D_I64;
    }
    x = form_as_tile(in, where, x, computed);
    Value *whole = bare && !narrow && !(form_has_no_top_bit(in, op->args[0]) && form_has_no_top_bit(in, op->args[1]))
                       ? unsigned_quotient(in, where, x, y)
                       : form_make(in, where, OP_DIV, op->loc, computed, x, y, NULL);
    if (op->code == OP_SCALAR_REM) { /* x - x / y * y */
        whole = form_make(in, where, OP_MUL, op->loc, computed, whole, y, NULL);
        whole = form_make(in, where, OP_SUB, op->loc, computed, x, whole, NULL);
    }
    return narrow ? form_make(in, where, OP_CAST, op->loc, D_I32, whole, NULL, NULL) : whole;
}

/* Operands are I32 or I64, the result is what the type keeps of it.  */
static Value *integers(Nest *in, Op *where, const Op *op, Opcode code, Value *x, Value *y)
{
    Dtype computed = computed_in(in, op), dtype = op->results[0]->type.dtype == D_I1 ? D_MASK : computed;
    bool bare = computed == D_I64 && op->args[0]->type.dtype == D_U64 &&
                !(form_has_no_top_bit(in, op->args[0]) && form_has_no_top_bit(in, op->args[op->nargs - 1]));
    for (int i = 0; i < op->nargs && computed == D_I32; i++)
        bare |= form_standing(in, op->args[i]) == AS_UNSIGNED || may_wrap(in, op->args[i]);
    if (x->type.kind != K_TILE && (!y || y->type.kind != K_TILE))
        x = form_boxed(in, where, x, computed);
    if (bare && is_order(code))
        return unsigned_order(in, where, code, x, y, computed);
    if (code == OP_SHR && form_is_unsigned(op->args[0]->type.dtype))
        code = OP_USHR;
    if (op->code == OP_SCALAR_NOT)
        y = number(in, where, -1);
    if (op->code == OP_SCALAR_REM || op->code == OP_SCALAR_DIV)
        x = quotient(in, where, op, x, y, computed);
    else
        x = form_make(in, where, code, op->loc, dtype, x, y, NULL);
    return dtype == D_MASK ? x : form_kept(in, where, x, op->results[0]->type.dtype);
}

/* The bits of a number as one of another type: I32 and I64 stand for unsigned ones, too.  */
static Value *bitcast(Nest *in, Op *where, const Op *op, Value *x)
{
    Dtype from = op->args[0]->type.dtype, to = op->results[0]->type.dtype;
    Dtype integer = dtype_bytes(from) == 8 ? D_I64 : D_I32, real = integer == D_I64 ? D_F64 : D_F32;
    if (!dtype_is_float(from))
        x = form_integer(in, where, op->args[0], x, integer);
    x = form_as_tile(in, where, x, dtype_is_float(from) ? real : integer);
    return form_make(in, where, OP_BITCAST, op->loc, dtype_is_float(to) ? real : integer, x, NULL, NULL);
}

Value *form_operation(Nest *in, Op *where, const Op *op, int row, int col)
{
    Value *args[3];
    if (op->nargs > 3 || !op->nargs || !fits(in, op) || op_info[op->code].class_ != CLASS_SCALAR)
        return refuse_op(in, where, op, row, col);
    bool orders = op->code >= OP_SCALAR_EQ && op->code <= OP_SCALAR_GE && !dtype_is_float(op->args[0]->type.dtype);
    if (orders && (computed_in(in, op) == D_I64 || !comparable(in, op))) {
        if (form_is_relative(in, op))
            return form_relative(in, where, op, code_of(op), row);
        if (!comparable(in, op))
            return refuse_op(in, where, op, row, col);
    }
    for (int i = 0; i < op->nargs; i++)
        args[i] = form(in, op->args[i], row, col);
    if (op->code == OP_SCALAR_MATH)
        return math(in, where, op, row, col, args);
    if (op->code == OP_SCALAR_CONVERT)
        return convert(in, where, op, row, col, args[0]);
    if (op->code == OP_SCALAR_BITCAST)
        return bitcast(in, where, op, args[0]);
    if (op->code == OP_SCALAR_SELECT)
        return choose(in, where, op, args);
    Dtype operand = op->args[0]->type.dtype;
    Opcode code = op->code == OP_SCALAR_REM ? OP_DIV : code_of(op);
    if (code == OP_COUNT)
        return refuse_op(in, where, op, row, col);
    if (operand == D_I1) {
        for (int i = 0; i < op->nargs; i++)
            args[i] = form_as_tile(in, where, args[i], D_MASK);
        if (code != OP_AND && code != OP_OR && code != OP_NOT)
            return of_masks(in, where, op->loc, code, args[0], args[1]);
        return form_make(in, where, code, op->loc, D_MASK, args[0], op->nargs > 1 ? args[1] : NULL, NULL);
    }
    if (!dtype_is_float(operand)) {
        bool wide = computed_in(in, op) == D_I64;
        for (int i = 0; i < op->nargs; i++)
            args[i] = wide ? form_integer(in, where, op->args[i], args[i], D_I64) : form_widened(in, where, args[i]);
        return integers(in, where, op, code, args[0], op->nargs > 1 ? args[1] : NULL);
    }
    bool tile = false;
    for (int i = 0; i < op->nargs; i++)
        tile |= args[i]->type.kind == K_TILE;
    if (!tile)
        args[0] = form_boxed(in, where, args[0], operand);
    return form_make(in, where, code, op->loc, tile_dtype(op->results[0]->type.dtype), args[0],
                     op->nargs > 1 ? args[1] : NULL, NULL);
}
