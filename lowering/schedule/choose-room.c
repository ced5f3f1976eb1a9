/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-room.c - what is left of shared memory for slots whose number is the compiler's to choose.
 *
 *   for (k = 0; k < K; k += 64)                232,448 bytes
 *     ta = ws_load (a, i, k, 128, 64);         - barriers, and what passes through memory from thread to thread
 *     tb = ws_load (b, j, k, 192, 64);         - staging for the stores, one line of 128 bytes for each row
 *     acc = ws_dot (ta, ws_trans (tb), acc);   / 40,960 for each slot of both
 *   ws_store (c, i, j, acc);                   = 5 slots
 *
 * Plan lays out what layout has made of all this.  Here it is estimated; what layout adds, staged operands above all,
 * plan takes from the slots (budget_lower_depth).
 */
#include "schedule/choose.h"
#include "machine/budget.h"
#include "machine/machine.h"

/* The most iterations that still count as few: an epilogue under so short a loop has to leave its registers at once. */
enum { FEW_ITERATIONS = 6, STAGED_GROUPS = 2, PRINTING_ROLES = 4 };

int64_t constant_trips(const Op *loop)
{
    int64_t low, high, step;
    if (!ir_constant(loop->args[0], &low) || !ir_constant(loop->args[1], &high) || !ir_constant(loop->args[2], &step) ||
        step <= 0)
        return -1;
    return high > low ? (high - low + step - 1) / step : 0;
}

static bool is_short(const Op *loop)
{
    int64_t count = constant_trips(loop);
    return count >= 0 && count <= FEW_ITERATIONS;
}

/* What the rings leave to the stores of each group: one 128-byte line of its rows, since a slot more hides more than a
   longer store does, unless the loop is short and all its slots move on.  On an H200, 8192 x 8192 x K in tiles of 128 x
   192: five slots and one line take 5% less than four slots and three lines from eight iterations on, but 15% more at
   four.  */
static int64_t staging_bytes(const Chooser *chooser, Type stored)
{
    int lines = 1;
    for (int i = 0; i < chooser->nloops; i++)
        lines = is_short(chooser->loops[i]) && !chooser->keeps ? 3 : lines;
    int columns = lines * machine_line_elements(stored.dtype);
    stored.cols = stored.cols < columns ? stored.cols : columns;
    stored.rows = stored.rows < MACHINE_MMA_ROWS ? stored.rows : MACHINE_MMA_ROWS;
    return STAGED_GROUPS * machine_output_bytes(stored);
}

/* Stores of one type and height, subtiles of one tile above all, take turns in one staging: that of the largest.  */
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

/* Of a ring, and of the one that carries its tiles on.  */
int64_t room_of_slot(const Op *source)
{
    Type type = source->results[0]->type;
    return machine_slot_bytes(type, schedule_of(source)->line) +
           (schedule_of(source)->transposer ? machine_tile_bytes(type_transposed(type)) : 0);
}

/* With the gap behind what is no multiple of the swizzle's period.  */
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

/* An operand that each group has to bring into a form, and into memory of its own, in which the product reads it.  */
static bool is_staged(const Chooser *chooser, const Op *product, int arg)
{
    const Value *operand = product->args[arg];
    bool registers =
        arg == 0 && dtype_bytes(operand->type.dtype) <= 2 && !(operand->def && operand->def->code == OP_TRANS);
    if (!op_is_dot(product))
        return !ring_source(operand);
    return ring_source(operand) ? !operand_in_place(chooser->kernel->machine, operand, arg) : !registers;
}

/* For so many groups, each with whole tiles or with its share of the rows.  */
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
        if (loop && loop->control->pipeline->automatic && !chooser->keeps && depth > loop->control->pipeline->in_flight)
            bytes -= (depth - loop->control->pipeline->in_flight) * room_of_slot(chooser->rings[i]);
    }
    return !staged || budget_fits(chooser->kernel, bytes);
}
