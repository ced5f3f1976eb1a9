/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.c - the rules of the normal form (lowering/source/rules.def), on random expressions.
 *
 *   rules COUNT SEED            status 1: a rule is wrong, or was never applied
 *
 * Each expression is made of two variables of 8 bits. The value that the program computes is compared with that of the
 * normal form, for all values of the first variable and a part of those of the second. Undefined behaviour of the
 * program does not count.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "source/values.h"

enum { STEPS = 14, NODES = 4096 };

/* ---- expressions as the program computes them -------------------------------------------------------------------- */

/* A number: an integer extended by its type, or a float. */
typedef struct {
    uint64_t i;
    double f;
    bool undefined;
} Number;

typedef struct {
    SourceOpcode code; /* SO_MARK: a variable or a constant */
    SourceType type, from;
    int args[3];
    Number constant;
    SourceValue *value;
} Step;

static Number integer(SourceType type, __int128 x)
{
    Number n = {.i = source_wrap(type, (uint64_t)x)};
    n.undefined = source_type_is_signed(type) && (__int128)(int64_t)n.i != x;
    return n;
}

static double rounded(SourceType type, double x)
{
    return type == ST_F32 ? (double)(float)x : x;
}

static Number compute_float(const Step *s, Number a, Number b)
{
    Number n = {0};
    const double x = a.f, y = b.f;
    const bool unordered = isnan(x) || isnan(y);
    switch (s->code) {
    case SO_NEG:
        n.f = -x;
        break;
    case SO_ABS:
        n.f = fabs(x);
        break;
    case SO_ADD:
        n.f = rounded(s->type, x + y);
        break;
    case SO_SUB:
        n.f = rounded(s->type, x - y);
        break;
    case SO_MUL:
        n.f = rounded(s->type, x * y);
        break;
    case SO_DIV:
        n.f = rounded(s->type, x / y);
        break;
    case SO_EQ:
        n.i = x == y;
        break;
    case SO_NE:
        n.i = x != y;
        break;
    case SO_LT:
        n.i = x < y;
        break;
    case SO_LE:
        n.i = x <= y;
        break;
    case SO_GT:
        n.i = x > y;
        break;
    case SO_GE:
        n.i = x >= y;
        break;
    case SO_UNO:
        n.i = unordered;
        break;
    case SO_ORD:
        n.i = !unordered;
        break;
    case SO_UNEQ:
        n.i = unordered || x == y;
        break;
    case SO_LTGT:
        n.i = x < y || x > y;
        break;
    case SO_UNLT:
        n.i = unordered || x < y;
        break;
    case SO_UNLE:
        n.i = unordered || x <= y;
        break;
    case SO_UNGT:
        n.i = unordered || x > y;
        break;
    default:
        n.i = unordered || x >= y;
        break;
    }
    return n;
}

static Number compute_convert(const Step *s, Number a)
{
    const bool from = source_type_is_float(s->from), to = source_type_is_float(s->type);
    Number n = {0};
    if (s->code == SO_BITS) {
        float f = (float)a.f;
        uint32_t u = (uint32_t)a.i;
        if (from) {
            memcpy(&u, &f, sizeof u);
            n.i = source_wrap(s->type, u);
        } else {
            memcpy(&f, &u, sizeof f);
            n.f = f;
        }
    } else if (from && to)
        n.f = rounded(s->type, a.f);
    else if (from && s->type == ST_B)
        n.i = a.f != 0;
    else if (from) {
        const double limit = ldexp(1, 8 * source_type_bytes(s->type) - source_type_is_signed(s->type));
        n.undefined = !(a.f < limit && a.f > (source_type_is_signed(s->type) ? -limit - 1 : -1));
        n.i = n.undefined ? 0 : source_wrap(s->type, a.f < 0 ? (uint64_t)(int64_t)a.f : (uint64_t)a.f);
    } else if (to) {
        const double d = source_type_is_signed(s->from) ? (double)(int64_t)a.i : (double)a.i;
        n.f = s->type == ST_F32 ? (double)(source_type_is_signed(s->from) ? (float)(int64_t)a.i : (float)a.i) : d;
    } else
        n.i = s->type == ST_B ? a.i != 0 : source_wrap(s->type, a.i);
    return n;
}

static Number compute(const Step *s, const Number *of)
{
    const Number a = of[s->args[0]], b = of[s->args[1]];
    const SourceForm form = source_op_form(s->code);
    const int bits = s->type == ST_B ? 1 : 8 * source_type_bytes(s->type);
    Number n = {0};
    bool undefined = a.undefined || (form != FORM_UNARY && form != FORM_CONVERT && b.undefined);
    if (form == FORM_SELECT) {
        n = a.i ? b : of[s->args[2]];
        undefined = a.undefined || n.undefined;
    } else if (form == FORM_CONVERT)
        n = compute_convert(s, a);
    else if (source_type_is_float(s->type))
        n = compute_float(s, a, b);
    else {
        const bool is_signed = source_type_is_signed(s->type);
        const __int128 x = is_signed ? (__int128)(int64_t)a.i : (__int128)a.i;
        const __int128 y = is_signed ? (__int128)(int64_t)b.i : (__int128)b.i;
        switch (s->code) {
        case SO_NEG:
            n = integer(s->type, -x);
            break;
        case SO_NOT:
            n.i = s->type == ST_B ? !a.i : source_wrap(s->type, ~a.i);
            break;
        case SO_ABS:
            n = integer(s->type, x < 0 ? -x : x);
            break;
        case SO_ADD:
            n = integer(s->type, x + y);
            break;
        case SO_SUB:
            n = integer(s->type, x - y);
            break;
        case SO_MUL:
            n = integer(s->type, x * y);
            break;
        case SO_DIV:
        case SO_REM:
            n.undefined = !y || (is_signed && y == -1 && x == -((__int128)1 << (bits - 1)));
            if (!n.undefined)
                n = integer(s->type, s->code == SO_DIV ? x / y : x % y);
            break;
        case SO_AND:
            n.i = a.i & b.i;
            break;
        case SO_OR:
            n.i = a.i | b.i;
            break;
        case SO_XOR:
            n.i = a.i ^ b.i;
            break;
        case SO_SHL:
        case SO_SHR:
            n.undefined = b.i >= (uint64_t)bits;
            if (!n.undefined)
                n.i = s->code == SO_SHL
                          ? source_wrap(s->type, a.i << b.i)
                          : source_wrap(s->type, is_signed ? (uint64_t)((int64_t)a.i >> b.i) : a.i >> b.i);
            break;
        case SO_MIN:
            n.i = x < y ? a.i : b.i;
            break;
        case SO_MAX:
            n.i = x > y ? a.i : b.i;
            break;
        case SO_EQ:
            n.i = x == y;
            break;
        case SO_NE:
            n.i = x != y;
            break;
        case SO_LT:
            n.i = x < y;
            break;
        case SO_LE:
            n.i = x <= y;
            break;
        case SO_GT:
            n.i = x > y;
            break;
        default:
            n.i = x >= y;
            break;
        }
    }
    n.undefined |= undefined;
    return n;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static uint64_t low(uint64_t x, int width)
{
    return width >= 64 ? x : x & (((uint64_t)1 << width) - 1);
}

static int64_t sign(uint64_t x, int width)
{
    return width >= 64 ? (int64_t)x : (int64_t)(x << (64 - width)) >> (64 - width);
}

static SourceType sized(int width, bool is_signed)
{
    static const SourceType types[2][4] = {{ST_U8, ST_U16, ST_U32, ST_U64}, {ST_I8, ST_I16, ST_I32, ST_I64}};
    return types[is_signed][width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3];
}

/* Integers are the low bits; nothing is undefined. */
static Number value_of(const SourceValue *v, const Number *of)
{
    Number n = {0};
    const Number *x[3] = {of, of, of};
    for (int i = 0; i < v->n && i < 3; i++)
        x[i] = &of[v->args[i]->id];
    const int w = v->n ? v->args[v->n > 2 ? 1 : 0]->width : 0;
    switch (v->kind) {
    case VALUE_INTEGER:
        n.i = v->number;
        break;
    case VALUE_FLOAT:
        n.f = v->real;
        break;
    case VALUE_SUM:
        n.i = v->number;
        for (int i = 0; i < v->n; i++)
            n.i += v->factors[i] * of[v->args[i]->id].i;
        break;
    case VALUE_PRODUCT:
        n.i = 1;
        for (int i = 0; i < v->n; i++)
            n.i *= of[v->args[i]->id].i;
        break;
    case VALUE_SEXT:
        n.i = (uint64_t)sign(x[0]->i, w);
        break;
    case VALUE_ZEXT:
    case VALUE_TRUNC:
        n.i = x[0]->i;
        break;
    case VALUE_EQ:
        n.i = x[0]->i == x[1]->i;
        break;
    case VALUE_LT:
        n.i = v->is_signed ? sign(x[0]->i, w) < sign(x[1]->i, w) : x[0]->i < x[1]->i;
        break;
    case VALUE_NOT:
        n.i = !x[0]->i;
        break;
    case VALUE_ALL:
        n.i = 1;
        for (int i = 0; i < v->n; i++)
            n.i &= of[v->args[i]->id].i;
        break;
    case VALUE_SELECT:
        return x[0]->i ? *x[1] : *x[2];
    case VALUE_FLOAT_COMPARE:
        return compute_float(&(Step){.code = v->code, .type = v->from}, *x[0], *x[1]);
    case VALUE_FLOATS:
        return compute_float(&(Step){.code = v->code, .type = v->type}, *x[0], *x[v->n > 1]);
    case VALUE_CONVERT: {
        Number a = *x[0];
        if (!source_type_is_float(v->from))
            a.i = source_wrap(v->from, a.i);
        n = compute_convert(&(Step){.code = v->code, .from = v->from, .type = v->type}, a);
        break;
    }
    default: {
        const SourceType type = v->width == 1 ? ST_B : sized(v->width, v->is_signed);
        Number own[2] = {{.i = source_wrap(type, x[0]->i)}, {.i = v->n > 1 ? source_wrap(type, x[1]->i) : 0}};
        n = compute(&(Step){.code = v->code, .type = type, .args = {0, v->n > 1}}, own);
        break;
    }
    }
    if (v->width)
        n.i = low(n.i, v->width);
    n.undefined = false;
    return n;
}

/* ---- random expressions ------------------------------------------------------------------------------------------ */

typedef struct {
    SourceValues *values;
    Step steps[4 * STEPS + 8];
    int n;
} Expression;

static int add(Expression *e, Step step)
{
    SourceValue *x = e->steps[step.args[0]].value, *y = e->steps[step.args[1]].value;
    switch (source_op_form(step.code)) {
    case FORM_UNARY:
        step.value = value_unary(e->values, step.code, step.type, x);
        break;
    case FORM_BINARY:
        step.value = value_binary(e->values, step.code, step.type, x, y);
        break;
    case FORM_COMPARE:
        step.value = value_compare(e->values, step.code, step.type, x, y);
        break;
    case FORM_CONVERT:
        step.value = value_convert(e->values, step.code, step.from, step.type, x);
        break;
    case FORM_SELECT:
        step.value = value_select(e->values, x, y, e->steps[step.args[2]].value);
        break;
    default:
        break;
    }
    e->steps[e->n] = step;
    return e->n++;
}

static SourceType type_of(const Step *step)
{
    return source_op_form(step->code) == FORM_COMPARE ? ST_B : step->type;
}

static int number(Expression *e, SourceType type, int i)
{
    Step step = {.code = SO_MARK, .type = type};
    if (source_type_is_float(type)) {
        step.constant.f = i * (below(3) ? 1.0 : 0.3);
        step.constant.f = rounded(type, step.constant.f);
        step.value = value_float(e->values, step.constant.f, type);
    } else {
        step.constant.i = source_wrap(type, (uint64_t)i);
        step.value = value_integer(e->values, step.constant.i, source_type_width(type));
    }
    e->steps[e->n] = step;
    return e->n++;
}

static int constant(Expression *e, SourceType type)
{
    static const int numbers[] = {0, 1, -1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 100, 127, -128, 255, -3, -8, 64, 31};
    return number(e, type, numbers[below(sizeof numbers / sizeof *numbers)]);
}

/* A step of the type: one that is there, a constant, or a conversion. */
static int operand(Expression *e, SourceType type)
{
    if (below(5) == 0)
        return constant(e, type);
    for (int k = 0; k < 6; k++) {
        const int i = below(3) ? e->n - 1 - below(e->n < 4 ? e->n : 4) : below(e->n);
        if (type_of(&e->steps[i]) == type)
            return i;
    }
    const int i = below(3) ? e->n - 1 : below(e->n);
    const SourceType from = type_of(&e->steps[i]);
    return from == type ? i : add(e, (Step){.code = SO_CONV, .type = type, .from = from, .args = {i}});
}

static void grow(Expression *e)
{
    static const SourceType types[] = {ST_I8,  ST_U8,  ST_I8,  ST_U8,  ST_I16, ST_U16, ST_I32, ST_I32,
                                       ST_U32, ST_I64, ST_U64, ST_F32, ST_F64, ST_B,   ST_I32, ST_I8};
    static const SourceOpcode binary[] = {SO_ADD, SO_SUB, SO_MUL, SO_ADD, SO_SUB, SO_AND, SO_OR,
                                          SO_XOR, SO_DIV, SO_REM, SO_SHL, SO_SHR, SO_MIN, SO_MAX};
    const SourceType type = types[below(sizeof types / sizeof *types)];
    const bool is_float = source_type_is_float(type);
    const int kind = below(15);
    if (kind < 2) {
        const SourceOpcode last = is_float ? SO_UNGE : SO_GE;
        const SourceOpcode code = (SourceOpcode)(SO_EQ + below(last - SO_EQ + 1));
        const int x = operand(e, type), y = operand(e, type);
        add(e, (Step){.code = code, .type = type, .args = {x, y}});
    } else if (kind < 4) {
        const int c = operand(e, ST_B), x = operand(e, type), y = operand(e, type);
        add(e, (Step){.code = SO_SELECT, .type = type, .args = {c, x, y}});
    } else if (kind == 4) {
        const SourceOpcode code = type == ST_B ? SO_NOT
                                  : is_float   ? (below(2) ? SO_NEG : SO_ABS)
                                               : (SourceOpcode)(SO_NEG + below(3));
        add(e, (Step){.code = code, .type = type, .args = {operand(e, type)}});
    } else if (kind == 5) {
        /* a minimum, a maximum, an absolute value as conditions */
        const SourceType t = below(2) ? ST_I8 : ST_I32;
        const int x = operand(e, t), y = below(2) ? operand(e, t) : constant(e, t);
        const int zero = add(e, (Step){.code = SO_SUB, .type = t, .args = {x, x}});
        const int minus = add(e, (Step){.code = SO_NEG, .type = t, .args = {x}});
        const bool abs = below(3) == 0;
        const int c = add(e, (Step){.code = (SourceOpcode)(SO_LT + below(4)), .type = t, .args = {x, abs ? zero : y}});
        const int a = abs ? minus : x, b = abs ? x : y;
        add(e, below(2) ? (Step){.code = SO_SELECT, .type = t, .args = {c, a, b}}
                        : (Step){.code = SO_SELECT, .type = t, .args = {c, b, a}});
    } else if (kind == 6) {
        /* float operations by way of double, and bits */
        const int x = operand(e, ST_F32), y = operand(e, ST_F32);
        if (below(4) == 0) {
            const int bits = add(e, (Step){.code = SO_BITS, .type = ST_U32, .from = ST_F32, .args = {x}});
            add(e, (Step){.code = SO_BITS, .type = ST_F32, .from = ST_U32, .args = {bits}});
            return;
        }
        const int a = add(e, (Step){.code = SO_CONV, .type = ST_F64, .from = ST_F32, .args = {x}});
        const int b = add(e, (Step){.code = SO_CONV, .type = ST_F64, .from = ST_F32, .args = {y}});
        if (below(3) == 0) {
            add(e, (Step){.code = SO_LT, .type = ST_F64, .args = {a, b}});
            return;
        }
        const SourceOpcode code = (SourceOpcode)(below(3) ? SO_ADD + below(4) : below(2) ? SO_NEG : SO_ABS);
        const int wide = add(e, (Step){.code = code, .type = ST_F64, .args = {a, b}});
        add(e, (Step){.code = SO_CONV, .type = ST_F32, .from = ST_F64, .args = {wide}});
    } else if (kind == 7) {
        /* shapes of single rules */
        const SourceType t = below(2) ? ST_I8 : ST_I32;
        const int x = operand(e, t), c = constant(e, t), d = constant(e, t);
        const int sum = add(e, (Step){.code = SO_ADD, .type = t, .args = {x, c}});
        switch (below(4)) {
        case 0:
            add(e, (Step){.code = SO_MIN, .type = t, .args = {sum, d}});
            break;
        case 1: {
            const int both = add(e, (Step){.code = SO_AND, .type = t, .args = {x, c}});
            add(e, (Step){.code = SO_CONV, .type = ST_I64, .from = t, .args = {both}});
            break;
        }
        case 2: {
            const int all = add(e, (Step){.code = SO_OR, .type = t, .args = {x, operand(e, t)}});
            const int zero = add(e, (Step){.code = SO_SUB, .type = t, .args = {x, x}});
            add(e, (Step){.code = SO_EQ, .type = t, .args = {all, zero}});
            break;
        }
        default: {
            const int rest = add(e, (Step){.code = SO_REM, .type = t, .args = {x, d}});
            const int zero = add(e, (Step){.code = SO_SUB, .type = t, .args = {x, x}});
            add(e, (Step){.code = SO_EQ, .type = t, .args = {rest, zero}});
            break;
        }
        }
    } else if (kind == 8) {
        /* products of sums, and their extension */
        const SourceType t = below(2) ? ST_I8 : ST_I32;
        const int x = operand(e, t), y = operand(e, t);
        const int sum = add(e, (Step){.code = SO_ADD, .type = t, .args = {x, below(2) ? y : constant(e, t)}});
        int p = add(e, (Step){.code = SO_MUL, .type = t, .args = {below(2) ? sum : x, y}});
        p = below(2) ? p : add(e, (Step){.code = SO_MUL, .type = t, .args = {p, x}});
        add(e, (Step){.code = SO_CONV, .type = ST_I64, .from = t, .args = {p}});
        const int q = add(e, (Step){.code = SO_ADD, .type = t, .args = {p, constant(e, t)}});
        add(e, (Step){.code = SO_LT, .type = t, .args = {sum, q}});
        add(e, (Step){.code = SO_LT,
                      .type = t,
                      .args = {x, add(e, (Step){.code = SO_ADD, .type = t, .args = {y, constant(e, t)}})}});
    } else if (kind == 9) {
        /* conditions of conditions */
        const SourceType t = below(3) ? ST_I32 : below(2) ? ST_B : ST_F32;
        const int c = operand(e, ST_B), d = operand(e, ST_B);
        const int x = below(2) ? constant(e, t) : operand(e, t), y = below(2) ? constant(e, t) : operand(e, t);
        const int inner = add(e, (Step){.code = SO_SELECT, .type = t, .args = {below(2) ? c : d, x, y}});
        add(e, (Step){.code = SO_SELECT, .type = ST_I32, .args = {c, number(e, ST_I32, 1), number(e, ST_I32, 0)}});
        const int z = below(2) ? x : y;
        add(e, below(2) ? (Step){.code = SO_SELECT, .type = t, .args = {c, inner, z}}
                        : (Step){.code = SO_SELECT, .type = t, .args = {c, z, inner}});
    } else if (kind == 11) {
        /* a range as one comparison, a mask of ones, and conversions of conversions */
        const int x = operand(e, ST_I32);
        const int u = add(e, (Step){.code = SO_CONV, .type = ST_U32, .from = ST_I32, .args = {x}});
        const int less = add(e, (Step){.code = SO_SUB, .type = ST_U32, .args = {u, constant(e, ST_U32)}});
        add(e, (Step){.code = SO_LT, .type = ST_U32, .args = {less, constant(e, ST_U32)}});
        add(e, (Step){.code = SO_DIV, .type = ST_I32, .args = {x, number(e, ST_I32, -3)}});
        const int zero = add(e, (Step){.code = SO_SUB, .type = ST_U32, .args = {u, u}});
        const int ones = add(e, (Step){.code = SO_NOT, .type = ST_U32, .args = {zero}});
        add(e, (Step){.code = SO_XOR, .type = ST_U32, .args = {less, ones}});
        const int shifted = add(e, (Step){.code = SO_SHR, .type = ST_U32, .args = {u, operand(e, ST_U32)}});
        const int half = add(e, (Step){.code = SO_CONV, .type = ST_I16, .from = ST_U32, .args = {shifted}});
        add(e, (Step){.code = SO_CONV, .type = ST_U8, .from = ST_I16, .args = {half}});
    } else if (kind == 10) {
        /* signs of floats, and constants that are nearly nothing */
        const SourceType t = below(2) ? ST_F32 : ST_F64;
        const int x = operand(e, t), y = operand(e, t);
        const int minus = add(e, (Step){.code = SO_NEG, .type = t, .args = {x}});
        const int z = below(2) ? y : constant(e, t);
        add(e, (Step){.code = (SourceOpcode)(SO_ADD + below(4)), .type = t, .args = {minus, z}});
        add(e, (Step){.code = (SourceOpcode)(SO_ADD + below(4)), .type = t, .args = {z, minus}});
        add(e, (Step){.code = (SourceOpcode)(SO_MUL + below(2)), .type = t, .args = {y, constant(e, t)}});
        add(e, (Step){.code = SO_NEG, .type = t, .args = {minus}});
    } else if (type == ST_B || is_float) {
        const SourceOpcode code = is_float ? (SourceOpcode)(SO_ADD + below(4)) : (SourceOpcode)(SO_AND + below(3));
        const int x = operand(e, type), y = operand(e, type);
        add(e, (Step){.code = code, .type = type, .args = {x, y}});
    } else {
        const SourceOpcode code = binary[below(sizeof binary / sizeof *binary)];
        const int x = operand(e, type);
        const int y = code == SO_SHL || code == SO_SHR || below(2) ? constant(e, type) : operand(e, type);
        add(e, (Step){.code = code, .type = type, .args = {x, y}});
    }
}

/* The nodes of a value, arguments first. */
static void collect(SourceValue *v, SourceValue **list, int *n, bool *seen)
{
    if (v->id >= NODES || seen[v->id])
        return;
    seen[v->id] = true;
    for (int i = 0; i < v->n; i++)
        collect(v->args[i], list, n, seen);
    list[(*n)++] = v;
}

static bool same(SourceType type, Number a, Number b)
{
    if (!source_type_is_float(type))
        return source_wrap(type, a.i) == source_wrap(type, b.i);
    return (isnan(a.f) && isnan(b.f)) || !memcmp(&a.f, &b.f, sizeof a.f);
}

static long compared;

static void show(const Expression *e, int upto)
{
    for (int i = 0; i <= upto; i++) {
        const Step *s = &e->steps[i];
        printf("  %d: %s.%s %d %d %d (%lld %g)\n", i, s->code == SO_MARK ? "leaf" : source_op_text(s->code),
               source_type_text(s->type), s->args[0], s->args[1], s->args[2], (long long)s->constant.i, s->constant.f);
    }
}

static bool try(Expression *e, int stride)
{
    SourceValue *list[NODES];
    static Number of[NODES];
    bool seen[NODES] = {0};
    int n = 0;
    if (e->values->nvalues >= NODES)
        return true;
    for (int i = 0; i < e->n; i++)
        collect(e->steps[i].value, list, &n, seen);
    Number steps[4 * STEPS + 8];
    const int start = below(stride);
    for (int x = 0; x < 256; x++)
        for (int y = start; y < 256; y += stride) {
            for (int i = 0; i < e->n; i++) {
                const Step *s = &e->steps[i];
                steps[i] = i < 2                ? (Number){.i = source_wrap(s->type, (uint64_t)(i ? y : x))}
                           : s->code == SO_MARK ? s->constant
                                                : compute(s, steps);
            }
            for (int i = 0; i < n; i++)
                of[list[i]->id] = list[i]->kind == VALUE_LEAF
                                      ? (Number){.i = (uint64_t)(list[i] == e->steps[0].value ? x : y)}
                                      : value_of(list[i], of);
            for (int i = 2; i < e->n; i++) {
                if (steps[i].undefined)
                    continue;
                compared++;
                if (same(type_of(&e->steps[i]), steps[i], of[e->steps[i].value->id]))
                    continue;
                printf("step %d for x %d, y %d: %lld %g becomes %lld %g\n", i, x, y, (long long)steps[i].i, steps[i].f,
                       (long long)of[e->steps[i].value->id].i, of[e->steps[i].value->id].f);
                show(e, i);
                return false;
            }
        }
    return true;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {
#define SOURCE_RULE(NAME, before, after) #NAME,
#include "source/rules.def"
#undef SOURCE_RULE
    };
    static long applied[RULES];
    const int count = argc > 1 ? atoi(argv[1]) : 100;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int wrong = 0, never = 0;
    for (int k = 0; k < count && wrong < 3; k++) {
        draw_seed(seed + (uint64_t)k);
        draw();
        Module *module = module_new("rules", NULL, NULL, NULL);
        Expression e = {.values = values_new(module)};
        for (int i = 0; i < 2; i++) {
            const SourceType type = below(2) ? ST_I8 : ST_U8;
            e.steps[e.n++] = (Step){.code = SO_MARK, .type = type, .value = value_leaf(e.values, type, &e.steps[i], 0)};
        }
        while (e.n < 2 * STEPS)
            grow(&e);
        for (int i = 0; i < RULES; i++)
            applied[i] += e.values->applied[i];
        if (!try(&e, k % 8 ? 32 : 4)) {
            printf("seed %llu\n", (unsigned long long)(seed + (uint64_t)k));
            wrong++;
        }
        module_free(module);
    }
    for (int i = 0; i < RULES; i++)
        if (!applied[i]) {
            printf("%s was never applied\n", names[i]);
            never++;
        }
    printf("%d expressions, %ld values compared, %d wrong, %d of %d rules never applied\n", count, compared, wrong,
           never, (int)RULES);
    return wrong || never;
}
