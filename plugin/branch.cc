/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * branch.cc - the condition at the end of a block; && and || over several blocks are one.
 *
 *   bb2: if (a) goto bb3; else goto bb5;
 *   bb3: if (b) goto bb4; else goto bb5;        if (a && b) goto bb4; else goto bb5;
 *
 * Two condition blocks of which the second is free of effects and shares a successor with the first are one condition.
 * Optimizing front ends fold some conditions on their own; those come back as they were written.
 */
#include "plugin.h"

bool branch_has(const Branch *branch, basic_block bb)
{
    for (int i = 0; branch && i < branch->count; i++)
        if (branch->terms[i].bb == bb)
            return true;
    return false;
}

static gcond *condition_at_end(basic_block bb)
{
    gimple_stmt_iterator last = gsi_last_nondebug_bb(bb);
    return gsi_end_p(last) ? NULL : safe_dyn_cast<gcond *>(gsi_stmt(last));
}

static bool divides_by_unknown(gimple *stmt)
{
    if (!is_gimple_assign(stmt))
        return false;
    enum tree_code code = gimple_assign_rhs_code(stmt);
    if (code != TRUNC_DIV_EXPR && code != TRUNC_MOD_EXPR && code != EXACT_DIV_EXPR)
        return false;
    tree divisor = constant_of(gimple_assign_rhs2(stmt));
    return !divisor || integer_zerop(divisor);
}

static bool only_from(const Branch *branch, int first, basic_block bb)
{
    edge e;
    edge_iterator ei;
    FOR_EACH_EDGE(e, ei, bb->preds)
    {
        int i = first;
        while (i < branch->count && branch->terms[i].bb != e->src)
            i++;
        if (i == branch->count)
            return false;
    }
    return true;
}

/* A value of the program is one or another here; the state of memory, which ws_at might change for all that GCC knows,
   is none. */
static bool chooses_value(basic_block bb)
{
    for (gphi_iterator i = gsi_start_phis(bb); !gsi_end_p(i); gsi_next(&i))
        if (phi_needed(i.phi()))
            return true;
    return false;
}

/* A block that only computes a condition, and may as well be computed when it is not needed; all ways to it come from
   the terms since `first`.  */
static bool only_condition(const Branch *branch, int first, basic_block bb)
{
    if (!condition_at_end(bb) || chooses_value(bb) || !only_from(branch, first, bb))
        return false;
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        gimple *stmt = gsi_stmt(i);
        if (gimple_code(stmt) != GIMPLE_COND && (!pure_scalar_stmt(stmt) || divides_by_unknown(stmt)))
            return false;
    }
    return true;
}

static bool same_arguments(edge x, edge y)
{
    if (x->dest != y->dest)
        return false;
    for (gphi_iterator i = gsi_start_phis(x->dest); !gsi_end_p(i); gsi_next(&i))
        if (phi_needed(i.phi()) && !operand_equal_p(ssa_resolve(PHI_ARG_DEF_FROM_EDGE(i.phi(), x)),
                                                    ssa_resolve(PHI_ARG_DEF_FROM_EDGE(i.phi(), y)), 0))
            return false;
    return true;
}

/* A part of a chain: the term, and where it leads.  */
struct Part {
    int first, root;
    edge yes, no;
};

static bool reduce(Branch *branch, basic_block bb, Part *part);

static int term_new(Branch *branch, Term term)
{
    branch->terms[branch->count] = term;
    return branch->count++;
}

/* Take what stands at one edge into the chain, if its other way out is the chain's other way out.  */
static bool extend(Branch *branch, Part *part, bool on_yes)
{
    edge *own = on_yes ? &part->yes : &part->no, other = on_yes ? part->no : part->yes;
    basic_block bb = (*own)->dest;
    Part next;
    int count = branch->count;
    if (bb->loop_father != branch->terms[0].bb->loop_father || !only_condition(branch, part->first, bb) ||
        !reduce(branch, bb, &next))
        return false;
    bool invert = !same_arguments(on_yes ? next.no : next.yes, other);
    if ((invert && !same_arguments(on_yes ? next.yes : next.no, other)) ||
        branch->count == (int)ARRAY_SIZE(branch->terms)) {
        branch->count = count;
        return false;
    }
    *own = (on_yes != invert) ? next.yes : next.no;
    part->root = term_new(branch, Term{NULL, part->root, next.root, on_yes, invert});
    return true;
}

static bool reduce(Branch *branch, basic_block bb, Part *part)
{
    if (branch->count == (int)ARRAY_SIZE(branch->terms))
        return false;
    part->first = part->root = term_new(branch, Term{bb, 0, 0, false, false});
    extract_true_false_edges_from_block(bb, &part->yes, &part->no);
    while (extend(branch, part, true) || extend(branch, part, false))
        ;
    return true;
}

bool branch_of(basic_block bb, Branch *branch)
{
    Part part;
    branch->count = 0;
    if (!condition_at_end(bb) || !reduce(branch, bb, &part))
        return false;
    branch->root = part.root;
    branch->yes = part.yes;
    branch->no = part.no;
    return true;
}

/* The integer comparison that holds where this one does not.  */
static bool opposite(const Op *op, Opcode *code)
{
    static const Opcode pairs[][2] = {
        {OP_SCALAR_EQ, OP_SCALAR_NE}, {OP_SCALAR_LT, OP_SCALAR_GE}, {OP_SCALAR_LE, OP_SCALAR_GT}};
    for (unsigned i = 0; op && i < ARRAY_SIZE(pairs); i++)
        for (int k = 0; k < 2; k++)
            if (op->code == pairs[i][k] && (!i || !dtype_is_float(op->args[0]->type.dtype))) {
                *code = pairs[i][!k];
                return true;
            }
    return false;
}

Value *branch_negated(Walk *w, Value *x)
{
    int64_t known;
    Opcode code;
    if (ir_constant(x, &known))
        return value_literal(w, D_I1, !known, 0);
    if (x->def && x->def->code == OP_SCALAR_NOT)
        return x->def->args[0];
    if (opposite(x->def, &code))
        return value_new_op(w, code, w->where, type_scalar(D_I1), NULL, 2, x->def->args);
    return value_new_op(w, OP_SCALAR_NOT, w->where, type_scalar(D_I1), NULL, 1, &x);
}

static Value *bound_check(Walk *w, Opcode code, Value *x, int64_t bound)
{
    Value *args[] = {x, value_literal(w, x->type.dtype, bound, 0)};
    return value_new_op(w, code, w->where, type_scalar(D_I1), NULL, 2, args);
}

/* x >= lo && x < hi, or x < lo || x >= hi, the lower bound first.  */
static Value *range_check(Walk *w, bool is_and, Value *x, int64_t lo, int64_t hi)
{
    Value *args[] = {bound_check(w, is_and ? OP_SCALAR_GE : OP_SCALAR_LT, x, lo),
                     bound_check(w, is_and ? OP_SCALAR_LT : OP_SCALAR_GE, x, hi)};
    return value_new_op(w, is_and ? OP_SCALAR_AND : OP_SCALAR_OR, w->where, type_scalar(D_I1), NULL, 2, args);
}

static bool is_bound(const Value *value, Opcode code, int64_t *bound)
{
    return value->def && value->def->code == code && !dtype_is_float(value->def->args[0]->type.dtype) &&
           ir_constant(value->def->args[1], bound);
}

/* Both bounds of one value, in either order.  */
static Value *joined_range(Walk *w, bool is_and, Value *x, Value *y)
{
    int64_t lo, hi;
    Opcode low = is_and ? OP_SCALAR_GE : OP_SCALAR_LT, high = is_and ? OP_SCALAR_LT : OP_SCALAR_GE;
    if (is_bound(y, low, &lo) && is_bound(x, high, &hi)) {
        Value *other = x;
        x = y;
        y = other;
    }
    if (!is_bound(x, low, &lo) || !is_bound(y, high, &hi) || x->def->args[0] != y->def->args[0])
        return NULL;
    return range_check(w, is_and, x->def->args[0], lo, hi);
}

Value *branch_joined(Walk *w, bool is_and, Value *x, Value *y)
{
    int64_t known;
    Value *range = joined_range(w, is_and, x, y);
    if (range)
        return range;
    Value *args[] = {x, y};
    if (ir_constant(x, &known))
        return (known != 0) == is_and ? y : x;
    if (ir_constant(y, &known))
        return (known != 0) == is_and ? x : y;
    return value_new_op(w, is_and ? OP_SCALAR_AND : OP_SCALAR_OR, w->where, type_scalar(D_I1), NULL, 2, args);
}

/* (x | y) == 0, as an optimizing front end writes x == 0 && y == 0; likewise (x | y) != 0.  */
static Value *both_zero(Walk *w, tree x, enum tree_code code)
{
    tree name = ssa_resolve(x);
    gimple *def = TREE_CODE(name) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(name) ? SSA_NAME_DEF_STMT(name) : NULL;
    if (!def || !is_gimple_assign(def) || gimple_assign_rhs_code(def) != BIT_IOR_EXPR ||
        TYPE_PRECISION(TREE_TYPE(name)) == 1 || name_of(name) || (code != EQ_EXPR && code != NE_EXPR))
        return NULL;
    Opcode opcode = code == EQ_EXPR ? OP_SCALAR_EQ : OP_SCALAR_NE;
    Value *parts[2];
    for (int i = 0; i < 2; i++) {
        Value *part = value_of(w, i ? gimple_assign_rhs2(def) : gimple_assign_rhs1(def));
        Value *args[] = {part, value_literal(w, part->type.dtype, 0, 0)};
        parts[i] = value_new_op(w, opcode, w->where, type_scalar(D_I1), NULL, 2, args);
    }
    return branch_joined(w, code == EQ_EXPR, parts[0], parts[1]);
}

static gimple *nameless_definition(tree *expression)
{
    *expression = ssa_resolve(*expression);
    if (TREE_CODE(*expression) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(*expression) || name_of(*expression))
        return NULL;
    gimple *def = SSA_NAME_DEF_STMT(*expression);
    return is_gimple_assign(def) ? def : NULL;
}

/* (unsigned) x - 64 < 64, as an optimizing front end writes x >= 64 && x < 128.  */
static Value *folded_range(Walk *w, tree x, enum tree_code code, int64_t count)
{
    int64_t lo = 0;
    unsigned bits = TYPE_PRECISION(TREE_TYPE(x));
    bool is_and = code == LT_EXPR || code == LE_EXPR;
    gimple *def = nameless_definition(&x);
    if (!def || !TYPE_UNSIGNED(TREE_TYPE(x)) || bits > 32 || (!is_and && code != GT_EXPR && code != GE_EXPR))
        return NULL;
    if (count < 0) /* 2^31 or more */
        return NULL;
    if (gimple_assign_rhs_code(def) == PLUS_EXPR && constant_int(gimple_assign_rhs2(def), &lo)) {
        lo = -(int64_t)(int32_t)lo;
        x = gimple_assign_rhs1(def);
        def = nameless_definition(&x);
    }
    if (!def || !CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)))
        return NULL;
    tree signed_x = gimple_assign_rhs1(def);
    if (TYPE_UNSIGNED(TREE_TYPE(signed_x)) || TYPE_PRECISION(TREE_TYPE(signed_x)) != bits)
        return NULL;
    int64_t hi = lo + (code == LE_EXPR || code == GT_EXPR ? count + 1 : count);
    return hi > INT32_MAX ? NULL : range_check(w, is_and, value_of(w, signed_x), lo, hi);
}

static Value *condition_value(Walk *w, gcond *stmt)
{
    tree x = gimple_cond_lhs(stmt), y = gimple_cond_rhs(stmt);
    enum tree_code code = gimple_cond_code(stmt);
    Opcode opcode;
    bool negate;
    w->where = stmt_location(stmt);
    if (POINTER_TYPE_P(TREE_TYPE(x))) {
        if (is_tile_type(TREE_TYPE(x)) || is_tensor_type(TREE_TYPE(x)))
            refuse_handle_arithmetic(w, stmt);
        else if (Value *value = plain_comparison(w, code, x, y))
            return value;
        else
            complain(w->where, "decide it before the grid; a loop counts elements: for (i = 0; i < n; i++) ... p[i]",
                     "pointers are compared in a grid");
        return value_anything(w, boolean_type_node);
    }
    tree known_x = constant_of(x), known_y = constant_of(y);
    tree known = known_x && known_y ? fold_binary(code, boolean_type_node, known_x, known_y) : NULL_TREE;
    if (known && TREE_CODE(known) == INTEGER_CST)
        return value_literal(w, D_I1, !integer_zerop(known), 0);
    Value *unfolded = known_y && integer_zerop(known_y) ? both_zero(w, x, code) : NULL;
    int64_t bound;
    if (!unfolded && known_y && TREE_CODE(known_y) == INTEGER_CST && constant_int(known_y, &bound))
        unfolded = folded_range(w, x, code, bound);
    if (unfolded)
        return unfolded;
    Value *left = value_of(w, x);
    if (left->type.dtype == D_I1 && known_y && integer_zerop(known_y))
        return code == NE_EXPR ? left : branch_negated(w, left);
    if (code == UNORDERED_EXPR || code == ORDERED_EXPR)
        return scalar_unordered(w, w->where, code, left, value_of(w, y));
    if (!opcode_of(code, &opcode, &negate)) {
        complain(w->where, NULL, "this condition is not supported in a grid");
        return value_anything(w, boolean_type_node);
    }
    Value *args[] = {left, value_of(w, y)};
    Value *value = value_new_op(w, opcode, w->where, type_scalar(D_I1), NULL, 2, args);
    return negate ? branch_negated(w, value) : value;
}

static Value *term_emit(Walk *w, const Branch *branch, int index)
{
    const Term &term = branch->terms[index];
    if (term.bb) {
        if (index)
            control_statements(w, term.bb);
        return condition_value(w, condition_at_end(term.bb));
    }
    Value *left = term_emit(w, branch, term.left);
    Value *right = term_emit(w, branch, term.right);
    return branch_joined(w, term.is_and, left, term.invert_right ? branch_negated(w, right) : right);
}

Value *branch_emit(Walk *w, const Branch *branch)
{
    return term_emit(w, branch, branch->root);
}
