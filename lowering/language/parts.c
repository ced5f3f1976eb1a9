/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * parts.c - turns a loop over the parts of a sum into a dimension of the grid (split-K within a cluster).
 *
 *      before                                     after: cluster (1, 4), block s of it
 *      grid i, j                                  grid i, j, s = 0, < 4, 1
 *        sum = for s = 0, < 4, 1: sum parts         part = ... s ...
 *          part = ... s ...                         sum: 128x32 = sum_parts part
 *          yield add sum, part                      row: 1x32 = load_row bias, j + 32 s
 *        row: 1x128 = load_row bias, j              y: 128x32 = add sum, row
 *        y: 128x128 = add sum, row                  store c, i, j + 32 s, y
 *        store c, i, j, y
 *
 * The clause is for grids with fewer tiles than multiprocessors and a long sum for each tile. The blocks of a cluster
 * execute the iterations of the loop concurrently. Each block gets its share of the columns of all parts. It adds them
 * in the order of the loop, so the sum has the same bits. Each block then executes the rest of the body for its
 * columns. Shares go from shared memory to shared memory, without a workspace in global memory and without a second
 * kernel. A share is a multiple of eight columns. If there are fewer shares than blocks, the last blocks only send
 * their parts.
 *
 * An operation behind the loop must not need other columns of the same tile. Each store has to store columns of the
 * sum, as all blocks would execute any other store. A transpose of a sum may be stored, if it has no other use. Its
 * rows are then divided.
 *
 * Tested, not proved (proof/freeze.c): tests/programs/parts.c runs parts on the sequential target, which runs the C
 * loop, and on emulate.
 */
#include <math.h>

#include "ir/queries.h"
#include "ir/slice.h"
#include "passes.h"
#include "target/machine.h"

enum {
    COLUMNS_AT_LEAST = 8
}; /* of a share: four lanes hold eight f32 of a row in an accumulator fragment, eight bytes each */

typedef struct {
    Kernel *kernel;
    Op *grid, *loop;
    int count;        /* number of parts */
    int holders;      /* number of blocks that get a share of the columns */
    Value *part;      /* number of the block's part */
    bool *shared;     /* by value id: each block has its share of the columns only */
    bool *transposed; /* by value id: a stored transpose, of which each block has its share of the rows */
    bool changed;
    Uses uses;
} Parts;

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static void visit_loop(Op *op, void *context)
{
    Parts *ctx = context;
    if (op->code == OP_GRID)
        ctx->grid = op;
    if (!pipeline_of(op) || !pipeline_of(op)->parts)
        return;
    if (ctx->loop)
        reject(ctx->kernel, op->control->pipeline->loc, REASON_PARTS_SECOND, ctx->loop->loc.line);
    else
        ctx->loop = op;
}

/* Returns the value that an iteration adds to the n-th sum, or NULL if the loop uses the sum otherwise.  */
static Value *added(const Parts *ctx, int n)
{
    Carried sum = carried(ctx->loop, n);
    const Op *add = sum.next->def;
    bool adds = add && add->code == OP_ADD && add->parent == ctx->loop->blocks[0] &&
                used_once(&ctx->uses, sum.argument) && used_once(&ctx->uses, sum.next) && sum.init->def &&
                sum.init->def->code == OP_FULL;
    Value *other = !adds                          ? NULL
                   : add->args[0] == sum.argument ? add->args[1]
                   : add->args[1] == sum.argument ? add->args[0]
                                                  : NULL;
    bool words = sum.result->type.dtype == D_F32 || sum.result->type.dtype == D_I32;
    return other && words && type_equal(other->type, sum.result->type) ? other : NULL;
}

static bool check_sums(const Parts *ctx)
{
    Kernel *kernel = ctx->kernel;
    for (int i = 0; i < carried_count(ctx->loop) && !kernel->failed; i++) {
        const Value *sum = ctx->loop->results[i];
        if (sum->type.kind != K_TILE || !added(ctx, i))
            reject(kernel, ctx->loop->loc, REASON_PARTS_CARRIED, sum->name ? sum->name : "a value");
        else if (sum->type.cols % COLUMNS_AT_LEAST && ctx->count > 1)
            reject(kernel, ctx->loop->loc, REASON_PARTS_COLUMNS, sum->type.cols);
    }
    return !kernel->failed;
}

/* Returns the largest number of blocks for which each sum can be divided into shares.  */
static int count_holders(const Parts *ctx)
{
    int holders = ctx->count;
    for (int i = 0; i < carried_count(ctx->loop); i++)
        if (ctx->loop->results[i]->type.cols % (COLUMNS_AT_LEAST * holders)) {
            holders--;
            i = -1;
        }
    return holders;
}

static void visit_store_inside(Op *op, void *context)
{
    Kernel *kernel = context;
    if (op_info[op->code].class_ == CLASS_STORE && !op_prints(op) && !kernel->failed)
        reject(kernel, op->loc, REASON_PARTS_STORE);
}

static bool check_loop(Parts *ctx)
{
    Kernel *kernel = ctx->kernel;
    const Op *loop = ctx->loop;
    int64_t low, high, step;
    bool counted = ir_constant(loop->args[0], &low) && ir_constant(loop->args[1], &high) &&
                   ir_constant(loop->args[2], &step) && low == 0 && step == 1 &&
                   loop->control->compare == OP_SCALAR_LT && high >= 1 && high <= kernel->machine->cluster_blocks;
    ctx->count = counted ? (int)high : 0;
    if (kernel->machine->cluster_blocks == 1)
        reject(kernel, loop->control->pipeline->loc, REASON_CLUSTERS_NONE, kernel->machine->name, "the clause 'parts'");
    else if (!counted)
        reject(kernel, loop->loc, REASON_PARTS_LOOP, kernel->machine->cluster_blocks);
    else if (ir_enclosing(loop, OP_FOR) || ir_enclosing(loop, OP_WHILE))
        reject(kernel, loop->control->pipeline->loc, REASON_PARTS_INSIDE);
    else if (ctx->grid->nargs / 3 == 4 && ctx->count > 1)
        reject(kernel, loop->control->pipeline->loc, REASON_PARTS_GRID);
    else if (ctx->count > 1 && (kernel->grid.cluster[0] > 1 || kernel->grid.cluster[1] > 1))
        reject(kernel, kernel->grid.loc, REASON_PARTS_CLUSTER);
    else
        ir_walk(loop->blocks[0], visit_store_inside, kernel);
    return !kernel->failed && check_sums(ctx);
}

/* ---- the dimension ----------------------------------------------------------------------------------------------- */

static Value *converted_before(const Parts *ctx, Op *where, Dtype dtype, Value *x)
{
    if (x->type.dtype == dtype)
        return x;
    Op *op = op_new(ctx->kernel, OP_SCALAR_CONVERT, where->loc, 1, &x);
    op_before(where, op);
    return op_result(ctx->kernel, op, type_scalar(dtype), NULL);
}

static void add_dimension(Parts *ctx)
{
    Grid *grid = &ctx->kernel->grid;
    const Value *counter = ctx->loop->blocks[0]->args[0];
    const int64_t range[] = {0, ctx->count, 1};
    for (int i = 0; i < 3; i++)
        op_add_arg(ctx->kernel, ctx->grid, ir_const_before(ctx->kernel, ctx->grid, counter->type.dtype, range[i]));
    ctx->part = block_arg(ctx->kernel, ctx->grid->blocks[0], counter->type, counter->name, counter->loc);
    grid->dims++;
    grid->parts = true;
    grid->cluster[0] = 1;
    grid->cluster[1] = ctx->count;
}

/* Replaces the n-th result of the loop by a SUM_PARTS, which still has all columns.  */
static void sum_parts(Parts *ctx, int n, Value *part)
{
    Op *loop = ctx->loop;
    Value *result = loop->results[n];
    Op *sum = op_new(ctx->kernel, OP_SUM_PARTS, loop->loc, 1, &part);
    sum->tile->start = loop->args[3 + n]->def->tile->value;
    op_before(loop, sum);
    ir_replace_uses(ctx->grid->blocks[0], result, op_result(ctx->kernel, sum, result->type, result->name));
}

static void move_body(const Parts *ctx)
{
    const Block *body = ctx->loop->blocks[0];
    FOR_OPS (op, body)
        if (op != block_end(body)) {
            op_remove(op);
            op_before(ctx->loop, op);
        }
}

/* True if no element is -0. A sum is -0 only if both operands are. Carried values of `loop` are assumed not to be -0;
   it may be NULL.  */
static bool has_no_minus_zero(const Value *value, const Op *loop)
{
    const Op *op = value->def;
    if (!op)
        return loop && value->block == loop->blocks[0] && value->index > 0;
    if (op->code == OP_FULL)
        return op->tile->value != 0 || !signbit(op->tile->value);
    if (op->code == OP_DOT || op->code == OP_DOT_F32)
        return has_no_minus_zero(op->args[2], loop);
    if (op->code == OP_ADD)
        return has_no_minus_zero(op->args[0], loop) || has_no_minus_zero(op->args[1], loop);
    if (op->code != OP_FOR || carried_count(op) != 1)
        return false;
    Carried names = carried(op, 0);
    return has_no_minus_zero(names.init, loop) && has_no_minus_zero(names.next, op);
}

/* True if 0 + part has the bits of the part.  */
static bool is_whole_sum(const Parts *ctx, int n, const Value *part)
{
    const Op *first = ctx->loop->args[3 + n]->def;
    return first->tile->value == 0 && (part->type.dtype == D_I32 || has_no_minus_zero(part, NULL));
}

/* Replaces a loop with one iteration by its body.  */
static void take_only(const Parts *ctx)
{
    Op *loop = ctx->loop;
    Block *body = loop->blocks[0];
    for (int i = 0; i < carried_count(loop); i++)
        if (is_whole_sum(ctx, i, added(ctx, i)))
            block_end(body)->args[i] = added(ctx, i);
    ir_replace_uses(body, body->args[0], ir_const_before(ctx->kernel, loop, body->args[0]->type.dtype, 0));
    for (int i = 0; i < carried_count(loop); i++)
        ir_replace_uses(body, body->args[1 + i], loop->args[3 + i]);
    for (int i = 0; i < carried_count(loop); i++)
        ir_replace_uses(ctx->grid->blocks[0], loop->results[i], block_end(body)->args[i]);
    move_body(ctx);
    op_remove(loop);
}

/* Replaces the loop by the iteration of this block, and sums of its parts.  */
static void unroll(Parts *ctx)
{
    Op *loop = ctx->loop;
    Block *body = loop->blocks[0];
    int count = carried_count(loop);
    Value *parts[count + 1];
    for (int i = 0; i < count; i++)
        parts[i] = added(ctx, i);
    for (int i = 0; i < count; i++)
        op_remove(block_end(body)->args[i]->def);
    ir_replace_uses(body, body->args[0], ctx->part);
    move_body(ctx);
    for (int i = 0; i < count; i++)
        sum_parts(ctx, i, parts[i]);
    op_remove(loop);
}

/* ---- values whose columns are divided ---------------------------------------------------------------------------- */

static bool has_columns(const Value *value)
{
    return value->type.kind == K_TILE && value->type.cols > 1;
}

/* False for values that are newer than the table, which have their final shape.  */
static bool is_shared(const Parts *ctx, const Value *value)
{
    return value->id < ctx->uses.size && ctx->shared[value->id];
}

static bool is_transposed(const Parts *ctx, const Value *value)
{
    return value->id < ctx->uses.size && ctx->transposed[value->id];
}

static void share(Parts *ctx, const Value *value)
{
    ctx->changed |= !is_shared(ctx, value);
    ctx->shared[value->id] = true;
}

static void link_values(Parts *ctx, const Value *x, const Value *y)
{
    if (!x || !y || !has_columns(x) || !has_columns(y))
        return;
    if (is_shared(ctx, x) || is_shared(ctx, y)) {
        share(ctx, x);
        share(ctx, y);
    }
}

static void link_loop(Parts *ctx, const Op *loop)
{
    for (int i = 0; i < carried_count(loop); i++) {
        Carried names = carried(loop, i);
        link_values(ctx, names.init, names.argument);
        link_values(ctx, names.argument, names.next);
        link_values(ctx, names.argument, names.result);
        link_values(ctx, names.argument, names.body_argument);
        link_values(ctx, names.exit, names.argument);
        link_values(ctx, names.exit, names.result);
    }
}

static bool is_only_stored(const Parts *ctx, const Value *value)
{
    const Use *use = uses_of(&ctx->uses, value);
    bool stored = use;
    for (; use; use = use->next)
        stored &= use->op->code == OP_STORE && use->arg == use->op->nargs - 1;
    return stored;
}

/* True for operations whose result in one column depends on others.  */
static bool needs_columns(const Parts *ctx, const Op *op)
{
    switch (op->code) {
    case OP_DOT:
    case OP_DOT_F32:
    case OP_ROW_SUM:
    case OP_ROW_MAX:
    case OP_ROW_MIN:
    case OP_ROW_ARGMAX:
    case OP_ROW_CUMSUM:
    case OP_PRINT:
    case OP_SUM_PARTS:
        return true;
    case OP_TRANS:
        return !is_only_stored(ctx, op->results[0]);
    default:
        return false;
    }
}

static void visit_links(Op *op, void *context)
{
    Parts *ctx = context;
    if (op->code == OP_SUM_PARTS) {
        share(ctx, op->results[0]);
    } else if (op->code == OP_FOR || op->code == OP_WHILE) {
        link_loop(ctx, op);
    } else if (op->code == OP_IF) {
        for (int i = 0; i < op->nresults; i++)
            for (int k = 0; k < op->nblocks; k++)
                link_values(ctx, op->results[i], block_end(op->blocks[k])->args[i]);
    } else if (op->code == OP_TRANS) {
        ctx->transposed[op->results[0]->id] = is_shared(ctx, op->args[0]) && is_only_stored(ctx, op->results[0]);
    } else if (op->nresults == 1 && !needs_columns(ctx, op)) {
        for (int i = 0; i < op->nargs; i++)
            link_values(ctx, op->args[i], op->results[0]);
    }
}

/* Gives each use of a constant tile its own copy, since uses in front of and behind the sum differ in shape.  */
static void visit_constants(Op *op, void *context)
{
    const Parts *ctx = context;
    for (int i = 0; i < op->nargs; i++) {
        const Op *full = op->args[i]->def;
        if (!full || full->code != OP_FULL)
            continue;
        Op *copy = op_new(ctx->kernel, OP_FULL, full->loc, 0, NULL);
        copy->tile->value = full->tile->value;
        op_before(op, copy);
        op->args[i] = op_result(ctx->kernel, copy, full->results[0]->type, full->results[0]->name);
    }
}

/* True if an operand of the op is divided, or its result, except that of a SUM_PARTS.  */
static bool is_cut(const Parts *ctx, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        if (is_shared(ctx, op->args[i]))
            return true;
    return op->code != OP_SUM_PARTS && op->nresults && is_shared(ctx, op->results[0]);
}

static void visit_conflict(Op *op, void *context)
{
    const Parts *ctx = context;
    Kernel *kernel = ctx->kernel;
    bool store = op_info[op->code].class_ == CLASS_STORE && !op_prints(op);
    const char *name = op->code == OP_SUM_PARTS ? "the sum of parts" : op_info[op->code].text;
    if (kernel->failed)
        return;
    if (store && !is_shared(ctx, op->args[op->nargs - 1]) && !is_transposed(ctx, op->args[op->nargs - 1]))
        reject(kernel, op->loc, REASON_PARTS_STORE);
    else if (op_prints(op) || op_scatters(op) || (needs_columns(ctx, op) && is_cut(ctx, op)))
        reject(kernel, op->loc, REASON_PARTS_WHOLE,
               op->code == OP_SUM_PARTS ? name : arena_print(kernel->module, "ws_%s", name));
}

/* ---- the columns of a block -------------------------------------------------------------------------------------- */

/* Returns the first column of this block's share, for a tile of `columns` columns.  */
static Value *first_column(const Parts *ctx, Op *where, Dtype dtype, int columns)
{
    Value *part = converted_before(ctx, where, dtype, ctx->part);
    Value *share = ir_const_before(ctx->kernel, where, dtype, columns / ctx->holders);
    return ir_binary_before(ctx->kernel, where, OP_SCALAR_MUL, part, share);
}

static void move_coordinate(const Parts *ctx, Op *op, int arg, int columns)
{
    Value *from = converted_before(ctx, op, D_I64, op->args[arg]);
    op->args[arg] = ir_binary_before(ctx->kernel, op, OP_SCALAR_ADD, from, first_column(ctx, op, D_I64, columns));
}

/* Makes a COL_INDEX count from the first column of the block on.  */
static void move_index(const Parts *ctx, Op *op)
{
    Value *result = op->results[0];
    Type type = result->type;
    Value *first = first_column(ctx, op, D_I32, type.cols);
    Op *splat = op_new(ctx->kernel, OP_SPLAT, op->loc, 1, &first);
    op_before(op, splat);
    op_result(ctx->kernel, splat, type_tile(D_I32, 1, 1), NULL);
    Op *index = op_new(ctx->kernel, OP_COL_INDEX, op->loc, 0, NULL);
    op_before(op, index);
    Value *args[] = {op_result(ctx->kernel, index, type, NULL), splat->results[0]};
    Op *sum = op_new(ctx->kernel, OP_ADD, op->loc, 2, args);
    op_before(op, sum);
    ir_replace_uses(ctx->grid->blocks[0], result, op_result(ctx->kernel, sum, type, result->name));
    args[0]->type.cols = sum->results[0]->type.cols = type.cols / ctx->holders;
    op_remove(op);
}

static void narrow(const Parts *ctx, Value *value)
{
    if (is_shared(ctx, value))
        value->type.cols /= ctx->holders;
    else if (is_transposed(ctx, value))
        value->type.rows /= ctx->holders;
}

/* Moves the coordinates of loads and stores to the block's share.  require: shapes are still those of the source.  */
static void visit_move(Op *op, void *context)
{
    const Parts *ctx = context;
    bool load = op_info[op->code].class_ == CLASS_LOAD, store = op_info[op->code].class_ == CLASS_STORE;
    if (load && is_shared(ctx, op->results[0]))
        move_coordinate(ctx, op, op->nargs - 1, op->results[0]->type.cols);
    else if (store && is_transposed(ctx, op->args[op->nargs - 1]))
        move_coordinate(ctx, op, op->nargs - 3, op->args[op->nargs - 1]->type.rows);
    else if (store)
        move_coordinate(ctx, op, op->nargs - 2, op->args[op->nargs - 1]->type.cols);
}

static void visit_narrow(Op *op, void *context)
{
    const Parts *ctx = context;
    for (int i = 0; i < op->nresults; i++)
        narrow(ctx, op->results[i]);
    for (int k = 0; k < op->nblocks; k++)
        for (int i = 0; i < op->blocks[k]->nargs; i++)
            narrow(ctx, op->blocks[k]->args[i]);
}

static void visit_index(Op *op, void *context)
{
    const Parts *ctx = context;
    if (op->code == OP_COL_INDEX && is_shared(ctx, op->results[0]))
        move_index(ctx, op);
}

static void share_out(Parts *ctx)
{
    Block *body = ctx->grid->blocks[0];
    ir_walk(body, visit_constants, ctx);
    ctx->uses = uses_new(ctx->kernel, ctx->kernel->body);
    ctx->shared = arena_alloc(ctx->kernel->module, (size_t)ctx->kernel->module->next_id);
    ctx->transposed = arena_alloc(ctx->kernel->module, (size_t)ctx->kernel->module->next_id);
    for (ctx->changed = true; ctx->changed;) {
        ctx->changed = false;
        ir_walk(body, visit_links, ctx);
    }
    ir_walk(body, visit_conflict, ctx);
    if (ctx->kernel->failed)
        return;
    ir_walk(body, visit_index, ctx);
    ir_walk(body, visit_move, ctx);
    ir_walk(body, visit_narrow, ctx);
}

/* Guards all code behind the sums, so that blocks without a share skip it.  */
static void guard(const Parts *ctx)
{
    Kernel *kernel = ctx->kernel;
    Block *body = ctx->grid->blocks[0];
    Op *last = body->last;
    while (last->code != OP_SUM_PARTS)
        last = last->prev;
    const Loc loc = last->loc;
    Value *range[] = {ctx->part, ir_const_before(kernel, block_end(body), ctx->part->type.dtype, ctx->holders)};
    Value *holds = ir_scalar_before(kernel, block_end(body), OP_SCALAR_LT, D_I1, 2, range);
    Op *branch = op_new(kernel, OP_IF, loc, 1, &holds);
    op_before(block_end(body), branch);
    for (int i = 0; i < 2; i++)
        op_append(block_new(kernel, branch), op_new(kernel, OP_YIELD, loc, 0, NULL));
    Op *behind = last->next;
    while (behind != range[1]->def) {
        Op *next = behind->next;
        op_remove(behind);
        op_before(block_end(branch->blocks[0]), behind);
        behind = next;
    }
}

static void say(const Parts *ctx)
{
    Loc loc = ctx->loop->control->pipeline->loc;
    if (ctx->count == 1)
        remark(ctx->kernel, DIAG_OPTIMIZED, loc, "one block computes the only part of the sum");
    else if (ctx->holders == ctx->count)
        remark(ctx->kernel, DIAG_OPTIMIZED, loc,
               "%d blocks of a cluster sum the parts; each continues with its share of the columns", ctx->count);
    else
        remark(ctx->kernel, DIAG_OPTIMIZED, loc,
               "%d blocks of a cluster make the parts; there are shares of the columns for %d, which sum, and do what "
               "follows",
               ctx->count, ctx->holders);
}

void pass_parts(Kernel *kernel)
{
    Parts ctx = {.kernel = kernel};
    ir_walk(kernel->body, visit_loop, &ctx);
    if (!ctx.loop || kernel->failed)
        return;
    ctx.uses = uses_new(kernel, kernel->body);
    if (!check_loop(&ctx))
        return;
    if (kernel_prints(kernel)) { /* prints show whole tiles, in the order of the loop */
        remark(kernel, DIAG_MISSED, ctx.loop->loc, "one block computes all parts, since the kernel prints");
        ctx.loop->control->pipeline = NULL;
        return;
    }
    if (ctx.count == 1) {
        take_only(&ctx);
    } else {
        ctx.holders = count_holders(&ctx);
        add_dimension(&ctx);
        unroll(&ctx);
        share_out(&ctx);
        if (ctx.holders < ctx.count && !kernel->failed)
            guard(&ctx);
    }
    if (!kernel->failed)
        say(&ctx);
}
