/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * assign.c - an assignment; what an object in memory holds.
 *
 *   struct config c = {.bm = 128};        slot (c, byte 0) = 128
 *   step (a, b, &acc);  *p = ...          slot (acc, byte 0)
 *   C[i * N + j] = x;                     set_element %C, ..., %x         in grids of plain loops
 */
#include <string.h>

#include "frontend.h"

/* ---- places ------------------------------------------------------------------------------------------------------ */

static bool place_of_pointer(Walk *w, Result pointer, CXType type, Place *place)
{
    place->type = type;
    if (pointer.kind == R_PLACE) {
        place->local = true;
        place->variable = pointer.variable;
        place->byte = pointer.byte;
        return true;
    }
    place->base = pointer;
    (void)w;
    return pointer.kind == R_POINTER;
}

static bool place_of_name(Walk *w, CXCursor e, Place *place)
{
    CXCursor decl = clang_getCanonicalCursor(clang_getCursorReferenced(e));
    if (!is_variable(decl))
        return false;
    outside_object(w, decl);
    if (clang_isVolatileQualifiedType(clang_getCursorType(decl)))
        refuse(w, e, "read it before the grid", "a volatile object is read in a grid");
    place->variable = variable_find(w, decl);
    place->local = place->variable >= 0;
    place->type = clang_getCursorType(e);
    if (place->local)
        return true;
    Dtype dtype;
    if (clang_getCursorLinkage(decl) != CXLinkage_NoLinkage && total_is_named(w, name_of(w->u, decl)) &&
        scalar_type(place->type, &dtype)) { /* of the file */
        const char *address = arena_print(w->u->module, "(&%s)", name_of(w->u, decl));
        place->base = (Result){.kind = R_POINTER, .text = address, .name = name_of(w->u, decl), .type = place->type};
        place->base.offset = literal_int(w, D_I64, 0);
        return true;
    }
    place->direct = true;
    place->base = outside_read(w, decl);
    return true;
}

/* A member of what stands before the region.  */
static bool outer_member(Walk *w, Result base, CXCursor field, CXType type, Place *place)
{
    const char *name = text_of(w->u, clang_getCursorSpelling(field));
    place->type = type;
    place->direct = true;
    place->base = (Result){.kind = R_POINTER, .type = type, .name = name};
    place->base.text = arena_print(w->u->module, "%s->%s", base.text, name);
    if (base.offset || (!w->outside && w->kernel->grid.plain && base.name && strchr(base.text, '[')))
        return false;
    if (clang_getCanonicalType(type).kind == CXType_Record)
        place->base.text = arena_print(w->u->module, "(&%s)", place->base.text);
    if (is_aggregate(type) || is_pointer(type))
        return true;
    Dtype dtype;
    if (total_is_named(w, base.name) && scalar_type(type, &dtype)) {
        const char *address = arena_print(w->u->module, "(&%s)", place->base.text);
        place->base = (Result){.kind = R_POINTER, .text = address, .name = base.name, .type = type};
        place->base.offset = literal_int(w, D_I64, 0);
        place->direct = false;
        return true;
    }
    if (is_complex(type)) {
        place->base = complex_before(w, place->base.text, name, type);
        return place->base.kind == R_PAIR;
    }
    if (!scalar_type(type, &dtype))
        return false;
    const char *ctype = text_of(w->u, clang_getTypeSpelling(clang_getCanonicalType(type)));
    place->base =
        result_of(live_in(w, place->base.text, ctype, type_scalar(dtype), name, parameter_rank(w, place->base.text)));
    return true;
}

static bool is_union(CXType type)
{
    return clang_getTypeDeclaration(clang_getCanonicalType(type)).kind == CXCursor_UnionDecl;
}

static bool place_of_member(Walk *w, CXCursor e, Place *place)
{
    Cursors below = children(w->u, e);
    CXCursor field = clang_getCursorReferenced(e);
    int64_t byte = below.count ? offset_of_member(clang_getCursorType(below.list[0]), field) : 0;
    CXType type = clang_getCursorType(e);
    Place whole = {0};
    if (below.count && clang_Cursor_isBitField(field))
        refuse(w, e, "let the array have whole words, and take bits of them: p[i] >> 5 & 63",
               "a bit field of an array is read or written in a grid");
    if (!below.count || clang_Cursor_isBitField(field))
        return false;
    if (is_pointer(clang_getCursorType(below.list[0]))) {
        if (!place_of_pointer(w, eval(w, below.list[0]), type, &whole))
            return false;
    } else if (!place_at(w, below.list[0], &whole)) {
        return false;
    }
    if (!whole.local && !whole.direct && whole.base.kind == R_POINTER && whole.base.offset && w->kernel->grid.plain) {
        *place = whole; /* of a struct in an array */
        if (byte && is_mixed(below.list[0]) && !is_union(whole.type))
            place->base.member += byte;
        else if (byte)
            place->base.offset = binary(w, OP_SCALAR_ADD, D_I64, whole.base.offset, literal_int(w, D_I64, byte));
        place->base.type = place->type = type;
        return true;
    }
    if (!whole.local)
        return whole.base.kind == R_POINTER && outer_member(w, whole.base, field, type, place);
    Result object = slot_read(w, slot_of(w, whole.variable, whole.byte, false));
    if (object.kind == R_POINTER && clang_getCanonicalType(whole.type).kind == CXType_Record &&
        slot_read(w, slot_of(w, whole.variable, whole.byte + byte, false)).kind != R_VALUE)
        return outer_member(w, object, field, type, place); /* a copy of what stands before the region */
    *place = whole;
    place->byte += byte;
    place->type = type;
    return true;
}

/* Which pointer of an array: p + 1 as GCC adds it, behind what makes a size of p.  */
Value *chosen_index(Walk *w, CXCursor e, Value *number)
{
    int64_t constant;
    e = peel(w->u, e);
    enum CXBinaryOperatorKind kind =
        e.kind == CXCursor_BinaryOperator ? clang_getCursorBinaryOperatorKind(e) : CXBinaryOperator_Invalid;
    Cursors sides = children(w->u, e);
    if ((kind != CXBinaryOperator_Add && kind != CXBinaryOperator_Sub) || !constant_int(w, sides.list[1], &constant))
        return convert(w, number, D_U64);
    Value *first = convert(w, value_of(w, sides.list[0]), D_U64);
    Value *args[] = {first, literal_int(w, D_U64, kind == CXBinaryOperator_Sub ? -constant : constant)};
    return op_of(w, OP_SCALAR_ADD, type_scalar(D_U64), 2, args);
}

/* An element of an array of the walk's own, which a variable chooses.  */
static bool refuse_chosen(Walk *w, CXCursor e, Result base)
{
    const char *name = w->variables[base.variable].name;
    if (w->kernel->grid.plain && clang_getCursorKind(w->variables[base.variable].decl) == CXCursor_VarDecl &&
        begin_of(w->variables[base.variable].decl) >= begin_of(w->region)) {
        refuse(w, e, "use a variable for each element, or an array outside: t[i * 4 + k]",
               "'%s' is an array that each iteration has, and which element this is is known at run time only",
               name ? name : "this");
        return false;
    }
    refuse(w, e, "choose with '?:', hand the array in and read it with ws_at, or compile it with --ws-frontend=gcc",
           "the clang front end does not know which element of the array '%s' this is", name ? name : "here");
    return false;
}

/* A table that the grid leaves alone is an array like others, where plain loops choose.  */
static bool as_array(const Walk *w, Result *base)
{
    const Object *table = &w->variables[base->variable];
    CXCursor decl = table->decl;
    if (!w->kernel->grid.plain || w->outside || clang_Cursor_isNull(decl) || decl.kind != CXCursor_VarDecl ||
        !table->name || begin_of(decl) >= begin_of(w->region) || count_assignments(w->u, w->region, decl) ||
        (clang_getCursorLinkage(decl) == CXLinkage_NoLinkage && begin_of(decl) < begin_of(w->function)))
        return false;
    Result array = {.kind = R_POINTER, .type = base->type, .name = table->name, .decl = decl};
    array.text = arena_print(w->u->module, "(&%s)", table->name);
    array.byte = base->byte;
    *base = array;
    return true;
}

static bool place_of_element(Walk *w, CXCursor e, Place *place)
{
    Cursors below = children(w->u, e);
    CXType type = clang_getCursorType(e);
    int64_t index;
    Result base = eval(w, below.list[0]);
    if (base.kind == R_PLACE) {
        bool known = constant_int(w, below.list[1], &index);
        if (array_element(w, &base, type, known)) {
            *place = (Place){.local = true, .variable = base.variable, .type = type};
            place->element = value_of(w, below.list[1]);
            return true;
        }
        if (!known && !as_array(w, &base))
            return refuse_chosen(w, e, base);
        if (known) {
            base.byte += index * bytes_of(type);
            return place_of_pointer(w, base, type, place);
        }
        base.offset = base.byte ? literal_int(w, D_I64, base.byte) : NULL;
    }
    if (base.kind != R_POINTER)
        return false;
    Value *number = value_of(w, below.list[1]);
    if (clang_getCanonicalType(type).kind == CXType_Pointer && !base.offset && !base.chosen) {
        const char *text = value_text(w, number);
        place->type = type;
        place->direct = true;
        place->base = (Result){.kind = R_POINTER, .type = type, .text = base.text};
        if (text)
            place->base.text = arena_print(w->u->module, "%s[%s]", base.text, text);
        else if (rows_known(w, base))
            place->base = row_of(w, base, number, type);
        else
            place->base.chosen = chosen_index(w, below.list[1], number);
        place->base.name = text ? NULL : base.name;
        return true;
    }
    int64_t known;
    if (!(ir_constant(number, &known) && !known)) {
        Value *bytes = convert(w, bytes_of_elements(w, below.list[0], number, type), D_I64);
        base.offset = base.offset ? binary(w, OP_SCALAR_ADD, D_I64, base.offset, bytes) : bytes;
    }
    base.type = type;
    return place_of_pointer(w, base, type, place);
}

bool place_at(Walk *w, CXCursor e, Place *place)
{
    *place = (Place){.variable = -1};
    e = peel(w->u, e);
    Cursors below = children(w->u, e);
    switch (e.kind) {
    case CXCursor_DeclRefExpr:
        return place_of_name(w, e, place);
    case CXCursor_MemberRefExpr:
        return place_of_member(w, e, place);
    case CXCursor_ArraySubscriptExpr:
        return place_of_element(w, e, place);
    case CXCursor_UnaryOperator:
        if (clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Real ||
            clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Imag) {
            Place whole;
            if (!is_complex(clang_getCursorType(below.list[0])) || !place_at(w, below.list[0], &whole))
                return false;
            *place = part_of(w, &whole, clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Imag);
            return true;
        }
        return clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Deref &&
               place_of_pointer(w, eval(w, below.list[0]), clang_getCursorType(e), place);
    default:
        return false;
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static Result uninitialized(Walk *w, const Place *place, CXCursor e)
{
    Dtype dtype;
    const char *name = w->variables[place->variable].name;
    if (scalar_type(place->type, &dtype))
        return result_of(literal(w, dtype, 0, 0));
    if (is_tile_type(place->type)) {
        if (!w->failed)
            complain(w->u, loc_of(w->u, w->variables[place->variable].decl),
                     "give it a value on every path, for instance with ws_zeros",
                     "the tile '%s' is used where it may have no value", name ? name : "here");
        return result_of(anything(w, place->type));
    }
    if (is_tensor_type(place->type)) {
        refuse(w, e, "choose the base pointer or an extent instead, and make one tensor from it",
               "the tensor '%s' is chosen by a branch or changes in a loop", name ? name : "here");
        return result_of(anything(w, place->type));
    }
    refuse(
        w, e,
        "write p[i] for the elements that the pointer passes; of an array of pointers to rows say how many there are, "
        "extent(p: n), or name each: p[0][i]",
        "which array this pointer goes to is known at run time only");
    return (Result){.kind = R_NONE};
}

Value *base_of(Walk *w, Result pointer)
{
    if (pointer.member) {
        Result whole = pointer;
        whole.member = 0;
        Value *array = base_of(w, whole);
        const char *text =
            arena_print(w->u->module, "((const char *)(%s) + %lld)", pointer.text, (long long)pointer.member);
        Value *part = live_in(w, text, "const void *", type_pointer(D_F32), pointer.name, parameter_rank(w, text));
        part->part_of = array;
        part->part_at = pointer.member;
        part->declared = array->declared > pointer.member ? array->declared - pointer.member : 0;
        return part;
    }
    Value *base =
        live_in(w, pointer.text, "const void *", type_pointer(D_F32), pointer.name, parameter_rank(w, pointer.text));
    int64_t bytes = pointer.decl.kind == CXCursor_VarDecl ? bytes_of(clang_getCursorType(pointer.decl)) : 0;
    if (bytes > 0)
        base->declared = bytes;
    return base;
}

/* One of an array of pointers, which the grid chooses, is no base of plain loops.  */
static bool refuse_chosen_base(Walk *w, const Place *place, CXCursor e)
{
    if (!place->base.chosen || w->failed)
        return place->base.chosen != NULL;
    refuse(
        w, e,
        "write p[i] for the elements that the pointer passes; of an array of pointers to rows say how many there are, "
        "extent(p: n), or name each: p[0][i]",
        "which array this pointer goes to is known at run time only");
    return true;
}

/* Tiles hold real numbers.  */
bool refuse_complex(Walk *w, CXCursor e, CXType type)
{
    if (clang_getCanonicalType(type).kind != CXType_Complex)
        return false;
    refuse(w, e, "let the array be one of a struct of its two parts, or two arrays, and compute with these",
           "a complex number in a grid");
    return true;
}

typedef struct {
    const Walk *w;
    Dtype dtype;
} Written;

/* An assignment or a call that may write numbers of the type, as C tells by types.  */
static bool leaves_type(const Unit *u, CXCursor c, void *context)
{
    const Written *written = context;
    CXCursor target = assigned_by(u, c), decl = clang_Cursor_isNull(target) ? target : decl_of(u, target);
    Dtype dtype;
    if (c.kind == CXCursor_CallExpr)
        return !strncmp(callee_name(u, c, NULL), "ws_", 3) || op_of_function(callee_name(u, c, NULL)) != OP_COUNT;
    if (clang_Cursor_isNull(target) ||
        (!clang_Cursor_isNull(decl) && clang_getCursorLinkage(decl) == CXLinkage_NoLinkage))
        return true;
    return scalar_type(clang_getCursorType(target), &dtype) && dtype_bytes(dtype) > 1 &&
           (dtype_bytes(dtype) != dtype_bytes(written->dtype) ||
            dtype_is_float(dtype) != dtype_is_float(written->dtype));
}

/* An element at a constant place, which the region leaves alone: read before it; else NULL.  */
static Value *element_before(Walk *w, const Place *place, Dtype dtype)
{
    int64_t bytes = 0;
    Written written = {w, dtype};
    if (place->base.chosen || place->base.member || (place->base.offset && !ir_constant(place->base.offset, &bytes)) ||
        !each_below(w->u, w->region, leaves_type, &written))
        return NULL;
    const char *type = text_of(w->u, clang_getTypeSpelling(clang_getCanonicalType(place->type)));
    const char *text = arena_print(w->u->module, "(*(const %s *)((const char *)(%s) + %lld))", type, place->base.text,
                                   (long long)bytes);
    return live_in(w, text, type, type_scalar(dtype), NULL, parameter_rank(w, ""));
}

/* Memory behind a pointer: an element of an array, in grids of plain loops.  */
static Result element_read(Walk *w, const Place *place, CXCursor e)
{
    Dtype dtype;
    if (refuse_complex(w, e, place->type))
        return result_of(anything(w, place->type));
    if (!w->kernel->grid.plain || !scalar_type(place->type, &dtype)) {
        refuse(w, e, "read one number with ws_at or ws_at_float, a tile with ws_load; or read it before the grid",
               "memory is read through a pointer in a grid");
        return result_of(anything(w, place->type));
    }
    Value *before = w->in_bound ? element_before(w, place, dtype) : NULL;
    return result_of(before ? before : element_as(w, place, dtype, e));
}

Value *element_as(Walk *w, const Place *place, Dtype dtype, CXCursor e)
{
    if (refuse_chosen_base(w, place, e))
        return anything(w, place->type);
    Value *args[] = {base_of(w, place->base), place->base.offset ? place->base.offset : literal_int(w, D_I64, 0)};
    Op *op = op_new(w->kernel, OP_ELEMENT, loc_of(w->u, e), 2, args);
    spell_element(w->u, op, e);
    op_append(w->block, op);
    if (dtype != D_I1)
        return op_result(w->kernel, op, type_scalar(dtype), NULL);
    return convert(w, op_result(w->kernel, op, type_scalar(D_U8), NULL), D_I1);
}

Result place_read(Walk *w, const Place *place, CXCursor e)
{
    if (place->element)
        return result_of(array_read(w, place, e));
    if (is_complex(place->type) && (place->local || (!place->direct && w->kernel->grid.plain))) {
        Place real = part_of(w, place, false), imaginary = part_of(w, place, true);
        Value *value = place_read(w, &real, e).value;
        return pair_of(value, place_read(w, &imaginary, e).value);
    }
    Result bits;
    if (bits_read(w, place, e, &bits))
        return bits;
    if (place->local) {
        if (is_aggregate(place->type))
            return (Result){.kind = R_PLACE, .variable = place->variable, .byte = place->byte, .type = place->type};
        Result result = slot_read(w, slot_of(w, place->variable, place->byte, false));
        if (result.kind == R_LATER)
            return outside_read(w, result.decl);
        return result.kind == R_NONE ? uninitialized(w, place, e) : result;
    }
    if (place->direct)
        return place->base;
    if (is_aggregate(place->type) || is_pointer(place->type)) {
        Result pointer = place->base;
        pointer.type = place->type;
        return pointer;
    }
    return element_read(w, place, e);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void copy_object(Walk *w, const Place *place, Result from)
{
    int64_t size = bytes_of(place->type);
    int count = w->nslots;
    for (int i = 0; i < count; i++) {
        const Slot slot = w->slots[i];
        if (slot.variable == from.variable && slot.byte >= from.byte && slot.byte < from.byte + size)
            slot_write(w, slot_of(w, place->variable, place->byte + slot.byte - from.byte, true), slot_read(w, i));
    }
}

/* a = x[k]; y[k] = a: of structs, in plain loops.  */
static bool refuse_struct(Walk *w, const Place *place, CXCursor e)
{
    if (!w->kernel->grid.plain || clang_getCanonicalType(place->type).kind != CXType_Record)
        return false;
    refuse(w, e, "copy its members one by one: a.re = x[i].re",
           "a whole struct is copied from or to an array in a grid");
    return true;
}

/* The name of what an expression writes, for a message. */
static const char *written_name(const Walk *w, const Place *place, CXCursor e)
{
    CXCursor target = assigned_by(w->u, e);
    CXCursor decl = decl_of(w->u, clang_Cursor_isNull(target) ? e : target);
    return place->base.name ? place->base.name : clang_Cursor_isNull(decl) ? "" : name_of(w->u, decl);
}

void element_write(Walk *w, const Place *place, Result result, CXCursor e)
{
    if (w->failed || refuse_complex(w, e, place->type))
        return;
    if (refuse_struct(w, place, e))
        return;
    if (!w->kernel->grid.plain || place->direct || result.kind != R_VALUE || place->base.kind != R_POINTER) {
        refuse(w, e, place->direct ? "results leave a grid through ws_store alone" : "write memory with ws_store",
               place->direct ? "the variable '%s' outside the function changes in the grid"
                             : "memory is written through a pointer in a grid%.0s",
               written_name(w, place, e));
        return;
    }
    if (refuse_chosen_base(w, place, e))
        return;
    Value *args[] = {base_of(w, place->base), place->base.offset ? place->base.offset : literal_int(w, D_I64, 0),
                     result.value->type.dtype == D_I1 ? convert(w, result.value, D_U8) : result.value};
    Op *op = op_new(w->kernel, OP_SET_ELEMENT, loc_of(w->u, e), 3, args);
    spell_element(w->u, op, e);
    op->store->label = place->base.label ? place->base.label : place->base.name ? place->base.name : "";
    op_append(w->block, op);
    total_element(w, place->base, place->type, args[1], op->store->label);
}

void place_write(Walk *w, const Place *place, Result result, CXCursor e)
{
    if (result.kind == R_PAIR && is_complex(place->type) && !place->direct) {
        Place real = part_of(w, place, false), imaginary = part_of(w, place, true);
        place_write(w, &real, result_of(result.value), e);
        place_write(w, &imaginary, result_of(result.imaginary), e);
        return;
    }
    if (!place->local) {
        element_write(w, place, result, e);
        return;
    }
    if (bits_write(w, place, result, e))
        return;
    if (place->element && result.kind == R_VALUE) {
        array_write(w, place, result.value, e);
        return;
    }
    if (result.kind == R_POINTER && result.offset && refuse_struct(w, place, e))
        return;
    if (result.kind == R_PLACE && is_aggregate(place->type)) {
        copy_object(w, place, result);
        return;
    }
    const Object *variable = &w->variables[place->variable];
    if (result.kind == R_VALUE && !variable->parameter && !is_aggregate(variable->type))
        name_value(w, result.value, variable->name);
    if (result.kind == R_VALUE && result.value->def && is_tile_type(place->type) && variable->name)
        rings_note(w, variable, result.value->def);
    if (result.kind == R_POINTER && !variable->parameter && !is_aggregate(variable->type) && variable->name)
        result.label = variable->name;
    slot_write(w, slot_of(w, place->variable, place->byte, true), result);
}

/* ---- initializers ------------------------------------------------------------------------------------------------ */

typedef struct {
    Unit *u;
    CXCursor *list;
    int count;
} Fields;

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
    Fields *fields = data;
    LIST_ADD(fields->u->module, fields->list, fields->count) = field;
    return CXVisit_Continue;
}

static void zero(Walk *w, int variable, CXType type, int64_t byte)
{
    Dtype dtype;
    CXType canonical = clang_getCanonicalType(type);
    if (scalar_type(canonical, &dtype)) {
        slot_write(w, slot_of(w, variable, byte, true), result_of(literal(w, dtype, 0, 0)));
    } else if (is_complex(canonical)) {
        zero(w, variable, part_type(canonical), byte);
        zero(w, variable, part_type(canonical), byte + bytes_of(part_type(canonical)));
    } else if (canonical.kind == CXType_Record) {
        Fields fields = {w->u, NULL, 0};
        clang_Type_visitFields(canonical, add_field, &fields);
        for (int i = 0; i < fields.count; i++)
            zero(w, variable, clang_getCursorType(fields.list[i]),
                 byte + clang_Cursor_getOffsetOfField(fields.list[i]) / 8);
    } else if (canonical.kind == CXType_ConstantArray && clang_getArraySize(canonical) <= 64) {
        CXType element = clang_getArrayElementType(canonical);
        for (int64_t i = 0; i < clang_getArraySize(canonical); i++)
            zero(w, variable, element, byte + i * bytes_of(element));
    }
}

/* .a[1].b = x; libclang gives it no type.  */
static bool is_designated(CXCursor value, const Cursors *parts)
{
    return value.kind == CXCursor_UnexposedExpr && parts->count > 1 &&
           clang_getCanonicalType(clang_getCursorType(value)).kind == CXType_Void;
}

/* [1 ... 3] = x, which looks like [1][3] = x.  */
static bool is_range(const Unit *u, CXCursor value, const Cursors *parts)
{
    unsigned end = begin_of(parts->list[parts->count - 1]);
    for (unsigned at = begin_of(value); in_text(u, value) && at + 3 <= end; at++)
        if (!strncmp(u->text + at, "...", 3))
            return true;
    return false;
}

/* require: is_designated ().   ensure: the part has its value, *next is the list's part that it lies in; or false.  */
static bool initialize_designated(Walk *w, int variable, CXType type, int64_t byte, CXCursor value,
                                  const Fields *fields, int *next)
{
    Cursors parts = children(w->u, value);
    CXCursor given = parts.list[parts.count - 1];
    int64_t first, last;
    if (is_range(w->u, value, &parts)) {
        if (parts.count != 3 || type.kind != CXType_ConstantArray || !evaluate_int(parts.list[0], &first) ||
            !evaluate_int(parts.list[1], &last) || last - first > 64 || has_effects(w->u, given))
            return false;
        CXType element = clang_getArrayElementType(type);
        for (int64_t i = first; i <= last; i++)
            initialize(w, variable, element, byte + i * bytes_of(element), given);
        *next = (int)last;
        return true;
    }
    for (int i = 0; i + 1 < parts.count; i++) {
        type = clang_getCanonicalType(type);
        if (parts.list[i].kind == CXCursor_MemberRef && type.kind == CXType_Record) {
            CXCursor field = clang_getCursorReferenced(parts.list[i]);
            int64_t offset = offset_of_member(type, field);
            for (int k = 0; k < fields->count && i == 0; k++)
                if (clang_Cursor_getOffsetOfField(fields->list[k]) / 8 <= offset)
                    *next = k;
            byte += offset;
            type = clang_getCursorType(field);
        } else if (type.kind == CXType_ConstantArray && evaluate_int(parts.list[i], &first)) {
            *next = i == 0 ? (int)first : *next;
            type = clang_getArrayElementType(type);
            byte += first * bytes_of(type);
        } else {
            return false;
        }
    }
    initialize(w, variable, type, byte, given);
    return true;
}

/* {.a = 1, 2}: which part each value is for.  */
static void initialize_list(Walk *w, int variable, CXType type, int64_t byte, CXCursor init)
{
    Cursors below = children(w->u, init);
    CXType canonical = clang_getCanonicalType(type);
    Fields fields = {w->u, NULL, 0};
    int next = 0;
    if (canonical.kind == CXType_Record)
        clang_Type_visitFields(canonical, add_field, &fields);
    zero(w, variable, type, byte);
    for (int i = 0; i < below.count; i++, next++) {
        CXCursor value = below.list[i];
        Cursors parts = children(w->u, value);
        if (is_designated(value, &parts)) {
            if (!initialize_designated(w, variable, canonical, byte, value, &fields, &next)) {
                unsupported(w, value);
                return;
            }
            continue;
        }
        if (canonical.kind == CXType_Record && next < fields.count)
            initialize(w, variable, clang_getCursorType(fields.list[next]),
                       byte + clang_Cursor_getOffsetOfField(fields.list[next]) / 8, value);
        else if (canonical.kind == CXType_ConstantArray)
            initialize(w, variable, clang_getArrayElementType(canonical),
                       byte + next * bytes_of(clang_getArrayElementType(canonical)), value);
    }
}

/* The string that gives an array of char its values, between braces or not; or a null cursor. */
static CXCursor string_for(Walk *w, CXType type, CXCursor init)
{
    Cursors below = children(w->u, init);
    if (clang_getCanonicalType(type).kind != CXType_ConstantArray)
        return clang_getNullCursor();
    if (init.kind == CXCursor_InitListExpr && below.count == 1 &&
        bytes_of(clang_getArrayElementType(clang_getCanonicalType(type))) == 1)
        init = peel(w->u, below.list[0]);
    return init.kind == CXCursor_StringLiteral ? init : clang_getNullCursor();
}

static void initialize_string(Walk *w, int variable, CXType type, int64_t byte, CXCursor string)
{
    CXType element = clang_getArrayElementType(clang_getCanonicalType(type));
    Dtype dtype;
    long count;
    const char *bytes = bytes_of_string(w->u, string, &count);
    if (!bytes || !scalar_type(element, &dtype)) {
        unsupported(w, string);
        return;
    }
    zero(w, variable, type, byte);
    for (long i = 0; i < count && i < clang_getArraySize(clang_getCanonicalType(type)); i++) {
        int64_t value = dtype_is_signed(dtype) ? (int64_t)(signed char)bytes[i] : (int64_t)(unsigned char)bytes[i];
        slot_write(w, slot_of(w, variable, byte + i, true), result_of(literal_int(w, dtype, value)));
    }
}

void initialize(Walk *w, int variable, CXType type, int64_t byte, CXCursor init)
{
    Place place = {.local = true, .variable = variable, .byte = byte, .type = type};
    init = is_aggregate(type) ? peel(w->u, init) : init;
    if (init.kind == CXCursor_CompoundLiteralExpr) {
        Cursors below = children(w->u, init);
        init = peel(w->u, below.list[below.count - 1]);
    }
    CXCursor string = string_for(w, type, init);
    if (!clang_Cursor_isNull(string)) {
        initialize_string(w, variable, type, byte, string);
        return;
    }
    if (init.kind == CXCursor_InitListExpr && is_aggregate(type)) {
        initialize_list(w, variable, type, byte, init);
        return;
    }
    Result result = eval(w, init);
    Dtype dtype;
    if (result.kind == R_VALUE && scalar_type(type, &dtype) && result.value->type.kind == K_SCALAR)
        result.value = convert(w, result.value, dtype);
    place_write(w, &place, result, init);
}

/* ---- assignments ------------------------------------------------------------------------------------------------- */

static Opcode compound_code(CXCursor e)
{
    switch (clang_getCursorBinaryOperatorKind(e)) {
    case CXBinaryOperator_AddAssign:
        return OP_SCALAR_ADD;
    case CXBinaryOperator_SubAssign:
        return OP_SCALAR_SUB;
    case CXBinaryOperator_MulAssign:
        return OP_SCALAR_MUL;
    case CXBinaryOperator_DivAssign:
        return OP_SCALAR_DIV;
    case CXBinaryOperator_RemAssign:
        return OP_SCALAR_REM;
    case CXBinaryOperator_ShlAssign:
        return OP_SCALAR_SHL;
    case CXBinaryOperator_ShrAssign:
        return OP_SCALAR_SHR;
    case CXBinaryOperator_AndAssign:
        return OP_SCALAR_AND;
    case CXBinaryOperator_XorAssign:
        return OP_SCALAR_XOR;
    case CXBinaryOperator_OrAssign:
        return OP_SCALAR_OR;
    default:
        return OP_COUNT;
    }
}

static bool no_call(const Unit *u, CXCursor c, void *context)
{
    (void)u;
    (void)context;
    return c.kind != CXCursor_CallExpr;
}

/* What calls functions GCC computes before it looks at what it is added to.  */
static Value *computed_first(Walk *w, CXCursor e)
{
    if (is_complex(clang_getCursorType(e)) || (no_call(w->u, e, NULL) && each_below(w->u, e, no_call, NULL)))
        return NULL;
    return value_of(w, e);
}

static Result compound(Walk *w, CXCursor e, const Cursors *below, const Place *place, Value *first)
{
    Opcode code = compound_code(e);
    Result old = place_read(w, place, below->list[0]);
    Dtype wide, narrow;
    if (old.kind == R_POINTER) {
        Value *index = first ? first : value_of(w, below->list[1]);
        CXType element = clang_getPointeeType(clang_getCanonicalType(place->type));
        Value *bytes = bytes_of_elements(w, below->list[0], index, element);
        if (code == OP_SCALAR_SUB)
            bytes = unary(w, OP_SCALAR_NEG, bytes);
        bytes = convert(w, bytes, D_I64);
        old.offset = old.offset ? binary(w, OP_SCALAR_ADD, D_I64, old.offset, bytes) : bytes;
        return old;
    }
    CXType type = clang_getCursorType(below->list[1]);
    if ((is_complex(type) || is_complex(place->type)) && code <= OP_SCALAR_DIV)
        return complex_compound(w, e, code, old, place->type, below->list[1]);
    bool shift = code == OP_SCALAR_SHL || code == OP_SCALAR_SHR;
    if (old.kind != R_VALUE || code == OP_COUNT || !scalar_type(place->type, &narrow) ||
        !scalar_type(shift ? place->type : type, &wide)) {
        return unsupported(w, e);
    }
    Value *right = first ? first : value_of(w, below->list[1]);
    if (shift && dtype_bytes(wide) < 4)
        wide = D_I32;
    Value *left = convert(w, old.value, wide);
    w->of_variable = is_literal(right) && !is_written(w->u, below->list[1]);
    Value *value = binary(w, code, wide, left, right);
    w->of_variable = false;
    return result_of(convert(w, value, narrow));
}

Result assign(Walk *w, CXCursor e)
{
    Cursors below = children(w->u, e);
    Place place;
    Result result;
    bool plain = is_assignment(e), simple = !clang_Cursor_isNull(decl_of(w->u, below.list[0]));
    Value *first = plain ? NULL : computed_first(w, below.list[1]);
    if (plain && simple)
        result = eval(w, below.list[1]);
    if (!place_at(w, below.list[0], &place)) {
        refuse(w, e, "write memory with ws_store", "memory is written through a pointer in a grid");
        return (Result){.kind = R_NONE};
    }
    if (!plain)
        result = compound(w, e, &below, &place, first);
    else if (!simple)
        result = eval(w, below.list[1]);
    place_write(w, &place, result, e);
    return result;
}
