/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * devices.cc - loops over devices, blocks of grids that run together, and tensors whose bases are elements of an array
 * of pointers.
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
 * A pointer that the whole grid has in common is read before the launch.  One that the grid chooses makes its tensor a
 * table: one more dimension in front, whose coordinate says which pointer, of as many as the loop has devices.
 *
 * Under #pragma ws together, what follows in the block stands between two calls, too (TRY_FINALLY), between which the
 * runtime has launches wait for those alone whose tensors they touch.
 *
 * Iterations run at the same time, so each stores what is its own alone: x[r] of its counter r.  What the compiler does
 * not see, the launches compare (runtime/host/devices.c).
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

/* One of the calls above.  */
bool devices_is_call(const char *name)
{
    return !strcmp(name, "together_begin") || !strcmp(name, "together_end") || !strcmp(name, "devices_begin") ||
           !strcmp(name, "devices_next") || !strcmp(name, "devices_end") || !strcmp(name, "devices_again");
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

static tree stripped(tree name)
{
    name = ssa_resolve(name);
    while (TREE_CODE(name) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(name)) {
        gimple *def = SSA_NAME_DEF_STMT(name);
        tree stored = gimple_assign_load_p(def) ? memory_value(def) : NULL_TREE;
        if (stored)
            name = ssa_resolve(stored);
        else if (is_gimple_assign(def) && CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)))
            name = ssa_resolve(gimple_assign_rhs1(def));
        else
            break;
    }
    return name;
}

/* An element of an array of pointers: *(array + index * bytes + offset).  */
struct Element {
    gimple *load;
    tree array, index; /* index: NULL where the offset says which one */
    int64_t offset;    /* in elements */
};

static bool element_of(tree pointer, Element *element)
{
    int64_t bytes = POINTER_SIZE_UNITS, factor;
    pointer = stripped(pointer);
    gimple *load =
        TREE_CODE(pointer) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(pointer) ? SSA_NAME_DEF_STMT(pointer) : NULL;
    if (!load || !gimple_assign_load_p(load) || gimple_has_volatile_ops(load))
        return false;
    tree reference = gimple_assign_rhs1(load);
    *element = Element{load, NULL_TREE, NULL_TREE, 0};
    if (TREE_CODE(reference) == ARRAY_REF && DECL_P(TREE_OPERAND(reference, 0))) {
        element->array = build_fold_addr_expr(TREE_OPERAND(reference, 0));
        element->index = TREE_OPERAND(reference, 1);
        return integer_zerop(array_ref_low_bound(reference));
    }
    if (TREE_CODE(reference) != MEM_REF || (int64_t)int_cst_value(TREE_OPERAND(reference, 1)) % bytes)
        return false;
    element->offset = (int64_t)int_cst_value(TREE_OPERAND(reference, 1)) / bytes;
    element->array = stripped(TREE_OPERAND(reference, 0));
    gimple *sum = TREE_CODE(element->array) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(element->array)
                      ? SSA_NAME_DEF_STMT(element->array)
                      : NULL;
    if (!sum || !is_gimple_assign(sum) || gimple_assign_rhs_code(sum) != POINTER_PLUS_EXPR)
        return true;
    tree distance = stripped(gimple_assign_rhs2(sum));
    gimple *product =
        TREE_CODE(distance) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(distance) ? SSA_NAME_DEF_STMT(distance) : NULL;
    if (!product || !is_gimple_assign(product) || gimple_assign_rhs_code(product) != MULT_EXPR ||
        !constant_int(gimple_assign_rhs2(product), &factor) || factor != bytes)
        return false;
    element->array = stripped(gimple_assign_rhs1(sum));
    element->index = gimple_assign_rhs1(product);
    return true;
}

/* Is the base of a tensor a pointer out of an array, which the region chooses?  */
bool devices_is_table(Walk *w, tree base)
{
    Element element;
    return devices_around(w) && element_of(base, &element) && element.index &&
           defined_in_region(w, gimple_assign_lhs(element.load)) && value_outside(w, element.array);
}

/* The array, where it is.  */
Value *devices_table(Walk *w, tree base)
{
    Element element;
    if (!devices_is_table(w, base) || !element_of(base, &element))
        return NULL;
    if (TREE_CODE(element.array) == ADDR_EXPR && !is_global_var(TREE_OPERAND(element.array, 0)))
        mark_addressable(TREE_OPERAND(element.array, 0));
    return value_outside(w, element.array);
}

/* How many pointers a table has.  */
Value *devices_count(Walk *w)
{
    return value_outside_argument(w, gimple_call_arg(devices_around(w)->marker, 1));
}

tree devices_how_many(const Walk *w)
{
    const MarkedLoop *around = devices_around(w);
    return around ? gimple_call_arg(around->marker, 1) : NULL_TREE;
}

static gcall *constructor_of(tree tensor)
{
    char buffer[64];
    for (int depth = 0; depth < 64; depth++) {
        tensor = ssa_resolve(tensor);
        gimple *def =
            TREE_CODE(tensor) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(tensor) ? SSA_NAME_DEF_STMT(tensor) : NULL;
        tree fndecl = def && is_gimple_call(def) ? gimple_call_fndecl(def) : NULL_TREE;
        const char *name = fndecl ? ws_name(fndecl, buffer, sizeof buffer) : NULL;
        if (!name || !is_tensor_constructor(name))
            return NULL;
        if (strcmp(name, "slice"))
            return as_a<gcall *>(def);
        tensor = gimple_call_arg(def, 0);
    }
    return NULL;
}

/* The coordinate in front of a load's own: which pointer of the table.  */
Value *devices_index(Walk *w, tree tensor)
{
    Element element;
    gcall *call = constructor_of(tensor);
    if (!call || !element_of(gimple_call_arg(call, 0), &element) || !element.index)
        return NULL;
    Value *index = value_convert(w, value_of(w, element.index), D_I64, NULL);
    if (!element.offset)
        return index;
    Value *args[] = {index, value_literal(w, D_I64, element.offset, 0)};
    return value_new_op(w, OP_SCALAR_ADD, w->where, type_scalar(D_I64), NULL, 2, args);
}

/* ---- what an iteration may store --------------------------------------------------------------------------------- */

static bool varies(const class loop *loop, tree name, int depth);

static bool operand_varies(const class loop *loop, gimple *stmt, int depth)
{
    tree operand;
    ssa_op_iter i;
    FOR_EACH_SSA_TREE_OPERAND(operand, stmt, i, SSA_OP_USE)
    if (varies(loop, operand, depth + 1))
        return true;
    return false;
}

/* May it be another one in another iteration of the loop?  */
static bool varies(const class loop *loop, tree name, int depth)
{
    if (TREE_CODE(name) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(name))
        return false;
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (!flow_bb_inside_loop_p(loop, gimple_bb(def)))
        return false;
    return gimple_code(def) == GIMPLE_PHI || is_gimple_call(def) || depth > 16 || operand_varies(loop, def, depth);
}

/* A store of a region in a loop over devices: to what is the iteration's own.  */
void devices_check_store(Walk *w, gcall *store)
{
    Element element;
    const MarkedLoop *around = devices_around(w);
    gcall *call = around ? constructor_of(gimple_call_arg(store, 0)) : NULL;
    if (!call || w->failed)
        return;
    tree base = gimple_call_arg(call, 0);
    if (!varies(around->loop, base, 0)) {
        complain(stmt_location(store), "let each device have a tensor of its own, x[r], and let others load from it",
                 "all iterations of a loop over devices store to one tensor");
        w->failed = true;
    } else if (element_of(base, &element) && element.index &&
               (element.offset || stripped(element.index) != stripped(gimple_call_arg(around->marker, 2))) &&
               varies(around->loop, element.index, 0)) {
        complain(stmt_location(store), "store to x[r], where r is the loop's counter, and let others load from it",
                 "an iteration of a loop over devices stores to what may belong to another iteration");
        w->failed = true;
    }
}
