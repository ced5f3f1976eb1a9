/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * blocks.c - loops whose iterations are executed by the blocks of a cluster (the clause blocks).
 *
 *      before                                         after: cluster (1, 8), block s of it
 *      grid i                                         grid i, s = 0, < 8, 1
 *        x, sum = for s = 0, < 8, 1: none, zero blocks    v = ... s ...
 *          v = ... s ...                                  part = row_sum v
 *          next = add sum, row_sum v                      sum = sum_blocks part, zero
 *          yield v, next                                  mean = div sum, n
 *        mean = div sum, n                                store y, i, 512 s, sub v, mean
 *        for s = 0, < 8, 1 blocks                         if s == 0
 *          v = tile_at x, s                                 store_col m, i, mean
 *          store y, i, 512 s, sub v, mean
 *        store_col m, i, mean
 *
 * An array is a carried value of which each iteration writes its element. The element stays in its block, and the same
 * iteration of a later loop reads it there. A sum, maximum or minimum over the iterations becomes an exchange between
 * the blocks. Each block combines the parts of all blocks in the order of the loop, so that all have the same bits.
 * Every block executes the code between the loops. The first block alone executes the stores there.
 *
 * An iteration may stand for many iterations of the user's loop (optimize/cluster-rows.c). The blocks then reduce their
 * rows in pieces themselves: sum = sum_blocks v, zero piece=128.
 *
 * A sum of powers below a running maximum, as in a softmax (ir/powers.h), is exchanged, too. Each block sends its
 * own maximum, and its sum below that. A later loop reuses the powers that the exchange has computed:
 *
 *      e = exp (sub v, most)                            e = powers_sent v, most, sum
 *
 * The blocks run concurrently. So an iteration must not read an element that another stores, and no two iterations
 * store one element.
 *
 * If a loop prints, one block executes all its iterations in order.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/blocks.c runs these loops on the sequential target, which runs
 * the C loops, and on emulate.
 */
#include <string.h>

#include "ir/alias.h"
#include "ir/powers.h"
#include "ir/queries.h"
#include "ir/slice.h"
#include "language/blocks.h"
#include "passes.h"
#include "target/machine.h"

typedef struct {
    Kernel *kernel;
    Op *grid, *first; /* the first loop */
    int count;        /* iterations of each */
    Value *block;     /* number of the block in its cluster; NULL: the loops have one iteration */
    int piece;        /* columns of a piece, whose reductions are combined in order; 0: an iteration is one piece */
    Uses uses;
    Value *x, *largest, *sum; /* of the first sum of powers; without an exchange, `sum` is the tile of powers */
    Opcode power;
} Blocks;

/* True if exchanges are operations of their own.  One block needs them only to combine pieces.  */
static bool joins(const Blocks *blocks)
{
    return blocks->block || blocks->piece;
}

static bool is_blocks(const Op *op)
{
    return pipeline_of(op) && pipeline_of(op)->blocks;
}

/* Returns the loop over blocks around an operation, or NULL.  */
static const Op *blocks_around(const Op *op)
{
    const Op *loop = ir_enclosing(op, OP_FOR);
    while (loop && !is_blocks(loop))
        loop = ir_enclosing(loop, OP_FOR);
    return loop;
}

/* ---- the loops --------------------------------------------------------------------------------------------------- */

static void visit_loop(Op *op, void *context)
{
    Blocks *blocks = context;
    Kernel *kernel = blocks->kernel;
    if (op->code == OP_GRID)
        blocks->grid = op;
    if (!is_blocks(op) || kernel->failed)
        return;
    Loc loc = op->control->pipeline->loc;
    int64_t low, high, step;
    bool counted = ir_constant(op->args[0], &low) && ir_constant(op->args[1], &high) &&
                   ir_constant(op->args[2], &step) && low == 0 && step == 1 && op->control->compare == OP_SCALAR_LT &&
                   high >= 1 &&
                   high <= (blocks->piece ? kernel->machine->most_cluster_blocks : kernel->machine->cluster_blocks);
    if (kernel->machine->cluster_blocks == 1)
        reject(kernel, loc, REASON_CLUSTERS_NONE, kernel->machine->name, "the clause 'blocks'");
    else if (!counted)
        reject(kernel, op->loc, REASON_BLOCKS_LOOP, kernel->machine->cluster_blocks);
    else if (ir_enclosing(op, OP_FOR) || ir_enclosing(op, OP_WHILE))
        reject(kernel, loc, REASON_BLOCKS_INSIDE);
    else if (blocks->first && high != blocks->count)
        reject(kernel, op->loc, REASON_BLOCKS_COUNT, (int)high, blocks->first->loc.line, blocks->count);
    if (blocks->first || kernel->failed)
        return;
    blocks->first = op;
    blocks->count = (int)high;
}

static void visit_parts(Op *op, void *context)
{
    Kernel *kernel = context;
    if (pipeline_of(op) && pipeline_of(op)->parts && !kernel->failed)
        reject(kernel, op->control->pipeline->loc, REASON_BLOCKS_PARTS);
}

static bool check_grid(const Blocks *blocks)
{
    Kernel *kernel = blocks->kernel;
    Loc loc = blocks->first->control->pipeline->loc;
    ir_walk(blocks->grid->blocks[0], visit_parts, kernel);
    if (blocks->count > 1 && blocks->grid->nargs / 3 == 4)
        reject(kernel, loc, REASON_BLOCKS_GRID);
    else if (kernel->grid.cluster[0] > 1 || kernel->grid.cluster[1] > 1)
        reject(kernel, kernel->grid.loc, REASON_BLOCKS_CLUSTER);
    return !kernel->failed;
}

/* ---- carried values ---------------------------------------------------------------------------------------------- */

/* Returns the operation that reduces the n-th carried value with *part, or NULL if the loop uses the value
   otherwise.  */
static Op *reduction(const Blocks *blocks, const Op *loop, int n, Value **part)
{
    Carried names = carried(loop, n);
    Op *op = names.next->def;
    bool one = op && (op->code == OP_ADD || op->code == OP_MAX || op->code == OP_MIN) &&
               op->parent == loop->blocks[0] && used_once(&blocks->uses, names.argument) &&
               used_once(&blocks->uses, names.next);
    *part = !one                            ? NULL
            : op->args[0] == names.argument ? op->args[1]
            : op->args[1] == names.argument ? op->args[0]
                                            : NULL;
    bool words = names.result->type.dtype == D_F32 || names.result->type.dtype == D_I32;
    return *part && words && type_equal((*part)->type, names.result->type) ? op : NULL;
}

/* True if the n-th carried value is an array: each iteration writes its element, and only TILE_AT reads the result.  */
static bool is_array(const Blocks *blocks, const Op *loop, int n)
{
    Carried names = carried(loop, n);
    if (names.result->type.kind != K_TILE || uses_of(&blocks->uses, names.argument))
        return false;
    for (const Use *use = uses_of(&blocks->uses, names.result); use; use = use->next)
        if (use->op->code != OP_TILE_AT || use->arg != 0)
            return false;
    return true;
}

static void visit_carried(Op *loop, void *context)
{
    const Blocks *blocks = context;
    Value *part;
    if (!is_blocks(loop) || blocks->kernel->failed)
        return;
    for (int i = 0; i < carried_count(loop); i++) {
        const Value *value = loop->results[i];
        Powers powers;
        if (is_array(blocks, loop, i) || powers_of(&blocks->uses, loop, i, &powers) ||
            (value->type.kind == K_TILE && reduction(blocks, loop, i, &part)))
            continue;
        reject(blocks->kernel, loop->loc, REASON_BLOCKS_CARRIED, value->name ? value->name : "a value");
        return;
    }
}

static const Value *unconverted(const Value *value)
{
    while (value->def && value->def->code == OP_SCALAR_CONVERT)
        value = value->def->args[0];
    return value;
}

static void visit_element(Op *op, void *context)
{
    const Blocks *blocks = context;
    Kernel *kernel = blocks->kernel;
    if (op->code != OP_TILE_AT || kernel->failed)
        return;
    const char *name = op->args[0]->name ? op->args[0]->name : "the array";
    const Op *loop = blocks_around(op);
    if (!loop)
        reject(kernel, op->loc, REASON_BLOCKS_BETWEEN, name);
    else if (unconverted(op->args[1]) != loop->blocks[0]->args[0])
        reject(kernel, op->loc, REASON_BLOCKS_ELEMENT, name);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct {
    Kernel *kernel;
    const Op *store;
} Sharing;

/* Rejects an access to the memory that the store writes, unless the two are ordered or disjoint. Stores outside of
   loops over blocks are ordered, as the first block executes them.  */
static void visit_shared(Op *op, void *context)
{
    const Sharing *sharing = context;
    const Op *store = sharing->store, *loop = blocks_around(op), *other = blocks_around(store);
    bool loads = op_info[op->code].class_ == CLASS_LOAD;
    bool stores = op_info[op->code].class_ == CLASS_STORE && !op_prints(op);
    if ((!loads && !stores) || op == store || sharing->kernel->failed ||
        tensor_memory(op->args[0]) != tensor_memory(store->args[0]))
        return;
    bool both_add = op_adds(op) && op_adds(store);
    bool in_order = stores && !loop && !other, apart = stores && loop != other && stores_apart(op, store);
    if (!both_add && !in_order && !apart)
        reject(sharing->kernel, op->loc, REASON_BLOCKS_MEMORY, store->loc.line);
}

static void visit_store(Op *op, void *context)
{
    const Blocks *blocks = context;
    Kernel *kernel = blocks->kernel;
    if (op_info[op->code].class_ != CLASS_STORE || kernel->failed)
        return;
    const Op *loop = blocks_around(op);
    if (op_prints(op))
        return;
    Sharing sharing = {kernel, op};
    ir_walk(blocks->grid->blocks[0], visit_shared, &sharing);
    if (!kernel->failed && loop && !store_moves_on(op))
        reject(kernel, op->loc, REASON_BLOCKS_STORE);
}

/* ---- the dimension ----------------------------------------------------------------------------------------------- */

static Value *converted_before(const Blocks *blocks, Op *where, Dtype dtype, Value *x)
{
    if (x->type.dtype == dtype)
        return x;
    Op *op = op_new(blocks->kernel, OP_SCALAR_CONVERT, where->loc, 1, &x);
    op_before(where, op);
    return op_result(blocks->kernel, op, type_scalar(dtype), NULL);
}

static void add_dimension(Blocks *blocks)
{
    Grid *grid = &blocks->kernel->grid;
    const Value *counter = blocks->first->blocks[0]->args[0];
    const int64_t range[] = {0, blocks->count, 1};
    for (int i = 0; i < 3; i++)
        op_add_arg(blocks->kernel, blocks->grid,
                   ir_const_before(blocks->kernel, blocks->grid, counter->type.dtype, range[i]));
    blocks->block = block_arg(blocks->kernel, blocks->grid->blocks[0], counter->type, counter->name, counter->loc);
    grid->dims++;
    grid->parts = true;
    grid->cluster[0] = 1;
    grid->cluster[1] = blocks->count;
}

/* Returns the number of the block, converted before `where`.  It is 0 if the loops have one iteration.  */
static Value *block_before(const Blocks *blocks, Op *where, Dtype dtype)
{
    return blocks->block ? converted_before(blocks, where, dtype, blocks->block)
                         : ir_const_before(blocks->kernel, where, dtype, 0);
}

/* ---- each block executes its iteration --------------------------------------------------------------------------- */

/* Returns the reduction of the n-th carried value over all blocks.  */
static Value *joined(const Blocks *blocks, Op *loop, int n)
{
    Value *part, *args[2];
    const Op *op = reduction(blocks, loop, n, &part);
    Opcode code = op->code == OP_ADD ? OP_SUM_BLOCKS : op->code == OP_MAX ? OP_MAX_BLOCKS : OP_MIN_BLOCKS;
    const Value *result = loop->results[n];
    args[0] = part;
    args[1] = loop->args[3 + n];
    if (!joins(blocks)) { /* the operation of the loop's only iteration */
        code = op->code;
        args[op->args[0] == part ? 0 : 1] = part;
        args[op->args[0] == part ? 1 : 0] = loop->args[3 + n];
    }
    Op *all = op_new(blocks->kernel, code, loop->loc, 2, args);
    if (blocks->piece) { /* the operand is the row itself, which the exchange reduces in pieces */
        all->args[0] = part->def->args[0];
        all->tile->piece = blocks->piece;
    }
    op_before(loop, all);
    return op_result(blocks->kernel, all, result->type, result->name);
}

/* The same for a sum of powers, or for its maximum.  */
static Value *joined_powers(const Blocks *blocks, Op *loop, int n, const Powers *powers)
{
    Value *args[] = {powers->x, loop->args[3 + n], loop->args[3 + powers->largest]};
    bool sum = n == powers->sum;
    Opcode code = !sum ? OP_MAX_BLOCKS : powers->power == OP_EXP ? OP_SUM_EXP_BLOCKS : OP_SUM_EXP2_BLOCKS;
    Op *all = op_new(blocks->kernel, code, loop->loc, sum ? 3 : 2, args);
    all->tile->piece = blocks->piece ? blocks->piece : powers->x->type.cols;
    if (sum)
        all->tile->fused = powers->fused;
    op_before(loop, all);
    return op_result(blocks->kernel, all, loop->results[n]->type, loop->results[n]->name);
}

typedef struct {
    const Op *reduction; /* NULL for an array or powers */
    bool is_powers;
    Powers powers;
} Joined;

static Joined joined_as(const Blocks *blocks, const Op *loop, int n)
{
    Joined as = {0};
    Value *part;
    if (is_array(blocks, loop, n))
        return as;
    as.is_powers = powers_of(&blocks->uses, loop, n, &as.powers);
    as.reduction = as.is_powers ? NULL : reduction(blocks, loop, n, &part);
    return as;
}

/* True if the exchange between blocks replaces the operation.  */
static bool is_replaced(const Blocks *blocks, const Joined *as, const Op *op)
{
    for (int i = 0; as->is_powers && joins(blocks) && i < as->powers.count; i++)
        if (op == as->powers.made[i])
            return true;
    return op == as->reduction;
}

/* Maximum number of registers for powers that one loop sums and another loop reuses.  */
enum { MOST_POWERS = 128 };

static void note_powers(Blocks *blocks, const Op *loop, const Joined *as, int n)
{
    const Powers *powers = &as->powers;
    if (blocks->x || !as->is_powers || n != powers->sum ||
        machine_tile_registers(powers->x->type, LAYOUT_WIDE) > MOST_POWERS)
        return;
    blocks->x = powers->x;
    blocks->power = powers->power;
    blocks->sum = joins(blocks) ? loop->results[n] : powers->row_sum->args[0];
    blocks->largest = loop->results[powers->largest];
}

static void unroll(Blocks *blocks, Op *loop)
{
    Block *body = loop->blocks[0], *around = blocks->grid->blocks[0];
    int count = carried_count(loop);
    Joined as[count + 1];
    for (int i = 0; i < count; i++)
        as[i] = joined_as(blocks, loop, i);
    ir_replace_uses(body, body->args[0], block_before(blocks, loop, body->args[0]->type.dtype));
    for (int i = 0; i < count && !joins(blocks); i++)
        if (as[i].is_powers) /* the loop has one iteration */
            ir_replace_uses(body, body->args[1 + i], loop->args[3 + i]);
    FOR_OPS (op, body) {
        bool left = op == block_end(body);
        for (int i = 0; i < count; i++)
            left |= is_replaced(blocks, &as[i], op);
        if (left)
            continue;
        op_remove(op);
        op_before(loop, op);
    }
    for (int i = 0; i < count; i++)
        note_powers(blocks, loop, &as[i], i);
    for (int i = 0; i < count; i++) {
        bool powers = as[i].is_powers && joins(blocks);
        Value *all = powers            ? joined_powers(blocks, loop, i, &as[i].powers)
                     : as[i].reduction ? joined(blocks, loop, i)
                                       : block_end(body)->args[i];
        blocks->sum = blocks->sum == loop->results[i] ? all : blocks->sum;
        blocks->largest = blocks->largest == loop->results[i] ? all : blocks->largest;
        ir_replace_uses(around, loop->results[i], all);
    }
    op_remove(loop);
}

static bool is_same_tile(const Value *x, const Value *y)
{
    bool casts = x->def && y->def && x->def->code == OP_CAST && y->def->code == OP_CAST;
    return x == y || (casts && type_equal(x->type, y->type) && is_same_tile(x->def->args[0], y->def->args[0]));
}

/* Replaces powers that a later loop recomputes by those of the exchange.  */
static void take_powers(const Blocks *blocks)
{
    const Op *behind = blocks->x ? blocks->sum->def : NULL;
    for (Op *op = behind ? behind->next : NULL; op; op = op->next) {
        const Op *difference = op->code == blocks->power ? op->args[0]->def : NULL;
        if (!difference || difference->code != OP_SUB || difference->args[1] != blocks->largest ||
            !is_same_tile(difference->args[0], blocks->x))
            continue;
        if (!joins(blocks)) {
            ir_replace_uses(blocks->grid->blocks[0], op->results[0], blocks->sum);
            continue;
        }
        Value *args[] = {blocks->x, blocks->largest, blocks->sum};
        Op *sent = op_new(blocks->kernel, OP_POWERS_SENT, op->loc, 3, args);
        op_before(op, sent);
        ir_replace_uses(blocks->grid->blocks[0], op->results[0],
                        op_result(blocks->kernel, sent, op->results[0]->type, op->results[0]->name));
    }
}

static void visit_unroll(Op *op, void *context)
{
    if (is_blocks(op))
        unroll(context, op);
}

/* Replaces an element of an array by its value, which the same block has.  */
static void visit_own(Op *op, void *context)
{
    const Blocks *blocks = context;
    if (op->code != OP_TILE_AT)
        return;
    ir_replace_uses(blocks->grid->blocks[0], op->results[0], op->args[0]);
    op_remove(op);
}

/* Guards a store outside of loops over blocks, so that the first block alone executes it.  */
static void visit_outside(Op *op, void *context)
{
    const Blocks *blocks = context;
    if (op_info[op->code].class_ != CLASS_STORE || blocks_around(op))
        return;
    Dtype dtype = blocks->block->type.dtype;
    Value *args[] = {blocks->block, ir_const_before(blocks->kernel, op, dtype, 0)};
    Op *test = op_new(blocks->kernel, OP_SCALAR_EQ, op->loc, 2, args);
    op_before(op, test);
    Value *is_first = op_result(blocks->kernel, test, type_scalar(D_I1), NULL);
    Op *branch = op_new(blocks->kernel, OP_IF, op->loc, 1, &is_first);
    op_before(op, branch);
    for (int i = 0; i < 2; i++)
        op_append(block_new(blocks->kernel, branch), op_new(blocks->kernel, OP_YIELD, op->loc, 0, NULL));
    op_remove(op);
    op_before(branch->blocks[0]->first, op);
}

/* ---- one block executes all iterations --------------------------------------------------------------------------- */

static bool prints_inside(const Op *op, const void *context)
{
    (void)context;
    return op_prints(op) && blocks_around(op);
}

/* The elements that iterations have written to an array.  */
typedef struct {
    const Value *array;
    Value **elements;
} Left;

typedef struct {
    Blocks *blocks;
    Left *left;
    int count, iteration;
    Block *copy;
} Rows;

/* Replaces an element by the value that the same iteration of an earlier loop has written.  */
static void visit_left(Op *op, void *context)
{
    const Rows *rows = context;
    if (op->code != OP_TILE_AT)
        return;
    for (int i = 0; i < rows->count; i++)
        if (rows->left[i].array == op->args[0])
            ir_replace_uses(rows->copy, op->results[0], rows->left[i].elements[rows->iteration]);
    op_remove(op);
}

static void note_arrays(Rows *rows, Op *loop)
{
    Module *module = rows->blocks->kernel->module;
    const int count = carried_count(loop);
    Left *left = arena_alloc(module, (size_t)(rows->count + count + 1) * sizeof *left);
    memcpy(left, rows->left, (size_t)rows->count * sizeof *left);
    rows->left = left;
    for (int i = 0; i < count; i++)
        if (is_array(rows->blocks, loop, i))
            left[rows->count++] =
                (Left){loop->results[i], arena_alloc(module, (size_t)rows->blocks->count * sizeof(Value *))};
}

static void make_iteration(Rows *rows, Op *loop, Value **now)
{
    Kernel *kernel = rows->blocks->kernel;
    Block *body = loop->blocks[0];
    ValueMap map = value_map_new(kernel);
    const Dtype dtype = body->args[0]->type.dtype;
    value_map_set(kernel, &map, body->args[0], ir_const_before(kernel, loop, dtype, rows->iteration));
    for (int i = 0; i < carried_count(loop); i++)
        value_map_set(kernel, &map, body->args[1 + i], now[i]);
    rows->copy = block_new(kernel, NULL);
    ir_copy_block(kernel, body, rows->copy, &map);
    ir_walk(rows->copy, visit_left, rows);
    memcpy(now, block_end(rows->copy)->args, (size_t)carried_count(loop) * sizeof *now);
    op_remove(block_end(rows->copy));
    FOR_OPS (op, rows->copy) {
        op_remove(op);
        op_before(loop, op);
    }
    for (int k = 0; k < rows->count; k++)
        for (int i = 0; i < carried_count(loop); i++)
            if (rows->left[k].array == loop->results[i])
                rows->left[k].elements[rows->iteration] = now[i];
}

static void visit_repeat(Op *loop, void *context)
{
    Rows *rows = context;
    if (!is_blocks(loop))
        return;
    const int count = carried_count(loop);
    Value *now[count + 1];
    memcpy(now, loop->args + 3, (size_t)count * sizeof *now);
    note_arrays(rows, loop);
    for (rows->iteration = 0; rows->iteration < rows->blocks->count; rows->iteration++)
        make_iteration(rows, loop, now);
    for (int i = 0; i < count; i++)
        if (!is_array(rows->blocks, loop, i))
            ir_replace_uses(rows->blocks->grid->blocks[0], loop->results[i], now[i]);
    op_remove(loop);
}

static bool is_element(const Op *op, const void *context)
{
    (void)context;
    return op->code == OP_TILE_AT;
}

void blocks_of_pieces(Kernel *kernel, int piece)
{
    Blocks blocks = {.kernel = kernel, .piece = piece};
    ir_walk(kernel->body, visit_loop, &blocks);
    if (kernel->failed || (!blocks.first && !ir_any_of(kernel->body, is_element, NULL)))
        return;
    blocks.uses = uses_new(kernel, kernel->body);
    if (blocks.first && !check_grid(&blocks))
        return;
    ir_walk(kernel->body, visit_element, &blocks);
    if (blocks.first && !kernel->failed && ir_any_of(kernel->body, prints_inside, NULL)) {
        Rows rows = {.blocks = &blocks};
        ir_walk(blocks.grid->blocks[0], visit_repeat, &rows);
        remark(kernel, DIAG_MISSED, blocks.first->loc,
               "one block runs all iterations of the loops over blocks, one of which prints");
        return;
    }
    ir_walk(blocks.grid->blocks[0], visit_carried, &blocks);
    ir_walk(blocks.grid->blocks[0], visit_store, &blocks);
    if (kernel->failed)
        return;
    Loc loc = blocks.first->control->pipeline->loc;
    if (blocks.count > 1) {
        add_dimension(&blocks);
        ir_walk(blocks.grid->blocks[0], visit_outside, &blocks);
    }
    ir_walk(blocks.grid->blocks[0], visit_own, &blocks);
    ir_walk(blocks.grid->blocks[0], visit_unroll, &blocks);
    take_powers(&blocks);
    remark(kernel, DIAG_OPTIMIZED, loc, "%d block%s of a cluster run%s one iteration each of the loops over blocks",
           blocks.count, blocks.count > 1 ? "s" : "", blocks.count > 1 ? "" : "s");
}

void pass_blocks(Kernel *kernel)
{
    blocks_of_pieces(kernel, 0);
}
