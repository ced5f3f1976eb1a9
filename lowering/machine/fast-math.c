/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fast-math.c - powers and quotients of which few bits are seen.
 *
 *   before                                     after
 *   d = sub s, (max most, (row_max s))         d = sub s, (max most, (row_max s))
 *   p = exp d                                  p = exp d | rounded=1            p = ws::exp_fast(d)
 *   x = cast p, f16                            x = cast p, f16
 *   sum = row_part p                           sum = row_part p
 *
 * e^x within 2 ulp of f32 takes eight instructions, seven of which make up for what x log2 (e) loses where it is
 * rounded.  That is a relative error of |x| 2^-24 or so.  It is not seen
 *   - where the power is rounded to f16, bf16 or fewer bits: those of f16 are left of |x| < 22, with an error of 2^-19
 *     at most, those of bf16 of |x| < 89, with 2^-17;
 *   - in a sum along a row of powers below the row's largest: there |x| e^x is 0.37 at most, and the sum 1 at least.
 *     So are the sums that blocks of a cluster have together.
 *
 *
 * A quotient of each number of a row by the same one takes six instructions where it is the nearest, and one where the
 * reciprocal is multiplied: that is off by a relative 2^-23, which is not seen where it is rounded so.
 *
 * The proof takes no notice: the mark says nothing of what is computed but in the last places.  tests/gpu compares
 * programs whose powers are so marked with the sequential library's.
 */
#include "ir/queries.h"
#include "lower.h"

enum { MOST_STEPS = 6 }; /* between a power and what rounds it, or a number and the row's largest in it */

/* At least the row's largest of x.  */
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

/* To whole numbers a quotient may be rounded down that should be one.  */
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

/* Rows of which each number is divided by the same one.  */
static bool divides_rows(const Op *op)
{
    Type x = op->args[0]->type, y = op->args[1]->type;
    return x.kind == K_TILE && y.kind == K_TILE && x.cols > 1 && y.cols == 1 && y.rows <= x.rows;
}

/* Nobody takes the powers, or all who do see few bits.  */
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

/* require: programs of roles.   ensure: rounded on powers of which few bits are seen.  */
void pass_fast_math(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        Uses uses = uses_new(kernel, role->body);
        ir_walk(role->body, visit_power, &uses);
    }
}
