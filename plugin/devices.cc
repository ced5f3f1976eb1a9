/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * devices.cc - loops over devices, and blocks of grids that run together.
 *
 *   #pragma ws devices(n)                                     ws_devices_begin_(n);
 *   for (int r = 0; r < n; r++)                               for (int r = 0; r < n; r++) {
 *       #pragma ws grid(2)                                        ws_devices_next_(r);
 *       for (i ...) for (k ...)                                   ws_launch_f(n, ..., A[r], X);
 *           ws_store(ws_tensor_2d(A[r], ...), ...             }
 *               ws_load(ws_tensor_2d(X[(r + i) % n], ...      ws_devices_end_();
 *
 * Where the next such loop follows, ws_devices_again_(n) is the end of one and the begin of the other.
 *
 * Under #pragma ws together, what follows in the block stands between two calls, too (TRY_FINALLY), between which the
 * runtime has launches wait for those alone whose tensors they touch.
 */
#include "plugin.h"

/* ---- before genericize ------------------------------------------------------------------------------------------- */

static tree runtime_call(location_t where, const char *name, tree argument)
{
    tree type = argument ? build_function_type_list(void_type_node, long_integer_type_node, NULL_TREE)
                         : build_function_type_list(void_type_node, NULL_TREE);
    tree decl = build_fn_decl(name, type);
    TREE_NOTHROW(decl) = 1;
    tree call = argument ? build_call_expr_loc(where, decl, 1, fold_convert(long_integer_type_node, argument))
                         : build_call_expr_loc(where, decl, 0);
    TREE_SIDE_EFFECTS(call) = 1;
    return call;
}

/* r of `r < n`.  */
static tree counter_of(tree loop)
{
    tree condition = FOR_COND(loop);
    while (condition && (CONVERT_EXPR_P(condition) || TREE_CODE(condition) == NON_LVALUE_EXPR))
        condition = TREE_OPERAND(condition, 0);
    enum tree_code code = condition ? TREE_CODE(condition) : ERROR_MARK;
    bool exchanged = code == GT_EXPR || code == GE_EXPR; /* by GCC */
    if (code != LT_EXPR && code != LE_EXPR && code != NE_EXPR && !exchanged)
        return NULL_TREE;
    tree counter = TREE_OPERAND(condition, exchanged);
    while (CONVERT_EXPR_P(counter) || TREE_CODE(counter) == NON_LVALUE_EXPR)
        counter = TREE_OPERAND(counter, 0);
    return (VAR_P(counter) || TREE_CODE(counter) == PARM_DECL) && INTEGRAL_TYPE_P(TREE_TYPE(counter)) ? counter
                                                                                                      : NULL_TREE;
}

/* The loop with calls around and in it; the marker gets the counter.  */
void devices_bind(tree *loop, tree *marker, const Pragma *pragma)
{
    tree counter = counter_of(*loop), list = NULL_TREE, body = NULL_TREE;
    location_t where = pragma->loc;
    if (!counter) {
        complain(EXPR_LOCATION(*loop), "write for (int r = 0; r < n; r++)",
                 "a loop over devices counts up from 0 with a variable of an integer type");
        return;
    }
    tree count = CALL_EXPR_ARG(*marker, 1);
    *marker = build_call_expr_loc(where, CALL_EXPR_FN(*marker) ? get_callee_fndecl(*marker) : NULL_TREE, 3,
                                  CALL_EXPR_ARG(*marker, 0), count, fold_convert(long_integer_type_node, counter));
    if (plugin.target == TARGET_SEQUENTIAL)
        return;
    append_to_statement_list_force(runtime_call(where, "ws_devices_next_", counter), &body);
    append_to_statement_list_force(FOR_BODY(*loop), &body);
    FOR_BODY(*loop) = body;
    append_to_statement_list_force(runtime_call(where, "ws_devices_begin_", unshare_expr(count)), &list);
    append_to_statement_list_force(*loop, &list);
    append_to_statement_list_force(runtime_call(where, "ws_devices_end_", NULL_TREE), &list);
    *loop = list;
}

/* Of the grids of a block.  */
static tree note_together(tree *where, int *, void *)
{
    Pragma *pragma = pragma_of_tree(*where);
    if (pragma && pragma->is_grid)
        pragma->grid.together = true;
    return NULL_TREE;
}

/* The rest of a block, between two calls, however the block is left.  */
void devices_bind_block(tree list, tree_stmt_iterator *first, const Pragma *pragma)
{
    tree rest = NULL_TREE;
    while (!tsi_end_p(*first)) {
        append_to_statement_list_force(tsi_stmt(*first), &rest);
        tsi_delink(first);
    }
    append_to_statement_list_force(runtime_call(pragma->loc, "ws_together_begin_", NULL_TREE), &list);
    if (!rest)
        rest = build_empty_stmt(pragma->loc);
    walk_tree_without_duplicates(&rest, note_together, NULL);
    tree end = runtime_call(pragma->loc, "ws_together_end_", NULL_TREE);
    append_to_statement_list_force(build2_loc(pragma->loc, TRY_FINALLY_EXPR, void_type_node, rest, end), &list);
}

void devices_refuse(location_t where)
{
    complain(where, "a loop over devices holds grids, and stands in none", "a loop over devices in a grid");
}

/* ---- one loop right behind another ------------------------------------------------------------------------------- */

static bool is_call_of(gimple *stmt, const char *name)
{
    tree fndecl = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;
    return fndecl && DECL_NAME(fndecl) && !strcmp(IDENTIFIER_POINTER(DECL_NAME(fndecl)), name);
}

/* The begin that nothing but arithmetic stands in front of, or NULL.  */
static gcall *begin_behind(gimple_stmt_iterator i)
{
    basic_block bb = gsi_bb(i);
    gsi_next(&i);
    for (int blocks = 0; blocks < 8; blocks++) {
        for (; !gsi_end_p(i); gsi_next(&i)) {
            gimple *stmt = gsi_stmt(i);
            if (is_call_of(stmt, "ws_devices_begin_"))
                return as_a<gcall *>(stmt);
            if (!is_gimple_debug(stmt) && gimple_code(stmt) != GIMPLE_LABEL && gimple_code(stmt) != GIMPLE_PREDICT &&
                !gimple_clobber_p(stmt) && (!is_gimple_assign(stmt) || gimple_vdef(stmt)))
                return NULL;
        }
        if (!single_succ_p(bb) || !single_pred_p(single_succ(bb)))
            return NULL;
        bb = single_succ(bb);
        i = gsi_start_bb(bb);
    }
    return NULL;
}

/* Behind the regions: ends and begins that meet become one call.  */
void devices_join(function *fn)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i);) {
        gcall *begin = is_call_of(gsi_stmt(i), "ws_devices_end_") ? begin_behind(i) : NULL;
        if (!begin) {
            gsi_next(&i);
            continue;
        }
        tree type = build_function_type_list(void_type_node, long_integer_type_node, NULL_TREE);
        tree decl = build_fn_decl("ws_devices_again_", type);
        TREE_NOTHROW(decl) = 1;
        gimple_call_set_fndecl(begin, decl);
        gimple *end = gsi_stmt(i);
        unlink_stmt_vdef(end);
        gsi_remove(&i, true);
        release_defs(end);
    }
}

/* ---- around a region --------------------------------------------------------------------------------------------- */

static const MarkedLoop *devices_around(const Walk *w)
{
    for (unsigned i = 0; i < w->marks->length(); i++)
        if ((*w->marks)[i].pragma->is_devices && flow_loop_nested_p((*w->marks)[i].loop, w->outer))
            return &(*w->marks)[i];
    return NULL;
}

tree devices_how_many(const Walk *w)
{
    const MarkedLoop *around = devices_around(w);
    return around ? gimple_call_arg(around->marker, 1) : NULL_TREE;
}
