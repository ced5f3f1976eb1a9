/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-value.cc - operands and operations of scalars.
 *
 * An integer of a width that C's types do not have, as a bit-field's, is kept in the next wider type, extended by its
 * sign or by zeros. What could leave its width is extended again.
 *
 * A name in SSA form that stands for a variable alone is that variable, until the variable is assigned.
 */
#include "transcribe.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_variable(Operand x)
{
    return x.kind == OPERAND_VARIABLE;
}

void bind_name(Transcriber *t, tree name, Pair x)
{
    const unsigned version = SSA_NAME_VERSION(name);
    SsaHome *home = &t->names[version];
    tree type = TREE_TYPE(name);
    const SourceType part = scalar_type(t, is_complex(type) ? TREE_TYPE(type) : type);
    if (!home->leaves) {
        home->operands = x;
        if (is_variable(x.real) || is_variable(x.imaginary))
            t->bound.safe_push(version);
        return;
    }
    for (int i = 0; i <= is_complex(type); i++) {
        if (!home->variables[i])
            home->variables[i] = made_variable(t, part);
        copy_variable(t, home->variables[i], i ? x.imaginary : x.real);
    }
}

Pair name_value(Transcriber *t, tree name)
{
    SsaHome *home = &t->names[SSA_NAME_VERSION(name)];
    tree type = TREE_TYPE(name);
    if (!home->leaves && home->operands.real.kind != OPERAND_NONE)
        return home->operands;
    /* Read by another block, or never assigned.  */
    Pair pair = {};
    const SourceType part = scalar_type(t, is_complex(type) ? TREE_TYPE(type) : type);
    for (int i = 0; i <= is_complex(type); i++) {
        if (!home->variables[i])
            home->variables[i] = made_variable(t, part);
        (i ? pair.imaginary : pair.real) = source_of(home->variables[i]);
    }
    return pair;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static Operand number_of(const_tree x)
{
    long words[2];
    REAL_VALUE_TO_TARGET_DOUBLE(*TREE_REAL_CST_PTR(x), words);
    const uint64_t bits = (uint64_t)(uint32_t)words[0] | (uint64_t)(uint32_t)words[1] << 32;
    double number;
    memcpy(&number, &bits, sizeof number);
    return source_number(number);
}

Operand value_of(Transcriber *t, tree x)
{
    if (t->function->failed)
        return source_integer(0);
    switch (TREE_CODE(x)) {
    case INTEGER_CST:
        scalar_type(t, TREE_TYPE(x));
        return source_integer((int64_t)TREE_INT_CST_LOW(x));
    case REAL_CST:
        scalar_type(t, TREE_TYPE(x));
        return number_of(x);
    case SSA_NAME:
        scalar_type(t, TREE_TYPE(x));
        return name_value(t, x).real;
    case ADDR_EXPR:
        return address_of(t, TREE_OPERAND(x, 0));
    case VAR_DECL:
    case PARM_DECL:
    case RESULT_DECL:
        if (DECL_HAS_VALUE_EXPR_P(x))
            return value_of(t, DECL_VALUE_EXPR(x));
        if (is_register(x) && !is_complex(TREE_TYPE(x)))
            return source_of(home_of(t, x)->variables[0]);
        return load_place(t, x);
    case MEM_REF:
    case INDIRECT_REF:
    case COMPONENT_REF:
    case ARRAY_REF:
    case BIT_FIELD_REF:
    case VIEW_CONVERT_EXPR:
    case REALPART_EXPR:
    case IMAGPART_EXPR:
        return load_place(t, x);
    default:
        if (BINARY_CLASS_P(x) || COMPARISON_CLASS_P(x))
            return operation_value(t, TREE_CODE(x), TREE_TYPE(x), TREE_OPERAND(x, 0), TREE_OPERAND(x, 1));
        if (UNARY_CLASS_P(x))
            return operation_value(t, TREE_CODE(x), TREE_TYPE(x), TREE_OPERAND(x, 0), NULL_TREE);
        FAIL(t, "a value '%s'", get_tree_code_name(TREE_CODE(x)));
        return source_integer(0);
    }
}

/* A constant in the range of a type.  */
static Operand constant_in(int64_t value, SourceType type)
{
    switch (type) {
    case ST_B:
        return source_integer(value != 0);
    case ST_I8:
        return source_integer((int8_t)value);
    case ST_U8:
        return source_integer((uint8_t)value);
    case ST_I16:
        return source_integer((int16_t)value);
    case ST_U16:
        return source_integer((uint16_t)value);
    case ST_I32:
        return source_integer((int32_t)value);
    case ST_U32:
        return source_integer((uint32_t)value);
    default:
        return source_integer(value);
    }
}

Operand value_as(Transcriber *t, tree x, SourceType type)
{
    if (TREE_CODE(x) == INTEGER_CST && !source_type_is_float(type))
        return constant_in((int64_t)TREE_INT_CST_LOW(x), type);
    const SourceType from = scalar_type(t, TREE_TYPE(x));
    return source_convert(&t->builder, from, type, value_of(t, x));
}

/* ---- conversions ------------------------------------------------------------------------------------------------- */

Operand convert_value(Transcriber *t, Operand x, const_tree from, const_tree to)
{
    const SourceType a = scalar_type(t, from), b = scalar_type(t, to);
    /* GCC converts to _Bool what is 0 or 1; its last bit counts.  */
    if (b == ST_B && a != ST_B && INTEGRAL_TYPE_P(from))
        x = source_binary(&t->builder, SO_AND, a, x, source_integer(1));
    x = source_convert(&t->builder, a, b, x);
    const int bits = odd_precision(to);
    const bool fits =
        INTEGRAL_TYPE_P(from) && (int)TYPE_PRECISION(from) <= bits - !TYPE_UNSIGNED(to) && TYPE_UNSIGNED(from);
    const bool same =
        INTEGRAL_TYPE_P(from) && (int)TYPE_PRECISION(from) <= bits && TYPE_UNSIGNED(from) == TYPE_UNSIGNED(to);
    return bits && !fits && !same ? extend_bits(t, x, b, bits) : x;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static bool binary_opcode(enum tree_code code, SourceOpcode *op)
{
    switch (code) {
#define CASE(CODE, OP) \
    case CODE:         \
        *op = OP;      \
        return true;
        CASE(PLUS_EXPR, SO_ADD)
        CASE(POINTER_PLUS_EXPR, SO_ADD)
        CASE(MINUS_EXPR, SO_SUB)
        CASE(POINTER_DIFF_EXPR, SO_SUB)
        CASE(MULT_EXPR, SO_MUL)
        CASE(TRUNC_DIV_EXPR, SO_DIV)
        CASE(EXACT_DIV_EXPR, SO_DIV)
        CASE(RDIV_EXPR, SO_DIV)
        CASE(TRUNC_MOD_EXPR, SO_REM)
        CASE(BIT_AND_EXPR, SO_AND)
        CASE(TRUTH_AND_EXPR, SO_AND)
        CASE(BIT_IOR_EXPR, SO_OR)
        CASE(TRUTH_OR_EXPR, SO_OR)
        CASE(BIT_XOR_EXPR, SO_XOR)
        CASE(TRUTH_XOR_EXPR, SO_XOR)
        CASE(LSHIFT_EXPR, SO_SHL)
        CASE(RSHIFT_EXPR, SO_SHR)
        CASE(LROTATE_EXPR, SO_ROTL)
        CASE(RROTATE_EXPR, SO_ROTR)
        CASE(MIN_EXPR, SO_MIN)
        CASE(MAX_EXPR, SO_MAX)
        CASE(EQ_EXPR, SO_EQ)
        CASE(NE_EXPR, SO_NE)
        CASE(LT_EXPR, SO_LT)
        CASE(LE_EXPR, SO_LE)
        CASE(GT_EXPR, SO_GT)
        CASE(GE_EXPR, SO_GE)
        CASE(UNORDERED_EXPR, SO_UNO)
        CASE(ORDERED_EXPR, SO_ORD)
        CASE(UNEQ_EXPR, SO_UNEQ)
        CASE(LTGT_EXPR, SO_LTGT)
        CASE(UNLT_EXPR, SO_UNLT)
        CASE(UNLE_EXPR, SO_UNLE)
        CASE(UNGT_EXPR, SO_UNGT)
        CASE(UNGE_EXPR, SO_UNGE)
#undef CASE
    default:
        return false;
    }
}

/* The type that the operation is done in: with -fwrapv overflow wraps.  */
static SourceType arithmetic_type(Transcriber *t, enum tree_code code, const_tree type)
{
    const SourceType scalar = scalar_type(t, type);
    if (code == LSHIFT_EXPR)
        return as_unsigned(scalar); /* GCC defines all shifts to the left */
    const bool may_wrap = code == PLUS_EXPR || code == MINUS_EXPR || code == MULT_EXPR || code == NEGATE_EXPR;
    return may_wrap && ANY_INTEGRAL_TYPE_P(type) && TYPE_OVERFLOW_WRAPS(type) ? as_unsigned(scalar) : scalar;
}

/* The result of an operation on an integer of a width of its own.  */
static Operand in_precision(Transcriber *t, enum tree_code code, const_tree type, Operand x)
{
    const int bits = odd_precision(type);
    const bool leaves = code == PLUS_EXPR || code == MINUS_EXPR || code == MULT_EXPR || code == NEGATE_EXPR ||
                        code == BIT_NOT_EXPR || code == LSHIFT_EXPR || code == ABS_EXPR;
    return bits && leaves ? extend_bits(t, x, scalar_type(t, type), bits) : x;
}

/* _Bool has no arithmetic of its own but and, or, xor: its last bit counts.  */
static Operand bool_value(Transcriber *t, SourceOpcode op, Operand x, Operand y)
{
    SourceBuilder *builder = &t->builder;
    x = source_convert(builder, ST_B, ST_U8, x);
    y = source_convert(builder, ST_B, ST_U8, y);
    x = source_binary(builder, op, ST_U8, x, y);
    return source_convert(builder, ST_U8, ST_B, source_binary(builder, SO_AND, ST_U8, x, source_integer(1)));
}

Operand binary_value(Transcriber *t, enum tree_code code, const_tree type, Operand x, Operand y)
{
    SourceOpcode op;
    if (!binary_opcode(code, &op)) {
        FAIL(t, "an operation '%s'", get_tree_code_name(code));
        return x;
    }
    const SourceType arithmetic = code == POINTER_DIFF_EXPR ? ST_P : arithmetic_type(t, code, type);
    if (arithmetic == ST_B && op != SO_AND && op != SO_OR && op != SO_XOR && op < SO_EQ)
        return bool_value(t, op, x, y);
    return in_precision(t, code, type, source_binary(&t->builder, op, arithmetic, x, y));
}

/* |x| as an unsigned number, which has no overflow.  */
static Operand unsigned_magnitude(Transcriber *t, SourceType type, Operand x)
{
    SourceBuilder *builder = &t->builder;
    const int bits = 8 * source_type_bytes(type);
    const Operand sign = source_binary(builder, SO_SHR, type, x, source_integer(bits - 1));
    const Operand flipped = source_binary(builder, SO_XOR, as_unsigned(type), x, sign);
    return source_binary(builder, SO_SUB, as_unsigned(type), flipped, sign);
}

static Operand unary_value(Transcriber *t, enum tree_code code, tree type, tree x)
{
    SourceBuilder *builder = &t->builder;
    tree from = TREE_TYPE(x);
    const Operand a = value_of(t, x);
    switch (code) {
    CASE_CONVERT:
    case FLOAT_EXPR:
    case FIX_TRUNC_EXPR:
        return convert_value(t, a, from, type);
    case NEGATE_EXPR:
        if (scalar_type(t, type) == ST_B)
            return a;
        return in_precision(t, code, type, source_unary(builder, SO_NEG, arithmetic_type(t, code, type), a));
    case BIT_NOT_EXPR:
    case TRUTH_NOT_EXPR:
        return in_precision(t, code, type, source_unary(builder, SO_NOT, scalar_type(t, type), a));
    case ABS_EXPR:
        if (INTEGRAL_TYPE_P(type) && TYPE_OVERFLOW_WRAPS(type))
            return in_precision(t, code, type, unsigned_magnitude(t, scalar_type(t, from), a));
        return source_unary(builder, SO_ABS, scalar_type(t, type), a);
    case ABSU_EXPR:
        return unsigned_magnitude(t, scalar_type(t, from), a);
    case PAREN_EXPR:
    case NON_LVALUE_EXPR:
        return a;
    default:
        FAIL(t, "an operation '%s'", get_tree_code_name(code));
        return a;
    }
}

static bool is_shift(enum tree_code code)
{
    return code == LSHIFT_EXPR || code == RSHIFT_EXPR || code == LROTATE_EXPR || code == RROTATE_EXPR;
}

Operand operation_value(Transcriber *t, enum tree_code code, tree type, tree x, tree y)
{
    if (t->function->failed)
        return source_integer(0);
    const bool compares = TREE_CODE_CLASS(code) == tcc_comparison;
    if (!y)
        return unary_value(t, code, type, x);
    if (VECTOR_TYPE_P(type) || VECTOR_TYPE_P(TREE_TYPE(x))) {
        FAIL(t, "a vector");
        return source_integer(0);
    }
    Operand result;
    if (is_complex(TREE_TYPE(x)))
        result = compare_pairs(t, code, x, y);
    else {
        if ((code == LROTATE_EXPR || code == RROTATE_EXPR) && odd_precision(type))
            FAIL(t, "a rotation of %d bits", odd_precision(type));
        const Operand a = value_of(t, x);
        const Operand b = is_shift(code) ? value_as(t, y, scalar_type(t, type)) : value_of(t, y);
        result = binary_value(t, code, compares ? TREE_TYPE(x) : type, a, b);
    }
    return compares && scalar_type(t, type) != ST_B ? source_convert(&t->builder, ST_B, scalar_type(t, type), result)
                                                    : result;
}
