/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * launch.c - the launcher, interpreted: parameters, tensors and their checks, the grid, one CTA after the other.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ir/alias.h"
#include "ir/cluster.h"
#include "ir/queries.h"
#include "machine/footprint.h"
#include "state.h"
#include "roles/programs.h"
#include "target/storage.h"
#include "ws/backend.h"

enum { SHARED_ALIGNMENT = 1024, MOST_STEPS = 200000000 };

void wrong(const Launch *launch, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (ws_sched_current())
        ws_sched_fail(ws_sched_current(), "%s", text);
    ws_emulate_fail((ws_emulate_launch *)(uintptr_t)&launch->state, WS_ERR_PROTOCOL, "%s: %s", launch->state.kernel,
                    text);
}

/* ---- what is known before any launch ----------------------------------------------------------------------------- */

typedef struct {
    Plan *plan;
    const Variable **variables;
} Numbering;

static void *zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory)
        abort();
    return memory;
}

static int depth_of(const Block *block)
{
    int depth = 0;
    for (; block->parent; block = block->parent->parent)
        depth++;
    return depth;
}

/* Returns the innermost block that holds both.  */
static const Block *common_block(const Block *x, const Block *y)
{
    int dx = depth_of(x), dy = depth_of(y);
    for (; dx > dy; dx--)
        x = x->parent->parent;
    for (; dy > dx; dy--)
        y = y->parent->parent;
    while (x != y && x->parent && y->parent) {
        x = x->parent->parent;
        y = y->parent->parent;
    }
    return x;
}

/* Extends the scope of the value's variable to the block.  */
static void mention(Plan *plan, const Value *value, const Block *block)
{
    int number = plan->cell_of[value->id];
    if (number >= 0)
        plan->scopes[number] = plan->scopes[number] ? common_block(plan->scopes[number], block) : block;
}

static void number_value(Numbering *numbering, const Value *value)
{
    Plan *plan = numbering->plan;
    const Variable *variable = value->var;
    int i = 0;
    if (!variable || !variable->role)
        return;
    while (i < plan->ncells && numbering->variables[i] != variable)
        i++;
    if (i == plan->ncells)
        numbering->variables[plan->ncells++] = variable;
    plan->cell_of[value->id] = i;
}

static void number_op(Op *op, void *context)
{
    Numbering *numbering = context;
    Plan *plan = numbering->plan;
    for (int i = 0; i < op->nresults; i++)
        number_value(numbering, op->results[i]);
    for (int i = 0; i < op->nblocks; i++)
        for (int k = 0; k < op->blocks[i]->nargs; k++)
            number_value(numbering, op->blocks[i]->args[k]);
    if (op->code != OP_TENSOR)
        return;
    const Variable *field = op->results[0]->var;
    int i = 0;
    while (i < plan->ntensors && plan->tensors[i]->results[0]->var != field)
        i++;
    if (i == plan->ntensors)
        plan->tensors[plan->ntensors++] = op;
    plan->tensor_of[op->results[0]->id] = i;
}

/* True if the scope of a block's argument is that block: counters of loops with one body, widths of regions, variables
   of the grid.  The counter of a loop with two bodies is declared around it.  */
static bool lives_inside(const Op *op, int argument)
{
    bool counts = (op->code == OP_FOR && op->nblocks == 1) || op->code == OP_NARROW;
    return op->code == OP_GRID || (counts && argument == 0);
}

/* Notes the mentions of an operation.  Carried values and results are declared around it, not in its blocks.  */
static void mention_op(Op *op, void *context)
{
    Plan *plan = context;
    for (int i = 0; i < op->nargs; i++)
        mention(plan, op->args[i], op->parent);
    for (int i = 0; i < op->nresults; i++)
        mention(plan, op->results[i], op->parent);
    for (int i = 0; i < op->nblocks; i++)
        for (int k = 0; k < op->blocks[i]->nargs; k++)
            mention(plan, op->blocks[i]->args[k], lives_inside(op, k) ? op->blocks[i] : op->parent);
}

/* True if the scope `outer` contains `inner` in C.  Both blocks of a while are one.  */
static bool sees(const Block *inner, const Block *outer)
{
    for (;; inner = inner->parent->parent) {
        const Op *around = inner->parent;
        if (inner == outer || (around && around->code == OP_WHILE && outer->parent == around))
            return true;
        if (!around)
            return false;
    }
}

/* True for equal names in the .cu, where x and x$2 are both x.  */
static bool same_name(const char *x, const char *y)
{
    size_t length = strcspn(x, "$");
    return length == strcspn(y, "$") && !strncmp(x, y, length);
}

static void find_clash(Plan *plan, const Variable *const *variables)
{
    for (int i = 0; i < plan->ncells; i++)
        for (int k = 0; k < i; k++)
            if (variables[i]->role == variables[k]->role && same_name(variables[i]->name, variables[k]->name) &&
                plan->scopes[i] && plan->scopes[k] &&
                (sees(plan->scopes[i], plan->scopes[k]) || sees(plan->scopes[k], plan->scopes[i])))
                plan->clash = variables[i]->name;
}

static void count_op(Op *op, void *context)
{
    int *tensors = context;
    *tensors += op->code == OP_TENSOR;
}

Plan *plan_new(Kernel *kernel)
{
    Plan *plan = zeroed(1, sizeof *plan);
    Numbering numbering = {plan, NULL};
    int ids = kernel->module->next_id, tensors = 0, variables = 0;
    for (const Variable *variable = kernel->variables; variable; variable = variable->next)
        variables++;
    FOR_ROLES (role, kernel)
        ir_walk(role->body, count_op, &tensors);
    plan->kernel = kernel;
    plan->cell_of = zeroed((size_t)ids, sizeof *plan->cell_of);
    plan->tensor_of = zeroed((size_t)ids, sizeof *plan->tensor_of);
    plan->tensors = zeroed((size_t)tensors, sizeof *plan->tensors);
    plan->scopes = zeroed((size_t)variables, sizeof *plan->scopes);
    numbering.variables = zeroed((size_t)variables, sizeof *numbering.variables);
    for (int i = 0; i < ids; i++)
        plan->cell_of[i] = plan->tensor_of[i] = -1;
    FOR_ROLES (role, kernel) {
        for (int i = 0; i < role->body->nargs; i++)
            number_value(&numbering, role->body->args[i]);
        ir_walk(role->body, number_op, &numbering);
        for (int i = 0; i < role->body->nargs; i++)
            mention(plan, role->body->args[i], role->body);
        ir_walk(role->body, mention_op, plan);
    }
    FOR_AREFS (aref, kernel)
        plan->narefs = aref->id + 1 > plan->narefs ? aref->id + 1 : plan->narefs;
    FOR_STORAGES (storage, kernel)
        plan->nstorages++;
    plan->placed = cluster_placed(kernel);
    find_clash(plan, numbering.variables);
    free(numbering.variables);
    return plan;
}

void plan_delete(Plan *plan)
{
    if (!plan)
        return;
    free(plan->cell_of);
    free(plan->tensor_of);
    free(plan->tensors);
    free(plan->scopes);
    free(plan);
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

typedef struct {
    const Variable *tensor;
    int use;
} Access;

static void visit_access(Op *op, void *context)
{
    Access *access = context;
    for (int i = 0; i < op->nargs; i++) {
        const Op *root = !op_is_part(op) && op->args[i]->type.kind == K_TENSOR ? tensor_root(op->args[i]) : NULL;
        if (!root || root->results[0]->var != access->tensor)
            continue;
        access->use |= op_info[op->code].class_ == CLASS_STORE ? WS_EMULATE_STORED : WS_EMULATE_LOADED;
        access->use |= op_adds(op) ? WS_EMULATE_LOADED : 0;
    }
}

static int use_of(const Kernel *kernel, const Variable *tensor)
{
    Access access = {tensor, 0};
    FOR_ROLES (role, kernel)
        ir_walk(role->body, visit_access, &access);
    return access.use & WS_EMULATE_STORED ? access.use : WS_EMULATE_LOADED;
}

/* Registers a table of pointers: each is the base of a tensor with one dimension less.  */
static void use_table(Launch *launch, Window *t, ws_emulate_tensor seen)
{
    enum { MOST_POINTERS = 8 };
    t->bases = (unsigned char *const *)(void *)t->base;
    if (t->high[0] < 0 || t->high[0] > MOST_POINTERS)
        ws_emulate_fail(&launch->state, WS_ERR_UNSUPPORTED, "%s: %s: %ld pointers, and a kernel chooses among up to %d",
                        launch->state.kernel, seen.name, t->high[0], MOST_POINTERS);
    for (int i = 0; i + 1 < t->rank; i++) {
        seen.extent[i] = t->high[i + 1];
        seen.stride[i] = t->stride[i + 1];
    }
    seen.rank = t->rank - 1;
    seen.of_table = true;
    for (long i = 0; i < t->high[0] && !launch->state.failed; i++) {
        seen.base = (char *)t->bases[i];
        ws_emulate_use_tensor(&launch->state, &seen);
    }
}

static bool map_table(Launch *launch, const Window *t)
{
    ws_emulate_tensor seen = {NULL, NULL, element_bytes(t->dtype), t->rank - 1, {0}, {0}, 0, false, {0}, {0}, NULL, 0};
    bool usable = true;
    memcpy(seen.extent, t->high + 1, (size_t)seen.rank * sizeof *seen.extent);
    memcpy(seen.stride, t->stride + 1, (size_t)seen.rank * sizeof *seen.stride);
    for (long i = 0; i < t->high[0] && !launch->state.failed; i++) {
        seen.base = (char *)t->bases[i];
        usable = ws_emulate_map(&launch->state, &seen) && usable;
    }
    return usable;
}

static bool is_total(const Kernel *kernel, const Value *base)
{
    for (const Total *total = kernel->grid.totals; total; total = total->next)
        if (total->base == base)
            return true;
    return false;
}

static void make_tensor(Launch *launch, int number)
{
    const Op *op = launch->plan->tensors[number];
    Type type = op->results[0]->type;
    const Variable *field = op->results[0]->var;
    Window *t = &launch->tensors[number];
    ws_emulate_tensor seen = {
        field ? field->name : "?", NULL, element_bytes(type.dtype), type.rank, {0}, {0}, 0, false, {0}, {0}, NULL, 0};
    *t = (Window){.number = number, .rank = type.rank, .dtype = type.dtype};
    t->base = (unsigned char *)(intptr_t)host_value(launch, op->args[0]).number;
    for (int i = 0; i < type.rank; i++) {
        t->high[i] = seen.extent[i] = (long)host_value(launch, op->args[1 + i]).number;
        t->stride[i] = seen.stride[i] = (long)host_value(launch, op->args[1 + type.rank + i]).number;
    }
    if (t->base && op->nargs == 2 + 2 * type.rank)
        t->base += (long)host_value(launch, op->args[1 + 2 * type.rank]).number * element_bytes(type.dtype);
    if (is_total(launch->kernel, op->args[0]))
        t->base = ws_total_room_(t->base, t->high[0]);
    seen.use = use_of(launch->kernel, field) | (op->tensor->row_stride ? WS_EMULATE_ROW_STRIDE : 0);
    for (int first = 0; first <= number && !seen.array; first++)
        if (launch->plan->tensors[first]->args[0] == op->args[0])
            seen.array = 1 + first;
    if (op->tensor->table) {
        use_table(launch, t, seen);
        return;
    }
    seen.base = (char *)t->base;
    t->base = (unsigned char *)ws_emulate_resident(&launch->state, &seen);
    ws_emulate_use_tensor(&launch->state, &seen);
}

static void visit_mapped(Op *op, void *context)
{
    Launch *launch = context;
    const Value *tensor = op->code == OP_COPY_IN                                               ? op->args[1]
                          : (op->code == OP_STORE || op->code == OP_ATOMIC_ADD) && op->storage ? op->args[0]
                                                                                               : NULL;
    const Op *root = tensor ? tensor_root(tensor) : NULL;
    if (root)
        launch->usable[launch->plan->tensor_of[root->results[0]->id]] = true;
}

static void visit_copied(Op *op, void *context)
{
    Launch *launch = context;
    const Op *root = op->code == OP_COPY_IN ? tensor_root(op->args[1]) : NULL;
    if (root && !launch->usable[launch->plan->tensor_of[root->results[0]->id]])
        launch->by_tma = false;
}

/* Finds the tensors that TMA can move.  */
static void map_tensors(Launch *launch)
{
    FOR_ROLES (role, launch->kernel)
        ir_walk(role->body, visit_mapped, launch);
    for (int i = 0; i < launch->plan->ntensors; i++) {
        const Window *t = &launch->tensors[i];
        ws_emulate_tensor seen = {
            NULL, (char *)t->base, element_bytes(t->dtype), t->rank, {0}, {0}, 0, false, {0}, {0}, NULL, 0};
        if (t->bases) {
            launch->usable[i] = launch->usable[i] && map_table(launch, t);
            continue;
        }
        memcpy(seen.extent, t->high, sizeof seen.extent);
        memcpy(seen.stride, t->stride, sizeof seen.stride);
        launch->usable[i] = launch->usable[i] && ws_emulate_map(&launch->state, &seen);
    }
    launch->by_tma = true;
    FOR_ROLES (role, launch->kernel)
        ir_walk(role->body, visit_copied, launch);
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

/* Returns the largest value of the grid's variable, if the launcher checks it.  */
static long largest_counted(const Kernel *kernel, const Op *grid, int dim)
{
    if (!wraps_by_tiles(kernel, grid, dim))
        return LONG_MAX;
    return dtype_is_signed(grid->blocks[0]->args[dim]->type.dtype) ? INT_MAX : (long)UINT_MAX;
}

static void make_grid(Launch *launch)
{
    const Grid *clauses = &launch->kernel->grid;
    const Op *grid = kernel_grid(launch->kernel);
    launch->grid = (ws_emulate_grid){0};
    for (int i = 0; i < grid->nargs; i += 3)
        ws_emulate_grid_add(&launch->state, &launch->grid, (long)host_value(launch, grid->args[i]).number,
                            (long)host_value(launch, grid->args[i + 1]).number,
                            (long)host_value(launch, grid->args[i + 2]).number,
                            largest_counted(launch->kernel, grid, i / 3));
    if (clauses->from)
        ws_emulate_grid_from(&launch->grid, (long)host_value(launch, clauses->from).number);
    if (launch->cluster > 1)
        ws_emulate_grid_cluster(&launch->grid, clauses->cluster[0], clauses->cluster[1]);
    int dims = launch->grid.dims, side = launch->cluster > 1 ? clauses->cluster[0] : 1;
    long rows = dims > 1 ? launch->grid.count[dims - 2] : 1;
    launch->grid.band = launch->kernel->schedule.block.order == ORDER_COLUMN ? rows
                        : launch->kernel->schedule.block.order == ORDER_GROUPED && clauses->order_group >= side
                            ? clauses->order_group / side
                            : 1;
}

/* ---- grids that run together ------------------------------------------------------------------------------------- */

static void tell_touched(Launch *launch, const Window *t, bool stored)
{
    const Op *op = launch->plan->tensors[t->number];
    ws_emulate_rows rows[4];
    Footprint footprint;
    if (op->tensor->table || !footprint_of(launch->kernel, op->results[0]->var, stored, &footprint))
        return;
    for (int d = 0; d < footprint.dims; d++) {
        const FootprintRange *range = &footprint.range[d];
        long sum = 0;
        for (int i = 0; i < range->low.count; i++)
            sum += range->low.terms[i].factor * (long)host_value(launch, range->low.terms[i].value).number;
        rows[d] = (ws_emulate_rows){range->all, sum + range->low.low, sum + range->high, {0}};
        for (int i = 0; i < 4; i++)
            rows[d].by[i] = range->by[i];
    }
    ws_emulate_touches(&launch->state, t->base, stored ? WS_EMULATE_STORED : WS_EMULATE_LOADED, rows, footprint.dims,
                       ~0u);
}

static void tell_together(Launch *launch)
{
    for (int i = 0; i < launch->plan->ntensors; i++)
        for (int stored = 0; stored < 2; stored++)
            tell_touched(launch, &launch->tensors[i], stored);
    ws_emulate_together(&launch->state, &launch->grid, footprint_tellers(launch->kernel), launch->kernel->grid.awaits);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void make_cell(Cell *cell, const Variable *variable, const Block *scope)
{
    Type type = variable->type;
    *cell = (Cell){.variable = variable, .scope = scope};
    if (type.kind != K_TILE && type.kind != K_TOKEN)
        return;
    size_t bytes = (size_t)type.rows * (size_t)type.cols * (size_t)element_bytes(type.dtype);
    cell->tile = zeroed(1, sizeof *cell->tile + bytes);
    *cell->tile = (struct ws_tile_){
        .magic = WS_TILE_MAGIC, .kind = WS_RULE_TILE, .dtype = (int)type.dtype, .rows = type.rows, .cols = type.cols};
}

static void visit_cells(Op *op, void *context)
{
    Group *group = context;
    const Plan *plan = group->launch->plan;
    for (int i = 0; i < op->nresults; i++) {
        int number = plan->cell_of[op->results[i]->id];
        if (number >= 0 && !group->cells[number].variable)
            make_cell(&group->cells[number], op->results[i]->var, plan->scopes[number]);
    }
    for (int i = 0; i < op->nblocks; i++)
        for (int k = 0; k < op->blocks[i]->nargs; k++) {
            const Value *value = op->blocks[i]->args[k];
            int number = plan->cell_of[value->id];
            if (number >= 0 && !group->cells[number].variable)
                make_cell(&group->cells[number], value->var, plan->scopes[number]);
        }
}

static void make_group(Launch *launch, Group *group, const Role *role, int number, int block)
{
    const Plan *plan = launch->plan;
    *group = (Group){.launch = launch, .role = role, .number = number, .block = block};
    group->tma = role->versions & VERSION_TMA && (launch->by_tma || !(role->versions & VERSION_ANY));
    group->cells = zeroed((size_t)plan->ncells, sizeof *group->cells);
    group->producers = zeroed((size_t)plan->narefs, sizeof *group->producers);
    group->consumers = zeroed((size_t)plan->narefs, sizeof *group->consumers);
    group->stored = zeroed((size_t)plan->nstorages, sizeof *group->stored);
    for (int i = 0; i < role->body->nargs; i++) {
        int cell = plan->cell_of[role->body->args[i]->id];
        if (cell >= 0)
            make_cell(&group->cells[cell], role->body->args[i]->var, plan->scopes[cell]);
    }
    FOR_ROLES (other, launch->kernel)
        ir_walk(other->body, visit_cells, group);
}

static void make_groups(Launch *launch)
{
    int count = 0;
    FOR_ROLES (role, launch->kernel)
        count += role->replicas;
    launch->groups = zeroed((size_t)(count * launch->cluster), sizeof *launch->groups);
    for (int block = 0; block < launch->cluster; block++)
        FOR_ROLES (role, launch->kernel)
            for (int i = 0; i < role->replicas; i++)
                make_group(launch, &launch->groups[launch->ngroups++], role, i, block);
}

/* Resets the group: the CTA before may have ended early.  */
static void renew_group(Group *group)
{
    const Plan *plan = group->launch->plan;
    for (int i = 0; i < plan->ncells; i++) {
        group->cells[i].written = false;
        group->cells[i].state = (ws_sched_accumulator){0, 0};
    }
    memset(group->gathered, 0, sizeof group->gathered);
    memset(group->producers, 0, (size_t)plan->narefs * sizeof *group->producers);
    memset(group->consumers, 0, (size_t)plan->narefs * sizeof *group->consumers);
    memory_drop_held(group);
    memset(group->stored, 0, (size_t)plan->nstorages * sizeof *group->stored);
    arena_reset(&group->arena);
}

static void drop_group(Group *group)
{
    for (int i = 0; i < group->launch->plan->ncells; i++)
        free(group->cells[i].tile);
    free(group->cells);
    free(group->producers);
    free(group->consumers);
    free(group->stored);
    memory_drop_held(group);
    arena_drop(&group->arena);
}

/* ---- how far tensors reach --------------------------------------------------------------------------------------- */

static bool is_memory(const char *byte)
{
    int ends[2];
    if (pipe(ends))
        return true;
    bool there = write(ends[1], byte, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return there;
}

/* Checks the reach of tensors: a launch on a GPU copies host arrays from the first byte of a tensor to its last.  */
static void check_reach(Launch *launch)
{
    for (int i = 0; i < launch->state.ntensors && !launch->state.failed; i++) {
        const ws_emulate_tensor *t = &launch->state.tensors[i];
        bool empty = !t->base;
        for (int k = 0; k < t->rank; k++)
            empty |= !t->extent[k];
        if (empty)
            continue;
        bool begins = is_memory(ws_emulate_tensor_begin(t)), ends = is_memory(ws_emulate_tensor_end(t) - 1);
        if (!begins || !ends)
            ws_emulate_fail(&launch->state, WS_ERR_PROTOCOL, "%s: %s: its %s element is no memory",
                            launch->state.kernel, t->name, ends ? "first" : "last");
    }
}

/* ---- a launch ---------------------------------------------------------------------------------------------------- */

bool launch_begin(Launch *launch, const Plan *plan, const interpret_argument *arguments, int count)
{
    Kernel *kernel = plan->kernel;
    *launch = (Launch){.plan = plan,
                       .kernel = kernel,
                       .arguments = arguments,
                       .cluster = cluster_size(kernel),
                       .most_steps = MOST_STEPS};
    ws_emulate_begin(&launch->state, kernel->c_function);
    if (count != kernel->nparams)
        ws_emulate_fail(&launch->state, WS_ERR_ARGUMENT, "%s: %d arguments for %d parameters", kernel->name, count,
                        kernel->nparams);
    if (plan->clash)
        ws_emulate_fail(&launch->state, WS_ERR_PROTOCOL, "%s: two variables that can be seen together are called %s",
                        kernel->name, plan->clash);
    launch->tensors = zeroed((size_t)plan->ntensors, sizeof *launch->tensors);
    launch->usable = zeroed((size_t)plan->ntensors, sizeof *launch->usable);
    launch->ring_of = zeroed((size_t)(plan->narefs * launch->cluster), sizeof *launch->ring_of);
    launch->pingpong = zeroed((size_t)launch->cluster, sizeof *launch->pingpong);
    launch->role_barriers = zeroed((size_t)launch->cluster * MOST_ROLES, sizeof *launch->role_barriers);
    launch->part_barriers = zeroed(MOST_STORAGES * MOST_GROUPS, sizeof *launch->part_barriers);
    for (int i = 0; i < plan->ntensors && !launch->state.failed; i++)
        make_tensor(launch, i);
    if (!launch->state.failed)
        make_grid(launch);
    if (!launch->state.failed && kernel->grid.together)
        tell_together(launch);
    if (!launch->state.failed)
        ws_emulate_place(&launch->state);
    if (!launch->state.failed)
        map_tensors(launch);
    const char *reach = ws_environment_("WS_REACH");
    if (!launch->state.failed && reach && *reach == '1')
        check_reach(launch);
    launch->shared_bytes = (size_t)kernel->shared_bytes;
    launch->shared_room = (launch->shared_bytes / SHARED_ALIGNMENT + 1) * SHARED_ALIGNMENT;
    launch->ctas = ws_emulate_size(&launch->state, launch->shared_bytes, launch->grid.total,
                                   kernel->schedule.block.persistent, launch->cluster);
    launch->shared = aligned_alloc(SHARED_ALIGNMENT, (size_t)launch->cluster * launch->shared_room);
    if (!launch->shared)
        ws_emulate_fail(&launch->state, WS_ERR_MEMORY, "%s: out of memory", kernel->name);
    make_groups(launch);
    return !launch->state.failed;
}

void launch_end(Launch *launch)
{
    for (int i = 0; i < launch->ngroups; i++)
        drop_group(&launch->groups[i]);
    free(launch->groups);
    free(launch->tensors);
    free(launch->usable);
    free(launch->ring_of);
    free(launch->pingpong);
    free(launch->role_barriers);
    free(launch->part_barriers);
    free(launch->shared);
    ws_emulate_end(&launch->state);
}

uint32_t blocks_along(const Launch *launch, int along, int block)
{
    uint32_t blocks = 0;
    for (int other = 0; other < launch->cluster; other++)
        if (cluster_shares(launch->kernel, along, block, other))
            blocks |= UINT32_C(1) << other;
    return blocks;
}

/* Runs the part of the kernel before ws::start (), then the first group.  */
static void first_fiber(void *arg)
{
    Group *group = arg;
    Launch *launch = group->launch;
    ws_sched *s = ws_sched_current();
    FOR_AREFS (aref, launch->kernel) {
        int ring = ws_sched_ring(s, aref->name, aref->slots, aref->arrivals);
        ws_sched_fillers(s, ring, aref->fillers);
        launch->ring_of[group->block * launch->plan->narefs + aref->id] = ring;
        if (aref->along)
            ws_sched_share(s, ring, blocks_along(launch, aref->along, group->block));
    }
    FOR_ROLES (role, launch->kernel)
        if (role_has_op(role, OP_PINGPONG_TAKE, NULL))
            launch->pingpong[group->block] = ws_sched_turns(s, "pingpong", role->replicas);
    FOR_ROLES (role, launch->kernel)
        if (role_has_op(role, OP_ROLE_BARRIER, NULL))
            launch->role_barriers[group->block * MOST_ROLES + role->id] =
                ws_sched_turns(s, "role_barrier", role->replicas);
    FOR_STORAGES (storage, launch->kernel)
        for (int i = 0; storage_is_exchange(storage) && !group->block && i < storage->slots; i++)
            *part_barrier(launch, storage, i) = ws_sched_turns(s, storage->name, launch->cluster);
    group_run(group);
}

static const char *run_fibers(Launch *launch, ws_sched *s)
{
    static _Thread_local char report[4096];
    int each = launch->ngroups / launch->cluster;
    for (int i = 0; i < launch->ngroups; i++) {
        renew_group(&launch->groups[i]);
        if (ws_sched_fiber(s, NULL, i % each, i % each ? group_run : first_fiber, &launch->groups[i]) < 0)
            return "out of memory";
    }
    ws_handle_source = group_handle;
    bool good = ws_sched_run(s);
    ws_handle_source = NULL;
    snprintf(report, sizeof report, "%s", ws_sched_report(s));
    return good ? NULL : report;
}

static pthread_key_t stacks_of_thread;

static void delete_stacks(void *stacks)
{
    ws_stacks_delete(stacks);
}

static void make_key(void)
{
    if (pthread_key_create(&stacks_of_thread, delete_stacks))
        abort();
}

/* Returns the stacks of this thread, which are reused from CTA to CTA.  */
static ws_stacks *kept_stacks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    ws_stacks *stacks = pthread_getspecific(stacks_of_thread);
    if (!stacks && (stacks = ws_stacks_new()))
        pthread_setspecific(stacks_of_thread, stacks);
    return stacks;
}

const char *launch_cta(Launch *launch, int number, const Order *order, void *context)
{
    Cta cta = {{&launch->state, number, launch->ctas, launch->shared}, launch, context};
    ws_sched_config config = {.kernel = launch->state.kernel,
                              .cta = number,
                              .seed = order->seed,
                              .stacks = kept_stacks(),
                              .choose = order->choose,
                              .observe = order->observe,
                              .user = &cta,
                              .groups = launch->cluster > 1 ? launch->ngroups / launch->cluster : 0,
                              .no_clocks = order->no_clocks};
    ws_sched *s = ws_sched_new(&config);
    if (!s)
        return "out of memory";
    /* All ones are NaN in every floating type, so that a premature read shows.  */
    memset(launch->shared, 0xff, (size_t)launch->cluster * launch->shared_room);
    launch->steps = 0;
    const char *report = run_fibers(launch, s);
    ws_sched_delete(s);
    return report;
}

const char *launch_run(Launch *launch, const Order *order, void *context)
{
    const char *report = NULL;
    launch->state.ran = launch->ctas > 0;
    for (int cta = 0; cta < launch->ctas && !report; cta += launch->cluster)
        report = launch_cta(launch, cta, order, context);
    return report;
}

void launch_forget(Launch *launch)
{
    const struct ws_together *together = &launch->state.together;
    if (together->counters)
        memset(together->words + together->first, 0, (size_t)together->counters * sizeof *together->words);
    for (int i = 0; i < launch->state.nshadows; i++)
        memset(launch->state.shadows[i].written, 0, launch->state.shadows[i].bytes);
}

/* ---- what the stored tensors hold -------------------------------------------------------------------------------- */

/* Copies the ranges of memory that the kernel stores to, which are the shadows.  */
Image image_take(const Launch *launch)
{
    Image image = {NULL, 0};
    for (int i = 0; i < launch->state.nshadows; i++)
        image.count += (size_t)(launch->state.shadows[i].high - launch->state.shadows[i].low);
    image.bytes = zeroed(image.count, 1);
    unsigned char *to = image.bytes;
    for (int i = 0; i < launch->state.nshadows; i++) {
        const ws_emulate_shadow *shadow = &launch->state.shadows[i];
        memcpy(to, shadow->low, (size_t)(shadow->high - shadow->low));
        to += shadow->high - shadow->low;
    }
    return image;
}

void image_put(const Launch *launch, const Image *image)
{
    const unsigned char *from = image->bytes;
    for (int i = 0; i < launch->state.nshadows; i++) {
        const ws_emulate_shadow *shadow = &launch->state.shadows[i];
        memcpy(shadow->low, from, (size_t)(shadow->high - shadow->low));
        from += shadow->high - shadow->low;
    }
}

bool image_equal(const Image *x, const Image *y)
{
    return x->count == y->count && !memcmp(x->bytes, y->bytes, x->count);
}

void image_drop(Image *image)
{
    free(image->bytes);
    *image = (Image){NULL, 0};
}
