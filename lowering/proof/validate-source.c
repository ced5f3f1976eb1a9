/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-source.c - one iteration of the source, as terms.
 *
 *   for (k ...)                       iteration b: k, acc unknown     iteration b + 1
 *     ta = ws_load (a, i, k, ...)     load (a, i, k)                  load (a, i, k + 64)
 *     acc = ws_dot (ta, tb, acc)      dot (load .., acc)              dot (load .., dot (load .., acc))
 *
 * Memory that the region stores to is a value like any other: a store makes a new one of the one before, a load names
 * the one that it reads.  What a loop leaves is a value by its own name (validate-loop-classes.c), memory behind one
 * that stores a symbol; the loop's body is looked at where a role runs it.
 */
#include <string.h>

#include "ir/queries.h"
#include "machine/plan.h"
#include "ir/slice.h"
#include "proof/validator.h"

const Term *source_term(Validator *in, const Instance *instance, const Value *value)
{
    const Block *home = value->def ? value->def->parent : value->block;
    if (!home)
        return in->params[value->index];
    while (instance && instance->block != home)
        instance = instance->outer;
    return instance ? instance->values[in->slots[value->id]] : term_symbol(&in->terms);
}

static const Term *base_of(const Term *tensor)
{
    while (tensor->code == OP_SLICE || tensor->code == OP_BOX)
        tensor = tensor->args[0];
    return tensor->code == OP_TENSOR ? tensor->args[0] : NULL;
}

int stored_base(const Validator *in, const Term *tensor)
{
    const Term *base = base_of(tensor);
    for (int i = 0; i < in->nstored; i++)
        if (in->stored_bases[i] >= 0 && base == in->params[in->stored_bases[i]])
            return i;
    for (int i = 0; i < in->kernel->nparams; i++)
        if (base == in->params[i])
            return -1;
    return in->nstored && in->stored_bases[in->nstored - 1] < 0 ? in->nstored - 1 : -1;
}

int stored_place(const Validator *in, const Op *store)
{
    const Op *root = op_prints(store) ? NULL : tensor_root(store->args[0]);
    const Value *base = root ? root->args[0] : NULL;
    const int param = base && !base->def && !base->block ? base->index : -1;
    for (int i = 0; i < in->nstored && !op_prints(store); i++)
        if (in->stored_bases[i] == param)
            return i;
    return in->nstored;
}

const Term *store_term(Validator *in, const Op *store, const Term *memory, const Term *const *args)
{
    const Term *all[store->nargs + 1];
    all[0] = memory ? memory : args[0];
    memcpy(all + 1, args, (size_t)store->nargs * sizeof *all);
    return term_special(&in->terms, TERM_MEMORY, store->code, store->nargs + 1, all);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

typedef struct {
    Validator *in;
    Instance *instance;
    const Term **memory; /* now */
} Evaluator;

static const Term **copy_memory(Validator *in, const Term *const *memory)
{
    const Term **copy = arena_alloc(in->kernel->module, (size_t)(in->nstored + 1) * sizeof *copy);
    if (memory && in->nstored)
        memcpy(copy, memory, (size_t)in->nstored * sizeof *copy);
    return copy;
}

static void set(Evaluator *at, const Value *value, const Term *term)
{
    at->instance->values[at->in->slots[value->id]] = term;
}

static bool is_store(const Op *op, const void *context)
{
    (void)context;
    return op_info[op->code].class_ == CLASS_STORE;
}

bool op_has_stores(const Op *op)
{
    return ir_any(op, is_store, NULL);
}

/* Does the op store to the k-th memory, itself or inside?  */
static bool stores_into(const Validator *in, const Op *op, int k)
{
    if (is_store(op, NULL) && stored_place(in, op) == k)
        return true;
    for (int b = 0; b < op->nblocks; b++)
        FOR_OPS (inner, op->blocks[b])
            if (stores_into(in, inner, k))
                return true;
    return false;
}

static void evaluate_if(Evaluator *at, const Op *op)
{
    Validator *in = at->in;
    const Term *condition = source_term(in, at->instance, op->args[0]);
    Instance **arms = at->instance->arms[op->position];
    for (int k = 0; k < op->nblocks; k++)
        arms[k] = instance_new(in, op->blocks[k], at->instance, NULL, at->memory);
    for (int i = 0; i < op->nresults; i++)
        set(at, op->results[i],
            term_choice(&in->terms, condition, source_term(in, arms[0], block_end(op->blocks[0])->args[i]),
                        source_term(in, arms[1], block_end(op->blocks[1])->args[i])));
    for (int k = 0; k < in->nstored; k++)
        at->memory[k] =
            term_choice(&in->terms, condition, arms[0]->end[k], op->nblocks > 1 ? arms[1]->end[k] : at->memory[k]);
}

static void evaluate_control(Evaluator *at, const Op *op)
{
    Validator *in = at->in;
    at->instance->before[op->position] = copy_memory(in, at->memory);
    if (op->code == OP_IF) {
        evaluate_if(at, op);
    } else {
        for (int i = 0; i < op->nresults; i++)
            set(at, op->results[i], loop_class_result(in, at->instance, op, i, at->memory));
        for (int k = 0; k < in->nstored; k++)
            if (stores_into(in, op, k))
                at->memory[k] = term_symbol(&in->terms);
    }
    at->instance->after[op->position] = copy_memory(in, at->memory);
}

static void evaluate_plain(Evaluator *at, const Op *op)
{
    Validator *in = at->in;
    const Term *args[op->nargs + 1];
    for (int i = 0; i < op->nargs; i++)
        args[i] = source_term(in, at->instance, op->args[i]);
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_STORE) {
        int base = op_prints(op) ? -1 : stored_base(in, args[0]);
        const Term *memory = store_term(in, op, base < 0 ? NULL : at->memory[base], args);
        at->instance->stored[op->position] = memory;
        if (base >= 0)
            at->memory[base] = memory;
    } else if (class_ == CLASS_LOAD) {
        int base = stored_base(in, args[0]);
        if (base >= 0)
            args[op->nargs] = at->memory[base];
        set(at, op->results[0], term_load(&in->terms, op, op->results[0]->type.rows, op->nargs + (base >= 0), args));
    } else if (op->nresults) {
        set(at, op->results[0], term_of(&in->terms, op, args));
    }
}

/* Places of the block's ops, and slots of its values.  */
static int number(Validator *in, const Block *block, int *nvalues)
{
    int nops = 0;
    *nvalues = 0;
    for (int i = 0; i < block->nargs; i++)
        in->slots[block->args[i]->id] = (*nvalues)++;
    FOR_OPS (op, block) {
        op->position = nops++;
        for (int i = 0; i < op->nresults; i++)
            in->slots[op->results[i]->id] = (*nvalues)++;
    }
    return nops;
}

Instance *instance_new(Validator *in, const Block *block, Instance *outer, const Term *const *args,
                       const Term *const *memory)
{
    Module *module = in->kernel->module;
    int nvalues;
    size_t nops = (size_t)number(in, block, &nvalues) + 1;
    Instance *made = arena_alloc(module, sizeof *made);
    *made = (Instance){.block = block, .outer = outer, .name = term_symbol(&in->terms)};
    made->values = arena_alloc(module, (size_t)(nvalues + 1) * sizeof *made->values);
    made->stored = arena_alloc(module, nops * sizeof *made->stored);
    made->before = arena_alloc(module, nops * sizeof *made->before);
    made->after = arena_alloc(module, nops * sizeof *made->after);
    made->arms = arena_alloc(module, nops * sizeof *made->arms);
    made->done = arena_alloc(module, nops * sizeof *made->done);
    made->skipped = arena_alloc(module, nops * sizeof *made->skipped);
    made->entry = copy_memory(in, memory);
    Evaluator at = {in, made, copy_memory(in, memory)};
    for (int i = 0; i < block->nargs; i++)
        set(&at, block->args[i], args[i]);
    FOR_OPS (op, block)
        if (op->nblocks)
            evaluate_control(&at, op);
        else
            evaluate_plain(&at, op);
    made->end = at.memory;
    return made;
}

static void assume_side(Validator *in, const Op *loop, const Term *counter, Side side)
{
    if (side.edge)
        term_assume(&in->terms, OP_GEI, loop->blocks[0]->args[0]->type.dtype, counter, side.edge, side.beyond);
}

Instance *instance_of_loop(Validator *in, const Op *loop, Instance *outer, Side side)
{
    const Block *block = loop->blocks[0];
    const Term *args[block->nargs + 1], *memory[in->nstored + 1];
    for (int i = 0; i < block->nargs; i++)
        args[i] = term_symbol(&in->terms);
    for (int k = 0; k < in->nstored; k++)
        memory[k] = term_symbol(&in->terms);
    if (block->nargs)
        assume_side(in, loop, args[0], side);
    return instance_new(in, block, outer, args, memory);
}

Instance *instance_next(Validator *in, const Op *loop, Instance *instance, Side side)
{
    const Block *block = loop->blocks[0];
    const Term *args[block->nargs];
    const Term *step = source_term(in, instance->outer, loop->args[2]);
    Dtype dtype = block->args[0]->type.dtype;
    args[0] = term_add(&in->terms, dtype, source_term(in, instance, block->args[0]), step);
    for (int i = 1; i < block->nargs; i++)
        args[i] = source_term(in, instance, block_end(block)->args[i - 1]);
    assume_side(in, loop, args[0], side);
    return instance_new(in, block, instance->outer, args, instance->end);
}
