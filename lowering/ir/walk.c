/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * walk.c - walks over the IR, and copies of it.
 */
#include <string.h>

#include "ir/kernel.h"

void ir_walk(Block *block, void (*visit)(Op *op, void *context), void *context)
{
    FOR_OPS (op, block) {
        int nblocks = op->nblocks;
        Block *blocks[2] = {op->blocks[0], op->blocks[1]};
        visit(op, context);
        for (int i = 0; i < nblocks; i++)
            ir_walk(blocks[i], visit, context);
    }
}

bool ir_any(const Op *op, bool (*test)(const Op *op, const void *context), const void *context)
{
    if (test(op, context))
        return true;
    for (int i = 0; i < op->nblocks; i++)
        if (ir_any_of(op->blocks[i], test, context))
            return true;
    return false;
}

bool ir_any_of(const Block *block, bool (*test)(const Op *op, const void *context), const void *context)
{
    FOR_OPS (op, block)
        if (ir_any(op, test, context))
            return true;
    return false;
}

/* SYNC operations are effects, since they order roles.  VIEW and TRANS_VIEW only name memory.  */
static bool is_effect(const Op *op, const void *context)
{
    (void)context;
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_STORE || (class_ == CLASS_SYNC && op->code != OP_VIEW && op->code != OP_TRANS_VIEW);
}

bool ir_has_side_effect(const Op *op)
{
    return ir_any(op, is_effect, NULL);
}

bool op_is_part(const Op *op)
{
    return op->code == OP_SLICE || op->code == OP_BOX;
}

bool ir_inside(const Op *op, const Block *block)
{
    for (; op && op->parent; op = op->parent->parent)
        if (op->parent == block)
            return true;
    return false;
}

bool ir_outside(const Value *value, const Op *op)
{
    const Op *around = value->def ? value->def : value->block ? value->block->parent : NULL;
    if (!value->def && around == op)
        return false;
    for (int i = 0; around && i < op->nblocks; i++)
        if (ir_inside(around, op->blocks[i]))
            return false;
    return true;
}

Op *ir_enclosing(const Op *op, Opcode code)
{
    for (Op *outer = op->parent ? op->parent->parent : NULL; outer;
         outer = outer->parent ? outer->parent->parent : NULL)
        if (outer->code == code)
            return outer;
    return NULL;
}

static void clear_uses(Op *op, void *context)
{
    (void)context;
    for (int i = 0; i < op->nresults; i++)
        op->results[i]->uses = 0;
    for (int i = 0; i < op->nblocks; i++)
        for (int j = 0; j < op->blocks[i]->nargs; j++)
            op->blocks[i]->args[j]->uses = 0;
}

static void add_uses(Op *op, void *context)
{
    (void)context;
    for (int i = 0; i < op->nargs; i++)
        op->args[i]->uses++;
}

void ir_count_uses(Kernel *kernel, Block *body)
{
    for (int i = 0; i < kernel->nparams; i++)
        kernel->params[i]->uses = 0;
    ir_walk(body, clear_uses, NULL);
    ir_walk(body, add_uses, NULL);
}

static void replace_uses(Op *op, void *context)
{
    Value **pair = context;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i] == pair[0])
            op->args[i] = pair[1];
}

void ir_replace_uses(Block *body, Value *from, Value *to)
{
    Value *pair[2] = {from, to};
    ir_walk(body, replace_uses, pair);
}

/* ---- cloning ----------------------------------------------------------------------------------------------------- */

ValueMap value_map_new(Kernel *kernel)
{
    ValueMap map = {.size = kernel->module->next_id + 1};
    map.to = arena_alloc(kernel->module, (size_t)map.size * sizeof *map.to);
    return map;
}

Value *value_map_get(const ValueMap *map, Value *value)
{
    return value->id < map->size && map->to[value->id] ? map->to[value->id] : value;
}

void value_map_set(Kernel *kernel, ValueMap *map, Value *from, Value *to)
{
    if (from->id >= map->size) {
        int size = 2 * from->id + 1;
        Value **larger = arena_alloc(kernel->module, (size_t)size * sizeof *larger);
        memcpy(larger, map->to, (size_t)map->size * sizeof *larger);
        map->to = larger;
        map->size = size;
    }
    map->to[from->id] = to;
}

static Value *value_copy(Value *copy, const Value *value)
{
    copy->loc = value->loc;
    copy->split = value->split;
    copy->counts = value->counts;
    return copy;
}

/* Copies attributes and operands.  The copy has no blocks and is in no block.  */
Op *op_clone(Kernel *kernel, const Op *op, ValueMap *map)
{
    Op *copy = op_new(kernel, op->code, op->loc, 0, NULL);
    for (int i = 0; i < op->nargs; i++)
        op_add_arg(kernel, copy, value_map_get(map, op->args[i]));
    for (int i = 0; i < op->nresults; i++) {
        Value *result = op_result(kernel, copy, op->results[i]->type, op->results[i]->name);
        value_map_set(kernel, map, op->results[i], value_copy(result, op->results[i]));
    }
    op_copy_attributes(copy, op);
    *schedule_op(copy) = *schedule_of(op);
    copy->origin = op->origin ? op->origin : (Op *)op;
    return copy;
}

void ir_copy_block(Kernel *kernel, const Block *from, Block *to, ValueMap *map)
{
    FOR_OPS (op, from) {
        Op *copy = op_clone(kernel, op, map);
        op_append(to, copy);
        for (int k = 0; k < op->nblocks; k++) {
            Block *inner = block_new(kernel, copy);
            for (int i = 0; i < op->blocks[k]->nargs; i++) {
                const Value *old = op->blocks[k]->args[i];
                Value *argument = block_arg(kernel, inner, old->type, old->name, old->loc);
                value_map_set(kernel, map, op->blocks[k]->args[i], value_copy(argument, old));
            }
            ir_copy_block(kernel, op->blocks[k], inner, map);
        }
    }
}
