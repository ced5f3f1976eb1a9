/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout.c - chooses the layout of each role's tiles, and allocates memory that operations need.
 *
 *   before                                     after
 *   %s = col_sum %x                            %s = col_sum %x -> scratch
 *   %t = mma ..., %u = mma ...                 %t = mma ... pairs=1, %u = mma ...           as one instruction
 *                                                                                           (pairs.c)
 *
 * A layout is that of the tensor cores, or one of rows.  In a layout of rows, a warp has several rows, a group shares
 * each row, or a team of groups shares each row.  For operands of products see layout-operands.c, for stores
 * layout-stores.c.
 */
#include "ir/queries.h"
#include "machine/plan.h"
#include "passes.h"
#include "roles/programs.h"
#include "target/machine.h"

typedef struct {
    Kernel *kernel;
    Role *role;
    Storage *scratch; /* shared by all operations of the role that need scratch memory */
} Shaper;

/* ---- the kernel's layout ----------------------------------------------------------------------------------------- */

static void visit_product(Op *op, void *context)
{
    Kernel *kernel = context;
    if (op_writes_in_place(op))
        kernel->layout = LAYOUT_MMA;
}

static bool is_in_place(const Op *op, const void *context)
{
    (void)context;
    return op_writes_in_place(op);
}

static bool multiplies(const Role *role)
{
    return ir_any_of(role->body, is_in_place, NULL);
}

typedef struct {
    Layout layout;
    int registers, columns; /* of all tiles, and of those with more than one column */
    int transposed;         /* elements that are transposed one by one */
    int accesses;           /* accesses to memory */
    int exchanges;          /* shuffles between lanes for sums of rows and columns */
} Cost;

static int exchanges_of(const Op *op, Layout layout)
{
    if (machine_wide_groups(layout))
        return 0;
    int lanes = op_reduces_rows(op)      ? machine_row_lanes(layout)
                : op_reduces_columns(op) ? 32 / machine_row_lanes(layout)
                                         : 1;
    int each = machine_exchanges(lanes);
    return each ? each * machine_tile_registers(op->results[0]->type, layout) : 0;
}

static void visit_cost(Op *op, void *context)
{
    Cost *cost = context;
    OpClass class_ = op_info[op->code].class_;
    bool leaves = class_ == CLASS_STORE || op->code == OP_PUT_TILE;
    bool memory = class_ == CLASS_LOAD || leaves || op->code == OP_READ;
    Type from = op->nargs ? op->args[0]->type : (Type){0};
    if (op->code == OP_TRANS && from.kind == K_TILE && !machine_turns_vectors(from, cost->layout))
        cost->transposed += from.rows * from.cols;
    cost->exchanges += exchanges_of(op, cost->layout);
    for (int i = 0; i < op->nresults + leaves; i++) {
        Type type = i < op->nresults          ? op->results[i]->type
                    : op->code == OP_PUT_TILE ? op->args[1]->type
                                              : op->args[op->nargs - 1]->type;
        if (type.kind != K_TILE || (i < op->nresults && value_is_of_places(op->results[i])))
            continue;
        int registers = machine_tile_registers(type, cost->layout);
        int bytes = machine_vector_columns(type.cols, cost->layout) * dtype_bytes(type.dtype);
        cost->registers += registers;
        cost->columns += type.cols > 1 ? registers : 0;
        /* An access has at most 16 bytes.  If a lane has 32, each access fills every other sector.  */
        if (memory && type.cols > 1) {
            int accesses = bytes <= 16 ? registers * 4 / bytes : registers * 4 / 16 * 2;
            bool short_ = type.rows > 1 && machine_row_lanes(cost->layout) * bytes < MACHINE_ROW_BYTES;
            cost->accesses += short_ ? 2 * accesses : accesses;
        }
    }
}

static bool keeps_warps_apart(const Op *op, const void *context)
{
    bool in_loop = ir_enclosing(op, OP_FOR) || ir_enclosing(op, OP_WHILE);
    const int wide = *(const int *)context;
    return op->code == OP_TRANS || op->code == OP_ROW_CUMSUM || op->code == OP_COL_CUMSUM || op->code == OP_PUT_TILE ||
           op->code == OP_SUM_PARTS || (op_reduces_rows(op) && (in_loop || op->args[0]->type.cols < wide)) ||
           (op_meets_blocks(op) && op->tile->piece && op->args[0]->type.cols < wide);
}

/* True if all threads should share each row.  The warps of a group then synchronize for each sum.  That is no gain in a
   loop, or with less than 16 columns of a thread.  Otherwise it is, if it saves a quarter of the registers
   (bench/notes/choices.md).  A column lies in each thread as a whole.  */
static bool is_worth_meeting(const Kernel *kernel, const Role *only, const Cost *wide, const Cost *best)
{
    const int columns = kernel_costs(kernel)->team_columns * MACHINE_GROUP_THREADS;
    FOR_ROLES (role, kernel)
        if ((!only || role == only) && ir_any_of(role->body, keeps_warps_apart, &columns))
            return false;
    return best->columns && 4 * (int64_t)wide->columns <= 3 * (int64_t)best->columns &&
           wide->registers < best->registers;
}

static bool is_better(const Cost *x, const Cost *y)
{
    if (x->columns != y->columns)
        return x->columns < y->columns;
    if (x->transposed != y->transposed)
        return x->transposed < y->transposed;
    if (x->accesses != y->accesses)
        return x->accesses < y->accesses;
    return x->exchanges != y->exchanges ? x->exchanges < y->exchanges : !x->columns && x->registers < y->registers;
}

/* The best layout of rows for one role, or for all roles if `only` is NULL.  The criteria are, in this order:
   registers, elements that are transposed one by one, accesses to memory, shuffles between lanes
   (bench/notes/choices.md).  */
static Layout rows_together(const Kernel *kernel, const Role *only)
{
    Cost best = {.layout = LAYOUT_ROWS};
    for (Layout layout = LAYOUT_ROWS; layout <= LAYOUT_WIDE; layout++) {
        Cost cost = {.layout = layout};
        if (layout == LAYOUT_MMA)
            continue;
        FOR_ROLES (role, kernel)
            if (!only || role == only)
                ir_walk(role->body, visit_cost, &cost);
        if (layout == LAYOUT_WIDE ? is_worth_meeting(kernel, only, &cost, &best)
                                  : layout == LAYOUT_ROWS || is_better(&cost, &best))
            best = cost;
    }
    return best.layout;
}

/* ---- teams ------------------------------------------------------------------------------------------------------- */

/* False for operations that several groups can execute like one group.  */
static bool suits_no_team(const Op *op, const void *none)
{
    (void)none;
    switch (op->code) {
    case OP_FULL:
    case OP_SPLAT:
    case OP_ROW_INDEX:
    case OP_COL_INDEX:
    case OP_ROW_SUM:
    case OP_ROW_PART:
    case OP_ROW_TOTAL:
    case OP_ROW_MAX:
    case OP_ROW_MIN:
    case OP_ROW_ARGMAX:
    case OP_ROW_FIRST:
    case OP_POWERS_SENT:
        return false;
    default:
        break;
    }
    OpClass class_ = op_info[op->code].class_;
    if (class_ == CLASS_TILE)
        return op_meets_blocks(op) ? !op->tile->piece : !op_is_elementwise(op);
    if (class_ == CLASS_STORE)
        return op->code != OP_STORE && op->code != OP_STORE_ROW && op->code != OP_STORE_COL;
    return class_ != CLASS_SCALAR && class_ != CLASS_TENSOR && class_ != CLASS_READ && class_ != CLASS_LOAD &&
           class_ != CLASS_CONTROL;
}

static void visit_widest(Op *op, void *context)
{
    int *widest = context;
    for (int i = 0; i < op->nresults; i++)
        if (value_is_tile(op->results[i]) && op->results[i]->type.cols > *widest)
            *widest = op->results[i]->type.cols;
}

/* Adds the bytes of rows that all tiles share.  */
static void visit_common(Op *op, void *context)
{
    int64_t *bytes = context;
    if (op->code == OP_LOAD_ROW)
        *bytes += (int64_t)op->results[0]->type.cols * dtype_bytes(op->results[0]->type.dtype);
}

/* The columns of a thread from which a row gets a team of twice as many groups, so that registers are left for
   prefetched rows.  In a cluster, blocks synchronize for each row, which costs each warp as much as some columns do.
   If scales leave room for only one block in an SM, fewer columns are better.  All three are measured in
   bench/notes/choices.md.  */
static int columns_of_thread(const Kernel *kernel)
{
    int64_t common = 0;
    ir_walk(kernel->roles->body, visit_common, &common);
    const Costs *costs = kernel_costs(kernel);
    return kernel->grid.cluster[1] <= 1                    ? costs->team_columns
           : 2 * common > kernel->machine->sm_shared_bytes ? costs->alone_team_columns
                                                           : costs->cluster_team_columns;
}

static Layout team_of(const Kernel *kernel, Layout layout)
{
    const Role *role = kernel->roles;
    int widest = 0;
    if (layout != LAYOUT_WIDE || !role || role->next || kernel->arefs || role->replicas > 1 ||
        ir_any_of(role->body, suits_no_team, NULL))
        return layout;
    ir_walk(role->body, visit_widest, &widest);
    const int most = columns_of_thread(kernel);
    while (layout < LAYOUT_WIDE_8 && widest >= 2 * machine_wide_groups(layout) * MACHINE_GROUP_THREADS * most)
        layout++;
    return layout;
}

/* ---- scratch ----------------------------------------------------------------------------------------------------- */

static void visit_scratch(Op *op, void *context)
{
    Shaper *shaper = context;
    int64_t bytes = (machine_scratch_bytes(op, shaper->role->layout) + 15) / 16 * 16;
    if (!bytes || (op->code == OP_TRANS && (!op->results[0]->uses || op->tile->transposed)))
        return;
    if (!shaper->scratch)
        shaper->scratch =
            storage_new(shaper->kernel, "scratch", USE_SCRATCH, type_tile(D_I8, 1, (int)bytes), shaper->role->replicas);
    if (shaper->scratch->tile.cols < bytes)
        shaper->scratch->tile.cols = (int)bytes;
    op->storage = shaper->scratch;
}

/* Allocates the memory through which blocks of a cluster exchange tiles or parts of a sum.  In a sum of parts, each
   block receives its columns, or all columns, of all parts.  A block beyond the last share has the memory, too.  */
static void visit_parts(Op *op, void *context)
{
    const Shaper *shaper = context;
    if (!op_meets_blocks(op))
        return;
    const char *name = op->results[0]->name ? op->results[0]->name : "sum";
    if (op->code != OP_SUM_PARTS) {
        op->storage = storage_new(shaper->kernel, arena_print(shaper->kernel->module, "%s_shares", name), USE_SHARES,
                                  machine_shares(op, shaper->kernel->grid.cluster[1], shaper->role->layout),
                                  shaper->role->replicas);
        return;
    }
    op->storage = storage_new(shaper->kernel, arena_print(shaper->kernel->module, "%s_parts", name), USE_PARTS,
                              machine_parts(op, shaper->kernel->grid.cluster[1]), shaper->role->replicas);
}

void pass_layout(Kernel *kernel)
{
    kernel->layout = team_of(kernel, rows_together(kernel, NULL));
    layout_round_on_arrival(kernel);
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_product, kernel);
    FOR_ROLES (role, kernel) {
        bool free = !multiplies(role) && role_holds_tiles(role);
        Layout strips = free ? layout_in_strips(kernel, role) : LAYOUT_COUNT;
        Layout rows = free && strips == LAYOUT_COUNT ? rows_together(kernel, role) : LAYOUT_COUNT;
        role->layout = !free                             ? kernel->layout
                       : strips != LAYOUT_COUNT          ? strips
                       : layout_in_fragments(role, rows) ? LAYOUT_MMA
                                                         : team_of(kernel, rows);
    }
    FOR_ROLES (role, kernel) {
        plan_windows(kernel, role);
        Shaper shaper = {.kernel = kernel, .role = role};
        layout_operands(kernel, role);
        ir_count_uses(kernel, role->body);
        layout_transposed(kernel, role);
        ir_walk(role->body, visit_scratch, &shaper);
        ir_walk(role->body, visit_parts, &shaper);
        layout_stores(kernel, role);
    }
    layout_pairs(kernel);
}
