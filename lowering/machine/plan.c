/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.c - assigns addresses, registers, barriers, threads, and C variables.
 *
 *      before                                     after
 *      storages ta 4 x 16384, tb 4 x 32768,       ta at 0, tb at 65536, c_out at 196608 with 2 blocks of 128 bytes,
 *        c_out 2 x (64 x 256)                       the ring at 229376: 229440 of 232448 bytes
 *      roles producer x 1, consumer x 2           384 threads, 24 and 240 registers
 *
 * Shared memory is one struct with the storages in order, and the mbarriers behind them (budget.c).  If the storages do
 * not fit, rings of open depth lose slots.  If they fit, the rest is divided as follows.
 *
 *   1. Outputs get up to two 128-byte blocks, so that one drains while the next is written.
 *   2. Rings that are filled once a tile get a second slot, so that the next tile is loaded during this one.
 *   3. Outputs get more blocks, up to a whole tile.
 *
 * If the storages do not fit with the fewest slots, an error prints the sum.  At the end, staging.c expands tiles that
 * pass through outputs of the chosen size.
 */
#include <string.h>

#include "ir/queries.h"
#include "ir/slice.h"
#include "machine/plan.h"
#include "passes.h"
#include "roles/programs.h"
#include "target/budget.h"
#include "target/machine.h"
#include "target/storage.h"

static int64_t round_up(int64_t value, int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

static void check_product(Op *op, void *context)
{
    Kernel *kernel = context;
    if (op->code != OP_MMA)
        return;
    int columns = op->results[0]->type.cols < kernel->machine->product_columns ? op->results[0]->type.cols
                                                                               : kernel->machine->product_columns;
    int most = machine_product_columns(kernel->machine, kernel->threads, op->args[0]->type.kind != K_VIEW);
    if (columns > most)
        reject(kernel, op->loc, REASON_PRODUCT_WIDE, columns, kernel->threads, most);
}

/* Refuses products whose instruction needs more registers than a thread has at the launch.  */
static void check_products(Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        ir_walk(role->body, check_product, kernel);
}

int kernel_meetings(const Kernel *kernel)
{
    int count = 0;
    FOR_ROLES (role, kernel)
        count +=
            role_has_op(role, OP_GATHER, NULL) || role_has_op(role, OP_ROLE_BARRIER, NULL) || role_meets(kernel, role);
    return count;
}

bool kernel_has_pingpong(const Kernel *kernel)
{
    FOR_ROLES (role, kernel)
        if (role_has_op(role, OP_PINGPONG_TAKE, NULL))
            return true;
    return false;
}

int64_t plan_place(Kernel *kernel)
{
    return budget_place(kernel, kernel_has_pingpong(kernel), kernel_meetings(kernel));
}

/* Named barriers: 0 for the block, one for each group, one for each group's turn, and one for each role whose groups
   synchronize.  */
static void plan_barriers(Kernel *kernel)
{
    int groups = kernel_groups(kernel);
    int barriers = 1 + groups + (kernel_has_pingpong(kernel) ? groups : 0) + kernel_meetings(kernel);
    if (barriers > kernel->machine->named_barriers)
        reject(kernel, kernel->grid.loc, REASON_BARRIERS, barriers, kernel->machine->named_barriers);
}

/* ---- shared memory ----------------------------------------------------------------------------------------------- */

static void plan_slots(Kernel *kernel)
{
    FOR_STORAGES (storage, kernel)
        storage->slot_bytes = storage_bytes(storage);
}

/* True if everything fits while outputs have at most `blocks` 128-byte blocks.  */
static bool outputs_fit(Kernel *kernel, const int *whole, int blocks)
{
    int i = 0;
    FOR_STORAGES (storage, kernel) {
        if (storage->use != USE_OUTPUT)
            continue;
        int columns = blocks * machine_line_elements(storage->tile.dtype);
        storage->tile.cols = whole[i] < columns ? whole[i] : columns;
        storage->slot_bytes = storage_bytes(storage);
        i++;
    }
    kernel->shared_bytes = plan_place(kernel);
    return budget_fits(kernel, kernel->shared_bytes);
}

static const char *use_text(const Storage *storage)
{
    static const char *const texts[] = {"slots", "operands", "outputs", "scratch", "copies", "sums", "shares", "tiles"};
    return texts[storage->use];
}

enum { MAX_NAMED = 16 }; /* storages that a message names */

static void reject_sum(Kernel *kernel)
{
    const char *sum = "";
    int count = 0;
    FOR_STORAGES (storage, kernel)
        if (count++ < MAX_NAMED)
            sum = arena_print(kernel->module, "%s%s%s %d %s of %lld", sum, *sum ? ", " : "", storage->name,
                              storage->slots, use_text(storage), (long long)storage->slot_bytes);
    if (count > MAX_NAMED)
        sum = arena_print(kernel->module, "%s and %d others", sum, count - MAX_NAMED);
    const Machine *machine = kernel->machine;
    const char *of = machine->depth_is_most ? arena_print(kernel->module, " of %s", machine->name) : "";
    reject(kernel, kernel->loc, REASON_SHARED_MEMORY, (long long)kernel->shared_bytes, of,
           (long long)machine->shared_bytes, sum);
}

/* The tensor cores read 64 rows of A.  If a tile has fewer rows, the shared memory is padded.  */
static void visit_short_operand(Op *op, void *context)
{
    Kernel *kernel = context;
    if (op->code != OP_MMA || op->args[0]->type.kind != K_VIEW)
        return;
    int rows = op->args[0]->type.rows;
    int padding = (int)(round_up(rows, MACHINE_MMA_ROWS) - rows) * MACHINE_LINE_BYTES;
    kernel->shared_padding = padding > kernel->shared_padding ? padding : kernel->shared_padding;
}

static void set_slots(Aref *aref, int slots)
{
    aref->slots = slots;
    for (int i = 0; i < aref->nstorages; i++)
        aref->storages[i]->slots = slots;
}

/* The user or `choose` gives the rings of pipelined loops their depth.  Other rings have one slot, or two if these
   fit.  */
static void plan_second_slots(Kernel *kernel)
{
    FOR_AREFS (aref, kernel) {
        if (!kernel->schedule.block.persistent || aref->slots > 1 || pipelined_loop(aref->payload[0]->def) ||
            storage_is_reused(kernel, aref->storages[0]))
            continue;
        set_slots(aref, 2);
        if (!budget_fits(kernel, plan_place(kernel)))
            set_slots(aref, 1);
    }
    kernel->shared_bytes = plan_place(kernel);
}

static bool uses_in_loop(const Op *op, const void *storage)
{
    return op->storage == storage && ir_enclosing(op, OP_FOR);
}

static bool is_in_loop(const Kernel *kernel, const Storage *storage)
{
    FOR_ROLES (role, kernel)
        if (ir_any_of(role->body, uses_in_loop, storage))
            return true;
    return false;
}

/* Sets the columns of an output, if the kernel then fits.  */
static void try_columns(Kernel *kernel, Storage *storage, int columns)
{
    int before = storage->tile.cols;
    storage->tile.cols = columns;
    storage->slot_bytes = storage_bytes(storage);
    if (!budget_fits(kernel, plan_place(kernel)))
        storage->tile.cols = before;
    storage->slot_bytes = storage_bytes(storage);
}

/* Gives outputs a second block if not all outputs can have one.  Outputs of stores in loops come first.  */
static void widen_outputs(Kernel *kernel, const int *whole)
{
    for (int outside = 0; outside < 2; outside++) {
        int i = 0;
        FOR_STORAGES (storage, kernel) {
            if (storage->use != USE_OUTPUT)
                continue;
            int columns = storage->tile.cols, two = 2 * machine_line_elements(storage->tile.dtype);
            if (columns < two && columns < whole[i] && is_in_loop(kernel, storage) == !outside)
                try_columns(kernel, storage, whole[i] < two ? whole[i] : two);
            i++;
        }
    }
    kernel->shared_bytes = plan_place(kernel);
}

/* Gives outputs the rest of the memory, block by block.  */
static void grow_outputs(Kernel *kernel, const int *whole)
{
    for (bool grown = true; grown;) {
        int i = 0;
        grown = false;
        FOR_STORAGES (storage, kernel) {
            if (storage->use != USE_OUTPUT)
                continue;
            int columns = storage->tile.cols, more = columns + machine_line_elements(storage->tile.dtype);
            try_columns(kernel, storage, more < whole[i] ? more : whole[i]);
            grown |= storage->tile.cols > columns;
            i++;
        }
    }
    kernel->shared_bytes = plan_place(kernel);
}

/* With two slots, the groups synchronize once for each gather: no thread still reads the slot that is written.  */
static void set_gathered_slots(Kernel *kernel, int slots)
{
    FOR_STORAGES (storage, kernel)
        if (storage->use == USE_GATHERED)
            storage->slots = slots;
}

static bool outputs_and_gathered_fit(Kernel *kernel, const int *whole)
{
    bool fits = false;
    for (int slots = 2; slots && !fits; slots--) {
        set_gathered_slots(kernel, slots);
        fits = outputs_fit(kernel, whole, 2) || outputs_fit(kernel, whole, 1);
    }
    return fits;
}

static void leave_staging(Op *op, void *storage)
{
    if (op->storage == storage)
        op->storage = NULL;
}

static bool is_transposed_to(const Op *op, const void *storage)
{
    const Value *tile = op->nargs ? op->args[op->nargs - 1] : NULL;
    return op->storage == storage && op->code == OP_STORE && tile->def && tile->def->code == OP_TRANS &&
           tile->def->tile->transposed;
}

/* Without memory for two slots beside the staging of stores, threads store from their registers.  Drops the largest
   staging; false: none is left.  */
static bool drop_output(Kernel *kernel, int *whole)
{
    Storage **largest = NULL;
    int number = 0, dropped = 0;
    if (!kernel->machine->depth_is_most)
        return false;
    for (Storage **link = &kernel->storages; *link; link = &(*link)->next) {
        bool transposed = false;
        if ((*link)->use != USE_OUTPUT)
            continue;
        FOR_ROLES (role, kernel)
            transposed |= ir_any_of(role->body, is_transposed_to, *link);
        if (!transposed && !storage_is_reused(kernel, *link) &&
            (!largest || storage_bytes(*link) > storage_bytes(*largest))) {
            largest = link;
            dropped = number;
        }
        number++;
    }
    if (!largest)
        return false;
    FOR_ROLES (role, kernel)
        ir_walk(role->body, leave_staging, *largest);
    *largest = (*largest)->next;
    memmove(whole + dropped, whole + dropped + 1, (size_t)(number - dropped - 1) * sizeof *whole);
    return true;
}

static void plan_shared(Kernel *kernel)
{
    int *whole = NULL, outputs = 0; /* columns of each output as a whole */
    plan_slots(kernel);
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_short_operand, kernel);
    FOR_STORAGES (storage, kernel) {
        if (storage->use == USE_OUTPUT)
            LIST_ADD(kernel->module, whole, outputs) = storage->tile.cols;
    }
    plan_shares(kernel);
    if (kernel->failed)
        return;
    bool fits = outputs_and_gathered_fit(kernel, whole);
    while (!fits && (budget_lower_depth(kernel, kernel->machine->depth_is_most ? 2 : 1) || plan_reuse(kernel) ||
                     drop_output(kernel, whole) || budget_lower_depth(kernel, 1)))
        fits = outputs_and_gathered_fit(kernel, whole);
    if (!fits) {
        reject_sum(kernel);
        return;
    }
    widen_outputs(kernel, whole);
    plan_second_slots(kernel);
    grow_outputs(kernel, whole);
}

/* ---- registers that tiles take ----------------------------------------------------------------------------------- */

/* Refuses a role only if its live tiles exceed the registers that a thread can have.  The build reports spills below
   this limit.  A solved schedule must fit the role's own registers, since the chosen schedule can replace it.  */
static int check_pressure(Kernel *kernel, const Role *role)
{
    bool solved = kernel->scheduled_by && !kernel->module->schedule && role->registers;
    int most = solved ? role->registers : machine_thread_registers(kernel->machine, kernel->threads);
    Pressure peak = plan_pressure(kernel, role, most);
    if (peak.registers <= most)
        return peak.registers;
    if (kernel_prints(kernel)) {
        remark(kernel, DIAG_MISSED, peak.loc,
               "each thread needs %d registers and has %d: to print, a kernel keeps tiles longer, and those that do "
               "not fit go to memory",
               peak.registers, most);
        return most;
    }
    reject(kernel, peak.loc, REASON_REGISTERS_THREAD, peak.registers, most, peak.tiles);
    return peak.registers;
}

static void count_polynomials(Op *op, void *count)
{
    *(int *)count += (op_info[op->code].about & IS_POLYNOMIAL) != 0;
}

/* True if the operation accesses scratch memory with an address for each element.  */
static bool passes_scratch(const Op *op, const void *context)
{
    const Role *role = context;
    if (!op->storage || op->storage->use != USE_SCRATCH)
        return false;
    bool sums = machine_wide_groups(role->layout) && op->results[0]->type.cols == 1;
    return !sums && !(op->code == OP_TRANS && machine_turns_vectors(op->args[0]->type, role->layout));
}

static int blocks_by_memory(const Kernel *kernel, int64_t shared_bytes)
{
    return kernel->machine->sm_shared_bytes / (int)(shared_bytes + kernel->machine->block_shared_bytes);
}

/* The number of blocks that an SM should run.  A kernel that loads, computes and stores in turn needs other blocks to
   hide latency.  nvcc would use so many registers that only one or two blocks fit, so the launch bounds state the
   number.  Kernels with matrix products are excluded: their accumulators must not spill.  */
int plan_blocks_with(const Kernel *kernel, int peak, int prefetch, int64_t shared_bytes)
{
    const Costs *costs = kernel_costs(kernel);
    int scratch = 0, coefficients = 0, numbers = costs->few_numbers;
    FOR_ROLES (role, kernel) {
        int loads = plan_loads_together(role);
        loads += loads && prefetch ? costs->made_of_loads_registers : 0;
        peak = loads > peak ? loads : peak;
        int polynomials = 0;
        ir_walk(role->body, count_polynomials, &polynomials);
        int these = !polynomials ? 0 : costs->coefficient_registers * (polynomials > costs->many_polynomials ? 2 : 1);
        coefficients = these > coefficients ? these : coefficients;
        if (ir_any_of(role->body, passes_scratch, role))
            scratch = costs->scratch_registers;
        const int these_numbers = plan_numbers(role->body);
        numbers = these_numbers > numbers ? these_numbers : numbers;
    }
    int other = prefetch ? prefetch : costs->other_registers;
    int each = (int)round_up(peak + other + scratch + coefficients + numbers - costs->few_numbers, 8);
    int blocks = kernel->machine->registers / (each * kernel->threads);
    int fit = blocks_by_memory(kernel, shared_bytes);
    blocks = blocks < fit ? blocks : fit;
    int enough = costs->enough_threads / kernel->threads;
    blocks = blocks < enough ? blocks : enough;
    return blocks > 1 ? blocks : 1;
}

static void plan_blocks(Kernel *kernel, int peak, int prefetch)
{
    FOR_ROLES (role, kernel)
        if (role->registers || kernel->layout == LAYOUT_MMA)
            return;
    kernel->min_blocks = plan_blocks_with(kernel, peak, prefetch, kernel->shared_bytes);
    int blocks =
        machine_wide_groups(kernel->layout) > 1 ? kernel_costs(kernel)->least_team_threads / kernel->threads : 0;
    if (blocks > kernel->min_blocks && blocks <= blocks_by_memory(kernel, kernel->shared_bytes))
        kernel->min_blocks = blocks;
}

static void visit_say_loop(Op *op, void *context)
{
    Kernel *kernel = context;
    const Pipeline *pipeline = pipeline_of(op);
    const LoopSchedule *schedule = schedule_of_loop(op);
    if (!schedule)
        return;
    int groups = kernel->schedule.block.groups;
    const char *split = groups == 1 ? "" : kernel->schedule.block.split == SPLIT_TILES ? "s (tiles)" : "s (rows)";
    remark(kernel, DIAG_OPTIMIZED, pipeline->loc,
           "loop specialized: producer and %d consumer group%s, %d load%s through rings of D = %d, P = %d, %s "
           "schedule%s%s",
           groups, split, schedule->put_count, schedule->put_count > 1 ? "s" : "", schedule->depth, schedule->in_flight,
           schedule->kind == SCHEDULE_COARSE ? "coarse" : "fine", schedule->pingpong ? ", products in ping-pong" : "",
           pipeline->automatic ? " (chosen: as many slots as shared memory holds and hide latency)" : "");
}

/* Remarks on the kernel's cost: threads, registers of each role, shared memory, rings.  */
static void say_plan(Kernel *kernel)
{
    Module *module = kernel->module;
    const char *text = arena_print(module, "kernel %s: %d threads", kernel->name, kernel->threads);
    FOR_ROLES (role, kernel)
        if (role->registers)
            text = arena_print(module, "%s, %s with %d registers", text, role->name, role->registers);
    if (kernel->min_blocks > 1)
        text = arena_print(module, "%s, %d blocks in an SM", text, kernel->min_blocks);
    text = arena_print(module, "%s, %lld bytes of shared memory", text, (long long)kernel->shared_bytes);
    FOR_AREFS (aref, kernel)
        text = arena_print(module, "%s, ring %s of %d x %lld bytes", text, aref->name, aref->slots,
                           (long long)aref->bytes);
    remark(kernel, DIAG_OPTIMIZED, kernel->loc, "%s", text);
}

void pass_plan(Kernel *kernel)
{
    plan_threads(kernel);
    check_products(kernel);
    if (!kernel->failed)
        plan_barriers(kernel);
    if (kernel->failed)
        return;
    plan_shared(kernel);
    if (kernel->failed)
        return;
    plan_staging(kernel);
    plan_turns(kernel);
    plan_variables(kernel);
    plan_pace(kernel);
    plan_role_registers(kernel);
    if (kernel->failed)
        return;
    int peak = 0;
    FOR_ROLES (role, kernel) {
        int registers = check_pressure(kernel, role);
        peak = registers > peak ? registers : peak;
    }
    int prefetch = plan_prefetch(kernel, &peak);
    plan_blocks(kernel, peak, prefetch);
    if (kernel->failed)
        return;
    ir_walk(kernel->body, visit_say_loop, kernel);
    say_plan(kernel);
    FOR_STORAGES (storage, kernel)
        if (storage->over) {
            plan_say_reuse(kernel);
            break;
        }
}
