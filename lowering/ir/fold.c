/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fold.c - constant folding of scalars.
 *
 *   %2 = scalar_mul 4, 64;  %3 = scalar_lt %2, 1024          ir_constant (%2): 256;  ir_constant (%3): 1
 *
 * Integers wrap to their type, as in the emitted C with -fwrapv. F32 arithmetic rounds after each operation. Undefined
 * operations of C are not folded: a division by zero, a shift beyond the width, a float that does not fit the integer.
 */
#include <math.h>

#include "ir/kernel.h"

enum { MAX_DEPTH = 16 }; /* of an expression */

static bool fold_int(const Value *value, int64_t *result, int depth);
static bool fold_float(const Value *value, double *result, int depth);

int64_t ir_wrap(Dtype dtype, int64_t value)
{
    switch (dtype) {
    case D_I1:
        return value != 0;
    case D_I8:
        return (int8_t)value;
    case D_U8:
        return (uint8_t)value;
    case D_I16:
        return (int16_t)value;
    case D_U16:
        return (uint16_t)value;
    case D_I32:
        return (int32_t)value;
    case D_U32:
        return (uint32_t)value;
    default:
        return value;
    }
}

static double round_to(Dtype dtype, double value)
{
    return dtype == D_F32 ? (double)(float)value : value;
}

static bool divide(Dtype dtype, bool remainder, int64_t x, int64_t y, int64_t *result)
{
    if (!y || (dtype_is_signed(dtype) && y == -1))
        return y && !remainder && x != INT64_MIN && ir_wrap(dtype, -x) == -x ? (*result = -x, true) : false;
    if (dtype_is_signed(dtype))
        *result = remainder ? x % y : x / y;
    else
        *result = (int64_t)(remainder ? (uint64_t)x % (uint64_t)y : (uint64_t)x / (uint64_t)y);
    return true;
}

static bool shift(Dtype dtype, bool left, int64_t x, int64_t y, int64_t *result)
{
    if (y < 0 || y >= 8 * dtype_bytes(dtype))
        return false;
    if (left)
        *result = (int64_t)((uint64_t)x << y);
    else
        *result = dtype_is_signed(dtype) ? x >> y : (int64_t)((uint64_t)x >> y);
    return true;
}

static bool less(Dtype dtype, int64_t x, int64_t y)
{
    return dtype_is_signed(dtype) ? x < y : (uint64_t)x < (uint64_t)y;
}

/* Computes x OP y for operands of type `dtype`; comparisons give 0 or 1.  False: not folded.  */
static bool apply_int(Opcode code, Dtype dtype, int64_t x, int64_t y, int64_t *result)
{
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    switch (code) {
    case OP_SCALAR_ADD:
        *result = (int64_t)(ux + uy);
        return true;
    case OP_SCALAR_SUB:
        *result = (int64_t)(ux - uy);
        return true;
    case OP_SCALAR_MUL:
        *result = (int64_t)(ux * uy);
        return true;
    case OP_SCALAR_DIV:
    case OP_SCALAR_REM:
        return divide(dtype, code == OP_SCALAR_REM, x, y, result);
    case OP_SCALAR_AND:
        *result = x & y;
        return true;
    case OP_SCALAR_OR:
        *result = x | y;
        return true;
    case OP_SCALAR_XOR:
        *result = x ^ y;
        return true;
    case OP_SCALAR_SHL:
    case OP_SCALAR_SHR:
        return shift(dtype, code == OP_SCALAR_SHL, x, y, result);
    case OP_SCALAR_EQ:
        *result = x == y;
        return true;
    case OP_SCALAR_NE:
        *result = x != y;
        return true;
    case OP_SCALAR_LT:
        *result = less(dtype, x, y);
        return true;
    case OP_SCALAR_LE:
        *result = !less(dtype, y, x);
        return true;
    case OP_SCALAR_GT:
        *result = less(dtype, y, x);
        return true;
    case OP_SCALAR_GE:
        *result = !less(dtype, x, y);
        return true;
    case OP_SCALAR_MIN:
        *result = less(dtype, y, x) ? y : x;
        return true;
    case OP_SCALAR_MAX:
        *result = less(dtype, x, y) ? y : x;
        return true;
    default:
        return false;
    }
}

static bool compare_float(Opcode code, double x, double y, int64_t *result)
{
    switch (code) {
    case OP_SCALAR_EQ:
        *result = x == y;
        return true;
    case OP_SCALAR_NE:
        *result = x != y;
        return true;
    case OP_SCALAR_LT:
        *result = x < y;
        return true;
    case OP_SCALAR_LE:
        *result = x <= y;
        return true;
    case OP_SCALAR_GT:
        *result = x > y;
        return true;
    case OP_SCALAR_GE:
        *result = x >= y;
        return true;
    default:
        return false;
    }
}

static bool is_float(const Value *value)
{
    return dtype_is_float(value->type.dtype);
}

/* Folds an operation from floats to an integer: a comparison, or a conversion whose result fits.  */
static bool fold_from_float(const Op *op, int64_t *result, int depth)
{
    double x, y;
    if (!fold_float(op->args[0], &x, depth))
        return false;
    if (op->code == OP_SCALAR_CONVERT) {
        if (op->results[0]->type.dtype == D_I1)
            return *result = x != 0, true;
        if (!(fabs(x) < 9e18))
            return false;
        *result = (int64_t)x;
        return ir_wrap(op->results[0]->type.dtype, *result) == *result;
    }
    return op->nargs == 2 && fold_float(op->args[1], &y, depth) && compare_float(op->code, x, y, result);
}

/* Folds an operation on integers, except a SELECT.  The result is not wrapped to its type.  */
static bool fold_ints(const Op *op, int64_t x, int64_t y, int64_t *result)
{
    switch (op->code) {
    case OP_SCALAR_CONVERT:
        return *result = x, true;
    case OP_SCALAR_NEG:
        return *result = (int64_t)(0 - (uint64_t)x), true;
    case OP_SCALAR_NOT:
        return *result = op->args[0]->type.dtype == D_I1 ? !x : ~x, true;
    default:
        return op->nargs == 2 && apply_int(op->code, op->args[0]->type.dtype, x, y, result);
    }
}

static bool fold_int_op(const Op *op, int64_t *result, int depth)
{
    int64_t x, y = 0;
    if (is_float(op->args[0]))
        return fold_from_float(op, result, depth);
    if (!fold_int(op->args[0], &x, depth))
        return false;
    if (op->code == OP_SCALAR_SELECT)
        return fold_int(op->args[x ? 1 : 2], result, depth);
    return (op->nargs < 2 || fold_int(op->args[1], &y, depth)) && fold_ints(op, x, y, result);
}

static bool fold_int(const Value *value, int64_t *result, int depth)
{
    const Op *op = value->def;
    if (!op || depth > MAX_DEPTH || value->type.kind != K_SCALAR || is_float(value))
        return false;
    if (op->code == OP_CONST)
        return *result = ir_wrap(value->type.dtype, op->scalar->integer), true;
    if (op_info[op->code].class_ != CLASS_SCALAR || !op->nargs || !fold_int_op(op, result, depth + 1))
        return false;
    *result = ir_wrap(value->type.dtype, *result);
    return true;
}

static bool fold_float_op(const Op *op, double *result, int depth)
{
    int64_t i;
    double x, y;
    if (op->code == OP_SCALAR_SELECT)
        return fold_int(op->args[0], &i, depth) && fold_float(op->args[i ? 1 : 2], result, depth);
    if (op->code == OP_SCALAR_CONVERT && !is_float(op->args[0])) {
        if (!fold_int(op->args[0], &i, depth))
            return false;
        *result = op->args[0]->type.dtype == D_U64 ? (double)(uint64_t)i : (double)i;
        return (int64_t)(float)*result == i || op->results[0]->type.dtype != D_F32;
    }
    if (!fold_float(op->args[0], &x, depth))
        return false;
    if (op->code == OP_SCALAR_CONVERT || op->code == OP_SCALAR_NEG)
        return *result = op->code == OP_SCALAR_NEG ? -x : x, true;
    if (op->nargs != 2 || !fold_float(op->args[1], &y, depth))
        return false;
    switch (op->code) {
    case OP_SCALAR_ADD:
        return *result = x + y, true;
    case OP_SCALAR_SUB:
        return *result = x - y, true;
    case OP_SCALAR_MUL:
        return *result = x * y, true;
    case OP_SCALAR_DIV:
        return *result = x / y, true;
    default:
        return false;
    }
}

static bool fold_float(const Value *value, double *result, int depth)
{
    const Op *op = value->def;
    Dtype dtype = value->type.dtype;
    if (!op || depth > MAX_DEPTH || value->type.kind != K_SCALAR || (dtype != D_F32 && dtype != D_F64))
        return false;
    if (op->code == OP_CONST)
        return *result = round_to(dtype, op->scalar->real), true;
    if (op_info[op->code].class_ != CLASS_SCALAR || !op->nargs || !fold_float_op(op, result, depth + 1))
        return false;
    *result = round_to(dtype, *result);
    return true;
}

bool ir_fold(const Op *op, const int64_t *args, int64_t *result)
{
    if (op_info[op->code].class_ != CLASS_SCALAR || !op->nargs || op->nargs > 2 || op->nresults != 1)
        return false;
    for (int i = 0; i <= op->nargs; i++) {
        const Value *value = i < op->nargs ? op->args[i] : op->results[0];
        if (value->type.kind != K_SCALAR || is_float(value))
            return false;
    }
    if (!fold_ints(op, args[0], op->nargs > 1 ? args[1] : 0, result))
        return false;
    *result = ir_wrap(op->results[0]->type.dtype, *result);
    return true;
}

bool ir_constant(const Value *value, int64_t *result)
{
    return fold_int(value, result, 0);
}

bool ir_constant_float(const Value *value, double *result)
{
    return fold_float(value, result, 0);
}
