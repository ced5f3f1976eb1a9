/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * complex.c - complex numbers are pairs of numbers, in grids of plain loops.
 *
 *   y[i] = x[i] * w;        re = x[i].re * w.re - x[i].im * w.im;  im = ...;  two elements, two slots, two live-ins
 *
 * Products and quotients are as under -fcx-limited-range; quotients by Smith's method.  As in C, a real operand has no
 * imaginary part: r * z is two products.
 */
#include <string.h>

#include "frontend.h"

static Dtype part_dtype(CXType type)
{
    Dtype dtype = D_F64;
    scalar_type(is_complex(type) ? part_type(type) : type, &dtype);
    return dtype;
}

Result pair_of(Value *real, Value *imaginary)
{
    return (Result){.kind = R_PAIR, .value = real, .imaginary = imaginary};
}

Place part_of(Walk *w, const Place *whole, bool imaginary)
{
    Place part = *whole;
    part.type = part_type(whole->type);
    int64_t bytes = imaginary ? bytes_of(part.type) : 0;
    if (whole->local)
        part.byte += bytes;
    else if (whole->direct && whole->base.kind == R_PAIR)
        part.base = result_of(imaginary ? whole->base.imaginary : whole->base.value);
    else if (!whole->direct && bytes)
        part.base.offset = whole->base.offset
                               ? binary(w, OP_SCALAR_ADD, D_I64, whole->base.offset, literal_int(w, D_I64, bytes))
                               : literal_int(w, D_I64, bytes);
    return part;
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static Value *fabs_of(Walk *w, Value *x)
{
    Value *value = op_of(w, OP_SCALAR_MATH, x->type, 1, &x);
    value->def->scalar->function = x->type.dtype == D_F32 ? "fabsf" : "fabs";
    return value;
}

static Value *chosen(Walk *w, Value *condition, Value *x, Value *y)
{
    Value *args[] = {condition, x, y};
    return op_of(w, OP_SCALAR_SELECT, x->type, 3, args);
}

static Value *make(Walk *w, Opcode code, Value *x, Value *y)
{
    return binary(w, code, x->type.dtype, x, y);
}

static Result multiplied(Walk *w, Result x, Result y)
{
    Value *rr = make(w, OP_SCALAR_MUL, x.value, y.value), *ii = make(w, OP_SCALAR_MUL, x.imaginary, y.imaginary);
    Value *real = make(w, OP_SCALAR_SUB, rr, ii);
    Value *ri = make(w, OP_SCALAR_MUL, x.value, y.imaginary), *ir = make(w, OP_SCALAR_MUL, x.imaginary, y.value);
    return pair_of(real, make(w, OP_SCALAR_ADD, ri, ir));
}

/* By the larger part of the divisor.  */
static Result divided(Walk *w, Result x, Result y)
{
    Value *smaller = compare(w, OP_SCALAR_LT, fabs_of(w, y.value), fabs_of(w, y.imaginary));
    Value *small = chosen(w, smaller, y.value, y.imaginary), *large = chosen(w, smaller, y.imaginary, y.value);
    Value *ratio = make(w, OP_SCALAR_DIV, small, large);
    Value *by = make(w, OP_SCALAR_ADD, make(w, OP_SCALAR_MUL, small, ratio), large);
    Value *xr = make(w, OP_SCALAR_MUL, x.value, ratio), *xi = make(w, OP_SCALAR_MUL, x.imaginary, ratio);
    Value *real = chosen(w, smaller, make(w, OP_SCALAR_ADD, xr, x.imaginary), make(w, OP_SCALAR_ADD, xi, x.value));
    Value *imaginary = chosen(w, smaller, make(w, OP_SCALAR_SUB, xi, x.value), make(w, OP_SCALAR_SUB, x.imaginary, xr));
    return pair_of(make(w, OP_SCALAR_DIV, real, by), make(w, OP_SCALAR_DIV, imaginary, by));
}

/* An operand, real or not; behind what clang has widened to a complex number.  */
static Result operand(Walk *w, CXCursor e, Dtype dtype)
{
    CXCursor inner = e;
    while (inner.kind == CXCursor_ParenExpr || inner.kind == CXCursor_UnexposedExpr) {
        Cursors below = children(w->u, inner);
        if (below.count != 1)
            break;
        inner = below.list[0];
        if (is_complex(clang_getCursorType(e)) && !is_complex(clang_getCursorType(inner))) {
            e = inner;
            break;
        }
    }
    Result x = eval(w, e);
    if (x.kind == R_VALUE)
        return result_of(convert(w, x.value, dtype));
    if (x.kind != R_PAIR)
        return result_of(literal(w, dtype, 0, 0));
    return pair_of(convert(w, x.value, dtype), convert(w, x.imaginary, dtype));
}

static Result whole(Walk *w, Result x)
{
    return x.kind == R_PAIR ? x : pair_of(x.value, literal(w, x.value->type.dtype, 0, 0));
}

static Result combined(Walk *w, CXCursor e, Opcode code, Result x, Result y)
{
    bool mixed = x.kind != y.kind && !(code == OP_SCALAR_DIV && x.kind == R_VALUE);
    if (code == OP_SCALAR_DIV && !dtype_is_float(x.value->type.dtype)) {
        refuse(w, e, NULL, "this expression is not supported in a grid");
        return whole(w, x);
    }
    if (!mixed) {
        x = whole(w, x);
        y = whole(w, y);
        if (code == OP_SCALAR_MUL || code == OP_SCALAR_DIV)
            return code == OP_SCALAR_MUL ? multiplied(w, x, y) : divided(w, x, y);
        Value *real = make(w, code, x.value, y.value);
        return pair_of(real, make(w, code, x.imaginary, y.imaginary));
    }
    Value *real = make(w, code, x.value, y.value);
    if (x.kind == R_PAIR)
        return pair_of(real, code == OP_SCALAR_MUL || code == OP_SCALAR_DIV ? make(w, code, x.imaginary, y.value)
                                                                            : x.imaginary);
    return pair_of(real, code == OP_SCALAR_MUL   ? make(w, code, x.value, y.imaginary)
                         : code == OP_SCALAR_SUB ? unary(w, OP_SCALAR_NEG, y.imaginary)
                                                 : y.imaginary);
}

Result complex_binary(Walk *w, CXCursor e, Opcode code, CXCursor left, CXCursor right)
{
    Dtype dtype = part_dtype(clang_getCursorType(e));
    Result x = operand(w, left, dtype), y = operand(w, right, dtype);
    return combined(w, e, code, x, y);
}

/* x += y, of what x holds; computed in the wider type.  */
Result complex_compound(Walk *w, CXCursor e, Opcode code, Result old, CXType type, CXCursor right)
{
    Dtype dtype = part_dtype(clang_getCursorType(right)), own = part_dtype(type);
    if (dtype_bytes(own) > dtype_bytes(dtype) || !dtype_is_float(dtype))
        dtype = own;
    Result y = operand(w, right, dtype);
    Result x = old.kind == R_PAIR ? pair_of(convert(w, old.value, dtype), convert(w, old.imaginary, dtype))
                                  : result_of(convert(w, old.value, dtype));
    return complex_convert(w, combined(w, e, code, x, y), type);
}

Value *complex_compare(Walk *w, Opcode code, CXCursor left, CXCursor right)
{
    Dtype x_dtype = part_dtype(clang_getCursorType(left)), y_dtype = part_dtype(clang_getCursorType(right));
    Dtype dtype = x_dtype == D_F64 || y_dtype == D_F64 ? D_F64 : x_dtype;
    Result x = whole(w, operand(w, left, dtype)), y = whole(w, operand(w, right, dtype));
    Value *real = compare(w, code, x.value, y.value), *imaginary = compare(w, code, x.imaginary, y.imaginary);
    return joined(w, code == OP_SCALAR_EQ, real, imaginary);
}

Value *complex_truth(Walk *w, Result x)
{
    Value *zero = literal(w, x.value->type.dtype, 0, 0);
    return joined(w, false, compare(w, OP_SCALAR_NE, x.value, zero), compare(w, OP_SCALAR_NE, x.imaginary, zero));
}

Result complex_convert(Walk *w, Result x, CXType to)
{
    Dtype dtype = part_dtype(to);
    if (x.kind != R_VALUE && x.kind != R_PAIR)
        return x;
    if (!is_complex(to))
        return result_of(x.kind == R_PAIR && dtype == D_I1 ? complex_truth(w, x) : convert(w, x.value, dtype));
    Value *real = convert(w, x.value, dtype);
    return pair_of(real, x.kind == R_PAIR ? convert(w, x.imaginary, dtype) : literal(w, dtype, 0, 0));
}

Result complex_unary(Walk *w, CXCursor e, enum CXUnaryOperatorKind kind, CXCursor inner)
{
    Result x = eval(w, inner);
    if (x.kind == R_VALUE) /* the parts of a real number */
        return kind == CXUnaryOperator_Imag ? result_of(literal(w, x.value->type.dtype, 0, 0)) : x;
    if (x.kind != R_PAIR) {
        refuse(w, e, NULL, "this expression is not supported in a grid");
        return result_of(anything(w, clang_getCursorType(e)));
    }
    Value *real = x.value, *imaginary = x.imaginary;
    switch (kind) {
    case CXUnaryOperator_Real:
        return result_of(real);
    case CXUnaryOperator_Imag:
        return result_of(imaginary);
    case CXUnaryOperator_Minus:
        real = unary(w, OP_SCALAR_NEG, real);
        return pair_of(real, unary(w, OP_SCALAR_NEG, imaginary));
    default: /* ~z */
        return pair_of(real, unary(w, OP_SCALAR_NEG, imaginary));
    }
}

/* 2.0i  */
Result complex_literal(Walk *w, CXCursor e)
{
    Dtype dtype = part_dtype(clang_getCursorType(e));
    Cursors below = children(w->u, e);
    Value *imaginary =
        below.count ? convert(w, value_of(w, below.list[0]), dtype) : anything(w, clang_getCursorType(e));
    return pair_of(literal(w, dtype, 0, 0), imaginary);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static Value *called(Walk *w, const char *function, int count, Value *x, Value *y)
{
    Value *args[] = {x, y};
    Value *value = op_of(w, OP_SCALAR_MATH, x->type, count, args);
    value->def->scalar->function = arena_print(w->u->module, "%s%s", function, x->type.dtype == D_F32 ? "f" : "");
    return value;
}

/* A function of complex numbers by those that tiles have; false: it is none.  */
bool complex_call(Walk *w, CXCursor e, const char *name, Result *result)
{
    static const char *const names[] = {"creal", "cimag", "conj", "cabs", "carg", "cexp"};
    char stem[16];
    int which = 0;
    name += strncmp(name, "__builtin_", 10) ? 0 : 10;
    if (!strcmp(name, "complex") && clang_Cursor_getNumArguments(e) == 2) {
        Value *imaginary = value_of(w, clang_Cursor_getArgument(e, 1));
        *result =
            complex_convert(w, pair_of(value_of(w, clang_Cursor_getArgument(e, 0)), imaginary), clang_getCursorType(e));
        return true;
    }
    snprintf(stem, sizeof stem, "%s", name);
    bool single = strlen(stem) > 1 && stem[strlen(stem) - 1] == 'f';
    if (single)
        stem[strlen(stem) - 1] = 0;
    while (which < 6 && strcmp(stem, names[which]))
        which++;
    if (which == 6 || clang_Cursor_getNumArguments(e) != 1)
        return false;
    CXCursor argument = clang_Cursor_getArgument(e, 0);
    Dtype dtype = part_dtype(clang_getCursorType(argument));
    Result x = eval(w, argument);
    if ((x.kind != R_VALUE && x.kind != R_PAIR) || !dtype_is_float(dtype))
        return false;
    x = whole(w, x);
    Value *size = which == 5 ? called(w, "exp", 1, x.value, NULL) : NULL;
    Value *cosine = size ? make(w, OP_SCALAR_MUL, size, called(w, "cos", 1, x.imaginary, NULL)) : NULL;
    *result = which == 0   ? result_of(x.value)
              : which == 1 ? result_of(x.imaginary)
              : which == 2 ? pair_of(x.value, unary(w, OP_SCALAR_NEG, x.imaginary))
              : which == 3 ? result_of(called(w, "hypot", 2, x.value, x.imaginary))
              : which == 4 ? result_of(called(w, "atan2", 2, x.imaginary, x.value))
                           : pair_of(cosine, make(w, OP_SCALAR_MUL, size, called(w, "sin", 1, x.imaginary, NULL)));
    return true;
}

/* ---- before the region ------------------------------------------------------------------------------------------- */

Result complex_before(Walk *w, const char *text, const char *name, CXType type)
{
    Dtype dtype;
    if (!scalar_type(part_type(type), &dtype))
        return result_of(anything(w, type));
    const char *ctype = text_of(w->u, clang_getTypeSpelling(clang_getCanonicalType(part_type(type))));
    Value *parts[2];
    for (int i = 0; i < 2; i++) {
        const char *part = arena_print(w->u->module, "(%s %s)", i ? "__imag__" : "__real__", text);
        parts[i] = live_in(w, part, ctype, type_scalar(dtype), name, parameter_rank(w, text));
    }
    return pair_of(parts[0], parts[1]);
}
