/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build-task.c - tasks of a grid, and the tiles that ring(x, D) and share(x, y) name.
 *
 *      {
 *      #pragma ws task(scale) ring(b, 3)
 *          b = ws_cast(q, WS_F16);              %b: tile<f16,0x0> = cast %q | task=1 ring=3
 *      }
 *
 * A ring of a pipelined loop names a tile that the loop's body assigns. A ring of a task names the variable that is in
 * sight at the pragma, in the same pipelined loop. A share names any tiles of the grid.
 */
#include <string.h>

#include "build.h"

/* ---- pragmas of the grid ----------------------------------------------------------------------------------------- */

int build_pragma_above(const Builder *b, const SourceTree *loop)
{
    const SourceTree *list = loop->yes;
    while (list && list->kind == TREE_BLOCK && !list->first)
        list = list->next;
    for (const Instruction *i = list && list->kind == TREE_BLOCK ? list->first : NULL; i && i->code == SO_MARK;
         i = i->next) {
        const SourceClauses *clauses = b->clauses_of(b->context, i->mark);
        if (clauses && (clauses->kind == DIRECTIVE_PIPELINE || clauses->kind == DIRECTIVE_PARTS ||
                        clauses->kind == DIRECTIVE_BLOCKS))
            return i->mark;
    }
    return -1;
}

bool build_is_pipelined(const Builder *b, int mark)
{
    return mark >= 0 && b->clauses_of(b->context, mark)->kind == DIRECTIVE_PIPELINE;
}

/* Of a loop: of several the last in the source.  */
static int last_mark(const Builder *b, const SourceTree *loop, int *count)
{
    const SourceTree *list = loop->yes;
    int last = -1;
    *count = 0;
    while (list && list->kind == TREE_BLOCK && !list->first)
        list = list->next;
    for (const Instruction *i = list && list->kind == TREE_BLOCK ? list->first : NULL; i && i->code == SO_MARK;
         i = i->next) {
        const SourceClauses *clauses = b->clauses_of(b->context, i->mark);
        if (!clauses || clauses->kind == DIRECTIVE_TASK)
            continue;
        ++*count;
        last = i->mark > last ? i->mark : last;
    }
    return last;
}

void build_refuse_two(Builder *b, const SourceTree *loop)
{
    int count;
    const int mark = last_mark(b, loop, &count);
    if (count > 1)
        reject(b->kernel, b->clauses_of(b->context, mark)->loc, REASON_PRAGMA_TWO);
}

void build_refuse_mark(Builder *b, const Instruction *mark)
{
    const SourceClauses *clauses = b->clauses_of(b->context, mark->mark);
    if (b->kernel->failed)
        return;
    if (!clauses)
        build_refuse(b, mark->loc, "a pragma that is above no loop of the grid");
    else if (clauses->kind == DIRECTIVE_GRID)
        reject(b->kernel, clauses->loc, REASON_GRID_INSIDE_GRID);
    else
        reject(b->kernel, clauses->loc, REASON_PRAGMA_NO_LOOP, directive_word(clauses->kind));
}

static void add_shares(Builder *b, int mark)
{
    for (int k = 0; k < b->nsharing; k++)
        if (b->sharing[k] == mark)
            return;
    LIST_ADD(b->module, b->sharing, b->nsharing) = mark;
    for (TileShare *share = b->clauses_of(b->context, mark)->shares; share; share = share->next) {
        share->number = share_new(b->kernel, share->names[0], share->names[1], share->loc);
        share->used[0] = share->used[1] = false;
    }
}

/* In the order of the source.  */
static void add_task(Builder *b, int mark, int around)
{
    int at = b->ntasks;
    LIST_ADD(b->module, b->tasks, b->ntasks) = (BuiltTask){mark, around};
    for (; at > 0 && b->tasks[at - 1].mark > mark; at--)
        b->tasks[at] = b->tasks[at - 1];
    b->tasks[at] = (BuiltTask){mark, around};
}

/* `around`: the outermost pipelined loop; -1: none.  */
static void collect(Builder *b, const SourceTree *list, int around)
{
    for (; list; list = list->next) {
        int inside = around;
        if (list->kind == TREE_LOOP) {
            const int mark = build_pragma_above(b, list);
            if (build_is_pipelined(b, mark)) {
                add_shares(b, mark);
                inside = inside < 0 ? mark : inside;
            }
        }
        for (const Instruction *i = list->first; i; i = i->next) {
            const SourceClauses *clauses = i->code == SO_MARK ? b->clauses_of(b->context, i->mark) : NULL;
            if (clauses && clauses->kind == DIRECTIVE_TASK) {
                b->marks[i->mark] = true;
                add_task(b, i->mark, around);
            }
        }
        collect(b, list->test, inside);
        collect(b, list->yes, inside);
        collect(b, list->no, inside);
    }
}

void build_tasks_begin(Builder *b, const SourceTree *tree)
{
    collect(b, tree, -1);
    const bool pipelined = b->nsharing > 0;
    for (int k = 0; k < b->ntasks && !b->kernel->failed; k++) {
        const SourceClauses *clauses = b->clauses_of(b->context, b->tasks[k].mark);
        if (!pipelined)
            reject(b->kernel, clauses->loc, REASON_TASK_NO_PIPELINE, clauses->task.name);
        for (const Task *other = b->kernel->tasks; other; other = other->next)
            if (!strcmp(other->name, clauses->task.name))
                reject(b->kernel, clauses->loc, REASON_TASK_NAME_TWICE, clauses->task.name);
        Task *task = task_new(b->kernel, clauses->task.name);
        task->groups = clauses->task.groups;
        task->registers = clauses->task.registers;
        task->loc = clauses->loc;
        add_shares(b, b->tasks[k].mark);
    }
}

void build_note_task(const Builder *b, Op *op, const Instruction *call)
{
    const OpClass class_ = op_info[op->code].class_;
    for (int k = 0; call->task && k < b->ntasks; k++)
        if (b->tasks[k].mark == call->task - 1 &&
            (class_ == CLASS_TILE || class_ == CLASS_LOAD || class_ == CLASS_STORE))
            schedule_op(op)->task = k + 1;
}

/* ---- rings and shares -------------------------------------------------------------------------------------------- */

/* A ring of a pipelined loop has no place of a declaration.  */
static bool is_named(const TileRing *ring, const Declaration *declaration)
{
    return !strcmp(ring->name, declaration->name) &&
           (!ring->declared.line ||
            (ring->declared.line == declaration->loc.line && ring->declared.column == declaration->loc.column));
}

static void note_rings(const Builder *b, int mark, const Declaration *declaration, Op *op)
{
    for (TileRing *ring = b->clauses_of(b->context, mark)->rings; ring; ring = ring->next)
        if (is_named(ring, declaration)) {
            schedule_op(op)->ring = ring->slots;
            ring->used = true;
        }
}

/* A tile is in one share.  */
static void note_shares(const Builder *b, int mark, const Declaration *declaration, Op *op)
{
    for (TileShare *share = b->clauses_of(b->context, mark)->shares; share; share = share->next)
        for (int k = 0; k < 2; k++) {
            const int number = 2 * share->number + k;
            if (strcmp(declaration->name, share->names[k]))
                continue;
            ScheduleRow *row = schedule_op(op);
            if (row->share && row->share != number)
                reject(b->kernel, share->loc, REASON_SHARE_TWICE, share->names[k]);
            row->share = number;
            share->used[k] = true;
        }
}

void build_note_holder(const Builder *b, const Declaration *declaration, const Built *tile)
{
    Op *op = tile->kind == BUILT_HANDLE && tile->value ? tile->value->def : NULL;
    if (!op || !declaration->name || tile->value->type.kind == K_TENSOR)
        return;
    for (int k = 0; k < b->nsharing; k++)
        note_shares(b, b->sharing[k], declaration, op);
    if (b->pipelined >= 0)
        note_rings(b, b->pipelined, declaration, op);
    for (int k = 0; k < b->ntasks; k++)
        if (b->tasks[k].around < 0 || b->tasks[k].around == b->pipelined)
            note_rings(b, b->tasks[k].mark, declaration, op);
}

/* Each name was that of a tile.  */
void build_tasks_end(Builder *b)
{
    for (int k = 0; k < b->nsharing; k++) {
        const SourceClauses *clauses = b->clauses_of(b->context, b->sharing[k]);
        for (const TileShare *share = clauses->shares; share; share = share->next)
            for (int i = 0; i < 2 && !b->kernel->failed; i++)
                if (!share->used[i])
                    reject(b->kernel, share->loc, REASON_SHARE_NO_TILE, share->names[i]);
        for (const TileRing *ring = clauses->rings; ring && !b->kernel->failed; ring = ring->next)
            if (!ring->used)
                reject(b->kernel, ring->loc, REASON_RING_NO_TILE, ring->name);
    }
}
