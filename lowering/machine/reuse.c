/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reuse.c - lets two storages use one memory in turn, and orders their uses.
 *
 *   storages tq 1 x 32768, o_out 2 x 16384     o_out over tq
 *
 *   consumer: get tq ... consumed tq           get tq ... the last look at tq
 *             stage, store o_out               meet; stage, store o_out; store_wait 0
 *                                              consumed tq
 *
 * The clause share names the storages.  If a kernel does not fit otherwise, the pass also takes the pair that saves
 * most.
 *
 * The staging of a store may use a ring that is filled once a tile.  The slot is then released when the store's copies
 * have been read.  The staging may also use memory in which a group stages operands of products.  A barrier and a wait
 * for the copies then separate the uses.  If the user names a pair that this pass cannot order, the pass leaves it, and
 * the proof reports the missing order.
 */
#include <string.h>

#include "ir/queries.h"
#include "machine/plan.h"
#include "roles/order.h"
#include "target/machine.h"
#include "target/storage.h"

/* ---- who uses what ----------------------------------------------------------------------------------------------- */

static Aref *ring_of(const Kernel *kernel, const Storage *storage)
{
    FOR_AREFS (aref, kernel)
        for (int i = 0; i < aref->nstorages; i++)
            if (aref->storages[i] == storage)
                return aref;
    return NULL;
}

static Storage *storage_over(const Kernel *kernel, const Storage *storage)
{
    FOR_STORAGES (other, kernel)
        if (other->over == storage)
            return other;
    return NULL;
}

bool storage_is_reused(const Kernel *kernel, const Storage *storage)
{
    return storage->over || storage_over(kernel, storage);
}

static bool uses(const Op *op, const void *storage)
{
    return op->storage == storage;
}

/* The only role that accesses the storage; NULL: several do.  */
static Role *role_of(const Kernel *kernel, const Storage *storage)
{
    Role *found = NULL;
    FOR_ROLES (role, kernel) {
        if (!ir_any_of(role->body, uses, storage))
            continue;
        if (found)
            return NULL;
        found = role;
    }
    return found;
}

static bool is_private(const Storage *storage)
{
    return storage->use == USE_OPERAND || storage->use == USE_OUTPUT;
}

typedef struct {
    const Aref *aref;
    Op *found;
    int count;
} Releases;

static void visit_release(Op *op, void *context)
{
    Releases *releases = context;
    if (op->code != OP_CONSUMED || op->aref != releases->aref)
        return;
    releases->found = op;
    releases->count++;
}

typedef struct {
    const Storage *storage;
    const Block *block;
    const Op *first, *last; /* of the block, that use it or contain who does */
    bool elsewhere;
} Span;

static void visit_span(Op *op, void *context)
{
    Span *span = context;
    if (op->storage != span->storage)
        return;
    const Op *at = order_in_block(op, span->block);
    span->elsewhere |= !at;
    span->first = span->first ? span->first : at;
    span->last = at ? at : span->last;
}

static bool is_behind(const Op *op, const Op *before)
{
    while (before && before != op)
        before = before->next;
    return before != NULL;
}

/* The release that precedes, in the same block, all uses of the storage by the role; else NULL.  */
static Op *release_before(const Role *role, const Aref *aref, const Storage *storage, Span *span)
{
    Releases releases = {aref, NULL, 0};
    ir_walk(role->body, visit_release, &releases);
    *span = (Span){storage, releases.found ? releases.found->parent : NULL, NULL, NULL, false};
    if (releases.count != 1)
        return NULL;
    ir_walk(role->body, visit_span, span);
    return span->first && !span->elsewhere && is_behind(span->first, releases.found) ? releases.found : NULL;
}

/* ---- what can be in turn ----------------------------------------------------------------------------------------- */

/* True if a store's staging may use a ring that only its role gets, once a tile.  */
static bool fits_in_ring(const Kernel *kernel, const Storage *output, const Storage *slots)
{
    const Aref *aref = ring_of(kernel, slots);
    const Role *role = role_of(kernel, output);
    Span span;
    return output->use == USE_OUTPUT && aref && role && aref->consumers == ROLE_BIT(role) && !aref->along &&
           !aref->also && aref->nstorages == 1 && !pipelined_loop(aref->payload[0]->def) &&
           !schedule_of(aref->payload[0]->def)->ring &&
           (kernel->schedule.block.split != SPLIT_TILES || role->replicas == 1) &&
           release_before(role, aref, output, &span);
}

static bool are_private(const Kernel *kernel, const Storage *one, const Storage *other)
{
    const Role *role = role_of(kernel, one);
    return is_private(one) && is_private(other) && role && role == role_of(kernel, other) &&
           one->slots == other->slots && one->slots >= role->replicas &&
           (one->slots == 1 || one->slot_bytes == other->slot_bytes);
}

static bool is_free(const Kernel *kernel, const Storage *storage)
{
    const Aref *aref = ring_of(kernel, storage);
    bool use = storage->use == USE_RING || is_private(storage);
    return use && (!aref || (!aref->along && !aref->also)) && !storage_is_reused(kernel, storage) &&
           !storage->resident && !storage->beside && !storage_beside(kernel, storage);
}

static int64_t all_bytes(const Storage *storage)
{
    return storage_places(storage) * storage->slot_bytes;
}

static void lie_over(Kernel *kernel, Storage *storage, Storage *under)
{
    Aref *aref = ring_of(kernel, under);
    if (storage_place(kernel, storage) < storage_place(kernel, under))
        under->over = storage; /* the first storage comes first in the struct */
    else
        storage->over = under;
    for (int i = 0; aref && fits_in_ring(kernel, storage, under) && i < aref->nstorages; i++)
        aref->slots = aref->storages[i]->slots = 1;
}

bool plan_reuse(Kernel *kernel)
{
    Storage *best = NULL, *under = NULL;
    int64_t most = 0;
    FOR_STORAGES (one, kernel)
        FOR_STORAGES (other, kernel) {
            int64_t saved = all_bytes(one) < all_bytes(other) ? all_bytes(one) : all_bytes(other);
            bool may =
                one != other && is_free(kernel, one) && is_free(kernel, other) && fits_in_ring(kernel, one, other);
            if (!may || saved <= most)
                continue;
            best = one;
            under = other;
            most = saved;
        }
    if (best)
        lie_over(kernel, best, under);
    return best;
}

/* ---- what the user says ------------------------------------------------------------------------------------------ */

typedef struct {
    Kernel *kernel;
    int share; /* as schedule rows number it */
    Storage *found;
} Named;

static bool takes_named(const Op *op, int share)
{
    for (int i = 0; op && i < op->nargs; i++) {
        const Op *made = op->args[i]->def;
        if (made && (schedule_of(made)->share == share || (made->origin && schedule_of(made->origin)->share == share)))
            return true;
    }
    return false;
}

/* Finds the storage of a tile with that name, as the operation or its source writes it.  */
static void visit_named(Op *op, void *context)
{
    Named *named = context;
    const Op *store = op_info[op->code].class_ == CLASS_STORE ? op->origin : NULL;
    if (op->storage && !named->found && (takes_named(op, named->share) || takes_named(store, named->share)))
        named->found = op->storage;
}

/* The storage of the named tile: a ring, or staging memory of a store or a product.  */
static Storage *storage_named(Kernel *kernel, int share)
{
    Named named = {kernel, share, NULL};
    FOR_AREFS (aref, kernel)
        for (int i = 0; i < aref->nstorages; i++)
            if (schedule_of(aref->payload[i]->def)->share == share)
                return aref->storages[i];
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_named, &named);
    return named.found;
}

static void share(Kernel *kernel, const SharedMemory *said, int number)
{
    Storage *two[2];
    for (int i = 0; i < 2; i++) {
        two[i] = storage_named(kernel, 2 * number + i);
        if (!two[i]) {
            reject(kernel, said->loc, REASON_SHARE_NONE, said->names[i]);
            return;
        }
        if (!is_free(kernel, two[i])) {
            reject(kernel, said->loc, REASON_SHARE_TAKEN, said->names[i]);
            return;
        }
        if (two[i]->use == USE_OUTPUT && !kernel_names(kernel, said->names[i]))
            two[i]->name = said->names[i];
    }
    if (two[0] == two[1])
        reject(kernel, said->loc, REASON_SHARE_SAME, said->names[0], said->names[1]);
    else if (two[0]->use == USE_RING || (two[1]->use != USE_RING && two[0]->use != USE_OUTPUT))
        lie_over(kernel, two[1], two[0]);
    else
        lie_over(kernel, two[0], two[1]);
}

void plan_shares(Kernel *kernel)
{
    int number = 0;
    for (const SharedMemory *said = kernel->shares; said && !kernel->failed; said = said->next)
        share(kernel, said, ++number);
}

/* ---- one behind the other ---------------------------------------------------------------------------------------- */

static void wait_for_copies(Kernel *kernel, Op *where)
{
    op_lowered_before(kernel, where, OP_STORE_WAIT, 0, NULL)->sync->pending = 0;
}

/* Moves the release behind the read of the copies out.  Before the staging, all groups synchronize.  */
static void order_in_ring(Kernel *kernel, const Storage *output)
{
    Role *role = role_of(kernel, output);
    Span span;
    Op *release = release_before(role, ring_of(kernel, output->over), output, &span);
    op_lowered_before(kernel, (Op *)(uintptr_t)span.first, role->replicas > 1 ? OP_ROLE_BARRIER : OP_BARRIER, 0, NULL);
    op_remove(release);
    op_after((Op *)(uintptr_t)span.last, release);
    wait_for_copies(kernel, release);
}

/* For a ring whose slots are released in the loop: the groups synchronize before each write to the staging.  */
static void meet_before(Kernel *kernel, Block *block, const Storage *output, int groups)
{
    FOR_OPS (op, block) {
        if (op->storage == output && op->code == OP_STAGE)
            op_lowered_before(kernel, op, groups > 1 ? OP_ROLE_BARRIER : OP_BARRIER, 0, NULL);
        for (int i = 0; i < op->nblocks; i++)
            meet_before(kernel, op->blocks[i], output, groups);
    }
}

typedef struct {
    Kernel *kernel;
    const Storage *one, *other;
} Pair;

static void visit_write(Op *op, void *context)
{
    const Pair *pair = context;
    bool writes = op->code == OP_STAGE || op_info[op->code].class_ == CLASS_LOAD;
    if (!writes || !op->storage || (op->storage != pair->one && op->storage != pair->other))
        return;
    const Storage *there = op->storage == pair->one ? pair->other : pair->one;
    if (there->use == USE_OUTPUT)
        wait_for_copies(pair->kernel, op);
    op_lowered_before(pair->kernel, op, OP_BARRIER, 0, NULL);
}

void plan_turns(Kernel *kernel)
{
    FOR_STORAGES (storage, kernel) {
        const Storage *under = storage->over;
        Pair pair = {kernel, storage, under};
        Role *role = under ? role_of(kernel, storage) : NULL;
        if (under && fits_in_ring(kernel, storage, under))
            order_in_ring(kernel, storage);
        else if (under && are_private(kernel, storage, under))
            ir_walk(role->body, visit_write, &pair);
        else if (role && storage->use == USE_OUTPUT && kernel->schedule.block.split != SPLIT_TILES)
            meet_before(kernel, role->body, storage, role->replicas);
    }
}

bool role_meets(const Kernel *kernel, const Role *role)
{
    FOR_STORAGES (storage, kernel)
        if (storage->over && storage->over->use == USE_RING && role->replicas > 1 && role_of(kernel, storage) == role)
            return true;
    return false;
}

/* ---- remarks ----------------------------------------------------------------------------------------------------- */

void plan_say_reuse(const Kernel *kernel)
{
    FOR_STORAGES (storage, kernel)
        if (storage->over) {
            int64_t bytes =
                all_bytes(storage) < all_bytes(storage->over) ? all_bytes(storage) : all_bytes(storage->over);
            remark((Kernel *)(uintptr_t)kernel, DIAG_OPTIMIZED, kernel->loc,
                   "%s and %s share %lld bytes of shared memory%s", storage->name, storage->over->name,
                   (long long)bytes, kernel->shares ? "" : ": the kernel would not fit otherwise");
        }
    FOR_AREFS (aref, kernel) {
        int64_t more = 0, left = kernel->machine->shared_bytes - kernel->shared_bytes;
        for (int i = 0; i < aref->nstorages; i++)
            more += aref->storages[i]->slot_bytes;
        if (pipelined_loop(aref->payload[0]->def) && more > left)
            remark((Kernel *)(uintptr_t)kernel, DIAG_OPTIMIZED, kernel->loc,
                   "another slot of ring %s would take %lld bytes of shared memory, and %lld are free", aref->name,
                   (long long)more, (long long)left);
    }
}
