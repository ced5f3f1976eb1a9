/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replace.cc - a region gives way to a call of its launcher.
 *
 *   preheader -> header ... latch        preheader: ws_launch_gemm (M, N, K, A, B, C); -> what followed the loop
 *                  `-> what followed
 *
 * The region's blocks are then unreachable, and GCC removes them.  Constructors of tensors that only the region used go
 * as well: they are calls of the sequential library, which a specialized program need not link.
 */
#include "plugin.h"

/* Does the kernel write to what the pointer points to?  */
static bool stores_to(const Op *op, const void *base)
{
    const Value *at = op_info[op->code].class_ == CLASS_STORE && op->nargs ? op->args[0] : NULL;
    while (at && at->type.kind == K_TENSOR && at->def && at->def->nargs)
        at = at->def->args[0];
    while (at && at != base)
        at = at->part_of;
    return at != NULL;
}

/* GCC warns of memory that has no value where a parameter points to const.  */
static tree parameter_type(const Walk *w, const LiveIn &live)
{
    tree type = TREE_TYPE(live.expression);
    if (!POINTER_TYPE_P(type))
        return TYPE_MAIN_VARIANT(type);
    return ir_any_of(w->kernel->body, stores_to, live.value) ? ptr_type_node : const_ptr_type_node;
}

static tree launcher_decl(const Walk *w, const char *name)
{
    auto_vec<tree> types;
    for (unsigned i = 0; i < w->livein.length(); i++)
        types.safe_push(parameter_type(w, w->livein[i]));
    tree type = build_function_type_array(void_type_node, (int)types.length(), types.address());
    tree decl = build_fn_decl(name, type);
    TREE_NOTHROW(decl) = 1;
    return decl;
}

/* The argument for a live-in: itself, or what is read or called for here.  */
static tree argument(gimple_stmt_iterator *where, tree expression)
{
    expression = unshare_expr(expression);
    if (is_gimple_val(expression))
        return expression;
    if (TREE_CODE(expression) == CALL_EXPR) {
        auto_vec<tree> args;
        for (int i = 0; i < call_expr_nargs(expression); i++)
            args.safe_push(argument(where, CALL_EXPR_ARG(expression, i)));
        gcall *call = gimple_build_call_vec(get_callee_fndecl(expression), args);
        tree result = make_ssa_name(TREE_TYPE(expression), call);
        gimple_call_set_lhs(call, result);
        gimple_call_set_nothrow(call, true);
        gsi_insert_after(where, call, GSI_NEW_STMT);
        return result;
    }
    return force_gimple_operand_gsi(where, expression, true, NULL_TREE, false, GSI_CONTINUE_LINKING);
}

/* In an object for two targets, "ws_cuda_launch_f" or "ws_emulate_launch_f".  */
static tree launcher_for(const Walk *w, const char *target)
{
    return build_fold_addr_expr(launcher_decl(w, ACONCAT(("ws_", target, w->kernel->launcher + 2, NULL))));
}

/* The runtime library chooses.  */
static tree insert_choice(const Walk *w, gimple_stmt_iterator *where)
{
    tree cuda = launcher_for(w, "cuda"), emulate = launcher_for(w, "emulate");
    tree type = build_function_type_list(ptr_type_node, ptr_type_node, ptr_type_node, NULL_TREE);
    gcall *call = gimple_build_call(build_fn_decl("ws_choose_launcher", type), 2, cuda, emulate);
    tree chosen = make_ssa_name(TREE_TYPE(cuda), call);
    gimple_call_set_lhs(call, chosen);
    gimple_call_set_nothrow(call, true);
    gimple_set_location(call, (location_t)w->kernel->loc.host);
    gsi_insert_after(where, call, GSI_NEW_STMT);
    return chosen;
}

static void insert_call(Walk *w, basic_block bb)
{
    auto_vec<tree> args;
    gimple_stmt_iterator where = gsi_last_bb(bb);
    total_begin(w, &where);
    for (unsigned i = 0; i < w->livein.length(); i++)
        args.safe_push(total_given(w, w->livein[i].expression) ? total_given(w, w->livein[i].expression)
                                                               : argument(&where, w->livein[i].expression));
    tree launcher = plugin.two_targets ? insert_choice(w, &where) : launcher_decl(w, w->kernel->launcher);
    gcall *call = gimple_build_call_vec(launcher, args);
    gimple_call_set_nothrow(call, true);
    gimple_set_location(call, (location_t)w->kernel->loc.host);
    gsi_insert_after(&where, call, GSI_NEW_STMT);
    total_end(w, &where);
}

/* Memory as the region leaves it is renamed once the region is gone.  */
static void free_uses(const Walk *w, tree vdef)
{
    imm_use_iterator i;
    use_operand_p use;
    gimple *stmt;
    if (!vdef || TREE_CODE(vdef) != SSA_NAME)
        return;
    FOR_EACH_IMM_USE_STMT(stmt, i, vdef)
    if (!flow_bb_inside_loop_p(w->outer, gimple_bb(stmt)))
        FOR_EACH_IMM_USE_ON_STMT(use, i)
    SET_USE(use, gimple_vop(w->fn));
}

static void free_memory(const Walk *w)
{
    basic_block *body = get_loop_body(w->outer);
    for (unsigned n = 0; n < w->outer->num_nodes; n++) {
        for (gphi_iterator i = gsi_start_phis(body[n]); !gsi_end_p(i); gsi_next(&i))
            if (virtual_operand_p(gimple_phi_result(i.phi())))
                free_uses(w, gimple_phi_result(i.phi()));
        for (gimple_stmt_iterator i = gsi_start_bb(body[n]); !gsi_end_p(i); gsi_next(&i))
            free_uses(w, gimple_vdef(gsi_stmt(i)));
    }
    free(body);
}

/* require: the loops of the function are known.   ensure: w->entry and w->end, which stay when they are not.  */
void replace_prepare(Walk *w)
{
    auto_vec<edge> exits = get_loop_exit_edges(w->outer);
    w->entry = loop_preheader_edge(w->outer);
    for (unsigned i = 0; i < exits.length(); i++)
        if (!w->end || exits[i]->src == w->outer->header) /* a test of several blocks leaves behind one of them */
            w->end = exits[i];
    free_memory(w);
}

/* require: replace_prepare; no value of the region is used outside.   ensure: its blocks are unreachable.  */
void replace_region(Walk *w)
{
    edge end = w->end;
    basic_block bb = split_edge(w->entry);
    insert_call(w, bb);
    edge skip = redirect_edge_succ_nodup(single_succ_edge(bb), end->dest);
    for (gphi_iterator i = gsi_start_phis(end->dest); !gsi_end_p(i); gsi_next(&i))
        add_phi_arg(i.phi(), PHI_ARG_DEF_FROM_EDGE(i.phi(), end), skip,
                    gimple_phi_arg_location_from_edge(i.phi(), end));
}

/* ---- tensors that nobody uses ------------------------------------------------------------------------------------ */

static bool makes_tensor(gimple *stmt)
{
    char buffer[64];
    tree lhs = gimple_get_lhs(stmt);
    if (!lhs || TREE_CODE(lhs) != SSA_NAME || !is_tensor_type(TREE_TYPE(lhs)) || !has_zero_uses(lhs))
        return false;
    if (is_gimple_assign(stmt))
        return true;
    tree fndecl = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;
    return fndecl && ws_name(fndecl, buffer, sizeof buffer);
}

static bool remove_tensors(basic_block bb)
{
    bool changed = false;
    for (gimple_stmt_iterator i = gsi_last_bb(bb); !gsi_end_p(i);) {
        gimple *stmt = gsi_stmt(i);
        gsi_prev(&i);
        if (!makes_tensor(stmt))
            continue;
        gimple_stmt_iterator at = gsi_for_stmt(stmt);
        if (is_gimple_call(stmt))
            unlink_stmt_vdef(stmt);
        gsi_remove(&at, true);
        release_defs(stmt);
        changed = true;
    }
    return changed;
}

void replace_dead_tensors(function *fn)
{
    bool changed = true;
    while (changed) {
        changed = false;
        basic_block bb;
        FOR_EACH_BB_FN(bb, fn)
        changed |= remove_tensors(bb);
    }
}
