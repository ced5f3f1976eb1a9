/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * total.cc - a sum over a whole grid, which leaves it.
 *
 *   #pragma ws grid(1) reduction(+: s)      h = ws_total_begin_ (0, 4);
 *   for (int i = 0; i < n; i++)             ws_launch_f (n, a, h);
 *       s += a[i];                          s = ws_total_f32_ (h, s);
 *
 * In the kernel the sum begins with nothing, and goes to the pointer h behind the loops.  An element that all of them
 * sum in, as q[i] of a loop over j, is such a variable, too: ws_total_into_ (h, &q[i], 0).
 */
#include "plugin.h"

static const Reduction *clause_of(const Walk *w, tree name)
{
    const char *own = name_of(name);
    for (const Reduction *reduction = w->kernel->grid.reductions; reduction; reduction = reduction->next)
        if (own && !strcmp(own, reduction->name))
            return reduction;
    return NULL;
}

static int number_of(Opcode op, tree type)
{
    return op_total_number(op, INTEGRAL_TYPE_P(type) && TYPE_UNSIGNED(type) && TYPE_PRECISION(type) >= 32);
}

static bool is_used_behind(const Walk *w, tree name)
{
    imm_use_iterator i;
    use_operand_p use;
    FOR_EACH_IMM_USE_FAST(use, i, name)
    {
        gimple *stmt = USE_STMT(use);
        if (!is_gimple_debug(stmt) && !flow_bb_inside_loop_p(w->outer, gimple_bb(stmt)))
            return true;
    }
    return false;
}

/* ---- an element that the grid sums in ---------------------------------------------------------------------------- */

static bool stands_still(const Walk *w, tree name, int depth);

struct Question {
    const Walk *w;
    int depth;
};

static tree moving_name(tree *where, int *, void *data)
{
    const Question *question = (const Question *)data;
    return TREE_CODE(*where) == SSA_NAME && !stands_still(question->w, *where, question->depth) ? *where : NULL_TREE;
}

/* The same in each iteration, and made of what is known before the grid.  */
static bool stands_still(const Walk *w, tree name, int depth)
{
    if (SSA_NAME_IS_DEFAULT_DEF(name) || !defined_in_region(w, name))
        return true;
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (!is_gimple_assign(def) || gimple_vuse(def) || depth > 32)
        return false;
    Question question = {w, depth + 1};
    for (unsigned i = 1; i < gimple_num_ops(def); i++)
        if (walk_tree(gimple_op_ptr(def, i), moving_name, &question, NULL))
            return false;
    return true;
}

static const char *array_name(tree reference)
{
    tree base = get_base_address(reference);
    if (!base || TREE_CODE(base) != MEM_REF)
        return base && DECL_P(base) ? name_of(base) : NULL;
    tree pointer = ssa_resolve(TREE_OPERAND(base, 0));
    for (int depth = 0; depth < 32 && TREE_CODE(pointer) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(pointer); depth++) {
        gimple *def = SSA_NAME_DEF_STMT(pointer);
        if (name_of(pointer) || !is_gimple_assign(def) || gimple_vuse(def))
            break;
        pointer = ssa_resolve(gimple_assign_rhs1(def));
    }
    return TREE_CODE(pointer) == SSA_NAME ? name_of(pointer) : NULL;
}

static const TotalOut *total_at(const Walk *w, tree place)
{
    for (unsigned i = 0; i < w->totals.length(); i++)
        if (w->totals[i].place && operand_equal_p(w->totals[i].place, place, 0))
            return &w->totals[i];
    return NULL;
}

static void collect_store(Walk *w, gimple *store)
{
    tree place = gimple_get_lhs(store);
    Question question = {w, 0};
    if (!is_gimple_assign(store) || !gimple_vdef(store) || TREE_CODE(place) == SSA_NAME ||
        walk_tree(&place, moving_name, &question, NULL) || total_at(w, place))
        return;
    const char *name = array_name(place);
    for (const Reduction *reduction = w->kernel->grid.reductions; reduction && name; reduction = reduction->next)
        if (!strcmp(name, reduction->name))
            w->totals.safe_push(
                TotalOut{NULL, place, create_tmp_var_raw(const_ptr_type_node), NULL_TREE, reduction, NULL_TREE, 0});
}

static void collect_stores(Walk *w)
{
    basic_block *body = get_loop_body(w->outer);
    for (unsigned i = 0; i < w->outer->num_nodes && w->kernel->grid.reductions; i++)
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s); gsi_next_nondebug(&s))
            collect_store(w, gsi_stmt(s));
    free(body);
}

static tree type_of_part(tree type)
{
    return TREE_CODE(type) == COMPLEX_TYPE ? TREE_TYPE(type) : type;
}

/* What the grid's outermost loop carries under a name of the clause, and elements of arrays of that name.  */
void total_collect(Walk *w)
{
    const Reduction *reduction;
    collect_stores(w);
    for (gphi_iterator i = gsi_start_phis(w->outer->header); !gsi_end_p(i); gsi_next(&i)) {
        tree name = gimple_phi_result(i.phi());
        if (virtual_operand_p(name) || !(reduction = clause_of(w, name)) || !is_used_behind(w, name))
            continue;
        const bool pair = TREE_CODE(TREE_TYPE(name)) == COMPLEX_TYPE;
        for (int part = pair; part <= 2 * pair; part++)
            w->totals.safe_push(TotalOut{i.phi(), NULL_TREE, create_tmp_var_raw(const_ptr_type_node), NULL_TREE,
                                         reduction, NULL_TREE, part});
    }
}

const TotalOut *total_of(const Walk *w, tree name)
{
    for (unsigned i = 0; i < w->totals.length(); i++)
        if (w->totals[i].phi && gimple_phi_result(w->totals[i].phi) == name)
            return &w->totals[i];
    return NULL;
}

/* ---- in place of the region -------------------------------------------------------------------------------------- */

static tree summed_type(tree type)
{
    if (TREE_CODE(type) == REAL_TYPE)
        return TYPE_MAIN_VARIANT(type);
    return TYPE_PRECISION(type) > 32 ? long_integer_type_node : integer_type_node;
}

/* In front of the launcher's call.  */
void total_begin(Walk *w, gimple_stmt_iterator *where)
{
    tree type = build_function_type_list(ptr_type_node, integer_type_node, integer_type_node, NULL_TREE);
    for (unsigned i = 0; i < w->totals.length(); i++) {
        TotalOut &out = w->totals[i];
        tree own = type_of_part(TREE_TYPE(out.phi ? gimple_phi_result(out.phi) : out.place)), summed = summed_type(own);
        gcall *call = gimple_build_call(build_fn_decl("ws_total_begin_", type), 2,
                                        build_int_cst(integer_type_node, number_of(out.clause->op, own)),
                                        fold_convert(integer_type_node, TYPE_SIZE_UNIT(summed)));
        out.given = make_ssa_name(ptr_type_node, call);
        gimple_call_set_lhs(call, out.given);
        gimple_set_location(call, (location_t)w->kernel->loc.host);
        gsi_insert_after(where, call, GSI_NEW_STMT);
    }
}

tree total_given(const Walk *w, tree expression)
{
    for (unsigned i = 0; i < w->totals.length(); i++)
        if (w->totals[i].handle == expression)
            return w->totals[i].given;
    return NULL_TREE;
}

static tree converted(gimple_stmt_iterator *where, tree type, tree value)
{
    if (useless_type_conversion_p(type, TREE_TYPE(value)))
        return value;
    tree name = make_ssa_name(type);
    gsi_insert_after(where, gimple_build_assign(name, NOP_EXPR, value), GSI_NEW_STMT);
    return name;
}

static void use_instead(const Walk *w, tree name, tree value)
{
    imm_use_iterator i;
    use_operand_p use;
    gimple *stmt;
    FOR_EACH_IMM_USE_STMT(stmt, i, name)
    {
        if (is_gimple_debug(stmt) || flow_bb_inside_loop_p(w->outer, gimple_bb(stmt)))
            continue;
        FOR_EACH_IMM_USE_ON_STMT(use, i)
        SET_USE(use, value);
        update_stmt(stmt);
    }
}

/* What an iteration has computed of what is known before the grid, again.  */
struct Again {
    const Walk *w;
    gimple_stmt_iterator *where;
};

static tree name_again(tree *where, int *, void *data)
{
    const Again *again = (const Again *)data;
    if (TREE_CODE(*where) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(*where) || !defined_in_region(again->w, *where))
        return NULL_TREE;
    gimple *copy = gimple_copy(SSA_NAME_DEF_STMT(*where));
    for (unsigned i = 1; i < gimple_num_ops(copy); i++) {
        gimple_set_op(copy, i, unshare_expr(gimple_op(copy, i)));
        walk_tree(gimple_op_ptr(copy, i), name_again, data, NULL);
    }
    tree name = copy_ssa_name(*where, copy);
    gimple_assign_set_lhs(copy, name);
    gsi_insert_after(again->where, copy, GSI_NEW_STMT);
    *where = name;
    return NULL_TREE;
}

/* As ws_total_into_ counts types.  */
static int number_of_type(tree type)
{
    if (TREE_CODE(type) == REAL_TYPE)
        return TYPE_MODE(type) == TYPE_MODE(double_type_node);
    int bits = 8 * (int)int_size_in_bytes(type), bare = TYPE_UNSIGNED(type) != 0;
    return bits == 8 ? 4 + bare : bits == 16 ? 6 + bare : bits == 64 ? 3 : 2;
}

static void end_in_memory(const Walk *w, const TotalOut &out, gimple_stmt_iterator *where)
{
    Again again = {w, where};
    tree place = unshare_expr(out.place), type = TREE_TYPE(place), base = get_base_address(place);
    if (base && DECL_P(base))
        mark_addressable(base);
    walk_tree(&place, name_again, &again, NULL);
    tree address =
        force_gimple_operand_gsi(where, build_fold_addr_expr(place), true, NULL_TREE, false, GSI_CONTINUE_LINKING);
    tree signature =
        build_function_type_list(void_type_node, ptr_type_node, ptr_type_node, integer_type_node, NULL_TREE);
    gcall *call = gimple_build_call(build_fn_decl("ws_total_into_", signature), 3, out.given, address,
                                    build_int_cst(integer_type_node, number_of_type(type)));
    gimple_set_location(call, (location_t)w->kernel->loc.host);
    gsi_insert_after(where, call, GSI_NEW_STMT);
}

/* Behind it; uses of the sum are uses of what comes out.  */
void total_end(Walk *w, gimple_stmt_iterator *where)
{
    for (unsigned i = 0; i < w->totals.length(); i++) {
        TotalOut &out = w->totals[i];
        if (!out.phi) {
            end_in_memory(w, out, where);
            continue;
        }
        tree name = gimple_phi_result(out.phi), type = type_of_part(TREE_TYPE(name)), summed = summed_type(type);
        const char *function = summed == long_integer_type_node                  ? "ws_total_i64_"
                               : TREE_CODE(summed) != REAL_TYPE                  ? "ws_total_i32_"
                               : TYPE_MODE(summed) == TYPE_MODE(float_type_node) ? "ws_total_f32_"
                                                                                 : "ws_total_f64_";
        tree start = PHI_ARG_DEF_FROM_EDGE(out.phi, w->entry);
        if (out.part) {
            tree part = make_ssa_name(type);
            gsi_insert_after(
                where, gimple_build_assign(part, build1(out.part == 1 ? REALPART_EXPR : IMAGPART_EXPR, type, start)),
                GSI_NEW_STMT);
            start = part;
        }
        start = converted(where, summed, start);
        tree signature = build_function_type_list(summed, ptr_type_node, summed, NULL_TREE);
        gcall *call = gimple_build_call(build_fn_decl(function, signature), 2, out.given, start);
        tree result = make_ssa_name(summed, call);
        gimple_call_set_lhs(call, result);
        gimple_set_location(call, (location_t)w->kernel->loc.host);
        gsi_insert_after(where, call, GSI_NEW_STMT);
        out.result = converted(where, type, result);
        if (out.part == 2) { /* the real part is the total in front */
            tree pair = make_ssa_name(TREE_TYPE(name));
            gsi_insert_after(where, gimple_build_assign(pair, COMPLEX_EXPR, w->totals[i - 1].result, out.result),
                             GSI_NEW_STMT);
            out.result = w->totals[i - 1].result = pair;
        }
        if (out.part != 1)
            use_instead(w, name, out.result);
    }
}

static tree name_of_sum(tree *where, int *, void *data)
{
    const Walk *w = (const Walk *)data;
    const TotalOut *out = TREE_CODE(*where) == SSA_NAME ? total_of(w, *where) : NULL;
    if (out)
        *where = out->result;
    return NULL_TREE;
}

void total_hand_on(const Walk *w, Walk *other)
{
    for (unsigned i = 0; i < other->livein.length() && w->totals.length(); i++) {
        other->livein[i].expression = unshare_expr(other->livein[i].expression);
        walk_tree(&other->livein[i].expression, name_of_sum, const_cast<Walk *>(w), NULL);
    }
}
