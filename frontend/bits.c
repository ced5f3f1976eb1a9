/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bits.c - numbers of a variable, read and written as another type or by parts.
 *
 *   ((unsigned char *)&v)[3]         %1 = scalar_bitcast %v: u32;  %2 = scalar_shr %1, 24;  %3 = scalar_convert %2: u8
 *   union { float f; unsigned u; } v;     one number of 32 bits
 *
 * What a variable's type has at a byte is a leaf: a scalar, and of a union the widest scalar of its members.  A slot
 * holds a leaf, as the plugin's promote.cc has one variable for it.
 */
#include <string.h>

#include "frontend.h"

typedef struct {
    int64_t byte; /* in the variable */
    int size;
    Dtype dtype;
} Leaf;

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

static bool find_leaf(const Unit *u, CXType type, int64_t byte, Leaf *leaf);

typedef struct {
    int64_t byte;
    CXType type; /* of the field there */
    int64_t begin;
    bool found, is_number;
    Dtype widest; /* of a union */
    int size;
} Fields;

static void widen(Fields *fields, CXType type);

static enum CXVisitorResult widen_field(CXCursor field, CXClientData data)
{
    Fields *fields = data;
    if (clang_Cursor_isBitField(field))
        fields->is_number = false;
    widen(fields, clang_getCursorType(field));
    return CXVisit_Continue;
}

static void widen(Fields *fields, CXType type)
{
    Dtype dtype;
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (type.kind == CXType_Record) {
        clang_Type_visitFields(type, widen_field, fields);
    } else if (!scalar_type(type, &dtype) || dtype == D_I1 || bytes_of(type) != dtype_bytes(dtype)) {
        fields->is_number = false;
    } else if (dtype_bytes(dtype) > fields->size) {
        fields->size = dtype_bytes(dtype);
        fields->widest = dtype;
    }
}

static enum CXVisitorResult take_field(CXCursor field, CXClientData data)
{
    Fields *fields = data;
    CXType type = clang_getCursorType(field);
    int64_t begin = clang_Cursor_getOffsetOfField(field) / 8;
    if (!clang_Cursor_isBitField(field) && begin <= fields->byte && fields->byte < begin + bytes_of(type)) {
        fields->found = true;
        fields->begin = begin;
        fields->type = type;
    }
    return CXVisit_Continue;
}

static bool find_leaf(const Unit *u, CXType type, int64_t byte, Leaf *leaf)
{
    Dtype dtype;
    Fields fields = {.byte = byte, .is_number = true};
    type = clang_getCanonicalType(type);
    if (byte < 0 || byte >= bytes_of(type))
        return false;
    if (scalar_type(type, &dtype)) {
        *leaf = (Leaf){0, dtype_bytes(dtype), dtype};
        return dtype != D_I1 && bytes_of(type) == dtype_bytes(dtype);
    }
    if (type.kind == CXType_ConstantArray) {
        CXType element = clang_getArrayElementType(type);
        int64_t size = bytes_of(element), begin = size > 0 ? byte / size * size : 0;
        bool found = size > 0 && find_leaf(u, element, byte - begin, leaf);
        leaf->byte += begin;
        return found;
    }
    if (type.kind != CXType_Record)
        return false;
    if (clang_getTypeDeclaration(type).kind == CXCursor_UnionDecl) {
        widen(&fields, type);
        if (!fields.is_number || !fields.size)
            return false;
        *leaf = (Leaf){byte / fields.size * fields.size, fields.size, fields.widest};
        return leaf->byte + leaf->size <= bytes_of(type);
    }
    clang_Type_visitFields(type, take_field, &fields);
    if (!fields.found || !find_leaf(u, fields.type, byte - fields.begin, leaf))
        return false;
    leaf->byte += fields.begin;
    return true;
}

static bool leaf_of(const Walk *w, int variable, int64_t byte, Leaf *leaf)
{
    return find_leaf(w->u, w->variables[variable].type, byte, leaf);
}

/* All bytes of the part belong to leaves.  */
static bool are_leaves(const Walk *w, int variable, int64_t byte, int64_t size)
{
    Leaf leaf;
    for (int64_t at = byte; at < byte + size; at = leaf.byte + leaf.size)
        if (!leaf_of(w, variable, at, &leaf))
            return false;
    return true;
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static Dtype unsigned_of(int64_t bytes)
{
    return bytes == 1 ? D_U8 : bytes == 2 ? D_U16 : bytes == 4 ? D_U32 : D_U64;
}

/* The same bits as a number of another type that has as many.  */
static Value *same_bits(Walk *w, Value *x, Dtype to)
{
    if (x->type.dtype == to)
        return x;
    if (dtype_is_float(x->type.dtype) == dtype_is_float(to))
        return convert(w, x, to);
    return op_of(w, OP_SCALAR_BITCAST, type_scalar(to), 1, &x);
}

static Value *shifted(Walk *w, Opcode code, Value *x, int64_t bytes)
{
    return bytes ? binary(w, code, x->type.dtype, x, literal_int(w, D_I32, 8 * bytes)) : x;
}

static Value *current(Walk *w, int variable, const Leaf *leaf)
{
    Result result = slot_read(w, slot_of(w, variable, leaf->byte, false));
    bool number = result.kind == R_VALUE && result.value->type.kind == K_SCALAR;
    return number ? same_bits(w, result.value, leaf->dtype) : literal_int(w, leaf->dtype, 0);
}

/* Bytes of a leaf as an unsigned number.  */
static Value *part_of_leaf(Walk *w, int variable, const Leaf *leaf, int64_t byte, int64_t size)
{
    Value *x = same_bits(w, current(w, variable, leaf), unsigned_of(leaf->size));
    return convert(w, shifted(w, OP_SCALAR_SHR, x, byte - leaf->byte), unsigned_of(size));
}

static Value *read_number(Walk *w, int variable, int64_t byte, Dtype dtype)
{
    Leaf leaf;
    const int64_t size = dtype_bytes(dtype);
    leaf_of(w, variable, byte, &leaf);
    if (leaf.byte == byte && leaf.size == size)
        return same_bits(w, current(w, variable, &leaf), dtype);
    if (leaf.byte + leaf.size >= byte + size) {
        Value *x = same_bits(w, current(w, variable, &leaf), unsigned_of(leaf.size));
        x = shifted(w, OP_SCALAR_SHR, x, byte - leaf.byte);
        return dtype_is_float(dtype) ? same_bits(w, convert(w, x, unsigned_of(size)), dtype) : convert(w, x, dtype);
    }
    Value *all = NULL;
    for (int64_t at = byte, end; at < byte + size; at = end) {
        leaf_of(w, variable, at, &leaf);
        end = leaf.byte + leaf.size < byte + size ? leaf.byte + leaf.size : byte + size;
        int64_t piece = end - at == 3 || end - at > 4 ? leaf.size : end - at;
        Value *x = convert(w, part_of_leaf(w, variable, &leaf, at, piece), unsigned_of(size));
        x = shifted(w, OP_SCALAR_SHL, x, at - byte);
        all = all ? binary(w, OP_SCALAR_OR, unsigned_of(size), all, x) : x;
    }
    return same_bits(w, all, dtype);
}

static void put(Walk *w, int variable, const Leaf *leaf, Value *value)
{
    slot_write(w, slot_of(w, variable, leaf->byte, true), result_of(value));
}

/* The low bytes of an unsigned number become some of a leaf.  */
static void write_part(Walk *w, int variable, const Leaf *leaf, int64_t byte, int64_t size, Value *part)
{
    Dtype bits = unsigned_of(leaf->size);
    uint64_t ones = size == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * size) - 1;
    Value *x = same_bits(w, current(w, variable, leaf), bits), *own = convert(w, part, bits);
    x = binary(w, OP_SCALAR_AND, bits, x, literal_int(w, bits, (int64_t) ~(ones << 8 * (byte - leaf->byte))));
    own = shifted(w, OP_SCALAR_SHL, own, byte - leaf->byte);
    put(w, variable, leaf, same_bits(w, binary(w, OP_SCALAR_OR, bits, x, own), leaf->dtype));
}

static void write_number(Walk *w, int variable, int64_t byte, Value *value)
{
    Leaf leaf;
    const int64_t size = dtype_bytes(value->type.dtype);
    leaf_of(w, variable, byte, &leaf);
    if (leaf.byte == byte && leaf.size == size) {
        put(w, variable, &leaf, same_bits(w, value, leaf.dtype));
        return;
    }
    value = same_bits(w, value, unsigned_of(size));
    for (int64_t at = byte, end; at < byte + size; at = end) {
        leaf_of(w, variable, at, &leaf);
        end = leaf.byte + leaf.size < byte + size ? leaf.byte + leaf.size : byte + size;
        Value *part = shifted(w, OP_SCALAR_SHR, value, at - byte);
        if (end - at == leaf.size)
            put(w, variable, &leaf, same_bits(w, convert(w, part, unsigned_of(leaf.size)), leaf.dtype));
        else if (end - at == 1 || end - at == 2 || end - at == 4)
            write_part(w, variable, &leaf, at, end - at, convert(w, part, unsigned_of(end - at)));
        else /* three bytes, and other odd numbers of them */
            for (; at < end; at++)
                write_part(w, variable, &leaf, at, 1, convert(w, shifted(w, OP_SCALAR_SHR, value, at - byte), D_U8));
    }
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

/* The place has a number that is not the slot's own; false: whoever asks reads or writes the slot itself.  */
static bool is_other(const Walk *w, const Place *place, Dtype *dtype)
{
    Leaf leaf;
    if (!place->local || place->element || !scalar_type(place->type, dtype) || *dtype == D_I1 ||
        bytes_of(place->type) != dtype_bytes(*dtype) || !leaf_of(w, place->variable, place->byte, &leaf))
        return false;
    return leaf.byte != place->byte || leaf.dtype != *dtype;
}

static bool refuse_parts(Walk *w, const Place *place, Dtype dtype, CXCursor e)
{
    if (are_leaves(w, place->variable, place->byte, dtype_bytes(dtype)))
        return false;
    const char *name = w->variables[place->variable].name;
    refuse(w, e, "read and write members of their own types", "bytes of '%s' that are no numbers are read in a grid",
           name ? name : "here");
    return true;
}

bool bits_read(Walk *w, const Place *place, CXCursor e, Result *result)
{
    Dtype dtype;
    if (!is_other(w, place, &dtype))
        return false;
    *result = refuse_parts(w, place, dtype, e) ? result_of(anything(w, place->type))
                                               : result_of(read_number(w, place->variable, place->byte, dtype));
    return true;
}

bool bits_write(Walk *w, const Place *place, Result result, CXCursor e)
{
    Dtype dtype;
    if (result.kind != R_VALUE || result.value->type.kind != K_SCALAR || !is_other(w, place, &dtype))
        return false;
    if (!refuse_parts(w, place, dtype, e))
        write_number(w, place->variable, place->byte, convert(w, result.value, dtype));
    return true;
}

/* ---- memcpy ------------------------------------------------------------------------------------------------------ */

/* memcpy (to, from, bytes): as numbers of an unsigned type where so many bytes are one, else leaf by leaf.  */
bool bits_copy(Walk *w, CXCursor call, const Cursors *args)
{
    int64_t bytes;
    Leaf leaf;
    if (args->count != 3 || !constant_int(w, args->list[2], &bytes) || bytes < 0 || bytes > 4096 ||
        !w->kernel->grid.plain)
        return false;
    Result to = eval(w, args->list[0]), from = eval(w, args->list[1]);
    if ((to.kind != R_PLACE && to.kind != R_POINTER) || (from.kind != R_PLACE && from.kind != R_POINTER) ||
        (to.kind == R_POINTER && from.kind == R_POINTER) ||
        (to.kind == R_PLACE && !are_leaves(w, to.variable, to.byte, bytes)) ||
        (from.kind == R_PLACE && !are_leaves(w, from.variable, from.byte, bytes)))
        return false;
    Result own = to.kind == R_PLACE ? to : from;
    for (int64_t at = 0; at < bytes && !w->failed;) {
        leaf_of(w, own.variable, own.byte + at, &leaf);
        Dtype dtype = leaf.dtype;
        if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
            dtype = unsigned_of(bytes);
        else if (leaf.byte != own.byte + at || at + leaf.size > bytes)
            return false;
        Place place = {.variable = -1, .base = to.kind == R_POINTER ? to : from, .type = clang_getCursorType(call)};
        if (at)
            place.base.offset = place.base.offset
                                    ? binary(w, OP_SCALAR_ADD, D_I64, place.base.offset, literal_int(w, D_I64, at))
                                    : literal_int(w, D_I64, at);
        Value *value = from.kind == R_PLACE ? read_number(w, from.variable, from.byte + at, dtype)
                                            : element_as(w, &place, dtype, call);
        if (to.kind == R_PLACE)
            write_number(w, to.variable, to.byte + at, value);
        else
            element_write(w, &place, result_of(value), call);
        at += dtype_bytes(dtype);
    }
    return true;
}
