/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unroll.c - loops of a constant, small number of iterations over small objects become their iterations.
 *
 *      for (int m = 0; m < 3; m++)                    dr[0] = x[0] - y[0];
 *          dr[m] = x[m] - y[m];             =>        dr[1] = x[1] - y[1];
 *                                                     dr[2] = x[2] - y[2];
 *
 * A loop is unrolled if it takes the address of an object with a subscript that varies. Its test reads one variable,
 * which begins with a constant and is assigned once in the loop, from itself. The loop is copied once for each
 * iteration, and simplify () finds that the last copy's test fails. A loop behind a mark stays a loop.
 */
#include <string.h>

#include "source/passes.h"

enum {
    ITERATIONS = 32,     /* of a loop that is unrolled */
    INSTRUCTIONS = 4096, /* of all its copies */
    OBJECT_BYTES = 512,
};

typedef struct {
    SourceFunction *function;
    const SourceFlow *flow;
    int header;
    const SourceVariable *counter;
    int64_t now;
} Loop;

/* The value of an operand that depends on the counter alone.  */
static bool evaluate(const Loop *loop, const SourceBlock *block, Operand x, int64_t *value)
{
    if (x.kind == OPERAND_INTEGER) {
        *value = (int64_t)x.integer;
        return true;
    }
    if (x.kind == OPERAND_VARIABLE && x.variable == loop->counter) {
        *value = loop->now;
        return true;
    }
    const Instruction *i = source_maker(block->first, x);
    int64_t a, b = 0;
    if (!i || source_type_is_float(i->type) || !source_is_pure(i) || !source_noperands(i) ||
        source_op_form(i->code) == FORM_LOAD || !evaluate(loop, block, i->args[0], &a) ||
        (source_noperands(i) > 1 && !evaluate(loop, block, i->args[1], &b)))
        return false;
    const bool less = source_type_is_signed(i->type) ? a < b : (uint64_t)a < (uint64_t)b;
    switch (i->code) {
    case SO_ADD:
        *value = (int64_t)source_wrap(i->type, (uint64_t)a + (uint64_t)b);
        return true;
    case SO_SUB:
        *value = (int64_t)source_wrap(i->type, (uint64_t)a - (uint64_t)b);
        return true;
    case SO_MUL:
        *value = (int64_t)source_wrap(i->type, (uint64_t)a * (uint64_t)b);
        return true;
    case SO_CONV:
        *value = source_type_is_float(i->from) ? 0 : (int64_t)source_wrap(i->type, (uint64_t)a);
        return !source_type_is_float(i->from) && i->type != ST_B;
    case SO_EQ:
    case SO_NE:
        *value = (a == b) == (i->code == SO_EQ);
        return true;
    case SO_LT:
    case SO_GE:
        *value = less == (i->code == SO_LT);
        return true;
    case SO_LE:
    case SO_GT:
        *value = (less || a == b) == (i->code == SO_LE);
        return true;
    default:
        return false;
    }
}

/* The block of the loop whose branch leaves it and which every iteration passes.  */
static int find_test(const Loop *loop)
{
    const SourceFlow *flow = loop->flow;
    for (int b = loop->header; b < flow->n; b++) {
        const Instruction *end = flow->order[b]->last;
        if (!source_in_loop(flow, loop->header, b) || end->code != SO_BRANCH)
            continue;
        const bool yes = source_in_loop(flow, loop->header, flow->number[end->targets[0]->id]);
        const bool no = source_in_loop(flow, loop->header, flow->number[end->targets[1]->id]);
        bool all = yes != no;
        for (int i = 0; i < flow->npreds[loop->header]; i++) {
            const int p = flow->preds[loop->header][i];
            all &= p < loop->header || source_dominates(flow, b, p);
        }
        if (all)
            return b;
    }
    return -1;
}

/* The only assignment to the counter in the loop, in a block that every iteration passes.  */
static const Instruction *find_step(const Loop *loop, int *block)
{
    const Instruction *found = NULL;
    const SourceFlow *flow = loop->flow;
    for (int b = loop->header; b < flow->n; b++)
        for (const Instruction *i = flow->order[b]->first; i && source_in_loop(flow, loop->header, b); i = i->next)
            if (i->variable == loop->counter) {
                if (found || flow->loop[b] != loop->header)
                    return NULL;
                found = i;
                *block = b;
            }
    for (int i = 0; found && i < flow->npreds[loop->header]; i++) {
        const int p = flow->preds[loop->header][i];
        if (p >= loop->header && !source_dominates(flow, *block, p))
            return NULL;
    }
    return found;
}

static bool find_first(Loop *loop)
{
    const SourceFlow *flow = loop->flow;
    int entry = -1;
    for (int i = 0; i < flow->npreds[loop->header]; i++)
        if (flow->preds[loop->header][i] < loop->header) {
            if (entry >= 0)
                return false;
            entry = flow->preds[loop->header][i];
        }
    /* Blocks with one edge in front of each other.  */
    for (; entry >= 0; entry = flow->npreds[entry] == 1 ? flow->preds[entry][0] : -1) {
        const Instruction *found = NULL;
        for (const Instruction *i = flow->order[entry]->first; i; i = i->next)
            if (i->variable == loop->counter)
                found = i;
        if (found) {
            loop->now = (int64_t)found->args[0].integer;
            return found->args[0].kind == OPERAND_INTEGER;
        }
    }
    return false;
}

/* The variable in the test, if it is one.  */
static const SourceVariable *counter_of(const SourceBlock *block, Operand x, int depth)
{
    if (x.kind == OPERAND_VARIABLE)
        return x.variable;
    const Instruction *i = depth ? source_maker(block->first, x) : NULL;
    const SourceVariable *found = NULL;
    for (int k = 0; i && !found && k < source_noperands(i); k++)
        found = counter_of(block, *source_operand((Instruction *)i, k), depth - 1);
    return found;
}

/* How often the header is passed; 0: not known, or too often.  */
static int iterations(Loop *loop)
{
    const SourceFlow *flow = loop->flow;
    const int test = find_test(loop);
    if (test < 0 || source_op_form(flow->order[test]->last->code) != FORM_BRANCH)
        return 0;
    const SourceBlock *block = flow->order[test];
    loop->counter = counter_of(block, block->last->args[0], 6);
    int at = 0;
    const Instruction *step = loop->counter ? find_step(loop, &at) : NULL;
    if (!step || !find_first(loop))
        return 0;
    const int in = source_in_loop(flow, loop->header, flow->number[block->last->targets[0]->id]);
    /* The test reads the counter in front of the assignment, or in its block; copies stand last.  */
    if (test != at && !source_dominates(flow, test, at))
        return 0;
    for (int n = 1; n <= ITERATIONS; n++) {
        int64_t holds, next;
        if (!evaluate(loop, block, block->last->args[0], &holds) ||
            !evaluate(loop, flow->order[at], step->args[0], &next))
            return 0;
        if ((holds != 0) != (in != 0))
            return n;
        loop->now = next;
    }
    return 0;
}

/* Does the loop take a varying subscript of a small object? Counts its instructions.  */
static bool has_subscripts(const Loop *loop, int *instructions)
{
    bool found = false;
    *instructions = 0;
    for (int b = loop->header; b < loop->flow->n; b++) {
        if (!source_in_loop(loop->flow, loop->header, b))
            continue;
        const SourceBlock *block = loop->flow->order[b];
        for (const Instruction *i = block->first; i; i = i->next) {
            ++*instructions;
            if (i->code != SO_ADD || i->type != ST_P || i->args[1].kind == OPERAND_INTEGER ||
                i->args[0].kind != OPERAND_TEMPORARY)
                continue;
            const Instruction *base = source_maker(block->first, i->args[0]);
            found |= base && base->code == SO_ADDR && base->object->bytes <= OBJECT_BYTES;
        }
    }
    return found;
}

/* Puts `count` copies of the loop in front of it.  */
static void copy_loop(SourceFunction *function, const SourceFlow *flow, int header, int count)
{
    Module *module = function->unit->module;
    SourceBlock *head = flow->order[header];
    SourceBlock ***copies = arena_alloc(module, (size_t)count * sizeof *copies);
    const int nblocks = function->nblocks;
    for (int k = 0; k < count; k++) {
        copies[k] = arena_alloc(module, (size_t)nblocks * sizeof *copies[k]);
        for (int b = header; b < flow->n; b++)
            if (source_in_loop(flow, header, b))
                copies[k][flow->order[b]->id] = source_block_new(function);
    }
    for (int k = 0; k < count; k++) {
        SourceBlock *next = k + 1 < count ? copies[k + 1][head->id] : head;
        SourceBlock *own = copies[k][head->id];
        /* A way back leads to the next copy.  */
        copies[k][head->id] = next;
        const SourceCopy copy = {
            .from = function, .to = function, .blocks = copies[k], .temporaries = function->ntemporaries};
        int temporaries = function->ntemporaries;
        for (int b = header; b < flow->n; b++) {
            if (!source_in_loop(flow, header, b))
                continue;
            SourceBlock *to = b == header ? own : copies[k][flow->order[b]->id];
            for (const Instruction *i = flow->order[b]->first; i; i = i->next) {
                Instruction *made = source_copy_instruction(&copy, i);
                if (made->temporary > temporaries)
                    temporaries = made->temporary;
                source_insert(to, to->last, made);
            }
        }
        function->ntemporaries = temporaries;
        copies[k][head->id] = own;
    }
    for (int i = 0; i < flow->npreds[header]; i++) {
        const int p = flow->preds[header][i];
        Instruction *end = flow->order[p]->last;
        for (int k = 0; p < header && k < source_nsuccessors(end); k++)
            if (*source_successor(end, k) == head)
                *source_successor(end, k) = copies[0][head->id];
    }
    for (int k = 0; k < count; k++)
        for (int b = header; b < flow->n; b++)
            if (source_in_loop(flow, header, b))
                source_place(function, copies[k][flow->order[b]->id]);
}

static bool unroll_one(SourceFunction *function)
{
    const SourceFlow *flow = source_flow(function);
    bool *marked = arena_alloc(function->unit->module, (size_t)flow->n);
    for (int b = 0; b < flow->n; b++)
        for (const Instruction *i = flow->order[b]->first; i; i = i->next) {
            const int header = i->code == SO_MARK ? source_marked_loop(function, flow, flow->order[b], i->mark) : -1;
            for (int h = header; h >= 0; h = flow->outer[h]) /* and those around it: one of them may be the grid's */
                marked[h] = true;
        }
    for (int h = flow->n - 1; h >= 0 && !flow->entered; h--) {
        Loop loop = {.function = function, .flow = flow, .header = h};
        int instructions;
        if (flow->loop[h] != h || marked[h] || !has_subscripts(&loop, &instructions))
            continue;
        const int count = iterations(&loop);
        if (!count || count * instructions > INSTRUCTIONS)
            continue;
        copy_loop(function, flow, h, count);
        return true;
    }
    return false;
}

void source_unroll(SourceFunction *function)
{
    enum { LOOPS = 64 };
    if (function->failed || !function->blocks)
        return;
    for (int k = 0; k < LOOPS && unroll_one(function); k++)
        source_simplify(function);
}
