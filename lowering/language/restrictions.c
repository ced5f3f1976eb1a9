/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * restrictions.c - errors of the user that types and nest do not find: clauses, steps, strides.
 *
 *   for (k = 0; k < K; k += 64)            pipeline: inside a grid, and not inside another pipeline
 *                                          a step towards the bound
 *   a = ws_tensor (A, M, K, K, 1)          the stride of the last dimension is 1
 *   order(from(x))                         neither with clusters nor on loops over elements
 *
 * The pass runs behind the first simplify, which folds constant steps and strides.
 */
#include "passes.h"

/* True if the blocks of a cluster execute the loop's iterations.  */
static bool of_cluster(const Op *loop)
{
    return loop->control->pipeline->parts || loop->control->pipeline->blocks;
}

static void visit_pipeline(Op *op, void *context)
{
    Kernel *kernel = context;
    if (!pipeline_of(op) || of_cluster(op))
        return;
    if (!ir_enclosing(op, OP_GRID))
        reject(kernel, op->control->pipeline->loc, REASON_PIPELINE_OUTSIDE);
    for (Op *outer = ir_enclosing(op, OP_FOR); outer; outer = ir_enclosing(outer, OP_FOR))
        if (outer->control->pipeline && !of_cluster(outer)) {
            reject(kernel, outer->control->pipeline->loc, REASON_PIPELINE_NESTED);
            return;
        }
}

/* Rejects a loop whose step leads away from its bound, as it would not end.  */
static void visit_direction(Op *op, void *context)
{
    Kernel *kernel = context;
    int64_t step;
    if (op->code != OP_FOR || !ir_constant(op->args[2], &step))
        return;
    bool up = op->control->compare == OP_SCALAR_LT || op->control->compare == OP_SCALAR_LE,
         down = op->control->compare == OP_SCALAR_GT || op->control->compare == OP_SCALAR_GE;
    if (!step || (step < 0 && up) || (step > 0 && down))
        reject(kernel, op->loc, REASON_LOOP_DIRECTION);
}

static void visit_stride(Op *op, void *context)
{
    Kernel *kernel = context;
    int64_t stride;
    if (op->code == OP_TENSOR && ir_constant(op->args[2 * op->results[0]->type.rank], &stride) && stride != 1)
        reject(kernel, op->loc, REASON_TENSOR_STRIDE, (long long)stride);
}

static bool is_of_cluster(const Op *op, const void *context)
{
    (void)context;
    return pipeline_of(op) && of_cluster(op);
}

/* Checks order(from(x)), which chooses the first tile.  */
static void check_from(Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    if (!grid->from)
        return;
    if (grid->plain || grid->rewritten)
        reject(kernel, grid->loc, REASON_FROM_PLAIN);
    else if (grid->cluster[0] > 1 || grid->cluster[1] > 1 || ir_any_of(kernel->body, is_of_cluster, NULL))
        reject(kernel, grid->loc, REASON_FROM_CLUSTER);
    else
        remark(kernel, DIAG_OPTIMIZED, grid->loc,
               "tiles begin where the variable of the first loop is what order(from(...)) says, and go round");
}

void pass_restrictions(Kernel *kernel)
{
    ir_walk(kernel->body, visit_pipeline, kernel);
    ir_walk(kernel->body, visit_direction, kernel);
    ir_walk(kernel->body, visit_stride, kernel);
    check_from(kernel);
}
