/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schedule-table.c - the table of the schedule, which grows by chunks, so that addresses of rows stay valid.  */
#include "ir/kernel.h"

enum { SCHEDULE_CHUNK = 256 };

const ScheduleRow *schedule_of(const Op *op)
{
    static const ScheduleRow none;
    const ScheduleTable *table = &op->kernel->schedule;
    const int chunk = op->id / SCHEDULE_CHUNK;
    return chunk < table->nchunks && table->chunks[chunk] ? &table->chunks[chunk][op->id % SCHEDULE_CHUNK] : &none;
}

ScheduleRow *schedule_op(Op *op)
{
    Module *module = op->kernel->module;
    ScheduleTable *table = &op->kernel->schedule;
    const int chunk = op->id / SCHEDULE_CHUNK;
    for (; table->nchunks <= chunk; table->nchunks++)
        table->chunks = arena_grow(module, table->chunks, table->nchunks, sizeof *table->chunks);
    if (!table->chunks[chunk])
        table->chunks[chunk] = arena_alloc(module, SCHEDULE_CHUNK * sizeof *table->chunks[chunk]);
    return &table->chunks[chunk][op->id % SCHEDULE_CHUNK];
}
