/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-source.c - an iteration of the source as terms.
 *
 *      for (k ...)                       iteration b: k, acc unknown     iteration b + 1
 *        ta = ws_load (a, i, k, ...)     load (a, i, k)                  load (a, i, k + 64)
 *        acc = ws_dot (ta, tb, acc)      dot (load .., acc)              dot (load .., dot (load .., acc))
 *
 * Memory that the region stores to is a value like any other.  A store makes a new memory from the one before.  A load
 * has the memory that it reads as an operand.  The results of a loop have terms of their own (validate-loop-classes.c).
 * The memory behind a loop that stores is a symbol.  The body of a loop is evaluated when a role runs the loop.
 */
#include <string.h>

#include "ir/alias.h"
#include "ir/queries.h"
#include "ir/slice.h"
#include "proof/validator.h"

const Term *source_term(Validator *validator, const Instance *instance, const Value *value)
{
    const Block *home = value->def ? value->def->parent : value->block;
    if (!home)
        return validator->params[value->index];
    while (instance && instance->block != home)
        instance = instance->outer;
    return instance ? instance->values[validator->slots[value->id]] : term_symbol(&validator->terms);
}

static const Term *base_of(const Term *tensor)
{
    while (tensor->code == OP_SLICE || tensor->code == OP_BOX)
        tensor = tensor->args[0];
    return tensor->code == OP_TENSOR ? tensor->args[0] : NULL;
}

int stored_base(const Validator *validator, const Term *tensor)
{
    const Term *base = base_of(tensor);
    for (int i = 0; i < validator->nstored; i++)
        if (validator->stored_bases[i] >= 0 && base == validator->params[validator->stored_bases[i]])
            return i;
    for (int i = 0; i < validator->kernel->nparams; i++)
        if (base == validator->params[i])
            return -1;
    return validator->nstored && validator->stored_bases[validator->nstored - 1] < 0 ? validator->nstored - 1 : -1;
}

int stored_place(const Validator *validator, const Op *store)
{
    const Op *root = op_prints(store) ? NULL : tensor_root(store->args[0]);
    const Value *base = root ? root->args[0] : NULL;
    const int param = base && !base->def && !base->block ? base->index : -1;
    for (int i = 0; i < validator->nstored && !op_prints(store); i++)
        if (validator->stored_bases[i] == param)
            return i;
    return validator->nstored;
}

const Term *store_term(Validator *validator, const Op *store, const Term *memory, const Term *const *args)
{
    const Term *all[store->nargs + 1];
    all[0] = memory ? memory : args[0];
    memcpy(all + 1, args, (size_t)store->nargs * sizeof *all);
    return term_special(&validator->terms, TERM_MEMORY, store->code, store->nargs + 1, all);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

typedef struct {
    Validator *validator;
    Instance *instance;
    const Term **memory; /* by stored base: the memory in front of the next operation */
} Evaluator;

static const Term **copy_memory(Validator *validator, const Term *const *memory)
{
    const Term **copy = arena_alloc(validator->kernel->module, (size_t)(validator->nstored + 1) * sizeof *copy);
    if (memory && validator->nstored)
        memcpy(copy, memory, (size_t)validator->nstored * sizeof *copy);
    return copy;
}

static void set(Evaluator *at, const Value *value, const Term *term)
{
    at->instance->values[at->validator->slots[value->id]] = term;
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

/* True if the operation, or one inside it, stores to the k-th memory.  */
static bool stores_into(const Validator *validator, const Op *op, int k)
{
    if (is_store(op, NULL) && stored_place(validator, op) == k)
        return true;
    for (int b = 0; b < op->nblocks; b++)
        FOR_OPS (inner, op->blocks[b])
            if (stores_into(validator, inner, k))
                return true;
    return false;
}

static void evaluate_if(Evaluator *at, const Op *op)
{
    Validator *validator = at->validator;
    const Term *condition = source_term(validator, at->instance, op->args[0]);
    Instance **arms = at->instance->arms[op->position];
    for (int k = 0; k < op->nblocks; k++)
        arms[k] = instance_new(validator, op->blocks[k], at->instance, NULL, at->memory);
    for (int i = 0; i < op->nresults; i++)
        set(at, op->results[i],
            term_choice(&validator->terms, condition,
                        source_term(validator, arms[0], block_end(op->blocks[0])->args[i]),
                        source_term(validator, arms[1], block_end(op->blocks[1])->args[i])));
    for (int k = 0; k < validator->nstored; k++)
        at->memory[k] = term_choice(&validator->terms, condition, arms[0]->end[k],
                                    op->nblocks > 1 ? arms[1]->end[k] : at->memory[k]);
}

static void evaluate_control(Evaluator *at, const Op *op)
{
    Validator *validator = at->validator;
    at->instance->before[op->position] = copy_memory(validator, at->memory);
    if (op->code == OP_IF) {
        evaluate_if(at, op);
    } else {
        for (int i = 0; i < op->nresults; i++)
            set(at, op->results[i], loop_class_result(validator, at->instance, op, i, at->memory));
        for (int k = 0; k < validator->nstored; k++)
            if (stores_into(validator, op, k))
                at->memory[k] = term_symbol(&validator->terms);
    }
    at->instance->after[op->position] = copy_memory(validator, at->memory);
}

static void note_width(const Term *term, Type type)
{
    if (type.kind == K_SCALAR && !dtype_is_float(type.dtype))
        term_note_width(term, 8 * dtype_bytes(type.dtype));
}

static void evaluate_plain(Evaluator *at, const Op *op)
{
    Validator *validator = at->validator;
    const Term *args[op->nargs + 1];
    for (int i = 0; i < op->nargs; i++)
        args[i] = source_term(validator, at->instance, op->args[i]);
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_STORE) {
        int base = op_prints(op) ? -1 : stored_base(validator, args[0]);
        const Term *memory = store_term(validator, op, base < 0 ? NULL : at->memory[base], args);
        at->instance->stored[op->position] = memory;
        if (base >= 0)
            at->memory[base] = memory;
    } else if (class_ == CLASS_LOAD) {
        int base = stored_base(validator, args[0]);
        if (base >= 0)
            args[op->nargs] = at->memory[base];
        set(at, op->results[0],
            term_load(&validator->terms, op, op->results[0]->type.rows, op->nargs + (base >= 0), args));
    } else if (op->nresults) {
        const Term *term = term_of(&validator->terms, op, args);
        for (int i = 0; i < op->nargs; i++)
            note_width(args[i], op->args[i]->type);
        note_width(term, op->results[0]->type);
        set(at, op->results[0], term);
    }
}

/* Numbers the operations and the values of the block.  Returns the number of operations.  */
static int number(Validator *validator, const Block *block, int *nvalues)
{
    int nops = 0;
    *nvalues = 0;
    for (int i = 0; i < block->nargs; i++)
        validator->slots[block->args[i]->id] = (*nvalues)++;
    FOR_OPS (op, block) {
        op->position = nops++;
        for (int i = 0; i < op->nresults; i++)
            validator->slots[op->results[i]->id] = (*nvalues)++;
    }
    return nops;
}

Instance *instance_new(Validator *validator, const Block *block, Instance *outer, const Term *const *args,
                       const Term *const *memory)
{
    Module *module = validator->kernel->module;
    int nvalues;
    size_t nops = (size_t)number(validator, block, &nvalues) + 1;
    Instance *made = arena_alloc(module, sizeof *made);
    *made = (Instance){.block = block, .outer = outer, .name = term_symbol(&validator->terms)};
    made->values = arena_alloc(module, (size_t)(nvalues + 1) * sizeof *made->values);
    made->stored = arena_alloc(module, nops * sizeof *made->stored);
    made->before = arena_alloc(module, nops * sizeof *made->before);
    made->after = arena_alloc(module, nops * sizeof *made->after);
    made->arms = arena_alloc(module, nops * sizeof *made->arms);
    made->done = arena_alloc(module, nops * sizeof *made->done);
    made->skipped = arena_alloc(module, nops * sizeof *made->skipped);
    made->entry = copy_memory(validator, memory);
    Evaluator at = {validator, made, copy_memory(validator, memory)};
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

static void assume_side(Validator *validator, const Op *loop, const Term *counter, Side side)
{
    if (side.edge)
        term_assume(&validator->terms, OP_SCALAR_GE, loop->blocks[0]->args[0]->type.dtype, counter, side.edge,
                    side.beyond);
}

Instance *instance_of_loop(Validator *validator, const Op *loop, Instance *outer, Side side)
{
    const Block *block = loop->blocks[0];
    const Term *args[block->nargs + 1], *memory[validator->nstored + 1];
    for (int i = 0; i < block->nargs; i++)
        args[i] = term_symbol(&validator->terms);
    for (int k = 0; k < validator->nstored; k++)
        memory[k] = term_symbol(&validator->terms);
    if (block->nargs)
        assume_side(validator, loop, args[0], side);
    return instance_new(validator, block, outer, args, memory);
}

Instance *instance_next(Validator *validator, const Op *loop, Instance *instance, Side side)
{
    const Block *block = loop->blocks[0];
    const Term *args[block->nargs];
    const Term *step = source_term(validator, instance->outer, loop->args[2]);
    Dtype dtype = block->args[0]->type.dtype;
    args[0] = term_add(&validator->terms, dtype, source_term(validator, instance, block->args[0]), step);
    for (int i = 1; i < block->nargs; i++)
        args[i] = source_term(validator, instance, block_end(block)->args[i - 1]);
    assume_side(validator, loop, args[0], side);
    return instance_new(validator, block, instance->outer, args, instance->end);
}
