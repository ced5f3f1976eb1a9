/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-streams.c - loops that load but do not multiply.
 *
 *   #pragma ws pipeline(auto)
 *   for (k = 0; k < N; k += 512)                                  16384 bytes an iteration, which feed no product
 *       sum = ws_add(sum, ws_row_sum(ws_mul(ws_load(a, i, k, 16, 512), ws_load_row(x, k, 512))));
 *
 * A ring pays if the tensor cores read its slots.  Here each element is read once, by the thread that computes with it.
 * Registers hold the data of the next iteration (prefetch.c), and many blocks of an SM hide the latency.  With a ring,
 * a block would be alone in its SM.
 *
 * The loads of an iteration must fit into registers beside the computation of the previous one.  Otherwise, and if the
 * user wrote any other clause than `auto`, the loop gets rings.  Both ways are measured in bench/notes/choices.md.
 */
#include "ir/alias.h"
#include "schedule/choose.h"
#include "target/machine.h"

/* The registers of a thread of one group for the loads of an iteration; -1: a load would have to wait for a store.  */
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

/* True if another loop loads the same memory.  Its loads should hit in L2, for which many blocks leave no room
   (bench/notes/choices.md).  */
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

/* True if all loops of the kernel may be streamed.  The user must have written only that they are pipelined.  */
static bool may_stream(const Chooser *chooser)
{
    const Grid *grid = &chooser->kernel->grid;
    const int most = kernel_costs(chooser->kernel)->iteration_registers;
    bool asked = grid->producer_registers || grid->parts || chooser->kernel->tasks || chooser->said;
    for (int i = 0; i < chooser->nloops && !asked; i++) {
        const Pipeline *pipeline = chooser->loops[i]->control->pipeline;
        int registers = streamed_registers(chooser, chooser->loops[i]);
        asked = !pipeline->automatic || pipeline->pingpong || pipeline->schedule != SCHEDULE_AUTO || registers <= 0 ||
                registers > most * choose_wanted_groups(chooser) || another_reads(chooser, chooser->loops[i]);
    }
    return chooser->nloops && !chooser->ndots && !asked;
}

int choose_streaming_groups(const Chooser *chooser)
{
    const int most = kernel_costs(chooser->kernel)->iteration_registers;
    return (chooser->streams + most - 1) / most;
}

/* Marks the loads for prefetches.  `plan` keeps the marks as far as registers suffice.  */
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
               "no rings: the loads of an iteration feed no product and fit into %d registers of a thread", registers);
        chooser->streams = registers > chooser->streams ? registers : chooser->streams;
        mark_loads(chooser->loops[i]);
        chooser->loops[i]->control->schedule = NULL;
    }
    chooser->nloops = count ? 0 : chooser->nloops;
}
