/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-calls.c - calls.
 *
 *   point = moved(point, 2)       t1 = addr o.9;  call.s moved(p t1, s:8 t2, i32 2);  move t3, t1, 8
 *
 * A builtin has the name of its function in C. Those without a function in C become operations, or keep their name.
 */
#include <stdlib.h>
#include <string.h>

#include "transcribe.h"

enum { MOST_ARGUMENTS = 200 };

typedef struct {
    int count, nnamed;
    bool is_variadic;
    SourceArgument list[MOST_ARGUMENTS];
} Arguments;

static void add(Arguments *arguments, SourceType type, Operand x, long bytes)
{
    if (arguments->count < MOST_ARGUMENTS)
        arguments->list[arguments->count++] = (SourceArgument){type, x, bytes};
}

static void add_expression(Transcriber *t, Arguments *arguments, CXCursor e)
{
    CXType type = clang_getCursorType(e);
    Parts value = value_of_expression(t, e);
    const SourceType scalar = source_type(t, type, e);
    if (is_complex(type)) {
        Operand address = temporary_object(t, type);
        complex_store(t, address, type, value, false);
        add(arguments, scalar, address, 0);
    } else {
        add(arguments, scalar, value.x, is_record(type) ? (long)clang_Type_getSizeOf(canonical(type)) : 0);
    }
}

/* ---- builtins ---------------------------------------------------------------------------------------------------- */

static bool is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(*list, name))
            return true;
    return false;
}

static Operand float_compare(Transcriber *t, CXCursor e, const Cursors *below, SourceOpcode code)
{
    const SourceType x = type_of(t, below->list[1]), y = type_of(t, below->list[2]);
    const SourceType type = x == ST_F64 || y == ST_F64 ? ST_F64 : ST_F32;
    Operand a = source_convert(&t->builder, x, type, scalar_of(t, below->list[1]));
    Operand b = source_convert(&t->builder, y, type, scalar_of(t, below->list[2]));
    at_cursor(t, e);
    return source_binary(&t->builder, code, type, a, b);
}

/* isnan, isinf and the like of one number.  */
static bool classify(Transcriber *t, CXCursor e, const Cursors *below, const char *name, Parts *result)
{
    static const char *const names[] = {"isnan", "isinf", "isfinite", "isinf_sign", NULL};
    if (!is_one_of(name, names) || below->count != 2)
        return false;
    const SourceType type = type_of(t, below->list[1]);
    Operand x = scalar_of(t, below->list[1]);
    at_cursor(t, e);
    if (!source_type_is_float(type)) {
        FAIL(t, e, "the builtin '%s' of an integer", name);
        return true;
    }
    const Operand infinity = source_number(strtod("inf", NULL));
    SourceBuilder *b = &t->builder;
    if (!strcmp(name, "isnan")) {
        x = source_binary(b, SO_UNO, type, x, x);
    } else if (!strcmp(name, "isinf_sign")) {
        Operand plus = source_binary(b, SO_EQ, type, x, infinity);
        Operand minus = source_binary(b, SO_EQ, type, x, source_number(-strtod("inf", NULL)));
        plus = source_convert(b, ST_B, ST_I32, plus);
        minus = source_convert(b, ST_B, ST_I32, minus);
        *result = parts(source_binary(b, SO_SUB, ST_I32, plus, minus));
        return true;
    } else {
        x = source_unary(b, SO_ABS, type, x);
        x = source_binary(b, !strcmp(name, "isinf") ? SO_EQ : SO_LT, type, x, infinity);
    }
    *result = parts(source_convert(b, ST_B, ST_I32, x));
    return true;
}

/* isless and the like.  */
static bool ordered(Transcriber *t, CXCursor e, const Cursors *below, const char *name, Parts *result)
{
    static const struct {
        const char *name;
        SourceOpcode code;
    } list[] = {{"isless", SO_LT},         {"islessequal", SO_LE},     {"isgreater", SO_GT},
                {"isgreaterequal", SO_GE}, {"islessgreater", SO_LTGT}, {"isunordered", SO_UNO}};
    for (size_t i = 0; i < sizeof list / sizeof *list && below->count == 3; i++)
        if (!strcmp(list[i].name, name)) {
            *result = parts(source_convert(&t->builder, ST_B, ST_I32, float_compare(t, e, below, list[i].code)));
            return true;
        }
    return false;
}

/* The builtin without its prefix is an operation.  */
static bool is_operation(Transcriber *t, CXCursor e, const Cursors *below, const char *name, Parts *result)
{
    static const char *const constants[] = {
        "constant_p", "object_size", "inff", "inf", "huge_valf", "huge_val", "nanf", "nan", "types_compatible_p", NULL};
    static const char *const none[] = {"va_start",     "va_end",         "va_copy",       "alloca",
                                       "setjmp",       "longjmp",        "add_overflow",  "sub_overflow",
                                       "mul_overflow", "return_address", "frame_address", NULL};
    int64_t integer;
    double real;
    *result = parts(source_integer(0));
    if (is_one_of(name, constants)) {
        if (evaluate_int(e, &integer))
            *result = parts(source_integer(integer));
        else if (evaluate_real(e, &real))
            *result = parts(source_number(real));
        else if (strcmp(name, "constant_p") != 0)
            FAIL(t, e, "the builtin '%s'", name);
        return true;
    }
    if (is_one_of(name, none)) {
        FAIL(t, e, "the builtin '%s'", name);
        return true;
    }
    if (!strcmp(name, "expect") || !strcmp(name, "assume_aligned") || !strcmp(name, "expect_with_probability")) {
        *result = value_of_expression(t, below->list[1]);
        for (int i = 2; i < below->count; i++)
            value_of_expression(t, below->list[i]);
        return true;
    }
    if (!strcmp(name, "prefetch") || !strcmp(name, "assume")) {
        for (int i = 1; i < below->count && !strcmp(name, "prefetch"); i++)
            value_of_expression(t, below->list[i]);
        return true;
    }
    if (!strcmp(name, "complex")) {
        result->x = scalar_of(t, below->list[1]);
        result->imaginary = scalar_of(t, below->list[2]);
        result->is_complex = true;
        return true;
    }
    if (!strcmp(name, "unreachable")) {
        at_cursor(t, e);
        source_unreachable(&t->builder);
        return true;
    }
    return classify(t, e, below, name, result) || ordered(t, e, below, name, result);
}

/* __builtin_sqrtf is sqrtf; __builtin_popcount is no function of C.  */
static const char *name_in_c(const char *name)
{
    static const char *const own[] = {"popcount", "popcountl", "popcountll", "clz",      "clzl",     "clzll", "ctz",
                                      "ctzl",     "ctzll",     "parity",     "parityl",  "parityll", "clrsb", "clrsbl",
                                      "clrsbll",  "bswap16",   "bswap32",    "bswap64",  "trap",     "ffs",   "ffsl",
                                      "ffsll",    "signbit",   "signbitf",   "isnormal", NULL};
    if (strncmp(name, "__builtin_", 10) != 0 || is_one_of(name + 10, own))
        return name;
    return name + 10;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static CXType function_type(CXCursor callee, CXCursor decl)
{
    CXType type = canonical(clang_getCursorType(decl.kind == CXCursor_FunctionDecl ? decl : callee));
    return type.kind == CXType_Pointer ? canonical(clang_getPointeeType(type)) : type;
}

static Parts call_with(Transcriber *t, CXCursor e, const char *name, Operand callee, Arguments *arguments)
{
    CXType type = clang_getCursorType(e);
    const SourceType scalar = source_type(t, type, e);
    at_cursor(t, e);
    Operand x;
    if (arguments->is_variadic)
        x = source_call_variadic(&t->builder, scalar, name, callee, arguments->count, arguments->list,
                                 arguments->nnamed);
    else
        x = source_call(&t->builder, scalar, name, callee, arguments->count, arguments->list);
    if (is_complex(type))
        return complex_load(t, arguments->list[0].operand, type, false);
    if (is_record(type))
        return parts(arguments->list[0].operand);
    return parts(scalar == ST_V ? source_integer(0) : x);
}

Parts call_expression(Transcriber *t, CXCursor e)
{
    Cursors below = children(t->u, e);
    if (!below.count) {
        FAIL(t, e, "a call whose function libclang does not show");
        return parts(source_integer(0));
    }
    CXCursor decl = clang_getCursorReferenced(e);
    const bool direct = decl.kind == CXCursor_FunctionDecl;
    const char *name = direct ? text_of(t->u, clang_getCursorSpelling(decl)) : NULL;
    Parts result;
    if (name && !strncmp(name, "__builtin_", 10) && is_operation(t, e, &below, name + 10, &result))
        return result;
    if (name && (!strncmp(name, "__atomic_", 9) || !strncmp(name, "__sync_", 7)))
        FAIL(t, e, "the builtin '%s'", name);
    Arguments arguments = {0};
    CXType type = function_type(below.list[0], decl), own = clang_getCursorType(e);
    if (is_memory(own))
        add(&arguments, ST_P, temporary_object(t, own),
            is_record(own) ? (long)clang_Type_getSizeOf(canonical(own)) : 0);
    Operand callee = source_integer(0);
    if (!direct)
        callee = scalar_of(t, below.list[0]);
    /* From the last to the first, as GCC computes them.  */
    int first = MOST_ARGUMENTS;
    for (int i = below.count - 1; i >= 1; i--) {
        Arguments one = {0};
        add_expression(t, &one, below.list[i]);
        for (int k = one.count - 1; k >= 0 && first > arguments.count; k--)
            arguments.list[--first] = one.list[k];
    }
    memmove(arguments.list + arguments.count, arguments.list + first,
            (size_t)(MOST_ARGUMENTS - first) * sizeof *arguments.list);
    arguments.count += MOST_ARGUMENTS - first;
    if (arguments.count == MOST_ARGUMENTS)
        FAIL(t, e, "a call with %d arguments", below.count - 1);
    arguments.is_variadic = type.kind == CXType_FunctionProto && clang_isFunctionTypeVariadic(type);
    arguments.nnamed = arguments.is_variadic ? clang_getNumArgTypes(type) + is_memory(own) : 0;
    return call_with(t, e, name ? name_in_c(name) : NULL, callee, &arguments);
}
