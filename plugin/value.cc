/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * value.cc - an SSA name -> a Value.
 *
 *   _1 = (long int) i_9;               %i                   a conversion that only a parameter's type asked for
 *   k_8 = k_7 + 64;                    %k = scalar_add %k, 64
 *   M_5(D), defined before the region  param %M             a live-in
 *
 * A name that the user gave to a value before the region is a live-in; nameless steps of an expression there are
 * computed again in the prologue, so that a launcher's arguments are few and have names.
 */
#include "plugin.h"

/* ---- making operations ------------------------------------------------------------------------------------------- */

static void place(Walk *w, Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    if (w->task && (class_ == CLASS_TILE || class_ == CLASS_LOAD || class_ == CLASS_STORE))
        schedule_op(op)->task = w->task;
    if (w->block == w->kernel->body && w->anchor)
        op_before(w->anchor, op);
    else
        op_append(w->block, op);
}

/* Where a value ranks among operands: what the region computes, the newest first; live-ins by declaration; literals. */
static int64_t operand_rank(const Walk *w, const Value *value)
{
    if (value->def)
        return value->def->code == OP_CONST ? (int64_t)1 << 62 : -(int64_t)value->id;
    if (value->block)
        return -(int64_t)value->id;
    for (unsigned i = 0; i < w->livein.length(); i++)
        if (w->livein[i].value == value) {
            tree name = w->livein[i].expression;
            tree var = TREE_CODE(name) == SSA_NAME ? SSA_NAME_VAR(name) : NULL_TREE;
            return var ? (int64_t)DECL_UID(var) + 1 : (int64_t)1 << 40;
        }
    return 1;
}

/* GCC orders the operands of inlined code by numbers that differ with -O.  */
static void order_operands(const Walk *w, Opcode *code, Value **args)
{
    Opcode other = op_swapped(*code);
    if (other == OP_COUNT || operand_rank(w, args[0]) <= operand_rank(w, args[1]))
        return;
    Value *first = args[0];
    args[0] = args[1];
    args[1] = first;
    *code = other;
}

/* GCC prefers x <= 63 to x < 64, if the number gets smaller by it.  */
void plain_comparison(Walk *w, Opcode *code, Value **args)
{
    int64_t bound;
    Dtype dtype = args[1]->type.dtype;
    if ((*code != OP_SCALAR_LE && *code != OP_SCALAR_GT) || dtype_is_float(dtype) || dtype == D_I1 ||
        !ir_constant(args[1], &bound))
        return;
    if (bound < 0 ? !dtype_is_signed(dtype) : bound >= (int64_t)(((uint64_t)1 << (8 * dtype_bytes(dtype) - 1)) - 1))
        return;
    args[1] = value_literal(w, dtype, bound + 1, 0);
    *code = *code == OP_SCALAR_LE ? OP_SCALAR_LT : OP_SCALAR_GE;
}

Value *value_new_op(Walk *w, Opcode code, location_t where, Type type, const char *name, int nargs, Value *const *args)
{
    Value *pair[] = {nargs > 0 ? args[0] : NULL, nargs > 1 ? args[1] : NULL};
    if (nargs == 2) {
        order_operands(w, &code, pair);
        plain_comparison(w, &code, pair);
        args = pair;
    }
    Op *op = op_new(w->kernel, code, loc_of(where), nargs, args);
    Value *result = type.rank == NO_RESULT.rank ? NULL : op_result(w->kernel, op, type, name);
    place(w, op);
    return result;
}

static Value *literal_new(Walk *w, Dtype dtype, int64_t ival, double fval)
{
    Op *op = op_new(w->kernel, OP_CONST, w->kernel->loc, 0, NULL);
    op->scalar->integer = ival;
    op->scalar->real = fval;
    Value *value = op_result(w->kernel, op, type_scalar(dtype), NULL);
    Block *block = w->block;
    while (!w->anchor && block && block->parent && block->parent->parent != w->kernel->body)
        block = block->parent->parent;
    if (w->anchor)
        op_before(w->anchor, op);
    else if (block && block->parent) /* in an arm of a condition there */
        op_before(block->parent, op);
    else
        op_append(w->kernel->body, op);
    w->literals.safe_push(Literal{dtype, ival, fval, value});
    return value;
}

Value *value_literal(Walk *w, Dtype dtype, int64_t ival, double fval)
{
    for (unsigned i = 0; i < w->literals.length(); i++) {
        const Literal &known = w->literals[i];
        if (known.dtype == dtype && known.ival == ival && !memcmp(&known.fval, &fval, sizeof fval))
            return known.value;
    }
    return literal_new(w, dtype, ival, fval);
}

static double real_to_double(tree constant)
{
    char text[64];
    real_to_hexadecimal(text, &TREE_REAL_CST(constant), sizeof text, 0, true);
    if (REAL_VALUE_ISINF(TREE_REAL_CST(constant)))
        return REAL_VALUE_NEGATIVE(TREE_REAL_CST(constant)) ? -__builtin_inf() : __builtin_inf();
    if (REAL_VALUE_ISNAN(TREE_REAL_CST(constant)))
        return __builtin_nan("");
    return strtod(text, NULL);
}

Value *literal_of(Walk *w, tree constant)
{
    Dtype dtype;
    if (!scalar_type(TREE_TYPE(constant), &dtype))
        return value_anything(w, TREE_TYPE(constant));
    if (TREE_CODE(constant) == REAL_CST)
        return value_literal(w, dtype, 0, real_to_double(constant));
    return value_literal(w, dtype, (int64_t)int_cst_value(constant), 0);
}

/* long double, __int128 and others that no tile has: false after a complaint.  */
bool value_check_type(Walk *w, tree type)
{
    Dtype dtype;
    if (scalar_type(type, &dtype) || POINTER_TYPE_P(type) || is_tile_type(type) || is_tensor_type(type) ||
        TREE_CODE(type) == COMPLEX_TYPE)
        return true;
    if (!w->failed)
        complain(w->where, "use float, double or an integer type of 8 to 64 bits", "a grid has no numbers of type %qT",
                 type);
    w->failed = true;
    return false;
}

Value *value_anything(Walk *w, tree type)
{
    Dtype dtype = D_I32;
    if (!w->failed && !seen_error())
        value_check_type(w, type);
    w->failed = true;
    if (is_tile_type(type) || is_tensor_type(type)) {
        Op *op = op_new(w->kernel, OP_FULL, w->kernel->loc, 0, NULL);
        place(w, op);
        return op_result(w->kernel, op, is_tile_type(type) ? type_tile(D_F32, 1, 1) : type_tensor(D_F32, 2), NULL);
    }
    scalar_type(type, &dtype);
    return value_literal(w, dtype, 0, 0);
}

/* The type of a value that control flow hands on: what tiles are is for types.c to find.  */
Type type_handed(const Value *value)
{
    return value->type.kind == K_SCALAR ? value->type : TYPE_TO_INFER;
}

/* A scalar as another type.  */
Value *value_convert(Walk *w, Value *value, Dtype dtype, const char *name)
{
    int64_t known;
    if (value->type.dtype == dtype)
        return value;
    if (ir_constant(value, &known) && !dtype_is_float(dtype))
        return value_literal(w, dtype, known, 0);
    return value_new_op(w, OP_SCALAR_CONVERT, w->where, type_scalar(dtype), name, 1, &value);
}

void value_set(Walk *w, tree name, Value *value)
{
    w->values.put(name, value);
}

/* ---- live-ins ---------------------------------------------------------------------------------------------------- */

bool defined_in_region(const Walk *w, tree ssa_name)
{
    basic_block bb = gimple_bb(SSA_NAME_DEF_STMT(ssa_name));
    return bb && flow_bb_inside_loop_p(w->outer, bb);
}

static tree find_chosen(tree *where, int *, void *)
{
    return TREE_CODE(*where) == SSA_NAME && choice_reaches(*where) ? *where : NULL_TREE;
}

/* The launcher gets it once for all variants.  */
static void refuse_chosen(Walk *w, tree expression, const char *name)
{
    if (w->failed || !walk_tree_without_duplicates(&expression, find_chosen, NULL))
        return;
    w->failed = true;
    complain(w->where, "compute it of the choice by arithmetic alone, or inside the grid",
             "%qs differs with a choice, and is computed before the grid", name ? name : "a number");
}

Value *value_live_in(Walk *w, tree expression, Type type, const char *name)
{
    for (unsigned i = 0; i < w->livein.length(); i++)
        if (operand_equal_p(w->livein[i].expression, expression, 0))
            return w->livein[i].value;
    refuse_chosen(w, expression, name);
    value_check_type(w, TREE_TYPE(expression));
    Value *value = kernel_param(w->kernel, type, name, w->kernel->loc);
    w->livein.safe_push(LiveIn{expression, value});
    return value;
}

/* In the prologue; the place for what the region finds ready.  */
static Value *recompute(Walk *w, gimple *stmt)
{
    Block *block = w->block;
    w->block = w->kernel->body;
    Value *value = scalar_operation(w, stmt, value_outside);
    w->block = block;
    return value;
}

static Value *live_in_load(Walk *w, gimple *load)
{
    tree stored = memory_value(load);
    if (stored)
        return value_outside(w, stored);
    return defined_in_region(w, gimple_assign_lhs(load)) ? memory_live_in(w, load) : memory_read_before(w, load);
}

static tree find_inner(tree *where, int *, void *data)
{
    return TREE_CODE(*where) == SSA_NAME && defined_in_region((Walk *)data, *where) ? *where : NULL_TREE;
}

static tree outside_tree(Walk *w, tree expression, int depth);

/* The address of an element of an array, or what a pointer points to.  */
static tree outside_address(Walk *w, tree reference)
{
    if (TREE_CODE(reference) == MEM_REF) {
        tree pointer = outside_tree(w, TREE_OPERAND(reference, 0), 0);
        return pointer ? fold_build_pointer_plus(pointer, fold_convert(sizetype, TREE_OPERAND(reference, 1)))
                       : NULL_TREE;
    }
    if (TREE_CODE(reference) != ARRAY_REF || !DECL_P(TREE_OPERAND(reference, 0)) ||
        !integer_zerop(array_ref_low_bound(reference)))
        return NULL_TREE;
    tree index = outside_tree(w, TREE_OPERAND(reference, 1), 0);
    tree array = fold_convert(ptr_type_node, build_fold_addr_expr(TREE_OPERAND(reference, 0)));
    return index ? fold_build_pointer_plus(array, fold_build2(MULT_EXPR, sizetype, fold_convert(sizetype, index),
                                                              TYPE_SIZE_UNIT(TREE_TYPE(reference))))
                 : NULL_TREE;
}

/* A pointer that the region loads: nothing in a region stores pointers, so it is the same before it.  */
static tree outside_pointer(Walk *w, gimple *load)
{
    tree type = TREE_TYPE(gimple_assign_lhs(load)), reference = gimple_assign_rhs1(load);
    if (gimple_has_volatile_ops(load) || is_tile_type(type) || is_tensor_type(type) || memory_is_local(reference))
        return NULL_TREE;
    tree address = outside_address(w, reference);
    return address ? fold_build2(MEM_REF, type, address, build_int_cst(ptr_type_node, 0)) : NULL_TREE;
}

/* An expression of the region over what is known before it, or NULL.  */
static tree outside_tree(Walk *w, tree expression, int depth)
{
    tree name = ssa_resolve(expression);
    if (TREE_CODE(name) != SSA_NAME) /* perhaps the address of an element that the region chooses */
        return walk_tree_without_duplicates(&name, find_inner, w) ? NULL_TREE : name;
    if (!defined_in_region(w, name))
        return name;
    tree constant = constant_of(name);
    gimple *def = SSA_NAME_DEF_STMT(name);
    enum tree_code code;
    if (!constant && depth <= 16 && is_gimple_call(def) && is_checked_arithmetic(def, &code)) {
        tree left = outside_tree(w, gimple_call_arg(def, 0), depth + 1);
        tree right = left ? outside_tree(w, gimple_call_arg(def, 1), depth + 1) : NULL_TREE;
        return right ? fold_build2(code, TREE_TYPE(name), left, right) : NULL_TREE;
    }
    if (!constant && depth <= 16 && gimple_assign_load_p(def) && POINTER_TYPE_P(TREE_TYPE(name)))
        return outside_pointer(w, def);
    if (constant || depth > 16 || !is_gimple_assign(def) || gimple_assign_load_p(def) || !pure_scalar_stmt(def) ||
        gimple_num_ops(def) > 3)
        return constant;
    tree x = outside_tree(w, gimple_assign_rhs1(def), depth + 1);
    tree y = x && gimple_num_ops(def) == 3 ? outside_tree(w, gimple_assign_rhs2(def), depth + 1) : NULL_TREE;
    if (!x || (gimple_num_ops(def) == 3 && !y))
        return NULL_TREE;
    return y ? fold_build2(gimple_assign_rhs_code(def), TREE_TYPE(name), x, y)
             : fold_build1(gimple_assign_rhs_code(def), TREE_TYPE(name), x);
}

static Value *pointer_inside(Walk *w, tree name)
{
    tree expression = outside_tree(w, name, 0);
    return expression ? value_live_in(w, expression, type_pointer(D_F32), name_of(name)) : NULL;
}

/* i = k + 1: bounds of plain loops are compared with k.  */
static bool is_next_to(const Walk *w, gimple *def)
{
    enum tree_code code = is_gimple_assign(def) ? gimple_assign_rhs_code(def) : ERROR_MARK;
    return w->kernel->grid.plain && (code == PLUS_EXPR || code == MINUS_EXPR) &&
           TREE_CODE(gimple_assign_rhs2(def)) == INTEGER_CST && name_of(gimple_assign_rhs1(def));
}

/* require: a scalar or pointer.   ensure: a literal, a live-in, or operations of the prologue over these: a name that
                                   the
   user gave is a live-in, a nameless step of an expression is computed again; NULL if it changes in the region.  */
Value *value_outside(Walk *w, tree expression)
{
    tree name = ssa_resolve(expression);
    tree constant = constant_of(name);
    if (constant)
        return literal_of(w, constant);
    if (TREE_CODE(name) != SSA_NAME)
        return is_gimple_min_invariant(name) ? value_live_in(w, name, type_of(TREE_TYPE(name)), NULL) : NULL;
    Value **known = w->outside.get(name);
    if (known)
        return *known;
    gimple *def = SSA_NAME_DEF_STMT(name);
    bool inside = defined_in_region(w, name);
    enum tree_code code;
    Value *value = NULL;
    bool loaded = !SSA_NAME_IS_DEFAULT_DEF(name) && gimple_assign_load_p(def);
    if (loaded)
        value = live_in_load(w, def);
    if (!value && inside && POINTER_TYPE_P(TREE_TYPE(name)))
        value = pointer_inside(w, name);
    else if (loaded)
        ; /* it is, or it changes */
    else if (!SSA_NAME_IS_DEFAULT_DEF(name) && !POINTER_TYPE_P(TREE_TYPE(name)) &&
             (inside || !name_of(name) || is_next_to(w, def) || choice_reaches(name)) && pure_scalar_stmt(def) &&
             (!is_gimple_call(def) || is_checked_arithmetic(def, &code)))
        value = recompute(w, def);
    else if (!inside)
        value = value_live_in(w, name, type_of(TREE_TYPE(name)), name_of(name));
    if (value)
        w->outside.put(name, value);
    return value;
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

/* A variable before the first assignment to it, or behind the end of its scope.  */
static bool has_no_value(tree name)
{
    return TREE_CODE(name) == SSA_NAME && SSA_NAME_VAR(name) && VAR_P(SSA_NAME_VAR(name)) &&
           (SSA_NAME_IS_DEFAULT_DEF(name) || is_poison(name));
}

static Value *uninitialized(Walk *w, tree name)
{
    if (!is_tile_type(TREE_TYPE(name)))
        return literal_of(w, build_zero_cst(TREE_TYPE(name)));
    if (!w->failed)
        complain(DECL_SOURCE_LOCATION(SSA_NAME_VAR(name)), "give it a value on every path, for instance with ws_zeros",
                 "the tile %qs is used where it may have no value", name_of(name));
    return value_anything(w, TREE_TYPE(name));
}

static Value *parameter_tile(Walk *w, tree name)
{
    complain(w->where, "load tiles inside the grid", "the tile %qs comes from outside the grid",
             name_of(name) ? name_of(name) : "here");
    return value_anything(w, TREE_TYPE(name));
}

Value *handle_literal(Walk *w, tree expression)
{
    if (!w->failed)
        complain(w->where, "make tiles with ws_zeros, ws_full or ws_load", "a number or pointer is not a %s",
                 is_tile_type(TREE_TYPE(expression)) ? "tile" : "tensor");
    return value_anything(w, TREE_TYPE(expression));
}

/* require: an operand of a statement of the region.   ensure: its value; never NULL.  */
Value *value_of(Walk *w, tree expression)
{
    tree name = ssa_resolve(expression);
    tree type = TREE_TYPE(name);
    tree constant = POINTER_TYPE_P(type) ? NULL_TREE : constant_of(name);
    if (constant)
        return literal_of(w, constant);
    if (is_tensor_type(type) && TREE_CODE(name) == SSA_NAME)
        return tensor_of(w, name);
    Value **known = TREE_CODE(name) == SSA_NAME ? w->values.get(name) : NULL;
    if (known)
        return *known;
    if (is_tile_type(type) && TREE_CODE(name) != SSA_NAME)
        return handle_literal(w, name);
    if (has_no_value(name))
        return uninitialized(w, name);
    if (TREE_CODE(name) == SSA_NAME && is_tile_type(type) && !defined_in_region(w, name))
        return parameter_tile(w, name);
    Value *value = TREE_CODE(name) == SSA_NAME && defined_in_region(w, name) ? NULL : value_outside(w, name);
    if (value)
        return value;
    if (!w->failed && POINTER_TYPE_P(type) && w->kernel->grid.plain)
        plain_refuse_pointer(w);
    if (!w->failed && POINTER_TYPE_P(type)) {
        complain(w->where, "choose values: x = c ? a : b; read elements with ws_at, or copy them before the grid",
                 "which object this pointer goes to is known at run time only");
        w->failed = true;
    }
    if (!w->failed && !complained_in_region())
        BUG(w->kernel, "the value %s has no definition yet",
            TREE_CODE(name) == SSA_NAME && name_of(name) ? name_of(name) : "");
    return value_anything(w, type);
}

static bool is_widening(gimple *stmt)
{
    if (!is_gimple_assign(stmt) || !CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(stmt)))
        return false;
    tree to = TREE_TYPE(gimple_assign_lhs(stmt)), from = TREE_TYPE(gimple_assign_rhs1(stmt));
    if (!INTEGRAL_TYPE_P(to) || !INTEGRAL_TYPE_P(from) || TYPE_PRECISION(from) >= TYPE_PRECISION(to))
        return false;
    return TYPE_PRECISION(from) > 1 && (TYPE_UNSIGNED(from) || !TYPE_UNSIGNED(to));
}

static bool is_float_widening(gimple *stmt)
{
    return is_gimple_assign(stmt) && CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(stmt)) &&
           TYPE_MAIN_VARIANT(TREE_TYPE(gimple_assign_lhs(stmt))) == double_type_node &&
           TYPE_MAIN_VARIANT(TREE_TYPE(gimple_assign_rhs1(stmt))) == float_type_node;
}

/* Behind copies, and stores to local memory.  */
static tree through_memory(tree name)
{
    name = ssa_resolve(name);
    while (TREE_CODE(name) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(name) &&
           gimple_assign_load_p(SSA_NAME_DEF_STMT(name))) {
        tree stored = memory_value(SSA_NAME_DEF_STMT(name));
        if (!stored)
            break;
        name = ssa_resolve(stored);
    }
    return name;
}

static tree strip_widening(tree expression)
{
    tree name = through_memory(expression);
    while (TREE_CODE(name) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(name) && !name_of(name) &&
           (is_widening(SSA_NAME_DEF_STMT(name)) || is_float_widening(SSA_NAME_DEF_STMT(name))))
        name = through_memory(gimple_assign_rhs1(SSA_NAME_DEF_STMT(name)));
    return name;
}

Value *value_of_argument(Walk *w, tree expression)
{
    tree constant = constant_of(expression);
    int64_t number;
    if (constant && constant_int(constant, &number) && number == (int32_t)number)
        return value_literal(w, D_I32, number, 0);
    return value_of(w, strip_widening(expression));
}

Value *value_outside_argument(Walk *w, tree expression)
{
    tree constant = constant_of(expression);
    int64_t number;
    if (constant && constant_int(constant, &number) && number == (int32_t)number)
        return value_literal(w, D_I32, number, 0);
    return value_outside(w, strip_widening(expression));
}
