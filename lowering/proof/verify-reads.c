/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-reads.c - each thread fences its reads of a slot before TMA may overwrite the slot.
 *
 *      %x = read %view               x = ws::read(view)     loads from shared memory may still be in flight
 *      fence                         ws::fence()            they are complete, and TMA writes are ordered behind
 *      consumed ring | keep=0        ring.consumed<0>()     TMA may write the slot
 *
 * An arrival at an mbarrier orders the accesses of threads among threads, but not against TMA (PTX, "Async proxy").
 * The check follows the set of rings with reads that may lack a fence through each role.  Branches take the union, and
 * loops are repeated until the set stays the same.  A release that keeps the newest slots is treated as one that keeps
 * none.
 */
#include "proof/verify.h"

typedef struct {
    uint64_t copied; /* bit mask of the rings that TMA fills, by id */
    const Op *failed;
} Reads;

static void visit_copy(Op *op, void *context)
{
    Reads *reads = context;
    if (op->code == OP_COPY_IN)
        reads->copied |= UINT64_C(1) << op->aref->id;
}

/* Returns the rings of which the operation's threads read a slot.  Tensor cores read without threads, and a wait
   completes their products.  */
static uint64_t read_by(const Op *op)
{
    uint64_t rings = 0;
    if (op->code == OP_MMA || op->code == OP_VIEW || op->code == OP_TRANS_VIEW)
        return 0;
    for (int i = 0; i < op->nargs; i++)
        for (const Op *def = op->args[i]->def; def && (def->code == OP_TRANS_VIEW || def->code == OP_VIEW);
             def = def->args[0]->def)
            if (def->code == OP_VIEW && def->aref)
                rings |= UINT64_C(1) << def->aref->id;
    return rings;
}

static uint64_t follow(Reads *reads, const Block *block, uint64_t unfenced);

static uint64_t follow_op(Reads *reads, const Op *op, uint64_t unfenced)
{
    if (op->code == OP_FENCE)
        return 0;
    if (op->code == OP_CONSUMED && unfenced & reads->copied & UINT64_C(1) << op->aref->id && !reads->failed)
        reads->failed = op;
    unfenced |= read_by(op);
    if (op->code == OP_IF) {
        uint64_t either = 0;
        for (int i = 0; i < op->nblocks; i++)
            either |= follow(reads, op->blocks[i], unfenced);
        return op->nblocks < 2 ? either | unfenced : either;
    }
    for (int i = 0; i < op->nblocks; i++)
        for (uint64_t before = ~unfenced; before != unfenced;) {
            before = unfenced;
            unfenced |= follow(reads, op->blocks[i], unfenced);
        }
    return unfenced;
}

static uint64_t follow(Reads *reads, const Block *block, uint64_t unfenced)
{
    FOR_OPS (op, block)
        unfenced = follow_op(reads, op, unfenced);
    return unfenced;
}

bool verify_reads(Kernel *kernel)
{
    Reads reads = {0};
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_copy, &reads);
    FOR_ROLES (role, kernel) {
        follow(&reads, role->body, 0);
        if (!reads.failed)
            continue;
        reject(kernel, reads.failed->loc, REASON_RELEASED_EARLY, role->name, reads.failed->aref->name,
               "threads have read the slot without a fence behind, which TMA may overwrite");
        return false;
    }
    return true;
}
