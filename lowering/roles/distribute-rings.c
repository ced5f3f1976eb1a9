/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distribute-rings.c - emits the gets, views, reads and puts of values that rings carry.
 *
 *      the body                                   producer                        consumer (group g of 2)
 *      ta = ws_load (a, i, k, 128, 64);           slot = put                      slot = get
 *                                                 copy_in ta[slot], a, i, k       va = view ta[slot], rows 64 g ..
 *                                                 put_done                        consumed
 *
 * An operand of a product is a view of the slot. For every other use, the role reads the tile into registers.
 */
#include "ir/cluster.h"
#include "roles/distribute.h"
#include "target/operands.h"

/* The operation whose result, or whose transposed result, a ring carries to this role; or NULL.  */
Op *distribute_arrives(const Distributor *distributor, const Value *value)
{
    Op *source = ring_source(value);
    return source && aref_to(source->results[0], distributor->role) ? source : NULL;
}

/* True if the use needs only the rows of this group.  */
bool distribute_use_is_split(const Distributor *distributor, const Use *use)
{
    const Op *op = use->op;
    if (op_mixes_rows(op))
        return false;
    switch (op->code) {
    case OP_DOT:
    case OP_DOT_F32:
        return use->arg == 0 || use->arg == 2;
    case OP_YIELD: {
        const Op *outer = op->parent->parent;
        return outer && use->arg < outer->nresults && distribute_is_split(distributor, outer->results[use->arg]);
    }
    case OP_FOR:
        return use->arg >= 3 && distribute_is_split(distributor, op->results[use->arg - 3]);
    case OP_WHILE:
        return distribute_is_split(distributor, op->results[use->arg]);
    default:
        if (op->nresults && op->results[0]->type.rows > 1)
            return distribute_is_split(distributor, op->results[0]);
        return ring_source_divides(op->args[use->arg], distribute_groups(distributor));
    }
}

bool distribute_trans_is_operand(const Distributor *distributor, const Value *result)
{
    const Op *trans = result->def;
    for (const Use *use = uses_of(&distributor->uses, trans->args[0]); use; use = use->next)
        if (use->op == trans)
            return use_is_operand(use, &distributor->uses);
    return false;
}

static Storage *ring_storage(const Distributor *distributor, const Op *source)
{
    const Aref *aref = aref_to(source->results[0], distributor->role);
    return aref->storages[aref_place(aref, source->results[0])];
}

/* The view of a slot for one use of `value`, which is the ring's tile or its transpose. split: only the rows of this
   group.  */
Value *distribute_window(Distributor *distributor, Block *to, const Op *origin, const Value *value, bool split)
{
    const Op *source = ring_source(value);
    Aref *aref = aref_to(source->results[0], distributor->role);
    Storage *storage = ring_storage(distributor, source);
    bool transposed = (value->def != source) != storage->transposed;
    Type type = type_kind(K_VIEW, storage->tile);
    int *rows = transposed ? &type.cols : &type.rows;
    Value *args[3] = {distributor->slots[aref->id]};
    int nargs = 1;
    if (split && distribute_groups(distributor) > 1 && *rows > 1) {
        *rows /= distribute_groups(distributor);
        Value *offset = distribute_offset(distributor, *rows);
        Value *zero = ir_const_int(distributor->kernel, to, D_I64, 0);
        args[1] = transposed ? zero : offset;
        args[2] = transposed ? offset : zero;
        nargs = 3;
    }
    Op *view = distribute_emit(distributor, to, origin, OP_VIEW, nargs, args);
    view->aref = aref;
    view->storage = storage;
    Value *window = op_result(distributor->kernel, view, type, source->results[0]->name);
    if (!transposed)
        return window;
    return op_result(distributor->kernel, distribute_emit(distributor, to, origin, OP_TRANS_VIEW, 1, &window),
                     type_transposed(type), value->name);
}

static void emit_read(Distributor *distributor, Block *to, const Op *origin, Value *value, bool split)
{
    Value **form = split ? distributor->split_form : distributor->whole_form;
    if (form[value->id])
        return;
    Value *window = distribute_window(distributor, to, origin, value, split);
    Op *read = distribute_emit(distributor, to, origin, OP_READ, 1, &window);
    read->aref = window->def->aref;
    form[value->id] = op_result(distributor->kernel, read, type_kind(K_TILE, window->type), value->name);
    form[value->id]->split =
        split && distribute_groups(distributor) > 1 && value->type.rows > 1 ? ROLE_BIT(distributor->role) : 0;
}

/* True for one column of a ring's tile. Each thread reads its rows from the slot at the use, while the slot is held.
   From registers, the selection of the column would take a shuffle.  */
bool distribute_reads_column(const Distributor *distributor, const Op *op)
{
    const Op *source = op->code == OP_COLUMNS ? op->args[0]->def : NULL;
    return source && distribute_arrives(distributor, op->args[0]) == source && source->parent == op->parent &&
           op->results[0]->type.cols == 1 && schedule_of(source)->release &&
           !ring_storage(distributor, source)->transposed;
}

void distribute_column(Distributor *distributor, Block *to, const Op *op)
{
    const Op *source = op->args[0]->def;
    Aref *aref = aref_to(source->results[0], distributor->role);
    Value *result = op->results[0];
    Type type = type_kind(K_VIEW, result->type);
    bool split = distribute_is_split(distributor, result);
    type.rows /= split ? distribute_groups(distributor) : 1;
    Value *args[] = {distributor->slots[aref->id],
                     split ? distribute_offset(distributor, type.rows)
                           : ir_const_int(distributor->kernel, to, D_I64, 0),
                     distribute_coordinate(distributor, to, op, value_map_get(&distributor->map, op->args[1]))};
    Op *view = distribute_emit(distributor, to, op, OP_VIEW, 3, args);
    view->aref = aref;
    view->storage = ring_storage(distributor, source);
    Value *window = op_result(distributor->kernel, view, type, NULL);
    Op *read = distribute_emit(distributor, to, op, OP_READ, 1, &window);
    read->aref = aref;
    distribute_result(distributor, read, result);
}

/* Reads the tile into registers for every use in this role that is no operand of a product.  */
static void emit_reads(Distributor *distributor, Block *to, Value *value)
{
    for (const Use *use = uses_of(&distributor->uses, value); use; use = use->next) {
        if (!slice_has_op(&distributor->slice, use->op) || use_is_operand(use, &distributor->uses) ||
            distribute_reads_column(distributor, use->op) || distribute_cut_at_ring(use->op, distributor->role))
            continue;
        if (use->op->code == OP_YIELD && use->op->parent->parent && !slice_has(&distributor->slice, value))
            continue;
        if (use->op->code == OP_TRANS && distribute_arrives(distributor, use->op->results[0]))
            emit_reads(distributor, to, use->op->results[0]);
        else
            emit_read(distributor, to, ring_source(value), value, distribute_use_is_split(distributor, use));
    }
}

/* ---- values through arefs ---------------------------------------------------------------------------------------- */

static void emit_put(Distributor *distributor, Block *to, Op *load)
{
    Aref *aref = load->aref;
    Block *block = distribute_first_only(distributor, to, load);
    Op *put = distribute_emit(distributor, block, load, OP_PUT, 0, NULL);
    put->aref = aref;
    Value *slot = op_result(distributor->kernel, put, type_scalar(D_I32), "slot");
    for (int i = 0; i < aref->nstorages; i++) {
        const Op *source = aref->payload[i]->def;
        Op *copy = distribute_emit(distributor, block, source, OP_COPY_IN, 1, &slot);
        for (int k = 0; k < source->nargs; k++)
            op_add_arg(distributor->kernel, copy, value_map_get(&distributor->map, source->args[k]));
        op_copy_attributes(copy, source);
        copy->aref = aref;
        copy->storage = aref->storages[i];
        if (copy->transfer->along)
            copy->transfer->share =
                source->results[0]->type.rows / cluster_sharers(distributor->kernel, source->transfer->along);
    }
    distribute_emit(distributor, block, load, OP_PUT_DONE, 1, &slot)->aref = aref;
    distribute_end_first(distributor, block, to, load);
}

static void emit_consumed(Distributor *distributor, Block *to, const Op *origin, Aref *aref, int lag)
{
    Op *op = distribute_emit(distributor, to, origin, OP_CONSUMED, 0, NULL);
    op->aref = aref;
    op->sync->keep = lag;
    for (int i = 0; i < aref->nstorages; i++) {
        const Op *source = aref->payload[i]->def;
        int stage = distributor->fills ? 0 : last_stage(source, &distributor->uses);
        schedule_op(op)->stage = stage > schedule_of(op)->stage ? stage : schedule_of(op)->stage;
        if (!schedule_of(origin)->release &&
            schedule_of(source)->order > schedule_of(op)->order) /* the position of its last tile */
            schedule_op(op)->order = schedule_of(source)->order;
    }
    if (schedule_of(origin)->release)
        schedule_op(op)->order = RELEASE_END;
}

static void emit_skip(Distributor *distributor, Block *to, const Op *source, Aref *aref)
{
    Op *skip = distribute_emit(distributor, to, source, OP_SKIP, 0, NULL);
    skip->aref = aref;
    skip->sync->count = 1;
}

/* Gives the step the first position in the table of any of the slot's tiles.  */
static void order_first(Op *step, const Aref *aref)
{
    for (int i = 1; i < aref->nstorages; i++) {
        int order = schedule_of(aref->payload[i]->def)->order;
        if (order < schedule_of(step)->order)
            schedule_op(step)->order = order;
    }
}

/* Emits the put of a slot, before the first of its tiles is computed.  */
static void emit_put_begin(Distributor *distributor, Block *to, const Op *source, Aref *aref)
{
    Op *put = distribute_emit(distributor, to, source, OP_PUT, 0, NULL);
    put->aref = aref;
    order_first(put, aref);
    distributor->puts[aref->id] = op_result(distributor->kernel, put, type_scalar(D_I32), "slot");
}

static void emit_put_end(Distributor *distributor, Block *to, const Op *source, Aref *aref)
{
    Op *steps[] = {distribute_emit(distributor, to, source, OP_FENCE, 0, NULL),
                   distribute_emit(distributor, to, source, OP_BARRIER, 0, NULL),
                   distribute_emit(distributor, to, source, OP_PUT_DONE, 1, &distributor->puts[aref->id])};
    steps[2]->aref = aref;
    for (int i = 0; i < aref->nstorages; i++) /* the position of the last tile */
        for (int k = 0; k < 3; k++) {
            int order = schedule_of(aref->payload[i]->def)->order;
            if (order > schedule_of(steps[k])->order)
                schedule_op(steps[k])->order = order;
        }
}

/* Writes the group's rows of a tile to the next slot. `tile` is a tile in registers, or a slot of the ring `from`.  */
static void emit_put_tile(Distributor *distributor, Block *to, const Op *source, Aref *aref, Value *tile, Aref *from)
{
    if (aref->payload[0] == source->results[0])
        emit_put_begin(distributor, to, source, aref);
    if (from) {
        Op *view = distribute_emit(distributor, to, source, OP_VIEW, 1, &tile);
        view->aref = from;
        view->storage = from->storages[aref_place(from, source->results[0])];
        tile = op_result(distributor->kernel, view, type_kind(K_VIEW, view->storage->tile), source->results[0]->name);
    }
    Value *args[] = {distributor->puts[aref->id], tile};
    Op *write = distribute_emit(distributor, to, source, OP_PUT_TILE, 2, args);
    write->aref = aref;
    write->storage = aref->storages[aref_place(aref, source->results[0])];
    if (distribute_groups(distributor) > 1)
        op_add_arg(distributor->kernel, write, distribute_offset(distributor, tile->type.rows));
    if (from)
        emit_consumed(distributor, to, source, from, 0);
    if (aref->payload[aref->nstorages - 1] == source->results[0])
        emit_put_end(distributor, to, source, aref);
}

/* Copies a tile from a slot of one ring to a slot of the next, for instance transposed.  */
static void emit_pass_on(Distributor *distributor, Block *to, const Op *source, Aref *from, Aref *aref)
{
    Op *get = distribute_emit(distributor, to, source, OP_GET, 0, NULL);
    get->aref = from;
    emit_put_tile(distributor, to, source, aref, op_result(distributor->kernel, get, type_scalar(D_I32), "slot"), from);
}

/* Emits the get of a slot, before the first of its tiles is used.  */
static void emit_get(Distributor *distributor, Block *to, Op *source, Aref *aref)
{
    Op *get = distribute_emit(distributor, to, source, OP_GET, 0, NULL);
    get->aref = aref;
    order_first(get, aref);
    distributor->slots[aref->id] = op_result(distributor->kernel, get, type_scalar(D_I32), "slot");
}

/* Emits the role's part for a value that rings carry: the put, the copy from ring to ring, the get, or several of
   them.  */
void distribute_carried(Distributor *distributor, Block *to, Op *source)
{
    Value *value = source->results[0];
    Aref *into = aref_from(value, distributor->role), *from = aref_to(value, distributor->role);
    bool first = from && from->payload[0] == value, last = from && from->payload[from->nstorages - 1] == value;
    if (distributor->skipping) {
        if (last)
            emit_skip(distributor, to, source, from);
        return;
    }
    if (into && from && into != from) {
        emit_pass_on(distributor, to, source, from, into);
        return;
    }
    if (into && source->code != OP_LOAD) {
        distribute_plain(distributor, to, source);
        emit_put_tile(distributor, to, source, into, value_map_get(&distributor->map, value), NULL);
    } else if (into && into->payload[into->nstorages - 1] == value) {
        emit_put(distributor, to, source);
    }
    if (!from)
        return;
    if (first)
        emit_get(distributor, to, source, from);
    emit_reads(distributor, to, value);
    if (last && schedule_of(source)->release == 0)
        emit_consumed(distributor, to, source, from, 0);
}

/* The block that releases slots which products read: the block of the get. If a product stays in flight, it is the
   loop's body.  */
static Block *release_block(const Aref *aref)
{
    return schedule_of(aref->payload[0]->def)->release == RELEASE_END ? body_around(aref->home) : aref->home;
}

/* False if the role only copies the tile to the next ring. The slot is then released at once.  */
static bool gets_to_compute(const Distributor *distributor, const Aref *aref)
{
    return aref->consumers & ROLE_BIT(distributor->role) && !(aref->also && aref->also->producer == distributor->role);
}

/* Emits the releases at the end of a block. The pass expand moves each up to the wait that makes it safe.  */
void distribute_release_at_end(Distributor *distributor, Block *from, Block *to)
{
    if (distributor->skipping)
        return;
    FOR_AREFS (aref, distributor->kernel)
        if (release_block(aref) == from && gets_to_compute(distributor, aref) &&
            schedule_of(aref->payload[0]->def)->release)
            emit_consumed(distributor, to, aref->payload[0]->def, aref, aref->release_lag);
}

/* Emits releases behind a loop for slots of products that are in flight at its end.  */
void distribute_release_after(Distributor *distributor, Op *loop, Block *to)
{
    if (distributor->skipping)
        return;
    FOR_AREFS (aref, distributor->kernel)
        if (release_block(aref)->parent == loop && aref->release_lag && gets_to_compute(distributor, aref))
            emit_consumed(distributor, to, aref->payload[0]->def, aref, 0);
}

/* ---- right operands that the groups compute in parts ------------------------------------------------------------- */

static Storage *gathered_storage(Distributor *distributor, const Value *value)
{
    const char *name = value->name ? value->name : "operand";
    return storage_new(distributor->kernel, arena_print(distributor->kernel->module, "%s_gathered", name), USE_GATHERED,
                       type_kind(K_TILE, value->type), 1);
}

/* The whole tile, of which each group has its own rows. The groups write their rows to shared memory and
   synchronize.  */
Value *distribute_gather(Distributor *distributor, Block *to, const Op *product, const Value *value)
{
    Value *part = value_map_get(&distributor->map, (Value *)value);
    Value *args[] = {part, distribute_offset(distributor, part->type.rows)};
    Op *gather = distribute_emit(distributor, to, product, OP_GATHER, 2, args);
    gather->storage = gathered_storage(distributor, value);
    return op_result(distributor->kernel, gather, type_kind(K_VIEW, value->type), NULL);
}
