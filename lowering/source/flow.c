/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flow.c - the control flow graph of a function: reverse postorder, dominators, natural loops, and its cleaning.
 *
 *      B0: jump B2                             B0: branch c, B1, B2
 *      B1: store ...                           B1: store ...
 *          jump B3             clean =>            jump B2
 *      B2: branch c, B1, B3                    B2: return
 *      B3: return
 *
 * Dominators are those of Cooper, Harvey and Kennedy. A loop has one header; a cycle that is entered elsewhere has
 * none, and SourceFlow.entered names such a place.
 */
#include <string.h>

#include "source/passes.h"

/* ---- instructions ------------------------------------------------------------------------------------------------ */

static int own_operands(const Instruction *instruction)
{
    switch (source_op_form(instruction->code)) {
    case FORM_CALL:
        return instruction->symbol ? 0 : 1;
    case FORM_RETURN:
        return instruction->args[0].kind == OPERAND_NONE ? 0 : 1;
    default:
        return source_nargs(source_op_form(instruction->code));
    }
}

int source_noperands(const Instruction *instruction)
{
    return own_operands(instruction) + instruction->narguments;
}

Operand *source_operand(Instruction *instruction, int i)
{
    const int own = own_operands(instruction);
    return i < own ? &instruction->args[i] : &instruction->arguments[i - own].operand;
}

int source_nsuccessors(const Instruction *end)
{
    switch (source_op_form(end->code)) {
    case FORM_JUMP:
        return 1;
    case FORM_BRANCH:
        return 2;
    case FORM_SWITCH:
        return 1 + end->ncases;
    default:
        return 0;
    }
}

SourceBlock **source_successor(Instruction *end, int i)
{
    return end->code == SO_SWITCH && i ? &end->cases[i - 1].block : &end->targets[i];
}

void source_insert(SourceBlock *block, Instruction *after, Instruction *added)
{
    Instruction **slot = after ? &after->next : &block->first;
    added->next = *slot;
    *slot = added;
    if (!added->next)
        block->last = added;
}

Instruction *source_maker(Instruction *first, Operand x)
{
    for (Instruction *i = first; i && x.kind == OPERAND_TEMPORARY; i = i->next)
        if (i->temporary == x.temporary)
            return i;
    return NULL;
}

SourceVariable *source_keep(SourceFunction *function, SourceBlock *block, Instruction *made)
{
    SourceVariable *variable = source_variable(function, source_result_type(made), (Declaration){0});
    Instruction *copy = arena_alloc(function->unit->module, sizeof *copy);
    *copy = (Instruction){.code = SO_COPY,
                          .type = variable->type,
                          .variable = variable,
                          .args = {{.kind = OPERAND_TEMPORARY, .temporary = made->temporary}},
                          .loc = made->loc,
                          .inlined = made->inlined};
    source_insert(block, made, copy);
    return variable;
}

SourceBlock *source_split(SourceFunction *function, SourceBlock *block, Instruction *last)
{
    SourceBlock *rest = source_block_new(function);
    rest->first = last->next;
    rest->last = block->last;
    last->next = NULL;
    block->last = last;
    for (Instruction *i = rest->first; i; i = i->next)
        for (int k = 0; k < source_noperands(i); k++) {
            const Operand *x = source_operand(i, k);
            Instruction *made = source_maker(block->first, *x);
            if (!made)
                continue;
            const int temporary = x->temporary;
            SourceVariable *variable = source_keep(function, block, made);
            for (Instruction *other = i; other; other = other->next)
                for (int m = 0; m < source_noperands(other); m++) {
                    Operand *y = source_operand(other, m);
                    if (y->kind == OPERAND_TEMPORARY && y->temporary == temporary)
                        *y = source_of(variable);
                }
        }
    source_place(function, rest);
    return rest;
}

static const SourceInlined *chained(Module *module, const SourceInlined *inner, const SourceInlined *outer)
{
    if (!inner || !outer)
        return inner ? inner : outer;
    SourceInlined *link = arena_alloc(module, sizeof *link);
    *link = *inner;
    link->outer = (SourceInlined *)chained(module, inner->outer, outer);
    return link;
}

Loc source_way(const Instruction *end, const SourceBlock *to)
{
    const SourceWay *way = end->ways;
    while (way && way->to != to)
        way = way->next;
    return way ? way->loc : (Loc){0};
}

void source_add_way(Module *module, Instruction *end, const SourceBlock *to, Loc loc)
{
    SourceWay *way = arena_alloc(module, sizeof *way);
    *way = (SourceWay){to, loc, end->ways};
    end->ways = way;
}

void source_add_ways(Module *module, Instruction *end, const Instruction *from)
{
    for (const SourceWay *way = from->ways; way; way = way->next)
        source_add_way(module, end, way->to, way->loc);
}

static void copy_operand(const SourceCopy *copy, Operand *x)
{
    if (x->kind == OPERAND_TEMPORARY)
        x->temporary += copy->temporaries;
    else if (x->kind == OPERAND_VARIABLE && copy->variables)
        x->variable = copy->variables[x->variable->id];
}

Instruction *source_copy_instruction(const SourceCopy *copy, const Instruction *instruction)
{
    Module *module = copy->to->unit->module;
    Instruction *made = arena_alloc(module, sizeof *made);
    *made = *instruction;
    made->next = NULL;
    if (made->temporary)
        made->temporary += copy->temporaries;
    if (made->variable && copy->variables)
        made->variable = copy->variables[made->variable->id];
    if (made->object && copy->objects)
        made->object = copy->objects[made->object->id];
    if (made->narguments) {
        made->arguments = arena_alloc(module, (size_t)made->narguments * sizeof *made->arguments);
        memcpy(made->arguments, instruction->arguments, (size_t)made->narguments * sizeof *made->arguments);
    }
    if (made->ncases) {
        made->cases = arena_alloc(module, (size_t)made->ncases * sizeof *made->cases);
        memcpy(made->cases, instruction->cases, (size_t)made->ncases * sizeof *made->cases);
    }
    for (int i = 0; i < source_noperands(made); i++)
        copy_operand(copy, source_operand(made, i));
    for (int i = 0; copy->blocks && i < source_nsuccessors(made); i++) {
        SourceBlock **block = source_successor(made, i);
        if (copy->blocks[(*block)->id])
            *block = copy->blocks[(*block)->id];
    }
    made->ways = NULL;
    source_add_ways(module, made, instruction);
    for (SourceWay *way = made->ways; copy->blocks && way; way = way->next)
        if (way->to && copy->blocks[way->to->id])
            way->to = copy->blocks[way->to->id];
    made->inlined = chained(module, instruction->inlined, copy->inlined);
    return made;
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

static void number_blocks(SourceFunction *function, SourceFlow *flow)
{
    Module *module = function->unit->module;
    const size_t n = (size_t)function->nblocks + 1;
    flow->number = arena_alloc(module, n * sizeof *flow->number);
    flow->order = arena_alloc(module, n * sizeof *flow->order);
    SourceBlock **stack = arena_alloc(module, n * sizeof *stack);
    int *at = arena_alloc(module, n * sizeof *at), depth = 0, done = 0;
    for (size_t i = 0; i < n; i++)
        flow->number[i] = -1;
    stack[depth++] = function->blocks;
    flow->number[function->blocks->id] = 0;
    /* The last edge first: what is written first has the smaller number.  */
    at[0] = source_nsuccessors(function->blocks->last);
    while (depth) {
        SourceBlock *block = stack[depth - 1];
        if (at[depth - 1] == 0) {
            flow->order[done++] = block;
            depth--;
            continue;
        }
        SourceBlock *next = *source_successor(block->last, --at[depth - 1]);
        if (flow->number[next->id] >= 0)
            continue;
        flow->number[next->id] = 0;
        at[depth] = source_nsuccessors(next->last);
        stack[depth++] = next;
    }
    for (int i = 0; i < done / 2; i++) {
        SourceBlock *block = flow->order[i];
        flow->order[i] = flow->order[done - 1 - i];
        flow->order[done - 1 - i] = block;
    }
    for (int i = 0; i < done; i++)
        flow->number[flow->order[i]->id] = i;
    flow->n = done;
}

static void find_preds(Module *module, SourceFlow *flow)
{
    const size_t n = (size_t)flow->n;
    flow->npreds = arena_alloc(module, n * sizeof *flow->npreds);
    flow->preds = arena_alloc(module, n * sizeof *flow->preds);
    for (int pass = 0; pass < 2; pass++)
        for (int b = 0; b < flow->n; b++)
            for (int i = 0; i < source_nsuccessors(flow->order[b]->last); i++) {
                const int to = flow->number[(*source_successor(flow->order[b]->last, i))->id];
                if (pass) {
                    if (!flow->preds[to]) {
                        flow->preds[to] = arena_alloc(module, (size_t)flow->npreds[to] * sizeof(int));
                        flow->npreds[to] = 0;
                    }
                    flow->preds[to][flow->npreds[to]] = b;
                }
                flow->npreds[to]++;
            }
}

static int common_dominator(const SourceFlow *flow, int a, int b)
{
    while (a != b)
        if (a > b)
            a = flow->idom[a];
        else
            b = flow->idom[b];
    return a;
}

/* A dominator has a smaller number than the blocks that it dominates.  */
static void number_dominated(Module *module, SourceFlow *flow)
{
    const size_t n = (size_t)flow->n;
    flow->preorder = arena_alloc(module, n * sizeof *flow->preorder);
    flow->dominated = arena_alloc(module, n * sizeof *flow->dominated);
    int *next = arena_alloc(module, n * sizeof *next);
    for (int b = flow->n - 1; b >= 0; b--) {
        flow->dominated[b]++;
        if (b)
            flow->dominated[flow->idom[b]] += flow->dominated[b];
    }
    for (int b = 0; b < flow->n; b++) {
        int *place = &next[flow->idom[b]];
        flow->preorder[b] = *place;
        *place += flow->dominated[b];
        next[b] = flow->preorder[b] + 1;
    }
}

static void find_dominators(Module *module, SourceFlow *flow)
{
    flow->idom = arena_alloc(module, (size_t)flow->n * sizeof *flow->idom);
    for (int i = 1; i < flow->n; i++)
        flow->idom[i] = -1;
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 1; b < flow->n; b++) {
            int to = -1;
            for (int i = 0; i < flow->npreds[b]; i++) {
                const int p = flow->preds[b][i];
                if (p == 0 || flow->idom[p] >= 0)
                    to = to < 0 ? p : common_dominator(flow, to, p);
            }
            changed |= flow->idom[b] != to;
            flow->idom[b] = to;
        }
    }
    number_dominated(module, flow);
}

bool source_dominates(const SourceFlow *flow, int above, int below)
{
    const int place = flow->preorder[below] - flow->preorder[above];
    return place >= 0 && place < flow->dominated[above];
}

bool source_in_loop(const SourceFlow *flow, int header, int block)
{
    for (int h = flow->loop[block]; h >= 0; h = flow->outer[h])
        if (h == header)
            return true;
    return false;
}

/* Puts a block into the loop of h. A block of an inner loop stands for the outermost known loop around it.  */
static void enter_loop(SourceFlow *flow, int h, int block, int *work, int *count)
{
    if (flow->loop[block] < 0) {
        flow->loop[block] = h;
        work[(*count)++] = block;
        return;
    }
    int top = flow->loop[block];
    while (flow->outer[top] >= 0)
        top = flow->outer[top];
    if (top == h)
        return;
    flow->outer[top] = h;
    work[(*count)++] = top;
}

/* Inner loops come first, since their headers have the greater numbers.  */
static void find_loops(Module *module, SourceFlow *flow)
{
    const size_t n = (size_t)flow->n;
    flow->loop = arena_alloc(module, n * sizeof *flow->loop);
    flow->outer = arena_alloc(module, n * sizeof *flow->outer);
    int *work = arena_alloc(module, n * sizeof *work);
    for (int b = 0; b < flow->n; b++)
        flow->loop[b] = flow->outer[b] = -1;
    for (int h = flow->n - 1; h >= 0; h--) {
        int count = 0;
        for (int i = 0; i < flow->npreds[h]; i++) {
            const int p = flow->preds[h][i];
            if (p < h)
                continue;
            if (!source_dominates(flow, h, p)) {
                flow->entered = flow->order[h];
                continue;
            }
            flow->loop[h] = h;
            if (p != h)
                enter_loop(flow, h, p, work, &count);
        }
        while (count) {
            const int block = work[--count];
            for (int i = 0; i < flow->npreds[block]; i++)
                if (source_dominates(flow, h, flow->preds[block][i]))
                    enter_loop(flow, h, flow->preds[block][i], work, &count);
        }
    }
}

SourceFlow *source_flow(SourceFunction *function)
{
    Module *module = function->unit->module;
    SourceFlow *flow = arena_alloc(module, sizeof *flow);
    number_blocks(function, flow);
    find_preds(module, flow);
    find_dominators(module, flow);
    find_loops(module, flow);
    return flow;
}

static bool same_chain(const SourceInlined *a, const SourceInlined *b)
{
    for (; a && b; a = a->outer, b = b->outer)
        if (strcmp(a->function, b->function) || a->loc.line != b->loc.line || a->loc.column != b->loc.column)
            return false;
    return !a && !b;
}

/* Is a mark in the loop of this header at the start of its body, where some front ends put it?  */
static bool is_at_start(const SourceFunction *function, const SourceBlock *header, const Instruction *mark)
{
    const SourcePragma *pragma = function->unit->pragmas;
    for (int i = 0; pragma && i < mark->mark; i++)
        pragma = pragma->next;
    const SourceInlined *link = header->last->inlined;
    while (link && !same_chain(link, mark->inlined))
        link = link->outer;
    return (!pragma || pragma->is_inside) && same_chain(link, mark->inlined);
}

int source_marked_loop(const SourceFunction *function, const SourceFlow *flow, const SourceBlock *block, int mark)
{
    const int b = flow->number[block->id];
    if (b < 0)
        return -1;
    const Instruction *instruction = block->first;
    while (instruction && (instruction->code != SO_MARK || instruction->mark != mark))
        instruction = instruction->next;
    if (instruction && flow->loop[b] >= 0 && is_at_start(function, flow->order[flow->loop[b]], instruction))
        return flow->loop[b];
    for (int h = b + 1; h < flow->n; h++)
        if (flow->loop[h] == h && source_dominates(flow, b, h) && flow->outer[h] == flow->loop[b])
            return h;
    return -1;
}

/* ---- cleaning ---------------------------------------------------------------------------------------------------- */

static void make_jump(Instruction *end, SourceBlock *block)
{
    end->code = SO_JUMP;
    end->type = ST_V;
    end->args[0].kind = OPERAND_NONE;
    end->ncases = 0;
    end->targets[0] = block;
    end->targets[1] = NULL;
}

/* A branch whose way is known is a jump.  */
static void settle(SourceBlock *block)
{
    Instruction *end = block->last;
    const int n = source_nsuccessors(end);
    if (n < 1 || end->code == SO_JUMP)
        return;
    SourceBlock *to = *source_successor(end, 0);
    bool one = true;
    for (int i = 1; i < n; i++)
        one &= *source_successor(end, i) == to;
    const Operand x = end->args[0];
    if (!one && x.kind != OPERAND_INTEGER)
        return;
    if (!one && end->code == SO_BRANCH)
        to = end->targets[x.integer ? 0 : 1];
    for (int i = 0; !one && i < end->ncases; i++)
        if (source_type_is_signed(end->type)
                ? (int64_t)x.integer >= end->cases[i].low && (int64_t)x.integer <= end->cases[i].high
                : x.integer >= (uint64_t)end->cases[i].low && x.integer <= (uint64_t)end->cases[i].high) {
            to = end->cases[i].block;
            break;
        }
    make_jump(end, to);
}

/* `where`: the place of the first jump that has one.  */
static SourceBlock *behind_jumps(SourceBlock *block, Loc *where)
{
    for (int i = 0; i < 64 && block->first->code == SO_JUMP && block->first->targets[0] != block; i++) {
        if (!where->line)
            *where = block->first->loc;
        block = block->first->targets[0];
    }
    return block;
}

static void skip_jumps(Module *module, Instruction *end)
{
    for (int i = 0; i < source_nsuccessors(end); i++) {
        SourceBlock **to = source_successor(end, i);
        Loc where = source_way(end, *to);
        SourceBlock *behind = behind_jumps(*to, &where);
        if (behind != *to && where.line)
            source_add_way(module, end, behind, where);
        *to = behind;
    }
}

static void reorder(SourceFunction *function, const SourceFlow *flow)
{
    for (int i = 0; i < flow->n; i++) {
        flow->order[i]->id = i;
        flow->order[i]->next = i + 1 < flow->n ? flow->order[i + 1] : NULL;
    }
    function->blocks = flow->order[0];
    function->last_block = flow->order[flow->n - 1];
    function->nblocks = flow->n;
}

void source_clean(SourceFunction *function)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (SourceBlock *block = function->blocks; block; block = block->next) {
            skip_jumps(function->unit->module, block->last);
            settle(block);
        }
        const SourceFlow *flow = source_flow(function);
        reorder(function, flow);
        bool *gone = arena_alloc(function->unit->module, (size_t)flow->n * sizeof *gone);
        for (int b = 0; b < flow->n; b++) {
            SourceBlock *block = flow->order[b];
            while (!gone[b] && block->last->code == SO_JUMP) {
                SourceBlock *next = block->last->targets[0];
                const int to = next->id;
                if (to == 0 || to == b || flow->npreds[to] != 1)
                    break;
                Instruction **slot = &block->first;
                while (*slot != block->last)
                    slot = &(*slot)->next;
                *slot = next->first;
                block->last = next->last;
                gone[to] = true;
                changed = true;
            }
        }
        if (changed)
            reorder(function, source_flow(function));
    }
}
