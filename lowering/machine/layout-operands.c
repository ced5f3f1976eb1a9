/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout-operands.c - brings the operands of products into a form that the tensor cores take.
 *
 *   before                                     after
 *   %t = mma %va, %vt, %acc                    the same: a view of A, K innermost; a transposed view of B
 *
 *   %t = mma %p32, %v, %o                      barrier; %p = stage %p32 -> p_operand; fence; barrier; %t = mma %p, %v,
 *                                              %o
 *
 * The tensor cores read A from registers, or from shared memory with K innermost.  They read B from shared memory with
 * K innermost.  Operands of 16 bits may also have K across lines.
 *
 * For elements of one byte, a register operand has another order along K than an accumulator has.  The accumulator's
 * order is kept if a transposer writes B and can permute its K alike (`interleaved`).  A sum over K does not depend on
 * the order.
 *
 * An operand in any other form is staged through memory of the group.  Before the memory is written again, the group
 * synchronizes, and waits for products in flight that read it.  After the writes, each thread issues a fence.  Then the
 * group synchronizes again before the tensor cores read.
 */
#include "ir/queries.h"
#include "machine/plan.h"
#include "target/machine.h"

typedef struct {
    Kernel *kernel;
    Role *role;
    bool staging; /* operands of the current product are being written */
} Shaper;

static Value *trans_view(const Shaper *shaper, Op *where, Value *view)
{
    Op *op = op_lowered_before(shaper->kernel, where, OP_TRANS_VIEW, 1, &view);
    return op_result(shaper->kernel, op, type_transposed(view->type), NULL);
}

static Value *trans_tile(const Shaper *shaper, Op *where, Value *tile)
{
    Op *op = op_lowered_before(shaper->kernel, where, OP_TRANS, 1, &tile);
    return op_result(shaper->kernel, op, type_transposed(tile->type), NULL);
}

static const Op *origin_of(const Op *op)
{
    return op->origin ? op->origin : op;
}

typedef struct {
    const Op *product;
    int arg;
    const Value *source;
    Storage *found;
} Sharing;

/* The copies of one product (prologue, steady state, epilogue) stage an operand in one storage.  */
static void visit_sharing(Op *op, void *context)
{
    Sharing *sharing = context;
    if (op->code == OP_STAGE && op->sync->operand == sharing->arg && origin_of(op) == origin_of(sharing->product) &&
        type_equal(op->storage->tile, type_kind(K_TILE, sharing->source->type)))
        sharing->found = op->storage;
}

static Storage *operand_storage(const Shaper *shaper, const Op *product, int arg, const Value *source)
{
    Sharing sharing = {product, arg, source, NULL};
    ir_walk(shaper->role->body, visit_sharing, &sharing);
    if (sharing.found)
        return sharing.found;
    const char *name = source->name ? source->name : "operand";
    return storage_new(shaper->kernel, arena_print(shaper->kernel->module, "%s_staged", name), USE_OPERAND,
                       type_kind(K_TILE, source->type), shaper->role->replicas);
}

/* True if the product's block waits for the product.  Nothing of the product is then in flight when the block runs
   again.  */
static bool is_awaited(const Op *product)
{
    const Value *token = product->results[0];
    for (const Op *op = product->next; op; op = op->next) {
        if (op_writes_in_place(op) && op->args[2] == token)
            token = op->results[0];
        for (int i = 0; op->code == OP_WAIT && i < op->nargs; i++)
            if (op->args[i] == token && i < op->nresults && op->results[i]->type.kind == K_TILE)
                return true;
    }
    return false;
}

/* Before the first operand of a product is staged: waits until no product and no thread reads the memory.  */
static void open_staging(Shaper *shaper, Op *product)
{
    if (shaper->staging)
        return;
    if (product->code == OP_MMA && !is_awaited(product))
        op_lowered_before(shaper->kernel, product, OP_WAIT, 0, NULL);
    op_lowered_before(shaper->kernel, product, OP_BARRIER, 0, NULL);
    shaper->staging = true;
}

/* After the last operand: the writes of all threads are visible to the tensor cores.  */
static void close_staging(Shaper *shaper, Op *product)
{
    if (shaper->staging && product->code == OP_MMA)
        op_lowered_before(shaper->kernel, product, OP_FENCE, 0, NULL);
    if (shaper->staging)
        op_lowered_before(shaper->kernel, product, OP_BARRIER, 0, NULL);
    shaper->staging = false;
}

/* Stages an operand: registers, a view with K across lines, or f32 that is not rounded to tf32 yet.  */
static Value *stage(Shaper *shaper, Op *product, int arg, Value *source)
{
    open_staging(shaper, product);
    Storage *storage = operand_storage(shaper, product, arg, source);
    storage->tf32 = product->code == OP_MMA && storage->tile.dtype == D_F32;
    Op *op = op_lowered_before(shaper->kernel, product, OP_STAGE, 1, &source);
    op->storage = storage;
    op->sync->operand = arg;
    return op_result(shaper->kernel, op, type_kind(K_VIEW, source->type), NULL);
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

static bool is_trans_view(const Value *value)
{
    return value->def && value->def->code == OP_TRANS_VIEW;
}

static bool is_trans_tile(const Value *value)
{
    return value->def && value->def->code == OP_TRANS;
}

static bool is_16_bit(const Value *value)
{
    return dtype_bytes(value->type.dtype) == 2;
}

/* True for f32 in a ring that is also read by other operations, so that it is not rounded there.  */
static bool is_unrounded(const Value *value)
{
    while (is_trans_view(value))
        value = value->def->args[0];
    return value->type.dtype == D_F32 && value->def->code == OP_VIEW && !value->def->storage->tf32;
}

/* The storage of a ring whose tiles a transposer transposes, if the operand is a whole slot; else NULL.  */
static Storage *transposed_storage(const Value *value)
{
    const Op *view = is_trans_view(value) ? value->def->args[0]->def : NULL;
    bool whole = view && view->code == OP_VIEW && view->nargs == 1;
    return whole && view->storage->transposed ? view->storage : NULL;
}

/* True if all rows of the value are equal.  */
static bool rows_are_uniform(const Value *value)
{
    const Op *op = value->def;
    if (value->type.kind != K_TILE || value->type.rows == 1)
        return value->type.kind == K_TILE || value->type.kind == K_SCALAR;
    if (!op || op_info[op->code].class_ != CLASS_TILE || op->nblocks || op_is_product(op) || op->code == OP_ROW_INDEX ||
        op->code == OP_TRANS || op->code == OP_COL_CUMSUM)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!rows_are_uniform(op->args[i]))
            return false;
    return true;
}

/* A left operand whose blocks of 64 rows are equal must not be a register operand.  If their accumulators are equal,
   too, ptxas 13.0 merges the products and writes only the first result.  */
static bool is_one_for_all_blocks(const Value *left)
{
    return left->type.rows > MACHINE_MMA_ROWS && rows_are_uniform(left);
}

typedef struct {
    const Storage *storage;
    bool all; /* all products that read the storage have their other operand in registers */
} Interleaving;

static void visit_interleaving(Op *op, void *context)
{
    Interleaving *interleaving = context;
    for (int i = 0; i < op->nargs && op->code != OP_TRANS_VIEW; i++) {
        const Value *value = op->args[i];
        while (is_trans_view(value))
            value = value->def->args[0];
        if (value->type.kind != K_VIEW || value->def->storage != interleaving->storage || value->def->code != OP_VIEW)
            continue;
        interleaving->all &= op->code == OP_MMA && i == 1 && op->args[0]->type.kind == K_TILE &&
                             !is_one_for_all_blocks(op->args[0]) &&
                             transposed_storage(op->args[1]) == interleaving->storage;
    }
}

/* True for a left operand of bytes in registers, if a transposer can write B in the order that they have along K.  */
static bool may_interleave(const Shaper *shaper, const Op *product)
{
    Storage *storage = transposed_storage(product->args[1]);
    Type left = product->args[0]->type;
    if (!storage || left.kind != K_TILE || left.dtype == D_I8 || storage->interleaved)
        return storage && storage->interleaved;
    Interleaving interleaving = {storage, true};
    ir_walk(shaper->role->body, visit_interleaving, &interleaving);
    storage->interleaved = interleaving.all;
    return interleaving.all;
}

static Value *left_operand(Shaper *shaper, Op *product, Value *value)
{
    if (value->type.kind == K_VIEW)
        return (is_trans_view(value) && !is_16_bit(value)) || is_unrounded(value) ? stage(shaper, product, 0, value)
                                                                                  : value;
    if (is_16_bit(value) && is_trans_tile(value))
        return trans_view(shaper, product, stage(shaper, product, 0, value->def->args[0]));
    bool registers = is_16_bit(value) ? !is_one_for_all_blocks(value) : may_interleave(shaper, product);
    return registers ? value : stage(shaper, product, 0, value);
}

static Value *right_operand(Shaper *shaper, Op *product, Value *value)
{
    if (value->type.kind == K_VIEW) {
        if (is_trans_view(value) && is_unrounded(value))
            return trans_view(shaper, product, stage(shaper, product, 1, value->def->args[0]));
        if (is_trans_view(value) || is_16_bit(value))
            return value;
        return trans_view(shaper, product, stage(shaper, product, 1, trans_view(shaper, product, value)));
    }
    if (is_trans_tile(value))
        return trans_view(shaper, product, stage(shaper, product, 1, value->def->args[0]));
    if (is_16_bit(value))
        return stage(shaper, product, 1, value);
    return trans_view(shaper, product, stage(shaper, product, 1, trans_tile(shaper, product, value)));
}

static bool is_used(const Op *op)
{
    for (const Op *after = op->next; after; after = after->next)
        for (int i = 0; i < op->nresults; i++)
            if (uses_value(after, op->results[i]))
                return true;
    return false;
}

/* Removes the last operand, a residual of the right operand, if no role prepares it.  The product then computes it.  */
static void leave_last(Op *product)
{
    Op *maker = product->args[--product->nargs]->def;
    while (maker && !maker->nblocks && maker->nargs == 1 && maker->parent == product->parent && !is_used(maker)) {
        Op *source = maker->args[0]->def;
        op_remove(maker);
        maker = source;
    }
}

static void visit_operands(Op *op, void *context)
{
    Shaper *shaper = context;
    if (op->code == OP_MMA) {
        op->args[0] = left_operand(shaper, op, op->args[0]);
        op->args[1] = right_operand(shaper, op, op->args[1]);
    } else if (op_is_product(op)) {
        while (op->nargs > 3 && op->args[op->nargs - 1]->type.kind != K_VIEW)
            leave_last(op);
        for (int i = 0; i < 2; i++)
            if (op->args[i]->type.kind != K_VIEW)
                op->args[i] = stage(shaper, op, i, op->args[i]);
    }
    close_staging(shaper, op);
}

/* ---- accumulators that enter a loop ------------------------------------------------------------------------------ */

/* The number of commit groups of products in flight at an operation of its block.  A wait with that many pending waits
   for nothing.  */
static int groups_in_flight(const Op *before)
{
    int64_t groups = 0;
    for (const Op *op = before->parent->first; op != before; op = op->next) {
        if (op->code == OP_COMMIT || op->code == OP_COMMIT_NOTHING)
            groups++;
        else if (op->code == OP_WAIT && op->sync->pending < groups)
            groups = op->sync->pending;
    }
    return (int)groups;
}

/* An accumulator that enters from other control flow must be in its registers before products in flight add to it.  A
   wait that names it ensures this, and leaves earlier products in flight.  */
static Value *settle(const Shaper *shaper, Op *before, Value *accumulator)
{
    Op *wait = op_lowered_before(shaper->kernel, before, OP_WAIT, 1, &accumulator);
    wait->sync->pending = groups_in_flight(wait);
    Value *settled = op_result(shaper->kernel, wait, accumulator->type, accumulator->name);
    settled->split = accumulator->split;
    return settled;
}

static void visit_entry(Op *op, void *context)
{
    const Shaper *shaper = context;
    for (int i = 3; op->code == OP_FOR && i < op->nargs; i++) {
        Value *initial = op->args[i];
        bool in_flight = op->blocks[0]->args[i - 2]->type.kind == K_TOKEN;
        bool carried_here = !initial->def || initial->def->nblocks;
        if (in_flight && carried_here && initial->type.kind == K_TILE)
            op->args[i] = settle(shaper, op, initial);
    }
    if (op->code != OP_MMA || op->args[2]->type.kind != K_TILE)
        return;
    const Block *home = op->args[2]->def ? op->args[2]->def->parent : op->args[2]->block;
    if (home != op->parent)
        op->args[2] = settle(shaper, op, op->args[2]);
}

/* ---- register operands ------------------------------------------------------------------------------------------- */

/* The wait of this block that completes the product, or NULL.  */
static Op *wait_of(const Op *product)
{
    const Value *token = product->results[0];
    for (Op *op = product->next; op; op = op->next) {
        if (op->code == OP_MMA && op->args[2] == token)
            token = op->results[0];
        for (int i = 0; op->code == OP_WAIT && i < op->nargs; i++)
            if (op->args[i] == token)
                return op;
    }
    return NULL;
}

static bool stands_before(const Op *op, const Op *other)
{
    for (; op; op = op->next)
        if (op == other)
            return true;
    return false;
}

/* The operation that computes the operand for another iteration while the product is in flight, or NULL.  The loop
   carries its result to the next iteration, or the operation copies the operand's definition in another pipeline
   step.  */
static Op *maker_of_another(const Op *product, const Op *wait)
{
    const Value *operand = product->args[0];
    if (!operand->def && operand->block == product->parent && operand->index > 0)
        return product->parent->last->args[operand->index - 1]->def;
    for (Op *op = product->next; op != wait && operand->def && operand->def->origin; op = op->next)
        if (op->origin == operand->def->origin && op->code == operand->def->code && op->parent == product->parent)
            return op;
    return NULL;
}

/* A product in flight reads its register operand.  The operand's next value takes the same registers, so its
   computation moves behind the wait.  */
static void visit_register_operand(Op *op, void *context)
{
    (void)context;
    Op *wait = op->code == OP_MMA && op->args[0]->type.kind == K_TILE ? wait_of(op) : NULL;
    Op *next = wait ? maker_of_another(op, wait) : NULL;
    if (!next || next->parent != op->parent || op_info[next->code].class_ != CLASS_TILE || !stands_before(op, next) ||
        !stands_before(next, wait))
        return;
    for (const Op *between = next->next; between != wait; between = between->next)
        if (uses_value(between, next->results[0]))
            return;
    while (wait->next && (wait->next->code == OP_CONSUMED || wait->next->code == OP_FENCE))
        wait = wait->next;
    op_remove(next);
    op_after(wait, next);
}

/* ---- operands that are rounded as they arrive -------------------------------------------------------------------- */

/* The tensor cores truncate f32 operands to tf32, but the language rounds them.  TMA rounds a storage if only products
   read it.  For other storages, each product gets a rounded copy.  */
static void visit_product_alone(Op *op, void *context)
{
    (void)context;
    for (int i = 0; i < op->nargs; i++) {
        const Value *value = op->args[i];
        while (is_trans_view(value))
            value = value->def->args[0];
        if (value->def && value->def->code == OP_VIEW && op->code != OP_MMA && op->code != OP_TRANS_VIEW)
            value->def->storage->tf32 = false;
    }
}

void layout_round_on_arrival(Kernel *kernel)
{
    FOR_STORAGES (storage, kernel)
        storage->tf32 = storage->use == USE_RING && storage->tile.dtype == D_F32;
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_product_alone, NULL);
}

void layout_operands(Kernel *kernel, Role *role)
{
    Shaper shaper = {kernel, role, false};
    ir_walk(role->body, visit_entry, &shaper);
    ir_walk(role->body, visit_register_operand, &shaper);
    ir_walk(role->body, visit_operands, &shaper);
}
