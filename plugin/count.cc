/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * count.cc - is a loop counted?
 *
 *   k_1 = PHI <lo, k_2>;  if (k_1 < hi) ... k_2 = k_1 + step;       lo, hi, step, <
 *
 * The bound and the step are left alone by the loop, and the count is not used after it.  Between k and the comparison there
 * may be conversions that keep every bit.
 */
#include "loop.h"

/* The loop leaves the expression alone: its leaves are defined outside.  */
bool loop_leaves_alone(class loop *loop, tree expression, int depth)
{
    tree name = ssa_resolve(expression);
    if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name) || constant_of(name))
        return true;
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (!flow_bb_inside_loop_p(loop, gimple_bb(def)))
        return true;
    if (depth > 16 || gimple_code(def) == GIMPLE_PHI || !pure_scalar_stmt(def))
        return false;
    if (is_gimple_assign(def) && gimple_assign_load_p(def))
        return memory_is_invariant(loop, def);
    use_operand_p use;
    ssa_op_iter i;
    FOR_EACH_SSA_USE_OPERAND(use, def, i, SSA_OP_USE)
    if (!loop_leaves_alone(loop, USE_FROM_PTR(use), depth + 1))
        return false;
    return true;
}

/* Behind copies and conversions that keep every bit.  */
static tree bare(tree expression)
{
    for (;;) {
        tree name = ssa_resolve(expression);
        if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name))
            return name;
        gimple *def = SSA_NAME_DEF_STMT(name);
        if (!is_gimple_assign(def) || !CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)))
            return name;
        tree to = TREE_TYPE(name), from = TREE_TYPE(gimple_assign_rhs1(def));
        if (!INTEGRAL_TYPE_P(to) || !INTEGRAL_TYPE_P(from) || TYPE_PRECISION(from) > TYPE_PRECISION(to) ||
            TYPE_PRECISION(from) == 1)
            return name;
        expression = gimple_assign_rhs1(def);
    }
}

static gphi *header_phi(class loop *loop, tree expression)
{
    tree name = bare(expression);
    if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name) || !INTEGRAL_TYPE_P(TREE_TYPE(name)))
        return NULL;
    gphi *phi = safe_dyn_cast<gphi *>(SSA_NAME_DEF_STMT(name));
    return phi && gimple_bb(phi) == loop->header ? phi : NULL;
}

static void swap_trees(tree &x, tree &y)
{
    tree other = x;
    x = y;
    y = other;
}

static bool step_operands(gimple *def, enum tree_code *code, tree *x, tree *y)
{
    if (is_gimple_assign(def) && gimple_num_ops(def) == 3) {
        *code = gimple_assign_rhs_code(def);
        *x = gimple_assign_rhs1(def);
        *y = gimple_assign_rhs2(def);
        return true;
    }
    if (!gimple_call_internal_p(def, IFN_UBSAN_CHECK_ADD) && !gimple_call_internal_p(def, IFN_UBSAN_CHECK_SUB))
        return false;
    *code = gimple_call_internal_p(def, IFN_UBSAN_CHECK_ADD) ? PLUS_EXPR : MINUS_EXPR;
    *x = gimple_call_arg(def, 0);
    *y = gimple_call_arg(def, 1);
    return true;
}

/* k = k + step on every way to the latch.  */
static bool step_of(class loop *loop, Count *count)
{
    tree next = ssa_resolve(PHI_ARG_DEF_FROM_EDGE(count->iv, loop_latch_edge(loop))), x, y;
    enum tree_code code;
    if (TREE_CODE(next) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(next) ||
        !step_operands(SSA_NAME_DEF_STMT(next), &code, &x, &y))
        return false;
    tree iv = gimple_phi_result(count->iv);
    if (code == PLUS_EXPR && ssa_resolve(y) == iv)
        swap_trees(x, y);
    if ((code != PLUS_EXPR && code != MINUS_EXPR) || ssa_resolve(x) != iv || !loop_leaves_alone(loop, y, 0))
        return false;
    count->step = y;
    count->negative = code == MINUS_EXPR;
    return !count->negative || constant_of(y);
}

/* With a walk: other than by the PHIs that the ways out lead to.  */
bool loop_used_outside(const Walk *w, class loop *loop, tree name)
{
    imm_use_iterator i;
    use_operand_p use;
    FOR_EACH_IMM_USE_FAST(use, i, name)
    {
        gimple *stmt = USE_STMT(use);
        if (is_gimple_debug(stmt))
            continue;
        basic_block bb = gimple_bb(stmt);
        if (gimple_code(stmt) == GIMPLE_PHI)
            bb = gimple_phi_arg_edge(as_a<gphi *>(stmt), PHI_ARG_INDEX_FROM_USE(use))->src;
        if (!flow_bb_inside_loop_p(loop, bb) && !(w && control_in_tail(w, bb)))
            return true;
        if (!w && gimple_code(stmt) == GIMPLE_PHI && !flow_bb_inside_loop_p(loop, gimple_bb(stmt)))
            return true;
    }
    return false;
}

/* The count, or what is computed from it in the header, lives on after the loop.  */
static bool count_escapes(const Shape *shape, gphi *iv)
{
    if (loop_used_outside(NULL, shape->loop, gimple_phi_result(iv)))
        return true;
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(shape->loop->header); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        tree lhs = gimple_get_lhs(gsi_stmt(i));
        if (lhs && TREE_CODE(lhs) == SSA_NAME && !loop_leaves_alone(shape->loop, lhs, 0) &&
            loop_used_outside(NULL, shape->loop, lhs))
            return true;
    }
    return false;
}

bool loop_count_of(const Shape *shape, Count *count)
{
    class loop *loop = shape->loop;
    gcond *stmt = as_a<gcond *>(gsi_stmt(gsi_last_nondebug_bb(loop->header)));
    enum tree_code code = gimple_cond_code(stmt);
    tree x = gimple_cond_lhs(stmt), y = gimple_cond_rhs(stmt);
    bool negate;
    if (shape->branch.count != 1 || !INTEGRAL_TYPE_P(TREE_TYPE(x)))
        return false;
    count->iv = header_phi(loop, x);
    if (!count->iv || !loop_leaves_alone(loop, y, 0)) {
        swap_trees(x, y);
        code = swap_tree_comparison(code);
        count->iv = header_phi(loop, x);
    }
    if (!shape->in_on_yes)
        code = invert_tree_comparison(code, false);
    if (code == EQ_EXPR && TYPE_UNSIGNED(TREE_TYPE(x)) && integer_zerop(y)) { /* what GCC makes of x < 1 */
        code = LT_EXPR;
        y = build_one_cst(TREE_TYPE(x));
    }
    if (!count->iv || !loop_leaves_alone(loop, y, 0) || code == EQ_EXPR || !opcode_of(code, &count->compare, &negate))
        return false;
    count->lo = PHI_ARG_DEF_FROM_EDGE(count->iv, loop_preheader_edge(loop));
    count->hi = y;
    return step_of(loop, count) && !count_escapes(shape, count->iv);
}
