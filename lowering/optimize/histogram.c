/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * histogram.c - replaces counting by comparison with all bins by a histogram in shared memory.
 *
 *      before                                               after
 *      for j = 0, < 4096, 64: s0 = zero                     x: 1x4096 = cast (load t, i, 0)
 *        x: 64x1 = cast (trans (load t, i, j))              n: 1x256 = histogram x
 *        one: 64x256 = select (eq x, col_index), 1, 0       s = add zero, n
 *        n: 1x256 = col_sum one
 *        yield add s0, n
 *
 * Written over tiles, a histogram compares each number with every bin. The operation `histogram` adds 1 to the bin of
 * each number in shared memory, and takes no step for the other bins. Additions of integers may be reordered. So a loop
 * that only counts gets fewer iterations with wider loads. The order of the numbers in their tile does not matter
 * (measured in bench/notes/first.md, "Figures behind thresholds").
 *
 * Tested, not proved (proof/freeze.c): `tests/programs/tally.c` counts numbers inside and outside the range.
 */
#include "cost/gpu.h"
#include "ir/affine.h"
#include "ir/slice.h"
#include "passes.h"

/* ---- pattern ----------------------------------------------------------------------------------------------------- */

static bool is_constant_tile(const Value *value, int64_t number)
{
    const Op *op = value->def;
    int64_t splat;
    return op && ((op->code == OP_FULL && op->tile->value == (double)number) ||
                  (op->code == OP_SPLAT && ir_constant(op->args[0], &splat) && splat == number));
}

static bool is_i32(const Value *value)
{
    return value->type.kind == K_TILE && value->type.dtype == D_I32;
}

/* The column that is compared with the index of every column, or NULL.  */
static Value *compared_column(const Op *equal)
{
    for (int i = 0; i < 2; i++) {
        const Op *index = equal->args[1 - i]->def;
        if (index && index->code == OP_COL_INDEX && equal->args[i]->type.cols == 1 && is_i32(equal->args[i]))
            return equal->args[i];
    }
    return NULL;
}

/* The numbers that a sum over columns counts, or NULL.  */
static Value *counted(const Op *sum)
{
    const Op *select = sum->code == OP_COL_SUM && is_i32(sum->args[0]) ? sum->args[0]->def : NULL;
    const Op *equal = select && select->code == OP_SELECT ? select->args[0]->def : NULL;
    bool ones =
        equal && equal->code == OP_EQ && is_constant_tile(select->args[1], 1) && is_constant_tile(select->args[2], 0);
    Value *column = ones ? compared_column(equal) : NULL;
    return column && column->type.rows == sum->args[0]->type.rows ? column : NULL;
}

/* The same numbers without the transpose.  */
static Value *without_transposition(Kernel *kernel, Op *where, Value *value)
{
    Op *op = value->def;
    if (op && op->code == OP_TRANS)
        return op->args[0];
    Value *from = op && op->code == OP_CAST ? without_transposition(kernel, where, op->args[0]) : NULL;
    if (!from || from == op->args[0])
        return value;
    Op *cast = op_new(kernel, OP_CAST, op->loc, 1, &from);
    op_before(where, cast);
    return op_result(kernel, cast, type_tile(value->type.dtype, from->type.rows, from->type.cols), value->name);
}

static void visit_sum(Op *op, void *context)
{
    Kernel *kernel = context;
    Value *numbers = counted(op);
    if (!numbers)
        return;
    numbers = without_transposition(kernel, op, numbers);
    Op *histogram = op_new(kernel, OP_HISTOGRAM, op->loc, 1, &numbers);
    op_before(op, histogram);
    const Value *sum = op->results[0];
    ir_replace_uses(kernel->body, op->results[0], op_result(kernel, histogram, sum->type, sum->name));
    op_remove(op);
    remark(kernel, DIAG_OPTIMIZED, histogram->loc, "replaced %d comparisons by a histogram in shared memory",
           sum->type.cols);
}

/* ---- loops that only count --------------------------------------------------------------------------------------- */

/* The operations of a loop that only counts. NULL: no cast.  */
typedef struct {
    Op *load, *cast, *histogram, *sum;
} Count;

static bool is_counter(const Op *loop, const Value *value)
{
    return affine_unconverted(value) == loop->blocks[0]->args[0];
}

static bool loads_next_columns(const Op *loop, const Op *load, int64_t step)
{
    bool next =
        load->code == OP_LOAD && load->results[0]->type.cols == step && is_counter(loop, load->args[load->nargs - 1]);
    for (int i = 0; i < load->nargs - 1; i++)
        next = next && ir_outside(load->args[i], loop);
    return next;
}

static bool only_counts(const Op *loop, int64_t step, Count *count)
{
    *count = (Count){NULL, NULL, NULL, NULL};
    FOR_OPS (op, loop->blocks[0]) {
        bool scalar = op_info[op->code].class_ == CLASS_SCALAR || op->code == OP_YIELD;
        Op **place = op->code == OP_LOAD        ? &count->load
                     : op->code == OP_CAST      ? &count->cast
                     : op->code == OP_HISTOGRAM ? &count->histogram
                     : op->code == OP_ADD       ? &count->sum
                                                : NULL;
        if (!scalar && (!place || *place))
            return false;
        if (!scalar)
            *place = op;
    }
    if (!count->load || !count->histogram || !count->sum || !loads_next_columns(loop, count->load, step))
        return false;
    const Value *loaded = count->load->results[0], *argument = loop->blocks[0]->args[1];
    const Value *numbers = count->cast ? count->cast->results[0] : loaded, *counts = count->histogram->results[0];
    Value *const *terms = count->sum->args;
    return (!count->cast || count->cast->args[0] == loaded) && count->histogram->args[0] == numbers &&
           ((terms[0] == argument && terms[1] == counts) || (terms[1] == argument && terms[0] == counts)) &&
           block_end(loop->blocks[0])->args[0] == count->sum->results[0];
}

static int64_t iterations_together(const Costs *costs, const Op *loop, int64_t step, Type tile)
{
    int64_t low, high, together = 1;
    if (!ir_constant(loop->args[0], &low) || !ir_constant(loop->args[1], &high) || (high - low) % step)
        return 1;
    while ((high - low) / step % (2 * together) == 0 && 2 * together * tile.rows * tile.cols <= costs->counted_elements)
        together *= 2;
    return high > low ? together : 1;
}

static void visit_loop(Op *op, void *context)
{
    Kernel *kernel = context;
    int64_t step;
    Count count;
    bool counts = op->code == OP_FOR && op->nblocks == 1 && carried_count(op) == 1 &&
                  op->control->compare == OP_SCALAR_LT && (!pipeline_of(op) || pipeline_of(op)->automatic) &&
                  ir_constant(op->args[2], &step) && step > 0;
    if (!counts || !only_counts(op, step, &count))
        return;
    int64_t together = iterations_together(kernel_costs(kernel), op, step, count.load->results[0]->type);
    if (together == 1)
        return;
    op->args[2] = ir_const_before(kernel, op, op->args[2]->type.dtype, step * together);
    count.load->results[0]->type.cols *= (int)together;
    if (count.cast)
        count.cast->results[0]->type.cols *= (int)together;
}

void pass_histogram(Kernel *kernel)
{
    ir_walk(kernel->body, visit_sum, kernel);
    pass_simplify(kernel);
    ir_walk(kernel->body, visit_loop, kernel);
}
