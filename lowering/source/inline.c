/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inline.c - calls of functions with bodies become their bodies, in the loops behind a mark.
 *
 *      func f32 twice (f32 x.1)                      func v f (p a.1, i32 n.2)
 *      B0:                                             var f32 x.4
 *        t1 = add.f32 x.1, x.1 @3:5                    var f32 v.5
 *        return t1                                   ...
 *      end                                           B2:
 *      ...                                             t4 = load.f32 t3
 *      B2:                                             x.4 = copy.f32 t4 @9:10
 *        t4 = load.f32 t3                              t7 = add.f32 x.4, x.4 @3:5 in twice @9:10
 *        t5 = call.f32 twice(f32 t4) @9:10             v.5 = copy.f32 t7 @9:10
 *        store.f32 t3, t5                              store.f32 t3, v.5
 *
 * An instruction keeps its place, and behind it the chain of calls. Parameters and variables of a body become variables
 * of the function. An aggregate argument comes by its address, and the body copies it.
 */
#include <string.h>

#include "source/passes.h"

typedef struct {
    SourceFunction *function;
    bool only_grids; /* bodies with a mark, or of tensors */
    SourceNotInlined *refused, **last;
} Inliner;

static SourceFunction *body_of(SourceUnit *unit, const char *name)
{
    for (SourceFunction *function = unit->functions; function; function = function->next)
        if (!strcmp(function->name, name) && (function->blocks || function->failed))
            return function;
    return NULL;
}

static bool is_recursive(const Inliner *inliner, const Instruction *call, const SourceFunction *callee)
{
    if (callee == inliner->function)
        return true;
    for (const SourceInlined *link = call->inlined; link; link = link->outer)
        if (!strcmp(link->function, callee->name))
            return true;
    return false;
}

static bool arguments_fit(const Instruction *call, const SourceFunction *callee)
{
    if (call->narguments != callee->nparameters)
        return false;
    for (int i = 0; i < call->narguments; i++) {
        const SourceType given = call->arguments[i].type, type = callee->parameters[i]->type;
        const bool aggregate = source_type_is_aggregate(given) && (type == ST_P || source_type_is_aggregate(type));
        if (given != type && !aggregate)
            return false;
    }
    return !call->temporary || call->type == callee->result;
}

static bool refuse(Inliner *inliner, SourceNotInlinedReason reason, const Instruction *call,
                   const SourceFunction *callee)
{
    SourceNotInlined *entry = arena_alloc(inliner->function->unit->module, sizeof *entry);
    *entry = (SourceNotInlined){.reason = reason, .call = call, .callee = callee};
    *inliner->last = entry;
    inliner->last = &entry->next;
    return false;
}

static bool can_inline(Inliner *inliner, const Instruction *call, const SourceFunction *callee)
{
    if (is_recursive(inliner, call, callee))
        return refuse(inliner, NOT_INLINED_RECURSIVE, call, callee);
    if (callee->failed)
        return refuse(inliner, NOT_INLINED_FAILED, call, callee);
    if (callee->is_variadic)
        return refuse(inliner, NOT_INLINED_VARIADIC, call, callee);
    return arguments_fit(call, callee) || refuse(inliner, NOT_INLINED_MISMATCH, call, callee);
}

static Instruction *copy_to(const Inliner *inliner, SourceVariable *variable, Operand x, const Instruction *call)
{
    Instruction *copy = arena_alloc(inliner->function->unit->module, sizeof *copy);
    *copy = (Instruction){.code = SO_COPY,
                          .type = variable->type,
                          .variable = variable,
                          .args = {x},
                          .loc = call->loc,
                          .inlined = call->inlined};
    return copy;
}

static Instruction *jump_to(const Inliner *inliner, SourceBlock *block, const Instruction *call)
{
    Instruction *jump = arena_alloc(inliner->function->unit->module, sizeof *jump);
    *jump = (Instruction){.code = SO_JUMP, .targets = {block}, .loc = call->loc, .inlined = call->inlined};
    return jump;
}

static void append(SourceBlock *block, Instruction *instruction)
{
    source_insert(block, block->last, instruction);
}

/* An address passes as a p.  */
static SourceVariable *own_variable(SourceFunction *function, const SourceVariable *variable)
{
    const SourceType type = source_type_is_aggregate(variable->type) ? ST_P : variable->type;
    return source_variable(function, type, variable->declaration);
}

/* The sides of an array of the body are variables of the body.  */
static void own_sides(const SourceCopy *copy, Declaration *declaration)
{
    Module *module = copy->to->unit->module;
    SourceDimension *dimensions = arena_alloc(module, ((size_t)declaration->ndimensions + 1) * sizeof *dimensions);
    for (int i = 0; i < declaration->ndimensions; i++) {
        dimensions[i] = declaration->dimensions[i];
        Operand *side = &dimensions[i].side;
        if (side->kind == OPERAND_VARIABLE)
            side->variable = copy->variables[side->variable->id];
        else if (side->kind == OPERAND_TEMPORARY)
            side->temporary += copy->temporaries;
    }
    declaration->dimensions = dimensions;
}

static bool has_mark(const SourceFunction *function)
{
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next)
            if (i->code == SO_MARK)
                return true;
    return false;
}

/* Replaces the call, which is in `block`. Returns the copies of the body's blocks, and the block behind the call.  */
static SourceBlock **expand(Inliner *inliner, SourceBlock *block, Instruction *call, SourceFunction *callee,
                            SourceBlock **behind)
{
    SourceFunction *function = inliner->function;
    Module *module = function->unit->module;
    SourceBlock *rest = *behind = source_split(function, block, call);
    SourceInlined *link = arena_alloc(module, sizeof *link);
    *link = (SourceInlined){.function = callee->name, .loc = call->loc, .outer = (SourceInlined *)call->inlined};
    SourceCopy copy = {.from = callee, .to = function, .temporaries = function->ntemporaries, .inlined = link};
    function->ntemporaries += callee->ntemporaries;
    copy.variables = arena_alloc(module, ((size_t)callee->nvariables + 1) * sizeof *copy.variables);
    copy.objects = arena_alloc(module, ((size_t)callee->nobjects + 1) * sizeof *copy.objects);
    copy.blocks = arena_alloc(module, ((size_t)callee->nblocks + 1) * sizeof *copy.blocks);
    for (int i = 0; i < callee->nvariables; i++) {
        copy.variables[i] = own_variable(function, callee->variables[i]);
        copy.variables[i]->is_argument = callee->variables[i]->is_parameter;
        if (inliner->only_grids && has_mark(callee)) { /* the front end still has it where the grid begins */
            copy.variables[i]->host = callee->variables[i]->host;
            copy.variables[i]->inlined_from = callee->variables[i];
        }
    }
    for (int i = 0; i < callee->nobjects; i++)
        copy.objects[i] = source_object(function, callee->objects[i]->bytes, callee->objects[i]->alignment,
                                        callee->objects[i]->declaration);
    for (int i = 0; i < callee->nvariables; i++)
        own_sides(&copy, &copy.variables[i]->declaration);
    for (int i = 0; i < callee->nobjects; i++)
        own_sides(&copy, &copy.objects[i]->declaration);
    for (const SourceBlock *b = callee->blocks; b; b = b->next) {
        copy.blocks[b->id] = source_block_new(function);
        source_place(function, copy.blocks[b->id]);
    }
    /* The variable that held the result across the cut: where nothing reads it, there is none.  */
    SourceVariable *result = NULL;
    if (call->next && call->next->code == SO_COPY && call->next->args[0].kind == OPERAND_TEMPORARY &&
        call->next->args[0].temporary == call->temporary)
        result = call->next->variable;
    Instruction **slot = &block->first, *before = NULL;
    for (; *slot != call; slot = &(*slot)->next)
        before = *slot;
    *slot = NULL;
    block->last = before;
    for (int i = 0; i < call->narguments; i++)
        append(block, copy_to(inliner, copy.variables[callee->parameters[i]->id], call->arguments[i].operand, call));
    append(block, jump_to(inliner, copy.blocks[callee->blocks->id], call));
    for (const SourceBlock *b = callee->blocks; b; b = b->next)
        for (const Instruction *i = b->first; i; i = i->next) {
            SourceBlock *to = copy.blocks[b->id];
            if (i->code != SO_RETURN) {
                Instruction *made = source_copy_instruction(&copy, i);
                if (i->code == SO_CALL && !i->task)
                    made->task = call->task;
                append(to, made);
                continue;
            }
            if (result && i->args[0].kind != OPERAND_NONE) {
                const Instruction *made = source_copy_instruction(&copy, i);
                append(to, copy_to(inliner, result, made->args[0], call));
            }
            append(to, jump_to(inliner, rest, call));
        }
    return copy.blocks;
}

/* ws_tensor_strided of a constant rank is a function of ws.h with a body, which a helper may call.  */
static bool makes_tensor(const SourceFunction *function, int depth)
{
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next) {
            if (i->code == SO_CALL && source_makes_tensor(i))
                return true;
            const SourceFunction *callee =
                i->code == SO_CALL && i->symbol && i->type == ST_P && depth ? body_of(function->unit, i->symbol) : NULL;
            if (callee && callee->blocks && function->result == ST_P && makes_tensor(callee, depth - 1))
                return true;
        }
    return false;
}

/* A call of a function by the address that the block takes is one by its name.  */
static void name_callee(const SourceBlock *block, Instruction *call)
{
    for (const Instruction *i = block->first; i != call && call->args[0].kind == OPERAND_TEMPORARY; i = i->next)
        if (i->code == SO_FUNCTION && i->temporary == call->args[0].temporary) {
            call->symbol = i->symbol;
            call->args[0] = (Operand){.kind = OPERAND_NONE};
        }
}

/* Calls in the block, and in what becomes of them.  */
static void inline_block(Inliner *inliner, SourceBlock *block)
{
    SourceFunction *function = inliner->function;
    for (Instruction *i = block->first; i; i = i->next) {
        if (i->code == SO_CALL && !i->symbol)
            name_callee(block, i);
        SourceFunction *callee = i->code == SO_CALL && i->symbol ? body_of(function->unit, i->symbol) : NULL;
        if (!callee || (inliner->only_grids && !has_mark(callee) && !makes_tensor(callee, 4)) ||
            !can_inline(inliner, i, callee))
            continue;
        const int n = callee->nblocks;
        SourceBlock *rest, **made = expand(inliner, block, i, callee, &rest);
        for (int k = 0; k < n; k++)
            if (made[k])
                inline_block(inliner, made[k]);
        inline_block(inliner, rest);
        return;
    }
}

SourceNotInlined *source_inline(SourceFunction *function, bool everywhere)
{
    if (function->failed || !function->blocks)
        return NULL;
    source_clean(function);
    const SourceFlow *flow = source_flow(function);
    bool *wanted = arena_alloc(function->unit->module, (size_t)flow->n * sizeof *wanted);
    for (int b = 0; b < flow->n; b++)
        for (const Instruction *i = flow->order[b]->first; i; i = i->next) {
            wanted[b] |= everywhere;
            const int header = i->code == SO_MARK ? source_marked_loop(function, flow, flow->order[b], i->mark) : -1;
            for (int k = 0; header >= 0 && k < flow->n; k++)
                wanted[k] |= source_in_loop(flow, header, k);
        }
    Inliner inliner = {.function = function};
    inliner.last = &inliner.refused;
    for (int b = 0; b < flow->n; b++)
        if (wanted[b])
            inline_block(&inliner, flow->order[b]);
    source_clean(function);
    return inliner.refused;
}

void source_inline_grids(SourceFunction *function)
{
    Inliner inliner = {.function = function, .only_grids = true};
    if (function->failed || !function->blocks)
        return;
    inliner.last = &inliner.refused;
    source_clean(function);
    const SourceFlow *flow = source_flow(function);
    for (int b = 0; b < flow->n; b++)
        inline_block(&inliner, flow->order[b]);
    source_clean(function);
}
