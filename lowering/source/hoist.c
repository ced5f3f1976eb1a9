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
 * storage. That of a pointer may be any sum that the loop leaves alone, as in rows[r + 1]. No store of the loop can
 * have the same bytes, as C's rule of effective types tells: a number of another type lies elsewhere. A character may
 * lie anywhere.
 *
 * An element of an array of numbers stays where it is, as it may lie in memory of the GPU, which the host does not
 * read. A bound has to be known in front of the loop in any case.
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
        const SourceBlock *block; /* not NULL: the whole address is what this block computes as `root` */
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

/* The address is a root and a constant.  */
static bool find_root(const Hoister *h, const SourceBlock *block, Operand address, struct Hoisted *found)
{
    *found = (struct Hoisted){.offset = 0};
    for (const Instruction *i; (i = source_maker(block->first, address)) && i->code == SO_ADD && i->type == ST_P &&
                               i->args[1].kind == OPERAND_INTEGER;) {
        found->offset += (int64_t)i->args[1].integer;
        address = i->args[0];
    }
    const Instruction *made = source_maker(block->first, address);
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
    if (made.code == SO_LOAD)
        made.spelling = like.spelling;
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
        if (known->block)
            continue;
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

/* ---- pointers at any sum ----------------------------------------------------------------------------------------- */

enum { DEEPEST = 16 };

static bool is_left_alone(const Hoister *h, const SourceBlock *block, Operand x, int depth)
{
    if (x.kind == OPERAND_VARIABLE)
        return x.variable->id >= h->nassigned || !h->assigned[x.variable->id];
    const Instruction *made = source_maker(block->first, x);
    if (x.kind != OPERAND_TEMPORARY)
        return true;
    if (!made || depth == DEEPEST || !source_can_speculate(made) || made->code == SO_LOAD || made->code == SO_CALL)
        return false;
    for (int k = 0; k < source_noperands(made); k++)
        if (!is_left_alone(h, block, *source_operand((Instruction *)made, k), depth + 1))
            return false;
    return true;
}

/* Does each iteration of the loops around come to the block?  */
static bool is_in_each_iteration(const SourceFlow *flow, int b)
{
    for (int header = flow->loop[b]; header >= 0; header = flow->outer[header]) {
        bool found = false;
        for (int i = 0; i < flow->npreds[header]; i++) {
            const int latch = flow->preds[header][i];
            found |= source_in_loop(flow, header, latch) && source_dominates(flow, b, latch);
        }
        if (!found)
            return false;
        b = header;
    }
    return true;
}

static bool is_same(const SourceBlock *a, Operand x, const SourceBlock *b, Operand y)
{
    if (x.kind != y.kind)
        return false;
    if (x.kind != OPERAND_TEMPORARY)
        return x.kind == OPERAND_VARIABLE  ? x.variable == y.variable
               : x.kind == OPERAND_INTEGER ? x.integer == y.integer
                                           : x.kind == OPERAND_NONE;
    const Instruction *i = source_maker(a->first, x), *k = source_maker(b->first, y);
    if (!i || !k || i->code != k->code || i->type != k->type || i->from != k->from || i->object != k->object ||
        (i->symbol && (!k->symbol || strcmp(i->symbol, k->symbol) != 0)))
        return false;
    for (int n = 0; n < source_noperands(i); n++)
        if (!is_same(a, *source_operand((Instruction *)i, n), b, *source_operand((Instruction *)k, n)))
            return false;
    return true;
}

static Operand again(Hoister *h, const SourceBlock *block, Operand x)
{
    const Instruction *made = source_maker(block->first, x);
    if (x.kind != OPERAND_TEMPORARY)
        return x;
    const SourceCopy copy = {.from = h->function, .to = h->function};
    Instruction *own = source_copy_instruction(&copy, made);
    for (int k = 0; k < source_noperands(own); k++)
        *source_operand(own, k) = again(h, block, *source_operand(own, k));
    return emit(h, *made, *own);
}

static SourceVariable *hoisted_pointer(Hoister *h, const SourceBlock *block, const Instruction *load)
{
    struct Hoisted found = {.root = load->args[0], .type = ST_P, .block = block};
    for (int k = 0; k < h->count; k++)
        if (h->list[k].block && is_same(h->list[k].block, h->list[k].root, block, found.root))
            return h->list[k].variable;
    const Operand value =
        emit(h, *load, (Instruction){.code = SO_LOAD, .type = ST_P, .args = {again(h, block, found.root)}});
    found.variable = source_variable(h->function, ST_P, (Declaration){.loc = load->loc});
    emit(h, *load, (Instruction){.code = SO_COPY, .type = ST_P, .variable = found.variable, .args = {value}});
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

static bool is_header(const SourceFlow *flow, int b)
{
    return flow->loop[b] == b;
}

/* Of an array of numbers that a pointer leads to.  */
static bool is_element(const Instruction *load, const struct Hoisted *found)
{
    const SourceVariable *root = found->root.kind == OPERAND_VARIABLE ? found->root.variable : NULL;
    return root && load->type != ST_P && root->declaration.element != ST_V && root->declaration.element != ST_P;
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
    const SourceFlow *flow = source_flow(function);
    for (SourceBlock *block = h->entry->next; block; block = block->next)
        for (Instruction **slot = &block->first; *slot;) {
            struct Hoisted found;
            const Instruction *i = *slot;
            SourceVariable *variable = NULL;
            const int b = flow->number[block->id];
            if (i->code == SO_LOAD && !i->is_volatile && !h->stored[effective(i->type)]) {
                if (find_root(h, block, i->args[0], &found))
                    variable = is_element(i, &found) && !is_header(flow, b) ? NULL : hoisted(h, i, found);
                else if (i->type == ST_P && is_left_alone(h, block, i->args[0], 0) && is_in_each_iteration(flow, b))
                    variable = hoisted_pointer(h, block, i);
            }
            if (!variable) {
                slot = &(*slot)->next;
                continue;
            }
            replace(i->next, i->temporary, variable);
            *slot = i->next;
        }
}
