/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-tensor.c - the constructors of tensors -> operations in front of the loops.
 *
 *      t3 = call.p ws_tensor_2d(p A.4, u32 22357,        %a: tensor<f16,2> = tensor %A, %M, %K, %K, 1
 *                               i64 t2, i64 t1)
 *
 * A tensor does not change in the grid: what does is said with ws_slice and coordinates. Slices and boxes stay where
 * they stand.
 */
#include <string.h>

#include "build.h"

typedef struct {
    int rank;
    Value *extents[4], *strides[4];
} Shape;

static bool is_box(const char *name)
{
    return !strcmp(name, "box_3d") || !strcmp(name, "box_4d");
}

bool build_is_tensor_call(const char *name)
{
    return !strncmp(name, "tensor_", 7) || !strcmp(name, "slice") || is_box(name);
}

Value *build_in_front(Builder *b, Opcode code, Loc loc, Type type, int nargs, Value *const *args)
{
    Op *op = op_new(b->kernel, code, loc, nargs, args);
    Value *result = op_result(b->kernel, op, type, NULL);
    if (b->anchor)
        op_before(b->anchor, op);
    else
        op_append(b->block, op);
    return result;
}

/* A number that the grid leaves alone, or NULL after a refusal.  */
static Value *side(Builder *b, const Instruction *call, int k)
{
    Value *value = build_argument(b, call, k);
    if (!value || !b->anchor || ir_outside(value, b->anchor))
        return value;
    reject(b->kernel, call->loc, REASON_TENSOR_VARIES);
    return NULL;
}

static Value *wide(Builder *b, Loc loc, Value *value)
{
    int64_t number;
    if (value->type.dtype == D_I64 || value->type.dtype == D_U64)
        return value;
    if (ir_constant(value, &number))
        return build_integer(b, D_I64, number);
    return build_in_front(b, OP_SCALAR_CONVERT, loc, type_scalar(D_I64), 1, &value);
}

/* The distance between elements of a dense dimension.  */
static Value *times(Builder *b, Loc loc, Value *x, Value *y)
{
    int64_t one;
    if (ir_constant(x, &one) && one == 1)
        return y;
    Value *args[] = {wide(b, loc, y), wide(b, loc, x)};
    return build_in_front(b, OP_SCALAR_MUL, loc, type_scalar(D_I64), 2, args);
}

static bool strided_shape(Builder *b, const Instruction *call, Shape *shape)
{
    int64_t rank, inner;
    if (!build_constant(b, call, 2, "the rank of a tensor", &rank))
        return false;
    if (rank < 1 || rank > 4) {
        build_refuse(b, call->loc, "a tensor of this rank");
        return false;
    }
    shape->rank = (int)rank;
    for (int i = 0; i < shape->rank; i++) {
        shape->extents[i] = side(b, call, 3 + i);
        shape->strides[i] = side(b, call, 7 + i);
        if (!shape->extents[i] || !shape->strides[i])
            return false;
    }
    if (ir_constant(shape->strides[rank - 1], &inner) && inner != 1) {
        reject(b->kernel, build_place(call), REASON_TENSOR_INNERMOST, arena_print(b->module, "%lld", (long long)inner));
        return false;
    }
    return true;
}

static bool shape_of(Builder *b, const Instruction *call, const char *name, Shape *shape)
{
    if (!strcmp(name, "tensor_make"))
        return strided_shape(b, call, shape);
    if (!strcmp(name, "tensor_strided")) {
        reject(b->kernel, call->loc, REASON_NOT_CONSTANT, "the rank of a tensor");
        return false;
    }
    const bool has_ld = !strcmp(name, "tensor_2d_ld");
    shape->rank = call->narguments - 2 - has_ld;
    for (int i = 0; i < shape->rank; i++) {
        shape->extents[i] = side(b, call, 2 + i);
        if (!shape->extents[i])
            return false;
    }
    shape->strides[shape->rank - 1] = build_integer(b, D_I32, 1);
    for (int i = shape->rank - 2; i >= 0; i--)
        shape->strides[i] = times(b, call->loc, shape->strides[i + 1], shape->extents[i + 1]);
    if (has_ld)
        shape->strides[0] = side(b, call, 4);
    return shape->strides[0] != NULL;
}

/* How many devices the loop around the grid has.  */
static Value *count_of_devices(Builder *b)
{
    for (int i = 0; i < b->nlive_ins; i++)
        if (b->live_ins[i].devices)
            return b->live_ins[i].value;
    return build_live_in(b, (SourceLiveIn){.devices = b->devices + 1}, type_scalar(D_I64), NULL, b->kernel->loc);
}

/* One more dimension: the pointers of an array, which lie anywhere.  */
static bool in_table(Builder *b, const Instruction *call, Shape *shape)
{
    if (shape->rank == 4) {
        reject(b->kernel, call->loc, REASON_TENSOR_TABLE_RANK);
        return false;
    }
    memmove(shape->extents + 1, shape->extents, 3 * sizeof(Value *));
    memmove(shape->strides + 1, shape->strides, 3 * sizeof(Value *));
    shape->rank++;
    shape->extents[0] = count_of_devices(b);
    shape->strides[0] = build_integer(b, D_I32, 0);
    return true;
}

/* The number of a pointer in an array of them, from its distance in bytes.  */
static Value *index_of(Builder *b, Loc loc, Value *offset)
{
    const Op *def = offset->def;
    int64_t number;
    if (ir_constant(offset, &number))
        return build_integer(b, D_I64, number / 8);
    if (def && def->code == OP_SCALAR_MUL && ir_constant(def->args[1], &number) && number % 8 == 0)
        return number == 8 ? def->args[0]
                           : build_binary(b, OP_SCALAR_MUL, loc, def->args[0], build_integer(b, D_I64, number / 8));
    if (def && (def->code == OP_SCALAR_ADD || def->code == OP_SCALAR_SUB) && ir_constant(def->args[1], &number) &&
        number % 8 == 0)
        return build_binary(b, def->code, loc, index_of(b, loc, def->args[0]), build_integer(b, D_I64, number / 8));
    return build_binary(b, OP_SCALAR_DIV, loc, offset, build_integer(b, D_I64, 8));
}

static Value *tensor(Builder *b, const Instruction *call, const char *name, Value **index)
{
    Dtype dtype;
    Shape shape = {0};
    if (!build_element_type(b, call, 1, &dtype))
        return NULL;
    const Built base = build_base(b, call->loc, call->arguments[0].operand);
    const bool table = base.kind == BUILT_CHOSEN;
    if (base.kind == BUILT_NONE || !shape_of(b, call, name, &shape) || (table && !in_table(b, call, &shape)))
        return NULL;
    if (table)
        *index = index_of(b, call->loc, base.offset);
    Value *args[9] = {table ? base.value : build_base_of(b, base.value, dtype)};
    if (table)
        base.value->type = type_pointer(dtype);
    for (int i = 0; i < shape.rank; i++) {
        args[1 + i] = shape.extents[i];
        args[1 + shape.rank + i] = shape.strides[i];
    }
    Value *value = build_in_front(b, OP_TENSOR, call->loc, type_tensor(dtype, shape.rank), 1 + 2 * shape.rank, args);
    value->def->tensor->row_stride = !strcmp(name, "tensor_2d_ld");
    value->def->tensor->table = table;
    return value;
}

/* A slice: the dimension, its begin and its end. A box: its place, then its extents.  */
static Value *part(Builder *b, const Instruction *call, bool box)
{
    Value *args[7];
    int n = 0;
    int64_t dimension = 0;
    if (!box && build_pointer(b, call->loc, call->arguments[0].operand).offset) {
        reject(b->kernel, call->loc, REASON_SLICE_BASE);
        return NULL;
    }
    if (!box && !build_constant(b, call, 1, "the dimension of a slice", &dimension))
        return NULL;
    for (int k = 0; k < call->narguments && n < 7; k++) {
        if (!box && k == 1)
            continue;
        args[n] = build_argument(b, call, k);
        if (!args[n++])
            return NULL;
    }
    const Type type = box ? type_tensor(args[0]->type.dtype, 2) : args[0]->type;
    Value *value = build_op(b, box ? OP_BOX : OP_SLICE, call->loc, type, n, args);
    if (!box)
        value->def->tensor->dimension = (int)dimension;
    return value;
}

Value *build_tensor(Builder *b, const Instruction *call, const char *name, Value **index)
{
    return !strcmp(name, "slice") || is_box(name) ? part(b, call, is_box(name)) : tensor(b, call, name, index);
}
