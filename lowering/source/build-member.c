/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-member.c - members of different types of an array of structures are arrays of their own.
 *
 *      %1 = scalar_mul %i, 16                     %1 = scalar_mul %i, 16
 *      %x = element %p, %1            (f32)       %x = element %p, %1
 *      %2 = scalar_add %1, 12               =>    %k = element %p.k, %1        %p.k is 12 bytes behind %p
 *      %k = element %p, %2            (i32)
 *
 * So are members of a variable that is a structure. A structure whose members have one type is a row of elements of
 * that type.
 */
#include <string.h>

#include "build.h"

/* Of the variable, or of an element of an array of them. NULL: it is no structure, or its type is not known.  */
static const SourceLayout *layout_of(const Builder *b, const SourceLiveIn *live)
{
    const Declaration *declaration = live->variable ? &live->variable->declaration
                                     : live->object ? &live->object->declaration
                                                    : NULL;
    for (const SourceGlobal *global = b->function->unit->globals; global && live->global; global = global->next)
        if (global->name == live->global || !strcmp(global->name, live->global))
            declaration = &global->declaration;
    return declaration && !live->nreads ? declaration->layout : NULL;
}

/* Numbers of one type alone, which *type is after the first.  */
static bool is_uniform(const SourceLayout *layout, SourceType *type)
{
    for (int k = 0; k < layout->nmembers; k++) {
        const SourceMember *member = &layout->members[k];
        if (member->structure
                ? !is_uniform(member->structure, type)
                : member->type == ST_V || member->type == ST_P ||
                      (*type != ST_V && (source_type_bytes(member->type) != source_type_bytes(*type) ||
                                         source_type_is_float(member->type) != source_type_is_float(*type))))
            return false;
        if (!member->structure)
            *type = member->type;
    }
    return true;
}

/* The place of the member that a byte lies in, without its subscripts.  */
static int64_t member_at(const SourceLayout *layout, int64_t number)
{
    for (int k = 0; k < layout->nmembers; k++) {
        const SourceMember *member = &layout->members[k];
        if (number >= member->offset && number < member->offset + member->bytes * member->count)
            return member->offset +
                   (member->structure ? member_at(member->structure, (number - member->offset) % member->bytes) : 0);
    }
    return number;
}

static bool is_element(const Op *op, const Value *base)
{
    return (op->code == OP_ELEMENT || op->code == OP_SET_ELEMENT) && op->args[0] == base;
}

/* ---- the member of an access ------------------------------------------------------------------------------------- */

/* The sum in the first iterations, as far as numbers tell: the rest of it counts as 0.  */
static int64_t first_of(const Value *offset, int depth)
{
    int64_t number = 0;
    const Op *def = offset->def, *loop = offset->block ? offset->block->parent : NULL;
    if (ir_constant(offset, &number) || depth > 32)
        return number;
    if (!def && loop && loop->code == OP_FOR && offset == offset->block->args[0])
        return ir_constant(loop->args[0], &number) ? number : 0;
    if (!def)
        return 0;
    switch (def->code) {
    case OP_SCALAR_CONVERT:
        return dtype_is_float(def->args[0]->type.dtype) ? 0 : first_of(def->args[0], depth + 1);
    case OP_SCALAR_ADD:
        return first_of(def->args[0], depth + 1) + first_of(def->args[1], depth + 1);
    case OP_SCALAR_SUB:
        return first_of(def->args[0], depth + 1) - first_of(def->args[1], depth + 1);
    case OP_SCALAR_MUL:
        for (int k = 0; k < 2; k++)
            if (ir_constant(def->args[k], &number) && number >= INT32_MIN && number <= INT32_MAX) {
                const int64_t other = first_of(def->args[1 - k], depth + 1);
                return other >= INT32_MIN && other <= INT32_MAX ? number * other : 0;
            }
        return 0;
    default:
        return 0;
    }
}

typedef struct {
    Builder *b;
    int live_in; /* the array */
    const SourceLayout *layout;
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
    const int64_t number = first_of(op->args[1], 0), bytes = splitter->layout->bytes;
    const int64_t member = member_at(splitter->layout, (number % bytes + bytes) % bytes);
    if (!member)
        return;
    Value *own = build_integer(b, D_I64, member);
    op->args[0] = member_base(b, splitter->live_in, member);
    const Op *sum = op->args[1]->def;
    if (sum && sum->code == OP_SCALAR_ADD && (sum->args[0] == own || sum->args[1] == own)) {
        op->args[1] = sum->args[0] == own ? sum->args[1] : sum->args[0];
        return;
    }
    op->args[1] = ir_binary_before(b->kernel, op, OP_SCALAR_SUB, op->args[1], own);
}

void build_members(Builder *b)
{
    const int count = b->nlive_ins;
    for (int k = 0; k < count && b->kernel->grid.plain; k++) {
        Splitter splitter = {b, k, layout_of(b, &b->live_ins[k])};
        SourceType type = ST_V;
        if (splitter.layout && splitter.layout->bytes && !is_uniform(splitter.layout, &type))
            ir_walk(b->kernel->body, split, &splitter);
    }
}
