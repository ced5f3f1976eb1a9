/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory.cc - local structs and arrays, and const configuration.
 *
 *   struct config c = {.bm = 128};         c.bm = 128;          at -O0 and -O2, before any pass forwarded it
 *   ... ws_load (a, i, k, c.bm, 64)        _3 = c.bm;           128
 *
 * A load of a local object is followed backwards through the virtual definitions to the store that it reads; a load of
 * a constant object reads its initializer.  What is not stored within the region may be read once, at its entry.  Every
 * other read or write of memory in a region is refused.
 */
#include "plugin.h"

/* ---- where a reference points ------------------------------------------------------------------------------------ */

static bool place_of_address(tree pointer, Place *place, int depth);

static bool add_component(tree reference, Place *place)
{
    if (TREE_CODE(reference) == COMPONENT_REF) {
        tree field = TREE_OPERAND(reference, 1);
        tree bytes = component_ref_field_offset(reference);
        if (!bytes || !tree_fits_shwi_p(bytes))
            return false;
        place->offset += tree_to_shwi(bytes) * BITS_PER_UNIT + tree_to_shwi(DECL_FIELD_BIT_OFFSET(field));
        return true;
    }
    if (TREE_CODE(reference) == BIT_FIELD_REF) {
        int64_t bits;
        if (!constant_int(TREE_OPERAND(reference, 2), &bits) ||
            !tree_int_cst_equal(TREE_OPERAND(reference, 1), TYPE_SIZE(TREE_TYPE(reference))))
            return false;
        place->offset += bits;
        return true;
    }
    if (TREE_CODE(reference) == ARRAY_REF) {
        int64_t index, low;
        tree size = array_ref_element_size(reference);
        if (!constant_int(TREE_OPERAND(reference, 1), &index) || !constant_int(array_ref_low_bound(reference), &low) ||
            !tree_fits_shwi_p(size))
            return false;
        place->offset += (index - low) * tree_to_shwi(size) * BITS_PER_UNIT;
        return true;
    }
    if (TREE_CODE(reference) == IMAGPART_EXPR)
        place->offset += tree_to_shwi(TYPE_SIZE(TREE_TYPE(reference)));
    return TREE_CODE(reference) == VIEW_CONVERT_EXPR || TREE_CODE(reference) == REALPART_EXPR ||
           TREE_CODE(reference) == IMAGPART_EXPR;
}

static bool place_of(tree reference, Place *place, int depth)
{
    tree bits = TYPE_SIZE(TREE_TYPE(reference));
    place->offset = 0;
    place->size = bits && tree_fits_shwi_p(bits) ? tree_to_shwi(bits) : -1;
    for (; handled_component_p(reference); reference = TREE_OPERAND(reference, 0))
        if (!add_component(reference, place))
            return false;
    if (DECL_P(reference)) {
        place->decl = reference;
        return true;
    }
    if (TREE_CODE(reference) != MEM_REF || depth > 16)
        return false;
    Place base = {};
    if (!place_of_address(TREE_OPERAND(reference, 0), &base, depth + 1))
        return false;
    place->decl = base.decl;
    place->offset += base.offset + (int64_t)int_cst_value(TREE_OPERAND(reference, 1)) * BITS_PER_UNIT;
    return true;
}

static bool place_of_address(tree pointer, Place *place, int depth)
{
    pointer = ssa_resolve(pointer);
    if (TREE_CODE(pointer) == ADDR_EXPR)
        return place_of(TREE_OPERAND(pointer, 0), place, depth);
    if (TREE_CODE(pointer) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF(pointer) || depth > 16)
        return false;
    gimple *def = SSA_NAME_DEF_STMT(pointer);
    if (!is_gimple_assign(def))
        return false;
    if (gimple_assign_rhs_code(def) == ADDR_EXPR || gimple_assign_single_p(def))
        return TREE_CODE(gimple_assign_rhs1(def)) == ADDR_EXPR &&
               place_of(TREE_OPERAND(gimple_assign_rhs1(def), 0), place, depth + 1);
    int64_t bytes;
    if (gimple_assign_rhs_code(def) != POINTER_PLUS_EXPR || !constant_int(gimple_assign_rhs2(def), &bytes) ||
        !place_of_address(gimple_assign_rhs1(def), place, depth + 1))
        return false;
    place->offset += bytes * BITS_PER_UNIT;
    return true;
}

/* The declaration that an operand is a part or the address of, whatever the offset; or NULL.  */
tree memory_root(tree operand)
{
    for (int depth = 0; operand && depth < 32; depth++) {
        if (TREE_CODE(operand) == ADDR_EXPR) {
            operand = get_base_address(TREE_OPERAND(operand, 0));
        } else if (TREE_CODE(operand) == MEM_REF || TREE_CODE(operand) == TARGET_MEM_REF) {
            operand = TREE_OPERAND(operand, 0);
        } else if (handled_component_p(operand)) {
            operand = get_base_address(operand);
        } else if (TREE_CODE(operand) == SSA_NAME && POINTER_TYPE_P(TREE_TYPE(operand))) {
            gimple *def = SSA_NAME_DEF_STMT(operand);
            operand = is_gimple_assign(def) && !gimple_assign_load_p(def) ? gimple_assign_rhs1(def) : NULL_TREE;
        } else {
            return DECL_P(operand) ? operand : NULL_TREE;
        }
    }
    return NULL_TREE;
}

bool memory_place(tree reference, Place *place)
{
    return place_of(reference, place, 0);
}

bool memory_place_of_address(tree pointer, Place *place)
{
    return place_of_address(pointer, place, 0);
}

static bool is_local(tree decl)
{
    return (VAR_P(decl) || TREE_CODE(decl) == PARM_DECL || TREE_CODE(decl) == RESULT_DECL) &&
           !TREE_THIS_VOLATILE(decl) && auto_var_in_fn_p(decl, current_function_decl);
}

bool memory_is_local(tree reference)
{
    Place place;
    return place_of(reference, &place, 0) && !TREE_THIS_VOLATILE(place.decl) &&
           (is_local(place.decl) || (VAR_P(place.decl) && TREE_READONLY(place.decl)));
}

/* ---- constant objects -------------------------------------------------------------------------------------------- */

static tree initializer_value(tree decl, int64_t offset, int64_t size, tree type)
{
    if (!VAR_P(decl) || !TREE_READONLY(decl) || TREE_THIS_VOLATILE(decl) || size < 0)
        return NULL_TREE;
    tree init = ctor_for_folding(decl);
    if (!init || init == error_mark_node)
        return NULL_TREE;
    tree value = fold_ctor_reference(type, init, poly_uint64(offset), poly_uint64(size), decl);
    return value && is_gimple_min_invariant(value) ? value : NULL_TREE;
}

/* ---- the store that a load reads --------------------------------------------------------------------------------- */

struct Search {
    Place place;
    tree type;
    int budget;
};

static tree search(Search *s, tree vuse);

/* Without a look at offsets: these may be numbers that are searched for themselves.  */
bool memory_stores_to(gimple *stmt, tree decl)
{
    tree lhs = gimple_get_lhs(stmt);
    if (!gimple_vdef(stmt) || !lhs || TREE_CODE(lhs) == SSA_NAME)
        return false;
    tree stored = memory_root(lhs);
    return stored ? stored == decl : TREE_ADDRESSABLE(decl) != 0;
}

static bool loop_stores_to(class loop *loop, tree decl)
{
    bool found = false;
    basic_block *body = get_loop_body(loop);
    for (unsigned i = 0; i < loop->num_nodes && !found; i++)
        for (gimple_stmt_iterator gsi = gsi_start_bb(body[i]); !gsi_end_p(gsi) && !found; gsi_next(&gsi))
            found = !gimple_clobber_p(gsi_stmt(gsi)) && memory_stores_to(gsi_stmt(gsi), decl);
    free(body);
    return found;
}

static tree search_phi(Search *s, gphi *phi)
{
    basic_block bb = gimple_bb(phi);
    class loop *loop = bb->loop_father;
    if (loop && loop->header == bb) {
        if (loop_stores_to(loop, s->place.decl))
            return NULL_TREE;
        return search(s, PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(loop)));
    }
    tree result = NULL_TREE;
    Place first = s->place;
    bool same_value = true, same_place = true; /* that all ways lead to */
    for (unsigned i = 0; i < gimple_phi_num_args(phi); i++) {
        Search branch = *s;
        tree value = search(&branch, PHI_ARG_DEF(phi, i));
        s->budget = branch.budget - 1;
        if (i == 0) {
            result = value;
            first = branch.place;
        }
        same_value &= value && result && operand_equal_p(value, result, 0);
        same_place &= branch.place.decl == first.decl && branch.place.offset == first.offset;
    }
    if (same_place)
        s->place = first;
    return same_value ? result : NULL_TREE;
}

/* Bits that are stored as one type and read as another, through a union, are no value of the grid.  */
static bool same_kind(tree to, tree from)
{
    return same_leaf(to, from) || (POINTER_TYPE_P(to) && POINTER_TYPE_P(from));
}

/* A store to an object that covers the place: what it puts there.  */
static tree stored_value(Search *s, gimple *stmt, const Place &target)
{
    Place &place = s->place;
    tree rhs = is_gimple_assign(stmt) && gimple_assign_single_p(stmt) ? gimple_assign_rhs1(stmt) : NULL_TREE;
    if (!rhs || gimple_clobber_p(stmt))
        return NULL_TREE;
    if (TREE_CODE(rhs) == SSA_NAME || is_gimple_min_invariant(rhs)) {
        bool same = target.offset == place.offset && target.size == place.size && same_kind(s->type, TREE_TYPE(rhs));
        return same ? rhs : NULL_TREE;
    }
    if (TREE_CODE(rhs) == CONSTRUCTOR)
        return CONSTRUCTOR_NELTS(rhs) ? NULL_TREE : build_zero_cst(s->type);
    Place source;
    if (!place_of(rhs, &source, 0))
        return NULL_TREE;
    source.offset += place.offset - target.offset;
    source.size = place.size;
    tree constant = initializer_value(source.decl, source.offset, source.size, s->type);
    if (constant)
        return constant;
    if (!is_local(source.decl))
        return NULL_TREE;
    place = source;
    return search(s, gimple_vuse(stmt));
}

static bool may_write(gimple *stmt, tree decl)
{
    char buffer[64];
    if (!is_gimple_call(stmt))
        return TREE_ADDRESSABLE(decl);
    tree fndecl = gimple_call_fndecl(stmt);
    if (pragma_of_stmt(stmt) || gimple_call_internal_p(stmt) || (fndecl && ws_name(fndecl, buffer, sizeof buffer)))
        return false;
    return TREE_ADDRESSABLE(decl);
}

static tree search(Search *s, tree vuse)
{
    while (--s->budget > 0 && vuse && !SSA_NAME_IS_DEFAULT_DEF(vuse)) {
        gimple *stmt = SSA_NAME_DEF_STMT(vuse);
        if (gimple_code(stmt) == GIMPLE_PHI)
            return search_phi(s, as_a<gphi *>(stmt));
        Place target;
        tree lhs = gimple_get_lhs(stmt);
        tree stored = lhs && TREE_CODE(lhs) != SSA_NAME ? memory_root(lhs) : NULL_TREE;
        bool known = stored && (stored != s->place.decl || place_of(lhs, &target, 0));
        if (known && stored == s->place.decl) {
            const Place &place = s->place;
            if (target.size < 0 ||
                (target.offset <= place.offset && place.offset + place.size <= target.offset + target.size))
                return stored_value(s, stmt, target);
            if (target.offset < place.offset + place.size && place.offset < target.offset + target.size)
                return NULL_TREE;
        } else if (!known && may_write(stmt, s->place.decl)) {
            return NULL_TREE;
        }
        vuse = gimple_vuse(stmt);
    }
    return NULL_TREE;
}

tree memory_value(gimple *load)
{
    Search s = {};
    tree reference = gimple_assign_rhs1(load);
    s.type = TREE_TYPE(gimple_assign_lhs(load));
    s.budget = 4000;
    if (gimple_has_volatile_ops(load) || !place_of(reference, &s.place, 0))
        return NULL_TREE;
    tree constant = initializer_value(s.place.decl, s.place.offset, s.place.size, s.type);
    if (constant)
        return constant;
    return is_local(s.place.decl) ? search(&s, gimple_vuse(load)) : NULL_TREE;
}

/* ---- reads at the region's entry --------------------------------------------------------------------------------- */

static const char *reference_name(tree reference)
{
    if (TREE_CODE(reference) == COMPONENT_REF)
        return name_of(TREE_OPERAND(reference, 1));
    return DECL_P(reference) ? name_of(reference) : NULL;
}

/* Behind copies of whole objects, as a struct that a helper takes by value.  */
static bool original_place(gimple *load, Place *place)
{
    Search s = {};
    s.type = TREE_TYPE(gimple_assign_lhs(load));
    s.budget = 4000;
    if (!place_of(gimple_assign_rhs1(load), &s.place, 0))
        return false;
    if (is_local(s.place.decl))
        search(&s, gimple_vuse(load));
    *place = s.place;
    return true;
}

/* Memory as it is behind a virtual operand; what ws.h declares leaves the user's memory alone before the region.  */
static tree state_at(tree vuse)
{
    char buffer[64];
    while (vuse && !SSA_NAME_IS_DEFAULT_DEF(vuse)) {
        gimple *stmt = SSA_NAME_DEF_STMT(vuse);
        tree fndecl = is_gimple_call(stmt) ? gimple_call_fndecl(stmt) : NULL_TREE;
        const char *name = fndecl ? ws_name(fndecl, buffer, sizeof buffer) : NULL;
        if (!pragma_of_stmt(stmt) && !(name && is_tensor_constructor(name)) && !is_math_call(stmt) &&
            !(is_gimple_call(stmt) && is_sanitizer_check(stmt)))
            break;
        vuse = gimple_vuse(stmt);
    }
    return vuse;
}

static tree state_of(gimple *load)
{
    return state_at(gimple_vuse(load));
}

/* Where the region begins; what a load in it sees, if it does not store to memory.  */
static tree entry_state(const Walk *w, gimple *load)
{
    gphi *phi = get_virtual_phi(w->outer->header);
    return state_at(phi ? PHI_ARG_DEF_FROM_EDGE(phi, loop_preheader_edge(w->outer)) : gimple_vuse(load));
}

/* A parameter that the function leaves as it was handed in.  */
static bool is_never_stored(tree decl)
{
    basic_block bb;
    if (TREE_CODE(decl) != PARM_DECL)
        return false;
    FOR_EACH_BB_FN(bb, cfun)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
        if (!gimple_clobber_p(gsi_stmt(i)) && memory_stores_to(gsi_stmt(i), decl))
            return false;
    return true;
}

/* A live-in that was read at that place: before the region by a load, or where it begins.  */
static Value *read_already(const Walk *w, const Place *place, tree type, tree state, gimple *load)
{
    for (unsigned i = 0; i < w->livein.length(); i++) {
        Place other;
        tree known = w->livein[i].expression;
        gimple *def = TREE_CODE(known) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(known) ? SSA_NAME_DEF_STMT(known) : NULL;
        bool is_load = def && gimple_assign_load_p(def) && original_place(def, &other);
        bool at_entry = TREE_CODE(known) == MEM_REF && memory_place(known, &other);
        if ((is_load || at_entry) && other.decl == place->decl && other.offset == place->offset &&
            other.size == place->size && types_compatible_p(TREE_TYPE(known), type) &&
            (state == (is_load ? state_of(def) : entry_state(w, load)) || is_never_stored(place->decl)))
            return w->livein[i].value;
    }
    return NULL;
}

/* require: a load in the region.   ensure: a live-in, if the region leaves the object alone; else NULL.  */
Value *memory_live_in(Walk *w, gimple *load)
{
    Place place;
    tree reference = gimple_assign_rhs1(load), type = TREE_TYPE(gimple_assign_lhs(load));
    Dtype dtype;
    if (gimple_has_volatile_ops(load) || !original_place(load, &place) || TREE_THIS_VOLATILE(place.decl) ||
        (!scalar_type(type, &dtype) && !POINTER_TYPE_P(type)) || is_tile_type(type) || is_tensor_type(type))
        return NULL;
    if (place.offset % BITS_PER_UNIT || loop_stores_to(w->outer, place.decl))
        return NULL;
    Value *known = read_already(w, &place, type, entry_state(w, load), load);
    if (known)
        return known;
    tree address = build_fold_addr_expr(place.decl);
    tree entry = fold_build2(MEM_REF, type, address, build_int_cst(ptr_type_node, place.offset / BITS_PER_UNIT));
    return value_live_in(w, entry, type_of(type), reference_name(reference));
}

/* The loop reads the same each time.  */
bool memory_is_invariant(class loop *loop, gimple *load)
{
    Place place;
    return !gimple_has_volatile_ops(load) && original_place(load, &place) &&
           (is_local(place.decl) || TREE_READONLY(place.decl)) && !loop_stores_to(loop, place.decl);
}

/* ---- reads before the region ------------------------------------------------------------------------------------- */

static bool same_reference(tree x, tree y)
{
    if (TREE_CODE(x) != TREE_CODE(y))
        return false;
    switch (TREE_CODE(x)) {
    case COMPONENT_REF:
        return TREE_OPERAND(x, 1) == TREE_OPERAND(y, 1) && same_reference(TREE_OPERAND(x, 0), TREE_OPERAND(y, 0));
    case MEM_REF:
        return tree_int_cst_equal(TREE_OPERAND(x, 1), TREE_OPERAND(y, 1)) &&
               ssa_resolve(TREE_OPERAND(x, 0)) == ssa_resolve(TREE_OPERAND(y, 0));
    default:
        return operand_equal_p(x, y, 0);
    }
}

/* The value of a load before the region; at -O0 the same member is read again and again.  */
Value *memory_read_before(Walk *w, gimple *load)
{
    tree lhs = gimple_assign_lhs(load), reference = gimple_assign_rhs1(load);
    for (unsigned i = 0; i < w->livein.length(); i++) {
        tree known = w->livein[i].expression;
        gimple *other =
            TREE_CODE(known) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(known) ? SSA_NAME_DEF_STMT(known) : NULL;
        if (other && gimple_assign_load_p(other) && !gimple_has_volatile_ops(load) &&
            same_reference(gimple_assign_rhs1(other), reference) && state_of(other) == state_of(load))
            return w->livein[i].value;
    }
    Place place;
    if (!gimple_has_volatile_ops(load) && original_place(load, &place)) {
        Value *known = read_already(w, &place, TREE_TYPE(lhs), state_of(load), load);
        if (known)
            return known;
    }
    return value_live_in(w, lhs, type_of(TREE_TYPE(lhs)), name_of(lhs) ? name_of(lhs) : reference_name(reference));
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

/* One complaint for a line such as "total += i", and for an object.  */
static bool refused_already(Walk *w, location_t where, tree reference)
{
    int line = expand_location(where).line;
    tree base = get_base_address(reference);
    bool known = (line && line == w->refused_line) || (base && DECL_P(base) && base == w->refused_object);
    w->refused_line = line;
    w->refused_object = base;
    w->failed = true;
    return known;
}

static const char *global_name(tree reference)
{
    tree base = get_base_address(reference);
    return base && VAR_P(base) && is_global_var(base) ? name_of(base) : NULL;
}

/* An array of the program itself, of which a variable chooses an element; or NULL.  */
static tree chosen_array(tree reference)
{
    bool chosen = false;
    for (; handled_component_p(reference); reference = TREE_OPERAND(reference, 0))
        chosen |= TREE_CODE(reference) == ARRAY_REF && TREE_CODE(TREE_OPERAND(reference, 1)) != INTEGER_CST;
    bool own = DECL_P(reference) && (is_local(reference) || TREE_READONLY(reference)) && name_of(reference);
    return chosen && own ? reference : NULL_TREE;
}

static bool refuse_handle(location_t where, tree reference, tree type)
{
    bool tile = is_tile_type(type);
    if (!tile && !is_tensor_type(type))
        return false;
    const char *what = tile ? "tile" : "tensor";
    const char *remedy = tile ? "keep tiles in plain local variables and parameters"
                              : "keep tensors in plain local variables and parameters";
    tree base = get_base_address(reference);
    if (TREE_THIS_VOLATILE(reference) || (base && DECL_P(base) && TREE_THIS_VOLATILE(base)))
        complain(where, remedy, "a %s cannot be volatile", what);
    else if (TREE_CODE(reference) == ARRAY_REF)
        complain(where, remedy, "a %s cannot be an element of this array", what);
    else if (TREE_CODE(reference) == COMPONENT_REF)
        complain(where, remedy, "a %s cannot be a member of this struct", what);
    else if (DECL_P(reference) && is_global_var(reference))
        complain(where, remedy, "a %s cannot be a static or global variable", what);
    else if (DECL_P(reference) && name_of(reference))
        complain(where, remedy, "the address of the %s %qs is taken", what, name_of(reference));
    else
        complain(where, remedy, "this %s is read or written through a pointer that may point elsewhere", what);
    return true;
}

static bool is_bit_field(tree reference)
{
    return TREE_CODE(reference) == BIT_FIELD_REF ||
           (TREE_CODE(reference) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(reference, 1)));
}

/* An array of variable length, which was refused where it begins.  */
static bool is_variable_array(tree reference)
{
    tree base = get_base_address(reference);
    tree pointer = base && TREE_CODE(base) == MEM_REF ? TREE_OPERAND(base, 0) : NULL_TREE;
    gimple *def = pointer && TREE_CODE(pointer) == SSA_NAME ? SSA_NAME_DEF_STMT(pointer) : NULL;
    return def && gimple_call_builtin_p(def, BUILT_IN_ALLOCA_WITH_ALIGN);
}

/* Tiles hold real numbers.  */
bool memory_refuse_complex(Walk *w, location_t where, tree type)
{
    if (TREE_CODE(type) != COMPLEX_TYPE)
        return false;
    if (!w->failed)
        complain(where, "let the array be one of a struct of its two parts, or two arrays, and compute with these",
                 "a complex number in a grid");
    w->failed = true;
    return true;
}

/* The copy of a whole struct from or to memory, which keeps a local one from being variables; or NULL.  */
static gimple *copy_of(tree decl)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, cfun)
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        gimple *stmt = gsi_stmt(i);
        if (gimple_assign_single_p(stmt) && gimple_assign_lhs(stmt) == decl && !gimple_clobber_p(stmt) &&
            TREE_CODE(gimple_assign_rhs1(stmt)) != CONSTRUCTOR)
            return stmt;
    }
    return NULL;
}

/* a = x[k]; y[k] = a: of structs, in plain loops.  */
bool memory_refuse_struct(Walk *w, tree reference, location_t where)
{
    tree base = get_base_address(reference);
    bool whole = RECORD_OR_UNION_TYPE_P(TREE_TYPE(reference));
    gimple *copy = !whole && base && DECL_P(base) && RECORD_OR_UNION_TYPE_P(TREE_TYPE(base)) ? copy_of(base) : NULL;
    if (!w->kernel->grid.plain || (!whole && !copy))
        return false;
    if (!w->failed)
        complain(copy && gimple_has_location(copy) ? stmt_location(copy) : where,
                 "copy its members one by one: a.re = x[i].re",
                 "a whole struct is copied from or to an array in a grid");
    w->failed = true;
    return true;
}

void memory_refuse_read(Walk *w, gimple *stmt)
{
    location_t where = stmt_location(stmt);
    tree reference = gimple_assign_rhs1(stmt);
    if (refused_already(w, where, reference) || is_variable_array(reference))
        return;
    if (memory_refuse_complex(w, where, TREE_TYPE(reference)))
        return;
    if (refuse_handle(where, reference, TREE_TYPE(reference)))
        return;
    Place place;
    tree array = chosen_array(reference);
    if (gimple_has_volatile_ops(stmt))
        complain(where, "read it before the grid", "a volatile object is read in a grid");
    else if (is_bit_field(reference))
        complain(where, "copy it into a plain variable before the grid", "a bit field is read in a grid");
    else if (array)
        complain(where,
                 "choose with ?: or a switch, or let the caller hand it in and read it with ws_at or ws_at_float",
                 "which element of the array %qs is read is known at run time only", name_of(array));
    else if (place_of(reference, &place, 0) && TREE_CODE(TREE_TYPE(place.decl)) == UNION_TYPE)
        complain(where, "compute it with arithmetic, or before the grid",
                 "the bits of a union are read as another type in a grid");
    else if (place_of(reference, &place, 0) && is_local(place.decl) && name_of(place.decl))
        complain(where, "use plain variables, whose addresses go to functions of this file alone",
                 "the object %qs in memory changes in the grid", name_of(place.decl));
    else if (place_of(reference, &place, 0) && is_local(place.decl))
        complain(where, "use plain variables", "an object in memory changes in the grid");
    else if (global_name(reference))
        complain(where, "results leave a grid through ws_store alone",
                 "the variable %qs outside the function changes in the grid", global_name(reference));
    else
        complain(where, "read one number with ws_at or ws_at_float, a tile with ws_load; or read it before the grid",
                 "memory is read through a pointer in a grid");
}

/* A store in the region: local objects are followed by their loads, all else is refused.  */
void memory_check_store(Walk *w, gimple *stmt)
{
    tree lhs = gimple_get_lhs(stmt);
    Place place;
    if (is_tile_type(TREE_TYPE(lhs)) || is_tensor_type(TREE_TYPE(lhs))) {
        if (!refused_already(w, stmt_location(stmt), lhs))
            refuse_handle(stmt_location(stmt), lhs, TREE_TYPE(lhs));
        return;
    }
    if (place_of(lhs, &place, 0) && is_local(place.decl) && !gimple_has_volatile_ops(stmt))
        return;
    tree base = get_base_address(lhs);
    if (base && TREE_CODE(base) == MEM_REF && !gimple_has_volatile_ops(stmt) && place_of(base, &place, 0) &&
        is_local(place.decl))
        return;
    if (base && DECL_P(base) && is_local(base) && !gimple_has_volatile_ops(stmt))
        return;
    if (memory_refuse_struct(w, lhs, stmt_location(stmt)))
        return;
    if (refused_already(w, stmt_location(stmt), lhs) || is_variable_array(lhs) ||
        memory_refuse_complex(w, stmt_location(stmt), TREE_TYPE(lhs)))
        return;
    if (gimple_has_volatile_ops(stmt))
        complain(stmt_location(stmt), "write it after the grid", "a volatile object is written in a grid");
    else if (global_name(lhs))
        complain(stmt_location(stmt), "results leave a grid through ws_store alone",
                 "the variable %qs outside the function changes in the grid", global_name(lhs));
    else
        complain(stmt_location(stmt), "write memory with ws_store", "memory is written through a pointer in a grid");
}
