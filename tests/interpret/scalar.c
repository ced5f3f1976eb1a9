/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scalar.c - scalars, as C computes them: integers wrap at their width, float is rounded at every step.
 */
#include <math.h>
#include <string.h>

#include "state.h"

int64_t scalar_wrap(Dtype dtype, int64_t x)
{
    switch (dtype) {
    case D_I1:
        return x != 0;
    case D_I8:
        return (int8_t)x;
    case D_U8:
        return (uint8_t)x;
    case D_I16:
        return (int16_t)x;
    case D_U16:
        return (uint16_t)x;
    case D_I32:
        return (int32_t)x;
    case D_U32:
        return (uint32_t)x;
    default:
        return x;
    }
}

bool scalar_compare(Opcode code, Dtype dtype, int64_t x, int64_t y)
{
    bool less = dtype == D_U64 ? (uint64_t)x < (uint64_t)y : x < y;
    switch (code) {
    case OP_SCALAR_EQ:
        return x == y;
    case OP_SCALAR_NE:
        return x != y;
    case OP_SCALAR_LT:
        return less;
    case OP_SCALAR_LE:
        return less || x == y;
    case OP_SCALAR_GT:
        return !less && x != y;
    default:
        return !less;
    }
}

static bool compare_reals(Opcode code, double x, double y)
{
    switch (code) {
    case OP_SCALAR_EQ:
        return x == y;
    case OP_SCALAR_NE:
        return x != y;
    case OP_SCALAR_LT:
        return x < y;
    case OP_SCALAR_LE:
        return x <= y;
    case OP_SCALAR_GT:
        return x > y;
    default:
        return x >= y;
    }
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

static int bits_of(Dtype dtype)
{
    return dtype == D_I64 || dtype == D_U64 ? 64 : 32;
}

static int64_t divide(const Launch *launch, const Op *op, int64_t x, int64_t y)
{
    bool rest = op->code == OP_SCALAR_REM;
    if (y == 0) {
        wrong(launch, "line %d: a division by zero", op->loc.line);
        return 0;
    }
    if (op->args[0]->type.dtype == D_U64)
        return (int64_t)(rest ? (uint64_t)x % (uint64_t)y : (uint64_t)x / (uint64_t)y);
    if (y == -1)
        return rest ? 0 : (int64_t)(0 - (uint64_t)x);
    return rest ? x % y : x / y;
}

static int64_t integer_result(const Launch *launch, const Op *op, int64_t x, int64_t y)
{
    Dtype dtype = op->args[0]->type.dtype;
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    unsigned count = (unsigned)y & (unsigned)(bits_of(dtype) - 1);
    switch (op->code) {
    case OP_SCALAR_ADD:
        return (int64_t)(a + b);
    case OP_SCALAR_SUB:
        return (int64_t)(a - b);
    case OP_SCALAR_MUL:
        return (int64_t)(a * b);
    case OP_SCALAR_DIV:
    case OP_SCALAR_REM:
        return divide(launch, op, x, y);
    case OP_SCALAR_AND:
        return x & y;
    case OP_SCALAR_OR:
        return x | y;
    case OP_SCALAR_XOR:
        return x ^ y;
    case OP_SCALAR_SHL:
        return (int64_t)(a << count);
    case OP_SCALAR_SHR:
        return dtype == D_U64 ? (int64_t)(a >> count) : x >> count;
    case OP_SCALAR_NEG:
        return (int64_t)(0 - a);
    case OP_SCALAR_NOT:
        return dtype == D_I1 ? !x : ~x;
    case OP_SCALAR_MIN:
        return scalar_compare(OP_SCALAR_LT, dtype, y, x) ? y : x;
    default: /* MAXI */
        return scalar_compare(OP_SCALAR_LT, dtype, x, y) ? y : x;
    }
}

/* ---- reals ------------------------------------------------------------------------------------------------------- */

#define MATHS(NAME, name, f32, f64, gpu_f32, gpu_f64, least, most) \
    static float single_##name(float x)                            \
    {                                                              \
        return f32;                                                \
    }
#define MATHS_OF_TWO(NAME, name, f32, f64, gpu_f32, gpu_f64) \
    static float single_##name(float x, float y)             \
    {                                                        \
        return f32;                                          \
    }
#include "../../runtime/common/maths.def"

static double math_result(const Launch *launch, const Op *op, double x, double y, double z)
{
    const char *name = op->scalar->function ? op->scalar->function : "";
#define ONE(name_, f64, f32)       \
    if (!strcmp(name, #name_))     \
        return f64;                \
    if (!strcmp(name, #name_ "f")) \
        return (double)f32;
#define MATHS(NAME, name, f32, f64, ...)        ONE(name, f64, single_##name((float)x))
#define MATHS_OF_TWO(NAME, name, f32, f64, ...) ONE(name, f64, single_##name((float)x, (float)y))
#include "../../runtime/common/maths.def"
    ONE(fabs, fabs(x), fabsf((float)x))
    ONE(nearbyint, nearbyint(x), nearbyintf((float)x))
    ONE(fmin, fmin(x, y), fminf((float)x, (float)y))
    ONE(fmax, fmax(x, y), fmaxf((float)x, (float)y))
    if (!strcmp(name, "fma"))
        return fma(x, y, z);
    if (!strcmp(name, "fmaf"))
        return (double)fmaf((float)x, (float)y, (float)z);
    wrong(launch, "line %d: there is no function '%s'", op->loc.line, name);
    return 0;
}

static double real_result(const Op *op, double x, double y)
{
    switch (op->code) {
    case OP_SCALAR_ADD:
        return x + y;
    case OP_SCALAR_SUB:
        return x - y;
    case OP_SCALAR_MUL:
        return x * y;
    case OP_SCALAR_DIV:
        return x / y;
    case OP_SCALAR_NEG:
        return -x;
    case OP_SCALAR_MIN:
        return y < x ? y : x;
    default: /* MAXI */
        return x < y ? y : x;
    }
}

/* Rounds to the type.  The sum, product or quotient of two floats in double, rounded to float, equals the result in
   float.  */
static double rounded(Dtype dtype, double x)
{
    return dtype == D_F32 ? (double)(float)x : x;
}

static Datum convert(const Op *op, Datum from)
{
    Dtype of = op->args[0]->type.dtype, to = op->results[0]->type.dtype;
    Datum result = {0};
    if (dtype_is_float(to)) {
        double wide = of == D_U64 ? (double)(uint64_t)from.number : (double)from.number;
        double single = of == D_U64 ? (double)(float)(uint64_t)from.number : (double)(float)from.number;
        result.real = dtype_is_float(of) ? rounded(to, from.real) : to == D_F32 ? single : wide;
    } else if (!dtype_is_float(of)) {
        result.number = from.number;
    } else if (to == D_U64) {
        result.number = from.real >= 0 && from.real < 0x1p64 ? (int64_t)(uint64_t)from.real : 0;
    } else if (to == D_I1) {
        result.number = from.real != 0;
    } else {
        result.number = from.real > -0x1p63 && from.real < 0x1p63 ? (int64_t)from.real : INT64_MIN;
    }
    return result;
}

/* ---- any --------------------------------------------------------------------------------------------------------- */

/* Evaluates an operation that needs only some of its operands, as C does.  */
static Datum lazy(const Op *op, OperandFn operand, void *context)
{
    Datum x = operand(context, op->args[0]);
    if (op->code == OP_SCALAR_SELECT)
        return operand(context, op->args[x.number ? 1 : 2]);
    bool decided = op->code == OP_SCALAR_AND ? !x.number : x.number != 0;
    return decided ? x : operand(context, op->args[1]);
}

static bool is_lazy(const Op *op)
{
    return op->code == OP_SCALAR_SELECT ||
           ((op->code == OP_SCALAR_AND || op->code == OP_SCALAR_OR) && op->args[0]->type.dtype == D_I1);
}

static Datum same_bits(Dtype from, Dtype to, Datum x)
{
    Datum result = {0};
    float single = (float)x.real;
    int32_t half = (int32_t)x.number;
    if (from == D_F32)
        memcpy(&half, &single, sizeof half);
    result.number = half;
    if (from == D_F64)
        memcpy(&result.number, &x.real, sizeof x.real);
    if (to == D_F32)
        memcpy(&single, &half, sizeof single);
    result.real = single;
    if (to == D_F64)
        memcpy(&result.real, &x.number, sizeof x.number);
    return result;
}

Datum scalar_compute(const Launch *launch, const Op *op, OperandFn operand, void *context)
{
    Datum result = {0}, x = {0}, y = {0}, z = {0};
    Dtype to = op->results[0]->type.dtype;
    if (op->code == OP_CONST)
        return (Datum){.number = scalar_wrap(to, op->scalar->integer), .real = rounded(to, op->scalar->real)};
    if (is_lazy(op))
        return lazy(op, operand, context);
    if (op->nargs > 0)
        x = operand(context, op->args[0]);
    if (op->nargs > 1)
        y = operand(context, op->args[1]);
    if (op->nargs > 2)
        z = operand(context, op->args[2]);
    Dtype of = op->nargs ? op->args[0]->type.dtype : to;
    if (op->code == OP_SCALAR_CONVERT)
        result = convert(op, x);
    else if (op->code == OP_SCALAR_BITCAST)
        result = same_bits(of, to, x);
    else if (op->code == OP_SCALAR_MATH)
        result.real = rounded(to, math_result(launch, op, x.real, y.real, z.real));
    else if (op->code >= OP_SCALAR_EQ && op->code <= OP_SCALAR_GE)
        result.number = dtype_is_float(of) ? compare_reals(op->code, x.real, y.real)
                                           : scalar_compare(op->code, of, x.number, y.number);
    else if (dtype_is_float(to))
        result.real = rounded(to, real_result(op, x.real, y.real));
    else
        result.number = integer_result(launch, op, x.number, y.number);
    result.number = scalar_wrap(to, result.number);
    return result;
}
