/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * infer.c - types and shapes, one form for every front end and every -O level.
 *
 *   before                                     after
 *   for (i = 0; i < M; i += 128)               grid i = 0, < M, 128; j = 0, < N, 256
 *     for (j = 0; j < N; j += 256)               acc: f32 128x256 = full 0
 *       acc = ws_zeros (WS_F32, 128, 256);       acc = for k = 0, < K, 64; acc pipeline (4, 2)
 *       #pragma ws pipeline(4, 2)                  ta: f16 128x64 = load a, i, k
 *       for (k = 0; k < K; k += 64)                tb: f16 256x64 = load b, j, k
 *         ta = ws_load (a, i, k, 128, 64);         acc: f32 128x256 = dot ta, trans tb, acc
 *         tb = ws_load (b, j, k, 256, 64);       store c, i, j, cast acc
 *         acc = ws_dot (ta, ws_trans (tb), acc);
 *       ws_store (c, i, j, ws_cast (acc, F16));
 *
 * Types come first, so that a mistake is reported where it stands even in code that does nothing.  Then scalars are
 * simplified, so that what an optimizing front end has done already is done for all; the nest of grid loops becomes one
 * GRID, with what its bounds need before it; and the result is simplified once more.
 */
#include "language/infer.h"

static void visit_pipeline(Op *op, void *context)
{
    Kernel *kernel = context;
    if (!pipeline_of(op) || pipeline_of(op)->parts)
        return;
    if (!ir_enclosing(op, OP_GRID))
        reject(kernel, op->control->pipeline->loc, REASON_PIPELINE_OUTSIDE);
    for (Op *outer = ir_enclosing(op, OP_FOR); outer; outer = ir_enclosing(outer, OP_FOR))
        if (outer->control->pipeline && !outer->control->pipeline->parts) {
            reject(kernel, outer->control->pipeline->loc, REASON_PIPELINE_NESTED);
            return;
        }
}

static void visit_carried_tensor(Op *op, void *context)
{
    Kernel *kernel = context;
    for (int i = 0; op->nblocks && i < op->nresults; i++)
        if (op->results[i]->type.kind == K_TENSOR && op->code != OP_IF)
            reject(kernel, op->loc, REASON_TENSOR_CHOSEN);
}

/* A loop over tiles that runs, runs for ever.  */
static void visit_direction(Op *op, void *context)
{
    Kernel *kernel = context;
    int64_t step;
    if (op->code != OP_FOR || !ir_constant(op->args[2], &step))
        return;
    bool up = op->control->compare == OP_LTI || op->control->compare == OP_LEI,
         down = op->control->compare == OP_GTI || op->control->compare == OP_GEI;
    if (!step || (step < 0 && up) || (step > 0 && down))
        reject(kernel, op->loc, REASON_LOOP_DIRECTION);
}

static void visit_stride(Op *op, void *context)
{
    Kernel *kernel = context;
    int64_t stride;
    if (op->code == OP_TENSOR && ir_constant(op->args[op->nargs - 1], &stride) && stride != 1)
        reject(kernel, op->loc, REASON_TENSOR_STRIDE, (long long)stride);
}

static void visit_sink(Op *op, void *context)
{
    bool *found = context;
    *found |= op_info[op->code].class_ == CLASS_STORE;
}

/* require: what the front end built.   ensure: every value has type and shape; nest normalized to one GRID op.  */
void pass_infer(Kernel *kernel)
{
    bool stores = false;
    infer_types(kernel);
    if (kernel->failed)
        return;
    ir_walk(kernel->body, visit_sink, &stores);
    if (!stores) {
        reject(kernel, kernel->loc, REASON_NO_SINK);
        return;
    }
    infer_simplify(kernel);
    ir_walk(kernel->body, visit_carried_tensor, kernel);
    if (!kernel->failed)
        infer_nest(kernel);
    if (kernel->failed)
        return;
    ir_walk(kernel->body, visit_pipeline, kernel);
    ir_walk(kernel->body, visit_direction, kernel);
    ir_walk(kernel->body, visit_stride, kernel);
    infer_parts(kernel);
    if (kernel->failed)
        return;
    infer_simplify(kernel);
    infer_ragged(kernel);
    infer_mistakes(kernel);
    infer_edges(kernel);
    infer_masks(kernel);
    infer_simplify(kernel);
    infer_recurrences(kernel);
    infer_rescales(kernel);
    infer_strips(kernel);
    infer_present(kernel);
}
