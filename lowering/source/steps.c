/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * steps.c - the steps of a loop's variables stand in front of the loop.
 *
 *      loop { ...                               t9 = mul.i32 n.2, 128
 *        t5 = mul.i32 n.2, 128                  v.9 = copy.i32 t9
 *        t6 = add.i32 i.4, t5           =>      loop { ...
 *        i.4 = copy.i32 t6                        t6 = add.i32 i.4, v.9
 *      }                                          i.4 = copy.i32 t6
 *                                               }
 *
 * Simplify (simplify.c) computes a value where it is read. An induction variable (induction.c) adds a number or a
 * variable that the loop leaves alone.
 */
#include "source/passes.h"

enum { MOST_DEPTH = 8 };

typedef struct {
    SourceFunction *function;
    Module *module;
    SourceTree *loop, *front; /* front: NULL as long as nothing stands in it */
    int *assigned;            /* by variable: how often the loop assigns it */
} Lifter;

static void count_assigned(Lifter *l, const SourceTree *list)
{
    for (; list; list = list->next) {
        for (const Instruction *i = list->first; i; i = i->next)
            if (i->code == SO_COPY)
                l->assigned[i->variable->id]++;
        count_assigned(l, list->test);
        count_assigned(l, list->yes);
        count_assigned(l, list->no);
    }
}

/* The one assignment of a variable that a pass has made, and the block with it.  */
static const Instruction *copy_to(const SourceTree *list, const SourceVariable *variable, const SourceTree **block)
{
    const Instruction *found = NULL;
    for (; list && !found; list = list->next) {
        for (const Instruction *i = list->first; i && !found; i = i->next)
            if (i->code == SO_COPY && i->variable == variable) {
                *block = list;
                found = i;
            }
        found = found ? found : copy_to(list->test, variable, block);
        found = found ? found : copy_to(list->yes, variable, block);
        found = found ? found : copy_to(list->no, variable, block);
    }
    return found;
}

static bool is_alone(const Lifter *l, const SourceTree *block, Operand x, int depth)
{
    if (x.kind == OPERAND_VARIABLE)
        return !l->assigned[x.variable->id];
    if (x.kind != OPERAND_TEMPORARY)
        return true;
    const Instruction *made = source_maker(block->first, x);
    if (!made || depth > MOST_DEPTH || !source_is_pure(made) || !source_can_speculate(made) || made->code == SO_LOAD)
        return false;
    for (int k = 0; k < source_noperands(made); k++)
        if (!is_alone(l, block, *source_operand((Instruction *)made, k), depth + 1))
            return false;
    return true;
}

static void append(Lifter *l, Instruction *instruction)
{
    if (!l->front) {
        l->front = arena_alloc(l->module, sizeof *l->front);
        l->front->kind = TREE_BLOCK;
    }
    *(l->front->last ? &l->front->last->next : &l->front->first) = instruction;
    l->front->last = instruction;
}

static Operand lift(Lifter *l, const SourceTree *block, Operand x)
{
    const Instruction *made = source_maker(block->first, x);
    if (!made)
        return x;
    const SourceCopy copy = {.from = l->function, .to = l->function};
    Instruction *again = source_copy_instruction(&copy, made);
    for (int k = 0; k < source_noperands(again); k++)
        *source_operand(again, k) = lift(l, block, *source_operand(again, k));
    again->temporary = ++l->function->ntemporaries;
    append(l, again);
    return (Operand){.kind = OPERAND_TEMPORARY, .temporary = again->temporary};
}

static bool keeps_size(const Instruction *i)
{
    return i->code == SO_CONV && source_type_bytes(i->type) == source_type_bytes(i->from) &&
           !source_type_is_float(i->type) && !source_type_is_float(i->from);
}

/* Does the block assign the sum to a variable, maybe of the other sign?  */
static bool is_kept(const Instruction *sum)
{
    for (const Instruction *i = sum->next; i; i = i->next)
        if (i->args[0].kind == OPERAND_TEMPORARY && i->args[0].temporary == sum->temporary &&
            (i->code == SO_COPY || (keeps_size(i) && is_kept(i))))
            return true;
    return false;
}

static void lift_step(Lifter *l, const SourceTree *block, Instruction *sum, int side)
{
    const Instruction *made = source_maker(block->first, sum->args[1 - side]);
    const Operand other = made && keeps_size(made) ? made->args[0] : sum->args[1 - side];
    Operand x = sum->args[side];
    if (other.kind != OPERAND_VARIABLE || !l->assigned[other.variable->id] || !is_kept(sum))
        return;
    if (x.kind == OPERAND_VARIABLE && l->assigned[x.variable->id] == 1 && !x.variable->declaration.name) {
        const Instruction *copy = copy_to(l->loop->yes, x.variable, &block);
        x = copy ? copy->args[0] : x;
    }
    if (x.kind != OPERAND_TEMPORARY || !is_alone(l, block, x, 0))
        return;
    SourceVariable *step = source_variable(l->function, sum->type, (Declaration){.loc = sum->loc});
    Instruction *copy = arena_alloc(l->module, sizeof *copy);
    *copy = (Instruction){
        .code = SO_COPY, .type = sum->type, .variable = step, .args = {lift(l, block, x)}, .loc = sum->loc};
    append(l, copy);
    sum->args[side] = source_of(step);
}

static void lift_in(Lifter *l, const SourceTree *list)
{
    for (; list; list = list->next) {
        for (Instruction *i = list->first; i; i = i->next) {
            if ((i->code != SO_ADD && i->code != SO_SUB) || i->type == ST_P || source_type_is_float(i->type))
                continue;
            lift_step(l, list, i, 1);
            if (i->code == SO_ADD)
                lift_step(l, list, i, 0);
        }
        lift_in(l, list->test);
        lift_in(l, list->yes);
        lift_in(l, list->no);
    }
}

void source_lift_steps(SourceFunction *function, SourceTree **slot)
{
    Lifter lifter = {.function = function, .module = function->unit->module, .loop = *slot}, *l = &lifter;
    /* Each sum makes a variable at most.  */
    const size_t room = (size_t)function->nvariables + (size_t)function->ntemporaries + 1;
    l->assigned = arena_alloc(l->module, room * sizeof *l->assigned);
    count_assigned(l, l->loop->test);
    count_assigned(l, l->loop->yes);
    lift_in(l, l->loop->yes);
    if (!l->front)
        return;
    l->front->next = *slot;
    *slot = l->front;
}
