/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * narrow.c - loops whose products compute only those columns that a result needs.
 *
 *   before                                   after
 *   load %b, %j, %k | skip_step=2             %acc = narrow %w = %width; %acc.1 = %zero {    ws::narrowed(acc, p.width,
 *                                                                                           [&](auto w) {
 *   pingpong_take                              pingpong_take                                    s.pingpong.take(group);
 *   %t = for %k ...; %acc.2 = %zero            %t = for %k ...; %acc.2 = %acc.1                 for (...)
 *     ... mma %va, %vb, %acc.2                   ... mma %va, %vb, %acc.2, %w                       ws::mma(acc, ...,
 *                                                                                                   w);
 *   pingpong_pass                              pingpong_pass                                    s.pingpong.pass(group);
 *   %acc = wait %t                             %acc.3 = wait %t                                 ws::wait<0>(acc);
 *                                              yield %acc.3                                 });
 *
 * The number of needed columns is known in three cases.
 *
 *   - A load has the mark `skip_step`: only as many of its rows reach a result as the grid's step says.
 *   - The product has the number as its fourth operand.
 *   - Groups take tiles in turn, and the load's tile is so wide that the tensor's last tile may have half the rows.
 *     There are then two widths: half and all.
 *
 * The width is part of a wgmma instruction's name.  The .cu therefore contains the loop once for each width, as a
 * constant.  The wait for the products belongs to the region, since ptxas serializes products in flight where control
 * flow merges.  The initial accumulator is moved to registers before the region, and the ping-pong turn is taken after
 * that.  Otherwise each case would contain the move, while no group multiplies (bench/notes/choices.md).  Columns of
 * the accumulator beyond the width are undefined.
 */
#include "ir/queries.h"
#include "passes.h"
#include "roles/programs.h"
#include "target/operands.h"

typedef struct {
    Kernel *kernel;
    const Role *role;
    const Op *loop;
    Op *product;
    const Op *load; /* the load of the right operand that tells the columns; NULL: the product's operand does */
    bool fits;
} Search;

/* The load of an operand of which only some rows need be multiplied, or NULL.  */
static const Op *narrow_load(const Kernel *kernel, const Op *view)
{
    const Op *load = view->aref && !view->storage->transposed ? aref_source(view->aref, view->storage) : NULL;
    if (!load || load->code != OP_LOAD)
        return NULL;
    bool halved = kernel->schedule.block.dynamic && kernel->schedule.block.split == SPLIT_TILES &&
                  is_halved_at_edge(kernel->machine, load);
    return halved || load->transfer->skip_step ? load : NULL;
}

static const Op *behind_trans(const Value *value)
{
    const Op *op = value->def;
    return op && op->code == OP_TRANS_VIEW ? op->args[0]->def : op;
}

/* True for acc += a b with both operands in shared memory, where b is a whole tile, transposed.  */
static void visit_product(Op *op, void *context)
{
    Search *ctx = context;
    if (op->code != OP_MMA)
        return;
    const Op *left = behind_trans(op->args[0]), *right = op->args[1]->def, *view = behind_trans(op->args[1]);
    bool plain = !op->sync->paired && left && left->code == OP_VIEW && view && view != right && view->code == OP_VIEW &&
                 view->nargs == 1 && view->storage->tile.rows == op->results[0]->type.cols;
    bool told = op->nargs > 3;
    ctx->load = plain && !told ? narrow_load(ctx->kernel, view) : NULL;
    ctx->fits = ctx->fits && plain && !ctx->product && (told ? ir_outside(op->args[3], ctx->loop) : ctx->load != NULL);
    ctx->product = op;
}

/* The wait for the loop's products, which may follow the operation that passes the turn; else NULL.  */
static Op *wait_behind(const Op *loop)
{
    Op *op = loop->next;
    if (op && op->code == OP_PINGPONG_PASS)
        op = op->next;
    return op && op->code == OP_WAIT && !op->sync->pending && op->nargs == 1 && loop->nresults == 1 &&
                   op->args[0] == loop->results[0]
               ? op
               : NULL;
}

/* ---- how many columns are seen ----------------------------------------------------------------------------------- */

/* Computes a value of the launcher again in the role's program.  */
static Value *copy_before(Kernel *kernel, Op *where, Value *value)
{
    if (!value->def)
        return value;
    ValueMap map = value_map_new(kernel);
    for (int i = 0; i < value->def->nargs; i++)
        value_map_set(kernel, &map, value->def->args[i], copy_before(kernel, where, value->def->args[i]));
    op_before(where, op_clone(kernel, value->def, &map));
    return value_map_get(&map, value);
}

/* Converts the number to `int`.  Numbers above the product's columns give these.  */
static Value *as_int(Search *ctx, Op *where, Value *columns)
{
    int64_t number;
    if (columns->type.dtype == D_I32 || ir_constant(columns, &number))
        return columns;
    columns = ir_convert_before(ctx->kernel, where, columns, D_I64);
    return ir_binary_before(ctx->kernel, where, OP_SCALAR_MIN, columns,
                            ir_const_before(ctx->kernel, where, D_I64, ctx->product->results[0]->type.cols));
}

/* The rows of the tensor from the tile's first row on.  */
static Value *rows_left(Search *ctx, Op *where)
{
    const Op *grid = role_grid(ctx->role);
    int row = ctx->load->nargs - 2, dim = grid_variable(ctx->load->args[row]);
    Value *first = grid->blocks[0]->args[dim],
          *end = copy_before(ctx->kernel, where, ctx->load->args[0]->def->args[row]);
    int64_t low;
    bool small =
        first->type.dtype == D_I32 && end->type.dtype == D_I32 && ir_constant(grid->args[3 * dim], &low) && low >= 0;
    if (!small) {
        end = ir_convert_before(ctx->kernel, where, end, D_I64);
        first = ir_convert_before(ctx->kernel, where, first, D_I64);
    }
    return ir_binary_before(ctx->kernel, where, OP_SCALAR_SUB, end, first);
}

static Value *columns_seen(Search *ctx, Op *where)
{
    if (!ctx->load)
        return ctx->product->args[3];
    int clipped = ctx->load->transfer->skip_step;
    return as_int(ctx, where, clipped ? role_grid(ctx->role)->args[3 * clipped - 1] : rows_left(ctx, where));
}

/* ---- the region -------------------------------------------------------------------------------------------------- */

/* Moves the operations from `first` to the wait into a region.  The result is the operation behind it.  */
static Op *make_region(Search *ctx, Op *first, Op *loop, Op *wait)
{
    Kernel *kernel = ctx->kernel;
    Value *columns = columns_seen(ctx, first), *init = loop->args[3];
    Op *narrow = op_lowered_before(kernel, first, OP_NARROW, 2, (Value *[]){columns, init}), *behind = wait->next;
    Block *block = block_new(kernel, narrow);
    Value *width = block_arg(kernel, block, type_scalar(D_I32), "width", loop->loc);
    Value *sum = block_arg(kernel, block, init->type, loop->blocks[0]->args[1]->name, loop->loc);
    Value *result = op_result(kernel, narrow, wait->results[0]->type, wait->results[0]->name);
    sum->split = init->split;
    result->split = wait->results[0]->split;
    narrow->control->halves = ctx->load && !ctx->load->transfer->skip_step;
    ir_replace_uses(ctx->role->body, wait->results[0], result);
    for (Op *op = first, *next; op != behind; op = next) {
        next = op->next;
        op_remove(op);
        op_append(block, op);
    }
    loop->args[3] = sum;
    if (ctx->load)
        op_add_arg(kernel, ctx->product, width);
    else
        ctx->product->args[3] = width;
    Op *yield = op_new(kernel, OP_YIELD, loop->loc, 1, &wait->results[0]);
    schedule_op(yield)->roles = schedule_of(narrow)->roles;
    op_append(block, yield);
    return behind;
}

static void narrow_block(Kernel *kernel, const Role *role, Block *block)
{
    for (Op *op = block->first, *next; op; op = next) {
        Op *loop = op->code == OP_PINGPONG_TAKE ? op->next : op;
        Op *wait = loop && loop->code == OP_FOR ? wait_behind(loop) : NULL;
        Search ctx = {.kernel = kernel, .role = role, .loop = loop, .fits = true};
        next = op->next;
        if (wait)
            ir_walk(loop->blocks[0], visit_product, &ctx);
        if (ctx.product && ctx.fits)
            next = make_region(&ctx, op, loop, wait);
        else
            for (int k = 0; k < op->nblocks; k++)
                narrow_block(kernel, role, op->blocks[k]);
    }
}

void pass_narrow(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        narrow_block(kernel, role, role->body);
}
