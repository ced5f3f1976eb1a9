/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * region.cc - one function in SSA form, right after early inlining: its grids become kernels.
 *
 *   for (i ...)   <- ws_pragma_ (0): grid(2)        kernel gemm (M, N, K, A, B, C)
 *     for (j ...)                                     prologue; for i { for j { ...; for k pipeline(4,2) { ... } ... }
 *                                                     }
 *       for (k ...)   <- ws_pragma_ (1): pipeline   ws_launch_gemm (M, N, K, A, B, C);
 *
 * A marker's block says which loop it means.  The kernels of a function are built before a region of it is replaced.
 */
#include "plugin.h"
#include "source/kernels.h"

/* ---- markers ----------------------------------------------------------------------------------------------------- */

static bool has_marker(function *fn)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
        if (pragma_of_stmt(gsi_stmt(i)))
            return true;
    return false;
}

static void remove_markers(function *fn)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i);) {
        if (!pragma_of_stmt(gsi_stmt(i))) {
            gsi_next(&i);
            continue;
        }
        unlink_stmt_vdef(gsi_stmt(i));
        release_defs(gsi_stmt(i));
        gsi_remove(&i, true);
    }
    entry_remove(fn);
}

static location_t last_location(basic_block bb)
{
    gimple_stmt_iterator last = gsi_last_nondebug_bb(bb);
    return gsi_end_p(last) ? UNKNOWN_LOCATION : stmt_location(gsi_stmt(last));
}

/* What begins here leads to nowhere but a loop without an end: the place of that loop, or UNKNOWN_LOCATION.  */
static location_t endless_below(basic_block from)
{
    hash_set<basic_block> seen;
    auto_vec<basic_block> blocks;
    location_t where = last_location(from);
    blocks.safe_push(from);
    for (unsigned n = 0; n < blocks.length(); n++) {
        edge out;
        edge_iterator i;
        if (!EDGE_COUNT(blocks[n]->succs))
            return UNKNOWN_LOCATION;
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(blocks[n]); !gsi_end_p(s); gsi_next_nondebug(&s))
            if (Pragma *pragma = pragma_of_stmt(gsi_stmt(s)))
                where = pragma->is_grid ? where : pragma->loc;
        FOR_EACH_EDGE(out, i, blocks[n]->succs)
        if (!seen.add(out->dest))
            blocks.safe_push(out->dest);
    }
    return where;
}

static void refuse_endless(location_t where)
{
    complain(where, "its condition is always true; an unsigned count is never below 0",
             "a loop in the grid never ends");
}

/* A function that calls setjmp has edges that are no control flow of C.  */
static void refuse_setjmp(function *fn)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i) && !seen_error(); gsi_next_nondebug(&i))
        if (is_gimple_call(gsi_stmt(i)) && (gimple_call_flags(gsi_stmt(i)) & ECF_RETURNS_TWICE))
            complain(stmt_location(gsi_stmt(i)), "let the grid stand in a function of its own, and call that",
                     "%qD is called in a function with a grid", gimple_call_fndecl(gsi_stmt(i)));
}

static void never_repeats(Pragma *pragma, basic_block bb)
{
    location_t endless = endless_below(bb);
    if (!pragma->used && endless != UNKNOWN_LOCATION)
        refuse_endless(endless);
    else if (!pragma->used)
        complain(pragma->loc, "remove the pragma, or the statement that always leaves the loop",
                 "the loop under this pragma never repeats");
    pragma->used = true;
}

void region_collect(function *fn, auto_vec<MarkedLoop> *marks)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        Pragma *pragma = pragma_of_stmt(gsi_stmt(i));
        if (!pragma || pragma->is_task)
            continue;
        if (!loop_outer(bb->loop_father))
            never_repeats(pragma, bb);
        else
            marks->safe_push(MarkedLoop{bb->loop_father, pragma, gsi_stmt(i)});
    }
}

static const MarkedLoop *grid_around(const auto_vec<MarkedLoop> &marks, const MarkedLoop *mark)
{
    for (unsigned i = 0; i < marks.length(); i++)
        if (marks[i].pragma->is_grid && &marks[i] != mark && flow_loop_nested_p(marks[i].loop, mark->loop))
            return &marks[i];
    return NULL;
}

static bool twice(const auto_vec<MarkedLoop> &marks, const MarkedLoop *mark)
{
    for (unsigned i = 0; i < marks.length(); i++)
        if (&marks[i] != mark && marks[i].loop == mark->loop && marks[i].pragma->loc <= mark->pragma->loc)
            return true;
    return false;
}

/* What a pragma may not be, whatever the loop holds.  */
static bool check_mark(const auto_vec<MarkedLoop> &marks, const MarkedLoop *mark)
{
    Pragma *pragma = mark->pragma;
    const bool said = twice(marks, mark) || (pragma->is_grid && grid_around(marks, mark)) ||
                      (plugin.module->failed && !pragma->is_grid);
    if (said) { /* by lowering/source/ */
        pragma->used = true;
        return false;
    }
    if (cfun->calls_setjmp)
        refuse_setjmp(cfun);
    else if (pragma->is_devices && grid_around(marks, mark))
        devices_refuse(pragma->loc);
    else if (pragma->is_devices)
        pragma->used = true;
    else if (!pragma->is_grid && !grid_around(marks, mark))
        complain(pragma->loc, reason_remedy(REASON_PIPELINE_OUTSIDE), "%s",
                 pragma->pipeline.parts    ? "a loop over parts stands outside every grid"
                 : pragma->pipeline.blocks ? "a loop over blocks stands outside every grid"
                                           : reason_sentence(REASON_PIPELINE_OUTSIDE));
    else
        return true;
    pragma->used = true;
    return false;
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

static const char *name_of_function(function *fn)
{
    return IDENTIFIER_POINTER(DECL_NAME(fn->decl));
}

static unsigned hash_text(const char *text)
{
    unsigned hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* nvcc takes no universal characters in the names of kernels: größe becomes gru00f6u00dfe.  */
const char *name_for_device(const char *name)
{
    const char *plain = arena_print(plugin.module, "%s", "");
    for (const unsigned char *at = (const unsigned char *)name; *at;) {
        if (*at < 0x80) {
            plain = arena_print(plugin.module, "%s%c", plain, *at++);
            continue;
        }
        unsigned character = *at & (*at >= 0xf0 ? 0x07 : *at >= 0xe0 ? 0x0f : 0x1f);
        for (at++; (*at & 0xc0) == 0x80; at++)
            character = character << 6 | (*at & 0x3f);
        plain = arena_print(plugin.module, "%su%04x", plain, character);
    }
    return plain;
}

/* The n-th region of a function has a suffix; what is static in one file may be so in another.  */
static Kernel *new_kernel(function *fn, Pragma *pragma, int ordinal)
{
    Module *module = plugin.module;
    const char *function = name_of_function(fn);
    const char *plain = name_for_device(function);
    const char *name = ordinal > 1 ? arena_print(module, "%s_%d", plain, ordinal) : plain;
    Kernel *kernel = kernel_new(module, name, loc_of(pragma->loc));
    kernel->c_function = arena_print(module, "%s", function);
    kernel->grid = pragma->grid;
    kernel->grid.loc = kernel->loc;
    if (!TREE_PUBLIC(fn->decl))
        kernel->launcher = arena_print(module, "ws_launch_%s_%08x", name, hash_text(module->source));
    return kernel;
}

static Walk *walk_region(function *fn, const MarkedLoop &mark, auto_vec<MarkedLoop> *marks, int ordinal)
{
    Walk *w = new Walk();
    w->fn = fn;
    w->outer = mark.loop;
    w->marks = marks;
    w->kernel = new_kernel(fn, mark.pragma, ordinal);
    mark.pragma->used = true;
    entry_walk(w, mark);
    if (w->kernel->failed) {
        if (!seen_error())
            BUG(w->kernel, "a region was refused without a word");
        plugin.module->failed = true;
        return w;
    }
    if (flag_sanitize & SANITIZE_UNDEFINED)
        remark(w->kernel, DIAG_MISSED, w->kernel->loc, "the grid runs without the checks of -fsanitize=undefined");
    signature_region(w);
    return w;
}

/* ---- the pass over a function ------------------------------------------------------------------------------------ */

static unsigned replace_all(function *fn, auto_vec<Walk *> *walks)
{
    for (unsigned i = 0; i < walks->length(); i++) {
        replace_region((*walks)[i]);
        for (unsigned k = 0; k < walks->length(); k++)
            if (k != i)
                total_hand_on((*walks)[i], (*walks)[k]);
    }
    free_dominance_info(fn, CDI_DOMINATORS);
    loops_state_set(fn, LOOPS_NEED_FIXUP);
    delete_unreachable_blocks();
    entry_remove(fn); /* it uses the tensors */
    replace_dead_tensors(fn);
    mark_virtual_operands_for_renaming(fn);
    return TODO_update_ssa | TODO_cleanup_cfg;
}

static void walk_all(function *fn, auto_vec<MarkedLoop> *marks, auto_vec<Walk *> *walks)
{
    int ordinal = 0;
    calculate_dominance_info(CDI_DOMINATORS);
    for (unsigned i = 0; i < marks->length(); i++)
        if (check_mark(*marks, &(*marks)[i]) && (*marks)[i].pragma->is_grid)
            walks->safe_push(walk_region(fn, (*marks)[i], marks, ++ordinal));
    task_refuse_lonely(fn, marks);
}

/* require: SSA, early inlining done.   ensure: a kernel for each grid, and in its place a call of the launcher.  */
unsigned region_execute(function *fn)
{
    auto_vec<MarkedLoop> marks;
    auto_vec<Walk *> walks;
    unsigned todo = 0;
    if (!has_marker(fn))
        return 0;
    if (seen_error()) {
        remove_markers(fn);
        return 0;
    }
    loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
    region_collect(fn, &marks);
    walk_all(fn, &marks, &walks);
    bool replaces = !seen_error() && walks.length() && plugin.target != TARGET_SEQUENTIAL;
    for (unsigned i = 0; i < walks.length() && replaces; i++)
        replace_prepare(walks[i]);
    for (unsigned i = 0; i < walks.length() && !replaces && !seen_error(); i++)
        todo |= show_places(walks[i]) ? TODO_update_ssa : 0;
    loop_optimizer_finalize();
    if (replaces)
        todo = replace_all(fn, &walks);
    remove_markers(fn);
    if (replaces)
        devices_join(fn);
    cgraph_edge::rebuild_edges();
    for (unsigned i = 0; i < walks.length(); i++)
        delete walks[i];
    return todo;
}

/* ---- functions that were only inlined ---------------------------------------------------------------------------- */

static void unseen_grid(function *fn)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        Pragma *pragma = pragma_of_stmt(gsi_stmt(i));
        if (pragma && pragma->is_grid && !pragma->used && !seen_error()) {
            pragma->used = true;
            complain(pragma->loc, "call the function in this file, or construct its tensors in it",
                     "the element types of the tensors are not visible: they are parameters of the function");
        }
    }
}

/* Copies of helpers that are called from elsewhere as well keep no marker.  */
void region_clean_markers(void)
{
    cgraph_node *node;
    if (!pragma_count())
        return;
    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY(node)
    {
        function *fn = DECL_STRUCT_FUNCTION(node->decl);
        if (!fn || !fn->cfg || !has_marker(fn))
            continue;
        push_cfun(fn);
        unseen_grid(fn);
        remove_markers(fn);
        cgraph_edge::rebuild_edges();
        pop_cfun();
    }
}
