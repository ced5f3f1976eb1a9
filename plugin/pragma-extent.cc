/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pragma-extent.cc - expressions in a pragma: extents of arrays, arrays that stay on the device, and the place where
 * tiles begin.
 *
 *   #pragma ws grid(1) extent(x: n * m)
 *   #pragma ws grid(2) order(from(r * rows))
 *   #pragma ws data copy(x[0:n]) copyin(y)
 *
 * They are expressions of the program, so each becomes an argument of the pragma's marker.
 */
#include "pragma.h"

vec<tree> marker_arguments = vNULL;

static tree wide(tree x)
{
    return fold_convert(long_integer_type_node, x);
}

static tree named(const char *name)
{
    return lookup_name(get_identifier(name));
}

static tree tree_of(const Expression *e)
{
    static const enum tree_code codes[] = {ERROR_MARK, ERROR_MARK, NEGATE_EXPR,    PLUS_EXPR,
                                           MINUS_EXPR, MULT_EXPR,  TRUNC_DIV_EXPR, TRUNC_MOD_EXPR};
    if (e->kind == EXPRESSION_NUMBER)
        return build_int_cst(long_integer_type_node, e->number);
    if (e->kind == EXPRESSION_NAME)
        return wide(named(e->name));
    if (e->kind == EXPRESSION_NEGATE)
        return build1(NEGATE_EXPR, long_integer_type_node, tree_of(e->left));
    tree left = tree_of(e->left);
    return build2(codes[e->kind], long_integer_type_node, left, tree_of(e->right));
}

/* In front of the loop, to which the marker goes.  */
static tree computed_here(const Loc &loc, tree value)
{
    location_t where = host_location(loc);
    tree var = build_decl(where, VAR_DECL, NULL_TREE, long_integer_type_node);
    DECL_ARTIFICIAL(var) = DECL_IGNORED_P(var) = TREE_USED(var) = DECL_READ_P(var) = 1;
    DECL_CONTEXT(var) = current_function_decl;
    pushdecl(var);
    add_stmt(build1_loc(where, DECL_EXPR, void_type_node, var));
    add_stmt(build2_loc(where, INIT_EXPR, long_integer_type_node, var, value));
    return var;
}

/* A pointer, or the address of an array.  */
static tree base_of(const Argument *array)
{
    tree decl = named(array->name);
    if (TREE_CODE(TREE_TYPE(decl)) != ARRAY_TYPE)
        return decl;
    TREE_ADDRESSABLE(decl) = 1;
    return build_fold_addr_expr(decl);
}

/* That many elements of the array, in bytes, in a variable.  */
static tree bytes_of(const Argument *array, tree count)
{
    tree element = TREE_TYPE(TREE_TYPE(named(array->name)));
    tree size = wide(unshare_expr(TYPE_SIZE_UNIT(element)));
    return computed_here(array->loc, build2(MULT_EXPR, long_integer_type_node, count, size));
}

/* extent(x: n) and order(from(x)).  */
void bind_extents(const Directive *directive, Pragma *pragma)
{
    for (const Clause *clause = directive->clauses; clause; clause = clause->next)
        for (const Argument *i = clause->arguments; i; i = i->next) {
            if (clause->kind == CLAUSE_GRID_EXTENT) {
                marker_arguments.safe_push(base_of(i));
                marker_arguments.safe_push(bytes_of(i, tree_of(i->count)));
            } else if (clause->kind == CLAUSE_GRID_ORDER && i->arguments && i->arguments->count) {
                pragma->from = computed_here(i->arguments->loc, tree_of(i->arguments->count));
            }
        }
}

/* ---- arrays that stay on the device ------------------------------------------------------------------------------ */

static void bind_array(ClauseKind clause, const Argument *array)
{
    tree zero = build_int_cst(long_integer_type_node, 0);
    tree base = base_of(array), text = build_string_literal(strlen(array->name) + 1, array->name);
    tree first = bytes_of(array, array->first ? tree_of(array->first) : zero);
    tree bytes = array->count
                     ? bytes_of(array, tree_of(array->count))
                     : computed_here(array->loc, wide(unshare_expr(TYPE_SIZE_UNIT(TREE_TYPE(named(array->name))))));
    if (clause == CLAUSE_UPDATE_HOST || clause == CLAUSE_UPDATE_DEVICE) {
        tree call = data_update(host_location(array->loc), clause == CLAUSE_UPDATE_HOST, base, first, bytes, text);
        if (plugin.target != TARGET_SEQUENTIAL)
            add_stmt(call);
        return;
    }
    marker_arguments.safe_push(build_int_cst(integer_type_node, DATA_COPY + (clause - CLAUSE_DATA_COPY)));
    marker_arguments.safe_push(base);
    marker_arguments.safe_push(first);
    marker_arguments.safe_push(bytes);
    marker_arguments.safe_push(text);
}

/* data copy(x[0:n]) copyin(y): arguments of the marker.  update host(x[0:n]) device(y[0:n]): copies at once.  */
void bind_arrays(const Directive *directive)
{
    for (const Clause *clause = directive->clauses; clause; clause = clause->next)
        for (const Argument *array = clause->arguments; array; array = array->next)
            bind_array(clause->kind, array);
}
