/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * task.cc - the blocks of #pragma ws task: where they may stand, and jumps out of them.
 *
 *   {
 *   #pragma ws task(scale) ring(b, 3)      ws_pragma_ (2);       the marker, first in its block
 *       b = ws_cast(q, WS_F16);
 *       if (c) break;                      refused: the role of the task computes all of its block
 *   }
 */
#include "plugin.h"

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
