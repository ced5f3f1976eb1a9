/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-types.cc - types, declarations and the bytes of variables of static storage.
 *
 *   static const char *names[] = {"a", "b"};      data names 16 8 static defined = 0000...
 *                                                   at 0 string "a"
 *                                                   at 8 string "b"
 *
 * A variable of static storage in a function is FUNCTION.NAME, with a number if there are several.
 */
#include "transcribe.h"

bool is_complex(const_tree type)
{
    return TREE_CODE(type) == COMPLEX_TYPE;
}

bool is_aggregate(const_tree type)
{
    return AGGREGATE_TYPE_P(type);
}

bool is_only_moved(const_tree type)
{
    if (INTEGRAL_TYPE_P(type))
        return TYPE_PRECISION(type) > 64;
    const machine_mode mode = TYPE_MODE(type);
    return VECTOR_TYPE_P(type) ||
           (SCALAR_FLOAT_TYPE_P(type) && mode != TYPE_MODE(float_type_node) && mode != TYPE_MODE(double_type_node));
}

SourceType integer_type_of_bits(int bits, bool is_signed)
{
    if (bits <= 8)
        return is_signed ? ST_I8 : ST_U8;
    if (bits <= 16)
        return is_signed ? ST_I16 : ST_U16;
    if (bits <= 32)
        return is_signed ? ST_I32 : ST_U32;
    return is_signed ? ST_I64 : ST_U64;
}

SourceType as_unsigned(SourceType type)
{
    return source_type_is_signed(type) && !source_type_is_float(type)
               ? integer_type_of_bits(8 * source_type_bytes(type), false)
               : type;
}

int odd_precision(const_tree type)
{
    if (!INTEGRAL_TYPE_P(type) || TREE_CODE(type) == BOOLEAN_TYPE)
        return 0;
    const int bits = TYPE_PRECISION(type);
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? 0 : bits;
}

bool is_number_of_other_type(const_tree type)
{
    return is_only_moved(type) && !VECTOR_TYPE_P(type);
}

const char *type_name(const_tree type)
{
    const_tree name = TYPE_NAME(TYPE_MAIN_VARIANT(type));
    if (name && TREE_CODE(name) == TYPE_DECL)
        name = DECL_NAME(name);
    return name ? IDENTIFIER_POINTER(name) : "?";
}

SourceType scalar_type(Transcriber *t, const_tree type)
{
    if (POINTER_TYPE_P(type) || TREE_CODE(type) == OFFSET_TYPE || TREE_CODE(type) == NULLPTR_TYPE)
        return ST_P;
    if (TREE_CODE(type) == VOID_TYPE)
        return ST_V;
    if (TREE_CODE(type) == BOOLEAN_TYPE && TYPE_UNSIGNED(type))
        return ST_B;
    if (INTEGRAL_TYPE_P(type) && TREE_CODE(type) != BOOLEAN_TYPE && TYPE_PRECISION(type) <= 64)
        return integer_type_of_bits(TYPE_PRECISION(type), !TYPE_UNSIGNED(type));
    if (SCALAR_FLOAT_TYPE_P(type) && TYPE_MODE(type) == TYPE_MODE(float_type_node))
        return ST_F32;
    if (SCALAR_FLOAT_TYPE_P(type) && TYPE_MODE(type) == TYPE_MODE(double_type_node))
        return ST_F64;
    if (VECTOR_TYPE_P(type))
        FAIL(t, "a vector");
    else if (is_aggregate(type) || is_complex(type))
        FAIL(t, "an aggregate in place of a number");
    else
        FAIL(t, "a value of type '%s'", type_name(type));
    return ST_I32;
}

SourceType passed_type(Transcriber *t, const_tree type, long *bytes)
{
    *bytes = 0;
    if (is_aggregate(type) || is_number_of_other_type(type)) {
        *bytes = bytes_of(t, type);
        return ST_S;
    }
    if (!is_complex(type))
        return scalar_type(t, type);
    switch (scalar_type(t, TREE_TYPE(type))) {
    case ST_F32:
        *bytes = 8;
        return ST_C32;
    case ST_F64:
        *bytes = 16;
        return ST_C64;
    default:
        FAIL(t, "a complex number of integers as argument or result");
        return ST_C32;
    }
}

long bytes_of(Transcriber *t, const_tree type)
{
    const HOST_WIDE_INT bytes = int_size_in_bytes(type);
    if (bytes < 0)
        FAIL(t, "an aggregate of variable size");
    return bytes < 0 ? 0 : (long)bytes;
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static SourceType element_type(const_tree type)
{
    if (POINTER_TYPE_P(type))
        return ST_P;
    if (TREE_CODE(type) == BOOLEAN_TYPE)
        return ST_B;
    if (INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) <= 64)
        return integer_type_of_bits(TYPE_PRECISION(type), !TYPE_UNSIGNED(type));
    if (SCALAR_FLOAT_TYPE_P(type) && TYPE_MODE(type) == TYPE_MODE(float_type_node))
        return ST_F32;
    if (SCALAR_FLOAT_TYPE_P(type) && TYPE_MODE(type) == TYPE_MODE(double_type_node))
        return ST_F64;
    return ST_V;
}

/* NULL: the type is no structure of a known size.  */
static const SourceLayout *layout_of(SourceUnit *unit, const_tree type)
{
    if (TREE_CODE(type) != RECORD_TYPE || int_size_in_bytes(type) < 0)
        return NULL;
    SourceLayout *layout = (SourceLayout *)arena_alloc(unit->module, sizeof *layout);
    layout->bytes = (long)int_size_in_bytes(type);
    layout->members = (SourceMember *)arena_alloc(unit->module, ((size_t)list_length(TYPE_FIELDS(type)) + 1) *
                                                                    sizeof *layout->members);
    for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field)) {
        if (TREE_CODE(field) != FIELD_DECL || DECL_BIT_FIELD(field) || !tree_fits_shwi_p(byte_position(field)))
            continue;
        const_tree inner = TREE_TYPE(field);
        while (TREE_CODE(inner) == ARRAY_TYPE)
            inner = TREE_TYPE(inner);
        const HOST_WIDE_INT all = int_size_in_bytes(TREE_TYPE(field)), bytes = int_size_in_bytes(inner);
        if (bytes <= 0 || all <= 0)
            continue;
        layout->members[layout->nmembers++] =
            SourceMember{(long)tree_to_shwi(byte_position(field)),
                         (long)bytes,
                         (long)(all / bytes),
                         element_type(inner),
                         layout_of(unit, inner),
                         DECL_NAME(field) ? IDENTIFIER_POINTER(DECL_NAME(field)) : NULL};
    }
    return layout;
}

/* The sides of an array, or of what a pointer to an array points to. Returns the type of an element.  */
static const_tree read_sides(SourceUnit *unit, const_tree type, bool open, Declaration *declaration)
{
    SourceDimension sides[16] = {};
    int n = 0;
    if (open)
        sides[n++].side = source_integer(0);
    for (; TREE_CODE(type) == ARRAY_TYPE && n < 16; type = TREE_TYPE(type)) {
        const_tree domain = TYPE_DOMAIN(type), last = domain ? TYPE_MAX_VALUE(domain) : NULL_TREE;
        if (!last)
            sides[n++].side = source_integer(0);
        else if (tree_fits_shwi_p(last))
            sides[n++].side = source_integer(tree_to_shwi(last) + 1);
        else
            n++; /* of variable length */
    }
    declaration->ndimensions = n;
    declaration->dimensions = (SourceDimension *)arena_alloc(unit->module, (size_t)(n + 1) * sizeof *sides);
    memcpy(declaration->dimensions, sides, (size_t)n * sizeof *sides);
    return type;
}

static const char *base_text(SourceUnit *unit, const_tree type)
{
    const char *qualifier = TYPE_READONLY(type) ? "const " : "";
    const char *tag = TREE_CODE(type) == RECORD_TYPE     ? "struct"
                      : TREE_CODE(type) == UNION_TYPE    ? "union"
                      : TREE_CODE(type) == ENUMERAL_TYPE ? "enum"
                                                         : "";
    const_tree name = TYPE_NAME(type);
    const bool is_tag = name && TREE_CODE(name) == IDENTIFIER_NODE;
    if (name && TREE_CODE(name) == TYPE_DECL)
        name = DECL_NAME(name);
    if (!name && is_complex(type))
        return arena_print(unit->module, "%s%s _Complex", qualifier, base_text(unit, TREE_TYPE(type)));
    return arena_print(unit->module, "%s%s%s%s", qualifier, is_tag || !name ? tag : "", is_tag && *tag ? " " : "",
                       name ? IDENTIFIER_POINTER(name) : "");
}

/* The type as C writes it, without the parameters of functions.  */
static const char *type_text(SourceUnit *unit, const_tree type)
{
    const char *stars = "", *behind = "";
    for (; !TYPE_NAME(type); type = TREE_TYPE(type)) {
        if (TREE_CODE(type) == POINTER_TYPE) {
            const char *qualifiers = arena_print(unit->module, "%s%s", TYPE_READONLY(type) ? " const" : "",
                                                 TYPE_RESTRICT(type) ? " restrict" : "");
            stars = arena_print(unit->module, "*%s%s%s", qualifiers, *qualifiers && *stars ? " " : "", stars);
        } else if (TREE_CODE(type) == FUNCTION_TYPE || TREE_CODE(type) == ARRAY_TYPE) {
            const char *brackets = TREE_CODE(type) == FUNCTION_TYPE ? "()" : "[]";
            behind = arena_print(unit->module, *stars ? "(%s%s)%s" : "%s%s%s", stars, behind, brackets);
            stars = "";
        } else
            break;
    }
    return arena_print(unit->module, "%s%s%s%s", base_text(unit, type), *stars || *behind ? " " : "", stars, behind);
}

static SourceHolds holds_of(const_tree type)
{
    if (is_tile_type(CONST_CAST_TREE(type)))
        return HOLDS_TILE;
    if (is_tensor_type(CONST_CAST_TREE(type)))
        return HOLDS_TENSOR;
    SourceHolds found = HOLDS_NONE;
    if (TREE_CODE(type) == ARRAY_TYPE)
        found = holds_of(TREE_TYPE(type));
    else if (RECORD_OR_UNION_TYPE_P(type))
        for (const_tree field = TYPE_FIELDS(type); field && !found; field = DECL_CHAIN(field))
            if (TREE_CODE(field) == FIELD_DECL)
                found = holds_of(TREE_TYPE(field));
    return found == HOLDS_TILE ? HOLDS_TILES : found == HOLDS_TENSOR ? HOLDS_TENSORS : found;
}

Declaration declaration_of(SourceUnit *unit, tree decl)
{
    Declaration declaration = {};
    const_tree type = TREE_TYPE(decl);
    if (DECL_NAME(decl) && !DECL_ARTIFICIAL(decl))
        declaration.name = IDENTIFIER_POINTER(DECL_NAME(decl));
    declaration.is_const = TREE_READONLY(decl);
    declaration.is_volatile = TREE_THIS_VOLATILE(decl);
    declaration.is_restrict = POINTER_TYPE_P(type) && TYPE_RESTRICT(type);
    declaration.loc = loc_of(DECL_SOURCE_LOCATION(decl));
    if (!declaration.name)
        return declaration;
    declaration.holds = holds_of(type);
    const_tree element = NULL_TREE;
    if (TREE_CODE(type) == ARRAY_TYPE)
        element = type = read_sides(unit, type, false, &declaration);
    else if (POINTER_TYPE_P(type) && TREE_CODE(TREE_TYPE(type)) == ARRAY_TYPE)
        element = type = read_sides(unit, TREE_TYPE(type), true, &declaration);
    else if (POINTER_TYPE_P(type))
        element = TREE_TYPE(type);
    if (element) {
        const HOST_WIDE_INT bytes = int_size_in_bytes(element);
        declaration.element = element_type(element);
        declaration.element_bytes = bytes < 0 || VOID_TYPE_P(element) ? 0 : (int)bytes;
    }
    declaration.layout = layout_of(unit, element ? element : type);
    declaration.c_type = type_text(unit, type);
    return declaration;
}

/* Builtins have the name of their function in C, if there is one.  */
const char *function_name(const_tree fndecl)
{
    const char *name = IDENTIFIER_POINTER(DECL_NAME(fndecl));
    if (fndecl_built_in_p(fndecl, BUILT_IN_ALLOCA))
        return "__builtin_alloca"; /* which is no function */
    if (fndecl_built_in_p(fndecl, BUILT_IN_NORMAL) && !strncmp(name, "__builtin_", 10) &&
        DECL_ASSEMBLER_NAME_SET_P(fndecl)) {
        const char *library = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME_RAW(CONST_CAST_TREE(fndecl)));
        if (*library == '*')
            library++;
        if (strncmp(library, "__builtin_", 10))
            return name + 10;
    }
    return name;
}

/* ---- variables of static storage --------------------------------------------------------------------------------- */

struct StaticVariable {
    tree decl;
    SourceGlobal *global;
};
static vec<StaticVariable> statics = vNULL;
static hash_map<tree, SourceGlobal *> *globals;

/* No other variable has the name.  */
static const char *unused_name(SourceUnit *unit, const char *name)
{
    const char *found = name;
    for (int i = 2;; i++) {
        const SourceGlobal *global = unit->globals;
        while (global && strcmp(global->name, found))
            global = global->next;
        if (!global)
            return found;
        found = arena_print(unit->module, "%s.%d", name, i);
    }
}

static const char *name_for(SourceUnit *unit, tree decl)
{
    const char *name = DECL_NAME(decl) ? IDENTIFIER_POINTER(DECL_NAME(decl)) : "C";
    if (*name == '*')
        name = "C"; /* GCC's own, for a constant */
    if (TREE_PUBLIC(decl) || DECL_EXTERNAL(decl))
        return name;
    tree context = decl_function_context(decl);
    return unused_name(unit, context ? arena_print(unit->module, "%s.%s", function_name(context), name) : name);
}

const char *global_name(SourceUnit *unit, tree decl)
{
    if (!globals)
        globals = new hash_map<tree, SourceGlobal *>();
    SourceGlobal **found = globals->get(decl);
    if (found)
        return (*found)->name;
    tree size = DECL_SIZE_UNIT(decl);
    const long bytes = size && tree_fits_shwi_p(size) ? (long)tree_to_shwi(size) : 0;
    SourceGlobal *global = source_global(unit, name_for(unit, decl), bytes, declaration_of(unit, decl));
    global->alignment = (int)DECL_ALIGN_UNIT(decl);
    global->is_static = !TREE_PUBLIC(decl) && !DECL_EXTERNAL(decl);
    global->is_thread_local = DECL_THREAD_LOCAL_P(decl);
    globals->put(decl, global);
    statics.safe_push(StaticVariable{decl, global});
    return global->name;
}

tree global_decl(const char *name)
{
    for (unsigned i = 0; i < statics.length(); i++)
        if (!strcmp(statics[i].global->name, name))
            return statics[i].decl;
    return NULL_TREE;
}

/* The bytes of one global while they are collected.  */
struct Bytes {
    SourceUnit *unit;
    SourceGlobal *global;
    unsigned char *bytes;
    bool failed;
};

static void put_value(Bytes *to, tree value, long offset, long size);

/* The address of a function, a variable or a string. It has a place in the initial bytes.  */
static void put_address(Bytes *to, tree place, long offset, int64_t addend)
{
    if (TREE_CODE(place) == MEM_REF && TREE_CODE(TREE_OPERAND(place, 0)) == ADDR_EXPR) {
        put_address(to, TREE_OPERAND(TREE_OPERAND(place, 0), 0), offset,
                    addend + (int64_t)TREE_INT_CST_LOW(TREE_OPERAND(place, 1)));
        return;
    }
    poly_int64 bytes = 0;
    tree base = place;
    if (handled_component_p(place))
        base = get_addr_base_and_unit_offset(place, &bytes);
    if (base && TREE_CODE(base) == COMPOUND_LITERAL_EXPR)
        base = COMPOUND_LITERAL_EXPR_DECL(base);
    if (!base) {
        to->failed = true;
        return;
    }
    addend += bytes.to_constant();
    if (TREE_CODE(base) == FUNCTION_DECL)
        source_relocation(to->unit, to->global, offset, SO_FUNCTION, function_name(base), 0, addend);
    else if (VAR_P(base))
        source_relocation(to->unit, to->global, offset, SO_GLOBAL, global_name(to->unit, base), 0, addend);
    else if (TREE_CODE(base) == STRING_CST)
        source_relocation(to->unit, to->global, offset, SO_STRING, TREE_STRING_POINTER(base), TREE_STRING_LENGTH(base),
                          addend);
    else
        to->failed = true;
}

/* A pointer or an integer that is the sum of an address and a constant.  */
static void put_sum(Bytes *to, tree value, long offset, long size)
{
    int64_t addend = 0;
    for (;;) {
        const enum tree_code code = TREE_CODE(value);
        if (code == POINTER_PLUS_EXPR || code == PLUS_EXPR || code == MINUS_EXPR) {
            if (TREE_CODE(TREE_OPERAND(value, 1)) != INTEGER_CST)
                break;
            const int64_t by = (int64_t)TREE_INT_CST_LOW(TREE_OPERAND(value, 1));
            addend += code == MINUS_EXPR ? -by : by;
            value = TREE_OPERAND(value, 0);
        } else if (CONVERT_EXPR_CODE_P(code) || code == NON_LVALUE_EXPR || code == VIEW_CONVERT_EXPR)
            value = TREE_OPERAND(value, 0);
        else
            break;
    }
    if (TREE_CODE(value) == ADDR_EXPR && size == 8)
        put_address(to, TREE_OPERAND(value, 0), offset, addend);
    else
        to->failed = true;
}

static void put_bits(Bytes *to, tree value, HOST_WIDE_INT position, int size)
{
    if (TREE_CODE(value) != INTEGER_CST || size > 64) {
        to->failed = true;
        return;
    }
    const uint64_t bits = TREE_INT_CST_LOW(value);
    for (int i = 0; i < size; i++) {
        const HOST_WIDE_INT at = position + i;
        const unsigned char mask = (unsigned char)(1u << (at % 8));
        if (at / 8 < to->global->bytes)
            to->bytes[at / 8] = (unsigned char)(bits >> i & 1 ? to->bytes[at / 8] | mask : to->bytes[at / 8] & ~mask);
    }
}

static void put_fields(Bytes *to, tree value, long offset)
{
    unsigned HOST_WIDE_INT i;
    tree field, x;
    FOR_EACH_CONSTRUCTOR_ELT(CONSTRUCTOR_ELTS(value), i, field, x)
    {
        if (!field)
            to->failed = true;
        else if (DECL_BIT_FIELD(field))
            put_bits(to, x, 8 * offset + int_bit_position(field), (int)tree_to_shwi(DECL_SIZE(field)));
        else
            put_value(to, x, offset + int_byte_position(field),
                      DECL_SIZE_UNIT(field) ? (long)tree_to_shwi(DECL_SIZE_UNIT(field)) : 0);
    }
}

static void put_elements(Bytes *to, tree value, long offset)
{
    const long size = (long)int_size_in_bytes(TREE_TYPE(TREE_TYPE(value)));
    unsigned HOST_WIDE_INT i;
    HOST_WIDE_INT next = 0;
    tree index, x;
    FOR_EACH_CONSTRUCTOR_ELT(CONSTRUCTOR_ELTS(value), i, index, x)
    {
        HOST_WIDE_INT first = next, last = next;
        if (index && TREE_CODE(index) == RANGE_EXPR) {
            first = tree_to_shwi(TREE_OPERAND(index, 0));
            last = tree_to_shwi(TREE_OPERAND(index, 1));
        } else if (index)
            first = last = tree_to_shwi(index);
#if BUILDING_GCC_VERSION >= 15000
        if (TREE_CODE(x) == RAW_DATA_CST) {
            for (int k = 0; k < RAW_DATA_LENGTH(x); k++)
                to->bytes[offset + first + k] = (unsigned char)RAW_DATA_POINTER(x)[k];
            next = first + RAW_DATA_LENGTH(x);
            continue;
        }
#endif
        for (HOST_WIDE_INT at = first; at <= last; at++)
            put_value(to, x, offset + at * size, size);
        next = last + 1;
    }
}

static void put_value(Bytes *to, tree value, long offset, long size)
{
    while (TREE_CODE(value) == NON_LVALUE_EXPR || TREE_CODE(value) == VIEW_CONVERT_EXPR)
        value = TREE_OPERAND(value, 0);
    if (TREE_CODE(value) == COMPOUND_LITERAL_EXPR)
        value = DECL_INITIAL(COMPOUND_LITERAL_EXPR_DECL(value));
    if (TREE_CODE(value) == CONSTRUCTOR && TREE_CODE(TREE_TYPE(value)) == ARRAY_TYPE)
        put_elements(to, value, offset);
    else if (TREE_CODE(value) == CONSTRUCTOR && RECORD_OR_UNION_TYPE_P(TREE_TYPE(value)))
        put_fields(to, value, offset);
    else if (TREE_CODE(value) == STRING_CST) {
        /* A member without a size takes what there is.  */
        const long room = size ? size : to->global->bytes - offset;
        memcpy(to->bytes + offset, TREE_STRING_POINTER(value), (size_t)MIN((long)TREE_STRING_LENGTH(value), room));
    } else if (CONSTANT_CLASS_P(value)) {
        if (!native_encode_expr(value, to->bytes + offset, (int)(to->global->bytes - offset), 0))
            to->failed = true;
    } else
        put_sum(to, value, offset, size);
}

static bool is_zero(const unsigned char *bytes, long size)
{
    long i = 0;
    while (i < size && !bytes[i])
        i++;
    return i == size;
}

static void finish_global(SourceUnit *unit, tree decl, SourceGlobal *global)
{
    const varpool_node *node = varpool_node::get(decl);
    if (DECL_EXTERNAL(decl) || !DECL_SIZE_UNIT(decl) || (node && node->alias))
        return;
    /* Its definition stands behind what has made the record.  */
    global->bytes = tree_fits_shwi_p(DECL_SIZE_UNIT(decl)) ? (long)tree_to_shwi(DECL_SIZE_UNIT(decl)) : 0;
    global->alignment = (int)DECL_ALIGN_UNIT(decl);
    tree initial = DECL_INITIAL(decl);
    Bytes to = {unit, global, NULL, false};
    if (initial && initial != error_mark_node) {
        to.bytes = (unsigned char *)arena_alloc(unit->module, (size_t)global->bytes + 1);
        put_value(&to, initial, 0, global->bytes);
    }
    if (to.failed) {
        global->relocations = NULL;
        return;
    }
    global->initial = to.bytes && !is_zero(to.bytes, global->bytes) ? to.bytes : NULL;
    global->is_defined = true;
    global->is_known = TREE_READONLY(decl) && !TREE_THIS_VOLATILE(decl) && (!TREE_PUBLIC(decl) || !DECL_WEAK(decl));
}

void finish_globals(SourceUnit *unit)
{
    varpool_node *node;
    FOR_EACH_DEFINED_VARIABLE(node)
    if (!node->alias && !DECL_VIRTUAL_P(node->decl) && !in_system_header_at(DECL_SOURCE_LOCATION(node->decl)))
        global_name(unit, node->decl);
    for (unsigned i = 0; i < statics.length(); i++) /* which grows */
        finish_global(unit, statics[i].decl, statics[i].global);
}
