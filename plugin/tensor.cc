/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tensor.cc - the constructors of tensors -> the kernel's prologue.
 *
 *   a = ws_tensor_2d (A, WS_F16, M, K);      kernel gemm (... %M, %K, %A: ptr<f16>):
 *   for (i ...) grid                           %a = tensor %A, %M, %K, %K, 1
 *
 * A tensor is an opaque pointer to the C compiler, hence an SSA name; wherever in the function it is made, its operands
 * are found from its definition.  They may not change within the region: what does is said with ws_slice and
 * coordinates.
 */
#include "plugin.h"

static bool is_box(const char *name)
{
    return !strcmp(name, "box_3d") || !strcmp(name, "box_4d");
}

bool is_tensor_constructor(const char *name)
{
    return !strncmp(name, "tensor_", 7) || !strcmp(name, "slice") || is_box(name);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

struct Shape {
    int rank;
    Value *extents[4], *strides[4];
};

static Value *outside(Walk *w, gcall *call, tree argument, bool is_base)
{
    Value *value = is_base ? value_outside(w, argument) : value_outside_argument(w, argument);
    if (value)
        return value;
    complain(stmt_location(call), "make one tensor before the grid, and use ws_slice or coordinates inside it",
             is_base ? "the base of this tensor changes within the grid"
                     : "the shape of this tensor changes within the grid");
    return value_anything(w, long_integer_type_node);
}

static Value *wide(Walk *w, Value *value)
{
    if (value->type.dtype == D_I64 || value->type.dtype == D_U64)
        return value;
    int64_t number;
    if (ir_constant(value, &number))
        return value_literal(w, D_I64, number, 0);
    return value_new_op(w, OP_SCALAR_CONVERT, (location_t)w->kernel->loc.host, type_scalar(D_I64), NULL, 1, &value);
}

/* The distance between elements of a dense dimension.  */
static Value *times(Walk *w, Value *x, Value *y, location_t where)
{
    int64_t one;
    if (ir_constant(x, &one) && one == 1)
        return y;
    Value *args[] = {wide(w, y), wide(w, x)};
    return value_new_op(w, OP_SCALAR_MUL, where, type_scalar(D_I64), NULL, 2, args);
}

static void dense(Walk *w, Shape *shape, location_t where)
{
    shape->strides[shape->rank - 1] = value_literal(w, D_I32, 1, 0);
    for (int i = shape->rank - 2; i >= 0; i--)
        shape->strides[i] = times(w, shape->strides[i + 1], shape->extents[i + 1], where);
}

static bool strided_shape(Walk *w, gcall *call, Shape *shape)
{
    int64_t rank;
    if (!constant_int(gimple_call_arg(call, 2), &rank) || rank < 1 || rank > 4) {
        complain(stmt_location(call), "write a number from 1 to 4", "the rank of a tensor must be a constant");
        return false;
    }
    shape->rank = (int)rank;
    for (int i = 0; i < shape->rank; i++) {
        shape->extents[i] = outside(w, call, gimple_call_arg(call, 3 + i), false);
        shape->strides[i] = outside(w, call, gimple_call_arg(call, 7 + i), false);
    }
    int64_t inner;
    if (ir_constant(shape->strides[rank - 1], &inner) && inner != 1) {
        complain(stmt_location(call), "order the dimensions so that the last one is contiguous",
                 "the innermost stride of a tensor is 1, not %ld", (long)inner);
        return false;
    }
    return true;
}

static bool shape_of(Walk *w, gcall *call, const char *name, Shape *shape)
{
    if (!strcmp(name, "tensor_make"))
        return strided_shape(w, call, shape);
    if (!strcmp(name, "tensor_strided")) {
        complain(stmt_location(call), "write a number from 1 to 4", "the rank of a tensor must be a constant");
        return false;
    }
    bool has_ld = !strcmp(name, "tensor_2d_ld");
    shape->rank = (int)gimple_call_num_args(call) - 2 - has_ld;
    for (int i = 0; i < shape->rank; i++)
        shape->extents[i] = outside(w, call, gimple_call_arg(call, 2 + i), false);
    dense(w, shape, stmt_location(call));
    if (has_ld)
        shape->strides[0] = outside(w, call, gimple_call_arg(call, 4), false);
    return true;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

/* The user's name of the first variable that a helper's result ends in.  */
static const char *name_of_copies(tree name, int depth)
{
    imm_use_iterator i;
    use_operand_p use;
    if (name_of(name) || depth > 8)
        return name_of(name);
    FOR_EACH_IMM_USE_FAST(use, i, name)
    {
        gimple *stmt = USE_STMT(use);
        if (!gimple_assign_single_p(stmt) || TREE_CODE(gimple_assign_lhs(stmt)) != SSA_NAME || is_gimple_debug(stmt))
            continue;
        const char *found =
            is_inlined_parameter(gimple_assign_lhs(stmt)) ? NULL : name_of_copies(gimple_assign_lhs(stmt), depth + 1);
        if (found)
            return found;
    }
    return NULL;
}

/* One more dimension: the pointers of an array, which lie anywhere.  */
static bool in_table(Walk *w, gcall *call, Shape *shape)
{
    if (shape->rank == 4) {
        complain(stmt_location(call), NULL, "a tensor out of an array of pointers has at most three dimensions");
        return false;
    }
    memmove(shape->extents + 1, shape->extents, 3 * sizeof *shape->extents);
    memmove(shape->strides + 1, shape->strides, 3 * sizeof *shape->strides);
    shape->rank++;
    shape->extents[0] = devices_count(w);
    shape->strides[0] = value_literal(w, D_I32, 0, 0);
    return true;
}

static Value *tensor_op(Walk *w, gcall *call, const char *name)
{
    Dtype dtype;
    Shape shape = {};
    if (!element_type(w, call, 1, &dtype))
        return NULL;
    tree base = gimple_call_arg(call, 0);
    bool table = !value_outside(w, base) && devices_is_table(w, base);
    Value *args[9] = {table ? devices_table(w, base) : NULL};
    if (!table)
        args[0] = outside(w, call, gimple_call_arg(call, 0), true);
    if (!shape_of(w, call, name, &shape) || (table && !in_table(w, call, &shape))) {
        w->failed = true;
        return NULL;
    }
    if (!args[0]->def)
        args[0]->type = type_pointer(dtype);
    for (int i = 0; i < shape.rank; i++) {
        args[1 + i] = shape.extents[i];
        args[1 + shape.rank + i] = shape.strides[i];
    }
    Value *value = value_new_op(w, OP_TENSOR, stmt_location(call), type_tensor(dtype, shape.rank),
                                name_of_copies(gimple_call_lhs(call), 0), 1 + 2 * shape.rank, args);
    value->def->tensor->table = table;
    value->def->tensor->row_stride = !strcmp(name, "tensor_2d_ld");
    return value;
}

static Value *slice_op(Walk *w, gcall *call, bool is_outside)
{
    int64_t dimension;
    Value *tensor = value_of(w, gimple_call_arg(call, 0));
    Value *args[] = {tensor, NULL, NULL};
    for (int i = 1; i < 3; i++)
        args[i] = is_outside ? outside(w, call, gimple_call_arg(call, 1 + i), false)
                             : value_of_argument(w, gimple_call_arg(call, 1 + i));
    if (tensor->def && tensor->def->code == OP_TENSOR && tensor->def->tensor->table) {
        w->failed = true;
        complain(stmt_location(call), "choose the pointer before the grid, or load with coordinates of the whole",
                 "a slice of a tensor whose base the grid chooses");
        return tensor;
    }
    if (!constant_int(gimple_call_arg(call, 1), &dimension)) {
        w->failed = true;
        complain(stmt_location(call), "write a number", "the dimension of a slice must be a constant");
        return tensor;
    }
    Value *value =
        value_new_op(w, OP_SLICE, stmt_location(call), tensor->type, name_of_copies(gimple_call_lhs(call), 0), 3, args);
    value->def->tensor->dimension = dimension;
    return value;
}

/* Its place in all dimensions but the last, then its extents.  */
static Value *box_op(Walk *w, gcall *call, bool is_outside)
{
    int count = (int)gimple_call_num_args(call);
    Value *tensor = value_of(w, gimple_call_arg(call, 0)), *args[7] = {tensor};
    for (int i = 1; i < count; i++)
        args[i] = is_outside ? outside(w, call, gimple_call_arg(call, i), false)
                             : value_of_argument(w, gimple_call_arg(call, i));
    return value_new_op(w, OP_BOX, stmt_location(call), type_tensor(tensor->type.dtype, 2),
                        name_of_copies(gimple_call_lhs(call), 0), count, args);
}

static Value *part_op(Walk *w, gcall *call, const char *name, bool is_outside)
{
    return is_box(name) ? box_op(w, call, is_outside) : slice_op(w, call, is_outside);
}

/* A constructor of the region.  Parts stay where they are; tensors do not change, and stand in the prologue.  */
void tensor_statement(Walk *w, gcall *call, const char *name)
{
    tree lhs = gimple_call_lhs(call);
    if (!strcmp(name, "slice") || is_box(name))
        value_set(w, lhs, part_op(w, call, name, false));
    else
        tensor_of(w, lhs);
}

/* "the tensor 'a'", or "a tensor".  */
static const char *shown(Walk *w, tree name)
{
    const char *user = name_of_copies(name, 0);
    return user ? arena_print(w->kernel->module, "the tensor '%s'", user) : "a tensor";
}

static Value *tensor_unknown(Walk *w, tree name, location_t where)
{
    if (!w->failed)
        complain(where, "construct it in the same function, or in one inlined into it",
                 "the element type of %s is not visible here", shown(w, name));
    return value_anything(w, TREE_TYPE(name));
}

static Value *tensor_chosen(Walk *w, gimple *phi, tree name)
{
    if (!w->failed)
        complain(gimple_phi_num_args(phi) ? gimple_phi_arg_location(as_a<gphi *>(phi), 0) : w->where,
                 "choose the base pointer or an extent instead, and make one tensor from it",
                 "%s is chosen by a branch or changes in a loop", shown(w, name));
    return value_anything(w, TREE_TYPE(name));
}

/* A PHI whose arguments are one tensor is that tensor.  */
static tree phi_single(gimple *phi)
{
    tree single = NULL_TREE;
    for (unsigned i = 0; i < gimple_phi_num_args(phi); i++) {
        tree argument = ssa_resolve(gimple_phi_arg_def(phi, i));
        if (argument == gimple_phi_result(phi))
            continue;
        if (single && single != argument)
            return NULL_TREE;
        single = argument;
    }
    return single;
}

static Value *tensor_defined(Walk *w, tree name, gimple *def)
{
    char buffer[64];
    if (gimple_code(def) == GIMPLE_PHI) {
        tree single = phi_single(def);
        return single ? value_of(w, single) : tensor_chosen(w, def, name);
    }
    tree fndecl = is_gimple_call(def) ? gimple_call_fndecl(def) : NULL_TREE;
    const char *callee = fndecl ? ws_name(fndecl, buffer, sizeof buffer) : NULL;
    if (!callee || !is_tensor_constructor(callee))
        return tensor_unknown(w, name, stmt_location(def));
    Block *block = w->block;
    w->block = w->kernel->body;
    gcall *call = as_a<gcall *>(def);
    bool part = !strcmp(callee, "slice") || is_box(callee);
    Value *value = part ? part_op(w, call, callee, true) : tensor_op(w, call, callee);
    w->block = block;
    return value ? value : value_anything(w, TREE_TYPE(name));
}

/* require: an SSA name of type ws_tensor.   ensure: its value, with element type and rank.  */
Value *tensor_of(Walk *w, tree name)
{
    name = ssa_resolve(name);
    Value **known = w->values.get(name);
    if (known)
        return *known;
    Value *value = SSA_NAME_IS_DEFAULT_DEF(name) ? tensor_unknown(w, name, (location_t)w->kernel->loc.host)
                                                 : tensor_defined(w, name, SSA_NAME_DEF_STMT(name));
    value_set(w, name, value);
    return value;
}
