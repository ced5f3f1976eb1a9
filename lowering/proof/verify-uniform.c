/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-uniform.c - all threads of a warp take the same arm of a branch that is marked uniform.
 *
 *      if %c | uniform=1       if (ws::warp_uniform(c)) {: threads that differ would all take the arm of one of them
 *
 * A scalar is computed from parameters, numbers of tile and group, loop counters, and reads from memory.  All but the
 * reads are the same in all threads of a group.  A read is the same if nothing in the kernel writes there.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "proof/verify.h"

typedef struct {
    Kernel *kernel;
    const Op *read, *store; /* a read and a store of one memory; NULL: not found */
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
