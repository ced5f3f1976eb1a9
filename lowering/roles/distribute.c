/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distribute.c - one program for each role, with its own copy of the control flow (Tawa, III-C.2 and III-E).
 *
 *   before                                     producer                        consumer (group g of 2)
 *   for (k = 0; k < K; k += 64)                for (k ...)                     for (k ...)
 *     ta = ws_load (a, i, k, 128, 64);           slot = put                      slot = get
 *     tb = ws_load (b, j, k, 256, 64);           copy_in ta[slot], a, i, k       va = view ta[slot], rows 64 g ..
 *     acc = ws_dot (ta, ws_trans (tb), acc);     copy_in tb[slot], b, j, k       vb = trans_view (view tb[slot])
 *                                                put_done                        acc = dot va, vb, acc
 *                                                                                consumed, one late
 *
 * A role's program is the slice of the body that its own operations need: loops without the carried values that it
 * never looks at, branches that hold something of its own.  put stands at an aref's last value, get at its first; each
 * counts its own executions, so slot and phase agree between roles for any control flow, trip counts of 0 and 1
 * included.
 *
 * With several groups of a role the rows of split tiles shrink, row coordinates grow by the group's first row, what
 * each has is put at its rows of a slot, and what every group holds whole is stored by the first group alone.
 */
#include "schedule/cluster.h"
#include "roles/distribute.h"
#include "ir/queries.h"
#include "machine/plan.h"
#include "lower.h"

enum { MAX_OFFSETS = 16 };

typedef struct {
    Kernel *kernel;
    Role *role;
    Slice slice;
    Uses uses;
    ValueMap map;
    Value **split_form, **whole_form; /* register tiles of what comes through rings, by value id */
    Value **slots, **puts;            /* the newest slot of each aref that is got, and that is put, by id */
    Value *group;
    Value *offsets[MAX_OFFSETS]; /* first row of the group for tiles of offset_rows[i] rows */
    int offset_rows[MAX_OFFSETS];
    int noffsets;
    Op *last_offset; /* offsets are computed once, at the top */
    bool skipping;   /* copying the control flow of another group's tile */
    bool fills;      /* the role moves tiles for others: what it does has no stage */
} Distributor;

static void clone_block(Distributor *in, Block *from, Block *to);
static void clone_result(Distributor *in, Op *copy, Value *result);

/* Groups among which rows are divided.  */
static int groups_of(const Distributor *in)
{
    return role_sharers(in->kernel, in->role);
}

/* Has each group its own rows of the body's value?  */
static bool is_split(const Distributor *in, const Value *value)
{
    return groups_of(in) > 1 && value->split & ROLE_BIT(in->role);
}

/* ---- small builders ---------------------------------------------------------------------------------------------- */

static Op *emit(Distributor *in, Block *to, const Op *origin, Opcode code, int nargs, Value *const *args)
{
    Op *op = op_new(in->kernel, code, origin->loc, nargs, args);
    op->origin = origin->origin ? origin->origin : (Op *)origin;
    schedule_op(op)->roles = ROLE_BIT(in->role);
    schedule_op(op)->stage = in->fills ? 0 : schedule_of(origin)->stage;
    schedule_op(op)->order = schedule_of(origin)->order;
    op_append(to, op);
    return op;
}

static Value *emit_binary(Distributor *in, Block *to, const Op *origin, Opcode code, Value *x, Value *y, Dtype dtype)
{
    Value *args[] = {x, y};
    return op_result(in->kernel, emit(in, to, origin, code, 2, args), type_scalar(dtype), NULL);
}

/* group * rows, as a coordinate.  Computed at the top of the role's body.  */
static Value *group_offset(Distributor *in, int rows)
{
    for (int i = 0; i < in->noffsets; i++)
        if (in->offset_rows[i] == rows)
            return in->offsets[i];
    Kernel *kernel = in->kernel;
    Block *top = in->role->body;
    Block *scratch = block_new(kernel, NULL);
    Value *wide = op_result(kernel, op_new(kernel, OP_CONVI, kernel->loc, 1, &in->group), type_scalar(D_I64), NULL);
    op_append(scratch, wide->def);
    Value *args[] = {wide, ir_const_int(kernel, scratch, D_I64, rows)};
    Op *product = op_new(kernel, OP_MULI, kernel->loc, 2, args);
    op_append(scratch, product);
    Value *offset = op_result(kernel, product, type_scalar(D_I64), "first_row");
    FOR_OPS (op, scratch) {
        op_remove(op);
        schedule_op(op)->roles = ROLE_BIT(in->role);
        if (in->last_offset)
            op_after(in->last_offset, op);
        else if (top->first)
            op_before(top->first, op);
        else
            op_append(top, op);
        in->last_offset = op;
    }
    if (in->noffsets < MAX_OFFSETS) {
        in->offset_rows[in->noffsets] = rows;
        in->offsets[in->noffsets++] = offset;
    }
    return offset;
}

static Value *as_coordinate(Distributor *in, Block *to, const Op *origin, Value *value)
{
    if (value->type.dtype == D_I64)
        return value;
    return op_result(in->kernel, emit(in, to, origin, OP_CONVI, 1, &value), type_scalar(D_I64), NULL);
}

/* `if (group == 0)` around what one group does for all; returns its block.  */
static Block *first_group_only(Distributor *in, Block *to, const Op *origin)
{
    if (groups_of(in) == 1)
        return to;
    Value *zero = ir_const_int(in->kernel, to, D_I32, 0);
    Value *first = emit_binary(in, to, origin, OP_EQI, in->group, zero, D_I1);
    Op *branch = emit(in, to, origin, OP_IF, 1, &first);
    Block *then = block_new(in->kernel, branch);
    Block *other = block_new(in->kernel, branch);
    emit(in, other, origin, OP_YIELD, 0, NULL);
    return then;
}

static void end_first_group(Distributor *in, Block *block, Block *to, const Op *origin)
{
    if (block != to)
        emit(in, block, origin, OP_YIELD, 0, NULL);
}

/* ---- windows of shared memory ------------------------------------------------------------------------------------ */

/* What makes the value, if it comes to this role through a ring, or what it is the transpose of does.  */
static Op *arrives(const Distributor *in, const Value *value)
{
    Op *source = ring_source(value);
    return source && aref_to(source->results[0], in->role) ? source : NULL;
}

/* A use of what comes through a ring wants this group's rows, not all of them.  */
static bool use_is_split(const Distributor *in, const Use *use)
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
        return outer && use->arg < outer->nresults && is_split(in, outer->results[use->arg]);
    }
    case OP_FOR:
        return use->arg >= 3 && is_split(in, op->results[use->arg - 3]);
    case OP_WHILE:
        return is_split(in, op->results[use->arg]);
    default:
        if (op->nresults && op->results[0]->type.rows > 1)
            return is_split(in, op->results[0]);
        return ring_source_divides(op->args[use->arg], groups_of(in));
    }
}

static bool trans_is_operand(const Distributor *in, const Value *result)
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
static Value *emit_window(Distributor *in, Block *to, const Op *origin, const Value *value, bool split)
{
    const Op *source = ring_source(value);
    Aref *aref = aref_to(source->results[0], in->role);
    Storage *storage = ring_storage(in, source);
    bool transposed = (value->def != source) != storage->turned;
    Type type = type_kind(K_VIEW, storage->tile);
    int *rows = transposed ? &type.cols : &type.rows;
    Value *args[3] = {in->slots[aref->id]};
    int nargs = 1;
    if (split && groups_of(in) > 1 && *rows > 1) {
        *rows /= groups_of(in);
        Value *offset = group_offset(in, *rows);
        Value *zero = ir_const_int(in->kernel, to, D_I64, 0);
        args[1] = transposed ? zero : offset;
        args[2] = transposed ? offset : zero;
        nargs = 3;
    }
    Op *view = emit(in, to, origin, OP_VIEW, nargs, args);
    view->aref = aref;
    view->storage = storage;
    Value *window = op_result(in->kernel, view, type, source->results[0]->name);
    if (!transposed)
        return window;
    return op_result(in->kernel, emit(in, to, origin, OP_TRANS_VIEW, 1, &window), type_transposed(type), value->name);
}

static void emit_read(Distributor *in, Block *to, const Op *origin, Value *value, bool split)
{
    Value **form = split ? in->split_form : in->whole_form;
    if (form[value->id])
        return;
    Value *window = emit_window(in, to, origin, value, split);
    Op *read = emit(in, to, origin, OP_READ, 1, &window);
    read->aref = window->def->aref;
    form[value->id] = op_result(in->kernel, read, type_kind(K_TILE, window->type), value->name);
    form[value->id]->split = split && groups_of(in) > 1 && value->type.rows > 1 ? ROLE_BIT(in->role) : 0;
}

/* One column of what comes through a ring, of which each thread reads its rows where they are used, while the slot is
   held.  In registers a column's number would be told from the others' by a shuffle.  */
static bool reads_column(const Distributor *in, const Op *op)
{
    const Op *source = op->code == OP_COLUMNS ? op->args[0]->def : NULL;
    return source && arrives(in, op->args[0]) == source && source->parent == op->parent &&
           op->results[0]->type.cols == 1 && schedule_of(source)->release && !ring_storage(in, source)->turned;
}

static void emit_column(Distributor *in, Block *to, const Op *op)
{
    const Op *source = op->args[0]->def;
    Aref *aref = aref_to(source->results[0], in->role);
    Value *result = op->results[0];
    Type type = type_kind(K_VIEW, result->type);
    bool split = is_split(in, result);
    type.rows /= split ? groups_of(in) : 1;
    Value *args[] = {in->slots[aref->id], split ? group_offset(in, type.rows) : ir_const_int(in->kernel, to, D_I64, 0),
                     as_coordinate(in, to, op, value_map_get(&in->map, op->args[1]))};
    Op *view = emit(in, to, op, OP_VIEW, 3, args);
    view->aref = aref;
    view->storage = ring_storage(in, source);
    Value *window = op_result(in->kernel, view, type, NULL);
    Op *read = emit(in, to, op, OP_READ, 1, &window);
    read->aref = aref;
    clone_result(in, read, result);
}

static bool cut_at_ring(const Op *op, void *context);

/* Registers for every use in this role that is not an operand of a product.  */
static void emit_reads(Distributor *in, Block *to, Value *value)
{
    for (const Use *use = uses_of(&in->uses, value); use; use = use->next) {
        if (!slice_has_op(&in->slice, use->op) || use_is_operand(use, &in->uses) || reads_column(in, use->op) ||
            cut_at_ring(use->op, in->role))
            continue;
        if (use->op->code == OP_YIELD && use->op->parent->parent && !slice_has(&in->slice, value))
            continue;
        if (use->op->code == OP_TRANS && arrives(in, use->op->results[0]))
            emit_reads(in, to, use->op->results[0]);
        else
            emit_read(in, to, ring_source(value), value, use_is_split(in, use));
    }
}

/* ---- values through arefs ---------------------------------------------------------------------------------------- */

static void emit_put(Distributor *in, Block *to, Op *load)
{
    Aref *aref = load->aref;
    Block *block = first_group_only(in, to, load);
    Op *put = emit(in, block, load, OP_PUT, 0, NULL);
    put->aref = aref;
    Value *slot = op_result(in->kernel, put, type_scalar(D_I32), "slot");
    for (int i = 0; i < aref->nstorages; i++) {
        const Op *source = aref->payload[i]->def;
        Op *copy = emit(in, block, source, OP_COPY_IN, 1, &slot);
        for (int k = 0; k < source->nargs; k++)
            op_add_arg(in->kernel, copy, value_map_get(&in->map, source->args[k]));
        op_copy_attributes(copy, source);
        copy->aref = aref;
        copy->storage = aref->storages[i];
        if (copy->transfer->along)
            copy->transfer->share =
                source->results[0]->type.rows / cluster_sharers(in->kernel, source->transfer->along);
    }
    emit(in, block, load, OP_PUT_DONE, 1, &slot)->aref = aref;
    end_first_group(in, block, to, load);
}

static void emit_consumed(Distributor *in, Block *to, const Op *origin, Aref *aref, int lag)
{
    Op *op = emit(in, to, origin, OP_CONSUMED, 0, NULL);
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
    Op *skip = emit(in, to, source, OP_SKIP, 0, NULL);
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
    Op *put = emit(in, to, source, OP_PUT, 0, NULL);
    put->aref = aref;
    order_first(put, aref);
    in->puts[aref->id] = op_result(in->kernel, put, type_scalar(D_I32), "slot");
}

static void emit_put_end(Distributor *in, Block *to, const Op *source, Aref *aref)
{
    Op *steps[] = {emit(in, to, source, OP_FENCE, 0, NULL), emit(in, to, source, OP_BARRIER, 0, NULL),
                   emit(in, to, source, OP_PUT_DONE, 1, &in->puts[aref->id])};
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
        Op *view = emit(in, to, source, OP_VIEW, 1, &tile);
        view->aref = from;
        view->storage = from->storages[aref_place(from, source->results[0])];
        tile = op_result(in->kernel, view, type_kind(K_VIEW, view->storage->tile), source->results[0]->name);
    }
    Value *args[] = {in->puts[aref->id], tile};
    Op *write = emit(in, to, source, OP_PUT_TILE, 2, args);
    write->aref = aref;
    write->storage = aref->storages[aref_place(aref, source->results[0])];
    if (groups_of(in) > 1)
        op_add_arg(in->kernel, write, group_offset(in, tile->type.rows));
    if (from)
        emit_consumed(in, to, source, from, 0);
    if (aref->payload[aref->nstorages - 1] == source->results[0])
        emit_put_end(in, to, source, aref);
}

/* A tile out of one ring into the next, in another form.  */
static void emit_pass_on(Distributor *in, Block *to, const Op *source, Aref *from, Aref *aref)
{
    Op *get = emit(in, to, source, OP_GET, 0, NULL);
    get->aref = from;
    emit_put_tile(in, to, source, aref, op_result(in->kernel, get, type_scalar(D_I32), "slot"), from);
}

/* A slot that holds all that the table wants of it.  */
static void emit_get(Distributor *in, Block *to, Op *source, Aref *aref)
{
    Op *get = emit(in, to, source, OP_GET, 0, NULL);
    get->aref = aref;
    order_first(get, aref);
    in->slots[aref->id] = op_result(in->kernel, get, type_scalar(D_I32), "slot");
}

static void clone_plain(Distributor *in, Block *to, Op *op);

/* What the role does with a value that rings carry: it makes it and puts it, passes it on, gets it, or several of
   these.  */
static void emit_carried(Distributor *in, Block *to, Op *source)
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
        clone_plain(in, to, source);
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
static void release_at_end(Distributor *in, Block *from, Block *to)
{
    if (in->skipping)
        return;
    FOR_AREFS (aref, in->kernel)
        if (release_block(aref) == from && gets_to_compute(in, aref) && schedule_of(aref->payload[0]->def)->release)
            emit_consumed(in, to, aref->payload[0]->def, aref, aref->release_lag);
}

/* What stayed in flight when a loop ended is released behind it.  */
static void release_after_loop(Distributor *in, Op *loop, Block *to)
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
static Value *emit_gather(Distributor *in, Block *to, const Op *product, const Value *value)
{
    Value *part = value_map_get(&in->map, (Value *)value);
    Value *args[] = {part, group_offset(in, part->type.rows)};
    Op *gather = emit(in, to, product, OP_GATHER, 2, args);
    gather->storage = gathered_storage(in, value);
    return op_result(in->kernel, gather, type_kind(K_VIEW, value->type), NULL);
}

/* ---- cloning ----------------------------------------------------------------------------------------------------- */

static Value *operand(Distributor *in, Block *to, Op *op, int arg)
{
    Value *value = op->args[arg];
    const Op *source = value->type.kind == K_TILE ? arrives(in, value) : NULL;
    bool product = op_reads_operand(op, arg);
    if (!source && product && arg == 1 && is_split(in, value))
        return emit_gather(in, to, op, value);
    if (!source)
        return value_map_get(&in->map, value);
    Use use = {op, arg, NULL};
    if (product && (value->def == source || trans_is_operand(in, value)))
        return emit_window(in, to, op, value, arg == 0);
    Value *form = use_is_split(in, &use) ? in->split_form[value->id] : in->whole_form[value->id];
    if (!form)
        BUG(in->kernel, "no register form of what comes through a ring for '%s'", op_info[op->code].text);
    return form ? form : value;
}

static Type role_type(const Distributor *in, const Value *value)
{
    Type type = value->type;
    if (is_split(in, value))
        type.rows /= groups_of(in);
    else if (groups_of(in) > 1 && is_split_across(value, ROLE_BIT(in->role)))
        type.cols /= groups_of(in);
    return type;
}

static Op *clone_shell(Distributor *in, Block *to, Op *op)
{
    Op *copy = emit(in, to, op, op->code, 0, NULL);
    op_copy_attributes(copy, op);
    copy->aref = NULL;
    copy->storage = NULL;
    return copy;
}

static void clone_result(Distributor *in, Op *copy, Value *result)
{
    Value *value = op_result(in->kernel, copy, role_type(in, result), result->name);
    value->split = is_split(in, result) ? ROLE_BIT(in->role) : 0;
    value->loc = result->loc;
    value_map_set(in->kernel, &in->map, result, value);
}

static void clone_argument(Distributor *in, Block *block, Value *argument)
{
    Value *value = block_arg(in->kernel, block, role_type(in, argument), argument->name, argument->loc);
    value->split = is_split(in, argument) ? ROLE_BIT(in->role) : 0;
    value_map_set(in->kernel, &in->map, argument, value);
}

static void clone_plain(Distributor *in, Block *to, Op *op)
{
    Value *args[op->nargs + 1];
    for (int i = 0; i < op->nargs; i++)
        args[i] = operand(in, to, op, i);
    Block *block = to;
    int row = groups_of(in) > 1 ? row_coordinate(op) : -1;
    bool store = op_info[op->code].class_ == CLASS_STORE;
    Value *tile = op->nresults ? op->results[0] : store ? args[op->nargs - 1] : NULL;
    bool split = tile && (op->nresults ? is_split(in, tile) : tile->split != 0);
    if (op->code == OP_STORE && row >= 0 && is_split_across(op->args[op->nargs - 1], ROLE_BIT(in->role))) {
        args[row + 1] = emit_binary(in, to, op, OP_ADDI, as_coordinate(in, to, op, args[row + 1]),
                                    group_offset(in, tile->type.cols), D_I64);
    } else if (row >= 0 && split) {
        int rows = tile->type.rows / (op->nresults ? groups_of(in) : 1);
        args[row] =
            emit_binary(in, to, op, OP_ADDI, as_coordinate(in, to, op, args[row]), group_offset(in, rows), D_I64);
    } else if (store && !split) {
        block = first_group_only(in, to, op);
    }
    Op *copy = clone_shell(in, block, op);
    for (int i = 0; i < op->nargs; i++)
        op_add_arg(in->kernel, copy, args[i]);
    if (op->code == OP_ROW_INDEX && split)
        op_add_arg(in->kernel, copy, group_offset(in, op->results[0]->type.rows / groups_of(in)));
    for (int i = 0; i < op->nresults; i++)
        clone_result(in, copy, op->results[i]);
    end_first_group(in, block, to, op);
}

static bool keeps(const Distributor *in, const Value *value)
{
    return slice_has(&in->slice, value);
}

static bool cut_at_any_ring(const Op *op, void *context);

static bool is_get(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_GET;
}

static void place_turn(Distributor *in, Block *block);

/* From before `first` to after `last`; an empty turn ahead of everything where both are NULL.  */
static void surround_by_turn(Distributor *in, Block *block, Op *first, Op *last)
{
    const Op *origin = first ? first : block->parent;
    Op *take = emit(in, block, origin, OP_PINGPONG_TAKE, 0, NULL);
    Op *pass = emit(in, block, origin, OP_PINGPONG_PASS, 0, NULL);
    op_remove(pass);
    if (last)
        op_after(last, pass);
    else
        op_before(block->first, pass);
    op_remove(take);
    op_before(first ? first : pass, take);
}

static void place_turn_in_arm(Distributor *in, Block *arm)
{
    bool gets = false;
    FOR_OPS (op, arm)
        gets |= ir_any(op, is_get, NULL);
    if (gets)
        place_turn(in, arm);
    else
        surround_by_turn(in, arm, NULL, NULL);
}

/* What a group gets for one tile is one turn, and so are its products.  A get waits for the parity of its slot's phase,
   which tells one round of the ring from the next but not from the one after: a group that has passed over the puts of
   other tiles may ask for its own only when those have been got.  Where a branch decides whether there is work at all,
   each arm has the turn, so that what follows the products in one, its stores above all, lies behind it.  */
static void place_turn(Distributor *in, Block *block)
{
    Op *first = NULL, *last = NULL;
    FOR_OPS (op, block)
        if (ir_any(op, is_get, NULL)) {
            first = first ? first : op;
            last = op;
        }
    if (first && first == last && first->code == OP_IF) {
        for (int k = 0; k < first->nblocks; k++)
            place_turn_in_arm(in, first->blocks[k]);
        return;
    }
    if (first)
        surround_by_turn(in, block, first, last);
}

static void visit_ring(Op *op, void *context);

/* Groups that take tiles in turn: `if (ordinal % groups == group)` the tile, else its puts are passed over.  */
static void clone_turns(Distributor *in, Block *from, Block *to, Op *grid)
{
    Kernel *kernel = in->kernel;
    Value *ordinal = block_arg(kernel, to, type_scalar(D_I32), "ordinal", grid->loc);
    Value *groups = ir_const_int(kernel, to, D_I32, in->role->replicas);
    Value *turn = emit_binary(in, to, grid, OP_REMI, ordinal, groups, D_I32);
    Value *mine = emit_binary(in, to, grid, OP_EQI, turn, in->group, D_I1);
    Op *branch = emit(in, to, grid, OP_IF, 1, &mine);
    Block *blocks[2] = {block_new(kernel, branch), block_new(kernel, branch)};
    clone_block(in, from, blocks[0]);
    place_turn(in, blocks[0]);

    Slice consumed = in->slice;
    in->slice = slice_new(kernel);
    in->slice.cut = cut_at_any_ring;
    in->skipping = true;
    ir_walk(from, visit_ring, in);
    clone_block(in, from, blocks[1]);
    collapse_skips(in->kernel, blocks[1]);
    in->skipping = false;
    in->slice = consumed;
    for (int k = 0; k < 2; k++)
        if (!blocks[k]->last || blocks[k]->last->code != OP_YIELD)
            emit(in, blocks[k], grid, OP_YIELD, 0, NULL);
    emit(in, to, grid, OP_YIELD, 0, NULL);
}

static void clone_control(Distributor *in, Block *to, Op *op)
{
    Kernel *kernel = in->kernel;
    Op *copy = clone_shell(in, to, op);
    int fixed = op->code == OP_FOR ? 3 : op->code == OP_WHILE ? 0 : op->nargs;
    for (int i = 0; i < op->nargs; i++)
        if (i < fixed || keeps(in, op->results[i - fixed]))
            op_add_arg(kernel, copy, operand(in, to, op, i));
    for (int k = 0; k < op->nblocks; k++) {
        Block *block = block_new(kernel, copy);
        for (int i = 0; i < op->blocks[k]->nargs; i++) {
            Value *argument = op->blocks[k]->args[i];
            int first = op->code == OP_FOR ? 1 : 0;
            if (op->code == OP_GRID || i < first || keeps(in, op->results[i - first]))
                clone_argument(in, block, argument);
        }
        if (op->code == OP_GRID && groups_of(in) < in->role->replicas)
            clone_turns(in, op->blocks[k], block, op);
        else
            clone_block(in, op->blocks[k], block);
    }
    for (int i = 0; i < op->nresults; i++)
        if (keeps(in, op->results[i]))
            clone_result(in, copy, op->results[i]);
    release_after_loop(in, op, to);
}

static void clone_terminator(Distributor *in, Block *to, Op *op)
{
    Op *outer = op->parent->parent;
    int fixed = op->code == OP_COND ? 1 : 0;
    Value *args[op->nargs + 1];
    int nargs = 0;
    for (int i = 0; i < op->nargs; i++)
        if (i < fixed || (outer && keeps(in, outer->results[i - fixed])))
            args[nargs++] = operand(in, to, op, i);
    release_at_end(in, op->parent, to);
    emit(in, to, op, op->code, nargs, args);
}

/* ---- tiles of the epilogue that come before the product ---------------------------------------------------------- */

static bool is_early(const Distributor *in, const Op *op)
{
    return in->fills && op->aref && aref_from(op->results[0], in->role) && load_comes_whole(in->kernel, op);
}

static bool is_mapped(const Distributor *in, Value *value)
{
    return value_map_get(&in->map, value) != value;
}

/* With what it is computed of.  */
static void clone_early(Distributor *in, Block *to, Op *op, const Block *from)
{
    if (op->parent != from || (op->nresults && is_mapped(in, op->results[0])))
        return;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->def)
            clone_early(in, to, op->args[i]->def, from);
    if (op->aref)
        emit_carried(in, to, op);
    else
        clone_plain(in, to, op);
}

static void clone_all_early(Distributor *in, Block *to, Op *loop)
{
    for (Op *op = loop->next; op; op = op->next)
        if (is_early(in, op))
            clone_early(in, to, op, loop->parent);
}

static void clone_block(Distributor *in, Block *from, Block *to)
{
    FOR_OPS (op, from) {
        bool early = in->fills && op->nresults && !op->nblocks && is_mapped(in, op->results[0]);
        if (pipeline_of(op) && in->fills)
            clone_all_early(in, to, op);
        if (op->code == OP_YIELD || op->code == OP_COND)
            clone_terminator(in, to, op);
        else if (!slice_has_op(&in->slice, op) || early || is_early(in, op))
            continue;
        else if (op->nblocks)
            clone_control(in, to, op);
        else if (op->aref)
            emit_carried(in, to, op);
        else if (reads_column(in, op))
            emit_column(in, to, op);
        else if (!(op->code == OP_TRANS && arrives(in, op->results[0])))
            clone_plain(in, to, op);
    }
    if (from->last && from->last->code != OP_YIELD && from->last->code != OP_COND)
        release_at_end(in, from, to);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* Roots of what a group has to follow of a tile that is not its own: what fills its rings.  */
static void visit_ring(Op *op, void *context)
{
    Distributor *in = context;
    if (op->aref && aref_to(op->results[0], in->role))
        slice_op(&in->slice, op);
}

/* Of what comes to a role through a ring it needs neither address nor operands.  */
static bool cut_at_ring(const Op *op, void *context)
{
    const Aref *aref = op->aref ? aref_to(op->results[0], context) : NULL;
    return aref && aref->producer != context;
}

static bool cut_at_any_ring(const Op *op, void *context)
{
    (void)context;
    return op->aref;
}

/* Roots of a role's program: what it stores, and the ends of rings that are its own.  */
static void visit_root(Op *op, void *context)
{
    Distributor *in = context;
    bool root = op_info[op->code].class_ == CLASS_STORE || op->aref;
    if (root && schedule_of(op)->roles & ROLE_BIT(in->role))
        slice_op(&in->slice, op);
}

static void distribute_role(Kernel *kernel, Role *role)
{
    size_t count = (size_t)kernel->module->next_id;
    Distributor in = {.kernel = kernel, .role = role};
    in.uses = uses_new(kernel, kernel->body);
    in.slice = slice_new(kernel);
    in.slice.cut = cut_at_ring;
    in.slice.context = role;
    ir_walk(kernel->body, visit_root, &in);

    in.map = value_map_new(kernel);
    in.split_form = arena_alloc(kernel->module, count * sizeof(Value *));
    in.whole_form = arena_alloc(kernel->module, count * sizeof(Value *));
    int narefs = 0;
    FOR_AREFS (aref, kernel) {
        narefs = aref->id + 1;
        in.fills |= kernel_is_specialized(kernel) && aref->producer == role && role != role_that(kernel, ROLE_STORES);
    }
    in.slots = arena_alloc(kernel->module, (size_t)(narefs + 1) * sizeof(Value *));
    in.puts = arena_alloc(kernel->module, (size_t)(narefs + 1) * sizeof(Value *));
    role->body = block_new(kernel, NULL);
    in.group = block_arg(kernel, role->body, type_scalar(D_I32), "group", kernel->loc);
    clone_block(&in, kernel->body, role->body);
}

/* require: partition.   ensure: role->body for each role, with PUT, COPY_IN, PUT_DONE, GET, VIEW, READ, CONSUMED
   placed. */
void pass_distribute(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        distribute_role(kernel, role);
}
