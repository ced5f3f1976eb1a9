/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pace.c - issues the copy of an epilogue tile in pieces while the product's loop runs.
 *
 *      put r                                      put r
 *      copy_in r, d, i, j                         copy_in r, d, i, j paced
 *      put_done r                                 put_done r
 *      for (k ...) put ta; put tb                 for (k ...) a line of d's columns every few iterations
 *
 * The put precedes the loop (optimize/epilogue-prefetch.c).  An SM executes its copies in order, so a large copy would
 * delay the operands behind it.
 */
#include "ir/queries.h"
#include "machine/plan.h"
#include "roles/programs.h"
#include "target/machine.h"

/* The producer's loop during which the copy is issued in pieces, or NULL.  */
const Op *paced_loop(const Op *copy)
{
    if (copy->code != OP_COPY_IN || !copy->transfer->paced)
        return NULL;
    const Op *op = copy->next;
    while (op && !op->nblocks)
        op = op->next;
    return op;
}

/* True if the value is the same in each iteration, also as the text that is printed.  */
static bool is_invariant(const Value *value)
{
    const Op *def = value->def;
    if (value->var)
        return !value->var->mutable_;
    if (!def)
        return true;
    for (int i = 0; i < def->nargs; i++)
        if (op_info[def->code].class_ != CLASS_SCALAR || !is_invariant(def->args[i]))
            return false;
    return true;
}

static bool counts_up(const Op *loop)
{
    int64_t step;
    return loop && loop->code == OP_FOR && loop->control->compare == OP_SCALAR_LT && loop->nblocks == 1 &&
           dtype_is_signed(loop->args[0]->type.dtype) && ir_constant(loop->args[2], &step) && step > 0;
}

static bool waits_for_groups(const Op *op, const void *context)
{
    (void)context;
    return op->code != OP_PUT && op->code != OP_COPY_IN && op->code != OP_PUT_DONE &&
           (op_info[op->code].class_ == CLASS_SYNC || op_info[op->code].class_ == CLASS_STORE);
}

static bool is_put_of(const Op *op, const void *aref)
{
    return op->code == OP_PUT && op->aref == aref;
}

static bool is_get_of(const Op *op, const void *aref)
{
    return op->code == OP_GET && op->aref == aref;
}

/* True if the group's get of the slot follows, in the same block, all gets of rings that the loop fills.  */
static bool gets_behind(const Kernel *kernel, const Role *role, const Op *loop, const Aref *aref)
{
    bool found = false;
    const Block *own = role_own_tile(role);
    for (const Op *op = own ? own->first : NULL; op; op = op->next) {
        const bool here = is_get_of(op, aref);
        if (!here && ir_any(op, is_get_of, aref))
            return false;
        found |= here;
        FOR_AREFS (other, kernel)
            if (found && ir_any(loop, is_put_of, other) && (is_get_of(op, other) || ir_any(op, is_get_of, other)))
                return false;
    }
    return found;
}

static bool is_put(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_PUT;
}

/* True if that holds for all roles that get the slot.  A role that fills rings is refused: the loop's puts may wait for
   other roles, which it would delay.  */
static bool is_got_behind(const Kernel *kernel, const Op *loop, const Aref *aref)
{
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_GET, aref) &&
            (ir_any_of(role->body, is_put, NULL) || !gets_behind(kernel, role, loop, aref)))
            return false;
    return true;
}

/* True if the put may be spread over the loop's puts.  It has one tile, contiguous in memory.  No role waits for the
   slot before it has got all slots that the loop fills.  */
bool may_be_paced(const Kernel *kernel, const Op *copy)
{
    const Op *loop = copy->next, *tensor = copy->nargs > 1 ? copy->args[1]->def : NULL;
    const Aref *aref = copy->aref;
    while (loop && !loop->nblocks)
        loop = loop->next;
    bool triple = copy->prev && copy->prev->code == OP_PUT && copy->prev->aref == aref && copy->next &&
                  copy->next->code == OP_PUT_DONE && copy->next->aref == aref;
    bool plain = aref->nstorages == 1 && !copy->transfer->along && !copy->transfer->share && !copy->transfer->fill &&
                 !copy->storage->resident && aref->fillers == 1 && !aref->also && tensor && tensor->code == OP_TENSOR &&
                 !tensor->tensor->table &&
                 copy->storage->tile.cols * dtype_bytes(copy->storage->tile.dtype) % MACHINE_LINE_BYTES == 0;
    if (!triple || !plain || !counts_up(loop) || !is_invariant(loop->args[0]) || !is_invariant(loop->args[1]) ||
        ir_any(loop, waits_for_groups, NULL) || ir_any(loop, is_put_of, aref))
        return false;
    for (int i = 2; i < copy->nargs; i++)
        if (!is_invariant(copy->args[i]))
            return false;
    return is_got_behind(kernel, loop, aref);
}

static void visit_copy(Op *op, void *context)
{
    if (op->code == OP_COPY_IN)
        op->transfer->paced = may_be_paced(context, op);
}

/* The pass follows plan_variables: a value that stays the same then has a variable that is not written.  */
void plan_pace(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        if (role_own_tile(role) && kernel_is_specialized(kernel) && role->may == ROLE_COPIES)
            ir_walk(role->body, visit_copy, kernel);
}
