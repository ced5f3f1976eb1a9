/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * task.cc - the blocks of #pragma ws task: which statements of a region belong to one, and which tile a ring(x, D)
 * means.
 *
 *   {                                          BLOCK 5:  ws_pragma_ (2);              the marker, first in its block
 *   #pragma ws task(scale) ring(b, 3)                    _4 = ws_cast (q_3, ...);     task 1
 *       b = ws_cast(q, WS_F16);                          b_5 = _4;                    the cast is marked: ring 3
 *   }                                          BLOCK 4:  acc_7 = ws_dot (...);        no task
 *
 * The scope of a statement is that of the source, at every -O.  So a marker's own BLOCK is the task's, and a statement
 * belongs to the task if that BLOCK is around it.  The inliner copies the marker with its block: each copy of a helper
 * has tasks of its own.
 */
#include "plugin.h"

static bool is_inside(tree block, tree outer)
{
    for (; block && TREE_CODE(block) == BLOCK; block = BLOCK_SUPERCONTEXT(block))
        if (block == outer)
            return true;
    return false;
}

static bool is_pipelined(const MarkedLoop *mark)
{
    return !mark->pragma->is_grid && !mark->pragma->pipeline.parts && !mark->pragma->pipeline.blocks;
}

static const MarkedLoop *pipeline_around(const auto_vec<MarkedLoop> *marks, basic_block bb)
{
    for (unsigned i = 0; i < marks->length(); i++) {
        const MarkedLoop *mark = &(*marks)[i];
        if (is_pipelined(mark) && flow_bb_inside_loop_p(mark->loop, bb))
            return mark;
    }
    return NULL;
}

/* ---- the tasks of a region --------------------------------------------------------------------------------------- */

static bool is_named_twice(const Walk *w, const char *name)
{
    for (const Task *task = w->kernel->tasks; task; task = task->next)
        if (!strcmp(task->name, name))
            return true;
    return false;
}

/* Some loop of the region is pipelined.  */
static bool has_pipeline(const Walk *w)
{
    for (unsigned i = 0; i < w->marks->length(); i++) {
        const MarkedLoop *mark = &(*w->marks)[i];
        if (is_pipelined(mark) && flow_loop_nested_p(w->outer, mark->loop))
            return true;
    }
    return false;
}

static void add_task(Walk *w, gimple *marker, Pragma *pragma)
{
    pragma->used = true;
    if (!has_pipeline(w)) {
        complain(pragma->loc, "put '#pragma ws pipeline' above a loop of it",
                 "task %qs stands in a grid without a pipelined loop", pragma->task.name);
        w->failed = true;
    } else if (is_named_twice(w, pragma->task.name)) {
        complain(pragma->loc, "give each task a name of its own, and put what one role does into one block",
                 "two tasks are called %qs", pragma->task.name);
        w->failed = true;
    }
    Task *task = task_new(w->kernel, pragma->task.name);
    task->groups = pragma->task.groups;
    task->registers = pragma->task.registers;
    task->loc = loc_of(pragma->loc);
    w->tasks.safe_push(TaskBlock{gimple_block(marker), gimple_bb(marker), pragma});
}

static void add_shares(Walk *w, const Pragma *pragma)
{
    for (TileShare *share = pragma->shares; share; share = share->next) {
        share->number = share_new(w->kernel, share->names[0], share->names[1], share->loc);
        share->used[0] = share->used[1] = false;
    }
}

/* In the order of the source.  */
void task_collect(Walk *w)
{
    auto_vec<gimple *> markers;
    basic_block bb;
    FOR_EACH_BB_FN(bb, w->fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        Pragma *pragma = pragma_of_stmt(gsi_stmt(i));
        if (!pragma || !pragma->is_task || !flow_bb_inside_loop_p(w->outer, bb))
            continue;
        unsigned at = markers.length();
        while (at > 0 && pragma->loc < pragma_of_stmt(markers[at - 1])->loc)
            at--;
        markers.safe_insert(at, gsi_stmt(i));
    }
    for (unsigned i = 0; i < markers.length(); i++)
        add_task(w, markers[i], pragma_of_stmt(markers[i]));
    hash_set<Pragma *> pragmas; /* a helper's loop is there more than once */
    for (unsigned i = 0; i < w->marks->length(); i++)
        if (flow_loop_nested_p(w->outer, (*w->marks)[i].loop) && !pragmas.add((*w->marks)[i].pragma))
            add_shares(w, (*w->marks)[i].pragma);
    for (unsigned i = 0; i < w->tasks.length(); i++)
        if (!pragmas.add(w->tasks[i].pragma))
            add_shares(w, w->tasks[i].pragma);
}

int task_of(const Walk *w, const gimple *stmt)
{
    int found = 0;
    for (unsigned i = 0; i < w->tasks.length(); i++)
        if (is_inside(gimple_block(stmt), w->tasks[i].block) &&
            (!found || is_inside(w->tasks[i].block, w->tasks[found - 1].block)))
            found = (int)i + 1;
    return found;
}

/* A task without a grid around it.  */
void task_refuse_lonely(function *fn, const auto_vec<MarkedLoop> *marks)
{
    basic_block bb;
    FOR_EACH_BB_FN(bb, fn)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        Pragma *pragma = pragma_of_stmt(gsi_stmt(i));
        if (!pragma || !pragma->is_task || pragma->used || pipeline_around(marks, bb))
            continue;
        pragma->used = true;
        complain(pragma->loc, "put '#pragma ws pipeline' above the loop around it",
                 "task %qs stands outside of a pipelined loop", pragma->task.name);
    }
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

/* Copies, an inlined helper's and those of promote.cc, have the name and the place of the variable that was in sight at
   the pragma.  */
static bool is_named(const TileRing *ring, tree var)
{
    location_t declared = host_location(ring->declared);
    bool place = !has_place(declared) || same_place(declared, DECL_SOURCE_LOCATION(var));
    return place && DECL_NAME(var) && !strcmp(IDENTIFIER_POINTER(DECL_NAME(var)), ring->name);
}

static void note_rings(TileRing *rings, tree var, Op *def)
{
    for (TileRing *ring = rings; ring; ring = ring->next)
        if (is_named(ring, var)) {
            schedule_op(def)->ring = ring->slots;
            ring->used = true;
        }
}

/* A tile is in one share.  */
static void note_shares(Walk *w, TileShare *shares, tree var, Op *def)
{
    for (TileShare *share = shares; share; share = share->next)
        for (int i = 0; i < 2; i++) {
            if (!DECL_NAME(var) || strcmp(IDENTIFIER_POINTER(DECL_NAME(var)), share->names[i]))
                continue;
            const int number = 2 * share->number + i;
            ScheduleRow *row = schedule_op(def);
            if (row->share && row->share != number && !w->failed) {
                complain(host_location(share->loc), "leave one of the clauses out",
                         "%qs shares memory with another tile already", share->names[i]);
                w->failed = true;
            }
            row->share = number;
            share->used[i] = true;
        }
}

void task_note_rings(Walk *w, gimple *stmt)
{
    tree lhs = gimple_get_lhs(stmt);
    tree var = lhs && TREE_CODE(lhs) == SSA_NAME && is_tile_type(TREE_TYPE(lhs)) ? SSA_NAME_VAR(lhs) : NULL_TREE;
    Value **value = var ? w->values.get(ssa_resolve(lhs)) : NULL;
    if (!value || !(*value)->def)
        return;
    for (unsigned i = 0; i < w->marks->length(); i++) {
        const MarkedLoop *around = &(*w->marks)[i];
        if (flow_bb_inside_loop_p(around->loop, gimple_bb(stmt)))
            w->met.add(around->pragma);
        if (flow_loop_nested_p(w->outer, around->loop))
            note_shares(w, around->pragma->shares, var, (*value)->def);
    }
    for (unsigned i = 0; i < w->tasks.length(); i++)
        note_shares(w, w->tasks[i].pragma->shares, var, (*value)->def);
    const MarkedLoop *mark = pipeline_around(w->marks, gimple_bb(stmt));
    if (mark)
        note_rings(mark->pragma->rings, var, (*value)->def);
    for (unsigned i = 0; i < w->tasks.length(); i++) {
        if (is_inside(gimple_block(stmt), w->tasks[i].block))
            w->met.add(w->tasks[i].pragma);
        const MarkedLoop *around = pipeline_around(w->marks, w->tasks[i].bb);
        if (!around || around == mark)
            note_rings(w->tasks[i].pragma->rings, var, (*value)->def);
    }
}

static void check_rings(Walk *w, const Pragma *pragma)
{
    for (TileShare *share = pragma->shares; share; share = share->next)
        for (int i = 0; i < 2 && !w->failed; i++)
            if (!share->used[i]) {
                complain(host_location(share->loc), "name two variables that the grid assigns tiles to",
                         "no tile of the grid is called %qs", share->names[i]);
                w->failed = true;
            }
    for (TileRing *ring = pragma->rings; ring; ring = ring->next)
        if (!ring->used) {
            complain(host_location(ring->loc), "name a variable that the body of the loop assigns a tile to",
                     "no tile of the pipelined loop is called %qs", ring->name);
            w->failed = true;
        }
}

/* Behind the walk: each ring was of a tile.  A branch that is never taken was not walked: its tiles are not known.  */
void task_check_rings(Walk *w)
{
    for (unsigned i = 0; i < w->tasks.length() && !w->failed; i++)
        if (w->met.contains(w->tasks[i].pragma))
            check_rings(w, w->tasks[i].pragma);
    for (unsigned i = 0; i < w->marks->length() && !w->failed; i++)
        if (flow_loop_nested_p(w->outer, (*w->marks)[i].loop) && w->met.contains((*w->marks)[i].pragma))
            check_rings(w, (*w->marks)[i].pragma);
}

/* ---- jumps out of a block ---------------------------------------------------------------------------------------- */

/* The body of a task's block, as the parser left it.  */
struct Leaving {
    const Pragma *pragma;
    hash_set<tree> *labels; /* that stand in it */
    int loops, switches;    /* around what is looked at, inside the block */
};

static tree note_label(tree *at, int *, void *data)
{
    if (TREE_CODE(*at) == LABEL_EXPR)
        ((hash_set<tree> *)data)->add(LABEL_EXPR_LABEL(*at));
    return NULL_TREE;
}

static const char *jump_out(const Leaving *in, tree statement)
{
    switch ((int)TREE_CODE(statement)) {
    case RETURN_EXPR:
        return "return";
    case GOTO_EXPR:
        return in->labels->contains(GOTO_DESTINATION(statement)) ? NULL : "goto";
#if GCCPLUGIN_VERSION_MAJOR >= 12
    case CONTINUE_STMT:
        return in->loops ? NULL : "continue";
    case BREAK_STMT:
        return in->loops || in->switches ? NULL : "break";
#endif
    default:
        return NULL;
    }
}

static tree find_jump(tree *at, int *walk_subtrees, void *data)
{
    Leaving *in = (Leaving *)data;
    const int code = (int)TREE_CODE(*at);
    const char *jump = jump_out(in, *at);
    if (jump) {
        complain(EXPR_LOCATION(*at), "put the condition around the block, or around what is in it",
                 "%qs leaves task %qs, whose role computes all of its block", jump, in->pragma->task.name);
        return *at;
    }
#if GCCPLUGIN_VERSION_MAJOR >= 12
    int *around = code == FOR_STMT || code == WHILE_STMT || code == DO_STMT ? &in->loops
                  : code == SWITCH_STMT                                     ? &in->switches
                                                                            : NULL;
    tree found = NULL_TREE;
    *walk_subtrees = !around;
    if (around)
        ++*around;
    for (int i = 0; around && i < TREE_OPERAND_LENGTH(*at) && !found; i++)
        found = walk_tree(&TREE_OPERAND(*at, i), find_jump, data, NULL);
    if (around)
        --*around;
    return found;
#else
    return NULL_TREE;
#endif
}

/* The pragma that begins a block.  */
static const Pragma *first_in(tree body)
{
    for (tree_stmt_iterator i = tsi_start(body); TREE_CODE(body) == STATEMENT_LIST && !tsi_end_p(i); tsi_next(&i)) {
        tree first = tsi_stmt(i);
        if (TREE_CODE(first) == CALL_EXPR && call_expr_nargs(first) > 0)
            return pragma_of_tree(first);
        if (TREE_CODE(first) != DEBUG_BEGIN_STMT && TREE_CODE(first) != DECL_EXPR)
            return NULL;
    }
    return NULL;
}

static tree check_block(tree *at, int *walk_subtrees, void *)
{
    const Pragma *pragma = TREE_CODE(*at) == BIND_EXPR ? first_in(BIND_EXPR_BODY(*at)) : NULL;
    if (!pragma || !pragma->is_task)
        return NULL_TREE;
    hash_set<tree> labels;
    Leaving in = {pragma, &labels, 0, 0};
    walk_tree_without_duplicates(&BIND_EXPR_BODY(*at), note_label, &labels);
    *walk_subtrees = !walk_tree(&BIND_EXPR_BODY(*at), find_jump, &in, NULL);
    return NULL_TREE;
}

/* Whoever leaves a block by a jump decides for all that follows, which is no part of the task.  */
void task_refuse_jumps(tree function)
{
    if (DECL_SAVED_TREE(function))
        walk_tree_without_duplicates(&DECL_SAVED_TREE(function), check_block, NULL);
}
