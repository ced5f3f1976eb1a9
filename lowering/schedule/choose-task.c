/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose-task.c - roles that the user names: the blocks under #pragma ws task.
 *
 *      for (k = 0; k < K; k += 64) {                             producer   x, w
 *        x = ws_load (a, i, k, 128, 64);                         scale      gets w, puts b: three slots
 *        w = ws_load (q, j, k, 128, 64);                         multiply   gets x and b
 *        { task (scale) ring (b, 3)    b = ws_cast (w, WS_F16); }
 *        { task (multiply) groups (2)  acc = ws_dot (x, ws_trans (b), acc); }
 *
 * The last task that multiplies becomes the role of the groups that multiply and store, with the user's name.  A task
 * that stores is a role of its own.  If it stores results of products, the groups fill rings for it.
 *
 * Any other task computes tiles for other roles and puts them into rings.  These roots are the tiles that are computed
 * in the block and used outside of it.  Their operands come through rings, as loads do, or each role computes them
 * again.  They must not depend on another task's product, which is a carried value of that task's role.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "schedule/choose.h"
#include "target/budget.h"
#include "target/machine.h"

#include <string.h>

typedef struct {
    Chooser *chooser;
    int number;
    const Task *task;
    const Op *product, *store, *load; /* the first of each */
    bool computes;
    Op **roots;  /* tiles that it computes for others */
    Op **handed; /* tiles that a storing task gets from the groups that multiply */
    int nroots, nhanded;
} Members;

/* ---- what a block holds ------------------------------------------------------------------------------------------ */

static bool is_in(const Op *op, int number)
{
    return schedule_of(op)->task == number;
}

static bool has_use_outside(const Members *block, const Value *value)
{
    return used_outside_task(&block->chooser->uses, value, block->number);
}

/* Removes prints and transposes from the task.  A transpose is another view of a slot, made by the role that reads
   it.  */
static void visit_free(Op *op, void *context)
{
    Members *block = context;
    bool looks = op->code == OP_TRANS && op->args[0]->def;
    if (!is_in(op, block->number) || (!op_prints(op) && !(looks && has_use_outside(block, op->results[0]))))
        return;
    if (looks && schedule_of(op)->ring)
        schedule_op(op->args[0]->def)->ring = schedule_of(op)->ring;
    schedule_op(op)->task = schedule_op(op)->ring = 0;
}

typedef struct {
    const Slice *slice;
    bool found;
} Products;

static void visit_product(Op *op, void *context)
{
    Products *products = context;
    products->found |= op_is_product(op) && slice_has_op(products->slice, op);
}

static bool comes_of_product(const Members *block, Op *op)
{
    const Slice slice = choose_slice(block->chooser->kernel, op);
    Products products = {&slice, false};
    ir_walk(block->chooser->kernel->body, visit_product, &products);
    return products.found;
}

static bool is_listed(Op *const *list, int count, const Op *op)
{
    for (int i = 0; i < count; i++)
        if (list[i] == op)
            return true;
    return false;
}

/* Collects the tiles that a storing task uses of products.  task-copies.c has given each a name.  */
static void visit_handed(Op *op, void *context)
{
    Members *block = context;
    for (int i = 0; i < op->nargs && is_in(op, block->number); i++) {
        Op *source = op->args[i]->def;
        if (source && op->args[i]->type.kind == K_TILE && !is_in(source, block->number) && source->nresults == 1 &&
            op_info[source->code].class_ == CLASS_TILE && !is_listed(block->handed, block->nhanded, source) &&
            comes_of_product(block, source))
            choose_push(block->chooser->kernel, &block->handed, &block->nhanded, source);
    }
}

static void visit_block(Op *op, void *context)
{
    Members *block = context;
    OpClass class_ = op_info[op->code].class_;
    if (!is_in(op, block->number))
        return;
    block->product = op_is_product(op) && !block->product ? op : block->product;
    block->store = class_ == CLASS_STORE && !block->store ? op : block->store;
    block->load = class_ == CLASS_LOAD && !block->load ? op : block->load;
    if (class_ != CLASS_TILE)
        return;
    block->computes = true;
    if (op->nresults == 1 && has_use_outside(block, op->results[0]))
        choose_push(block->chooser->kernel, &block->roots, &block->nroots, op);
}

/* ---- the role that multiplies ------------------------------------------------------------------------------------ */

static Task *task_of(const Kernel *kernel, const Op *op)
{
    return kernel_task(kernel, schedule_of(op)->task);
}

static const char *quoted(const Kernel *kernel, const char *name)
{
    return arena_print(kernel->module, "'%s'", name);
}

/* The last task that multiplies; NULL: none.  */
static const Task *multiplying(const Chooser *chooser)
{
    const Task *last = NULL;
    for (int i = 0; i < chooser->ndots; i++) {
        const Task *task = task_of(chooser->kernel, chooser->dots[i]);
        last = task ? task : last;
    }
    return last;
}

/* Removes the products of other tasks from the list.  */
static void keep_own_products(Chooser *chooser)
{
    const Task *last = multiplying(chooser);
    int count = 0;
    for (int i = 0; i < chooser->ndots; i++) {
        const Task *task = task_of(chooser->kernel, chooser->dots[i]);
        if (!task || task == last)
            chooser->dots[count++] = chooser->dots[i];
    }
    chooser->apart = count < chooser->ndots;
    chooser->ndots = count;
}

static void name_multiplying(Members *block)
{
    Kernel *kernel = block->chooser->kernel;
    Role *role = role_that(kernel, ROLE_STORES);
    if (block->task->groups && kernel->schedule.block.groups && block->task->groups != kernel->schedule.block.groups)
        reject(kernel, block->task->loc, REASON_TASK_CONSUMERS, block->task->name, block->task->groups,
               kernel->schedule.block.groups);
    if (block->task->groups)
        kernel->schedule.block.groups = block->task->groups;
    role->name = block->task->name;
    role->registers = block->task->registers;
}

/* ---- a role of its own ------------------------------------------------------------------------------------------- */

typedef struct {
    const Members *block;
    const Slice *slice;
} Chain;

static const char *name_of(const Value *value)
{
    return value->name ? value->name : op_info[value->def->code].text;
}

static void visit_chain(Op *op, void *context)
{
    Chain *chain = context;
    Kernel *kernel = chain->block->chooser->kernel;
    const Task *task = chain->block->task, *other = task_of(kernel, op);
    if (kernel->failed || !slice_has_op(chain->slice, op))
        return;
    if (op_is_product(op) && other != task)
        reject(kernel, task->loc, REASON_TASK_NEEDS, task->name, name_of(op->results[0]),
               other ? arena_print(kernel->module, "task '%s' changes", other->name)
                     : "the groups that multiply change");
    if (op_info[op->code].class_ != CLASS_LOAD || schedule_of(op)->depth)
        return;
    for (int i = 0; i < chain->block->chooser->nstores; i++)
        if (tensor_memory(chain->block->chooser->stores[i]->args[0]) == tensor_memory(op->args[0]) &&
            task_of(kernel, chain->block->chooser->stores[i]) != task)
            reject(kernel, op->loc, REASON_TASK_STORED, task->name, chain->block->chooser->stores[i]->loc.line);
}

static void check_root(const Members *block, Op *root)
{
    const Slice slice = choose_slice(block->chooser->kernel, root);
    Chain chain = {block, &slice};
    ir_walk(block->chooser->kernel->body, visit_chain, &chain);
}

static bool is_taken(const Kernel *kernel, const char *name)
{
    static const char *const others[] = {"producer", "consumer", "transposer", "preparer", "all", "params", "cluster"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i], name))
            return true;
    FOR_ROLES (role, kernel)
        if (!strcmp(role->name, name))
            return true;
    return false;
}

/* Refuses other loads or stores of memory that a task stores, since nothing would order them.  */
static void visit_same_memory(Op *op, void *context)
{
    const Members *block = context;
    Kernel *kernel = block->chooser->kernel;
    OpClass class_ = op_info[op->code].class_;
    bool touches = class_ == CLASS_LOAD || class_ == CLASS_READ || (class_ == CLASS_STORE && !op_prints(op));
    for (int i = 0; i < block->chooser->nstores && touches && !is_in(op, block->number); i++) {
        const Op *store = block->chooser->stores[i];
        if (is_in(store, block->number) && tensor_memory(store->args[0]) == tensor_memory(op->args[0]) &&
            !kernel->failed)
            reject(kernel, store->loc, REASON_TASK_STORES, block->task->name, op->loc.line,
                   class_ == CLASS_STORE ? "stores" : "loads");
    }
}

static void check_stores(const Members *block)
{
    Kernel *kernel = block->chooser->kernel;
    Members all = *block;
    if (block->nroots)
        reject(kernel, block->task->loc, REASON_TASK_STORES_MAKES, block->task->name,
               name_of(block->roots[0]->results[0]));
    else if (kernel->schedule.block.split == SPLIT_TILES)
        reject(kernel, block->task->loc, REASON_TASK_TILES, block->task->name);
    else if (kernel->grid.parts || kernel->grid.cluster[0])
        reject(kernel, block->task->loc, REASON_TASK_CLUSTER, block->task->name);
    else
        ir_walk(kernel->body, visit_same_memory, &all);
}

static bool check_block(const Members *block)
{
    Kernel *kernel = block->chooser->kernel;
    const Task *task = block->task;
    if (block->store)
        check_stores(block);
    else if (!block->computes && block->load)
        reject(kernel, task->loc, REASON_TASK_LOADS, task->name);
    else if (!block->nroots)
        reject(kernel, task->loc, REASON_TASK_UNNEEDED, task->name);
    if (!kernel->failed && is_taken(kernel, task->name))
        reject(kernel, task->loc, REASON_TASK_NAME, task->name);
    return !kernel->failed;
}

/* Makes the role of a storing task.  The groups that multiply fill its rings.  */
static void make_storing_role(Members *block)
{
    Kernel *kernel = block->chooser->kernel;
    const uint32_t multiplies = ROLE_BIT(role_that(kernel, ROLE_STORES));
    Role *role =
        role_new(kernel, block->task->name, ROLE_COMPUTES | ROLE_STORES, block->task->groups ? block->task->groups : 1);
    role->registers = block->task->registers;
    block->chooser->storing = true;
    ir_walk(kernel->body, visit_handed, block);
    for (int i = 0; i < block->chooser->nstores; i++)
        if (is_in(block->chooser->stores[i], block->number))
            schedule_op(block->chooser->stores[i])->roles = ROLE_BIT(role);
    for (int i = 0; i < block->nhanded; i++) {
        const Op *loop = pipelined_loop(block->handed[i]);
        ScheduleRow *row = schedule_op(block->handed[i]);
        row->maker = multiplies;
        row->depth = row->ring ? row->ring : loop ? schedule_of_loop(loop)->depth : 1;
        choose_push(kernel, &block->chooser->prepared, &block->chooser->nprepared, block->handed[i]);
    }
}

static void make_role(Members *block)
{
    Kernel *kernel = block->chooser->kernel;
    Role *role = role_new(kernel, block->task->name, ROLE_COMPUTES, block->task->groups ? block->task->groups : 1);
    role->registers = block->task->registers;
    for (int i = 0; i < block->nroots; i++) {
        Op *root = block->roots[i];
        const Op *loop = pipelined_loop(root);
        ScheduleRow *row = schedule_op(root);
        row->maker = ROLE_BIT(role);
        row->depth = row->ring ? row->ring : loop ? schedule_of_loop(loop)->depth : 1;
        choose_push(kernel, &block->chooser->prepared, &block->chooser->nprepared, root);
    }
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void choose_task(Chooser *chooser, int number)
{
    Kernel *kernel = chooser->kernel;
    Members block = {.chooser = chooser, .number = number, .task = kernel_task(kernel, number)};
    ir_walk(kernel->body, visit_free, &block);
    ir_walk(kernel->body, visit_block, &block);
    if (block.task->registers && !budget_is_register_count(kernel->machine, block.task->registers))
        reject(kernel, block.task->loc, REASON_TASK_REGISTERS_RANGE, block.task->registers,
               kernel->machine->fewest_role_registers, kernel->machine->most_role_registers);
    else if (block.product && block.task == multiplying(chooser))
        name_multiplying(&block);
    else if (check_block(&block))
        (block.store ? make_storing_role : make_role)(&block);
}

static int groups_of_roles(const Kernel *kernel)
{
    int groups = 0;
    FOR_ROLES (role, kernel)
        groups += role->replicas;
    return groups;
}

void choose_tasks(Chooser *chooser)
{
    Kernel *kernel = chooser->kernel;
    int number = 0;
    const int most = kernel->machine->max_threads / MACHINE_GROUP_THREADS;
    for (const Task *task = kernel->tasks; task && chooser->specialized && !kernel->failed; task = task->next) {
        number++;
        if (!task->loads)
            choose_task(chooser, number);
        if (!REQUIRE_LIMIT(kernel, task->loc, groups_of_roles(kernel), most, REASON_TASK_MOST, task->name))
            return;
    }
    keep_own_products(chooser);
    for (int i = 0; i < chooser->nprepared && !kernel->failed; i++) {
        Members block = {.chooser = chooser, .task = task_of(kernel, chooser->prepared[i])};
        if (schedule_of(chooser->prepared[i])->maker != ROLE_BIT(role_that(kernel, ROLE_STORES)))
            check_root(&block, chooser->prepared[i]);
    }
    for (int i = 0; i < chooser->nstores && chooser->storing && !kernel->failed; i++) {
        Members block = {.chooser = chooser, .task = task_of(kernel, chooser->stores[i])};
        if (schedule_of(chooser->stores[i])->roles)
            check_root(&block, chooser->stores[i]);
    }
}

/* ---- groups of a task -------------------------------------------------------------------------------------------- */

static const Task *task_called(const Kernel *kernel, const char *name)
{
    const Task *task = kernel->tasks;
    while (task && strcmp(task->name, name))
        task = task->next;
    return task;
}

bool choose_task_rows(Kernel *kernel)
{
    FOR_ROLES (role, kernel) {
        bool multiplies = role == role_that(kernel, ROLE_STORES);
        const Task *task = task_called(kernel, role->name);
        Op *why = NULL;
        if (multiplies || role->replicas == 1 || split_rows(kernel, role, role->replicas, &why))
            continue;
        if (task)
            reject(kernel, task->loc, REASON_TASK_GROUPS, task->name, why->loc.line, role->replicas);
        else
            remark(kernel, DIAG_MISSED, why->loc,
                   "rows are not divided among %d groups of the %s because of this operation", role->replicas,
                   role->name);
        role->replicas = 1;
        role->registers = 0;
    }
    return !kernel->failed;
}

/* ---- rings ------------------------------------------------------------------------------------------------------- */

static void visit_ring(Op *op, void *context)
{
    Kernel *kernel = context;
    const ScheduleRow *row = schedule_of(op);
    if (row->ring && !row->depth && !kernel->failed)
        reject(kernel, op->loc, REASON_RING_NONE, op->nresults ? name_of(op->results[0]) : op_info[op->code].text);
}

void choose_check_rings(const Chooser *chooser)
{
    ir_walk(chooser->kernel->body, visit_ring, chooser->kernel);
}

/* ---- depths that the user said ----------------------------------------------------------------------------------- */

static bool is_released_late(const Op *source, const Op *loop)
{
    return schedule_of(source)->ring && schedule_of(source)->release == RELEASE_END &&
           loop_around(source->parent) == loop;
}

int choose_said_slots(const Chooser *chooser, const Op *loop)
{
    int fewest = MACHINE_MAX_DEPTH;
    for (int i = 0; i < chooser->nrings; i++)
        if (is_released_late(chooser->rings[i], loop) && schedule_of(chooser->rings[i])->ring < fewest)
            fewest = schedule_of(chooser->rings[i])->ring;
    return fewest;
}

void choose_check_slots(const Chooser *chooser, const Op *loop)
{
    Kernel *kernel = chooser->kernel;
    int in_flight = schedule_of_loop(loop)->in_flight;
    for (int i = 0; i < chooser->nrings && !kernel->failed; i++) {
        const Op *source = chooser->rings[i];
        int slots = schedule_of(source)->ring;
        const Task *task = task_of(kernel, source);
        if (is_released_late(source, loop) && slots < in_flight)
            reject(kernel, task ? task->loc : loop->control->pipeline->loc, REASON_RING_SHORT,
                   name_of(source->results[0]), slots, slots == 1 ? "" : "s",
                   slots == 1 ? "twice" : arena_print(kernel->module, "%d times", slots + 1),
                   quoted(kernel, role_that(kernel, ROLE_STORES)->name), in_flight);
    }
}

/* ---- remarks ----------------------------------------------------------------------------------------------------- */

static bool is_handed(const Kernel *kernel, const Op *root)
{
    return schedule_of(root)->maker == ROLE_BIT(role_that(kernel, ROLE_STORES));
}

void choose_say_tasks(const Chooser *chooser)
{
    Kernel *kernel = chooser->kernel;
    for (int i = 0; i < chooser->nprepared; i++) {
        const Op *root = chooser->prepared[i];
        const Task *task = task_of(kernel, root);
        if (is_handed(kernel, root))
            remark(kernel, DIAG_OPTIMIZED, root->loc, "%s goes to the task that stores it, through a ring of %d slot%s",
                   name_of(root->results[0]), schedule_of(root)->depth, schedule_of(root)->depth == 1 ? "" : "s");
        else if (task)
            remark(kernel, DIAG_OPTIMIZED, task->loc, "task '%s' makes %s, in a ring of %d slot%s", task->name,
                   name_of(root->results[0]), schedule_of(root)->depth, schedule_of(root)->depth == 1 ? "" : "s");
    }
}
