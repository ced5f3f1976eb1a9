/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * live.c - the variables that are live at the ends of blocks, and the removal of what nothing reads.
 *
 *      t1 = add.i32 a.1, 1
 *      x.2 = copy.i32 t1                         (x.2 is not read)
 *      t2 = load.f32 p.3               =>
 *      return a.1                                return a.1
 */
#include <string.h>

#include "source/passes.h"

bool source_reads_list(const Instruction *i)
{
    return i->code == SO_CALL && i->symbol && (!strcmp(i->symbol, "ws_at") || !strcmp(i->symbol, "ws_at_float"));
}

bool source_is_pure(const Instruction *instruction)
{
    switch (source_op_form(instruction->code)) {
    case FORM_CALL:
        return instruction->symbol && source_type_is_float(instruction->type) &&
               source_has_no_effects(instruction->symbol);
    case FORM_LOAD:
        return !instruction->is_volatile;
    case FORM_UNARY:
    case FORM_BINARY:
    case FORM_COMPARE:
    case FORM_CONVERT:
    case FORM_SELECT:
    case FORM_OBJECT:
    case FORM_SYMBOL:
    case FORM_STRING:
        return true;
    default:
        return false;
    }
}

bool source_can_speculate(const Instruction *instruction)
{
    const SourceForm form = source_op_form(instruction->code);
    if (form == FORM_CALL || form == FORM_LOAD || !source_is_pure(instruction))
        return false;
    if ((instruction->code == SO_DIV || instruction->code == SO_REM) && !source_type_is_float(instruction->type))
        return instruction->args[1].kind == OPERAND_INTEGER && instruction->args[1].integer &&
               instruction->args[1].integer + 1;
    return true;
}

static void set(uint64_t *words, int id)
{
    words[id / 64] |= (uint64_t)1 << (id % 64);
}

/* What is live in front of an instruction, from what is live behind it.  */
static void step(uint64_t *live, Instruction *instruction)
{
    if (instruction->variable)
        live[instruction->variable->id / 64] &= ~((uint64_t)1 << (instruction->variable->id % 64));
    for (int i = 0; i < source_noperands(instruction); i++) {
        const Operand *x = source_operand(instruction, i);
        if (x->kind == OPERAND_VARIABLE)
            set(live, x->variable->id);
    }
}

static int list_of(const SourceBlock *block, Instruction **list)
{
    int n = 0;
    for (Instruction *i = block->first; i; i = i->next) {
        if (list)
            list[n] = i;
        n++;
    }
    return n;
}

static Instruction **reversed(Module *module, const SourceBlock *block, int *n)
{
    *n = list_of(block, NULL);
    Instruction **list = arena_alloc(module, ((size_t)*n + 1) * sizeof *list);
    list_of(block, list);
    return list;
}

static void mark_sides(const SourceFunction *function, uint64_t *live)
{
    for (int i = 0; i < function->nvariables + function->nobjects; i++) {
        const Declaration *d = i < function->nvariables ? &function->variables[i]->declaration
                                                        : &function->objects[i - function->nvariables]->declaration;
        for (int k = 0; k < d->ndimensions; k++)
            if (d->dimensions[k].side.kind == OPERAND_VARIABLE)
                set(live, d->dimensions[k].side.variable->id);
    }
}

SourceLive source_live(const SourceFunction *function, const SourceFlow *flow)
{
    Module *module = function->unit->module;
    SourceLive live = {.words = function->nvariables / 64 + 1};
    const size_t words = (size_t)live.words;
    live.in = arena_alloc(module, (size_t)flow->n * words * sizeof *live.in);
    live.out = arena_alloc(module, (size_t)flow->n * words * sizeof *live.out);
    uint64_t *reads = arena_alloc(module, (size_t)flow->n * words * sizeof *reads);
    uint64_t *writes = arena_alloc(module, (size_t)flow->n * words * sizeof *writes);
    for (int b = 0; b < flow->n; b++)
        for (Instruction *i = flow->order[b]->first; i; i = i->next) {
            for (int k = 0; k < source_noperands(i); k++) {
                const Operand *x = source_operand(i, k);
                if (x->kind == OPERAND_VARIABLE && !source_is_live(writes + (size_t)b * words, x->variable))
                    set(reads + (size_t)b * words, x->variable->id);
            }
            if (i->variable)
                set(writes + (size_t)b * words, i->variable->id);
        }
    /* Sides of arrays are read by messages and extents: to the end.  */
    for (int b = 0; b < flow->n; b++)
        if (!source_nsuccessors(flow->order[b]->last))
            mark_sides(function, live.out + (size_t)b * words);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = flow->n - 1; b >= 0; b--) {
            uint64_t *in = live.in + (size_t)b * words, *out = live.out + (size_t)b * words;
            for (int i = 0; i < source_nsuccessors(flow->order[b]->last); i++) {
                const int to = flow->number[(*source_successor(flow->order[b]->last, i))->id];
                for (size_t w = 0; w < words; w++)
                    out[w] |= live.in[(size_t)to * words + w];
            }
            for (size_t w = 0; w < words; w++) {
                const uint64_t now = reads[(size_t)b * words + w] | (out[w] & ~writes[(size_t)b * words + w]);
                changed |= now != in[w];
                in[w] = now;
            }
        }
    }
    return live;
}

/* The variables on which an effect depends. One that a loop carries, and that is read for its own next value alone,
   is live and none of these.  */
static uint64_t *find_needed(const SourceFunction *function, const SourceFlow *flow)
{
    Module *module = function->unit->module;
    uint64_t *needed = arena_alloc(module, ((size_t)function->nvariables / 64 + 1) * sizeof *needed);
    bool *read = arena_alloc(module, ((size_t)function->ntemporaries + 1) * sizeof *read);
    mark_sides(function, needed);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = flow->n - 1; b >= 0; b--) {
            int n;
            Instruction **list = reversed(module, flow->order[b], &n);
            for (int k = n - 1; k >= 0; k--) {
                Instruction *i = list[k];
                if (i->code == SO_COPY ? !source_is_live(needed, i->variable)
                                       : source_is_pure(i) && !read[i->temporary])
                    continue;
                for (int m = 0; m < source_noperands(i); m++) {
                    const Operand *x = source_operand(i, m);
                    if (x->kind == OPERAND_TEMPORARY)
                        read[x->temporary] = true;
                    if (x->kind != OPERAND_VARIABLE || source_is_live(needed, x->variable))
                        continue;
                    set(needed, x->variable->id);
                    changed = true;
                }
            }
        }
    }
    return needed;
}

static bool sweep_block(SourceFunction *function, SourceBlock *block, const uint64_t *out, const uint64_t *needed,
                        int words, bool *read)
{
    Module *module = function->unit->module;
    uint64_t *live = arena_alloc(module, (size_t)words * sizeof *live);
    memcpy(live, out, (size_t)words * sizeof *live);
    int n;
    Instruction **list = reversed(module, block, &n), *kept = NULL;
    bool changed = false;
    for (int k = n - 1; k >= 0; k--) {
        Instruction *i = list[k];
        const bool dead = i->code == SO_COPY
                              ? !source_is_live(live, i->variable) || !source_is_live(needed, i->variable) ||
                                    (i->args[0].kind == OPERAND_VARIABLE && i->args[0].variable == i->variable)
                              : source_is_pure(i) && !read[i->temporary];
        if (dead) {
            changed = true;
            continue;
        }
        step(live, i);
        for (int m = 0; m < source_noperands(i); m++) {
            const Operand *x = source_operand(i, m);
            if (x->kind == OPERAND_TEMPORARY)
                read[x->temporary] = true;
        }
        i->next = kept;
        if (!kept)
            block->last = i;
        kept = i;
    }
    block->first = kept;
    return changed;
}

static void prune(SourceFunction *function)
{
    bool *variables = arena_alloc(function->unit->module, ((size_t)function->nvariables + 1) * sizeof *variables);
    bool *objects = arena_alloc(function->unit->module, ((size_t)function->nobjects + 1) * sizeof *objects);
    for (SourceBlock *block = function->blocks; block; block = block->next)
        for (Instruction *i = block->first; i; i = i->next) {
            if (i->variable)
                variables[i->variable->id] = true;
            if (i->object)
                objects[i->object->id] = true;
            for (int k = 0; k < source_noperands(i); k++)
                if (source_operand(i, k)->kind == OPERAND_VARIABLE)
                    variables[source_operand(i, k)->variable->id] = true;
        }
    /* Sides of arrays are read by messages and extents.  */
    for (int pass = 0; pass < 2; pass++)
        for (int v = 0; v < (pass ? function->nobjects : function->nvariables); v++) {
            const Declaration *d = pass ? &function->objects[v]->declaration : &function->variables[v]->declaration;
            if (pass ? !objects[v] : !function->variables[v]->is_parameter && !variables[v])
                continue;
            for (int i = 0; i < d->ndimensions; i++)
                if (d->dimensions[i].side.kind == OPERAND_VARIABLE)
                    variables[d->dimensions[i].side.variable->id] = true;
        }
    int n = 0;
    for (int v = 0; v < function->nvariables; v++)
        if (variables[v] || function->variables[v]->is_parameter) {
            function->variables[n] = function->variables[v];
            function->variables[n]->id = n;
            n++;
        }
    function->nvariables = n;
    n = 0;
    for (int o = 0; o < function->nobjects; o++)
        if (objects[o]) {
            function->objects[n] = function->objects[o];
            function->objects[n]->id = n;
            n++;
        }
    function->nobjects = n;
}

static void renumber_temporaries(SourceFunction *function)
{
    int *number = arena_alloc(function->unit->module, ((size_t)function->ntemporaries + 1) * sizeof *number), n = 0;
    for (SourceBlock *block = function->blocks; block; block = block->next)
        for (Instruction *i = block->first; i; i = i->next) {
            for (int k = 0; k < source_noperands(i); k++) {
                Operand *x = source_operand(i, k);
                if (x->kind == OPERAND_TEMPORARY)
                    x->temporary = number[x->temporary];
            }
            if (i->temporary)
                i->temporary = number[i->temporary] = ++n;
        }
    function->ntemporaries = n;
}

void source_sweep(SourceFunction *function)
{
    Module *module = function->unit->module;
    for (bool changed = true; changed;) {
        changed = false;
        const SourceFlow *flow = source_flow(function);
        const SourceLive live = source_live(function, flow);
        const uint64_t *needed = find_needed(function, flow);
        bool *read = arena_alloc(module, ((size_t)function->ntemporaries + 1) * sizeof *read);
        for (int b = 0; b < flow->n; b++)
            changed |= sweep_block(function, flow->order[b], live.out + (size_t)b * (size_t)live.words, needed,
                                   live.words, read);
    }
    prune(function);
    renumber_temporaries(function);
}
