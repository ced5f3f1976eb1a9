/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prune.c - values that loops need not carry.
 *
 *   %x.2 = for ...; %x.3 = %x { ... yield %x.3 }      nothing writes x: %x in place of both
 *   %t.2 = for ...; %t.3 = 0 { ... yield %t.4 }       each iteration writes t before it reads it, and nobody reads it
 *                                                     behind the loop: t is not carried
 *
 * The builder carries what a loop may write. What remains is what GCC's SSA form has a PHI for. Scalars that nothing
 * uses go, too.
 */
#include <string.h>

#include "source/kernels.h"

static bool is_loop(const Op *op)
{
    return op->code == OP_FOR || op->code == OP_WHILE;
}

static int first_carried(const Op *op)
{
    return op->code == OP_FOR ? 3 : 0;
}

/* Arguments of the body's block before those that are carried.  */
static int own_arguments(const Op *op)
{
    return op->code == OP_FOR ? 1 : 0;
}

static void drop(void *list, int *count, int at)
{
    void **items = list;
    memmove(items + at, items + at + 1, sizeof *items * (size_t)(*count - at - 1));
    --*count;
}

static void drop_argument(Block *block, int at)
{
    drop(block->args, &block->nargs, at);
    for (int i = at; i < block->nargs; i++)
        block->args[i]->index = i;
}

static void drop_carried(Op *op, int k)
{
    drop(op->args, &op->nargs, first_carried(op) + k);
    drop(op->results, &op->nresults, k);
    for (int i = k; i < op->nresults; i++)
        op->results[i]->index = i;
    for (int b = 0; b < op->nblocks; b++) {
        Op *last = op->blocks[b]->last;
        drop_argument(op->blocks[b], own_arguments(op) + k);
        drop(last->args, &last->nargs, (last->code == OP_COND) + k);
    }
}

/* ---- what nothing writes ----------------------------------------------------------------------------------------- */

static bool is_unchanged(const Op *op, int k)
{
    const Value *init = op->args[first_carried(op) + k];
    for (int b = 0; b < op->nblocks; b++) {
        const Value *argument = op->blocks[b]->args[own_arguments(op) + k];
        const Op *last = op->blocks[b]->last;
        const Value *next = last->args[(last->code == OP_COND) + k];
        if (next != argument && next != init)
            return false;
    }
    return true;
}

static bool drop_unchanged(Kernel *kernel, Block *block)
{
    bool changed = false;
    FOR_OPS (op, block) {
        for (int b = 0; b < op->nblocks; b++)
            changed |= drop_unchanged(kernel, op->blocks[b]);
        for (int k = 0; is_loop(op) && k < op->nresults; k++) {
            Value *init = op->args[first_carried(op) + k];
            if (!is_unchanged(op, k))
                continue;
            for (int b = 0; b < op->nblocks; b++)
                ir_replace_uses(kernel->body, op->blocks[b]->args[own_arguments(op) + k], init);
            ir_replace_uses(kernel->body, op->results[k], init);
            drop_carried(op, k--);
            changed = true;
        }
        for (int k = 0; op->code == OP_IF && k < op->nresults; k++) /* both arms hand on the same by now */
            if (op->blocks[0]->last->args[k] == op->blocks[1]->last->args[k] &&
                ir_outside(op->blocks[0]->last->args[k], op)) {
                ir_replace_uses(kernel->body, op->results[k], op->blocks[0]->last->args[k]);
            }
    }
    return changed;
}

/* ---- what nobody reads ------------------------------------------------------------------------------------------- */

/* Which values are read, by id: by an operation, not only handed on.  */
typedef struct {
    bool *read;
    bool changed;
} Live;

static void mark(Live *live, const Value *value)
{
    live->changed |= !live->read[value->id];
    live->read[value->id] = true;
}

static void mark_handed(Live *live, const Op *op)
{
    const Op *parent = op->parent->parent;
    int first = op->code == OP_COND;
    if (first)
        mark(live, op->args[0]);
    for (int k = first; k < op->nargs; k++) {
        int slot = k - first;
        bool wanted = live->read[parent->results[slot]->id];
        for (int b = 0; is_loop(parent) && b < parent->nblocks; b++)
            wanted |= live->read[parent->blocks[b]->args[own_arguments(parent) + slot]->id];
        if (wanted)
            mark(live, op->args[k]);
    }
}

static void mark_block(Live *live, const Block *block)
{
    for (const Op *op = block->last; op; op = op->prev) {
        for (int b = op->nblocks; b-- > 0;)
            mark_block(live, op->blocks[b]);
        if (op->code == OP_YIELD || op->code == OP_COND) {
            mark_handed(live, op);
            continue;
        }
        for (int i = 0; i < op->nargs; i++) {
            int k = i - first_carried(op);
            bool wanted = !is_loop(op) || k < 0 || live->read[op->results[k]->id];
            for (int b = 0; !wanted && b < op->nblocks; b++)
                wanted = live->read[op->blocks[b]->args[own_arguments(op) + k]->id];
            if (wanted)
                mark(live, op->args[i]);
        }
    }
}

static bool drop_unread(const Live *live, Block *block)
{
    bool changed = false;
    FOR_OPS (op, block) {
        for (int b = 0; b < op->nblocks; b++)
            changed |= drop_unread(live, op->blocks[b]);
        for (int k = 0; is_loop(op) && k < op->nresults; k++) {
            bool wanted = live->read[op->results[k]->id];
            for (int b = 0; b < op->nblocks; b++)
                wanted |= live->read[op->blocks[b]->args[own_arguments(op) + k]->id];
            if (wanted)
                continue;
            drop_carried(op, k--);
            changed = true;
        }
    }
    return changed;
}

/* ---- operations that nobody uses --------------------------------------------------------------------------------- */

static void drop_results(Op *op)
{
    int kept = 0;
    for (int i = 0; i < op->nresults; i++) {
        if (!op->results[i]->uses)
            continue;
        for (int b = 0; b < 2; b++)
            op->blocks[b]->last->args[kept] = op->blocks[b]->last->args[i];
        op->results[i]->index = kept;
        op->results[kept++] = op->results[i];
    }
    op->nresults = op->blocks[0]->last->nargs = op->blocks[1]->last->nargs = kept;
}

static bool is_used(const Op *op)
{
    for (int i = 0; i < op->nresults; i++)
        if (op->results[i]->uses)
            return true;
    return op->code == OP_YIELD || op->code == OP_COND || ir_has_side_effect(op);
}

static bool tidy_block(Block *block)
{
    bool changed = false;
    for (Op *op = block->last, *prev; op; op = prev) {
        prev = op->prev;
        if (!is_used(op)) {
            op_remove(op);
            changed = true;
            continue;
        }
        int before = op->nresults;
        if (op->code == OP_IF)
            drop_results(op);
        changed |= op->nresults != before;
        for (int i = 0; i < op->nblocks; i++)
            changed |= tidy_block(op->blocks[i]);
    }
    return changed;
}

void source_drop_unused(Kernel *kernel)
{
    do
        ir_count_uses(kernel, kernel->body);
    while (tidy_block(kernel->body));
}

/* require: what the walk made.   ensure: loops carry what some path needs; nothing is computed in vain.  */
void source_prune(Kernel *kernel)
{
    bool changed = true;
    while (drop_unchanged(kernel, kernel->body))
        ;
    while (changed) {
        Live live = {arena_alloc(kernel->module, (size_t)kernel->module->next_id + 1), true};
        while (live.changed) {
            live.changed = false;
            mark_block(&live, kernel->body);
        }
        changed = drop_unread(&live, kernel->body);
    }
    source_drop_unused(kernel);
}
