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
#include "roles/distribute.h"
#include "ir/queries.h"
#include "machine/plan.h"
#include "lower.h"

/* Groups among which rows are divided.  */
int distribute_groups(const Distributor *in)
{
    return role_sharers(in->kernel, in->role);
}

/* Has each group its own rows of the body's value?  */
bool distribute_is_split(const Distributor *in, const Value *value)
{
    return distribute_groups(in) > 1 && value->split & ROLE_BIT(in->role);
}

/* ---- small builders ---------------------------------------------------------------------------------------------- */

Op *distribute_emit(Distributor *in, Block *to, const Op *origin, Opcode code, int nargs, Value *const *args)
{
    Op *op = op_new(in->kernel, code, origin->loc, nargs, args);
    op->origin = origin->origin ? origin->origin : (Op *)origin;
    schedule_op(op)->roles = ROLE_BIT(in->role);
    schedule_op(op)->stage = in->fills ? 0 : schedule_of(origin)->stage;
    schedule_op(op)->order = schedule_of(origin)->order;
    op_append(to, op);
    return op;
}

Value *distribute_binary(Distributor *in, Block *to, const Op *origin, Opcode code, Value *x, Value *y, Dtype dtype)
{
    Value *args[] = {x, y};
    return op_result(in->kernel, distribute_emit(in, to, origin, code, 2, args), type_scalar(dtype), NULL);
}

/* group * rows, as a coordinate.  Computed at the top of the role's body.  */
Value *distribute_offset(Distributor *in, int rows)
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

Value *distribute_coordinate(Distributor *in, Block *to, const Op *origin, Value *value)
{
    if (value->type.dtype == D_I64)
        return value;
    return op_result(in->kernel, distribute_emit(in, to, origin, OP_CONVI, 1, &value), type_scalar(D_I64), NULL);
}

/* `if (group == 0)` around what one group does for all; returns its block.  */
Block *distribute_first_only(Distributor *in, Block *to, const Op *origin)
{
    if (distribute_groups(in) == 1)
        return to;
    Value *zero = ir_const_int(in->kernel, to, D_I32, 0);
    Value *first = distribute_binary(in, to, origin, OP_EQI, in->group, zero, D_I1);
    Op *branch = distribute_emit(in, to, origin, OP_IF, 1, &first);
    Block *then = block_new(in->kernel, branch);
    Block *other = block_new(in->kernel, branch);
    distribute_emit(in, other, origin, OP_YIELD, 0, NULL);
    return then;
}

void distribute_end_first(Distributor *in, Block *block, Block *to, const Op *origin)
{
    if (block != to)
        distribute_emit(in, block, origin, OP_YIELD, 0, NULL);
}

/* ---- cloning ----------------------------------------------------------------------------------------------------- */

static Value *operand(Distributor *in, Block *to, Op *op, int arg)
{
    Value *value = op->args[arg];
    const Op *source = value->type.kind == K_TILE ? distribute_arrives(in, value) : NULL;
    bool product = op_reads_operand(op, arg);
    if (!source && product && arg == 1 && distribute_is_split(in, value))
        return distribute_gather(in, to, op, value);
    if (!source)
        return value_map_get(&in->map, value);
    Use use = {op, arg, NULL};
    if (product && (value->def == source || distribute_trans_is_operand(in, value)))
        return distribute_window(in, to, op, value, arg == 0);
    Value *form = distribute_use_is_split(in, &use) ? in->split_form[value->id] : in->whole_form[value->id];
    if (!form)
        BUG(in->kernel, "no register form of what comes through a ring for '%s'", op_info[op->code].text);
    return form ? form : value;
}

static Type role_type(const Distributor *in, const Value *value)
{
    Type type = value->type;
    if (distribute_is_split(in, value))
        type.rows /= distribute_groups(in);
    else if (distribute_groups(in) > 1 && is_split_across(value, ROLE_BIT(in->role)))
        type.cols /= distribute_groups(in);
    return type;
}

static Op *clone_shell(Distributor *in, Block *to, Op *op)
{
    Op *copy = distribute_emit(in, to, op, op->code, 0, NULL);
    op_copy_attributes(copy, op);
    copy->aref = NULL;
    copy->storage = NULL;
    return copy;
}

void distribute_result(Distributor *in, Op *copy, Value *result)
{
    Value *value = op_result(in->kernel, copy, role_type(in, result), result->name);
    value->split = distribute_is_split(in, result) ? ROLE_BIT(in->role) : 0;
    value->loc = result->loc;
    value_map_set(in->kernel, &in->map, result, value);
}

static void clone_argument(Distributor *in, Block *block, Value *argument)
{
    Value *value = block_arg(in->kernel, block, role_type(in, argument), argument->name, argument->loc);
    value->split = distribute_is_split(in, argument) ? ROLE_BIT(in->role) : 0;
    value_map_set(in->kernel, &in->map, argument, value);
}

void distribute_plain(Distributor *in, Block *to, Op *op)
{
    Value *args[op->nargs + 1];
    for (int i = 0; i < op->nargs; i++)
        args[i] = operand(in, to, op, i);
    Block *block = to;
    int row = distribute_groups(in) > 1 ? row_coordinate(op) : -1;
    bool store = op_info[op->code].class_ == CLASS_STORE;
    Value *tile = op->nresults ? op->results[0] : store ? args[op->nargs - 1] : NULL;
    bool split = tile && (op->nresults ? distribute_is_split(in, tile) : tile->split != 0);
    if (op->code == OP_STORE && row >= 0 && is_split_across(op->args[op->nargs - 1], ROLE_BIT(in->role))) {
        args[row + 1] = distribute_binary(in, to, op, OP_ADDI, distribute_coordinate(in, to, op, args[row + 1]),
                                          distribute_offset(in, tile->type.cols), D_I64);
    } else if (row >= 0 && split) {
        int rows = tile->type.rows / (op->nresults ? distribute_groups(in) : 1);
        args[row] = distribute_binary(in, to, op, OP_ADDI, distribute_coordinate(in, to, op, args[row]),
                                      distribute_offset(in, rows), D_I64);
    } else if (store && !split) {
        block = distribute_first_only(in, to, op);
    }
    bool divided = op->code == OP_PRINT && split && distribute_groups(in) > 1;
    if (divided)
        distribute_emit(in, to, op, OP_ROLE_BARRIER, 0, NULL);
    Op *copy = clone_shell(in, block, op);
    if (divided)
        copy->store->divided = true;
    for (int i = 0; i < op->nargs; i++)
        op_add_arg(in->kernel, copy, args[i]);
    if (op->code == OP_ROW_INDEX && split)
        op_add_arg(in->kernel, copy, distribute_offset(in, op->results[0]->type.rows / distribute_groups(in)));
    for (int i = 0; i < op->nresults; i++)
        distribute_result(in, copy, op->results[i]);
    distribute_end_first(in, block, to, op);
}

static bool keeps(const Distributor *in, const Value *value)
{
    return slice_has(&in->slice, value);
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
        if (op->code == OP_GRID && distribute_groups(in) < in->role->replicas)
            distribute_turns(in, op->blocks[k], block, op);
        else
            distribute_block(in, op->blocks[k], block);
    }
    for (int i = 0; i < op->nresults; i++)
        if (keeps(in, op->results[i]))
            distribute_result(in, copy, op->results[i]);
    distribute_release_after(in, op, to);
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
    distribute_release_at_end(in, op->parent, to);
    distribute_emit(in, to, op, op->code, nargs, args);
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
        distribute_carried(in, to, op);
    else
        distribute_plain(in, to, op);
}

static void clone_all_early(Distributor *in, Block *to, Op *loop)
{
    for (Op *op = loop->next; op; op = op->next)
        if (is_early(in, op))
            clone_early(in, to, op, loop->parent);
}

void distribute_block(Distributor *in, Block *from, Block *to)
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
            distribute_carried(in, to, op);
        else if (distribute_reads_column(in, op))
            distribute_column(in, to, op);
        else if (!(op->code == OP_TRANS && distribute_arrives(in, op->results[0])))
            distribute_plain(in, to, op);
    }
    if (from->last && from->last->code != OP_YIELD && from->last->code != OP_COND)
        distribute_release_at_end(in, from, to);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* Of what comes to a role through a ring it needs neither address nor operands.  */
bool distribute_cut_at_ring(const Op *op, void *context)
{
    const Aref *aref = op->aref ? aref_to(op->results[0], context) : NULL;
    return aref && aref->producer != context;
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
    in.slice.cut = distribute_cut_at_ring;
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
    distribute_block(&in, kernel->body, role->body);
}

/* require: partition.   ensure: role->body for each role, with PUT, COPY_IN, PUT_DONE, GET, VIEW, READ, CONSUMED
   placed. */
void pass_distribute(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        distribute_role(kernel, role);
}
