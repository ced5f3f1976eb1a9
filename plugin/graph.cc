/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * graph.cc - the control flow graph of a grid in one form, before the walk.
 *
 *   bb3: a = f (x)      inlining at -O0 leaves blocks and labels that -O2 merges
 *   bb4: L:             predictions and jumps through empty blocks differ likewise
 *   bb5: if (a) ...     -fsanitize=undefined puts a branch to its handler before a division
 *
 * What stands behind the region's own statements goes; what they do stays.  A way out of a grid other than the end of
 * its loops is reported here, while the graph still knows the lines of jumps.
 */
#include "plugin.h"

/* Without optimization GCC keeps every label and the line of every jump.  */
static void unprotect(basic_block bb)
{
    single_succ_edge(bb)->goto_locus = UNKNOWN_LOCATION;
    for (gimple_stmt_iterator i = gsi_start_bb(single_succ(bb)); !gsi_end_p(i); gsi_next(&i))
        if (glabel *label = dyn_cast<glabel *>(gsi_stmt(i)))
            DECL_ARTIFICIAL(gimple_label_label(label)) = 1;
}

static void drop_predictions(basic_block bb)
{
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i);)
        if (gimple_code(gsi_stmt(i)) == GIMPLE_PREDICT)
            gsi_remove(&i, true);
        else
            gsi_next(&i);
}

static bool is_empty(basic_block bb)
{
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); !gsi_end_p(i); gsi_next_nondebug(&i))
        if (gimple_code(gsi_stmt(i)) != GIMPLE_LABEL)
            return false;
    return gsi_end_p(gsi_start_phis(bb));
}

/* A block that only hands on to another; its one way in then leads there.  Those that loops need stay.  */
static void skip_forwarder(basic_block bb)
{
    if (!single_pred_p(bb) || !single_succ_p(bb) || !is_empty(bb) || single_succ(bb) == EXIT_BLOCK_PTR_FOR_FN(cfun))
        return;
    edge in = single_pred_edge(bb), out = single_succ_edge(bb);
    basic_block target = out->dest;
    if ((in->flags | out->flags) & (EDGE_COMPLEX | EDGE_DFS_BACK) || target->loop_father->header == target ||
        find_edge(in->src, target))
        return;
    location_t where = in->goto_locus;
    auto_vec<tree> arguments;
    for (gphi_iterator i = gsi_start_phis(target); !gsi_end_p(i); gsi_next(&i))
        arguments.safe_push(PHI_ARG_DEF_FROM_EDGE(i.phi(), out));
    edge direct = redirect_edge_and_branch(in, target);
    if (!direct)
        return;
    unsigned n = 0;
    for (gphi_iterator i = gsi_start_phis(target); !gsi_end_p(i); gsi_next(&i))
        add_phi_arg(i.phi(), arguments[n++], direct, where);
    delete_basic_block(bb);
}

static void merge_following(basic_block bb)
{
    while (single_succ_p(bb) && single_succ(bb) != EXIT_BLOCK_PTR_FOR_FN(cfun)) {
        unprotect(bb);
        if (!can_merge_blocks_p(bb, single_succ(bb)))
            return;
        merge_blocks(bb, single_succ(bb));
    }
}

/* Blocks of the loop and those that a `break` passes.  */
static void blocks_near(class loop *loop, auto_vec<int> *indices)
{
    basic_block *body = get_loop_body(loop);
    for (unsigned i = 0; i < loop->num_nodes; i++)
        indices->safe_push(body[i]->index);
    free(body);
}

/* Inlining at -O0 leaves straight code in many blocks.  */
static void straighten(class loop *loop)
{
    auto_vec<int> indices;
    blocks_near(loop, &indices);
    for (unsigned i = 0; i < indices.length(); i++)
        drop_predictions(BASIC_BLOCK_FOR_FN(cfun, indices[i]));
    for (unsigned i = 0; i < indices.length(); i++)
        if (basic_block bb = BASIC_BLOCK_FOR_FN(cfun, indices[i]))
            merge_following(bb);
    for (unsigned i = 0; i < indices.length(); i++)
        if (basic_block bb = BASIC_BLOCK_FOR_FN(cfun, indices[i]))
            skip_forwarder(bb);
}

/* ---- ways out of a grid ------------------------------------------------------------------------------------------ */

static location_t last_location(basic_block bb)
{
    gimple_stmt_iterator last = gsi_last_nondebug_bb(bb);
    return gsi_end_p(last) ? UNKNOWN_LOCATION : stmt_location(gsi_stmt(last));
}

/* Of the break, return or goto that makes the edge; else of the condition before it.  */
static location_t edge_location(edge e)
{
    if (single_pred_p(e->dest) && single_succ_p(e->dest) && has_place(single_succ_edge(e->dest)->goto_locus))
        return user_location(single_succ_edge(e->dest)->goto_locus);
    if (has_place(e->goto_locus))
        return user_location(e->goto_locus);
    gimple_stmt_iterator first = gsi_start_nondebug_bb(e->dest);
    if (single_pred_p(e->dest) && !gsi_end_p(first) && gimple_has_location(gsi_stmt(first)))
        return stmt_location(gsi_stmt(first));
    return last_location(e->src);
}

/* abort () and the like: the block behind the edge ends with a call that does not return.  */
static tree stopping_function(edge e)
{
    gimple_stmt_iterator last = gsi_last_nondebug_bb(e->dest);
    if (EDGE_COUNT(e->dest->succs) || gsi_end_p(last) || !is_gimple_call(gsi_stmt(last)))
        return NULL_TREE;
    return gimple_call_fndecl(gsi_stmt(last));
}

/* What begins here leads to nowhere but a loop without an end: the place of that loop, or UNKNOWN_LOCATION.  */
location_t graph_endless(basic_block from)
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

void graph_refuse_endless(location_t where)
{
    complain(where, "its condition is always true; an unsigned count is never below 0",
             "a loop in the grid never ends");
}

/* Helpers in the condition are blocks of their own before straighten ().  */
static basic_block condition_block(class loop *loop)
{
    basic_block bb = loop->header;
    for (unsigned i = 0; i < loop->num_nodes && single_succ_p(bb); i++)
        bb = single_succ(bb);
    return bb;
}

static bool is_loop_condition(class loop *loop, edge e)
{
    basic_block bb = condition_block(loop);
    location_t condition = last_location(bb);
    return e->src == bb || (condition != UNKNOWN_LOCATION &&
                            expand_location(condition).line == expand_location(last_location(e->src)).line);
}

static bool check_exits(class loop *loop)
{
    auto_vec<edge> exits = get_loop_exit_edges(loop);
    for (unsigned i = 0; i < exits.length(); i++) {
        if (edge_is_dead(exits[i]) || is_loop_condition(loop, exits[i]))
            continue;
        tree fndecl = stopping_function(exits[i]);
        location_t endless = graph_endless(exits[i]->dest);
        if (endless != UNKNOWN_LOCATION)
            graph_refuse_endless(endless);
        else if (fndecl)
            complain(last_location(exits[i]->dest), "check before the grid",
                     "the function %qD has no body here, and a grid takes in every function that it calls", fndecl);
        else
            complain(edge_location(exits[i]), "iterations are independent: use 'continue', or an upper bound",
                     "the grid is left by %<break%>, %<return%> or %<goto%>");
        return false;
    }
    return true;
}

/* The loops of a grid end by their conditions alone.  */
static bool check_grid(const MarkedLoop &mark)
{
    class loop *loop = mark.loop;
    for (int i = 0; i < mark.pragma->grid.dims && loop; i++) {
        if (!check_exits(loop)) {
            mark.pragma->used = true;
            return false;
        }
        loop = loop->inner && !loop->inner->next ? loop->inner : NULL;
    }
    return true;
}

/* ---- checks of the sanitizers ------------------------------------------------------------------------------------ */

/* The block behind an edge only reports undefined behaviour.  */
static bool is_check_failure(edge e)
{
    bool reports = false;
    if (!single_pred_p(e->dest) || EDGE_COUNT(e->dest->succs) > 1)
        return false;
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(e->dest); !gsi_end_p(i); gsi_next_nondebug(&i)) {
        gimple *stmt = gsi_stmt(i);
        bool check = is_gimple_call(stmt) && is_sanitizer_check(stmt);
        reports |= check && !gimple_call_internal_p(stmt); /* those only mark memory, or ask about an address */
        if (!check && !pure_scalar_stmt(stmt))
            return false;
    }
    return reports;
}

static bool drop_check(basic_block bb)
{
    edge e;
    edge_iterator ei;
    gimple_stmt_iterator last = gsi_last_bb(bb);
    if (EDGE_COUNT(bb->succs) != 2 || gsi_end_p(last) || gimple_code(gsi_stmt(last)) != GIMPLE_COND)
        return false;
    FOR_EACH_EDGE(e, ei, bb->succs)
    if (is_check_failure(e)) {
        gsi_remove(&last, true);
        remove_edge_and_dominated_blocks(e);
        single_succ_edge(bb)->flags &= ~(EDGE_TRUE_VALUE | EDGE_FALSE_VALUE);
        single_succ_edge(bb)->flags |= EDGE_FALLTHRU;
        return true;
    }
    return false;
}

static bool drop_checks(class loop *loop)
{
    auto_vec<int> indices;
    bool changed = false;
    blocks_near(loop, &indices);
    for (unsigned i = 0; i < indices.length(); i++)
        if (basic_block bb = BASIC_BLOCK_FOR_FN(cfun, indices[i]))
            changed |= drop_check(bb);
    return changed;
}

/* ---- entry ------------------------------------------------------------------------------------------------------- */

/* The kernel computes as the language says; its checks stay in the sequential target.  */
static void drop_all_checks(function *fn)
{
    auto_vec<MarkedLoop> marks;
    bool changed = false;
    loop_optimizer_init(LOOPS_NORMAL);
    region_collect(fn, &marks);
    calculate_dominance_info(CDI_DOMINATORS);
    for (unsigned i = 0; i < marks.length(); i++)
        if (marks[i].pragma->is_grid)
            changed |= drop_checks(marks[i].loop);
    free_dominance_info(fn, CDI_DOMINATORS);
    if (changed)
        loops_state_set(fn, LOOPS_NEED_FIXUP);
    loop_optimizer_finalize();
}

/* require: SSA, markers in place.   ensure: false after an error; else the graph of each grid in its plain form.  */
bool graph_prepare(function *fn)
{
    bool good = true;
    auto_vec<MarkedLoop> marks;
    if (flag_sanitize)
        drop_all_checks(fn);
    loop_optimizer_init(LOOPS_NORMAL);
    region_collect(fn, &marks);
    for (unsigned i = 0; i < marks.length(); i++)
        if (marks[i].pragma->is_grid)
            good &= check_grid(marks[i]);
    for (unsigned i = 0; i < marks.length() && good; i++)
        if (marks[i].pragma->is_grid)
            straighten(marks[i].loop);
    free_dominance_info(fn, CDI_DOMINATORS);
    loop_optimizer_finalize();
    return good;
}
