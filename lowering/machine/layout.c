/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout.c - register and shared layouts, and operands in a form that the hardware takes.
 *
 *   before                                     after
 *   %t = mma %va, %vt, %acc                    the same: a view of A, K innermost; a transposed view of B
 *   %t = mma %p32, %v, %o                      barrier; %p = stage %p32 -> p_operand; fence; barrier; %t = mma %p, %v,
 *                                              %o
 *   store %c, %i, %j, %x                       store %c, %i, %j, %x -> c_out        through TMA
 *   %y = load %d, %i, %j                       %y = load %d, %i, %j -> c_out        as whole lines, through the same
 *                                                                                   memory
 *   %t = mma ..., %u = mma ...                 %t = mma ... pairs=1, %u = mma ...           as one instruction
 *                                                                                           (pairs.c)
 *   %s = col_sum %x                            %s = col_sum %x -> scratch
 *                                              store_wait 0                         before the role ends
 *
 * The tensor cores read A from shared memory with K innermost (the other way for 16-bit types only) or from registers,
 * and B from shared memory, again with K innermost unless it is 16-bit.  Registers hold bytes in another order along K
 * than an accumulator left them in: they are taken as they are where B comes out of a ring whose turner can bring its
 * own into the same order (interleaved), since a sum does not mind.  Whatever comes in another form is staged through
 * memory that its group owns.  Staged memory is written again only when nobody reads it: the group meets before, and a
 * product that is still in flight is waited for.  Each thread fences what it wrote, and the group meets again, before
 * the tensor cores read it.
 *
 * A store leaves through TMA when its tile is made of whole 128-byte lines and nothing in the region loads the
 * tensor or stores the same elements again.  Otherwise it is direct, with a barrier of the group around a store that
 * its own loads or stores may meet.
 */
#include "machine/machine.h"
#include "machine/plan.h"
#include "ir/queries.h"
#include "lower.h"

typedef struct {
    Kernel *kernel;
    Role *role;
    Storage *scratch; /* of this role, for every operation that needs one */
    bool staged_store;
    bool staging; /* operands of the product at hand are being written */
} Shaper;

/* ---- the kernel's layout ----------------------------------------------------------------------------------------- */

static void visit_product(Op *op, void *context)
{
    Kernel *kernel = context;
    if (op_writes_in_place(op))
        kernel->layout = LAYOUT_MMA;
}

static bool is_in_place(const Op *op, const void *context)
{
    (void)context;
    return op_writes_in_place(op);
}

static bool multiplies(const Role *role)
{
    return ir_any_of(role->body, is_in_place, NULL);
}

typedef struct {
    Layout layout;
    int registers, columns; /* of all tiles; of those with more than one column */
    int turned;             /* elements that are transposed one by one */
    int accesses;           /* to memory */
} Cost;

static void visit_cost(Op *op, void *context)
{
    Cost *cost = context;
    OpClass class_ = op_info[op->code].class_;
    bool leaves = class_ == CLASS_STORE || op->code == OP_PUT_TILE;
    bool memory = class_ == CLASS_LOAD || leaves || op->code == OP_READ;
    Type from = op->nargs ? op->args[0]->type : (Type){0};
    if (op->code == OP_TRANS && from.kind == K_TILE && !machine_turns_vectors(from, cost->layout))
        cost->turned += from.rows * from.cols;
    for (int i = 0; i < op->nresults + leaves; i++) {
        Type type = i < op->nresults          ? op->results[i]->type
                    : op->code == OP_PUT_TILE ? op->args[1]->type
                                              : op->args[op->nargs - 1]->type;
        if (type.kind != K_TILE)
            continue;
        int registers = machine_tile_registers(type, cost->layout);
        int bytes = machine_vector_columns(type.cols, cost->layout) * dtype_bytes(type.dtype);
        cost->registers += registers;
        cost->columns += type.cols > 1 ? registers : 0;
        /* At most 16 bytes at a time; a lane's second 16 leave every other sector half full.  */
        if (memory && type.cols > 1)
            cost->accesses += bytes <= 16 ? registers * 4 / bytes : registers * 4 / 16 * 2;
    }
}

enum { WIDE_COLUMNS = 16 * MACHINE_GROUP_THREADS };

static bool keeps_warps_apart(const Op *op, const void *context)
{
    bool in_loop = ir_enclosing(op, OP_FOR) || ir_enclosing(op, OP_WHILE);
    (void)context;
    return op->code == OP_TRANS || op->code == OP_ROW_CUMSUM || op->code == OP_COL_CUMSUM || op->code == OP_PUT_TILE ||
           op->code == OP_SUM_PARTS || (op_reduces_rows(op) && (in_loop || op->args[0]->type.cols < WIDE_COLUMNS)) ||
           (op_meets_blocks(op) && op->tile->piece && op->args[0]->type.cols < WIDE_COLUMNS);
}

/* Rows that all threads share: their warps meet for each sum, which is nothing to do in a loop or for less than 16
   columns of a thread, and worth it for a quarter of the registers.  On an H200, LayerNorm in blocks of 8 x 512 took
   1.4 times as long with it, and in those of 2 x 2048 half as long.  A column lies in each thread, whole.  */
static bool is_worth_meeting(const Kernel *kernel, const Role *only, const Cost *wide, const Cost *best)
{
    FOR_ROLES (role, kernel)
        if ((!only || role == only) && ir_any_of(role->body, keeps_warps_apart, NULL))
            return false;
    return best->columns && 4 * (int64_t)wide->columns <= 3 * (int64_t)best->columns &&
           wide->registers < best->registers;
}

static bool is_better(const Cost *x, const Cost *y)
{
    if (x->columns != y->columns)
        return x->columns < y->columns;
    if (x->turned != y->turned)
        return x->turned < y->turned;
    return x->accesses != y->accesses ? x->accesses < y->accesses : !x->columns && x->registers < y->registers;
}

/* How many rows a warp holds side by side: what takes the fewest registers, then transposes by vectors, then takes the
   fewest accesses to memory.  Of one role, or of all.  */
static Layout rows_together(const Kernel *kernel, const Role *only)
{
    Cost best = {LAYOUT_ROWS, 0, 0, 0, 0};
    for (Layout layout = LAYOUT_ROWS; layout <= LAYOUT_WIDE; layout++) {
        Cost cost = {layout, 0, 0, 0, 0};
        if (layout == LAYOUT_MMA)
            continue;
        FOR_ROLES (role, kernel)
            if (!only || role == only)
                ir_walk(role->body, visit_cost, &cost);
        if (layout == LAYOUT_WIDE ? is_worth_meeting(kernel, only, &cost, &best)
                                  : layout == LAYOUT_ROWS || is_better(&cost, &best))
            best = cost;
    }
    return best.layout;
}

/* ---- teams ------------------------------------------------------------------------------------------------------- */

/* What the threads of several groups do as those of one do.  */
static bool suits_no_team(const Op *op, const void *none)
{
    (void)none;
    switch (op->code) {
    case OP_FULL:
    case OP_SPLAT:
    case OP_ROW_INDEX:
    case OP_COL_INDEX:
    case OP_ROW_SUM:
    case OP_ROW_PART:
    case OP_ROW_TOTAL:
    case OP_ROW_MAX:
    case OP_ROW_MIN:
    case OP_ROW_ARGMAX:
    case OP_ROW_FIRST:
    case OP_POWERS_SENT:
        return false;
    default:
        break;
    }
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_TILE)
        return op_meets_blocks(op) ? !op->tile->piece : !op_is_elementwise(op);
    if (class_ == CLASS_STORE)
        return op->code != OP_STORE && op->code != OP_STORE_ROW && op->code != OP_STORE_COL;
    return class_ != CLASS_SCALAR && class_ != CLASS_TENSOR && class_ != CLASS_READ && class_ != CLASS_LOAD &&
           class_ != CLASS_CONTROL;
}

static void visit_widest(Op *op, void *context)
{
    int *widest = context;
    for (int i = 0; i < op->nresults; i++)
        if (value_is_tile(op->results[i]) && op->results[i]->type.cols > *widest)
            *widest = op->results[i]->type.cols;
}

/* Rows so long that each thread of one group would have many columns of them: more groups share them, and each thread
   has registers left for what comes next.  Where blocks of a cluster meet for each row, that costs each warp as much as
   some columns do.  On an H200, softmax of rows of 4096 and 8192 f16 in one block has 0.84 and 0.90 of a copy where a
   thread has 32 columns, 0.90 and 0.93 with 16; of 65536 in eight blocks 0.94 with 64, 0.86 with 32, 0.64 with 16.
   Where scales leave room for one block in a multiprocessor, LayerNorm of 131072 has 0.81 with 64, 0.84 with 32.  */
enum { COLUMNS_OF_THREAD = 16, COLUMNS_IN_CLUSTER = 64, COLUMNS_ALONE = 32 };

/* Of rows that all tiles have in common.  */
static void visit_common(Op *op, void *context)
{
    int64_t *bytes = context;
    if (op->code == OP_LOAD_ROW)
        *bytes += (int64_t)op->results[0]->type.cols * dtype_bytes(op->results[0]->type.dtype);
}

static int columns_of_thread(const Kernel *kernel)
{
    int64_t common = 0;
    ir_walk(kernel->roles->body, visit_common, &common);
    return kernel->grid.cluster[1] <= 1                    ? COLUMNS_OF_THREAD
           : 2 * common > kernel->machine->sm_shared_bytes ? COLUMNS_ALONE
                                                           : COLUMNS_IN_CLUSTER;
}

static Layout team_of(const Kernel *kernel, Layout layout)
{
    const Role *role = kernel->roles;
    int widest = 0;
    if (layout != LAYOUT_WIDE || !role || role->next || kernel->arefs || role->replicas > 1 ||
        ir_any_of(role->body, suits_no_team, NULL))
        return layout;
    ir_walk(role->body, visit_widest, &widest);
    const int most = columns_of_thread(kernel);
    while (layout < LAYOUT_WIDE_8 && widest >= 2 * machine_wide_groups(layout) * MACHINE_GROUP_THREADS * most)
        layout++;
    return layout;
}

/* ---- small builders ---------------------------------------------------------------------------------------------- */

static Value *trans_view(const Shaper *in, Op *where, Value *view)
{
    Op *op = op_lowered_before(in->kernel, where, OP_TRANS_VIEW, 1, &view);
    return op_result(in->kernel, op, type_transposed(view->type), NULL);
}

static Value *trans_tile(const Shaper *in, Op *where, Value *tile)
{
    Op *op = op_lowered_before(in->kernel, where, OP_TRANS, 1, &tile);
    return op_result(in->kernel, op, type_transposed(tile->type), NULL);
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

/* Copies of one product (prologue, steady state, epilogue) stage an operand in one place.  */
static void visit_sharing(Op *op, void *context)
{
    Sharing *sharing = context;
    if (op->code == OP_STAGE && op->sync->operand == sharing->arg && origin_of(op) == origin_of(sharing->product) &&
        type_equal(op->storage->tile, type_kind(K_TILE, sharing->source->type)))
        sharing->found = op->storage;
}

static Storage *operand_storage(const Shaper *in, const Op *product, int arg, const Value *source)
{
    Sharing sharing = {product, arg, source, NULL};
    ir_walk(in->role->body, visit_sharing, &sharing);
    if (sharing.found)
        return sharing.found;
    const char *name = source->name ? source->name : "operand";
    return storage_new(in->kernel, arena_print(in->kernel->module, "%s_staged", name), USE_OPERAND,
                       type_kind(K_TILE, source->type), in->role->replicas);
}

/* The product's own wait, in its block: nothing of it is in flight when the block runs again.  */
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

/* Before the first operand of a product is written to memory of the group: nobody reads it any more.  */
static void open_staging(Shaper *in, Op *product)
{
    if (in->staging)
        return;
    if (product->code == OP_MMA && !is_awaited(product))
        op_lowered_before(in->kernel, product, OP_WAIT, 0, NULL);
    op_lowered_before(in->kernel, product, OP_BARRIER, 0, NULL);
    in->staging = true;
}

/* Behind the last: all threads have written their parts, and the tensor cores see it.  */
static void close_staging(Shaper *in, Op *product)
{
    if (in->staging && product->code == OP_MMA)
        op_lowered_before(in->kernel, product, OP_FENCE, 0, NULL);
    if (in->staging)
        op_lowered_before(in->kernel, product, OP_BARRIER, 0, NULL);
    in->staging = false;
}

/* Registers, a view in another orientation, or f32 that the product wants rounded, to memory of the group.  */
static Value *stage(Shaper *in, Op *product, int arg, Value *source)
{
    open_staging(in, product);
    Storage *storage = operand_storage(in, product, arg, source);
    storage->rounded = product->code == OP_MMA && storage->tile.dtype == D_F32;
    Op *op = op_lowered_before(in->kernel, product, OP_STAGE, 1, &source);
    op->storage = storage;
    op->sync->operand = arg;
    return op_result(in->kernel, op, type_kind(K_VIEW, source->type), NULL);
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

/* f32 in a ring that others look at, too: it is not rounded there.  */
static bool is_unrounded(const Value *value)
{
    while (is_trans_view(value))
        value = value->def->args[0];
    return value->type.dtype == D_F32 && value->def->code == OP_VIEW && !value->def->storage->rounded;
}

/* The storage of a ring that has its tiles turned over, if the operand is all of its K.  */
static Storage *turned_storage(const Value *value)
{
    const Op *view = is_trans_view(value) ? value->def->args[0]->def : NULL;
    bool whole = view && view->code == OP_VIEW && view->nargs == 1;
    return whole && view->storage->turned ? view->storage : NULL;
}

/* Is one row of it as the next?  */
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

/* A left operand that is the same for all its blocks of rows is no register operand: where their accumulators are
   alike, too, ptxas 13.0 takes their products for one, and writes the result of the first alone.  */
static bool is_one_for_all_blocks(const Value *left)
{
    return left->type.rows > MACHINE_MMA_ROWS && rows_are_uniform(left);
}

typedef struct {
    const Storage *storage;
    bool all; /* products that read the storage have the other operand in registers */
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
                             turned_storage(op->args[1]) == interleaving->storage;
    }
}

/* Bytes in registers, and B in whatever order the role that turns it over likes.  */
static bool may_interleave(const Shaper *in, const Op *product)
{
    Storage *storage = turned_storage(product->args[1]);
    Type left = product->args[0]->type;
    if (!storage || left.kind != K_TILE || left.dtype == D_I8 || storage->interleaved)
        return storage && storage->interleaved;
    Interleaving interleaving = {storage, true};
    ir_walk(in->role->body, visit_interleaving, &interleaving);
    storage->interleaved = interleaving.all;
    return interleaving.all;
}

static Value *left_operand(Shaper *in, Op *product, Value *value)
{
    if (value->type.kind == K_VIEW)
        return (is_trans_view(value) && !is_16_bit(value)) || is_unrounded(value) ? stage(in, product, 0, value)
                                                                                  : value;
    if (is_16_bit(value) && is_trans_tile(value))
        return trans_view(in, product, stage(in, product, 0, value->def->args[0]));
    bool registers = is_16_bit(value) ? !is_one_for_all_blocks(value) : may_interleave(in, product);
    return registers ? value : stage(in, product, 0, value);
}

static Value *right_operand(Shaper *in, Op *product, Value *value)
{
    if (value->type.kind == K_VIEW) {
        if (is_trans_view(value) && is_unrounded(value))
            return trans_view(in, product, stage(in, product, 1, value->def->args[0]));
        if (is_trans_view(value) || is_16_bit(value))
            return value;
        return trans_view(in, product, stage(in, product, 1, trans_view(in, product, value)));
    }
    if (is_trans_tile(value))
        return trans_view(in, product, stage(in, product, 1, value->def->args[0]));
    if (is_16_bit(value))
        return stage(in, product, 1, value);
    return trans_view(in, product, stage(in, product, 1, trans_tile(in, product, value)));
}

static bool is_used(const Op *op)
{
    for (const Op *after = op->next; after; after = after->next)
        for (int i = 0; i < op->nresults; i++)
            if (uses_value(after, op->results[i]))
                return true;
    return false;
}

/* What no role prepares the product finds out by itself.  */
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
    Shaper *in = context;
    if (op->code == OP_MMA) {
        op->args[0] = left_operand(in, op, op->args[0]);
        op->args[1] = right_operand(in, op, op->args[1]);
    } else if (op_is_product(op)) {
        while (op->nargs > 3 && op->args[op->nargs - 1]->type.kind != K_VIEW)
            leave_last(op);
        for (int i = 0; i < 2; i++)
            if (op->args[i]->type.kind != K_VIEW)
                op->args[i] = stage(in, op, i, op->args[i]);
    }
    close_staging(in, op);
}

/* ---- scratch ----------------------------------------------------------------------------------------------------- */

static void visit_scratch(Op *op, void *context)
{
    Shaper *in = context;
    int64_t bytes = (machine_scratch_bytes(op, in->role->layout) + 15) / 16 * 16;
    if (!bytes || (op->code == OP_TRANS && (!op->results[0]->uses || op->tile->turned)))
        return;
    if (!in->scratch)
        in->scratch =
            storage_new(in->kernel, "scratch", USE_SCRATCH, type_tile(D_I8, 1, (int)bytes), in->role->replicas);
    if (in->scratch->tile.cols < bytes)
        in->scratch->tile.cols = (int)bytes;
    op->storage = in->scratch;
}

/* A group's part of a tile that blocks sum: each of them has its columns of all parts there, or all of all parts.  A
   block beyond the last share has the room, too.  */
static void visit_parts(Op *op, void *context)
{
    const Shaper *in = context;
    if (!op_meets_blocks(op))
        return;
    const char *name = op->results[0]->name ? op->results[0]->name : "sum";
    if (op->code != OP_SUM_PARTS) {
        op->storage =
            storage_new(in->kernel, arena_print(in->kernel->module, "%s_shares", name), USE_SHARES,
                        machine_shares(op, in->kernel->grid.cluster[1], in->role->layout), in->role->replicas);
        return;
    }
    op->storage = storage_new(in->kernel, arena_print(in->kernel->module, "%s_parts", name), USE_PARTS,
                              machine_parts(op, in->kernel->grid.cluster[1]), in->role->replicas);
}

/* ---- stores ------------------------------------------------------------------------------------------------------ */

typedef struct {
    const Op *store;
    const Role *role;
    bool loaded, elsewhere; /* by other threads than those that store */
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

/* Does the region load from the memory that the op stores to?  */
static bool is_loaded(const Shaper *in, const Op *store)
{
    Loads loads = {store, in->role, false, false};
    FOR_ROLES (role, in->kernel)
        ir_walk(role->body, visit_loads, &loads);
    return loads.loaded;
}

/* Do threads of this role load what another of them stores?  */
static bool threads_meet(const Shaper *in, const Op *store)
{
    Loads loads = {store, in->role, false, false};
    ir_walk(in->role->body, visit_loads, &loads);
    return loads.elsewhere;
}

typedef struct {
    const Op *store;
    bool found;
} Overlap;

static void visit_other_store(Op *op, void *context)
{
    Overlap *overlap = context;
    if (op != overlap->store && op_info[op->code].class_ == CLASS_STORE && op->code != OP_PRINT)
        overlap->found |= !stores_apart(overlap->store, op);
}

/* May another store of this role, or the same one in a later iteration, write the same elements?  TMA would not
   keep their order.  */
static bool is_stored_again(const Shaper *in, const Op *store)
{
    if (!store_moves_on(store))
        return true;
    Overlap overlap = {store, false};
    ir_walk(in->role->body, visit_other_store, &overlap);
    return overlap.found;
}

/* What fills TMA boxes: whole lines, or one half.  */
static bool fills_boxes(Type tile)
{
    int bytes = tile.cols * dtype_bytes(tile.dtype);
    return dtype_bytes(tile.dtype) <= 4 && (bytes % MACHINE_LINE_BYTES == 0 || bytes == MACHINE_LINE_BYTES / 2);
}

/* Whole warps' rows, and a type that the tensor cores' layout stores four or fewer bytes at a time.  */
static bool tma_takes(const Shaper *in, const Op *store)
{
    Type tile = store->args[store->nargs - 1]->type;
    return in->role->layout == LAYOUT_MMA && tile.dtype != D_MASK && tile.rows % 16 == 0 && fills_boxes(tile) &&
           tensor_root(store->args[0]) && !is_loaded(in, store) && !is_stored_again(in, store);
}

/* Stores of one shape take turns in one staging buffer.  */
static Storage *output_storage(const Shaper *in, const Op *store)
{
    Type tile = stored_type(store);
    if (tile.rows % MACHINE_MMA_ROWS == 0) { /* taller tiles pass through in pieces */
        tile.cols *= tile.rows / MACHINE_MMA_ROWS;
        tile.rows = MACHINE_MMA_ROWS;
    }
    FOR_STORAGES (storage, in->kernel)
        if (storage->use == USE_OUTPUT && storage->slots == in->role->replicas && storage->tile.dtype == tile.dtype &&
            storage->tile.rows == tile.rows) {
            storage->tile.cols = storage->tile.cols > tile.cols ? storage->tile.cols : tile.cols;
            return storage;
        }
    const char *name = tensor_root(store->args[0])->results[0]->name;
    return storage_new(in->kernel, arena_print(in->kernel->module, "%s_out", name ? name : "tile"), USE_OUTPUT,
                       type_kind(K_TILE, tile), in->role->replicas);
}

static void barriers_around(const Shaper *in, Op *store)
{
    op_lowered_before(in->kernel, store, OP_BARRIER, 0, NULL);
    Op *after = op_new(in->kernel, OP_BARRIER, store->loc, 0, NULL);
    after->origin = origin_of(store) == store ? store : store->origin;
    schedule_op(after)->roles = schedule_of(store)->roles;
    op_after(store, after);
}

static void visit_store(Op *op, void *context)
{
    Shaper *in = context;
    if (op_info[op->code].class_ != CLASS_STORE || op->code == OP_PRINT)
        return;
    if ((op->code == OP_STORE || op->code == OP_ATOMIC_ADD) && tma_takes(in, op)) {
        op->storage = output_storage(in, op);
        in->staged_store = true;
    } else if (threads_meet(in, op) || is_stored_again(in, op)) {
        barriers_around(in, op);
    }
}

/* Matrices of 8 x 8 elements of 16 bits, which lie transposed in the staging of a store that is the only one to look:
   the tile itself needs no scratch memory.  */
static void visit_turned(Op *op, void *context)
{
    const Shaper *in = context;
    if (op->code != OP_STORE || !tma_takes(in, op))
        return;
    const Value *tile = op->args[op->nargs - 1];
    if (tile->def && tile->def->code == OP_TRANS && tile->uses == 1 && machine_turns_in_staging(tile->type))
        tile->def->tile->turned = true;
}

/* A load of whole lines passes through the same memory, if there is any: a thread's two columns at a time would fill no
   sector.  */
static void visit_load(Op *op, void *context)
{
    const Shaper *in = context;
    if (op->code != OP_LOAD || in->role->layout != LAYOUT_MMA)
        return;
    Type tile = op->results[0]->type;
    if (tile.rows % MACHINE_MMA_ROWS || !fills_boxes(tile))
        return;
    FOR_STORAGES (storage, in->kernel)
        if (storage->use == USE_OUTPUT && storage->slots == in->role->replicas)
            op->storage = storage;
}

/* The CTA's memory must outlive the copies out of it.  */
static void wait_for_stores(const Shaper *in)
{
    Block *body = in->role->body;
    Op *wait = op_new(in->kernel, OP_STORE_WAIT, in->kernel->loc, 0, NULL);
    schedule_op(wait)->roles = ROLE_BIT(in->role);
    if (body->last && body->last->code == OP_YIELD)
        op_before(body->last, wait);
    else
        op_append(body, wait);
}

/* ---- accumulators that enter a loop ------------------------------------------------------------------------------ */

/* Groups of products that the block has started and not waited for: a wait that leaves them waits for nothing.  */
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

/* An accumulator that other control flow carries here has to be in its registers before products are in flight over it:
   a wait that names it says so, and leaves in flight what is.  */
static Value *settle(const Shaper *in, Op *before, Value *accumulator)
{
    Op *wait = op_lowered_before(in->kernel, before, OP_WAIT, 1, &accumulator);
    wait->sync->pending = groups_in_flight(wait);
    Value *settled = op_result(in->kernel, wait, accumulator->type, accumulator->name);
    settled->split = accumulator->split;
    return settled;
}

static void visit_entry(Op *op, void *context)
{
    const Shaper *in = context;
    for (int i = 3; op->code == OP_FOR && i < op->nargs; i++) {
        Value *initial = op->args[i];
        bool in_flight = op->blocks[0]->args[i - 2]->type.kind == K_TOKEN;
        bool carried_here = !initial->def || initial->def->nblocks;
        if (in_flight && carried_here && initial->type.kind == K_TILE)
            op->args[i] = settle(in, op, initial);
    }
    if (op->code != OP_MMA || op->args[2]->type.kind != K_TILE)
        return;
    const Block *home = op->args[2]->def ? op->args[2]->def->parent : op->args[2]->block;
    if (home != op->parent)
        op->args[2] = settle(in, op, op->args[2]);
}

/* ---- register operands ------------------------------------------------------------------------------------------- */

/* The wait of this block that completes a product.  */
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

/* What makes the operand for another iteration while the product is in flight, or NULL: handed to the next by the loop,
   or made of the same operation of the source in a step that a loop begins with.  */
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

/* A product in flight reads its register operand: the value of another iteration, which takes the same registers, is
   made behind the wait.  */
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

/* The tensor cores drop bits of f32 operands where the language rounds them.  TMA rounds for nothing what only
   products read; of anything else each product gets a rounded copy.  */
static void visit_product_alone(Op *op, void *context)
{
    (void)context;
    for (int i = 0; i < op->nargs; i++) {
        const Value *value = op->args[i];
        while (is_trans_view(value))
            value = value->def->args[0];
        if (value->def && value->def->code == OP_VIEW && op->code != OP_MMA && op->code != OP_TRANS_VIEW)
            value->def->storage->rounded = false;
    }
}

static void round_on_arrival(Kernel *kernel)
{
    FOR_STORAGES (storage, kernel)
        storage->rounded = storage->use == USE_RING && storage->tile.dtype == D_F32;
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_product_alone, NULL);
}

/* require: expand.   ensure: kernel->layout; operands in a form the hardware takes; staging and scratch storages.  */
void pass_layout(Kernel *kernel)
{
    kernel->layout = team_of(kernel, rows_together(kernel, NULL));
    round_on_arrival(kernel);
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_product, kernel);
    FOR_ROLES (role, kernel) {
        bool free = !multiplies(role) && role_holds_tiles(role);
        Layout strips = free ? layout_in_strips(kernel, role) : LAYOUT_COUNT;
        Layout rows = free && strips == LAYOUT_COUNT ? rows_together(kernel, role) : LAYOUT_COUNT;
        role->layout = !free                             ? kernel->layout
                       : strips != LAYOUT_COUNT          ? strips
                       : layout_in_fragments(role, rows) ? LAYOUT_MMA
                                                         : team_of(kernel, rows);
    }
    FOR_ROLES (role, kernel) {
        plan_windows(kernel, role);
        Shaper in = {.kernel = kernel, .role = role};
        ir_walk(role->body, visit_entry, &in);
        ir_walk(role->body, visit_register_operand, &in);
        ir_walk(role->body, visit_operands, &in);
        ir_count_uses(kernel, role->body);
        ir_walk(role->body, visit_turned, &in);
        ir_walk(role->body, visit_scratch, &in);
        ir_walk(role->body, visit_parts, &in);
        ir_walk(role->body, visit_store, &in);
        if (in.staged_store) {
            ir_walk(role->body, visit_load, &in);
            wait_for_stores(&in);
        }
    }
    layout_pairs(kernel);
}
