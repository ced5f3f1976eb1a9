/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prefetch.c - loads that a block makes before it comes to the tile that wants them.
 *
 *   grid i, j                              grid i, j              blocks are persistent
 *     x = load t, i, 0                       x = load t, i, 0 | prefetch=1       of the next tile, at this place
 *     sum = row_sum x                        sum = row_sum x
 *     y = fma x, sum, load_row g, 0          y = fma x, sum, load_row g, 0 | prefetch=2    once, in front of the grid
 *
 * Where blocks of a cluster meet between what a tile loads and what it stores, memory has nothing to do meanwhile.  So
 * the load of a block's next tile is begun in front of the work on this one, and waits in registers; that takes a wide
 * layout, which has them to spare.  On an H200, LayerNorm of rows of 16384 f16 in eight blocks went from 0.49 of a copy
 * to 0.75, of which 0.04 are for blocks that stay, and 0.06 for what they load once.  Rows that are summed wait
 * for all that was loaded, too: softmax of rows of 4096 f16 went from 0.84 of a copy to 0.88.  Where warps have rows of
 * their own, enough blocks do as well without (ENOUGH_BLOCKS).
 *
 *   for k = 0, < %N, 512, %sum             for k = 0, < %N, 512, %sum
 *     x = load a, i, k                       x = load a, i, k | prefetch=3       of the next iteration, at this place
 *     ...                                    ...
 *
 * A loop whose loads feed no product does the same from iteration to iteration.  On an H200, a matrix of 16384 x 8192
 * times a vector went from 0.9 of cuBLAS, through a ring of TMA copies, to 1.01.
 *
 * So do columns and single numbers, of scales above all, that a loop with rings loads beside them: its products would
 * else wait for memory in each iteration.
 *
 * Iterations of the grid are independent, a loop's counter is known an iteration before, and nobody stores what is
 * loaded: no value changes, and verify asks the same of each load again.
 */
#include "machine/budget.h"
#include "machine/machine.h"
#include "machine/plan.h"
#include "ir/queries.h"

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

/* Does the scalar come from counters of the grid and the launch alone?  ONCE: from none that a block sees change; the
   last dimension of a grid of parts or blocks is the block's own number.  */
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

/* Is the load's text evaluated once for each tile?  Without a variable it stands where it is used.  Uses are counted
   here, since a program that was read has no counts.  */
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

/* Does the scalar come from the loop's counter and what is known in front of the loop?  */
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

/* A loop that says what its counter is in the next iteration, and whether there is one.  */
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

/* What a tile stores waits for all that it has loaded, as long as memory takes.  */
static bool waits_for_all(const Op *op, const void *none)
{
    (void)none;
    return op_meets_blocks(op) || op_reduces_rows(op);
}

/* Registers that tiles take from one tile of the grid to the next.  */
enum { MOST_NEXT = 32, MOST_NEXT_OF_MANY = 64, MOST_NEXT_OF_WARPS = 16, MOST_ONCE = 48, MOST_ONCE_OF_MANY = 64 };

/* Blocks of a cluster, so many of which wait for each other longer than for registers.  On an H200, LayerNorm of rows
   of 32768 f16 in 8 blocks went from 0.74 of a copy to 0.84 with what tiles share in 64 registers, RMSNorm of 65536
   from 0.78 to 0.88; in 4 blocks LayerNorm of 16384 fell from 0.90 to 0.87.  In shared memory it is better still: on an
   H100, LayerNorm of rows of 65536 in 8 blocks went from 0.79 to 0.96, of 131072 in 16 it has 0.93; in 4 blocks
   of 16384 it fell from 0.94 to 0.92.  */
enum { MANY_BLOCKS = 8 };

/* Of what is kept in shared memory: beside it a second row of 64 registers finds room, too.  */
enum { FEW_CACHED = 72 << 10 };

/* From one iteration of a loop to the next; and beside as many of its own, for what is computed of them.  */
enum { MOST_ITERATION = 40 };

/* Blocks of warps that have rows of their own: so many load, compute and store at different times, and need nothing
   ahead.  On an H200, softmax of rows of 256 f16 went from 0.90 of a copy to 0.99 without it, RMSNorm from 0.92 to
   0.99; LayerNorm of 1024, of which three blocks find room, fell from 0.96 to 0.93.  */
enum { ENOUGH_BLOCKS = 5 };

/* Addresses, beside those: of one row of each thread, of a few, of more; where warps do not wait for each other, fewer
   blocks that stay do better.  */
enum { BESIDE_ROW = 8, BESIDE = 16, BESIDE_LONG = 48, BESIDE_WARPS = 40, BESIDE_ROWS = 40 };

/* Columns of each thread of a row that all share, from which on it has too many vectors on the way for BESIDE.  */
enum { LONG_ROW = 64 };

/* Rows of a thread whose addresses BESIDE has room for.  */
enum { FEW_ROWS = 4 };

static int addresses_of(const Op *load, Layout layout)
{
    int rows = machine_tile_registers(type_tile(D_F32, load->results[0]->type.rows, 1), layout);
    return rows > FEW_ROWS ? BESIDE_ROWS : rows > 1 ? BESIDE : BESIDE_ROW;
}

static bool is_long(const Op *op, const void *context)
{
    const Role *role = context;
    int threads = machine_wide_groups(role->layout) * MACHINE_GROUP_THREADS;
    return op_info[op->code].class_ == CLASS_LOAD && op->results[0]->type.cols >= LONG_ROW * threads;
}

/* A tile that is one row of a long tensor: what it has in common with others is read for that row alone.  */
static bool is_of_one_row(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_LOAD && op->results[0]->type.rows == 1;
}

/* Of one column or row all threads have much the same, and it comes from L2.  */
static bool is_wide(Type type)
{
    return type.cols > 1;
}

/* Is the load one of those that are loaded so?  */
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

/* Rows wait for all of them, and are stored.  Warps that have rows of their own, in blocks that meet, are as they were
   measured.  */
static bool is_worth_it(const Kernel *kernel, const Role *role)
{
    return (machine_wide_groups(role->layout) || !kernel->grid.parts) && ir_any_of(role->body, waits_for_all, NULL) &&
           ir_any_of(role->body, stores_rows, NULL);
}

/* ---- in shared memory -------------------------------------------------------------------------------------------- */

/* Slots that such a load has in shared memory: one, or that of this tile and that of the next.  */
static int slots_of(int how)
{
    return how == PREFETCH_ONCE ? 1 : 2;
}

/* 0: not of each of them.  */
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

/* Each thread reads what it has put there itself.  */
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
    kernel->shared_bytes = budget_place(kernel);
}

static bool may_keep(const Kernel *kernel, const Role *role)
{
    return machine_wide_groups(role->layout) > (kernel->grid.parts ? 0 : 1);
}

/* What tiles of the grid have in common stays in shared memory where it is too much for registers.  */
static bool keep_in_memory(Kernel *kernel, const Role *role)
{
    int64_t bytes = may_keep(kernel, role) ? cached_bytes(kernel, PREFETCH_ONCE) : 0;
    if (!bytes || bytes * role->replicas > PREFETCH_MOST_CACHED)
        return false;
    mark(kernel, PREFETCH_ONCE);
    keep(kernel, role, PREFETCH_ONCE);
    return true;
}

/* Threads of a team have fewer registers each, and its blocks are few: what makes room for another one is better in
   memory.  */
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

/* So does the next tile, which copies bring that need no register.  */
static bool next_in_memory(Kernel *kernel, const Role *role)
{
    int64_t bytes = may_keep(kernel, role) && role->replicas == 1 ? cached_bytes(kernel, PREFETCH_TILE) : 0;
    if (!bytes || !budget_fits(kernel, kernel->shared_bytes + bytes))
        return false;
    keep(kernel, role, PREFETCH_TILE);
    return true;
}

/* ... where so much of what tiles have in common is kept that ptxas lacks registers in the one block that there is, and
   in a cluster where a team has few registers in each thread.  Else registers are as good or better, since loads of
   whole vectors are not waited for (print/cuda-vectors.c): on an H200, of rows in one block, RMSNorm of 4096 and 8192
   columns has 0.90 and 0.93 of a copy in registers, 0.82 and 0.88 in memory, LayerNorm 0.89 and 0.92 or 0.89 and 0.91,
   softmax 0.88 and 0.91 or 0.87 and 0.90; in clusters softmax of 65536 and 131072 0.94 and 0.88, in memory 0.92
   and 0.79.  */
static bool is_better_in_memory(const Kernel *kernel, int next)
{
    if (machine_wide_groups(kernel->roles->layout) > 1)
        return kernel->grid.parts && next < MOST_NEXT;
    return next > MOST_NEXT && kernel->shared_bytes > FEW_CACHED;
}

/* Loads ahead from one tile of the grid to the next, and registers of a thread that they take.  A row that several
   tiles have in common lies in all warps, unless they share it.  */
static int prefetch_of_tiles(Kernel *kernel, const Role *role, int peak)
{
    const Grid *grid = &kernel->grid;
    bool stays = grid->persistent || !grid->persistent_given;
    if (grid->dynamic || !stays || ir_any_of(role->body, is_loop, NULL) || !is_worth_it(kernel, role))
        return 0;
    int next = registers_of(kernel, role, PREFETCH_TILE);
    int once = machine_wide_groups(role->layout) ? registers_of(kernel, role, PREFETCH_ONCE) : 0;
    int room = !machine_wide_groups(role->layout) ? MOST_NEXT_OF_WARPS
               : grid->cluster[1] > MANY_BLOCKS   ? MOST_NEXT_OF_MANY
                                                  : MOST_NEXT;
    if (!next || next > room)
        return 0;
    if (!machine_wide_groups(role->layout) &&
        plan_blocks_with(kernel, peak, BESIDE_WARPS, kernel->shared_bytes) >= ENOUGH_BLOCKS)
        return BESIDE_WARPS;
    mark(kernel, PREFETCH_TILE);
    int beside = !machine_wide_groups(role->layout)     ? BESIDE_WARPS
                 : ir_any_of(role->body, is_long, role) ? BESIDE_LONG
                                                        : BESIDE;
    bool many = grid->cluster[1] >= MANY_BLOCKS || ir_any_of(role->body, is_of_one_row, NULL);
    bool kept = ((many && once > MOST_ONCE) || makes_room(kernel, role, peak, once, next + beside)) &&
                keep_in_memory(kernel, role);
    once = !kept && once <= (many ? MOST_ONCE_OF_MANY : MOST_ONCE) ? once : 0;
    if (once)
        mark(kernel, PREFETCH_ONCE);
    kernel->grid.persistent = true;
    bool brought = is_better_in_memory(kernel, next) && next_in_memory(kernel, role);
    next = brought ? 0 : next;
    remark(kernel, DIAG_OPTIMIZED, kernel->loc,
           "persistent: a block begins to load its next tile before it works on this one, in %s%s",
           brought ? "shared memory" : arena_print(kernel->module, "%d registers of a thread", next + once),
           kept   ? "; what tiles have in common it keeps in shared memory"
           : once ? "; what tiles have in common it loads once"
                  : "");
    return next + once + beside;
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

typedef struct {
    Kernel *kernel;
    const Role *role;
    int most;   /* registers, of any loop */
    int beside; /* for addresses */
} Loops;

/* Of those that choose asked for (choose-streams.c).  */
static bool is_wanted_early(const Kernel *kernel, const Op *load)
{
    return op_info[load->code].class_ == CLASS_LOAD && load->transfer->prefetch == PREFETCH_ITERATION &&
           is_wide(load->results[0]->type) && load_may_be_prefetched(kernel, load, PREFETCH_ITERATION);
}

/* All of a loop's loads together or none, since it waits for the last of them.  */
static void visit_loop(Op *loop, void *context)
{
    Loops *loops = context;
    int registers = 0;
    if (loop->code != OP_FOR)
        return;
    FOR_OPS (op, loop->blocks[0])
        if (is_wanted_early(loops->kernel, op))
            registers += machine_tile_registers(op->results[0]->type, loops->role->layout);
    FOR_OPS (op, loop->blocks[0])
        if (is_wanted_early(loops->kernel, op) && addresses_of(op, loops->role->layout) > loops->beside)
            loops->beside = addresses_of(op, loops->role->layout);
    registers = registers <= MOST_ITERATION ? registers : 0;
    FOR_OPS (op, loop->blocks[0])
        if (op_info[op->code].class_ == CLASS_LOAD && (!registers || !is_wanted_early(loops->kernel, op)))
            op->transfer->prefetch = 0;
    loops->most = registers > loops->most ? registers : loops->most;
    if (registers)
        remark(loops->kernel, DIAG_OPTIMIZED, loop->loc,
               "an iteration begins with the loads of the next one, in %d registers of a thread", registers);
}

/* ---- loops with rings -------------------------------------------------------------------------------------------- */

static bool gets(const Op *loop)
{
    FOR_OPS (op, loop->blocks[0])
        if (op->code == OP_GET)
            return true;
    return false;
}

/* A column or a number takes few registers.  What is computed of it in front of a wait for products would wait for
   memory, too.  */
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
    *peak = *peak > loops.most + PLAN_MADE_OF_LOADS ? *peak : loops.most + PLAN_MADE_OF_LOADS;
    return loops.most + loops.beside;
}
