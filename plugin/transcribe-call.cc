/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-call.cc - calls, and builtins and internal functions of GCC that are no calls in C.
 *
 *   x = __builtin_expect (y, 1)            x = copy.i64 y
 *   __builtin_add_overflow (a, b, &r)      the sum, and the comparisons that tell whether it is one
 *   int a[n]                               allocate
 *   __builtin_unreachable ()               unreachable
 *
 * Checks of -fsanitize=undefined are left out; their arithmetic stays. So are assumptions too long for a condition.
 */
#include "transcribe.h"

/* ---- arithmetic that tells of its overflow ----------------------------------------------------------------------- */

struct Checked {
    Operand value, overflow; /* overflow: a b */
};

static Operand op2(Transcriber *t, SourceOpcode op, SourceType type, Operand x, Operand y)
{
    return source_binary(&t->builder, op, type, x, y);
}

static Operand not_zero(Transcriber *t, SourceType type, Operand x)
{
    return op2(t, SO_NE, type, x, source_integer(0));
}

/* Whether x * y leaves 64 bits without sign.  */
static Operand product_leaves(Transcriber *t, Operand x, Operand y, Operand product)
{
    const Operand zero = op2(t, SO_EQ, ST_U64, x, source_integer(0));
    const Operand divisor = op2(t, SO_OR, ST_U64, x, source_convert(&t->builder, ST_B, ST_U64, zero));
    const Operand differs = op2(t, SO_NE, ST_U64, op2(t, SO_DIV, ST_U64, product, divisor), y);
    return op2(t, SO_AND, ST_B, not_zero(t, ST_U64, x), differs);
}

static Checked checked_unsigned(Transcriber *t, enum tree_code code, Operand x, Operand y)
{
    Checked result;
    if (code == PLUS_EXPR) {
        result.value = op2(t, SO_ADD, ST_U64, x, y);
        result.overflow = op2(t, SO_LT, ST_U64, result.value, x);
    } else if (code == MINUS_EXPR) {
        result.value = op2(t, SO_SUB, ST_U64, x, y);
        result.overflow = op2(t, SO_LT, ST_U64, x, y);
    } else {
        result.value = op2(t, SO_MUL, ST_U64, x, y);
        result.overflow = product_leaves(t, x, y, result.value);
    }
    return result;
}

/* The sign of x in all bits.  */
static Operand sign_of(Transcriber *t, Operand x)
{
    return op2(t, SO_SHR, ST_I64, x, source_integer(63));
}

static Operand magnitude(Transcriber *t, Operand x)
{
    const Operand sign = sign_of(t, x);
    return op2(t, SO_SUB, ST_U64, op2(t, SO_XOR, ST_U64, x, sign), sign);
}

static Checked checked_signed(Transcriber *t, enum tree_code code, Operand x, Operand y)
{
    Checked result;
    if (code == MULT_EXPR) {
        const Operand sign = sign_of(t, op2(t, SO_XOR, ST_I64, x, y));
        const Operand a = magnitude(t, x), b = magnitude(t, y);
        const Operand product = op2(t, SO_MUL, ST_U64, a, b);
        const Operand most = op2(t, SO_SUB, ST_U64, source_integer(INT64_MAX), sign);
        result.overflow = op2(t, SO_OR, ST_B, product_leaves(t, a, b, product), op2(t, SO_GT, ST_U64, product, most));
        result.value = op2(t, SO_SUB, ST_U64, op2(t, SO_XOR, ST_U64, product, sign), sign);
        return result;
    }
    const bool adds = code == PLUS_EXPR;
    result.value = op2(t, adds ? SO_ADD : SO_SUB, ST_U64, x, y);
    const Operand left = op2(t, SO_XOR, ST_I64, x, adds ? result.value : y);
    const Operand right = op2(t, SO_XOR, ST_I64, adds ? y : x, result.value);
    result.overflow = op2(t, SO_LT, ST_I64, op2(t, SO_AND, ST_I64, left, right), source_integer(0));
    return result;
}

/* Whether a value of 64 bits fits a narrower type, or one of another sign.  */
static Operand leaves_type(Transcriber *t, Operand x, bool is_signed, tree type)
{
    const SourceType wide = is_signed ? ST_I64 : ST_U64;
    tree wide_tree = is_signed ? long_long_integer_type_node : long_long_unsigned_type_node;
    if (TYPE_PRECISION(type) == 64)
        return op2(t, SO_LT, ST_I64, x, source_integer(0));
    const Operand narrow = convert_value(t, x, wide_tree, type);
    return op2(t, SO_NE, wide, source_convert(&t->builder, scalar_type(t, type), wide, narrow), x);
}

static bool fits_signed(const_tree type)
{
    return !TYPE_UNSIGNED(type) || TYPE_PRECISION(type) < 64;
}

static void checked_arithmetic(Transcriber *t, gcall *call, enum tree_code code)
{
    tree lhs = gimple_call_lhs(call), x = gimple_call_arg(call, 0), y = gimple_call_arg(call, 1);
    if (!lhs)
        return;
    tree type = TREE_TYPE(TREE_TYPE(lhs));
    for (tree each : {TREE_TYPE(x), TREE_TYPE(y), type})
        scalar_type(t, each);
    const bool is_unsigned = TYPE_UNSIGNED(TREE_TYPE(x)) && TYPE_UNSIGNED(TREE_TYPE(y));
    if (!is_unsigned && !(fits_signed(TREE_TYPE(x)) && fits_signed(TREE_TYPE(y))))
        FAIL(t, "arithmetic with overflow of a signed and an unsigned number");
    if (t->function->failed)
        return;
    const SourceType wide = is_unsigned ? ST_U64 : ST_I64;
    const Operand a = value_as(t, x, wide), b = value_as(t, y, wide);
    Checked result = is_unsigned ? checked_unsigned(t, code, a, b) : checked_signed(t, code, a, b);
    if (TYPE_PRECISION(type) < 64 || TYPE_UNSIGNED(type) != is_unsigned) {
        /* A difference of unsigned numbers may be a negative number of the result's type.  */
        if (is_unsigned && code == MINUS_EXPR && !TYPE_UNSIGNED(type)) {
            const Operand below = op2(t, SO_LT, ST_U64, a, b);
            const Operand sign = op2(t, SO_LT, ST_I64, result.value, source_integer(0));
            const Operand narrow = convert_value(t, result.value, long_long_integer_type_node, type);
            const Operand back = source_convert(&t->builder, scalar_type(t, type), ST_I64, narrow);
            result.overflow =
                op2(t, SO_OR, ST_B, op2(t, SO_NE, ST_B, below, sign), op2(t, SO_NE, ST_I64, back, result.value));
        } else
            result.overflow = op2(t, SO_OR, ST_B, result.overflow, leaves_type(t, result.value, !is_unsigned, type));
        result.value = convert_value(t, result.value,
                                     is_unsigned ? long_long_unsigned_type_node : long_long_integer_type_node, type);
    }
    store_pair(t, lhs, Pair{result.value, source_convert(&t->builder, ST_B, scalar_type(t, type), result.overflow)});
}

/* ---- internal functions ------------------------------------------------------------------------------------------ */

static void plain_arithmetic(Transcriber *t, gcall *call, enum tree_code code)
{
    tree lhs = gimple_call_lhs(call);
    if (lhs)
        store_place(t, lhs,
                    operation_value(t, code, TREE_TYPE(lhs), gimple_call_arg(call, 0), gimple_call_arg(call, 1)));
}

static void internal_call(Transcriber *t, gcall *call)
{
    const enum internal_fn which = gimple_call_internal_fn(call);
    switch (which) {
    case IFN_ADD_OVERFLOW:
        checked_arithmetic(t, call, PLUS_EXPR);
        break;
    case IFN_SUB_OVERFLOW:
        checked_arithmetic(t, call, MINUS_EXPR);
        break;
    case IFN_MUL_OVERFLOW:
        checked_arithmetic(t, call, MULT_EXPR);
        break;
    case IFN_UBSAN_CHECK_ADD:
        plain_arithmetic(t, call, PLUS_EXPR);
        break;
    case IFN_UBSAN_CHECK_SUB:
        plain_arithmetic(t, call, MINUS_EXPR);
        break;
    case IFN_UBSAN_CHECK_MUL:
        plain_arithmetic(t, call, MULT_EXPR);
        break;
    case IFN_UBSAN_NULL:
    case IFN_UBSAN_BOUNDS:
    case IFN_UBSAN_OBJECT_SIZE:
    case IFN_UBSAN_PTR:
    case IFN_ASAN_MARK:
    case IFN_FALLTHROUGH:
        break;
    case IFN_VA_ARG:
        FAIL(t, "va_arg");
        break;
    default:
#if BUILDING_GCC_VERSION >= 13000
        if (which == IFN_ASSUME)
            break;
#endif
        FAIL(t, "an internal function '%s'", internal_fn_name(which));
    }
}

/* ---- builtins ---------------------------------------------------------------------------------------------------- */

static void assign_result(Transcriber *t, gcall *call, Operand x)
{
    if (gimple_call_lhs(call))
        store_place(t, gimple_call_lhs(call), x);
}

/* Bytes of an array of variable length.  */
static void allocate(Transcriber *t, gcall *call)
{
    const int bits = (int)tree_to_shwi(gimple_call_arg(call, 1));
    const Operand bytes = value_as(t, gimple_call_arg(call, 0), ST_U64);
    assign_result(t, call, source_allocate(&t->builder, bytes, MAX(bits / 8, 1)));
}

/* Returns whether the builtin is more, or less, than a call.  */
static bool builtin_call(Transcriber *t, gcall *call, tree fndecl)
{
    switch (DECL_FUNCTION_CODE(fndecl)) {
    case BUILT_IN_UNREACHABLE:
#if BUILDING_GCC_VERSION >= 13000
    case BUILT_IN_UNREACHABLE_TRAP:
#endif
        source_unreachable(&t->builder);
        return true;
    case BUILT_IN_EXPECT:
    case BUILT_IN_EXPECT_WITH_PROBABILITY:
    case BUILT_IN_ASSUME_ALIGNED:
        if (gimple_call_lhs(call))
            assign_result(t, call,
                          convert_value(t, value_of(t, gimple_call_arg(call, 0)), TREE_TYPE(gimple_call_arg(call, 0)),
                                        TREE_TYPE(gimple_call_lhs(call))));
        return true;
    case BUILT_IN_CONSTANT_P:
        assign_result(t, call, source_integer(CONSTANT_CLASS_P(gimple_call_arg(call, 0))));
        return true;
    case BUILT_IN_OBJECT_SIZE:
        assign_result(t, call, source_integer(tree_to_shwi(gimple_call_arg(call, 1)) < 2 ? -1 : 0));
        return true;
    case BUILT_IN_ALLOCA_WITH_ALIGN:
    case BUILT_IN_ALLOCA_WITH_ALIGN_AND_MAX:
        if (gimple_call_alloca_for_var_p(call))
            allocate(t, call);
        return gimple_call_alloca_for_var_p(call);
    case BUILT_IN_STACK_SAVE:
        assign_result(t, call, source_integer(0));
        return true;
    case BUILT_IN_STACK_RESTORE:
    case BUILT_IN_VA_END:
        return true;
    case BUILT_IN_VA_START:
    case BUILT_IN_VA_COPY:
    case BUILT_IN_NEXT_ARG:
    case BUILT_IN_VA_ARG_PACK:
    case BUILT_IN_VA_ARG_PACK_LEN:
        FAIL(t, "va_start");
        return true;
    case BUILT_IN_APPLY:
    case BUILT_IN_APPLY_ARGS:
    case BUILT_IN_RETURN:
    case BUILT_IN_SETJMP:
    case BUILT_IN_SETJMP_SETUP:
    case BUILT_IN_SETJMP_RECEIVER:
    case BUILT_IN_LONGJMP:
    case BUILT_IN_NONLOCAL_GOTO:
    case BUILT_IN_EH_POINTER:
        FAIL(t, "'%s'", IDENTIFIER_POINTER(DECL_NAME(fndecl)));
        return true;
    case BUILT_IN_INIT_TRAMPOLINE:
    case BUILT_IN_ADJUST_TRAMPOLINE:
        FAIL(t, "a nested function");
        return true;
    default:
        return false;
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static SourceArgument argument_of(Transcriber *t, tree x, tree parameter)
{
    SourceArgument argument = {};
    tree type = TREE_TYPE(x);
    argument.type = passed_type(t, type, &argument.bytes);
    if (t->function->failed)
        return argument;
    if (is_aggregate(type)) {
        argument.operand = address_of(t, x);
    } else if (is_complex(type)) {
        const SourceType part = scalar_type(t, TREE_TYPE(type));
        const int bytes = source_type_bytes(part);
        const Pair pair = pair_of(t, x);
        argument.operand = source_address(&t->builder, made_object(t, 2 * bytes, bytes));
        source_store(&t->builder, part, argument.operand, pair.real, false);
        source_store(&t->builder, part, add_bytes(t, argument.operand, bytes), pair.imaginary, false);
    } else if (parameter && is_gimple_reg_type(parameter) && !is_complex(parameter) && !VECTOR_TYPE_P(parameter)) {
        /* GCC may have made it wider, as the machine passes it.  */
        argument.type = scalar_type(t, parameter);
        argument.operand = TREE_CODE(x) == INTEGER_CST ? value_as(t, x, argument.type)
                                                       : convert_value(t, value_of(t, x), type, parameter);
    } else
        argument.operand = value_of(t, x);
    return argument;
}

/* The address of a result that is an aggregate or a complex number. A variable that has its bytes takes it.  */
static Operand result_address(Transcriber *t, tree lhs, tree type)
{
    if (lhs && is_aggregate(type))
        return address_of(t, lhs);
    return source_address(&t->builder, made_object(t, bytes_of(t, type), (int)TYPE_ALIGN_UNIT(type)));
}

static void plain_call(Transcriber *t, gcall *call)
{
    tree fndecl = gimple_call_fndecl(call), lhs = gimple_call_lhs(call), fntype = gimple_call_fntype(call);
    tree type = TREE_TYPE(fntype);
    const int narguments = (int)gimple_call_num_args(call);
    auto_vec<SourceArgument> arguments;
    long bytes;
    const SourceType result = passed_type(t, type, &bytes);
    const Operand callee = fndecl ? Operand() : value_of(t, gimple_call_fn(call));
    Operand to = Operand();
    if (source_type_is_aggregate(result)) {
        to = result_address(t, lhs, type);
        arguments.safe_push(SourceArgument{ST_P, to, result == ST_S ? bytes : 0});
    }
    int nnamed = (int)arguments.length();
    tree parameter = TYPE_ARG_TYPES(fntype);
    for (int i = 0; i < narguments && !t->function->failed; i++) {
        const bool named = parameter && !VOID_TYPE_P(TREE_VALUE(parameter));
        arguments.safe_push(argument_of(t, gimple_call_arg(call, i), named ? TREE_VALUE(parameter) : NULL_TREE));
        nnamed += named;
        parameter = named ? TREE_CHAIN(parameter) : parameter;
    }
    if (t->function->failed)
        return;
    const char *name = fndecl ? function_name(fndecl) : NULL;
    const int n = (int)arguments.length();
    Operand x;
    if (stdarg_p(fntype) || !prototype_p(fntype))
        x = source_call_variadic(&t->builder, result, name, callee, n, arguments.address(), nnamed);
    else
        x = source_call(&t->builder, result, name, callee, n, arguments.address());
    if (!lhs || is_aggregate(type))
        return;
    if (is_complex(type)) {
        const SourceType part = scalar_type(t, TREE_TYPE(type));
        const Operand real = source_load(&t->builder, part, to, false);
        store_pair(t, lhs,
                   Pair{real, source_load(&t->builder, part, add_bytes(t, to, source_type_bytes(part)), false)});
    } else
        store_place(t, lhs, convert_value(t, x, type, TREE_TYPE(lhs)));
}

/* A call that reports what -fsanitize=undefined has found.  */
static bool is_report(tree fndecl)
{
    return fndecl && DECL_NAME(fndecl) && strstr(IDENTIFIER_POINTER(DECL_NAME(fndecl)), "__ubsan_handle_");
}

void transcribe_call(Transcriber *t, gcall *call)
{
    tree fndecl = gimple_call_internal_p(call) ? NULL_TREE : gimple_call_fndecl(call);
    if (is_report(fndecl)) {
        if (gimple_call_flags(call) & ECF_NORETURN)
            source_unreachable(&t->builder);
    } else if (pragma_of_stmt(call))
        source_mark(&t->builder, (int)tree_to_uhwi(gimple_call_arg(call, 0)));
    else if (gimple_call_internal_p(call))
        internal_call(t, call);
    else if (gimple_call_chain(call))
        FAIL(t, "a nested function");
    else if (gimple_call_flags(call) & ECF_RETURNS_TWICE)
        FAIL(t, "a function that returns twice: '%s'", fndecl ? function_name(fndecl) : "");
    else if (!fndecl || !fndecl_built_in_p(fndecl, BUILT_IN_NORMAL) || !builtin_call(t, call, fndecl))
        plain_call(t, call);
}
