/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plain-tensor.c - the tensors that stand for arrays: extents as the launcher computes them.
 */
#include "language/plain-memory.h"

/* A loop to n makes no iteration where n is 0 or below.  */
static Value *at_least_nothing(Nest *in, const Poly *extent)
{
    Value *value = poly_before(in, extent);
    int64_t number;
    if (poly_is_constant(extent, &number))
        return value;
    return scalar_before(in, OP_SCALAR_MAX, D_I64, value, ir_const_before(in->kernel, in->region, D_I64, 0));
}

static Value *largest_extent(Nest *in, const Group *group, int dim)
{
    Value *extent = NULL;
    for (int i = 0; i < group->nextents[dim]; i++) {
        Value *value = at_least_nothing(in, &group->extent[dim][i]);
        extent = extent ? scalar_before(in, OP_SCALAR_MAX, D_I64, extent, value) : value;
    }
    return extent;
}

static bool is_poly_before(const Nest *in, const Poly *x)
{
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->terms[i].count; k++)
            if (!is_known_before(in, x->terms[i].values[k]))
                return false;
    return true;
}

static bool uses_group(const Nest *in, const Group *group, int loop)
{
    for (const Access *access = in->accesses; access; access = access->next)
        if (access->group == group && !(loops_around(in, access->op) >> loop & 1))
            return false;
    return true;
}

/* Some element is touched: the loops around all accesses iterate, as far as the launcher knows their bounds.  An extent
   of 0 does not tell, as the element in front of the array has it, too.  */
static Value *is_touched(Nest *in, const Group *group)
{
    Value *touched = ir_const_before(in->kernel, in->region, D_I1, 1);
    FOR_LOOPS (i, in) {
        const Loop *loop = &in->loops[i];
        Poly end = poly_of(loop->op->args[1]), trips = poly_add(&end, &loop->lo, -1);
        if (!uses_group(in, group, i) || !is_poly_before(in, &loop->lo) || !is_poly_before(in, &end))
            continue;
        Value *args[] = {ir_convert_before(in->kernel, in->region, poly_before(in, &trips), D_I64),
                         ir_const_before(in->kernel, in->region, D_I64, 0)};
        touched = ir_binary_before(in->kernel, in->region, OP_SCALAR_AND, touched,
                                   ir_scalar_before(in->kernel, in->region, OP_SCALAR_GT, D_I1, 2, args));
    }
    return touched;
}

/* A loop around all accesses may make no iteration although its bounds reach into the array.  */
static bool may_be_idle(Nest *in, const Group *group)
{
    FOR_LOOPS (i, in) {
        const Loop *loop = &in->loops[i];
        Poly end = poly_of(loop->op->args[1]);
        int64_t number;
        if ((loop->turned || !poly_is_constant(&loop->lo, &number) || number > 0) && uses_group(in, group, i) &&
            is_poly_before(in, &loop->lo) && is_poly_before(in, &end))
            return true;
    }
    return false;
}

static Value *extent_of(Nest *in, const Group *group, int dim)
{
    const bool asks = dim == 0 && (group->nleast || may_be_idle(in, group));
    Value *extent = largest_extent(in, group, dim), *touched = asks ? is_touched(in, group) : NULL;
    if (touched) {
        Value *args[] = {touched, extent, ir_const_before(in->kernel, in->region, extent->type.dtype, 0)};
        extent = ir_scalar_before(in->kernel, in->region, OP_SCALAR_SELECT, extent->type.dtype, 3, args);
    }
    for (int i = 0; i < group->nleast && dim == 0; i++) { /* an extent below 0 is an error of the launch */
        Value *least = poly_before(in, &group->least[i]), *zero = ir_const_before(in->kernel, in->region, D_I64, 0);
        Value *below = ir_scalar_before(in->kernel, in->region, OP_SCALAR_LT, D_I1, 2,
                                        (Value *[]){ir_convert_before(in->kernel, in->region, least, D_I64), zero});
        below = ir_binary_before(in->kernel, in->region, OP_SCALAR_AND, touched, below);
        extent = ir_scalar_before(in->kernel, in->region, OP_SCALAR_SELECT, D_I64, 3,
                                  (Value *[]){below, ir_convert_before(in->kernel, in->region, least, D_I64),
                                              ir_convert_before(in->kernel, in->region, extent, D_I64)});
    }
    if (!group->guard)
        return extent;
    Value *args[] = {group->guard, extent, ir_const_before(in->kernel, in->region, extent->type.dtype, 0)};
    return ir_scalar_before(in->kernel, in->region, OP_SCALAR_SELECT, extent->type.dtype, 3, args);
}

static Value *make_tensor(Nest *in, Group *group, const int *order, int rank)
{
    Value *args[2 + 2 * MAX_RANK] = {group->base};
    int nargs = 1 + 2 * rank;
    int64_t first;
    group->base->type = type_pointer(group->dtype);
    for (int i = 0; i < rank; i++) {
        args[1 + i] = extent_of(in, group, order[i]);
        args[1 + rank + i] = poly_before(in, &group->stride[order[i]]);
    }
    if ((group->line || group->moved) && !(poly_is_constant(&group->first, &first) && !first))
        args[nargs++] = poly_before(in, &group->first);
    Op *op = op_new(in->kernel, OP_TENSOR, in->kernel->loc, nargs, args);
    op_before(in->region, op);
    return op_result(in->kernel, op, type_tensor(group->dtype, rank), group->base->name);
}

/* The tensor with these two dimensions last, the others in front of them; row -1: as they are.  */
Value *memory_tensor(Nest *in, Group *group, int row, int col)
{
    int order[MAX_RANK], count = 0;
    for (int i = 0; i < group->rank; i++)
        if (i != row && i != col)
            order[count++] = i;
    if (row >= 0)
        order[count++] = row;
    order[count++] = col;
    int key = 0;
    for (int i = 0; i < count; i++)
        key = i == count - 2 ? order[i] * MAX_RANK + col : key;
    if (!in->kernel->failed && !group->tensors[key])
        group->tensors[key] = make_tensor(in, group, order, count);
    return group->tensors[key];
}

Value *memory_vector(Nest *in, Group *group)
{
    int order[] = {0};
    if (group->vector == group->base)
        group->vector = make_tensor(in, group, order, 1);
    return group->vector;
}
