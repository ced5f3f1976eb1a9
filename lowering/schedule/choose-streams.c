/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-streams.c - loops that read and do not multiply.
 *
 *   #pragma ws pipeline(auto)
 *   for (k = 0; k < N; k += 512)                                  16384 bytes an iteration, which feed no product
 *       sum = ws_add(sum, ws_row_sum(ws_mul(ws_load(a, i, k, 16, 512), ws_load_row(x, k, 512))));
 *
 * A ring pays where the tensor cores read what it holds.  Here each element is read once, by the thread that computes
 * with it: registers hold what the next iteration wants (prefetch.c), and many blocks of an SM wait for memory at the
 * same time, where one with a ring is alone there.  On an H200, a matrix of 16384 x 8192 times a vector had 0.88 to
 * 0.95 of cuBLAS through a ring, and has 1.01 by such loads of four blocks of one group, 0.95 of three blocks of two;
 * one of 4096 x 4096 has 1.39.  What an iteration loads has to fit registers beside what the one before it computes.
 * Else rings it is, and wherever anything but `auto` was said.
 */
#include "schedule/choose.h"
#include "machine/machine.h"
#include "machine/plan.h"

/* Registers of a thread in which an iteration of a loop may wait for the one before.  */
enum { MOST_STREAMED_REGISTERS = 40 };

/* Of a thread of one group, for what an iteration of the loop loads; -1: some load would have to wait for a store.  */
static int streamed_registers(const Chooser *chooser, const Op *loop)
{
    int registers = 0;
    for (int i = 0; i < chooser->nloads; i++) {
        if (pipelined_loop(chooser->loads[i]) != loop)
            continue;
        if (choose_aliasing_store(chooser, chooser->loads[i]))
            return -1;
        registers += machine_tile_registers(chooser->loads[i]->results[0]->type, LAYOUT_ROWS);
    }
    return registers;
}

/* Does another loop read the same memory?  That reading had better find it in L2, which few blocks with rings leave
   room for: on an H200, 131072 rows of 4096 bf16 in two passes had 0.78 of a copy with rings, and 0.65 without.  */
static bool another_reads(const Chooser *chooser, const Op *loop)
{
    for (int i = 0; i < chooser->nloads; i++)
        for (int k = 0; k < chooser->nloads; k++) {
            const Op *other = pipelined_loop(chooser->loads[k]);
            if (pipelined_loop(chooser->loads[i]) == loop && other && other != loop &&
                tensor_memory(chooser->loads[i]->args[0]) == tensor_memory(chooser->loads[k]->args[0]))
                return true;
        }
    return false;
}

/* All loops of a kernel, of which nothing is said but that they are to be pipelined.  */
static bool may_stream(const Chooser *chooser)
{
    const Grid *grid = &chooser->kernel->grid;
    bool asked = grid->producer_registers || grid->parts || chooser->kernel->tasks || chooser->said;
    for (int i = 0; i < chooser->nloops && !asked; i++) {
        const Pipeline *pipeline = chooser->loops[i]->control->pipeline;
        int registers = streamed_registers(chooser, chooser->loops[i]);
        asked = !pipeline->automatic || pipeline->pingpong || pipeline->optimal ||
                pipeline->schedule != SCHEDULE_AUTO || registers <= 0 ||
                registers > MOST_STREAMED_REGISTERS * choose_wanted_groups(chooser) ||
                another_reads(chooser, chooser->loops[i]);
    }
    return chooser->nloops && !chooser->ndots && !asked;
}

int choose_streaming_groups(const Chooser *chooser)
{
    return (chooser->streams + MOST_STREAMED_REGISTERS - 1) / MOST_STREAMED_REGISTERS;
}

/* Plan leaves the marks on what registers are left for.  */
static void mark_loads(const Op *loop)
{
    FOR_OPS (op, loop->blocks[0])
        if (op_info[op->code].class_ == CLASS_LOAD)
            op->transfer->prefetch = PREFETCH_ITERATION;
}

void choose_streams(Chooser *chooser)
{
    int count = may_stream(chooser) ? chooser->nloops : 0;
    for (int i = 0; i < count; i++) {
        const Pipeline *pipeline = chooser->loops[i]->control->pipeline;
        int registers = streamed_registers(chooser, chooser->loops[i]);
        remark(chooser->kernel, DIAG_OPTIMIZED, pipeline->loc,
               "no rings: what an iteration loads feeds no product and fits %d registers of a thread", registers);
        chooser->streams = registers > chooser->streams ? registers : chooser->streams;
        mark_loads(chooser->loops[i]);
        chooser->loops[i]->control->pipeline = NULL;
    }
    chooser->nloops = count ? 0 : chooser->nloops;
}
