/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-initial.c - initializers: which part of an object each value of a list is for (C11 6.7.9).
 *
 *   struct { int a, b[2]; } s[2] = {1, 2, [1].b[0] = 5, 6}      s[0].a, s[0].b[0], s[1].b[0], s[1].b[1]
 *
 * libclang shows a list as it is written. A designated value is an unexposed expression without a type; its children
 * are the designators and the value. A part without a value is 0.
 */
#include <string.h>

#include "transcribe.h"

typedef struct {
    const Unit *u;
    CXCursor *list;
    int count;
} Fields;

/* A list that is read from the front, and the designators of its first value.  */
typedef struct {
    Cursors values;
    int next;
    Cursors designators; /* with the value at the end */
    int level;           /* the designator that is to be followed */
    bool is_range;
} List;

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
{
    Fields *fields = data;
    CXString name = clang_getCursorSpelling(field);
    const bool is_padding = clang_Cursor_isBitField(field) && !*clang_getCString(name);
    clang_disposeString(name);
    if (!is_padding)
        LIST_ADD(fields->u->module, fields->list, fields->count) = field;
    return CXVisit_Continue;
}

static Fields fields_of(Transcriber *t, CXType record)
{
    Fields fields = {t->u, NULL, 0};
    clang_Type_visitFields(canonical(record), add_field, &fields);
    if (clang_getTypeDeclaration(canonical(record)).kind == CXCursor_UnionDecl && fields.count > 1)
        fields.count = fields.count * -1; /* a value without a designator is the first one's */
    return fields;
}

static bool is_parts(CXType type)
{
    return is_array(type) || is_record(type);
}

static CXCursor unwrapped(Transcriber *t, CXCursor e)
{
    while (e.kind == CXCursor_ParenExpr || e.kind == CXCursor_UnexposedExpr) {
        Cursors below = children(t->u, e);
        if (below.count != 1)
            break;
        e = below.list[0];
    }
    return e;
}

/* ---- designators ------------------------------------------------------------------------------------------------- */

static void take_designators(Transcriber *t, List *list)
{
    CXCursor value = list->values.list[list->next];
    Cursors below = children(t->u, value);
    list->designators.count = 0;
    list->level = 0;
    list->is_range = false;
    if (value.kind != CXCursor_UnexposedExpr || below.count < 2 ||
        canonical(clang_getCursorType(value)).kind != CXType_Void)
        return;
    list->designators = below;
    const unsigned end = begin_of(below.list[below.count - 1]);
    for (unsigned at = begin_of(value); in_text(t->u, value) && at + 3 <= end; at++)
        list->is_range |= !strncmp(t->u->text + at, "...", 3);
}

static bool is_designated(const List *list)
{
    return list->level + 1 < list->designators.count;
}

/* The position of the field, or of the record without a name that holds it.  */
static int position_of_field(Transcriber *t, CXType record, CXCursor field, bool *inside)
{
    Fields fields = fields_of(t, record);
    const int count = fields.count < 0 ? -fields.count : fields.count;
    *inside = false;
    for (int i = 0; i < count; i++)
        if (clang_equalCursors(fields.list[i], field))
            return i;
    for (int i = 0; i < count; i++) {
        int64_t bits;
        if (is_record(clang_getCursorType(fields.list[i])) &&
            field_bits(clang_getCursorType(fields.list[i]), field, &bits)) {
            *inside = true;
            return i;
        }
    }
    return -1;
}

/* Follows one designator: the position in the type; *last is the end of a range.  */
static int64_t follow(Initial *initial, CXType type, List *list, int64_t *last)
{
    Transcriber *t = initial->t;
    CXCursor one = list->designators.list[list->level];
    int64_t position = -1;
    if (one.kind == CXCursor_MemberRef && is_record(type)) {
        bool inside;
        CXCursor field = clang_getCursorReferenced(one);
        if (field.kind != CXCursor_FieldDecl) { /* of a record without a name: the next designator is in it */
            list->level++;
            return is_designated(list) ? follow(initial, type, list, last) : -1;
        }
        position = position_of_field(t, type, field, &inside);
        list->level += !inside;
        *last = position;
        return position;
    }
    if (is_array(type) && evaluate_int(one, &position)) {
        list->level++;
        *last = position;
        if (list->is_range && is_designated(list) && evaluate_int(list->designators.list[list->level], last))
            list->level++;
        return position;
    }
    return -1;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static void fill(Initial *initial, CXType type, int64_t bits, List *list, bool braced);

/* The value stands for the whole part.  */
static bool is_whole(Transcriber *t, CXType type, CXCursor value)
{
    if (!is_parts(type) || value.kind == CXCursor_InitListExpr)
        return true;
    CXCursor inner = unwrapped(t, value);
    if (inner.kind == CXCursor_InitListExpr)
        return true;
    if (is_array(type))
        return (inner.kind == CXCursor_StringLiteral && !is_parts(element_of(type)) &&
                canonical(element_of(type)).kind != CXType_Pointer) ||
               inner.kind == CXCursor_CompoundLiteralExpr;
    return clang_equalTypes(clang_getUnqualifiedType(canonical(clang_getCursorType(value))),
                            clang_getUnqualifiedType(canonical(type)));
}

/* The list's next value, or values, for a part.  */
static void fill_part(Initial *initial, CXType type, int64_t bits, int width, List *list)
{
    if (is_designated(list) && is_parts(type)) {
        fill(initial, type, bits, list, false);
        return;
    }
    if (list->designators.count) {
        list->values.list[list->next] = list->designators.list[list->designators.count - 1];
        list->designators.count = 0;
    }
    CXCursor value = list->values.list[list->next];
    if (is_whole(initial->t, type, value)) {
        initial_value(initial, type, bits, width, value);
        list->next++;
    } else {
        fill(initial, type, bits, list, false);
    }
}

static void fill_element(Initial *initial, CXType type, int64_t bits, List *list, int64_t first, int64_t last)
{
    const CXType element = element_of(type);
    const int64_t size = 8 * clang_Type_getSizeOf(canonical(element));
    List before = *list;
    for (int64_t i = first; i <= last; i++) {
        *list = before;
        fill_part(initial, element, bits + i * size, 0, list);
    }
    const long end = (long)((bits + (last + 1) * size) / 8);
    initial->end = end > initial->end ? end : initial->end;
}

static void fill(Initial *initial, CXType type, int64_t bits, List *list, bool braced)
{
    Transcriber *t = initial->t;
    Fields fields = is_record(type) ? fields_of(t, type) : (Fields){t->u, NULL, 0};
    const bool is_union = fields.count < 0;
    fields.count = is_union ? -fields.count : fields.count;
    const int64_t count = is_record(type) ? fields.count : clang_getArraySize(canonical(type));
    const int start = list->next;
    int64_t at = 0, last = 0;
    bool pending = is_designated(list);
    for (bool first = true; list->next < list->values.count && !initial->failed; first = false, at++) {
        if (!pending && (first || braced || list->next > start)) {
            if (braced || list->next > start)
                take_designators(t, list);
            if (list->designators.count && !braced)
                return; /* they begin at the braces */
            pending = is_designated(list);
        }
        last = at;
        if (pending)
            at = follow(initial, type, list, &last);
        if (pending && at < 0) {
            initial->failed = true;
            return;
        }
        pending = false;
        if ((is_record(type) || count >= 0) && at >= count) {
            if (braced)
                list->next = list->values.count; /* values without a part */
            return;
        }
        if (is_record(type)) {
            CXCursor field = fields.list[at];
            fill_part(initial, clang_getCursorType(field), bits + clang_Cursor_getOffsetOfField(field),
                      clang_Cursor_isBitField(field) ? clang_getFieldDeclBitWidth(field) : 0, list);
            if (is_union && !braced)
                return;
            at = is_union ? count - 1 : at;
        } else {
            fill_element(initial, type, bits, list, at, last);
            at = last;
        }
    }
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

/* The initializer of the part `bits` behind the object's beginning.  */
void initial_value(Initial *initial, CXType type, int64_t bits, int width, CXCursor e)
{
    Transcriber *t = initial->t;
    CXCursor inner = unwrapped(t, e);
    if (initial->failed)
        return;
    if (inner.kind == CXCursor_InitListExpr) {
        List list = {.values = children(t->u, inner)};
        CXCursor only = list.values.count == 1 ? unwrapped(t, list.values.list[0]) : clang_getNullCursor();
        const bool is_string = only.kind == CXCursor_StringLiteral && is_array(type) && is_whole(t, type, only);
        if (is_parts(type) && !is_string)
            fill(initial, type, bits, &list, true);
        else if (list.values.count)
            initial_value(initial, type, bits, width, list.values.list[0]);
        return;
    }
    if (inner.kind == CXCursor_CompoundLiteralExpr && is_array(type)) {
        Cursors below = children(t->u, inner);
        initial_value(initial, type, bits, width, below.list[below.count - 1]);
        return;
    }
    initial->put(initial, type, bits, width, e);
}

static void put_in_memory(Initial *initial, CXType type, int64_t bits, int width, CXCursor e)
{
    Transcriber *t = initial->t;
    CXCursor inner = unwrapped(t, e);
    Spot spot = {.type = type, .bit = width ? (int)(bits % 64) : 0, .width = width};
    if (is_array(type)) {
        long bytes = 0;
        const char *string = inner.kind == CXCursor_StringLiteral ? string_bytes(t, inner, &bytes) : NULL;
        if (!string) {
            FAIL(t, e, "the initializer of an array");
            return;
        }
        const long long size = clang_Type_getSizeOf(canonical(type));
        at_cursor(t, e);
        spot.address = address_plus(t, initial->address, bits / 8);
        source_move(&t->builder, spot.address, source_string(&t->builder, string, bytes),
                    size >= 0 && size < bytes ? (long)size : bytes);
        return;
    }
    Parts value = value_of_expression(t, e);
    value = converted(t, value, clang_getCursorType(e), type, e);
    at_cursor(t, e);
    spot.address = address_plus(t, initial->address, width ? bits / 64 * 8 : bits / 8);
    spot_write(t, &spot, value, e);
}

void initialize_memory(Transcriber *t, Operand address, CXType type, CXCursor e)
{
    Initial initial = {.t = t, .put = put_in_memory, .address = address};
    const long long bytes = clang_Type_getSizeOf(canonical(type));
    CXCursor inner = unwrapped(t, e);
    if (inner.kind == CXCursor_InitListExpr || (inner.kind == CXCursor_StringLiteral && is_array(type))) {
        at_cursor(t, e);
        if (bytes > 0)
            source_zero(&t->builder, address, (long)bytes);
    }
    initial_value(&initial, type, 0, 0, e);
    if (initial.failed)
        FAIL(t, e, "an initializer whose designators libclang does not tell");
}
