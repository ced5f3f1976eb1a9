/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-fast.c - an approximated power or quotient has no result that shows its low bits.
 *
 *      %p = exp %d | fast=1         %d = sub %s, %m, where %m is the largest of %s in each row, or larger
 *      %h: tile<f16> = cast %p      f16 has 11 of the 24 bits
 *      %l = row_part %p             the powers of a row are at most 1, and their sum is at least the largest
 *
 * The approximation has a relative error.  Scaling keeps it, and a cast to 16 bits hides it.  A sum along the row hides
 * it, too, for powers relative to the row's maximum: the error grows with the exponent's size, and the power shrinks.
 * No other operation may read such a value.  So the check follows every use, and asks nothing of the pass that marks.
 */
#include "ir/slice.h"
#include "proof/verify.h"

typedef struct {
    Uses uses;
    const Op *failed;
} Approximations;

static bool reads_only_high_bits(const Approximations *all, const Value *value, bool sums);

/* The use takes 16 bits of the value, adds up its row, or passes its scaled bits on to operations that do.  */
static bool use_is_blind(const Approximations *all, const Op *op, const Value *value, bool sums)
{
    switch (op->code) {
    case OP_CAST:
        return dtype_is_float(op->results[0]->type.dtype) && dtype_bytes(op->results[0]->type.dtype) <= 2;
    case OP_ROW_SUM:
    case OP_ROW_PART:
        return sums;
    case OP_MUL:
        return reads_only_high_bits(all, op->results[0], false);
    case OP_DIV:
        return op->args[0] == value && op->args[1] != value && reads_only_high_bits(all, op->results[0], false);
    case OP_COMPUTED: /* computes nothing */
        return true;
    default:
        return false;
    }
}

static bool reads_only_high_bits(const Approximations *all, const Value *value, bool sums)
{
    bool blind = true;
    for (const Use *use = uses_of(&all->uses, value); use && blind; use = use->next)
        blind = use_is_blind(all, use->op, value, sums);
    return blind;
}

/* True if no element of a row of `of` is larger than the row's element of `bound`.  */
static bool bounds_rows(const Value *bound, const Value *of)
{
    const Op *op = bound->def;
    if (op && op->code == OP_MAX)
        return bounds_rows(op->args[0], of) || bounds_rows(op->args[1], of);
    return op && op->code == OP_ROW_MAX && op->args[0] == of;
}

static bool power_may_be_approximated(const Approximations *all, const Op *op)
{
    const Op *exponent = op->args[0]->def;
    const bool most_is_one = exponent && exponent->code == OP_SUB && bounds_rows(exponent->args[1], exponent->args[0]);
    return reads_only_high_bits(all, op->results[0], most_is_one);
}

/* Sums of powers below the maximum of all blocks hide the error.  Others may take the powers themselves.  */
static bool sum_may_be_approximated(const Approximations *all, const Op *sum)
{
    for (const Use *use = uses_of(&all->uses, sum->results[0]); use; use = use->next)
        if (use->op->code == OP_POWERS_SENT && !reads_only_high_bits(all, use->op->results[0], false))
            return false;
    return true;
}

/* The reciprocal of one number is shared by a row.  */
static bool quotient_may_be_approximated(const Approximations *all, const Op *op)
{
    const Type x = op->args[0]->type, y = op->args[1]->type;
    return x.kind == K_TILE && y.kind == K_TILE && y.cols == 1 && reads_only_high_bits(all, op->results[0], false);
}

static bool may_be_approximated(const Approximations *all, const Op *op)
{
    if (op->results[0]->type.dtype != D_F32)
        return false;
    switch (op->code) {
    case OP_EXP:
        return power_may_be_approximated(all, op);
    case OP_SUM_EXP_BLOCKS:
        return sum_may_be_approximated(all, op);
    case OP_DIV:
        return quotient_may_be_approximated(all, op);
    default:
        return false;
    }
}

static void visit_approximation(Op *op, void *context)
{
    Approximations *all = context;
    if (!all->failed && op->nresults && op->tile && op->tile->fast && !may_be_approximated(all, op))
        all->failed = op;
}

bool verify_fast(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        Approximations all = {uses_new(kernel, role->body), NULL};
        ir_walk(role->body, visit_approximation, &all);
        if (!all.failed)
            continue;
        BUG_AT(kernel, all.failed->loc.line ? all.failed->loc : kernel->loc,
               "'%s': '%s' is approximated, and a result shows its low bits", role->name,
               op_info[all.failed->code].text);
        return false;
    }
    return true;
}
