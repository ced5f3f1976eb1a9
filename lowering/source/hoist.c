/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hoist.c - loads that each iteration makes alike stand in front of the loop.
 *
 *      B1: ...                                  B0: t9 = add.p s.1, 8
 *      B2: t1 = add.p s.1, 8                        t10 = load.i32 t9
 *          t2 = load.i32 t1              =>         v.7 = copy.i32 t10
 *          t3 = lt.i32 i.2, t2                  B2: t3 = lt.i32 i.2, v.7
 *          store.f32 t4, x.3                        store.f32 t4, x.3
 *
 * The address is a constant number of bytes behind a pointer that the loop leaves alone, or behind a variable of static
 * storage. No store of the loop can have the same bytes, as C's rule of effective types tells: a number of another type
 * lies elsewhere. A character may lie anywhere.
 */
#include <string.h>

#include "source/kernels.h"

typedef struct {
    SourceFunction *function;
    Module *module;
    SourceBlock *entry;
    bool *assigned; /* by variable: the loop assigns it */
    int nassigned;  /* variables behind them were made here */
    bool *stored;   /* by type: the loop stores one */
    struct Hoisted {
        Operand root; /* a variable, or OPERAND_NONE for the symbol */
        const char *symbol;
        int64_t offset;
        SourceType type;
        SourceVariable *variable;
    } * list;
    int count;
} Hoister;

/* Integers of one size share an effective type, whatever their sign.  */
static SourceType effective(SourceType type)
{
    switch (type) {
    case ST_U16:
        return ST_I16;
    case ST_U32:
        return ST_I32;
    case ST_U64:
        return ST_I64;
    case ST_B:
    case ST_U8:
        return ST_I8;
    default:
        return type;
    }
}

/* false: something in the loop writes memory in another way.  */
static bool see_loop(Hoister *h)
{
    for (const SourceBlock *block = h->entry->next; block; block = block->next)
        for (const Instruction *i = block->first; i; i = i->next) {
            if (i->code == SO_COPY)
                h->assigned[i->variable->id] = true;
            if (i->code == SO_STORE)
                h->stored[effective(i->type)] = true;
            if (i->code == SO_MOVE || i->code == SO_ZERO ||
                (i->code == SO_CALL && !source_is_pure(i) && (!i->symbol || strncmp(i->symbol, "ws_", 3))))
                return false;
        }
    return !h->stored[ST_I8];
}

static const Instruction *maker_of(const SourceBlock *block, Operand x)
{
    for (const Instruction *i = block->first; i && x.kind == OPERAND_TEMPORARY; i = i->next)
        if (i->temporary == x.temporary)
            return i;
    return NULL;
}

/* The address is a root and a constant.  */
static bool find_root(const Hoister *h, const SourceBlock *block, Operand address, struct Hoisted *found)
{
    found->offset = 0;
    for (const Instruction *i; (i = maker_of(block, address)) && i->code == SO_ADD && i->type == ST_P &&
                               i->args[1].kind == OPERAND_INTEGER;) {
        found->offset += (int64_t)i->args[1].integer;
        address = i->args[0];
    }
    const Instruction *made = maker_of(block, address);
    found->symbol = made && made->code == SO_GLOBAL ? made->symbol : NULL;
    found->root = found->symbol ? (Operand){.kind = OPERAND_NONE} : address;
    return found->symbol || (address.kind == OPERAND_VARIABLE &&
                             (address.variable->id >= h->nassigned || !h->assigned[address.variable->id]));
}

static Operand emit(Hoister *h, Instruction like, Instruction made)
{
    Instruction *instruction = arena_alloc(h->module, sizeof *instruction);
    made.loc = like.loc;
    made.inlined = like.inlined;
    if (made.code != SO_COPY)
        made.temporary = ++h->function->ntemporaries;
    *instruction = made;
    Instruction *before = NULL; /* in front of the jump */
    for (Instruction *i = h->entry->first; i != h->entry->last; i = i->next)
        before = i;
    source_insert(h->entry, before, instruction);
    return (Operand){.kind = OPERAND_TEMPORARY, .temporary = made.temporary};
}

static SourceVariable *hoisted(Hoister *h, const Instruction *load, struct Hoisted found)
{
    found.type = load->type;
    for (int k = 0; k < h->count; k++) {
        const struct Hoisted *known = &h->list[k];
        const bool same_root = found.symbol ? known->symbol && !strcmp(known->symbol, found.symbol)
                                            : !known->symbol && known->root.variable == found.root.variable;
        if (same_root && known->offset == found.offset && known->type == found.type)
            return known->variable;
    }
    Operand address = found.root;
    if (found.symbol)
        address = emit(h, *load, (Instruction){.code = SO_GLOBAL, .type = ST_P, .symbol = found.symbol});
    if (found.offset)
        address = emit(h, *load,
                       (Instruction){.code = SO_ADD, .type = ST_P, .args = {address, source_integer(found.offset)}});
    const Operand value = emit(h, *load, (Instruction){.code = SO_LOAD, .type = load->type, .args = {address}});
    found.variable = source_variable(h->function, load->type, (Declaration){.loc = load->loc});
    emit(h, *load, (Instruction){.code = SO_COPY, .type = load->type, .variable = found.variable, .args = {value}});
    LIST_ADD(h->module, h->list, h->count) = found;
    return found.variable;
}

static void replace(Instruction *from, int temporary, SourceVariable *variable)
{
    for (Instruction *i = from; i; i = i->next)
        for (int k = 0; k < source_noperands(i); k++) {
            Operand *x = source_operand(i, k);
            if (x->kind == OPERAND_TEMPORARY && x->temporary == temporary)
                *x = source_of(variable);
        }
}

void source_hoist_loads(SourceFunction *function)
{
    Hoister hoister = {.function = function, .module = function->unit->module, .entry = function->blocks};
    Hoister *h = &hoister;
    h->assigned = arena_alloc(h->module, ((size_t)function->nvariables + 1) * sizeof *h->assigned);
    h->stored = arena_alloc(h->module, SOURCE_TYPES * sizeof *h->stored);
    h->nassigned = function->nvariables;
    if (!see_loop(h))
        return;
    for (SourceBlock *block = h->entry->next; block; block = block->next)
        for (Instruction **slot = &block->first; *slot;) {
            struct Hoisted found;
            const Instruction *i = *slot;
            if (i->code != SO_LOAD || i->is_volatile || h->stored[effective(i->type)] ||
                !find_root(h, block, i->args[0], &found)) {
                slot = &(*slot)->next;
                continue;
            }
            SourceVariable *variable = hoisted(h, i, found);
            replace(i->next, i->temporary, variable);
            *slot = i->next;
        }
}
