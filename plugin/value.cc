/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * value.cc - an SSA name -> a Value.
 *
 *   BM_3 = 128;                        128                  constants fold, whatever -O left of them
 *   _1 = (long int) i_9;               %i                   a conversion that only a parameter's type asked for
 *   k_8 = k_7 + 64;                    %k = addi %k, 64
 *   M_5(D), defined before the region  param %M             a live-in
 *
 * Copies have no value of their own, so that parameters of inlined helpers look the same whether the inliner kept a copy or
 * not.  A value has the user's name of the statement that makes it, or of the first copy of it.
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

Type type_of(tree type)
{
    Dtype dtype = D_I32;
    if (is_tile_type(type) || is_tensor_type(type))
        return TYPE_TO_INFER;
    if (POINTER_TYPE_P(type))
        return type_pointer(D_F32);
    scalar_type(type, &dtype);
    return type_scalar(dtype);
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

/* The user's name; not those of ws.h's own variables.  */
const char *name_of(tree ssa_name)
{
    tree var = TREE_CODE(ssa_name) == SSA_NAME ? SSA_NAME_VAR(ssa_name) : ssa_name;
    if (!var || !DECL_P(var) || !DECL_NAME(var) || DECL_IGNORED_P(var) || DECL_ARTIFICIAL(var))
        return NULL;
    const char *name = IDENTIFIER_POINTER(DECL_NAME(var));
    size_t length = strlen(name);
    return !strncmp(name, "ws_", 3) && name[length - 1] == '_' ? NULL : name;
}

/* A helper's parameter after inlining: whether it is a copy or the argument itself depends on -O.  */
bool is_inlined_parameter(tree ssa_name)
{
    tree var = SSA_NAME_VAR(ssa_name);
    tree origin = var && VAR_P(var) ? DECL_ABSTRACT_ORIGIN(var) : NULL_TREE;
    return origin && TREE_CODE(origin) == PARM_DECL;
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
static tree copy_source(gimple *stmt)
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

/* ---- constants --------------------------------------------------------------------------------------------------- */

static tree constant_within(tree expression, int *budget);

static tree constant_statement(gimple *stmt, int *budget)
{
    if (gimple_assign_load_p(stmt)) {
        tree stored = memory_value(stmt);
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

static tree ubsan_constant(gimple *stmt, int *budget)
{
    enum tree_code code = PLUS_EXPR;
    if (!gimple_call_internal_p(stmt))
        return NULL_TREE;
    switch (gimple_call_internal_fn(stmt)) {
    case IFN_UBSAN_CHECK_ADD:
        break;
    case IFN_UBSAN_CHECK_SUB:
        code = MINUS_EXPR;
        break;
    case IFN_UBSAN_CHECK_MUL:
        code = MULT_EXPR;
        break;
    default:
        return NULL_TREE;
    }
    tree x = constant_within(gimple_call_arg(stmt, 0), budget);
    tree y = x ? constant_within(gimple_call_arg(stmt, 1), budget) : NULL_TREE;
    return y ? fold_binary(code, TREE_TYPE(gimple_call_lhs(stmt)), x, y) : NULL_TREE;
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
        if (is_gimple_assign(def) && !gimple_has_volatile_ops(def))
            result = constant_statement(def, budget);
        else
            result = is_gimple_call(def) ? ubsan_constant(def, budget) : NULL_TREE;
    }
    if (!result || (TREE_CODE(result) != INTEGER_CST && TREE_CODE(result) != REAL_CST))
        return NULL_TREE;
    return TREE_OVERFLOW_P(result) ? drop_tree_overflow(result) : result;
}

/* require: nothing.   ensure: the literal that the expression is at every -O, or NULL.  */
tree constant_of(tree expression)
{
    int budget = 200;
    return constant_within(expression, &budget);
}

bool constant_int(tree expression, int64_t *result)
{
    tree constant = constant_of(expression);
    if (!constant || TREE_CODE(constant) != INTEGER_CST || !cst_and_fits_in_hwi(constant))
        return false;
    *result = int_cst_value(constant);
    return true;
}

/* ---- making operations ------------------------------------------------------------------------------------------- */

static void place(Walk *w, Op *op)
{
    if (w->block == w->kernel->body && w->anchor)
        op_before(w->anchor, op);
    else
        op_append(w->block, op);
}

/* The opcode with its operands exchanged, or OP_COUNT.  */
static Opcode exchanged(Opcode code)
{
    switch (code) {
    case OP_ADDI:
    case OP_MULI:
    case OP_ANDI:
    case OP_ORI:
    case OP_XORI:
    case OP_MINI:
    case OP_MAXI:
    case OP_EQI:
    case OP_NEI:
        return code;
    case OP_LTI:
        return OP_GTI;
    case OP_GTI:
        return OP_LTI;
    case OP_LEI:
        return OP_GEI;
    case OP_GEI:
        return OP_LEI;
    default:
        return OP_COUNT;
    }
}

/* Where a value ranks among operands: what the region computes, the newest first; live-ins by declaration; literals.  */
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
    Opcode other = exchanged(*code);
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
    if ((*code != OP_LEI && *code != OP_GTI) || dtype_is_float(dtype) || dtype == D_I1 || !ir_constant(args[1], &bound))
        return;
    if (bound < 0 ? !dtype_is_signed(dtype) : bound >= (((int64_t)1 << (8 * dtype_bytes(dtype) - 1)) - 1))
        return;
    args[1] = value_literal(w, dtype, bound + 1, 0);
    *code = *code == OP_LEI ? OP_LTI : OP_GEI;
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
    op->ival = ival;
    op->fval = fval;
    Value *value = op_result(w->kernel, op, type_scalar(dtype), NULL);
    if (w->anchor)
        op_before(w->anchor, op);
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

static Value *literal_of(Walk *w, tree constant)
{
    Dtype dtype;
    if (!scalar_type(TREE_TYPE(constant), &dtype))
        return value_anything(w, TREE_TYPE(constant));
    if (TREE_CODE(constant) == REAL_CST)
        return value_literal(w, dtype, 0, real_to_double(constant));
    return value_literal(w, dtype, (int64_t)int_cst_value(constant), 0);
}

Value *value_anything(Walk *w, tree type)
{
    Dtype dtype = D_I32;
    w->failed = true;
    if (is_tile_type(type) || is_tensor_type(type)) {
        Op *op = op_new(w->kernel, OP_FULL, w->kernel->loc, 0, NULL);
        place(w, op);
        return op_result(w->kernel, op, is_tile_type(type) ? type_tile(D_F32, 1, 1) : type_tensor(D_F32, 2), NULL);
    }
    scalar_type(type, &dtype);
    return value_literal(w, dtype, 0, 0);
}

/* The type of a value that control flow hands on: what tiles are is for infer to find.  */
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
    return value_new_op(w, OP_CONVI, w->where, type_scalar(dtype), name, 1, &value);
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

Value *value_live_in(Walk *w, tree expression, Type type, const char *name)
{
    for (unsigned i = 0; i < w->livein.length(); i++)
        if (operand_equal_p(w->livein[i].expression, expression, 0))
            return w->livein[i].value;
    Value *value = kernel_param(w->kernel, type, name, w->kernel->loc);
    w->livein.safe_push(LiveIn{expression, value});
    return value;
}

static Value *operation(Walk *w, gimple *stmt, Value *(*operand)(Walk *, tree));

/* In the prologue; the place for what the region finds ready.  */
static Value *recompute(Walk *w, gimple *stmt)
{
    Block *block = w->block;
    w->block = w->kernel->body;
    Value *value = operation(w, stmt, value_outside);
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

/* An expression of the region over what is known before it, or NULL.  */
static tree outside_tree(Walk *w, tree expression, int depth)
{
    tree name = ssa_resolve(expression);
    if (TREE_CODE(name) != SSA_NAME || !defined_in_region(w, name))
        return name;
    tree constant = constant_of(name);
    gimple *def = SSA_NAME_DEF_STMT(name);
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

/* require: a scalar or pointer.   ensure: a literal, a live-in, or operations of the prologue over these: a name that the
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
    Value *value = NULL;
    if (!SSA_NAME_IS_DEFAULT_DEF(name) && gimple_assign_load_p(def))
        value = live_in_load(w, def);
    else if (inside && POINTER_TYPE_P(TREE_TYPE(name)))
        value = pointer_inside(w, name);
    else if (!SSA_NAME_IS_DEFAULT_DEF(name) && !POINTER_TYPE_P(TREE_TYPE(name)) && (inside || !name_of(name)) &&
             pure_scalar_stmt(def) && !is_gimple_call(def))
        value = recompute(w, def);
    else if (!inside)
        value = value_live_in(w, name, type_of(TREE_TYPE(name)), name_of(name));
    if (value)
        w->outside.put(name, value);
    return value;
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

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
    complain(w->kernel->loc.host, "load tiles inside the grid", "the tile %qs comes from outside the grid",
             name_of(name) ? name_of(name) : "here");
    return value_anything(w, TREE_TYPE(name));
}

static Value *handle_literal(Walk *w, tree expression)
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
    if (TREE_CODE(name) == SSA_NAME && SSA_NAME_IS_DEFAULT_DEF(name) && SSA_NAME_VAR(name) && VAR_P(SSA_NAME_VAR(name)))
        return uninitialized(w, name);
    if (TREE_CODE(name) == SSA_NAME && is_tile_type(type) && !defined_in_region(w, name))
        return parameter_tile(w, name);
    Value *value = TREE_CODE(name) == SSA_NAME && defined_in_region(w, name) ? NULL : value_outside(w, name);
    if (value)
        return value;
    if (!w->failed)
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

/* ---- scalar statements ------------------------------------------------------------------------------------------- */

static const struct {
    enum tree_code tree;
    Opcode op;
    bool negate; /* of the result: comparisons that are true for a NaN */
} codes[] = {
    {PLUS_EXPR, OP_ADDI, false},      {MINUS_EXPR, OP_SUBI, false},     {MULT_EXPR, OP_MULI, false},
    {TRUNC_DIV_EXPR, OP_DIVI, false}, {EXACT_DIV_EXPR, OP_DIVI, false}, {RDIV_EXPR, OP_DIVI, false},
    {TRUNC_MOD_EXPR, OP_REMI, false}, {BIT_AND_EXPR, OP_ANDI, false},   {BIT_IOR_EXPR, OP_ORI, false},
    {BIT_XOR_EXPR, OP_XORI, false},   {LSHIFT_EXPR, OP_SHLI, false},    {RSHIFT_EXPR, OP_SHRI, false},
    {NEGATE_EXPR, OP_NEGI, false},    {BIT_NOT_EXPR, OP_NOTI, false},   {TRUTH_NOT_EXPR, OP_NOTI, false},
    {TRUTH_AND_EXPR, OP_ANDI, false}, {TRUTH_OR_EXPR, OP_ORI, false},   {TRUTH_XOR_EXPR, OP_XORI, false},
    {EQ_EXPR, OP_EQI, false},         {NE_EXPR, OP_NEI, false},         {LT_EXPR, OP_LTI, false},
    {LE_EXPR, OP_LEI, false},         {GT_EXPR, OP_GTI, false},         {GE_EXPR, OP_GEI, false},
    {UNLT_EXPR, OP_GEI, true},        {UNLE_EXPR, OP_GTI, true},        {UNGT_EXPR, OP_LEI, true},
    {UNGE_EXPR, OP_LTI, true},        {MIN_EXPR, OP_MINI, false},       {MAX_EXPR, OP_MAXI, false},
};

static int code_index(enum tree_code code)
{
    for (unsigned i = 0; i < ARRAY_SIZE(codes); i++)
        if (codes[i].tree == code)
            return (int)i;
    return -1;
}

bool opcode_of(enum tree_code code, Opcode *op, bool *negate)
{
    int index = code_index(code);
    if (index < 0)
        return false;
    *op = codes[index].op;
    *negate = codes[index].negate;
    return true;
}

/* Functions of <math.h> that the runtime has on every target.  */
static const char *math_name(gcall *call)
{
    static const char *const names[] = {"sqrt",      "fabs", "floor", "ceil",  "trunc", "round", "rint",
                                        "nearbyint", "exp",  "exp2",  "log",   "log2",  "log10", "sin",
                                        "cos",       "tan",  "tanh",  "erf",   "pow",   "fmin",  "fmax",
                                        "fma",       "fmod", "atan",  "atan2", "sinh",  "cosh",  "copysign"};
    tree fndecl = gimple_call_fndecl(call);
    if (!fndecl || !fndecl_built_in_p(fndecl, BUILT_IN_NORMAL) || !gimple_call_lhs(call))
        return NULL;
    const char *name = IDENTIFIER_POINTER(DECL_NAME(fndecl));
    if (!strncmp(name, "__builtin_", 10))
        name += 10;
    size_t length = strlen(name);
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        size_t stem = strlen(names[i]);
        if (!strncmp(name, names[i], stem) && (length == stem || (length == stem + 1 && name[stem] == 'f')))
            return name;
    }
    return NULL;
}

bool is_math_call(gimple *stmt)
{
    return is_gimple_call(stmt) && math_name(as_a<gcall *>(stmt));
}

static bool is_ubsan_arithmetic(const gimple *stmt, enum tree_code *code)
{
    if (!gimple_call_internal_p(stmt) || !gimple_call_lhs(stmt))
        return false;
    switch (gimple_call_internal_fn(stmt)) {
    case IFN_UBSAN_CHECK_ADD:
        *code = PLUS_EXPR;
        return true;
    case IFN_UBSAN_CHECK_SUB:
        *code = MINUS_EXPR;
        return true;
    case IFN_UBSAN_CHECK_MUL:
        *code = MULT_EXPR;
        return true;
    default:
        return false;
    }
}

/* Checks that the sanitizers put between the user's statements.  */
bool is_sanitizer_check(const gimple *stmt)
{
    if (gimple_call_internal_p(stmt)) {
        switch (gimple_call_internal_fn(stmt)) {
        case IFN_UBSAN_NULL:
        case IFN_UBSAN_BOUNDS:
        case IFN_UBSAN_OBJECT_SIZE:
        case IFN_UBSAN_PTR:
        case IFN_ASAN_MARK:
            return true;
        default:
            return false;
        }
    }
    tree fndecl = gimple_call_fndecl(stmt);
    return fndecl && DECL_NAME(fndecl) && strstr(IDENTIFIER_POINTER(DECL_NAME(fndecl)), "__ubsan_handle_");
}

/* What a call without effect computes: math, __builtin_expect, checked arithmetic.  */
static bool is_scalar_call(const gimple *stmt)
{
    enum tree_code code;
    gcall *call = as_a<gcall *>(const_cast<gimple *>(stmt));
    return is_ubsan_arithmetic(stmt, &code) || gimple_call_builtin_p(stmt, BUILT_IN_EXPECT) ||
           gimple_call_internal_p(stmt, IFN_BUILTIN_EXPECT) || math_name(call);
}

bool pure_scalar_stmt(gimple *stmt)
{
    char buffer[64];
    if (is_gimple_call(stmt)) {
        if (is_sanitizer_check(stmt) || is_scalar_call(stmt))
            return true;
        tree fndecl = gimple_call_fndecl(stmt);
        const char *name = fndecl ? ws_name(fndecl, buffer, sizeof buffer) : NULL;
        return name && (!strcmp(name, "at") || !strcmp(name, "at_float"));
    }
    if (!is_gimple_assign(stmt))
        return gimple_code(stmt) == GIMPLE_LABEL || gimple_code(stmt) == GIMPLE_PREDICT || gimple_nop_p(stmt);
    tree lhs = gimple_assign_lhs(stmt);
    if (TREE_CODE(lhs) != SSA_NAME || gimple_has_volatile_ops(stmt))
        return false;
    if (is_tile_type(TREE_TYPE(lhs)))
        return copy_source(stmt) != NULL_TREE;
    if (gimple_assign_load_p(stmt))
        return memory_is_local(gimple_assign_rhs1(stmt));
    return true;
}

static Value *binary(Walk *w, location_t where, enum tree_code code, Type type, const char *name, Value *x, Value *y)
{
    int index = code_index(code);
    Value *args[] = {x, y};
    if (index < 0) {
        complain(where, NULL, "this expression is not supported in a grid");
        w->failed = true;
        return x;
    }
    Value *value = value_new_op(w, codes[index].op, where, type, codes[index].negate ? NULL : name, y ? 2 : 1, args);
    return codes[index].negate ? value_new_op(w, OP_NOTI, where, type, name, 1, &value) : value;
}

static Value *comparison_tree(Walk *w, location_t where, tree condition, Value *(*operand)(Walk *, tree))
{
    if (!COMPARISON_CLASS_P(condition))
        return operand(w, condition);
    Value *x = operand(w, TREE_OPERAND(condition, 0)), *y = operand(w, TREE_OPERAND(condition, 1));
    return x && y ? binary(w, where, TREE_CODE(condition), type_scalar(D_I1), NULL, x, y) : NULL;
}

static Value *absolute(Walk *w, location_t where, Type type, const char *name, Value *x)
{
    if (dtype_is_float(type.dtype)) {
        Value *value = value_new_op(w, OP_MATHI, where, type, name, 1, &x);
        value->def->sval = type.dtype == D_F32 ? "fabsf" : "fabs";
        return value;
    }
    Value *args[] = {x, value_new_op(w, OP_NEGI, where, type, NULL, 1, &x)};
    return value_new_op(w, OP_MAXI, where, type, name, 2, args);
}

static Value *select(Walk *w, gimple *stmt, Type type, const char *name, Value *(*operand)(Walk *, tree))
{
    location_t where = stmt_location(stmt);
    Value *args[] = {comparison_tree(w, where, gimple_assign_rhs1(stmt), operand), operand(w, gimple_assign_rhs2(stmt)),
                     operand(w, gimple_assign_rhs3(stmt))};
    return args[0] && args[1] && args[2] ? value_new_op(w, OP_SELI, where, type, name, 3, args) : NULL;
}

static Value *assignment(Walk *w, gimple *stmt, Value *(*operand)(Walk *, tree))
{
    tree lhs = gimple_assign_lhs(stmt);
    enum tree_code code = gimple_assign_rhs_code(stmt);
    location_t where = stmt_location(stmt);
    Type type = type_of(TREE_TYPE(lhs));
    const char *name = name_of(lhs);
    if (code == COND_EXPR)
        return select(w, stmt, type, name, operand);
    if (COMPARISON_CLASS_P(gimple_assign_rhs1(stmt)))
        return comparison_tree(w, where, gimple_assign_rhs1(stmt), operand);
    Value *x = operand(w, gimple_assign_rhs1(stmt));
    if (!x)
        return NULL;
    if (CONVERT_EXPR_CODE_P(code) || code == FLOAT_EXPR || code == FIX_TRUNC_EXPR)
        return value_new_op(w, OP_CONVI, where, type, name, 1, &x);
    if (code == ABS_EXPR)
        return absolute(w, where, type, name, x);
    Value *y = gimple_num_ops(stmt) > 2 ? operand(w, gimple_assign_rhs2(stmt)) : NULL;
    if (gimple_num_ops(stmt) > 2 && !y)
        return NULL;
    return binary(w, where, code, type, name, x, y);
}

static Value *scalar_call(Walk *w, gcall *call, Value *(*operand)(Walk *, tree))
{
    enum tree_code code;
    location_t where = stmt_location(call);
    Value *args[4] = {};
    int nargs = (int)MIN(gimple_call_num_args(call), 4u);
    for (int i = 0; i < nargs; i++)
        if (!(args[i] = operand(w, gimple_call_arg(call, i))))
            return NULL;
    tree lhs = gimple_call_lhs(call);
    Type type = type_of(TREE_TYPE(lhs));
    if (is_ubsan_arithmetic(call, &code))
        return binary(w, where, code, type, name_of(lhs), args[0], args[1]);
    const char *name = math_name(call);
    if (!name)
        return args[0]; /* __builtin_expect */
    Value *value = value_new_op(w, OP_MATHI, where, type, name_of(lhs), nargs, args);
    value->def->sval = arena_print(w->kernel->module, "%s", name);
    return value;
}

/* The operation of a pure scalar statement, its operands looked up in one of two ways.  */
static Value *operation(Walk *w, gimple *stmt, Value *(*operand)(Walk *, tree))
{
    if (is_gimple_call(stmt))
        return scalar_call(w, as_a<gcall *>(stmt), operand);
    if (POINTER_TYPE_P(TREE_TYPE(gimple_assign_lhs(stmt))))
        return NULL;
    return assignment(w, stmt, operand);
}

/* ---- statements of the region ------------------------------------------------------------------------------------ */

static void copy_statement(Walk *w, tree lhs, tree source)
{
    if (is_tile_type(TREE_TYPE(lhs)) && TREE_CODE(source) != SSA_NAME) {
        handle_literal(w, lhs);
        return;
    }
    tree name = ssa_resolve(source);
    Value **known = TREE_CODE(name) == SSA_NAME ? w->values.get(name) : NULL;
    if (known && !(*known)->name && (*known)->def && name_of(lhs) && !is_inlined_parameter(lhs))
        (*known)->name = arena_print(w->kernel->module, "%s", name_of(lhs));
}

static void load_statement(Walk *w, gimple *stmt)
{
    tree lhs = gimple_assign_lhs(stmt);
    tree stored = memory_value(stmt);
    if (stored) {
        value_set(w, lhs, value_of(w, stored));
        return;
    }
    Value *value = memory_live_in(w, stmt);
    if (!value) {
        memory_refuse_read(w, stmt);
        value = value_anything(w, TREE_TYPE(lhs));
    }
    value_set(w, lhs, value);
}

static bool uses_handle(gimple *stmt)
{
    for (unsigned i = 1; i < gimple_num_ops(stmt); i++) {
        tree operand = gimple_op(stmt, i);
        if (operand && (is_tile_type(TREE_TYPE(operand)) || is_tensor_type(TREE_TYPE(operand))))
            return true;
    }
    return false;
}

void refuse_handle_arithmetic(Walk *w, gimple *stmt)
{
    w->failed = true;
    complain(stmt_location(stmt), "compare elements with ws_eq and its like, and choose with ws_select",
             "a tile is a value of the grid, not a number: it cannot be compared or converted");
}

/* An assignment of the region.  */
void value_statement(Walk *w, gimple *stmt)
{
    tree lhs = gimple_assign_lhs(stmt);
    if (gimple_clobber_p(stmt))
        return;
    w->where = stmt_location(stmt);
    if (TREE_CODE(lhs) != SSA_NAME) {
        memory_check_store(w, stmt);
        return;
    }
    tree source = copy_source(stmt);
    if (source) {
        copy_statement(w, lhs, source);
        return;
    }
    if (gimple_assign_load_p(stmt)) {
        load_statement(w, stmt);
        return;
    }
    if (uses_handle(stmt)) {
        refuse_handle_arithmetic(w, stmt);
        return;
    }
    Dtype dtype;
    if (POINTER_TYPE_P(TREE_TYPE(lhs)) || constant_of(lhs))
        return;
    if (!scalar_type(TREE_TYPE(lhs), &dtype)) {
        complain(w->where, "use integers up to 64 bits, float or double", "this type is not supported in a grid");
        value_set(w, lhs, value_anything(w, TREE_TYPE(lhs)));
        return;
    }
    value_set(w, lhs, operation(w, stmt, value_of));
}

/* A call that only computes a scalar; false for all others.  */
bool value_call(Walk *w, gcall *call)
{
    if (is_sanitizer_check(call))
        return true;
    if (!is_scalar_call(call))
        return false;
    value_set(w, gimple_call_lhs(call), operation(w, call, value_of));
    return true;
}
