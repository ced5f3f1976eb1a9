/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * promote.cc - local objects become variables, before the walk.
 *
 *   step (a, b, i, j, k, &acc);      inlined, at -O0:              p_7 = &acc;
 *                                                                  _8 = *p_7; ... *p_7 = _9;
 *                                    after this, at every -O:      _8 = acc_6;  ... acc_9 = _9;
 *
 * GCC does this where it optimizes, and only for whole variables.  Here it is done for what a grid needs: a local
 * object that holds tiles or tensors, or that a grid writes, so that helpers may hand results back through pointers or
 * in structs, and a member of a struct may count a loop.  Each scalar, pointer or tile of the object that some
 * statement reads or writes (a leaf) becomes a variable of its own.  An object whose address goes elsewhere, or of
 * which the running program chooses an element, stays in memory, and so does what is copied from or to it.  Numbers
 * that overlap are one leaf of up to 64 bits, as bytes of a float or members of a union: shifts and masks take them
 * apart.  What keeps a tile in memory is refused here, at the statement that does so; memory.cc has sentences for the
 * rest.
 */
#include "plugin.h"

struct Leaf {
    int64_t offset, size; /* bits */
    tree type, variable;
    const char *name;
};

/* Why an object stays in memory.  */
enum Cause { NOT_FOUND, BY_INDEX, BY_ADDRESS, BY_COPY };

struct Object {
    tree decl;
    bool stays;     /* in memory */
    bool wanted;    /* by a grid */
    bool has_tile;  /* that a grid uses */
    bool of_blocks; /* an array, each iteration of a loop over blocks writes an element of */
    Cause cause;
    location_t where; /* it was found */
    auto_vec<Leaf> leaves;
    int changes;                      /* of the leaves */
    bool in_parts;                    /* some write is one of a part of a leaf */
    auto_vec<basic_block> beginnings; /* headers of the loops in whose iterations it lives */
};

/* One whole object or part of it assigned to another.  */
struct Copy {
    gimple *stmt;
    Object *to, *from;
    tree text; /* where bytes of a string are assigned, or NULL: {0} of an array of char, too */
    Place target, source;
};

struct Promotion {
    function *fn;
    auto_vec<Object *> objects;
    auto_vec<Copy> copies;
    auto_vec<gimple *> expanded; /* assignments that they became, and arithmetic of checks that went */
    hash_set<basic_block> grids, blocks;
    hash_map<basic_block, basic_block> headers; /* of the innermost loop around a block of a grid */
};

/* ---- objects ----------------------------------------------------------------------------------------------------- */

static Object *object_of(Promotion *p, tree decl)
{
    if (!decl || !VAR_P(decl) || TREE_THIS_VOLATILE(decl) || !auto_var_in_fn_p(decl, p->fn->decl) ||
        TREE_CODE(TREE_TYPE(decl)) == ERROR_MARK || (is_gimple_reg(decl) && !TREE_ADDRESSABLE(decl)))
        return NULL;
    for (unsigned i = 0; i < p->objects.length(); i++)
        if (p->objects[i]->decl == decl)
            return p->objects[i];
    Object *object = new Object();
    object->decl = decl;
    p->objects.safe_push(object);
    return object;
}

static bool has_variable_index(tree reference)
{
    if (TREE_CODE(reference) == ADDR_EXPR)
        reference = TREE_OPERAND(reference, 0);
    for (; handled_component_p(reference); reference = TREE_OPERAND(reference, 0))
        if (TREE_CODE(reference) == ARRAY_REF && !constant_of(TREE_OPERAND(reference, 1)))
            return true;
    return false;
}

static void keep_in_memory(Promotion *p, tree operand, Cause cause, location_t where)
{
    Object *object = object_of(p, memory_root(operand));
    if (!object || (object->cause && !same_place(object->where, DECL_SOURCE_LOCATION(object->decl))))
        return;
    object->stays = true;
    object->cause = has_variable_index(operand) ? BY_INDEX : cause;
    object->where = has_place(where) ? where : DECL_SOURCE_LOCATION(object->decl);
}

static bool in_grid(Promotion *p, gimple *stmt)
{
    return p->grids.contains(gimple_bb(stmt));
}

/* ---- what statements do with them -------------------------------------------------------------------------------- */

/* Integers of one width are one leaf, whatever their sign: memcpy () reads an int as an unsigned.  */
bool same_leaf(tree x, tree y)
{
    return types_compatible_p(x, y) ||
           (INTEGRAL_TYPE_P(x) && INTEGRAL_TYPE_P(y) && TYPE_PRECISION(x) == TYPE_PRECISION(y));
}

static bool is_number(tree type)
{
    Dtype dtype;
    return scalar_type(type, &dtype) && dtype != D_I1 && tree_to_shwi(TYPE_SIZE(type)) == 8 * dtype_bytes(dtype);
}

static bool overlap(const Leaf &x, const Leaf &y)
{
    return x.offset < y.offset + y.size && y.offset < x.offset + x.size;
}

static bool same_range(const Leaf &x, const Leaf &y)
{
    return x.offset == y.offset && x.size == y.size;
}

/* The leaf that the part is, or is in.  */
static Leaf *leaf_around(Object *object, const Leaf &part)
{
    for (unsigned i = 0; i < object->leaves.length(); i++) {
        Leaf &leaf = object->leaves[i];
        bool inside = leaf.offset <= part.offset && part.offset + part.size <= leaf.offset + leaf.size;
        bool same = same_range(leaf, part) && same_leaf(leaf.type, part.type);
        if (inside && (same || (is_number(leaf.type) && is_number(part.type))))
            return &leaf;
    }
    return NULL;
}

static tree unsigned_type(int64_t bits)
{
    return bits == 8    ? unsigned_char_type_node
           : bits == 16 ? short_unsigned_type_node
           : bits == 32 ? unsigned_type_node
                        : long_unsigned_type_node;
}

/* The leaf in the bits of which all that it overlaps lies; false: there is none.  */
static bool leaf_widen(Object *object, Leaf *leaf)
{
    tree whole = DECL_SIZE(object->decl);
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < object->leaves.length(); i++) {
            const Leaf &other = object->leaves[i];
            if (!overlap(*leaf, other) || same_range(*leaf, other))
                continue;
            int64_t begin = MIN(leaf->offset, other.offset), size = 8;
            int64_t end = MAX(leaf->offset + leaf->size, other.offset + other.size);
            while (size < 64 && begin / size * size + size < end)
                size *= 2;
            begin = begin / size * size;
            if (begin == leaf->offset && size == leaf->size)
                continue;
            if (begin + size < end || !whole || !tree_fits_shwi_p(whole) || begin + size > tree_to_shwi(whole))
                return false;
            bool is_other = begin == other.offset && size == other.size;
            *leaf = Leaf{begin, size, is_other ? other.type : unsigned_type(size), NULL_TREE,
                         is_other ? other.name : leaf->name};
            changed = true;
        }
    }
    return true;
}

/* require: a part that some statement reads or writes.   ensure: a leaf has it, or the object stays in memory.  */
static void leaf_add(Object *object, const Leaf &part)
{
    if (object->stays || leaf_around(object, part))
        return;
    Leaf leaf = part;
    bool numbers = is_number(part.type) && part.offset % BITS_PER_UNIT == 0, overlaps = false;
    for (unsigned i = 0; i < object->leaves.length(); i++)
        if (overlap(object->leaves[i], part)) {
            overlaps = true;
            numbers &= is_number(object->leaves[i].type);
        }
    if (overlaps && (!numbers || !leaf_widen(object, &leaf))) {
        object->stays = true;
        return;
    }
    for (unsigned i = object->leaves.length(); i-- > 0;)
        if (overlap(object->leaves[i], leaf)) {
            if (!is_number(object->leaves[i].type)) {
                object->stays = true;
                return;
            }
            object->leaves.ordered_remove(i);
        }
    object->leaves.safe_push(leaf);
    object->changes++;
}

static bool has_bit_field(tree reference)
{
    for (; handled_component_p(reference); reference = TREE_OPERAND(reference, 0))
        if (TREE_CODE(reference) == BIT_FIELD_REF ||
            (TREE_CODE(reference) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(reference, 1))))
            return true;
    return false;
}

static const char *leaf_name(tree reference, tree decl)
{
    tree named = TREE_CODE(reference) == COMPONENT_REF ? TREE_OPERAND(reference, 1) : decl;
    return DECL_NAME(named) ? IDENTIFIER_POINTER(DECL_NAME(named)) : NULL;
}

/* A scalar, pointer or tile of an object is read or written.  */
static void visit_leaf(Promotion *p, gimple *stmt, tree reference, bool written)
{
    Place place;
    tree type = TREE_TYPE(reference);
    Object *object = object_of(p, memory_root(reference));
    if (!object)
        return;
    if (!memory_place(reference, &place) || place.decl != object->decl || place.size < 0 || place.offset < 0 ||
        gimple_has_volatile_ops(stmt) || has_bit_field(reference) || !is_gimple_reg_type(type)) {
        object->has_tile |= is_tile_type(type) && in_grid(p, stmt);
        object->of_blocks |= array_of(reference) && p->blocks.contains(gimple_bb(stmt));
        keep_in_memory(p, reference, BY_ADDRESS, stmt_location(stmt));
        return;
    }
    Leaf leaf = {place.offset, place.size, TYPE_MAIN_VARIANT(type), NULL_TREE, leaf_name(reference, object->decl)};
    leaf_add(object, leaf);
    object->has_tile |= is_tile_type(type) && in_grid(p, stmt);
    object->wanted |= is_tile_type(type) || is_tensor_type(type) || (written && in_grid(p, stmt));
}

static void visit_copy(Promotion *p, gimple *stmt, tree lhs, tree rhs)
{
    Copy copy = {};
    copy.stmt = stmt;
    copy.to = object_of(p, memory_root(lhs));
    bool zero = (TREE_CODE(rhs) == CONSTRUCTOR && !CONSTRUCTOR_NELTS(rhs)) || TREE_CODE(rhs) == STRING_CST;
    copy.text = TREE_CODE(rhs) == STRING_CST ? rhs : NULL_TREE;
    copy.from = zero ? NULL : object_of(p, memory_root(rhs));
    bool known = memory_place(lhs, &copy.target) && (zero || memory_place(rhs, &copy.source)) &&
                 !gimple_has_volatile_ops(stmt) && copy.target.size >= 0;
    bool inside = copy.to && copy.target.decl == copy.to->decl &&
                  (zero || (copy.from && copy.source.decl == copy.from->decl && copy.source.size == copy.target.size));
    if (!known || !inside) {
        keep_in_memory(p, lhs, BY_COPY, stmt_location(stmt));
        if (!zero)
            keep_in_memory(p, rhs, BY_COPY, stmt_location(stmt));
        return;
    }
    copy.to->wanted |= in_grid(p, stmt);
    p->copies.safe_push(copy);
}

static void visit_operands(Promotion *p, gimple *stmt)
{
    for (unsigned i = 0; i < gimple_num_ops(stmt); i++) {
        tree operand = gimple_op(stmt, i);
        if (operand)
            keep_in_memory(p, TREE_CODE(operand) == TREE_LIST ? TREE_VALUE(operand) : operand, BY_ADDRESS,
                           stmt_location(stmt));
    }
}

static void visit_assign(Promotion *p, gimple *stmt)
{
    tree lhs = gimple_assign_lhs(stmt), rhs = gimple_assign_rhs1(stmt);
    if (gimple_clobber_p(stmt))
        return;
    bool is_memory = TREE_CODE(lhs) != SSA_NAME;
    bool is_address = !is_memory && POINTER_TYPE_P(TREE_TYPE(lhs)) && !gimple_assign_load_p(stmt);
    Place place;
    if (is_address && (gimple_assign_single_p(stmt) || gimple_assign_rhs_code(stmt) == POINTER_PLUS_EXPR ||
                       CONVERT_EXPR_CODE_P(gimple_assign_rhs_code(stmt)))) {
        if (memory_root(rhs) && !memory_place_of_address(lhs, &place))
            keep_in_memory(p, rhs, BY_ADDRESS, stmt_location(stmt));
    } else if (is_memory && gimple_assign_single_p(stmt) && !is_gimple_reg_type(TREE_TYPE(lhs))) {
        visit_copy(p, stmt, lhs, rhs);
    } else if (is_memory) {
        visit_leaf(p, stmt, lhs, true);
        keep_in_memory(p, rhs, BY_ADDRESS, stmt_location(stmt));
    } else if (gimple_assign_load_p(stmt)) {
        visit_leaf(p, stmt, rhs, false);
    } else if (!feeds_checks_only(lhs)) {
        visit_operands(p, stmt);
    }
}

/* A sanitizer asks about an address; there is none any more.  */
static bool only_checks(const gimple *stmt)
{
    return is_gimple_call(stmt) && (asks_size(stmt) || (gimple_call_internal_p(stmt) && is_sanitizer_check(stmt)));
}

static void visit_call(Promotion *p, gimple *stmt)
{
    if (only_checks(stmt))
        return;
    tree lhs = gimple_call_lhs(stmt);
    for (unsigned i = 0; i < gimple_call_num_args(stmt); i++)
        keep_in_memory(p, gimple_call_arg(stmt, i), BY_ADDRESS, stmt_location(stmt));
    if (gimple_call_chain(stmt))
        keep_in_memory(p, gimple_call_chain(stmt), BY_ADDRESS, stmt_location(stmt));
    if (lhs && TREE_CODE(lhs) != SSA_NAME)
        visit_leaf(p, stmt, lhs, true);
}

static void visit_block(Promotion *p, basic_block bb)
{
    for (gphi_iterator i = gsi_start_phis(bb); !gsi_end_p(i); gsi_next(&i))
        for (unsigned n = 0; n < gimple_phi_num_args(i.phi()); n++)
            keep_in_memory(p, gimple_phi_arg_def(i.phi(), n), BY_ADDRESS,
                           user_location(gimple_phi_arg_location(i.phi(), n)));
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        gimple *stmt = gsi_stmt(i);
        if (is_gimple_assign(stmt))
            visit_assign(p, stmt);
        else if (is_gimple_call(stmt))
            visit_call(p, stmt);
        else
            visit_operands(p, stmt);
    }
}

/* ---- which ones -------------------------------------------------------------------------------------------------- */

/* What one side of a copy has within the copied part, the other has, too.  */
static bool share_leaves(Object *to, const Place &target, const Object *from, const Place &source)
{
    int before = to->changes;
    for (unsigned i = 0; i < from->leaves.length() && !to->stays; i++) {
        Leaf leaf = from->leaves[i];
        if (leaf.offset + leaf.size <= source.offset || leaf.offset >= source.offset + source.size)
            continue;
        to->stays |= leaf.offset < source.offset || leaf.offset + leaf.size > source.offset + source.size;
        leaf.offset += target.offset - source.offset;
        leaf_add(to, leaf);
    }
    return to->changes != before;
}

/* {} may clear whole leaves, not bytes of them, and a string gives values to whole numbers. */
static bool cuts_leaf(const Object *object, const Copy &copy)
{
    int64_t first = copy.target.offset, last = first + copy.target.size;
    for (unsigned i = 0; i < object->leaves.length(); i++) {
        int64_t begin = object->leaves[i].offset, end = begin + object->leaves[i].size;
        if (begin < last && first < end &&
            (begin < first || end > last || (copy.text && !is_number(object->leaves[i].type))))
            return true;
    }
    return false;
}

/* Copies join what is wanted, what stays, and the leaves.  */
static void settle(Promotion *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < p->copies.length(); i++) {
            Copy &copy = p->copies[i];
            if (!copy.from) {
                bool cut = !copy.to->stays && cuts_leaf(copy.to, copy);
                copy.to->stays |= cut;
                changed |= cut;
                continue;
            }
            bool stays = copy.to->stays || copy.from->stays, wanted = copy.to->wanted || copy.from->wanted;
            copy.to->has_tile = copy.from->has_tile = copy.to->has_tile || copy.from->has_tile;
            changed |= share_leaves(copy.to, copy.target, copy.from, copy.source);
            changed |= share_leaves(copy.from, copy.source, copy.to, copy.target);
            stays |= copy.to->stays || copy.from->stays;
            changed |= stays != copy.to->stays || stays != copy.from->stays || wanted != copy.to->wanted ||
                       wanted != copy.from->wanted;
            copy.to->stays = copy.from->stays = stays;
            copy.to->wanted = copy.from->wanted = wanted;
        }
    }
}

/* A tile has no other place to be: what keeps it in memory is the mistake.  */
static bool check_tiles(Promotion *p)
{
    static const char *const remedy =
        "tiles live in local variables, whose addresses go to functions of this file alone";
    location_t last = UNKNOWN_LOCATION;
    for (unsigned i = 0; i < p->objects.length(); i++) {
        const Object *object = p->objects[i];
        tree name = DECL_NAME(object->decl);
        if (!object->stays || object->of_blocks || !object->has_tile || !object->cause || !name ||
            same_place(object->where, last))
            continue;
        last = object->where;
        if (object->cause == BY_INDEX)
            complain(object->where, "write out the loop: tiles have no addresses, so constants choose among them",
                     "which tile of the array %qE this is, is known at run time only", name);
        else if (object->cause == BY_COPY)
            complain(object->where, remedy, "%qE holds a tile, and is copied from or to memory", name);
        else if (is_tile_type(TREE_TYPE(object->decl)))
            complain(object->where, remedy, "the address of the tile %qE is taken", name);
        else
            complain(object->where, remedy, "%qE holds a tile, and its address is taken", name);
    }
    return last == UNKNOWN_LOCATION;
}

static Object *promoted(Promotion *p, tree operand)
{
    Object *object = object_of(p, memory_root(operand));
    return object && object->wanted && !object->stays ? object : NULL;
}

static int by_declaration(const void *x, const void *y)
{
    unsigned first = DECL_UID((*(Object *const *)x)->decl), second = DECL_UID((*(Object *const *)y)->decl);
    return first < second ? -1 : first > second;
}

/* Some write of a number leaves the rest of its leaf as it was.  */
static void find_parts(Promotion *p, gimple *stmt)
{
    Place place;
    tree lhs = gimple_get_lhs(stmt);
    Object *object = lhs && TREE_CODE(lhs) != SSA_NAME && is_gimple_reg_type(TREE_TYPE(lhs)) ? promoted(p, lhs) : NULL;
    if (gimple_clobber_p(stmt) && (object = promoted(p, gimple_assign_lhs(stmt)))) {
        basic_block *header = p->headers.get(gimple_bb(stmt));
        if (header && !object->beginnings.contains(*header))
            object->beginnings.safe_push(*header);
        return;
    }
    if (!object || !memory_place(lhs, &place))
        return;
    const Leaf part = {place.offset, place.size, TREE_TYPE(lhs), NULL_TREE, NULL}, *leaf = leaf_around(object, part);
    object->in_parts |= leaf && !same_range(*leaf, part);
}

/* In the order of the declarations, as GCC does: loops then carry their values in one order at every -O.  */
static void make_variables(Promotion *p)
{
    p->objects.qsort(by_declaration);
    for (unsigned i = 0; i < p->objects.length(); i++) {
        Object *object = p->objects[i];
        for (unsigned n = 0; n < object->leaves.length() && object->wanted && !object->stays; n++) {
            Leaf &leaf = object->leaves[n];
            tree name = leaf.name ? get_identifier(leaf.name) : NULL_TREE;
            leaf.variable = build_decl(DECL_SOURCE_LOCATION(object->decl), VAR_DECL, name, leaf.type);
            DECL_CONTEXT(leaf.variable) = p->fn->decl;
            DECL_ARTIFICIAL(leaf.variable) = DECL_ARTIFICIAL(object->decl) && !name;
            TREE_USED(leaf.variable) = 1;
            suppress_warning(leaf.variable);
            add_local_decl(p->fn, leaf.variable);
        }
    }
}

/* ---- statements, again ------------------------------------------------------------------------------------------- */

static Leaf *leaf_of(Object *object, const Place &place, tree type)
{
    return leaf_around(object, Leaf{place.offset, place.size, type, NULL_TREE, NULL});
}

static tree variable_at(Object *object, const Place &place, tree type)
{
    return leaf_of(object, place, type)->variable;
}

static bool is_bit_cast(tree to, tree from)
{
    return FLOAT_TYPE_P(to) != FLOAT_TYPE_P(from);
}

/* Statements in front of `i`, or behind it.  */
struct Maker {
    Promotion *p;
    gimple_stmt_iterator *i;
    bool behind;
};

static tree made(Maker *m, gassign *assign, tree type)
{
    tree name = make_ssa_name(type);
    gimple_assign_set_lhs(assign, name);
    gimple_set_location(assign, gimple_location(gsi_stmt(*m->i)));
    if (m->behind)
        gsi_insert_after(m->i, assign, GSI_NEW_STMT);
    else
        gsi_insert_before(m->i, assign, GSI_SAME_STMT);
    return name;
}

/* The same bits as a number of another type that has as many.  */
static tree same_bits(Maker *m, tree x, tree type)
{
    if (types_compatible_p(TREE_TYPE(x), type))
        return x;
    tree dummy = make_ssa_name(type);
    if (is_bit_cast(type, TREE_TYPE(x)))
        return made(m, gimple_build_assign(dummy, VIEW_CONVERT_EXPR, build1(VIEW_CONVERT_EXPR, type, x)), type);
    return made(m, gimple_build_assign(dummy, NOP_EXPR, x), type);
}

static tree two(Maker *m, enum tree_code code, tree x, tree y)
{
    tree dummy = make_ssa_name(TREE_TYPE(x));
    return made(m, gimple_build_assign(dummy, code, x, y), TREE_TYPE(x));
}

static tree current(Maker *m, const Leaf &leaf)
{
    return made(m, gimple_build_assign(make_ssa_name(leaf.type), leaf.variable), leaf.type);
}

static tree part_read(Maker *m, const Leaf &leaf, const Place &place, tree type)
{
    int64_t first = place.offset - leaf.offset;
    tree x = same_bits(m, current(m, leaf), unsigned_type(leaf.size));
    if (first)
        x = two(m, RSHIFT_EXPR, x, build_int_cst(integer_type_node, first));
    return same_bits(m, same_bits(m, x, FLOAT_TYPE_P(type) ? unsigned_type(place.size) : type), type);
}

/* What the leaf is once the value is its part.  */
static tree part_written(Maker *m, const Leaf &leaf, const Place &place, tree value)
{
    int64_t first = place.offset - leaf.offset;
    tree bits = unsigned_type(leaf.size);
    tree x = same_bits(m, current(m, leaf), bits);
    tree part = same_bits(m, same_bits(m, value, unsigned_type(place.size)), bits);
    tree ones = wide_int_to_tree(bits, wi::mask((unsigned)place.size, false, (unsigned)leaf.size));
    tree rest =
        fold_build1(BIT_NOT_EXPR, bits, fold_build2(LSHIFT_EXPR, bits, ones, build_int_cst(integer_type_node, first)));
    x = two(m, BIT_AND_EXPR, x, rest);
    if (first)
        part = two(m, LSHIFT_EXPR, part, build_int_cst(integer_type_node, first));
    return same_bits(m, two(m, BIT_IOR_EXPR, x, part), leaf.type);
}

static void remove_statement(gimple_stmt_iterator *i)
{
    gimple *stmt = gsi_stmt(*i);
    unlink_stmt_vdef(stmt);
    gsi_remove(i, true);
    release_defs(stmt);
}

static void insert_assign(Promotion *p, gimple_stmt_iterator *i, tree to, tree from)
{
    Maker maker = {p, i, false};
    bool same = types_compatible_p(TREE_TYPE(to), TREE_TYPE(from));
    if (!same && is_bit_cast(TREE_TYPE(to), TREE_TYPE(from))) {
        from = same_bits(&maker, from, TREE_TYPE(to));
        same = true;
    }
    gassign *assign = same ? gimple_build_assign(to, from) : gimple_build_assign(to, NOP_EXPR, from);
    gimple_set_location(assign, gimple_location(gsi_stmt(*i)));
    gsi_insert_before(i, assign, GSI_SAME_STMT);
    p->expanded.safe_push(assign);
}

/* The number that the bytes of a string are from this one on. */
static tree number_in(tree text, int64_t first, tree type)
{
    unsigned char bytes[8] = {};
    const int count = (int)tree_to_shwi(TYPE_SIZE_UNIT(type));
    for (int i = 0; i < count && first + i < TREE_STRING_LENGTH(text); i++)
        bytes[i] = (unsigned char)TREE_STRING_POINTER(text)[first + i];
    return native_interpret_expr(type, bytes, count);
}

/* Two assignments for each leaf of the part: between two variables GCC wants an SSA name.  */
static void expand_copy(Promotion *p, gimple_stmt_iterator *i, const Copy &copy)
{
    for (unsigned n = 0; n < copy.to->leaves.length(); n++) {
        Leaf &leaf = copy.to->leaves[n];
        bool is_part = leaf.offset >= copy.target.offset && leaf.offset < copy.target.offset + copy.target.size;
        bool is_handle = is_tile_type(leaf.type) || is_tensor_type(leaf.type);
        if (!is_part || (!copy.from && is_handle)) /* {0} gives a tile no value */
            continue;
        Place place = {NULL_TREE, leaf.offset + copy.source.offset - copy.target.offset, leaf.size};
        tree from = copy.from ? variable_at(copy.from, place, leaf.type) : NULL_TREE;
        tree value = from        ? make_ssa_name(TREE_TYPE(from))
                     : copy.text ? number_in(copy.text, place.offset / BITS_PER_UNIT, leaf.type)
                                 : build_zero_cst(leaf.type);
        if (from)
            insert_assign(p, i, value, from);
        insert_assign(p, i, leaf.variable, value);
    }
    remove_statement(i);
}

static bool checks_promoted(Promotion *p, gimple *stmt)
{
    for (unsigned i = 0; only_checks(stmt) && i < gimple_call_num_args(stmt); i++)
        if (promoted(p, gimple_call_arg(stmt, i)))
            return true;
    return false;
}

static const Copy *copy_of(Promotion *p, gimple *stmt)
{
    for (unsigned i = 0; i < p->copies.length(); i++)
        if (p->copies[i].stmt == stmt && p->copies[i].to->wanted && !p->copies[i].to->stays)
            return &p->copies[i];
    return NULL;
}

/* Nothing but debug statements uses the name: they do without.  */
static void forget_in_debug(tree name)
{
    imm_use_iterator i;
    use_operand_p use;
    gimple *stmt;
    FOR_EACH_IMM_USE_FAST(use, i, name)
    if (!is_gimple_debug(USE_STMT(use)))
        return;
    FOR_EACH_IMM_USE_STMT(stmt, i, name)
    if (gimple_debug_bind_p(stmt)) {
        gimple_debug_bind_reset_value(stmt);
        update_stmt(stmt);
    }
}

/* An address as a number, for a check: how far into the object it points.  */
static bool counts_address(Promotion *p, gimple *stmt)
{
    if (!is_gimple_assign(stmt) || TREE_CODE(gimple_assign_lhs(stmt)) != SSA_NAME || gimple_assign_load_p(stmt) ||
        POINTER_TYPE_P(TREE_TYPE(gimple_assign_lhs(stmt))))
        return false;
    for (unsigned i = 1; i < gimple_num_ops(stmt); i++)
        if (gimple_op(stmt, i) && promoted(p, gimple_op(stmt, i)))
            return true;
    return false;
}

/* The arithmetic that a check has asked for goes with it, where nothing else wants it.  */
static void collect_arithmetic(Promotion *p, tree operand)
{
    gimple *def = TREE_CODE(operand) == SSA_NAME ? SSA_NAME_DEF_STMT(operand) : NULL;
    if (!def || !is_gimple_assign(def) || gimple_vuse(def) || POINTER_TYPE_P(TREE_TYPE(operand)) ||
        p->expanded.contains(def))
        return;
    p->expanded.safe_push(def);
    for (unsigned i = 1; i < gimple_num_ops(def); i++)
        if (gimple_op(def, i))
            collect_arithmetic(p, gimple_op(def, i));
}

static void remove_check(Promotion *p, gimple_stmt_iterator *i)
{
    gimple *stmt = gsi_stmt(*i);
    for (unsigned n = 0; is_gimple_call(stmt) && n < gimple_call_num_args(stmt); n++)
        collect_arithmetic(p, gimple_call_arg(stmt, n));
    remove_statement(i);
}

/* A store of other bits than the leaf's own type has, or of a part of it; of a call's result behind the call.  */
static void write_bits(Promotion *p, gimple_stmt_iterator *i, const Leaf &leaf, const Place &place)
{
    gimple *stmt = gsi_stmt(*i);
    tree lhs = gimple_get_lhs(stmt);
    bool call = is_gimple_call(stmt);
    Maker maker = {p, i, call};
    tree value = call ? make_ssa_name(TREE_TYPE(lhs)) : gimple_assign_rhs1(stmt);
    if (call) {
        gimple_call_set_lhs(stmt, value);
        update_stmt(stmt);
    }
    tree x = leaf.size == place.size ? same_bits(&maker, value, leaf.type) : part_written(&maker, leaf, place, value);
    if (call) {
        gassign *assign = gimple_build_assign(leaf.variable, x);
        gimple_set_location(assign, gimple_location(stmt));
        gsi_insert_after(i, assign, GSI_NEW_STMT);
        return;
    }
    gimple_assign_set_rhs_from_tree(i, x);
    stmt = gsi_stmt(*i);
    gimple_set_lhs(stmt, leaf.variable);
    update_stmt(stmt);
}

/* Where an iteration begins, an object of it that is written by parts holds nothing of the one before.  */
static void begin_lives(Promotion *p)
{
    for (unsigned i = 0; i < p->objects.length(); i++) {
        const Object *object = p->objects[i];
        for (unsigned k = 0; k < object->beginnings.length() && object->in_parts; k++)
            for (unsigned n = 0; n < object->leaves.length(); n++) {
                if (!is_number(object->leaves[n].type))
                    continue;
                gimple_stmt_iterator at = gsi_after_labels(object->beginnings[k]);
                gsi_insert_before(
                    &at, gimple_build_assign(object->leaves[n].variable, build_zero_cst(object->leaves[n].type)),
                    GSI_SAME_STMT);
            }
    }
}

/* The statement with variables in the place of leaves; true where it has gone.  */
static bool rewrite(Promotion *p, gimple_stmt_iterator *i)
{
    Place place;
    gimple *stmt = gsi_stmt(*i);
    tree lhs = gimple_get_lhs(stmt);
    if (const Copy *copy = copy_of(p, stmt)) {
        expand_copy(p, i, *copy);
        return true;
    }
    if (asks_size(stmt) && checks_promoted(p, stmt)) {
        gsi_replace(i, gimple_build_assign(lhs, build_minus_one_cst(TREE_TYPE(lhs))), false); /* that is: unknown */
        return false;
    }
    if (checks_promoted(p, stmt) || (gimple_clobber_p(stmt) && promoted(p, lhs))) {
        remove_check(p, i);
        return true;
    }
    if (counts_address(p, stmt)) {
        gimple_assign_set_rhs_from_tree(i, build_zero_cst(TREE_TYPE(lhs)));
        update_stmt(gsi_stmt(*i));
        return false;
    }
    if (lhs && TREE_CODE(lhs) != SSA_NAME && promoted(p, lhs)) {
        memory_place(lhs, &place);
        const Leaf *leaf = leaf_of(promoted(p, lhs), place, TREE_TYPE(lhs));
        tree variable = leaf->variable;
        bool whole = leaf->size == place.size;
        if (!whole || is_bit_cast(TREE_TYPE(variable), TREE_TYPE(lhs))) {
            write_bits(p, i, *leaf, place);
            return false;
        }
        if (is_gimple_assign(stmt) && !types_compatible_p(TREE_TYPE(variable), TREE_TYPE(lhs)))
            gimple_assign_set_rhs_with_ops(i, NOP_EXPR, gimple_assign_rhs1(stmt));
        gimple_set_lhs(stmt, variable);
        update_stmt(stmt);
    } else if (gimple_assign_load_p(stmt) && promoted(p, gimple_assign_rhs1(stmt))) {
        tree rhs = gimple_assign_rhs1(stmt);
        memory_place(rhs, &place);
        const Leaf *leaf = leaf_of(promoted(p, rhs), place, TREE_TYPE(rhs));
        tree variable = leaf->variable;
        if (leaf->size != place.size || is_bit_cast(TREE_TYPE(variable), TREE_TYPE(rhs))) {
            Maker maker = {p, i, false};
            tree x = leaf->size == place.size ? same_bits(&maker, current(&maker, *leaf), TREE_TYPE(lhs))
                                              : part_read(&maker, *leaf, place, TREE_TYPE(lhs));
            gimple_assign_set_rhs_from_tree(i, x);
            update_stmt(gsi_stmt(*i));
            return false;
        }
        bool same = types_compatible_p(TREE_TYPE(variable), TREE_TYPE(rhs));
        gimple_assign_set_rhs_with_ops(i, same ? VAR_DECL : NOP_EXPR, variable);
        update_stmt(stmt);
    }
    return false;
}

static bool is_address_of_promoted(Promotion *p, gimple *stmt)
{
    return is_gimple_assign(stmt) && TREE_CODE(gimple_assign_lhs(stmt)) == SSA_NAME &&
           POINTER_TYPE_P(TREE_TYPE(gimple_assign_lhs(stmt))) && !gimple_assign_load_p(stmt) &&
           TREE_CODE(gimple_assign_rhs1(stmt)) != VAR_DECL && promoted(p, gimple_assign_rhs1(stmt));
}

static void collect_addresses(Promotion *p, auto_vec<gimple *> *addresses)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, p->fn)
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i))
        if (is_address_of_promoted(p, gsi_stmt(i)))
            addresses->safe_push(gsi_stmt(i));
}

/* An address may be computed from another, and a member copied again and again.  */
static void remove_unused(auto_vec<gimple *> *stmts)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned n = 0; n < stmts->length(); n++) {
            gimple *stmt = (*stmts)[n];
            if (!stmt)
                continue;
            forget_in_debug(gimple_assign_lhs(stmt));
            if (!has_zero_uses(gimple_assign_lhs(stmt)))
                continue;
            gimple_stmt_iterator i = gsi_for_stmt(stmt);
            remove_statement(&i);
            (*stmts)[n] = NULL;
            changed = true;
        }
    }
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

static void find_grids(Promotion *p)
{
    auto_vec<MarkedLoop> marks;
    loop_optimizer_init(LOOPS_NORMAL);
    region_collect(p->fn, &marks);
    for (unsigned i = 0; i < marks.length(); i++) {
        bool grid = marks[i].pragma->is_grid, blocks = marks[i].pragma->pipeline.blocks;
        basic_block *body = grid || blocks ? get_loop_body(marks[i].loop) : NULL;
        for (unsigned n = 0; body && n < marks[i].loop->num_nodes; n++) {
            (grid ? p->grids : p->blocks).add(body[n]);
            p->headers.put(body[n], body[n]->loop_father->header);
        }
        free(body);
    }
    loop_optimizer_finalize();
}

/* require: SSA, early inlining done.   ensure: tiles, and what a grid writes, are variables; false after an error.  */
bool promote_objects(function *fn)
{
    Promotion p;
    auto_vec<gimple *> addresses;
    basic_block bb;
    p.fn = fn;
    if (fn->calls_setjmp || fn->has_nonlocal_label)
        return true;
    find_grids(&p);
    FOR_EACH_BB_FN(bb, fn)
    visit_block(&p, bb);
    settle(&p);
    bool good = check_tiles(&p);
    make_variables(&p);
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i))
        find_parts(&p, gsi_stmt(i));
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i);)
        if (!rewrite(&p, &i))
            gsi_next_nondebug(&i);
    begin_lives(&p);
    collect_addresses(&p, &addresses);
    remove_unused(&addresses);
    update_ssa(TODO_update_ssa);
    remove_unused(&p.expanded);
    for (unsigned i = 0; i < p.objects.length(); i++)
        delete p.objects[i];
    return good;
}
