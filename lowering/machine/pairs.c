/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pairs.c - executes two products with the same left operand as one instruction.
 *
 *      before                                     after
 *      storages g 5 x 12288, u 5 x 12288          u beside g: slot 0 of g, slot 0 of u, slot 1 of g, ...
 *      %t1 = mma %vx, trans %vg, %gated           %t1 = mma %vx, trans %vg, %gated pairs=1
 *      %t2 = mma %vx, trans %vu, %up              %t2 = mma %vx, trans %vu, %up
 *
 * If the slots of two right operands are adjacent in shared memory, they form one operand with twice the columns.  The
 * tensor cores then read the left operand once, and execute one wide product.  The IR keeps two products.  The printer
 * writes one call for both, with the registers of both accumulators.
 *
 * A right operand with lines along K continues in the next tile if it is one line deep.  With lines across K, it
 * continues if its columns fill whole lines.
 */
#include "ir/affine.h"
#include "ir/queries.h"
#include "machine/plan.h"
#include "roles/programs.h"
#include "target/machine.h"
#include "target/storage.h"

static const Op *view_under(const Value *operand)
{
    const Op *op = operand->def;
    while (op && op->code == OP_TRANS_VIEW)
        op = op->args[0]->def;
    return op && op->code == OP_VIEW ? op : NULL;
}

/* True if both operands are the same window of the same slot in the same orientation, or the same registers.  */
static bool same_operand(const Value *x, const Value *y)
{
    const Op *view = view_under(x), *other = view_under(y);
    bool same = x == y;
    if (!same && view && other && type_equal(x->type, y->type) && x->def->code == y->def->code) {
        same = view->storage == other->storage && view->nargs == other->nargs;
        for (int i = 0; same && i < view->nargs; i++)
            same = same_scalar(view->args[i], other->args[i], 4);
    }
    return same;
}

/* The storage whose whole slot is the right operand and can continue in the next slot; else NULL.  */
static Storage *storage_that_goes_on(const Machine *machine, const Op *product)
{
    const Value *operand = product->args[1];
    const Op *view = view_under(operand);
    if (!view || view->nargs != 1 || view->storage->use != USE_RING)
        return NULL;
    Type tile = view->storage->tile;
    bool along_k = operand->def->code == OP_TRANS_VIEW;
    int line = machine_line_elements(tile.dtype);
    bool goes_on = along_k ? tile.cols <= line : tile.cols % line == 0;
    return goes_on && 2 * operand->type.cols <= machine->product_columns ? view->storage : NULL;
}

static bool same_put(const Op *product, const Op *other)
{
    const Op *view = view_under(product->args[1]), *second = view_under(other->args[1]);
    return view->aref && view->aref == second->aref && view->args[0] == second->args[0];
}

/* True for operations that only name the place of an operand.  They are printed at its use.  */
static bool is_place(const Op *op)
{
    return op->code == OP_VIEW || op->code == OP_TRANS_VIEW || op->code == OP_CONST;
}

/* The product that follows the operation, with only views between them, or NULL.  */
static Op *next_product(const Op *product)
{
    Op *op = product->next;
    while (op && is_place(op))
        op = op->next;
    return op && op->code == OP_MMA ? op : NULL;
}

Op *op_paired_with(const Machine *machine, const Op *product)
{
    Op *second = next_product(product);
    if (!second || second->args[2] == product->results[0] || !same_operand(product->args[0], second->args[0]) ||
        !type_equal(product->args[1]->type, second->args[1]->type) ||
        product->args[1]->def->code != second->args[1]->def->code)
        return NULL;
    const Storage *storage = storage_that_goes_on(machine, product), *behind = storage_that_goes_on(machine, second);
    bool alike = storage && behind && storage != behind && type_equal(storage->tile, behind->tile) &&
                 storage->interleaved == behind->interleaved && storage->tf32 == behind->tf32;
    return alike && same_put(product, second) ? second : NULL;
}

/* True if `behind` is interleaved with `storage`, or may be.  */
static bool can_join(const Kernel *kernel, const Storage *storage, const Storage *behind)
{
    if (behind->beside)
        return behind->beside == storage;
    return !storage->beside && !storage_beside(kernel, storage) && !storage_beside(kernel, behind);
}

static void visit_pair(Op *op, void *context)
{
    Kernel *kernel = context;
    const Machine *machine = kernel->machine;
    Op *second = op->code == OP_MMA && !op_is_second(op) ? op_paired_with(machine, op) : NULL;
    if (!second)
        return;
    Storage *storage = storage_that_goes_on(machine, op), *behind = storage_that_goes_on(machine, second);
    int columns = op->results[0]->type.cols + second->results[0]->type.cols;
    if (!can_join(kernel, storage, behind) ||
        columns > machine_product_columns(machine, kernel_groups(kernel) * MACHINE_GROUP_THREADS, true))
        return;
    behind->beside = storage;
    op->sync->paired = true;
}

bool op_is_second(const Op *product)
{
    for (const Op *op = product->prev; op; op = op->prev)
        if (!is_place(op))
            return op->code == OP_MMA && op->sync->paired;
    return false;
}

/* require: operands as the tensor cores take them.   ensure: the same program, with interleaved storages and marked
   pairs.  */
void layout_pairs(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_pair, kernel);
}
