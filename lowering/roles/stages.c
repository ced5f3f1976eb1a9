/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stages.c - modulo expansion of loops, for every writer of the schedule table.
 *
 *      before: stage 0 is A and C, stage 1 is B  after
 *      for (k = lo; k < hi; k += step)           if (lo < hi) {
 *        a = A (k)                                 a' = A (lo); c' = C (a', init)                      prologue
 *        b = B (a, k)                              for (k = lo + step; k < hi; k += step)
 *        c = C (a, c_before)                         a = A (k); b = B (a', k'); c = C (a, c')          steady, by order
 *                                                    a' = a; k' = k; c' = c
 *                                                  b = B (a', k')                                      epilogue
 *                                                }
 *
 * At time step t, an operation of stage s executes iteration t - s. Within a time step operations have the table's
 * order. Let stage d define a value, and stage u use it. The use refers to u - d time steps earlier, and one more
 * through a carried value of the loop. Distance 0 means earlier in the same step, distance 1 a value that the new loop
 * carries. A guard for the first iteration encloses all parts, so trip counts of 0 and 1 need no special case.
 *
 * Several stages are cut off one after the other, from the first on. A cut leaves a steady loop, in which the later
 * stages are still together. The next cut expands this loop.
 *
 *      if (lo < hi) {                               A of the first
 *        if (lo + step < hi)                        A of the second, B of the first
 *          for (k = lo + 2 * step; ...)             A, B and C, each of another iteration
 *          ...                                      C of the last but one
 *        ...                                        B and C of the last
 *      }
 *
 * So each trip count below the number of stages leaves at its own guard, and each operation is cloned once for each
 * stage. A value for a later stage passes through the stages between.
 *
 * If a schedule file gives the order of a loop with one stage, the pass reorders the loop in roles that store. The loop
 * changes in no other way.
 *
 * With `pingpong` and groups that divide the rows, the products that a time step starts together are one turn. While
 * the products of one group run, the other groups execute the operations between turns. A turn ends before the first
 * read of a product, so a group never waits for the tensor cores during its turn.
 */
#include "ir/queries.h"
#include "roles/stages.h"

enum { EARLY, LATE, SIDES };

/* A value that the new loop carries from one time step to the next.  */
typedef struct {
    Value *key;     /* the old loop's value or argument that the later use names */
    Value *source;  /* the old value that feeds it at the end of a step */
    Value *initial; /* value before the first step; NULL: from the prologue */
    int reader;     /* EARLY or LATE: the side that uses this name */
} Carrier;

typedef struct {
    Kernel *kernel;
    Op *loop;
    int cut;  /* stages from this one on are late */
    int last; /* the last stage */
    Op **ops; /* operations of the body, in the order of a time step */
    int nops;
    Carrier *carriers;
    int ncarriers;
    ValueMap maps[SIDES]; /* old value -> new value in this step, for each side */
    bool broken;
} Stager;

/* Room for `count` values.  */
static Value **values_of(const Stager *stager, int count)
{
    return arena_alloc(stager->kernel->module, ((size_t)count + 1) * sizeof(Value *));
}

static Op *body_end(const Stager *stager)
{
    return block_end(stager->loop->blocks[0]);
}

/* The operation of the loop's body that defines or contains the value. NULL: an argument, or from outside.  */
static Op *definer(const Stager *stager, const Value *value)
{
    Op *op = value->def;
    while (op && op->parent && op->parent != stager->loop->blocks[0])
        op = op->parent->parent;
    return op && op->parent == stager->loop->blocks[0] ? op : NULL;
}

static int side_of_op(const Stager *stager, const Op *op)
{
    return schedule_of(op)->stage >= stager->cut ? LATE : EARLY;
}

static int side_of(const Stager *stager, const Value *value)
{
    Op *op = definer(stager, value);
    return op ? side_of_op(stager, op) : EARLY;
}

/* Late stages are in one iteration until the next cut, so there their stages order them.  */
static bool comes_before(const Stager *stager, const Op *op, const Op *other)
{
    int x = schedule_of(op)->stage, y = schedule_of(other)->stage;
    x = x < stager->cut ? stager->cut : x;
    y = y < stager->cut ? stager->cut : y;
    return x != y ? x < y : schedule_of(op)->order < schedule_of(other)->order;
}

/* ---- carried values ---------------------------------------------------------------------------------------------- */

static void add_carrier(Stager *stager, Value *key, Value *source, Value *initial, int reader)
{
    for (int i = 0; i < stager->ncarriers; i++)
        if (stager->carriers[i].key == key && stager->carriers[i].reader == reader)
            return;
    LIST_ADD(stager->kernel->module, stager->carriers, stager->ncarriers) = (Carrier){key, source, initial, reader};
}

/* Adds the carrier that a use needs. `user` is the operation of the body that contains the use. Within a time step
   the definition stands before the use.  */
static void see_use(Stager *stager, Value *value, const Op *user)
{
    Block *body = stager->loop->blocks[0];
    int side = side_of_op(stager, user);
    if (value->block == body && value->index > 0) {
        Carried names = carried(stager->loop, value->index - 1);
        const Op *source = definer(stager, names.next);
        int from = side_of(stager, names.next), distance = 1 + side - from;
        stager->broken |= distance == 0 && !comes_before(stager, source, user);
        if (distance == 1)
            add_carrier(stager, value, names.next, from == LATE ? names.init : NULL, from);
        else if (distance == 2) /* a value read early in this step is read late in the next */
            add_carrier(stager, value, value, names.init, LATE);
    } else if (value->block == body || definer(stager, value)) {
        int distance = side - side_of(stager, value);
        if (distance == 1)
            add_carrier(stager, value, value, NULL, LATE);
        stager->broken |= distance < 0;
    }
}

static void see_uses(Stager *stager, Op *op, const Op *user)
{
    for (int i = 0; i < op->nargs; i++)
        see_use(stager, op->args[i], user);
    for (int k = 0; k < op->nblocks; k++)
        FOR_OPS (inner, op->blocks[k])
            see_uses(stager, inner, user);
}

/* Final values from early stages must survive the loop, even if no iteration reads the value before.  */
static void see_results(Stager *stager)
{
    for (int i = 0; i < carried_count(stager->loop); i++) {
        Carried names = carried(stager->loop, i);
        if (side_of(stager, names.next) == EARLY)
            add_carrier(stager, names.argument, names.next, NULL, EARLY);
    }
}

/* ---- copying one time step --------------------------------------------------------------------------------------- */

static void copy_block(Stager *stager, Block *from, Block *to, ValueMap *map);

static Op *copy_op(Stager *stager, Op *op, Block *to, ValueMap *map)
{
    Op *copy = op_clone(stager->kernel, op, map);
    schedule_op(copy)->stage = EARLY;
    op_append(to, copy);
    for (int k = 0; k < op->nblocks; k++)
        copy_block(stager, op->blocks[k], block_new(stager->kernel, copy), map);
    return copy;
}

static void copy_block(Stager *stager, Block *from, Block *to, ValueMap *map)
{
    for (int i = 0; i < from->nargs; i++) {
        Value *old = from->args[i];
        Value *argument = block_arg(stager->kernel, to, old->type, old->name, old->loc);
        argument->split = old->split;
        value_map_set(stager->kernel, map, old, argument);
    }
    FOR_OPS (op, from)
        copy_op(stager, op, to, map);
}

/* Gives early operations of the same step the new value of a carried result that a late operation computes.  */
static void publish(Stager *stager, const Op *op)
{
    for (int r = 0; r < op->nresults; r++)
        for (int i = 0; i < carried_count(stager->loop); i++) {
            Carried names = carried(stager->loop, i);
            if (names.next == op->results[r] && side_of_op(stager, op) == LATE)
                value_map_set(stager->kernel, &stager->maps[EARLY], names.argument,
                              value_map_get(&stager->maps[LATE], op->results[r]));
        }
}

static Op *sync_op(const Stager *stager, const Op *origin, Opcode code)
{
    Op *op = op_new(stager->kernel, code, origin->loc, 0, NULL);
    schedule_op(op)->roles = schedule_of(stager->loop)->roles;
    op->origin = origin->origin;
    return op;
}

/* True if the operation reads the product's result. Another product that only accumulates into it does not count.  */
static bool looks_at_product(const Op *op, const void *context)
{
    const Op *dot = context;
    for (int i = 0; i < op->nargs; i++)
        if (op->args[i] == dot->results[0] && !(op_is_dot(op) && i == 2))
            return true;
    return false;
}

static bool looks_at_products(const Op *op, const Op *first)
{
    for (const Op *dot = first; dot && dot != op; dot = dot->next)
        if (op_is_dot(dot) && ir_any(op, looks_at_product, dot))
            return true;
    return false;
}

/* Makes a turn of the products behind `before` that start together.  */
static void place_turn(const Stager *stager, const Block *block, const Op *before)
{
    Op *first = NULL, *last = NULL;
    for (Op *op = before ? before->next : block->first; op; op = op->next) {
        if (looks_at_products(op, first))
            break;
        if (op_is_dot(op)) {
            first = first ? first : op;
            last = op;
        }
    }
    if (!first)
        return;
    op_before(first, sync_op(stager, first, OP_PINGPONG_TAKE));
    op_after(last, sync_op(stager, last, OP_PINGPONG_PASS));
}

/* Places the turn of a loop with one stage. If an operation of the iteration reads the products, the turn ends
   behind it, since no group has other work meanwhile. Otherwise the turn ends when the products have started.  */
static void place_only_turn(const Stager *stager, const Block *block)
{
    place_turn(stager, block, NULL);
    Op *pass = NULL;
    FOR_OPS (op, block) {
        pass = op->code == OP_PINGPONG_PASS ? op : pass;
        if (!pass || op->code == OP_YIELD || !looks_at_products(op, block->first))
            continue;
        op_remove(pass);
        op_after(op, pass);
        return;
    }
}

/* False if the kernel prints tiles: all groups meet for a print, but a group that waits for its turn cannot.  */
static bool in_pingpong(const Stager *stager)
{
    return schedule_of_loop(stager->loop)->pingpong && stager->kernel->schedule.block.split == SPLIT_ROWS &&
           stager->kernel->schedule.block.groups > 1 && !kernel_prints(stager->kernel);
}

/* The number of slots that are got between the get and its release, if they are on different sides of the cut.  */
static int slots_since(const Stager *stager, const Op *release)
{
    for (int i = 0; i < stager->nops; i++)
        if (stager->ops[i]->code == OP_GET && stager->ops[i]->aref == release->aref)
            return side_of_op(stager, release) - side_of_op(stager, stager->ops[i]);
    return 0;
}

enum { COPY_EARLY = 1 << EARLY, COPY_LATE = 1 << LATE, COPY_ALL = COPY_EARLY | COPY_LATE };

static void copy_step(Stager *stager, Block *to, unsigned sides)
{
    const Op *before = to->last;
    bool cut_again = sides == COPY_ALL && stager->cut < stager->last;
    for (int i = 0; i < stager->nops; i++) {
        Op *op = stager->ops[i];
        if (!(sides >> side_of_op(stager, op) & 1))
            continue;
        Op *copy = copy_op(stager, op, to, &stager->maps[side_of_op(stager, op)]);
        if (cut_again)
            schedule_op(copy)->stage = schedule_of(op)->stage;
        if (op->code == OP_CONSUMED && sides & COPY_EARLY)
            copy->sync->keep += slots_since(stager, op);
        publish(stager, op);
    }
    if (sides & COPY_EARLY && !cut_again && in_pingpong(stager))
        place_turn(stager, to, before);
}

/* The carrier's value at the end of a step: the newest clone of its source.  */
static Value *at_end(Stager *stager, const Carrier *carrier)
{
    return value_map_get(&stager->maps[side_of(stager, carrier->source)], carrier->source);
}

/* ---- prologue, steady state, epilogue ---------------------------------------------------------------------------- */

static Op *plain(Stager *stager, Block *to, Opcode code, int nargs, Value *const *args)
{
    Op *op = op_new(stager->kernel, code, stager->loop->loc, nargs, args);
    schedule_op(op)->roles = schedule_of(stager->loop)->roles;
    op->origin = stager->loop->origin;
    op_append(to, op);
    return op;
}

static void prologue(Stager *stager, Block *to, Value **initial)
{
    Value *iv = stager->loop->blocks[0]->args[0];
    value_map_set(stager->kernel, &stager->maps[EARLY], iv, stager->loop->args[0]);
    for (int i = 0; i < carried_count(stager->loop); i++) {
        Carried names = carried(stager->loop, i);
        value_map_set(stager->kernel, &stager->maps[EARLY], names.argument, names.init);
    }
    copy_step(stager, to, COPY_EARLY);
    for (int i = 0; i < stager->ncarriers; i++)
        initial[i] = stager->carriers[i].initial ? stager->carriers[i].initial : at_end(stager, &stager->carriers[i]);
}

static Op *steady(Stager *stager, Block *to, Value **initial)
{
    Kernel *kernel = stager->kernel;
    Op *old = stager->loop;
    Value *iv = old->blocks[0]->args[0];
    Value *bounds[] = {old->args[0], old->args[2]};
    Value *second = op_result(kernel, plain(stager, to, OP_SCALAR_ADD, 2, bounds), iv->type, NULL);
    Value *args[] = {second, old->args[1], old->args[2]};
    Op *loop = plain(stager, to, OP_FOR, 3, args);
    loop->control->compare = old->control->compare;
    loop->control->pipeline = old->control->pipeline;
    loop->control->schedule = old->control->schedule;
    Block *body = block_new(kernel, loop);
    value_map_set(kernel, &stager->maps[EARLY], iv, block_arg(kernel, body, iv->type, iv->name, iv->loc));
    for (int i = 0; i < stager->ncarriers; i++) {
        Value *key = stager->carriers[i].key;
        op_add_arg(kernel, loop, initial[i]);
        Value *argument = block_arg(kernel, body, key->type, key->name, key->loc);
        argument->split = key->split;
        value_map_set(kernel, &stager->maps[stager->carriers[i].reader], key, argument);
    }
    copy_step(stager, body, COPY_ALL);
    Value **next = values_of(stager, stager->ncarriers);
    for (int i = 0; i < stager->ncarriers; i++)
        next[i] = at_end(stager, &stager->carriers[i]);
    plain(stager, body, OP_YIELD, stager->ncarriers, next);
    for (int i = 0; i < stager->ncarriers; i++) {
        Value *result = op_result(kernel, loop, stager->carriers[i].key->type, stager->carriers[i].key->name);
        result->split = stager->carriers[i].key->split;
    }
    return loop;
}

static void epilogue(Stager *stager, Block *to, const Op *loop)
{
    for (int i = 0; i < stager->ncarriers; i++) {
        if (stager->carriers[i].reader == LATE)
            value_map_set(stager->kernel, &stager->maps[LATE], stager->carriers[i].key, loop->results[i]);
    }
    copy_step(stager, to, COPY_LATE);
    int n = carried_count(stager->loop);
    Value **finals = values_of(stager, n);
    for (int i = 0; i < n; i++) {
        Carried names = carried(stager->loop, i);
        finals[i] = value_map_get(&stager->maps[LATE], names.next);
        for (int c = 0; c < stager->ncarriers && side_of(stager, names.next) == EARLY; c++)
            if (stager->carriers[c].key == names.argument && stager->carriers[c].reader == EARLY)
                finals[i] = loop->results[c];
    }
    plain(stager, to, OP_YIELD, n, finals);
}

/* Cuts off the stage before `cut`; returns the steady loop.  */
static Op *cut_loop(Stager *stager)
{
    Kernel *kernel = stager->kernel;
    Op *old = stager->loop;
    Block *around = block_new(kernel, NULL);
    Value *bounds[] = {old->args[0], old->args[1]};
    Value *runs = op_result(kernel, plain(stager, around, old->control->compare, 2, bounds), type_scalar(D_I1), NULL);
    Op *guard = plain(stager, around, OP_IF, 1, &runs);
    Block *then = block_new(kernel, guard);
    Value **initial = values_of(stager, stager->ncarriers);
    for (int side = 0; side < SIDES; side++)
        stager->maps[side] = value_map_new(kernel);
    prologue(stager, then, initial);
    Op *loop = steady(stager, then, initial);
    epilogue(stager, then, loop);
    Block *other = block_new(kernel, guard);
    plain(stager, other, OP_YIELD, carried_count(old), old->args + 3);
    for (int i = 0; i < carried_count(old); i++) {
        Value *result = op_result(kernel, guard, old->results[i]->type, old->results[i]->name);
        result->split = old->results[i]->split;
    }
    FOR_OPS (op, around) {
        op_remove(op);
        op_before(old, op);
    }
    Block *root = old->parent;
    while (root->parent)
        root = root->parent->parent;
    for (int i = 0; i < carried_count(old); i++)
        ir_replace_uses(root, old->results[i], guard->results[i]);
    op_remove(old);
    return loop;
}

/* Collects the body's operations in the order of a time step. The sort is stable.  */
static void collect(Stager *stager)
{
    FOR_OPS (op, stager->loop->blocks[0]) {
        if (op == body_end(stager))
            continue;
        if (schedule_of(op)->stage < 0) {
            stager->broken = true;
            return;
        }
        int place = stager->nops;
        LIST_ADD(stager->kernel->module, stager->ops, stager->nops) = op;
        for (; place > 0 && comes_before(stager, op, stager->ops[place - 1]); place--)
            stager->ops[place] = stager->ops[place - 1];
        stager->ops[place] = op;
        see_uses(stager, op, op);
    }
    see_results(stager);
}

static void expand_loop(Kernel *kernel, Op *loop, int last)
{
    Stager alone = {.kernel = kernel, .loop = loop};
    if (!last && loop_is_pipelined(loop) && in_pingpong(&alone))
        place_only_turn(&alone, loop->blocks[0]);
    for (int cut = 1; cut <= last && loop; cut++) {
        Stager *stager = arena_alloc(kernel->module, sizeof *stager);
        stager->kernel = kernel;
        stager->loop = loop;
        stager->cut = cut;
        stager->last = last;
        collect(stager);
        if (stager->broken)
            BUG(kernel, "the schedule table asks for a value before it is there");
        loop = stager->broken ? NULL : cut_loop(stager);
    }
}

/* Reorders the operations of a loop with one stage by the table.  */
static void order_loop(Kernel *kernel, Op *loop)
{
    Stager *stager = arena_alloc(kernel->module, sizeof *stager);
    stager->kernel = kernel;
    stager->loop = loop;
    stager->cut = 1;
    collect(stager);
    for (int i = 0; i < stager->nops && !stager->broken; i++) {
        op_remove(stager->ops[i]);
        op_before(body_end(stager), stager->ops[i]);
    }
}

void expand_stages(Kernel *kernel, Block *block, bool in_order)
{
    FOR_OPS (op, block) {
        for (int k = 0; k < op->nblocks; k++)
            expand_stages(kernel, op->blocks[k], in_order);
        int last = 0;
        if (op->code == OP_FOR)
            FOR_OPS (inner, op->blocks[0])
                last = schedule_of(inner)->stage > last ? schedule_of(inner)->stage : last;
        if (in_order && !last && loop_is_pipelined(op) && schedule_of_loop(op)->ordered)
            order_loop(kernel, op);
        expand_loop(kernel, op, last);
    }
}
