/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-places.c - lvalues: variables, memory, bit-fields.
 *
 *   p->next[i].x          load p, add the member's offset, load, add i times the element's size, add the offset of x
 *
 * A bit-field is read and written in the aligned unit of its declared type that holds it, or of the smallest wider one.
 */
#include "transcribe.h"

Operand address_plus(Transcriber *t, Operand address, int64_t bytes)
{
    return bytes ? source_binary(&t->builder, SO_ADD, ST_P, address, source_integer(bytes)) : address;
}

/* The bytes of `index` elements.  */
Operand scaled(Transcriber *t, CXCursor index, CXType element, CXCursor root)
{
    const SourceType type = type_of(t, index);
    Operand x = scalar_of(t, index);
    if (type != ST_U64)
        x = source_convert(&t->builder, type, ST_I64, x);
    Operand bytes = bytes_operand(t, element, root);
    if (bytes.kind == OPERAND_INTEGER && bytes.integer == 1)
        return x;
    return source_binary(&t->builder, SO_MUL, ST_U64, x, bytes);
}

Operand temporary_object(Transcriber *t, CXType type)
{
    const long long bytes = clang_Type_getSizeOf(type), alignment = clang_Type_getAlignOf(type);
    SourceObject *object = source_object(t->function, bytes > 0 ? (long)bytes : 0, alignment > 0 ? (int)alignment : 1,
                                         (Declaration){.name = NULL});
    return source_address(&t->builder, object);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static Spot spot_of_name(Transcriber *t, CXCursor e, Spot spot)
{
    CXCursor decl = clang_getCursorReferenced(e);
    if (decl.kind == CXCursor_FunctionDecl) {
        spot.address = source_symbol(&t->builder, SO_FUNCTION, text_of(t->u, clang_getCursorSpelling(decl)));
        return spot;
    }
    if (!is_variable(decl)) {
        FAIL(t, e, "the name '%s'", text_of(t->u, clang_getCursorSpelling(e)));
        return spot;
    }
    if (is_static_storage(decl)) {
        spot.address = source_symbol(&t->builder, SO_GLOBAL, global_name(t, decl));
        return spot;
    }
    Local *local = local_of(t, decl);
    spot.is_pointer = decl.kind == CXCursor_ParmDecl && is_array(spot.type);
    if (!local)
        FAIL(t, e, "the variable '%s' is used in front of its declaration", text_of(t->u, clang_getCursorSpelling(e)));
    else if (local->object)
        spot.address = source_address(&t->builder, local->object);
    else if (local->is_allocated)
        spot.address = source_of(local->variable);
    else
        spot.variable = local->variable;
    return spot;
}

static Spot spot_of_member(Transcriber *t, CXCursor e, Spot spot)
{
    CXCursor base = first_child(t, e), field = clang_getCursorReferenced(e);
    if (clang_Cursor_isNull(base)) {
        FAIL(t, e, "a member without an object");
        return spot;
    }
    CXType record = clang_getCursorType(base);
    if (is_record(record)) {
        spot.address = value_of_expression(t, base).x; /* a record's value is its address */
    } else {
        spot.address = scalar_of(t, base);
        record = element_of(record);
    }
    int64_t bits = 0;
    if (!field_bits(record, field, &bits))
        FAIL(t, e, "the member '%s'", text_of(t->u, clang_getCursorSpelling(field)));
    at_cursor(t, e);
    if (clang_Cursor_isBitField(field)) {
        spot.bit = (int)(bits % 64);
        spot.width = clang_getFieldDeclBitWidth(field);
        spot.address = address_plus(t, spot.address, bits / 64 * 8);
    } else {
        spot.address = address_plus(t, spot.address, bits / 8);
    }
    return spot;
}

static Spot spot_of_subscript(Transcriber *t, CXCursor e, Spot spot)
{
    Cursors below = children(t->u, e);
    const int base = is_pointer(clang_getCursorType(below.list[0])) ? 0 : 1;
    Operand address, bytes;
    if (base == 0) {
        address = scalar_of(t, below.list[0]);
        bytes = scaled(t, below.list[1], element_of(clang_getCursorType(below.list[0])), below.list[0]);
    } else {
        bytes = scaled(t, below.list[0], element_of(clang_getCursorType(below.list[1])), below.list[1]);
        address = scalar_of(t, below.list[1]);
    }
    at_cursor(t, e);
    spot.address = source_binary(&t->builder, SO_ADD, ST_P, address, bytes);
    return spot;
}

static Spot spot_of_unary(Transcriber *t, CXCursor e, Spot spot)
{
    CXCursor below = first_child(t, e);
    switch (clang_getCursorUnaryOperatorKind(e)) {
    case CXUnaryOperator_Deref:
        spot.address = scalar_of(t, below);
        return spot;
    case CXUnaryOperator_Extension:
        return spot_of(t, below);
    case CXUnaryOperator_Real:
    case CXUnaryOperator_Imag: {
        Spot whole = spot_of(t, below);
        if (!is_complex(whole.type))
            return whole;
        const bool imaginary = clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Imag;
        spot.address = address_plus(t, whole.address, imaginary ? clang_Type_getSizeOf(part_type(whole.type)) : 0);
        spot.is_volatile |= whole.is_volatile;
        return spot;
    }
    default:
        FAIL(t, e, "an operator's result is assigned to");
        return spot;
    }
}

Spot spot_of(Transcriber *t, CXCursor e)
{
    Spot spot = {.type = clang_getCursorType(e)};
    spot.address = source_integer(0);
    spot.is_volatile = clang_isVolatileQualifiedType(canonical(spot.type));
    switch (e.kind) {
    case CXCursor_ParenExpr:
    case CXCursor_GenericSelectionExpr:
    case CXCursor_UnexposedExpr: {
        Cursors below = children(t->u, e);
        if (e.kind != CXCursor_GenericSelectionExpr && below.count == 1 && below.list[0].kind != CXCursor_CallExpr) {
            Spot inner = spot_of(t, below.list[0]);
            if (!is_array(spot.type) || is_array(inner.type))
                inner.type = spot.type;
            return inner;
        }
        break;
    }
    case CXCursor_DeclRefExpr:
        return spot_of_name(t, e, spot);
    case CXCursor_ArraySubscriptExpr:
        return spot_of_subscript(t, e, spot);
    case CXCursor_MemberRefExpr:
        return spot_of_member(t, e, spot);
    case CXCursor_UnaryOperator:
        return spot_of_unary(t, e, spot);
    case CXCursor_StringLiteral: {
        long bytes;
        const char *string = string_bytes(t, e, &bytes);
        if (!string)
            FAIL(t, e, "a string of wide characters");
        else
            spot.address = source_string(&t->builder, string, bytes);
        return spot;
    }
    case CXCursor_CompoundLiteralExpr: {
        Cursors below = children(t->u, e);
        at_cursor(t, e);
        spot.address = temporary_object(t, spot.type);
        initialize_memory(t, spot.address, spot.type, below.list[below.count - 1]);
        return spot;
    }
    default:
        break;
    }
    if (is_record(spot.type)) {
        spot.address = value_of_expression(t, e).x;
        return spot;
    }
    FAIL(t, e, "no place in memory: %s", text_of(t->u, clang_getCursorKindSpelling(e.kind)));
    return spot;
}

/* ---- bit-fields -------------------------------------------------------------------------------------------------- */

/* The unsigned type of the unit, and the field's bit in it; *address is the unit's.  */
static SourceType unit_of(Transcriber *t, const Spot *spot, CXCursor e, Operand *address, int *bit)
{
    static const SourceType units[] = {ST_U8, ST_U16, ST_U32, ST_U64};
    const int least = (int)clang_Type_getSizeOf(canonical(spot->type));
    for (int i = 0; i < 4; i++) {
        const int bits = 8 << i;
        if (bits / 8 >= least && spot->bit % bits + spot->width <= bits) {
            *address = address_plus(t, spot->address, spot->bit / bits * (bits / 8));
            *bit = spot->bit % bits;
            return units[i];
        }
    }
    FAIL(t, e, "a bit-field that lies in two units");
    *address = spot->address;
    *bit = 0;
    return ST_U64;
}

static Operand shifted(Transcriber *t, SourceOpcode code, SourceType type, Operand x, int by)
{
    return by ? source_binary(&t->builder, code, type, x, source_integer(by)) : x;
}

static SourceType signed_of(SourceType type)
{
    return (SourceType)(type - 1); /* region.def has i8, u8, i16, ... */
}

static Operand read_bits(Transcriber *t, const Spot *spot, CXCursor e)
{
    Operand address;
    int bit;
    const SourceType unit = unit_of(t, spot, e, &address, &bit), type = source_type(t, spot->type, e);
    const int bits = 8 * source_type_bytes(unit);
    Operand x = source_load(&t->builder, unit, address, spot->is_volatile);
    x = shifted(t, SO_SHL, unit, x, bits - bit - spot->width);
    const SourceType shift = source_type_is_signed(type) ? signed_of(unit) : unit;
    x = shifted(t, SO_SHR, shift, x, bits - spot->width);
    return source_convert(&t->builder, shift, type, x);
}

static void write_bits(Transcriber *t, const Spot *spot, Operand value, CXCursor e)
{
    Operand address;
    int bit;
    const SourceType unit = unit_of(t, spot, e, &address, &bit), type = source_type(t, spot->type, e);
    const uint64_t ones = ~(uint64_t)0 >> (64 - spot->width);
    const uint64_t all = ~(uint64_t)0 >> (64 - 8 * source_type_bytes(unit));
    Operand old = source_load(&t->builder, unit, address, spot->is_volatile);
    old = source_binary(&t->builder, SO_AND, unit, old, source_integer((int64_t)(all & ~(ones << bit))));
    Operand x = source_convert(&t->builder, type, unit, value);
    x = source_binary(&t->builder, SO_AND, unit, x, source_integer((int64_t)ones));
    x = source_binary(&t->builder, SO_OR, unit, old, shifted(t, SO_SHL, unit, x, bit));
    source_store(&t->builder, unit, address, x, spot->is_volatile);
}

/* ---- reading and writing ----------------------------------------------------------------------------------------- */

static void spell(Transcriber *t, CXCursor e)
{
    const CXCursor target = assigned_by(t->u, e), place = clang_Cursor_isNull(target) ? e : target;
    const unsigned begin = begin_of(place), end = end_of(place);
    if (in_text(t->u, place) && begin < end && end <= t->u->size)
        source_spell(&t->builder, t->u->text + begin, end - begin);
}

Parts spot_read(Transcriber *t, const Spot *spot, CXCursor e)
{
    if (spot->variable)
        return parts(source_of(spot->variable));
    if (is_complex(spot->type))
        return complex_load(t, spot->address, spot->type, spot->is_volatile);
    if ((is_array(spot->type) && !spot->is_pointer) || is_record(spot->type) || is_function_type(spot->type) ||
        canonical(spot->type).kind == CXType_Void)
        return parts(spot->address);
    at_cursor(t, e);
    if (spot->width)
        return parts(read_bits(t, spot, e));
    const Operand x = source_load(&t->builder, source_type(t, spot->type, e), spot->address, spot->is_volatile);
    spell(t, e);
    return parts(x);
}

void spot_write(Transcriber *t, const Spot *spot, Parts value, CXCursor e)
{
    at_cursor(t, e);
    if (spot->variable)
        source_copy(&t->builder, spot->variable, value.x);
    else if (is_complex(spot->type))
        complex_store(t, spot->address, spot->type, value, spot->is_volatile);
    else if (is_record(spot->type))
        source_move(&t->builder, spot->address, value.x, (long)clang_Type_getSizeOf(canonical(spot->type)));
    else if (spot->width)
        write_bits(t, spot, value.x, e);
    else {
        source_store(&t->builder, source_type(t, spot->type, e), spot->address, value.x, spot->is_volatile);
        spell(t, e);
    }
}
