/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-room.c - estimates the shared memory that is left for rings of open depth.
 *
 *      for (k = 0; k < K; k += 64)                232,448 bytes
 *        ta = ws_load (a, i, k, 128, 64);         - barriers, and what passes through memory from thread to thread
 *        tb = ws_load (b, j, k, 192, 64);         - staging for the stores, one line of 128 bytes for each row
 *        acc = ws_dot (ta, ws_trans (tb), acc);   / 40,960 for each slot of both
 *      ws_store (c, i, j, acc);                   = 5 slots
 *
 * The pass `plan` lays out what `layout` has made, and this file estimates the result.  Storages that `layout` adds,
 * above all staged operands, take slots away in `plan` (budget_lower_depth).
 */
#include "schedule/choose.h"
#include "target/budget.h"
#include "target/machine.h"
#include "target/operands.h"

enum { STAGED_GROUPS = 2, PRINTING_ROLES = 4 };

/* True for a loop of few iterations.  Its epilogue has to leave the registers at once.  */
static bool is_short(const Costs *costs, const Op *loop)
{
    int64_t count = constant_trips(loop);
    return count >= 0 && count <= costs->few_iterations;
}

/* The staging of one store for all groups: a 128-byte line for each row, since another slot hides more latency
   than a longer store.  In a short loop, three lines are better, unless a ring has resident slots
   (bench/notes/choices.md).  */
static int64_t staging_bytes(const Chooser *chooser, Type stored)
{
    int lines = 1;
    for (int i = 0; i < chooser->nloops; i++)
        lines = is_short(kernel_costs(chooser->kernel), chooser->loops[i]) && !chooser->keeps ? 3 : lines;
    int columns = lines * machine_line_elements(stored.dtype);
    stored.cols = stored.cols < columns ? stored.cols : columns;
    stored.rows = stored.rows < MACHINE_MMA_ROWS ? stored.rows : MACHINE_MMA_ROWS;
    return STAGED_GROUPS * machine_output_bytes(stored);
}

/* True if `store` has the larger staging of two stores that can share one.  The stores have one type and height, for
   instance as subtiles of one tile.  */
static bool stages_for(const Chooser *chooser, int store, int other)
{
    Type x = stored_type(chooser->stores[store]), y = stored_type(chooser->stores[other]);
    bool pieces = x.rows % MACHINE_MMA_ROWS == 0 && y.rows % MACHINE_MMA_ROWS == 0;
    int64_t bytes = staging_bytes(chooser, x), others = staging_bytes(chooser, y);
    return x.dtype == y.dtype && (x.rows == y.rows || pieces) && (bytes > others || (bytes == others && store < other));
}

static int64_t output_bytes(const Chooser *chooser)
{
    int64_t bytes = 0;
    for (int i = 0; i < chooser->nstores && chooser->ndots; i++) {
        bool alone = stored_type(chooser->stores[i]).rows > 1;
        for (int k = 0; k < chooser->nstores && alone; k++)
            alone = !stages_for(chooser, k, i);
        bytes += alone ? staging_bytes(chooser, stored_type(chooser->stores[i])) : 0;
    }
    return bytes;
}

/* The slot, and that of the ring with the transposed tiles.  */
int64_t room_of_slot(const Op *source)
{
    Type type = source->results[0]->type;
    return machine_slot_bytes(type, schedule_of(source)->line) +
           (schedule_of(source)->transposer ? machine_tile_bytes(type_transposed(type)) : 0);
}

/* Rounds up to the period of the swizzle.  */
static int64_t whole_lines(int64_t bytes)
{
    return (bytes + MACHINE_SHARED_ALIGN - 1) / MACHINE_SHARED_ALIGN * MACHINE_SHARED_ALIGN;
}

static int64_t barrier_bytes(const Chooser *chooser)
{
    int64_t bytes = budget_barriers(MACHINE_MAX_DEPTH * (chooser->nloads + chooser->nprepared), true,
                                    kernel_prints(chooser->kernel) ? PRINTING_ROLES : 1, true);
    return whole_lines(bytes) + (chooser->parts_bytes || chooser->scratch_bytes ? MACHINE_SHARED_ALIGN : 0);
}

int64_t room_fixed(const Chooser *chooser)
{
    int64_t bytes =
        barrier_bytes(chooser) + chooser->parts_bytes + STAGED_GROUPS * chooser->scratch_bytes + output_bytes(chooser);
    for (int i = 0; i < chooser->nloads; i++)
        if (schedule_of(chooser->loads[i])->depth > 0)
            bytes += (chooser->loads[i]->transfer->resident ? chooser->loads[i]->transfer->resident
                                                            : schedule_of(chooser->loads[i])->depth) *
                     room_of_slot(chooser->loads[i]);
    for (int i = 0; i < chooser->nprepared; i++)
        if (schedule_of(chooser->prepared[i])->depth > 0)
            bytes += whole_lines(schedule_of(chooser->prepared[i])->depth * room_of_slot(chooser->prepared[i]));
    return bytes;
}

/* True if each group has to stage the operand in memory of its own.  */
static bool is_staged(const Chooser *chooser, const Op *product, int arg)
{
    const Value *operand = product->args[arg];
    bool registers =
        arg == 0 && dtype_bytes(operand->type.dtype) <= 2 && !(operand->def && operand->def->code == OP_TRANS);
    if (!op_is_dot(product))
        return !ring_source(operand);
    return ring_source(operand) ? !operand_in_place(chooser->kernel->machine, operand, arg) : !registers;
}

/* The staging of operands for that many groups, of whole tiles or of each group's rows.  */
static int64_t staged_bytes(const Chooser *chooser, int groups, bool rows)
{
    int64_t bytes = 0;
    for (int i = 0; i < chooser->ndots; i++)
        for (int arg = 0; arg < 2; arg++) {
            Type type = chooser->dots[i]->args[arg]->type;
            type.rows = rows && arg == 0 ? type.rows / groups : type.rows;
            bytes += is_staged(chooser, chooser->dots[i], arg) ? groups * machine_tile_bytes(type) : 0;
        }
    return bytes;
}

bool room_for_staged(const Chooser *chooser, int groups, bool rows)
{
    int64_t staged = staged_bytes(chooser, groups, rows), bytes = room_fixed(chooser) + staged;
    for (int i = 0; i < chooser->nrings; i++) {
        const Op *loop = pipelined_loop(chooser->rings[i]);
        int depth = schedule_of(chooser->rings[i])->depth;
        if (loop && loop->control->pipeline->automatic && !chooser->keeps && depth > schedule_of_loop(loop)->in_flight)
            bytes -= (depth - schedule_of_loop(loop)->in_flight) * room_of_slot(chooser->rings[i]);
    }
    return !staged || budget_fits(chooser->kernel, bytes);
}
