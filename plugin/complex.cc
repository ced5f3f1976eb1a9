/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * complex.cc - complex numbers become pairs, before the walk.
 *
 *   y[i] = x[i] * w;        _1 = *x_7;                _1r = REALPART <*x_7>;  _1i = IMAGPART <*x_7>;
 *                           _2 = _1 * w_3;            _2r = _1r * w_3r - _1i * w_3i;  _2i = ...
 *                           *y_8 = _2;                REALPART <*y_8> = _2r;  IMAGPART <*y_8> = _2i;
 *
 * GCC's own pass does this later, for products and quotients with calls of libgcc where a result is no number.  Those
 * of a grid are written out here, as under -fcx-limited-range; quotients by Smith's method, so that they overflow no
 * sooner than what they are of.  Then that pass is run on the function.  What it leaves of whole numbers, nobody uses.
 */
#include "plugin.h"

static bool is_complex(tree x)
{
    return x && TREE_CODE(TREE_TYPE(x)) == COMPLEX_TYPE;
}

static bool has_complex(const gimple *stmt)
{
    for (unsigned i = 0; i < gimple_num_ops(stmt); i++) {
        tree operand = gimple_op(stmt, i);
        if (operand &&
            (EXPR_P(operand) || DECL_P(operand) || CONSTANT_CLASS_P(operand) || TREE_CODE(operand) == SSA_NAME) &&
            is_complex(operand))
            return true;
    }
    return false;
}

/* ---- products, quotients, functions ------------------------------------------------------------------------------ */

struct Builder {
    gimple_seq code;
    location_t where;
    tree type; /* of the parts */
};

static tree make(Builder *b, enum tree_code code, tree x, tree y)
{
    return gimple_build(&b->code, b->where, code, b->type, x, y);
}

static tree part_of(Builder *b, tree x, bool imaginary)
{
    return gimple_build(&b->code, b->where, imaginary ? IMAGPART_EXPR : REALPART_EXPR, b->type, x);
}

static tree choose(Builder *b, tree condition, tree x, tree y)
{
    return gimple_build(&b->code, b->where, COND_EXPR, b->type, condition, x, y);
}

static tree multiplied(Builder *b, tree x, tree y)
{
    tree xr = part_of(b, x, false), xi = part_of(b, x, true), yr = part_of(b, y, false), yi = part_of(b, y, true);
    tree real = make(b, MINUS_EXPR, make(b, MULT_EXPR, xr, yr), make(b, MULT_EXPR, xi, yi));
    tree imaginary = make(b, PLUS_EXPR, make(b, MULT_EXPR, xr, yi), make(b, MULT_EXPR, xi, yr));
    return gimple_build(&b->code, b->where, COMPLEX_EXPR, build_complex_type(b->type), real, imaginary);
}

/* By the larger part of the divisor.  */
static tree divided(Builder *b, tree x, tree y)
{
    tree xr = part_of(b, x, false), xi = part_of(b, x, true), yr = part_of(b, y, false), yi = part_of(b, y, true);
    tree smaller = gimple_build(&b->code, b->where, LT_EXPR, boolean_type_node,
                                gimple_build(&b->code, b->where, ABS_EXPR, b->type, yr),
                                gimple_build(&b->code, b->where, ABS_EXPR, b->type, yi));
    tree small = choose(b, smaller, yr, yi), large = choose(b, smaller, yi, yr);
    tree ratio = make(b, RDIV_EXPR, small, large);
    tree by = make(b, PLUS_EXPR, make(b, MULT_EXPR, small, ratio), large);
    tree xr_ratio = make(b, MULT_EXPR, xr, ratio), xi_ratio = make(b, MULT_EXPR, xi, ratio);
    tree real = choose(b, smaller, make(b, PLUS_EXPR, xr_ratio, xi), make(b, PLUS_EXPR, xi_ratio, xr));
    tree imaginary = choose(b, smaller, make(b, MINUS_EXPR, xi_ratio, xr), make(b, MINUS_EXPR, xi, xr_ratio));
    return gimple_build(&b->code, b->where, COMPLEX_EXPR, build_complex_type(b->type), make(b, RDIV_EXPR, real, by),
                        make(b, RDIV_EXPR, imaginary, by));
}

static tree called(Builder *b, built_in_function function, tree x, tree y)
{
    gcall *call = gimple_build_call(mathfn_built_in(b->type, function), y ? 2 : 1, x, y);
    tree result = make_ssa_name(b->type, call);
    gimple_call_set_lhs(call, result);
    gimple_set_location(call, b->where);
    gimple_seq_add_stmt(&b->code, call);
    return result;
}

static tree exponential(Builder *b, tree x)
{
    tree size = called(b, BUILT_IN_EXP, part_of(b, x, false), NULL_TREE), angle = part_of(b, x, true);
    tree real = make(b, MULT_EXPR, size, called(b, BUILT_IN_COS, angle, NULL_TREE));
    tree imaginary = make(b, MULT_EXPR, size, called(b, BUILT_IN_SIN, angle, NULL_TREE));
    return gimple_build(&b->code, b->where, COMPLEX_EXPR, build_complex_type(b->type), real, imaginary);
}

/* A function of complex numbers by those that tiles have; NULL: it is none.  */
static tree called_with_parts(Builder *b, gcall *call)
{
    tree argument = gimple_call_num_args(call) ? gimple_call_arg(call, 0) : NULL_TREE;
    if (!argument || !is_complex(argument) || !gimple_call_lhs(call))
        return NULL_TREE;
    b->type = TREE_TYPE(TREE_TYPE(argument));
    if (gimple_call_builtin_p(call, BUILT_IN_CABS) || gimple_call_builtin_p(call, BUILT_IN_CABSF))
        return called(b, BUILT_IN_HYPOT, part_of(b, argument, false), part_of(b, argument, true));
    if (gimple_call_builtin_p(call, BUILT_IN_CARG) || gimple_call_builtin_p(call, BUILT_IN_CARGF))
        return called(b, BUILT_IN_ATAN2, part_of(b, argument, true), part_of(b, argument, false));
    if (gimple_call_builtin_p(call, BUILT_IN_CEXP) || gimple_call_builtin_p(call, BUILT_IN_CEXPF))
        return exponential(b, argument);
    return NULL_TREE;
}

static tree value_by_parts(Builder *b, gimple *stmt)
{
    if (is_gimple_call(stmt))
        return called_with_parts(b, as_a<gcall *>(stmt));
    if (!is_gimple_assign(stmt) || !is_complex(gimple_assign_lhs(stmt)))
        return NULL_TREE;
    b->type = TREE_TYPE(TREE_TYPE(gimple_assign_lhs(stmt)));
    if (!SCALAR_FLOAT_TYPE_P(b->type))
        return NULL_TREE;
    if (gimple_assign_rhs_code(stmt) == MULT_EXPR)
        return multiplied(b, gimple_assign_rhs1(stmt), gimple_assign_rhs2(stmt));
    if (gimple_assign_rhs_code(stmt) == RDIV_EXPR)
        return divided(b, gimple_assign_rhs1(stmt), gimple_assign_rhs2(stmt));
    return NULL_TREE;
}

/* y[i] = 0: that pass splits stores of names alone.  */
static void name_constant(gimple_stmt_iterator *at)
{
    gimple *stmt = gsi_stmt(*at);
    if (!gimple_assign_single_p(stmt) || TREE_CODE(gimple_assign_rhs1(stmt)) != COMPLEX_CST ||
        TREE_CODE(gimple_assign_lhs(stmt)) == SSA_NAME)
        return;
    tree number = gimple_assign_rhs1(stmt), name = make_ssa_name(TREE_TYPE(number));
    gimple *parts = gimple_build_assign(name, COMPLEX_EXPR, TREE_REALPART(number), TREE_IMAGPART(number));
    gimple_set_location(parts, stmt_location(stmt));
    gsi_insert_before(at, parts, GSI_SAME_STMT);
    gimple_assign_set_rhs1(stmt, name);
    update_stmt(stmt);
}

static void expand(gimple_stmt_iterator *at)
{
    name_constant(at);
    gimple *stmt = gsi_stmt(*at);
    tree lhs = gimple_get_lhs(stmt);
    Builder builder = {NULL, stmt_location(stmt), NULL_TREE};
    tree value = value_by_parts(&builder, stmt);
    if (!value)
        return;
    gsi_insert_seq_before(at, builder.code, GSI_SAME_STMT);
    gimple *copy = gimple_build_assign(lhs, value);
    gimple_set_location(copy, builder.where);
    unlink_stmt_vdef(stmt);
    gsi_replace(at, copy, true);
}

/* ---- what is left of whole numbers ------------------------------------------------------------------------------- */

/* It hands a complex number on, or makes one of parts.  */
static bool carries(gimple *stmt)
{
    if (gimple_code(stmt) == GIMPLE_PHI)
        return is_complex(gimple_phi_result(stmt));
    return is_gimple_assign(stmt) && TREE_CODE(gimple_assign_lhs(stmt)) == SSA_NAME &&
           is_complex(gimple_assign_lhs(stmt)) &&
           (gimple_assign_rhs_code(stmt) == COMPLEX_EXPR || gimple_assign_rhs_code(stmt) == SSA_NAME ||
            gimple_assign_rhs_code(stmt) == COMPLEX_CST);
}

static void use(gimple *stmt, auto_vec<tree> *work, hash_set<tree> *used)
{
    use_operand_p operand;
    ssa_op_iter i;
    FOR_EACH_PHI_OR_STMT_USE(operand, stmt, i, SSA_OP_USE)
    {
        tree name = USE_FROM_PTR(operand);
        if (TREE_CODE(name) == SSA_NAME && is_complex(name) && !used->add(name))
            work->safe_push(name);
    }
}

static void forget(gimple *stmt, tree name)
{
    gimple *debug;
    imm_use_iterator i;
    FOR_EACH_IMM_USE_STMT(debug, i, name)
    if (gimple_debug_bind_p(debug)) {
        gimple_debug_bind_reset_value(debug);
        update_stmt(debug);
    }
    gimple_stmt_iterator at = gsi_for_stmt(stmt);
    if (gimple_code(stmt) == GIMPLE_PHI) {
        remove_phi_node(&at, true);
    } else {
        gsi_remove(&at, true);
        release_defs(stmt);
    }
}

static void drop_unused(function *fn)
{
    auto_vec<gimple *> carriers;
    auto_vec<tree> work;
    hash_set<tree> used;
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    {
        for (gphi_iterator i = gsi_start_phis(bb); !gsi_end_p(i); gsi_next(&i))
            if (carries(i.phi()))
                carriers.safe_push(i.phi());
        for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i))
            if (carries(gsi_stmt(i)))
                carriers.safe_push(gsi_stmt(i));
            else
                use(gsi_stmt(i), &work, &used);
    }
    while (work.length()) {
        gimple *def = SSA_NAME_DEF_STMT(work.pop());
        if (def && carries(def))
            use(def, &work, &used);
    }
    for (unsigned i = 0; i < carriers.length(); i++) {
        tree name = gimple_get_lhs(carriers[i]);
        if (!used.contains(name))
            forget(carriers[i], name);
    }
}

/* ---- the function ------------------------------------------------------------------------------------------------ */

static bool grid_has_complex(class loop *loop, bool expands)
{
    bool found = false;
    basic_block *body = get_loop_body(loop);
    for (unsigned i = 0; i < loop->num_nodes; i++) {
        for (gphi_iterator p = gsi_start_phis(body[i]); !gsi_end_p(p); gsi_next(&p))
            found |= is_complex(gimple_phi_result(p.phi()));
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s); gsi_next_nondebug(&s)) {
            found |= has_complex(gsi_stmt(s));
            if (expands)
                expand(&s);
        }
    }
    free(body);
    return found;
}

/* What the pass has put in front of a statement stands where that does.  */
static void place_parts(function *fn)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    {
        location_t where = UNKNOWN_LOCATION;
        for (gimple_stmt_iterator i = gsi_last_nondebug_bb(bb); !gsi_end_p(i); gsi_prev_nondebug(&i)) {
            if (gimple_has_location(gsi_stmt(i)))
                where = gimple_location(gsi_stmt(i));
            else if (is_gimple_assign(gsi_stmt(i)))
                gimple_set_location(gsi_stmt(i), where);
        }
    }
}

/* GCC's pass does nothing where it sees no arithmetic.  */
static void add_arithmetic(function *fn)
{
    tree type = build_complex_type(float_type_node);
    gimple_stmt_iterator at = gsi_after_labels(single_succ(ENTRY_BLOCK_PTR_FOR_FN(fn)));
    gsi_insert_before(&at, gimple_build_assign(make_ssa_name(type), NEGATE_EXPR, build_zero_cst(type)), GSI_SAME_STMT);
}

/* require: SSA, in front of all else.   ensure: no grid has complex numbers, but as arguments of calls; false: it has
   them, and the target runs the loops as they are.  */
bool complex_lower(function *fn)
{
    auto_vec<class loop *> grids;
    basic_block bb;
    bool found = false;
    loop_optimizer_init(LOOPS_NORMAL);
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        Pragma *pragma = pragma_of_stmt(gsi_stmt(i));
        if (pragma && pragma->is_grid && loop_outer(bb->loop_father))
            grids.safe_push(bb->loop_father);
    }
    for (unsigned i = 0; i < grids.length(); i++)
        found |= grid_has_complex(grids[i], false);
    for (unsigned i = 0; i < grids.length() && found && plugin.target != TARGET_SEQUENTIAL; i++)
        grid_has_complex(grids[i], true);
    loop_optimizer_finalize();
    if (!found || plugin.target == TARGET_SEQUENTIAL)
        return !found;
    add_arithmetic(fn);
    opt_pass *pass = make_pass_lower_complex(g);
    pass->execute(fn);
    delete pass;
    update_ssa(TODO_update_ssa);
    place_parts(fn);
    drop_unused(fn);
    return true;
}
