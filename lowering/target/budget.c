/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * budget.c - the budget of registers and shared memory, and what a kernel takes of it.
 *
 *   pipeline(auto), two groups                 choose: five slots of 40,960 bytes beside what it can foresee
 *   storages ta, tb, c_out, operand_staged     plan: 5 slots do not fit beside the staged operand, 4 do
 *
 * The pass `choose` sets the depth of open rings before `layout` has made the storages.  The estimate of `choose` may
 * be too large.  The pass `plan` then lowers the depth until all storages fit.
 */
#include <limits.h>

#include "ir/queries.h"
#include "target/budget.h"
#include "target/machine.h"
#include "target/storage.h"

/* ---- registers --------------------------------------------------------------------------------------------------- */

bool budget_is_register_count(const Machine *machine, int registers)
{
    return registers >= machine->fewest_role_registers && registers <= machine->most_role_registers &&
           registers % 8 == 0;
}

bool budget_registers_clause(Kernel *kernel)
{
    const Grid *grid = &kernel->grid;
    const Machine *machine = kernel->machine;
    bool given = grid->producer_registers || grid->consumer_registers;
    if (!given || (budget_is_register_count(machine, grid->producer_registers) &&
                   budget_is_register_count(machine, grid->consumer_registers)))
        return true;
    reject(kernel, grid->loc, REASON_REGISTERS_RANGE, grid->producer_registers, grid->consumer_registers);
    return false;
}

static bool has_product(const Block *block)
{
    FOR_OPS (op, block)
        if (op->code == OP_DOT || op->code == OP_DOT_F32)
            return true;
    return false;
}

/* The registers of a block's tiles.  Loads of the block are live at once, since ptxas hoists them.  The block's loops
   add what they carry, and one computed tile is added.  Operands of products wait in shared memory.  */
static int block_registers(const Block *block, Layout layout)
{
    int own = 0, inner = 0, computed = 0;
    bool products = has_product(block);
    FOR_OPS (op, block) {
        for (int i = 0; i < op->nresults; i++) {
            if (!value_is_tile(op->results[i]))
                continue;
            int each = machine_tile_registers(op->results[i]->type, layout);
            if (op->code == OP_FOR || (op_info[op->code].class_ == CLASS_LOAD && !products))
                own += each;
            else if (each > computed)
                computed = each;
        }
        for (int i = 0; i < op->nblocks; i++) {
            int each = block_registers(op->blocks[i], layout);
            inner = each > inner ? each : inner;
        }
    }
    return own + (inner > computed ? inner : computed);
}

static bool any_product(const Block *block)
{
    FOR_OPS (op, block)
        for (int i = 0; i < op->nblocks; i++)
            if (any_product(op->blocks[i]))
                return true;
    return has_product(block);
}

Layout budget_layout(const Block *block)
{
    if (any_product(block))
        return LAYOUT_MMA;
    Layout best = LAYOUT_ROWS;
    for (Layout layout = LAYOUT_MMA + 1; layout < LAYOUT_WIDE; layout++) /* wide layouts do not suit every kernel */
        if (block_registers(block, layout) < block_registers(block, best))
            best = layout;
    return best;
}

int budget_tiles(const Block *block)
{
    return block_registers(block, budget_layout(block));
}

bool budget_chosen_fits(const Machine *machine, const Block *block, bool planned, bool rows_alone)
{
    const Costs *costs = machine->costs;
    const int most = any_product(block) ? costs->chosen_product_registers
                     : planned          ? costs->planned_registers
                                        : costs->chosen_registers;
    int wide = rows_alone ? block_registers(block, LAYOUT_WIDE) : INT_MAX, others = budget_tiles(block);
    return (wide < others ? wide : others) <= most;
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

static int64_t round_up(int64_t value, int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

enum { BARRIER = 8, OF_SLOT = 2 * BARRIER, OF_DYNAMIC = 10 * BARRIER }; /* full and empty mbarrier of a slot */

int64_t budget_barriers(int slots, bool pingpong, int meetings, bool dynamic)
{
    return (int64_t)OF_SLOT * slots + (pingpong ? BARRIER : 0) + BARRIER * meetings + (dynamic ? OF_DYNAMIC : 0);
}

/* Places a storage, interleaved with the storage beside it, and returns the end.  */
static int64_t place_storage(Kernel *kernel, Storage *storage, int64_t offset)
{
    Storage *behind = storage_beside(kernel, storage);
    storage->offset = round_up(offset, storage_align(storage));
    storage->stride = storage->slot_bytes;
    if (behind) {
        storage->stride += behind->slot_bytes;
        behind->stride = storage->stride;
        behind->offset = storage->offset + storage->slot_bytes;
    }
    return storage->offset + storage_places(storage) * storage->stride;
}

/* Places the storages that use the memory of `under`, and returns the larger end.  */
static int64_t place_over(Kernel *kernel, const Storage *under, int64_t end)
{
    FOR_STORAGES (storage, kernel) {
        if (storage->over != under)
            continue;
        int64_t its = place_storage(kernel, storage, under->offset);
        end = its > end ? its : end;
    }
    return end;
}

/* The struct ends as in C++: its alignment is the largest of its members.  */
int64_t budget_place(Kernel *kernel, bool pingpong, int meetings)
{
    int64_t offset = 0, align = 8;
    int slots = 0;
    FOR_STORAGES (storage, kernel) {
        align = storage_align(storage) > align ? storage_align(storage) : align;
        if (!storage->beside && !storage->over)
            offset = place_over(kernel, storage, place_storage(kernel, storage, offset));
    }
    FOR_AREFS (aref, kernel)
        slots += aref->slots;
    offset = round_up(offset, 8) + budget_barriers(slots, pingpong, meetings, kernel->schedule.block.dynamic);
    return round_up(offset, align) + kernel->shared_padding;
}

bool budget_fits(const Kernel *kernel, int64_t bytes)
{
    return bytes <= kernel->machine->shared_bytes;
}

/* ---- open depths ------------------------------------------------------------------------------------------------- */

/* A depth that the user states is for the memory of the default GPU.  A GPU with less memory takes it as the most.  */
static const Op *open_loop(const Kernel *kernel, const Aref *aref)
{
    const Op *source = aref->payload[0]->def, *loop = pipelined_loop(source);
    const bool automatic = loop && loop->control->pipeline->automatic && !schedule_of(source)->ring;
    return automatic || kernel->machine->depth_is_most ? loop : NULL;
}

/* The slots that a ring loses at once: those of one iteration over resident tiles.  */
static int slots_given(const Aref *aref)
{
    int resident = 1;
    for (int i = 0; i < aref->nstorages; i++)
        resident = aref->storages[i]->resident > resident ? aref->storages[i]->resident : resident;
    return resident;
}

/* The fewest slots.  The coarse schedule reads a slot one iteration late.  */
static int fewest_slots(const Kernel *kernel, const Aref *aref)
{
    const LoopSchedule *schedule = schedule_of_loop(open_loop(kernel, aref));
    int late = schedule->kind == SCHEDULE_COARSE ? 2 : 1;
    return schedule->in_flight > late ? schedule->in_flight : late;
}

static void set_depth(Aref *aref, int slots)
{
    aref->slots = slots;
    for (int i = 0; i < aref->nstorages; i++)
        aref->storages[i]->slots = slots;
    for (int i = 0; i < aref->nstorages; i++)
        schedule_op(aref->payload[i]->def)->depth = slots;
}

bool budget_lower_depth(Kernel *kernel, int fewest)
{
    int most = 0, step = 1;
    FOR_AREFS (aref, kernel)
        if (open_loop(kernel, aref) && aref->slots > most)
            most = aref->slots;
    FOR_AREFS (aref, kernel)
        if (open_loop(kernel, aref) && aref->slots == most && slots_given(aref) > step)
            step = slots_given(aref);
    FOR_AREFS (aref, kernel)
        if (open_loop(kernel, aref) && aref->slots == most &&
            (most - step < fewest || most - step < fewest_slots(kernel, aref)))
            return false;
    FOR_AREFS (aref, kernel) {
        const Op *loop = open_loop(kernel, aref);
        if (!loop || aref->slots != most)
            continue;
        set_depth(aref, most - step);
        schedule_of_loop(loop)->depth = most - step;
    }
    return most > 0;
}
