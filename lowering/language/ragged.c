/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ragged.c - infer: -Wws-padded-reduction.
 *
 * What a load reads beyond its tensor's edge is 0, and a reduction along that edge counts it: the maximum of negative numbers
 * becomes 0, a sum of exponentials gets a 1 for each.  A reduction is reported if its operand comes, through elementwise
 * operations, from a load that may lie across the edge of the reduced dimension, and that has neither a fill of its own nor
 * a mask after it.  A plain sum does not mind zeros, nor does the largest of magnitudes.
 */
#include "language/infer.h"
#include "ir/queries.h"
#include "ir/slice.h"

enum { MAX_DEPTH = 12 };

typedef struct {
    const Op *reduction;
    bool by_rows;            /* along the columns of each row */
    bool zeros_are_harmless; /* a sum, or a largest magnitude */
} Question;

static bool constant(const Value *value, int64_t *result)
{
    return ir_constant(value, result);
}

/* A coordinate that starts at 0 and moves in multiples of `size` below `extent`.  */
static bool steps_evenly(const Value *coordinate, int64_t size, const Value *extent)
{
    const Op *loop = coordinate->block ? coordinate->block->parent : NULL;
    int64_t low, high, step, bound;
    if (!loop || (loop->code != OP_FOR && loop->code != OP_GRID) ||
        (loop->code == OP_FOR && (coordinate->index || loop->ival != OP_LTI)))
        return false;
    Value **range = loop->args + (loop->code == OP_GRID ? 3 * coordinate->index : 0);
    if (!constant(range[0], &low) || !constant(range[1], &high) || !constant(range[2], &step) ||
        !constant(extent, &bound))
        return false;
    return step > 0 && low >= 0 && low % size == 0 && step % size == 0 && high <= bound && bound % size == 0;
}

bool may_be_ragged(const Op *load, int dimension, int64_t size)
{
    const Op *tensor = load->args[0]->def;
    const Value *coordinate = load->args[1 + dimension];
    int64_t at, bound;
    while (coordinate->def && coordinate->def->code == OP_CONVI)
        coordinate = coordinate->def->args[0];
    if (!tensor || tensor->code != OP_TENSOR)
        return true;
    const Value *extent = tensor->args[1 + dimension];
    if (constant(coordinate, &at) && constant(extent, &bound))
        return at < 0 || at + size > bound;
    return !steps_evenly(coordinate, size, extent);
}

static bool load_is_ragged(const Question *question, const Op *load)
{
    Type type = load->results[0]->type;
    int rank = load->nargs - 1;
    if (load->ival || load->fval != 0)
        return false;
    if (load->code == OP_LOAD_ROW || load->code == OP_LOAD_COL) {
        bool along = (load->code == OP_LOAD_ROW) == question->by_rows;
        return along && may_be_ragged(load, rank - 1, question->by_rows ? type.cols : type.rows);
    }
    return may_be_ragged(load, question->by_rows ? rank - 1 : rank - 2, question->by_rows ? type.cols : type.rows);
}

/* Zeros stay zeros.  */
static bool keeps_zero(Opcode code)
{
    return code == OP_CAST || code == OP_MUL || code == OP_NEG || code == OP_ABS || code == OP_SQRT ||
           code == OP_TANH || code == OP_ERF || code == OP_RINT || code == OP_FLOOR;
}

/* The load behind a value whose padding the reduction sees, or NULL.  */
static const Op *padded_load(const Question *question, const Value *value, bool zeros, int depth)
{
    const Op *op = value->def;
    if (!op || depth > MAX_DEPTH)
        return NULL;
    if (op_info[op->code].class_ == CLASS_LOAD)
        return load_is_ragged(question, op) && !(question->zeros_are_harmless && zeros) ? op : NULL;
    if (!op_is_elementwise(op) || op->code == OP_SELECT) /* which may be the mask that the warning asks for */
        return NULL;
    for (int i = 0; i < op->nargs; i++) {
        Type type = op->args[i]->type;
        bool spread = question->by_rows ? type.cols == 1 : type.rows == 1;
        const Op *load = spread ? NULL : padded_load(question, op->args[i], zeros && keeps_zero(op->code), depth + 1);
        if (load)
            return load;
    }
    return NULL;
}

/* |x| or x x: nothing is below 0.  */
static bool is_magnitude(const Value *value)
{
    const Op *op = value->def;
    while (op && op->code == OP_CAST)
        op = op->args[0]->def;
    return op && (op->code == OP_ABS || (op->code == OP_MUL && op->args[0] == op->args[1]));
}

static void visit_reduction(Op *op, void *context)
{
    Kernel *kernel = context;
    bool by_rows =
        op->code == OP_ROW_SUM || op->code == OP_ROW_MAX || op->code == OP_ROW_MIN || op->code == OP_ROW_ARGMAX;
    bool by_cols = op->code == OP_COL_SUM || op->code == OP_COL_MAX || op->code == OP_COL_MIN;
    if (!by_rows && !by_cols)
        return;
    bool sum = op->code == OP_ROW_SUM || op->code == OP_COL_SUM;
    bool largest = op->code == OP_ROW_MAX || op->code == OP_COL_MAX;
    Question question = {op, by_rows, sum || (largest && is_magnitude(op->args[0]))};
    if (!padded_load(&question, op->args[0], true, 0))
        return;
    warn(kernel, op->loc, "ws_%s sees zeros where the tile reaches beyond its tensor [-Wws-padded-reduction]",
         op_info[op->code].text);
    remark(kernel, DIAG_NOTE, op->loc, "load with ws_load_or and a fill, or mask with ws_select");
}

void infer_ragged(Kernel *kernel)
{
    ir_walk(kernel->body, visit_reduction, kernel);
}
