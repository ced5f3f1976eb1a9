/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * attributes.c - the table of attributes.def, and generic access to the attributes of an operation.
 *
 * Dumps are in print-ops.c, their reader in parse-ops.c and the checker in check.c. All three go by the table here.
 */
#include <string.h>

#include "ir/kernel.h"

const Attribute attribute_info[NATTRIBUTES] = {
#define PLACE_MEANS false
#define PLACE_FOUND true
#define ATTRIBUTE(NAME, text, Struct, member, field, kind, place, doc) \
    {text, KIND_##kind, PLACE_##place, offsetof(Op, member), sizeof(Struct), offsetof(Struct, field)},
#define OP_ATTRIBUTE(NAME, text, field, kind, place, doc) {text, KIND_##kind, PLACE_##place, 0, 0, offsetof(Op, field)},
#include "ir/attributes.def"
#undef OP_ATTRIBUTE
#undef ATTRIBUTE
};

_Static_assert(NATTRIBUTES <= 40, "traits have the bits above");

size_t attribute_bytes(AttributeKind kind)
{
    switch (kind) {
    case KIND_FLAG:
        return sizeof(bool);
    case KIND_LONG:
        return sizeof(int64_t);
    case KIND_REAL:
        return sizeof(double);
    case KIND_NUMBER:
    case KIND_SHARED:
        return sizeof(int);
    case KIND_CODE:
        return sizeof(Opcode);
    case KIND_TEXT:
    case KIND_POINTER:
    case KIND_AREF:
    case KIND_STORAGE:
        break;
    }
    return sizeof(void *);
}

/* Returns the struct that holds the attribute, or NULL if the op has no such struct.  */
static void *holder(const Op *op, const Attribute *attribute)
{
    void *held;
    if (!attribute->size)
        return (void *)(uintptr_t)op;
    memcpy(&held, (const char *)op + attribute->member, sizeof held);
    return held;
}

static void set_holder(Op *op, const Attribute *attribute, void *held)
{
    memcpy((char *)op + attribute->member, &held, sizeof held);
}

int op_attribute_from(const Op *op, int attribute)
{
    const uint64_t left = attribute < NATTRIBUTES ? op_info[op->code].about >> attribute : 0;
    return left ? attribute + __builtin_ctzll(left) : NATTRIBUTES;
}

void *attribute_of(const Op *op, int attribute)
{
    void *held = op_info[op->code].about >> attribute & 1 ? holder(op, &attribute_info[attribute]) : NULL;
    return held ? (char *)held + attribute_info[attribute].field : NULL;
}

/* Zeroes the attributes whose struct the op has, but which its opcode lacks.  */
static void clear_others(Op *op)
{
    const uint64_t about = op_info[op->code].about;
    for (int i = 0; i < NATTRIBUTES; i++)
        if (attribute_info[i].size && !(about >> i & 1) && holder(op, &attribute_info[i]))
            memset((char *)holder(op, &attribute_info[i]) + attribute_info[i].field, 0,
                   attribute_bytes(attribute_info[i].kind));
}

void op_make_attributes(Op *op)
{
    FOR_ATTRIBUTES (i, op)
        if (!holder(op, &attribute_info[i]))
            set_holder(op, &attribute_info[i], arena_alloc(op->kernel->module, attribute_info[i].size));
}

void op_become(Op *op, Opcode code)
{
    op->code = code;
    clear_others(op);
    op_make_attributes(op);
}

void op_copy_attributes(Op *to, const Op *from)
{
    to->written = from->written;
    to->spelling = from->spelling;
    FOR_ATTRIBUTES (i, to) {
        const void *field = attribute_of(from, i);
        if (field)
            memcpy(attribute_of(to, i), field, attribute_bytes(attribute_info[i].kind));
    }
}

bool attribute_is_set(const Op *op, int attribute)
{
    static const unsigned char zero[sizeof(int64_t)];
    const void *field = attribute_of(op, attribute);
    return field && memcmp(field, zero, attribute_bytes(attribute_info[attribute].kind));
}

/* ---- meaning ----------------------------------------------------------------------------------------------------- */

static void add_to_meaning(Meaning *meaning, AttributeKind kind, const void *field)
{
    switch (kind) {
    case KIND_FLAG:
        meaning->integer += *(const bool *)field;
        break;
    case KIND_NUMBER:
        meaning->integer += *(const int *)field;
        break;
    case KIND_LONG:
        meaning->integer += *(const int64_t *)field;
        break;
    case KIND_CODE:
        meaning->integer += *(const Opcode *)field;
        break;
    case KIND_REAL:
        meaning->real = *(const double *)field;
        break;
    case KIND_TEXT:
        meaning->text = *(const char *const *)field ? *(const char *const *)field : "";
        break;
    case KIND_SHARED:
    case KIND_POINTER:
    case KIND_AREF:
    case KIND_STORAGE:
        break;
    }
}

Meaning op_meaning(const Op *op)
{
    Meaning meaning = {.text = ""};
    FOR_ATTRIBUTES (i, op)
        if (!attribute_info[i].found)
            add_to_meaning(&meaning, attribute_info[i].kind, attribute_of(op, i));
    return meaning;
}

bool op_means_the_same(const Op *x, const Op *y)
{
    const Meaning a = op_meaning(x), b = op_meaning(y);
    return x->code == y->code && a.integer == b.integer && !memcmp(&a.real, &b.real, sizeof a.real) &&
           !strcmp(a.text, b.text);
}

Pipeline *pipeline_of(const Op *op)
{
    return op->code == OP_FOR ? op->control->pipeline : NULL;
}
