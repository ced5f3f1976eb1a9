/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * data.cc - arrays that stay on the device between grids.
 *
 *   #pragma ws data copy(a[0:n]) copyin(b)       ws_data_begin_ ();
 *   for (t = 0; t < steps; t++)                  ws_data_add_ (a, 0, n * 4, 0, "a"); ws_data_add_ (&b, ...);
 *       #pragma ws grid(1)                       try { for (t = 0; t < steps; t++) ... } finally { ws_data_end_ (); }
 *       for (...) a[i] += b[i];
 *
 * The sequential target has but one memory.
 */
#include "plugin.h"

static tree runtime_call(location_t where, const char *name, int count, tree *arguments)
{
    tree type =
        count ? build_function_type_list(void_type_node, const_ptr_type_node, long_integer_type_node,
                                         long_integer_type_node, integer_type_node, const_ptr_type_node, NULL_TREE)
              : build_function_type_list(void_type_node, NULL_TREE);
    tree decl = build_fn_decl(name, type);
    TREE_NOTHROW(decl) = 1;
    tree call = build_call_expr_loc_array(where, decl, count, arguments);
    TREE_SIDE_EFFECTS(call) = 1;
    return call;
}

static tree array_call(location_t where, const char *name, tree base, tree first, tree bytes, tree kind, tree text)
{
    tree arguments[] = {fold_convert(const_ptr_type_node, base), first, bytes, kind,
                        fold_convert(const_ptr_type_node, text)};
    return runtime_call(where, name, DATA_ARGUMENTS, arguments);
}

/* The statement that the pragma stands above; false: there is none.  */
static bool take_statement(tree_stmt_iterator *from, tree *taken)
{
    bool found = false;
    *taken = NULL_TREE;
    while (!tsi_end_p(*from) && !found) {
        tree statement = tsi_stmt(*from);
        const Pragma *other = pragma_of_tree(statement);
        if (TREE_CODE(statement) == DECL_EXPR && !DECL_ARTIFICIAL(DECL_EXPR_DECL(statement)))
            return false;
        /* variables of a pragma's clauses and the loop's first assignment come in front of it */
        found = !other && (TREE_CODE(statement) == BIND_EXPR || TREE_CODE(statement) == FOR_STMT ||
                           TREE_CODE(statement) == WHILE_STMT || TREE_CODE(statement) == DO_STMT);
        append_to_statement_list_force(statement, taken);
        tsi_delink(from);
    }
    return found;
}

/* require: the marker is gone, first is what stood behind it.   ensure: calls around the statement that follows.  */
bool data_bind(tree list, tree_stmt_iterator *first, const Pragma *pragma, tree marker)
{
    tree body, all = NULL_TREE;
    location_t where = pragma->loc;
    if (!take_statement(first, &body)) {
        complain(where, "write { ... } around the statements, or a loop, below it",
                 "%<#pragma ws data%> stands above a block or a loop");
        return false;
    }
    if (plugin.target == TARGET_SEQUENTIAL) {
        all = body;
    } else {
        append_to_statement_list_force(runtime_call(where, "ws_data_begin_", 0, NULL), &all);
        for (int i = 1; i + DATA_ARGUMENTS <= call_expr_nargs(marker); i += DATA_ARGUMENTS)
            append_to_statement_list_force(array_call(where, "ws_data_add_", CALL_EXPR_ARG(marker, i + 1),
                                                      CALL_EXPR_ARG(marker, i + 2), CALL_EXPR_ARG(marker, i + 3),
                                                      CALL_EXPR_ARG(marker, i), CALL_EXPR_ARG(marker, i + 4)),
                                           &all);
        tree end = runtime_call(where, "ws_data_end_", 0, NULL);
        append_to_statement_list_force(build2_loc(where, TRY_FINALLY_EXPR, void_type_node, body, end), &all);
    }
    if (tsi_end_p(*first))
        append_to_statement_list_force(all, &list);
    else
        tsi_link_before(first, all, TSI_SAME_STMT);
    return true;
}

tree data_update(location_t where, bool to_host, tree base, tree first, tree bytes, tree name)
{
    return array_call(where, "ws_data_update_", base, first, bytes, build_int_cst(integer_type_node, to_host), name);
}
