/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scalar.cc - statements that compute scalars -> scalar operations.
 *
 *   _3 = k_7 + 64;                       %3 = scalar_add %k, 64
 *   _4 = .UBSAN_CHECK_MUL (i_1, 128);    %4 = scalar_mul %i, 128
 *   _5 = sqrtf (_2);                     %5 = scalar_math %2 "sqrtf"
 *
 * A value has the user's name of the statement that makes it, or of the first copy of it.
 */
#include "plugin.h"

/* ---- scalar statements ------------------------------------------------------------------------------------------- */

static const struct {
    enum tree_code tree;
    Opcode op;
    bool negate; /* of the result: comparisons that are true for a NaN */
} codes[] = {
    {PLUS_EXPR, OP_SCALAR_ADD, false},      {MINUS_EXPR, OP_SCALAR_SUB, false},
    {MULT_EXPR, OP_SCALAR_MUL, false},      {TRUNC_DIV_EXPR, OP_SCALAR_DIV, false},
    {EXACT_DIV_EXPR, OP_SCALAR_DIV, false}, {RDIV_EXPR, OP_SCALAR_DIV, false},
    {TRUNC_MOD_EXPR, OP_SCALAR_REM, false}, {BIT_AND_EXPR, OP_SCALAR_AND, false},
    {BIT_IOR_EXPR, OP_SCALAR_OR, false},    {BIT_XOR_EXPR, OP_SCALAR_XOR, false},
    {LSHIFT_EXPR, OP_SCALAR_SHL, false},    {RSHIFT_EXPR, OP_SCALAR_SHR, false},
    {NEGATE_EXPR, OP_SCALAR_NEG, false},    {BIT_NOT_EXPR, OP_SCALAR_NOT, false},
    {TRUTH_NOT_EXPR, OP_SCALAR_NOT, false}, {TRUTH_AND_EXPR, OP_SCALAR_AND, false},
    {TRUTH_OR_EXPR, OP_SCALAR_OR, false},   {TRUTH_XOR_EXPR, OP_SCALAR_XOR, false},
    {EQ_EXPR, OP_SCALAR_EQ, false},         {NE_EXPR, OP_SCALAR_NE, false},
    {LT_EXPR, OP_SCALAR_LT, false},         {LE_EXPR, OP_SCALAR_LE, false},
    {GT_EXPR, OP_SCALAR_GT, false},         {GE_EXPR, OP_SCALAR_GE, false},
    {UNLT_EXPR, OP_SCALAR_GE, true},        {UNLE_EXPR, OP_SCALAR_GT, true},
    {UNGT_EXPR, OP_SCALAR_LE, true},        {UNGE_EXPR, OP_SCALAR_LT, true},
    {MIN_EXPR, OP_SCALAR_MIN, false},       {MAX_EXPR, OP_SCALAR_MAX, false},
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
    tree fndecl = gimple_call_fndecl(call);
    if (!fndecl || !fndecl_built_in_p(fndecl, BUILT_IN_NORMAL) || !gimple_call_lhs(call))
        return NULL;
    const char *name = IDENTIFIER_POINTER(DECL_NAME(fndecl));
    if (!strncmp(name, "__builtin_", 10))
        name += 10;
    return op_of_function(name) != OP_COUNT ? name : NULL;
}

bool is_math_call(gimple *stmt)
{
    return is_gimple_call(stmt) && math_name(as_a<gcall *>(stmt));
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
        case IFN_ASAN_POISON:
            return true;
        default:
            return false;
        }
    }
    tree fndecl = gimple_call_fndecl(stmt);
    return fndecl && DECL_NAME(fndecl) && strstr(IDENTIFIER_POINTER(DECL_NAME(fndecl)), "__ubsan_handle_");
}

bool is_poison(tree name)
{
    return TREE_CODE(name) == SSA_NAME && gimple_call_internal_p(SSA_NAME_DEF_STMT(name), IFN_ASAN_POISON);
}

/* -fsanitize=object-size asks in the second way from GCC 13 on.  */
bool asks_size(const gimple *stmt)
{
    return is_gimple_call(stmt) && gimple_call_lhs(stmt) &&
           (gimple_call_builtin_p(stmt, BUILT_IN_OBJECT_SIZE) ||
            gimple_call_builtin_p(stmt, BUILT_IN_DYNAMIC_OBJECT_SIZE));
}

static bool is_asked_by_checks_only(tree name, int depth)
{
    imm_use_iterator i;
    use_operand_p use;
    FOR_EACH_IMM_USE_FAST(use, i, name)
    {
        gimple *stmt = USE_STMT(use);
        bool check = is_gimple_debug(stmt) || (is_gimple_call(stmt) && is_sanitizer_check(stmt));
        bool step = is_gimple_assign(stmt) && TREE_CODE(gimple_assign_lhs(stmt)) == SSA_NAME && depth < 8;
        if (!check && !(step && is_asked_by_checks_only(gimple_assign_lhs(stmt), depth + 1)))
            return false;
    }
    return true;
}

bool feeds_checks_only(tree name)
{
    return is_asked_by_checks_only(name, 0);
}

/* What a call without effect computes: math, __builtin_expect, checked arithmetic.  */
static bool is_scalar_call(const gimple *stmt)
{
    enum tree_code code;
    gcall *call = as_a<gcall *>(const_cast<gimple *>(stmt));
    return is_checked_arithmetic(stmt, &code) || gimple_call_builtin_p(stmt, BUILT_IN_EXPECT) ||
           gimple_call_internal_p(stmt, IFN_BUILTIN_EXPECT) || math_name(call);
}

bool pure_scalar_stmt(gimple *stmt)
{
    char buffer[64];
    if (is_gimple_call(stmt)) {
        if (is_sanitizer_check(stmt) || is_scalar_call(stmt) || pragma_of_stmt(stmt))
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

/* isnan (x), as GCC folds it, and what else asks whether two numbers have an order; NULL: another code.  */
Value *scalar_unordered(Walk *w, location_t where, enum tree_code code, Value *x, Value *y)
{
    if (code != UNORDERED_EXPR && code != ORDERED_EXPR)
        return NULL;
    Opcode same = code == ORDERED_EXPR ? OP_SCALAR_EQ : OP_SCALAR_NE;
    Value *first[] = {x, x}, *second[] = {y, y};
    Value *both[] = {value_new_op(w, same, where, type_scalar(D_I1), NULL, 2, first), NULL};
    if (x == y)
        return both[0];
    both[1] = value_new_op(w, same, where, type_scalar(D_I1), NULL, 2, second);
    return value_new_op(w, code == ORDERED_EXPR ? OP_SCALAR_AND : OP_SCALAR_OR, where, type_scalar(D_I1), NULL, 2,
                        both);
}

/* u << 7 | u >> 25, as GCC folds it: two shifts again, by less than the bits.  */
static Value *rotation(Walk *w, location_t where, bool left, Type type, const char *name, Value *x, Value *count)
{
    int64_t bits = 8 * dtype_bytes(type.dtype), number;
    Type of_count = count->type;
    Value *there, *back;
    if (ir_constant(count, &number)) {
        there = value_literal(w, of_count.dtype, number & (bits - 1), 0);
        back = value_literal(w, of_count.dtype, -number & (bits - 1), 0);
    } else {
        Value *low = value_literal(w, of_count.dtype, bits - 1, 0);
        Value *args[] = {count, low},
              *negated[] = {value_new_op(w, OP_SCALAR_NEG, where, of_count, NULL, 1, &count), low};
        there = value_new_op(w, OP_SCALAR_AND, where, of_count, NULL, 2, args);
        back = value_new_op(w, OP_SCALAR_AND, where, of_count, NULL, 2, negated);
    }
    Value *high[] = {x, left ? there : back}, *low[] = {x, left ? back : there};
    Value *both[] = {value_new_op(w, OP_SCALAR_SHL, where, type, NULL, 2, high),
                     value_new_op(w, OP_SCALAR_SHR, where, type, NULL, 2, low)};
    return value_new_op(w, OP_SCALAR_OR, where, type, name, 2, both);
}

static Value *binary(Walk *w, location_t where, enum tree_code code, Type type, const char *name, Value *x, Value *y)
{
    if (code == LROTATE_EXPR || code == RROTATE_EXPR)
        return rotation(w, where, code == LROTATE_EXPR, type, name, x, y);
    if (Value *unordered = y ? scalar_unordered(w, where, code, x, y) : NULL)
        return unordered;
    int index = code_index(code);
    Value *args[] = {x, y};
    if (index < 0) {
        if (!w->failed || (code != REALPART_EXPR && code != IMAGPART_EXPR)) /* of what a call returns */
            complain(where, NULL, "this expression is not supported in a grid");
        w->failed = true;
        return x;
    }
    Value *value = value_new_op(w, codes[index].op, where, type, codes[index].negate ? NULL : name, y ? 2 : 1, args);
    return codes[index].negate ? value_new_op(w, OP_SCALAR_NOT, where, type, name, 1, &value) : value;
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
        Value *value = value_new_op(w, OP_SCALAR_MATH, where, type, name, 1, &x);
        value->def->scalar->function = type.dtype == D_F32 ? "fabsf" : "fabs";
        return value;
    }
    Value *args[] = {x, value_new_op(w, OP_SCALAR_NEG, where, type, NULL, 1, &x)};
    return value_new_op(w, OP_SCALAR_MAX, where, type, name, 2, args);
}

static Value *select(Walk *w, gimple *stmt, Type type, const char *name, Value *(*operand)(Walk *, tree))
{
    location_t where = stmt_location(stmt);
    Value *args[] = {comparison_tree(w, where, gimple_assign_rhs1(stmt), operand), operand(w, gimple_assign_rhs2(stmt)),
                     operand(w, gimple_assign_rhs3(stmt))};
    return args[0] && args[1] && args[2] ? value_new_op(w, OP_SCALAR_SELECT, where, type, name, 3, args) : NULL;
}

static Value *bits_of_other_type(Walk *w, location_t where, tree type)
{
    complain(where, "compute it with arithmetic, or before the grid",
             "the bits of a number are read as another type in a grid");
    w->failed = true;
    return value_anything(w, type);
}

static Dtype unsigned_of(int64_t bits)
{
    return bits == 8 ? D_U8 : bits == 16 ? D_U16 : bits == 32 ? D_U32 : D_U64;
}

static bool is_bits(int64_t bits)
{
    return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* The same bits as a number of another type that has as many.  */
static Value *same_bits(Walk *w, Value *x, Dtype to, const char *name)
{
    if (dtype_is_float(x->type.dtype) == dtype_is_float(to))
        return x->type.dtype == to ? x : value_convert(w, x, to, name);
    return value_new_op(w, OP_SCALAR_BITCAST, w->where, type_scalar(to), name, 1, &x);
}

static Value *shifted(Walk *w, Opcode code, Value *x, int64_t bits)
{
    Value *args[] = {x, value_literal(w, D_I32, bits, 0)};
    return bits ? value_new_op(w, code, w->where, x->type, NULL, 2, args) : x;
}

/* VIEW_CONVERT_EXPR, BIT_FIELD_REF and BIT_INSERT_EXPR of scalars: bits of `x` from `first` on, as the type.  */
static Value *bits_read(Walk *w, Value *x, int64_t first, tree type, const char *name)
{
    Dtype dtype;
    scalar_type(type, &dtype);
    int64_t whole = 8 * dtype_bytes(x->type.dtype), size = 8 * dtype_bytes(dtype);
    if (whole == size)
        return same_bits(w, x, dtype, name);
    x = shifted(w, OP_SCALAR_SHR, same_bits(w, x, unsigned_of(whole), NULL), first);
    if (!dtype_is_float(dtype))
        return value_convert(w, x, dtype, name);
    return same_bits(w, value_convert(w, x, unsigned_of(size), NULL), dtype, name);
}

/* x, its bits from `first` on those of `part`.  */
static Value *bits_written(Walk *w, Value *x, Value *part, int64_t first, const char *name)
{
    Dtype dtype = x->type.dtype;
    int64_t whole = 8 * dtype_bytes(dtype), size = 8 * dtype_bytes(part->type.dtype);
    if (whole == size)
        return same_bits(w, part, dtype, name);
    Dtype bits = unsigned_of(whole);
    uint64_t ones = ((uint64_t)1 << size) - 1, all = whole == 64 ? ~(uint64_t)0 : ((uint64_t)1 << whole) - 1;
    Value *rest[] = {same_bits(w, x, bits, NULL),
                     value_literal(w, bits, ir_wrap(bits, (int64_t)(all & ~(ones << first))), 0)};
    Value *own = value_convert(w, same_bits(w, part, unsigned_of(size), NULL), bits, NULL);
    Value *both[] = {value_new_op(w, OP_SCALAR_AND, w->where, type_scalar(bits), NULL, 2, rest),
                     shifted(w, OP_SCALAR_SHL, own, first)};
    return same_bits(w, value_new_op(w, OP_SCALAR_OR, w->where, type_scalar(bits), NULL, 2, both), dtype, name);
}

static bool has_bits(tree x, Dtype *dtype)
{
    tree type = TREE_TYPE(x), size = TYPE_SIZE(type);
    return scalar_type(type, dtype) && size && tree_fits_shwi_p(size) && is_bits(tree_to_shwi(size)) &&
           (*dtype == D_I1 || tree_to_shwi(size) == 8 * dtype_bytes(*dtype));
}

/* NULL: an operand is none, or it is another expression, which `*taken` says.  */
static Value *bits_expression(Walk *w, gimple *stmt, Value *(*operand)(Walk *, tree), bool *taken)
{
    tree lhs = gimple_assign_lhs(stmt), source = gimple_assign_rhs1(stmt);
    enum tree_code code = gimple_assign_rhs_code(stmt);
    const char *name = name_of(lhs);
    Dtype from, to, part;
    int64_t first = 0;
    *taken = false;
    if (code == BIT_INSERT_EXPR) {
        if (!has_bits(lhs, &to) || !has_bits(gimple_assign_rhs2(stmt), &part) ||
            !constant_int(gimple_assign_rhs3(stmt), &first) || first % BITS_PER_UNIT)
            return NULL;
        *taken = true;
        Value *x = operand(w, source), *y = x ? operand(w, gimple_assign_rhs2(stmt)) : NULL;
        return y ? bits_written(w, x, y, first, name) : NULL;
    }
    if (code != VIEW_CONVERT_EXPR && code != BIT_FIELD_REF)
        return NULL;
    tree inner = TREE_OPERAND(source, 0);
    if (TREE_CODE(inner) != SSA_NAME && !is_gimple_min_invariant(inner))
        return NULL;
    if (!has_bits(lhs, &to) || !has_bits(inner, &from) || to == D_I1 || from == D_I1)
        return NULL;
    if (code == BIT_FIELD_REF && (!constant_int(TREE_OPERAND(source, 2), &first) || first % BITS_PER_UNIT ||
                                  !tree_int_cst_equal(TREE_OPERAND(source, 1), TYPE_SIZE(TREE_TYPE(lhs)))))
        return NULL;
    *taken = true;
    Value *x = operand(w, inner);
    return x ? bits_read(w, x, first, TREE_TYPE(lhs), name) : NULL;
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
    bool taken;
    Value *bits = bits_expression(w, stmt, operand, &taken);
    if (taken)
        return bits;
    if (code == BIT_FIELD_REF || code == BIT_INSERT_EXPR)
        return bits_of_other_type(w, where, TREE_TYPE(lhs));
    if (COMPARISON_CLASS_P(gimple_assign_rhs1(stmt)))
        return comparison_tree(w, where, gimple_assign_rhs1(stmt), operand);
    bool same_bits = code == VIEW_CONVERT_EXPR;
    tree source = same_bits ? TREE_OPERAND(gimple_assign_rhs1(stmt), 0) : gimple_assign_rhs1(stmt);
    if (same_bits && !(INTEGRAL_TYPE_P(TREE_TYPE(source)) && INTEGRAL_TYPE_P(TREE_TYPE(lhs))))
        return bits_of_other_type(w, where, TREE_TYPE(lhs));
    Value *x = operand(w, source);
    if (!x)
        return NULL;
    if (CONVERT_EXPR_CODE_P(code) || code == FLOAT_EXPR || code == FIX_TRUNC_EXPR || same_bits)
        return value_new_op(w, OP_SCALAR_CONVERT, where, type, name, 1, &x);
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
    if (!value_check_type(w, TREE_TYPE(lhs)))
        return value_anything(w, TREE_TYPE(lhs));
    Type type = type_of(TREE_TYPE(lhs));
    if (is_checked_arithmetic(call, &code))
        return binary(w, where, code, type, name_of(lhs), args[0], args[1]);
    const char *name = math_name(call);
    if (!name)
        return args[0]; /* __builtin_expect */
    Value *value = value_new_op(w, OP_SCALAR_MATH, where, type, name_of(lhs), nargs, args);
    value->def->scalar->function = arena_print(w->kernel->module, "%s", name);
    return value;
}

/* The operation of a pure scalar statement, its operands looked up in one of two ways.  */
Value *scalar_operation(Walk *w, gimple *stmt, Value *(*operand)(Walk *, tree))
{
    if (is_gimple_call(stmt))
        return scalar_call(w, as_a<gcall *>(stmt), operand);
    if (POINTER_TYPE_P(TREE_TYPE(gimple_assign_lhs(stmt))))
        return NULL;
    if (!value_check_type(w, TREE_TYPE(gimple_assign_lhs(stmt))))
        return value_anything(w, TREE_TYPE(gimple_assign_lhs(stmt)));
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
    if (array_of(gimple_assign_rhs1(stmt))) {
        value_set(w, lhs, array_read(w, gimple_assign_rhs1(stmt)));
        return;
    }
    tree stored = memory_value(stmt);
    if (stored) {
        value_set(w, lhs, value_of(w, stored));
        return;
    }
    Value *value = memory_live_in(w, stmt);
    if (!value && w->kernel->grid.plain) {
        if (POINTER_TYPE_P(TREE_TYPE(lhs)))
            return;
        value = plain_live_in(w, stmt);
        value = value ? value : plain_load(w, stmt);
        if (!value && w->failed)
            value = value_anything(w, TREE_TYPE(lhs));
    }
    if (!value && POINTER_TYPE_P(TREE_TYPE(lhs)) && (value_outside(w, lhs) || devices_is_table(w, lhs)))
        return; /* the base of a tensor */
    if (!value)
        value = table_read(w, stmt);
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

/* The address of something in the region as a number.  */
static bool is_inner_address(Walk *w, gimple *stmt)
{
    return CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(stmt)) && POINTER_TYPE_P(TREE_TYPE(gimple_assign_rhs1(stmt))) &&
           !value_outside(w, gimple_assign_rhs1(stmt));
}

static void refuse_address(Walk *w, gimple *stmt)
{
    tree lhs = gimple_assign_lhs(stmt);
    if (!feeds_checks_only(lhs)) {
        if (!w->failed)
            complain(w->where, "compute with coordinates instead", "an address becomes a number in a grid");
        w->failed = true;
    }
    value_set(w, lhs, literal_of(w, build_zero_cst(TREE_TYPE(lhs))));
}

/* "abcd"[m]  */
static bool reads_string(gimple *stmt)
{
    tree reference = gimple_assign_rhs1(stmt);
    if (!gimple_assign_single_p(stmt) || !handled_component_p(reference))
        return false;
    while (handled_component_p(reference))
        reference = TREE_OPERAND(reference, 0);
    return TREE_CODE(reference) == STRING_CST;
}

static void refuse_string(Walk *w, gimple *stmt)
{
    tree lhs = gimple_assign_lhs(stmt);
    complain(w->where, "name it in front of the function: static const char letters[] = \"abcd\";",
             "which character of a string literal is read is known at run time only");
    w->failed = true;
    value_set(w, lhs, value_anything(w, TREE_TYPE(lhs)));
}

/* An assignment of the region.  */
void value_statement(Walk *w, gimple *stmt)
{
    tree lhs = gimple_assign_lhs(stmt);
    if (gimple_clobber_p(stmt))
        return;
    w->where = stmt_location(stmt);
    if (TREE_CODE(lhs) != SSA_NAME) {
        if (array_of(lhs) && gimple_assign_single_p(stmt))
            array_write(w, lhs, value_of(w, gimple_assign_rhs1(stmt)));
        else if (!w->kernel->grid.plain || !plain_store(w, stmt))
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
    if (gimple_assign_rhs_code(stmt) == COMPLEX_EXPR)
        return; /* complex.cc: for a call, which is refused */
    if (!scalar_type(TREE_TYPE(lhs), &dtype)) {
        if (!memory_refuse_complex(w, w->where, TREE_TYPE(lhs)) && !w->failed)
            complain(w->where, "use integers up to 64 bits, float or double", "this type is not supported in a grid");
        value_set(w, lhs, value_anything(w, TREE_TYPE(lhs)));
        return;
    }
    if (is_inner_address(w, stmt))
        refuse_address(w, stmt);
    else if (reads_string(stmt))
        refuse_string(w, stmt);
    else
        value_set(w, lhs, scalar_operation(w, stmt, value_of));
}

/* A call that only computes a scalar; false for all others.  */
bool value_call(Walk *w, gcall *call)
{
    if (is_sanitizer_check(call))
        return true;
    if (asks_size(call)) {
        value_set(w, gimple_call_lhs(call), value_literal(w, D_U64, -1, 0)); /* for a check, which is dropped */
        return true;
    }
    if (!is_scalar_call(call))
        return false;
    value_set(w, gimple_call_lhs(call), scalar_operation(w, call, value_of));
    return true;
}
