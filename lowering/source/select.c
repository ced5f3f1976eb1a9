/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select.c - conditions of several blocks become one, and diamonds without effects become select.
 *
 *      B0: branch a, B1, B3                      B0: t3 = and.b a, b
 *      B1: branch b, B2, B3              =>          branch t3, B2, B3
 *
 *      B0: branch a, B1, B2                      B0: t2 = select.i32 a, 1, x
 *      B1: x = copy.i32 1                =>          x = copy.i32 t2
 *          jump B2                                   jump B2
 *
 * Blocks are taken that hold pure instructions and copies of variables alone, and no division by a value that may be 0.
 */
#include <string.h>

#include "source/passes.h"

enum { MOVED = 64 /* instructions of a block that moves */ };

static Instruction *add(SourceFunction *function, SourceBlock *block, Instruction **after, Instruction like)
{
    Instruction *made = arena_alloc(function->unit->module, sizeof *made);
    *made = like;
    made->next = NULL;
    source_insert(block, *after, made);
    *after = made;
    return made;
}

static Operand temporary_of(SourceFunction *function, Instruction *instruction)
{
    Operand x = {.kind = OPERAND_TEMPORARY};
    x.temporary = instruction->temporary = ++function->ntemporaries;
    return x;
}

/* Marks of a loop's body, in which a bound is a break, go to the rest of the body.  */
static bool move_marks(const SourceFlow *flow, SourceBlock *block, SourceBlock *rest)
{
    if (block->first->code != SO_MARK)
        return true;
    if (flow->npreds[flow->number[rest->id]] != 1 || rest == block)
        return false;
    Instruction *after = NULL;
    while (block->first->code == SO_MARK) {
        Instruction *mark = block->first;
        block->first = mark->next;
        mark->next = NULL;
        source_insert(rest, after, mark);
        after = mark;
    }
    return true;
}

/* Is all of the block but its end, and marks in front if `marked`, free of effects? Copies are counted, and stand
   behind everything else.  */
static bool is_movable(const SourceBlock *block, bool marked, int *copies)
{
    int n = 0;
    *copies = 0;
    const Instruction *i = block->first;
    while (marked && i->code == SO_MARK)
        i = i->next;
    for (; i != block->last; i = i->next) {
        if (++n > MOVED)
            return false;
        if (i->code == SO_COPY)
            ++*copies;
        else if (*copies || !source_can_speculate(i))
            return false;
    }
    return true;
}

/* The instruction in front of the block's end, or NULL.  */
static Instruction *before_end(const SourceBlock *block)
{
    Instruction *before = NULL;
    for (Instruction *i = block->first; i != block->last; i = i->next)
        before = i;
    return before;
}

/* Moves the block's instructions in front of the end of `to`; copies stay behind.  */
static Instruction *move_values(SourceBlock *block, SourceBlock *to)
{
    Instruction *after = before_end(to);
    while (block->first != block->last && block->first->code != SO_COPY) {
        Instruction *i = block->first;
        block->first = i->next;
        source_insert(to, after, i);
        after = i;
    }
    return after;
}

static void move_copies(SourceBlock *block, SourceBlock *to)
{
    Instruction *after = before_end(to);
    while (block->first != block->last) {
        Instruction *copy = block->first;
        block->first = copy->next;
        source_insert(to, after, copy);
        after = copy;
    }
}

static Operand opposite(SourceFunction *function, SourceBlock *block, Instruction **after, Operand x,
                        const Instruction *like)
{
    Instruction *made =
        add(function, block, after,
            (Instruction){.code = SO_NOT, .type = ST_B, .args = {x}, .loc = like->loc, .inlined = like->inlined});
    return temporary_of(function, made);
}

/* Are the copies of the block for itself and what follows: may `other` come behind them, too?  */
static bool copies_are_own(const SourceFunction *function, const SourceFlow *flow, const SourceBlock *block,
                           const SourceBlock *other)
{
    const SourceLive live = source_live(function, flow);
    const uint64_t *in = live.in + (size_t)flow->number[other->id] * (size_t)live.words;
    for (const Instruction *i = block->first; i != block->last; i = i->next)
        if (i->code == SO_COPY &&
            (i->variable->host || i->variable->declaration.name || source_is_live(in, i->variable)))
            return false;
    return true;
}

bool source_merge_conditions(SourceFunction *function)
{
    const SourceFlow *flow = source_flow(function);
    for (int b = 1; b < flow->n; b++) {
        SourceBlock *second = flow->order[b];
        int copies;
        if (second->last->code != SO_BRANCH || flow->npreds[b] != 1 || !is_movable(second, true, &copies))
            continue;
        SourceBlock *first = flow->order[flow->preds[b][0]];
        if (first->last->code != SO_BRANCH || first == second)
            continue;
        Instruction *a = first->last, *c = second->last;
        const bool on_yes = a->targets[0] == second;
        SourceBlock *other = a->targets[on_yes ? 1 : 0];
        if (other == second || (c->targets[0] != other && c->targets[1] != other))
            continue;
        SourceBlock *rest = c->targets[c->targets[0] != other ? 0 : 1];
        if ((copies && !copies_are_own(function, flow, second, other)) || !move_marks(flow, second, rest))
            continue;
        Instruction *after = move_values(second, first);
        /* To `other` goes what the first sends there, or what the second does.  */
        Operand x = a->args[0], y = c->args[0];
        if (on_yes)
            x = opposite(function, first, &after, x, a);
        if (c->targets[0] != other)
            y = opposite(function, first, &after, y, c);
        Instruction *made =
            add(function, first, &after,
                (Instruction){.code = SO_OR, .type = ST_B, .args = {x, y}, .loc = a->loc, .inlined = a->inlined});
        const Operand any = temporary_of(function, made);
        move_copies(second, first);
        const Loc left = source_way(c, other);
        source_add_ways(function->unit->module, a, c);
        if (left.line)
            source_add_way(function->unit->module, a, NULL, left);
        /* The first edge stays the one that the program wrote first.  */
        if (on_yes) {
            a->args[0] = opposite(function, first, &after, any, a);
            a->targets[0] = rest;
            a->targets[1] = other;
        } else {
            a->args[0] = any;
            a->targets[0] = other;
            a->targets[1] = rest;
        }
        source_clean(function);
        return true;
    }
    return false;
}

static const Instruction *copy_in(const SourceBlock *arm, const SourceVariable *variable)
{
    const Instruction *found = NULL;
    for (const Instruction *i = arm ? arm->first : NULL; i && i != arm->last; i = i->next)
        if (i->code == SO_COPY && i->variable == variable)
            found = i;
    return found;
}

/* Copies read what stands in front of all of them.  */
static bool copies_are_parallel(const SourceBlock *arm)
{
    for (const Instruction *i = arm->first; i != arm->last; i = i->next)
        if (i->code == SO_COPY)
            for (const Instruction *k = i->next; k != arm->last; k = k->next)
                if ((k->args[0].kind == OPERAND_VARIABLE && k->args[0].variable == i->variable) ||
                    k->variable == i->variable)
                    return false;
    return true;
}

static bool is_arm(const SourceFlow *flow, int head, const SourceBlock *block)
{
    int copies;
    const int b = flow->number[block->id];
    return b != head && flow->npreds[b] == 1 && block->last->code == SO_JUMP && is_movable(block, false, &copies) &&
           copies_are_parallel(block);
}

/* Moves both arms, of which one may be NULL, in front of the branch at the end of `head`.  */
static void convert(SourceFunction *function, SourceBlock *head, SourceBlock *yes, SourceBlock *no, SourceBlock *join)
{
    Instruction *branch = head->last;
    const Operand c = branch->args[0];
    Instruction *after = before_end(head);
    if (yes)
        after = move_values(yes, head);
    if (no)
        after = move_values(no, head);
    Instruction *copies = NULL, **last = &copies;
    for (int arm = 0; arm < 2; arm++) {
        const SourceBlock *block = arm ? no : yes;
        for (const Instruction *i = block ? block->first : NULL; i && i != block->last; i = i->next) {
            if (arm && copy_in(yes, i->variable))
                continue;
            const Instruction *from_yes = copy_in(yes, i->variable), *from_no = copy_in(no, i->variable);
            Instruction *select = add(function, head, &after,
                                      (Instruction){.code = SO_SELECT,
                                                    .type = i->variable->type,
                                                    .args = {c, from_yes ? from_yes->args[0] : source_of(i->variable),
                                                             from_no ? from_no->args[0] : source_of(i->variable)},
                                                    .loc = i->loc,
                                                    .inlined = i->inlined});
            Instruction *copy = arena_alloc(function->unit->module, sizeof *copy);
            *copy = *i;
            copy->args[0] = temporary_of(function, select);
            copy->next = NULL;
            *last = copy;
            last = &copy->next;
        }
    }
    while (copies) {
        Instruction *copy = copies;
        copies = copy->next;
        source_insert(head, after, copy);
        after = copy;
    }
    branch->code = SO_JUMP;
    branch->type = ST_V;
    branch->args[0].kind = OPERAND_NONE;
    branch->targets[0] = join;
    branch->targets[1] = NULL;
}

bool source_select_diamonds(SourceFunction *function)
{
    const SourceFlow *flow = source_flow(function);
    for (int b = flow->n - 1; b >= 0; b--) {
        SourceBlock *head = flow->order[b];
        if (head->last->code != SO_BRANCH || head->last->targets[0] == head->last->targets[1])
            continue;
        SourceBlock *yes = head->last->targets[0], *no = head->last->targets[1];
        const bool is_yes = is_arm(flow, b, yes), is_no = is_arm(flow, b, no);
        SourceBlock *join = NULL;
        if (is_yes && is_no && yes->last->targets[0] == no->last->targets[0])
            join = yes->last->targets[0];
        else if (is_yes && yes->last->targets[0] == no) {
            join = no;
            no = NULL;
        } else if (is_no && no->last->targets[0] == yes) {
            join = yes;
            yes = NULL;
        }
        if (!join || join == yes || join == no)
            continue;
        convert(function, head, yes, no, join);
        source_clean(function);
        return true;
    }
    return false;
}
