/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * narrow.c - loops whose products make no more columns than can be seen.
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
 * How many columns are seen is known in three ways. Of a load's rows only the grid's step reach something (clipped).
 * The product itself is told how many of its columns are seen (its fourth operand). Or the load's tile is so wide, and
 * groups take tiles in turn, that the tensor's last one may be half as wide (present): then there are two widths, half
 * and all.
 *
 * The tensor core's instruction has its columns in its name. So the .cu has the loop once for each width, which is a
 * number that is known to the compiler there. The wait for the products belongs to the region: the assembler serializes
 * products that are under way where several ways meet. What the sums begin with is in registers before the ways part,
 * and the turn is taken behind that: else it would be put there on each way, 340 instructions and 400 clocks in which
 * nobody multiplies. What is right of the columns in the accumulator is unknown.
 */
#include "ir/queries.h"
#include "machine/plan.h"
#include "lower.h"

typedef struct {
    Kernel *kernel;
    const Role *role;
    const Op *loop;
    Op *product;
    const Op *load; /* of the right operand, by which the columns are known; NULL: the product is told */
    bool fits;
} Search;

/* What brings an operand of which not all need be multiplied, or NULL.  */
static const Op *narrow_load(const Kernel *kernel, const Op *view)
{
    const Op *load = view->aref && !view->storage->transposed ? aref_source(view->aref, view->storage) : NULL;
    if (!load || load->code != OP_LOAD)
        return NULL;
    bool halved = kernel->grid.dynamic && kernel->grid.split == SPLIT_TILES && is_halved_at_edge(kernel->machine, load);
    return halved || load->transfer->skip_step ? load : NULL;
}

static const Op *behind_trans(const Value *value)
{
    const Op *op = value->def;
    return op && op->code == OP_TRANS_VIEW ? op->args[0]->def : op;
}

/* acc += a b with both operands in shared memory, b being all of a tile, transposed.  */
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

/* The wait for the loop's products, which may follow the pass of a turn.  */
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

/* What the launcher computes, again in this program.  */
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

/* As an `int`: of large numbers, all columns that the product has.  */
static Value *as_int(Search *ctx, Op *where, Value *columns)
{
    int64_t number;
    if (columns->type.dtype == D_I32 || ir_constant(columns, &number))
        return columns;
    columns = ir_convert_before(ctx->kernel, where, columns, D_I64);
    return ir_binary_before(ctx->kernel, where, OP_SCALAR_MIN, columns,
                            ir_const_before(ctx->kernel, where, D_I64, ctx->product->results[0]->type.cols));
}

/* Rows that the tensor has from the tile's first on.  */
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

/* From `first` to the wait; the op behind it.  */
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

/* require: products in the form of the hardware.   ensure: loops of products that need not make all columns are in a
   region. */
void pass_narrow(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        narrow_block(kernel, role, role->body);
}
