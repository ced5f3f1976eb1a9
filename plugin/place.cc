/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place.cc - prints on target sequential say where they stand, as on the other targets.
 *
 *   for (i ...)                     ws_print_at_("gemm i=%ld k=%ld: acc", acc, (long)i, (long)k);
 *     for (k ...)          =>
 *       ws_print("acc", acc);
 */
#include "plugin.h"

#include "source/kernels.h"

/* ---- prints ------------------------------------------------------------------------------------------------------ */

/* From the grid's outermost loop to the innermost around the call: GCC's values of the counters. false: a loop is not
   around this call.  */
static bool find_values(const Walk *w, const SourceShown *from, Shown *shown)
{
    auto_vec<class loop *> loops;
    int next = 0;
    for (class loop *loop = gimple_bb(shown->call)->loop_father; loop && loop_depth(loop); loop = loop_outer(loop)) {
        loops.safe_push(loop);
        if (loop == w->outer)
            break;
    }
    for (unsigned k = loops.length(); k-- > 0 && next < from->ncounters;)
        for (bool found = true; found && next < from->ncounters;) {
            found = false;
            for (gphi_iterator i = gsi_start_phis(loops[k]->header); !gsi_end_p(i) && !found; gsi_next(&i)) {
                tree value = gimple_phi_result(i.phi());
                const char *name = virtual_operand_p(value) ? NULL : name_of(value);
                found = name && INTEGRAL_TYPE_P(TREE_TYPE(value)) && !strcmp(name, from->counters[next].name);
                if (found)
                    shown->counters[next++] = value;
            }
        }
    return next == from->ncounters;
}

/* A print of the program is several calls where a function was inlined: each has the most counters that fit.  */
void place_find(Walk *w, const SourceShown *shown, int nshown)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, w->fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        gcall *call = flow_bb_inside_loop_p(w->outer, bb) ? dyn_cast<gcall *>(gsi_stmt(i)) : NULL;
        const Loc loc = call ? loc_of(gimple_location(call)) : Loc();
        const tree fndecl = call ? gimple_call_fndecl(call) : NULL_TREE;
        Shown best = {};
        for (int k = 0; fndecl && k < nshown; k++) {
            Shown made = {call, shown[k].is_value, shown[k].format, shown[k].ncounters, {}};
            if (shown[k].call->loc.line == loc.line && shown[k].call->loc.column == loc.column &&
                !strcmp(shown[k].call->symbol, IDENTIFIER_POINTER(DECL_NAME(fndecl))) &&
                (!best.call || made.count > best.count) && find_values(w, &shown[k], &made))
                best = made;
        }
        if (best.call)
            w->prints.safe_push(best);
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static tree widened(gimple_stmt_iterator *where, tree number, tree type)
{
    gassign *wide = gimple_build_assign(make_ssa_name(type), NOP_EXPR, number);
    gsi_insert_before(where, wide, GSI_SAME_STMT);
    return gimple_assign_lhs(wide);
}

static tree variadic(const char *name, bool takes_tile)
{
    tree type = takes_tile ? build_varargs_function_type_list(void_type_node, const_ptr_type_node, const_ptr_type_node,
                                                              NULL_TREE)
                           : build_varargs_function_type_list(void_type_node, const_ptr_type_node, NULL_TREE);
    return build_fn_decl(name, type);
}

static void replace_call(const Shown &shown)
{
    gimple_stmt_iterator where = gsi_for_stmt(shown.call);
    auto_vec<tree> args;
    tree shows = gimple_call_arg(shown.call, 1);
    args.safe_push(build_string_literal((int)strlen(shown.format) + 1, shown.format));
    if (!shown.is_value)
        args.safe_push(shows);
    for (int i = 0; i < shown.count; i++)
        args.safe_push(widened(&where, shown.counters[i], long_integer_type_node));
    if (shown.is_value)
        args.safe_push(SCALAR_FLOAT_TYPE_P(TREE_TYPE(shows)) ? widened(&where, shows, double_type_node) : shows);
    tree function = shown.is_value ? variadic("ws_print_value_at_", false) : variadic("ws_print_at_", true);
    gcall *call = gimple_build_call_vec(function, args);
    gimple_set_location(call, gimple_location(shown.call));
    gimple_move_vops(call, shown.call);
    gsi_replace(&where, call, false);
    gimple_set_modified(call, true);
    update_stmt(call);
}

/* Lines are counted from here on.  */
static void begin_lines(Walk *w)
{
    tree type = build_function_type_list(void_type_node, const_ptr_type_node, NULL_TREE);
    const char *name = w->kernel->c_function;
    gcall *call =
        gimple_build_call(build_fn_decl("ws_print_begin_", type), 1, build_string_literal((int)strlen(name) + 1, name));
    gsi_insert_on_edge_immediate(loop_preheader_edge(w->outer), call);
    mark_virtual_operands_for_renaming(cfun);
}

/* In the sequential target: the calls stay, and say what the other targets say.  True: SSA is to be updated.  */
bool show_places(Walk *w)
{
    bool lines = false;
    for (unsigned i = 0; i < w->prints.length(); i++) {
        lines |= w->prints[i].is_value;
        if (w->prints[i].count || w->prints[i].is_value)
            replace_call(w->prints[i]);
    }
    if (lines)
        begin_lines(w);
    return lines;
}
