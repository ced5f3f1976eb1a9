/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * epilogue-prefetch.c - loads a tile for the epilogue while the product runs.
 *
 *   before                                     producer                     consumer (group g of 2)
 *   for (k ...)                                put r; copy_in r, i, j       for (k ...)
 *     acc = ws_dot (a, b, acc)                 for (k ...)                    acc = mma ...
 *   r = ws_load (d, i, j, 128, 256)              put ...                    get r; read its rows; consumed
 *   acc = ws_add (acc, ws_cast (r, F32))                                    acc = add acc, r
 *   ws_store (c, i, j, ws_cast (acc, BF16))                                 store
 *
 * The threads of a group would wait for a load of the epilogue, and all SMs would wait at the same time
 * (bench/notes/choices.md).  Therefore the tile gets a slot of its own, which the producer fills from the begin of the
 * tile on.  The groups read the slot into registers when the product ends.  The slot is then free for the next tile
 * before that tile begins.  There is no deadlock: between two puts of the slot, the groups need only data that was put
 * before.
 *
 * The put precedes the loop, but its copies are issued while the loop runs.  Every few iterations, plan_pace issues one
 * line of the tile's columns.  The operands of the next tile then need not wait until the groups have read the slot.
 * An SM executes its copies in order, so one large copy over NVLink would also delay the operands behind it.
 *
 * The method needs shared memory for D slots of the product's operands, one line of staging for the stores, and the
 * tile.  It also needs registers beside the accumulator.  If either is short, such loads are cut into subtiles and stay
 * with the groups.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "optimize/epilogue-prefetch.h"
#include "target/budget.h"
#include "target/machine.h"

enum { MOST_TYPES = 4, GROUPS = 2, BARRIERS = 1024 };

static bool is_dot(const Op *op, const void *context)
{
    (void)context;
    return op_is_dot(op);
}

/* The loop of the product if no other loop is pipelined, else NULL.  */
static Op *only_loop(const Block *tile)
{
    Op *found = NULL;
    FOR_OPS (op, tile) {
        if (!pipeline_of(op))
            continue;
        if (found || !ir_any(op, is_dot, NULL))
            return NULL;
        found = op;
    }
    return found;
}

static bool stands_before(const Op *op, const Op *other)
{
    while (op && op != other)
        op = op->next;
    return op;
}

/* True if the value is computed before the loop, or can be computed there from scalars.  */
static bool is_known_before(const Value *value, const Op *loop)
{
    const Op *def = value->def;
    if (!def || def->parent != loop->parent || stands_before(def, loop))
        return true;
    OpClass class_ = op_info[def->code].class_;
    if (def->nblocks || (class_ != CLASS_SCALAR && class_ != CLASS_TENSOR))
        return false;
    for (int i = 0; i < def->nargs; i++)
        if (!is_known_before(def->args[i], loop))
            return false;
    return true;
}

/* True if a store before the load writes the load's tensor.  A store after it writes this tile, which has been loaded,
   or elements that no other tile loads.  */
static bool is_stored_before(const Op *load)
{
    for (const Op *op = load->prev; op; op = op->prev)
        if (stores_what_is_loaded(op, load) || ir_any(op, stores_what_is_loaded, load))
            return true;
    return false;
}

static bool is_candidate(const Op *load, const Op *loop)
{
    Type type = load->results[0]->type;
    bool lines = type.cols * dtype_bytes(type.dtype) % MACHINE_LINE_BYTES == 0;
    if (load->code != OP_LOAD || load->parent != loop->parent || !stands_before(loop, load) || !lines ||
        type.rows % MACHINE_MMA_ROWS)
        return false;
    for (int i = 0; i < load->nargs; i++)
        if (!is_known_before(load->args[i], loop))
            return false;
    return true;
}

/* ---- room -------------------------------------------------------------------------------------------------------- */

typedef struct {
    const Kernel *kernel;
    const Op *loop;
    int groups;
    int64_t bytes;   /* of rings and staging */
    int64_t whole;   /* of prefetched tiles */
    int accumulator; /* registers of accumulators */
    int tiles;       /* registers of prefetched tiles */
    Type stored[MOST_TYPES];
    int nstored;
    bool other; /* an operation that this estimate does not cover */
} Room;

/* True if the tensor cores read the operand from the ring.  The product then takes no other shared memory.  */
static bool comes_in_place(const Room *room, const Op *dot, int arg)
{
    const Op *def = dot->args[arg]->def;
    bool transposed = def && def->code == OP_TRANS, bytes = dtype_bytes(dot->args[arg]->type.dtype) == 1;
    const Op *load = transposed ? def->args[0]->def : def;
    return load && load->code == OP_LOAD && pipelined_loop(load) == room->loop &&
           (bytes ? transposed == arg : dtype_bytes(dot->args[arg]->type.dtype) == 2);
}

static int registers_of(const Room *room, Type type)
{
    type.rows /= room->groups;
    return machine_tile_registers(type, LAYOUT_MMA);
}

/* Counts the staging of a store.  Stores of one type share a staging.  */
static void count_store(Room *room, const Op *store)
{
    Type type = stored_type(store);
    for (int i = 0; i < room->nstored; i++)
        if (room->stored[i].dtype == type.dtype)
            return;
    room->other |= room->nstored == MOST_TYPES || type.rows % MACHINE_MMA_ROWS || store->code != OP_STORE;
    if (room->other)
        return;
    room->stored[room->nstored++] = type;
    type.cols = machine_line_elements(type.dtype) < type.cols ? machine_line_elements(type.dtype) : type.cols;
    type.rows = MACHINE_MMA_ROWS;
    room->bytes += GROUPS * machine_output_bytes(type);
}

static void visit_room(Op *op, void *context)
{
    Room *room = context;
    OpClass class_ = op_info[op->code].class_;
    const Op *around = pipelined_loop(op);
    if (class_ == CLASS_STORE)
        count_store(room, op);
    if (around == room->loop && op->code == OP_LOAD)
        room->bytes += around->control->pipeline->depth * machine_tile_bytes(op->results[0]->type);
    else if (op->code == OP_LOAD && is_candidate(op, room->loop)) {
        room->whole += machine_tile_bytes(op->results[0]->type);
        room->tiles += registers_of(room, op->results[0]->type);
    }
    if (op_is_dot(op))
        room->accumulator += registers_of(room, op->results[0]->type);
    room->other |= around && around != room->loop;
    room->other |= op_is_product(op) && !(op_is_dot(op) && comes_in_place(room, op, 0) && comes_in_place(room, op, 1));
    room->other |= class_ == CLASS_TILE && machine_scratch_bytes(op, LAYOUT_MMA) > 0 && op->code != OP_TRANS;
}

/* With one group: true if an SM that can run two blocks still can.  */
static bool leaves_second_block(const Room *room)
{
    const Machine *machine = room->kernel->machine;
    int64_t half = machine->sm_shared_bytes / 2 - machine->block_shared_bytes;
    return room->groups > 1 || room->bytes > half || room->bytes + room->whole <= half;
}

static bool has_room(const Kernel *kernel, const Op *loop)
{
    const Pipeline *pipeline = loop->control->pipeline;
    const Grid *grid = &kernel->grid;
    Room room = {.kernel = kernel, .loop = loop, .bytes = BARRIERS};
    room.groups = grid->consumers ? grid->consumers : GROUPS;
    if (pipeline->automatic || pipeline->depth <= 0 || pipeline->pingpong || room.groups > GROUPS)
        return false;
    ir_walk(kernel->body, visit_room, &room);
    return !room.other && budget_fits(kernel, room.bytes + room.whole) && leaves_second_block(&room) &&
           room.accumulator + room.tiles <= kernel->machine->costs->epilogue_registers;
}

bool load_comes_whole(const Kernel *kernel, const Op *load)
{
    const Grid *grid = &kernel->grid;
    const Op *around = load->parent ? load->parent->parent : NULL;
    bool plain = grid->split != SPLIT_TILES && !grid->cluster[0] && !grid->parts && !grid->together && !kernel->tasks &&
                 (grid->persistent || !grid->persistent_given);
    if (!plain || !around || around->code != OP_GRID)
        return false;
    const Op *loop = only_loop(load->parent);
    return loop && is_candidate(load, loop) && !is_stored_before(load) && has_room(kernel, loop);
}
