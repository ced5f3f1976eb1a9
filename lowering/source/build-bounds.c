/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-bounds.c - several bounds of a counter become one.
 *
 *      for (k = 0; k < n && k <= m; k++)          %1 = scalar_lt %m, %n
 *                                                 %2 = scalar_add %m, 1
 *                                          =>     %3 = scalar_select %1, %2, %n
 *                                                 for %k = 0, < %3, 1
 *
 * Arithmetic of 64 bits joins bounds of counters that do not wrap, which C compares with a sign. The loops lead to all
 * of them from one side.
 */
#include "build.h"

static bool is_upper(Opcode compare)
{
    return compare == OP_SCALAR_LT || compare == OP_SCALAR_LE;
}

static bool agrees(const SourceTree *loop, const SourceInduction *bound, bool up)
{
    const Operand hi = bound->test->args[1 - bound->side];
    const Instruction *made = source_maker_in(loop->test, hi);
    const bool widened = made && made->code == SO_CONV && source_type_bytes(made->from) <= 4;
    const bool wide = source_type_bytes(bound->test->type) > 4 && hi.kind != OPERAND_INTEGER && !widened;
    return bound->test->code != SO_EQ && bound->test->code != SO_NE && is_upper(build_comparison(bound)) == up &&
           source_type_is_signed(bound->test->type) && source_type_is_signed(bound->counter.variable->type) &&
           (bound->offset.kind == OPERAND_NONE ||
            (!bound->wraps && !wide && source_type_bytes(bound->counter.variable->type) <= 4));
}

bool build_bounds_agree(const SourceTree *loop)
{
    const SourceInduction *induction = loop->induction;
    const bool up = is_upper(build_comparison(induction));
    bool agree = agrees(loop, induction, up);
    for (int k = 0; k < induction->nmore; k++)
        agree = agree && agrees(loop, &induction->more[k], up);
    return agree;
}

static Value *bound_of(Builder *b, Loc loc, const SourceInduction *bound)
{
    Value *hi = build_scalar(b, loc, bound->test->args[1 - bound->side], bound->test->type);
    hi = hi ? build_convert(b, loc, build_without_widening(hi), D_I64) : NULL;
    if (!hi || bound->offset.kind == OPERAND_NONE)
        return hi;
    Value *offset = build_scalar(b, loc, bound->offset, bound->counter.variable->type);
    return offset ? build_binary(b, OP_SCALAR_SUB, loc, hi, build_convert(b, loc, offset, D_I64)) : NULL;
}

/* `reached`: the loop comes to `y`, and not to `x`.  */
static Value *nearer(Builder *b, Loc loc, bool up, Value *x, Value *y, bool reached)
{
    if (!reached)
        return build_binary(b, up ? OP_SCALAR_MIN : OP_SCALAR_MAX, loc, x, y);
    Value *compared[] = {y, x};
    Value *nearer = build_op(b, up ? OP_SCALAR_LT : OP_SCALAR_GT, loc, type_scalar(D_I1), 2, compared);
    Value *args[] = {nearer, build_binary(b, OP_SCALAR_ADD, loc, y, build_integer(b, D_I64, up ? 1 : -1)), x};
    return build_op(b, OP_SCALAR_SELECT, loc, type_scalar(D_I64), 3, args);
}

Value *build_joined_bound(Builder *b, const SourceTree *loop, Opcode *compare)
{
    const SourceInduction *first = loop->induction;
    const bool up = is_upper(build_comparison(first));
    Value *joined = NULL;
    *compare = build_comparison(first);
    for (int k = 0; k < first->nmore; k++)
        if (build_comparison(&first->more[k]) != *compare)
            *compare = up ? OP_SCALAR_LT : OP_SCALAR_GT;
    for (int pass = 0; pass < 2; pass++) /* first those that are not reached */
        for (int k = -1; k < first->nmore; k++) {
            const SourceInduction *bound = k < 0 ? first : &first->more[k];
            const bool reached = build_comparison(bound) != *compare;
            if (reached != (pass == 1))
                continue;
            Value *value = bound_of(b, loop->loc, bound);
            if (!value)
                return NULL;
            joined = joined ? nearer(b, loop->loc, up, joined, value, reached) : value;
        }
    return joined;
}

static bool joins(const SourceTree *loop, Operand x, const Instruction *i)
{
    const Instruction *made = source_maker_in(loop->test, x);
    return made && (made == i || (made->code == SO_AND && made->type == ST_B &&
                                  (joins(loop, made->args[0], i) || joins(loop, made->args[1], i))));
}

bool build_is_of_test(const SourceTree *loop, const Instruction *i)
{
    return i == loop->induction->test || (loop->induction->nmore && joins(loop, loop->condition, i));
}
