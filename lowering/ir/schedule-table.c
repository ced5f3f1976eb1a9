/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schedule-table.c - the schedule of a kernel.  The table of operations grows by chunks, so that addresses of rows stay
 * valid.
 */
#include "ir/kernel.h"

enum { SCHEDULE_CHUNK = 256 };

const ScheduleRow *schedule_of(const Op *op)
{
    static const ScheduleRow none;
    const Schedule *table = &op->kernel->schedule;
    const int chunk = op->id / SCHEDULE_CHUNK;
    return chunk < table->nchunks && table->chunks[chunk] ? &table->chunks[chunk][op->id % SCHEDULE_CHUNK] : &none;
}

ScheduleRow *schedule_op(Op *op)
{
    Module *module = op->kernel->module;
    Schedule *table = &op->kernel->schedule;
    const int chunk = op->id / SCHEDULE_CHUNK;
    for (; table->nchunks <= chunk; table->nchunks++)
        table->chunks = arena_grow(module, table->chunks, table->nchunks, sizeof *table->chunks);
    if (!table->chunks[chunk])
        table->chunks[chunk] = arena_alloc(module, SCHEDULE_CHUNK * sizeof *table->chunks[chunk]);
    return &table->chunks[chunk][op->id % SCHEDULE_CHUNK];
}

LoopSchedule *schedule_of_loop(const Op *op)
{
    return op->code == OP_FOR ? op->control->schedule : NULL;
}

bool loop_is_pipelined(const Op *op)
{
    return op->kernel->schedule.begun ? schedule_of_loop(op) != NULL : pipeline_of(op) != NULL;
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

BlockSchedule schedule_asked_of_block(const Grid *grid)
{
    return (BlockSchedule){
        .groups = grid->consumers, .split = grid->split, .order = grid->order, .persistent = grid->persistent};
}

LoopSchedule schedule_asked_of_loop(const Pipeline *pipeline)
{
    return (LoopSchedule){.depth = pipeline->depth,
                          .in_flight = pipeline->in_flight,
                          .kind = pipeline->schedule,
                          .pingpong = pipeline->pingpong};
}

static void visit_begin(Op *op, void *context)
{
    Module *module = context;
    if (!pipeline_of(op))
        return;
    op->control->schedule = arena_alloc(module, sizeof *op->control->schedule);
    *op->control->schedule = schedule_asked_of_loop(pipeline_of(op));
    if (op->control->schedule->kind == SCHEDULE_OPTIMAL) /* the solver begins with the chosen schedule */
        op->control->schedule->kind = SCHEDULE_AUTO;
}

void schedule_begin(Kernel *kernel)
{
    kernel->schedule.begun = true;
    kernel->schedule.block = schedule_asked_of_block(&kernel->grid);
    ir_walk(kernel->body, visit_begin, kernel->module);
}
