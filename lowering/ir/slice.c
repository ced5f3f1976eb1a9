/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slice.c - uses, and dependency-closed slices of structured SSA.
 *
 *      for %k ...; %acc = %zero                     slice of %a:  for %k ...
 *        %a = load ...                                              %a = load ...
 *        %acc.2 = dot %a, %b, %acc
 *        yield %acc.2
 *
 * A slice grows from roots backwards over use-def chains (Tawa, III-C.1). An op brings the control flow around it. A
 * carried value of a loop, or a result of an `if`, brings only its own chain. So a role that does not use the
 * accumulator gets a loop without it.
 */
#include "ir/slice.h"

typedef struct {
    Uses *uses;
    int count;
    Use *next;
} Listing;

static void count_uses(Op *op, void *context)
{
    ((Listing *)context)->count += op->nargs;
}

static void add_uses(Op *op, void *context)
{
    Listing *listing = context;
    for (int i = op->nargs - 1; i >= 0; i--) {
        *listing->next = (Use){op, i, listing->uses->of[op->args[i]->id]};
        listing->uses->of[op->args[i]->id] = listing->next++;
    }
}

Uses uses_new(Kernel *kernel, Block *body)
{
    Uses uses = {arena_alloc(kernel->module, (size_t)kernel->module->next_id * sizeof(Use *)), kernel->module->next_id};
    Listing listing = {&uses, 0, NULL};
    ir_walk(body, count_uses, &listing);
    listing.next = arena_alloc(kernel->module, (size_t)listing.count * sizeof *listing.next);
    ir_walk(body, add_uses, &listing);
    return uses;
}

const Use *uses_of(const Uses *uses, const Value *value)
{
    return value->id < uses->size ? uses->of[value->id] : NULL;
}

bool used_once(const Uses *uses, const Value *value)
{
    const Use *use = uses_of(uses, value);
    return use && !use->next;
}

static bool takes(const Op *op, const void *value)
{
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i] == value)
            return true;
    return false;
}

bool uses_value(const Op *op, const Value *value)
{
    return ir_any(op, takes, value);
}

Op *block_end(const Block *block)
{
    return block->last;
}

Value *loop_edge(const Op *loop)
{
    return loop->code == OP_FOR && loop->nblocks > 1 ? loop->args[loop->nargs - 1] : NULL;
}

bool is_read_again(const Op *loop, int operand)
{
    return loop->code == OP_FOR && (operand == 1 || operand == 2 || (operand == loop->nargs - 1 && loop->nblocks > 1));
}

int carried_count(const Op *loop)
{
    return loop->code == OP_FOR      ? loop->nargs - 3 - (loop->nblocks > 1)
           : loop->code == OP_NARROW ? loop->nargs - 1
           : loop->code == OP_WHILE  ? loop->nargs
                                     : 0;
}

Carried carried(const Op *loop, int i)
{
    if (loop->code != OP_WHILE)
        return (Carried){.init = loop->args[(loop->code == OP_FOR ? 3 : 1) + i],
                         .argument = loop->blocks[0]->args[1 + i],
                         .next = block_end(loop->blocks[0])->args[i],
                         .result = loop->results[i],
                         .beyond = loop_edge(loop) ? block_end(loop->blocks[1])->args[i] : NULL};
    return (Carried){.init = loop->args[i],
                     .argument = loop->blocks[0]->args[i],
                     .body_argument = loop->blocks[1]->args[i],
                     .next = block_end(loop->blocks[1])->args[i],
                     .exit = block_end(loop->blocks[0])->args[1 + i],
                     .result = loop->results[i]};
}

enum { CARRIED_ON = 4 };

static bool looked_at(const Uses *uses, const Value *value, int task, int rounds)
{
    if (rounds > CARRIED_ON)
        return true;
    for (const Use *use = uses_of(uses, value); use; use = use->next) {
        const Op *loop = use->op->code == OP_YIELD ? use->op->parent->parent : NULL;
        if (loop && loop->code == OP_FOR && loop->nblocks == 1) {
            Carried names = carried(loop, use->arg);
            if (looked_at(uses, names.argument, task, rounds + 1) || looked_at(uses, names.result, task, rounds + 1))
                return true;
        } else if (schedule_of(use->op)->task != task) {
            return true;
        }
    }
    return false;
}

bool used_outside_task(const Uses *uses, const Value *value, int task)
{
    return looked_at(uses, value, task, 0);
}

Slice slice_new(Kernel *kernel)
{
    bool *values = arena_alloc(kernel->module, (size_t)kernel->module->next_id * sizeof(bool));
    bool *ops = arena_alloc(kernel->module, (size_t)kernel->nops * sizeof(bool));
    return (Slice){kernel, ops, values, kernel->nops, NULL, NULL};
}

bool slice_has(const Slice *slice, const Value *value)
{
    return slice->values[value->id];
}

bool slice_has_op(const Slice *slice, const Op *op)
{
    return op->id < slice->nops && slice->ops[op->id];
}

void slice_op(Slice *slice, Op *op)
{
    if (slice->ops[op->id])
        return;
    slice->ops[op->id] = true;
    if (op->parent && op->parent->parent)
        slice_op(slice, op->parent->parent);
    if (slice->cut && slice->cut(op, slice->context))
        return;
    int needed = op->nargs;
    if (op->code == OP_FOR)
        needed = 3; /* passes that slice run before peel, which makes edges */
    else if (op->code == OP_WHILE)
        needed = 0;
    else if (op->code == OP_COND)
        needed = 1;
    else if (op->code == OP_YIELD)
        needed = 0;
    for (int i = 0; i < needed; i++)
        slice_value(slice, op->args[i]);
    if (op->code == OP_WHILE)
        slice_op(slice, block_end(op->blocks[0]));
    for (int i = 0; i < op->nblocks; i++)
        if (op->blocks[i] && block_end(op->blocks[i]))
            slice->ops[block_end(op->blocks[i])->id] = true;
}

static void slice_carried(Slice *slice, Op *loop, int i)
{
    Carried names = carried(loop, i);
    Value *all[] = {names.init, names.argument, names.body_argument, names.next,
                    names.exit, names.result,   names.beyond};
    slice_op(slice, loop);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k])
            slice_value(slice, all[k]);
}

void slice_value(Slice *slice, Value *value)
{
    if (slice->values[value->id])
        return;
    slice->values[value->id] = true;
    Op *op = value->def ? value->def : value->block ? value->block->parent : NULL;
    if (!op)
        return;
    if (op->code == OP_IF) {
        slice_op(slice, op);
        for (int k = 0; k < 2; k++)
            slice_value(slice, block_end(op->blocks[k])->args[value->index]);
    } else if (op->code == OP_FOR && (value->def || value->index > 0)) {
        slice_carried(slice, op, value->def ? value->index : value->index - 1);
    } else if (op->code == OP_WHILE) {
        slice_carried(slice, op, value->index);
    } else {
        slice_op(slice, op);
    }
}
