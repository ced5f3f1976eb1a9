/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * task.c - the blocks of #pragma ws task: which there are, and which tile a ring(x, D) means.
 *
 *   {
 *   #pragma ws task(scale) ring(b, 3)     task 1
 *       b = ws_cast (q, WS_F16);          %b: tile = cast %q | task=1 ring=3
 *   }
 *
 * A ring of a task names a variable that is in sight at the pragma, wherever it is assigned to; one of a pipelined loop
 * names a tile that the loop's body declares.
 */
#include <string.h>

#include "frontend.h"

/* ---- the variable that a name means at a place ------------------------------------------------------------------- */

typedef struct {
    const char *name;
    unsigned at;
    CXCursor found;
} Sight;

static void look(const Unit *u, CXCursor c, Sight *sight)
{
    Cursors below = children(u, c);
    for (int i = 0; i < below.count; i++) {
        CXCursor inner = below.list[i];
        bool scope = inner.kind == CXCursor_CompoundStmt || inner.kind == CXCursor_ForStmt;
        if (begin_of(inner) > sight->at || (scope && end_of(inner) <= sight->at))
            continue;
        if (is_variable(inner) && !strcmp(text_of(u, clang_getCursorSpelling(inner)), sight->name))
            sight->found = clang_getCanonicalCursor(inner);
        look(u, inner, sight);
    }
}

CXCursor variable_in_sight(const Unit *u, CXCursor function, unsigned at, const char *name)
{
    Sight sight = {name, at, clang_getNullCursor()};
    Cursors all = children(u, clang_getTranslationUnitCursor(u->tu));
    for (int i = 0; i < all.count; i++) /* a place in another file says nothing */
        if (all.list[i].kind == CXCursor_VarDecl && (!in_text(u, all.list[i]) || begin_of(all.list[i]) < at) &&
            !strcmp(text_of(u, clang_getCursorSpelling(all.list[i])), name))
            sight.found = clang_getCanonicalCursor(all.list[i]);
    if (!clang_Cursor_isNull(function))
        look(u, function, &sight);
    return sight.found;
}

/* ---- the tasks of a region --------------------------------------------------------------------------------------- */

typedef struct {
    Walk *w;
    const Pragma *around; /* the outermost pipelined loop */
    int depth;
} Collect;

static bool is_pipelined(const Pragma *pragma)
{
    return pragma && pragma->kind == DIRECTIVE_PIPELINE;
}

static void add_task(const Collect *collect, Pragma *pragma)
{
    Walk *w = collect->w;
    int at = w->ntasks;
    LIST_ADD(w->u->module, w->tasks, w->ntasks) = (TaskBlock){pragma, collect->around};
    for (; at > 0 && w->tasks[at - 1].pragma->offset > pragma->offset; at--)
        w->tasks[at] = w->tasks[at - 1];
    w->tasks[at] = (TaskBlock){pragma, collect->around};
}

static void add_shares(Walk *w, Pragma *pragma)
{
    for (int i = 0; i < w->nsharing; i++)
        if (w->sharing[i] == pragma)
            return;
    for (TileShare *share = pragma->shares; share; share = share->next) {
        share->number = share_new(w->kernel, share->names[0], share->names[1], share->loc);
        share->used[0] = share->used[1] = false;
    }
    LIST_ADD(w->u->module, w->sharing, w->nsharing) = pragma;
}

static bool is_whole_body(CXCursor parent)
{
    return parent.kind == CXCursor_ForStmt || parent.kind == CXCursor_WhileStmt || parent.kind == CXCursor_DoStmt ||
           parent.kind == CXCursor_FunctionDecl;
}

static void collect_below(const Collect *collect, CXCursor c)
{
    Unit *u = collect->w->u;
    Cursors below = children(u, c);
    CXCursor function;
    for (int i = 0; i < below.count; i++) {
        CXCursor inner = below.list[i];
        Collect next = *collect;
        Pragma *pragma = pragma_of_block(u, inner);
        if (pragma && is_whole_body(c) && !collect->w->failed) {
            collect->w->failed = true;
            complain(u, pragma->loc, "put the pragma first inside a block of its own: { #pragma ws task(name) ... }",
                     "task '%s' is the whole body of a loop or of a function", pragma->task.name);
        }
        if (pragma)
            add_task(collect, pragma);
        if (inner.kind == CXCursor_ForStmt || inner.kind == CXCursor_WhileStmt) {
            pragma = pragma_of_loop(u, inner, collect->w->function);
            next.around = next.around || !is_pipelined(pragma) ? next.around : pragma;
            collect->w->pipelines |= is_pipelined(pragma);
            if (is_pipelined(pragma))
                add_shares(collect->w, pragma);
        }
        if (inner.kind == CXCursor_CallExpr && *callee_name(u, inner, &function) && next.depth++ < 16) {
            CXCursor definition = clang_getCursorDefinition(function);
            if (!clang_Cursor_isNull(definition) && is_the_users(definition))
                collect_below(&next, definition);
        }
        collect_below(&next, inner);
    }
}

/* In the order of the source, those of the functions that the region takes in, too.  */
void tasks_collect(Walk *w)
{
    collect_below(&(Collect){w, NULL, 0}, w->region);
    for (int i = 0; i < w->ntasks && !w->failed; i++) {
        Pragma *pragma = w->tasks[i].pragma;
        pragma->used = true;
        for (int k = 0; k < i; k++)
            if (!strcmp(w->tasks[k].pragma->task.name, pragma->task.name))
                w->failed = true;
        if (w->failed)
            complain(w->u, pragma->loc, "give each task a name of its own, and put what one role does into one block",
                     "two tasks are called '%s'", pragma->task.name);
        else if (!w->pipelines)
            complain(w->u, pragma->loc, "put '#pragma ws pipeline' above a loop of it",
                     "task '%s' stands in a grid without a pipelined loop", pragma->task.name);
        w->failed |= !w->pipelines;
        Task *task = task_new(w->kernel, pragma->task.name);
        task->groups = pragma->task.groups;
        task->registers = pragma->task.registers;
        task->loc = pragma->loc;
        add_shares(w, pragma);
    }
}

int task_number(const Walk *w, const Pragma *pragma)
{
    for (int i = 0; i < w->ntasks; i++)
        if (w->tasks[i].pragma == pragma)
            return i + 1;
    return 0;
}

/* ---- jumps out of a block ---------------------------------------------------------------------------------------- */

/* Whoever leaves a block by a jump decides for all that follows, which is no part of the task.  */
void task_refuse_jumps(Walk *w, CXCursor c, const Pragma *pragma, bool in_loop, bool in_switch)
{
    Cursors below = children(w->u, c);
    const char *jump = c.kind == CXCursor_ReturnStmt                            ? "return"
                       : c.kind == CXCursor_ContinueStmt && !in_loop            ? "continue"
                       : c.kind == CXCursor_BreakStmt && !in_loop && !in_switch ? "break"
                                                                                : NULL;
    if (jump)
        refuse(w, c, "put the condition around the block, or around what is in it",
               "'%s' leaves task '%s', whose role computes all of its block", jump, pragma->task.name);
    bool loop = c.kind == CXCursor_ForStmt || c.kind == CXCursor_WhileStmt || c.kind == CXCursor_DoStmt;
    for (int i = 0; i < below.count; i++)
        task_refuse_jumps(w, below.list[i], pragma, in_loop || loop, in_switch || c.kind == CXCursor_SwitchStmt);
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static void note(TileRing *rings, const Object *variable, Op *def)
{
    for (TileRing *ring = rings; ring; ring = ring->next)
        if (!strcmp(ring->name, variable->name) &&
            (!ring->declared.host || ring->declared.host == begin_of(variable->decl) + 1)) {
            schedule_op(def)->ring = ring->slots;
            ring->used = true;
        }
}

/* A tile is in one share.  */
static void note_share(Walk *w, TileShare *share, const Object *variable, Op *def)
{
    for (int i = 0; i < 2; i++) {
        const int number = 2 * share->number + i;
        ScheduleRow *row = schedule_op(def);
        if (strcmp(share->names[i], variable->name))
            continue;
        if (row->share && row->share != number && !w->failed) {
            w->failed = true;
            complain(w->u, share->loc, "leave one of the clauses out", "'%s' shares memory with another tile already",
                     share->names[i]);
        }
        row->share = number;
        share->used[i] = true;
    }
}

/* What carries the tile from role to role, if a ring() names the variable.  */
void rings_note(Walk *w, const Object *variable, Op *def)
{
    for (int i = 0; i < w->nsharing; i++)
        for (TileShare *share = w->sharing[i]->shares; share; share = share->next)
            note_share(w, share, variable, def);
    if (w->pipelined)
        note(w->pipelined->rings, variable, def);
    for (int i = 0; i < w->ntasks; i++)
        if (!w->tasks[i].around || w->tasks[i].around == w->pipelined)
            note(w->tasks[i].pragma->rings, variable, def);
}

void rings_check(Walk *w, const TileRing *rings)
{
    for (; rings && !w->failed; rings = rings->next)
        if (!rings->used) {
            w->failed = true;
            complain(w->u, rings->loc, "name a variable that the body of the loop assigns a tile to",
                     "no tile of the pipelined loop is called '%s'", rings->name);
        }
}

void shares_check(Walk *w)
{
    for (int i = 0; i < w->nsharing; i++)
        for (const TileShare *share = w->sharing[i]->shares; share; share = share->next)
            for (int k = 0; k < 2 && !w->failed; k++)
                if (!share->used[k]) {
                    w->failed = true;
                    complain(w->u, share->loc, "name two variables that the grid assigns tiles to",
                             "no tile of the grid is called '%s'", share->names[k]);
                }
}
