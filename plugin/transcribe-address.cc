/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transcribe-address.cc - places: variables, objects, memory, bit-fields.
 *
 *   p->b = x, where b has 3 bits at bit 5       t1 = load.u8 p.1
 *                                               t2 = and.u8 t1, 31
 *                                               t3 = shl.u8 x, 5
 *                                               t4 = or.u8 t2, t3
 *                                               store.u8 p.1, t4
 *
 * A bit-field is read and written in the narrowest aligned integer that holds it.
 */
#include "transcribe.h"

/* ---- homes ------------------------------------------------------------------------------------------------------- */

bool is_register(const_tree decl)
{
    if (!VAR_P(decl) && TREE_CODE(decl) != PARM_DECL && TREE_CODE(decl) != RESULT_DECL)
        return false;
    const_tree type = TREE_TYPE(decl);
    return is_gimple_reg_type(CONST_CAST_TREE(type)) && !is_only_moved(type) && !TREE_ADDRESSABLE(decl) &&
           !TREE_THIS_VOLATILE(decl) && !(VAR_P(decl) && (is_global_var(decl) || DECL_HARD_REGISTER(decl))) &&
           (is_complex(type) || !DECL_NOT_GIMPLE_REG_P(decl));
}

SourceVariable *made_variable(Transcriber *t, SourceType type)
{
    return source_variable(t->function, type, Declaration());
}

SourceObject *made_object(Transcriber *t, long bytes, int alignment)
{
    return source_object(t->function, bytes, alignment, Declaration());
}

static Home new_home(Transcriber *t, tree decl)
{
    Home home = {};
    tree type = TREE_TYPE(decl);
    Declaration declaration = declaration_of(t->unit, decl);
    if (VAR_P(decl) && DECL_HARD_REGISTER(decl))
        FAIL(t, "a variable in a register of the machine");
    if (!is_register(decl)) {
        home.object = source_object(t->function, bytes_of(t, type), (int)DECL_ALIGN_UNIT(decl), declaration);
        home.object->host = decl;
    } else if (is_complex(type)) {
        const SourceType part = scalar_type(t, TREE_TYPE(type));
        home.variables[0] = source_variable(t->function, part, declaration);
        home.variables[1] = source_variable(t->function, part, declaration);
        home.variables[1]->host = decl;
        home.variables[1]->home_at = source_type_bytes(part);
    } else
        home.variables[0] = source_variable(t->function, scalar_type(t, type), declaration);
    if (home.variables[0])
        home.variables[0]->host = decl;
    return home;
}

Home *home_of(Transcriber *t, tree decl)
{
    Home *found = t->homes.get(decl);
    if (found)
        return found;
    t->homes.put(decl, new_home(t, decl));
    return t->homes.get(decl);
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

Operand add_bytes(Transcriber *t, Operand address, int64_t bytes)
{
    return bytes ? source_binary(&t->builder, SO_ADD, ST_P, address, source_integer(bytes)) : address;
}

static Operand address_of_variable(Transcriber *t, tree decl)
{
    if (DECL_HAS_VALUE_EXPR_P(decl))
        return address_of(t, DECL_VALUE_EXPR(decl));
    if (VAR_P(decl) && is_global_var(decl))
        return source_symbol(&t->builder, SO_GLOBAL, global_name(t->unit, decl));
    const Home *home = home_of(t, decl);
    if (home->object)
        return source_address(&t->builder, home->object);
    FAIL(t, "the address of a variable in a register");
    return source_integer(0);
}

static Operand address_of_name(Transcriber *t, tree name)
{
    SsaHome *home = &t->names[SSA_NAME_VERSION(name)];
    if (!is_only_moved(TREE_TYPE(name))) {
        FAIL(t, "the address of a value");
        return source_integer(0);
    }
    if (!home->object)
        home->object = made_object(t, bytes_of(t, TREE_TYPE(name)), (int)TYPE_ALIGN_UNIT(TREE_TYPE(name)));
    return source_address(&t->builder, home->object);
}

static Operand address_of_element(Transcriber *t, tree place)
{
    const Operand base = address_of(t, TREE_OPERAND(place, 0));
    tree index = TREE_OPERAND(place, 1), size = array_ref_element_size(place);
    if (!integer_zerop(array_ref_low_bound(place)))
        FAIL(t, "an array that does not begin at 0");
    if (TREE_CODE(index) == INTEGER_CST && TREE_CODE(size) == INTEGER_CST)
        return add_bytes(t, base, (int64_t)(TREE_INT_CST_LOW(index) * TREE_INT_CST_LOW(size)));
    const SourceType wide = TYPE_UNSIGNED(TREE_TYPE(index)) ? ST_U64 : ST_I64;
    const Operand x = value_as(t, index, wide);
    const Operand bytes = source_binary(&t->builder, SO_MUL, ST_U64, x, value_as(t, size, ST_U64));
    return source_binary(&t->builder, SO_ADD, ST_P, base, bytes);
}

static Operand address_of_member(Transcriber *t, tree place)
{
    tree field = TREE_OPERAND(place, 1);
    const Operand base = address_of(t, TREE_OPERAND(place, 0));
    if (TREE_OPERAND(place, 2) || !tree_fits_shwi_p(byte_position(field))) {
        FAIL(t, "a member behind one of variable size");
        return base;
    }
    return add_bytes(t, base, int_byte_position(field));
}

Operand address_of(Transcriber *t, tree place)
{
    if (t->function->failed)
        return source_integer(0);
    switch (TREE_CODE(place)) {
    case VAR_DECL:
    case PARM_DECL:
    case RESULT_DECL:
        return address_of_variable(t, place);
    case SSA_NAME:
        return address_of_name(t, place);
    case FUNCTION_DECL:
        return source_symbol(&t->builder, SO_FUNCTION, function_name(place));
    case STRING_CST:
        return source_string(&t->builder, TREE_STRING_POINTER(place), TREE_STRING_LENGTH(place));
    case MEM_REF:
        return add_bytes(t, value_of(t, TREE_OPERAND(place, 0)), (int64_t)TREE_INT_CST_LOW(TREE_OPERAND(place, 1)));
    case INDIRECT_REF:
        return value_of(t, TREE_OPERAND(place, 0));
    case COMPONENT_REF:
        return address_of_member(t, place);
    case ARRAY_REF:
        return address_of_element(t, place);
    case VIEW_CONVERT_EXPR:
    case REALPART_EXPR:
        return address_of(t, TREE_OPERAND(place, 0));
    case IMAGPART_EXPR:
        return add_bytes(t, address_of(t, TREE_OPERAND(place, 0)), bytes_of(t, TREE_TYPE(place)));
    case LABEL_DECL:
        return source_call(&t->builder, ST_P, "goto", Operand(), 0, NULL);
    default:
        FAIL(t, "the address of a '%s'", get_tree_code_name(TREE_CODE(place)));
    }
    return source_integer(0);
}

/* ---- bit-fields -------------------------------------------------------------------------------------------------- */

struct Bits {
    Operand address;        /* of the structure */
    HOST_WIDE_INT position; /* of the lowest bit in it */
    int size;
    long limit; /* bytes of the structure */
    bool is_signed, is_volatile;
};

/* The aligned integer that holds them, in bits. 0: none does.  */
static int unit_of(const Bits *bits)
{
    for (int width = 8; width <= 64; width *= 2) {
        const HOST_WIDE_INT start = bits->position / width * width;
        if (bits->position + bits->size <= start + width && (start + width) / 8 <= bits->limit)
            return width;
    }
    return 0;
}

static uint64_t mask_of(int bits)
{
    return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

static Operand shifted(Transcriber *t, SourceOpcode code, SourceType type, Operand x, int by)
{
    return by ? source_binary(&t->builder, code, type, x, source_integer(by)) : x;
}

static Operand masked(Transcriber *t, SourceType type, Operand x, uint64_t mask)
{
    return source_binary(&t->builder, SO_AND, type, x, source_integer((int64_t)mask));
}

/* The byte `k` of those that hold the bits: its address, how far it lies left of the lowest bit, which are theirs.  */
struct BitsByte {
    Operand address;
    int left;
    unsigned char mask;
};

static int bytes_with(const Bits *bits)
{
    return (int)((bits->position + bits->size - 1) / 8 - bits->position / 8) + 1;
}

static BitsByte byte_with(Transcriber *t, const Bits *bits, int k)
{
    BitsByte byte = {};
    const int first = (int)(bits->position % 8);
    byte.address = add_bytes(t, bits->address, bits->position / 8 + k);
    byte.left = 8 * k - first;
    const int low = k ? 0 : first, end = MIN(8, first + bits->size - 8 * k);
    byte.mask = (unsigned char)(mask_of(end) & ~mask_of(low));
    return byte;
}

static Operand load_bytes(Transcriber *t, const Bits *bits)
{
    Operand all = source_integer(0);
    for (int k = 0; k < bytes_with(bits); k++) {
        const BitsByte byte = byte_with(t, bits, k);
        Operand x = source_load(&t->builder, ST_U8, byte.address, bits->is_volatile);
        x = source_convert(&t->builder, ST_U8, ST_U64, masked(t, ST_U8, x, byte.mask));
        x = shifted(t, byte.left < 0 ? SO_SHR : SO_SHL, ST_U64, x, abs(byte.left));
        all = k ? source_binary(&t->builder, SO_OR, ST_U64, all, x) : x;
    }
    return all;
}

static void store_bytes(Transcriber *t, const Bits *bits, Operand x)
{
    for (int k = 0; k < bytes_with(bits); k++) {
        const BitsByte byte = byte_with(t, bits, k);
        Operand old = source_load(&t->builder, ST_U8, byte.address, bits->is_volatile);
        Operand part = shifted(t, byte.left < 0 ? SO_SHL : SO_SHR, ST_U64, x, abs(byte.left));
        part = masked(t, ST_U8, source_convert(&t->builder, ST_U64, ST_U8, part), byte.mask);
        old = masked(t, ST_U8, old, (unsigned char)~byte.mask);
        source_store(&t->builder, ST_U8, byte.address, source_binary(&t->builder, SO_OR, ST_U8, old, part),
                     bits->is_volatile);
    }
}

Operand extend_bits(Transcriber *t, Operand x, SourceType type, int bits)
{
    const int width = 8 * source_type_bytes(type);
    if (bits >= width)
        return x;
    if (!source_type_is_signed(type))
        return masked(t, type, x, mask_of(bits));
    x = shifted(t, SO_SHL, as_unsigned(type), x, width - bits);
    return shifted(t, SO_SHR, type, x, width - bits);
}

static Operand load_bits(Transcriber *t, const Bits *bits)
{
    const int unit = unit_of(bits), width = unit ? unit : 64;
    const SourceType type = integer_type_of_bits(width, false), extended = integer_type_of_bits(width, bits->is_signed);
    Operand x;
    if (unit) {
        const HOST_WIDE_INT start = bits->position / width * width;
        x = source_load(&t->builder, type, add_bytes(t, bits->address, start / 8), bits->is_volatile);
        x = shifted(t, SO_SHR, type, x, (int)(bits->position - start));
    } else
        x = load_bytes(t, bits);
    x = extend_bits(t, x, extended, bits->size);
    return source_convert(&t->builder, extended, integer_type_of_bits(bits->size, bits->is_signed), x);
}

static void store_bits(Transcriber *t, const Bits *bits, Operand x, SourceType from)
{
    const int unit = unit_of(bits), width = unit ? unit : 64;
    const SourceType type = integer_type_of_bits(width, false);
    x = source_convert(&t->builder, from, type, x);
    if (!unit) {
        store_bytes(t, bits, x);
        return;
    }
    const HOST_WIDE_INT start = bits->position / width * width;
    const Operand address = add_bytes(t, bits->address, start / 8);
    if (bits->size < width) {
        const int shift = (int)(bits->position - start);
        const uint64_t mask = mask_of(bits->size);
        const Operand old = source_load(&t->builder, type, address, bits->is_volatile);
        const Operand rest = masked(t, type, old, ~(mask << shift) & mask_of(width));
        x = shifted(t, SO_SHL, type, masked(t, type, x, mask), shift);
        x = source_binary(&t->builder, SO_OR, type, rest, x);
    }
    source_store(&t->builder, type, address, x, bits->is_volatile);
}

static bool is_bit_field(const_tree place)
{
    return (TREE_CODE(place) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(place, 1))) ||
           TREE_CODE(place) == BIT_FIELD_REF;
}

static Bits bits_of(Transcriber *t, tree place)
{
    Bits bits = {};
    tree whole = TREE_OPERAND(place, 0);
    bits.is_signed = !TYPE_UNSIGNED(TREE_TYPE(place));
    bits.is_volatile = TREE_THIS_VOLATILE(place);
    if (TREE_CODE(place) == COMPONENT_REF) {
        tree field = TREE_OPERAND(place, 1);
        bits.position = int_bit_position(field);
        bits.size = (int)tree_to_shwi(DECL_SIZE(field));
    } else {
        bits.position = tree_to_shwi(TREE_OPERAND(place, 2));
        bits.size = (int)tree_to_shwi(TREE_OPERAND(place, 1));
    }
    if (bits.size > 64)
        FAIL(t, "a bit-field of %d bits", bits.size);
    bits.limit = bytes_of(t, TREE_TYPE(whole));
    bits.address = address_of(t, whole);
    return bits;
}

/* Bits of a scalar.  */
static bool is_value(const_tree x)
{
    return TREE_CODE(x) == SSA_NAME || CONSTANT_CLASS_P(x) || (DECL_P(x) && is_register(x));
}

static Operand bits_of_value(Transcriber *t, tree place)
{
    tree whole = TREE_OPERAND(place, 0);
    const SourceType from = scalar_type(t, TREE_TYPE(whole));
    const int width = 8 * source_type_bytes(from), size = (int)tree_to_shwi(TREE_OPERAND(place, 1));
    const SourceType type = integer_type_of_bits(width, false),
                     extended = integer_type_of_bits(width, !TYPE_UNSIGNED(TREE_TYPE(place)));
    Operand x = value_of(t, whole);
    if (source_type_is_float(from) || from == ST_B)
        x = source_bits(&t->builder, from, type, x);
    x = shifted(t, SO_SHR, type, x, (int)tree_to_shwi(TREE_OPERAND(place, 2)));
    x = extend_bits(t, x, extended, size);
    return source_convert(&t->builder, extended, scalar_type(t, TREE_TYPE(place)), x);
}

/* ---- loads and stores -------------------------------------------------------------------------------------------- */

/* The part of a complex variable or value that a place is, or -1.  */
static int part_of(const_tree place)
{
    const enum tree_code code = TREE_CODE(place);
    return (code == REALPART_EXPR || code == IMAGPART_EXPR) && is_value(TREE_OPERAND(place, 0)) ? code == IMAGPART_EXPR
                                                                                                : -1;
}

/* The bits of a value as another type.  */
static Operand view_of_value(Transcriber *t, tree place)
{
    tree x = TREE_OPERAND(place, 0);
    if (is_complex(TREE_TYPE(x))) {
        FAIL(t, "the bits of a complex number");
        return source_integer(0);
    }
    const SourceType from = scalar_type(t, TREE_TYPE(x)), to = scalar_type(t, TREE_TYPE(place));
    if (source_type_bytes(from) != source_type_bytes(to))
        FAIL(t, "the bits of a value of another size");
    return source_bits(&t->builder, from, to, value_of(t, x));
}

static void spell_place(Transcriber *t, const_tree place, location_t written)
{
    const char *text;
    size_t length;
    const bool element = TREE_CODE(place) == ARRAY_REF || TREE_CODE(place) == MEM_REF;
    if ((element || TREE_CODE(place) == COMPONENT_REF) && source_text(written, &text, &length))
        source_spell(&t->builder, text, length);
}

Operand load_place(Transcriber *t, tree place)
{
    const SourceType type = scalar_type(t, TREE_TYPE(place));
    const int part = part_of(place);
    if (t->function->failed)
        return source_integer(0);
    if (part >= 0) {
        const Pair pair = pair_of(t, TREE_OPERAND(place, 0));
        return part ? pair.imaginary : pair.real;
    }
    if (TREE_CODE(place) == VIEW_CONVERT_EXPR && is_value(TREE_OPERAND(place, 0)))
        return view_of_value(t, place);
    if (TREE_CODE(place) == BIT_FIELD_REF && is_value(TREE_OPERAND(place, 0)))
        return bits_of_value(t, place);
    if (!is_bit_field(place)) {
        const Operand x = source_load(&t->builder, type, address_of(t, place), TREE_THIS_VOLATILE(place));
        spell_place(t, place, (location_t)t->builder.loc.host);
        return x;
    }
    const Bits bits = bits_of(t, place);
    if (t->function->failed)
        return source_integer(0);
    const Operand x = load_bits(t, &bits);
    const SourceType from = integer_type_of_bits(bits.size, bits.is_signed);
    return type == ST_B                 ? source_convert(&t->builder, from, ST_B, x)
           : source_type_is_float(type) ? source_bits(&t->builder, from, type, x)
                                        : source_convert(&t->builder, from, type, x);
}

Pair load_pair(Transcriber *t, tree place)
{
    const SourceType type = scalar_type(t, TREE_TYPE(TREE_TYPE(place)));
    const Operand address = address_of(t, place);
    const bool is_volatile = TREE_THIS_VOLATILE(place);
    Pair pair;
    pair.real = source_load(&t->builder, type, address, is_volatile);
    pair.imaginary = source_load(&t->builder, type, add_bytes(t, address, source_type_bytes(type)), is_volatile);
    return pair;
}

/* Names that stand for the variable keep its value.  */
void copy_variable(Transcriber *t, SourceVariable *variable, Operand x)
{
    SourceVariable *kept = NULL;
    for (unsigned i = 0; i < t->bound.length(); i++) {
        Pair *pair = &t->names[t->bound[i]].operands;
        for (Operand *part : {&pair->real, &pair->imaginary}) {
            if (part->kind != OPERAND_VARIABLE || part->variable != variable)
                continue;
            if (!kept) {
                kept = made_variable(t, variable->type);
                source_copy(&t->builder, kept, source_of(variable));
            }
            *part = source_of(kept);
        }
    }
    if (kept && x.kind == OPERAND_VARIABLE && x.variable == variable)
        return;
    source_copy(&t->builder, variable, x);
}

void store_place(Transcriber *t, tree place, Operand x)
{
    const SourceType type = scalar_type(t, TREE_TYPE(place));
    const int part = part_of(place);
    if (t->function->failed)
        return;
    if (TREE_CODE(place) == SSA_NAME)
        bind_name(t, place, Pair{x, Operand()});
    else if (DECL_P(place) && is_register(place))
        copy_variable(t, home_of(t, place)->variables[0], x);
    else if (part >= 0 && DECL_P(TREE_OPERAND(place, 0)))
        copy_variable(t, home_of(t, TREE_OPERAND(place, 0))->variables[part], x);
    else if (is_bit_field(place)) {
        const Bits bits = bits_of(t, place);
        if (!t->function->failed)
            store_bits(t, &bits, x, as_unsigned(type));
    } else {
        source_store(&t->builder, type, address_of(t, place), x, TREE_THIS_VOLATILE(place));
        spell_place(t, place, EXPR_LOCATION(place));
    }
}

void store_pair(Transcriber *t, tree place, Pair x)
{
    const SourceType type = scalar_type(t, TREE_TYPE(TREE_TYPE(place)));
    if (TREE_CODE(place) == SSA_NAME) {
        bind_name(t, place, x);
    } else if (DECL_P(place) && is_register(place)) {
        SourceVariable *const *parts = home_of(t, place)->variables;
        /* x may be the parts in another order.  */
        if (x.imaginary.kind == OPERAND_VARIABLE && x.imaginary.variable == parts[0]) {
            SourceVariable *kept = made_variable(t, type);
            source_copy(&t->builder, kept, x.imaginary);
            x.imaginary = source_of(kept);
        }
        copy_variable(t, parts[0], x.real);
        copy_variable(t, parts[1], x.imaginary);
    } else {
        const Operand address = address_of(t, place);
        const bool is_volatile = TREE_THIS_VOLATILE(place);
        source_store(&t->builder, type, address, x.real, is_volatile);
        source_store(&t->builder, type, add_bytes(t, address, source_type_bytes(type)), x.imaginary, is_volatile);
    }
}
