/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tensor.c - the constructors of tensors -> the kernel's prologue.
 *
 *   a = ws_tensor_2d (A, WS_F16, M, K);      kernel gemm (... %M, %K, %A: ptr<f16>):
 *   for (i ...) grid                           %a = tensor %A, %M, %K, %K, 1
 */
#include <string.h>

#include "frontend.h"

static bool is_box(const char *name)
{
    return !strcmp(name, "box_3d") || !strcmp(name, "box_4d");
}

bool is_tensor_constructor(const char *name)
{
    return !strncmp(name, "tensor_", 7) || !strcmp(name, "slice") || is_box(name);
}

/* Of the prologue, that is: nothing that the region computes.  */
static Value *settled(Walk *w, CXCursor call, Value *value, bool is_base)
{
    if (!w->anchor || !value_inside(value, w->anchor))
        return value;
    refuse(w, call, "make one tensor before the grid, and use ws_slice or coordinates inside it", "%s",
           is_base ? "the base of this tensor changes within the grid"
                   : "the shape of this tensor changes within the grid");
    return literal_int(w, D_I64, 1);
}

static Value *number(Walk *w, CXCursor call, CXCursor e)
{
    return settled(w, call, argument_of(w, e), false);
}

static Value *wide(Walk *w, Value *value)
{
    return convert(w, value, value->type.dtype == D_U64 ? D_U64 : D_I64);
}

/* The distance between elements of a dense dimension.  */
static Value *times(Walk *w, Value *x, Value *y)
{
    int64_t one;
    if (ir_constant(x, &one) && one == 1)
        return y;
    Value *args[] = {wide(w, y), wide(w, x)};
    return op_of(w, OP_SCALAR_MUL, type_scalar(D_I64), 2, args);
}

static bool strided_shape(Walk *w, CXCursor call, const Cursors *args, Shape *shape)
{
    int64_t rank, inner;
    if (!constant_int(w, args->list[2], &rank) || rank < 1 || rank > 4) {
        refuse(w, call, "write a number from 1 to 4", "the rank of a tensor must be a constant");
        return false;
    }
    shape->rank = (int)rank;
    for (int i = 0; i < shape->rank; i++) {
        shape->extents[i] = number(w, call, args->list[3 + i]);
        shape->strides[i] = number(w, call, args->list[7 + i]);
    }
    if (ir_constant(shape->strides[rank - 1], &inner) && inner != 1) {
        refuse(w, call, "order the dimensions so that the last one is contiguous",
               "the innermost stride of a tensor is 1, not %ld", (long)inner);
        return false;
    }
    return true;
}

static bool shape_of(Walk *w, CXCursor call, const char *name, const Cursors *args, Shape *shape)
{
    if (!strcmp(name, "tensor_make"))
        return strided_shape(w, call, args, shape);
    if (!strcmp(name, "tensor_strided")) {
        refuse(w, call, "write a number from 1 to 4", "the rank of a tensor must be a constant");
        return false;
    }
    bool has_ld = !strcmp(name, "tensor_2d_ld");
    shape->rank = args->count - 2 - has_ld;
    for (int i = 0; i < shape->rank; i++)
        shape->extents[i] = number(w, call, args->list[2 + i]);
    shape->strides[shape->rank - 1] = literal_int(w, D_I32, 1);
    for (int i = shape->rank - 2; i >= 0; i--)
        shape->strides[i] = times(w, shape->strides[i + 1], shape->extents[i + 1]);
    if (has_ld)
        shape->strides[0] = number(w, call, args->list[4]);
    return true;
}

int parameter_rank(const Walk *w, const char *text)
{
    bool copied = !clang_Cursor_isNull(w->caller);
    CXCursor function = copied ? w->caller : w->function;
    int count = clang_Cursor_getNumArguments(function);
    for (int i = 0; i < count && (!copied || w->in_caller); i++)
        if (!strcmp(text_of(w->u, clang_getCursorSpelling(clang_Cursor_getArgument(function, (unsigned)i))), text))
            return i;
    return count;
}

/* Arrays, and variables that were chosen, have none.  */
static const char *base_name(Walk *w, CXCursor e, Result base)
{
    CXCursor decl = decl_of(w->u, e);
    Cursors decays = children(w->u, peel(w->u, e));
    if (clang_Cursor_isNull(decl) && decays.count == 1 && peel(w->u, e).kind != CXCursor_MemberRefExpr)
        decl = decl_of(w->u, decays.list[0]);
    if (clang_Cursor_isNull(decl))
        return base.name;
    const Definition *definition = definition_of(w, decl);
    bool array = clang_getCanonicalType(clang_getCursorType(decl)).kind != CXType_Pointer;
    bool chosen = definition && definition->known && peel(w->u, definition->value).kind == CXCursor_ConditionalOperator;
    return array || chosen ? NULL : base.name;
}

static Value *tensor_op(Walk *w, CXCursor call, const char *name, const Cursors *args, bool outside_base)
{
    Dtype dtype;
    Shape shape = {0};
    if (!element_type(w, args->list[1], &dtype))
        return NULL;
    bool outside = w->outside, of_base = w->of_base;
    int livein = w->nlivein, reads = w->nreads;
    w->outside = outside_base;
    w->of_base = true;
    Result base = eval(w, args->list[0]);
    w->outside = outside;
    w->of_base = of_base;
    if (base.kind == R_POINTER && outside_base) { /* all that was read is in the text */
        w->nlivein = livein;
        w->nreads = reads;
    }
    if (base.kind != R_POINTER || base.offset) {
        refuse(w, call, "make one tensor before the grid, and use ws_slice or coordinates inside it",
               "the base of this tensor changes within the grid");
        return NULL;
    }
    Value *values[9] = {live_in(w, base.text, "const void *", type_pointer(dtype), base_name(w, args->list[0], base),
                                parameter_rank(w, base.text))};
    if (!shape_of(w, call, name, args, &shape) || (base.chosen && !devices_table(w, call, &shape)))
        return NULL;
    values[0]->type = type_pointer(dtype);
    for (int i = 0; i < shape.rank; i++) {
        values[1 + i] = shape.extents[i];
        values[1 + shape.rank + i] = shape.strides[i];
    }
    w->where = loc_of(w->u, call);
    Value *tensor = op_of(w, OP_TENSOR, type_tensor(dtype, shape.rank), 1 + 2 * shape.rank, values);
    tensor->def->tensor->table = base.chosen != NULL;
    tensor->def->tensor->row_stride = !strcmp(name, "tensor_2d_ld");
    devices_note(w, tensor, base.chosen, args->list[0]);
    return tensor;
}

static Value *slice_op(Walk *w, CXCursor call, const Cursors *args)
{
    int64_t dimension;
    Value *values[3] = {NULL};
    if (!constant_int(w, args->list[1], &dimension)) {
        refuse(w, call, "write a number", "the dimension of a slice must be a constant");
        return NULL;
    }
    if (w->outside) {
        values[0] = value_of(w, args->list[0]);
        values[1] = number(w, call, args->list[2]);
        values[2] = number(w, call, args->list[3]);
    } else {
        values[2] = argument_of(w, args->list[3]);
        values[1] = argument_of(w, args->list[2]);
        values[0] = value_of(w, args->list[0]);
    }
    w->where = loc_of(w->u, call);
    Value *value = op_of(w, OP_SLICE, values[0]->type, 3, values);
    value->def->tensor->dimension = dimension;
    return value;
}

/* Its place in all dimensions but the last, then its extents.  */
static Value *box_op(Walk *w, CXCursor call, const Cursors *args)
{
    Value *values[7];
    for (int i = args->count - 1; i > 0; i--)
        values[i] = w->outside ? number(w, call, args->list[i]) : argument_of(w, args->list[i]);
    values[0] = value_of(w, args->list[0]);
    w->where = loc_of(w->u, call);
    return op_of(w, OP_BOX, type_tensor(values[0]->type.dtype, 2), args->count, values);
}

/* Parts stay where they are; tensors do not change, and stand in the prologue.  */
Value *tensor_call(Walk *w, CXCursor e, const char *name, const Cursors *args)
{
    bool outside = w->outside;
    if (!strcmp(name, "slice"))
        return slice_op(w, e, args);
    if (is_box(name))
        return box_op(w, e, args);
    w->outside = true;
    Value *value = tensor_op(w, e, name, args, outside);
    w->outside = outside;
    return value;
}
