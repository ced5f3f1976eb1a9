/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * distribute.c - makes one program for each role, with its own copy of the control flow (Tawa, III-C.2 and III-E).
 *
 *      before                                     producer                        consumer (group g of 2)
 *      for (k = 0; k < K; k += 64)                for (k ...)                     for (k ...)
 *        ta = ws_load (a, i, k, 128, 64);           slot = put                      slot = get
 *        tb = ws_load (b, j, k, 256, 64);           copy_in ta[slot], a, i, k       va = view ta[slot], rows 64 g ..
 *        acc = ws_dot (ta, ws_trans (tb), acc);     copy_in tb[slot], b, j, k       vb = trans_view (view tb[slot])
 *                                                   put_done                        acc = dot va, vb, acc
 *                                                                                   consumed, one late
 *
 * A role's program is the slice of the body that the role's operations need. Loops keep only carried values that the
 * role uses, and branches stay only if they hold operations of the role. The put of an aref stands at its last value,
 * the get at its first. Each end counts its own executions, so slot and phase agree between roles for any control flow,
 * also for trip counts of 0 and 1.
 *
 * If a role has several groups, each has its rows of split tiles, and adds its first row to row coordinates. Each group
 * puts its rows of a slot. The first group alone stores tiles that every group holds whole.
 */
#include "ir/queries.h"
#include "optimize/epilogue-prefetch.h"
#include "passes.h"
#include "roles/distribute.h"

/* The number of groups among which rows are divided.  */
int distribute_groups(const Distributor *distributor)
{
    return role_sharers(distributor->kernel, distributor->role);
}

/* True if each group has its own rows of the body's value.  */
bool distribute_is_split(const Distributor *distributor, const Value *value)
{
    return distribute_groups(distributor) > 1 && value->split & ROLE_BIT(distributor->role);
}

/* ---- builders ---------------------------------------------------------------------------------------------------- */

Op *distribute_emit(Distributor *distributor, Block *to, const Op *origin, Opcode code, int nargs, Value *const *args)
{
    Op *op = op_new(distributor->kernel, code, origin->loc, nargs, args);
    op->origin = origin->origin ? origin->origin : (Op *)origin;
    schedule_op(op)->roles = ROLE_BIT(distributor->role);
    schedule_op(op)->stage = distributor->fills ? 0 : schedule_of(origin)->stage;
    schedule_op(op)->order = schedule_of(origin)->order;
    op_append(to, op);
    return op;
}

Value *distribute_binary(Distributor *distributor, Block *to, const Op *origin, Opcode code, Value *x, Value *y,
                         Dtype dtype)
{
    Value *args[] = {x, y};
    return op_result(distributor->kernel, distribute_emit(distributor, to, origin, code, 2, args), type_scalar(dtype),
                     NULL);
}

/* group * rows, as a coordinate, computed once at the top of the role's body.  */
Value *distribute_offset(Distributor *distributor, int rows)
{
    for (int i = 0; i < distributor->noffsets; i++)
        if (distributor->offsets[i].rows == rows)
            return distributor->offsets[i].first;
    Kernel *kernel = distributor->kernel;
    Block *top = distributor->role->body;
    Block *scratch = block_new(kernel, NULL);
    Value *wide = op_result(kernel, op_new(kernel, OP_SCALAR_CONVERT, kernel->loc, 1, &distributor->group),
                            type_scalar(D_I64), NULL);
    op_append(scratch, wide->def);
    Value *args[] = {wide, ir_const_int(kernel, scratch, D_I64, rows)};
    Op *product = op_new(kernel, OP_SCALAR_MUL, kernel->loc, 2, args);
    op_append(scratch, product);
    Value *offset = op_result(kernel, product, type_scalar(D_I64), "first_row");
    FOR_OPS (op, scratch) {
        op_remove(op);
        schedule_op(op)->roles = ROLE_BIT(distributor->role);
        if (distributor->last_offset)
            op_after(distributor->last_offset, op);
        else if (top->first)
            op_before(top->first, op);
        else
            op_append(top, op);
        distributor->last_offset = op;
    }
    LIST_ADD(kernel->module, distributor->offsets, distributor->noffsets) = (Offset){rows, offset};
    return offset;
}

Value *distribute_coordinate(Distributor *distributor, Block *to, const Op *origin, Value *value)
{
    if (value->type.dtype == D_I64)
        return value;
    return op_result(distributor->kernel, distribute_emit(distributor, to, origin, OP_SCALAR_CONVERT, 1, &value),
                     type_scalar(D_I64), NULL);
}

/* Emits `if (group == 0)` around operations that one group executes for all; returns the block of its first arm.  */
Block *distribute_first_only(Distributor *distributor, Block *to, const Op *origin)
{
    if (distribute_groups(distributor) == 1)
        return to;
    Value *zero = ir_const_int(distributor->kernel, to, D_I32, 0);
    Value *first = distribute_binary(distributor, to, origin, OP_SCALAR_EQ, distributor->group, zero, D_I1);
    Op *branch = distribute_emit(distributor, to, origin, OP_IF, 1, &first);
    Block *then = block_new(distributor->kernel, branch);
    Block *other = block_new(distributor->kernel, branch);
    distribute_emit(distributor, other, origin, OP_YIELD, 0, NULL);
    return then;
}

void distribute_end_first(Distributor *distributor, Block *block, Block *to, const Op *origin)
{
    if (block != to)
        distribute_emit(distributor, block, origin, OP_YIELD, 0, NULL);
}

/* ---- cloning ----------------------------------------------------------------------------------------------------- */

static Value *operand(Distributor *distributor, Block *to, Op *op, int arg)
{
    Value *value = op->args[arg];
    const Op *source = value->type.kind == K_TILE ? distribute_arrives(distributor, value) : NULL;
    bool product = op_reads_operand(op, arg);
    if (!source && product && arg == 1 && distribute_is_split(distributor, value))
        return distribute_gather(distributor, to, op, value);
    if (!source)
        return value_map_get(&distributor->map, value);
    Use use = {op, arg, NULL};
    if (product && (value->def == source || distribute_trans_is_operand(distributor, value)))
        return distribute_window(distributor, to, op, value, arg == 0);
    Value *form = distribute_use_is_split(distributor, &use) ? distributor->split_form[value->id]
                                                             : distributor->whole_form[value->id];
    if (!form)
        BUG(distributor->kernel, "no register form of what comes through a ring for '%s'", op_info[op->code].text);
    return form ? form : value;
}

static Type role_type(const Distributor *distributor, const Value *value)
{
    Type type = value->type;
    if (distribute_is_split(distributor, value))
        type.rows /= distribute_groups(distributor);
    else if (distribute_groups(distributor) > 1 && is_split_across(value, ROLE_BIT(distributor->role)))
        type.cols /= distribute_groups(distributor);
    return type;
}

static Op *clone_shell(Distributor *distributor, Block *to, Op *op)
{
    Op *copy = distribute_emit(distributor, to, op, op->code, 0, NULL);
    op_copy_attributes(copy, op);
    copy->aref = NULL;
    copy->storage = NULL;
    return copy;
}

void distribute_result(Distributor *distributor, Op *copy, Value *result)
{
    Value *value = op_result(distributor->kernel, copy, role_type(distributor, result), result->name);
    value->split = distribute_is_split(distributor, result) ? ROLE_BIT(distributor->role) : 0;
    value->loc = result->loc;
    value_map_set(distributor->kernel, &distributor->map, result, value);
}

static void clone_argument(Distributor *distributor, Block *block, Value *argument)
{
    Value *value =
        block_arg(distributor->kernel, block, role_type(distributor, argument), argument->name, argument->loc);
    value->split = distribute_is_split(distributor, argument) ? ROLE_BIT(distributor->role) : 0;
    value_map_set(distributor->kernel, &distributor->map, argument, value);
}

void distribute_plain(Distributor *distributor, Block *to, Op *op)
{
    Value *args[op->nargs + 1];
    for (int i = 0; i < op->nargs; i++)
        args[i] = operand(distributor, to, op, i);
    Block *block = to;
    int row = distribute_groups(distributor) > 1 ? row_coordinate(op) : -1;
    bool store = op_info[op->code].class_ == CLASS_STORE;
    Value *tile = op->nresults ? op->results[0] : store ? args[op->nargs - 1] : NULL;
    bool split = tile && (op->nresults ? distribute_is_split(distributor, tile) : tile->split != 0);
    if (op->code == OP_STORE && row >= 0 && is_split_across(op->args[op->nargs - 1], ROLE_BIT(distributor->role))) {
        args[row + 1] = distribute_binary(distributor, to, op, OP_SCALAR_ADD,
                                          distribute_coordinate(distributor, to, op, args[row + 1]),
                                          distribute_offset(distributor, tile->type.cols), D_I64);
    } else if (row >= 0 && split) {
        int rows = tile->type.rows / (op->nresults ? distribute_groups(distributor) : 1);
        args[row] =
            distribute_binary(distributor, to, op, OP_SCALAR_ADD, distribute_coordinate(distributor, to, op, args[row]),
                              distribute_offset(distributor, rows), D_I64);
    } else if (store && !split) {
        block = distribute_first_only(distributor, to, op);
    }
    bool divided = op->code == OP_PRINT && split && distribute_groups(distributor) > 1;
    if (divided)
        distribute_emit(distributor, to, op, OP_ROLE_BARRIER, 0, NULL);
    Op *copy = clone_shell(distributor, block, op);
    if (divided)
        copy->store->divided = true;
    for (int i = 0; i < op->nargs; i++)
        op_add_arg(distributor->kernel, copy, args[i]);
    if (op->code == OP_ROW_INDEX && split)
        op_add_arg(distributor->kernel, copy,
                   distribute_offset(distributor, op->results[0]->type.rows / distribute_groups(distributor)));
    for (int i = 0; i < op->nresults; i++)
        distribute_result(distributor, copy, op->results[i]);
    distribute_end_first(distributor, block, to, op);
}

static bool keeps(const Distributor *distributor, const Value *value)
{
    return slice_has(&distributor->slice, value);
}

static void clone_control(Distributor *distributor, Block *to, Op *op)
{
    Kernel *kernel = distributor->kernel;
    Op *copy = clone_shell(distributor, to, op);
    int fixed = op->code == OP_FOR ? 3 : op->code == OP_WHILE ? 0 : op->nargs;
    for (int i = 0; i < op->nargs; i++)
        if (i < fixed || keeps(distributor, op->results[i - fixed]))
            op_add_arg(kernel, copy, operand(distributor, to, op, i));
    for (int k = 0; k < op->nblocks; k++) {
        Block *block = block_new(kernel, copy);
        for (int i = 0; i < op->blocks[k]->nargs; i++) {
            Value *argument = op->blocks[k]->args[i];
            int first = op->code == OP_FOR ? 1 : 0;
            if (op->code == OP_GRID || i < first || keeps(distributor, op->results[i - first]))
                clone_argument(distributor, block, argument);
        }
        if (op->code == OP_GRID && distribute_groups(distributor) < distributor->role->replicas)
            distribute_turns(distributor, op->blocks[k], block, op);
        else
            distribute_block(distributor, op->blocks[k], block);
    }
    for (int i = 0; i < op->nresults; i++)
        if (keeps(distributor, op->results[i]))
            distribute_result(distributor, copy, op->results[i]);
    distribute_release_after(distributor, op, to);
}

static void clone_terminator(Distributor *distributor, Block *to, Op *op)
{
    Op *outer = op->parent->parent;
    int fixed = op->code == OP_COND ? 1 : 0;
    Value *args[op->nargs + 1];
    int nargs = 0;
    for (int i = 0; i < op->nargs; i++)
        if (i < fixed || (outer && keeps(distributor, outer->results[i - fixed])))
            args[nargs++] = operand(distributor, to, op, i);
    distribute_release_at_end(distributor, op->parent, to);
    distribute_emit(distributor, to, op, op->code, nargs, args);
}

/* ---- epilogue tiles that are loaded before the product ----------------------------------------------------------- */

static bool is_early(const Distributor *distributor, const Op *op)
{
    return distributor->fills && op->aref && aref_from(op->results[0], distributor->role) &&
           load_comes_whole(distributor->kernel, op);
}

static bool is_mapped(const Distributor *distributor, Value *value)
{
    return value_map_get(&distributor->map, value) != value;
}

/* Clones the operation and the operations that its operands depend on.  */
static void clone_early(Distributor *distributor, Block *to, Op *op, const Block *from)
{
    if (op->parent != from || (op->nresults && is_mapped(distributor, op->results[0])))
        return;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->def)
            clone_early(distributor, to, op->args[i]->def, from);
    if (op->aref)
        distribute_carried(distributor, to, op);
    else
        distribute_plain(distributor, to, op);
}

static void clone_all_early(Distributor *distributor, Block *to, Op *loop)
{
    for (Op *op = loop->next; op; op = op->next)
        if (is_early(distributor, op))
            clone_early(distributor, to, op, loop->parent);
}

void distribute_block(Distributor *distributor, Block *from, Block *to)
{
    FOR_OPS (op, from) {
        bool early = distributor->fills && op->nresults && !op->nblocks && is_mapped(distributor, op->results[0]);
        if (loop_is_pipelined(op) && distributor->fills)
            clone_all_early(distributor, to, op);
        if (op->code == OP_YIELD || op->code == OP_COND)
            clone_terminator(distributor, to, op);
        else if (!slice_has_op(&distributor->slice, op) || early || is_early(distributor, op))
            continue;
        else if (op->nblocks)
            clone_control(distributor, to, op);
        else if (op->aref)
            distribute_carried(distributor, to, op);
        else if (distribute_reads_column(distributor, op))
            distribute_column(distributor, to, op);
        else if (!(op->code == OP_TRANS && distribute_arrives(distributor, op->results[0])))
            distribute_plain(distributor, to, op);
    }
    if (from->last && from->last->code != OP_YIELD && from->last->code != OP_COND)
        distribute_release_at_end(distributor, from, to);
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

/* True for a value that comes to the role through a ring. The slice stops there, since the role needs no operands of
   it.  */
bool distribute_cut_at_ring(const Op *op, void *context)
{
    const Aref *aref = op->aref ? aref_to(op->results[0], context) : NULL;
    return aref && aref->producer != context;
}

/* Adds the roots of a role's program: its stores, and its ends of rings.  */
static void visit_root(Op *op, void *context)
{
    Distributor *distributor = context;
    bool root = op_info[op->code].class_ == CLASS_STORE || op->aref;
    if (root && schedule_of(op)->roles & ROLE_BIT(distributor->role))
        slice_op(&distributor->slice, op);
}

static void distribute_role(Kernel *kernel, Role *role)
{
    size_t count = (size_t)kernel->module->next_id;
    Distributor distributor = {.kernel = kernel, .role = role};
    distributor.uses = uses_new(kernel, kernel->body);
    distributor.slice = slice_new(kernel);
    distributor.slice.cut = distribute_cut_at_ring;
    distributor.slice.context = role;
    ir_walk(kernel->body, visit_root, &distributor);

    distributor.map = value_map_new(kernel);
    distributor.split_form = arena_alloc(kernel->module, count * sizeof(Value *));
    distributor.whole_form = arena_alloc(kernel->module, count * sizeof(Value *));
    int narefs = 0;
    FOR_AREFS (aref, kernel) {
        narefs = aref->id + 1;
        distributor.fills |=
            kernel_is_specialized(kernel) && aref->producer == role && role != role_that(kernel, ROLE_STORES);
    }
    distributor.slots = arena_alloc(kernel->module, (size_t)(narefs + 1) * sizeof(Value *));
    distributor.puts = arena_alloc(kernel->module, (size_t)(narefs + 1) * sizeof(Value *));
    role->body = block_new(kernel, NULL);
    distributor.group = block_arg(kernel, role->body, type_scalar(D_I32), "group", kernel->loc);
    distribute_block(&distributor, kernel->body, role->body);
}

void pass_distribute(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        distribute_role(kernel, role);
}
