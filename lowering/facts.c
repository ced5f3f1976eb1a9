/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * facts.c - facts about lowered operations that layout, plan, verify and the printer must agree on.
 */
#include "plan.h"

bool op_is_loop(const Op *op)
{
    return op->code == OP_FOR || op->code == OP_WHILE || op->code == OP_GRID;
}

bool op_writes_in_place(const Op *op)
{
    return op->code == OP_MMA || op->code == OP_DOT_F32;
}

bool op_reads_memory(const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || op->code == OP_READ;
}

bool op_is_pure(const Op *op)
{
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
    case CLASS_TENSOR:
    case CLASS_READ:
    case CLASS_LOAD:
        return true;
    case CLASS_TILE:
        return op->code != OP_DOT_F32;
    default:
        return op->code == OP_VIEW || op->code == OP_TRANS_VIEW || op->code == OP_READ;
    }
}

bool value_is_tile(const Value *value)
{
    return value->type.kind == K_TILE || value->type.kind == K_TOKEN;
}

Op *tensor_root(const Value *tensor)
{
    while (tensor->def && tensor->def->code == OP_SLICE)
        tensor = tensor->def->args[0];
    return tensor->def && tensor->def->code == OP_TENSOR ? tensor->def : NULL;
}

Op *role_grid(const Role *role)
{
    for (Op *op = role->body->first; op; op = op->next)
        if (op->code == OP_GRID)
            return op;
    return NULL;
}

/* Whatever a whole group does together: register tiles, stores, the receiving end of a ring.  */
static bool needs_group(const Op *op)
{
    switch (op_info[op->code].class_) {
    case CLASS_LOAD:
    case CLASS_TILE:
    case CLASS_STORE:
        return true;
    case CLASS_SYNC:
        return op->code != OP_PUT && op->code != OP_COPY_IN && op->code != OP_PUT_DONE;
    default:
        return false;
    }
}

static void visit_group(Op *op, void *context)
{
    bool *group = context;
    *group |= needs_group(op);
}

bool role_issues_only(const Role *role)
{
    bool group = false;
    ir_walk(role->body, visit_group, &group);
    return !group;
}

/* Kernel parameters have neither op nor block.  */
bool value_on_host(const Value *value)
{
    const Op *op = value->def;
    if (!op)
        return !value->block;
    OpClass class_ = op_info[op->code].class_;
    if (class_ != CLASS_SCALAR && op->code != OP_TENSOR)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!value_on_host(op->args[i]))
            return false;
    return true;
}

/* Taller tiles take several boxes of one size.  */
int box_rows(const Storage *storage)
{
    int rows = storage->tile.rows, boxes = (rows + 255) / 256;
    while (rows % boxes)
        boxes++;
    return rows / boxes;
}

int role_first_group(const Kernel *kernel, const Role *role)
{
    int group = 0;
    for (const Role *other = kernel->roles; other && other != role; other = other->next)
        group += other->replicas;
    return group;
}
