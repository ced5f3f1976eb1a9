/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show.cc - ws_print says where it stands.
 *
 *   for (i ...) grid                        print %i, %k, %acc "gemm i=%ld k=%ld: acc"
 *     for (k ...)                           in the sequential target:
 *       ws_print ("acc", acc);                ws_print_at_ ("gemm i=%ld k=%ld: acc", acc, (long)i, (long)k);
 */
#include "plugin.h"

/* Integers of the program that each iteration adds to, as `i += 64` does.  */
static bool is_counter(class loop *loop, gphi *phi)
{
    tree result = gimple_phi_result(phi);
    if (virtual_operand_p(result) || !INTEGRAL_TYPE_P(TREE_TYPE(result)) || !name_of(result) || !loop->latch)
        return false;
    tree next = PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(loop));
    for (int depth = 0; depth < 4 && TREE_CODE(next) == SSA_NAME; depth++) {
        gimple *def = SSA_NAME_DEF_STMT(next);
        if (!is_gimple_assign(def))
            return false;
        tree_code code = gimple_assign_rhs_code(def);
        if (code == PLUS_EXPR || code == MINUS_EXPR) {
            tree x = gimple_assign_rhs1(def);
            gimple *widened = TREE_CODE(x) == SSA_NAME ? SSA_NAME_DEF_STMT(x) : NULL;
            if (x != result && widened && is_gimple_assign(widened) &&
                CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(widened)))
                x = gimple_assign_rhs1(widened);
            return x == result;
        }
        if (!CONVERT_EXPR_CODE_P(code) && code != SSA_NAME)
            return false;
        next = gimple_assign_rhs1(def);
    }
    return false;
}

/* From the grid's outermost loop to the innermost around the walk.  */
static void find_counters(Walk *w, class loop *loop, Shown *shown)
{
    const int most = (int)(sizeof shown->counters / sizeof *shown->counters) - 2;
    if (loop != w->outer)
        find_counters(w, loop_outer(loop), shown);
    for (gphi_iterator i = gsi_start_phis(loop->header); !gsi_end_p(i) && shown->count < most; gsi_next(&i))
        if (is_counter(loop, i.phi()) && w->values.get(gimple_phi_result(i.phi())))
            shown->counters[shown->count++] = gimple_phi_result(i.phi());
}

/* The user's text in a format.  */
static const char *quoted(Walk *w, const char *text)
{
    char *copy = (char *)arena_alloc(w->kernel->module, 2 * strlen(text) + 1), *at = copy;
    for (; *text; text++) {
        *at++ = *text;
        if (*text == '%')
            *at++ = '%';
    }
    return copy;
}

void show_call(Walk *w, gcall *call)
{
    const char *text = c_getstr(gimple_call_arg(call, 0));
    Shown shown = {call, w->kernel->name, 0, {}};
    Value *args[sizeof shown.counters / sizeof *shown.counters];
    find_counters(w, w->loop, &shown);
    for (int i = 0; i < shown.count; i++) {
        args[i] = value_of(w, shown.counters[i]);
        shown.format = arena_print(w->kernel->module, "%s %s=%%ld", shown.format, name_of(shown.counters[i]));
    }
    const char *name = text ? text : "";
    shown.format = arena_print(w->kernel->module, "%s: %s", shown.format, shown.count ? quoted(w, name) : name);
    args[shown.count] = value_of(w, gimple_call_arg(call, 1));
    Op *op = op_new(w->kernel, OP_PRINT, loc_of(stmt_location(call)), shown.count + 1, args);
    op->store->label = shown.format;
    op_append(w->block, op);
    w->prints.safe_push(shown);
}

static tree widened(gimple_stmt_iterator *where, tree counter)
{
    gassign *wide = gimple_build_assign(make_ssa_name(long_integer_type_node), NOP_EXPR, counter);
    gsi_insert_before(where, wide, GSI_SAME_STMT);
    return gimple_assign_lhs(wide);
}

static void replace_call(const Shown &shown, tree function)
{
    gimple_stmt_iterator where = gsi_for_stmt(shown.call);
    auto_vec<tree> args;
    args.safe_push(build_string_literal((int)strlen(shown.format) + 1, shown.format));
    args.safe_push(gimple_call_arg(shown.call, 1));
    for (int i = 0; i < shown.count; i++)
        args.safe_push(widened(&where, shown.counters[i]));
    gcall *call = gimple_build_call_vec(function, args);
    gimple_set_location(call, gimple_location(shown.call));
    gimple_move_vops(call, shown.call);
    gsi_replace(&where, call, false);
    gimple_set_modified(call, true);
    update_stmt(call);
}

/* In the sequential target: the calls stay, and say what the other targets say.  */
void show_places(Walk *w)
{
    if (!w->prints.length())
        return;
    tree type = build_varargs_function_type_list(void_type_node, const_ptr_type_node, const_ptr_type_node, NULL_TREE);
    tree function = build_fn_decl("ws_print_at_", type);
    for (unsigned i = 0; i < w->prints.length(); i++)
        if (w->prints[i].count)
            replace_call(w->prints[i], function);
}
