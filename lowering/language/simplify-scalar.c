/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * simplify-scalar.c - identities and the canonical form of scalar operations.
 *
 *      identities                                 spelling
 *      x + 0          x                           5 + x          x + 5
 *      x & x          x                           x + -5         x - 5
 *      c ? x : x      x                           (x + 2) + 3    x + 5
 *      3 + 4          7                           !(x < y)       x >= y, of integers
 *
 * All rewrites are exact. In programs of roles only rewrites apply that terms.c knows, since the proof must see that
 * nothing changed.
 */
#include "language/simplify.h"

/* Replaces an operation by another, in its place.  */
static void become(Simplifier *simplifier, Op *op, Opcode code, Value *x, Value *y)
{
    op_become(op, code);
    op->nargs = 0;
    op->args = NULL;
    if (x)
        op_add_arg(simplifier->kernel, op, x);
    if (y)
        op_add_arg(simplifier->kernel, op, y);
    simplifier->changed = true;
}

/* ---- predicates -------------------------------------------------------------------------------------------------- */

static bool is_constant(const Value *value)
{
    return value->def && value->def->code == OP_CONST;
}

static bool is_int(const Value *value, int64_t wanted)
{
    int64_t got;
    return is_constant(value) && ir_constant(value, &got) && got == wanted;
}

bool simplify_is_float(const Value *value)
{
    return dtype_is_float(value->type.dtype);
}

static bool is_one(const Value *value)
{
    double number;
    return is_int(value, 1) || (is_constant(value) && ir_constant_float(value, &number) && number == 1);
}

static bool is_ones(const Value *value)
{
    int64_t got;
    if (!is_constant(value) || !ir_constant(value, &got))
        return false;
    return value->type.dtype == D_I1 ? got == 1 : got == -1;
}

static Opcode opcode_of(const Value *value)
{
    return value->def ? value->def->code : OP_COUNT;
}

static bool is_compare(Opcode code)
{
    return code >= OP_SCALAR_EQ && code <= OP_SCALAR_GE;
}

static bool is_bool(const Value *value)
{
    return value->type.kind == K_SCALAR && value->type.dtype == D_I1;
}

/* ---- folding and identities -------------------------------------------------------------------------------------- */

/* Folds an integer operation whose operands are literals.  */
static bool fold_program(Simplifier *simplifier, Op *op)
{
    int64_t numbers[2], integer;
    if (op->nargs < 1 || op->nargs > 2)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!is_constant(op->args[i]) || !ir_constant(op->args[i], &numbers[i]))
            return false;
    if (!ir_fold(op, numbers, &integer))
        return false;
    become(simplifier, op, OP_CONST, NULL, NULL);
    op->scalar->integer = integer;
    return true;
}

static bool fold(Simplifier *simplifier, Op *op)
{
    double number = 0;
    int64_t integer = 0;
    if (op->code == OP_CONST || !op->nargs)
        return false;
    if (simplifier->program)
        return fold_program(simplifier, op);
    if (!ir_constant(op->results[0], &integer) && !ir_constant_float(op->results[0], &number))
        return false;
    become(simplifier, op, OP_CONST, NULL, NULL);
    op->scalar->integer = integer;
    op->scalar->real = number;
    return true;
}

/* True if every value of type x is a value of type y.  */
static bool widens(Dtype x, Dtype y)
{
    if (dtype_is_float(x) || dtype_is_float(y))
        return x == y;
    if (dtype_bytes(y) > dtype_bytes(x))
        return !dtype_is_signed(x) || dtype_is_signed(y);
    return x == y || (x == D_I1 && y != D_I1);
}

static Value *convert_identity(Op *op)
{
    Value *x = op->args[0];
    Dtype to = op->results[0]->type.dtype;
    if (type_equal(x->type, op->results[0]->type))
        return x;
    while (opcode_of(x) == OP_SCALAR_CONVERT && x->type.kind == K_SCALAR && x->def->args[0]->type.kind == K_SCALAR) {
        Value *inner = x->def->args[0];
        bool truncates = !simplify_is_float(inner) && !simplify_is_float(x) && !dtype_is_float(to) && to != D_I1 &&
                         x->type.dtype != D_I1 && dtype_bytes(to) <= dtype_bytes(x->type.dtype);
        if (!widens(inner->type.dtype, x->type.dtype) && !truncates)
            break;
        x = op->args[0] = inner;
    }
    return type_equal(x->type, op->results[0]->type) ? x : NULL;
}

/* The operand or literal that equals the result, or NULL.  */
static Value *integer_identity(const Op *op)
{
    Value *x = op->args[0], *y = op->nargs > 1 ? op->args[1] : NULL;
    switch (op->code) {
    case OP_SCALAR_ADD:
    case OP_SCALAR_SUB:
    case OP_SCALAR_OR:
    case OP_SCALAR_XOR:
    case OP_SCALAR_SHL:
    case OP_SCALAR_SHR:
        return is_int(y, 0) || (op->code == OP_SCALAR_OR && x == y) ? x : NULL;
    case OP_SCALAR_MUL:
        return is_int(y, 0) ? y : is_one(y) ? x : NULL;
    case OP_SCALAR_DIV:
        return is_one(y) ? x : NULL;
    case OP_SCALAR_AND:
        return is_int(y, 0) ? y : is_ones(y) || x == y ? x : NULL;
    case OP_SCALAR_MIN:
    case OP_SCALAR_MAX:
        return x == y ? x : NULL;
    case OP_SCALAR_NEG:
    case OP_SCALAR_NOT:
        return opcode_of(x) == op->code ? x->def->args[0] : NULL;
    default:
        return NULL;
    }
}

static Value *select_identity(const Op *op)
{
    Value *condition = op->args[0], *x = op->args[1], *y = op->args[2];
    if (is_constant(condition))
        return is_int(condition, 0) ? y : x;
    if (x == y)
        return x;
    return is_bool(x) && is_int(x, 1) && is_int(y, 0) ? condition : NULL;
}

/* The operand that equals the result of an operation of a role's program, or NULL.  */
static Value *program_identity(const Op *op)
{
    if (op_info[op->code].class_ != CLASS_SCALAR || !op->nargs || simplify_is_float(op->args[0]))
        return NULL;
    if (op->code == OP_SCALAR_CONVERT)
        return type_equal(op->args[0]->type, op->results[0]->type) ? op->args[0] : NULL;
    return op->code == OP_SCALAR_SELECT ? select_identity(op) : integer_identity(op);
}

Value *simplify_identity(const Simplifier *simplifier, Op *op)
{
    if (simplifier->program)
        return program_identity(op);
    switch (op->code) {
    case OP_SCALAR_CONVERT:
        return convert_identity(op);
    case OP_SCALAR_SELECT:
        return select_identity(op);
    case OP_TRANS:
        return opcode_of(op->args[0]) == OP_TRANS ? op->args[0]->def->args[0] : NULL;
    case OP_CAST:
        return type_equal(op->args[0]->type, op->results[0]->type) ? op->args[0] : NULL;
    default:
        if (op_info[op->code].class_ != CLASS_SCALAR || !op->nargs)
            return NULL;
        if (simplify_is_float(op->args[0]))
            return (op->code == OP_SCALAR_MUL || op->code == OP_SCALAR_DIV) && is_one(op->args[1]) ? op->args[0] : NULL;
        return integer_identity(op);
    }
}

/* ---- canonical form ---------------------------------------------------------------------------------------------- */

static bool commutes(Opcode code)
{
    return code == OP_SCALAR_ADD || code == OP_SCALAR_MUL || code == OP_SCALAR_AND || code == OP_SCALAR_OR ||
           code == OP_SCALAR_XOR || code == OP_SCALAR_MIN || code == OP_SCALAR_MAX || code == OP_SCALAR_EQ ||
           code == OP_SCALAR_NE;
}

static Opcode mirrored(Opcode code)
{
    return code == OP_SCALAR_LT   ? OP_SCALAR_GT
           : code == OP_SCALAR_GT ? OP_SCALAR_LT
           : code == OP_SCALAR_LE ? OP_SCALAR_GE
           : code == OP_SCALAR_GE ? OP_SCALAR_LE
                                  : code;
}

static Opcode inverted(Opcode code)
{
    switch (code) {
    case OP_SCALAR_EQ:
        return OP_SCALAR_NE;
    case OP_SCALAR_NE:
        return OP_SCALAR_EQ;
    case OP_SCALAR_LT:
        return OP_SCALAR_GE;
    case OP_SCALAR_GE:
        return OP_SCALAR_LT;
    case OP_SCALAR_GT:
        return OP_SCALAR_LE;
    default:
        return OP_SCALAR_GT;
    }
}

/* A literal operand moves to the right.  */
static void literal_right(Simplifier *simplifier, Op *op)
{
    if (op->nargs != 2 || !is_constant(op->args[0]) || is_constant(op->args[1]))
        return;
    if (!commutes(op->code) && mirrored(op->code) == op->code)
        return;
    become(simplifier, op, mirrored(op->code), op->args[1], op->args[0]);
}

static int order_of(const Simplifier *simplifier, const Value *value)
{
    return value->id < simplifier->norder ? simplifier->order[value->id] : 0;
}

/* Two conditions stand in the order of their definitions.  */
static void conditions_in_order(Simplifier *simplifier, Op *op)
{
    if (op->nargs != 2 || !is_bool(op->args[0]) ||
        (op->code != OP_SCALAR_AND && op->code != OP_SCALAR_OR && op->code != OP_SCALAR_XOR))
        return;
    int x = order_of(simplifier, op->args[0]), y = order_of(simplifier, op->args[1]);
    if (x && y && x > y)
        become(simplifier, op, op->code, op->args[1], op->args[0]);
}

/* (x | y) == 0 becomes x == 0 and y == 0. The same holds for !=, and for comparisons with 0 that test the sign.  */
static void split_compare(Simplifier *simplifier, Op *op)
{
    const Op *both = op->nargs == 2 ? op->args[0]->def : NULL;
    if (!both || both->code != OP_SCALAR_OR || is_bool(both->results[0]) || !is_int(op->args[1], 0))
        return;
    bool all = op->code == OP_SCALAR_EQ || op->code == OP_SCALAR_GE;
    if (!all && op->code != OP_SCALAR_NE && op->code != OP_SCALAR_LT)
        return;
    int first = order_of(simplifier, both->args[0]) > order_of(simplifier, both->args[1]);
    Value *parts[2];
    for (int i = 0; i < 2; i++) {
        Value *args[] = {both->args[i ^ first], op->args[1]};
        Op *part = op_new(simplifier->kernel, op->code, op->loc, 2, args);
        op_before(op, part);
        parts[i] = op_result(simplifier->kernel, part, type_scalar(D_I1), NULL);
    }
    become(simplifier, op, all ? OP_SCALAR_AND : OP_SCALAR_OR, parts[0], parts[1]);
}

/* not (x < y) becomes x >= y. For floats only == and != have an opposite.  */
static void invert_compare(Simplifier *simplifier, Op *op)
{
    const Op *compare = op->args[0]->def;
    if (op->code != OP_SCALAR_NOT || !is_bool(op->args[0]) || !compare || !is_compare(compare->code))
        return;
    if (simplify_is_float(compare->args[0]) && compare->code != OP_SCALAR_EQ && compare->code != OP_SCALAR_NE)
        return;
    become(simplifier, op, inverted(compare->code), compare->args[0], compare->args[1]);
}

/* (int) b != 0 becomes b, and (int) b == 0 becomes not b. The same holds without the conversion.  */
static Value *bool_compare(Simplifier *simplifier, Op *op)
{
    if ((op->code != OP_SCALAR_EQ && op->code != OP_SCALAR_NE) || !is_constant(op->args[1]))
        return NULL;
    Value *truth = opcode_of(op->args[0]) == OP_SCALAR_CONVERT ? op->args[0]->def->args[0] : op->args[0];
    bool zero = is_int(op->args[1], 0);
    if (!is_bool(truth) || (!zero && !is_int(op->args[1], 1)))
        return NULL;
    if ((op->code == OP_SCALAR_NE) == zero)
        return truth;
    become(simplifier, op, OP_SCALAR_NOT, truth, NULL);
    return NULL;
}

/* (x + a) + b becomes x + (a + b), for integers, which wrap. The same holds for differences.  */
static void combine_sums(Simplifier *simplifier, Op *op)
{
    const Op *inner = op->args[0]->def;
    int64_t a, b;
    if ((op->code != OP_SCALAR_ADD && op->code != OP_SCALAR_SUB) || simplify_is_float(op->args[0]) ||
        op->args[0]->type.kind != K_SCALAR || !inner)
        return;
    if ((inner->code != OP_SCALAR_ADD && inner->code != OP_SCALAR_SUB) || inner->args[0]->type.kind != K_SCALAR)
        return;
    if (!ir_constant(op->args[1], &b) || !ir_constant(inner->args[1], &a))
        return;
    a = inner->code == OP_SCALAR_SUB ? -a : a;
    int64_t sum = op->code == OP_SCALAR_SUB ? a - b : a + b;
    if (a > INT32_MAX || a < -INT32_MAX || b > INT32_MAX || b < -INT32_MAX)
        return;
    Value *constant = ir_const_before(simplifier->kernel, op, op->args[0]->type.dtype, sum < 0 ? -sum : sum);
    become(simplifier, op, sum < 0 ? OP_SCALAR_SUB : OP_SCALAR_ADD, inner->args[0], constant);
}

/* x + -a becomes x - a. The host compiler produces either form, depending on its level.  */
static void positive_literal(Simplifier *simplifier, Op *op)
{
    int64_t a;
    if ((op->code != OP_SCALAR_ADD && op->code != OP_SCALAR_SUB) || simplify_is_float(op->args[0]) ||
        op->args[0]->type.kind != K_SCALAR || !ir_constant(op->args[1], &a) || a >= 0 || a < -INT32_MAX)
        return;
    Value *constant = ir_const_before(simplifier->kernel, op, op->args[1]->type.dtype, -a);
    become(simplifier, op, op->code == OP_SCALAR_SUB ? OP_SCALAR_ADD : OP_SCALAR_SUB, op->args[0], constant);
}

/* c ? x : false becomes c and x; c ? true : y becomes c or y.  */
static void select_of_bools(Simplifier *simplifier, Op *op)
{
    if (op->code != OP_SCALAR_SELECT || !is_bool(op->args[1]))
        return;
    Value *condition = op->args[0], *x = op->args[1], *y = op->args[2];
    if (is_int(y, 0))
        become(simplifier, op, OP_SCALAR_AND, condition, x);
    else if (is_int(x, 1))
        become(simplifier, op, OP_SCALAR_OR, condition, y);
    else if (is_int(x, 0) && is_int(y, 1))
        become(simplifier, op, OP_SCALAR_NOT, condition, NULL);
}

/* Rewrites for programs of roles: terms.c canonicalizes sums of signed integers.  */
static void simplify_integers(Simplifier *simplifier, Op *op)
{
    if (op->nargs != 2 || simplify_is_float(op->args[0]))
        return;
    literal_right(simplifier, op);
    Dtype dtype = op->args[0]->type.dtype;
    if (dtype != D_I32 && dtype != D_I64)
        return;
    combine_sums(simplifier, op);
    positive_literal(simplifier, op);
}

Value *simplify_scalar(Simplifier *simplifier, Op *op)
{
    if (op->code == OP_CONST || !op->nargs || fold(simplifier, op))
        return NULL;
    if (simplifier->program) {
        simplify_integers(simplifier, op);
        return NULL;
    }
    literal_right(simplifier, op);
    invert_compare(simplifier, op);
    select_of_bools(simplifier, op);
    split_compare(simplifier, op);
    conditions_in_order(simplifier, op);
    if (op->nargs == 2) {
        combine_sums(simplifier, op);
        positive_literal(simplifier, op);
    }
    return op->nargs == 2 ? bool_compare(simplifier, op) : NULL;
}
