/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fast-math.c - cheaper powers and quotients whose low bits no result shows.
 *
 *      before                                     after
 *      d = sub s, (max most, (row_max s))         d = sub s, (max most, (row_max s))
 *      p = exp d                                  p = exp d | fast=1                  p = ws::exp_fast(d)
 *      x = cast p, f16                            x = cast p, f16
 *      sum = row_part p                           sum = row_part p
 *
 * e^x within 2 ulp of f32 takes eight instructions.  Seven of them compensate the rounding of x log2 (e), which costs a
 * relative error of about |x| 2^-24.  No result shows this error in two cases.
 *
 *   - The power is rounded to at most 16 bits. Powers in f16 are nonzero for |x| < 22, with an error of at most 2^-19.
 *     Powers in bf16 are nonzero for |x| < 89, with an error of at most 2^-17.
 *   - A sum along a row adds powers relative to the row maximum. There |x| e^x is at most 0.37, and the sum at least 1.
 *     Sums over the blocks of a cluster are alike.
 *
 * A correctly rounded quotient takes six instructions.  If a row is divided by one number, a product with the
 * reciprocal takes one.  Its relative error is 2^-23, which no result shows after rounding to 16 bits.
 *
 * The proof ignores the mark `fast`, which only affects the last bits.  Programs with marked powers are compared
 * with the sequential library in tests/gpu.
 */
#include "ir/queries.h"
#include "passes.h"

enum { MOST_STEPS = 6 }; /* most operations from a power to its rounding, or from a score to the row maximum */

/* True if the value is at least the row maximum of x.  */
static bool is_largest(const Value *value, const Value *x, int steps)
{
    const Op *op = value->def;
    if (!op || steps == MOST_STEPS)
        return false;
    if (op->code == OP_ROW_MAX)
        return op->args[0] == x;
    return op->code == OP_MAX && (is_largest(op->args[0], x, steps + 1) || is_largest(op->args[1], x, steps + 1));
}

static bool is_below_largest(const Value *value)
{
    const Op *op = value->def;
    return op && op->code == OP_SUB && is_largest(op->args[1], op->args[0], 0);
}

/* Integers are no short types: a quotient may be rounded down to the next integer.  */
static bool is_short(Dtype dtype)
{
    return dtype_is_float(dtype) && dtype_bytes(dtype) <= 2;
}

static bool may_be_fast(const Uses *uses, const Value *value, bool below, int steps)
{
    if (steps == MOST_STEPS || !uses_of(uses, value))
        return false;
    for (const Use *use = uses_of(uses, value); use; use = use->next) {
        const Op *op = use->op;
        bool scaled = op->code == OP_MUL || (op->code == OP_DIV && op->args[0] == value);
        bool sum = op->code == OP_ROW_SUM || op->code == OP_ROW_PART;
        if (op->code == OP_CAST ? !is_short(op->results[0]->type.dtype)
            : sum               ? !below
            : scaled            ? !may_be_fast(uses, op->results[0], false, steps + 1)
                                : true)
            return false;
    }
    return true;
}

/* True for a quotient of rows by one number each.  */
static bool divides_rows(const Op *op)
{
    Type x = op->args[0]->type, y = op->args[1]->type;
    return x.kind == K_TILE && y.kind == K_TILE && x.cols > 1 && y.cols == 1 && y.rows <= x.rows;
}

/* True if the powers are not used, or if all uses drop their low bits.  */
static bool powers_may_be_fast(const Uses *uses, const Op *sum)
{
    for (const Use *use = uses_of(uses, sum->results[0]); use; use = use->next)
        if (use->op->code == OP_POWERS_SENT && !may_be_fast(uses, use->op->results[0], false, 0))
            return false;
    return true;
}

static void visit_power(Op *op, void *context)
{
    if (!op->nresults || op->results[0]->type.dtype != D_F32)
        return;
    if (op->code == OP_EXP)
        op->tile->fast = may_be_fast(context, op->results[0], is_below_largest(op->args[0]), 0);
    else if (op->code == OP_SUM_EXP_BLOCKS)
        op->tile->fast = powers_may_be_fast(context, op);
    else if (op->code == OP_DIV && divides_rows(op))
        op->tile->fast = may_be_fast(context, op->results[0], false, 0);
}

void pass_fast_math(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        Uses uses = uses_new(kernel, role->body);
        ir_walk(role->body, visit_power, &uses);
    }
}
