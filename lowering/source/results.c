/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * results.c - the names that the user gives to results of calls, and to pointers that stores go through.
 *
 *      t1 = call.p ws_load(...)               t1 = call.p ws_load(...)         holders: ta.3
 *      ta.3 = copy.p t1                       ta.3 = copy.p t1
 *      t2 = call.p ws_trans(p ta.3)     =>    t2 = call.p ws_trans(p t1)
 *
 * The clauses ring(ta, 3) and share(ta, tb) name variables. Simplify (simplify.c) removes a copy that nothing reads,
 * and a store to an object that nothing loads. So the call keeps the declarations. The clause reduction(+: row) names a
 * pointer: the store through it keeps that.
 */
#include <string.h>

#include "source/kernels.h"

/* Variables of ws.h have no names that users know.  */
static bool is_named(const Declaration *declaration)
{
    const char *name = declaration->name;
    return name && (strncmp(name, "ws_", 3) || name[strlen(name) - 1] != '_');
}

/* The name of a parameter is no name of its argument.  */
bool source_has_name(const SourceVariable *variable)
{
    return !variable->is_argument && is_named(&variable->declaration);
}

static void add_holder(Module *module, Instruction *call, const Declaration *declaration)
{
    SourceHolder **last = &call->holders;
    while (*last)
        last = &(*last)->next;
    *last = arena_alloc(module, sizeof **last);
    **last = (SourceHolder){declaration, NULL};
}

/* The variable that an address in the block begins with, or NULL. `roots` has those of temporaries.  */
static const SourceVariable *root_of(const SourceVariable *const *roots, Operand address)
{
    return address.kind == OPERAND_VARIABLE    ? address.variable
           : address.kind == OPERAND_TEMPORARY ? roots[address.temporary]
                                               : NULL;
}

static void name_stores(SourceFunction *function)
{
    const SourceVariable **roots =
        arena_alloc(function->unit->module, ((size_t)function->ntemporaries + 1) * sizeof *roots);
    for (const SourceBlock *block = function->blocks; block; block = block->next)
        for (Instruction *i = block->first; i; i = i->next) {
            if (i->code == SO_ADD && i->type == ST_P)
                roots[i->temporary] = root_of(roots, i->args[0]);
            const SourceVariable *root = i->code == SO_STORE && !i->symbol ? root_of(roots, i->args[0]) : NULL;
            if (root && source_has_name(root))
                i->symbol = root->declaration.name;
        }
}

/* A tile that goes to an object. `made` has the instructions of temporaries.  */
static void name_stored(Module *module, Instruction *const *made, const Instruction *store)
{
    if (store->args[0].kind != OPERAND_TEMPORARY || store->args[1].kind != OPERAND_TEMPORARY)
        return;
    const Instruction *address = made[store->args[0].temporary];
    Instruction *call = made[store->args[1].temporary];
    if (address && call && address->code == SO_ADDR && call->code == SO_CALL && is_named(&address->object->declaration))
        add_holder(module, call, &address->object->declaration);
}

void source_find_lost(SourceUnit *unit)
{
    for (SourceFunction *function = unit->functions; function && !unit->is_searched; function = function->next) {
        Instruction **made = arena_alloc(unit->module, ((size_t)function->ntemporaries + 1) * sizeof *made);
        for (const SourceBlock *block = function->blocks; block; block = block->next)
            for (Instruction *i = block->first; i; i = i->next) {
                for (int k = 0; k < source_noperands(i); k++)
                    if (source_operand(i, k)->kind == OPERAND_TEMPORARY && made[source_operand(i, k)->temporary])
                        made[source_operand(i, k)->temporary]->is_lost = false;
                if (i->temporary)
                    made[i->temporary] = i;
                i->is_lost = i->code == SO_CALL && i->temporary && i->symbol && !strncmp(i->symbol, "ws_", 3);
            }
    }
    unit->is_searched = true;
}

void source_name_results(SourceFunction *function)
{
    Module *module = function->unit->module;
    name_stores(function);
    Instruction **made = arena_alloc(module, ((size_t)function->ntemporaries + 1) * sizeof *made);
    for (const SourceBlock *block = function->blocks; block; block = block->next) {
        Instruction **held = arena_alloc(module, ((size_t)function->nvariables + 1) * sizeof *held);
        for (Instruction *i = block->first; i; i = i->next) {
            if (i->temporary)
                made[i->temporary] = i;
            if (i->code == SO_STORE)
                name_stored(module, made, i);
            if (i->code != SO_COPY)
                continue;
            const Operand x = i->args[0];
            Instruction *call = x.kind == OPERAND_TEMPORARY  ? made[x.temporary]
                                : x.kind == OPERAND_VARIABLE ? held[x.variable->id]
                                                             : NULL;
            held[i->variable->id] = call = call && call->code == SO_CALL ? call : NULL;
            if (call && source_has_name(i->variable))
                add_holder(module, call, &i->variable->declaration);
        }
    }
}
