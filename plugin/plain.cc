/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain.cc - elements of arrays in a grid without tiles: what language/plain.c makes tiles of.
 *
 *   _7 = *(x_3(D) + (i * K + k) * 4);     %7 = element %x, %6            the offset in bytes, as the program computes
 *                                                                        it
 *   A[i_1][j_2] = _9;                     set_element %A, %8, %9
 *
 * An address is a base, which is known before the grid, and a sum.  A pointer of the region is followed to where it
 * comes from. What the grid leaves alone and each iteration reads in the same place, as a bound in a struct, is read
 * before the grid.
 */
#include "loop.h"

static bool plain_walks; /* the region that is being walked is one */

struct Address {
    Value *base;
    Value *offset;    /* I64, bytes; NULL: 0 */
    const char *name; /* of the pointer or array that the user has written */
    tree pointer;     /* what the base is, before the region; NULL_TREE: not known */
};

/* ---- which regions ----------------------------------------------------------------------------------------------- */

static bool calls_tiles(gimple *stmt)
{
    char buffer[64];
    tree fndecl = is_gimple_call(stmt) && !pragma_of_stmt(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;
    return fndecl && ws_name(fndecl, buffer, sizeof buffer) && !data_is_call(buffer) &&
           strncmp(buffer, "print_value_", 12);
}

static bool writes_memory(gimple *stmt)
{
    Place place;
    tree lhs = gimple_vdef(stmt) && is_gimple_assign(stmt) ? gimple_assign_lhs(stmt) : NULL_TREE;
    if (!lhs || TREE_CODE(lhs) == SSA_NAME || gimple_clobber_p(stmt) || !is_gimple_reg_type(TREE_TYPE(lhs)))
        return false;
    return !memory_place(lhs, &place) || is_global_var(place.decl) || TREE_CODE(TREE_TYPE(place.decl)) == ARRAY_TYPE;
}

/* A region of loops over elements: it reads or writes arrays, and calls no function of ws.h.  */
bool plain_is(class loop *outer, const Pragma *pragma)
{
    bool arrays = false, tiles = false;
    basic_block *body = get_loop_body(outer);
    for (unsigned i = 0; i < outer->num_nodes; i++)
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s); gsi_next_nondebug(&s)) {
            tiles |= calls_tiles(gsi_stmt(s));
            arrays |= writes_memory(gsi_stmt(s)) || gimple_assign_load_p(gsi_stmt(s));
        }
    free(body);
    return (arrays || pragma->grid.reductions) && !tiles;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static Value *wide(Walk *w, Value *value)
{
    return value_convert(w, value, D_I64, NULL);
}

static Value *binary(Walk *w, Opcode code, Value *x, Value *y)
{
    int64_t known;
    if (code == OP_SCALAR_ADD && ir_constant(y, &known) && !known)
        return x;
    if (code == OP_SCALAR_MUL && ir_constant(y, &known) && known == 1)
        return x;
    Value *args[] = {x, y};
    return value_new_op(w, code, w->where, type_scalar(D_I64), NULL, 2, args);
}

static Value *add(Walk *w, Value *x, Value *y)
{
    return !x ? y : !y ? x : binary(w, OP_SCALAR_ADD, x, y);
}

/* What GCC has built of the indices of an array: sums and products of names.  */
static Value *value_of_size(Walk *w, tree size)
{
    switch (TREE_CODE(size)) {
    case PLUS_EXPR:
        return binary(w, OP_SCALAR_ADD, value_of_size(w, TREE_OPERAND(size, 0)),
                      value_of_size(w, TREE_OPERAND(size, 1)));
    case MINUS_EXPR:
        return binary(w, OP_SCALAR_SUB, value_of_size(w, TREE_OPERAND(size, 0)),
                      value_of_size(w, TREE_OPERAND(size, 1)));
    case MULT_EXPR:
        return binary(w, OP_SCALAR_MUL, value_of_size(w, TREE_OPERAND(size, 0)),
                      value_of_size(w, TREE_OPERAND(size, 1)));
    CASE_CONVERT:
        return value_of_size(w, TREE_OPERAND(size, 0));
    case INTEGER_CST:
        return value_literal(w, D_I64, (int64_t)int_cst_value(size), 0);
    default:
        return wide(w, value_of(w, size));
    }
}

void plain_refuse_pointer(Walk *w)
{
    if (!w->failed)
        complain(w->where,
                 "write p[i] for the elements that the pointer passes; of an array of pointers to rows say how many "
                 "there are, extent(p: n), or name each: p[0][i]",
                 "which array this pointer goes to is known at run time only");
    w->failed = true;
}

static bool address_of_reference(Walk *w, tree reference, Address *address);
static bool address_of_row(Walk *w, gimple *load, Address *address);

static bool clobbers(class loop *outer, tree reference);
static tree expression_before(Walk *w, tree name, int depth);

struct Before {
    Walk *w;
    int depth;
    bool failed;
};

static tree name_before(tree *where, int *walk_subtrees, void *data)
{
    Before *before = (Before *)data;
    if (TREE_CODE(*where) != SSA_NAME)
        return NULL_TREE;
    tree expression = expression_before(before->w, *where, before->depth);
    before->failed |= !expression;
    *walk_subtrees = 0;
    if (expression)
        *where = expression;
    return expression ? NULL_TREE : *where;
}

/* The operand with names that are known before the region; NULL: it has others.  */
static tree operand_before(Walk *w, tree operand, int depth)
{
    Before before = {w, depth, false};
    tree copy = unshare_expr(operand);
    walk_tree(&copy, name_before, &before, NULL);
    return before.failed ? NULL_TREE : copy;
}

/* c ? x : y, of two edges out of one condition.  */
static tree choice_before(Walk *w, gphi *phi, int depth)
{
    basic_block bb = gimple_bb(phi), top = get_immediate_dominator(CDI_DOMINATORS, bb);
    gimple_stmt_iterator last = top ? gsi_last_nondebug_bb(top) : gsi_none();
    gimple *test = top && EDGE_COUNT(top->succs) == 2 && !gsi_end_p(last) ? gsi_stmt(last) : NULL;
    if (!test || gimple_code(test) != GIMPLE_COND || gimple_phi_num_args(phi) != 2 ||
        loop_outer(bb->loop_father) == NULL)
        return NULL_TREE;
    tree arms[2] = {NULL_TREE, NULL_TREE};
    for (unsigned i = 0; i < 2; i++) {
        edge in = gimple_phi_arg_edge(phi, i);
        edge from = in->src == top                                          ? in
                    : single_pred_p(in->src) && single_pred(in->src) == top ? single_pred_edge(in->src)
                                                                            : NULL;
        if (!from)
            return NULL_TREE;
        arms[from->flags & EDGE_FALSE_VALUE ? 1 : 0] = operand_before(w, gimple_phi_arg_def(phi, i), depth + 1);
    }
    tree left = operand_before(w, gimple_cond_lhs(test), depth + 1);
    tree right = operand_before(w, gimple_cond_rhs(test), depth + 1);
    if (!arms[0] || !arms[1] || !left || !right)
        return NULL_TREE;
    tree condition = fold_build2(gimple_cond_code(test), boolean_type_node, left, right);
    return fold_build3(COND_EXPR, TREE_TYPE(gimple_phi_result(phi)), condition, arms[0], arms[1]);
}

/* What each iteration computes, or reads, alike of what is known before the region; NULL: it does not.  */
static tree expression_before(Walk *w, tree name, int depth)
{
    if (SSA_NAME_IS_DEFAULT_DEF(name) || !defined_in_region(w, name))
        return name;
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (depth > 16 || gimple_has_volatile_ops(def))
        return NULL_TREE;
    if (gimple_code(def) == GIMPLE_PHI)
        return choice_before(w, as_a<gphi *>(def), depth);
    if (!is_gimple_assign(def) || gimple_num_ops(def) > 3)
        return NULL_TREE;
    if (gimple_assign_load_p(def) && clobbers(w->outer, gimple_assign_rhs1(def)))
        return NULL_TREE;
    tree x = operand_before(w, gimple_assign_rhs1(def), depth + 1);
    if (!x || gimple_num_ops(def) == 2)
        return x && gimple_assign_single_p(def) ? x
               : x                              ? fold_build1(gimple_assign_rhs_code(def), TREE_TYPE(name), x)
                                                : NULL_TREE;
    tree y = operand_before(w, gimple_assign_rhs2(def), depth + 1);
    return y ? fold_build2(gimple_assign_rhs_code(def), TREE_TYPE(name), x, y) : NULL_TREE;
}

/* A pointer that each iteration chooses, or reads from an array of pointers, alike.  */
static Value *pointer_before(Walk *w, tree name)
{
    tree expression = POINTER_TYPE_P(TREE_TYPE(name)) ? expression_before(w, name, 0) : NULL_TREE;
    return expression ? value_live_in(w, expression, type_pointer(D_F32), name_of(name)) : NULL;
}

/* A pointer: what is known before the region, and what the region adds to it.  */
static bool address_of_pointer(Walk *w, tree pointer, Address *address, int depth)
{
    tree name = ssa_resolve(pointer);
    if (TREE_CODE(name) == ADDR_EXPR)
        return address_of_reference(w, TREE_OPERAND(name, 0), address);
    if (TREE_CODE(name) != SSA_NAME || depth > 32)
        return false;
    address->name = address->name ? address->name : name_of(name);
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (SSA_NAME_IS_DEFAULT_DEF(name) || !defined_in_region(w, name)) {
        address->base = value_outside(w, name);
        address->pointer = name;
        return address->base != NULL;
    }
    if (is_gimple_assign(def) && gimple_assign_load_p(def)) {
        tree stored = memory_value(def);
        if (stored)
            return address_of_pointer(w, stored, address, depth + 1);
        address->pointer = expression_before(w, name, 0);
        address->base = plain_live_in(w, def);
        if (!address->base)
            address->base = pointer_before(w, name);
        return address->base != NULL || address_of_row(w, def, address) || plain_refuse_written(w, def);
    }
    if (gimple_code(def) == GIMPLE_PHI) {
        address->base = pointer_before(w, name);
        return address->base != NULL;
    }
    if (!is_gimple_assign(def))
        return false;
    tree first = gimple_assign_rhs1(def);
    if (gimple_assign_rhs_code(def) == POINTER_PLUS_EXPR) {
        if (!address_of_pointer(w, first, address, depth + 1))
            return false;
        address->offset = add(w, address->offset, wide(w, value_of(w, gimple_assign_rhs2(def))));
        return true;
    }
    bool copies = CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(def)) || gimple_assign_single_p(def);
    return copies && POINTER_TYPE_P(TREE_TYPE(first)) && address_of_pointer(w, first, address, depth + 1);
}

/* ---- arrays of structs ------------------------------------------------------------------------------------------- */

/* Numbers of one type alone, which *dtype is after the first.  */
static bool is_uniform(tree type, Dtype *dtype)
{
    Dtype own;
    while (TREE_CODE(type) == ARRAY_TYPE)
        type = TREE_TYPE(type);
    if (TREE_CODE(type) == RECORD_TYPE) {
        for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
            if (TREE_CODE(field) == FIELD_DECL && !is_uniform(TREE_TYPE(field), dtype))
                return false;
        return true;
    }
    if (!scalar_type(type, &own))
        return false;
    bool same =
        *dtype == D_I1 || (dtype_bytes(*dtype) == dtype_bytes(own) && dtype_is_float(*dtype) == dtype_is_float(own));
    *dtype = own;
    return same && own != D_I1;
}

/* Members of different types are arrays of their own: where a member lies in its struct; 0 in structs of one type.  */
static HOST_WIDE_INT member_of(tree reference)
{
    HOST_WIDE_INT bytes = 0;
    bool uniform = true;
    for (; handled_component_p(reference); reference = TREE_OPERAND(reference, 0)) {
        if (TREE_CODE(reference) != COMPONENT_REF)
            continue;
        tree position = byte_position(TREE_OPERAND(reference, 1));
        Dtype dtype = D_I1;
        if (!tree_fits_shwi_p(position) || TREE_CODE(TREE_TYPE(TREE_OPERAND(reference, 0))) != RECORD_TYPE)
            return 0;
        bytes += tree_to_shwi(position);
        uniform = is_uniform(TREE_TYPE(TREE_OPERAND(reference, 0)), &dtype);
    }
    return uniform ? 0 : bytes;
}

static void take_member(Walk *w, Address *address, HOST_WIDE_INT bytes)
{
    tree place = fold_build_pointer_plus_hwi(address->pointer, bytes);
    Value *whole = address->base;
    address->base = value_live_in(w, place, type_pointer(D_F32), whole->name);
    address->base->part_of = whole;
    address->base->part_at = bytes;
    address->base->declared = whole->declared > bytes ? whole->declared - bytes : 0;
}

static bool address_of_reference(Walk *w, tree reference, Address *address)
{
    poly_int64 bits, position;
    tree offset;
    machine_mode mode;
    int is_unsigned, reversed, is_volatile = 0;
    HOST_WIDE_INT constant;
    tree base = get_inner_reference(reference, &bits, &position, &offset, &mode, &is_unsigned, &reversed, &is_volatile);
    if (!position.is_constant(&constant) || constant % BITS_PER_UNIT || is_volatile || reversed)
        return false;
    constant /= BITS_PER_UNIT;
    if (TREE_CODE(base) == MEM_REF) {
        if (!address_of_pointer(w, TREE_OPERAND(base, 0), address, 0))
            return false;
        constant += (HOST_WIDE_INT)int_cst_value(TREE_OPERAND(base, 1));
    } else if (DECL_P(base) && !TREE_THIS_VOLATILE(base)) {
        tree size = DECL_SIZE_UNIT(base);
        address->pointer = build_fold_addr_expr(base);
        address->base = value_live_in(w, address->pointer, type_pointer(D_F32), name_of(base));
        if (size && tree_fits_shwi_p(size))
            address->base->declared = tree_to_shwi(size);
        address->name = address->name ? address->name : name_of(base);
    } else {
        return false;
    }
    HOST_WIDE_INT member = address->pointer ? member_of(reference) : 0;
    if (member) {
        take_member(w, address, member);
        constant -= member;
    }
    if (offset)
        address->offset = add(w, address->offset, value_of_size(w, offset));
    if (constant)
        address->offset = add(w, address->offset, value_literal(w, D_I64, constant, 0));
    return true;
}

/* ---- arrays of pointers to rows ---------------------------------------------------------------------------------- */

/* A sum of products with multiples of the number, divided by it; NULL: it is none.  */
static Value *quotient(Walk *w, Value *x, int64_t number)
{
    const Op *op = x->def;
    int64_t known;
    if (ir_constant(x, &known))
        return known % number ? NULL : value_literal(w, D_I64, known / number, 0);
    if (op && op->code == OP_SCALAR_CONVERT && dtype_bytes(op->args[0]->type.dtype) == 8)
        return quotient(w, op->args[0], number);
    if (op && op->code == OP_SCALAR_MUL && ir_constant(op->args[1], &known) && known % number == 0)
        return binary(w, OP_SCALAR_MUL, wide(w, op->args[0]), value_literal(w, D_I64, known / number, 0));
    if (!op || (op->code != OP_SCALAR_ADD && op->code != OP_SCALAR_SUB))
        return NULL;
    Value *left = quotient(w, op->args[0], number), *right = quotient(w, op->args[1], number);
    return left && right ? binary(w, op->code, left, right) : NULL;
}

static tree bytes_of_extent(const Walk *w, const Value *base)
{
    for (const Extent *extent = w->kernel->grid.extents; extent; extent = extent->next)
        for (unsigned i = 0; i < w->livein.length() && extent->base == base; i++)
            if (w->livein[i].value == extent->bytes)
                return w->livein[i].expression;
    return NULL_TREE;
}

static bool same_call(tree x, tree y)
{
    if (TREE_CODE(x) != CALL_EXPR || DECL_NAME(get_callee_fndecl(x)) != DECL_NAME(get_callee_fndecl(y)))
        return false;
    for (int i = 0; i < call_expr_nargs(y); i++)
        if (!operand_equal_p(CALL_EXPR_ARG(x, i), CALL_EXPR_ARG(y, i), 0))
            return false;
    return true;
}

/* A call in front of the region of what reads memory and does nothing else: one for all that are the same.  */
static tree called_before(const Walk *w, const char *name, tree type, int nargs, tree *args)
{
    tree decl = build_fn_decl(name, type);
    DECL_PURE_P(decl) = 1;
    tree call = build_call_expr_loc_array(UNKNOWN_LOCATION, decl, nargs, args);
    for (unsigned i = 0; i < w->livein.length(); i++)
        if (same_call(w->livein[i].expression, call))
            return w->livein[i].expression;
    return call;
}

/* A row of an array of pointers of which a clause says how many there are: the launch looks whether they are at equal
   distances.  */
static bool address_of_row(Walk *w, gimple *load, Address *address)
{
    tree reference = gimple_assign_rhs1(load), element = TREE_TYPE(TREE_TYPE(gimple_assign_lhs(load)));
    Address rows = {};
    if (clobbers(w->outer, reference) || !COMPLETE_TYPE_P(element) || !tree_fits_shwi_p(TYPE_SIZE_UNIT(element)) ||
        !address_of_reference(w, reference, &rows) || !rows.pointer || !rows.offset)
        return false;
    tree bytes = bytes_of_extent(w, rows.base);
    Value *row = quotient(w, rows.offset, POINTER_SIZE_UNITS);
    if (!bytes || !row)
        return false;
    int64_t size = tree_to_shwi(TYPE_SIZE_UNIT(element));
    const char *name = rows.name ? rows.name : "the array";
    tree type = build_function_type_list(const_ptr_type_node, const_ptr_type_node, long_integer_type_node, NULL_TREE);
    tree array = fold_convert(const_ptr_type_node, rows.pointer);
    tree args[] = {array, bytes, build_int_cst(long_integer_type_node, size),
                   build_string_literal((int)strlen(name) + 1, name)};
    address->pointer = called_before(w, "ws_rows_base_", type, 2, args);
    address->base = value_live_in(w, address->pointer, type_pointer(D_F32), name);
    type = build_function_type_list(long_integer_type_node, const_ptr_type_node, long_integer_type_node,
                                    long_integer_type_node, const_ptr_type_node, NULL_TREE);
    tree distance = called_before(w, "ws_rows_distance_", type, 4, args);
    Value *apart = value_live_in(w, distance, type_scalar(D_I64), NULL);
    Value *place = binary(w, OP_SCALAR_MUL, binary(w, OP_SCALAR_MUL, row, apart), value_literal(w, D_I64, size, 0));
    address->offset = add(w, address->offset, place);
    return true;
}

/* ---- what each iteration reads alike ----------------------------------------------------------------------------- */

static bool clobbers(class loop *outer, tree reference)
{
    bool found = false;
    basic_block *body = get_loop_body(outer);
    int strict = flag_strict_aliasing; /* at -O0 it is off, but where the user has said so the types still count */
    if (!global_options_set.x_flag_strict_aliasing)
        flag_strict_aliasing = 1;
    for (unsigned i = 0; i < outer->num_nodes && !found; i++)
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s) && !found; gsi_next_nondebug(&s))
            found = gimple_vdef(gsi_stmt(s)) && !pragma_of_stmt(gsi_stmt(s)) &&
                    stmt_may_clobber_ref_p(gsi_stmt(s), reference);
    flag_strict_aliasing = strict;
    free(body);
    return found;
}

/* Its life ends with the iteration.  */
static bool ends_in_region(const Walk *w, tree decl)
{
    bool found = false;
    basic_block *body = get_loop_body(w->outer);
    for (unsigned i = 0; i < w->outer->num_nodes && !found; i++)
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s) && !found; gsi_next_nondebug(&s))
            found = gimple_clobber_p(gsi_stmt(s)) && gimple_assign_lhs(gsi_stmt(s)) == decl;
    free(body);
    return found;
}

/* It stands in the condition of a loop of the grid.  */
static bool is_bound_of_grid(const Walk *w, gimple *load)
{
    class loop *loop = gimple_bb(load)->loop_father;
    return loop->header == gimple_bb(load) && flow_bb_inside_loop_p(w->outer, loop->header) &&
           loop_depth(loop) - loop_depth(w->outer) < (unsigned)w->kernel->grid.dims;
}

/* A load at a constant distance from a pointer that is known before the region, or of a member of a variable: a
   live-in, or NULL.  */
Value *plain_live_in(Walk *w, gimple *load)
{
    tree reference = gimple_assign_rhs1(load), type = TREE_TYPE(gimple_assign_lhs(load));
    Dtype dtype;
    Value *value = memory_live_in(w, load);
    if (value || gimple_has_volatile_ops(load) || (!scalar_type(type, &dtype) && !POINTER_TYPE_P(type)))
        return value;
    poly_int64 bits, position;
    tree offset;
    machine_mode mode;
    int is_unsigned, reversed, is_volatile = 0;
    HOST_WIDE_INT constant;
    tree base = get_inner_reference(reference, &bits, &position, &offset, &mode, &is_unsigned, &reversed, &is_volatile);
    if (offset || is_volatile || reversed || !position.is_constant(&constant) || constant % BITS_PER_UNIT)
        return NULL;
    const char *name = TREE_CODE(reference) == COMPONENT_REF ? name_of(TREE_OPERAND(reference, 1)) : NULL;
    if (DECL_P(base) && TREE_CODE(reference) == COMPONENT_REF && !ends_in_region(w, base) &&
        !clobbers(w->outer, reference))
        return value_live_in(w, unshare_expr(reference), type_of(type), name);
    if (TREE_CODE(base) != MEM_REF)
        return NULL;
    tree pointer = ssa_resolve(TREE_OPERAND(base, 0));
    if (TREE_CODE(pointer) != SSA_NAME || clobbers(w->outer, reference))
        return NULL;
    if (defined_in_region(w, pointer) && is_bound_of_grid(w, load))
        pointer = expression_before(w, pointer, 0);
    if (!pointer || (TREE_CODE(pointer) == SSA_NAME && defined_in_region(w, pointer)))
        return NULL;
    constant = constant / BITS_PER_UNIT + (HOST_WIDE_INT)int_cst_value(TREE_OPERAND(base, 1));
    tree entry = fold_build2(MEM_REF, type, pointer, build_int_cst(TREE_TYPE(TREE_OPERAND(base, 1)), constant));
    return value_live_in(w, entry, type_of(type), name);
}

/* A local variable or struct that some statement of the grid writes: no array, and no value that is known.  */
static bool refuse_local(Walk *w, tree reference, location_t where)
{
    tree base = get_base_address(reference);
    bool found = false;
    if (!base || !DECL_P(base) || !auto_var_in_fn_p(base, w->fn->decl))
        return false;
    basic_block *body = get_loop_body(w->outer);
    for (unsigned i = 0; i < w->outer->num_nodes && !found; i++)
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s) && !found; gsi_next_nondebug(&s))
            found =
                !gimple_clobber_p(gsi_stmt(s)) && memory_stores_to(gsi_stmt(s), base) && !writes_memory(gsi_stmt(s));
    free(body);
    if (found && !w->failed)
        complain(where, "use plain variables, whose addresses go to functions of this file alone",
                 "the object %qs in memory changes in the grid", name_of(base) ? name_of(base) : "here");
    w->failed |= found;
    return found;
}

/* t[k] of an array that each iteration has.  */
static bool refuse_own(Walk *w, tree reference, location_t where)
{
    tree base = get_base_address(reference);
    if (!base || !DECL_P(base) || !auto_var_in_fn_p(base, w->fn->decl) || !ends_in_region(w, base))
        return false;
    if (memory_refuse_struct(w, reference, where))
        return true;
    if (!w->failed)
        complain(where, "use a variable for each element, or an array outside: t[i * 4 + k]",
                 "%qs is an array that each iteration has, and which element this is is known at run time only",
                 name_of(base) ? name_of(base) : "this");
    w->failed = true;
    return true;
}

/* s->n, which a store of the grid may change as far as C tells: false, after a complaint or not.  */
bool plain_refuse_written(Walk *w, gimple *load)
{
    if (!w->kernel->grid.plain || !is_gimple_assign(load) || !gimple_assign_load_p(load) || w->failed)
        return false;
    tree reference = gimple_assign_rhs1(load), base = get_base_address(reference);
    tree pointer = base && TREE_CODE(base) == MEM_REF ? ssa_resolve(TREE_OPERAND(base, 0)) : NULL_TREE;
    if (TREE_CODE(reference) != COMPONENT_REF || !pointer || TREE_CODE(pointer) != SSA_NAME ||
        defined_in_region(w, pointer) || !clobbers(w->outer, reference))
        return false;
    complain(stmt_location(load), "read it into a variable before the grid, and use that",
             "%qs may change in the grid, which stores to memory that it may lie in",
             name_of(TREE_OPERAND(reference, 1)) ? name_of(TREE_OPERAND(reference, 1)) : "this member");
    w->failed = true;
    return false;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static bool element_dtype(Walk *w, tree type, Dtype *dtype)
{
    if (scalar_type(type, dtype))
        return true;
    if (memory_refuse_complex(w, w->where, type))
        return false;
    if (!w->failed)
        complain(w->where, "arrays of float, double, long, int, short, char and _Bool have tiles",
                 "an array of this type is read or written in a grid");
    w->failed = true;
    return false;
}

/* Members that are no whole bytes.  */
static bool refuse_bit_field(Walk *w, tree reference)
{
    if (TREE_CODE(reference) != BIT_FIELD_REF &&
        !(TREE_CODE(reference) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(reference, 1))))
        return false;
    if (!w->failed)
        complain(w->where, "let the array have whole words, and take bits of them: p[i] >> 5 & 63",
                 "a bit field of an array is read or written in a grid");
    w->failed = true;
    return true;
}

/* A load of the region, or NULL: it is none of an array.  */
Value *plain_load(Walk *w, gimple *load)
{
    tree reference = gimple_assign_rhs1(load), lhs = gimple_assign_lhs(load);
    Dtype dtype;
    Address address = {};
    if (gimple_has_volatile_ops(load) || POINTER_TYPE_P(TREE_TYPE(lhs)) || refuse_bit_field(w, reference) ||
        !element_dtype(w, TREE_TYPE(lhs), &dtype))
        return NULL;
    if (refuse_own(w, reference, stmt_location(load)) || refuse_local(w, reference, stmt_location(load)))
        return NULL;
    if (!address_of_reference(w, reference, &address)) {
        plain_refuse_pointer(w);
        return NULL;
    }
    Value *args[] = {address.base, address.offset ? address.offset : value_literal(w, D_I64, 0, 0)};
    Op *op = op_new(w->kernel, OP_ELEMENT, loc_of(stmt_location(load)), 2, args);
    spell_element(op, stmt_location(load));
    op_append(w->block, op);
    if (dtype != D_I1)
        return op_result(w->kernel, op, type_scalar(dtype), name_of(lhs));
    Value *byte[] = {op_result(w->kernel, op, type_scalar(D_U8), name_of(lhs)), value_literal(w, D_U8, 0, 0)};
    return value_new_op(w, OP_SCALAR_NE, w->where, type_scalar(D_I1), NULL, 2, byte);
}

/* A store of the region; false: it is none to an array.  */
bool plain_store(Walk *w, gimple *store)
{
    tree lhs = gimple_get_lhs(store);
    Dtype dtype;
    Address address = {};
    if (!is_gimple_assign(store) || gimple_has_volatile_ops(store) || !writes_memory(store))
        return false;
    if (refuse_bit_field(w, lhs))
        return true;
    if (!element_dtype(w, TREE_TYPE(lhs), &dtype))
        return false;
    if (refuse_own(w, lhs, stmt_location(store)))
        return true;
    if (!address_of_reference(w, lhs, &address)) {
        plain_refuse_pointer(w);
        return true;
    }
    Value *args[] = {address.base, address.offset ? address.offset : value_literal(w, D_I64, 0, 0),
                     value_of(w, gimple_assign_rhs1(store))};
    if (dtype == D_I1) /* a byte of memory */
        args[2] = value_convert(w, args[2], D_U8, NULL);
    Op *op = op_new(w->kernel, OP_SET_ELEMENT, loc_of(stmt_location(store)), 3, args);
    spell_element(op, EXPR_LOCATION(lhs));
    op->store->label = address.name ? address.name : "";
    op_append(w->block, op);
    return true;
}

/* x == y for pointers that are known before the region; NULL for others.  */
Value *plain_comparison(Walk *w, enum tree_code code, tree x, tree y)
{
    tree both[] = {ssa_resolve(x), ssa_resolve(y)};
    for (int i = 0; i < 2; i++)
        if (TREE_CODE(both[i]) == SSA_NAME && defined_in_region(w, both[i]))
            return NULL;
    tree truth = fold_build2(code, boolean_type_node, both[0], both[1]);
    if (TREE_CODE(truth) == INTEGER_CST)
        return value_literal(w, D_I1, !integer_zerop(truth), 0);
    Value *number = value_live_in(w, fold_build1(NOP_EXPR, integer_type_node, truth), type_scalar(D_I32), NULL);
    Value *args[] = {number, value_literal(w, D_I32, 0, 0)};
    return value_new_op(w, OP_SCALAR_NE, w->where, type_scalar(D_I1), NULL, 2, args);
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */

static gimple *marker_of(class loop *loop, const Pragma *pragma)
{
    gimple *marker = NULL;
    basic_block *body = get_loop_body(loop);
    for (unsigned i = 0; i < loop->num_nodes; i++)
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s); gsi_next_nondebug(&s))
            if (pragma_of_stmt(gsi_stmt(s)) == pragma)
                marker = gsi_stmt(s);
    free(body);
    return marker;
}

/* order(from(x)): behind all other arguments of the marker.  */
static void read_from(Walk *w, const Pragma *pragma, gimple *marker)
{
    tree from = ssa_resolve(gimple_call_arg(marker, gimple_call_num_args(marker) - 1));
    if (TREE_CODE(from) != SSA_NAME || !defined_in_region(w, from)) {
        w->kernel->grid.from = value_live_in(w, from, type_scalar(D_I64), "from");
        return;
    }
    complain(pragma->loc, "compute it from what the grid does not change",
             "where tiles begin is not known before the grid");
    w->failed = true;
}

/* extent(x: n) of the grid: pointers and bytes in turn behind the marker's number.  */
void plain_extents(Walk *w, const Pragma *pragma)
{
    gimple *marker = marker_of(w->outer, pragma);
    plain_walks = w->kernel->grid.plain;
    unsigned count = marker ? gimple_call_num_args(marker) : 0;
    if (marker && pragma->from)
        read_from(w, pragma, marker);
    if (!w->kernel->grid.plain)
        return;
    for (unsigned i = 1; i + 1 < count; i += 2) {
        Address address = {};
        tree bytes = ssa_resolve(gimple_call_arg(marker, i + 1));
        if (!address_of_pointer(w, gimple_call_arg(marker, i), &address, 0) || address.offset ||
            (TREE_CODE(bytes) == SSA_NAME && defined_in_region(w, bytes))) {
            complain(pragma->loc, "name a pointer or an array that is known before the grid",
                     "the extent of this array is not known before the grid");
            w->failed = true;
            return;
        }
        Extent *extent = (Extent *)arena_alloc(plugin.module, sizeof *extent);
        *extent = Extent{address.base, value_live_in(w, bytes, type_scalar(D_I64), NULL), w->kernel->grid.extents};
        w->kernel->grid.extents = extent;
    }
}

/* A load of the header of a loop, as row[i + 1] of k < row[i + 1], that reads the same each time.  */
bool plain_reads_alike(class loop *loop, gimple *load)
{
    if (!is_gimple_assign(load) || !gimple_assign_load_p(load) || gimple_has_volatile_ops(load) ||
        TREE_CODE(gimple_assign_lhs(load)) != SSA_NAME ||
        (!INTEGRAL_TYPE_P(TREE_TYPE(gimple_assign_lhs(load))) && !POINTER_TYPE_P(TREE_TYPE(gimple_assign_lhs(load)))) ||
        !plain_walks || clobbers(loop, gimple_assign_rhs1(load)))
        return false;
    use_operand_p use;
    ssa_op_iter i;
    FOR_EACH_SSA_USE_OPERAND(use, load, i, SSA_OP_USE)
    if (!loop_leaves_alone(loop, USE_FROM_PTR(use), 0))
        return false;
    return true;
}
