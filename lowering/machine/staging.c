/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * staging.c - part of plan: expands stores, loads and gathers through staging memory into single steps.
 *
 *      before                                     after
 *      store %c, %i, %j, %x -> c_out              store_wait 1                         a buffer of two is read
 *                                                 %box = stage %x -> c_out
 *                                                 fence
 *                                                 store %c, %i, %j, %box -> c_out      TMA's
 *      %y = load %d, %i, %j -> c_out              store_wait 1; %y = load %d, %i, %j -> c_out
 *      %v = gather %x, %first_row -> g            meet; %v = gather %x, %first_row -> g; fence; meet
 *
 * The pass plan chose the number of buffers of a staging. Stores use the buffers in turn. Before a buffer is written,
 * its earlier copy out must have been read. A tile of several boxes leaves box by box, so that one copy runs while the
 * next box is written. Atomic additions leave together if each box has a buffer. A load uses the buffer whose turn it
 * is, and leaves it free.
 *
 * Groups that gather synchronize behind the gather. With a single slot they also synchronize before it. With two slots,
 * a group at the barrier has finished reading the slot of the gather before.
 */
#include "machine/plan.h"
#include "target/machine.h"

/* Waits until at most `pending` copies out are still being read.  */
static void wait_for_copies(Kernel *kernel, Op *where, int pending)
{
    op_lowered_before(kernel, where, OP_STORE_WAIT, 0, NULL)->sync->pending = pending;
}

/* Stages and copies out the tile (box 0), or its n-th box, counted from 1.  */
static void carry_out(Kernel *kernel, Op *store, int box)
{
    Value *tile = store->args[store->nargs - 1];
    Op *stage = op_lowered_before(kernel, store, OP_STAGE, 1, &tile);
    stage->storage = store->storage;
    stage->sync->box = box;
    Value *view = op_result(kernel, stage, type_kind(K_VIEW, tile->type), NULL);
    op_lowered_before(kernel, store, OP_FENCE, 0, NULL);
    Op *copy = op_lowered_before(kernel, store, store->code, store->nargs, store->args);
    copy->storage = store->storage;
    copy->args[copy->nargs - 1] = view;
}

static void open_store(Kernel *kernel, Op *store)
{
    Type tile = store->args[store->nargs - 1]->type;
    int buffers = machine_output_buffers(store->storage->tile), boxes = machine_boxes(tile);
    bool enough = boxes <= buffers && tile.rows % MACHINE_MMA_ROWS == 0;
    if (boxes == 1 || (enough && store->code == OP_ATOMIC_ADD)) {
        wait_for_copies(kernel, store, boxes == 1 ? buffers - 1 : 0);
        carry_out(kernel, store, 0);
    } else {
        for (int box = 1; box <= boxes; box++) {
            wait_for_copies(kernel, store, buffers - 1);
            carry_out(kernel, store, box);
        }
    }
    op_remove(store);
}

static void open_gather(Kernel *kernel, Op *gather)
{
    if (gather->storage->slots == 1)
        op_lowered_before(kernel, gather, OP_ROLE_BARRIER, 0, NULL);
    Op *behind = gather->next;
    op_lowered_before(kernel, behind, OP_FENCE, 0, NULL);
    op_lowered_before(kernel, behind, OP_ROLE_BARRIER, 0, NULL);
}

static void open_block(Kernel *kernel, Block *block)
{
    for (Op *op = block->first, *next; op; op = next) {
        next = op->next;
        for (int k = 0; k < op->nblocks; k++)
            open_block(kernel, op->blocks[k]);
        OpClass class_ = op_info[op->code].class_;
        if (class_ == CLASS_STORE && op->storage)
            open_store(kernel, op);
        else if (class_ == CLASS_LOAD && op->storage)
            wait_for_copies(kernel, op, machine_output_buffers(op->storage->tile) - 1);
        else if (op->code == OP_GATHER)
            open_gather(kernel, op);
    }
}

/* require: the size of every staging, slots of gathers.   ensure: each step is an operation.  */
void plan_staging(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        open_block(kernel, role->body);
}
