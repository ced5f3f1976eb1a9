/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ssa.cc - questions to GCC: types, the user's names and places, copies, constants.
 *
 *   BM_3 = 128;  _4 = BM_3 / 2;          64          constants fold, whatever -O left of them
 *   x_7 = acc_5;                         acc_5       a copy is what it copies
 */
#include "plugin.h"

/* ---- types ------------------------------------------------------------------------------------------------------- */

static bool points_to(tree type, const char *name)
{
    if (!type || TREE_CODE(type) != POINTER_TYPE || TREE_CODE(TREE_TYPE(type)) != RECORD_TYPE)
        return false;
    tree tag = TYPE_NAME(TYPE_MAIN_VARIANT(TREE_TYPE(type)));
    if (tag && TREE_CODE(tag) == TYPE_DECL)
        tag = DECL_NAME(tag);
    return tag && TREE_CODE(tag) == IDENTIFIER_NODE && !strcmp(IDENTIFIER_POINTER(tag), name);
}

bool is_tile_type(tree type)
{
    return points_to(type, "ws_tile_");
}

bool is_tensor_type(tree type)
{
    return points_to(type, "ws_tensor_");
}

static bool integer_dtype(tree type, Dtype *dtype)
{
    bool is_unsigned = TYPE_UNSIGNED(type);
    switch (TYPE_PRECISION(type)) {
    case 1:
        *dtype = D_I1;
        return true;
    case 8:
        *dtype = is_unsigned ? D_U8 : D_I8;
        return true;
    case 16:
        *dtype = is_unsigned ? D_U16 : D_I16;
        return true;
    case 32:
        *dtype = is_unsigned ? D_U32 : D_I32;
        return true;
    case 64:
        *dtype = is_unsigned ? D_U64 : D_I64;
        return true;
    default:
        return false;
    }
}

bool scalar_type(tree type, Dtype *dtype)
{
    if (INTEGRAL_TYPE_P(type))
        return integer_dtype(type, dtype);
    if (TREE_CODE(type) != REAL_TYPE)
        return false;
    if (TYPE_MODE(type) == TYPE_MODE(float_type_node))
        *dtype = D_F32;
    else if (TYPE_MODE(type) == TYPE_MODE(double_type_node))
        *dtype = D_F64;
    else
        return false;
    return true;
}

/* ---- names and places -------------------------------------------------------------------------------------------- */

/* The user's line: not one of ws.h's own inline functions.  */
location_t stmt_location(const gimple *stmt)
{
    if (!stmt || !gimple_has_location(stmt))
        return UNKNOWN_LOCATION;
    location_t where = user_location(gimple_location(stmt));
    tree block = gimple_block(stmt);
    while (in_system_header_at(where) && block && TREE_CODE(block) == BLOCK) {
        if (inlined_function_outer_scope_p(block))
            where = user_location(BLOCK_SOURCE_LOCATION(block));
        block = BLOCK_SUPERCONTEXT(block);
    }
    return where;
}

bool has_place(location_t where)
{
    return get_pure_location(where) != UNKNOWN_LOCATION;
}

bool same_place(location_t x, location_t y)
{
    return get_pure_location(x) == get_pure_location(y);
}

bool stands_before(location_t x, location_t y)
{
    return linemap_compare_locations(line_table, get_pure_location(x), get_pure_location(y)) > 0;
}

/* Of a complex number, as GCC has made them two variables.  */
static bool is_part(tree x)
{
    return TREE_CODE(x) == REALPART_EXPR || TREE_CODE(x) == IMAGPART_EXPR;
}

/* The user's name; not those of ws.h's own variables.  */
const char *name_of(tree ssa_name)
{
    tree var = TREE_CODE(ssa_name) == SSA_NAME ? SSA_NAME_VAR(ssa_name) : ssa_name;
    if (var && VAR_P(var) && DECL_HAS_DEBUG_EXPR_P(var) && is_part(DECL_DEBUG_EXPR(var)))
        var = TREE_OPERAND(DECL_DEBUG_EXPR(var), 0);
    if (!var || !DECL_P(var) || !DECL_NAME(var) || DECL_IGNORED_P(var) || DECL_ARTIFICIAL(var))
        return NULL;
    const char *name = IDENTIFIER_POINTER(DECL_NAME(var));
    size_t length = strlen(name);
    return !strncmp(name, "ws_", 3) && name[length - 1] == '_' ? NULL : name;
}

/* The name behind ws_, in buffer without a trailing underscore; NULL for other functions.  */
const char *ws_name(tree fndecl, char *buffer, size_t size)
{
    const char *name = DECL_NAME(fndecl) ? IDENTIFIER_POINTER(DECL_NAME(fndecl)) : "";
    size_t length = strlen(name);
    if (strncmp(name, "ws_", 3) || length <= 3 || length - 2 > size || gimple_has_body_p(fndecl) ||
        DECL_SAVED_TREE(fndecl))
        return NULL;
    memcpy(buffer, name + 3, length - 2);
    if (buffer[length - 4] == '_')
        buffer[length - 4] = 0;
    return buffer;
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static bool same_representation(tree to, tree from)
{
    Dtype x, y;
    if (POINTER_TYPE_P(to) && POINTER_TYPE_P(from))
        return true;
    return scalar_type(to, &x) && scalar_type(from, &y) && x == y;
}

/* What an assignment merely copies, or NULL.  */
tree copy_source(gimple *stmt)
{
    if (!is_gimple_assign(stmt))
        return NULL_TREE;
    tree rhs = gimple_assign_rhs1(stmt);
    if (gimple_assign_single_p(stmt))
        return TREE_CODE(rhs) == SSA_NAME || is_gimple_min_invariant(rhs) ? rhs : NULL_TREE;
    if (CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(stmt)) &&
        same_representation(TREE_TYPE(gimple_assign_lhs(stmt)), TREE_TYPE(rhs)))
        return rhs;
    return NULL_TREE;
}

tree ssa_resolve(tree name)
{
    while (TREE_CODE(name) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(name)) {
        tree source = copy_source(SSA_NAME_DEF_STMT(name));
        if (!source || TREE_CODE(source) != SSA_NAME)
            break;
        name = source;
    }
    return name;
}

bool defined_in_region(const Walk *w, tree ssa_name)
{
    basic_block bb = gimple_bb(SSA_NAME_DEF_STMT(ssa_name));
    return bb && flow_bb_inside_loop_p(w->outer, bb);
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

static tree constant_within(tree expression, int *budget);

static tree constant_statement(gimple *stmt, int *budget)
{
    if (gimple_assign_load_p(stmt)) {
        tree stored = fold_const_aggregate_ref(gimple_assign_rhs1(stmt));
        return stored ? constant_within(stored, budget) : NULL_TREE;
    }
    tree type = TREE_TYPE(gimple_assign_lhs(stmt));
    enum tree_code code = gimple_assign_rhs_code(stmt);
    tree x = constant_within(gimple_assign_rhs1(stmt), budget);
    if (!x)
        return NULL_TREE;
    switch (gimple_assign_rhs_class(stmt)) {
    case GIMPLE_SINGLE_RHS:
        return x;
    case GIMPLE_UNARY_RHS:
        return fold_unary(code, type, x);
    case GIMPLE_BINARY_RHS: {
        tree y = constant_within(gimple_assign_rhs2(stmt), budget);
        return y ? fold_binary(code, type, x, y) : NULL_TREE;
    }
    default:
        return NULL_TREE;
    }
}

static tree constant_within(tree expression, int *budget)
{
    if (--*budget < 0 || !expression)
        return NULL_TREE;
    tree result = expression;
    if (TREE_CODE(expression) == SSA_NAME) {
        gimple *def = SSA_NAME_DEF_STMT(expression);
        if (SSA_NAME_IS_DEFAULT_DEF(expression) || POINTER_TYPE_P(TREE_TYPE(expression)))
            return NULL_TREE;
        result = is_gimple_assign(def) && !gimple_has_volatile_ops(def) ? constant_statement(def, budget) : NULL_TREE;
    }
    if (!result || (TREE_CODE(result) != INTEGER_CST && TREE_CODE(result) != REAL_CST))
        return NULL_TREE;
    return TREE_OVERFLOW_P(result) ? drop_tree_overflow(result) : result;
}

bool constant_int(tree expression, int64_t *result)
{
    int budget = 200;
    tree constant = constant_within(expression, &budget);
    if (!constant || TREE_CODE(constant) != INTEGER_CST || !cst_and_fits_in_hwi(constant))
        return false;
    *result = int_cst_value(constant);
    return true;
}
