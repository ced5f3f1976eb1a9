/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queues.c - replaces queues of tiles (ws_ring_new) by the tiles themselves, and joins the loops that they connect.
 *
 *   r = ws_ring_new (3);
 *   { task (load)
 *     for (k ...)                                         for (k ...) {
 *         ws_put (r, ws_load (a, i, k, ...)); }               x = ws_load (a, i, k, ...);      a ring of 3
 *   { task (multiply)                                         acc = ws_dot (x, ..., acc);
 *     for (k ...) {                                       }
 *         ws_get (r, &x);
 *         acc = ws_dot (x, ..., acc); } }
 *
 * In sequential C a ring is a queue: the n-th get returns the tile of the n-th put. If the loops around put and get
 * have the same bounds and step, they become one loop, in which the get stands below its put. The queue then only
 * leaves the number of slots that the user asks for. Later passes find rings, waits and releases as for any other loop.
 * Joining interleaves the iterations of both loops, so neither loop may store memory that the other accesses.
 *
 * Tests: tests/programs/queues.c on all targets, and tests/bad/queue-*.c.
 */
#include "ir/alias.h"
#include "ir/queries.h"
#include "passes.h"

typedef struct {
    Kernel *kernel;
    Op *ring;
    Op **puts, **gets; /* in program order */
    int nputs, ngets;
    bool misused;
} Queue;

/* ---- puts and gets ----------------------------------------------------------------------------------------------- */

static void push(Kernel *kernel, Op ***list, int *count, Op *op)
{
    Op **more = arena_alloc(kernel->module, (size_t)(*count + 1) * sizeof *more);
    for (int i = 0; i < *count; i++)
        more[i] = (*list)[i];
    more[(*count)++] = op;
    *list = more;
}

static void visit_use(Op *op, void *context)
{
    Queue *queue = context;
    const Value *ring = queue->ring->results[0];
    for (int i = 0; i < op->nargs; i++) {
        if (op->args[i] != ring)
            continue;
        if (op->code == OP_RING_PUT && i == 0)
            push(queue->kernel, &queue->puts, &queue->nputs, op);
        else if (op->code == OP_RING_GET)
            push(queue->kernel, &queue->gets, &queue->ngets, op);
        else
            queue->misused = true;
    }
}

static const char *name_of(const Queue *queue)
{
    const Value *ring = queue->ring->results[0];
    return ring->name ? ring->name : "ring";
}

static const Block *block_of(Op *const *list, int count)
{
    for (int i = 1; i < count; i++)
        if (list[i]->parent != list[0]->parent)
            return NULL;
    return count ? list[0]->parent : NULL;
}

static bool comes_before(const Op *op, const Op *other)
{
    for (; op; op = op->next)
        if (op == other)
            return true;
    return false;
}

/* ---- loops of equal trip counts ---------------------------------------------------------------------------------- */

static bool is_same(const Value *x, const Value *y)
{
    if (x == y)
        return true;
    const Op *one = x->def, *other = y->def;
    if (!one || !other || one->code != other->code || op_info[one->code].class_ != CLASS_SCALAR ||
        one->nargs != other->nargs || !type_equal(x->type, y->type) || !op_means_the_same(one, other))
        return false;
    for (int i = 0; i < one->nargs; i++)
        if (!is_same(one->args[i], other->args[i]))
            return false;
    return true;
}

static bool count_alike(const Op *one, const Op *other)
{
    return one->control->compare == other->control->compare && is_same(one->args[0], other->args[0]) &&
           is_same(one->args[1], other->args[1]) && is_same(one->args[2], other->args[2]);
}

typedef struct {
    const Op *of, *found; /* an access of the first loop; a conflicting access of the second */
} Conflict;

static bool touches_memory(const Op *op)
{
    OpClass class_ = op_info[op->code].class_;
    return class_ == CLASS_LOAD || class_ == CLASS_READ || class_ == CLASS_STORE || op->code == OP_LOAD_AT;
}

static void visit_second(Op *op, void *context)
{
    Conflict *conflict = context;
    const Op *first = conflict->of;
    bool stores = op_info[op->code].class_ == CLASS_STORE || op_info[first->code].class_ == CLASS_STORE;
    bool prints = op_prints(op), printed = op_prints(first);
    bool same = prints && printed;
    if (!prints && !printed && touches_memory(op))
        same = tensor_memory(op->args[0]) == tensor_memory(first->args[0]);
    if (same && stores && !conflict->found)
        conflict->found = op;
}

typedef struct {
    Op *second;
    const Op *first_access, *second_access;
} Pair;

static void visit_first(Op *op, void *context)
{
    Pair *pair = context;
    Conflict conflict = {op, NULL};
    if (!touches_memory(op) || pair->second_access)
        return;
    ir_walk(pair->second->blocks[0], visit_second, &conflict);
    if (!conflict.found)
        return;
    pair->first_access = op;
    pair->second_access = conflict.found;
}

typedef struct {
    const Op *loop;
    const Op *user;
} Results;

static void visit_result(Op *op, void *context)
{
    Results *results = context;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i]->def == results->loop && !results->user)
            results->user = op;
}

static bool has_effect(const Op *op, const void *none)
{
    (void)none;
    return op_info[op->code].class_ == CLASS_STORE || op->code == OP_RING_PUT || op->code == OP_RING_GET;
}

/* Returns an operation that keeps the first loop from moving down to the second, or NULL. These are stores, puts and
   gets between the loops, and uses of the first loop's results.  */
static const Op *obstacle(const Op *first, Op *second)
{
    Results results = {first, NULL};
    for (Op *op = first->next; op != second; op = op->next) {
        if (has_effect(op, NULL) || (op->nblocks && ir_any(op, has_effect, NULL)))
            return op;
        visit_result(op, &results);
        for (int i = 0; i < op->nblocks; i++)
            ir_walk(op->blocks[i], visit_result, &results);
    }
    visit_result(second, &results);
    ir_walk(second->blocks[0], visit_result, &results);
    return results.user;
}

static bool pipelines_agree(const Pipeline *one, const Pipeline *other)
{
    return !one || !other ||
           (one->depth == other->depth && one->in_flight == other->in_flight && one->automatic == other->automatic &&
            one->schedule == other->schedule);
}

/* ---- joining loops ----------------------------------------------------------------------------------------------- */

/* Adds the carried values of the first loop to those of the second.  */
static void take_carried(Kernel *kernel, Op *first, Op *second)
{
    Block *from = first->blocks[0], *to = second->blocks[0];
    for (int i = 0; i < first->nresults; i++) {
        Value *argument = from->args[i + 1];
        op_add_arg(kernel, second, first->args[i + 3]);
        ir_replace_uses(from, argument, block_arg(kernel, to, argument->type, argument->name, argument->loc));
        op_add_arg(kernel, to->last, from->last->args[i]);
        ir_replace_uses(kernel->body, first->results[i],
                        op_result(kernel, second, first->results[i]->type, first->results[i]->name));
    }
}

/* Moves the body of the first loop in front of the body of the second.  */
static void join(Kernel *kernel, Op *first, Op *second)
{
    Block *from = first->blocks[0], *to = second->blocks[0];
    Op *where = to->first;
    take_carried(kernel, first, second);
    ir_replace_uses(from, from->args[0], to->args[0]);
    for (Op *op = from->first, *next; op != from->last; op = next) {
        next = op->next;
        op_remove(op);
        op_before(where, op);
    }
    if (!second->control->pipeline)
        second->control->pipeline = first->control->pipeline;
    op_remove(first);
}

/* Joins the loop that puts and the loop that gets, or reports the reason why they cannot be joined.  */
static bool run_together(const Queue *queue, Op *first, Op *second)
{
    Kernel *kernel = queue->kernel;
    Pair pair = {second, NULL, NULL};
    const Op *between = obstacle(first, second);
    ir_walk(first->blocks[0], visit_first, &pair);
    if (!count_alike(first, second))
        reject(kernel, second->loc, REASON_QUEUE_COUNT, name_of(queue),
               arena_print(kernel->module, "the loops of lines %d and %d do not count alike", first->loc.line,
                           second->loc.line));
    else if (between)
        reject(kernel, between->loc, REASON_QUEUE_BETWEEN, first->loc.line, second->loc.line);
    else if (pair.second_access)
        reject(kernel, pair.second_access->loc, REASON_QUEUE_MEMORY, first->loc.line, second->loc.line,
               pair.first_access->loc.line);
    else if (!pipelines_agree(first->control->pipeline, second->control->pipeline))
        reject(kernel, second->control->pipeline->loc, REASON_QUEUE_PIPELINE, first->loc.line, second->loc.line);
    else
        join(kernel, first, second);
    return !kernel->failed;
}

/* ---- from put to get --------------------------------------------------------------------------------------------- */

/* Sets the number of slots of the tile, if a ring may carry it.  visit_wish () deletes the number outside of pipelined
   loops, once all loops are joined.  */
static void want_slots(const Queue *queue, Value *tile)
{
    int64_t slots;
    Op *made = tile->def;
    if (made && made->code == OP_TRANS)
        made = made->args[0]->def;
    if (made && (op_info[made->code].class_ == CLASS_LOAD || schedule_of(made)->task) &&
        ir_constant(queue->ring->args[0], &slots) && !schedule_of(made)->ring)
        schedule_op(made)->ring = (int)slots;
}

static void hand_over(const Queue *queue)
{
    Kernel *kernel = queue->kernel;
    if (queue->nputs != queue->ngets)
        reject(kernel, queue->gets[0]->loc, REASON_QUEUE_COUNT, name_of(queue),
               arena_print(kernel->module, "%d put%s and %d get%s stand in one iteration", queue->nputs,
                           queue->nputs == 1 ? "" : "s", queue->ngets, queue->ngets == 1 ? "" : "s"));
    for (int i = 0; i < queue->ngets && !kernel->failed; i++) {
        Value *tile = queue->puts[i]->args[1];
        if (!comes_before(queue->puts[i], queue->gets[i])) {
            reject(kernel, queue->gets[i]->loc, REASON_QUEUE_ABOVE, name_of(queue), queue->puts[i]->loc.line);
            return;
        }
        want_slots(queue, tile);
        if (!tile->name)
            tile->name = queue->gets[i]->results[0]->name;
        ir_replace_uses(kernel->body, queue->gets[i]->results[0], tile);
    }
    for (int i = 0; i < queue->ngets && !kernel->failed; i++) {
        op_remove(queue->gets[i]);
        op_remove(queue->puts[i]);
    }
    if (!kernel->failed)
        op_remove(queue->ring);
}

static bool check_use(const Queue *queue)
{
    Kernel *kernel = queue->kernel;
    const Op *ring = queue->ring;
    int64_t slots;
    if (queue->misused)
        reject(kernel, ring->loc, REASON_QUEUE_USE, name_of(queue));
    else if (!ir_constant(ring->args[0], &slots) || slots < 1 || slots > 16)
        reject(kernel, ring->loc, REASON_QUEUE_SLOTS);
    else if (queue->nputs && queue->ngets)
        return true;
    else
        reject(kernel, ring->loc, REASON_QUEUE_COUNT, name_of(queue),
               arena_print(kernel->module, "there are %d puts and %d gets", queue->nputs, queue->ngets));
    return false;
}

static void resolve(Kernel *kernel, const Queue *queue)
{
    if (!check_use(queue))
        return;
    const Block *puts = block_of(queue->puts, queue->nputs), *gets = block_of(queue->gets, queue->ngets);
    Op *first = puts ? puts->parent : NULL, *second = gets ? gets->parent : NULL;
    bool loops = first && second && first->code == OP_FOR && second->code == OP_FOR && first->parent == second->parent;
    if (puts && puts == gets)
        hand_over(queue);
    else if (!loops)
        reject(kernel, queue->gets[0]->loc, REASON_QUEUE_COUNT, name_of(queue),
               "puts and gets do not stand in one block each, or in loops of one block");
    else if (comes_before(second, first))
        reject(kernel, queue->gets[0]->loc, REASON_QUEUE_ABOVE, name_of(queue), queue->puts[0]->loc.line);
    else if (run_together(queue, first, second))
        hand_over(queue);
}

/* ---- tasks that only load ---------------------------------------------------------------------------------------- */

typedef struct {
    int task;
    bool works;
} Work;

static void visit_work(Op *op, void *context)
{
    Work *work = context;
    OpClass class_ = op_info[op->code].class_;
    work->works |= schedule_of(op)->task == work->task && (class_ == CLASS_TILE || class_ == CLASS_STORE);
}

static void visit_leave(Op *op, void *context)
{
    const Work *work = context;
    if (schedule_of(op)->task == work->task)
        schedule_op(op)->task = 0;
}

static void leave_to_producer(Kernel *kernel)
{
    int number = 0;
    for (Task *task = kernel->tasks; task; task = task->next) {
        Work work = {++number, false};
        ir_walk(kernel->body, visit_work, &work);
        task->loads = !work.works;
        if (task->loads)
            ir_walk(kernel->body, visit_leave, &work);
    }
}

/* Outside of pipelined loops, choose decides the slots of rings.  */
static void visit_wish(Op *op, void *context)
{
    const Op *loop = op->parent->parent;
    (void)context;
    while (loop && !pipeline_of(loop))
        loop = loop->parent ? loop->parent->parent : NULL;
    if (schedule_of(op)->ring && !loop)
        schedule_op(op)->ring = 0;
}

static bool is_ring(const Op *op, const void *none)
{
    (void)none;
    return op->code == OP_RING_PUT || op->code == OP_RING_GET;
}

/* True if a loop of another ring stands between the loop that puts and the loop that gets. The loops of that ring are
   then joined first.  */
static bool others_between(const Queue *queue)
{
    if (!queue->nputs || !queue->ngets)
        return false;
    const Op *first = queue->puts[0]->parent->parent, *second = queue->gets[0]->parent->parent;
    if (!first || !second || first->parent != second->parent || comes_before(second, first))
        return false;
    for (const Op *op = first->next; op && op != second; op = op->next)
        if (op->nblocks && ir_any(op, is_ring, NULL))
            return true;
    return false;
}

/* Finds the next ring: one without loops of other rings between its own, or else any.  */
static void visit_ring(Op *op, void *context)
{
    Queue *next = context;
    if (op->code != OP_RING_NEW || (next->ring && !others_between(next)))
        return;
    Queue queue = {.kernel = next->kernel, .ring = op};
    ir_walk(next->kernel->body, visit_use, &queue);
    if (!next->ring || !others_between(&queue))
        *next = queue;
}

void pass_queues(Kernel *kernel)
{
    bool any = false;
    while (!kernel->failed) {
        Queue next = {.kernel = kernel};
        ir_walk(kernel->body, visit_ring, &next);
        if (!next.ring)
            break;
        any = true;
        resolve(kernel, &next);
    }
    if (!any || kernel->failed)
        return;
    leave_to_producer(kernel);
    ir_walk(kernel->body, visit_wish, NULL);
}
