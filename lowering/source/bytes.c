/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bytes.c - calls that copy or clear a constant number of bytes are loads and stores, or moves and zeros. abs, labs and
 * llabs are operations.
 *
 *      t3 = call.p memcpy(p t1, p t2, u64 4)      =>     t3 = load.u32 t2
 *                                                        store.u32 t1, t3
 *      t4 = call.p memset(p t1, i32 0, u64 80)    =>     zero t1, 80
 *
 * Some front ends transcribe such a call as what it does, and others as the call.
 */
#include <string.h>

#include "source/kernels.h"

static void replace(Instruction *from, int temporary, Operand by)
{
    for (Instruction *i = from; i; i = i->next)
        for (int k = 0; k < source_noperands(i); k++) {
            Operand *x = source_operand(i, k);
            if (x->kind == OPERAND_TEMPORARY && x->temporary == temporary)
                *x = by;
        }
}

static bool is_function(const Instruction *call, const char *name)
{
    const char *symbol = call->symbol;
    if (!strncmp(symbol, "__builtin_", 10))
        symbol += 10;
    return !strcmp(symbol, name);
}

/* A number of that size; ST_V: there is none.  */
static SourceType number_of(uint64_t bytes)
{
    return bytes == 1 ? ST_U8 : bytes == 2 ? ST_U16 : bytes == 4 ? ST_U32 : bytes == 8 ? ST_U64 : ST_V;
}

/* abs, labs and llabs.  */
static bool take_abs(Instruction *call)
{
    if (call->narguments != 1 || !call->temporary || (call->type != ST_I32 && call->type != ST_I64) ||
        call->arguments[0].type != call->type ||
        (!is_function(call, "abs") && !is_function(call, "labs") && !is_function(call, "llabs")))
        return false;
    *call = (Instruction){.code = SO_ABS,
                          .type = call->type,
                          .temporary = call->temporary,
                          .args = {call->arguments[0].operand},
                          .loc = call->loc,
                          .inlined = call->inlined,
                          .next = call->next};
    return true;
}

static void change(SourceFunction *function, SourceBlock *block, Instruction *call)
{
    const SourceArgument *arguments = call->arguments;
    const bool copies = is_function(call, "memcpy"), clears = is_function(call, "memset");
    if ((!copies && !clears) || call->narguments != 3 || arguments[2].operand.kind != OPERAND_INTEGER ||
        arguments[2].operand.integer > INT32_MAX ||
        (clears && (arguments[1].operand.kind != OPERAND_INTEGER || arguments[1].operand.integer)))
        return;
    const Operand to = arguments[0].operand, from = arguments[1].operand;
    const uint64_t bytes = arguments[2].operand.integer;
    const SourceType type = number_of(bytes);
    Instruction made = {.loc = call->loc, .inlined = call->inlined, .next = call->next};
    if (call->temporary)
        replace(call->next, call->temporary, to);
    if (type != ST_V && copies) {
        Instruction *store = arena_alloc(function->unit->module, sizeof *store);
        const Operand number = {.kind = OPERAND_TEMPORARY, .temporary = ++function->ntemporaries};
        *store = made;
        store->code = SO_STORE;
        store->type = made.type = type;
        store->args[0] = to;
        store->args[1] = number;
        made.code = SO_LOAD;
        made.temporary = number.temporary;
        made.args[0] = from;
        *call = made;
        source_insert(block, call, store);
        return;
    }
    made.code = type != ST_V ? SO_STORE : copies ? SO_MOVE : SO_ZERO;
    made.type = type;
    made.bytes = type != ST_V ? 0 : (long)bytes;
    made.args[0] = to;
    made.args[1] = type != ST_V ? source_integer(0) : copies ? from : (Operand){.kind = OPERAND_NONE};
    *call = made;
}

void source_take_bytes(SourceFunction *function)
{
    for (SourceBlock *block = function->blocks; block; block = block->next)
        for (Instruction *i = block->first; i; i = i->next)
            if (i->code == SO_CALL && i->symbol && !take_abs(i))
                change(function, block, i);
}
