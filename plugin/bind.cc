/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bind.cc - before genericize: which loop a pragma means, and which functions a region takes in.
 *
 *   ws_pragma_ (7);                       for (int k = 0; k < K; k += 64) {
 *   for (int k = 0; k < K; k += 64) {         ws_pragma_ (7);
 *       acc = step (a, b, acc);               acc = step (a, b, acc);      step: always_inline, whatever -O says
 *   }                                     }
 *
 * Once the marker stands inside the body, the loop that holds its block is the loop meant, at every -O.  Helpers that a
 * region calls are inlined by force and kept as the front end made them, so that the same code reaches the walk at
 * every -O; afterwards a copy that is called from elsewhere is optimized as the user asked.
 *
 * A directive of OpenMP between pragma and loop serves the sequential target; a specialized loop is the plain loop
 * again.
 */
#include "plugin.h"

/* ---- functions that regions take in ------------------------------------------------------------------------------ */

struct Forced {
    tree fndecl;
    bool done;      /* its body was seen and its attributes set */
    bool optimize0; /* its level was lowered */
    auto_vec<tree> *callees;
};
static vec<Forced> forced = vNULL;

static Forced *forced_find(tree fndecl)
{
    for (unsigned i = 0; i < forced.length(); i++)
        if (DECL_UID(forced[i].fndecl) == DECL_UID(fndecl))
            return &forced[i];
    return NULL;
}

bool bind_is_forced(tree fndecl)
{
    Forced *entry = forced_find(fndecl);
    return entry && entry->done;
}

static bool reaches(tree from, tree to, int depth)
{
    Forced *entry = forced_find(from);
    if (!entry || depth > 64)
        return false;
    for (unsigned i = 0; entry->callees && i < entry->callees->length(); i++) {
        tree callee = (*entry->callees)[i];
        if (DECL_UID(callee) == DECL_UID(to) || reaches(callee, to, depth + 1))
            return true;
    }
    return false;
}

/* The middle end would stop at a cycle of forced functions with a sentence of its own.  */
static void unforce(tree fndecl)
{
    DECL_ATTRIBUTES(fndecl) = remove_attribute("always_inline", DECL_ATTRIBUTES(fndecl));
    DECL_DISREGARD_INLINE_LIMITS(fndecl) = 0;
}

static void set_inline(Forced *entry)
{
    tree fndecl = entry->fndecl;
    entry->done = true;
    DECL_ATTRIBUTES(fndecl) = remove_attribute("noinline", DECL_ATTRIBUTES(fndecl));
    DECL_UNINLINABLE(fndecl) = 0;
    DECL_DECLARED_INLINE_P(fndecl) = 1;
    DECL_NO_INSTRUMENT_FUNCTION_ENTRY_EXIT(fndecl) = 1;
    DECL_DISREGARD_INLINE_LIMITS(fndecl) = 1;
    if (!lookup_attribute("always_inline", DECL_ATTRIBUTES(fndecl)))
        DECL_ATTRIBUTES(fndecl) = tree_cons(get_identifier("always_inline"), NULL_TREE, DECL_ATTRIBUTES(fndecl));
    if (DECL_FUNCTION_SPECIFIC_OPTIMIZATION(fndecl) || !optimize)
        return;
    struct gcc_options plain = global_options;
    plain.x_optimize = 0;
    DECL_FUNCTION_SPECIFIC_OPTIMIZATION(fndecl) = build_optimization_node(&plain, &global_options_set);
    entry->optimize0 = true;
}

void bind_restore(void)
{
    for (unsigned i = 0; i < forced.length(); i++)
        if (forced[i].optimize0)
            DECL_FUNCTION_SPECIFIC_OPTIMIZATION(forced[i].fndecl) = NULL_TREE;
}

static void force(tree fndecl);

/* Every call below a tree is taken in: below a loop of a grid, or in a function that is taken in itself.  */
static tree force_callees(tree *where, int *, void *data)
{
    if (TREE_CODE(*where) != CALL_EXPR)
        return NULL_TREE;
    tree fndecl = get_callee_fndecl(*where);
    tree caller = (tree)data;
    if (!fndecl || fndecl_built_in_p(fndecl) || pragma_of_tree(*where))
        return NULL_TREE;
    force(fndecl);
    Forced *entry = caller ? forced_find(caller) : NULL;
    if (entry) {
        if (!entry->callees)
            entry->callees = new auto_vec<tree>();
        entry->callees->safe_push(fndecl);
    }
    if (caller && (DECL_UID(fndecl) == DECL_UID(caller) || reaches(fndecl, caller, 0)))
        unforce(caller);
    return NULL_TREE;
}

static void force_body(tree fndecl)
{
    set_inline(forced_find(fndecl));
    walk_tree_without_duplicates(&DECL_SAVED_TREE(fndecl), force_callees, fndecl);
}

/* A function whose body comes later is taken in when it comes.  */
static void force(tree fndecl)
{
    if (forced_find(fndecl))
        return;
    forced.safe_push(Forced{fndecl, false, false, NULL});
    if (DECL_SAVED_TREE(fndecl))
        force_body(fndecl);
}

/* A tile, a tensor, or what holds or points to one.  */
static bool holds_handle(tree type, int depth)
{
    if (is_tensor_type(type) || is_tile_type(type))
        return true;
    if (depth > 4)
        return false;
    if (TREE_CODE(type) == POINTER_TYPE || TREE_CODE(type) == ARRAY_TYPE)
        return holds_handle(TREE_TYPE(type), depth + 1);
    if (TREE_CODE(type) == RECORD_TYPE)
        for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
            if (TREE_CODE(field) == FIELD_DECL && holds_handle(TREE_TYPE(field), depth + 1))
                return true;
    return false;
}

static bool takes_handles(tree fndecl)
{
    tree type = TREE_TYPE(fndecl);
    bool found = holds_handle(TREE_TYPE(type), 0);
    for (tree arg = TYPE_ARG_TYPES(type); arg && !found; arg = TREE_CHAIN(arg))
        found = holds_handle(TREE_VALUE(arg), 0);
    return found;
}

/* In a function with a region: helpers that make or pass on handles, wherever they are called.  */
static tree force_handle_callees(tree *where, int *, void *)
{
    if (TREE_CODE(*where) != CALL_EXPR)
        return NULL_TREE;
    tree fndecl = get_callee_fndecl(*where);
    char buffer[64];
    if (fndecl && !fndecl_built_in_p(fndecl) && !ws_name(fndecl, buffer, sizeof buffer) && takes_handles(fndecl))
        force(fndecl);
    return NULL_TREE;
}

/* ---- from pragma to loop ----------------------------------------------------------------------------------------- */

struct Binder {
    bool has_grid;
};

static bool is_omp_loop(tree stmt)
{
    switch (TREE_CODE(stmt)) {
    case OMP_PARALLEL:
    case OMP_FOR:
    case OMP_SIMD:
    case OMP_DISTRIBUTE:
    case OMP_TASKLOOP:
    case OMP_TEAMS:
    case OMP_TARGET:
    case OMP_LOOP:
        return true;
    default:
        return false;
    }
}

static tree *find_loop_in(tree *where);

static tree *find_loop_in_list(tree list)
{
    for (tree_stmt_iterator i = tsi_start(list); !tsi_end_p(i); tsi_next(&i)) {
        tree *found = find_loop_in(tsi_stmt_ptr(i));
        if (found)
            return found;
    }
    return NULL;
}

/* The for loop, or directive of OpenMP, that a statement is or wraps.  */
static tree *find_loop_in(tree *where)
{
    if (!*where)
        return NULL;
    if (TREE_CODE(*where) == FOR_STMT || is_omp_loop(*where))
        return where;
    if (TREE_CODE(*where) == BIND_EXPR)
        return find_loop_in(&BIND_EXPR_BODY(*where));
    if (TREE_CODE(*where) == STATEMENT_LIST)
        return find_loop_in_list(*where);
    return NULL;
}

/* The plain loops that a directive of OpenMP holds.  */
static tree omp_plain(tree stmt)
{
    while (is_omp_loop(stmt) &&
           (TREE_CODE(stmt) == OMP_PARALLEL || TREE_CODE(stmt) == OMP_TEAMS || TREE_CODE(stmt) == OMP_TARGET)) {
        tree *inner = find_loop_in(&OMP_BODY(stmt));
        if (!inner)
            return NULL_TREE;
        if (inner != &OMP_BODY(stmt)) {
            tree loops = omp_plain(*inner);
            if (loops)
                *inner = loops;
            return loops ? OMP_BODY(stmt) : NULL_TREE;
        }
        stmt = *inner;
    }
    if (TREE_CODE(stmt) == FOR_STMT)
        return stmt;
    tree body = OMP_FOR_BODY(stmt);
    for (int i = TREE_VEC_LENGTH(OMP_FOR_INIT(stmt)) - 1; i >= 0; i--) {
        tree list = NULL_TREE;
        append_to_statement_list_force(TREE_VEC_ELT(OMP_FOR_INIT(stmt), i), &list);
        tree loop = make_node(FOR_STMT);
        TREE_TYPE(loop) = void_type_node;
        SET_EXPR_LOCATION(loop, EXPR_LOCATION(stmt));
        TREE_SIDE_EFFECTS(loop) = 1;
        FOR_COND(loop) = TREE_VEC_ELT(OMP_FOR_COND(stmt), i);
        FOR_EXPR(loop) = TREE_VEC_ELT(OMP_FOR_INCR(stmt), i);
        FOR_BODY(loop) = body;
        append_to_statement_list_force(loop, &list);
        body = list;
    }
    if (OMP_FOR_PRE_BODY(stmt)) {
        tree list = NULL_TREE;
        append_to_statement_list_force(OMP_FOR_PRE_BODY(stmt), &list);
        append_to_statement_list_force(body, &list);
        body = list;
    }
    return body;
}

static void no_loop(const Pragma *pragma, tree found)
{
    auto_diagnostic_group group;
    error_at(pragma->loc, with_id("%<#pragma ws %s%> stands above a %<for%> loop"), pragma_text(pragma));
    if (found && EXPR_HAS_LOCATION(found))
        inform(EXPR_LOCATION(found), "and this is none");
    else
        inform(pragma->loc, "no statement follows it in this block");
}

static bool is_filler(tree stmt)
{
    return TREE_CODE(stmt) == DEBUG_BEGIN_STMT || pragma_of_tree(stmt);
}

/* A statement between the pragma and the loop may only be the loop's own "i = 0".  */
static tree *find_loop_after(tree_stmt_iterator i, tree *found)
{
    *found = NULL_TREE;
    for (tsi_next(&i); !tsi_end_p(i); tsi_next(&i)) {
        tree stmt = tsi_stmt(i);
        if (is_filler(stmt))
            continue;
        tree *loop = find_loop_in(tsi_stmt_ptr(i));
        if (!*found)
            *found = stmt;
        if (!loop && TREE_CODE(stmt) != BIND_EXPR && !TREE_SIDE_EFFECTS(stmt))
            continue;
        if (loop && *found != stmt && stands_before(EXPR_LOCATION(*found), EXPR_LOCATION(*loop)))
            return NULL;
        if (loop)
            return loop;
        if (TREE_CODE(stmt) != MODIFY_EXPR && TREE_CODE(stmt) != INIT_EXPR && TREE_CODE(stmt) != COMPOUND_EXPR &&
            TREE_CODE(stmt) != NOP_EXPR && TREE_CODE(stmt) != CONVERT_EXPR && TREE_CODE(stmt) != CLEANUP_POINT_EXPR)
            return NULL;
    }
    return NULL;
}

static void insert_marker(tree loop, tree marker)
{
    tree list = NULL_TREE;
    append_to_statement_list_force(marker, &list);
    if (FOR_BODY(loop))
        append_to_statement_list_force(FOR_BODY(loop), &list);
    FOR_BODY(loop) = list;
}

/* Threads share out the loop of the sequential target: there is no region to look at.  */
static tree drop_marker(tree *where, int *, void *)
{
    Pragma *pragma = pragma_of_tree(*where);
    if (pragma) {
        pragma->used = true;
        *where = build_empty_stmt(pragma->loc);
    }
    return NULL_TREE;
}

/* ---- ways out of a grid that the later graph has no place for ---------------------------------------------------- */

struct GridBody {
    int levels; /* loops of the grid from here inwards */
    bool inside_loop, devices;
};

static void refuse_way_out(tree stmt, bool devices)
{
    complain(EXPR_LOCATION(stmt), "iterations are independent: use 'continue', or an upper bound",
             "the %s is left by %<break%>, %<return%> or %<goto%>", devices ? "loop over devices" : "grid");
}

static tree check_way_out(tree *where, int *walk_subtrees, void *data)
{
    GridBody *body = (GridBody *)data;
    enum tree_code code = TREE_CODE(*where);
    Pragma *pragma = pragma_of_tree(*where);
    if (pragma && pragma->is_together && !body->devices) {
        complain(pragma->loc, "put it around whole grids", "%<#pragma ws together%> stands in a grid");
        *where = build_empty_stmt(pragma->loc);
    }
    if (pragma && pragma->is_data && !body->devices) {
        complain(pragma->loc, "put it around the grid", "%<#pragma ws data%> stands in a grid");
        *where = build_empty_stmt(pragma->loc);
    }
    if (pragma && pragma->is_devices) {
        if (body->devices)
            complain(pragma->loc, "make one loop over all devices", "a loop over devices in another one");
        else
            devices_refuse(pragma->loc);
        *where = build_empty_stmt(pragma->loc);
    }
    if (code == RETURN_EXPR || (code == BREAK_STMT && !body->inside_loop))
        refuse_way_out(*where, body->devices);
    if (code != FOR_STMT && code != WHILE_STMT && code != DO_STMT && code != SWITCH_STMT)
        return NULL_TREE;
    bool next = code == FOR_STMT && !body->inside_loop && body->levels > 1;
    GridBody inner = {body->levels - 1, !next, body->devices};
    tree *nested = code == FOR_STMT     ? &FOR_BODY(*where)
                   : code == WHILE_STMT ? &WHILE_BODY(*where)
                   : code == DO_STMT    ? &DO_BODY(*where)
                                        : &SWITCH_STMT_BODY(*where);
    *walk_subtrees = 0;
    walk_tree_without_duplicates(nested, check_way_out, &inner);
    return NULL_TREE;
}

static void check_ways_out(tree loop, int dims, bool devices)
{
    GridBody body = {dims, false, devices};
    walk_tree_without_duplicates(&FOR_BODY(loop), check_way_out, &body);
}

/* ---- one marker -------------------------------------------------------------------------------------------------- */

/* The marker leaves its list, and goes into the loop if there is one.  */
static void bind_marker(Binder *binder, tree_stmt_iterator i, Pragma *pragma)
{
    tree marker = tsi_stmt(i), found;
    tree *loop = find_loop_after(i, &found);
    if (!loop) {
        no_loop(pragma, found);
        return;
    }
    if (is_omp_loop(*loop)) {
        if (plugin.target == TARGET_SEQUENTIAL) {
            walk_tree_without_duplicates(loop, drop_marker, NULL);
            return;
        }
        tree plain = omp_plain(*loop);
        if (!plain) {
            no_loop(pragma, *loop);
            return;
        }
        *loop = plain;
        loop = find_loop_in(loop);
    }
    if (pragma->is_devices) {
        tree plain = *loop;
        check_ways_out(plain, 1, true);
        devices_bind(loop, &marker, pragma);
        TREE_VISITED(marker) = 1;
        insert_marker(plain, marker);
        return;
    }
    insert_marker(*loop, marker);
    if (pragma->is_grid) {
        binder->has_grid = true;
        check_ways_out(*loop, pragma->grid.dims, false);
        walk_tree_without_duplicates(loop, force_callees, NULL);
    }
}

static void bind_list(Binder *binder, tree list)
{
    for (tree_stmt_iterator i = tsi_start(list); !tsi_end_p(i);) {
        Pragma *pragma = pragma_of_tree(tsi_stmt(i));
        bool moved = pragma && !pragma->is_task && same_place(pragma->loc, EXPR_LOCATION(tsi_stmt(i))) &&
                     !TREE_VISITED(tsi_stmt(i));
        if (!moved) {
            tsi_next(&i);
            continue;
        }
        TREE_VISITED(tsi_stmt(i)) = 1;
        if (pragma->is_together) {
            pragma->used = true;
            tsi_delink(&i);
            if (plugin.target != TARGET_SEQUENTIAL)
                devices_bind_block(list, &i, pragma);
            continue;
        }
        if (pragma->is_data) {
            tree marker = tsi_stmt(i);
            pragma->used = true;
            tsi_delink(&i);
            if (!data_bind(list, &i, pragma, marker))
                return;
            i = tsi_start(list); /* what was taken is walked with what holds it now */
            continue;
        }
        bind_marker(binder, i, pragma);
        tsi_delink(&i);
    }
}

/* Markers of pragmas that stood below a directive of OpenMP, which are within it, between it and its loop.  */
struct Lifted {
    location_t directive;
    tree markers;
};

static tree take_marker(tree *where, int *, void *data)
{
    Lifted *lifted = (Lifted *)data;
    Pragma *pragma = pragma_of_tree(*where);
    if (pragma && pragma->below == lifted->directive && !TREE_VISITED(*where)) {
        append_to_statement_list_force(*where, &lifted->markers);
        *where = build_empty_stmt(pragma->loc);
    }
    return NULL_TREE;
}

/* They come to stand above it, as if that were how they were written.  */
static void lift_markers(tree *directive)
{
    Lifted lifted = {EXPR_LOCATION(*directive), NULL_TREE};
    walk_tree_without_duplicates(directive, take_marker, &lifted);
    if (!lifted.markers)
        return;
    append_to_statement_list_force(*directive, &lifted.markers);
    *directive = lifted.markers;
}

static tree bind_tree(tree *where, int *, void *data)
{
    if (is_omp_loop(*where) && EXPR_HAS_LOCATION(*where))
        lift_markers(where);
    if (TREE_CODE(*where) == STATEMENT_LIST)
        bind_list((Binder *)data, *where);
    return NULL_TREE;
}

/* The task whose block is all of a loop's body, or of a function's.  */
static const Pragma *whole_task(tree stmt)
{
    while (stmt && TREE_CODE(stmt) == BIND_EXPR)
        stmt = BIND_EXPR_BODY(stmt);
    if (!stmt || TREE_CODE(stmt) != STATEMENT_LIST) {
        const Pragma *pragma = pragma_of_tree(stmt);
        return pragma && pragma->is_task ? pragma : NULL;
    }
    for (tree_stmt_iterator i = tsi_start(stmt); !tsi_end_p(i); tsi_next(&i)) {
        const Pragma *pragma = pragma_of_tree(tsi_stmt(i));
        if (pragma && pragma->is_task)
            return pragma;
        if (TREE_CODE(tsi_stmt(i)) == BIND_EXPR && tsi_one_before_end_p(i))
            return whole_task(tsi_stmt(i));
        if (!is_filler(tsi_stmt(i)))
            break;
    }
    return NULL;
}

static void refuse_whole(tree body)
{
    const Pragma *task = whole_task(body);
    if (task)
        complain(task->loc, "put the pragma first inside a block of its own: { #pragma ws task(name) ... }",
                 "task %qs is the whole body of a loop or of a function", task->task.name);
}

static tree refuse_whole_loop(tree *where, int *, void *)
{
    if (TREE_CODE(*where) == FOR_STMT)
        refuse_whole(FOR_BODY(*where));
    return NULL_TREE;
}

/* A marker that is the only statement of its block has no loop below it.  */
static tree bind_lonely(tree *where, int *, void *)
{
    Pragma *pragma = pragma_of_tree(*where);
    if (pragma && pragma->is_together && !TREE_VISITED(*where))
        *where = build_empty_stmt(pragma->loc);
    else if (pragma && pragma->is_data && !TREE_VISITED(*where)) {
        complain(pragma->loc, "write { ... } around the statements, or a loop, below it",
                 "%<#pragma ws data%> stands above a block or a loop");
        *where = build_empty_stmt(pragma->loc);
    } else if (pragma && !pragma->is_task && !TREE_VISITED(*where)) {
        no_loop(pragma, NULL_TREE);
        *where = build_empty_stmt(pragma->loc);
    }
    return NULL_TREE;
}

static bool has_pragma(tree fndecl)
{
    for (unsigned i = 0; i < pragma_count(); i++)
        if (pragma_at(i)->function == DECL_UID(fndecl))
            return true;
    return false;
}

/* A call of a function above that has a region and takes tensors: the region is a kernel of the caller.  */
static tree find_region_call(tree *where, int *, void *)
{
    tree fndecl = TREE_CODE(*where) == CALL_EXPR ? get_callee_fndecl(*where) : NULL_TREE;
    return fndecl && has_pragma(fndecl) && takes_handles(fndecl) ? fndecl : NULL_TREE;
}

void bind_function(tree fndecl)
{
    if (seen_error() || !DECL_SAVED_TREE(fndecl))
        return;
    Forced *entry = forced_find(fndecl);
    if (entry && !entry->done)
        force_body(fndecl);
    if (pragma_count() && walk_tree_without_duplicates(&DECL_SAVED_TREE(fndecl), find_region_call, NULL))
        walk_tree_without_duplicates(&DECL_SAVED_TREE(fndecl), force_handle_callees, NULL);
    if (!has_pragma(fndecl))
        return;
    Binder binder = {};
    refuse_whole(DECL_SAVED_TREE(fndecl));
    walk_tree_without_duplicates(&DECL_SAVED_TREE(fndecl), refuse_whole_loop, NULL);
    walk_tree_without_duplicates(&DECL_SAVED_TREE(fndecl), bind_tree, &binder);
    walk_tree_without_duplicates(&DECL_SAVED_TREE(fndecl), bind_lonely, NULL);
    if (!binder.has_grid)
        return;
    walk_tree_without_duplicates(&DECL_SAVED_TREE(fndecl), force_handle_callees, NULL);
    if (takes_handles(fndecl))
        force(fndecl);
}
