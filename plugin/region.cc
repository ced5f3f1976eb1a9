/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * region.cc - one function in SSA form, right after early inlining: its grids become kernels.
 *
 *   for (i ...)   <- ws_pragma_ (0): grid(2)        kernel gemm (M, N, K, A, B, C)
 *     for (j ...)                                     prologue; for i { for j { ...; for k pipeline(4,2) { ... } ... }
 *                                                     }
 *       for (k ...)   <- ws_pragma_ (1): pipeline   ws_launch_gemm (M, N, K, A, B, C);
 *
 * A marker's block says which loop it means.  All regions of the function are walked before the first is replaced, so
 * that the walk always sees the user's whole function.
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

static bool region_refuse_jumps(function *fn);

static void never_repeats(Pragma *pragma, basic_block bb)
{
    location_t endless = graph_endless(bb);
    if (!pragma->used && endless != UNKNOWN_LOCATION)
        graph_refuse_endless(endless);
    else if (!pragma->used && !region_refuse_jumps(cfun))
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
    if (cfun->calls_setjmp && region_refuse_jumps(cfun))
        pragma->used = true;
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

/* ---- what may not leave a region --------------------------------------------------------------------------------- */

/* GCC makes one jump, which stands nowhere, of all jumps to computed labels: the first of these labels.  */
static location_t jump_location(ggoto *stmt)
{
    basic_block bb;
    if (gimple_has_location(stmt))
        return stmt_location(stmt);
    FOR_EACH_BB_FN(bb, cfun)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        glabel *label = dyn_cast<glabel *>(gsi_stmt(i));
        if (label && FORCED_LABEL(gimple_label_label(label)))
            return DECL_SOURCE_LOCATION(gimple_label_label(label));
    }
    return UNKNOWN_LOCATION;
}

/* The statement that no other control flow does the work of.  */
static bool refuse_statement(gimple *stmt)
{
    if (gimple_code(stmt) == GIMPLE_GOTO && TREE_CODE(gimple_goto_dest(as_a<ggoto *>(stmt))) != LABEL_DECL)
        complain(jump_location(as_a<ggoto *>(stmt)), "write a switch", "a goto to a computed label in a grid");
    else if (is_gimple_call(stmt) && (gimple_call_flags(stmt) & ECF_RETURNS_TWICE))
        complain(stmt_location(stmt), "let the grid stand in a function of its own, and call that",
                 "%qD is called in a function with a grid", gimple_call_fndecl(stmt));
    else
        return false;
    return true;
}

/* Is there one?  Then it is refused.  */
static bool region_refuse_jumps(function *fn)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i))
        if (refuse_statement(gsi_stmt(i)))
            return true;
    return false;
}

void region_irregular(Walk *w, location_t where)
{
    if (!w->failed && !region_refuse_jumps(w->fn))
        complain(where, "use if, for, while and continue; leave a loop by its condition",
                 "this control flow cannot be structured");
    w->failed = true;
}

static gimple *use_outside(const Walk *w, tree name)
{
    imm_use_iterator i;
    use_operand_p use;
    FOR_EACH_IMM_USE_FAST(use, i, name)
    {
        gimple *stmt = USE_STMT(use);
        if (!is_gimple_debug(stmt) && !flow_bb_inside_loop_p(w->outer, gimple_bb(stmt)))
            return stmt;
    }
    return NULL;
}

/* What the loop's condition asks about.  */
static bool is_counter(tree name)
{
    gimple *def = SSA_NAME_DEF_STMT(name);
    basic_block bb = gimple_bb(def);
    gimple_stmt_iterator last = gsi_last_nondebug_bb(bb);
    if (gimple_code(def) != GIMPLE_PHI || bb->loop_father->header != bb || gsi_end_p(last) ||
        gimple_code(gsi_stmt(last)) != GIMPLE_COND)
        return false;
    return ssa_resolve(gimple_cond_lhs(gsi_stmt(last))) == name || ssa_resolve(gimple_cond_rhs(gsi_stmt(last))) == name;
}

static void check_leaving(Walk *w, tree name, location_t where)
{
    if (w->failed || !name || TREE_CODE(name) != SSA_NAME || virtual_operand_p(name) || !use_outside(w, name) ||
        total_of(w, name))
        return;
    w->failed = true;
    location_t use = stmt_location(use_outside(w, name));
    auto_diagnostic_group group;
    if (name_of(name))
        error_at(use != UNKNOWN_LOCATION ? use : where, with_id("the value of %qs leaves the grid"), name_of(name));
    else
        error_at(use != UNKNOWN_LOCATION ? use : where, "%s", with_id("a value leaves the grid"));
    if (is_counter(name))
        inform((location_t)w->kernel->loc.host, "assign it again behind the grid, or use another variable there");
    else if (w->kernel->grid.plain && name_of(name))
        inform((location_t)w->kernel->loc.host,
               "results leave this grid in arrays, and as sums: %<reduction(+: %s)%>, a clause of the grid",
               name_of(name));
    else
        inform((location_t)w->kernel->loc.host,
               "results leave this grid through %<ws_store%> alone; compute scalars again after it");
}

static void check_values(Walk *w)
{
    basic_block *body = get_loop_body(w->outer);
    for (unsigned i = 0; i < w->outer->num_nodes; i++) {
        for (gphi_iterator p = gsi_start_phis(body[i]); !gsi_end_p(p); gsi_next(&p))
            check_leaving(w, gimple_phi_result(p.phi()), (location_t)w->kernel->loc.host);
        for (gimple_stmt_iterator s = gsi_start_nondebug_bb(body[i]); !gsi_end_p(s); gsi_next_nondebug(&s))
            check_leaving(w, gimple_get_lhs(gsi_stmt(s)), stmt_location(gsi_stmt(s)));
    }
    free(body);
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
static Kernel *new_kernel(function *fn, Pragma *pragma, class loop *loop, int ordinal, Kernel *first)
{
    Module *module = plugin.module;
    const char *function = name_of_function(fn);
    const char *plain = name_for_device(function);
    const char *name = ordinal > 1 ? arena_print(module, "%s_%d", plain, ordinal) : plain;
    Kernel *kernel = first ? choice_kernel(loop, first) : kernel_new(module, name, loc_of(pragma->loc));
    kernel->c_function = arena_print(module, "%s", function);
    kernel->grid = pragma->grid;
    kernel->grid.loc = kernel->loc;
    kernel->grid.plain = plain_is(loop, pragma);
    if (!TREE_PUBLIC(fn->decl))
        kernel->launcher = arena_print(module, "ws_launch_%s_%08x", name, hash_text(module->source));
    if (first)
        kernel->launcher = first->launcher;
    return kernel;
}

static int parameter_rank(function *fn, tree expression)
{
    int rank = 0;
    for (tree parameter = DECL_ARGUMENTS(fn->decl); parameter; parameter = DECL_CHAIN(parameter), rank++)
        if (TREE_CODE(expression) == SSA_NAME && SSA_NAME_IS_DEFAULT_DEF(expression) &&
            SSA_NAME_VAR(expression) == parameter)
            return rank;
    return rank;
}

/* Live-ins in the order of the function's parameters, then as they were found; unused ones go.  */
static void order_live_ins(Walk *w)
{
    Kernel *kernel = w->kernel;
    auto_vec<LiveIn> sorted;
    ir_count_uses(kernel, kernel->body);
    for (const Total *total = kernel->grid.totals; total; total = total->next)
        total->base->uses++;
    if (kernel->grid.from)
        kernel->grid.from->uses++;
    for (const Extent *extent = kernel->grid.extents; extent; extent = extent->next) {
        extent->base->uses++;
        extent->bytes->uses++;
    }
    for (unsigned i = 0; i < w->livein.length(); i++) {
        if (!w->livein[i].value->uses)
            continue;
        int rank = parameter_rank(w->fn, w->livein[i].expression);
        unsigned at = sorted.length();
        while (at > 0 && parameter_rank(w->fn, sorted[at - 1].expression) > rank)
            at--;
        sorted.safe_insert(at, w->livein[i]);
    }
    w->livein.truncate(0);
    kernel->nparams = (int)sorted.length();
    for (unsigned i = 0; i < sorted.length(); i++) {
        w->livein.safe_push(sorted[i]);
        kernel->params[i] = sorted[i].value;
        sorted[i].value->index = (int)i;
    }
}

static void number_blocks(function *fn, int *order)
{
    int *blocks = XNEWVEC(int, n_basic_blocks_for_fn(fn));
    int count = pre_and_rev_post_order_compute_fn(fn, NULL, blocks, false);
    for (int i = 0; i < count; i++)
        order[blocks[i]] = i;
    free(blocks);
}

/* Clauses that say what plain loops become.  */
static void check_clauses(Walk *w)
{
    const char *remedy = "the step of a loop over tiles is the tile; leave the clause out";
    for (unsigned i = 0; i < w->marks->length() && !w->kernel->grid.plain; i++) {
        const MarkedLoop &mark = (*w->marks)[i];
        const Pragma *pragma = mark.pragma;
        bool outer = mark.loop == w->outer, inside = outer || flow_loop_nested_p(w->outer, mark.loop);
        if (!inside || !(pragma->is_grid ? pragma->grid.tile[0] || pragma->grid.precision != PRECISION_F32 ||
                                               pragma->grid.reductions
                                         : pragma->pipeline.tile || pragma->pipeline.reductions))
            continue;
        complain(pragma->loc, remedy,
                 "%<tile%>, %<reduction%> and %<precision%> are about loops over elements, and this grid %s",
                 "calls functions of tiles, or writes no array");
        w->failed = true;
    }
}

static void walk_loops(Walk *w, const MarkedLoop &mark)
{
    complain_in_region(true);
    total_collect(w);
    check_values(w);
    check_clauses(w);
    task_collect(w);
    plain_extents(w, mark.pragma);
    if (!w->failed)
        loop_emit(w, mark.loop);
    total_leave(w);
    task_check_rings(w);
    complain_in_region(false);
}

static Walk *walk_region(function *fn, const MarkedLoop &mark, auto_vec<MarkedLoop> *marks, int *order, int ordinal,
                         Kernel *first)
{
    Walk *w = new Walk();
    w->fn = fn;
    w->outer = mark.loop;
    w->loop = loop_outer(mark.loop);
    w->marks = marks;
    w->order = order;
    w->kernel = new_kernel(fn, mark.pragma, mark.loop, ordinal, first);
    w->block = w->kernel->body;
    w->where = mark.pragma->loc;
    mark.pragma->used = true;
    entry_walk(w, mark);
    if (w->failed || w->kernel->failed) {
        if (!seen_error())
            BUG(w->kernel, "a region was refused without a word");
        w->failed = w->kernel->failed = plugin.module->failed = true;
        return w;
    }
    if (flag_sanitize & SANITIZE_UNDEFINED)
        remark(w->kernel, DIAG_MISSED, w->kernel->loc, "the grid runs without the checks of -fsanitize=undefined");
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

static Walk *walk_grid(function *fn, const MarkedLoop &mark, auto_vec<MarkedLoop> *marks, int *order, int ordinal)
{
    Walk *w = walk_region(fn, mark, marks, order, ordinal, NULL);
    if (!w->failed)
        signature_region(w);
    return w;
}

static void walk_all(function *fn, auto_vec<MarkedLoop> *marks, auto_vec<Walk *> *walks)
{
    int *order = XCNEWVEC(int, last_basic_block_for_fn(fn) + 1);
    int ordinal = 0;
    number_blocks(fn, order);
    calculate_dominance_info(CDI_DOMINATORS);
    for (unsigned i = 0; i < marks->length(); i++)
        if (check_mark(*marks, &(*marks)[i]) && (*marks)[i].pragma->is_grid)
            walks->safe_push(walk_grid(fn, (*marks)[i], marks, order, ++ordinal));
    task_refuse_lonely(fn, marks);
    free(order);
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
