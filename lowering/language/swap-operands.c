/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swap-operands.c - transposes a product whose right operand is computed.
 *
 *      before: acc of 256x128                     after: acc of 128x256
 *      acc = ws_zeros (F32, 256, 128)             acc = ws_zeros (F32, 128, 256)
 *      wh = ws_cast (ws_load (w, j, k), F16)      wh = ws_cast (ws_load (w, j, k), F16)
 *      acc = ws_dot (x, ws_trans (wh), acc)       acc = ws_dot (wh, ws_trans (x), acc)
 *      y = ws_mul (acc, ws_load_row (s, j))       y = ws_mul (acc, ws_load_col (s, j))
 *      ws_store (c, i, j, ws_cast (y, F16))       ws_store (c, i, j, ws_trans (ws_cast (y, F16)))
 *
 * wgmma takes a left operand from registers, but a right operand only from shared memory. As the left operand, a
 * computed tile passes through shared memory once less, and no role prepares it. The arithmetic of one group overlaps
 * the products of the other.
 *
 * All values connected with the accumulator by elementwise operations, loops and branches are transposed, too. Rows
 * become columns, and stored tiles are transposed back. The pass changes nothing if any other operation uses such a
 * value. It also respects clauses about roles, or about the number of products in flight.
 *
 * The sums have the same terms in the same order. Tested, not proved (proof/freeze.c): tests/programs/sides.c.
 */
#include "ir/queries.h"
#include "ir/slice.h"
#include "passes.h"
#include "target/machine.h"

enum {
    MOST_GROUPS = 2,   /* with more groups, registers suffice for fewer columns */
    MOST_COLUMNS = 256 /* of wgmma; ptxas serializes products of 192 columns with an operand in registers */
};

typedef struct {
    Kernel *kernel;
    Uses uses;
    bool *marked;   /* by value id */
    Value **values; /* the marked values */
    int count;
    bool fails;
} SwapOperands;

static void mark(SwapOperands *swap_operands, Value *value)
{
    if (value->type.kind != K_TILE || (value->type.rows == 1 && value->type.cols == 1) ||
        swap_operands->marked[value->id])
        return;
    swap_operands->marked[value->id] = true;
    swap_operands->values[swap_operands->count++] = value;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

static const Op *transpose_of(const Value *value)
{
    return value->def && value->def->code == OP_TRANS ? value->def : NULL;
}

static bool is_loaded(const Value *operand)
{
    const Op *transposed = transpose_of(operand), *op = transposed ? transposed->args[0]->def : operand->def;
    return op && op->code == OP_LOAD;
}

/* The elementwise operation whose transpose is the right operand, or NULL.  */
static const Op *computed(const Op *product)
{
    const Op *transposed = transpose_of(product->args[1]);
    const Op *op = transposed ? transposed->args[0]->def : NULL;
    return op && op_is_elementwise(op) && op->parent == product->parent ? op : NULL;
}

static bool leaves_it_open(const Op *loop)
{
    const Pipeline *pipeline = loop ? pipeline_of(loop) : NULL;
    return pipeline && pipeline->automatic && pipeline->in_flight < 0 &&
           (pipeline->schedule == SCHEDULE_AUTO || pipeline->schedule == SCHEDULE_OPTIMAL) && !pipeline->pingpong &&
           pipeline->subtiles < 2;
}

static int groups_of(int rows)
{
    int groups = rows / MACHINE_MMA_ROWS;
    return groups < MOST_GROUPS ? groups : MOST_GROUPS;
}

/* True if each group has one row block of wgmma, and no fewer groups work than before.  */
static bool fits(const Op *product)
{
    const Type sum = product->results[0]->type;
    return sum.cols % MACHINE_MMA_ROWS == 0 && sum.cols <= MOST_GROUPS * MACHINE_MMA_ROWS &&
           MOST_COLUMNS % sum.rows == 0 && groups_of(sum.cols) >= groups_of(sum.rows) && product->nargs == 3 &&
           dtype_bytes(product->args[0]->type.dtype) == 2;
}

static bool can_be_transposed(const Op *product)
{
    const Op *loop = op_is_dot(product) ? pipelined_loop(product) : NULL;
    return leaves_it_open(loop) && product->parent == loop->blocks[0] && fits(product) && is_loaded(product->args[0]) &&
           transpose_of(product->args[1]) && (computed(product) || is_loaded(product->args[1]));
}

/* ---- values that are transposed ---------------------------------------------------------------------------------- */

static void mark_carried(SwapOperands *swap_operands, const Op *loop, int i)
{
    const Carried all = carried(loop, i);
    Value *values[] = {all.init, all.argument, all.next, all.result, all.beyond};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        if (values[k])
            mark(swap_operands, values[k]);
    if (loop_edge(loop))
        mark(swap_operands, loop->blocks[1]->args[1 + i]);
}

/* Marks a result of a branch, and the values that its arms yield.  */
static void mark_branch(SwapOperands *swap_operands, const Op *branch, int i)
{
    mark(swap_operands, branch->results[i]);
    for (int k = 0; k < branch->nblocks; k++)
        mark(swap_operands, block_end(branch->blocks[k])->args[i]);
}

static void mark_all(SwapOperands *swap_operands, const Op *op)
{
    for (int i = 0; i < op->nargs; i++)
        mark(swap_operands, op->args[i]);
    for (int i = 0; i < op->nresults; i++)
        mark(swap_operands, op->results[i]);
}

static void follow_definition(SwapOperands *swap_operands, const Value *value)
{
    const Op *op = value->def ? value->def : value->block ? value->block->parent : NULL;
    if (op && op->code == OP_FOR && (value->def || value->index > 0))
        mark_carried(swap_operands, op, value->def ? value->index : value->index - 1);
    else if (!value->def)
        swap_operands->fails = true;
    else if (op->code == OP_IF)
        mark_branch(swap_operands, op, value->index);
    else if (op_is_elementwise(op))
        mark_all(swap_operands, op);
    else if (can_be_transposed(op))
        mark(swap_operands, op->args[2]);
    else
        swap_operands->fails |= op->code != OP_FULL && op->code != OP_LOAD_ROW && op->code != OP_LOAD_COL &&
                                op->code != OP_ROW_INDEX && op->code != OP_COL_INDEX;
}

/* True for a store whose staging can transpose: of elements of two bytes.  */
static bool stores_transposed(const Use *use, const Value *value)
{
    return use->op->code == OP_STORE && use->arg == use->op->nargs - 1 && value->type.rows > 1 &&
           value->type.cols > 1 && dtype_bytes(value->type.dtype) == 2;
}

static void follow_use(SwapOperands *swap_operands, const Use *use, const Value *value)
{
    const Op *op = use->op, *around = op->code == OP_YIELD ? op->parent->parent : op;
    if (around->code == OP_FOR && (op->code == OP_YIELD || use->arg >= 3))
        mark_carried(swap_operands, around, op->code == OP_YIELD ? use->arg : use->arg - 3);
    else if (op->code == OP_YIELD && around->code == OP_IF)
        mark_branch(swap_operands, around, use->arg);
    else if (op_is_elementwise(op))
        mark_all(swap_operands, op);
    else if (op->code == OP_DOT && use->arg == 2 && can_be_transposed(op))
        mark(swap_operands, op->results[0]);
    else
        swap_operands->fails |= !stores_transposed(use, value);
}

static void follow(SwapOperands *swap_operands)
{
    for (int i = 0; i < swap_operands->count && !swap_operands->fails; i++) {
        const Value *value = swap_operands->values[i];
        follow_definition(swap_operands, value);
        for (const Use *use = uses_of(&swap_operands->uses, value); use && !swap_operands->fails; use = use->next)
            follow_use(swap_operands, use, value);
    }
}

/* ---- transformation ---------------------------------------------------------------------------------------------- */

static Value *transposed_before(SwapOperands *swap_operands, Op *where, Value *value)
{
    const Op *already = transpose_of(value);
    if (already)
        return already->args[0];
    Op *op = op_new(swap_operands->kernel, OP_TRANS, where->loc, 1, &value);
    op_before(where, op);
    return op_result(swap_operands->kernel, op, type_transposed(value->type), NULL);
}

/* Moves the load in front of the product, so that operands are loaded in the order of their use.  */
static void load_late(Op *product, const Value *right)
{
    Op *load = right->def;
    bool free = load->parent == product->parent;
    for (const Op *op = free ? load->next : NULL; op && op != product; op = op->next)
        free &= !ir_has_side_effect(op) && !uses_value(op, right);
    if (!free)
        return;
    op_remove(load);
    op_before(product, load);
}

static void turn_product(SwapOperands *swap_operands, Op *product)
{
    Value *left = product->args[0], *right = product->args[1];
    product->args[0] = transposed_before(swap_operands, product, right);
    if (!transpose_of(left))
        load_late(product, left);
    product->args[1] = transposed_before(swap_operands, product, left);
    if (transpose_of(left) && used_once(&swap_operands->uses, left))
        op_remove(left->def);
    if (used_once(&swap_operands->uses, right))
        op_remove(right->def);
}

static void turn_stores(SwapOperands *swap_operands, const Value *value)
{
    for (const Use *use = uses_of(&swap_operands->uses, value); use; use = use->next)
        if (use->op->code == OP_STORE)
            use->op->args[use->arg] = transposed_before(swap_operands, use->op, use->op->args[use->arg]);
}

static void turn(SwapOperands *swap_operands)
{
    for (int i = 0; i < swap_operands->count; i++)
        swap_operands->values[i]->type = type_transposed(swap_operands->values[i]->type);
    for (int i = 0; i < swap_operands->count; i++) {
        Op *op = swap_operands->values[i]->def;
        turn_stores(swap_operands, swap_operands->values[i]);
        if (!op)
            continue;
        if (op->code == OP_DOT)
            turn_product(swap_operands, op);
        else if (op->code == OP_LOAD_ROW || op->code == OP_LOAD_COL)
            op_become(op, op->code == OP_LOAD_ROW ? OP_LOAD_COL : OP_LOAD_ROW);
        else if (op->code == OP_ROW_INDEX || op->code == OP_COL_INDEX)
            op_become(op, op->code == OP_ROW_INDEX ? OP_COL_INDEX : OP_ROW_INDEX);
    }
}

/* ---- profitability ----------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t products, own; /* clocks of an iteration: of the products; of one group's arithmetic for their operands */
    int64_t before, after; /* bytes of shared memory: reads by products, and writes by a role for them */
    bool any, of_products; /* any: an operand is computed; of_products: from a product */
} Estimate;

static void estimate_operand(const SwapOperands *swap_operands, Estimate *estimate, Op *source, int groups)
{
    const Costs *costs = swap_operands->kernel->machine->costs;
    Slice slice = slice_new(swap_operands->kernel);
    slice_op(&slice, source);
    FOR_OPS (op, source->parent) {
        if (!slice_has_op(&slice, op))
            continue;
        estimate->of_products |= op_is_product(op);
        if (!op_is_elementwise(op))
            continue;
        const Type type = op->results[0]->type;
        estimate->own += cost_of_group(costs, op, (int64_t)type.rows * type.cols, groups);
    }
    estimate->any = true;
}

static Estimate estimate_all(const SwapOperands *swap_operands)
{
    Estimate estimate = {0};
    for (int i = 0; i < swap_operands->count; i++) {
        Op *product = swap_operands->values[i]->def;
        if (!product || product->code != OP_DOT)
            continue;
        const Type left = product->args[0]->type, right = product->args[1]->type;
        const int64_t bytes = dtype_bytes(left.dtype), depth = left.cols * bytes;
        estimate.products += cost_product_at_peak(swap_operands->kernel->machine->costs, product);
        estimate.before += depth * (left.rows + (int64_t)left.rows / MACHINE_MMA_ROWS * right.cols);
        estimate.after += depth * right.cols / MACHINE_MMA_ROWS * left.rows;
        if (computed(product)) {
            estimate_operand(swap_operands, &estimate, (Op *)computed(product), groups_of(right.cols));
            estimate.before += depth * right.cols;
        } else {
            estimate.after += depth * right.cols;
        }
    }
    return estimate;
}

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

/* Finds the first product that can be transposed and has a computed right operand.  */
static void visit_product(Op *op, void *context)
{
    Op **found = context;
    if (!*found && op->code == OP_DOT && can_be_transposed(op) && computed(op))
        *found = op;
}

static void visit_said(Op *op, void *context)
{
    bool *said = context;
    *said |= schedule_of(op)->task || schedule_of(op)->ring || schedule_of(op)->share;
}

/* True if clauses say which groups compute, or where values lie.  */
static bool says_who(Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    bool said = kernel->tasks || kernel->shares || grid->consumers || grid->split != SPLIT_AUTO ||
                grid->consumer_registers || grid->producer_registers;
    ir_walk(kernel->body, visit_said, &said);
    return said;
}

static SwapOperands sides_of(Kernel *kernel, Op *product)
{
    SwapOperands swap_operands = {.kernel = kernel, .uses = uses_new(kernel, kernel->body)};
    swap_operands.marked = arena_alloc(kernel->module, (size_t)kernel->module->next_id * sizeof *swap_operands.marked);
    swap_operands.values = arena_alloc(kernel->module, (size_t)kernel->module->next_id * sizeof(Value *));
    mark(&swap_operands, product->results[0]);
    follow(&swap_operands);
    return swap_operands;
}

static bool turn_first(Kernel *kernel)
{
    Op *product = NULL;
    ir_walk(kernel->body, visit_product, &product);
    if (!product)
        return false;
    SwapOperands swap_operands = sides_of(kernel, product);
    const Estimate estimate = estimate_all(&swap_operands);
    const int clock_bytes = kernel->machine->costs->shared_clock_bytes;
    if (swap_operands.fails || estimate.of_products || estimate.own > estimate.products ||
        estimate.after >= estimate.before)
        return false;
    remark(kernel, DIAG_OPTIMIZED, product->loc,
           "swapped the operands of the product, since the right one is computed: as the left one it stays in "
           "registers; an iteration has %lld cycles of products, %lld of shared memory instead of %lld, and %lld of "
           "each group's arithmetic",
           (long long)estimate.products, (long long)estimate.after / clock_bytes,
           (long long)estimate.before / clock_bytes, (long long)estimate.own);
    turn(&swap_operands);
    return true;
}

void pass_swap_operands(Kernel *kernel)
{
    while (!says_who(kernel) && turn_first(kernel))
        ;
}
