/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prefetch.c - loads that a block issues before the tile or the iteration that uses them.
 *
 *      grid i, j                              grid i, j              blocks are persistent
 *        x = load t, i, 0                       x = load t, i, 0 | prefetch=1     of the next tile, at this place
 *        sum = row_sum x                        sum = row_sum x
 *        y = fma x, sum, load_row g, 0          y = fma x, sum, load_row g, 0 | prefetch=2   once, before the grid
 *
 * If blocks of a cluster synchronize between the loads and the stores of a tile, memory is idle in between.  Therefore
 * a block issues the loads of its next tile before the work on this one, and keeps them in registers.  A wide layout
 * has registers to spare for this.  Sums along rows wait for all loads, too.  If warps have rows of their own, enough
 * blocks hide the latency without prefetches (row `enough_blocks`).
 *
 *   for k = 0, < %N, 512, %sum             for k = 0, < %N, 512, %sum
 *     x = load a, i, k                       x = load a, i, k | prefetch=3       of the next iteration, at this place
 *     ...                                    ...
 *
 * A loop whose loads feed no product does the same from iteration to iteration.  A loop with rings prefetches columns
 * and single numbers, for instance scales, that it loads beside the rings.  Otherwise its products would wait for
 * memory in each iteration.
 *
 * A prefetch changes no value.  Iterations of the grid are independent, and the next value of a loop's counter is
 * known.  No store of the kernel writes what is loaded.  The proof checks these conditions of each load again.  All
 * effects are measured in bench/notes/choices.md.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "machine/plan.h"
#include "roles/programs.h"
#include "target/budget.h"
#include "target/machine.h"
#include "target/storage.h"

bool load_is_prefetched(const Op *op)
{
    return op_info[op->code].about & HAS_PREFETCH && op->transfer->prefetch;
}

bool load_is_cached(const Op *op)
{
    return load_is_prefetched(op) && op->transfer->prefetch != PREFETCH_ITERATION && op->storage &&
           op->storage->use == USE_ROW_CACHE;
}

static bool is_number(const Op *op)
{
    return op->code == OP_AT || op->code == OP_AT_FLOAT;
}

/* ---- may it ------------------------------------------------------------------------------------------------------ */

/* True if the scalar is computed from variables of the grid and from parameters alone.  For ONCE, it must not depend on
   variables that differ between a block's tiles.  The last dimension of a grid of parts or blocks is the number of the
   block.  */
static bool is_known_early(const Kernel *kernel, const Block *tile, const Value *value, int how)
{
    const Variable *variable = value->var;
    if (value->type.kind != K_SCALAR || (variable && variable->role && variable->mutable_))
        return false;
    if ((variable && !variable->role) || ir_outside(value, tile->parent))
        return true;
    if (!value->def) {
        int dims = tile->parent->nargs / 3;
        bool own = kernel->grid.parts && value->index == dims - 1;
        return value->block == tile && value->index < dims && (how == PREFETCH_TILE || own);
    }
    if (value->def->code == OP_CONST)
        return true;
    if (op_info[value->def->code].class_ != CLASS_SCALAR || value->def->parent != tile)
        return false;
    for (int i = 0; i < value->def->nargs; i++)
        if (!is_known_early(kernel, tile, value->def->args[i], how))
            return false;
    return true;
}

typedef struct {
    const Value *value;
    Op *last;
    int count;
} Readers;

static void visit_operands(Op *op, void *context)
{
    Readers *readers = context;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i] == readers->value)
            readers->last = op, readers->count++;
}

/* True if the load's expression is evaluated once a tile.  A load without a variable is printed at its use.  The
   function counts uses itself, since a program that was read from text has no counts.  */
static bool is_evaluated_once(const Op *load)
{
    const Op *op = load;
    while (op->nresults == 1 && !op->results[0]->var) {
        Readers readers = {op->results[0], NULL, 0};
        ir_walk(load->parent, visit_operands, &readers);
        if (readers.count != 1 || readers.last->parent != load->parent || readers.last->nblocks)
            return false;
        if (!op_is_pure(readers.last))
            return true;
        op = readers.last;
    }
    return true;
}

bool load_is_stored(const Kernel *kernel, const Op *load)
{
    FOR_ROLES (role, kernel)
        if (ir_any_of(role->body, stores_what_is_loaded, load))
            return true;
    return false;
}

static bool may_be_of_next_tile(const Kernel *kernel, const Op *load, int how)
{
    const Variable *tensor = load->args[0]->var;
    if (load->parent->parent->code != OP_GRID || !tensor || tensor->role || kernel->grid.together)
        return false;
    for (int i = 1; i < load->nargs; i++)
        if (!is_known_early(kernel, load->parent, load->args[i], how))
            return false;
    return true;
}

/* True if the scalar is computed from the loop's counter and from values known before the loop.  */
static bool is_known_in_loop(const Op *loop, const Value *value)
{
    if (value->type.kind != K_SCALAR || ir_outside(value, loop))
        return value->type.kind == K_SCALAR;
    if (!value->def)
        return value == loop->blocks[0]->args[0];
    if (op_info[value->def->code].class_ != CLASS_SCALAR || value->def->parent != loop->blocks[0])
        return false;
    for (int i = 0; i < value->def->nargs; i++)
        if (!is_known_in_loop(loop, value->def->args[i]))
            return false;
    return true;
}

/* True if the loop's next counter and the existence of a next iteration are known.  */
static bool counts_up(const Op *loop)
{
    int64_t step;
    return loop->code == OP_FOR && loop->nblocks == 1 && !loop->control->unroll &&
           loop->control->compare == OP_SCALAR_LT && dtype_is_signed(loop->args[0]->type.dtype) &&
           ir_constant(loop->args[2], &step) && step > 0;
}

static bool may_be_of_next_iteration(const Op *load)
{
    const Op *loop = load->parent->parent;
    if (!counts_up(loop) || !ir_outside(load->args[0], loop))
        return false;
    for (int i = 1; i < load->nargs; i++)
        if (!is_known_in_loop(loop, load->args[i]))
            return false;
    return true;
}

bool load_may_be_prefetched(const Kernel *kernel, const Op *load, int how)
{
    bool moves = load->code == OP_LOAD || load->code == OP_LOAD_ROW || load->code == OP_LOAD_COL ||
                 (is_number(load) && how == PREFETCH_ITERATION);
    bool place = moves && (!load->storage || load->storage->use == USE_ROW_CACHE) && load->parent->parent &&
                 is_evaluated_once(load);
    bool known =
        place && (how == PREFETCH_ITERATION ? may_be_of_next_iteration(load) : may_be_of_next_tile(kernel, load, how));
    return known && !load_is_stored(kernel, load);
}

/* ---- is it worth it ---------------------------------------------------------------------------------------------- */

static bool is_loop(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_FOR || op->code == OP_WHILE;
}

/* True for operations that wait for all loads of the tile, before it stores.  */
static bool waits_for_all(const Op *op, const void *none)
{
    (void)none;
    return op_meets_blocks(op) || op_reduces_rows(op);
}

/* The registers of a thread for the addresses of a load.  */
static int addresses_of(const Costs *costs, const Op *load, Layout layout)
{
    int rows = machine_tile_registers(type_tile(D_F32, load->results[0]->type.rows, 1), layout);
    return rows > costs->few_rows ? costs->rows_address_registers
           : rows > 1             ? costs->few_rows_address_registers
                                  : costs->row_address_registers;
}

/* True if a load has so many columns of each thread that addresses need more registers.  */
static bool is_long(const Op *op, const void *columns)
{
    return op_info[op->code].class_ == CLASS_LOAD && op->results[0]->type.cols >= *(const int *)columns;
}

static int long_columns(const Costs *costs, const Role *role)
{
    return costs->long_row_columns * machine_wide_groups(role->layout) * MACHINE_GROUP_THREADS;
}

/* True for a tile of one row of a long tensor.  Rows that it shares with other tiles are read for this row alone.  */
static bool is_of_one_row(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_LOAD && op->results[0]->type.rows == 1;
}

/* True for a tile with several columns.  A single column or row comes from L2.  */
static bool is_wide(Type type)
{
    return type.cols > 1;
}

/* True if the load is prefetched in the way `how`.  */
static bool is_loaded_so(const Kernel *kernel, const Op *op, int how)
{
    if (op_info[op->code].class_ != CLASS_LOAD || !is_wide(op->results[0]->type))
        return false;
    bool once = load_may_be_prefetched(kernel, op, PREFETCH_ONCE);
    return how == PREFETCH_ONCE ? once && op->results[0]->type.rows == 1
                                : !once && load_may_be_prefetched(kernel, op, PREFETCH_TILE);
}

static int registers_of(const Kernel *kernel, const Role *role, int how)
{
    int registers = 0;
    FOR_OPS (op, kernel_grid(kernel)->blocks[0])
        if (is_loaded_so(kernel, op, how))
            registers += machine_tile_registers(op->results[0]->type, role->layout);
    return registers;
}

static void mark_as(const Kernel *kernel, int how, int mark)
{
    FOR_OPS (op, kernel_grid(kernel)->blocks[0])
        if (is_loaded_so(kernel, op, how))
            op->transfer->prefetch = mark;
}

static void mark(const Kernel *kernel, int how)
{
    mark_as(kernel, how, how);
}

static bool stores_rows(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_STORE && op->args[op->nargs - 1]->type.cols > 1;
}

/* True if rows wait for all their loads and are stored.  Warps with rows of their own, in blocks that synchronize, are
   excluded.  */
static bool is_worth_it(const Kernel *kernel, const Role *role)
{
    return (machine_wide_groups(role->layout) || !kernel->grid.parts) && ir_any_of(role->body, waits_for_all, NULL) &&
           ir_any_of(role->body, stores_rows, NULL);
}

/* ---- in shared memory -------------------------------------------------------------------------------------------- */

/* The slots of a prefetched load in shared memory: one, or one for this tile and one for the next.  */
static int slots_of(int how)
{
    return how == PREFETCH_ONCE ? 1 : 2;
}

/* The bytes of all loads of this kind in shared memory; 0: not all of them can be there.  */
static int64_t cached_bytes(const Kernel *kernel, int how)
{
    Layout layout = kernel->roles->layout;
    int64_t sum = 0;
    FOR_OPS (op, kernel_grid(kernel)->blocks[0]) {
        bool loaded = is_loaded_so(kernel, op, how);
        int64_t bytes = loaded ? slots_of(how) * machine_cached_bytes(op->results[0]->type, layout) : 0;
        bool vectors = how == PREFETCH_ONCE ||
                       (loaded && op->code == OP_LOAD && machine_brings_vectors(op->results[0]->type, layout));
        if (loaded && (!bytes || !vectors))
            return 0;
        sum += bytes;
    }
    return sum;
}

/* Allocates the memory.  Each thread reads only what it has written there.  */
static void keep(Kernel *kernel, const Role *role, int how)
{
    FOR_OPS (op, kernel_grid(kernel)->blocks[0])
        if (load_is_prefetched(op) && op->transfer->prefetch == how) {
            const Value *tensor = op->args[0];
            const char *name = arena_print(kernel->module, "%s_cached", tensor->name ? tensor->name : "row");
            op->storage =
                storage_new(kernel, name, USE_ROW_CACHE, op->results[0]->type, slots_of(how) * role->replicas);
            op->storage->slot_bytes = storage_bytes(op->storage);
        }
    kernel->shared_bytes = plan_place(kernel);
}

static bool may_keep(const Kernel *kernel, const Role *role)
{
    return machine_wide_groups(role->layout) > (kernel->grid.parts ? 0 : 1);
}

/* Keeps rows that all tiles share in shared memory if they exceed the registers.  */
static bool keep_in_memory(Kernel *kernel, const Role *role)
{
    int64_t bytes = may_keep(kernel, role) ? cached_bytes(kernel, PREFETCH_ONCE) : 0;
    if (!bytes || bytes * role->replicas > kernel_costs(kernel)->cached_bytes)
        return false;
    mark(kernel, PREFETCH_ONCE);
    keep(kernel, role, PREFETCH_ONCE);
    return true;
}

/* True if shared memory for these rows makes room for another block.  Threads of a team have few registers, and few of
   its blocks fit.  */
static bool makes_room(const Kernel *kernel, const Role *role, int peak, int once, int others)
{
    if (machine_wide_groups(role->layout) < 2 || !once)
        return false;
    int64_t all = kernel->shared_bytes + cached_bytes(kernel, PREFETCH_ONCE);
    mark(kernel, PREFETCH_ONCE);
    int blocks = plan_blocks_with(kernel, peak, others + once, kernel->shared_bytes);
    bool more = plan_blocks_with(kernel, peak, others, all) > blocks || kernel->threads == kernel->machine->max_threads;
    mark_as(kernel, PREFETCH_ONCE, 0);
    return more;
}

/* Prefetches the next tile into shared memory by copies, which take no registers.  */
static bool next_in_memory(Kernel *kernel, const Role *role)
{
    int64_t bytes = may_keep(kernel, role) && role->replicas == 1 ? cached_bytes(kernel, PREFETCH_TILE) : 0;
    if (!bytes || !budget_fits(kernel, kernel->shared_bytes + bytes))
        return false;
    keep(kernel, role, PREFETCH_TILE);
    return true;
}

/* True if the next tile is better in shared memory than in registers.  That holds in one block if cached rows take so
   much memory that only one block fits and its registers are short.  It also holds in a cluster if a team has few
   registers in each thread.  In other cases registers are as good or better, since loads of whole vectors are not
   waited for (print/cuda-vectors.c, bench/notes/choices.md).  */
static bool is_better_in_memory(const Kernel *kernel, int next)
{
    const Costs *costs = kernel_costs(kernel);
    if (machine_wide_groups(kernel->roles->layout) > 1)
        return kernel->grid.parts && next < costs->next_registers;
    return next > costs->next_registers && kernel->shared_bytes > costs->few_cached_bytes;
}

/* Marks prefetches of the next tile, and returns the registers of a thread that they take.  Without a wide layout, a
   row that several tiles share would be in all warps.  */
static int prefetch_of_tiles(Kernel *kernel, const Role *role, int peak)
{
    const Grid *grid = &kernel->grid;
    const BlockSchedule *block = &kernel->schedule.block;
    bool may_persist = block->persistent || !grid->persistent_given;
    if (block->dynamic || !may_persist || ir_any_of(role->body, is_loop, NULL) || !is_worth_it(kernel, role))
        return 0;
    int next = registers_of(kernel, role, PREFETCH_TILE);
    int once = machine_wide_groups(role->layout) ? registers_of(kernel, role, PREFETCH_ONCE) : 0;
    const Costs *costs = kernel_costs(kernel);
    int room = !machine_wide_groups(role->layout)      ? costs->next_of_warps_registers
               : grid->cluster[1] > costs->many_blocks ? costs->next_of_many_registers
                                                       : costs->next_registers;
    if (!next || next > room)
        return 0;
    if (!machine_wide_groups(role->layout) &&
        plan_blocks_with(kernel, peak, costs->warps_address_registers, kernel->shared_bytes) >= costs->enough_blocks)
        return costs->warps_address_registers;
    mark(kernel, PREFETCH_TILE);
    const int long_ = long_columns(costs, role);
    int beside = !machine_wide_groups(role->layout)       ? costs->warps_address_registers
                 : ir_any_of(role->body, is_long, &long_) ? costs->long_row_address_registers
                                                          : costs->few_rows_address_registers;
    bool many = grid->cluster[1] >= costs->many_blocks || ir_any_of(role->body, is_of_one_row, NULL);
    bool kept = ((many && once > costs->once_registers) || makes_room(kernel, role, peak, once, next + beside)) &&
                keep_in_memory(kernel, role);
    once = !kept && once <= (many ? costs->once_of_many_registers : costs->once_registers) ? once : 0;
    if (once)
        mark(kernel, PREFETCH_ONCE);
    kernel->schedule.block.persistent = true;
    bool brought = is_better_in_memory(kernel, next) && next_in_memory(kernel, role);
    next = brought ? 0 : next;
    remark(kernel, DIAG_OPTIMIZED, kernel->loc, "persistent: a block prefetches its next tile into %s%s",
           brought ? "shared memory" : arena_print(kernel->module, "%d registers of a thread", next + once),
           kept   ? "; data that tiles share stay in shared memory"
           : once ? "; what tiles have in common it loads once"
                  : "");
    return next + once + beside;
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    const Role *role;
    int most;   /* most registers of a loop */
    int beside; /* registers for addresses */
} Loops;

/* True for a load that choose has marked (choose-streams.c).  */
static bool is_wanted_early(const Kernel *kernel, const Op *load)
{
    return op_info[load->code].class_ == CLASS_LOAD && load->transfer->prefetch == PREFETCH_ITERATION &&
           is_wide(load->results[0]->type) && load_may_be_prefetched(kernel, load, PREFETCH_ITERATION);
}

/* Prefetches all loads of a loop or none, since the loop waits for the last.  */
static void visit_loop(Op *loop, void *context)
{
    Loops *loops = context;
    const Costs *costs = kernel_costs(loops->kernel);
    const Layout layout = loops->role->layout;
    int registers = 0;
    if (loop->code != OP_FOR)
        return;
    FOR_OPS (op, loop->blocks[0])
        if (is_wanted_early(loops->kernel, op))
            registers += machine_tile_registers(op->results[0]->type, layout);
    FOR_OPS (op, loop->blocks[0])
        if (is_wanted_early(loops->kernel, op) && addresses_of(costs, op, layout) > loops->beside)
            loops->beside = addresses_of(costs, op, layout);
    registers = registers <= costs->iteration_registers ? registers : 0;
    FOR_OPS (op, loop->blocks[0])
        if (op_info[op->code].class_ == CLASS_LOAD && (!registers || !is_wanted_early(loops->kernel, op)))
            op->transfer->prefetch = 0;
    loops->most = registers > loops->most ? registers : loops->most;
    if (registers)
        remark(loops->kernel, DIAG_OPTIMIZED, loop->loc,
               "each iteration prefetches the loads of the next one into %d registers of a thread", registers);
}

/* ---- loops with rings -------------------------------------------------------------------------------------------- */

static bool gets(const Op *loop)
{
    FOR_OPS (op, loop->blocks[0])
        if (op->code == OP_GET)
            return true;
    return false;
}

/* Marks columns and numbers, which take few registers.  A value computed from them before a wait for products would
   otherwise wait for memory.  */
static void visit_ring_loop(Op *loop, void *context)
{
    const Kernel *kernel = context;
    if (loop->code != OP_FOR || loop->nblocks != 1 || !gets(loop))
        return;
    FOR_OPS (op, loop->blocks[0])
        if ((op->code == OP_LOAD_COL || is_number(op)) && load_may_be_prefetched(kernel, op, PREFETCH_ITERATION))
            op->transfer->prefetch = PREFETCH_ITERATION;
}

int plan_prefetch(Kernel *kernel, int *peak)
{
    const Role *role = kernel->roles;
    const Op *grid = kernel_grid(kernel);
    FOR_ROLES (each, kernel)
        if (kernel->arefs && role_holds_tiles(each))
            ir_walk(each->body, visit_ring_loop, kernel);
    if (!role || role->next || kernel->arefs || role->layout == LAYOUT_MMA || !grid)
        return 0;
    Loops loops = {.kernel = kernel, .role = role};
    ir_walk(role->body, visit_loop, &loops);
    if (!loops.most)
        return prefetch_of_tiles(kernel, role, *peak);
    const int made = loops.most + kernel_costs(kernel)->made_of_loads_registers;
    *peak = *peak > made ? *peak : made;
    return loops.most + loops.beside;
}
