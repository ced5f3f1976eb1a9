/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.cc - elements of the program's own arrays, which a variable chooses.
 *
 *   static const float w[3] = {1, 2, 1};     %2 = scalar_eq %1, 1;  %3 = scalar_select %2, 2, 1;
 *                                            %4 = scalar_eq %1, 0;  %5 = scalar_select %4, 1, %3
 *   static float gain[N];                    %gain: tensor<f32,1> = tensor &gain, N, 1
 *   w[i % 3] * gain[i]                       %6 = at_float %gain, %i
 *
 * Of few elements that are constants the index selects one.  Any other array is a tensor, whose base is the array's
 * address: it is staged with the arguments at each launch.  The region must leave it alone, but for an initializer of
 * constants.
 */
#include "plugin.h"

enum { FEW = 16, MOST_TERMS = 8 };

/* What a reference reads: bytes from the beginning of an object, and multiples of numbers that the region computes.  */
struct Chosen {
    tree decl, type;
    int64_t offset, size;
    int count;
    struct {
        tree index;
        int64_t bytes;
    } terms[MOST_TERMS];
};

static bool add_term(Chosen *chosen, tree index, int64_t bytes)
{
    int64_t constant;
    if (constant_int(index, &constant)) {
        chosen->offset += constant * bytes;
        return true;
    }
    if (chosen->count == MOST_TERMS)
        return false;
    chosen->terms[chosen->count].index = index;
    chosen->terms[chosen->count++].bytes = bytes;
    return true;
}

static bool add_component(Chosen *chosen, tree reference)
{
    if (TREE_CODE(reference) == COMPONENT_REF) {
        tree field = TREE_OPERAND(reference, 1), bytes = component_ref_field_offset(reference);
        if (DECL_BIT_FIELD(field) || !bytes || !tree_fits_shwi_p(bytes))
            return false;
        chosen->offset += tree_to_shwi(bytes) + tree_to_shwi(DECL_FIELD_BIT_OFFSET(field)) / BITS_PER_UNIT;
        return TREE_CODE(TREE_TYPE(TREE_OPERAND(reference, 0))) == RECORD_TYPE;
    }
    if (TREE_CODE(reference) != ARRAY_REF)
        return false;
    int64_t low;
    tree size = array_ref_element_size(reference);
    if (!tree_fits_shwi_p(size) || !constant_int(array_ref_low_bound(reference), &low))
        return false;
    chosen->offset -= low * tree_to_shwi(size);
    return add_term(chosen, TREE_OPERAND(reference, 1), tree_to_shwi(size));
}

static bool choose_address(Chosen *chosen, tree pointer, int depth);

static bool choose(Chosen *chosen, tree reference, int depth)
{
    for (; handled_component_p(reference); reference = TREE_OPERAND(reference, 0))
        if (!add_component(chosen, reference))
            return false;
    if (TREE_CODE(reference) != MEM_REF) {
        chosen->decl = reference;
        return VAR_P(reference) || TREE_CODE(reference) == PARM_DECL;
    }
    chosen->offset += (int64_t)int_cst_value(TREE_OPERAND(reference, 1));
    return choose_address(chosen, TREE_OPERAND(reference, 0), depth + 1);
}

/* i * 4 bytes, as the front end computes them, are i elements.  */
static bool add_bytes(Chosen *chosen, tree bytes)
{
    int64_t factor;
    bytes = ssa_resolve(bytes);
    gimple *def = TREE_CODE(bytes) == SSA_NAME ? SSA_NAME_DEF_STMT(bytes) : NULL;
    if (def && is_gimple_assign(def) && gimple_assign_rhs_code(def) == MULT_EXPR &&
        constant_int(gimple_assign_rhs2(def), &factor))
        return add_term(chosen, gimple_assign_rhs1(def), factor);
    return add_term(chosen, bytes, 1);
}

static bool choose_address(Chosen *chosen, tree pointer, int depth)
{
    pointer = ssa_resolve(pointer);
    if (TREE_CODE(pointer) == ADDR_EXPR)
        return choose(chosen, TREE_OPERAND(pointer, 0), depth);
    if (TREE_CODE(pointer) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(pointer) || depth > 16)
        return false;
    gimple *def = SSA_NAME_DEF_STMT(pointer);
    if (!is_gimple_assign(def))
        return false;
    if (gimple_assign_rhs_code(def) == POINTER_PLUS_EXPR)
        return add_bytes(chosen, gimple_assign_rhs2(def)) && choose_address(chosen, gimple_assign_rhs1(def), depth + 1);
    if (!gimple_assign_load_p(def))
        return gimple_assign_rhs_code(def) == ADDR_EXPR && choose_address(chosen, gimple_assign_rhs1(def), depth + 1);
    tree stored = memory_value(def);
    return stored && choose_address(chosen, stored, depth + 1);
}

static bool is_even(const Chosen *chosen)
{
    for (int i = 0; i < chosen->count; i++)
        if (chosen->terms[i].bytes % chosen->size)
            return false;
    return chosen->offset % chosen->size == 0;
}

/* Elements of the object, all taken for the type that is read.  */
static int64_t elements_of(const Chosen *chosen)
{
    tree bytes = DECL_SIZE_UNIT(chosen->decl);
    return bytes && tree_fits_shwi_p(bytes) ? tree_to_shwi(bytes) / chosen->size : 0;
}

static bool chosen_of(gimple *load, Chosen *chosen)
{
    Dtype dtype;
    chosen->type = TREE_TYPE(gimple_assign_lhs(load));
    if (gimple_has_volatile_ops(load) || !scalar_type(chosen->type, &dtype) ||
        TREE_CODE(TYPE_SIZE_UNIT(chosen->type)) != INTEGER_CST)
        return false;
    chosen->size = tree_to_shwi(TYPE_SIZE_UNIT(chosen->type));
    return choose(chosen, gimple_assign_rhs1(load), 0) && chosen->count && !TREE_THIS_VOLATILE(chosen->decl) &&
           TREE_CODE(TREE_TYPE(chosen->decl)) != UNION_TYPE && is_even(chosen) && elements_of(chosen) > 0;
}

/* ---- what the region itself puts there --------------------------------------------------------------------------- */

/* The stores of an initializer, one behind the other in one block.  */
struct Stores {
    auto_vec<gimple *> list;
    bool known; /* nothing else of the region stores there */
};

static void find_stores(const Walk *w, tree decl, Stores *stores)
{
    basic_block *body = get_loop_body(w->outer);
    stores->known = true;
    for (unsigned n = 0; n < w->outer->num_nodes; n++)
        for (gimple_stmt_iterator i = gsi_start_bb(body[n]); !gsi_end_p(i); gsi_next(&i)) {
            gimple *stmt = gsi_stmt(i);
            if (gimple_clobber_p(stmt) || !memory_stores_to(stmt, decl))
                continue;
            stores->known &= gimple_assign_single_p(stmt) && memory_root(gimple_get_lhs(stmt)) == decl &&
                             (stores->list.is_empty() || gimple_bb(stores->list[0]) == gimple_bb(stmt));
            stores->list.safe_push(stmt);
        }
    free(body);
}

static bool comes_before(gimple *first, gimple *second)
{
    if (gimple_bb(first) != gimple_bb(second))
        return dominated_by_p(CDI_DOMINATORS, gimple_bb(second), gimple_bb(first));
    for (gimple_stmt_iterator i = gsi_for_stmt(first); !gsi_end_p(i); gsi_next(&i))
        if (gsi_stmt(i) == second)
            return true;
    return false;
}

/* A copy of a whole constant object: it can be read in its place.  */
static tree copied_from(const Stores *stores)
{
    if (stores->list.length() != 1 || !DECL_P(gimple_get_lhs(stores->list[0])))
        return NULL_TREE;
    tree from = gimple_assign_rhs1(stores->list[0]);
    return VAR_P(from) && TREE_READONLY(from) && TREE_STATIC(from) ? from : NULL_TREE;
}

/* What one of the stores puts into the bytes of the object; false: it is not known.  */
static bool put_bytes(gimple *store, unsigned char *bytes, int64_t size)
{
    Place place;
    tree value = gimple_assign_rhs1(store);
    if (!memory_place(gimple_get_lhs(store), &place) || place.size < 0 || place.offset % BITS_PER_UNIT)
        return false;
    int64_t begin = place.offset / BITS_PER_UNIT, count = place.size / BITS_PER_UNIT;
    if (begin < 0 || begin + count > size)
        return false;
    if (TREE_CODE(value) == CONSTRUCTOR && !CONSTRUCTOR_NELTS(value)) {
        memset(bytes + begin, 0, count);
        return true;
    }
    tree constant = constant_of(value);
    return constant && native_encode_expr(constant, bytes + begin, (int)count) == count;
}

/* A constant object of what the stores leave, or NULL.  */
static tree object_of(Walk *w, tree decl, const Stores *stores)
{
    for (unsigned i = 0; i < w->tables.length(); i++)
        if (w->tables[i].decl == decl && w->tables[i].object)
            return w->tables[i].object;
    tree size = DECL_SIZE_UNIT(decl);
    auto_vec<unsigned char> bytes;
    bytes.safe_grow_cleared((unsigned)tree_to_shwi(size));
    for (unsigned i = 0; i < stores->list.length(); i++)
        if (!put_bytes(stores->list[i], bytes.address(), bytes.length()))
            return NULL_TREE;
    tree type = build_array_type_nelts(char_type_node, bytes.length());
    tree object = build_decl(DECL_SOURCE_LOCATION(decl), VAR_DECL,
                             DECL_NAME(decl) ? DECL_NAME(decl) : create_tmp_var_name("table"), type);
    DECL_INITIAL(object) = build_string(bytes.length(), (const char *)bytes.address());
    TREE_TYPE(DECL_INITIAL(object)) = type;
    TREE_STATIC(object) = TREE_READONLY(object) = TREE_CONSTANT(DECL_INITIAL(object)) = DECL_ARTIFICIAL(object) = 1;
    DECL_CONTEXT(object) = current_function_decl;
    SET_DECL_ALIGN(object, DECL_ALIGN(decl));
    w->tables.safe_push(Table{decl, object, NULL});
    return object;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static Value *two(Walk *w, Opcode code, Dtype dtype, Value *x, Value *y)
{
    Value *args[] = {x, y};
    return value_new_op(w, code, w->where, type_scalar(dtype), NULL, 2, args);
}

/* Which element of its type, from the beginning of the object.  */
static Value *index_of(Walk *w, const Chosen *chosen)
{
    Value *sum = NULL;
    for (int i = 0; i < chosen->count; i++) {
        int64_t stride = chosen->terms[i].bytes / chosen->size;
        Value *index = value_convert(w, value_of(w, chosen->terms[i].index), D_I64, NULL);
        index = stride == 1 ? index : two(w, OP_SCALAR_MUL, D_I64, index, value_literal(w, D_I64, stride, 0));
        sum = sum ? two(w, OP_SCALAR_ADD, D_I64, sum, index) : index;
    }
    int64_t first = chosen->offset / chosen->size;
    return first ? two(w, OP_SCALAR_ADD, D_I64, sum, value_literal(w, D_I64, first, 0)) : sum;
}

static Value *select_constant(Walk *w, const Chosen *chosen)
{
    tree constants[FEW];
    int64_t count = elements_of(chosen), bits = chosen->size * BITS_PER_UNIT;
    tree init = TREE_READONLY(chosen->decl) && VAR_P(chosen->decl) ? ctor_for_folding(chosen->decl) : NULL_TREE;
    if (count > FEW || !init || init == error_mark_node)
        return NULL;
    for (int64_t i = 0; i < count; i++) {
        constants[i] = fold_ctor_reference(chosen->type, init, poly_uint64(i * bits), poly_uint64(bits), chosen->decl);
        if (!constants[i] || (TREE_CODE(constants[i]) != INTEGER_CST && TREE_CODE(constants[i]) != REAL_CST))
            return NULL;
    }
    Value *index = index_of(w, chosen), *result = NULL;
    for (int64_t i = count; i-- > 0;) {
        Value *constant = literal_of(w, constants[i]);
        Value *args[] = {result ? two(w, OP_SCALAR_EQ, D_I1, index, value_literal(w, D_I64, i, 0)) : NULL, constant,
                         result};
        result = result ? value_new_op(w, OP_SCALAR_SELECT, w->where, constant->type, NULL, 3, args) : constant;
    }
    return result;
}

static Value *base_of(Walk *w, tree decl, Dtype dtype)
{
    tree address = build_fold_addr_expr(decl);
    for (unsigned i = 0; i < w->livein.length(); i++)
        if (w->livein[i].value->type.dtype == dtype && operand_equal_p(w->livein[i].expression, address, 0))
            return w->livein[i].value;
    if (is_global_var(decl) && !varpool_node::get(decl) && plugin.target != TARGET_SEQUENTIAL)
        varpool_node::finalize_decl(decl);
    else if (!is_global_var(decl))
        mark_addressable(decl);
    Value *base = kernel_param(w->kernel, type_pointer(dtype), name_of(decl), w->kernel->loc);
    w->livein.safe_push(LiveIn{address, base});
    return base;
}

/* The object as a tensor, in the prologue.  */
static Value *table_of(Walk *w, tree decl, Dtype dtype, int64_t count)
{
    for (unsigned i = 0; i < w->tables.length(); i++)
        if (w->tables[i].decl == decl && w->tables[i].tensor && w->tables[i].tensor->type.dtype == dtype)
            return w->tables[i].tensor;
    Block *block = w->block;
    w->block = w->kernel->body;
    Value *args[] = {base_of(w, decl, dtype), value_literal(w, D_I64, count, 0), value_literal(w, D_I32, 1, 0)};
    Value *tensor =
        value_new_op(w, OP_TENSOR, (location_t)w->kernel->loc.host, type_tensor(dtype, 1), name_of(decl), 3, args);
    w->block = block;
    w->tables.safe_push(Table{decl, NULL_TREE, tensor});
    return tensor;
}

/* Integers of 16 and 64 bits are two elements, the lower half first.  */
static Value *read_halves(Walk *w, Value *tensor, Value *index, int bits)
{
    Value *even = two(w, OP_SCALAR_MUL, D_I64, index, value_literal(w, D_I64, 2, 0));
    Value *odd = two(w, OP_SCALAR_ADD, D_I64, even, value_literal(w, D_I64, 1, 0));
    Value *low = two(w, OP_AT, D_I64, tensor, even), *high = two(w, OP_AT, D_I64, tensor, odd);
    low = two(w, OP_SCALAR_AND, D_I64, low, value_literal(w, D_I64, ((int64_t)1 << bits) - 1, 0));
    high = two(w, OP_SCALAR_MUL, D_I64, high, value_literal(w, D_I64, (int64_t)1 << bits, 0));
    return two(w, OP_SCALAR_ADD, D_I64, high, low);
}

static Value *read_element(Walk *w, const Chosen *chosen)
{
    Dtype dtype;
    scalar_type(chosen->type, &dtype);
    Value *index = index_of(w, chosen), *value;
    bool is_float = dtype_is_float(dtype), halves = !is_float && (chosen->size == 2 || chosen->size == 8);
    Dtype read = is_float ? dtype : chosen->size % 4 ? D_I8 : D_I32;
    Value *tensor = table_of(w, chosen->decl, read, elements_of(chosen) * (halves ? 2 : 1));
    if (halves)
        value = read_halves(w, tensor, index, 4 * (int)chosen->size);
    else
        value = two(w, is_float ? OP_AT_FLOAT : OP_AT, is_float ? D_F64 : D_I64, tensor, index);
    return dtype == D_I1 ? two(w, OP_SCALAR_NE, D_I1, value, value_literal(w, D_I64, 0, 0))
                         : value_convert(w, value, dtype, NULL);
}

/* require: a load in the region.   ensure: its value, if it chooses an element of an object that the region leaves
                                    alone; else
   NULL.  */
Value *table_read(Walk *w, gimple *load)
{
    Chosen chosen = {};
    Stores stores;
    if (!chosen_of(load, &chosen))
        return NULL;
    find_stores(w, chosen.decl, &stores);
    if (!stores.list.is_empty()) {
        if (!stores.known || !comes_before(stores.list.last(), load))
            return NULL;
        tree object = copied_from(&stores);
        chosen.decl = object ? object : object_of(w, chosen.decl, &stores);
    }
    if (!chosen.decl)
        return NULL;
    Value *value = select_constant(w, &chosen);
    return value ? value : read_element(w, &chosen);
}
