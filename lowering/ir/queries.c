/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queries.c - predicates and properties of operations and values that several passes share.
 *
 *   r = load d, i, j                     op_is_pure
 *   for k = 0, < 4, 1                    constant_trips: 4
 *     acc = dot (ta, tb, acc)            op_is_product; op_reads_operand for ta and tb; op_writes_in_place
 */
#include "ir/queries.h"
#include "rules.h"

bool op_is_dot(const Op *op)
{
    return op->code == OP_DOT && op->args[0]->type.dtype != D_F64;
}

bool op_is_product(const Op *op)
{
    return op->code == OP_DOT || op->code == OP_DOT_F32;
}

bool op_reads_operand(const Op *op, int arg)
{
    return op_is_product(op) && (arg < 2 || (op->code == OP_DOT_F32 && arg > 2));
}

bool op_is_elementwise(const Op *op)
{
    switch (op_info[op->code].rule) {
    case R_UNARY:
    case R_FLOAT:
    case R_FLOATS:
    case R_CAST:
    case R_BITCAST:
    case R_BINARY:
    case R_BITS:
    case R_COMPARE:
    case R_MASK:
    case R_SELECT:
    case R_FMA:
        return true;
    default:
        return false;
    }
}

bool value_is_tile(const Value *value)
{
    return value->type.kind == K_TILE || value->type.kind == K_TOKEN;
}

bool op_takes_scalars(const Op *op)
{
    const int rule = op_info[op->code].rule;
    if (rule != R_BINARY && rule != R_FLOATS && rule != R_BITS && rule != R_COMPARE && rule != R_SELECT &&
        rule != R_FMA)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (value_is_tile(op->args[i]) && !(op->args[i]->def && op->args[i]->def->code == OP_SPLAT))
            return true;
    return false;
}

bool op_meets_blocks(const Op *op)
{
    return op_info[op->code].about & MEETS_BLOCKS;
}

bool op_reduces_rows(const Op *op)
{
    return op->code == OP_ROW_SUM || op->code == OP_ROW_MAX || op->code == OP_ROW_MIN || op->code == OP_ROW_ARGMAX ||
           op->code == OP_ROW_FIRST || op->code == OP_ROW_TOTAL;
}

bool op_reduces_columns(const Op *op)
{
    return op->code == OP_COL_SUM || op->code == OP_COL_MAX || op->code == OP_COL_MIN;
}

bool op_adds(const Op *op)
{
    return op->code == OP_ATOMIC_ADD || op->code == OP_ATOMIC_ADD_AT;
}

bool op_scatters(const Op *op)
{
    return op_info[op->code].rule == R_STORE_AT;
}

bool op_prints(const Op *op)
{
    return op->code == OP_PRINT || op->code == OP_PRINT_EACH;
}

static bool is_print(const Op *op, const void *context)
{
    (void)context;
    return op_prints(op);
}

bool kernel_prints(const Kernel *kernel)
{
    return ir_any_of(kernel->body, is_print, NULL);
}

static bool is_line(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_PRINT_EACH;
}

bool kernel_prints_lines(const Kernel *kernel)
{
    return ir_any_of(kernel->body, is_line, NULL);
}

bool op_mixes_rows(const Op *op)
{
    return op_info[op->code].about & MIXES_ROWS;
}

Op *pipelined_loop(const Op *op)
{
    Op *loop = ir_enclosing(op, OP_FOR);
    while (loop && !loop_is_pipelined(loop))
        loop = ir_enclosing(loop, OP_FOR);
    return loop;
}

Op *ring_source(const Value *value)
{
    Op *op = value->def;
    if (op && op->code == OP_TRANS)
        op = op->args[0]->def;
    return op && schedule_of(op)->depth ? op : NULL;
}

bool use_is_operand(const Use *use, const Uses *uses)
{
    if (op_is_product(use->op))
        return op_reads_operand(use->op, use->arg);
    if (use->op->code != OP_TRANS)
        return false;
    const Use *next = uses_of(uses, use->op->results[0]);
    for (; next; next = next->next)
        if (!op_reads_operand(next->op, next->arg))
            return false;
    return true;
}

static int last_use_stage(const Value *value, const Block *block, const Uses *uses)
{
    int stage = 0;
    for (const Use *use = uses_of(uses, value); use; use = use->next) {
        const Op *op = op_at_block(use->op, block);
        int here = op && op->code == OP_TRANS ? last_use_stage(op->results[0], block, uses)
                   : op                       ? schedule_of(op)->stage
                                              : 0;
        stage = here > stage ? here : stage;
    }
    return stage;
}

int last_stage(const Op *source, const Uses *uses)
{
    int stage = last_use_stage(source->results[0], source->parent, uses);
    return stage > schedule_of(source)->stage ? stage : schedule_of(source)->stage;
}

Op *op_at_block(Op *op, const Block *block)
{
    while (op && op->parent != block)
        op = op->parent->parent;
    return op;
}

int row_coordinate(const Op *op)
{
    switch (op->code) {
    case OP_LOAD:
    case OP_LOAD_COL:
        return op->code == OP_LOAD ? op->nargs - 2 : op->nargs - 1;
    case OP_STORE:
    case OP_ATOMIC_ADD:
        return op->nargs - 3;
    case OP_STORE_COL:
        return op->nargs - 2;
    default:
        return -1;
    }
}

bool is_split_across(const Value *tile, uint32_t role)
{
    const Op *def = tile->def;
    return def && def->code == OP_TRANS && !ring_source(tile) && def->args[0]->type.kind == K_TILE &&
           def->args[0]->split & role && !(tile->split & role);
}

bool takes_columns(const Op *op, const void *counter)
{
    return op->code == OP_COLUMNS && op->args[1] == counter;
}

Type stored_type(const Op *store)
{
    Type type = store->args[store->nargs - 1]->type;
    const Op *loop = store->parent->parent;
    int64_t columns;
    if (loop && loop->code == OP_FOR && ir_any(loop, takes_columns, loop->blocks[0]->args[0]) &&
        ir_constant(loop->args[1], &columns))
        type.cols = (int)columns;
    return type;
}

Block *body_around(Block *block)
{
    while (block->parent && block->parent->code == OP_IF)
        block = block->parent->parent;
    return block;
}

Op *loop_around(Block *block)
{
    return body_around(block)->parent;
}

Op *outermost_loop(const Op *op)
{
    Op *outer = NULL;
    for (Op *around = op->parent->parent; around && around->code != OP_GRID; around = around->parent->parent)
        if (around->code == OP_FOR || around->code == OP_WHILE)
            outer = around;
    return outer;
}

bool may_wrap(const Op *loop, int dim)
{
    Type variable = loop->blocks[0]->args[dim]->type, bound = loop->args[3 * dim]->type;
    return variable.kind == K_SCALAR && bound.kind == K_SCALAR &&
           ((variable.dtype == D_I32 && bound.dtype == D_I64) ||
            (variable.dtype == D_U32 && (bound.dtype == D_I64 || bound.dtype == D_U32)));
}

bool wraps_by_tiles(const Kernel *kernel, const Op *grid, int dim)
{
    return may_wrap(grid, dim) && !(kernel->grid.by_one && grid->args[3 * dim]->type.dtype == D_U32);
}

int grid_variable(const Value *value)
{
    const Op *grid = !value->def && value->block ? value->block->parent : NULL;
    for (int i = 0; grid && grid->code == OP_GRID && i < grid->blocks[0]->nargs; i++)
        if (grid->blocks[0]->args[i] == value)
            return i;
    return -1;
}

/* True if a product is in flight at `end`: one begun in the block, or one that a block argument carries.  */
static bool leaves_in_flight(const Block *block, const Op *end)
{
    bool flies = false;
    for (int i = 0; i < block->nargs; i++)
        flies |= block->args[i]->type.kind == K_TOKEN;
    for (const Op *op = block->first; op != end; op = op->next) {
        flies |= op->code == OP_MMA;
        flies &= op->code != OP_WAIT || op->sync->pending;
        for (int i = 0; i < op->nresults; i++)
            flies |= op->results[i]->type.kind == K_TOKEN;
    }
    return flies;
}

bool products_are_done(const Op *op)
{
    while (op->parent && !leaves_in_flight(op->parent, op)) {
        if (!op->parent->parent)
            return true;
        op = op->parent->parent;
    }
    return false;
}

bool ir_is_edge(const Op *op, const Op *loop)
{
    const Op *condition = op->code == OP_IF ? op->args[0]->def : NULL;
    return condition && condition->code == OP_SCALAR_GE && condition->args[0] == loop->blocks[0]->args[0] &&
           ir_outside(condition->args[1], loop) && !ir_has_side_effect(op);
}

bool op_is_loop(const Op *op)
{
    return op->code == OP_FOR || op->code == OP_WHILE || op->code == OP_GRID || op->code == OP_NARROW;
}

bool op_writes_in_place(const Op *op)
{
    return op->code == OP_MMA || op_is_product(op);
}

bool op_is_pure(const Op *op)
{
    switch (op_info[op->code].class_) {
    case CLASS_SCALAR:
    case CLASS_TENSOR:
    case CLASS_READ:
    case CLASS_LOAD:
        return true;
    case CLASS_TILE:
        return !op_is_product(op) && !op_meets_blocks(op);
    default:
        return op->code == OP_VIEW || op->code == OP_TRANS_VIEW || op->code == OP_READ;
    }
}

/* Parameters of the kernel have neither an operation nor a block.  */
bool value_on_host(const Value *value)
{
    const Op *op = value->def;
    if (!op)
        return !value->block;
    OpClass class_ = op_info[op->code].class_;
    if (class_ != CLASS_SCALAR && op->code != OP_TENSOR)
        return false;
    for (int i = 0; i < op->nargs; i++)
        if (!value_on_host(op->args[i]))
            return false;
    return true;
}

int64_t constant_trips(const Op *loop)
{
    int64_t low, high, step;
    if (!ir_constant(loop->args[0], &low) || !ir_constant(loop->args[1], &high) || !ir_constant(loop->args[2], &step) ||
        step <= 0)
        return -1;
    return high > low ? (high - low + step - 1) / step : 0;
}

/* Limits for loops that are unrolled.  With a constant counter, addresses of consecutive loads are related.  */
enum { MAX_OPERATIONS_OF_LOADS = 192 };

bool loop_is_of_loads(const Op *loop)
{
    if (loop->code != OP_FOR || loop->nblocks != 1)
        return false;
    int64_t trips = loop_is_pipelined(loop) ? -1 : constant_trips(loop);
    int operations = 0, loads = 0;
    FOR_OPS (op, loop->blocks[0]) {
        if (op->nblocks || op_info[op->code].class_ == CLASS_SYNC || op_info[op->code].class_ == CLASS_STORE)
            return false;
        operations++;
        loads += op->code == OP_LOAD;
    }
    return trips > 1 && trips <= MAX_TRIPS_OF_LOADS && loads && trips * operations <= MAX_OPERATIONS_OF_LOADS;
}
