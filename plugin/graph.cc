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

/* ---- a bound that a condition chooses ---------------------------------------------------------------------------- */

enum { MOST_ARMS = 16 };

/* The blocks between a loop's header and its own condition.  */
struct Arms {
    class loop *loop;
    basic_block join; /* where they meet, or NULL */
    auto_vec<basic_block> blocks;
    hash_map<basic_block, tree> conditions;
};

static bool leaves(class loop *loop, basic_block bb)
{
    for (unsigned i = 0; i < EDGE_COUNT(bb->succs); i++)
        if (!flow_bb_inside_loop_p(loop, EDGE_SUCC(bb, i)->dest))
            return true;
    return false;
}

/* It computes numbers, and goes on to one block or to one of two.  */
static bool only_computes(basic_block bb, basic_block top)
{
    gimple_stmt_iterator last = gsi_last_nondebug_bb(bb);
    if (bb != top && !gsi_end_p(gsi_start_phis(bb)))
        return false;
    for (gimple_stmt_iterator i = gsi_start_nondebug_bb(bb); bb != top && !gsi_end_p(i); gsi_next_nondebug(&i)) {
        gimple *stmt = gsi_stmt(i);
        bool idle = gimple_code(stmt) == GIMPLE_LABEL || gimple_code(stmt) == GIMPLE_PREDICT ||
                    gimple_code(stmt) == GIMPLE_COND;
        if (!idle &&
            (!is_gimple_assign(stmt) || !pure_scalar_stmt(stmt) || gimple_vuse(stmt) || gimple_could_trap_p(stmt)))
            return false;
    }
    bool tests = !gsi_end_p(last) && gimple_code(gsi_stmt(last)) == GIMPLE_COND;
    return EDGE_COUNT(bb->succs) == (tests ? 2 : 1);
}

/* Those behind `bb`, each behind all that lead to it where arms do not share more than their ends.  */
static bool collect_arms(Arms *arms, basic_block bb)
{
    basic_block top = arms->loop->header;
    if (arms->blocks.length() == MOST_ARMS || bb->loop_father != arms->loop || !only_computes(bb, top))
        return false;
    arms->blocks.safe_push(bb);
    for (unsigned i = 0; i < EDGE_COUNT(bb->succs); i++) {
        basic_block next = EDGE_SUCC(bb, i)->dest;
        if (next == top || !dominated_by_p(CDI_DOMINATORS, next, top))
            return false;
        if (leaves(arms->loop, next)) {
            if (arms->join && arms->join != next)
                return false;
            arms->join = next;
        } else if (!arms->blocks.contains(next) && !collect_arms(arms, next)) {
            return false;
        }
    }
    return true;
}

/* What the join gets by an edge: an argument of its PHI, or a choice of them.  */
static tree choice_behind(Arms *arms, edge e, gphi *phi, gimple_stmt_iterator *at)
{
    if (e->dest == arms->join)
        return PHI_ARG_DEF_FROM_EDGE(phi, e);
    tree *condition = arms->conditions.get(e->dest);
    if (!condition)
        return choice_behind(arms, single_succ_edge(e->dest), phi, at);
    edge yes, no;
    extract_true_false_edges_from_block(e->dest, &yes, &no);
    tree x = choice_behind(arms, yes, phi, at), y = choice_behind(arms, no, phi, at);
    if (operand_equal_p(x, y, 0))
        return x;
    gimple *choice = gimple_build_assign(make_ssa_name(TREE_TYPE(x)), COND_EXPR, *condition, x, y);
    gimple_set_location(choice, gimple_location(gsi_stmt(gsi_last_nondebug_bb(e->dest))));
    gsi_insert_before(at, choice, GSI_SAME_STMT);
    return gimple_assign_lhs(choice);
}

/* The arms' statements, and their conditions as numbers, stand in the header.  */
static void compute_first(Arms *arms, gimple_stmt_iterator *at)
{
    for (unsigned i = 0; i < arms->blocks.length(); i++) {
        basic_block bb = arms->blocks[i];
        for (gimple_stmt_iterator s = gsi_start_bb(bb); i && !gsi_end_p(s);)
            if (is_gimple_assign(gsi_stmt(s)))
                gsi_move_before(&s, at);
            else
                gsi_next(&s);
        gimple_stmt_iterator last = gsi_last_bb(bb);
        gcond *test = gsi_end_p(last) ? NULL : dyn_cast<gcond *>(gsi_stmt(last));
        if (!test)
            continue;
        tree name = make_ssa_name(boolean_type_node);
        gimple *compare =
            gimple_build_assign(name, gimple_cond_code(test), gimple_cond_lhs(test), gimple_cond_rhs(test));
        gimple_set_location(compare, gimple_location(test));
        gsi_insert_before(at, compare, GSI_SAME_STMT);
        arms->conditions.put(bb, name);
    }
}

/* i < (c ? n - 1 : n): if (c) _1 = n - 1; _2 = PHI <_1, n>  ->  _1 = n - 1; _2 = c ? _1 : n.  */
static void choose_bound(class loop *loop)
{
    Arms arms;
    arms.loop = loop;
    arms.join = NULL;
    basic_block top = loop->header;
    gimple_stmt_iterator at = gsi_last_bb(top);
    if (gsi_end_p(at) || gimple_code(gsi_stmt(at)) != GIMPLE_COND || leaves(loop, top) || !collect_arms(&arms, top) ||
        !arms.join || gsi_end_p(gsi_start_phis(arms.join)))
        return;
    for (unsigned i = 0; i < EDGE_COUNT(arms.join->preds); i++)
        if (!arms.blocks.contains(EDGE_PRED(arms.join, i)->src))
            return;
    for (gphi_iterator i = gsi_start_phis(arms.join); !gsi_end_p(i); gsi_next(&i))
        if (!INTEGRAL_TYPE_P(TREE_TYPE(gimple_phi_result(i.phi()))))
            return;
    edge yes, no;
    extract_true_false_edges_from_block(top, &yes, &no);
    compute_first(&arms, &at);
    for (gphi_iterator i = gsi_start_phis(arms.join); !gsi_end_p(i);) {
        tree x = choice_behind(&arms, yes, i.phi(), &at), y = choice_behind(&arms, no, i.phi(), &at);
        tree result = gimple_phi_result(i.phi());
        remove_phi_node(&i, false);
        gimple *choice = gimple_build_assign(result, COND_EXPR, *arms.conditions.get(top), x, y);
        gimple_set_location(choice, gimple_location(gsi_stmt(at)));
        gsi_insert_before(&at, choice, GSI_SAME_STMT);
    }
    gsi_remove(&at, true);
    remove_edge(yes);
    remove_edge(no);
    for (unsigned i = 1; i < arms.blocks.length(); i++)
        delete_basic_block(arms.blocks[i]);
    make_single_succ_edge(top, arms.join, EDGE_FALLTHRU);
}

static void choose_bounds(class loop *grid)
{
    choose_bound(grid);
    for (class loop *inner = grid->inner; inner; inner = inner->next)
        choose_bounds(inner);
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

location_t graph_exit_location(edge e)
{
    return edge_location(e);
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
        if (marks[i].pragma->is_grid) {
            straighten(marks[i].loop);
            free_dominance_info(fn, CDI_DOMINATORS);
            calculate_dominance_info(CDI_DOMINATORS);
            choose_bounds(marks[i].loop);
            straighten(marks[i].loop);
        }
    free_dominance_info(fn, CDI_DOMINATORS);
    loop_optimizer_finalize();
    return good;
}
