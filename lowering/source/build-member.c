/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-member.c - members of different types of an array of structures are arrays of their own.
 *
 *      %1 = scalar_mul %i, 16                     %1 = scalar_mul %i, 16
 *      %x = element %p, %1            (f32)       %x = element %p, %1
 *      %2 = scalar_add %1, 12               =>    %k = element %p.k, %1        %p.k is 12 bytes behind %p
 *      %k = element %p, %2            (i32)
 *
 * A structure whose members that the grid uses have one type is a row of elements of that type.
 */
#include <string.h>

#include "build.h"

/* Bytes of an element that is a structure; 0: it is none, or its type is not known.  */
static int structure_bytes(const Builder *b, const SourceLiveIn *live)
{
    const Declaration *declaration = live->variable ? &live->variable->declaration
                                     : live->object ? &live->object->declaration
                                                    : NULL;
    for (const SourceGlobal *global = b->function->unit->globals; global && live->global; global = global->next)
        if (global->name == live->global || !strcmp(global->name, live->global))
            declaration = &global->declaration;
    return declaration && !live->nreads && declaration->element == ST_V ? declaration->element_bytes : 0;
}

typedef struct {
    const Value *base;
    Dtype dtype;
    bool found, mixed;
} Uses;

static bool is_element(const Op *op, const Value *base)
{
    return (op->code == OP_ELEMENT || op->code == OP_SET_ELEMENT) && op->args[0] == base;
}

static Dtype dtype_of(const Op *op)
{
    return op->code == OP_ELEMENT ? op->results[0]->type.dtype : op->args[2]->type.dtype;
}

static void look(Op *op, void *context)
{
    Uses *uses = context;
    if (!is_element(op, uses->base))
        return;
    const Dtype dtype = dtype_of(op);
    uses->mixed |= uses->found && (dtype_bytes(dtype) != dtype_bytes(uses->dtype) ||
                                   dtype_is_float(dtype) != dtype_is_float(uses->dtype));
    uses->dtype = dtype;
    uses->found = true;
}

/* ---- the member of an access ------------------------------------------------------------------------------------- */

/* The number that a sum ends with.  */
static int64_t addend(const Value *offset)
{
    int64_t number = 0;
    if (ir_constant(offset, &number))
        return number;
    const Op *def = offset->def;
    if (def && def->code == OP_SCALAR_ADD)
        for (int k = 0; k < 2; k++)
            if (ir_constant(def->args[k], &number))
                return number;
    if (def && def->code == OP_SCALAR_SUB && ir_constant(def->args[1], &number))
        return -number;
    return 0;
}

typedef struct {
    Builder *b;
    int live_in; /* the array */
    int bytes;   /* of a structure */
} Splitter;

static Value *member_base(Builder *b, int whole, int64_t member)
{
    const SourceLiveIn array = b->live_ins[whole];
    for (int k = 0; k < b->nlive_ins; k++)
        if (b->live_ins[k].value->part_of == array.value && b->live_ins[k].value->part_at == member)
            return b->live_ins[k].value;
    SourceLiveIn like = array;
    like.behind += member;
    Value *value = build_live_in(b, like, type_pointer(D_F32), array.value->name, array.value->loc);
    value->part_of = array.value;
    value->part_at = member;
    value->declared = array.value->declared > member ? array.value->declared - member : 0;
    return value;
}

static void split(Op *op, void *context)
{
    const Splitter *splitter = context;
    Builder *b = splitter->b;
    if (!is_element(op, b->live_ins[splitter->live_in].value))
        return;
    const int64_t number = addend(op->args[1]), bytes = splitter->bytes;
    const int64_t member = (number % bytes + bytes) % bytes;
    if (!member)
        return;
    Value *own = build_integer(b, D_I64, member);
    op->args[0] = member_base(b, splitter->live_in, member);
    if (member == number && !ir_constant(op->args[1], &(int64_t){0}) && op->args[1]->def->code == OP_SCALAR_ADD) {
        const Op *sum = op->args[1]->def;
        op->args[1] = sum->args[0] == own ? sum->args[1] : sum->args[0];
        return;
    }
    op->args[1] = ir_binary_before(b->kernel, op, OP_SCALAR_SUB, op->args[1], own);
}

void build_members(Builder *b)
{
    const int count = b->nlive_ins;
    for (int k = 0; k < count && b->kernel->grid.plain; k++) {
        Uses uses = {.base = b->live_ins[k].value};
        Splitter splitter = {b, k, structure_bytes(b, &b->live_ins[k])};
        if (splitter.bytes)
            ir_walk(b->kernel->body, look, &uses);
        if (uses.mixed)
            ir_walk(b->kernel->body, split, &splitter);
    }
}
