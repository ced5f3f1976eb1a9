/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout-stores.c - stores through TMA, and loads through the same staging memory.
 *
 *      before                                     after
 *      store %c, %i, %j, %x                       store %c, %i, %j, %x -> c_out        through TMA
 *      %y = load %d, %i, %j                       %y = load %d, %i, %j -> c_out        as whole lines, through the same
 *                                                                                      memory
 *                                                 store_wait 0                         before the role ends
 *
 * A store uses TMA if its tile consists of whole 128-byte lines.  In addition, nothing in the region may load the
 * tensor, and no other store may write the same elements.  Any other store is direct.  A direct store has a barrier of
 * the group on each side if other threads of its role load or store the same elements.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "machine/plan.h"
#include "roles/programs.h"
#include "target/machine.h"

typedef struct {
    Kernel *kernel;
    Role *role;
    bool staged; /* true if some store is staged */
} Storer;

typedef struct {
    const Op *store;
    const Role *role;
    bool loaded, elsewhere; /* loaded by threads other than those that store */
} Loads;

static void visit_loads(Op *op, void *context)
{
    Loads *loads = context;
    const Value *tensor = op->code == OP_COPY_IN                   ? op->args[1]
                          : op_info[op->code].class_ == CLASS_LOAD ? op->args[0]
                                                                   : NULL;
    if (!tensor || tensor_memory(tensor) != tensor_memory(loads->store->args[0]))
        return;
    loads->loaded = true;
    loads->elsewhere |= !load_is_of_own(loads->role, op, loads->store);
}

/* True if the region loads from the memory that the store writes.  */
static bool is_loaded(const Storer *storer, const Op *store)
{
    Loads loads = {store, storer->role, false, false};
    FOR_ROLES (role, storer->kernel)
        ir_walk(role->body, visit_loads, &loads);
    return loads.loaded;
}

/* True if a thread of this role loads elements that another of its threads stores.  */
static bool threads_meet(const Storer *storer, const Op *store)
{
    Loads loads = {store, storer->role, false, false};
    ir_walk(storer->role->body, visit_loads, &loads);
    return loads.elsewhere;
}

typedef struct {
    const Op *store;
    bool found;
} Overlap;

static void visit_other_store(Op *op, void *context)
{
    Overlap *overlap = context;
    if (op != overlap->store && op_info[op->code].class_ == CLASS_STORE && !op_prints(op))
        overlap->found |= !stores_apart(overlap->store, op);
}

/* True if another store of this role, or the same store in a later iteration, may write the same elements.  TMA would
   not keep their order.  */
static bool is_stored_again(const Storer *storer, const Op *store)
{
    if (!store_moves_on(store))
        return true;
    Overlap overlap = {store, false};
    ir_walk(storer->role->body, visit_other_store, &overlap);
    return overlap.found;
}

/* True if the tile fills TMA boxes: whole lines, or half a line.  */
static bool fills_boxes(Type tile)
{
    int bytes = tile.cols * dtype_bytes(tile.dtype);
    return dtype_bytes(tile.dtype) <= 4 && (bytes % MACHINE_LINE_BYTES == 0 || bytes == MACHINE_LINE_BYTES / 2);
}

/* A TMA store needs whole rows of warps, and elements of at most four bytes, as fragments store them.  */
static bool tma_takes(const Storer *storer, const Op *store)
{
    Type tile = store->args[store->nargs - 1]->type;
    return storer->role->layout == LAYOUT_MMA && tile.dtype != D_MASK && tile.rows % 16 == 0 && fills_boxes(tile) &&
           tensor_root(store->args[0]) && !is_loaded(storer, store) && !is_stored_again(storer, store);
}

/* The staging buffer of a store.  Stores of one shape share it.  */
static Storage *output_storage(const Storer *storer, const Op *store)
{
    Type tile = stored_type(store);
    if (tile.rows % MACHINE_MMA_ROWS == 0) { /* taller tiles pass in pieces of 64 rows */
        tile.cols *= tile.rows / MACHINE_MMA_ROWS;
        tile.rows = MACHINE_MMA_ROWS;
    }
    FOR_STORAGES (storage, storer->kernel)
        if (storage->use == USE_OUTPUT && storage->slots == storer->role->replicas &&
            storage->tile.dtype == tile.dtype && storage->tile.rows == tile.rows) {
            storage->tile.cols = storage->tile.cols > tile.cols ? storage->tile.cols : tile.cols;
            return storage;
        }
    const char *name = tensor_root(store->args[0])->results[0]->name;
    return storage_new(storer->kernel, arena_print(storer->kernel->module, "%s_out", name ? name : "tile"), USE_OUTPUT,
                       type_kind(K_TILE, tile), storer->role->replicas);
}

static void barriers_around(const Storer *storer, Op *store)
{
    op_lowered_before(storer->kernel, store, OP_BARRIER, 0, NULL);
    Op *after = op_new(storer->kernel, OP_BARRIER, store->loc, 0, NULL);
    after->origin = store->origin ? store->origin : store;
    schedule_op(after)->roles = schedule_of(store)->roles;
    op_after(store, after);
}

static void visit_store(Op *op, void *context)
{
    Storer *storer = context;
    if (op_info[op->code].class_ != CLASS_STORE || op_prints(op))
        return;
    if ((op->code == OP_STORE || op->code == OP_ATOMIC_ADD) && tma_takes(storer, op)) {
        op->storage = output_storage(storer, op);
        storer->staged = true;
    } else if (threads_meet(storer, op) || is_stored_again(storer, op)) {
        barriers_around(storer, op);
    }
}

/* Marks a transpose of 16-bit elements whose only use is a store.  The staging then transposes matrices of 8 x 8, and
   the tile needs no scratch memory.  */
static void visit_transposed(Op *op, void *context)
{
    const Storer *storer = context;
    if (op->code != OP_STORE || !tma_takes(storer, op))
        return;
    const Value *tile = op->args[op->nargs - 1];
    if (tile->def && tile->def->code == OP_TRANS && tile->uses == 1 && machine_turns_in_staging(tile->type))
        tile->def->tile->transposed = true;
}

/* A load of whole lines passes through the staging, if there is one.  In fragments, a thread would load two columns at
   a time, which is less than a sector.  */
static void visit_load(Op *op, void *context)
{
    const Storer *storer = context;
    if (op->code != OP_LOAD || storer->role->layout != LAYOUT_MMA)
        return;
    Type tile = op->results[0]->type;
    if (tile.rows % MACHINE_MMA_ROWS || !fills_boxes(tile))
        return;
    FOR_STORAGES (storage, storer->kernel)
        if (storage->use == USE_OUTPUT && storage->slots == storer->role->replicas)
            op->storage = storage;
}

/* Waits, at the end of the role, for the copies out of shared memory, which the block must not release before.  */
static void wait_for_stores(const Storer *storer)
{
    Block *body = storer->role->body;
    Op *wait = op_new(storer->kernel, OP_STORE_WAIT, storer->kernel->loc, 0, NULL);
    schedule_op(wait)->roles = ROLE_BIT(storer->role);
    if (body->last && body->last->code == OP_YIELD)
        op_before(body->last, wait);
    else
        op_append(body, wait);
}

void layout_transposed(Kernel *kernel, Role *role)
{
    Storer storer = {kernel, role, false};
    ir_walk(role->body, visit_transposed, &storer);
}

void layout_stores(Kernel *kernel, Role *role)
{
    Storer storer = {kernel, role, false};
    ir_walk(role->body, visit_store, &storer);
    if (storer.staged) {
        ir_walk(role->body, visit_load, &storer);
        wait_for_stores(&storer);
    }
}
