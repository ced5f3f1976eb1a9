/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-uniform.c - do all threads of a warp go the same way where the program says so?
 *
 *   if %c | uniform=1       if (ws::warp_uniform(c)) {: threads that differ would all go the way of one of them
 *
 * A scalar is made of parameters, of the tile's and the group's numbers, of loop counters, and of what is read from
 * memory. All but the last are the same in all threads of a group. What is read is the same if nothing in the kernel
 * writes there.
 */
#include "ir/queries.h"
#include "machine/plan.h"
#include "proof/verify.h"

typedef struct {
    Kernel *kernel;
    const Op *read, *store; /* of the same memory; NULL: not found */
} Conflict;

static void visit_store(Op *op, void *context)
{
    Conflict *conflict = context;
    bool stores = op_info[op->code].class_ == CLASS_STORE && !op_prints(op);
    if (stores && tensor_memory(op->args[0]) == tensor_memory(conflict->read->args[0]))
        conflict->store = op;
}

static void visit_read(Op *op, void *context)
{
    Conflict *conflict = context;
    if (op_info[op->code].class_ != CLASS_READ || conflict->store)
        return;
    conflict->read = op;
    FOR_ROLES (role, conflict->kernel)
        ir_walk(role->body, visit_store, conflict);
}

static bool is_uniform(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_IF && op->control->uniform;
}

bool verify_uniform(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        Conflict conflict = {kernel, NULL, NULL};
        if (!ir_any_of(role->body, is_uniform, NULL))
            continue;
        ir_walk(role->body, visit_read, &conflict);
        if (!conflict.store)
            continue;
        BUG_AT(
            kernel, conflict.read->loc,
            "threads of '%s' may read different numbers here, as the store of line %d writes there, and its branches "
            "are said to be uniform",
            role->name, conflict.store->loc.line);
        return false;
    }
    return true;
}
