/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distribute-rings.c - what comes to a role through rings, and what it puts there.
 *
 *   the body                                   producer                        consumer (group g of 2)
 *   ta = ws_load (a, i, k, 128, 64);           slot = put                      slot = get
 *                                              copy_in ta[slot], a, i, k       va = view ta[slot], rows 64 g ..
 *                                              put_done                        consumed
 *
 * A product's operand is a view of the slot; for every other use the tile is read into registers.
 */
#include "schedule/cluster.h"
#include "roles/distribute.h"

/* What makes the value, if it comes to this role through a ring, or what it is the transpose of does.  */
Op *distribute_arrives(const Distributor *in, const Value *value)
{
    Op *source = ring_source(value);
    return source && aref_to(source->results[0], in->role) ? source : NULL;
}

/* A use of what comes through a ring wants this group's rows, not all of them.  */
bool distribute_use_is_split(const Distributor *in, const Use *use)
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
        return outer && use->arg < outer->nresults && distribute_is_split(in, outer->results[use->arg]);
    }
    case OP_FOR:
        return use->arg >= 3 && distribute_is_split(in, op->results[use->arg - 3]);
    case OP_WHILE:
        return distribute_is_split(in, op->results[use->arg]);
    default:
        if (op->nresults && op->results[0]->type.rows > 1)
            return distribute_is_split(in, op->results[0]);
        return ring_source_divides(op->args[use->arg], distribute_groups(in));
    }
}

bool distribute_trans_is_operand(const Distributor *in, const Value *result)
{
    const Op *trans = result->def;
    for (const Use *use = uses_of(&in->uses, trans->args[0]); use; use = use->next)
        if (use->op == trans)
            return use_is_operand(use, &in->uses);
    return false;
}

static Storage *ring_storage(const Distributor *in, const Op *source)
{
    const Aref *aref = aref_to(source->results[0], in->role);
    return aref->storages[aref_place(aref, source->results[0])];
}

/* The window of a slot that `value` (what the ring carries, or its transpose) means for one use.  */
Value *distribute_window(Distributor *in, Block *to, const Op *origin, const Value *value, bool split)
{
    const Op *source = ring_source(value);
    Aref *aref = aref_to(source->results[0], in->role);
    Storage *storage = ring_storage(in, source);
    bool transposed = (value->def != source) != storage->turned;
    Type type = type_kind(K_VIEW, storage->tile);
    int *rows = transposed ? &type.cols : &type.rows;
    Value *args[3] = {in->slots[aref->id]};
    int nargs = 1;
    if (split && distribute_groups(in) > 1 && *rows > 1) {
        *rows /= distribute_groups(in);
        Value *offset = distribute_offset(in, *rows);
        Value *zero = ir_const_int(in->kernel, to, D_I64, 0);
        args[1] = transposed ? zero : offset;
        args[2] = transposed ? offset : zero;
        nargs = 3;
    }
    Op *view = distribute_emit(in, to, origin, OP_VIEW, nargs, args);
    view->aref = aref;
    view->storage = storage;
    Value *window = op_result(in->kernel, view, type, source->results[0]->name);
    if (!transposed)
        return window;
    return op_result(in->kernel, distribute_emit(in, to, origin, OP_TRANS_VIEW, 1, &window), type_transposed(type),
                     value->name);
}

static void emit_read(Distributor *in, Block *to, const Op *origin, Value *value, bool split)
{
    Value **form = split ? in->split_form : in->whole_form;
    if (form[value->id])
        return;
    Value *window = distribute_window(in, to, origin, value, split);
    Op *read = distribute_emit(in, to, origin, OP_READ, 1, &window);
    read->aref = window->def->aref;
    form[value->id] = op_result(in->kernel, read, type_kind(K_TILE, window->type), value->name);
    form[value->id]->split = split && distribute_groups(in) > 1 && value->type.rows > 1 ? ROLE_BIT(in->role) : 0;
}

/* One column of what comes through a ring, of which each thread reads its rows where they are used, while the slot is
   held.  In registers a column's number would be told from the others' by a shuffle.  */
bool distribute_reads_column(const Distributor *in, const Op *op)
{
    const Op *source = op->code == OP_COLUMNS ? op->args[0]->def : NULL;
    return source && distribute_arrives(in, op->args[0]) == source && source->parent == op->parent &&
           op->results[0]->type.cols == 1 && schedule_of(source)->release && !ring_storage(in, source)->turned;
}

void distribute_column(Distributor *in, Block *to, const Op *op)
{
    const Op *source = op->args[0]->def;
    Aref *aref = aref_to(source->results[0], in->role);
    Value *result = op->results[0];
    Type type = type_kind(K_VIEW, result->type);
    bool split = distribute_is_split(in, result);
    type.rows /= split ? distribute_groups(in) : 1;
    Value *args[] = {in->slots[aref->id],
                     split ? distribute_offset(in, type.rows) : ir_const_int(in->kernel, to, D_I64, 0),
                     distribute_coordinate(in, to, op, value_map_get(&in->map, op->args[1]))};
    Op *view = distribute_emit(in, to, op, OP_VIEW, 3, args);
    view->aref = aref;
    view->storage = ring_storage(in, source);
    Value *window = op_result(in->kernel, view, type, NULL);
    Op *read = distribute_emit(in, to, op, OP_READ, 1, &window);
    read->aref = aref;
    distribute_result(in, read, result);
}

/* Registers for every use in this role that is not an operand of a product.  */
static void emit_reads(Distributor *in, Block *to, Value *value)
{
    for (const Use *use = uses_of(&in->uses, value); use; use = use->next) {
        if (!slice_has_op(&in->slice, use->op) || use_is_operand(use, &in->uses) ||
            distribute_reads_column(in, use->op) || distribute_cut_at_ring(use->op, in->role))
            continue;
        if (use->op->code == OP_YIELD && use->op->parent->parent && !slice_has(&in->slice, value))
            continue;
        if (use->op->code == OP_TRANS && distribute_arrives(in, use->op->results[0]))
            emit_reads(in, to, use->op->results[0]);
        else
            emit_read(in, to, ring_source(value), value, distribute_use_is_split(in, use));
    }
}

/* ---- values through arefs ---------------------------------------------------------------------------------------- */

static void emit_put(Distributor *in, Block *to, Op *load)
{
    Aref *aref = load->aref;
    Block *block = distribute_first_only(in, to, load);
    Op *put = distribute_emit(in, block, load, OP_PUT, 0, NULL);
    put->aref = aref;
    Value *slot = op_result(in->kernel, put, type_scalar(D_I32), "slot");
    for (int i = 0; i < aref->nstorages; i++) {
        const Op *source = aref->payload[i]->def;
        Op *copy = distribute_emit(in, block, source, OP_COPY_IN, 1, &slot);
        for (int k = 0; k < source->nargs; k++)
            op_add_arg(in->kernel, copy, value_map_get(&in->map, source->args[k]));
        op_copy_attributes(copy, source);
        copy->aref = aref;
        copy->storage = aref->storages[i];
        if (copy->transfer->along)
            copy->transfer->share =
                source->results[0]->type.rows / cluster_sharers(in->kernel, source->transfer->along);
    }
    distribute_emit(in, block, load, OP_PUT_DONE, 1, &slot)->aref = aref;
    distribute_end_first(in, block, to, load);
}

static void emit_consumed(Distributor *in, Block *to, const Op *origin, Aref *aref, int lag)
{
    Op *op = distribute_emit(in, to, origin, OP_CONSUMED, 0, NULL);
    op->aref = aref;
    op->sync->keep = lag;
    for (int i = 0; i < aref->nstorages; i++) {
        const Op *source = aref->payload[i]->def;
        int stage = in->fills ? 0 : last_stage(source, &in->uses);
        schedule_op(op)->stage = stage > schedule_of(op)->stage ? stage : schedule_of(op)->stage;
        if (!schedule_of(origin)->release &&
            schedule_of(source)->order > schedule_of(op)->order) /* where the table reads it */
            schedule_op(op)->order = schedule_of(source)->order;
    }
    if (schedule_of(origin)->release)
        schedule_op(op)->order = RELEASE_END;
}

static void emit_skip(Distributor *in, Block *to, const Op *source, Aref *aref)
{
    Op *skip = distribute_emit(in, to, source, OP_SKIP, 0, NULL);
    skip->aref = aref;
    skip->sync->count = 1;
}

/* At the first place that the table gives any of the slot's tiles.  */
static void order_first(Op *step, const Aref *aref)
{
    for (int i = 1; i < aref->nstorages; i++) {
        int order = schedule_of(aref->payload[i]->def)->order;
        if (order < schedule_of(step)->order)
            schedule_op(step)->order = order;
    }
}

/* A slot to write to, from before the first of its tiles is there.  */
static void emit_put_begin(Distributor *in, Block *to, const Op *source, Aref *aref)
{
    Op *put = distribute_emit(in, to, source, OP_PUT, 0, NULL);
    put->aref = aref;
    order_first(put, aref);
    in->puts[aref->id] = op_result(in->kernel, put, type_scalar(D_I32), "slot");
}

static void emit_put_end(Distributor *in, Block *to, const Op *source, Aref *aref)
{
    Op *steps[] = {distribute_emit(in, to, source, OP_FENCE, 0, NULL),
                   distribute_emit(in, to, source, OP_BARRIER, 0, NULL),
                   distribute_emit(in, to, source, OP_PUT_DONE, 1, &in->puts[aref->id])};
    steps[2]->aref = aref;
    for (int i = 0; i < aref->nstorages; i++) /* or last */
        for (int k = 0; k < 3; k++) {
            int order = schedule_of(aref->payload[i]->def)->order;
            if (order > schedule_of(steps[k])->order)
                schedule_op(steps[k])->order = order;
        }
}

/* The whole group writes a tile, or its rows of it, to the next slot.  `tile` is in registers, or a view of the slot
   that it is in now, of which `from` is the ring.  */
static void emit_put_tile(Distributor *in, Block *to, const Op *source, Aref *aref, Value *tile, Aref *from)
{
    if (aref->payload[0] == source->results[0])
        emit_put_begin(in, to, source, aref);
    if (from) {
        Op *view = distribute_emit(in, to, source, OP_VIEW, 1, &tile);
        view->aref = from;
        view->storage = from->storages[aref_place(from, source->results[0])];
        tile = op_result(in->kernel, view, type_kind(K_VIEW, view->storage->tile), source->results[0]->name);
    }
    Value *args[] = {in->puts[aref->id], tile};
    Op *write = distribute_emit(in, to, source, OP_PUT_TILE, 2, args);
    write->aref = aref;
    write->storage = aref->storages[aref_place(aref, source->results[0])];
    if (distribute_groups(in) > 1)
        op_add_arg(in->kernel, write, distribute_offset(in, tile->type.rows));
    if (from)
        emit_consumed(in, to, source, from, 0);
    if (aref->payload[aref->nstorages - 1] == source->results[0])
        emit_put_end(in, to, source, aref);
}

/* A tile out of one ring into the next, in another form.  */
static void emit_pass_on(Distributor *in, Block *to, const Op *source, Aref *from, Aref *aref)
{
    Op *get = distribute_emit(in, to, source, OP_GET, 0, NULL);
    get->aref = from;
    emit_put_tile(in, to, source, aref, op_result(in->kernel, get, type_scalar(D_I32), "slot"), from);
}

/* A slot that holds all that the table wants of it.  */
static void emit_get(Distributor *in, Block *to, Op *source, Aref *aref)
{
    Op *get = distribute_emit(in, to, source, OP_GET, 0, NULL);
    get->aref = aref;
    order_first(get, aref);
    in->slots[aref->id] = op_result(in->kernel, get, type_scalar(D_I32), "slot");
}

/* What the role does with a value that rings carry: it makes it and puts it, passes it on, gets it, or several of
   these.  */
void distribute_carried(Distributor *in, Block *to, Op *source)
{
    Value *value = source->results[0];
    Aref *into = aref_from(value, in->role), *from = aref_to(value, in->role);
    bool first = from && from->payload[0] == value, last = from && from->payload[from->nstorages - 1] == value;
    if (in->skipping) {
        if (last)
            emit_skip(in, to, source, from);
        return;
    }
    if (into && from && into != from) {
        emit_pass_on(in, to, source, from, into);
        return;
    }
    if (into && source->code != OP_LOAD) {
        distribute_plain(in, to, source);
        emit_put_tile(in, to, source, into, value_map_get(&in->map, value), NULL);
    } else if (into && into->payload[into->nstorages - 1] == value) {
        emit_put(in, to, source);
    }
    if (!from)
        return;
    if (first)
        emit_get(in, to, source, from);
    emit_reads(in, to, value);
    if (last && schedule_of(source)->release == 0)
        emit_consumed(in, to, source, from, 0);
}

/* Where slots that products looked at are released: at the end of the block that got them, or of the iteration if a
   product of it stays in flight.  */
static Block *release_block(const Aref *aref)
{
    return schedule_of(aref->payload[0]->def)->release == RELEASE_END ? body_around(aref->home) : aref->home;
}

/* What only passes through a role is released there and then.  */
static bool gets_to_compute(const Distributor *in, const Aref *aref)
{
    return aref->consumers & ROLE_BIT(in->role) && !(aref->also && aref->also->producer == in->role);
}

/* Expand moves a release up to the wait that makes it safe.  */
void distribute_release_at_end(Distributor *in, Block *from, Block *to)
{
    if (in->skipping)
        return;
    FOR_AREFS (aref, in->kernel)
        if (release_block(aref) == from && gets_to_compute(in, aref) && schedule_of(aref->payload[0]->def)->release)
            emit_consumed(in, to, aref->payload[0]->def, aref, aref->release_lag);
}

/* What stayed in flight when a loop ended is released behind it.  */
void distribute_release_after(Distributor *in, Op *loop, Block *to)
{
    if (in->skipping)
        return;
    FOR_AREFS (aref, in->kernel)
        if (release_block(aref)->parent == loop && aref->release_lag && gets_to_compute(in, aref))
            emit_consumed(in, to, aref->payload[0]->def, aref, 0);
}

/* ---- right operands that the groups computed in parts ------------------------------------------------------------ */

static Storage *gathered_storage(Distributor *in, const Value *value)
{
    const char *name = value->name ? value->name : "operand";
    return storage_new(in->kernel, arena_print(in->kernel->module, "%s_gathered", name), USE_GATHERED,
                       type_kind(K_TILE, value->type), 1);
}

/* All rows of a tile of which this group has its own: the groups meet, and what stands there is every group's.  */
Value *distribute_gather(Distributor *in, Block *to, const Op *product, const Value *value)
{
    Value *part = value_map_get(&in->map, (Value *)value);
    Value *args[] = {part, distribute_offset(in, part->type.rows)};
    Op *gather = distribute_emit(in, to, product, OP_GATHER, 2, args);
    gather->storage = gathered_storage(in, value);
    return op_result(in->kernel, gather, type_kind(K_VIEW, value->type), NULL);
}
