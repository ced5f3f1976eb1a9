/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * show.cc - ws_print and ws_print_value say where they stand.
 *
 *   for (i ...) grid                        print %i, %k, %acc "gemm i=%ld k=%ld: acc"
 *     for (k ...)                  =>
 *       ws_print ("acc", acc);
 */
#include "plugin.h"

/* The same in all iterations of the loop.  */
static bool is_steady(class loop *loop, tree value, int depth)
{
    gimple *def = TREE_CODE(value) == SSA_NAME ? SSA_NAME_DEF_STMT(value) : NULL;
    if (!def || !gimple_bb(def) || !flow_bb_inside_loop_p(loop, gimple_bb(def)))
        return true;
    if (!is_gimple_assign(def) || gimple_vuse(def) || depth > 8)
        return false;
    for (unsigned i = 1; i < gimple_num_ops(def); i++)
        if (!is_steady(loop, gimple_op(def, i), depth + 1))
            return false;
    return true;
}

/* Integers of the program that each iteration adds the same to, as `i += 64` does.  */
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
            return x == result && is_steady(loop, gimple_assign_rhs2(def), 0);
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

static void find_place(Walk *w, Shown *shown, Value **args)
{
    find_counters(w, w->loop, shown);
    for (int i = 0; i < shown->count; i++) {
        args[i] = value_of(w, shown->counters[i]);
        shown->format = arena_print(w->kernel->module, "%s %s=%%ld", shown->format, name_of(shown->counters[i]));
    }
}

void show_call(Walk *w, gcall *call)
{
    const char *text = c_getstr(gimple_call_arg(call, 0));
    Shown shown = {call, false, w->kernel->name, 0, {}};
    Value *args[sizeof shown.counters / sizeof *shown.counters];
    find_place(w, &shown, args);
    const char *name = text ? text : "";
    shown.format = arena_print(w->kernel->module, "%s: %s", shown.format, shown.count ? quoted(w, name) : name);
    args[shown.count] = value_of(w, gimple_call_arg(call, 1));
    Op *op = op_new(w->kernel, OP_PRINT, loc_of(stmt_location(call)), shown.count + 1, args);
    op->store->label = shown.format;
    op_append(w->block, op);
    w->prints.safe_push(shown);
}

/* ws_print_value_i_ and the like, of which the name's last letter says what the number is.  */
bool show_value_call(Walk *w, gcall *call, const char *name)
{
    static const char stem[] = "print_value_";
    const char *format = !strcmp(name, "print_value_i")   ? "%ld"
                         : !strcmp(name, "print_value_u") ? "%lu"
                         : !strcmp(name, "print_value_f") ? "%.9g"
                                                          : "%.17g";
    if (strncmp(name, stem, sizeof stem - 1))
        return false;
    const char *text = c_getstr(gimple_call_arg(call, 0));
    Shown shown = {call, true, w->kernel->name, 0, {}};
    Value *args[sizeof shown.counters / sizeof *shown.counters + 2];
    find_place(w, &shown, args);
    shown.format = arena_print(w->kernel->module, "%s: %s: %s", shown.format, quoted(w, text ? text : ""), format);
    args[shown.count] = value_of(w, gimple_call_arg(call, 1));
    args[shown.count + 1] = ir_const_int(w->kernel, w->block, D_I1, 1);
    Op *op = op_new(w->kernel, OP_PRINT_EACH, loc_of(stmt_location(call)), shown.count + 2, args);
    op->store->label = shown.format;
    op_append(w->block, op);
    w->prints.safe_push(shown);
    return true;
}
