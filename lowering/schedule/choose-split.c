/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-split.c - decides whether the groups of a role may divide the rows of every tile.
 *
 *   acc (128,256) = ws_dot (ta, ws_trans (tb), acc)     two groups: rows 0..63 and 64..127 of ta and acc, all of tb
 *
 * A tile is split (each group has its own rows) or whole (every group has all rows).  A product's accumulator and left
 * operand are split, and its right operand is whole.  Elementwise operations, row reductions and carried values
 * propagate the property in both directions.  An operation that mixes rows needs a whole tile: column reductions, a
 * transpose in registers.  A load from a ring is neither, since each use reads its window of shared memory.  If a value
 * has to be both, the rows cannot be divided.
 *
 *   dq (64,128) = ws_dot (ws_trans (tk), ds, dq)        each group computed 64 of ds's 128 rows, and the product needs
 *                                                       all
 *
 * A transpose that is only stored need not mix rows: each group stores the columns that its rows become.
 *
 * A tile that a role computes for others is split: each of its groups puts its rows.
 *
 * A right operand of 16-bit elements need not be whole.  The groups can gather their rows in shared memory, where the
 * product reads the operand anyway.  A gather costs a barrier of the groups, so it is the second choice.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "schedule/choose.h"
#include "target/machine.h"
#include "target/operands.h"

enum { FREE = 0, SPLIT = 1, WHOLE = 2 };

typedef struct {
    Kernel *kernel;
    const Role *role;
    const Slice *slice; /* of a role that does not multiply: the operations that it needs */
    Uses uses;
    char *mode; /* by value id: bits SPLIT, WHOLE */
    bool changed;
    int groups;
    bool gathers; /* right operands may be gathered from the groups' rows */
    int nsplit;   /* number of divided tiles */
    Op *whole;    /* an operation that needs all rows */
    Op *why;
} Splitter;

static bool has_rows(const Value *value)
{
    return value->type.kind == K_TILE && value->type.rows > 1;
}

/* True if the value comes through a ring.  A tile that the role itself puts into a ring is in its registers.  */
static bool arrives(const Splitter *splitter, const Value *value)
{
    const Op *source = ring_source(value);
    return source && (source->code == OP_LOAD || schedule_of(source)->maker != ROLE_BIT(splitter->role));
}

static void require(Splitter *splitter, Value *value, int mode, Op *op)
{
    if (!has_rows(value) || arrives(splitter, value) || (splitter->mode[value->id] & mode) == mode)
        return;
    splitter->mode[value->id] |= (char)mode;
    splitter->changed = true;
    if (splitter->mode[value->id] == (SPLIT | WHOLE) && !splitter->why)
        splitter->why = op;
}

static void link_values(Splitter *splitter, Value *x, Value *y, Op *op)
{
    if (!x || !y || !has_rows(x) || !has_rows(y) || arrives(splitter, x) || arrives(splitter, y))
        return;
    require(splitter, x, splitter->mode[y->id], op);
    require(splitter, y, splitter->mode[x->id], op);
}

static void link_carried(Splitter *splitter, Op *loop)
{
    for (int i = 0; i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        link_values(splitter, names.init, names.argument, loop);
        link_values(splitter, names.argument, names.next, loop);
        link_values(splitter, names.argument, names.result, loop);
        if (loop->code == OP_WHILE) {
            link_values(splitter, names.argument, names.body_argument, loop);
            link_values(splitter, names.exit, names.result, loop);
            link_values(splitter, names.exit, names.argument, loop);
        }
    }
}

/* True for a right operand that the tensor cores can read from shared memory as the groups write it.  */
static bool may_be_gathered(const Value *right)
{
    bool computed = right->def && right->def->code != OP_TRANS && !ring_source(right);
    return computed && dtype_bytes(right->type.dtype) == 2;
}

static void require_all_rows(Splitter *splitter, Op *op)
{
    if (op->nresults && arrives(splitter, op->results[0]))
        return;
    splitter->whole = op;
    for (int i = 0; i < op->nargs; i++)
        if (has_rows(op->args[i]))
            require(splitter, op->args[i], WHOLE, op);
    for (int i = 0; i < op->nresults; i++)
        require(splitter, op->results[i], WHOLE, op);
}

/* Each group puts its rows of a tile that the role computes for others.  */
static void require_put(Splitter *splitter, Op *op)
{
    if (schedule_of(op)->maker == ROLE_BIT(splitter->role) && op->code != OP_LOAD)
        require(splitter, op->results[0], SPLIT, op);
}

/* True if only other roles execute the operation.  Operations without roles belong to the storing role.  */
static bool is_elsewhere(const Splitter *splitter, const Op *op)
{
    uint32_t roles = schedule_of(op)->roles;
    if (roles || op_info[op->code].class_ == CLASS_CONTROL)
        return roles && !(roles & ROLE_BIT(splitter->role));
    return splitter->role != role_that(splitter->kernel, ROLE_STORES);
}

/* True for a transpose that only stores use.  */
static bool is_transposed_to_store(const Splitter *splitter, const Op *op)
{
    if (op->code != OP_TRANS || arrives(splitter, op->args[0]) || !has_rows(op->args[0]))
        return false;
    const Use *use = uses_of(&splitter->uses, op->results[0]);
    bool stored = use;
    for (; use; use = use->next)
        stored &= use->op->code == OP_STORE && use->arg == use->op->nargs - 1 && !schedule_of(use->op)->task;
    return stored;
}

static void visit_constraint(Op *op, void *context)
{
    Splitter *splitter = context;
    if (is_elsewhere(splitter, op))
        return;
    require_put(splitter, op);
    if (is_transposed_to_store(splitter, op)) {
        require(splitter, op->results[0], WHOLE, op);
        return;
    }
    if (op_mixes_rows(op)) {
        require_all_rows(splitter, op);
        return;
    }
    switch (op->code) {
    case OP_DOT:
    case OP_DOT_F32:
        require(splitter, op->args[0], SPLIT, op);
        if (!splitter->gathers || !may_be_gathered(op->args[1]))
            require(splitter, op->args[1], WHOLE, op);
        for (int i = 3; i < op->nargs && op->code == OP_DOT_F32; i++)
            require(splitter, op->args[i], WHOLE, op);
        require(splitter, op->results[0], SPLIT, op);
        link_values(splitter, op->args[2], op->results[0], op);
        break;
    case OP_FOR:
    case OP_WHILE:
        link_carried(splitter, op);
        break;
    case OP_IF:
        for (int i = 0; i < op->nresults; i++)
            for (int k = 0; k < 2; k++)
                link_values(splitter, op->results[i], block_end(op->blocks[k])->args[i], op);
        break;
    case OP_YIELD:
    case OP_COND:
        break;
    case OP_PRINT_EACH:
        for (int i = 0; i < op->nargs - 1; i++)
            link_values(splitter, op->args[i], op->args[op->nargs - 1], op);
        break;
    default:
        for (int i = 0; i < op->nargs && op->nresults == 1; i++)
            link_values(splitter, op->args[i], op->results[0], op);
    }
}

/* A tile that no product divides and whose rows cannot be divided is whole in each group.  */
static void visit_odd(Op *op, void *context)
{
    Splitter *splitter = context;
    for (int i = 0; i < op->nresults; i++)
        if (has_rows(op->results[i]) && !splitter->mode[op->results[i]->id] && !is_elsewhere(splitter, op) &&
            op->results[i]->type.rows % (splitter->groups * MACHINE_SWIZZLE_ROWS)) {
            splitter->whole = splitter->whole ? splitter->whole : op;
            require(splitter, op->results[i], WHOLE, op);
        }
}

static void propagate(Splitter *splitter)
{
    for (splitter->changed = true; splitter->changed && !splitter->why;) {
        splitter->changed = false;
        ir_walk(splitter->kernel->body, visit_constraint, splitter);
    }
}

/* True for a value that control flow carries but the role does not use.  */
static bool is_beside(const Splitter *splitter, const Value *value)
{
    const bool carried_past = !value->def || value->def->nblocks;
    return splitter->slice && carried_past && !slice_has(splitter->slice, value);
}

/* Checks that the rows of every split tile divide.  The units are blocks of rows of the tensor cores, and of the
   swizzle in shared memory.  */
static void visit_divide(Op *op, void *context)
{
    Splitter *splitter = context;
    for (int i = 0; i < op->nresults; i++) {
        Value *value = op->results[i];
        if (!has_rows(value) || arrives(splitter, value) || splitter->mode[value->id] & WHOLE ||
            is_elsewhere(splitter, op) || is_beside(splitter, value))
            continue;
        int unit = splitter->groups * (op->code == OP_DOT ? MACHINE_MMA_ROWS : MACHINE_SWIZZLE_ROWS);
        if (value->type.rows % unit && !splitter->why)
            splitter->why = op;
        splitter->mode[value->id] = SPLIT;
        splitter->nsplit++;
    }
}

static void mark(const Splitter *splitter, Value *value, bool split)
{
    uint32_t bit = ROLE_BIT(splitter->role);
    value->split = has_rows(value) && split ? value->split | bit : value->split & ~bit;
}

static void visit_mark(Op *op, void *context)
{
    Splitter *splitter = context;
    for (int i = 0; i < op->nresults; i++)
        mark(splitter, op->results[i], splitter->mode[op->results[i]->id] == SPLIT);
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; op->blocks[k] && i < op->blocks[k]->nargs; i++) {
            Value *argument = op->blocks[k]->args[i];
            mark(splitter, argument, !(splitter->mode[argument->id] & WHOLE) && !is_beside(splitter, argument));
        }
}

/* ---- memory between groups --------------------------------------------------------------------------------------- */

/* True if the value is divided.  Arguments of blocks have the mode of the values passed to them.  */
static bool is_split(const Splitter *splitter, const Value *value)
{
    return arrives(splitter, value) ? ring_source_divides(value, splitter->groups)
                                    : has_rows(value) && !(splitter->mode[value->id] & WHOLE);
}

typedef struct {
    Splitter *splitter;
    Op *store;
} Overlap;

static bool is_across(const Splitter *splitter, const Value *value)
{
    const Op *def = value->def;
    return def && is_transposed_to_store(splitter, def) && is_split(splitter, def->args[0]);
}

/* Refuses a load of the groups, or another store, that may access elements that another group stored.  Both must be
   divided and have the same rows.  */
static void visit_overlap(Op *op, void *context)
{
    Overlap *overlap = context;
    Splitter *splitter = overlap->splitter;
    const Op *store = overlap->store;
    OpClass class_ = op_info[op->code].class_;
    bool load = class_ == CLASS_LOAD && !schedule_of(op)->depth;
    bool other = class_ == CLASS_STORE && !op_prints(op) && op != store;
    if (!(load || other) || tensor_memory(op->args[0]) != tensor_memory(store->args[0]) ||
        (other && stores_apart(store, op)))
        return;
    int row = row_coordinate(op), store_row = row_coordinate(store);
    const Value *tile = store->args[store->nargs - 1], *value = load ? op->results[0] : op->args[op->nargs - 1];
    bool across = is_across(splitter, tile) || (other && is_across(splitter, value));
    bool whole = other && !is_split(splitter, tile) && !is_split(splitter, value) && !across;
    bool together = row >= 0 && store_row >= 0 && op->args[row] == store->args[store_row] && is_split(splitter, tile) &&
                    is_split(splitter, value) && tile->type.rows == value->type.rows;
    if (!whole && !together && !splitter->why)
        splitter->why = op;
}

/* Counts a tile that is stored as it was loaded as divided, if the user asks for several groups.  */
static void visit_store(Op *op, void *context)
{
    Splitter *splitter = context;
    Overlap overlap = {splitter, op};
    if (op_info[op->code].class_ != CLASS_STORE || op_prints(op))
        return;
    const Value *tile = op->args[op->nargs - 1];
    splitter->nsplit +=
        splitter->kernel->schedule.block.groups > 1 && arrives(splitter, tile) && is_split(splitter, tile);
    ir_walk(splitter->kernel->body, visit_overlap, &overlap);
}

/* ---- what a task needs ------------------------------------------------------------------------------------------- */

static bool cut_at_other_role(const Op *op, void *context)
{
    return schedule_of(op)->depth && schedule_of(op)->maker != ROLE_BIT((const Role *)context);
}

static void visit_root(Op *op, void *context)
{
    Slice *slice = context;
    const ScheduleRow *row = schedule_of(op);
    const uint32_t bit = ROLE_BIT((const Role *)slice->context);
    if (op_info[op->code].class_ == CLASS_STORE ? row->roles == bit : row->depth && row->maker == bit)
        slice_op(slice, op);
}

static Slice slice_of_task(Kernel *kernel, const Role *role)
{
    Slice slice = slice_new(kernel);
    slice.cut = cut_at_other_role;
    slice.context = (void *)role;
    ir_walk(kernel->body, visit_root, &slice);
    return slice;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool try_split(Kernel *kernel, const Role *role, int groups, bool gathers, Op **why)
{
    const bool multiplies = role == role_that(kernel, ROLE_STORES);
    const Slice slice = multiplies ? (Slice){0} : slice_of_task(kernel, role);
    char *mode = arena_alloc(kernel->module, (size_t)kernel->module->next_id);
    Splitter splitter = {.kernel = kernel,
                         .role = role,
                         .uses = uses_new(kernel, kernel->body),
                         .slice = multiplies ? NULL : &slice,
                         .mode = mode,
                         .groups = groups,
                         .gathers = gathers};
    propagate(&splitter);
    ir_walk(kernel->body, visit_odd, &splitter);
    propagate(&splitter);
    if (!splitter.why)
        ir_walk(kernel->body, visit_divide, &splitter);
    if (!splitter.why && role->may & ROLE_STORES)
        ir_walk(kernel->body, visit_store, &splitter);
    if (!splitter.nsplit && !splitter.why && (multiplies || !(role->may & ROLE_STORES)))
        splitter.why = splitter.whole ? splitter.whole : kernel->body->last; /* every group would do all of the work */
    if (why)
        *why = splitter.why;
    if (splitter.why)
        return false;
    ir_walk(kernel->body, visit_mark, &splitter);
    return true;
}

bool split_rows(Kernel *kernel, const Role *role, int groups, Op **why)
{
    Op *otherwise = NULL;
    return try_split(kernel, role, groups, false, why) || try_split(kernel, role, groups, true, &otherwise);
}
