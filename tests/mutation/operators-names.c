/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * operators-names.c - mutations of the operands of steps.
 *
 *      names       another ring, storage, slot, accumulator, operand, variable
 *      memory      storages that overlap; slots that share memory and do not keep the tile that iterations have in
 *                  common, or slots that are kept apart although they share
 */
#include "mutation.h"
#include "ir/queries.h"
#include "target/operands.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool has_ring_op(const Op *op)
{
    return op->code == OP_PUT || op->code == OP_PUT_DONE || op->code == OP_COPY_IN || op->code == OP_GET ||
           op->code == OP_CONSUMED || op->code == OP_SKIP || op->code == OP_PUT_TILE;
}

bool other_ring(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (!has_ring_op(op) || !kernel->arefs->next)
        return false;
    op->aref = op->aref->next ? op->aref->next : kernel->arefs;
    return true;
}

bool other_storage(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (!op->storage)
        return false;
    for (Storage *storage = op->storage->next; storage != op->storage;
         storage = storage ? storage->next : kernel->storages)
        if (storage && storage->use == op->storage->use && type_equal(storage->tile, op->storage->tile)) {
            op->storage = storage;
            return true;
        }
    return false;
}

static bool has_slot(const Op *op)
{
    return (op->code == OP_VIEW && op->storage->use == USE_RING) || op->code == OP_COPY_IN || op->code == OP_PUT_TILE;
}

/* Uses slot 0 instead of the slot that was got or put.  */
bool fixed_slot(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (!has_slot(op))
        return false;
    op->args[0] = ir_const_before(kernel, op, op->args[0]->type.dtype, 0);
    return true;
}

bool next_slot(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (!has_slot(op))
        return false;
    Dtype dtype = op->args[0]->type.dtype;
    Value *one = ir_const_before(kernel, op, dtype, 1), *slots = ir_const_before(kernel, op, dtype, op->storage->slots);
    Value *sum = ir_binary_before(kernel, op, OP_SCALAR_ADD, op->args[0], one);
    op->args[0] = ir_binary_before(kernel, op, OP_SCALAR_REM, sum, slots);
    return true;
}

/* Moves a box of a tensor one element along its last extent.  */
bool moved_box(Kernel *kernel, Site site)
{
    Op *op = site.op;
    int last = op->nargs / 2;
    if (op->code != OP_BOX)
        return false;
    op->args[last] = ir_binary_before(kernel, op, OP_SCALAR_ADD, op->args[last],
                                      ir_const_before(kernel, op, op->args[last]->type.dtype, 1));
    return true;
}

/* Exchanges the extents of a box.  */
bool turned_box(Kernel *kernel, Site site)
{
    (void)kernel;
    Op *op = site.op;
    int extents[3], count = op->code == OP_BOX ? box_extents(op, extents) : 0, last = op->nargs - 1;
    if (count < 2 || extents[count - 1] == extents[count - 2])
        return false;
    Value *extent = op->args[last];
    op->args[last] = op->args[last - 1];
    op->args[last - 1] = extent;
    return true;
}

/* All groups read the rows of the first group.  */
bool first_rows(Kernel *kernel, Site site)
{
    Op *op = site.op;
    int64_t row;
    if (op->code != OP_VIEW || op->nargs < 2 || ir_constant(op->args[1], &row))
        return false;
    op->args[1] = ir_const_before(kernel, op, op->args[1]->type.dtype, 0);
    return true;
}

/* All groups read the columns of the first group, or the slot's first column.  */
bool first_columns(Kernel *kernel, Site site)
{
    Op *op = site.op;
    int64_t column;
    if (op->code != OP_VIEW || op->nargs < 3 || ir_constant(op->args[2], &column))
        return false;
    op->args[2] = ir_const_before(kernel, op, op->args[2]->type.dtype, 0);
    return true;
}

/* Each of the groups that put a tile together puts the rows of the first group.  */
bool first_part(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_PUT_TILE || op->nargs < 3)
        return false;
    op->args[2] = ir_const_before(kernel, op, op->args[2]->type.dtype, 0);
    return true;
}

bool unnamed(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_WAIT || !op->nargs || op->nresults != op->nargs)
        return false;
    int last = op->nargs - 1;
    op->args[last]->type = op->results[last]->type;
    ir_replace_uses(site.role->body, op->results[last], op->args[last]);
    (void)kernel;
    op->nargs--;
    op->nresults--;
    return true;
}

bool overlaps_next(Kernel *kernel, Site site)
{
    Storage *other = site.storage->next ? site.storage->next : kernel->storages;
    if (other == site.storage)
        return false;
    other->offset = site.storage->offset;
    return true;
}

/* Places a staging, or an operand of a product, over the first slots of a ring.  */
bool over_ring(Kernel *kernel, Site site)
{
    Storage *storage = site.storage;
    if (storage->use != USE_OUTPUT && storage->use != USE_OPERAND)
        return false;
    FOR_STORAGES (other, kernel)
        if (other->use == USE_RING && other->offset != storage->offset) {
            storage->offset = other->offset;
            storage->over = NULL;
            return true;
        }
    return false;
}

/* Releases a slot of reused memory before the wait for the copies out of it.  */
bool release_unread(Kernel *kernel, Site site)
{
    Op *op = site.op, *before = op->prev;
    (void)kernel;
    if (op->code != OP_CONSUMED || !before || before->code != OP_STORE_WAIT)
        return false;
    op_remove(op);
    op_before(before, op);
    return true;
}

bool meet_alone(Kernel *kernel, Site site)
{
    (void)kernel;
    if (site.op->code != OP_ROLE_BARRIER)
        return false;
    op_become(site.op, OP_BARRIER);
    return true;
}

bool overlaps_half(Kernel *kernel, Site site)
{
    if (!site.storage->next)
        return false;
    site.storage->next->offset -= site.storage->slot_bytes / 2 / 1024 * 1024;
    (void)kernel;
    return site.storage->slot_bytes >= 2048;
}

bool narrow_slots(Kernel *kernel, Site site)
{
    site.storage->slot_bytes /= 2;
    (void)kernel;
    return site.storage->slots > 1 && site.storage->slot_bytes >= 1024;
}

bool one_storage_slot_less(Kernel *kernel, Site site)
{
    (void)kernel;
    return --site.storage->slots > 0;
}

bool other_order_of_stages(Kernel *kernel, Site site)
{
    Op *op = site.op;
    (void)kernel;
    if (op->code != OP_MMA || op->args[0]->type.kind != K_VIEW)
        return false;
    for (Op *other = op->next; other; other = other->next)
        if (other->code == OP_MMA && type_equal(other->args[0]->type, op->args[0]->type) &&
            type_equal(other->args[1]->type, op->args[1]->type) && other->args[1] != op->args[1]) {
            Value *kept = op->args[1];
            op->args[1] = other->args[1];
            other->args[1] = kept;
            return true;
        }
    return false;
}

bool other_tile(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->code != OP_COPY_IN || op->nargs < 3)
        return false;
    Type type = op->args[2]->type;
    Op *step = op_new(kernel, OP_CONST, op->loc, 0, NULL);
    step->scalar->integer = op->storage->tile.rows;
    Op *sum = op_new(kernel, OP_SCALAR_ADD, op->loc, 2, (Value *[]){op->args[2], op_result(kernel, step, type, NULL)});
    op->args[2] = op_result(kernel, sum, type, NULL);
    op_before(op, step);
    op_before(op, sum);
    return true;
}

bool swap_operands(Kernel *kernel, Site site)
{
    Op *op = site.op;
    (void)kernel;
    if ((op->code != OP_SUB && op->code != OP_DIV && op->code != OP_LT && op->code != OP_SCALAR_SUB &&
         op->code != OP_SCALAR_LT) ||
        !type_equal(op->args[0]->type, op->args[1]->type))
        return false;
    Value *kept = op->args[0];
    op->args[0] = op->args[1];
    op->args[1] = kept;
    return true;
}

/* A loop passes on two of its values in the wrong order.  */
bool swap_carried(Kernel *kernel, Site site)
{
    Op *op = site.op;
    (void)kernel;
    for (int i = 0; op->code == OP_YIELD && i + 1 < op->nargs; i++)
        if (op->args[i] != op->args[i + 1] && type_equal(op->args[i]->type, op->args[i + 1]->type)) {
            Value *kept = op->args[i];
            op->args[i] = op->args[i + 1];
            op->args[i + 1] = kept;
            return true;
        }
    return false;
}

/* An iteration passes on the value that it received.  */
bool stale_carried(Kernel *kernel, Site site)
{
    Op *op = site.op, *loop = op->parent->parent;
    (void)kernel;
    if (op->code != OP_YIELD || !op->nargs || !loop || loop->code != OP_FOR)
        return false;
    op->args[op->nargs - 1] = loop->blocks[0]->args[op->nargs];
    return true;
}

bool other_start(Kernel *kernel, Site site)
{
    (void)kernel;
    if (site.op->code != OP_FULL)
        return false;
    site.op->tile->value += 1;
    return true;
}

/* Puts two live values into one variable.  */
bool shared_variable(Kernel *kernel, Site site)
{
    Op *op = site.op;
    if (op->nresults != 1 || !op->results[0]->var || !op->results[0]->var->role)
        return false;
    for (Variable *variable = kernel->variables; variable; variable = variable->next)
        if (variable != op->results[0]->var && variable->role == op->results[0]->var->role &&
            type_equal(variable->type, op->results[0]->var->type)) {
            op->results[0]->var = variable;
            return true;
        }
    return false;
}

static void visit_memory(Op *op, void *context)
{
    Value **from = context;
    if (op->code == OP_STORE && op->args[0]->def->code == OP_TENSOR)
        *from = op->args[0]->def->args[0];
}

/* The condition of a branch is read where the kernel writes.  */
bool reads_stored(Kernel *kernel, Site site)
{
    const Op *op = site.op, *tensor = op->code == OP_AT ? op->args[0]->def : NULL;
    Value *stored = NULL;
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_memory, &stored);
    if (!tensor || tensor->code != OP_TENSOR || !stored || stored == tensor->args[0] ||
        !type_equal(stored->type, tensor->args[0]->type))
        return false;
    tensor->args[0] = stored;
    return true;
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

/* All slots of a ring share the first, as if all tiles were equal.  */
bool said_resident(Kernel *kernel, Site site)
{
    Storage *storage = site.storage;
    (void)kernel;
    if (storage->use != USE_RING || storage->resident || storage->slots < 2)
        return false;
    storage->resident = 1;
    return true;
}

/* Slots that share memory are declared apart.  */
bool not_resident(Kernel *kernel, Site site)
{
    (void)kernel;
    if (!site.storage->resident)
        return false;
    site.storage->resident = 0;
    return true;
}

bool resident_less(Kernel *kernel, Site site)
{
    (void)kernel;
    return site.storage->resident > 1 && --site.storage->resident;
}

bool resident_more(Kernel *kernel, Site site)
{
    (void)kernel;
    return site.storage->resident && ++site.storage->resident;
}

/* The kernel writes to a tensor that slots keep, instead of another one.  */
bool writes_resident(Kernel *kernel, Site site)
{
    if (site.op->code != OP_STORE || site.op->args[0]->def->code != OP_TENSOR)
        return false;
    Value **pointer = &site.op->args[0]->def->args[0];
    FOR_AREFS (aref, kernel)
        for (int i = 0; i < aref->nstorages; i++) {
            const Op *tensor = aref->payload[i]->def->args[0]->def;
            if (!aref->storages[i]->resident || tensor->code != OP_TENSOR || tensor->args[0] == *pointer ||
                !type_equal(tensor->args[0]->type, (*pointer)->type))
                continue;
            *pointer = tensor->args[0];
            return true;
        }
    return false;
}
