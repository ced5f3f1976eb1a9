/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * validate-loop-classes.c - loops of the source with equal text.
 *
 *      r = f (0);                                      q = f (0);
 *      for (step = 0; step < 2; step++)                for (step = 0; step < 2; step++)
 *        r = ws_max (r, ws_sub (z, step));               q = ws_max (q, ws_sub (z, step));
 *
 * A helper that is called twice leaves two loops.  From equal initial values they compute equal results.  A loop's
 * result is no finite term, so its term is the class of the loop with the terms of its operands.  A class is a text in
 * which the loop's own values have numbers, and values from outside are operands.  A loop that stores has no class.
 */
#include <string.h>

#include "proof/validator.h"

struct LoopClass {
    const Op *loop;
    int shape; /* number of the first loop with this text */
    bool loads;
    const Value **operands; /* values from outside, in the order of their first use */
    int noperands;
    int64_t *text;
    int length, room;
    LoopClass *next;
};

typedef struct {
    Module *module;
    LoopClass *class_;
    int *number; /* by value id: numbers of the loop's own values from 1 up, of operands from -1 down */
    int nvalues;
} Reader;

static void say(Reader *ctx, int64_t word)
{
    LoopClass *class_ = ctx->class_;
    if (class_->length == class_->room) {
        int room = class_->room ? 2 * class_->room : 64;
        int64_t *text = arena_alloc(ctx->module, (size_t)room * sizeof *text);
        if (class_->length)
            memcpy(text, class_->text, (size_t)class_->length * sizeof *text);
        class_->text = text;
        class_->room = room;
    }
    class_->text[class_->length++] = word;
}

/* A literal has its value in the text, wherever it is defined.  */
static void say_literal(Reader *ctx, const Op *op)
{
    int64_t real;
    const Meaning meaning = op_meaning(op);
    memcpy(&real, &meaning.real, sizeof real);
    say(ctx, INT64_MIN + op->results[0]->type.dtype);
    say(ctx, meaning.integer);
    say(ctx, real);
}

static void say_value(Reader *ctx, const Value *value)
{
    LoopClass *class_ = ctx->class_;
    if (value->def && value->def->code == OP_CONST) {
        say_literal(ctx, value->def);
        return;
    }
    int *number = &ctx->number[value->id];
    if (!*number) {
        const Value **operands = arena_alloc(ctx->module, (size_t)(class_->noperands + 1) * sizeof *operands);
        if (class_->noperands)
            memcpy(operands, class_->operands, (size_t)class_->noperands * sizeof *operands);
        operands[class_->noperands++] = value;
        class_->operands = operands;
        *number = -class_->noperands;
    }
    say(ctx, *number);
}

static void say_new(Reader *ctx, const Value *value)
{
    ctx->number[value->id] = ++ctx->nvalues;
    say(ctx, (int64_t)value->type.kind << 8 | value->type.dtype);
    say(ctx, (int64_t)value->type.rows << 32 | value->type.cols << 3 | value->type.rank);
}

static void say_words(Reader *ctx, const char *words)
{
    for (; words && *words; words++)
        say(ctx, *words);
    say(ctx, 0);
}

static void say_op(Reader *ctx, const Op *op)
{
    int64_t real;
    if (op->code == OP_CONST)
        return;
    const Meaning meaning = op_meaning(op);
    memcpy(&real, &meaning.real, sizeof real);
    ctx->class_->loads |= op_info[op->code].class_ == CLASS_LOAD;
    say(ctx, (int64_t)op->code << 32 | op->nargs << 16 | op->nresults << 8 | op->nblocks);
    say(ctx, meaning.integer);
    say(ctx, real);
    say_words(ctx, meaning.text);
    for (int i = 0; i < op->nargs; i++)
        say_value(ctx, op->args[i]);
    for (int k = 0; k < op->nblocks; k++) {
        say(ctx, op->blocks[k]->nargs);
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            say_new(ctx, op->blocks[k]->args[i]);
        FOR_OPS (inner, op->blocks[k])
            say_op(ctx, inner);
    }
    for (int i = 0; i < op->nresults; i++)
        say_new(ctx, op->results[i]);
}

static void visit_loop(Op *op, void *context)
{
    Validator *validator = context;
    if ((op->code != OP_FOR && op->code != OP_WHILE) || !op->nresults || op_has_stores(op))
        return;
    Module *module = validator->kernel->module;
    LoopClass *made = arena_alloc(module, sizeof *made);
    made->loop = op;
    made->shape = validator->nshapes++;
    Reader reader = {module, made, arena_alloc(module, (size_t)(module->next_id + 1) * sizeof(int)), 0};
    say_op(&reader, op);
    for (const LoopClass *other = validator->loop_classes; other; other = other->next)
        if (other->length == made->length && !memcmp(other->text, made->text, (size_t)made->length * sizeof(int64_t)))
            made->shape = other->shape;
    made->next = validator->loop_classes;
    validator->loop_classes = made;
}

void loop_classes_init(Validator *validator)
{
    ir_walk(validator->kernel->body, visit_loop, validator);
}

const Term *loop_class_result(Validator *validator, const Instance *instance, const Op *loop, int result,
                              const Term *const *memory)
{
    const LoopClass *class_ = validator->loop_classes;
    while (class_ && class_->loop != loop)
        class_ = class_->next;
    if (!class_)
        return term_symbol(&validator->terms);
    const Term *args[class_->noperands + validator->nstored + 1];
    int count = 0;
    for (int i = 0; i < class_->noperands; i++)
        args[count++] = source_term(validator, instance, class_->operands[i]);
    for (int k = 0; class_->loads && k < validator->nstored; k++)
        args[count++] = memory[k];
    return term_special(&validator->terms, TERM_LOOP, (int64_t)class_->shape << 32 | result, count, args);
}
