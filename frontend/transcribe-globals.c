/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-globals.c - variables of static storage, and their bytes.
 *
 *   static const char *const names[] = {"a", "b"};       two addresses of strings
 *
 * A variable of a function is called FUNCTION.NAME, and FUNCTION.NAME.1 if there are two of that name.
 */
#include <stdlib.h>
#include <string.h>

#include "transcribe.h"

/* ---- strings ----------------------------------------------------------------------------------------------------- */

static int escaped(const char **text)
{
    static const char letters[] = "n\nt\tr\ra\ab\bf\fv\v";
    const char *at = ++*text;
    if (*at >= '0' && *at <= '7') {
        int value = 0;
        for (int i = 0; i < 3 && *at >= '0' && *at <= '7'; i++)
            value = 8 * value + *at++ - '0';
        *text = at;
        return value;
    }
    if (*at == 'x') {
        char *end;
        const int value = (int)strtol(at + 1, &end, 16);
        *text = end;
        return value;
    }
    ++*text;
    for (const char *letter = letters; *letter; letter += 2)
        if (*letter == *at)
            return letter[1];
    return *at;
}

/* libclang spells a string with quotes and escapes.  */
const char *string_bytes(Transcriber *t, CXCursor literal, long *bytes)
{
    const char *text = text_of(t->u, clang_getCursorSpelling(literal));
    CXType type = clang_getCursorType(literal);
    if (is_array(type) && clang_Type_getSizeOf(canonical(element_of(type))) != 1)
        return NULL;
    text += strcspn(text, "\"");
    text += *text == '"';
    char *copy = arena_alloc(t->u->module, strlen(text) + 1);
    long count = 0;
    while (*text && *text != '"')
        copy[count++] = (char)(*text == '\\' ? escaped(&text) : *text++);
    *bytes = count + 1;
    return copy;
}

/* ---- constant bytes ---------------------------------------------------------------------------------------------- */

typedef struct {
    SourceOpcode code;
    const char *symbol;
    long bytes;
    int64_t addend;
} Address;

static bool address_value(Transcriber *t, CXCursor e, Address *address);

static bool address_of_place(Transcriber *t, CXCursor e, Address *address)
{
    Cursors below = children(t->u, e);
    switch (e.kind) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
        return below.count == 1 && address_of_place(t, below.list[0], address);
    case CXCursor_StringLiteral:
        address->code = SO_STRING;
        address->symbol = string_bytes(t, e, &address->bytes);
        return address->symbol != NULL;
    case CXCursor_DeclRefExpr: {
        CXCursor decl = clang_getCursorReferenced(e);
        const bool is_function = decl.kind == CXCursor_FunctionDecl;
        address->code = is_function ? SO_FUNCTION : SO_GLOBAL;
        if (!is_function && !is_static_storage(decl))
            return false;
        address->symbol = is_function ? text_of(t->u, clang_getCursorSpelling(decl)) : global_name(t, decl);
        return true;
    }
    case CXCursor_CompoundLiteralExpr:
        address->code = SO_GLOBAL;
        address->symbol = literal_global(t, e);
        return true;
    case CXCursor_MemberRefExpr: {
        int64_t bits;
        CXType base = clang_getCursorType(below.list[0]);
        const bool is_place = is_record(base);
        if (!(is_place ? address_of_place : address_value)(t, below.list[0], address) ||
            !field_bits(is_place ? base : element_of(base), clang_getCursorReferenced(e), &bits))
            return false;
        address->addend += bits / 8;
        return true;
    }
    case CXCursor_ArraySubscriptExpr: {
        int64_t index;
        if (!evaluate_int(below.list[1], &index) || !address_value(t, below.list[0], address))
            return false;
        address->addend += index * clang_Type_getSizeOf(clang_getCursorType(e));
        return true;
    }
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_Deref && address_value(t, below.list[0], address);
    default:
        return false;
    }
}

static bool address_value(Transcriber *t, CXCursor e, Address *address)
{
    Cursors below = children(t->u, e);
    CXType type = clang_getCursorType(e);
    int64_t number;
    if (is_array(type) || is_function_type(type))
        return address_of_place(t, e, address);
    switch (e.kind) {
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
        return below.count == 1 && address_value(t, below.list[0], address);
    case CXCursor_CStyleCastExpr:
        return address_value(t, below.list[below.count - 1], address);
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(e) == CXUnaryOperator_AddrOf &&
               address_of_place(t, below.list[0], address);
    case CXCursor_BinaryOperator: {
        const enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(e);
        if (below.count != 2 || (kind != CXBinaryOperator_Add && kind != CXBinaryOperator_Sub) || !is_pointer(type) ||
            !evaluate_int(below.list[1], &number) || !address_value(t, below.list[0], address))
            return false;
        number *= clang_Type_getSizeOf(element_of(type));
        address->addend += kind == CXBinaryOperator_Add ? number : -number;
        return true;
    }
    default:
        return false;
    }
}

/* A pointer that is an integer: 0, and (void *) 64.  */
static bool integer_address(Transcriber *t, CXCursor e, int64_t *value)
{
    if (evaluate_int(e, value))
        return true;
    Cursors below = children(t->u, e);
    const bool passes =
        e.kind == CXCursor_ParenExpr || e.kind == CXCursor_UnexposedExpr || e.kind == CXCursor_CStyleCastExpr;
    return passes && below.count && integer_address(t, below.list[below.count - 1], value);
}

static bool scalar_bytes(Transcriber *t, CXType type, CXCursor e, unsigned char *bytes)
{
    Dtype dtype;
    int64_t integer = 0;
    double real = 0;
    const bool is_real = evaluate_real(e, &real);
    if (!scalar_type(type, &dtype) || (!is_real && !evaluate_int(e, &integer)))
        return false;
    if (!dtype_is_float(dtype)) {
        integer = is_real ? (int64_t)real : integer;
        integer = dtype == D_I1 ? (is_real ? real != 0 : integer != 0) : integer;
        memcpy(bytes, &integer, (size_t)clang_Type_getSizeOf(canonical(type)));
        return true;
    }
    real = is_real ? real : (double)integer;
    const float single = (float)real;
    if (dtype == D_F32)
        memcpy(bytes, &single, sizeof single);
    else
        memcpy(bytes, &real, sizeof real);
    (void)t;
    return true;
}

/* Flexible arrays have values behind the type's end.  */
static unsigned char *bytes_up_to(Initial *initial, long end)
{
    if (end > initial->room) {
        unsigned char *more = arena_alloc(initial->t->u->module, (size_t)end * 2);
        memcpy(more, initial->bytes, (size_t)initial->room);
        initial->bytes = more;
        initial->room = end * 2;
    }
    initial->end = end > initial->end ? end : initial->end;
    return initial->bytes;
}

static void put_bits(Initial *initial, CXType type, int64_t bits, int width, CXCursor e)
{
    unsigned char value[8] = {0};
    if (!scalar_bytes(initial->t, type, e, value)) {
        initial->failed = true;
        return;
    }
    unsigned char *bytes = bytes_up_to(initial, (long)((bits + width + 7) / 8));
    for (int i = 0; i < width; i++)
        if (value[i / 8] >> i % 8 & 1)
            bytes[(bits + i) / 8] |= (unsigned char)(1 << (bits + i) % 8);
}

static void put_constant(Initial *initial, CXType type, int64_t bits, int width, CXCursor e)
{
    Transcriber *t = initial->t;
    const long long size = clang_Type_getSizeOf(canonical(type));
    unsigned char *at = bytes_up_to(initial, (long)(bits / 8 + (width || size < 0 ? 0 : size))) + bits / 8;
    Address address = {SO_GLOBAL, NULL, 0, 0};
    int64_t integer;
    if (width) {
        put_bits(initial, type, bits, width, e);
    } else if (is_array(type)) {
        const char *string = address_of_place(t, e, &address) && address.code == SO_STRING ? address.symbol : NULL;
        const long bytes = size >= 0 && size < address.bytes ? (long)size : address.bytes;
        if (string)
            memcpy(bytes_up_to(initial, (long)(bits / 8) + bytes) + bits / 8, string, (size_t)bytes);
        initial->failed |= !string;
    } else if (canonical(type).kind == CXType_Pointer) {
        if (address_value(t, e, &address))
            source_relocation(t->unit, initial->global, (long)(bits / 8), address.code, address.symbol, address.bytes,
                              address.addend);
        else if (integer_address(t, e, &integer))
            memcpy(at, &integer, sizeof integer);
        else
            initial->failed = true;
    } else if (is_record(type)) {
        CXCursor inner = e;
        while (inner.kind == CXCursor_ParenExpr || inner.kind == CXCursor_UnexposedExpr)
            inner = first_child(t, inner);
        Cursors below = children(t->u, inner);
        if (inner.kind == CXCursor_CompoundLiteralExpr && below.count)
            initial_value(initial, type, bits, 0, below.list[below.count - 1]);
        else
            initial->failed = true;
    } else if (is_complex(type)) {
        initial->failed |= !scalar_bytes(t, part_type(type), e, at);
    } else if (!scalar_bytes(t, type, e, at)) {
        initial->failed = true;
    }
}

static void set_bytes(Transcriber *t, SourceGlobal *global, CXType type, CXCursor init)
{
    Initial initial = {.t = t, .put = put_constant, .global = global, .room = global->bytes};
    initial.bytes = arena_alloc(t->u->module, (size_t)global->bytes + 1);
    SourceRelocation *none = global->relocations;
    initial_value(&initial, type, 0, 0, init);
    bytes_up_to(&initial, global->bytes > initial.end ? global->bytes : initial.end);
    global->bytes = initial.end;
    if (initial.failed) {
        global->relocations = none;
        global->is_defined = global->is_known = false;
        return;
    }
    bool any = false;
    for (long i = 0; i < global->bytes; i++)
        any |= initial.bytes[i] != 0;
    global->initial = any ? initial.bytes : NULL;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static SourceGlobal *find_known(Transcriber *t, CXCursor decl)
{
    for (int i = 0; i < t->nknown; i++)
        if (clang_equalCursors(t->known[i].decl, decl))
            return t->known[i].global;
    return NULL;
}

static bool has_global(const Transcriber *t, const char *name)
{
    for (const SourceGlobal *global = t->unit->globals; global; global = global->next)
        if (!strcmp(global->name, name))
            return true;
    return false;
}

static const char *own_name(Transcriber *t, const char *function, const char *name)
{
    const char *whole = arena_print(t->u->module, "%s.%s", function, name);
    for (int i = 1; has_global(t, whole); i++)
        whole = arena_print(t->u->module, "%s.%s.%d", function, name, i);
    return whole;
}

/* extern and tentative declarations are known by what stands first.  */
static CXCursor definition_of_global(CXCursor decl)
{
    CXCursor definition = clang_getCursorDefinition(decl);
    return clang_Cursor_isNull(definition) ? decl : definition;
}

static SourceGlobal *new_global(Transcriber *t, CXCursor first, CXCursor decl, const char *name)
{
    CXType type = clang_getCursorType(decl);
    const long long bytes = clang_Type_getSizeOf(canonical(type)), alignment = clang_Type_getAlignOf(canonical(type));
    SourceGlobal *global = source_global(t->unit, name, bytes > 0 ? (long)bytes : 0, declaration_of(t, decl, type));
    LIST_ADD(t->u->module, t->known, t->nknown) = (Known){first, global};
    global->alignment = alignment > 0 ? (int)alignment : 1;
    global->is_thread_local = clang_getCursorTLSKind(decl) != CXTLS_None;
    global->is_static = clang_getCursorLinkage(decl) != CXLinkage_External;
    return global;
}

static SourceGlobal *global_of(Transcriber *t, CXCursor decl)
{
    CXCursor first = clang_getCanonicalCursor(decl);
    SourceGlobal *global = find_known(t, first);
    if (global)
        return global;
    decl = definition_of_global(decl);
    CXCursor parent = clang_getCursorSemanticParent(first);
    const char *name = text_of(t->u, clang_getCursorSpelling(decl));
    if (parent.kind == CXCursor_FunctionDecl && clang_Cursor_getStorageClass(decl) == CX_SC_Static)
        name = own_name(t, text_of(t->u, clang_getCursorSpelling(parent)), name);
    global = new_global(t, first, decl, name);
    define_global(t, decl);
    return global;
}

/* An object that the program never changes.  */
static bool is_constant_object(CXCursor decl)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(decl));
    bool constant = clang_isConstQualifiedType(type); /* of an array it stands outside or with the elements */
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray) {
        type = clang_getCanonicalType(clang_getArrayElementType(type));
        constant |= clang_isConstQualifiedType(type) != 0;
    }
    bool lasts =
        clang_getCursorLinkage(decl) != CXLinkage_NoLinkage || clang_Cursor_getStorageClass(decl) == CX_SC_Static;
    return lasts && constant && !clang_isVolatileQualifiedType(type);
}

/* Takes the bytes from a declaration that defines the variable.  */
void define_global(Transcriber *t, CXCursor decl)
{
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    SourceGlobal *global = global_of(t, decl);
    const bool has_init = !clang_Cursor_isNull(init);
    if (global->is_defined || (!has_init && clang_Cursor_getStorageClass(decl) == CX_SC_Extern))
        return;
    CXType type = canonical(clang_getCursorType(decl));
    const long long bytes = clang_Type_getSizeOf(type);
    global->bytes = bytes > 0 ? (long)bytes : global->bytes;
    global->is_defined = true;
    global->is_known = is_constant_object(decl) && !global->declaration.is_volatile;
    if (has_init)
        set_bytes(t, global, type, init);
}

const char *global_name(Transcriber *t, CXCursor decl)
{
    return global_of(t, decl)->name;
}

/* A compound literal outside of functions.  */
const char *literal_global(Transcriber *t, CXCursor literal)
{
    Cursors below = children(t->u, literal);
    SourceGlobal *global = new_global(t, literal, literal, own_name(t, "literal", "0"));
    global->is_static = global->is_defined = true;
    set_bytes(t, global, canonical(clang_getCursorType(literal)), below.list[below.count - 1]);
    return global->name;
}
