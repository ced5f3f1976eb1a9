/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verify-memory.c - shared memory and the limits of the GPU, from the tables of the kernel.
 *
 *      storage ta 4 x 16384 at 0, tb 4 x 32768 at 65536       disjoint, aligned, each slot as large as its tile
 *      ring ta_tb 4 slots                                     as many as its storages have
 *      384 threads, 24 and 240 registers                      no more than the launch gives out
 *
 * Storages that are used in turn may overlap, if only the groups of one block and the copies into its own slots access
 * them.  protocol-reuse.c shows that they are used in turn.
 */
#include "ir/alias.h"
#include "machine/plan.h"
#include "proof/verify.h"
#include "roles/programs.h"
#include "target/machine.h"
#include "target/storage.h"

/* ---- storages ---------------------------------------------------------------------------------------------------- */

static int64_t storage_end(const Storage *storage)
{
    return storage->offset + (storage_places(storage) - 1) * storage->stride + storage->slot_bytes;
}

/* True if each slot of `behind` follows the equal slot of `storage`, so that the two alternate without an overlap.  */
static bool lie_beside(const Storage *storage, const Storage *behind)
{
    return behind->beside == storage && behind->slots == storage->slots && behind->stride == storage->stride &&
           behind->offset == storage->offset + storage->slot_bytes &&
           storage->stride == storage->slot_bytes + behind->slot_bytes;
}

/* True if protocol-reuse.c follows all accesses to the storage.  */
static bool may_be_reused(const Kernel *kernel, const Storage *storage)
{
    bool use = storage->use == USE_RING || storage->use == USE_OPERAND || storage->use == USE_OUTPUT ||
               storage->use == USE_SCRATCH;
    FOR_AREFS (aref, kernel)
        for (int i = 0; i < aref->nstorages; i++)
            use = use && (aref->storages[i] != storage || (!aref->along && !aref->also));
    return use && !storage->resident && !storage->beside && !storage_beside(kernel, storage);
}

static bool check_storage(Kernel *kernel, const Storage *storage)
{
    int64_t align = storage_align(storage), bytes = storage_bytes(storage);
    if (storage->slots < 1 || storage->slot_bytes != bytes) {
        BUG(kernel, "storage '%s' has %d slots of %lld bytes, and its tile takes %lld", storage->name, storage->slots,
            (long long)storage->slot_bytes, (long long)bytes);
        return false;
    }
    if (storage->stride < bytes) {
        BUG(kernel, "slots of storage '%s' overlap", storage->name);
        return false;
    }
    if (storage->offset < 0 || storage->offset % align || storage_end(storage) > kernel->shared_bytes) {
        BUG(kernel, "storage '%s' lies at %lld to %lld of %lld bytes", storage->name, (long long)storage->offset,
            (long long)storage_end(storage), (long long)kernel->shared_bytes);
        return false;
    }
    FOR_STORAGES (other, kernel)
        if (other != storage && storage->offset < storage_end(other) && other->offset < storage_end(storage) &&
            !lie_beside(storage, other) && !lie_beside(other, storage) &&
            !(may_be_reused(kernel, storage) && may_be_reused(kernel, other))) {
            BUG(kernel, "storages '%s' and '%s' overlap", storage->name, other->name);
            return false;
        }
    return true;
}

/* True if another ring fills the storage, or this one twice.  */
static bool filled_elsewhere(Kernel *kernel, const Aref *aref, const Storage *storage)
{
    int times = 0;
    FOR_AREFS (other, kernel)
        for (int i = 0; i < other->nstorages; i++)
            times += other->storages[i] == storage;
    return times != 1 || !aref->nstorages;
}

/* True if slots that keep their tile for the next iteration of the grid hold the tensor's present contents.  Their
   places divide the slots of the ring evenly.  A copy waits for all slots that share its memory.  Threads that write
   tiles there do not, so those may not be resident.  */
static bool check_resident(Kernel *kernel, const Aref *aref, const Storage *storage, const Op *source)
{
    bool turns = storage->resident > 0 && storage->slots % storage->resident == 0;
    bool copied = source->code == OP_LOAD && !aref->along && !storage->transposed && !source->aref->also;
    if (!storage->resident || (turns && copied && !ir_any_of(kernel->body, stores_what_is_loaded, source)))
        return true;
    BUG(kernel, "storage '%s' keeps in %d of %d slots what others write", storage->name, storage->resident,
        storage->slots);
    return false;
}

static bool check_ring(Kernel *kernel, const Aref *aref)
{
    bool whole = aref->nstorages > 0 && aref->home && aref->producer && aref->slots > 0;
    for (int i = 0; whole && i < aref->nstorages; i++)
        whole = aref->storages[i] && aref->payload[i] && aref->payload[i]->def &&
                aref->payload[i]->def->parent == aref->home;
    if (!whole) {
        BUG(kernel, "ring '%s' lacks a role, a slot, a storage or a value of one block", aref->name);
        return false;
    }
    for (int i = 0; i < aref->nstorages; i++) {
        const Storage *storage = aref->storages[i];
        if (storage->use != USE_RING || storage->slots != aref->slots || filled_elsewhere(kernel, aref, storage)) {
            BUG(kernel, "ring '%s' has %d slots, its storage '%s' %d, or that is not its own", aref->name, aref->slots,
                storage->name, storage->slots);
            return false;
        }
        if (!check_resident(kernel, aref, storage, aref->payload[i]->def))
            return false;
        Type tile = aref->payload[i]->type;
        tile = storage->transposed ? type_transposed(tile) : tile;
        if (tile.dtype != storage->tile.dtype || tile.rows != storage->tile.rows || tile.cols != storage->tile.cols) {
            BUG(kernel, "storage '%s' has not the shape of what ring '%s' carries", storage->name, aref->name);
            return false;
        }
    }
    return aref->slots <= MACHINE_MAX_DEPTH;
}

/* ---- what operations do with them -------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    const Role *role;
    const char *why;
    const Op *where;
} RoleUses;

static void complain(RoleUses *uses, const Op *op, const char *why)
{
    uses->where = uses->why ? uses->where : op;
    uses->why = uses->why ? uses->why : why;
}

/* True for a storage of this use with a copy for each group of the role.  */
static bool is_own(const RoleUses *uses, const Storage *storage, StorageUse use)
{
    return storage && storage->use == use && storage->slots >= uses->role->replicas;
}

static void check_scratch(RoleUses *uses, const Op *op)
{
    int64_t need = op->nargs && op->args[0]->type.kind == K_TILE ? machine_scratch_bytes(op, uses->role->layout) : 0;
    if (!need || (op->code == OP_TRANS && !op->storage && (!op->results[0]->uses || op->tile->transposed)))
        return;
    if (!is_own(uses, op->storage, USE_SCRATCH))
        complain(uses, op, "has no scratch memory of its own");
    else if (op->storage->slot_bytes < need)
        complain(uses, op, "has less scratch memory than it exchanges");
}

/* A tile that is transposed in registers is correct only where the staging of a store reads it.  */
static void check_transposed(RoleUses *uses, const Op *op)
{
    bool staged = op->code == OP_STAGE && op->storage && op->storage->use == USE_OUTPUT;
    for (int i = 0; i < op->nargs; i++) {
        const Op *def = op->args[i]->def;
        if (def && def->code == OP_TRANS && def->tile->transposed &&
            (!staged || uses->role->layout != LAYOUT_MMA || !machine_turns_in_staging(op->args[i]->type)))
            complain(uses, op, "looks at a tile that is transposed in a store's staging alone");
    }
}

/* The staging takes a box of the tile, or all boxes if there is a buffer for each.  */
static void check_stage_out(RoleUses *uses, const Op *op)
{
    Type tile = op->storage->tile, type = op->args[0]->type;
    int boxes = machine_boxes(type);
    if (type.kind != K_TILE || tile.dtype != type.dtype || type.rows % tile.rows)
        complain(uses, op, "writes to memory of another shape");
    else if (op->sync->box < 0 || op->sync->box > boxes || (!op->sync->box && boxes > machine_output_buffers(tile)))
        complain(uses, op, "has no buffer for each box");
}

static void check_stage(RoleUses *uses, const Op *op)
{
    Type tile = op->storage ? op->storage->tile : (Type){0}, type = op->args[0]->type;
    if (op->storage && op->storage->use == USE_OUTPUT)
        check_stage_out(uses, op);
    else if (!is_own(uses, op->storage, USE_OPERAND))
        complain(uses, op, "has no memory of its own to write to");
    else if (tile.dtype != type.dtype || tile.rows != type.rows || tile.cols != type.cols)
        complain(uses, op, "writes to memory of another shape");
}

/* Threads write all of a tile, or the rows of each group, into a slot of its shape.  A transposed slot takes only bytes
   that come from another slot.  */
static void check_put_tile(RoleUses *uses, const Op *op)
{
    Type from = op->args[1]->type,
         tile = op->storage->transposed ? type_transposed(op->storage->tile) : op->storage->tile;
    bool bytes = from.kind == K_VIEW && dtype_bytes(from.dtype) == 1;
    from.rows *= op->nargs == 3 ? op->aref->fillers : 1;
    if (tile.dtype != from.dtype || tile.rows != from.rows || tile.cols != from.cols)
        complain(uses, op, "writes to memory of another shape");
    else if (op->storage->use != USE_RING || (from.kind != K_VIEW && from.kind != K_TILE) ||
             bytes != op->storage->transposed)
        complain(uses, op, "has no way to write its tile");
}

/* The storage has rows for every group of the role.  */
static void check_gather(RoleUses *uses, const Op *op)
{
    Type tile = op->storage ? op->storage->tile : (Type){0}, type = op->args[0]->type;
    if (!op->storage || op->storage->use != USE_GATHERED || op->storage->slots > 2)
        complain(uses, op, "has no memory of its role to write to");
    else if (tile.dtype != type.dtype || tile.rows != type.rows * uses->role->replicas || tile.cols != type.cols)
        complain(uses, op, "writes to memory of another shape");
}

static void check_parts(RoleUses *uses, const Op *op)
{
    Type tile = op->storage ? op->storage->tile : (Type){0}, type = op->args[0]->type, share = op->results[0]->type;
    const int blocks = uses->kernel->grid.cluster[1];
    if (!is_own(uses, op->storage, USE_PARTS))
        complain(uses, op, "has no memory of its own for parts of other blocks");
    else if (tile.dtype != type.dtype || tile.rows != type.rows || tile.cols != share.cols * blocks ||
             op->storage->slot_bytes < machine_parts_bytes(tile))
        complain(uses, op, "exchanges parts in memory of another shape");
    else if (!uses->kernel->grid.parts || share.dtype != type.dtype || share.rows != type.rows || share.cols < 1 ||
             type.cols % share.cols || type.cols > share.cols * blocks)
        complain(uses, op, "does not share out the columns to the blocks of a cluster");
}

static bool sends_pieces(const Op *op)
{
    return op && op_meets_blocks(op) && op->code != OP_SUM_PARTS && op->tile->piece;
}

/* True if an exchange of pieces in the same memory precedes without another operation between.  Adjacent exchanges all
   send before the first of them receives, and a send waits until the last one in its memory is received.  */
static bool waits_for_itself(const Op *op)
{
    for (const Op *before = op->prev; sends_pieces(op) && sends_pieces(before); before = before->prev)
        if (before->storage == op->storage)
            return true;
    return false;
}

static void check_shares(RoleUses *uses, const Op *op)
{
    Type type = op->results[0]->type, from = op->args[0]->type;
    Type shares = machine_shares(op, uses->kernel->grid.cluster[1], uses->role->layout);
    int piece = op->tile->piece;
    bool alone = uses->kernel->grid.cluster[1] <= 1 && piece && machine_wide_groups(uses->role->layout);
    bool whole = piece ? piece > 0 && from.cols % piece == 0 && from.rows == type.rows && type.cols == 1 &&
                             from.dtype == type.dtype
                       : type_equal(from, type);
    if (!is_own(uses, op->storage, USE_SHARES))
        complain(uses, op, "has no memory of its own for what other blocks send");
    else if (waits_for_itself(op))
        complain(uses, op, "sends into memory of an exchange that is not received yet");
    else if (!type_equal(op->storage->tile, shares) || op->storage->slot_bytes < machine_shares_bytes(shares))
        complain(uses, op, "exchanges tiles in memory of another shape");
    else if ((!uses->kernel->grid.parts && !alone) || dtype_bytes(type.dtype) != 4 ||
             !type_equal(op->args[1]->type, type) ||
             (op->nargs > 2 && (!piece || !type_equal(op->args[2]->type, type))) || !whole)
        complain(uses, op, "does not give each block of a cluster what all have together");
}

/* The operation reads powers that a sum over blocks has made of the same tile, below the largest that belongs to the
   sum.  */
static void check_powers(RoleUses *uses, const Op *op)
{
    const Op *largest = op->args[1]->def, *sum = op->args[2]->def;
    bool of_sum = sum && (sum->code == OP_SUM_EXP_BLOCKS || sum->code == OP_SUM_EXP2_BLOCKS);
    if (!of_sum || !largest || largest->code != OP_MAX_BLOCKS || sum->parent != op->parent ||
        op->args[0] != sum->args[0] || largest->args[0] != sum->args[0] || largest->args[1] != sum->args[2] ||
        !type_equal(op->results[0]->type, op->args[0]->type))
        complain(uses, op, "takes powers that no sum has made");
}

/* True for boxes of one tile.  validate-role.c checks that each is stored once.  */
static bool are_boxes(const Op *x, const Op *y)
{
    const Op *a = x->args[x->nargs - 1]->def, *b = y->args[y->nargs - 1]->def;
    if (x->nargs != y->nargs || !a || !b || a->code != OP_STAGE || b->code != OP_STAGE || a->args[0] != b->args[0] ||
        !a->sync->box || !b->sync->box)
        return false;
    for (int i = 0; i < x->nargs - 1; i++)
        if (!is_same_place(x->args[i], y->args[i]))
            return false;
    return true;
}

typedef struct {
    const Op *store;
    bool loaded, stored;
} CopiedOut;

static void visit_copied_out(Op *op, void *context)
{
    CopiedOut *copied = context;
    const OpClass class_ = op_info[op->code].class_;
    const Value *tensor = op->code == OP_COPY_IN ? op->args[1] : class_ == CLASS_LOAD ? op->args[0] : NULL;
    copied->loaded |= tensor && tensor_memory(tensor) == tensor_memory(copied->store->args[0]);
    if (class_ == CLASS_STORE && op != copied->store && !op_prints(op))
        copied->stored |= !stores_apart(copied->store, op) && !are_boxes(copied->store, op);
}

/* A wait is for the staging that a copy out reads, so nothing orders the copy with other accesses to global memory.
   validate-role.c has loads of other roles.  */
static void check_copied_out(RoleUses *uses, const Op *op)
{
    CopiedOut copied = {op, false, !store_moves_on(op)};
    ir_walk(uses->role->body, visit_copied_out, &copied);
    if (copied.loaded)
        complain(uses, op, "copies out to memory that is loaded, too, and no load waits for the copy");
    else if (copied.stored)
        complain(uses, op, "copies out to memory that is stored again, in no order");
}

/* A store takes its tile from registers, or from the staging of its storage.  */
static void check_store(RoleUses *uses, const Op *op)
{
    const Op *stage = op->args[op->nargs - 1]->def;
    bool staged = stage && stage->code == OP_STAGE;
    if (op->storage && op->storage->use != USE_OUTPUT)
        complain(uses, op, "copies its tile out of memory of another use");
    else if (staged ? stage->storage != op->storage || stage->parent != op->parent : op->storage != NULL)
        complain(uses, op, "copies its tile out of memory that it was not staged in");
    else if (!staged && op->args[op->nargs - 1]->type.kind == K_VIEW)
        complain(uses, op, "stores what no thread holds");
    else if (staged)
        check_copied_out(uses, op);
}

static const Storage *storage_under(const Value *view)
{
    while (view->def && view->def->code == OP_TRANS_VIEW)
        view = view->def->args[0];
    return view->type.kind == K_VIEW && view->def ? view->def->storage : NULL;
}

/* The wide product reads memory behind the first right operand: the second right operand has to be there.  */
static void check_pair(RoleUses *uses, const Op *op)
{
    const Op *second = op_paired_with(uses->kernel->machine, op);
    if (!second || !op->sync->paired || second->sync->paired)
        complain(uses, op, "is one instruction with a product that cannot be");
    else if (!lie_beside(storage_under(op->args[1]), storage_under(second->args[1])))
        complain(uses, op, "is one instruction with a product whose right operand lies elsewhere");
}

/* The tensor core reads 64 rows of A, even if the tile has fewer.  */
static void check_short_operand(RoleUses *uses, const Op *op)
{
    const Storage *storage = storage_under(op->args[0]);
    int missing = (MACHINE_MMA_ROWS - op->args[0]->type.rows % MACHINE_MMA_ROWS) % MACHINE_MMA_ROWS;
    if (storage && storage_end(storage) + missing * MACHINE_LINE_BYTES > uses->kernel->shared_bytes)
        complain(uses, op, "reads rows behind the end of shared memory");
}

/* The tensor cores truncate f32 where the language rounds.  So products read rounded values, and nothing else does.  */
static void check_rounded(RoleUses *uses, const Op *op)
{
    bool writes = op->code == OP_STAGE || op->code == OP_PUT_TILE;
    bool rounds = op->code == OP_MMA || (writes && op->storage && op->storage->tf32);
    for (int i = 0; i < op->nargs && op->code != OP_TRANS_VIEW; i++) {
        const Storage *storage = storage_under(op->args[i]);
        if (!storage || storage->tile.dtype != D_F32)
            continue;
        if (op->code == OP_MMA && !storage->tf32)
            complain(uses, op, "reads f32 that nobody has rounded");
        if (!rounds && storage->tf32)
            complain(uses, op, "reads f32 that was rounded for a product");
    }
}

/* Bytes of A in registers have a permuted order along K.  B has the same order, and nothing else reads such a B.  */
static void check_interleaved(RoleUses *uses, const Op *op)
{
    bool bytes = op->code == OP_MMA && op->args[0]->type.kind == K_TILE && dtype_bytes(op->args[0]->type.dtype) == 1;
    for (int i = 0; i < op->nargs && op->code != OP_TRANS_VIEW; i++) {
        const Storage *storage = storage_under(op->args[i]);
        bool interleaved = storage && storage->interleaved,
             right = i == 1 && bytes && op->args[i]->def->code == OP_TRANS_VIEW;
        if (interleaved && !right)
            complain(uses, op, "reads bytes in the order of registers as if they were in their own");
        if (i == 1 && bytes && !interleaved)
            complain(uses, op, "has bytes in registers on the left, and on the right another order of them");
    }
}

/* Products read lines of 128 bytes.  Threads read no column behind the end of its line.  */
static void check_lines(RoleUses *uses, const Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        const Storage *storage = op->args[i]->type.kind == K_VIEW ? storage_under(op->args[i]) : NULL;
        bool reads = op->code == OP_READ || op->code == OP_TRANS_VIEW;
        if (storage && storage->line && !reads)
            complain(uses, op, "reads lines of less than 128 bytes as if they were whole");
    }
    const Storage *storage = op->code == OP_COPY_IN || op->code == OP_PUT_TILE ? op->storage : NULL;
    if (!storage || !storage->line)
        return;
    if (op->code == OP_COPY_IN && storage->line != machine_short_line(storage->tile))
        complain(uses, op, "copies rows that their lines do not hold");
    if (op->code == OP_PUT_TILE && storage->line != machine_written_line(storage->tile))
        complain(uses, op, "writes rows that their lines do not hold");
}

/* In the .cu a width is a template argument, one of the widths of the region's sum.  */
static void check_width(RoleUses *uses, const Op *op)
{
    for (int i = 0; i < op->nargs; i++) {
        const Value *value = op->args[i];
        const Op *narrow = value->def || !value->block || value->index ? NULL : value->block->parent;
        if (!narrow || narrow->code != OP_NARROW)
            continue;
        if (op->code != OP_MMA || i != 3 || op->sync->paired)
            complain(uses, op, "takes a width for a number");
        else if (narrow->nresults != 1 || narrow->results[0]->type.cols != op->results[0]->type.cols)
            complain(uses, op, "takes a width of a sum of other columns");
    }
}

/* Registers have no addresses, so the counter that selects a column has to be a constant of an unrolled loop.  */
static void check_columns(RoleUses *uses, const Op *op)
{
    const Value *first = op->code == OP_COLUMNS ? op->args[1] : NULL;
    const Op *loop = !first || first->def || !first->block ? NULL : first->block->parent;
    if (loop && loop->code == OP_FOR && !loop->control->unroll)
        complain(uses, op, "takes registers by the counter of a loop that is not unrolled");
}

typedef struct {
    const Storage *storage;
    int count;
} Keepers;

static void visit_keeper(Op *op, void *context)
{
    Keepers *keepers = context;
    keepers->count += op->storage == keepers->storage;
}

/* No other operation uses the storage, and it is written before the first tile.  With a prefetch of the next tile there
   are two copies: a tile reads one while the next tile is copied to the other.  */
static void check_cached(RoleUses *uses, const Op *op)
{
    Keepers keepers = {op->storage, 0};
    FOR_ROLES (role, uses->kernel)
        ir_walk(role->body, visit_keeper, &keepers);
    if (!is_own(uses, op->storage, USE_ROW_CACHE) || keepers.count != 1 || !machine_wide_groups(uses->role->layout))
        complain(uses, op, "keeps its tile in memory that is not its own");
    else if (!type_equal(op->storage->tile, op->results[0]->type))
        complain(uses, op, "keeps its tile in memory of another shape");
    else if (!load_is_cached(op))
        complain(uses, op, "keeps what it does not load before its tile");
    else if (op->transfer->prefetch == PREFETCH_TILE &&
             (op->storage->slots < 2 || uses->role->replicas != 1 || op->code != OP_LOAD ||
              !machine_brings_vectors(op->storage->tile, uses->role->layout)))
        complain(uses, op, "brings its next tile where this one is read, or in pieces that no copy brings");
}

static void check_load(RoleUses *uses, const Op *op)
{
    if (op->storage && op->storage->use == USE_ROW_CACHE)
        check_cached(uses, op);
    else if (op->storage && !is_own(uses, op->storage, USE_OUTPUT))
        complain(uses, op, "passes through memory that is not its own");
    if (op->transfer->prefetch && !load_may_be_prefetched(uses->kernel, op, op->transfer->prefetch))
        complain(uses, op, "is made before its tile or iteration, on which it depends, or which another one writes");
}

static void visit_use(Op *op, void *context)
{
    RoleUses *uses = context;
    check_scratch(uses, op);
    check_transposed(uses, op);
    check_rounded(uses, op);
    check_interleaved(uses, op);
    check_lines(uses, op);
    check_width(uses, op);
    check_columns(uses, op);
    if (op->code == OP_STAGE)
        check_stage(uses, op);
    if (op->code == OP_PUT_TILE)
        check_put_tile(uses, op);
    if (op->code == OP_GATHER)
        check_gather(uses, op);
    if (op->code == OP_SUM_PARTS)
        check_parts(uses, op);
    else if (op_meets_blocks(op))
        check_shares(uses, op);
    if (op->code == OP_POWERS_SENT)
        check_powers(uses, op);
    if (op_info[op->code].class_ == CLASS_STORE)
        check_store(uses, op);
    if (op_info[op->code].class_ == CLASS_LOAD || load_is_prefetched(op))
        check_load(uses, op);
    if (op->code == OP_MMA && op->sync->paired)
        check_pair(uses, op);
    if (op->code == OP_MMA && op->args[0]->type.kind == K_VIEW)
        check_short_operand(uses, op);
}

typedef struct {
    Kernel *kernel;
    const Role *role;
    const Role **owners; /* of storages, by place */
    bool failed;
} Owners;

static bool is_of_ring(const Kernel *kernel, const Storage *storage)
{
    FOR_AREFS (aref, kernel)
        if (aref_source(aref, storage))
            return true;
    return false;
}

static void visit_owned(Op *op, void *context)
{
    Owners *owners = context;
    if (!op->storage || owners->failed || is_of_ring(owners->kernel, op->storage))
        return;
    const Role **owner = &owners->owners[storage_place(owners->kernel, op->storage)];
    owners->failed = *owner && *owner != owners->role;
    if (owners->failed)
        BUG_AT(owners->kernel, op->loc.line ? op->loc : owners->kernel->loc,
               "'%s' and '%s' both use storage '%s', which no ring hands over", (*owner)->name, owners->role->name,
               op->storage->name);
    *owner = owners->role;
}

/* Rings alone hand memory from role to role.  Any other storage has one role, so that its groups' own barriers order
   all accesses. */
static bool check_owners(Kernel *kernel)
{
    const int count = storage_place(kernel, NULL);
    Owners owners = {kernel, NULL, arena_alloc(kernel->module, (size_t)(count + 1) * sizeof *owners.owners), false};
    FOR_ROLES (role, kernel) {
        owners.role = role;
        ir_walk(role->body, visit_owned, &owners);
    }
    return !owners.failed;
}

bool verify_memory(Kernel *kernel)
{
    FOR_STORAGES (storage, kernel)
        if (!check_storage(kernel, storage))
            return false;
    FOR_AREFS (aref, kernel)
        if (!check_ring(kernel, aref))
            return false;
    if (!check_owners(kernel))
        return false;
    FOR_ROLES (role, kernel) {
        RoleUses uses = {kernel, role, NULL, NULL};
        ir_count_uses(kernel, role->body);
        ir_walk(role->body, visit_use, &uses);
        if (uses.why) {
            Loc loc = uses.where->loc.line ? uses.where->loc : kernel->loc;
            BUG_AT(kernel, loc, "'%s': '%s' %s", role->name, op_info[uses.where->code].text, uses.why);
            return false;
        }
    }
    if (kernel->shared_bytes > kernel->machine->shared_bytes)
        BUG(kernel, "%lld bytes of shared memory", (long long)kernel->shared_bytes);
    return kernel->shared_bytes <= kernel->machine->shared_bytes;
}

/* ---- the machine ------------------------------------------------------------------------------------------------- */

/* Returns the capability that the operation needs of its role.  */
static unsigned capability_of(const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    bool tile = class_ == CLASS_TILE || class_ == CLASS_LOAD || op->code == OP_READ || op->code == OP_MMA;
    if (class_ == CLASS_STORE)
        return ROLE_STORES;
    return op->code == OP_COPY_IN ? ROLE_COPIES : tile || op->code == OP_PUT_TILE ? ROLE_COMPUTES : 0;
}

static bool is_beyond(const Op *op, const void *context)
{
    const Role *role = context;
    return capability_of(op) & ~role->may;
}

static bool are_there(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        if (!role->body || role->replicas < 1 || role->warps < 1) {
            BUG(kernel, "'%s' has %s, %d groups and %d warps", role->name, role->body ? "a program" : "no program",
                role->replicas, role->warps);
            return false;
        }
    if (!kernel->roles)
        BUG(kernel, "there is no role");
    return kernel->roles != NULL;
}

/* The groups ask for no more registers than the launch gives out, since the last group would wait forever
   otherwise.  */
bool verify_machine(Kernel *kernel)
{
    if (!are_there(kernel))
        return false;
    int groups = 0, registers = 0, asking = 0, turns = kernel_has_pingpong(kernel);
    FOR_ROLES (role, kernel) {
        int own = role_groups(role);
        groups += own;
        registers += own * role->registers;
        asking += role->registers ? own : 0;
        bool warps = role->warps == 1 || role->warps == MACHINE_GROUP_THREADS / 32;
        if (own > role->replicas && (role->replicas > 1 || role->next || role != kernel->roles)) {
            BUG(kernel, "'%s' is a team of groups, and not alone", role->name);
            return false;
        }
        if (!warps || role->registers % 8 ||
            (role->registers && (role->registers < kernel->machine->fewest_role_registers ||
                                 role->registers > kernel->machine->most_role_registers))) {
            BUG(kernel, "'%s' has %d warps and %d registers", role->name, role->warps, role->registers);
            return false;
        }
        if (ir_any_of(role->body, is_beyond, role)) {
            BUG(kernel, "'%s' does what it may not: copy, compute or store", role->name);
            return false;
        }
    }
    int given = groups * (kernel->machine->registers / (groups * MACHINE_GROUP_THREADS) / 8 * 8);
    if (kernel->threads != groups * MACHINE_GROUP_THREADS || kernel->threads > kernel->machine->max_threads ||
        registers > given || (asking && asking != groups)) {
        BUG(kernel, "%d threads for %d groups, %d of %d registers", kernel->threads, groups, registers, given);
        return false;
    }
    if (kernel->min_blocks < 1) {
        BUG(kernel, "%d blocks on a processor", kernel->min_blocks);
        return false;
    }
    int barriers = 1 + groups * (1 + turns) + kernel_meetings(kernel);
    if (barriers > kernel->machine->named_barriers) {
        BUG(kernel, "%d barriers for %d groups", barriers, groups);
        return false;
    }
    return true;
}
