/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * count.cc - is a loop counted?
 *
 *   k_1 = PHI <lo, k_2>;  if (k_1 < hi) ... k_2 = k_1 + step;       lo, hi, step, <
 *   if (k_1 < hi && k_1 + 64 <= n) ...                              the nearer of hi and n - 64
 *
 * The bound and the step are left alone by the loop, and the count is not used after it.  Between k and the comparison
 * there may be conversions that keep every bit; and the sum may be one of another type: k_2 = (int) ((long) k_1 +
 * step).
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
    if (depth <= 16 && plain_reads_alike(loop, def))
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
tree loop_bare(tree expression)
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
    tree name = loop_bare(expression);
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

/* Of x + y and x - y, checked for overflow or not, and of what else has two.  */
static bool sum_operands(gimple *def, enum tree_code *code, tree *x, tree *y)
{
    if (is_gimple_assign(def) && gimple_num_ops(def) == 3) {
        *code = gimple_assign_rhs_code(def);
        *x = gimple_assign_rhs1(def);
        *y = gimple_assign_rhs2(def);
        return true;
    }
    if (!is_gimple_call(def) || !is_checked_arithmetic(def, code))
        return false;
    *x = gimple_call_arg(def, 0);
    *y = gimple_call_arg(def, 1);
    return true;
}

/* What was cut off, or changed its sign, to become `name`; else itself.  */
static tree before_cut(tree name)
{
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (!is_gimple_assign(def) || !CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)))
        return name;
    tree from = ssa_resolve(gimple_assign_rhs1(def));
    bool sum = TREE_CODE(from) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(from) && INTEGRAL_TYPE_P(TREE_TYPE(from));
    return sum && TYPE_PRECISION(TREE_TYPE(from)) >= TYPE_PRECISION(TREE_TYPE(name)) ? from : name;
}

/* Behind conversions that keep the low bits.  */
static tree same_bits(tree expression, unsigned bits)
{
    for (;;) {
        tree name = ssa_resolve(expression);
        if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name))
            return name;
        gimple *def = SSA_NAME_DEF_STMT(name);
        if (!is_gimple_assign(def) || !CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)))
            return name;
        tree from = TREE_TYPE(gimple_assign_rhs1(def));
        if (!INTEGRAL_TYPE_P(from) || TYPE_PRECISION(from) < bits || TYPE_PRECISION(TREE_TYPE(name)) < bits)
            return name;
        expression = gimple_assign_rhs1(def);
    }
}

/* Where several ways lead to the latch, and bring the same name.  */
static tree brought_by_all(class loop *loop, tree name)
{
    gphi *phi = TREE_CODE(name) == SSA_NAME ? safe_dyn_cast<gphi *>(SSA_NAME_DEF_STMT(name)) : NULL;
    if (!phi || gimple_bb(phi) == loop->header || !flow_bb_inside_loop_p(loop, gimple_bb(phi)))
        return name;
    tree first = ssa_resolve(gimple_phi_arg_def(phi, 0));
    for (unsigned i = 1; i < gimple_phi_num_args(phi); i++)
        if (ssa_resolve(gimple_phi_arg_def(phi, i)) != first)
            return name;
    return first;
}

/* k = k + step on every way to the latch.  */
static bool step_of(class loop *loop, Count *count)
{
    tree next = ssa_resolve(PHI_ARG_DEF_FROM_EDGE(count->iv, loop_latch_edge(loop))), x, y;
    next = brought_by_all(loop, next);
    enum tree_code code;
    if (TREE_CODE(next) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(next))
        return false;
    tree sum = before_cut(next), iv = gimple_phi_result(count->iv);
    if (!sum_operands(SSA_NAME_DEF_STMT(sum), &code, &x, &y))
        return false;
    if (code == PLUS_EXPR && loop_bare(y) == iv)
        swap_trees(x, y);
    if ((code != PLUS_EXPR && code != MINUS_EXPR) || loop_bare(x) != iv || !loop_leaves_alone(loop, y, 0))
        return false;
    count->step = y;
    count->negative = code == MINUS_EXPR;
    count->cut = sum != next;
    if (count->cut)
        count->step = same_bits(y, TYPE_PRECISION(TREE_TYPE(iv)));
    return true;
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

/* What a block of the condition computes from the count lives on after the loop.  */
static bool block_escapes(class loop *loop, basic_block bb)
{
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        tree lhs = gimple_get_lhs(gsi_stmt(i));
        if (lhs && TREE_CODE(lhs) == SSA_NAME && !loop_leaves_alone(loop, lhs, 0) && loop_used_outside(NULL, loop, lhs))
            return true;
    }
    return false;
}

static bool count_escapes(const Shape *shape, gphi *iv)
{
    for (int i = 0; i < shape->branch.count; i++)
        if (shape->branch.terms[i].bb && block_escapes(shape->loop, shape->branch.terms[i].bb))
            return true;
    return loop_used_outside(NULL, shape->loop, gimple_phi_result(iv));
}

/* A number that is added to a size_t: k + 1 < n, in which k is below n.  */
static bool adds_to_size(tree type, enum tree_code code, tree right)
{
    return TYPE_UNSIGNED(type) && TYPE_PRECISION(type) == 64 && code == PLUS_EXPR && TREE_CODE(right) == INTEGER_CST &&
           tree_fits_shwi_p(right) && tree_to_shwi(right) >= 0 && tree_to_shwi(right) <= INT32_MAX;
}

/* x is k, or k + offset in a type that does not wrap, or k + a number in one of 64 bits.  */
static bool counts(class loop *loop, tree x, Count *count, Bound *bound)
{
    gphi *iv = header_phi(loop, x);
    tree name = loop_bare(x), left, right;
    enum tree_code code;
    if (!iv && TREE_CODE(name) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(name) && INTEGRAL_TYPE_P(TREE_TYPE(name)) &&
        sum_operands(SSA_NAME_DEF_STMT(name), &code, &left, &right) &&
        (TYPE_OVERFLOW_UNDEFINED(TREE_TYPE(name)) || adds_to_size(TREE_TYPE(name), code, right))) {
        if (code == PLUS_EXPR && !header_phi(loop, left))
            swap_trees(left, right);
        if ((code == PLUS_EXPR || code == MINUS_EXPR) && loop_leaves_alone(loop, right, 0)) {
            iv = header_phi(loop, left);
            bound->offset = right;
            bound->subtract = code == MINUS_EXPR;
        }
    }
    if (!iv || (count->iv && count->iv != iv))
        return false;
    count->iv = iv;
    return true;
}

/* One comparison, which holds, or does not, as long as the loop runs.  */
static bool bound_of(class loop *loop, enum tree_code code, tree x, tree y, bool holds, Count *count)
{
    Bound *bound = &count->bounds[count->nbounds];
    bool negate;
    if (!INTEGRAL_TYPE_P(TREE_TYPE(x)) || count->nbounds == (int)ARRAY_SIZE(count->bounds))
        return false;
    *bound = Bound();
    if (!loop_leaves_alone(loop, y, 0) || !counts(loop, x, count, bound)) {
        swap_trees(x, y);
        code = swap_tree_comparison(code);
        if (!loop_leaves_alone(loop, y, 0) || !counts(loop, x, count, bound))
            return false;
    }
    if (!holds)
        code = invert_tree_comparison(code, false);
    if (code == EQ_EXPR && TYPE_UNSIGNED(TREE_TYPE(x)) && integer_zerop(y)) { /* what GCC makes of x < 1 */
        code = LT_EXPR;
        y = build_one_cst(TREE_TYPE(x));
    }
    bound->hi = y;
    count->nbounds++;
    return code != EQ_EXPR && opcode_of(code, &bound->compare, &negate);
}

/* The same of a truth value; front ends join comparisons that are free of effects: a & b.  */
static bool bounds_of_truth(class loop *loop, tree truth, bool holds, Count *count)
{
    tree name = ssa_resolve(truth);
    gimple *def = TREE_CODE(name) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(name) ? SSA_NAME_DEF_STMT(name) : NULL;
    if (!def || !is_gimple_assign(def) || TYPE_PRECISION(TREE_TYPE(name)) != 1)
        return false;
    enum tree_code code = gimple_assign_rhs_code(def);
    if (TREE_CODE_CLASS(code) == tcc_comparison)
        return bound_of(loop, code, gimple_assign_rhs1(def), gimple_assign_rhs2(def), holds, count);
    return code == (holds ? BIT_AND_EXPR : BIT_IOR_EXPR) &&
           bounds_of_truth(loop, gimple_assign_rhs1(def), holds, count) &&
           bounds_of_truth(loop, gimple_assign_rhs2(def), holds, count);
}

static bool bounds_of_condition(class loop *loop, basic_block bb, bool holds, Count *count)
{
    gcond *stmt = as_a<gcond *>(gsi_stmt(gsi_last_nondebug_bb(bb)));
    enum tree_code code = gimple_cond_code(stmt);
    tree x = gimple_cond_lhs(stmt), y = gimple_cond_rhs(stmt);
    bool truth = TYPE_PRECISION(TREE_TYPE(x)) == 1 && INTEGRAL_TYPE_P(TREE_TYPE(x)) && integer_zerop(y);
    if (truth && (code == NE_EXPR || code == EQ_EXPR))
        return bounds_of_truth(loop, x, holds == (code == NE_EXPR), count);
    return bound_of(loop, code, x, y, holds, count);
}

/* a && b, or what is not (c || d): all parts bound the count.  */
static bool bounds_of(const Shape *shape, int index, bool holds, Count *count)
{
    const Term &term = shape->branch.terms[index];
    if (term.bb)
        return bounds_of_condition(shape->loop, term.bb, holds, count);
    return term.is_and == holds && bounds_of(shape, term.left, holds, count) &&
           bounds_of(shape, term.right, holds != term.invert_right, count);
}

static bool is_upper(Opcode compare)
{
    return compare == OP_SCALAR_LT || compare == OP_SCALAR_LE;
}

/* Several bounds, or one of k + offset, become one by arithmetic in 64 bits, which must not wrap.  */
static bool bounds_agree(const Count *count)
{
    if (count->nbounds == 1 && !count->bounds[0].offset)
        return true;
    tree type = TREE_TYPE(gimple_phi_result(count->iv));
    if (count->nbounds == 1 && TYPE_UNSIGNED(type) && TYPE_PRECISION(type) == 64 &&
        TYPE_UNSIGNED(TREE_TYPE(count->bounds[0].hi)))
        return is_upper(count->bounds[0].compare) && TREE_CODE(count->bounds[0].offset) == INTEGER_CST;
    for (int i = 0; i < count->nbounds; i++) {
        const Bound *bound = &count->bounds[i];
        bool wide = TYPE_PRECISION(TREE_TYPE(loop_bare(bound->hi))) > 32 && !constant_of(bound->hi);
        if (TYPE_UNSIGNED(TREE_TYPE(bound->hi)) || TYPE_UNSIGNED(TREE_TYPE(gimple_phi_result(count->iv))) ||
            bound->compare == OP_SCALAR_NE || is_upper(bound->compare) != is_upper(count->bounds[0].compare) ||
            (bound->offset && (wide || TYPE_PRECISION(TREE_TYPE(loop_bare(bound->offset))) > 32)))
            return false;
    }
    return true;
}

int64_t count_step_below(tree type, int64_t number)
{
    unsigned bits = TYPE_PRECISION(type);
    return bits >= 64 ? number : (int64_t)((uint64_t)number << (64 - bits)) >> (64 - bits);
}

static bool known_number(tree expression, int64_t *number)
{
    tree constant = constant_of(expression);
    if (!constant || TREE_CODE(constant) != INTEGER_CST || !tree_fits_shwi_p(constant))
        return false;
    *number = tree_to_shwi(constant);
    return true;
}

static bool narrow_bound_holds(const Count *count, const Bound *bound, int64_t step)
{
    tree type = TREE_TYPE(gimple_phi_result(count->iv));
    int64_t hi = 0, lo = 0;
    bool known = !bound->offset && known_number(bound->hi, &hi), starts = known_number(count->lo, &lo);
    return counter_never_wraps(bound->compare, step, TYPE_PRECISION(type), !TYPE_UNSIGNED(type), starts ? &lo : NULL,
                               known ? &hi : NULL);
}

/* The count never wraps around in its own type; those of 32 bits and more are looked after elsewhere.  */
static bool counts_as_int(const Count *count)
{
    int64_t step;
    tree type = TREE_TYPE(gimple_phi_result(count->iv));
    if (TYPE_PRECISION(type) >= TYPE_PRECISION(integer_type_node))
        return true;
    if (!known_number(count->step, &step))
        return false;
    step = count_step_below(type, count->negative ? -step : step);
    for (int i = 0; i < count->nbounds; i++)
        if (!narrow_bound_holds(count, &count->bounds[i], step))
            return false;
    return step != 0;
}

bool loop_count_of(const Shape *shape, Count *count)
{
    if (!bounds_of(shape, shape->branch.root, shape->in_on_yes, count) || !bounds_agree(count))
        return false;
    count->lo = PHI_ARG_DEF_FROM_EDGE(count->iv, loop_preheader_edge(shape->loop));
    return step_of(shape->loop, count) && counts_as_int(count) && !count_escapes(shape, count->iv);
}
