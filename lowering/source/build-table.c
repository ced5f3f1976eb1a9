/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-table.c - elements of the program's own arrays, which a variable chooses in a grid over tiles.
 *
 *   static const float w[3] = {1, 2, 1};     %2 = scalar_eq %1, 1;  %3 = scalar_select %2, 2, 1;
 *                                            %4 = scalar_eq %1, 0;  %5 = scalar_select %4, 1, %3
 *   static float gain[N];                    %gain: tensor<f32,1> = tensor %gain, N, 1
 *   w[i % 3] * gain[i]                       %6 = at_float %gain, %i
 *
 * Of few elements that are constants the index selects one. Any other array is a tensor, whose base is the array's
 * address. tables.c has made arrays of static storage of an iteration's own arrays of constants.
 */
#include <string.h>

#include "build.h"

enum { FEW = 16 };

/* An element, counted from the beginning of the array in elements of its type.  */
typedef struct {
    const Instruction *load;
    const SourceLiveIn *live;
    const SourceGlobal *known; /* nobody writes it, or NULL */
    const char *name;
    Value *index;
    Dtype dtype;
    int64_t size, count;
} Chosen;

static Value *two(Builder *b, const Chosen *chosen, Opcode code, Dtype dtype, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return build_op(b, code, chosen->load->loc, type_scalar(dtype), 2, args);
}

static Value *wide(Builder *b, int64_t number)
{
    return build_integer(b, D_I64, number);
}

/* ---- the index --------------------------------------------------------------------------------------------------- */

/* A multiple of `size` bytes, divided; NULL: it is not known to be one.  */
static Value *divided(Builder *b, const Chosen *chosen, Value *bytes, int64_t size)
{
    int64_t number;
    if (size == 1)
        return build_convert(b, chosen->load->loc, bytes, D_I64);
    if (ir_constant(bytes, &number))
        return number % size ? NULL : wide(b, number / size);
    const Op *def = bytes->def;
    if (!def)
        return NULL;
    if (def->code == OP_SCALAR_CONVERT) {
        const Dtype from = def->args[0]->type.dtype;
        const bool same = from == D_I64 || from == D_U64;
        return same && dtype_bytes(bytes->type.dtype) == 8 ? divided(b, chosen, def->args[0], size) : NULL;
    }
    Value *parts[2] = {NULL, NULL};
    switch (def->code) {
    case OP_SCALAR_MUL:
        for (int k = 0; k < 2; k++) {
            if (!ir_constant(def->args[k], &number) || number <= 0 || (number % size && size % number))
                continue;
            Value *rest = divided(b, chosen, def->args[1 - k], number % size ? size / number : 1);
            return !rest || number <= size ? rest : two(b, chosen, OP_SCALAR_MUL, D_I64, rest, wide(b, number / size));
        }
        return NULL;
    case OP_SCALAR_SHL:
        if (!ir_constant(def->args[1], &number) || number < 0 || number > 12)
            return NULL;
        number = (int64_t)1 << number;
        parts[0] = divided(b, chosen, def->args[0], number % size ? size / number : 1);
        return !parts[0] || number <= size ? parts[0]
                                           : two(b, chosen, OP_SCALAR_MUL, D_I64, parts[0], wide(b, number / size));
    case OP_SCALAR_ADD:
    case OP_SCALAR_SUB:
    case OP_SCALAR_SELECT:
        for (int k = 0; k < 2; k++)
            if (!(parts[k] = divided(b, chosen, def->args[k + (def->code == OP_SCALAR_SELECT)], size)))
                return NULL;
        if (def->code != OP_SCALAR_SELECT)
            return two(b, chosen, def->code, D_I64, parts[0], parts[1]);
        Value *args[] = {def->args[0], parts[0], parts[1]};
        return build_op(b, OP_SCALAR_SELECT, chosen->load->loc, type_scalar(D_I64), 3, args);
    default:
        return NULL;
    }
}

/* ---- few constants ----------------------------------------------------------------------------------------------- */

static Value *constant_at(Builder *b, const Chosen *chosen, int64_t at)
{
    unsigned char bytes[8] = {0};
    int64_t integer = 0;
    double real;
    float single;
    if (chosen->known->initial)
        memcpy(bytes, chosen->known->initial + at * chosen->size, (size_t)chosen->size);
    for (int k = 0; k < 8; k++)
        integer = (int64_t)((uint64_t)integer | (uint64_t)bytes[k] << 8 * k);
    memcpy(&real, bytes, sizeof real);
    memcpy(&single, bytes, sizeof single);
    return chosen->dtype == D_F64   ? build_real(b, D_F64, real)
           : chosen->dtype == D_F32 ? build_real(b, D_F32, (double)single)
                                    : build_integer(b, chosen->dtype, integer);
}

static Value *selected(Builder *b, const Chosen *chosen)
{
    Value *result = NULL;
    for (int64_t at = chosen->count; at-- > 0;) {
        Value *constant = constant_at(b, chosen, at);
        Value *args[] = {result ? two(b, chosen, OP_SCALAR_EQ, D_I1, chosen->index, wide(b, at)) : NULL, constant,
                         result};
        result =
            result ? build_op(b, OP_SCALAR_SELECT, chosen->load->loc, type_scalar(chosen->dtype), 3, args) : constant;
    }
    return result;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static const Op *tensor_of(const Builder *b, const Value *base)
{
    const Op *op = b->kernel->body->first;
    while (op && !(op->code == OP_TENSOR && op->args[0] == base))
        op = op->next;
    return op;
}

Value *build_base_of(Builder *b, Value *base, Dtype dtype)
{
    int k = 0;
    while (k < b->nlive_ins && b->live_ins[k].value != base)
        k++;
    if (k < b->nlive_ins && base->type.dtype != dtype && tensor_of(b, base)) {
        SourceLiveIn like = b->live_ins[k];
        like.is_retyped = true;
        for (int i = 0; i < b->nlive_ins; i++) {
            like.value = b->live_ins[i].value;
            if (!memcmp(&like, &b->live_ins[i], sizeof like) && like.value->type.dtype == dtype)
                return like.value;
        }
        return build_live_in(b, like, type_pointer(dtype), base->name, base->loc);
    }
    base->type = type_pointer(dtype);
    return base;
}

static Value *table_of(Builder *b, const Chosen *chosen, Dtype dtype, int64_t count)
{
    int64_t extent;
    Value *base = build_base_of(b, chosen->live->value, dtype);
    for (Op *op = b->kernel->body->first; op; op = op->next)
        if (op->code == OP_TENSOR && op->args[0] == base && op->nargs == 3 && ir_constant(op->args[1], &extent) &&
            extent == count && ir_constant(op->args[2], &extent) && extent == 1)
            return op->results[0];
    Value *args[] = {base, wide(b, count), build_integer(b, D_I32, 1)};
    Value *tensor = build_in_front(b, OP_TENSOR, b->kernel->loc, type_tensor(dtype, 1), 3, args);
    tensor->name = chosen->name;
    return tensor;
}

/* Integers of 16 and 64 bits are two elements, the lower half first.  */
static Value *halves(Builder *b, const Chosen *chosen, Value *tensor, int bits)
{
    Value *even = two(b, chosen, OP_SCALAR_MUL, D_I64, chosen->index, wide(b, 2));
    Value *odd = two(b, chosen, OP_SCALAR_ADD, D_I64, even, wide(b, 1));
    Value *low = two(b, chosen, OP_AT, D_I64, tensor, even), *high = two(b, chosen, OP_AT, D_I64, tensor, odd);
    low = two(b, chosen, OP_SCALAR_AND, D_I64, low, wide(b, ((int64_t)1 << bits) - 1));
    high = two(b, chosen, OP_SCALAR_MUL, D_I64, high, wide(b, (int64_t)1 << bits));
    return two(b, chosen, OP_SCALAR_ADD, D_I64, high, low);
}

static Value *read(Builder *b, const Chosen *chosen)
{
    const bool is_float = dtype_is_float(chosen->dtype);
    const bool in_halves = !is_float && (chosen->size == 2 || chosen->size == 8);
    const Dtype dtype = is_float ? chosen->dtype : chosen->size % 4 ? D_I8 : D_I32;
    Value *tensor = table_of(b, chosen, dtype, chosen->count * (in_halves ? 2 : 1));
    Value *value = in_halves  ? halves(b, chosen, tensor, 4 * (int)chosen->size)
                   : is_float ? two(b, chosen, OP_AT_FLOAT, D_F64, tensor, chosen->index)
                              : two(b, chosen, OP_AT, D_I64, tensor, chosen->index);
    return build_convert(b, chosen->load->loc, value, chosen->dtype);
}

Value *build_table_read(Builder *b, const Instruction *load, const Built *address, const SourceLiveIn *live,
                        const SourceGlobal *global)
{
    Chosen chosen = {.load = load, .live = live, .name = address->name};
    const Declaration *declared = global ? &global->declaration : live->object ? &live->object->declaration : NULL;
    const int64_t bytes = global ? global->bytes : live->object ? live->object->bytes : 0;
    int64_t number;
    if (!declared || declared->is_volatile || declared->holds || live->nreads || live->behind || live->varying_behind ||
        live->is_set || live->is_number || live->row_bytes || live->into || load->type == ST_P ||
        source_type_is_aggregate(load->type) || !address->offset || ir_constant(address->offset, &number))
        return NULL;
    chosen.dtype = build_dtype(load->type);
    chosen.size = source_type_bytes(load->type);
    chosen.count = bytes / chosen.size;
    chosen.known = global && global->is_known && global->is_defined && !global->relocations ? global : NULL;
    if (!chosen.count || !(chosen.index = divided(b, &chosen, address->offset, chosen.size)))
        return NULL;
    return chosen.known && chosen.count <= FEW ? selected(b, &chosen) : read(b, &chosen);
}
